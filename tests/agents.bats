# Imports of sessions of agents and front ends: the detection of the format, and the imported content.
load helper

A=$BATS_TEST_DIRNAME/fixtures/agents
F=$BATS_TEST_DIRNAME/fixtures/import

setup() {
	isolate
	[ -x "$CTX_BIN/ctx-import" ] || skip 'built without libjq'
}

# Prints each sample with its format, or with "none" if no format may accept it.
samples() {
	cat <<-E
		$A/aider/small.aider.chat.history.md aider
		$A/antigravity/transcript.jsonl antigravity
		$A/atif/trajectory_made.json atif
		$A/cline/legacy/state/taskHistory.json none
		$A/cline/legacy/tasks/1767225600000/api_conversation_history.json cline
		$A/cline/roo/tasks/1767225700000/api_conversation_history.json cline
		$A/cline/roo/tasks/1767225700000/history_item.json none
		$A/cline/sdk/1784094124598_rruoq.messages.json cline
		$A/cline/sdk/fixture-success-01.messages.json cline
		$A/codex/rollout-2026-07-01T10-00-00-019f0000-0000-7000-8000-0000000000aa.jsonl.zst codex
		$A/copilot/cli_1.0.77_small.jsonl copilot
		$A/copilot/cli_schema_drift.jsonl copilot
		$A/copilot/history-session-state/session_0c5e1a2b-7d3f-4e6a-9b8c-1f2e3d4c5b6a_1759957816398.json copilot
		$A/copilot/session-state/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl copilot
		$A/copilot/vscode_1.132_journal.jsonl vscode-chat
		$A/copilot/vscode_chatSession_v3.json vscode-chat
		$A/cursor/agent_made/state.vscdb cursor-ide
		$A/cursor/chats_made/5221293a62034d5239da6fbff2d662cb/7c9e6679-7425-40de-944b-e07fc1f90ae7/store.db cursor-chats
		$A/cursor/cli_edge-cases.jsonl cursor
		$A/cursor/cli_schema_drift.jsonl cursor
		$A/cursor/cli_small.jsonl cursor
		$A/cursor/cli_subagent/parent.jsonl cursor
		$A/cursor/cli_subagent/subagents/child.jsonl cursor
		$A/cursor/ide_made/globalStorage/state.vscdb cursor-ide
		$A/cursor/ide_made/workspaceStorage/5f1d7a84c2e9b3d60718293a4b5c6d7e/workspace.json none
		$A/cursor/state_v016.vscdb cursor-ide
		$A/cursor/store_meta-only.db cursor-chats
		$A/cursor/transcript_error-line.jsonl cursor
		$A/cursor/transcript_multi-parts.jsonl cursor
		$A/cursor/transcript_with-tools.jsonl cursor
		$A/gemini/session-2026-05-01T10-00-814ee759.jsonl gemini-cli
		$A/goose/export_made.json goose
		$A/goose/legacy/20250724_1.jsonl goose
		$A/goose/sessions_v15.db goose
		$A/kimi/code/sample-compaction/agents/main/wire.jsonl kimi
		$A/kimi/code/session_tools/agents/agent-0/wire.jsonl kimi
		$A/kimi/code/session_tools/agents/main/wire.jsonl kimi
		$A/kimi/code/session_tools/state.json none
		$A/kimi/legacy/legacy-protocol-1.3/context.jsonl kimi
		$A/kimi/legacy/legacy-protocol-1.3/wire.jsonl kimi
		$A/kimi/legacy/recent-protocol-1.10/context.jsonl kimi
		$A/kimi/legacy/with-thinking/context.jsonl kimi
		$A/kimi/legacy/with-tool-calls/context.jsonl kimi
		$A/librechat/librechat-tree.json librechat
		$A/openai-agents/conversations_made.db openai-agents
		$A/opencode/export_explore.json opencode
		$A/opencode/export_interrupted.json opencode
		$A/opencode/export_question.json opencode
		$A/opencode/export_three-tasks.json opencode
		$A/opencode/storage_legacy/message/s_stage0_drift/msg_0001.json opencode
		$A/opencode/storage_v2/session/proj_test/ses_s_stage0_large.json opencode
		$A/opencode/storage_v2/part/m_assistant_large_1/004.json opencode
		$A/opencode/v1/opencode.db opencode
		$A/opencode/v2/opencode.db opencode
		$A/openwebui/chatgpt_branches.json open-webui
		$A/openwebui/output-items.json open-webui
		$A/openwebui/thinking.json open-webui
		$A/openwebui/webui-json.json open-webui
		$A/pi/openclaw_schema_drift.jsonl pi
		$A/pi/openclaw_small.jsonl pi
		$A/pi/v1_real.jsonl pi
		$A/pi/v3_edge-cases.jsonl pi
		$A/pi/v3_small.jsonl pi
		$A/qwen/019f0000-0000-7000-8000-000000000001.jsonl qwen
		$A/qwen/019f0000-0000-7000-8000-000000000002.jsonl qwen
		$A/qwen/019f0000-0000-7000-8000-000000000004.jsonl qwen
		$A/qwen/019f0000-0000-7000-8000-000000000005.jsonl qwen
		$A/qwen/019f0000000070008000000000000003.jsonl qwen
		$A/zed/threads.db zed
		$F/agentcmd_exec-json_stream-output-1.jsonl codex
		$F/agsess_claude_schema_drift.jsonl claude-code
		$F/agsess_codex_050_legacy.jsonl codex
		$F/agsess_codex_schema_drift.jsonl codex
		$F/agsess_gemini_jsonl_v040.jsonl gemini-cli
		$F/agsess_gemini_large.json gemini-cli
		$F/agsess_gemini_small.json gemini-cli
		$F/ccl_representative_messages.jsonl claude-code
		$F/fastchat_dummy-5.json sharegpt
		$F/mitkury_example-conversation.json chatgpt
		$F/spotter_short.jsonl claude-code
		$F/swe-agent_simple.traj swe-agent
		$F/taubench_airline-2.jsonl openai
	E
}

# Each value is imported as a message with the name of the detected format.
@test 'each sample is detected as the format of the tool that wrote it' {
	mkdir dir
	samples | while read -r file format; do
		[ "$format" = none ] || {
			{ [ "$format" != aider ] || echo '# ctx-import: text'; } >"dir/$format.jq"
			echo "session(\"s\"; {}), message(\"s\"; \"\\(.info.n)\"; {role: \"user\", content: \"$format\"}; {})" >>"dir/$format.jq"
			echo "SELECT json_object('row', 1);" >"dir/$format.sql"
		}
	done
	samples | while read -r file format; do
		case $format in
		none)
			status 3 ctx-import --import-dir dir "$file" >out 2>err
			[ ! -s out ]
			grep -qF "$file: unknown format" err
			;;
		*)
			ctx-import -q --import-dir dir "$file" >out 2>err || :
			got=$(jq -r 'select(.kind == "message").message.content' out | sort -u)
			[ "$got" = "$format" ] || { echo "$file: $got, not $format"; cat err; false; }
			;;
		esac
	done
}

@test 'ctx-import -f gives every imported message a role, whatever the format' {
	readarray -t files < <(samples | cut -d ' ' -f 1)
	for format in $(ctx-import --formats | grep -vx auto); do
		rc=0
		ctx-import -q -f "$format" "${files[@]}" >out 2>err || rc=$?
		[ $rc = 0 ] || [ $rc = 3 ] || { echo "$format: status $rc"; cat err; false; }
		jq -n 'first(inputs | select(.kind == "message" and (.message.role | type) != "string"))' out | same /dev/null
	done
}

@test 'a file of a known but unsupported format is reported with the file'\''s name' {
	mkdir dir
	echo '"nothere"' >dir/auto.jq
	status 3 ctx-import --import-dir dir "$A/antigravity/transcript.jsonl" >out 2>err
	[ ! -s out ]
	head -n 1 err | grep -qF "transcript.jsonl: the file seems to be from 'nothere', which is not supported"
}

@test 'the SQL script of a user-defined import format can read the database but not change it' {
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	mkdir dir
	sqlite3 my.db "CREATE TABLE said (who TEXT, what TEXT); INSERT INTO said VALUES ('user', 'hi'), ('assistant', 'ho')"
	echo 'message("s"; "\(.info.n)"; {role: .record.who, content: .record.what}; {})' >dir/mine.jq
	cat >dir/mine.sql <<-'E'
		-- with nothere
		SELECT json_object('who', x) FROM nothere;
		-- with said.who
		-- without other
		SELECT json_object('who', who, 'what', what) FROM said
		 ORDER BY rowid;
	E
	sum=$(cksum my.db)
	ctx-import -q --import-dir dir -f mine my.db | jq -r .message.content | xargs | same - 'hi ho'
	status 3 ctx-import my.db 2>err
	grep -qF 'my.db: unknown format' err
	echo "DELETE FROM said;" >dir/mine.sql
	status 2 ctx-import -q --import-dir dir -f mine my.db 2>err
	[ "$(cksum my.db)" = "$sum" ]
	# the error names the damaged file
	head -c 5000 my.db | tr 'CREATE' 'XXXXXX' >bad.db
	status 3 ctx-import -q --import-dir dir -f mine bad.db 2>err
	grep -q "bad.db" err
}

messages() {
	jq -c 'select(.kind == "message")' out
}

# Compares the table in the manual page with the fields in the scripts and in reports about samples.
@test 'importing a session of an agent loses only the data that the manual page lists' {
	sed -n '/tools: begin/,/tools: end/s/^\.It //p' "$ROOT/man/ctx-import.1" | sed 's/ Ta / /' >table
	for format in $(samples | cut -d ' ' -f 2 | sort -u); do
		case $format in none | openai | chatgpt | sharegpt | swe-agent | claude-code | codex | gemini-cli) continue ;; esac
		readarray -t files < <(samples | sed -n "s/ $format\$//p")
		ctx-import -q -f "$format" --report report "${files[@]}" >/dev/null 2>&1 || :
		{
			jq -r '.lost | keys_unsorted[]' report
			grep -o 'lost("[^"]*")' "$ROOT/lib/import/$format.jq" | cut -d '"' -f 2 || :
		} | sort -u | grep -vxE 'block|content|content_type' | paste -sd' ' | sed "s/^/$format /"
	done | grep ' .' >got
	sort table | same got
}

@test 'pi: messages, calls with results, summaries, model and usage are imported' {
	status 3 ctx-import -q "$A/pi/v3_edge-cases.jsonl" >out 2>err
	jq -c 'select(.kind == "session") | [.session_id, .parent_session_id, .created_at, .metadata.cwd]' out | same - \
'["pi-test-session-uuid","parent-uuid","2025-01-01T10:00:00Z","/Users/alice/code/my-project"]'
	messages | jq -c '[.id, .message_type, .message.role, (.message.content | if type == "array" then map(.type) else . end), .metadata.model, .metadata.usage.output]' | same - \
'["entry-1",null,"user","Fix the login bug",null,null]
["entry-2",null,"assistant",["thinking","text","tool_use"],"claude-opus-4-5",50]
["entry-3",null,"user",["tool_result"],null,null]
["entry-5","summary","user","# Context Checkpoint\nThe user is fixing a login bug.",null,null]
["entry-6",null,"user","Look good to you?",null,null]
["entry-7",null,"assistant",["redacted_thinking","text"],"claude-opus-4-5",10]'
	ctx-append -q --create out
	ctx-append -q -s pi-test-session-uuid -t 'And now?'
	ctx-window -s pi-test-session-uuid | ctx-render -p anthropic >/dev/null
	# the first version of the format has no ids
	ctx-import -q "$A/pi/v1_real.jsonl" >out
	messages | jq -r .message.role | sort | uniq -c | awk '{ print $1, $2 }' | xargs | same - '6 assistant 15 user'
}

@test 'pi: message ids stay the same when a session gets new branches, and a second import adds only new messages' {
	e() { echo "{\"type\":\"message\",\"id\":\"$1\",\"parentId\":$2,\"timestamp\":\"2026-01-01T00:00:0$3Z\",\"message\":{\"role\":\"${4:-user}\",\"content\":\"$1\"}}"; }
	{
		echo '{"type":"session","version":3,"id":"tree","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}'
		e a null 1; e b '"a"' 2 assistant; e c '"b"' 3
	} >in
	ctx-import -q in | ctx-append -q --create
	{ e d '"b"' 4; e f '"d"' 5 assistant; echo '{"type":"session_info","id":"g","parentId":"f","name":"A tree"}'; } >>in
	ctx-import -q in >out
	jq -c 'select(.kind == "session") | [.session_id, .parent_session_id, .parent_seq, .title]' out | same - \
'["tree",null,null,"A tree"]
["tree~d","tree",2,"A tree"]'
	messages | jq -r '"\(.session_id) \(.id)"' | xargs -n 8 | same - 'tree a tree b tree c tree~d a
tree~d b tree~d d tree~d f'
	ctx-append --create out >stored
	[ "$(ctx-list | jq -c '[.session_id, .message_count]' | sort | xargs)" = '[tree,3] [tree~d,4]' ]
	ctx-import -q in | ctx-append --create | diff stored -
	ctx-import -q --current in | jq -r 'select(.kind == "message").id' | xargs | same - 'a b d f'
	# a message that is its own parent does not cause an endless loop
	echo '{"type":"message","id":"x","parentId":"x","message":{"role":"user","content":"x"}}' >>in
	ctx-import -q in >/dev/null
}

@test 'goose: sessions are imported from the database, from an export and from the JSONL files of older versions' {
	sum=$(cksum "$A/goose/sessions_v15.db")
	ctx-import -q "$A/goose/sessions_v15.db" >out
	jq -c 'select(.kind == "session") | [.session_id, .parent_session_id, .title, .metadata.model, (.metadata.usage // [] | length)]' out | same - \
'["child","parent","Auth review","claude-sonnet-4-6",2]
["parent",null,"Auth work","claude-sonnet-4-6",0]'
	messages | jq -c '[.message_type, .metadata.agent_visible, .message.role, (.message.content | if type == "array" then map(.type, .is_error // empty) else . end)]' | same - \
'[null,null,"user","Inspect the authentication flow."]
[null,null,"assistant",["thinking","text","tool_use"]]
[null,null,"user",["tool_result"]]
[null,null,"assistant",["redacted_thinking"]]
["summary",null,"assistant","internal context"]
[null,null,"user","Have the login flow reviewed."]
[null,null,"assistant",["tool_use"]]
[null,null,"user",["tool_result",true]]
[null,null,"assistant","The review did not finish; I looked myself: auth.go is fine."]
[null,false,"user","(older talk, compacted)"]'
	ctx-append --create out >stored
	ctx-import -q "$A/goose/sessions_v15.db" | ctx-append --create | diff stored -
	[ "$(cksum "$A/goose/sessions_v15.db")" = "$sum" ]
	ctx-import -q "$A/goose/export_made.json" "$A/goose/legacy/20250724_1.jsonl" |
		jq -r '"\(.session_id) \(.title // .message.content)"' | same - \
'20260901_3 Port question
20260901_3 Which port does the server use?
20260901_3 8080, see server.toml.
20250724_1 Synthetic Goose session
20250724_1 Say hello
20250724_1 Hello from Goose!'
}

@test 'goose: a database with an older schema and a growing database are imported' {
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	sqlite3 old.db <<-'E'
		CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT, working_dir TEXT, created_at TEXT);
		CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER);
		INSERT INTO sessions VALUES ('20250901', 'Old', '/x', '2025-09-01 10:00:00');
		INSERT INTO messages VALUES (1, '20250901', 'user', '[{"type":"text","text":"hi"}]', 1756720800),
		  (2, '20250901', 'assistant', 'broken', 1756720801);
	E
	ctx-import --report report old.db | ctx-append -q --create
	jq -c .skipped report | same - '{"no content":1}'
	sqlite3 old.db "INSERT INTO messages VALUES (3, '20250901', 'assistant', '[{\"type\":\"text\",\"text\":\"ho\"}]', 1756720802)"
	ctx-import -q old.db | ctx-append --create | jq -r 'select(.kind == "message") | "\(.seq) \(.message.content)"' | same - '1 hi
2 ho'
	ctx-list | jq -c '[.title, .created_at, .message_count]' | same - '["Old","2025-09-01T10:00:00.000Z",2]'
}
