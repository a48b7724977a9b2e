# Batches: ctx-render --batch writes batch requests, and ctx-append --batch stores their results.

load helper

setup() {
	isolate
}

# sessions N: creates the sessions s0001 to N with one question each.
sessions() {
	awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++)
		printf "{\"session_id\":\"s%04d\",\"kind\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"question %d\"}}\n", i, i }' |
		ctx-append -q --create
}

# batch PROVIDER PARAMS: writes a batch with a request for each session.
batch() {
	echo "$2" >params
	ctx-list -1 | sort | ctx-window -b 10000 |
		ctx-render -p "$1" --params params --batch --request requests >batch
}

# Prints the answer of each session and the status of its request.
answers() { ctx-list -1 | sort | while read -r s; do ctx-show -s "$s" | jq -r 'select(.kind == "message" and .seq == 2).message.content | if type == "array" then .[0].text else . end'; done; }

@test 'the results of 1000 requests in any order are stored with their requests' {
	sessions 1000
	batch openai '{"model":"gpt-4o"}'
	[ "$(wc -l <batch)" = 1000 ]
	[ "$(head -n 1 batch | jq -c 'keys')" = '["body","custom_id","method","url"]' ]
	jq -c '{id: "b", custom_id, error: null, response: {status_code: 200, request_id: "r", body: {choices: [{index: 0,
		message: {role: "assistant", content: ("re: " + .body.messages[0].content)}, finish_reason: "stop"}],
		usage: {prompt_tokens: 9, completion_tokens: 2}}}}' batch | shuf --random-source=<(yes) >results
	ctx-append -q --batch --request requests results
	[ "$(sqlite3 "$CTX_STORE" 'SELECT count(*) FROM request WHERE response_seq > 0')" = 1000 ]
	[ "$(ctx-list -1 | wc -l)" = 1000 ]
	for s in s0001 s0500 s1000; do
		[ "$(ctx-show -s $s | jq -r 'select(.seq == 2).message.content')" = "re: question $((10#${s#s}))" ]
	done
	# results that are appended again are acknowledged, but not stored again
	head -n 20 results | ctx-append --batch --request requests >again
	[ "$(wc -l <again)" = 20 ]
	[ "$(sqlite3 "$CTX_STORE" 'SELECT count(*) FROM message')" = 2000 ]
}

@test 'Anthropic: batch requests and results, including errors and expired requests, are recorded' {
	sessions 4
	batch anthropic '{"model":"claude-opus-5","max_tokens":9}'
	[ "$(head -n 1 batch | jq -c '[keys, .params.max_tokens]')" = '[["custom_id","params"],9]' ]
	jq -sc 'def r(i; x): {custom_id: .[i].custom_id, result: x};
		r(3; {type: "expired"}), r(1; {type: "errored", error: {type: "error", error: {type: "invalid_request_error", message: "too long"}}}),
		r(0; {type: "succeeded", message: {role: "assistant", content: [{type: "text", text: "yes"}], stop_reason: "end_turn"}}),
		r(2; {type: "canceled"})' batch >results
	run -4 --separate-stderr ctx-append -q --batch --request requests results
	[[ $stderr == *'3 requests of the batch failed'* ]]
	[ "$(answers)" = yes ]
	failed() { ctx-show -s "$1" | jq -c 'select(.kind == "request") | [.status, .error]'; }
	[ "$(failed s0002)" = '["failed","errored: invalid_request_error: too long"]' ]
	[ "$(failed s0003)" = '["failed","canceled"]' ]
	[ "$(failed s0004)" = '["failed","expired"]' ]
}

@test 'Gemini and Responses: batch requests and results are recorded' {
	sessions 2
	batch gemini '{"generationConfig":{"temperature":1}}'
	[ "$(head -n 1 batch | jq -c '[keys, .request.contents[0].role]')" = '[["key","request"],"user"]' ]
	jq -sc '{key: .[1].key, response: {candidates: [{content: {parts: [{text: "two"}]}, finishReason: "STOP"}]}},
		{key: .[0].key, error: {code: 400, message: "bad", status: "INVALID_ARGUMENT"}}' batch >results
	run -4 ctx-append -q --batch --request requests results
	[ "$(answers)" = two ]
	store_remove
	sessions 2
	# a request that only fills a prompt cache has no answer
	echo '{"model":"claude-opus-5","max_tokens":0}' >params
	run -1 --separate-stderr ctx-render -p anthropic --params params --batch --request requests \
		< <(ctx-list -1 | ctx-window -b 10000)
	[[ $stderr == *'"max_tokens" of 0 cannot be used in a batch' ]]
	batch responses '{"model":"gpt-6.2-sol"}'
	[ "$(head -n 1 batch | jq -r .url)" = /v1/responses ]
	jq -sc '{custom_id: .[0].custom_id, response: {status_code: 200, body: {status: "completed", output: [{type: "message", role: "assistant", content: [{type: "output_text", text: "one"}]}]}}},
		{custom_id: .[1].custom_id, response: null, error: {code: "batch_expired", message: "too late"}}' batch >results
	run -4 --separate-stderr ctx-append -q --batch --request requests results
	[[ $stderr == *'batch_expired: too late'* ]]
	[ "$(answers | head -n 1)" = one ]
}

@test 'an invalid batch result is reported with its line, and earlier results stay stored' {
	sessions 2
	batch openai '{"model":"gpt-4o"}'
	answer='{choices: [{message: {role: "assistant", content: "yes"}, finish_reason: "stop"}]}'
	{
		head -n 1 batch | jq -c "{custom_id, response: {body: $answer}}"
		echo '{"custom_id":"other","response":{}}'
	} >results
	run -3 --separate-stderr ctx-append -q --batch --request requests results
	[[ $stderr == *'results:2: no request "other"'* ]]
	[ "$(answers)" = yes ]
}

@test 'ctx-render --batch and ctx-append --batch refuse wrong usage' {
	echo '{"role":"user","content":"x"}' >m
	run -2 ctx-render -p openai --batch m
	run -2 ctx-render -p text --batch --request r m
	run -3 ctx-render -p openai --batch --request r m
	run -2 ctx-append --batch
	run -2 ctx-append --batch --request r -s s
	sessions 1
	run -1 batch openai '{"model":"gpt-4o","stream":true}'
}
