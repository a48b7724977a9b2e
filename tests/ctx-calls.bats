load helper

answers=$BATS_TEST_DIRNAME/fixtures/answers

openai_calls() {
	printf '%s\n' '{"role":"user","content":"q"}' \
		'{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"date","arguments":"{\"zone\": \"UTC\"}"}},{"id":"c2","type":"function","function":{"name":"now","arguments":""}},{"id":"c3","type":"custom","custom":{"name":"sh","input":"ls {"}}]}'
}

blocks() {
	printf '%s\n' '{"role":"user","content":"q"}' \
		'{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"t\/1","name":"now","input":{"zone":"é", "n":1.0}}]}'
}

calls() {
	ctx-calls "$@" | jq -c '[.id,.name,.arguments]' | paste -sd ' '
}

@test 'ctx-calls prints the same records for a stored session and for its window' {
	openai_calls | ctx-append -q --create -s s
	ctx-calls -s s >out
	head -n 1 out | same - '{"kind":"call","session_id":"s","seq":2,"id":"c1","name":"date","arguments":{"zone":"UTC"}}'
	[ "$(calls -s s)" = '["c1","date",{"zone":"UTC"}] ["c2","now",{}] ["c3","sh","ls {"]' ]
	ctx-window -s s | ctx-calls | same out
	ctx-list | ctx-calls -s - | same out
	openai_calls | calls | same - "$(calls -s s)"
	openai_calls | ctx-calls | jq -e 'has("seq") or has("session_id") | not' >/dev/null
	blocks | ctx-append -q --create -s b
	ctx-calls -s b | grep -qF '"id":"t\/1","name":"now","arguments":{"zone":"é","n":1.0}}'
	status 1 ctx-calls -s nowhere 2>err
	grep -q "no session 'nowhere'" err
}

@test 'ctx-calls prints the calls that wait for results, for stored answers of every provider' {
	ctx-new --id s -1 >/dev/null
	ask() { ctx-append -q -s s -t 'q'; }
	ask; echo '{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"o1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}' |
		ctx-append -q -p openai -s s
	[ "$(calls -s s)" = '["o1","f",{"a":1}]' ]
	ask; echo '{"id":"m","type":"message","role":"assistant","content":[{"type":"tool_use","id":"a1","name":"f","input":{"a":1}}],"stop_reason":"tool_use"}' |
		ctx-append -q -p anthropic -s s
	[ "$(calls -s s)" = '["a1","f",{"a":1}]' ]
	ask; echo '{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":"STOP"}],"responseId":"r"}' |
		ctx-append -q -p gemini -s s
	[ "$(ctx-calls -s s | jq -c '[.name,.arguments]')" = '["f",{"a":1}]' ]
	ask; echo '{"id":"r","object":"response","status":"completed","output":[{"type":"function_call","id":"fc","call_id":"r1","name":"f","arguments":"{\"a\":1}","status":"completed"}]}' |
		ctx-append -q -p responses -s s
	[ "$(calls -s s)" = '["r1","f",{"a":1}]' ]
}

@test 'a tool call no longer waits after its result, a later answer or a later question' {
	openai_calls | ctx-append -q --create -s s
	ctx-append -q -s s --role tool --call-id c2 -t noon
	[ "$(calls -s s)" = '["c1","date",{"zone":"UTC"}] ["c3","sh","ls {"]' ]
	ctx-append -q -s s --role system -t 'a note'
	[ "$(ctx-calls -s s | wc -l)" = 2 ]
	ctx-append -q -s s -t 'never mind'
	[ -z "$(ctx-calls -s s)" ]
	openai_calls | ctx-append -q --create -s t
	ctx-append -q -s t --role tool --call-id c1 -t noon
	ctx-append -q -s t --role assistant -t done
	[ -z "$(ctx-calls -s t)" ]
	# each call in a separate message, as in some transcripts
	printf '%s\n' '{"role":"user","content":"q"}' \
		'{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}' \
		'{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"f","input":{}}]}' |
		ctx-append -q --create -s u
	[ "$(ctx-calls -s u | jq -r .id | paste -sd ' ')" = '1 2' ]
}

@test 'ctx-append --result accepts text, standard input and files, and stores the result in the format of its call' {
	openai_calls | ctx-append -q --create -s s
	ctx-append -s s --result c1 -t noon | jq -c '[.message_type,.message]' |
		same - '["tool_result",{"role":"tool","tool_call_id":"c1","content":"noon"}]'
	echo '{"t": 1}' | ctx-append -s s --result c3 | jq -e '.message.content == "{\"t\": 1}"' >/dev/null
	printf 'late\n' >file
	ctx-append -s s --result c2 --error file | jq -c '[.message_type,.message]' |
		same - '["error",{"role":"tool","tool_call_id":"c2","content":"Error: late"}]'
	[ -z "$(ctx-calls -s s)" ]
	blocks | ctx-append -q --create -s b
	ctx-append -s b --result t/1 --error -t gone | jq -c '[.message_type,.message]' |
		same - '["error",{"role":"user","content":[{"type":"tool_result","tool_use_id":"t/1","content":"gone","is_error":true}]}]'
	for p in openai anthropic gemini responses interactions; do
		for s in s b; do
			ctx-window -s $s | ctx-render -p $p >body
			status 0 ctx-lint -p $p body >out || { echo "$p $s"; cat out; return 1; }
		done
	done
}

@test 'ctx-append --result is accepted only for a call that waits for a result, and only once' {
	openai_calls | ctx-append -q --create -s s
	status 1 ctx-append -s s --result nothing -t x 2>err
	grep -q "session 's' has no waiting call 'nothing' (ctx-calls" err
	ctx-append -q -s s --result c1 -t x
	status 1 ctx-append -q -s s --result c1 -t x 2>err
	printf '\xff' | status 3 ctx-append -s s --result c2 2>err
	status 4 ctx-append -s s --result c2 nofile 2>err
	for o in '-t x -t y' '--role tool' '--call-id c2' '-p openai' '--create' '-t x file' 'a b' '--print text'; do
		status 2 ctx-append -s s --result c2 $o 2>err </dev/null || { echo "$o"; return 1; }
	done
	status 2 ctx-append --result c2 -t x 2>err
	status 2 ctx-append -s s --error -t x 2>err
	[ "$(ctx-list | jq .message_count)" = 3 ]
	# of several results at the same time, one is stored
	for i in 1 2 3; do
		ctx-append -q -s s --result c2 -t "$i" 2>/dev/null &
	done
	wait
	[ "$(ctx-list | jq .message_count)" = 4 ]
}

@test '--print text prints only the answer on standard output' {
	ctx-append -q --create -s s -t q
	ctx-window -s s | ctx-render -p openai --request req >/dev/null
	printf 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Good \\u001b"}}]}\n\ndata: {"choices":[{"index":0,"delta":{"content":"day"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' >stream
	ctx-append --request req --print text <stream >out
	printf 'Good \033day\n' | same out
	ctx-append -q -s s -t q2
	ctx-window -s s | ctx-render -p openai --request req >/dev/null
	# the text of a truncated stream is printed, but no message is stored
	head -n 2 stream | status 4 ctx-append --request req --print text >out 2>err
	printf 'Good \033\n' | same out
	ctx-append --request req -t said --print text | same - said
	ctx-append --request req --print record -t said | jq -e .seq >/dev/null
	status 2 ctx-append -s s -t x --print text 2>err
	status 2 ctx-append --request req --print all 2>err </dev/null
	# the answer is stored even if it cannot be printed
	ctx-append -q -s s -t q3
	ctx-window -s s | ctx-render -p openai --request req >/dev/null
	status 4 ctx-append --request req --print text <stream >/dev/full 2>err
	ctx-window -s s -n 1 | grep -q '"role":"assistant"'
}
