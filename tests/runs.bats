# Append-only requests: ctx-window --run, and the other commands in such a run.

load helper

setup() {
	isolate
	printf '{"model":"claude-opus-5-5","max_tokens":50}' >params
	export CTX_PARAMS=params CTX_PROVIDER=anthropic CTX_BUDGET=2000 CTX_TOKENIZER=chars4
	ctx-new --id s >/dev/null
}

# ask [OPTION…] TEXT: appends a question; writes the next request body to "body" and its record to "req".
ask() {
	ctx-append -q -s s -t "${*: -1}"
	request "${@:1:$#-1}"
}

request() {
	ctx-window -s s "$@" | ctx-enrich -q | ctx-prune | ctx-render --request req >body
}

# answer TEXT: stores an answer that begins with a thinking block.
answer() {
	jq -cn --arg t "$1" '{id: "m", type: "message", role: "assistant", model: "claude-opus-5-5",
	    content: [{type: "thinking", thinking: "", signature: ("sig " + $t)}, {type: "text", text: $t}],
	    stop_reason: "end_turn", usage: {input_tokens: 1, output_tokens: 1}}' |
		ctx-append -q --request req
}

# blocks BODY: prints the blocks of a body without cache marks, one on a line.
blocks() {
	jq -c 'del(.. | .cache_control?) | .system, (.messages[] | .role as $r |
	    (.content | if type == "string" then [{type: "text", text: .}] else . end)[] | [$r, .])' "$1"
}

# grows: the body must begin with all blocks of the previous body.
grows() {
	blocks before >old
	blocks body >new
	head -n "$(wc -l <old)" new | cmp - old
}

run_of() { jq -c ".run.$1" req; }

@test 'each request of an append-only run begins with the bytes of the previous one, and reasoning is sent back' {
	for i in 1 2 3; do
		ask "question $i"
		[ "$(run_of n)" = "$i" ]
		[ "$i" = 1 ] || grows
		[ "$(grep -c thinking <(blocks body) || :)" = $((i - 1)) ]
		cp body before
		answer "answer $i"
	done
	[ "$(jq -s 'map(.run.id) | unique | length' req)" = 1 ]
}

@test 'a text that ctx-enrich added keeps its place in later requests of an append-only run and is not added again' {
	echo '{"kind":"item","type":"rule","name":"r","include":"agent","description":"about cats","content":"Cats are not to be fed."}' |
		ctx-item define -q
	ask 'What about cats?'
	grep -q 'not to be fed' body
	cp body before
	answer 'Nothing.'
	ask 'And these cats?'
	grows
	[ "$(grep -o 'not to be fed' body | wc -l)" = 1 ]
}

@test 'when the budget is full, a new append-only run starts with fewer messages and without older reasoning' {
	long=$(printf 'word %.0s' {1..120})
	for i in {1..24}; do
		ask "$i $long"
		[ "$(run_of n)" != 1 ] || [ "$i" = 1 ] || break
		[ "$i" = 1 ] || grows
		cp body before
		answer "ok $i"
	done
	[ "$(run_of cut)" = '"full"' ]
	[ "$(jq .tokens.total req)" -le 1100 ]
	run ! grep -q thinking body
	# the new run continues
	cp body before
	answer 'after the cut'
	ask 'one more'
	grows
	[ "$(run_of n)" = 2 ]
	grep -q 'sig after the cut' body
	run ! grep -q 'sig ok' body
}

@test 'if a new append-only run starts inside a tool loop, it keeps the current turn and the texts that were added to it' {
	big=$(printf 'word %.0s' {1..300})
	echo '{"kind":"item","type":"rule","name":"r","include":"agent","description":"about cats","content":"Cats are not to be fed."}' |
		ctx-item define -q
	jq -c '.tools = [{"name":"f","input_schema":{"type":"object"}}]' params >p && mv p params
	ask 'What about cats?'
	for i in {1..12}; do
		jq -cn --arg i "$i" '{id: "m", type: "message", role: "assistant", model: "claude-opus-5-5",
		    content: [{type: "thinking", thinking: "", signature: ("sig " + $i)},
		    {type: "tool_use", id: ("t" + $i), name: "f", input: {}}], stop_reason: "tool_use"}' |
			ctx-append -q --request req
		jq -cn --arg i "$i" --arg b "$big" '{role: "user", content: [{type: "tool_result",
		    tool_use_id: ("t" + $i), content: $b}]}' | ctx-append -q -s s
		request
		[ "$(run_of n)" != 1 ] || break
	done
	[ "$(run_of cut)" = '"full"' ]
	grep -q 'What about cats' body
	[ "$(grep -o 'not to be fed' body | wc -l)" = 1 ]
	ctx-lint -p anthropic body
}

@test 'changed tools, another provider and hidden messages start a new append-only run' {
	for i in 1 2 3; do
		ask "question $i"
		answer "answer $i"
	done
	jq -c '.tools = [{"name":"f","input_schema":{"type":"object"}}]' params >p && mv p params
	ask 'with a tool'
	[ "$(run_of cut)" = '"front"' ]
	answer 'yes'
	env -u CTX_BUDGET ctx-prune -s s --apply --keep-turns 2 >/dev/null
	ask 'after hiding'
	[ "$(run_of cut)" = '"hidden"' ]
	run ! grep -q 'question 1' body
	answer 'yes'
	ctx-prune -s s --undo >/dev/null
	ask 'after undoing'
	[ "$(run_of cut)" = '"hidden"' ]
	grep -q 'question 1' body
	answer 'yes'
	ctx-append -q -s s -t 'for another'
	echo '{"model":"gpt-5.6"}' >p
	ctx-window -s s -p openai --params p | ctx-render -p openai --params p --request req >body
	[ "$(run_of cut)" = '"provider"' ]
}

@test 'requests with another system text or run name form separate append-only runs' {
	echo 'You are brief.' >brief
	ask 'one'
	answer 'first'
	ask --system brief 'two'
	[ "$(run_of n)" = 1 ]
	[ "$(run_of cut)" = null ]
	request
	[ "$(run_of n)" = 2 ]
	request --run other
	[ "$(run_of n)" = 1 ]
	[ "$(run_of name)" = '"other"' ]
}

@test 'after a failed request, another question can be appended, and the append-only run continues' {
	ask 'one'
	answer 'first'
	cp body before
	ask 'two'
	echo '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' |
		ctx-append -q --request req 2>/dev/null || :
	ask 'three'
	[ "$(run_of n)" = 2 ]
	grows
	grep -q 'two' body
}

@test 'a failed request is repeated with the same added texts' {
	rule() {
		jq -cn --arg t "$1" '{kind: "item", type: "rule", name: "r", include: "agent", description: "about cats", content: $t}' |
			ctx-item define -q
	}
	rule 'Cats are not to be fed.'
	ask 'What about cats?'
	cp body before
	echo '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' |
		ctx-append -q --request req 2>/dev/null || :
	rule 'Cats may be fed.'
	request
	cmp body before
	grep -q 'not to be fed' body
	# the cache is not needed to repeat the request
	ctx-window -s s | ctx-enrich -q --cache-ttl 0 --topic none | ctx-prune | ctx-render | cmp - before
	# a request with another system text gets the changed rule
	echo 'You are brief.' >brief
	ctx-window -s s --system brief | ctx-enrich -q | ctx-render | grep -q 'Cats may be fed'
	echo '{"kind":"item","type":"rule","name":"r","include":"agent","description":"about cats","content":"Cats may be fed.","enabled":false}' |
		ctx-item define -q
	request
	[ "$(grep -c ' fed' body || :)" = 0 ]
	rule 'Cats may be fed.'
	answer 'They sleep.'
	ask 'And what else about cats?'
	grep -q 'Cats may be fed' body
}

@test 'a message between a question and its answer starts a new append-only run' {
	ask 'one'
	ctx-append -q -s s -t 'in between'
	answer 'first'
	ask 'two'
	[ "$(run_of cut)" = '"order"' ]
	[ "$(run_of n)" = 1 ]
}

@test 'every stored request of an append-only run can be rendered again byte for byte' {
	for i in 1 2 3; do
		ask "question $i"
		cp body body$i
		jq -r .request_id req >id$i
		answer "answer $i"
	done
	for i in 1 2 3; do
		ctx-show --request "$(cat id$i)" | ctx-render | cmp - body$i
	done
}

@test 'the stored record of a request contains only what is new since the previous request' {
	for i in {1..30}; do
		CTX_BUDGET=20000 ask "question $i"
		answer "answer $i"
	done
	[ "$(jq .run.n req)" = 30 ]
	[ "$(sqlite3 "$CTX_STORE" 'SELECT max(length(record)) FROM request')" -le 2048 ]
	ctx-show -s s | jq -e 'select(.kind == "request" and .run.n == 30) | .messages[0].first_seq == 1' >/dev/null
}

@test 'a fork continues the append-only run of the original session, also a fork from the middle' {
	for i in 1 2 3; do
		ask "question $i"
		cp body body$i
		answer "answer $i"
	done
	for at in 6 4; do
		ctx-new --fork s@$at --id f$at >/dev/null
		ctx-append -q -s f$at -t 'in the fork'
		ctx-window -s f$at | ctx-enrich -q | ctx-prune | ctx-render --request req >body
		[ "$(run_of n)" = $((at / 2 + 1)) ]
		cp body$((at / 2)) before
		grows
	done
}

@test 'a session restored from its archive continues its append-only run' {
	ask 'one'
	answer 'first'
	cp body before
	mkdir place
	ctx-archive -q -s s --to place --cleanup >/dev/null
	ctx-archive -q -s s --restore >/dev/null
	ask 'two'
	[ "$(run_of n)" = 2 ]
	grows
}

@test 'a body has at most four cache marks, including those of the parameters, and --cache off and 1h work' {
	printf '{"model":"claude-opus-5-5","max_tokens":50,"system":[{"type":"text","text":"Brief.","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"f","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]}' >params
	ask 'one'
	answer 'first'
	ask 'two'
	[ "$(grep -o cache_control body | wc -l)" = 4 ]
	ctx-lint -p anthropic body
	ctx-window -s s | ctx-render --cache off >body
	[ "$(grep -o cache_control body | wc -l)" = 2 ]
	printf '{"model":"claude-opus-5-5","max_tokens":50}' >params
	ctx-window -s s | ctx-render --cache 1h >body
	[ "$(jq -c '[.. | .cache_control? | select(.)] | unique' body)" = '[{"type":"ephemeral","ttl":"1h"}]' ]
	run -2 ctx-render --cache 2h <<<'{"role":"user","content":"x"}'
}

@test 'cache marks cost no tokens: a window that ctx-prune fits to the budget is accepted by ctx-render' {
	jq -c '. + {tools: [{name: "f", input_schema: {type: "object", properties: {}}}]}' params >p2
	ctx-append -q -s s -t "$(seq -s ' ' 200)"
	jq -cn '{role: "user", content: [{type: "document", source: {type: "text", media_type: "text/plain", data: "words"}}]}' |
		ctx-append -q -s s
	ctx-window -s s >w
	ctx-render --params p2 --cache off --request req <w >body
	least=$(jq .tokens.total req)
	for more in 0 1 4 9 18; do
		ctx-prune --params p2 -b $((least + more)) <w |
			ctx-render --params p2 -b $((least + more)) --cache 5m >body
	done
	[ "$(grep -o cache_control body | wc -l)" -ge 2 ]
	ctx-lint -b "$least" body
}

@test 'Anthropic: an assistant'\''s greeting before the first user message is not sent' {
	echo '{"role":"assistant","content":"Hello, I am here."}' | ctx-append -q -s s
	for i in 1 2 3; do
		ask "question $i"
		[ "$i" = 1 ] || grows
		cp body before
		answer "answer $i"
	done
	[ "$(grep -c 'I am here' body || :)" = 0 ]
	[ "$(jq -c .dropped req)" = '[{"first_seq":1,"last_seq":1,"reason":"no_user_before"}]' ]
	ctx-append -q -s s -t 'and now?'
	ctx-window -s s -p openai | ctx-render -p openai | grep -q 'I am here'
}

@test '-n, --turns, --since, --stable and --rolling select a rolling window and are refused with --run' {
	ask 'one'
	answer 'first'
	ctx-window -s s -n 5 | tail -n 1 | jq -e '.run == null' >/dev/null
	ctx-window -s s --rolling | tail -n 1 | jq -e '.run == null' >/dev/null
	for o in '-n 5' '--turns 1' '--since 1h' --stable --rolling; do
		# shellcheck disable=SC2086 # words
		run -2 ctx-window -s s --run x $o
	done
}

@test 'rolling windows omit reasoning for models that check the preceding messages' {
	ask 'one'
	answer 'first'
	ctx-append -q -s s -t two
	for o in '-n 5' --rolling --stable; do
		# shellcheck disable=SC2086 # words
		ctx-window -s s $o | ctx-render --request req >body
		grep -q first body
		run ! grep -q thinking body
	done
	answer 'second'
	ctx-show --request "$(jq -r .request_id req)" | ctx-render | cmp - body
	# other models accept reasoning whatever stands before it
	printf '{"model":"claude-opus-4-8","max_tokens":50}' >params
	ctx-append -q -s s -t three
	ctx-window -s s -n 9 | ctx-render | grep -q '"sig second"'
	# for messages without a window, ctx-render does not check what stands before
	printf '{"model":"claude-opus-5-5","max_tokens":50}' >params
	ctx-show -s s | jq -c 'select(.kind == "message") | .message' | ctx-render | grep -q '"sig second"'
}

@test 'prompt cache figures are printed by model and in total, and misses cause a warning' {
	usage() {
		jq -cn --argjson u "$1" '{id: "m", type: "message", role: "assistant", model: "claude-opus-5-5",
		    content: [{type: "text", text: "ok"}], stop_reason: "end_turn", usage: $u}' |
			ctx-append -q --request req
	}
	ask 'one'
	usage '{"input_tokens":100,"cache_creation_input_tokens":2000,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":1500,"ephemeral_1h_input_tokens":500},"output_tokens":5}'
	ask 'two'
	usage '{"input_tokens":50,"cache_creation_input_tokens":150,"cache_read_input_tokens":2000,"output_tokens":5}'
	run -0 --separate-stderr ctx-stats --prompt-cache
	[ "$(jq -c 'del(.kind)' <<<"$output")" = '{"answers":2,"input_tokens":4300,"cache_read_tokens":2000,"cache_write_tokens":2150,"cache_write_1h_tokens":500,"uncached_tokens":150,"read_share":0.4651,"cuts":0,"cut_tokens":0,"missed":0}' ]
	[ -z "$stderr" ]
	[ "$(ctx-stats --prompt-cache --by model | jq -r .model)" = claude-opus-5-5 ]
	[ "$(ctx-stats --prompt-cache --by session -s s | jq -r .session_id)" = s ]
	[ "$(ctx-stats --prompt-cache --by day | jq -r .day)" = 2026-01-02 ]
	ask 'three'
	usage '{"input_tokens":2300,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":5}'
	run -0 --separate-stderr ctx-stats --prompt-cache
	[ "$(jq .missed <<<"$output")" = 1 ]
	[[ $stderr == *'1 request read less than half'*"last such request: $(jq -r .request_id req))" ]]
	run -2 ctx-stats --prompt-cache --by tool
	# a request to another model, or without cache marks, is not a cache miss
	ask 'four'
	usage '{"input_tokens":2400,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":5}'
	ask 'five'
	usage '{"input_tokens":10,"cache_creation_input_tokens":2500,"cache_read_input_tokens":0,"output_tokens":5}'
	printf '{"model":"claude-fable-5-1","max_tokens":50}' >params
	ask 'six'
	usage '{"input_tokens":10,"cache_creation_input_tokens":2600,"cache_read_input_tokens":0,"output_tokens":5}'
	[ "$(ctx-stats --prompt-cache 2>/dev/null | jq .missed)" = 1 ]
}

@test 'usage in other formats is understood' {
	printf '{"model":"gpt-5.6"}' >params
	export CTX_PROVIDER=openai
	ask 'one'
	echo '{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3000,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":1000,"cache_write_tokens":500}}}' |
		ctx-append -q --request req
	[ "$(ctx-stats --prompt-cache | jq -c '[.input_tokens, .cache_read_tokens, .cache_write_tokens, .uncached_tokens]')" = '[3000,1000,500,1500]' ]
}

@test '--headers writes the HTTP headers that the body needs' {
	echo '{"role":"user","content":"x"}' >in
	ctx-render --headers h in >/dev/null
	[ "$(cat h)" = $'content-type: application/json\nanthropic-version: 2023-06-01' ]
	printf '{"model":"claude-opus-5-5","max_tokens":50,"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"context_management":{"edits":[{"type":"compact_20260112"}]}}' >params
	ctx-render --headers h in >/dev/null
	[ "$(tail -n 1 h)" = 'anthropic-beta: context-management-2025-06-27,thinking-binding-controls-2026-08-01,compact-2026-01-12' ]
	echo '{"model":"gpt-5.6"}' >params
	ctx-render -p openai --headers h in >/dev/null
	[ "$(cat h)" = 'content-type: application/json' ]
	run -2 ctx-render -p text --headers h in
}

@test 'reasoning is sent back only if all messages before it are the same as when the model wrote it' {
	for i in 1 2; do
		ask "question $i"
		answer "answer $i"
	done
	# ctx-window does not know the parameters with the new tool
	jq -c '.tools = [{"name":"f","input_schema":{"type":"object"}}]' params >tools
	ctx-append -q -s s -t 'question 3'
	env -u CTX_PARAMS ctx-window -s s | ctx-render --params tools --request req >body 2>warning
	grep -q 'messages before message 4 have changed' warning
	run ! grep -q 'sig ' body
	answer 'answer 3'
	# the omitted reasoning is not sent later either
	ctx-append -q -s s -t 'question 4'
	env -u CTX_PARAMS ctx-window -s s | ctx-render --params tools --request req >body
	[ "$(grep -o '"sig [^"]*"' body)" = '"sig answer 3"' ]
	answer 'answer 4'
	ask 'question 5'
	[ "$(run_of cut)" = '"front"' ]
	run ! grep -q 'sig answer' body
}

@test 'answers of other append-only runs and imported answers are sent without their reasoning' {
	echo 'You are brief.' >brief
	ask 'one'
	answer 'first'
	ask --system brief 'two'
	answer 'second'
	jq -cn '{role: "user", content: "imported"}, {role: "assistant", content: [
	    {type: "thinking", thinking: "", signature: "sig imported"}, {type: "text", text: "fine"}]}' |
		ctx-append -q -s s
	ask 'three'
	[ "$(run_of n)" = 2 ]
	[ "$(grep -o '"sig [^"]*"' body)" = '"sig first"' ]
}

@test 'redacting an answer or a message that was sent starts a new append-only run' {
	for i in 1 2; do
		ask "question $i"
		answer "answer $i"
	done
	ctx-delete -q --redact s 4 >/dev/null
	ask 'question 3'
	[ "$(run_of cut)" = '"redacted"' ]
	run ! grep -q 'answer 2' body
	answer 'answer 3'
	ask 'question 4'
	[ "$(run_of n)" = 2 ]
	answer 'answer 4'
	ctx-delete -q --redact s 1 >/dev/null
	ask 'question 5'
	[ "$(run_of cut)" = '"redacted"' ]
	run ! grep -q 'question 1' body
}

@test 'if other messages are hidden than before, a new append-only run starts, even if their number is the same' {
	for i in 1 2 3 4; do
		ask "question $i"
		answer "answer $i"
	done
	env -u CTX_BUDGET ctx-prune -s s --apply --keep-turns 3 >/dev/null
	ask 'question 5'
	[ "$(run_of cut)" = '"hidden"' ]
	answer 'answer 5'
	sqlite3 "$CTX_STORE" 'UPDATE hidden SET first_id = first_id + 2, last_id = last_id + 2'
	ask 'question 6'
	[ "$(run_of cut)" = '"hidden"' ]
}

@test 'a disabled or removed item is no longer sent, and --fresh starts a new append-only run' {
	echo '{"kind":"item","type":"rule","name":"r","include":"agent","description":"about cats","content":"Cats are not to be fed."}' |
		ctx-item define -q
	echo '{"kind":"item","type":"rule","name":"a","include":"manual","content":"Always polite."}' | ctx-item define -q
	ctx-item add -q -s s --type rule a
	ask 'What about cats?'
	grep -q 'not to be fed' body
	grep -q polite body
	answer 'Nothing.'
	ctx-item remove -q -s s --type rule a
	ask 'What about the cats?'
	[ "$(run_of cut)" = '"item"' ]
	run ! grep -q polite body
	grep -q 'not to be fed' body
	answer 'Yes.'
	echo '{"kind":"item","type":"rule","name":"r","include":"agent","description":"about cats","content":"Cats are not to be fed.","enabled":false}' |
		ctx-item define -q
	ask 'What about these cats?'
	[ "$(run_of cut)" = '"item"' ]
	run ! grep -q 'not to be fed' body
	answer 'Yes.'
	ask --fresh 'again'
	[ "$(run_of cut)" = '"fresh"' ]
	[ "$(run_of n)" = 1 ]
	run -2 ctx-window -s s --fresh --rolling
}

@test 'if an item is disabled during a tool loop, one new append-only run starts without it' {
	item 'Cats are not to be fed.'
	jq -c '.tools = [{"name":"f","input_schema":{"type":"object"}}]' params >p && mv p params
	call() {
		jq -cn --arg i "$1" '{id: "m", type: "message", role: "assistant", model: "claude-opus-5-5",
		    content: [{type: "tool_use", id: $i, name: "f", input: {}}], stop_reason: "tool_use"}' |
			ctx-append -q --request req
		ctx-append -q -s s --result "$1" -t fine
		request
	}
	ask 'What about cats?'
	grep -q 'not to be fed' body
	echo '{"kind":"item","type":"rule","name":"r","include":"agent","description":"about cats","content":"Cats are not to be fed.","enabled":false}' |
		ctx-item define -q
	call a
	[ "$(run_of cut)" = '"item"' ]
	run ! grep -q 'not to be fed' body
	cp body before
	call b
	[ "$(run_of n)" = 2 ]
	grows
}

@test 'an unchanged attached document is sent once, and a changed document is sent again in the same append-only run' {
	attach() {
		ctx-append -q -s s -t "$1"
		ctx-window -s s | ctx-enrich -q --attach spec=spec | ctx-prune | ctx-render --request req >body
	}
	echo 'Tea is served at four.' >spec
	attach 'When is tea served?'
	cp body before
	answer 'At four.'
	attach 'Where?'
	grows
	[ "$(grep -o 'Tea is served' body | wc -l)" = 1 ]
	cp body before
	answer 'Here.'
	echo 'Tea is served at five.' >spec
	attach 'And now?'
	[ "$(run_of n)" = 3 ]
	grows
	[ "$(grep -o 'Tea is served at [a-z]*' body | tr '\n' ' ')" = 'Tea is served at four Tea is served at five ' ]
	answer 'At five.'
	# a document that is no longer attached does not start a new run
	ask 'Thanks'
	[ "$(run_of n)" = 4 ]
}

@test 'an item that is added to the session starts a new append-only run and is sent in the system text' {
	echo '{"kind":"item","type":"rule","name":"a","include":"manual","content":"Always polite."}' | ctx-item define -q
	for i in 1 2; do
		ask "question $i"
		[ "$(run_of n)" = "$i" ]
		answer "answer $i"
	done
	ctx-item add -q -s s --type rule a
	ask 'question 3'
	[ "$(run_of cut)" = '"item"' ]
	jq -r .system[].text body | grep -q 'Always polite'
	answer 'answer 3'
	ask 'question 4'
	[ "$(run_of n)" = 2 ]
	ctx-new --fork s --id f >/dev/null
	ctx-append -q -s f -t 'in the fork'
	ctx-window -s f | tail -n 1 | jq -e '.run.n == 2' >/dev/null
}

weather() {
	echo '{"kind":"item","type":"tool","server_name":"w","name":"weather","include":"agent","description":"weather forecast for a city","content":"Forecasts.","schema":{"type":"object","properties":{"city":{"type":"string"}}}}' |
		ctx-item define -q
}

@test 'a tool that is selected during an append-only run is sent with the next run, and a warning says so' {
	weather
	ask 'hello'
	answer 'hi'
	ask 'The weather forecast for the city of Rome?' 2>warning
	[ "$(run_of n)" = 2 ]
	grep -q '1 tool omitted, because an append-only request cannot add tools' warning
	[ "$(jq .tools body)" = null ]
	grep -q 'sig hi' body
	[ "$(jq -c '[.dropped[] | [.source.name, .reason]]' req)" = '[["weather","next_cut"]]' ]
	answer 'Sun.'
	ask 'Thanks' 2>warning
	[ ! -s warning ]
	[ "$(jq -c .dropped req)" = '[]' ]
	answer 'You are welcome.'
	ask --fresh 'The weather forecast for the city of Oslo?' 2>warning
	[ ! -s warning ]
	[ "$(jq -c '[.tools[].name]' body)" = '["w__weather"]' ]
	answer 'Snow.'
	# tools from the start of the run are still sent
	ask 'Thanks'
	[ "$(run_of n)" = 2 ]
	[ "$(jq -c '[.tools[].name]' body)" = '["w__weather"]' ]
	grep -q 'sig Snow' body
}

@test 'Anthropic: during an append-only run, tools are added in a system message if the model and the headers allow it' {
	jq -c '.tools = [{"name":"f","input_schema":{"type":"object"}}]' params >p && mv p params
	weather
	request() {
		ctx-window -s s | ctx-enrich -q | ctx-prune | ctx-render --request req --headers headers >body
	}
	ask 'hello'
	answer hi
	ask 'The weather forecast for the city of Rome?' 2>warning
	[ ! -s warning ]
	[ "$(jq -c '[.tools[].name]' body)" = '["f"]' ]
	[ "$(jq -c '[.messages[].role]' body)" = '["user","assistant","user","system"]' ]
	[ "$(jq -c '.messages[3].content[] | [.type, .tool.type, .tool.definition.name]' body)" = \
		'["tool_addition","tool_definition","w__weather"]' ]
	grep -q inline-tools headers
	run ! grep -q Forecasts <(jq -c '.messages[2]' body)
	grep -q 'sig hi' body
	ctx-lint -p anthropic body
	cp body before
	answer Sun
	ask 'And the weather forecast for the city of Oslo?'
	grows
	[ "$(grep -o tool_addition body | wc -l)" = 1 ]
	grep -q 'sig Sun' body
	answer Snow
	ctx-show --request "$(jq -r .request_id req)" | ctx-render | cmp - body
}

# answer_item TEXT: stores an answer of the Responses API.
answer_item() {
	jq -cn --arg t "$1" '{id: "r", object: "response", status: "completed", model: "gpt-6.2-sol", output: [
	    {type: "reasoning", id: ("rs_" + $t), summary: [], encrypted_content: ("sig " + $t)},
	    {type: "message", role: "assistant", id: ("msg_" + $t), status: "completed",
	    content: [{type: "output_text", text: $t, annotations: []}]}]}' | ctx-append -q --request req
}

@test 'Responses: during an append-only run, tools are added by an input item if the model accepts it' {
	printf '{"model":"gpt-6.2-sol","store":false}' >params
	export CTX_PROVIDER=responses
	weather
	ask 'hello'
	answer_item hi
	ask 'The weather forecast for the city of Rome?' 2>warning
	[ ! -s warning ]
	[ "$(jq .tools body)" = null ]
	[ "$(jq -c '[.input[] | .type // .role]' body)" = '["user","reasoning","message","additional_tools","user"]' ]
	[ "$(jq -c '.input[3] | [.role, .tools[].name]' body)" = '["developer","w__weather"]' ]
	run ! grep -q Forecasts <(jq -c '.input[4]' body)
	ctx-lint -p responses body
	jq -c '.input[]' body >before
	answer_item Sun
	ask 'And the weather forecast for the city of Oslo?'
	[ "$(grep -o additional_tools body | wc -l)" = 1 ]
	jq -c '.input[]' body | head -n 5 | cmp - before
	answer_item Snow
	ctx-show --request "$(jq -r .request_id req)" | ctx-render | cmp - body
	# the tools stay in the same place, also for another model
	jq -c '.model = "gpt-5.6"' params >p && mv p params
	jq -c '.input[]' body >before
	ask 'Thanks'
	[ "$(run_of n)" = 4 ]
	jq -c '.input[]' body | head -n "$(wc -l <before)" | cmp - before
	answer_item Bye
	jq -c '.model = "gpt-6.2-sol"' params >p && mv p params
	# a changed tool definition is sent with the next run
	echo '{"kind":"item","type":"tool","server_name":"w","name":"weather","include":"agent","description":"weather forecast for a city","content":"New.","schema":{"type":"object"}}' |
		ctx-item define -q
	ask 'And the weather forecast for the city of Bern?' 2>warning
	grep -q '1 tool omitted' warning
	[ "$(grep -o additional_tools body | wc -l)" = 1 ]
}

@test 'the prompt for a mode is sent once in an append-only run, and later only the name of the mode' {
	for m in general creation search modification analysis; do
		jq -nc --arg m "$m" '{kind: "item", type: "prompt", name: $m, modes: [$m],
		    content: ("Guidance for the mode \($m) of the assistant. " * 25)}'
	done | ctx-item define -q
	jq -nc '{kind: "item", type: "prompt", name: "core", content: ("Who you are and how you behave. " * 60)}' |
		ctx-item define -q
	# no model factor, because the counts are compared with the lengths of the texts
	export CTX_BUDGET=20000 CTX_TOKENIZER='chars4*1'
	for m in creation search search creation creation search; do
		CTX_MODE=$m ask "With $m"
		jq -c '[.run.n, ([.messages[] | select(.source) | .token_count] | add)]' req >>sizes
		answer "ok $m"
	done
	[ "$(run_of n)" = 6 ]
	[ "$(grep -o 'The mode is [a-z]*' body | tr '\n' ' ')" = 'The mode is creation The mode is search ' ]
	[ "$(grep -o 'Guidance for the mode creation' body | wc -l)" = 25 ]
	[ "$(grep -o 'Guidance for the mode search' body | wc -l)" = 25 ]
	# the average saving compared with sending all prompts
	all=$(ctx-item list | jq -s '[.[] | .content | length] | add / 4')
	jq -se --argjson all "$all" 'map(.[1]) | 1 - add / length / $all | . > 0.4 and . < 0.7' sizes
}

@test 'a stored summary does not change the current append-only run' {
	for i in {1..8}; do
		ask "question $i: $(printf 'word %.0s' {1..30})"
		answer "answer $i"
	done
	ctx-summarize -q -s s --keep-last 4 -b 2000 --threshold 0.1
	cp body before
	ask 'after the summary'
	[ "$(run_of n)" = 9 ]
	grows
	answer 'yes'
	ask --fresh 'after a cut'
	grep -q 'Summary of the earlier conversation' body
	run ! grep -q '"question 1:' <(jq .messages body)
	grep -q 'answer 8' body
}

# item TEXT: defines a rule about cats.
item() {
	jq -cn --arg c "$1" '{kind: "item", type: "rule", name: "r", include: "agent", description: "about cats", content: $c}' |
		ctx-item define -q
}

@test 'an item that was sent earlier and matches again is recorded with its new score and counted as selected' {
	item 'Cats are not to be fed.'
	for i in 'What about cats?' 'And these cats?' 'Nothing else'; do
		ask "$i"
		answer 'Well.'
	done
	[ "$(ctx-show -s s | jq -c 'select(.kind == "request") | [.in_view[]?.source.name]')" = $'[]\n["r"]\n[]' ]
	[ "$(ctx-show -s s | jq -r 'select(.kind == "request") | [.in_view[]?.source.similarity_score | type][]')" = number ]
	[ "$(ctx-stats --items -s s | jq -c 'select(.name == "r") | .requests')" = 2 ]
}

@test 'a changed item is sent again, and many outdated texts start a new append-only run' {
	item 'Cats eat fish.'
	ask 'What do cats eat?'
	answer 'Fish.'
	item 'Cats eat mice.'
	ask 'What do the cats eat?'
	[ "$(run_of n)" = 2 ]
	[ "$(grep -o 'Cats eat [a-z]*' body | tr '\n' ' ')" = 'Cats eat fish Cats eat mice ' ]
	answer 'Mice.'
	item 'Cats eat fish.'
	ask 'What do the cats eat now?'
	[ "$(run_of cut)" = '"superseded"' ]
	[ "$(grep -o 'Cats eat [a-z]*' body)" = 'Cats eat fish' ]
}

@test 'an entity is sent again when its facts change, but not when it is mentioned again' {
	printf '%s\n' '{"kind":"entity","type":"person","name":"Ada Lovelace","data":{"mail":"ada@a.example"}}' |
		ctx-entity load -q
	ask 'Where is Ada Lovelace?'
	grep -q 'ada@a.example' body
	answer 'In London.'
	ask 'Is Ada Lovelace well?'
	[ "$(run_of n)" = 2 ]
	[ "$(grep -o 'ada@a.example' body | wc -l)" = 1 ]
	[ "$(grep -o 'Entities in this' body | wc -l)" = 1 ]
	answer 'Yes.'
	printf '%s\n' '{"kind":"entity","type":"person","name":"Ada Lovelace","data":{"mail":"ada@b.example"}}' |
		ctx-entity load -q
	ask 'Write to Ada Lovelace'
	[ "$(run_of n)" = 3 ]
	grep -q 'ada@b.example' body
	[ "$(grep -o 'Use the entities listed' body | wc -l)" = 1 ]
}

@test 'ctx-show prints the append-only run of each request, why the run started, and which request first sent an added text' {
	item 'Cats are not to be fed.'
	ask 'What about cats?'
	first=$(jq -r .request_id req)
	answer 'Well.'
	ask 'And these cats?'
	answer 'Well.'
	ask --fresh 'Again, cats'
	answer 'Well.'
	ctx-show -s s --context >context
	grep -qx "Request 2 of run $first" context
	grep -qE "^  r \[Agent - 0\.[0-9]+\], in view since $first\$" context
	[ "$(grep -c 'in view' context)" = 1 ]
	grep -q ', after a cut: fresh (1 of 1 input tokens not read from a cache)$' context
	ctx-show -s s -f html >page
	grep -q 'request 2 of its run<' page
	grep -q 'request 1 of its run, after a cut: fresh (1 of 1 input tokens not read from a cache)<' page
}

@test 'a prompt cache key is sent to models that are known to accept it' {
	export CTX_PROVIDER=openai
	printf '{"model":"gpt-5.6"}' >params
	ask 'one'
	[ "$(jq -r .prompt_cache_key body)" = s ]
	cp body before
	echo '{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}' |
		ctx-append -q --request req
	ctx-show --request "$(jq -r .request_id req)" | ctx-render | cmp - before
	ctx-new --fork s --id f >/dev/null
	ctx-append -q -s f -t 'in the fork'
	ctx-window -s f | ctx-render | jq -e '.prompt_cache_key == "s"' >/dev/null
	ask 'two'
	ctx-window -s s | ctx-render --cache off | jq -e 'has("prompt_cache_key") | not' >/dev/null
	printf '{"model":"gpt-5.6","prompt_cache_key":"mine"}' >params
	ctx-window -s s | ctx-render | grep -o '"prompt_cache_key":"[a-z]*"' | same - '"prompt_cache_key":"mine"'
	for m in gpt-oss-120b llama-4; do
		printf '{"model":"%s"}' "$m" >params
		ctx-window -s s | ctx-render | jq -e 'has("prompt_cache_key") | not' >/dev/null
	done
}

# front BODY: prints the system text with its prompt cache breakpoint.
front() { jq -c '(.messages // .input)[] | select(.role == "system") | .content' "$1"; }

@test 'OpenAI: a prompt cache breakpoint is set at the end of the system text' {
	mark='"prompt_cache_breakpoint":{"mode":"explicit"}'
	for p in openai responses; do
		export CTX_PROVIDER=$p
		part=$([ $p = openai ] && echo text || echo input_text)
		echo '{"model":"gpt-5.6"}' >params
		ctx-new --id s$p >/dev/null
		ctx-append -q -s s$p <<<'{"role":"system","content":"Be brief."}'
		ctx-append -q -s s$p -t 'one'
		ctx-window -s s$p | ctx-render --request req >body
		front body | same - "[{\"type\":\"$part\",\"text\":\"Be brief.\",$mark}]"
		ctx-append -q --request req <<<'{"object":"response","status":"completed","output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"ok","annotations":[]}]}],
			"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}'
		ctx-show --request "$(jq -r .request_id req)" | ctx-render | cmp - body
		ctx-append -q -s s$p -t 'two'
		# for another model, the text keeps its parts in this run, and is a string in a new run
		echo '{"model":"gpt-5.5"}' >params
		ctx-window -s s$p | ctx-render | tee body2 >/dev/null
		front body2 | same - "[{\"type\":\"$part\",\"text\":\"Be brief.\"}]"
		ctx-window -s s$p --fresh | ctx-render --request req >body3
		front body3 | same - '"Be brief."'
		# the text stays a string in the following requests of that run
		ctx-append -q --request req <<<'{"object":"response","status":"completed","output":[{"type":"message","id":"msg_2","role":"assistant","status":"completed","content":[{"type":"output_text","text":"ok","annotations":[]}]}],
			"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}'
		ctx-append -q -s s$p -t 'three'
		echo '{"model":"gpt-5.6"}' >params
		ctx-window -s s$p | ctx-render >body4
		front body4 | same - '"Be brief."'
	done
}

@test 'OpenAI: no prompt cache breakpoint is set if the user or the model excludes it, and the user'\''s own breakpoints stay' {
	export CTX_PROVIDER=openai
	ctx-append -q -s s <<<'{"role":"system","content":[{"type":"text","text":"Be"},{"type":"text","text":"brief."}]}'
	ctx-append -q -s s -t 'one'
	for params in '{"model":"gpt-5.5"}' '{"model":"my-own"}' '{"model":"openai/gpt-5.6"}' '{"model":"mistral-large-4"}' \
		'{"model":"gpt-5.6","prompt_cache_options":{"mode":"explicit"}}'; do
		echo "$params" >params
		ctx-window -s s | ctx-render | jq -e '[.. | .prompt_cache_breakpoint?] | any | not' >/dev/null
	done
	echo '{"model":"gpt-5.6"}' >params
	ctx-window -s s | ctx-render --cache off | jq -e '[.. | .prompt_cache_breakpoint?] | any | not' >/dev/null
	ctx-window -s s | ctx-render --server openrouter | jq -e '[.. | .prompt_cache_breakpoint?] | any | not' >/dev/null
	ctx-window -s s | ctx-render >body
	jq -c '.messages[0].content | map(has("prompt_cache_breakpoint"))' body | same - '[false,true]'
	ctx-new --id u >/dev/null
	ctx-append -q -s u <<<'{"role":"system","content":[{"type":"text","text":"x","prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}}]}'
	ctx-append -q -s u -t 'one'
	ctx-window -s u | ctx-render | jq -c '.messages[0].content[0].prompt_cache_breakpoint' | same - '{"mode":"explicit","ttl":"12h"}'
}

@test 'OpenAI: the prompt cache breakpoint stands after the system text and before the summary' {
	echo '{"model":"gpt-5.6"}' >params
	ctx-append -q -s s <<<'{"role":"system","content":"Be brief."}'
	ctx-append -q -s s -t 'one'
	for p in openai responses; do
		export CTX_PROVIDER=$p
		ctx-window -s s | sed '1a {"kind":"message","slot":"summary","message":{"role":"system","content":"It was."}}' |
			ctx-render >body
		jq -c '[(.messages // .input)[] | select(.role == "system") | .content |
		    (if type == "string" then [{text: .}] else . end)[] | [.text, has("prompt_cache_breakpoint")]]' body |
			sed 's/\\n//g' | same - '[["Be brief.",true],["It was.",false]]'
	done
}

define_rule() {
	echo '{"kind":"item","type":"rule","name":"cats","include":"agent","description":"about cats","content":"Cats are not to be fed."}
		{"kind":"item","type":"reference","name":"food","include":"agent","description":"about cats","content":"Cats eat fish."}' |
		ctx-item define -q
}

# roles BODY: prints role and text of each message.
roles() {
	jq -r '(.messages // .input)[] | .role as $r | "\($r // .type): \(.content | if type == "array" then map(.text // .type) | join(" | ") else . end)" |
	    gsub("\\n"; " ")' "$1"
}

@test 'rules are sent as system messages if the model accepts them, and documents in the user message' {
	define_rule
	ask 'What about cats?'
	roles body | same - $'user: Reference: food Cats eat fish. | What about cats?\nsystem: Rule: cats Cats are not to be fed.'
	[ "$(run_of rules)" = '"system"' ]
	cp body before
	first=$(jq -r .request_id req)
	answer 'Well.'
	ctx-show --request "$first" | ctx-render | cmp - before
	ask 'More.'
	grows
	roles body | sed -n 2,3p | same - $'system: Rule: cats Cats are not to be fed.\nassistant: thinking | Well.'
	for p in openai responses; do
		export CTX_PROVIDER=$p
		echo '{"model":"gpt-5.6"}' >params
		ctx-new --id "$p" >/dev/null
		ctx-append -q -s "$p" -t 'What about cats?'
		ctx-window -s "$p" | ctx-enrich -q | ctx-render >body
		roles body | same - $'system: Rule: cats Cats are not to be fed.\nuser: Reference: food Cats eat fish. | What about cats?'
		# servers and models that may refuse system messages
		for m in mine openai/gpt-5.6 gpt-oss-120b; do
			echo '{"model":"'$m'"}' >params
			ctx-window -s "$p" | ctx-enrich -q | ctx-render >body
			roles body >>seen
		done
		uniq seen | same - 'user: Rule: cats Cats are not to be fed. | Reference: food Cats eat fish. | What about cats?'
	done
}

@test 'if a run continues with a model that accepts no system messages, its rules are sent as text' {
	define_rule
	ask 'What about cats?'
	cp body before
	answer one
	# Haiku may refuse system messages, so the rule is sent as text, and the reasoning of Opus after it is omitted
	printf '{"model":"claude-haiku-5-5","max_tokens":50}' >params
	ask 'two'
	[ "$(run_of 'n, .run.rules' | tr '\n' ' ')" = '2 "text" ' ]
	roles body | sed -n 1,2p | same - $'user: Rule: cats Cats are not to be fed. | Reference: food Cats eat fish. | What about cats?\nassistant: one'
	cp body text
	second=$(jq -r .request_id req)
	answer two
	# back to Opus, with the reasoning of Opus only
	printf '{"model":"claude-opus-5-5","max_tokens":50}' >params
	ask 'three'
	[ "$(run_of n)" = 3 ]
	grows
	blocks body | jq -r 'select(.[1].type? == "thinking")[1].signature' | same - 'sig one'
	answer three
	ctx-show --request "$second" | ctx-render | cmp - text
	ctx-show --request "$(jq -r .request_id req)" | ctx-render | cmp - body
	ctx-append -q -s s -t 'four'
	printf '{"model":"claude-haiku-5-5","max_tokens":50}' >params
	request
	blocks body | jq -r 'select(.[1].type? == "thinking")[1].signature' | same - 'sig two'
	mv text before
	grows
	# a run that starts with rules as text keeps this form
	request --fresh
	[ "$(run_of rules)" = null ]
	answer four
	printf '{"model":"claude-opus-5-5","max_tokens":50}' >params
	ask 'five, cats'
	[ "$(run_of n)" = 2 ]
	run ! grep -q '^system' <(roles body)
}

@test 'if an answer is left out of later requests, the rules sent with its question keep their place' {
	define_rule
	for how in refusal interrupt; do
		ctx-new --id "$how" >/dev/null
		ctx-append -q -s "$how" -t 'one'
		s=$how
		ctx-window -s "$s" | ctx-enrich -q | ctx-prune | ctx-render --request req >body
		first=$(jq -r .request_id req)
		answer one
		cp body before
		ctx-append -q -s "$s" -t 'What about cats?'
		ctx-window -s "$s" | ctx-enrich -q | ctx-prune | ctx-render --request req >body
		roles body | tail -n 1 | same - 'system: Rule: cats Cats are not to be fed.'
		grows
		if [ "$how" = refusal ]; then
			content='[{"type":"thinking","thinking":"","signature":"sig no"},{"type":"text","text":"I will not."}]' reason=refusal
		else
			content='[{"type":"thinking","thinking":"","signature":"sig no"},{"type":"tool_use","id":"t1","name":"f","input":{}}]' reason=tool_use
		fi
		echo '{"type":"message","role":"assistant","model":"claude-opus-5-5","content":'"$content"',"stop_reason":"'"$reason"'"}' |
			ctx-append -q --request req
		ctx-append -q -s "$s" -t 'Then what about cats and dogs?'
		ctx-window -s "$s" | ctx-enrich -q | ctx-prune | ctx-render --request req >body
		[ "$(run_of 'n, .run.continues' | tr '\n' ' ')" = "2 \"$first\" " ]
		grows
		ctx-lint -p anthropic body
		roles body | tail -n 1 | same - 'system: Rule: cats Cats are not to be fed.'
		[ "$(grep -c 'sig one' body)" = 1 ]
		run ! grep -q 'sig no' body
		cp body before
		answer three
		ctx-append -q -s "$s" -t 'And?'
		ctx-window -s "$s" | ctx-enrich -q | ctx-prune | ctx-render --request req >body
		grows
		grep -q 'sig three' body
	done
}
