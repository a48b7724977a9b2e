# The Interactions API of Gemini: request bodies, stored answers, and answers that are sent back.

load helper

setup() {
	isolate
	echo '{"model":"gemini-3.5-flash","store":false}' >params
	export CTX_PROVIDER=interactions CTX_PARAMS=$PWD/params
	ctx-append -q --create -s s -t 'Weather in Rome?'
}

# body [OPTION…]: renders the next request body of the session and its request record.
body() {
	ctx-window -s s | ctx-render --request req "$@" >body
	ctx-lint --strict body
}

# try: prints the records that ctx-append prints for an answer, and restores the store.
try() {
	local got=0
	store_keep kept
	ctx-append --request req || got=$?
	store_return kept
	return $got
}

steps() {
	jq -c '.input[]' body
}

THOUGHT='{"type":"thought","signature":"EvE/+=","summary":[{"type":"text","text":"hm \u0041"}]}'
SEARCH='{"type":"google_search_call","id":"g1","arguments":{"queries":["a"]},"signature":"S"}'
FOUND='{"type":"google_search_result","call_id":"g1","result":[{"search_suggestions":"x"}],"signature":"S2"}'
OUT='{"type":"model_output","content":[{"type":"text","text":"Wait.","annotations":[{"start_index":0}]}]}'
CALL='{"type":"function_call","id":"c1","name":"weather","arguments":{"n":12345678901234567890,"x":1.50}}'

@test 'every step of an answer is sent back unchanged and in the same order' {
	body
	[ "$(steps)" = '{"type":"user_input","content":[{"type":"text","text":"Weather in Rome?"}]}' ]
	echo "{\"id\":\"v1\",\"status\":\"requires_action\",\"steps\":[$THOUGHT,$SEARCH,$FOUND,$OUT,$THOUGHT,$CALL]}" |
		ctx-append -q --request req
	ctx-append -q -s s --result c1 -t '20 degrees'
	body
	{
		echo '{"type":"user_input","content":[{"type":"text","text":"Weather in Rome?"}]}'
		printf '%s\n' "$THOUGHT" "$SEARCH" "$FOUND" "$OUT" "$THOUGHT" "$CALL"
		echo '{"type":"function_result","call_id":"c1","name":"weather","result":"20 degrees"}'
	} | jq -c . >want
	steps | diff want -
	# numbers and escapes keep their spelling
	grep -qF '"arguments":{"n":12345678901234567890,"x":1.50}' body
	grep -qF 'hm \u0041' body
	body --thinking strip
	[ "$(steps | grep -c thought)" = 0 ]
}

@test 'a streamed answer is stored like the same answer in one body' {
	body
	echo "{\"id\":\"v1\",\"status\":\"requires_action\",\"usage\":{\"total_input_tokens\":5},\"steps\":[$THOUGHT,$OUT,$CALL]}" |
		try >whole
	{
		echo 'data: {"event_type":"interaction.created","interaction":{"id":"v1","status":"in_progress"}}'
		echo
		echo 'data: {"event_type":"step.start","index":0,"step":{"type":"thought","signature":""}}'
		echo
		echo 'data: {"event_type":"step.delta","index":0,"delta":{"type":"thought_signature","signature":"EvE/+="}}'
		echo
		echo 'data: {"event_type":"step.delta","index":0,"delta":{"type":"thought_summary","content":{"type":"text","text":"hm \u0041"}}}'
		echo
		echo 'data: {"event_type":"step.start","index":1,"step":{"type":"model_output","content":[{"type":"text","text":"Wa"}]}}'
		echo
		echo 'data: {"event_type":"step.delta","index":1,"delta":{"type":"text","text":"it."}}'
		echo
		echo 'data: {"event_type":"step.delta","index":1,"delta":{"type":"text_annotation_delta","annotations":[{"start_index":0}]}}'
		echo
		echo 'data: {"event_type":"step.start","index":2,"step":{"type":"function_call","id":"c1","name":"weather","arguments":{}}}'
		echo
		echo 'data: {"event_type":"step.delta","index":2,"delta":{"type":"arguments_delta","arguments":"{\"n\":12345678901234567890,"}}'
		echo
		echo 'data: {"event_type":"step.delta","index":2,"delta":{"type":"arguments_delta","arguments":"\"x\":1.50}"}}'
		echo
		echo 'data: {"event_type":"interaction.completed","interaction":{"id":"v1","status":"requires_action","usage":{"total_input_tokens":5}}}'
		echo
		echo 'data: [DONE]'
	} >stream
	ctx-append --request req --echo <stream 2>said
	grep -qx Wait. said
	ctx-show -s s | jq -c 'select(.kind == "message" and .seq == 2).message' >streamed
	jq -c .message whole | diff - streamed
	# a truncated stream is not stored as an answer
	head -n 6 stream | status 4 ctx-append --request req 2>err
	grep -q 'no interaction.completed' err
}

@test 'for a truncated stream, the error names the last event, and the complete stream can be appended later' {
	body
	n=0
	for event in '"interaction.created","interaction":{"id":"v1/x","status":"in_progress"}' \
		'"step.start","index":0,"step":{"type":"model_output","content":[{"type":"text","text":""}]}' \
		'"step.delta","index":0,"delta":{"type":"text","text":"Wait "}' \
		'"step.delta","index":0,"delta":{"type":"text","text":"for it."}' \
		'"step.stop","index":0' \
		'"interaction.completed","interaction":{"id":"v1/x","status":"completed"}'; do
		printf 'data: {"event_type":%s,"event_id":"e%d"}\n\n' "$event" $((n += 1))
	done >stream
	for cut in 2 6 7; do
		head -n $cut stream | status 4 ctx-append --request req 2>err
		grep -q "interaction v1/x, last event e$(((cut + 1) / 2))\$" err
	done
	ctx-show -s s | jq -e 'select(.kind == "request" and .status == "failed") |
	    (.error | endswith("interaction v1/x, last event e4")) and .partial.content == "Wait for it."'
	head -n 6 stream >first
	tail -n +7 stream >rest
	cat first rest | ctx-append --request req | jq -e '.message.content == [{type: "text", text: "Wait for it."}]'
	# control characters from the provider are not printed
	head -n 2 stream | sed 's/"e1"/"\\u001b[31m"/' | status 4 ctx-append --request req 2>err
	status 1 grep -q "$(printf '\033')" err
}

@test 'system text, images, files and failed results are sent where the API expects them' {
	export CTX_STORE=$PWD/two.db
	png=iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAADUlEQVR4nGNgQAUAAA4AAejTYgQAAAAASUVORK5CYII=
	{
		echo '{"role":"system","content":"Be brief."}'
		echo "{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"$png\"}},{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://x/y.png\"}},{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":\"application/pdf\",\"data\":\"JVBERi0=\"}},{\"type\":\"input_audio\",\"input_audio\":{\"format\":\"wav\",\"data\":\"UklG\"}},{\"type\":\"text\",\"text\":\"see\"}]}"
		echo '{"role":"assistant","content":null,"tool_calls":[{"id":"a.1","type":"function","function":{"name":"my.tool","arguments":"{\"a\": 1}"}},{"id":"a.2","type":"function","function":{"name":"f","arguments":""}}]}'
		echo "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a.1\",\"is_error\":true,\"content\":\"no\"},{\"type\":\"tool_result\",\"tool_use_id\":\"a.2\",\"content\":[{\"type\":\"text\",\"text\":\"shot\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"$png\"}}]}]}"
	} | ctx-append -q --create -s s
	echo '{"model":"g","system_instruction":"Always."}' >params
	body
	[ "$(jq -r .system_instruction body)" = $'Always.\n\nBe brief.' ]
	[ "$(jq -c '.input[0].content | map([.type, .mime_type, .uri])' body)" = '[["image","image/png",null],["image",null,"https://x/y.png"],["document","application/pdf",null],["audio","audio/wav",null],["text",null,null]]' ]
	[ "$(jq -c '.input[1] | [.type, .id, .arguments]' body)" = '["function_call","a.1",{"a":1}]' ]
	[ "$(jq -r '.input[1].name' body)" = "$(jq -r '.input[3].name' body)" ]
	[ "$(jq -c '.input[3] | [.call_id, .result, .is_error]' body)" = '["a.1","no",true]' ]
	[ "$(jq -c '.input[4].result | map(.type)' body)" = '["text","image"]' ]
}

@test 'data that only one API supports is not sent to another' {
	body
	echo "{\"id\":\"v1\",\"status\":\"completed\",\"steps\":[$THOUGHT,$SEARCH,$FOUND,$OUT]}" | ctx-append -q --request req
	ctx-append -q -s s -t 'And now?'
	for p in openai anthropic gemini responses; do
		ctx-window -s s | ctx-render -p $p --params <(echo '{"model":"m","max_tokens":5}') >other 2>err
		! grep -q 'EvE\|google_search' other || { cat other; return 1; }
		grep -q 'Wait\.' other
		grep -q 'does not support' err
	done
	# thoughts of other providers are not sent
	{
		echo '{"role":"user","content":"q"}'
		echo '{"role":"assistant","content":[{"type":"thinking","thinking":"secret","signature":"s"},{"type":"thought","text":"secret","thoughtSignature":"s"},{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"secret"},{"type":"text","text":"a"}]}'
		echo '{"role":"user","content":"r"}'
	} | ctx-render >body
	! grep -q secret body || return 1
}

@test 'completed, incomplete and continuable answers are stored, and failed, cancelled and unfinished ones are not' {
	body
	t() { echo "{\"id\":\"v\",\"status\":\"$1\",\"steps\":[$OUT$2]}" | try 2>err; }
	t completed | jq -e '.metadata.stop_reason == "completed"'
	t incomplete ",$CALL" | jq -e '.message.content[1].type == "cut_call"'
	grep -q incomplete err
	t requires_continuation | jq -e .message
	for s in failed cancelled in_progress queued; do
		status 4 t $s
	done
	echo '{"id":"v","status":"failed","errors":[{"message":"out of quota"}]}' | status 4 ctx-append --request req 2>err
	grep -q 'out of quota' err
	# the answer is continued with its continuation token
	cp body first
	echo "{\"id\":\"v\",\"status\":\"requires_continuation\",\"continuation_token\":\"t\",\"steps\":[$OUT]}" |
		ctx-append -q --request req
	ctx-window -s s | ctx-render >body 2>err
	jq -c '. + {continuation_token: "t"}' first | same body
	ctx-lint body
}

@test 'lint reports invalid steps, and --repair corrects pairs' {
	lint() { echo "{\"model\":\"m\",$1}" | ctx-lint 2>&1 | jq -r .rule | sort -u | paste -sd' '; }
	u='{"type":"user_input","content":[{"type":"text","text":"q"}]}'
	r='{"type":"function_result","call_id":"c1","result":"r"}'
	[ "$(lint "\"input\":[$u,$CALL,$r]")" = '' ]
	[ "$(lint "\"input\":[$u,$CALL]")" = 'in-last-step in-unanswered-call' ]
	[ "$(lint "\"input\":[$u,$r]")" = in-orphan-result ]
	[ "$(lint "\"previous_interaction_id\":\"v\",\"input\":[$r]")" = '' ]
	[ "$(lint "\"input\":[$u,$CALL,$r,$CALL,$r]")" = in-call-id-unique ]
	[ "$(lint "\"input\":[$u,{\"type\":\"function_call\",\"name\":\"f\",\"id\":\"c1\",\"arguments\":\"{}\"},{\"type\":\"function_result\",\"call_id\":\"c1\"}]")" = in-step ]
	[ "$(lint '"input":[{"type":"user_input","content":[]}]')" = in-content ]
	[ "$(lint "\"input\":[$u,{\"type\":\"thought\",\"summary\":[]},$u]")" = in-thought ]
	[ "$(lint "\"input\":[$u,$OUT]")" = in-last-step ]
	[ "$(lint "\"temperature\":1,\"input\":[$u]")" = in-member ]
	[ "$(lint "\"generationConfig\":{},\"input\":[$u]")" = in-member ]
	[ "$(lint "\"response_mime_type\":\"x\",\"input\":[$u]")" = in-deprecated ]
	[ "$(lint '"system_instruction":"s","input":"q"')" = '' ]
	[ "$(lint "\"system\":\"s\",\"input\":[$u]")" = all-foreign-member ]
	[ "$(lint "\"tools\":[{\"name\":\"f\",\"input_schema\":{}}],\"input\":[$u]")" = all-tool-shape ]
	status 3 ctx-lint -p responses <<<"{\"input\":[$u]}" 2>err
	grep -q 'in the format of interactions' err
	echo "{\"model\":\"m\",\"input\":[$u,$r,$CALL,$OUT]}" | ctx-lint --repair >mended
	[ "$(jq -c '.input | map(.type)' mended)" = '["user_input","function_call","function_result","model_output","user_input"]' ]
	run -0 ctx-lint mended
	run -0 ctx-lint --repair mended
	same mended <<<"$output"
}

@test 'usage is counted in statistics, with caches' {
	body
	echo "{\"id\":\"v\",\"status\":\"completed\",\"model\":\"gemini-3.5-flash\",\"usage\":{\"total_input_tokens\":100,\"total_cached_tokens\":60,\"total_output_tokens\":7,\"total_thought_tokens\":3},\"steps\":[$OUT]}" |
		ctx-append -q --request req
	ctx-stats -s s --cost | jq -e 'select(.kind == "stats" or .kind == "cost") | tostring | test("60")'
}

@test 'Interactions API: --batch is refused, and --headers writes the API revision' {
	body --headers h
	grep -qi '^api-revision: ' h
	ctx-window -s s | status 2 ctx-render --batch --request r 2>err
	grep -q 'does not support batches (use -p gemini)' err
}

@test 'the manual pages list every provider' {
	for page in "$ROOT"/man/*; do
		grep -q 'openai , anthropic' "$page" || continue
		[ "${page##*/}" != ctx-models.1 ] || continue # of models, not of APIs
		for p in $(sed -n 's/.*ROW([A-Z_]*, \([a-z_]*\)).*/\1/p' "$ROOT/lib/provider/list.h"); do
			grep -A4 'openai , anthropic' "$page" | grep -qw "$p" || { echo "$page: $p"; return 1; }
		done
	done
}

@test '--repair turns single contents into lists and argument strings into objects, and adds missing ids' {
	fixed() { echo "{\"model\":\"m\",\"input\":[$1]}" | ctx-lint --repair -p interactions 2>/dev/null >mended; ctx-lint -p interactions mended && jq -c .input mended; }
	u='{"type":"user_input","content":[{"type":"text","text":"q"}]}'
	out='{"type":"model_output","content":[{"type":"text","text":"a"}]}'
	[ "$(fixed '{"type":"user_input","content":"q"}')" = "[$u]" ]
	[ "$(fixed '{"type":"user_input","content":{"type":"text","text":"q"}}')" = "[$u]" ]
	[ "$(fixed "$u,{\"type\":\"model_output\",\"content\":\"a\"},$u")" = "[$u,$out,$u]" ]
	[ "$(fixed "$u,$out,{\"type\":\"user_input\",\"content\":[]},$u")" = "[$u,$out,$u]" ]
	[ "$(fixed "$u,{\"type\":\"function_call\",\"name\":\"f\",\"arguments\":\"{\\\"a\\\": 1}\"},{\"type\":\"function_result\",\"call_id\":\"x\",\"result\":\"r\"}")" = \
		"[$u,{\"type\":\"function_call\",\"name\":\"f\",\"arguments\":{\"a\":1},\"id\":\"call_1\"},{\"type\":\"function_result\",\"call_id\":\"call_1\",\"name\":\"f\",\"result\":\"no result recorded\"}]" ]
	[ "$(fixed "$u,{\"type\":\"function_call\",\"id\":\"c\",\"name\":\"f\",\"arguments\":\"x\"},{\"type\":\"function_result\",\"call_id\":\"c\",\"name\":\"f\"}" | jq -c '.[1].arguments, .[2].result')" = '{"input":"x"}
"no result recorded"' ]
}

@test '--repair keeps the results of calls that share an id' {
	call() { printf '{"type":"function_call","id":"%s","name":"f","arguments":{}}' "$1"; }
	result() { printf '{"type":"function_result","call_id":"%s","name":"f","result":"%s"}' "$1" "$2"; }
	echo "{\"model\":\"m\",\"input\":[{\"type\":\"user_input\",\"content\":[{\"type\":\"text\",\"text\":\"q\"}]},$(call a),$(result a 1),$(call a),$(call b),$(result a 2),$(result b 3)]}" >body
	ctx-lint --repair body >mended 2>/dev/null
	ctx-lint mended
	[ "$(jq -c '[.input[] | .id // .call_id, .result | values]' mended)" = '["a","a","1","a_2","b","a_2","2","b","3"]' ]
}
