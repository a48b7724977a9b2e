load helper

# request SID BUDGET: renders a request for the session and stores its answer.
request() {
	ctx-window -s "$1" -b "$2" | ctx-render -p openai --request req.json >/dev/null
	printf '%s' '{"id":"x","object":"chat.completion","model":"m-1","choices":[{"index":0,
		"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}' |
		ctx-append --request req.json >/dev/null
}

@test 'ctx-stats prints how many sessions, messages and tokens the store has, and its size' {
	ctx-new --id a -u ann >/dev/null
	ctx-new --id b -u ann >/dev/null
	ctx-new --id gone >/dev/null
	ctx-append -s a -t 'hello there' >/dev/null
	ctx-append -s gone -t 'hello there' >/dev/null
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 1 WHERE session_id = 'b';
		UPDATE session SET status = 2 WHERE session_id = 'gone'"
	tokens=$(ctx-list | jq -s 'map(.token_count) | add')
	ctx-stats >out
	[ "$(wc -l <out)" = 1 ]
	jq -e --argjson t "$tokens" '.kind == "stats" and .sessions_active == 1 and
		.sessions_archived == 1 and .users == 1 and .messages == 1 and .tokens == $t and
		.requests == 0 and .store_bytes > 0' out >/dev/null
}

@test 'for an empty store, ctx-stats prints totals of zero' {
	ctx-new --id a >/dev/null
	sqlite3 "$CTX_STORE" 'DELETE FROM session'
	ctx-stats | jq -e '.messages == 0 and .tokens == 0 and .sessions_active == 0' >/dev/null
	for by in session user day model tool tokenizer; do
		ctx-stats --by $by >out
		[ ! -s out ]
	done
}

@test '-s prints a session with its last request' {
	ctx-append --create -s a -t 'hello there' >/dev/null
	request a 1000
	ctx-stats -s a | jq -e '.session_id == "a" and .messages == 2 and .requests == 1 and
		.answered_requests == 1 and .budget == 1000 and .last_request_tokens > 0 and
		.percent_used == (.last_request_tokens * 100 / 1000 | floor)' >/dev/null
	status 1 ctx-stats -s nosuch 2>err
	grep -q nosuch err
}

@test '--by prints figures for each user, day, model, tool or tokenizer' {
	ctx-new --id a -u ann >/dev/null
	ctx-new --id b -u bob >/dev/null
	CTX_NOW=2025-03-04T05:06:07Z ctx-append -s a -t hi >/dev/null
	ctx-append -s b --tokenizer chars4 >/dev/null <<'END'
{"role":"user","content":"look"}
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"cat","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"c1","content":"a"}
{"role":"tool","tool_call_id":"c2","content":"b"}
{"role":"assistant","content":[{"type":"text","text":"name"},{"type":"tool_use","id":"t1","name":"ls","input":{}}]}
END
	[ "$(ctx-stats --by user | jq -c '[.user_id, .sessions, .messages]' | tr '\n' ' ')" = '["ann",1,1] ["bob",1,5] ' ]
	[ "$(ctx-stats --by day | jq -c '[.day, .messages]' | tr '\n' ' ')" = '["2025-03-04",1] ["2026-01-02",5] ' ]
	[ "$(ctx-stats --by tool | jq -c '[.tool, .tool_calls]' | tr '\n' ' ')" = '["cat",1] ["ls",2] ' ]
	[ "$(ctx-stats --by tokenizer | jq -c '[.tokenizer, .messages]' | tr '\n' ' ')" = '["approx",1] ["chars4",5] ' ]
	[ "$(ctx-stats -s a --by day | wc -l)" = 1 ]
	[ "$(ctx-stats -u bob --by day | jq -r .day)" = 2026-01-02 ]
	ctx-new --id c >/dev/null
	ctx-append -s c -t hi >/dev/null
	request c 500
	ctx-stats --by model | jq -e '.model == "m-1" and .input_tokens == 9 and .output_tokens == 2' >/dev/null
	status 2 ctx-stats --by moon 2>err
}

@test 'the figures of all sessions add up to those of the store' {
	for s in a b c; do
		for i in 1 2 3; do ctx-append --create -s $s -t "message $i of $s" >/dev/null; done
	done
	want=$(ctx-stats | jq -c '[.messages, .tokens]')
	for by in session user day tokenizer; do
		[ "$(ctx-stats --by $by | jq -s -c '[map(.messages), map(.tokens)] | map(add)')" = "$want" ]
	done
}

@test '--warn lists sessions near their budget and gives exit status 1' {
	ctx-append --create -s small -t 'hi' >/dev/null
	ctx-append --create -s full -t "$(yes word | head -n 60 | tr '\n' ' ')" >/dev/null
	request small 1000
	request full 100
	status 1 ctx-stats --warn 50 >out
	[ "$(jq -r .session_id out)" = full ]
	jq -e '.percent_used >= 50' out >/dev/null
	status 0 ctx-stats --warn 100 >out
	[ ! -s out ]
	status 0 ctx-stats -s small --warn 50
}

@test '--plot draws requests against the budget, or turns without requests' {
	for i in $(seq 5); do ctx-append --create -s a -t "question $i" >/dev/null; done
	ctx-stats -s a --plot -b 10 >out
	[ "$(wc -l <out)" = 12 ]
	grep -q '5 turns' out
	grep -q -- '- budget$' out
	[ "$(tail -n 2 out | head -n 1 | tr -cd '#' | wc -c)" = 5 ]
	request a 500
	ctx-stats -s a --plot >out
	grep -q '1 requests' out
	status 2 ctx-stats --plot 2>err
}

@test 'prometheus: each metric has one type, its samples are together, labels are escaped' {
	ctx-new --id a -u 'a"b\c' >/dev/null
	ctx-new --id b -u bob >/dev/null
	ctx-stats --format prometheus >out
	grep -qx 'ctx_sessions_active 2' out
	ctx-stats --by user --format prometheus >out
	grep -qxF 'ctx_user_sessions{user="a\"b\\c"} 1' out
	[ -z "$(grep '^# TYPE' out | sort | uniq -d)" ]
	[ "$(sed -n 's/^\(ctx_[a-z_]*\).*/\1/p' out | uniq | sort | uniq -d)" = '' ]
	! grep -qvE '^(# TYPE ctx_[a-z_]+ gauge|# HELP ctx_[a-z_]+ [A-Z][^\\]*\.|ctx_[a-z_]+(\{[a-z]+=".*"\})? [0-9]+)$' out
}

@test 'prometheus: expired and held sessions, failed requests, messages missing in the index, checks and backups have metrics' {
	metric() { sed -n "s/^ctx_$1 //p" out; }
	export CTX_NOW=2026-03-01T00:00:00Z
	ctx-append -q --create -s a -t 'x'
	ctx-append -q --create -s b -t 'y'
	ctx-new --id c --ttl 1d >/dev/null
	ctx-new --id d --ttl 1d >/dev/null
	ctx-delete -q -s d --hold 'case 7' >/dev/null
	ctx-archive -q -s b --to place >archived
	ctx-window -s a -b 4000 | ctx-render -p openai --request req.json >/dev/null
	echo '{"error":{"message":"overloaded"}}' | status 4 ctx-append -q --request req.json 2>/dev/null
	export CTX_NOW=2026-03-11T00:00:00Z
	ctx-stats --format prometheus >out
	[ "$(metric sessions_expired)" = 1 ]
	[ "$(metric sessions_held)" = 1 ]
	[ "$(metric sessions_deleted)" = 0 ]
	[ "$(metric oldest_idle_seconds)" = 864000 ]
	[ "$(metric archive_bytes)" = "$(jq .bytes archived)" ]
	[ "$(metric failed_requests)" = 1 ]
	[ "$(metric index_behind_messages)" = 2 ]
	[ -z "$(metric last_check_timestamp_seconds)" ]
	ctx-delete -q -s c >/dev/null
	ctx-check -q
	ctx-check --catch-up
	CTX_NOW=2026-03-12T00:00:00Z ctx-check --backup copy.db
	ctx-stats --format prometheus >out
	[ "$(metric sessions_deleted)" = 1 ]
	[ "$(metric sessions_expired)" = 0 ]
	[ "$(metric index_behind_messages)" = 0 ]
	[ "$(metric last_check_timestamp_seconds)" = "$(date -d 2026-03-11T00:00:00Z +%s)" ]
	[ "$(metric last_backup_timestamp_seconds)" = "$(date -d 2026-03-12T00:00:00Z +%s)" ]
	grep -qx '# HELP ctx_sessions_expired Sessions past their time to live and not on hold.' out
	ctx-stats | jq -e '.sessions_deleted == 1 and .sessions_held == 1' >/dev/null
}

@test 'options that cannot be combined are refused' {
	ctx-new --id a >/dev/null
	status 2 ctx-stats --warn 1 --cache 2>err
	status 2 ctx-stats --format xml 2>err
	status 2 ctx-stats --format prometheus -s a 2>err
}

@test '--items shows how often each item was included in a request' {
	printf '%s\n' '{"type":"rule","name":"A","include":"always","content":"Rule a"}' \
		'{"type":"rule","name":"B","include":"manual","content":"Rule b"}' |
		ctx-item define -q --agent ann
	ctx-new --id s --agent ann >/dev/null
	for i in 1 2; do
		ctx-append -qs s -t "question $i"
		ctx-window -s s | ctx-enrich | ctx-render -p openai --request r >/dev/null
		echo '{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}' |
			ctx-append -q --request r
	done
	ctx-stats --items -s s | jq -c '[.type, .name, .requests, .always, .agent]' | same - '["rule","A",2,2,0]'
	ctx-stats --items | head -1 | same <(ctx-stats --items -s s)
	[ -z "$(ctx-stats --items --tenant other)" ]
}

@test '--timings measures opening, listing and reading the newest session' {
	ctx-new --id empty >/dev/null
	ctx-stats --timings | jq -e '.open_ms >= 0 and .sessions == 1 and .messages == 0' >/dev/null
	for i in $(seq 25); do printf '%s\n' '{"role":"user","content":"x"}'; done |
		CTX_NOW=2026-01-02T04:00:00Z ctx-append -q --create -s new
	CTX_NOW=2026-01-02T03:30:00Z ctx-append -q --create -s old -t hi
	ctx-stats --timings | jq -e '.kind == "stats" and .open_ms >= 0 and .list_ms >= 0 and
		.read_ms >= 0 and .sessions == 3 and .messages == 20 and .session_id == "new"' >/dev/null
	ctx-stats --timings -s old | jq -e '.messages == 1 and .session_id == "old"' >/dev/null
	status 1 ctx-stats --timings -s nosuch
	status 2 ctx-stats --timings -s old -s new
	status 2 ctx-stats --timings --cache
	status 2 ctx-stats --timings --format prometheus
}

@test '--items suggests removing items that were never sent' {
	printf '%s\n' '{"type":"rule","name":"A","include":"always","content":"Rule a"}' \
		'{"type":"rule","name":"B","include":"manual","content":"Rule b"}' \
		'{"type":"rule","name":"off","enabled":false,"content":"Rule c"}' \
		'{"type":"mode","name":"debug","content":"m"}' >items
	ctx-item define -q --agent ann <items
	ctx-item define -q --agent bob <items
	# no suggestion before requests were sent
	ctx-stats --items | jq -c '[.name, .requests, .suggestion]' | same - $'["A",0,null]\n["B",0,null]'
	ctx-new --id s --agent ann >/dev/null
	ctx-append -qs s -t question
	ctx-window -s s | ctx-enrich | ctx-render -p openai --request r >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}' |
		ctx-append -q --request r
	ctx-stats --items | jq -c '[.name, .requests, .suggestion]' | same - $'["A",1,null]\n["B",0,"remove"]'
	ctx-stats --items -s s | jq -c '[.name, .requests, .suggestion]' | same - '["A",1,null]'
	ctx-item add -q -s s B
	ctx-stats --items -s s | jq -c '[.name, .requests, .suggestion]' | same - $'["A",1,null]\n["B",0,"remove"]'
}

# answered SID QUESTION ANSWER…: for each answer, renders a request and stores the answer (JSON or text).
answered() {
	local sid=$1 answer
	ctx-append -qs "$sid" -t "$2"
	shift 2
	for answer; do
		case $answer in "{"*) ;; *) answer=$(jq -nc --arg t "$answer" '{role: "assistant", content: $t}') ;; esac
		ctx-window -s "$sid" | ctx-enrich | ctx-render -p openai --request r >/dev/null
		jq -nc --argjson m "$answer" '{choices: [{message: $m, finish_reason: "stop"}]}' | ctx-append -q --request r
		jq -c '.tool_calls[]? | {role: "tool", tool_call_id: .id, content: "done"}' <<<"$answer" |
			ctx-append -qs "$sid"
	done
}

# call ID NAME: prints a message that calls a tool.
call() {
	jq -nc --arg id "$1" --arg n "$2" '{role: "assistant", content: null,
		tool_calls: [{id: $id, type: "function", function: {name: $n, arguments: "{}"}}]}'
}

drawn() {
	ctx-stats --items "$@" | jq -r '"\(.name) \(.answers)/\(.drawn_on) \(.suggestion // "-")"'
}

@test '--items shows which items the answers used, and which items cost tokens without being used' {
	printf '%s\n' '{"type":"rule","name":"Cargo","include":"always","content":"Freight leaves harbour berth seven weekly."}' \
		'{"type":"rule","name":"Port","include":"always","content":"The proxy listens on 8443."}' \
		'{"type":"rule","name":"Idle","include":"always","content":"Zebras graze near volcanoes."}' \
		'{"type":"rule","name":"Asked","include":"always","content":"Penguins inhabit Antarctica, and swim."}' \
		'{"type":"rule","name":"Release Checklist","include":"always","content":"Before all else, think."}' \
		'{"type":"prompt","name":"Manners","content":"Gracious kindness prevails."}' |
		ctx-item define -q --agent ann
	ctx-new --id s --agent ann >/dev/null
	answered s 'Do penguins swim in Antarctica, what inhabits it?' 'Penguins inhabit Antarctica and swim.'
	answered s 'When?' 'The freight is weekly, from the harbour.'
	answered s 'Where?' 'Freight, at a berth.'
	answered s 'How?' 'Connect to localhost:8443 then.'
	ctx-stats --items | jq -c 'select(.suggestion)' | same /dev/null
	answered s 'What else?' 'See the Release Checklist.'
	drawn | same - 'Manners 5/0 -
Asked 5/0 remove
Cargo 5/1 -
Idle 5/0 remove
Port 5/1 -
Release Checklist 5/1 -'
	drawn -s s | same <(drawn)
	# the token cost is taken from the request records
	ctx-show -s s | jq -s '[.[] | select(.kind == "request") | .messages[] | select(.source.name == "Idle") | .token_count] | add' |
		same <(ctx-stats --items | jq 'select(.name == "Idle").tokens')
	# no suggestion for removed items and for items of other sessions
	echo '{"type":"rule","name":"Idle","agent":"ann"}' | ctx-item define --remove
	drawn | grep '^Idle' | same - 'Idle 5/0 -'
	ctx-stats --items -s s | jq -r 'select(.suggestion).name' | same - Asked
}

@test '--items: a tool counts as used when the turn calls it' {
	printf '%s\n' '{"type":"tool","server_name":"fs","name":"read","content":"Reads."}' \
		'{"type":"tool","server_name":"fs","name":"write file","content":"Writes."}' \
		'{"type":"tool","server_name":"web","name":"get","content":"Gets."}' \
		'{"type":"tool","server_name":"web","name":"idle","content":"Idles, freight harbour berth."}' |
		ctx-item define -q --agent ann
	ctx-new --id s --agent ann >/dev/null
	answered s 'one' "$(call a read)" "$(call b mcp__fs__write_file)" 'freight harbour berth'
	answered s 'two' "$(call c web.get)" 'done'
	answered s 'three' "$(call d widget)" "$(call e xidle)" "done"
	# a tool call counts as use for the earlier answers of its turn, not for later ones
	drawn | same - 'read 8/1 -
write file 8/2 -
get 8/1 -
idle 8/0 remove'
}

@test '--items: an item does not count as used if its words also stand elsewhere in the request' {
	printf '%s\n' '{"type":"rule","name":"One","include":"always","content":"Freight leaves harbour berth."}' \
		'{"type":"rule","name":"Two","include":"always","content":"Harbour freight waits, berth closed."}' |
		ctx-item define -q --agent twins
	echo '{"type":"rule","name":"Three","include":"always","content":"Zebras graze near volcanoes."}' |
		ctx-item define -q --agent ann
	ctx-new --id twins --agent twins >/dev/null
	answered twins 'Well?' 'Freight, harbour, berth.'
	drawn -s twins | same - $'One 1/0 -\nTwo 1/0 -'
	# two sessions that differ only in the question
	for s in a b; do ctx-new --id $s --agent ann >/dev/null; done
	answered a 'Where do zebras graze, near volcanoes?' 'Zebras graze near volcanoes.'
	answered b 'Where do they go?' 'Zebras graze near volcanoes.'
	drawn -s a | same - 'Three 1/0 -'
	drawn -s b | same - 'Three 1/1 -'
	drawn | grep Three | same - 'Three 2/1 -'
	# words in parameters are part of the request; messages before the window are not
	ctx-append -qs a -t 'And?'
	echo '{"model":"m","metadata":{"topic":"zebras, volcanoes"}}' >params.json
	for params in params.json /dev/null; do
		[ $params = params.json ] || echo '{"model":"m"}' >params.json
		ctx-window -s a -n 1 | ctx-enrich | ctx-render -p openai --params params.json --request r >/dev/null
		echo '{"choices":[{"message":{"role":"assistant","content":"Near volcanoes graze zebras."},"finish_reason":"stop"}]}' |
			ctx-append -q --request r
		ctx-append -qs a -t 'And?'
	done
	drawn -s a | same - 'Three 3/1 -'
	# an answer of another provider, whose call contains words of the item
	ctx-append -qs b -t 'Go.'
	ctx-window -s b -n 1 | ctx-enrich | ctx-render -p anthropic --params <(echo '{"model":"m","max_tokens":9}') --request r >/dev/null
	echo '{"id":"x","type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"find","input":{"q":["graze",{"x":"volcano zebra"}]}}]}' |
		ctx-append -q --request r
	drawn -s b | same - 'Three 2/2 -'
}

@test '--items: requests without an answer and requests of deleted sessions do not count' {
	echo '{"type":"rule","name":"A","include":"always","content":"Zebras graze."}' | ctx-item define -q --agent ann
	ctx-new --id s --agent ann >/dev/null
	ctx-append -qs s -t hello
	ctx-window -s s | ctx-enrich | ctx-render -p openai --request r >/dev/null
	jq -c '.status = "failed"' r >failed
	echo '{"error":{"message":"no"}}' | ctx-append -q --request failed || true
	answered s 'again' 'yes'
	ctx-stats --items | jq -c '[.name, .requests >= 1, .answers, .drawn_on]' | same - '["A",true,1,0]'
	ctx-delete -q -s s >/dev/null
	[ -z "$(ctx-stats --items | jq -c 'select(.requests > 0)')" ]
}

@test 'prometheus: control characters in labels are visible, and two labels never become equal' {
	for f in 'f\u001b]0;owned\u0007' 'f\\x1b]0;owned\\x07' 'a\nb' 'a\\nb' 't\tb' 'd\u007f' 'c\u009b2J' 'q\"' 'é'; do
		printf '%s\n' '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"'"$f"'","arguments":"{}"}}]}'
	done | ctx-append -q --create -s s
	ctx-stats --format prometheus --by tool >out
	! LC_ALL=C grep -anP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out || false
	grep '_tool_calls{' out | sed 's/.*="\(.*\)"}.*/\1/' | LC_ALL=C sort >labels
	printf '%s\n' 'f\\x1b]0;owned\\x07' 'f\\x5cx1b]0;owned\\x5cx07' 'a\nb' 'a\\nb' 't\\x09b' 'd\\x7f' 'c\\x9b2J' 'q\"' é |
		LC_ALL=C sort | same labels
}

# talk SID N: creates a session of N turns.
talk() {
	local i
	for i in $(seq "$2"); do
		echo '{"role":"user","content":"question '"$i"' with some more words in it"}'
		echo '{"role":"assistant","content":"answer '"$i"', which is of some length as well"}'
	done | ctx-append --create -q -s "$1"
}

@test 'ctx-stats -b compares a session with the budget and with the window for that budget' {
	talk a 40
	for b in 50 300 100000; do
		ctx-window -s a -b $b | jq -sc 'map(select(.kind == "message")) | [length, (map(.token_count) | add)]' >want
		ctx-stats -s a -b $b >out
		jq -c '[.window_messages, .window_tokens]' out | same want
		jq -e ".window_budget == $b and .budget == $b and .percent_of == \"session\" and
			.visible_tokens == .tokens and .percent_used == (.tokens * 100 / $b | floor) and
			.compression_needed == ($b < 100000)" out >/dev/null
	done
	CTX_BUDGET=300 ctx-stats -s a | cmp - <(ctx-stats -s a -b 300)
	ctx-stats -s a | jq -e 'has("window_tokens") or has("budget") or has("compression_needed") | not' >/dev/null
	ctx-stats -s a | jq -e '.visible_tokens == .tokens' >/dev/null
	# the required message alone exceeds the budget
	ctx-append --create -q -s big -t "$(yes word | head -n 200 | tr '\n' ' ')"
	ctx-stats -s big -b 100 | jq -e '.window_messages == 1 and .compression_needed' >/dev/null
	ctx-new --id empty >/dev/null
	ctx-stats -s empty -b 100 | jq -e '.window_messages == 0 and (.compression_needed | not)' >/dev/null
}

@test 'after a stored request, ctx-stats compares its tokens with its budget and shows the window for -b' {
	talk a 40
	ctx-append -q -s a -t 'and now?'
	request a 300
	ctx-stats -s a >out
	jq -e '.percent_of == "request" and .budget == 300 and .window_budget == 300 and
		.window_messages > 0 and .compression_needed and .visible_tokens == .tokens' out >/dev/null
	ctx-stats -s a -b 100000 | jq -e '.budget == 300 and .window_budget == 100000 and
		.window_messages == .messages and (.compression_needed | not)' >/dev/null
}

@test 'the number of visible tokens is that of a window with all messages that are not hidden' {
	all() { ctx-window -s a -n 100000 | jq -s 'map(select(.kind == "message").token_count) | add'; }
	visible() { ctx-stats -s a "$@" | jq .visible_tokens; }
	echo '{"role":"system","content":"opening words of the system"}' | ctx-append --create -q -s a
	talk a 10
	ctx-append -q -s a --pin -t 'a pinned message'
	talk a 30
	ctx-prune -s a --apply --strategy truncate --max-chars 50 >/dev/null || :
	ctx-prune -s a --apply -b 700 >/dev/null
	[ "$(visible)" = "$(all)" ]
	[ "$(visible)" -lt "$(ctx-stats -s a | jq .tokens)" ]
	ctx-summarize -s a -b 400 >/dev/null
	ctx-show -s a | grep -q '"kind":"summary"'
	[ "$(visible)" = "$(all)" ]
	[ "$(visible --tokenizer chars4)" = "$(CTX_TOKENIZER=chars4 all)" ]
	ctx-archive -s a --to arch --cleanup >/dev/null
	ctx-stats -s a -b 400 | jq -e 'has("visible_tokens") or has("window_tokens") | not' >/dev/null
}

@test '--warn counts the whole session if no request is stored' {
	talk a 40
	ctx-append --create -q -s small -t hi
	status 1 ctx-stats -s a --warn 80 -b 300 >out
	jq -e '.session_id == "a" and .visible_tokens > 300 and .budget == 300 and .percent_used > 100 and
		.percent_of == "session" and (has("last_request_tokens") | not)' out >/dev/null
	status 1 ctx-stats --warn 80 -b 300 | cmp - out
	status 0 ctx-stats --warn 80 -b 100000 >out
	[ ! -s out ]
	status 0 ctx-stats --warn 80 >out
	[ ! -s out ]
	ctx-append -q -s a -t 'and now?'
	request a 1000
	status 1 ctx-stats --warn 1 -b 300 >out
	jq -c '[.session_id, .percent_of]' out | paste -sd' ' | same - '["a","request"] ["small","session"]'
}

@test 'the member compression_needed is true if the session exceeds a threshold, which can be set' {
	talk a 40
	tokens=$(ctx-stats -s a | jq .visible_tokens)
	b=$((tokens * 100 / 79)) # 79 %
	needed() { ctx-stats -s a -b "$1" | jq .compression_needed; }
	[ "$(needed $b)" = false ]
	[ "$(needed $((tokens * 100 / 82)))" = true ]
	ctx-stats -s a -b $b --threshold 0.7 | jq -e .compression_needed
	CTX_THRESHOLD=0.7 ctx-stats -s a -b $b | jq -e .compression_needed
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	echo '{"threshold":0.7,"max_turns":15,"fraction":0.4}' >"$XDG_CONFIG_HOME/ctx/config.json"
	ctx-stats -s a -b $b | jq -e .compression_needed
	ctx-summarize -s a -n | jq -se 'any(.kind == "event" and .messages < 80)'
	ctx-summarize -s a -n --keep-last 1 | jq -se 'any(.kind == "event")'
	status 2 ctx-stats -s a --threshold 2 2>err
}

@test 'ctx-stats prints the number of turns of a session, and --cache a total for all caches' {
	for i in 1 2 3; do
		ctx-append -q --create -s s -t "question $i"
		ctx-append -q -s s --role assistant -t "answer $i"
	done
	ctx-stats -s s | jq .turns | same - 3
	for i in 1 2; do ctx-window -s s | ctx-enrich >/dev/null; done
	ctx-stats --cache | jq -s 'map(select(.cache != "all")) as $k | (map(select(.cache == "all"))[0]) as $a
		| $a.hits == ($k | map(.hits) | add) and $a.misses == ($k | map(.misses) | add)' | same - true
	ctx-stats --cache --format prometheus | grep -c '"all"' | same - 0 || :
}

@test '--calibrate learns from stored answers, and later counts use it' {
	echo '{"model":"house-1"}' >p
	ctx-append -q --create -s c -t 'count me please'
	for i in 1 2 3; do
		ctx-window -s c -b 10000 | ctx-render -p openai --params p --request req.json >body
		total=$(jq .tokens.total req.json)
		echo "{\"model\":\"house-1-20260101\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"ok\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":$((total * 2)),\"completion_tokens\":1}}" |
			ctx-append -q --request req.json
		ctx-append -q -s c -t "more $i"
	done
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	echo '{"model":"mine","tokenizer":"chars4","requests":{"factor":3}}' >"$XDG_CONFIG_HOME/ctx/calibration.ndjson"
	for _ in 1 2; do # a second time replaces what was learned
		ctx-stats --calibrate >out
		[ "$(jq -c '[.model, .requests.n, .requests.factor, .learned]' out)" = '["house-1",3,2.0,true]' ] ||
			[ "$(jq -c '[.model, .requests.n, .requests.factor, .learned]' out)" = '["house-1",3,2,true]' ]
		[ "$(wc -l <"$XDG_CONFIG_HOME/ctx/calibration.ndjson")" = 2 ]
	done
	name() { echo '{"role":"user","content":"u"}' | ctx-count --tokenizer "auto:$1" | jq -r .tokenizer; }
	[ "$(name house-1)" = 'approx*2.100' ]
	[ "$(name mine)" = 'chars4*3.000' ]
	store_remove
	ctx-append -q --create -s empty -t x
	run -1 ctx-stats --calibrate
}

@test '--by tool counts the tools that imported answers name' {
	echo '{"session_id":"s","turns":[
	  {"question":"q1","answer":"a1","tools_used":["find","find"]},
	  {"question":"q2","answer":"a2","mcp_tools_used":[{"name":"create"}]}]}' |
		ctx-import -q -f qa | ctx-append -q --create
	ctx-append -q --create -s t --question q -t a --metadata '{"tools_used":["find"]}'
	ctx-stats --by tool | jq -c '[.tool, .sessions, .tool_calls]' |
		same - $'["create",1,1]\n["find",2,3]'
}

@test 'the usage of every provider is counted by model and priced alike' {
	local usage
	while read -r provider usage; do
		echo "{\"kind\":\"message\",\"session_id\":\"s\",\"metadata\":{\"model\":\"$provider\",\"usage\":$usage},\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}"
	done <<-'END' | ctx-append -q --create
	openai {"prompt_tokens":100,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":40}}
	responses {"input_tokens":100,"output_tokens":30,"input_tokens_details":{"cached_tokens":40}}
	anthropic {"input_tokens":50,"cache_read_input_tokens":40,"cache_creation_input_tokens":10,"output_tokens":30}
	gemini {"promptTokenCount":90,"toolUsePromptTokenCount":10,"candidatesTokenCount":10,"thoughtsTokenCount":20}
	interactions {"total_input_tokens":90,"total_tool_use_tokens":10,"total_output_tokens":10,"total_thought_tokens":20}
	END
	ctx-stats --by model | jq -se 'length == 5 and all(.input_tokens == 100 and .output_tokens == 30)'
}

@test 'with --tokenizer, the total for the store is the sum of its sessions' {
	for s in a b c d e; do
		ctx-append --create -q -s $s -t "some words of session $s"
	done
	ctx-stats --tokenizer chars4 -s a -s b -s c -s d -s e >out
	[ "$(ctx-stats --tokenizer chars4 | jq .tokens)" = "$(jq -s 'map(.tokens) | add' out)" ]
}
