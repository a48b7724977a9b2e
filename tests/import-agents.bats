# Imports of sessions of each agent: messages, calls with results, titles, parents, usage and branches;
# and a second import after the file has grown.
load helper

A=$BATS_TEST_DIRNAME/fixtures/agents

setup() {
	isolate
	[ -x "$CTX_BIN/ctx-import" ] || skip 'built without libjq'
}

# sessions FILE…: prints id, parent, the parent's message at which the session branches, and title.
sessions() {
	ctx-import -q "$@" | jq -c 'select(.kind == "session") | [.session_id, .parent_session_id, .parent_seq, .title]'
}

# talk FILE…: prints role and block types of each message; S marks a summary, ! a failed result.
talk() {
	ctx-import -q "$@" | jq -r 'select(.kind == "message")
	| (if .message_type == "summary" then "S" else "" end) + (if .metadata.synthetic then "+" else "" end) + .message.role[:1] + ":"
	+ (.message | if .role == "tool" then "result"
	  elif (.content | type) == "string" then "text"
	  else [.content[] | .type + (if .is_error then "!" else "" end)] | join(",") end)' | xargs
}

# usages FILE…: prints model and usage of each answer: input, cache read, cache written, output, cost.
usages() {
	ctx-import -q "$@" | jq -c 'select(.kind == "message" and .metadata.usage) | .metadata
	| [.model, (.usage | .input_tokens, .cache_read_input_tokens, .cache_creation_input_tokens, .output_tokens, .cost)]'
}

@test 'every sample can be stored, and a second import adds and rejects nothing' {
	local n=0 list=() f
	readarray -t list < <(find "$A"/{aider,antigravity,atif,cline,copilot,cursor,kimi,librechat,openai-agents,openwebui,qwen,zed} -type f |
		grep -vE 'taskHistory|history_item|workspace.json|state.json' | sort)
	for f in "$A"/opencode/*.json "$A"/opencode/*/*.db "$A"/opencode/storage_*/session/*/*.json; do
		n=$((n + 1))
		ctx-import -q "$f" | ctx-append -q --create -S "oc$n.db"
		ctx-stats -S "oc$n.db" | jq -c '[.sessions_active, .messages]' >before
		ctx-import -q "$f" | ctx-append -q --create -S "oc$n.db"
		ctx-stats -S "oc$n.db" | jq -c '[.sessions_active, .messages]' | same before
		jq -e '.[1] > 0' before >/dev/null
	done
	ctx-import -q "${list[@]}" 2>/dev/null | ctx-append -q --create
	ctx-stats | jq -c '[.sessions_active, .messages]' >before
	same - '[58,312]' <before
	ctx-import -q "${list[@]}" 2>/dev/null | ctx-append -q --create
	ctx-stats | jq -c '[.sessions_active, .messages]' | same before
	# the imported session can be rendered
	ctx-append -q -s session_tools -t 'Go on.'
	ctx-window -s session_tools | ctx-render -p openai >/dev/null
}

@test 'opencode: three generations of its store give the same sessions' {
	sessions "$A/opencode/v1/opencode.db" | sort >v1
	sessions "$A/opencode/v2/opencode.db" | sort | same v1
	grep -qF '["ses_341f3e676ffez6WUF6zpok7dUZ","ses_341f480cfffekQwFX2LabeJFAU",null,"Find task tool rendering (@explore subagent)"]' v1
	[ "$(wc -l <v1)" = 5 ]
	talk "$A/opencode/export_explore.json" | same - 'u:text a:tool_use u:tool_result a:text'
	talk "$A/opencode/export_three-tasks.json" | same - 'u:text +u:text +u:text +u:text a:reasoning,tool_use,tool_use,tool_use u:tool_result u:tool_result u:tool_result a:reasoning,text'
	usages "$A/opencode/export_three-tasks.json" | same - '["gpt-5.3-codex",45922,0,0,815,0]
["gpt-5.3-codex",1217,45824,0,278,0]'
	# files of versions before 1.2: sessions with separate files for messages and parts
	talk "$A/opencode/storage_v2/session/proj_test/ses_s_stage0_large.json" | same - 'u:text a:tool_use,text,text,thinking u:tool_result! u:text a:text'
	talk "$A/opencode/storage_v2/session/proj_test/ses_s_stage0_small.json" | same - 'u:text a:tool_use,text u:tool_result'
	talk "$A/opencode/storage_legacy/session/proj_test/ses_s_stage0_drift.json" | same - 'a:tool_use,text u:tool_result'
	ctx-import --report report "$A/opencode/storage_v2/part/m_user_large_1/001.json" >out
	jq -c '[.messages, .skipped]' report | same - '[0,{"part of a session, which its own file tells":1}]'
}

@test 'opencode: new messages are added, unfinished answers are skipped, and reverted messages are hidden' {
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	cp "$A/opencode/v1/opencode.db" my.db
	ctx-import -q my.db | ctx-append -q --create
	sid=ses_341f480cfffekQwFX2LabeJFAU
	ctx-show -s $sid >before
	sqlite3 my.db "INSERT INTO message VALUES ('msg_zz1', '$sid', 1790000000000, 0, '{\"role\":\"user\",\"time\":{\"created\":1790000000000}}'),
	  ('msg_zz2', '$sid', 1790000000001, 0, '{\"role\":\"assistant\",\"modelID\":\"m\",\"time\":{\"created\":1790000000001}}');
	 INSERT INTO part VALUES ('prt_1', 'msg_zz1', '$sid', 0, 0, '{\"type\":\"text\",\"text\":\"And?\"}'),
	  ('prt_2', 'msg_zz2', '$sid', 0, 0, '{\"type\":\"text\",\"text\":\"Half\"}')"
	ctx-import --report report my.db | ctx-append -q --create
	jq -e '.skipped["answer that is not finished"] == 2' report >/dev/null
	ctx-show -s $sid | diff before - | grep -c '"kind":"message"' | same - 1
	sqlite3 my.db "UPDATE message SET data = json_set(data, '\$.time.completed', 1790000000009) WHERE id = 'msg_zz2';
	 UPDATE part SET data = json_set(data, '\$.text', 'Half and whole') WHERE id = 'prt_2'"
	ctx-import -q my.db | ctx-append -q --create
	ctx-show -s $sid | jq -r 'select(.kind == "message").message.content' | tail -n 2 | same - 'And?
Half and whole'
	sqlite3 my.db "UPDATE session SET revert = '{\"messageID\":\"msg_zz1\"}' WHERE id = '$sid'"
	ctx-import -q --current my.db >out
	[ "$(grep -c '"id":"msg_zz' out)" = 0 ]
	ctx-import -q my.db | grep -c '"id":"msg_zz' | same - 2
}

@test 'copilot: events, sub-agents and usage are imported, and the file may grow' {
	talk "$A/copilot/session-state/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl" | same - 'u:text a:tool_use u:tool_result a:text'
	sessions "$A/copilot/cli_1.0.77_small.jsonl" | same - '["copilot_stage0_small",null,null,null]
["copilot_stage0_small/[trimmed for fixture]","copilot_stage0_small",null,"[trimmed for fixture]"]'
	ctx-import -q "$A/copilot/cli_schema_drift.jsonl" | jq -c 'select(.kind == "session").metadata.usage' | same - \
'[{"input_tokens":200,"cache_read_input_tokens":800,"cache_creation_input_tokens":0,"output_tokens":50,"model":"gpt-4.1"}]'
	mkdir my
	printf 'id: x\nname: The files\n' >my/workspace.yaml
	head -n 4 "$A/copilot/session-state/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl" >my/events.jsonl
	ctx-import -q my/events.jsonl | ctx-append -q --create
	cp "$A/copilot/session-state/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl" my/events.jsonl
	ctx-import -q my/events.jsonl | ctx-append -q --create
	ctx-list | jq -c '[.title, .message_count]' | same - '["The files",4]'
	# an event whose parent is not the last event starts a branch
	echo '{"type":"user.message","data":{"content":"Again"},"id":"e9","timestamp":"2026-03-26T17:51:00.000Z","parentId":"e1"}' >>my/events.jsonl
	sessions my/events.jsonl | same - '["aaaabbbb-1111-2222-3333-ccccddddeeee",null,null,"The files"]
["aaaabbbb-1111-2222-3333-ccccddddeeee~e9","aaaabbbb-1111-2222-3333-ccccddddeeee",0,"The files"]'
	talk --current my/events.jsonl | same - 'u:text'
}

@test 'vscode-chat: sessions are imported from a JSON object or a journal, with tool calls if the file contains them' {
	talk "$A/copilot/vscode_chatSession_v3.json" | same - 'u:text a:text,tool_use,tool_use u:tool_result u:tool_result a:text,tool_use,tool_use u:tool_result u:tool_result a:text,tool_use u:tool_result a:text'
	jq -c '{kind: 0, v: (.requests = [])}, {kind: 2, k: ["requests"], v: [.requests[0] | .response = []]},
		{kind: 2, k: ["requests", 0, "response"], v: .requests[0].response}, {kind: 1, k: ["customTitle"], v: "Other"}' \
		"$A/copilot/vscode_chatSession_v3.json" >journal.jsonl
	ctx-import -q "$A/copilot/vscode_chatSession_v3.json" | jq -c .message >want
	ctx-import -q journal.jsonl | jq -c .message | same want
	sessions journal.jsonl | same - '["f56f201a-672e-4cc5-ada9-4736258cc586",null,null,"Other"]'
	ctx-import -q "$A/copilot/vscode_1.132_journal.jsonl" | jq -r 'select(.message.role == "assistant") | .message.content, .metadata.model' | same - \
'I'\''ll read `test.txt` first. 
[Read instructions]

[Read test.txt]
`test.txt` contains the command.
[Running uname]
 Done.
gpt-5.6-terra'
}

@test 'gemini-cli: a resumed chat has each call and result once' {
	f=$A/gemini/session-2026-05-01T10-00-814ee759.jsonl
	talk "$f" | same - 'u:text a:text,tool_use,tool_use u:tool_result,tool_result! a:tool_use u:tool_result a:text u:text u:text a:text,tool_use u:tool_result a:text u:text a:text'
	ctx-import -q "$f" | jq -r 'select(.kind == "message").message.content | arrays | .[] | .content? // empty' | head -n 3 | same - 'line 1
line 2
no such file'
	ctx-import -q --report report "$f" >out
	jq -c .skipped report | same - '{"session context":1,"result told with its call":6}'
	! grep -q session_context out || return 1
}

@test 'copilot: the older store is imported, except sessions that the newer store has' {
	old=$A/copilot/history-session-state/session_0c5e1a2b-7d3f-4e6a-9b8c-1f2e3d4c5b6a_1759957816398.json
	talk "$old" | same - 'u:text a:thinking,text,tool_use u:tool_result a:tool_use,tool_use u:tool_result u:tool_result! a:text u:text,image a:text'
	sessions "$old" | same - '["0c5e1a2b-7d3f-4e6a-9b8c-1f2e3d4c5b6a",null,null,null]'
	ctx-import -q "$old" | jq -r 'select(.kind == "message") | .created_at // "-"' | xargs | same - '2025-10-08T21:11:00.000Z 2025-10-08T21:11:05.000Z 2025-10-08T21:11:06.000Z - - 2025-10-08T21:12:09.000Z - - -'
	ctx-import -q "$old" | grep -q '"timeout":12345678901234567890'
	ctx-import -q --report report "$old" >/dev/null
	jq -c .lost report | same - '{"reasoningOpaque":1}'
	mkdir -p c/history-session-state c/session-state/0c5e1a2b-7d3f-4e6a-9b8c-1f2e3d4c5b6a
	cp "$old" c/history-session-state/s.json
	echo '{"type":"session.start","data":{"sessionId":"0c5e1a2b-7d3f-4e6a-9b8c-1f2e3d4c5b6a"},"id":"e1","timestamp":"2025-11-01T10:00:00Z","parentId":null}' \
		>c/session-state/0c5e1a2b-7d3f-4e6a-9b8c-1f2e3d4c5b6a/events.jsonl
	ctx-import -q --report report c/history-session-state/s.json | same /dev/null
	jq -c .skipped report | same - '{"session that session-state has":1}'
	# a damaged file and an empty one
	jq 'del(.timeline, .chatMessages[2].tool_call_id) | .chatMessages += [5, {"role": "robot"}, {"role": "tool", "tool_call_id": "x"}]' "$old" >d.json
	talk d.json 2>/dev/null | same - 'u:text a:thinking,text,tool_use u:tool_result a:tool_use,tool_use u:tool_result u:tool_result a:text u:text,image a:text'
	jq '.chatMessages = []' "$old" | ctx-import -q -f copilot | jq -r .kind | same - session
}

@test 'cursor: sessions are imported from transcripts, from chat databases and from the database of the IDE' {
	talk "$A/cursor/cli_schema_drift.jsonl" | same - 'u:text a:thinking,tool_use,text u:tool_result a:text'
	ctx-import -q "$A/cursor/transcript_with-tools.jsonl" | jq -r 'select(.message.role == "user").message.content' | same - 'Read foo.txt'
	mkdir -p p/agent-transcripts/aa/subagents
	cp "$A/cursor/cli_subagent/parent.jsonl" p/agent-transcripts/aa/aa.jsonl
	cp "$A/cursor/cli_subagent/subagents/child.jsonl" p/agent-transcripts/aa/subagents/bb.jsonl
	sessions p/agent-transcripts/aa/aa.jsonl p/agent-transcripts/aa/subagents/bb.jsonl | same - '["aa",null,null,null]
["bb","aa",null,null]'
	db=$A/cursor/chats_made/5221293a62034d5239da6fbff2d662cb/7c9e6679-7425-40de-944b-e07fc1f90ae7/store.db
	talk "$db" | same - 's:text u:text a:thinking,tool_use u:tool_result a:text'
	sessions "$db" "$A/cursor/store_meta-only.db" | same - '["7c9e6679-7425-40de-944b-e07fc1f90ae7",null,null,"Port of the server"]
["a1b2c3d4-e5f6-7890-abcd-ef1234567890",null,null,"Test Session"]'
	ide=$A/cursor/ide_made/globalStorage/state.vscdb
	talk "$ide" | same - 'u:text a:thinking a:text a:tool_use u:tool_result a:tool_use u:tool_result! a:text u:text a:text u:text a:text'
	sessions "$ide" | same - '["c0a80001-1111-4111-8111-000000000001",null,null,"Port of the server"]
["c0a80001-1111-4111-8111-000000000002","c0a80001-1111-4111-8111-000000000001",null,"Look for the port"]'
	usages "$ide" | same - '["claude-4.5-sonnet-thinking",2100,null,null,64,null]'
	ctx-import -q "$A/cursor/ide_made/globalStorage/state.vscdb" | jq -s 'map(select(.kind == "session")) | length' | same - 2
	talk "$A/cursor/state_v016.vscdb" | same - 'u:text a:text a:text a:tool_use u:tool_result a:tool_use u:tool_result u:text'
}

@test 'cursor: a chat without message records in the IDE'\''s database is imported from the agent'\''s data' {
	db=$A/cursor/agent_made/state.vscdb c=c0a80002-2222-4222-8222-00000000000
	sessions "$db" 2>/dev/null | sort | same - '["'$c'a",null,null,"Port of the server"]
["'$c'a~e5c95000d87783c9","'$c'a",5,"Port of the server"]
["'$c'b","'$c'a",null,"Explore"]
["'$c'c",null,null,null]
["'$c'd",null,null,"With bubbles"]'
	status 3 ctx-import -q "$db" >out 2>/dev/null
	jq -r 'select(.kind == "message" and .session_id == "'$c'a~e5c95000d87783c9") | .message.content | if type == "string" then . else .[-1] | .text // .name // .content end' out | same - 'You are a coding agent.
Which port does the server listen on?
Read
port = 8443
It is 8443.
Thanks.
You are welcome.'
	grep -q '"n":12345678901234567890' out
	jq -c 'select(.session_id == "'$c'a" and .kind == "message") | .message.content[0].is_error? // empty' out | same - true
	# hexadecimal texts, a state in a checkpoint, and message records instead of agent data
	jq -r 'select(.session_id == "'$c'b" and .kind == "message").message.content' out | same - 'Look for the port.
In server.toml.'
	jq -r 'select(.session_id == "'$c'c" and .kind == "message").message.content' out | same - 'Hi
Hello.'
	jq -r 'select(.session_id == "'$c'd" and .kind == "message").id' out | same - 'd1
d2'
	ctx-import -q --report report --current "$db" 2>/dev/null | jq -r .session_id | sort -u | same - "${c}a~e5c95000d87783c9
${c}b
${c}c
${c}d"
	jq -c .skipped report | same - '{"bubble without a value":3,"other branch":1,"message that is missing":2}'
	# a second import adds nothing; after the chat has grown, only the new messages
	command -v sqlite3 >/dev/null || return 0
	cp "$db" my.db
	ctx-import -q my.db 2>/dev/null | ctx-append -q --create
	ctx-stats | jq .messages >before
	sqlite3 my.db "UPDATE cursorDiskKV SET value = json_set(CAST(value AS TEXT), '\$.conversationState', '~CiAsN5bgOVRFgVwxRzmmvKM6NTE6tAEo/cAbPAYhMxNpdg==') WHERE key = 'composerData:${c}d'"
	ctx-import -q my.db 2>/dev/null | ctx-append -q --create
	ctx-stats | jq .messages | same before
	for damaged in '~!!' '~' '' '~AAAA' '~CgUAAA==' 'zz'; do
		sqlite3 my.db "UPDATE cursorDiskKV SET value = json_set(CAST(value AS TEXT), '\$.conversationState', '$damaged') WHERE key = 'composerData:${c}a'"
		ctx-import -q my.db >out 2>/dev/null || [ $? = 3 ]
		jq -e -s 'any(.session_id == "'$c'a" and .kind == "message")' out >/dev/null
	done
}

@test 'cline: command line sessions and tasks with the files beside them are imported' {
	talk "$A/cline/sdk/fixture-success-01.messages.json" | same - 'u:text a:thinking,tool_use u:tool_result a:text'
	usages "$A/cline/sdk/fixture-success-01.messages.json" | same - '["claude-sonnet-4-6",17,3,1,8,0.13]'
	sessions "$A/cline/legacy/tasks/1767225600000/api_conversation_history.json" "$A/cline/roo/tasks/1767225700000/api_conversation_history.json" | same - \
'["1767225600000",null,null,"Say hello"]
["1767225700000",null,null,"Fix the flaky test"]'
	mkdir -p tasks/5
	# a file with a missing bracket
	printf '[{"role":"user","content":"<task>\\nGo\\n</task>"},{"role":"assistant","content":"Gone"}' >tasks/5/api_conversation_history.json
	echo '[{"ts":1767225600000,"say":"api_req_started","text":"{\"tokensIn\":7,\"tokensOut\":3,\"cacheReads\":2,\"cost\":0.5}"}]' >tasks/5/ui_messages.json
	ctx-import -q tasks/5/api_conversation_history.json | jq -r 'select(.kind == "message").message.content' | same - 'Go
Gone'
	usages tasks/5/api_conversation_history.json | same - '[null,7,2,null,3,0.5]'
}

@test 'qwen and kimi: trees, turns, sub-agents and compactions are imported' {
	talk "$A/qwen/019f0000-0000-7000-8000-000000000001.jsonl" | same - 'u:text +u:text a:thinking,tool_use u:tool_result a:text +u:text'
	sessions "$A/qwen/019f0000-0000-7000-8000-000000000004.jsonl" | same - '["019f0000-0000-7000-8000-000000000004",null,null,"Active branch title"]
["019f0000-0000-7000-8000-000000000004~019f0000-0000-7000-8000-000000000045","019f0000-0000-7000-8000-000000000004",1,"Active branch title"]'
	talk --current "$A/qwen/019f0000-0000-7000-8000-000000000004.jsonl" | same - 'u:text u:text a:thinking,tool_use,text'
	sessions "$A/kimi/code/session_tools/agents/main/wire.jsonl" "$A/kimi/code/session_tools/agents/agent-0/wire.jsonl" | same - '["session_tools",null,null,"hi"]
["session_tools/agent-0","session_tools",null,"agent-0"]'
	talk "$A/kimi/code/sample-compaction/agents/main/wire.jsonl" | same - 'u:text a:text Su:text u:text'
	talk "$A/kimi/legacy/with-tool-calls/context.jsonl" | same - 'u:text +u:text a:tool_use u:tool_result'
	usages "$A/kimi/code/session_tools/agents/agent-0/wire.jsonl" | head -n 1 | same - '["moonshot-ai/kimi-k2.7-code",10982,1792,0,75,null]'
	# each call has its own id and result
	ctx-import -q "$A/kimi/code/session_tools/agents/main/wire.jsonl" | jq -r '.message.content? | arrays | .[] | .id // .tool_use_id // empty' | sort | uniq -c | awk '$1 != 2' | same /dev/null
	# a step that is not finished is omitted, and imported after it has finished
	head -n -2 "$A/kimi/code/session_tools/agents/agent-0/wire.jsonl" >wire.jsonl
	ctx-import -q -s k wire.jsonl | ctx-append -q --create
	cp "$A/kimi/code/session_tools/agents/agent-0/wire.jsonl" wire.jsonl
	ctx-import -q -s k wire.jsonl | ctx-append --create | jq -r 'select(.kind == "message").seq' | xargs | same - '1 2 3 4 5 6'
}

@test 'open-webui and librechat: branches, tool calls and thinking are imported' {
	talk "$A/openwebui/thinking.json" | same - 'u:text a:thinking,text'
	ctx-import -q "$A/openwebui/output-items.json" >out
	ctx-append -q --create out
	ctx-show -s tool-chat | jq -c 'select(.kind == "message") | [.message.role, (.message.content | if type == "array" then .[0].type else . end)]' | same - \
'["user","What'\''s the weather in Paris?"]
["assistant","tool_use"]
["tool","Paris: 18C, rain"]
["assistant","text"]'
	cat >tree.json <<-'E'
		{"title":"T","history":{"currentId":"b","messages":{
		 "b":{"id":"b","parentId":"q","role":"assistant","content":"second","timestamp":1700000003},
		 "q":{"id":"q","parentId":null,"role":"user","content":"ask","timestamp":1700000001},
		 "a":{"id":"a","parentId":"q","role":"assistant","content":"first","timestamp":1700000002}}}}
	E
	ctx-import -q -s t tree.json | jq -c '[.session_id, .parent_seq, .message.content]' | same - '["t",null,null]
["t",null,"ask"]
["t",null,"second"]
["t~a",1,null]
["t~a",null,"ask"]
["t~a",null,"first"]'
	ctx-import -q -s t --current tree.json | jq -r 'select(.kind == "message").message.content' | xargs | same - 'ask second'
	sessions "$A/librechat/librechat-tree.json" | jq -c '.[0:3]' | same - '["4a86c40e-e627-4454-b158-889680e23ad3",null,null]
["4a86c40e-e627-4454-b158-889680e23ad3~d3e12088-962e-42ce-900d-edd6816acae5","4a86c40e-e627-4454-b158-889680e23ad3",2]
["4a86c40e-e627-4454-b158-889680e23ad3~64ed7568-bdcf-42a9-b34a-73386d4d99dc","4a86c40e-e627-4454-b158-889680e23ad3",3]'
	command -v sqlite3 >/dev/null || return 0
	sqlite3 webui.db "CREATE TABLE chat (id TEXT, user_id TEXT, title TEXT, chat TEXT, created_at INTEGER);
	 INSERT INTO chat VALUES ('c1', 'u', 'In a database', '$(jq -c .chat <<<"$(jq -c '.[2]' "$A/openwebui/output-items.json")" | sed "s/'/''/g")', 1700002000)"
	sessions webui.db | same - '["c1",null,null,"In a database"]'
	talk webui.db | same - 'u:text a:text'
}

@test 'antigravity, atif, openai-agents, zed, aider and amp: sessions are imported' {
	talk "$A/antigravity/transcript.jsonl" | same - 'u:text a:thinking,tool_use u:tool_result +u:text +u:text a:thinking,text Su:text a:thinking,tool_use u:tool_result +u:text +u:text +u:text'
	talk "$A/atif/trajectory_made.json" | same - 's:text u:text a:thinking,tool_use,tool_use u:tool_result u:tool_result a:text'
	usages "$A/atif/trajectory_made.json" | same - '["claude-sonnet-4-5",300,600,null,40,0.0021]'
	talk "$A/openai-agents/conversations_made.db" | same - 'u:text a:reasoning,tool_use t:result a:text'
	if command -v zstd >/dev/null; then
		talk "$A/zed/threads.db" | same - 'u:text a:thinking,text u:text a:thinking,text'
	fi
	sessions "$A/zed/threads.db" 2>/dev/null | head -n 1 | same - '["registry-zed-legacy",null,null,"legacy zed thread"]'
	ctx-import -q "$A/aider/small.aider.chat.history.md" | jq -r 'select(.kind == "message") | "\(.message.role) \(.message.content)"' | same - 'user add a retry to the webhook
assistant I'\''ll add exponential backoff to the webhook handler.

Here is the plan:
user Step 1
assistant Wrap the call in a loop.
user make the timeout configurable
assistant Done. The timeout now reads from the environment.'
	cat >T-1.json <<-'E'
		{"id":"T-1","title":"Amp","created":1767865803494,"messages":[
		 {"role":"user","messageId":0,"content":[{"type":"text","text":"hi"}]},
		 {"role":"assistant","messageId":1,"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}],"usage":{"model":"m","inputTokens":3,"outputTokens":2}},
		 {"role":"user","messageId":2,"content":[{"type":"tool_result","toolUseID":"t1","run":{"status":"done","result":{"output":"x"}}}]}]}
	E
	talk T-1.json | same - 'u:text a:tool_use u:tool_result'
	usages T-1.json | same - '["m",3,null,null,2,null]'
}

@test 'compressed files are unpacked, also texts and databases' {
	gzip -c "$A/copilot/cli_schema_drift.jsonl" >drift.jsonl.gz
	talk "$A/copilot/cli_schema_drift.jsonl" >want
	talk drift.jsonl.gz | same want
	gzip -c "$A/goose/sessions_v15.db" >sessions.db.gz
	talk "$A/goose/sessions_v15.db" >want
	talk sessions.db.gz | same want
	gzip -c "$A/aider/small.aider.chat.history.md" >.aider.chat.history.md.gz
	talk .aider.chat.history.md.gz | same - 'u:text a:text u:text a:text u:text a:text'
	head -c 300 drift.jsonl.gz >cut.jsonl.gz
	status 3 ctx-import -q cut.jsonl.gz >out 2>err
	grep -q 'cut.jsonl.gz: gzip(1) could not unpack the whole file' err
	command -v zstd >/dev/null || return 0
	zstd -qc "$A/copilot/cli_schema_drift.jsonl" >drift.jsonl.zst
	talk drift.jsonl.zst >got
	talk "$A/copilot/cli_schema_drift.jsonl" | same got
}

@test 'importers read files beside the input by pattern, but no files outside its directory' {
	mkdir -p dir in/parts 'in/o[d]d'
	cat >dir/mine.jq <<-'E'
		# ctx-import: beside parts parts/{id}.json {name}.txt
		# ctx-import: beside more o[[]d]d/{parts.next}
		message("s"; "m"; {role: "user", content: ([.info.beside.parts[].value, .info.beside.more[].value] | tojson)}; {})
	E
	echo '{"id":"a"}' >in/x.json
	echo '{"next":"b"}' >in/parts/a.json
	printf 'text' >in/x.txt
	printf 'not json' >'in/o[d]d/b'
	ctx-import -q --import-dir dir -f mine in/x.json | jq -r .message.content | same - '[{"next":"b"},"text","not json"]'
	echo '{"id":"../x"}' >in/x.json
	ctx-import -q --import-dir dir -f mine in/x.json | jq -r .message.content | same - '["text"]'
}
