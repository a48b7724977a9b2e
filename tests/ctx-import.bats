# ctx-import(1)
load helper

F=$BATS_TEST_DIRNAME/fixtures/import

setup() {
	isolate
	[ -x "$CTX_BIN/ctx-import" ] || skip 'built without libjq'
}

# imported FILE [OPTION…]: writes the imported records to "out" and the report to "report".
imported() {
	ctx-import --report report "${@:2}" "$1" >out
}

messages() {
	jq -c 'select(.kind == "message")' "${1:-out}"
}

# shapes MEMBER: prints this member, the role, and the content or the types of its blocks.
shapes() {
	jq -c "[$1, .message.role, (.message.content | if type == \"array\" then map(.type) else . end)]"
}

@test 'the format is detected from the content, and the report has counts' {
	while read -r file format sessions messages; do
		imported "$F/$file"
		got=$(jq -r '"\(.format) \(.sessions) \(.messages)"' report)
		[ "$got" = "$format $sessions $messages" ] || { echo "$file: $got"; false; }
		[ "$(messages | wc -l)" = "$messages" ]
		cp out auto
		imported "$F/$file" -f "$format"
		cmp out auto
	done <<-E
		agsess_claude_schema_drift.jsonl claude-code 1 5
		ccl_representative_messages.jsonl claude-code 1 11
		spotter_short.jsonl claude-code 1 5
		spotter_tool_heavy.jsonl claude-code 1 17
		agentcmd_exec-json_stream-output-1.jsonl codex 1 1
		agsess_codex_050_legacy.jsonl codex 1 0
		agsess_codex_schema_drift.jsonl codex 1 4
		agsess_gemini_small.json gemini-cli 1 2
		agsess_gemini_large.json gemini-cli 1 8
		agsess_gemini_jsonl_v040.jsonl gemini-cli 1 4
		mitkury_example-conversation.json chatgpt 2 7
		fastchat_dummy-5.json sharegpt 5 18
		swe-agent_simple.traj swe-agent 1 12
		taubench_airline-2.jsonl openai 2 44
	E
}

@test 'every sample can be stored, and a second import adds nothing' {
	ctx-import -q "$F"/*.json* "$F"/*.traj >all
	ctx-append --create all >first
	ctx-append --create all | diff first -
	[ "$(messages first | wc -l)" = "$(messages all | wc -l)" ]
	[ "$(ctx-list -1 | wc -l)" = "$(jq -r 'select(.kind == "session").session_id' all | sort -u | wc -l)" ]
}

@test 'an imported session record sets title, creation time and user of the new session' {
	imported "$F/mitkury_example-conversation.json" --current
	ctx-append --create -u ann out >/dev/null
	ctx-list | jq -c '[.session_id, .title, .created_at, .user_id, .message_count]' |
		same - '["conv-123","Sample conversation with branch","2024-01-01T00:00:00.000Z","ann",4]'
}

@test 'imported messages keep their original bytes' {
	cat >in <<-'E'
		{"role":"assistant","content":"x\u00e9\/\u0000 é","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\": 1.0}"}}],"n":12345678901234567890,"k":1.0,"k":1e400,"z":{"b":-0,"a":2.50,"a":1E+2},"y":[1,1.0,100000000000000000000001,100000000000000000000002]}
	E
	ctx-import -q -f openai in | jq -e . >/dev/null
	ctx-import -q -f openai in | sed -n 's/.*"message":\(.*\)}$/\1/p' | same in
}

@test 'calls in the obsolete function format become tool calls with results' {
	cat >lines <<-'E'
		{"role":"user","content":"weather?"}
		{"role":"assistant","content":null,"function_call":{"name":"weather","arguments":"{\"city\": \"Oslo\", \"n\": 1.0}"}}
		{"role":"function","name":"weather","content":"{\"c\": 3.50}"}
		{"role":"assistant","content":"now both","function_call":{"name":"clock","arguments":{"zone":"é","n":12345678901234567890}}}
		{"role":"user","content":"hurry"}
		{"role":"function","name":"clock","content":{"h":1.0}}
		{"role":"assistant","content":"done","function_call":null}
	E
	jq -cs . lines >list
	printf '{"messages":%s,"functions":[{"name":"clock"}]}\n' "$(paste -sd, lines | sed 's/.*/[&]/')" >body
	cat >want <<-'E'
		["user",null]
		["assistant","call_m2"]
		["tool","call_m2"]
		["assistant","call_m4"]
		["user",null]
		["tool","call_m4"]
		["assistant",null]
	E
	for f in lines list body; do
		imported $f
		[ "$(jq -r .format report)" = openai ]
		messages | jq -c '.message | [.role, .tool_calls[0].id? // .tool_call_id]' | diff want -
		! messages | grep -E 'function_call":\{|"role":"function"'
		ctx-append -q --create out
		ctx-append -q out   # the same again is none
	done
	ctx-list | jq .message_count | sort -u | same - 7
	ctx-import -q lines >out
	grep -qF '"arguments":"{\"city\": \"Oslo\", \"n\": 1.0}"' out
	grep -qF '"arguments":"{\"zone\":\"é\",\"n\":12345678901234567890}"' out
	grep -qF '"content":"{\"h\":1.0}"' out
	# a result without a call
	sed 2d lines | status 3 ctx-import -q >out 2>err
	[ "$(messages | wc -l)" = 5 ]
	head -n 1 err | same - "ctx-import: stdin:2: result of function 'weather' without a call"
	sed 's/"name":"weather","content/"name":"other","content/' list >in
	status 3 ctx-import -q in >out 2>err
	grep -q "^ctx-import: in:1: record 3: result of function 'other' without a call" err
	[ "$(messages | wc -l)" = 6 ]
}

@test 'arguments in a string become an object and keep their spelling' {
	echo '[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"b\": 12345678901234567890, \"a\": 1.50, \"a\": {}}"},{"type":"function_call","call_id":"d","name":"f","arguments":"{oops"}]' >in
	ctx-import -q in | grep -qF '"input":{"b":12345678901234567890,"a":1.50,"a":{}}'
	ctx-import -q in | grep -qF '"input":{"input":"{oops"}'
}

@test 'JSON in a text keeps its spelling' {
	odd='{"order_id":12345678901234567890,"n":1.10,"a":1,"a":2,"s":"\u0041"}'
	as_text=$(jq -Rc . <<<"$odd")
	# holds FORMAT: the imported lines must contain the value as text
	holds() {
		ctx-import -q -f "$1" >out
		grep -qF "$as_text" out || { echo "$1 ${*:2}"; cat out; false; }
	}
	call='{"role":"model","parts":[{"functionCall":{"name":"f","args":'"$odd"'}}]}'
	echo '{"contents":['"$call"',{"role":"user","parts":[{"functionResponse":{"name":"f","response":'"$odd"'}}]}]}' | holds gemini
	grep -qF '"input":'"$odd" out
	echo '{"sessionId":"g","messages":[{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"f","args":'"$odd"',"result":[{"functionResponse":{"response":'"$odd"'}}]}]}]}' | holds gemini-cli
	grep -qF '"input":'"$odd" out
	echo '{"sessionId":"g","messages":[{"id":"1","type":"user","content":[{"functionResponse":{"id":"c","response":'"$odd"'}}]}]}' | holds gemini-cli user
	item='{"type":"function_call_output","call_id":"c","output":'
	echo '{"type":"response_item","payload":'"$item$odd"'}}' | holds codex object
	echo '{"type":"response_item","payload":'"${item}[$odd,$odd"']}}' | holds codex list
	[ "$(jq -c 'select(.kind == "message").message.content | length' out)" = 2 ]
	echo '{"type":"response_item","payload":'"${item}[$odd"']}}' | holds codex one
	echo "$item$odd}" | holds responses
	printf '%s\n' '{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}' "$item\"r\"}" | ctx-import -q |
		jq -c 'select(.kind == "message").message.content' | tail -1 | same - '"r"'
	echo '{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","tool":"f","arguments":'"$odd"',"result":"r"}}' | holds codex arguments
	echo '{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","tool":"f","arguments":{},"result":'"$odd"'}}' | holds codex result
	echo '{"sessionId":"s","type":"tool_use","id":"t","name":"f"}{"sessionId":"s","type":"tool_result","output":'"$odd"'}' | holds claude-code
	echo '[{"uuid":"c","chat_messages":[{"uuid":"1","sender":"assistant","content":[{"type":"tool_use","name":"f"},{"type":"tool_result","content":[{"type":"x","v":'"$odd"'}]}]}]}]' >in
	ctx-import -q -f claude-ai in | grep -qF "${as_text:1:-1}"
	# several values become a line each
	echo '{"sessionId":"g","messages":[{"id":"1","type":"gemini","content":"","toolCalls":[{"id":"c","name":"f","result":[{"text":"t"},{"functionResponse":{"response":'"$odd"'}},{"v":1.0}]}]}]}' >in
	ctx-import -q -f gemini-cli in | jq -r 'select(.id == "1-results").message.content[0].content' |
		same - "t
$odd
{\"v\":1.0}"
}

@test 'claude-code: records of the same message are joined, and their tool results follow' {
	line() { # TYPE UUID ID CONTENT
		echo '{"type":"'"$1"'","sessionId":"s","uuid":"'"$2"'","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"'"$1"'","id":'"$3"',"content":'"$4"'}}'
	}
	{
		line user u1 null '"go"'
		line assistant a1 '"m1"' '[{"type":"thinking","thinking":"t","signature":"s"}]'
		line assistant a2 '"m1"' '[{"type":"tool_use","id":"t1","name":"f","input":{"x":1.0}}]'
		line user r1 null '[{"type":"tool_result","tool_use_id":"t1","content":"1"}]'
		line assistant a3 '"m1"' '[{"type":"tool_use","id":"t2","name":"f","input":{}}]'
		line user r2 null '[{"type":"tool_result","tool_use_id":"t2","content":"2"}]'
		line assistant a4 '"m2"' '[{"type":"text","text":"done"}]'
	} >in
	ctx-import -q in >out
	messages | shapes .id | same - \
'["u1","user","go"]
["a1","assistant",["thinking","tool_use","tool_use"]]
["r1","user",["tool_result"]]
["r2","user",["tool_result"]]
["a4","assistant",["text"]]'
	grep -qF '"input":{"x":1.0}' out
	messages | ctx-lint -p anthropic
}

@test 'claude-code: parts of one message are joined even if other records stand between them' {
	for i in {1..40}; do
		echo '{"type":"assistant","sessionId":"s","uuid":"a'$i'","message":{"id":"m'$i'","role":"assistant","content":[{"type":"tool_use","id":"t'$i'","name":"f","input":{}}],"usage":{"input_tokens":1,"output_tokens":1}}}'
		echo '{"type":"user","sessionId":"s","uuid":"r'$i'","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t'$i'","content":"x"}]}}'
		echo '{"type":"assistant","sessionId":"s","uuid":"b'$i'","message":{"id":"m'$i'","role":"assistant","content":[{"type":"tool_use","id":"u'$i'","name":"f","input":{}}],"usage":{"input_tokens":1,"output_tokens":100,"service_tier":"standard","server_tool_use":{"web_search_requests":0}}}}'
		echo '{"type":"user","sessionId":"s","uuid":"q'$i'","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"u'$i'","content":"x"}]}}'
	done >in.jsonl
	ctx-import -q -f claude-code in.jsonl | jq -s -e 'map(select(.message.role == "assistant")) | length == 40 and
		all(.[]; .metadata.usage.output_tokens == 100 and (.message.content | length) == 2)'
}

@test 'claude-code: a subagent becomes a separate session' {
	echo '{"type":"user","sessionId":"s","agentId":"a1","isSidechain":true,"uuid":"u","message":{"role":"user","content":"x"}}' |
		ctx-import -q >out
	jq -c 'select(.kind == "session") | [.session_id, .parent_session_id, .agent]' out |
		same - '["s~a1","s","a1"]'
}

@test 'chatgpt: each branch becomes a session that also contains the shared messages' {
	imported "$F/mitkury_example-conversation.json"
	jq -c 'select(.kind == "session") | [.session_id, .parent_session_id, .parent_seq]' out | same - \
'["conv-123",null,null]
["conv-123~msg-5","conv-123",2]'
	messages | jq -r 'select(.session_id == "conv-123").id' | xargs | same - 'msg-2 msg-3 msg-4 msg-6'
	messages | jq -r 'select(.session_id != "conv-123").id' | xargs | same - 'msg-2 msg-3 msg-5'
	imported "$F/mitkury_example-conversation.json" --current
	[ "$(jq -r .sessions report)" = 1 ]
}

# tree CURRENT EDGE…: prints a ChatGPT export of one conversation. EDGE is PARENT:CHILD, oldest first.
tree() {
	jq -nc --arg current "$1" '$ARGS.positional | map(split(":")) as $e
		| [{id: "c", title: "T", current_node: $current, mapping: ([$e[] | {key: .[1], value: {
			id: .[1], parent: (.[0] | if . == "" then null else . end), children: [.[1] as $k | $e[] | select(.[0] == $k) | .[1]],
			message: (if .[1] == "root" then null else {id: .[1],
				author: {role: (if .[1] | test("^[ace]") then "user" else "assistant" end)},
				content: {content_type: "text", parts: [.[1]]}} end)}}] | from_entries)}]' --args "${@:2}"
}

# ways STORE: prints each session with the text of its messages.
ways() {
	for s in $(ctx-list -1 -S "$1" | sort); do
		echo "$s: $(ctx-show -S "$1" -s "$s" | jq -c 'select(.kind == "message")' | jq -r .message.content | xargs)"
	done
}

@test 'chatgpt: edited, regenerated and continued branches are not mixed' {
	tree f :root root:a a:b b:e e:f >january
	# the first question was edited, and the edited branch is the current one
	tree a2b :root root:a root:a2 a:b b:e e:f a2:a2b >february
	# the answer was regenerated, and the edited and the oldest branch were continued
	tree f2 :root root:a root:a2 a:b b:e e:f e:f2 a2:a2b a2b:c a2b:c2 f:e2 >march
	for first in '' january; do
		for last in february march; do
			rm -f s.db*
			for m in $first $last; do ctx-import -q "$m" | ctx-append -q -S s.db --create; done
			ctx-import -q $first $last | ctx-append -q -S s.db --create
			ways s.db >got-$last
			ctx-import -q $first $last >out
			[ "$(messages | jq -r '.id | select(contains("#"))')" = '' ]
			[ ! -e want-$last ] || cmp want-$last got-$last
			cp got-$last want-$last
		done
	done
	same want-february <<-E
		c: a b e f
		c~a2: a2 a2b
	E
	same want-march <<-E
		c: a b e f e2
		c~a2: a2 a2b c
		c~c2: a2 a2b c2
		c~f2: a b e f2
	E
	ctx-import -q march | jq -c 'select(.kind == "session") | [.session_id, .parent_session_id, .parent_seq]' |
		sort | xargs | same - '[c,null,null] [c~a2,c,0] [c~c2,c~a2,2] [c~f2,c,3]'
	# only the current branch
	rm -f s.db*
	for m in january february march; do ctx-import -q --current "$m" | ctx-append -q -S s.db --create; done
	ways s.db | same - 'c: a b e f
c~a2: a2 a2b
c~f2: a b e f2'
	# without children and times, messages are in the order of the file
	jq -c 'del(.[].mapping[].children)' march >bare
	ctx-import -q bare | jq -c 'select(.kind == "message")' | jq -r 'select(.session_id == "c").id' | xargs | same - 'a b e f e2'
}

@test 'chatgpt: a cycle of parents does not loop forever' {
	printf '[{"id":"c","current_node":"a","mapping":{%s,%s}}]' \
		'"a":{"id":"a","parent":"b","message":{"id":"a","author":{"role":"user"},"content":{"parts":["x"]}}}' \
		'"b":{"id":"b","parent":"a","message":{"id":"b","author":{"role":"user"},"content":{"parts":["y"]}}}' > round
	imported round --format chatgpt
	messages | jq -r .id | xargs | same - 'b a'
}

@test 'an invalid time is omitted' {
	for t in 1e300 -1e300 253402300800 -30610224001; do
		echo '[{"id":"c","create_time":'$t',"current_node":"a","mapping":{"a":{"id":"a","message":' \
			'{"id":"a","author":{"role":"user"},"content":{"parts":["x"]}}}}}]' > odd
		imported odd --format chatgpt
		jq -c .created_at out | xargs | same - 'null null'
	done
	sed 's/-30610224001/253402300799.5/' odd > last
	imported last --format chatgpt
	jq -r .created_at out | xargs | same - '9999-12-31T23:59:59.500Z null'
}

@test 'chatgpt: hidden and empty messages, tools, images and missing times are handled' {
	node() { # ID PARENT ROLE MORE CONTENT
		printf '"%s":{"id":"%s","parent":"%s","message":{"id":"%s","author":{"role":"%s"},%s"content":%s}},' \
			"$1" "$1" "$2" "$1" "$3" "$4" "$5"
	}
	{
		printf '[{"id":"c","title":null,"create_time":1700000000.123,"current_node":"n6","mapping":{'
		node n1 r system '"metadata":{"is_visually_hidden_from_conversation":true},' '{"content_type":"text","parts":["x"]}'
		node n2 n1 user '"create_time":null,' '{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://f"},"what?"]}'
		node n3 n2 assistant '"recipient":"python",' '{"content_type":"code","text":"1+1"}'
		node n4 n3 tool '' '{"content_type":"execution_output","text":"2"}'
		node n5 n4 assistant '' '{"content_type":"thoughts","thoughts":[]}'
		node n6 n5 assistant '"create_time":1700000001,' '{"content_type":"text","parts":["two"]}'
		printf '"r":{"id":"r","message":null,"parent":null}}}]'
	} >in
	imported in
	messages | jq -c '[.id, .created_at, .message.role, .message.content // .message.tool_calls[0].function.arguments]' | same - \
'["n2",null,"user","[image_asset_pointer file-service://f]\nwhat?"]
["n3",null,"assistant","{\"input\":\"1+1\"}"]
["n4",null,"tool","2"]
["n6","2023-11-14T22:13:21.000Z","assistant","two"]'
	messages | ctx-lint
	jq -c '[.skipped, .lost]' report |
		same - '[{"hidden message":1},{"image_asset_pointer":1,"thoughts":1}]'
	[ "$(jq -r 'select(.kind == "session").created_at' out)" = 2023-11-14T22:13:20.123Z ]
}

@test 'codex: messages after a compaction become a separate session' {
	cat >in <<-'E'
		{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s","timestamp":"2026-01-01T00:00:00.000Z"}}
		{"timestamp":"2026-01-01T00:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}
		{"timestamp":"2026-01-01T00:00:02.000Z","type":"response_item","payload":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"}}
		{"timestamp":"2026-01-01T00:00:02.000Z","type":"response_item","payload":{"type":"function_call","id":"fc","call_id":"c","name":"shell","arguments":"{}"}}
		{"timestamp":"2026-01-01T00:00:03.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"ok"}}
		{"timestamp":"2026-01-01T00:00:04.000Z","type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"so far"}]}]}}
		{"timestamp":"2026-01-01T00:00:05.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}}
	E
	ctx-import -q in >out
	messages | shapes .session_id | same - \
'["s","user","hi"]
["s","assistant",["reasoning","tool_use"]]
["s","tool","ok"]
["s~1","user","so far"]
["s~1","assistant",["text"]]'
	ctx-append --create out >/dev/null
	ctx-window -s s | ctx-render -p responses | ctx-lint
}

@test 'gemini-cli: lines with $set and lines that replace a message are applied' {
	cat >in <<-'E'
		{"sessionId":"g","projectHash":"p","startTime":"2026-01-01T00:00:00.000Z"}
		{"id":"1","type":"user","content":[{"text":"hi"}]}
		{"id":"2","type":"gemini","content":"one"}
		{"$set":{"summary":"greeting"}}
		{"id":"2","type":"gemini","content":"two"}
	E
	ctx-import -q in | jq -c '.title // .message.content' | same - '"greeting"
"hi"
"two"'
}

@test 'qa: pairs of question and answer are imported from a session object, a list or lines' {
	echo '{"session_id":"s","turns":[{"user_message":"q","agent_response":"a","tools_used":["t"],"timestamp":"2026-01-01T00:00:00Z"}]}' |
		ctx-import -q >out
	messages | jq -c '[.session_id, .id, .created_at, .message.content, .metadata]' | same - \
'["s","q1","2026-01-01T00:00:00Z","q",null]
["s","a1","2026-01-01T00:00:00Z","a",{"tools_used":["t"]}]'
	echo '{"conversationHistory":[{"question":"q","answer":"a","metadata":{"k":1.0}}],"sessionId":"s"}' |
		ctx-import -q -f qa | grep -qF '"metadata":{"k":1.0}'
	printf '%s\n' '{"question":"1","answer":"2"}' '{"question":"3","answer":"4"}' | ctx-import -q >out
	[ "$(jq -r .session_id out | sort -u | wc -l)" = 1 ]
	[ "$(messages | wc -l)" = 4 ]
}

@test 'claude-ai: results inside an answer become user messages' {
	echo '[{"uuid":"c","name":"T","created_at":"2026-01-01T00:00:00Z","chat_messages":[{"uuid":"1","sender":"human","text":"hi","content":[{"type":"text","text":"hi"}],"attachments":[{"file_name":"a.txt","extracted_content":"A"}]},{"uuid":"2","sender":"assistant","content":[{"type":"text","text":"look"},{"type":"tool_use","name":"f","input":{}},{"type":"tool_result","content":[{"type":"text","text":"r"}]},{"type":"text","text":"so"}]}]}]' |
		ctx-import -q >out
	messages | shapes .id | same - \
'["1","user",["text","text"]]
["2","assistant",["text","tool_use"]]
["2-1","user",["tool_result"]]
["2-2","assistant","so"]'
	messages | ctx-lint -p anthropic
}

@test 'llm: databases with the old and the new schema are imported' {
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	sqlite3 logs.db <<-'E'
		CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
		CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT,
		  prompt_json TEXT, options_json TEXT, response TEXT, response_json TEXT,
		  conversation_id TEXT, duration_ms INTEGER, datetime_utc TEXT);
		CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER,
		  name TEXT, arguments TEXT, tool_call_id TEXT);
		CREATE TABLE tool_results (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER,
		  name TEXT, output TEXT, tool_call_id TEXT);
		INSERT INTO conversations VALUES ('c', 'Weather', 'm');
		INSERT INTO responses VALUES ('r1','m','rain?','be brief',null,null,'',null,'c',1,'2026-01-01T00:00:00.123456+00:00');
		INSERT INTO tool_calls VALUES (1,'r1',1,'get','{"n": 1.0}','t1');
		INSERT INTO responses VALUES ('r2','m','','be brief',null,null,'no',null,'c',1,'2026-01-01T00:00:01+00:00');
		INSERT INTO tool_results VALUES (1,'r2',1,'get','dry','t1');
	E
	ctx-import -q logs.db >out
	messages | jq -c '[.id, .message.role, .message.content]' | same - \
'["r1-system","system","be brief"]
["r1-prompt","user","rain?"]
["r1","assistant",null]
["r2-t1","tool","dry"]
["r2","assistant","no"]'
	grep -qF '"arguments":"{\"n\": 1.0}"' out
	messages | ctx-lint
	[ "$(jq -r 'select(.kind == "session").title' out)" = Weather ]
	sum=$(cksum logs.db)
	sqlite3 new.db <<-'E'
		CREATE TABLE threads (id TEXT PRIMARY KEY, name TEXT, tip_message_hash TEXT, forked_from TEXT, datetime_utc TEXT);
		CREATE TABLE messages (hash TEXT PRIMARY KEY, parent_hash TEXT, role TEXT);
		CREATE TABLE parts (message_hash TEXT, position INTEGER, type TEXT, text TEXT, payload TEXT, tool_name TEXT);
		CREATE TABLE fragments (id INTEGER PRIMARY KEY, content TEXT);
		INSERT INTO threads VALUES ('th','Pets','b2:2',null,'2026-01-01 00:00:00'), ('fork','Pets','b2:3','th',null);
		INSERT INTO messages VALUES ('b2:1',null,'user'), ('b2:2','b2:1','assistant'), ('b2:3','b2:1','assistant');
		INSERT INTO fragments VALUES (1, 'a novel');
		INSERT INTO parts VALUES ('b2:1',0,'text',null,'{"text_ref":[{"fragment":1},{"literal":"?"}]}',null),
		  ('b2:2',1,'text','B',null,null), ('b2:2',0,'text','A',null,null), ('b2:3',0,'text','C',null,null);
	E
	ctx-import -q -f llm new.db | jq -c '[.session_id, .title // .message.content]' | same - \
'["th","Pets"]
["th","a novel?"]
["th","A\nB"]
["fork","Pets"]
["fork","a novel?"]
["fork","C"]'
	[ "$(cksum logs.db)" = "$sum" ]
}

@test 'llm: a database without indexes is read in one pass and not changed' {
	sqlite3 logs.db <<-'E'
		CREATE TABLE threads (id TEXT, name TEXT, tip_message_hash TEXT);
		CREATE TABLE messages (hash TEXT, parent_hash TEXT, role TEXT);
		CREATE TABLE parts (message_hash TEXT, position INTEGER, type TEXT, text TEXT, payload TEXT, tool_name TEXT);
		CREATE TABLE fragments (id INTEGER PRIMARY KEY, content TEXT);
		WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
		INSERT INTO messages SELECT 'h' || i, 'h' || (i - 1), CASE i % 2 WHEN 1 THEN 'user' ELSE 'assistant' END FROM n;
		INSERT INTO parts SELECT hash, 0, 'text', 'text of ' || hash, NULL, NULL FROM messages;
		INSERT INTO threads VALUES ('t', 'long', 'h40000');
	E
	sum=$(cksum logs.db)
	timeout 100 ctx-import -q -f llm logs.db >out
	[ "$(tail -n 1 out | jq -r .message.content)" = 'text of h40000' ]
	[ "$(cksum logs.db)" = "$sum" ]
	[ "$(echo logs.db*)" = logs.db ]
}

@test 'an invalid record does not stop the import of the others' {
	{
		echo '{"id":"a","conversations":[{"from":"human","value":"hi"},{"from":"alien","value":"?"},{"from":"gpt"}]}'
		echo '{"id":"b","conversations":['
		echo '"text"'
		echo '{"id":"c","conversations":[{"from":"human","value":"bye"}]}'
	} >in
	status 3 ctx-import -f sharegpt --report report in >out 2>err
	messages | jq -r .message.content | xargs | same - 'hi bye'
	jq -c '[.records, .sessions, .messages, .skipped]' report |
		same - '[4,2,2,{"from alien":1,"no text":1,"no JSON":1,"no conversation":1}]'
	grep -q '^ctx-import: in:2: ' err
	echo '[{"id":"a","conversations":[{"from":"human","value":"hi"}]},17,{"id":"b","conversations":[{"from":"human","value":"bye"}]}]' |
		status 3 ctx-import -f sharegpt --report report >out
	[ "$(messages | wc -l)" = 2 ]
}

@test 'llm: fragments become text; attachments and exceptions are reported as lost' {
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	sqlite3 logs.db <<-'E'
		CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
		CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT,
		  response TEXT, conversation_id TEXT, datetime_utc TEXT);
		CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER,
		  name TEXT, arguments TEXT, tool_call_id TEXT);
		CREATE TABLE tool_results (id INTEGER PRIMARY KEY, response_id TEXT, tool_id INTEGER,
		  name TEXT, output TEXT, tool_call_id TEXT, exception TEXT);
		CREATE TABLE tool_results_attachments (tool_result_id INTEGER, attachment_id TEXT, "order" INTEGER);
		CREATE TABLE fragments (id INTEGER PRIMARY KEY, hash TEXT, content TEXT);
		CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);
		CREATE TABLE system_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);
		CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER);
		INSERT INTO conversations VALUES ('c', 'N', 'm');
		INSERT INTO responses VALUES ('r1','m','what is it?','be brief','a book','c','2026-01-01T00:00:00+00:00'),
		  ('r2','m','','be brief','so','c','2026-01-01T00:00:01+00:00'), ('r3','m','plain',null,'yes','d','2026-01-01T00:00:02+00:00');
		INSERT INTO fragments VALUES (1,'h1','second'), (2,'h2','first'), (3,'h3','you are kind');
		INSERT INTO prompt_fragments VALUES ('r1',1,1), ('r1',2,0), ('r2',2,0);
		INSERT INTO system_fragments VALUES ('r1',3,0), ('r2',3,0);
		INSERT INTO prompt_attachments VALUES ('r1','a',0), ('r1','b',1);
		INSERT INTO tool_results VALUES (1,'r2',1,'get','Error: no','t1','ValueError: no');
		INSERT INTO tool_results_attachments VALUES (1,'a',0);
	E
	ctx-import --report report logs.db >out
	messages | jq -c '[.id, .message.content]' | same - \
'["r1-system","you are kind\n\nbe brief"]
["r1-prompt","first\nsecond\nwhat is it?"]
["r1","a book"]
["r2-t1","Error: no"]
["r2-prompt","first"]
["r2","so"]
["r3-prompt","plain"]
["r3","yes"]'
	[ "$(jq -cS .lost report)" = '{"attachments":3,"exception":1}' ]
}

@test 'unusual first records do not prevent the detection of the format' {
	good='{"role":"user","content":"a"}'
	for odd in oops '{"role":"user","content":"cut' '{"role":"user","content":"\ud800"}' '{"x":"\xff"}' '[' '17'; do
		{ printf '%b\n' "${odd//\\u/\\\\u}"; echo "$good"; echo "$good"; echo '{broken'; echo "$good"; } >in
		status 3 ctx-import --report report in >out 2>err
		[ "$(messages | wc -l)" -ge 2 ] || { echo "$odd"; cat out err; false; }
		grep -q '^ctx-import: in:1: ' err || [ "$odd" = '[' ] || { echo "$odd"; cat err; false; }
	done
	status 3 ctx-import <<<oops 2>err
	# a file of unknown format does not prevent the import of the next file
	echo '{"what":1}' >none
	echo "$good" >good
	status 3 ctx-import none good >out 2>err
	[ "$(messages | wc -l)" = 1 ]
}

@test 'a file may have any name' {
	for name in $'a\nb\x7f' $'\xff' 'ä b' -; do
		echo '{"role":"user","content":"hi"}' >"./$name"
		imported "./$name"
		[ "$(messages | wc -l)" = 1 ]
		ctx-append -q --create out
	done
	ctx-list -1 | grep -c '^openai-' | same - 4
}

@test 'NUL bytes are reported, and the records after them are imported' {
	good='{"role":"user","content":"a"}'
	printf '%s\n\0\0\0\n%s\n' "$good" "$good" >in
	for f in auto openai; do
		status 3 ctx-import -f $f --report report in >out 2>err
		[ "$(messages | wc -l)" = 2 ]
		[ "$(jq -c '[.records, .skipped]' report)" = '[3,{"no JSON":1}]' ]
		head -1 err | same - 'ctx-import: in:2: 3 NUL bytes'
	done
	{ head -c 100000 /dev/zero; cat "$F/spotter_short.jsonl"; } >in
	for f in auto claude-code; do
		status 3 ctx-import -f $f in >out 2>err
		[ "$(messages | wc -l)" = 5 ]
	done
	{ cat "$F/spotter_short.jsonl"; head -c 4096 /dev/zero; } >in
	status 3 ctx-import in >out 2>err
	[ "$(messages | wc -l)" = 5 ]
}

@test 'skipped content is reported with its line, and the rest is imported' {
	{
		echo '{"role":"user","content":"a"}'
		echo '{"role":"robot","content":"b"}'
		echo '{"role":"user","content":"c"}'
	} >in
	status 3 ctx-import -f openai in >out 2>err
	[ "$(messages | wc -l)" = 2 ]
	grep -q '^ctx-import: in:2: role robot$' err
	jq -cs '{messages: .}' in >body
	status 3 ctx-import -f openai body >out 2>err
	[ "$(messages | wc -l)" = 2 ]
	grep -q '^ctx-import: body:1: role robot$' err
	echo '[{"role":"user","content":"a"},{"role":"robot","content":"b"}]' >in
	status 3 ctx-import in 2>err >out
	grep -q '^ctx-import: in:1: record 2: role robot$' err
	for i in $(seq 3000); do echo '{"role":"robot","content":"b"}'; done >in
	status 3 ctx-import -f openai in 2>err >out
	[ "$(wc -l <err)" = 12 ]
	grep -q '3000 errors: the invalid input was skipped' err
	# records that are known not to be messages are counted and are not errors
	echo '{"type":"file-history-snapshot","messageId":"x"}' >in
	ctx-import -f claude-code --report report in
	[ "$(jq -c .skipped report)" = '{"type file-history-snapshot":1}' ]
}

@test 'after a session without an id was rejected, the following sessions are still imported' {
	mkdir dir
	echo 'session(own_id; {user_id: .record.user}), message(own_id; "1"; {role: "user", content: .record.say}; {})' >dir/mine.jq
	printf '%s\n' '{"user":"a\u0001","say":"one"}' '{"say":"two"}' '{"say":"two"}' >in
	status 3 ctx-import -f mine --import-dir dir in >out 2>err
	[ "$(messages | jq -r .message.content | xargs)" = 'two two' ]
	[ "$(sessions)" = '1 1' ]
	grep -q '^ctx-import: in:1: ' err
	messages | jq -r .session_id | tail -1 | grep -qx 'mine-in-[0-9a-f]\{16\}-2'
}

# sessions: prints the number of messages of each session.
sessions() {
	messages | jq -r .session_id | sort | uniq -c | awk '{ print $1 }' | xargs
}

@test 'transcripts without ids become separate sessions, even if their first messages are equal' {
	mkdir run1 run2 run3
	for i in 1 2 3; do
		for t in "system:be brief" "user:question $i" "assistant:answer $i"; do
			echo '{"role":"'"${t%%:*}"'","content":"'"${t#*:}"'"}'
		done >run$i/messages.jsonl
		jq -s . run$i/messages.jsonl >run$i/array.json
		jq -cs '{messages: .}' run$i/messages.jsonl >run$i/body.json
		jq -cs '{conversations: map({from: .role, value: .content})}' run$i/messages.jsonl >run$i/share.json
		jq -cs '{input: .}' run$i/messages.jsonl >run$i/input.json
		jq -cs '{history: ., environment: "e"}' run$i/messages.jsonl >run$i/a.traj
		printf '%s\n' '{"question":"same","answer":"a'$i'"}' '{"question":"q'$i'","answer":"b"}' >run$i/qa.jsonl
	done
	for f in messages.jsonl array.json body.json share.json input.json a.traj qa.jsonl; do
		ctx-import -q run*/$f >out
		want='3 3 3'
		[ $f != qa.jsonl ] || want='4 4 4'
		[ "$(sessions)" = "$want" ] || { echo "$f: $(sessions)"; false; }
		ctx-append -q -S $f.db --create out
		# each file by itself and in another order gives the same sessions
		for i in 3 1 2; do ctx-import -q run$i/$f; done | ctx-append -q -S $f.db --create
		(cd run2 && ctx-import -q ./$f | ctx-append -q -S ../$f.db --create)
		[ "$(ctx-list -S $f.db | jq -s 'map(.message_count) | add')" = "$(messages | wc -l)" ]
		# also from standard input
		for i in 1 2 3; do ctx-import -q <run$i/$f | ctx-append -q -S stdin.db --create; done
	done
	# transcripts with the same first question are distinguished by their path
	for i in 1 2; do
		printf '%s\n' '{"role":"user","content":"same"}' '{"role":"assistant","content":"'$i'"}' >run$i/messages.jsonl
	done
	ctx-import -q run[12]/messages.jsonl >out
	[ "$(sessions)" = '2 2' ]
	for i in 1 2; do ctx-import -q <run$i/messages.jsonl; done >out
	[ "$(sessions)" = '2 2' ]
	# and by their order within one file
	for i in 1 2; do jq -cs '{messages: .}' run$i/messages.jsonl; done >bodies
	ctx-import -q bodies >out
	[ "$(sessions)" = '2 2' ]
	mkfifo pipe
	cat run1/messages.jsonl >pipe &
	ctx-import -q pipe >out
	ctx-import -q <run1/messages.jsonl | cmp - out
}

@test 'a transcript without an id that has grown stays one session' {
	turns() { # N: of a conversation, a message a line
		jq -nc '{role: "system", content: "be brief"},
			(range(1; $n + 1) | {role: "user", content: "q\(.)"}, {role: "assistant", content: "a\(.)"})' --argjson n "$1"
	}
	grow() { # NAME FILTER
		for n in 1 2 3; do
			turns $n | jq -cs "$2" >"$1"
			ctx-import -q "$1" | ctx-append -q -S "$1.db" --create
		done
		ctx-list -S "$1.db" | jq -c .message_count | same - 7 || { echo "$1"; false; }
	}
	grow lines.jsonl '.[]'
	grow array.json .
	grow body.json '{messages: .}'
	grow other.json '{messages: .[1:], system: .[0].content}'
	grow share.json '{conversations: map({from: .role, value: .content})}'
	grow input.json '{input: .[1:], instructions: .[0].content}'
	grow items.json .
	grow a.traj '{history: ., environment: "e"}'
	grow gemini.json '{systemInstruction: {parts: [{text: .[0].content}]}, contents: .[1:] | map({role: (if .role == "user" then "user" else "model" end), parts: [{text: .content}]})}'
	# also if the first import contained only the first question
	turns 1 | head -2 >early.jsonl
	ctx-import -q early.jsonl | ctx-append -q -S early.db --create
	turns 2 >early.jsonl
	ctx-import -q early.jsonl | ctx-append -q -S early.db --create
	ctx-list -S early.db | jq -c .message_count | same - 5
	# another conversation in the same file becomes another session
	jq -nc '{role: "user", content: "new"}' >early.jsonl
	ctx-import -q early.jsonl | ctx-append -q -S early.db --create
	ctx-list -S early.db | jq -c .message_count | sort | xargs | same - '1 5'
}

@test 'without --report, a summary line is printed on stderr' {
	ctx-import -f sharegpt "$F/fastchat_dummy-5.json" 2>err >/dev/null
	[ "$(wc -l <err)" = 1 ]
	grep -q 'sessions 5, messages 18' err
	ctx-import -q -f sharegpt "$F/fastchat_dummy-5.json" 2>err >/dev/null
	[ ! -s err ]
}

@test 'different messages with the same id get different ids, and repeated messages are skipped' {
	for t in one two one; do
		echo '{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"'$t'"}}'
	done | ctx-import -f claude-code --report report >out
	messages | jq -c '[.id, .message.content]' | same - '["u","one"]
["u#2","two"]'
	[ "$(jq .skipped.repeated report)" = 1 ]
}

@test 'user-defined formats can be added and can replace built-in formats' {
	mkdir -p "$XDG_CONFIG_HOME/ctx/import" dir
	echo 'message("s"; "x\(.info.n)"; {role: "user", content: .record.say}; {})' >dir/mine.jq
	echo '{"say":"a\u0062"}' | ctx-import -q -f mine --import-dir dir | grep -qF '"content":"a\u0062"'
	echo 'message("own"; "1"; {role: "user", content: "x"}; {})' >"$XDG_CONFIG_HOME/ctx/import/mine.jq"
	[ "$(echo 1 | CTX_IMPORT_DIR=dir ctx-import -q -f mine | jq -r .session_id)" = own ]
	echo 'oops(' >dir/bad.jq
	echo 1 | status 2 ctx-import -f bad --import-dir dir 2>err
	status 2 ctx-import -f ../x </dev/null 2>err
	status 2 ctx-import -f nosuch <<<1 2>err
	echo 'error("not today")' >dir/no.jq
	echo 1 | status 3 ctx-import -f no --import-dir dir 2>err
	grep -q 'not today' err
}

@test 'a format program cannot read files or the environment' {
	mkdir dir
	export SECRET=s3cret
	echo 'def secret: "s3cret"; def known: "home";' >"$HOME/.jq"
	echo 'def known: "lib";' >dir/lib.jq
	for p in 'env.SECRET' '$ENV.SECRET' 'env | length | select(. > 0)' 'input_filename' 'secret' \
		'import "lib" as l; l::known' 'import "dir/lib" as l; l::known' 'include "lib"; known' \
		'"lib" | modulemeta' 'input' '$__prog_args'; do
		echo "$p | message(\"s\"; \"1\"; {role: \"user\", content: (. // \"nothing\" | tostring)}; {})" >dir/p.jq
		[[ $p == i*lude* || $p == import* ]] && echo "$p" >dir/p.jq
		echo '{}' | ctx-import -q -f p --import-dir dir >out 2>err || true
		! grep -q 's3cret\|"lib"\|home' out || { echo "$p"; cat out; false; }
		[ ! -s out ] || grep -q '"content":"nothing"' out || { echo "$p"; cat out; false; }
	done
	echo '"leak" | stderr | debug | halt_error' >dir/p.jq
	echo '{}' | status 3 ctx-import -f p --import-dir dir >out 2>err
	! grep -q DEBUG err
}

@test 'long inputs are processed as streams' {
	{ head -c 2000000 /dev/zero | tr '\0' 'x'; } >text
	{
		printf '['
		for i in $(seq 40); do
			[ "$i" = 1 ] || printf ','
			printf '{"id":"%d","conversations":[{"from":"human","value":"' "$i"
			cat text
			printf '"}]}'
		done
		printf ']'
	} >big
	[ "$(wc -c <big)" -gt 80000000 ]
	sanitized || ulimit -v 180000
	[ "$(ctx-import -q big | wc -c)" -gt 80000000 ]
	printf '%s\n' '{"id":"a","conversations":[]}' "{\"id\":\"b\",\"conversations\":[{\"from\":\"gpt\",\"value\":\"$(head -c 5000 text)\"}]}" \
		'{"id":"c","conversations":[{"from":"human","value":"still"}]}' >in
	status 3 ctx-import -f sharegpt --max-record 1000 in >out 2>err
	[ "$(messages | jq -r .message.content)" = still ]
}

@test 'empty input prints nothing' {
	ctx-import </dev/null >out 2>err
	[ ! -s out ]
	status 3 ctx-import <<<'{"what":1}' >out 2>err
	grep -q 'unknown format (use -f FORMAT; --formats lists the formats)' err
}

@test 'if jq crashes, earlier records are printed and the input line is reported' {
	mkdir dir
	printf '%s\n' '{"at":1,"say":"a"}' '{"at":2,"say":"b"}' '{"at":1e18,"say":"aé"}' '{"at":4,"say":"c"}' >in
	for p in '(.record.at | todate)' '(.record.say | [match(""; "g")] | length | tostring)'; do
		echo "message(\"s\"; \"x\\(.info.n)\"; {role: \"user\", content: $p}; {})" >dir/mine.jq
		for file in in -; do
			rc=0
			ctx-import --import-dir dir -f mine $file <in >out 2>err || rc=$?
			[ "$(grep -c '"kind":"message"' out)" -ge 2 ]
			[ $rc != 0 ] || continue   # a jq that is mended
			[ $rc = 3 ]
			[ "$(jq -c .id out 2>/dev/null | head -2 | xargs)" = 'x1 x2' ]
			grep -q '^ctx-import: \(in\|stdin\):3: ' err
		done
	done
}

@test 'qa: a session object with conversations, times and metadata is imported' {
	cat >in <<-'E'
		{"session_id":"s9","created_at":"2025-01-30T10:00:00.250000","updated_at":"2025-01-30T10:16:00",
		 "conversations":[
		  {"timestamp":"2025-01-30T10:00:00.250000","query":"q one","response":"r one","metadata":{"k":10000000000000000001}},
		  {"timestamp":"2025-01-30T10:15:00","query":"q two","response":"r two","metadata":{}}]}
	E
	for f in qa auto; do
		ctx-import -f $f --report report in >out
		jq -c '[.session_id, .created_at, .id, .message.content]' out | same - \
'["s9","2025-01-30T10:00:00.250000Z",null,null]
["s9","2025-01-30T10:00:00.250000Z","q1","q one"]
["s9","2025-01-30T10:00:00.250000Z","a1","r one"]
["s9","2025-01-30T10:15:00Z","q2","q two"]
["s9","2025-01-30T10:15:00Z","a2","r two"]'
		grep -qF '"metadata":{"k":10000000000000000001}' out
		jq -c '[.format, .messages, .skipped, .lost]' report | same - '["qa",4,{},{"updated_at":1}]'
	done
	ctx-append -q --create <out
	ctx-list | jq -c '[.created_at, .message_count]' | same - '["2025-01-30T10:00:00.250Z",4]'
	{ echo '['; cat in; echo ']'; } | ctx-import -q | cmp - <(ctx-import -q <in)
	jq -c '.conversations[]' in | ctx-import -q | jq -r .message.content | paste -sd, |
		same - 'null,q one,r one,q two,r two'
}

@test 'auto: a list of conversations is detected as ShareGPT or qa by its entries' {
	told() { ctx-import -q --report report >out 2>err || :; jq -r .format report; }
	echo '{"id":"x","conversations":[{"from":"human","value":"hi"}]}' | told | same - sharegpt
	echo '{"session_id":"x","conversations":[{"from":"human","value":"hi"}]}' | told | same - sharegpt
	echo '{"session_id":"x","conversations":[{"role":"user","content":"hi"}]}' | told | same - sharegpt
	echo '{"session_id":"x","conversations":[null,{"query":"q"}]}' | told | same - qa
	echo '{"session_id":"x","conversations":[]}' | told | same - qa
	echo '{"id":"x","conversations":[]}' | told | same - sharegpt
}

@test 'qa: tools and metadata are kept, and other members are reported as lost' {
	cat >in <<-'E'
		{"conversation_id":"conv-123","created_at":"2025-01-30T10:00:00","last_updated":"2025-01-30T10:15:00",
		 "turn_count":5,"metadata":{"project":1.0},
		 "turns":[{"user_message":"Create it","agent_response":"I will","timestamp":"2025-01-30T10:00:00",
		  "mcp_tools_used":["create"],"mood":"good"},
		  {"agent_response":"alone","tools_used":["t"],"metadata":{"k":1}},
		  {"user_message":"open","tools_used":["t"]}]}
	E
	ctx-import --report report in >out
	grep -F '"kind":"session"' out | grep -qF '"metadata":{"format":"qa","project":1.0}'
	messages | jq -c '[.id, .metadata]' | same - \
'["q1",null]
["a1",{"mcp_tools_used":["create"]}]
["a2",{"k":1,"tools_used":["t"]}]
["q3",null]'
	jq -cS .lost report | same - '{"last_updated":1,"mood":1,"tools_used":1,"turn_count":1}'
}

@test 'a session without a time gets the earliest time of its messages' {
	made() { ctx-import -q "$@" | jq -r 'select(.kind == "session").created_at'; }
	echo '[[{"question":"1","timestamp":"2025-03-01T01:30:00+02:00"},{"question":"2","timestamp":"2025-02-28T23:45:00Z"},
		{"question":"3"}]]' | made | same - '2025-03-01T01:30:00+02:00'
	echo '{"turns":[{"question":"1","timestamp":"2025-03-01T00:00:00.5"},{"question":"2","timestamp":"2025-03-01T00:00:00.25Z"}]}' |
		made | same - '2025-03-01T00:00:00.25Z'
	echo '{"created_at":"2025-06-01T00:00:00","turns":[{"question":"1","timestamp":1735725600}]}' |
		made | same - '2025-01-01T10:00:00.000Z'
	printf '%s\n' '{"question":"1","timestamp":"2025-03-01T00:00:00Z"}' '{"question":"2"}' | made | same - '2025-03-01T00:00:00Z'
	echo '{"turns":[{"question":"1","timestamp":"2025-99-01T00:00:00Z"}]}' | made | same - null
	echo '{"created_at":"2025-02-30T00:00:00Z","turns":[{"question":"1"}]}' | made --report report | same - null
	jq -c .lost report | same - '{"created_at":1}'
	echo '[[{"question":"1","timestamp":"2025-02-28T00:00:00+99:99"},{"question":"2","timestamp":"2025-03-01T00:00:00Z"}]]' |
		made | same - '2025-03-01T00:00:00Z'
	echo '{"turns":[{"question":"1"}]}' | made | same - null
	echo '{"sessionId":"g","messages":[{"id":"1","timestamp":"2025-03-01T00:00:00Z","type":"user","content":"hi"}]}' |
		made | same - '2025-03-01T00:00:00Z'
	printf '%s\n' '{"created_at":"2025-03-01T00:00:00Z","role":"user","content":"hi"}' | made -f codex | same - '2025-03-01T00:00:00Z'
}

# wrong_llm_database FILE: writes a database of llm with old and new tables and with invalid rows.
wrong_llm_database() {
	python3 - "$1" <<-'P'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.executescript("""
		CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
		CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT,
		  conversation_id TEXT, datetime_utc TEXT);
		CREATE TABLE threads (id TEXT, name TEXT, tip_message_hash TEXT);
		CREATE TABLE messages (hash TEXT PRIMARY KEY, parent_hash TEXT, role TEXT);
		CREATE TABLE parts (message_hash TEXT, position INTEGER, type TEXT, text TEXT, payload TEXT, tool_name TEXT);
		CREATE TABLE fragments (id INTEGER PRIMARY KEY, content TEXT);
		INSERT INTO responses VALUES ('r1','m','first','','one','c','2026-01-01'), ('r2','m','blob','',x'00ff','c','2026-01-02'),
		  ('r3','m','long','',printf('%.*c', 3000000, 'x'),'c','2026-01-03'), ('r4','m','key','','four','c',printf('%.*c', 3000000, 'x')),
		  ('r5','m','last','','five','c','2026-01-05'), (null,'m','no id','','none',null,'2026-01-06');
		INSERT INTO threads VALUES (null,'x',null), (printf('%.*c', 3000000, 'x'),'x',null), ('circle','x','b'), ('self','x','s'),
		  ('lead','x','l2'), ('text','x','t'), ('good','x','g2');
		INSERT INTO messages VALUES ('a','b','user'), ('b','a','assistant'), ('s','s','user'), ('l1','a','user'), ('l2','l1','user'),
		  ('t',null,'user'), ('g1',null,'user'), ('g2','g1','assistant');
		INSERT INTO fragments VALUES (1, printf('%.*c', 1000, 'x'));
		INSERT INTO parts SELECT hash, 0, 'text', 'of ' || hash, null, null FROM messages WHERE hash <> 't';
		INSERT INTO parts VALUES ('t',0,'text',null,
		  '{"text_ref":[' || (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		  SELECT group_concat('{"fragment":1}') FROM n) || ']}', null);
		""")
		db.commit()
	P
}

@test 'llm: rows that are too long, BLOBs and cycles are reported, and the others are imported' {
	wrong_llm_database wrong.db
	run -3 --separate-stderr ctx-import --max-record 1000000 wrong.db
	printf '%s\n' "$output" | jq -r 'select(.kind == "message") | "\(.session_id) \(.message.content)"' | same - \
'c first
c one
c last
c five
row-6 no id
row-6 none
circle of a
circle of b
self of s
lead of b
lead of a
lead of l1
lead of l2
good of g1
good of g2'
	for row in 'response 2' 'response 3' 'response 4' 'thread 2' 'thread 3' 'thread 4' 'thread 5' 'message 6'; do
		[[ "$stderr" = *"wrong.db"*": $row: "* ]] || { echo "$row: $stderr"; return 1; }
	done
}

@test 'llm: rows and sessions with an empty or missing id are imported' {
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	sqlite3 llm.db <<-'E'
		CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
		CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT,
		  conversation_id TEXT, datetime_utc TEXT);
		INSERT INTO responses VALUES (null,'m','q1','','a1','c1','2026-01-01'), ('','m','q2','','a2','c1','2026-01-02'),
		  ('r3','m','q3','','a3','c1','2026-01-03'), ('r4','m','q4','','a4','','2026-01-04');
	E
	ctx-import -q llm.db | ctx-append -q --create
	ctx-import -q llm.db | ctx-append -q --create # the same messages: they are known
	ctx-show -s c1 | jq -r 'select(.kind == "message").message.content' | same - $'q1\na1\nq2\na2\nq3\na3'
	ctx-show -s r4 | jq -r 'select(.kind == "message").message.content' | same - $'q4\na4'
}

@test 'an empty session id or message id counts as missing' {
	local f line
	while IFS=' ' read -r f line; do
		printf '%s\n' "${line//¶/$'\n'}" >file.json
		ctx-import -q -f "$f" file.json | jq -r 'select(.kind == "message") |
			if (.session_id // "") == "" or .id == "" then "bad" else "ok" end' | sort -u >got
		same - ok <got || { echo "$f: $line"; return 1; }
	done <<'E'
claude-ai {"uuid":"","name":"t","chat_messages":[{"uuid":"","sender":"human","text":"hi"}]}
claude-code {"type":"user","sessionId":"","uuid":"","message":{"role":"user","content":"hi"}}
chatgpt {"id":"","conversation_id":"","mapping":{"a":{"id":"","message":{"id":"","author":{"role":"user"},"content":{"content_type":"text","parts":["hi"]}}}}}
codex {"id":"","timestamp":"2025-03-01T00:00:00Z"}¶{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}
codex {"type":"session_meta","timestamp":"2025-03-01T00:00:00Z","payload":{"id":""}}¶{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}
codex {"type":"thread.started","thread_id":""}¶{"type":"item.completed","item":{"type":"agent_message","text":"hi"}}
qa {"session_id":"","question":"q","answer":"a"}
qa {"id":"","conversations":[{"question":"q","answer":"a"}]}
openai {"id":"","messages":[{"role":"user","content":"hi"}]}
responses {"id":"","input":"hi"}
sharegpt {"id":"","conversations":[{"from":"human","value":"hi"}]}
gemini {"session_id":"","contents":[{"role":"user","parts":[{"text":"hi"}]}]}
gemini-cli {"sessionId":"","messages":[{"id":"m","type":"user","content":"hi"}]}
amp {"id":"","created":1,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}
E
}

@test 'llm: a row of a foreign database that takes too long to read is reported' {
	sqlite3 slow.db <<-'E'
		CREATE TABLE t (a);
		INSERT INTO t VALUES ('[' || (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
		  SELECT group_concat('[]') FROM n) || ']');
	E
	mkdir formats
	echo '.' >formats/slow.jq
	echo 'SELECT (SELECT count(*) FROM json_each(a), (SELECT value AS x FROM json_each((SELECT a FROM t))),
	  (SELECT value AS y FROM json_each((SELECT a FROM t)))) FROM t;' >formats/slow.sql
	run -3 --separate-stderr ctx-import --import-dir formats -f slow slow.db
	[[ "$stderr" = *'reading one row takes too long'* ]]
}

# Prints a ChatGPT conversation: a chain of $1 messages, and $2 answers to the last one.
bushy() {
	jq -nc --argjson n "$1" --argjson leaves "$2" 'def node($id; $parent; $role): {key: $id, value: {id: $id, parent: $parent,
	  children: [], message: {id: $id, author: {role: $role}, content: {content_type: "text", parts: ["t"]}}}};
	  [{id: "c", mapping: ([node("n0"; null; "user"), (range(1; $n) | node("n\(.)"; "n\(. - 1)"; "user")),
	  (range($leaves) | node("l\(.)"; "n\($n - 1)"; "assistant"))] | from_entries), current_node: "l\($leaves - 1)"}]'
}

@test 'chatgpt: the output for a conversation with very many branches is limited, and skipped branches are reported' {
	bushy 180 180 >bushy.json
	status 3 ctx-import -f chatgpt bushy.json >out 2>err
	n=$(grep -c '"kind":"message"' out)
	[ "$n" -le $((30 * 360 + 5000)) ]
	[ "$n" -gt $((30 * 360 + 5000 - 200)) ]
	grep -q '"id":"l179"' out # the one that was shown
	grep -q 'all together are too long' err
	bushy 40 40 >bushy.json
	ctx-import -q -f chatgpt bushy.json | grep -c '"kind":"message"' | same - 1640
}

@test 'qa: question and answer pairs are added to a named session in later runs' {
	for i in 1 2 3; do
		echo '{"question":"q'$i'","answer":"a'$i'"}' | ctx-import -q -f qa -s s | ctx-append -q --create
		echo '{"session_id":"t","question":"q'$i'","answer":"a'$i'"}' | ctx-import -q -f qa | ctx-append -q --create
	done
	ctx-list | jq -c '[.session_id, .message_count]' | sort | same - $'["s",6]\n["t",6]'
	# a repeated pair is not stored again
	echo '{"question":"q3","answer":"a3"}' | ctx-import -q -f qa -s s | ctx-append -q
	ctx-list | jq -c '[.session_id, .message_count]' | sort | same - $'["s",6]\n["t",6]'
}

@test 'an imported session has its own title or its first question as the title' {
	echo '{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How do  tides\nwork, é?"},{"role":"assistant","content":"Moon."},{"role":"user","content":"Why?"}]}' >a.json
	ctx-import -q -f openai --session a a.json | ctx-append -q --create
	[ "$(ctx-list | jq -r .title)" = 'How do tides work, é?' ]
	echo '{"messages":[{"role":"user","content":"Hello"}],"title":"Tides"}' >b.json
	ctx-import -q -f openai --session b b.json >records
	[ "$(jq -r 'select(.kind == "session").title' records)" != Tides ] || {
		ctx-append -q --create records
		[ "$(ctx-list | jq -r 'select(.session_id == "b").title')" = Tides ]
	}
	# other sessions have no title, and a long question is shortened at a character boundary
	ctx-append -q --create -s c -t 'No import'
	[ "$(ctx-list | jq -r 'select(.session_id == "c").title')" = null ]
	printf '{"messages":[{"role":"user","content":"x%s"}]}' "$(printf 'é%.0s' $(seq 200))" >d.json
	ctx-import -q -f openai --session d d.json | ctx-append -q --create
	[ "$(ctx-list | jq -r 'select(.session_id == "d").title | length')" = 60 ]
}
