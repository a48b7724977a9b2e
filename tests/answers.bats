# Each part of an answer is sent back to its provider: answer, append, show, next request body.

load helper

setup() {
	isolate
}

# ask PROVIDER PARAMS: creates session s with a question and renders its first request.
ask() {
	provider=$1
	echo "$2" >params
	ctx-append -q --create -s s -t hello
	ctx-window -s s -b 100000 | ctx-render -p "$1" --params params --request req.json >first
}

# next [CALL…]: appends results for the calls, or another question, and renders the next body.
next() {
	local id
	[ $# -gt 0 ] || ctx-append -q -s s -t next
	for id; do ctx-append -q -s s --result "$id" -t ok; done
	ctx-window -s s -b 100000 | ctx-render -p "$provider" --params params --request req2.json >body 2>err
}

# stream TYPED: prints the JSON events on standard input as server-sent events.
stream() { jq -rc 'if .type then "event: \(.type)" else empty end, "data: \(.)", ""'; }

# Prints the metadata of the answer.
meta() { ctx-show -s s | jq -c 'select(.kind == "message" and .message.role == "assistant").metadata'; }

claude_blocks() {
	cat <<-'J'
		{"type":"mcp_tool_listing","server_name":"m","tools":[]}
		{"type":"thinking","thinking":"","signature":"sig"}
		{"type":"redacted_thinking","data":"xx"}
		{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"a"}}
		{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"u","title":"t","encrypted_content":"E","page_age":null}]}
		{"type":"text","text":"As found","citations":[{"type":"web_search_result_location","cited_text":"c","url":"u","title":"t","encrypted_index":"I"}]}
		{"type":"container_upload","file_id":"f"}
		{"type":"connector_text","text":"and"}
		{"type":"block_of_the_future","x":1.0}
		{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1.0},"caller":{"type":"code_execution_20260521","tool_id":"srvtoolu_1"},"toolset_name":"ts"}
	J
}

claude_back() {
	next toolu_1
	[ ! -s err ]
	jq -c '.messages[1].content[]' body | diff <(claude_blocks | jq -c .) -
	grep -qF '"input":{"a":1.0}' body
	[ "$(jq -r '.messages[2].content[0].toolset_name' body)" = ts ]
	[ "$(meta | jq -c '.answer.container.id, .answer.input_transformations[0].type, .usage.iterations')" = \
		$'"c1"\n"thinking_dropped"\n[]' ]
}

@test 'Anthropic: every block of an answer is sent back, also blocks of unknown types' {
	ask anthropic '{"model":"claude-opus-5-5","max_tokens":100}'
	claude_blocks | jq -sc '{id: "msg_1", type: "message", role: "assistant", model: "claude-opus-5-5", content: .,
		stop_reason: "tool_use", stop_sequence: null, container: {id: "c1", expires_at: "x"},
		input_transformations: [{type: "thinking_dropped", path: "messages.1.content.0", reason: "r"}],
		usage: {input_tokens: 1, output_tokens: 2, iterations: []}}' | sed 's/"a":1\b/"a":1.0/; s/"x":1\b/"x":1.0/' |
		ctx-append -q --request req.json
	claude_back
}

@test 'Anthropic: every block of a streamed answer is sent back' {
	ask anthropic '{"model":"claude-opus-5-5","max_tokens":100}'
	{
		echo '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[],"container":null,"usage":{"input_tokens":1,"iterations":null}}}'
		claude_blocks | jq -c '{i: (input_line_number - 1), b: .} | .i as $i |
			(.b | if .type == "thinking" then .signature = "" elif .type == "tool_use" then .input = {} elif .type == "text" then .text = "" | .citations = [] else . end) as $start |
			{type: "content_block_start", index: $i, content_block: $start},
			(if .b.type == "thinking" then {type: "content_block_delta", index: $i, delta: {type: "signature_delta", signature: .b.signature}}
			 elif .b.type == "tool_use" then {type: "content_block_delta", index: $i, delta: {type: "input_json_delta", partial_json: "{\"a\":1"}}, {type: "content_block_delta", index: $i, delta: {type: "input_json_delta", partial_json: ".0}"}}
			 elif .b.type == "text" then {type: "content_block_delta", index: $i, delta: {type: "text_delta", text: "As "}}, {type: "content_block_delta", index: $i, delta: {type: "text_delta", text: "found"}}, {type: "content_block_delta", index: $i, delta: {type: "citations_delta", citation: .b.citations[0]}}
			 else empty end),
			{type: "content_block_stop", index: $i}'
		echo '{"type":"message_delta","delta":{"stop_reason":"tool_use","container":{"id":"c1"}},"input_transformations":[{"type":"thinking_dropped"}],"usage":{"output_tokens":2,"iterations":[]}}'
		echo '{"type":"message_stop"}'
	} | stream | ctx-append -q --request req.json
	claude_back
}

@test 'Anthropic: if another model took over within an answer, thinking and calls before the fallback block are not sent back' {
	ask anthropic '{"model":"claude-opus-5-5","max_tokens":100}'
	echo '{"role":"assistant","model":"other","stop_reason":"end_turn","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"before"},{"type":"tool_use","id":"t0","name":"f","input":{}},{"type":"fallback","from":{"model":"a"},"to":{"model":"b"}},{"type":"text","text":"after"}]}' |
		ctx-append -q --request req.json
	next
	[ "$(jq -c '[.messages[1].content[].type]' body)" = '["text","fallback","text"]' ]
	ctx-show -s s | grep -q '"id":"t0"' # stored it is
	ctx-lint -p anthropic body
}

@test 'Responses: reasoning whose summary was lost is sent back with an empty summary' {
	ask responses '{"model":"gpt-5.4"}'
	echo '{"status":"completed","output":[{"type":"reasoning","id":"rs_1","encrypted_content":"E"},{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{}"}]}' |
		ctx-append -q --request req.json
	next call_1
	jq -e '.input[1] == {"type":"reasoning","id":"rs_1","encrypted_content":"E","summary":[]}' body
	ctx-lint -p responses body
}

items() {
	cat <<-'J'
		{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"E"}
		{"type":"program","id":"pg_1","fingerprint":"F","code":"x"}
		{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}}
		{"type":"message","id":"msg_1","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Look","annotations":[{"type":"url_citation","start_index":0,"end_index":1,"url":"u","title":"t"}]}]}
		{"type":"reasoning","id":"rs_2","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"E2"}
		{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{ \"a\": 1.0 }","namespace":"n","caller":{"type":"program","caller_id":"pg_1"},"status":"completed"}
		{"type":"custom_tool_call","id":"ctc_1","call_id":"call_2","name":"g","input":"free\ntext"}
		{"type":"item_of_the_future","id":"fu_1","x":1.0}
		{"type":"program_output","id":"po_1","program_id":"pg_1"}
		{"type":"compaction","id":"cmp_1","encrypted_content":"X"}
	J
}

items_back() {
	next call_1 call_2
	[ ! -s err ]
	jq -c '.input[1:-2][]' body | diff <(items | jq -c .) -
	grep -qF '"x":1.0' body
	[ "$(jq -c '.input[-2].caller' body)" = '{"type":"program","caller_id":"pg_1"}' ]
	[ "$(meta | jq -c '.answer.input_transformations[0].reason, .usage.input_tokens_details')" = $'"prefix_mismatch"\n{"cached_tokens":1}' ]
}

response() {
	items | jq -sc '{id: "resp_1", object: "response", status: "completed", model: "gpt-6.2-sol",
		output: (. | .[0].status = "completed" | .[7].created_by = "me"), incomplete_details: null,
		input_transformations: [{type: "reasoning", id: "rs_0", action: "removed", reason: "prefix_mismatch"}],
		usage: {input_tokens: 1, output_tokens: 2, input_tokens_details: {cached_tokens: 1}}}' |
		sed 's/"x":1\b/"x":1.0/'
}

@test 'Responses: every item of an answer is sent back, also items of unknown types' {
	ask responses '{"model":"gpt-6.2-sol","store":false}'
	response | ctx-append -q --request req.json
	items_back
}

@test 'Responses: every item of a streamed answer is sent back' {
	ask responses '{"model":"gpt-6.2-sol","store":false}'
	{
		items | sed 's/\("x":1\)\.0/\1.0/' | while IFS= read -r item; do
			printf '{"type":"response.output_item.done","output_index":%d,"item":%s}\n' $((i++)) "$item"
		done
		response | sed 's/.*/{"type":"response.completed","response":&}/'
	} | while IFS= read -r e; do printf 'data: %s\n\n' "$e"; done | ctx-append -q --request req.json
	items_back
}

@test 'Responses: an incomplete message is sent back as incomplete, and a queued response is not an answer' {
	ask responses '{"model":"gpt-6.2-sol"}'
	run -4 --separate-stderr ctx-append -q --request req.json <<<'{"id":"r","status":"queued","output":[]}'
	[[ $stderr == *'incomplete: queued'* ]]
	echo '{"id":"r","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","id":"msg_1","role":"assistant","status":"incomplete","content":[{"type":"output_text","text":"ha","annotations":[]}]}]}' |
		ctx-append -q --request req.json 2>err
	next
	[ "$(jq -r '.input[1].status' body)" = incomplete ]
}

chat_message='{"role":"assistant","content":"Well","refusal":null,"reasoning_content":"rc","reasoning_details":[{"type":"reasoning.text","text":"ab","signature":"s","id":"i","format":"f","index":0},{"type":"reasoning.encrypted","data":"d","index":1}],"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{ \"a\": 1.0 }"},"extra_content":{"google":{"thought_signature":"S"}}},{"id":"call_2","type":"custom","custom":{"name":"g","input":"x"}}]}'

@test 'Chat Completions: the members of an answer are sent back, with arguments in their original spelling' {
	ask openai '{"model":"gpt-4o"}'
	echo "{\"id\":\"c\",\"model\":\"gpt-4o\",\"service_tier\":\"default\",\"choices\":[{\"index\":0,\"message\":$chat_message,\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}" |
		ctx-append -q --request req.json
	next call_1 call_2
	jq -c '.messages[1]' body | diff <(jq -c . <<<"$chat_message") -
	[ "$(meta | jq -r .answer.service_tier)" = default ]
}

@test 'Chat Completions: the members of a streamed answer are sent back, with its pieces of reasoning joined' {
	ask openai '{"model":"gpt-4o"}'
	stream <<-'J' | ctx-append -q --request req.json
		{"choices":[{"index":0,"delta":{"role":"assistant","content":"We","refusal":null,"reasoning_content":"r"}}]}
		{"choices":[{"index":0,"delta":{"content":"ll","reasoning_content":"c","reasoning_details":[{"type":"reasoning.text","text":"a","signature":null,"id":"i","format":"f","index":0}]}}]}
		{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","text":"b","signature":"s","index":0},{"type":"reasoning.encrypted","data":"d","index":1}]}}]}
		{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{ \"a\""},"extra_content":{"google":{"thought_signature":"S"}}}]}}]}
		{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":": 1.0 }"}},{"index":1,"id":"call_2","type":"custom","custom":{"name":"g","input":"x"}}]}}]}
		{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
	J
	next call_1 call_2
	jq -Sc '.messages[1]' body | diff <(jq -Sc . <<<"$chat_message") -
}

@test 'Chat Completions: an audio answer is sent back by its id until it expires, then as text' {
	ask openai '{"model":"gpt-4o"}'
	echo '{"choices":[{"index":0,"message":{"role":"assistant","content":null,"audio":{"id":"au","data":"AA","expires_at":2000000000,"transcript":"Hi there"}},"finish_reason":"stop"}]}' |
		ctx-append -q --request req.json
	CTX_NOW=2026-11-01T00:00:00Z next
	[ "$(jq -c '.messages[1]' body)" = '{"role":"assistant","content":null,"audio":{"id":"au"}}' ]
	ctx-window -s s | CTX_NOW=2040-01-01T00:00:00Z ctx-render -p openai >later
	[ "$(jq -c '.messages[1]' later)" = '{"role":"assistant","content":"Hi there"}' ]
}

parts() {
	cat <<-'J'
		{"functionCall":{"id":"g1","name":"f","args":{"a":1.0}},"thoughtSignature":"S1"}
		{"functionCall":{"id":"g2","name":"f","args":{"a":2}}}
		{"executableCode":{"language":"PYTHON","code":"1"}}
		{"codeExecutionResult":{"outcome":"OK","output":"1"}}
		{"text":"","thoughtSignature":"S2"}
		{"partOfTheFuture":{"id":"t"},"thoughtSignature":"S3"}
	J
}

parts_back() {
	next g1 g2
	[ ! -s err ]
	jq -c '.contents[1].parts[]' body | diff <(parts | jq -c .) -
	[ "$(jq -c '[.contents[2].parts[].functionResponse.id]' body)" = '["g1","g2"]' ]
	[ "$(meta | jq -c .answer.groundingMetadata)" = '{"webSearchQueries":["q"]}' ]
}

@test 'Gemini: every part of an answer is sent back, with ids and signatures' {
	ask gemini '{}'
	parts | jq -sc '{responseId: "r", candidates: [{content: {role: "model", parts: .}, finishReason: "STOP", groundingMetadata: {webSearchQueries: ["q"]}}], usageMetadata: {promptTokenCount: 1}}' |
		ctx-append -q --request req.json
	parts_back
}

@test 'Gemini: every part of a streamed answer is sent back' {
	ask gemini '{}'
	{
		parts | jq -c '{candidates: [{content: {role: "model", parts: [.]}}]}'
		echo '{"candidates":[{"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["q"]}}]}'
	} | stream | ctx-append -q --request req.json
	parts_back
}

# ended PROVIDER PARAMS ANSWER: stores the answer and renders the next body.
ended() {
	ask "$1" "$2"
	ctx-append -q --request req.json <<<"$3" 2>err
	next
}

@test 'refusals and answers that exceeded the context window are stored but not sent again' {
	for reason in refusal model_context_window_exceeded; do
		store_remove
		ended anthropic '{"model":"claude-opus-5","max_tokens":9}' \
			"{\"role\":\"assistant\",\"stop_reason\":\"$reason\",\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}"
		[ "$(jq -c '[.messages[].role]' body)" = '["user"]' ]
		grep -q "message 2 is not sent: the answer ended with $reason" err
		[ "$(jq -c .omitted req2.json)" = "[{\"seq\":2,\"type\":\"answer\",\"reason\":\"$reason\"}]" ]
		ctx-show -s s | grep -q '"text":"no"'
		ctx-window -s s | ctx-render -p anthropic --refused --params params >all
		[ "$(jq -c '[.messages[].role]' all)" = '["user","assistant","user"]' ]
	done
}

@test 'a request that left out a refused answer can be rendered again byte for byte' {
	ended anthropic '{"model":"claude-opus-5","max_tokens":9}' \
		'{"role":"assistant","stop_reason":"refusal","content":[{"type":"text","text":"no"}]}'
	ctx-append -q --request req2.json <<<'{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"yes"}]}'
	ctx-show -s s --request "$(jq -r .request_id req2.json)" | ctx-render >again
	diff body again
}

@test 'after an answer with pause_turn, the next request body ends with that answer' {
	ask anthropic '{"model":"claude-opus-5","max_tokens":9}'
	block='{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}'
	ctx-append -q --request req.json <<<"{\"role\":\"assistant\",\"stop_reason\":\"pause_turn\",\"content\":[$block]}"
	ctx-window -s s -b 100000 | ctx-render -p anthropic --params params --cache off >body
	[ "$(jq -c '.messages[-1]' body)" = "{\"role\":\"assistant\",\"content\":[$block]}" ]
}

@test 'an answer without content is not stored as an empty message' {
	ask anthropic '{"model":"claude-opus-5","max_tokens":9}'
	run -4 ctx-append -q --request req.json <<<'{"role":"assistant","stop_reason":"end_turn","content":[]}'
	next
	[ "$(jq -c '[.messages[].role]' body)" = '["user"]' ]
	[ "$(ctx-show -s s | grep -c '"kind":"message"')" = 2 ]
}

# ---- events that name their item only by id or only by index ----

# deltas OUTPUT_INDEX ITEM_ID: prints a streamed answer with two calls. The argument events of the
# second call have this index and this id; "" omits the member.
deltas() {
	jq -nc --arg i "$1" --arg id "$2" '
		{type: "response.output_item.added", output_index: 0, item: {type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: ""}},
		{type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: "{\"a\":1}"},
		{type: "response.output_item.added", output_index: 1, item: {type: "function_call", id: "fc_2", call_id: "c2", name: "g", arguments: ""}},
		({type: "response.function_call_arguments.delta", delta: "{\"b\":2}"}
			+ (if $i == "" then {} else {output_index: ($i | tonumber)} end)
			+ (if $id == "" then {} else {item_id: $id} end)),
		{type: "response.completed", response: {status: "completed", output: []}}' | stream
}

# inputs SID: prints the arguments of the calls in each answer.
inputs() { ctx-show -s "${1-s}" | jq -c 'select(.message.role == "assistant").message.content | map(.input)'; }

@test 'Responses: streamed arguments are matched to their call by item id, or by index if there is no id' {
	local how n=0 s
	for how in '5 fc_2' '0 fc_2' '1 other' '1 ' ' fc_2' ' '; do
		s=s$((n += 1))
		ctx-append -q --create -s $s -t hello
		deltas "${how%% *}" "${how#* }" | ctx-append -q -s $s -p responses
		[ "$(inputs $s)" = '[{"a":1},{"b":2}]' ]
		deltas "${how%% *}" "${how#* }" | sed 's/arguments\.delta/arguments.done/; s/"delta":/"arguments":/' |
			ctx-append -q -s $s -p responses
		[ "$(inputs $s | tail -1)" = '[{"a":1},{"b":2}]' ]
	done
}

@test 'Responses: arguments of a call that never started are rejected' {
	ctx-append -q --create -s s -t hello
	for how in '5 ' '5 other'; do
		deltas "${how%% *}" "${how#* }" >events
		run -4 ctx-append -q -s s -p responses <events
		[[ $output == *'arguments of a tool call'* ]]
	done
	# the complete output at the end supplies the missing item
	deltas 5 '' | jq -Rr 'if startswith("data: ") then .[6:] | fromjson | if .response then .response.output =
		[{type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}"}] else . end | "data: \(.)" else . end' >events
	ctx-append -q -s s -p responses <events
	[ "$(inputs)" = '[{}]' ]
}

@test 'Responses: a complete item replaces its fragments, even under another index' {
	ctx-append -q --create -s s -t hello
	stream <<-'J' | ctx-append -q -s s -p responses
	{"type":"response.output_text.delta","output_index":0,"item_id":"m1","delta":"one"}
	{"type":"response.output_text.done","output_index":4,"item_id":"m1","text":"one"}
	{"type":"response.output_item.done","output_index":5,"item":{"type":"message","id":"m1","content":[{"type":"output_text","text":"one"}]}}
	{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":""}}
	{"type":"response.output_item.done","output_index":6,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"}}
	{"type":"response.completed","response":{"status":"completed","output":[]}}
	J
	ctx-show -s s | jq -ec 'select(.message.role == "assistant").message.content | map(.type) == ["text", "tool_use"]'
}

# ---- empty answers, and answers that cannot be sent back ----

# refused PROVIDER: the answer on standard input is an error, and nothing is stored, with and without
# a question in the same command.
refused() {
	local count
	cat >answer
	count=$(ctx-show -s s | wc -l)
	run -4 ctx-append -q -s s -p "$1" <answer
	run -4 ctx-append -q -s s -p "$1" --question lonely <answer
	[ "$(ctx-show -s s | wc -l)" = "$count" ]
}

@test 'an answer of empty text is not stored, and neither is its question' {
	local blank
	ctx-append -q --create -s s -t hello
	for blank in '' ' \n'; do
		refused openai <<<'{"choices":[{"message":{"role":"assistant","content":"'"$blank"'"},"finish_reason":"stop"}]}'
		[[ $output == *'empty: finish_reason stop'* ]]
		refused openai <<<'{"choices":[{"message":{"content":[{"type":"text","text":"'"$blank"'"}],"refusal":null,"annotations":[],"extra":{"a":null}}}]}'
		refused openai <<<'{"message":{"role":"assistant","content":"'"$blank"'"},"done":true}'
		refused openai <<<'data: {"choices":[{"delta":{"role":"assistant","content":"'"$blank"'"},"finish_reason":"stop"}]}'
		refused anthropic <<<'{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"'"$blank"'"}]}'
		[[ $output == *'empty: stop_reason end_turn'* ]]
		refused anthropic < <(stream <<-J
			{"type":"message_start","message":{"role":"assistant","content":[]}}
			{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"$blank"}}
			{"type":"content_block_stop","index":0}
			{"type":"message_delta","delta":{"stop_reason":"end_turn"}}
			{"type":"message_stop"}
		J
		)
		refused gemini <<<'{"candidates":[{"content":{"parts":[{"text":"'"$blank"'"}]},"finishReason":"STOP"}]}'
		[[ $output == *'empty: finishReason STOP'* ]]
		refused gemini <<<'data: {"candidates":[{"content":{"parts":[{"text":"'"$blank"'","thoughtSignature":"S"}]},"finishReason":"STOP"}]}'
		refused responses <<<'{"status":"completed","output":[{"type":"message","id":"m","content":[{"type":"output_text","text":"'"$blank"'"}]}]}'
		[[ $output == *'empty: completed'* ]]
		refused responses < <(stream <<-J
			{"type":"response.output_text.delta","output_index":0,"delta":"$blank"}
			{"type":"response.completed","response":{"status":"completed","output":[]}}
		J
		)
	done
}

@test 'an answer with only reasoning, audio or calls is not empty' {
	local answer
	ctx-append -q --create -s s -t hello
	while read -r provider answer; do
		ctx-append -q -s s -p "$provider" <<<"$answer"
	done <<-'A'
		openai {"choices":[{"message":{"content":"","reasoning_content":"hm"}}]}
		openai {"choices":[{"message":{"content":"","audio":{"id":"a","transcript":"hi"}}}]}
		openai {"choices":[{"message":{"content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}
		anthropic {"content":[{"type":"thinking","thinking":"","signature":"S"},{"type":"text","text":""}]}
		gemini {"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}}]}
		responses {"status":"completed","output":[{"type":"reasoning","id":"r","summary":[]}]}
	A
	[ "$(ctx-show -s s | jq -c 'select(.message.role == "assistant")' | wc -l)" = 6 ]
}

# ---- two calls with the same id ----

# twice PROVIDER: two calls with the same id are stored with unique ids, and both calls and their
# results are sent.
twice() {
	local id
	cat >answer
	rm -f once.db
	export CTX_STORE=$PWD/once.db
	ctx-append -q --create -s s -t hello
	ctx-append -q -s s -p "$1" <answer
	ctx-calls -s s | jq -r .id >ids
	[ "$(sort -u ids | wc -l)" = 2 ]
	[ "$(head -1 ids)" = x ]
	for id in $(cat ids); do ctx-append -q -s s --result "$id" -t "result of $id"; done
	ctx-window -s s | ctx-render -p "$1" >body
	for id in $(cat ids); do grep -qF "result of $id" body; done
	ctx-lint -p "$1" body
}

@test 'calls that share an id get unique ids' {
	twice openai <<<'{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"\u0078","type":"function","function":{"name":"g","arguments":"{}"}}]}}]}'
	twice openai <<<'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"x","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}'
	twice anthropic <<<'{"role":"assistant","stop_reason":"tool_use","content":[{"type":"tool_use","id":"x","name":"f","input":{}},{"type":"tool_use","id":"x","name":"f","input":{"a":1}}]}'
	twice anthropic < <(stream <<-'J'
		{"type":"message_start","message":{"role":"assistant","content":[]}}
		{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x","name":"f","input":{}}}
		{"type":"content_block_stop","index":0}
		{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"x","name":"g","input":{}}}
		{"type":"content_block_stop","index":1}
		{"type":"message_delta","delta":{"stop_reason":"tool_use"}}
		{"type":"message_stop"}
	J
	)
	twice gemini <<<'{"candidates":[{"content":{"parts":[{"functionCall":{"id":"x","name":"f","args":{}},"thoughtSignature":"S"},{"functionCall":{"id":"x","name":"f","args":{"a":1}}}]},"finishReason":"STOP"}]}'
	[ "$(jq -c '[.contents[].parts[] | .functionCall // .functionResponse | .id // empty]' body)" = '["x","x"]' ]
	twice gemini <<<'data: {"candidates":[{"content":{"parts":[{"functionCall":{"id":"x","name":"f","args":{}},"thoughtSignature":"S"},{"functionCall":{"id":"x","name":"g","args":{}}}]},"finishReason":"STOP"}]}'
	twice responses <<<'{"status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"x","name":"f","arguments":"{}"},{"type":"function_call","id":"fc_2","call_id":"x","name":"f","arguments":"{}"}]}'
	twice responses < <(stream <<-'J'
		{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"x","name":"f","arguments":"{}"}}
		{"type":"response.output_item.done","output_index":1,"item":{"type":"custom_tool_call","id":"fc_2","call_id":"x","name":"g","input":"t"}}
		{"type":"response.completed","response":{"status":"completed","output":[]}}
	J
	)
}

@test 'OpenAI: a streamed fragment that repeats a call'\''s id and name under a new index continues that call' {
	ctx-append -q --create -s s -t hello
	ctx-append -q -s s -p openai <<-'EOF'
	data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}}]}

	data: {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\""}}]}}]}

	data: {"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":":1"}}]}}]}

	data: {"choices":[{"delta":{"tool_calls":[{"index":2,"id":"a","function":{"arguments":"}"}}]},"finish_reason":"tool_calls"}]}

	EOF
	ctx-show -s s | jq -ec 'select(.message.role == "assistant").message.tool_calls |
		. == [{id: "a", type: "function", function: {name: "f", arguments: "{\"a\":1}"}}]'
}

# ---- function_call of OpenAI, and tool_calls of a wrong type ----

# old: an answer with function_call is stored as a tool call with an id, and its result is sent.
old() {
	local id
	cat >answer
	export CTX_STORE=$PWD/$((n += 1)).db
	ctx-append -q --create -s s -t hello
	ctx-append -q -s s -p openai <answer
	ctx-show -s s | jq -ec 'select(.message.role == "assistant") | .message |
		(has("function_call") | not) and .content == "x" and (.tool_calls | length == 1) and
		(.tool_calls[0] | .type == "function" and .function == {name: "f", arguments: "{\"a\":1}"})'
	id=$(ctx-calls -s s | jq -r .id)
	ctx-append -q -s s --result "$id" -t 'the result'
	ctx-window -s s | ctx-render -p openai >body
	[ "$(jq -c '[.messages[].role]' body)" = '["user","assistant","tool"]' ]
	[ "$(jq -r '.messages[2].tool_call_id' body)" = "$id" ]
}

@test 'OpenAI: a function_call is stored as a tool call' {
	local n=0
	old <<<'{"choices":[{"message":{"role":"assistant","content":"x","function_call":{"name":"f","arguments":"{\"a\":1}"}},"finish_reason":"function_call"}]}'
	old <<<'{"choices":[{"message":{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":1}"},"tool_calls":[],"content":"x"},"finish_reason":"function_call"}]}'
	# some servers repeat a call in both members
	old <<<'{"choices":[{"message":{"role":"assistant","content":"x","function_call":{"name":"f","arguments":"{\"a\":1}"},"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"stop"}]}'
	old <<<'{"choices":[{"message":{"role":"assistant","content":"x","function_call":{"name":null,"arguments":""},"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"stop"}]}'
	old <<-'EOF'
	data: {"choices":[{"delta":{"role":"assistant","content":"x"}}]}

	data: {"choices":[{"delta":{"function_call":{"name":"f","arguments":""}}}]}

	data: {"choices":[{"delta":{"function_call":{"arguments":"{\"a\":1}"}},"finish_reason":"function_call"}]}

	EOF
}

@test 'OpenAI: a function_call that was cut off by a limit is stored as a truncated call' {
	ctx-append -q --create -s s -t hello
	ctx-append -q -s s -p openai 2>err <<<'{"choices":[{"message":{"content":"x","function_call":{"name":"f","arguments":"{\"a"}},"finish_reason":"length"}]}'
	grep -q 'truncated' err
	[ -z "$(ctx-calls -s s)" ]
}

@test 'OpenAI: calls and content of a wrong type are rejected' {
	ctx-append -q --create -s s -t hello
	for member in '"tool_calls":"none"' '"tool_calls":{}' '"tool_calls":["f"]' '"function_call":"f"' '"function_call":{"arguments":"{}"}'; do
		refused openai <<<'{"choices":[{"message":{"role":"assistant","content":"x",'"$member"'},"finish_reason":"stop"}]}'
		refused openai <<<'data: {"choices":[{"delta":{"content":"x",'"$member"'},"finish_reason":"stop"}]}'
	done
	refused openai <<<'{"choices":[{"message":{"role":"assistant","content":{"a":1}},"finish_reason":"stop"}]}'
	refused openai <<<'data: {"choices":[{"delta":{"content":5},"finish_reason":"stop"}]}'
}

@test 'Responses: arguments that are not a string are kept' {
	local args want
	ctx-append -q --create -s s -t hello
	while read -r args want; do
		ctx-append -s s -p responses <<<'{"status":"completed","output":[{"type":"function_call","call_id":"c'"$RANDOM"'","name":"f","arguments":'"$args"'}]}' |
			jq -c '.message.content[0].input' | same - "$want"
	done <<-'E'
		{"a":{"b":[1]}} {"a":{"b":[1]}}
		"{\"a\":1}" {"a":1}
		[1] {"input":[1]}
		null {}
		"" {}
	E
	printf 'data: %s\n\n' '{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"d1","name":"f","arguments":{"a":2}}}' \
		'{"type":"response.completed","response":{"status":"completed","output":[]}}' |
		ctx-append -s s -p responses | jq -c '.message.content[0].input' | same - '{"a":2}'
}

@test 'only the first of several choices is stored, with one warning' {
	local answer='{"choices":[{"index":1,"message":{"role":"assistant","content":"no"},"finish_reason":"stop"},{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}'
	local stream='{"choices":[{"index":0,"delta":{"content":"ye"}}]}
		{"choices":[{"index":2,"delta":{"content":"no"},"finish_reason":"stop"}]}
		{"choices":[{"index":0,"delta":{"content":"s"},"finish_reason":"stop"}]}'
	local gemini='{"candidates":[{"content":{"parts":[{"text":"yes"}]},"finishReason":"STOP"},{"content":{"parts":[{"text":"no"}]},"finishReason":"STOP","index":1}]}'
	ask openai '{"model":"gpt-4.1","n":3}'
	for kind in openai stream gemini gemini-stream; do
		case $kind in
		openai) echo "$answer" ;;
		stream) stream <<<"$stream" ;;
		gemini) echo "$gemini" ;;
		gemini-stream) stream <<<"$gemini" ;;
		esac | ctx-append -s s -p "$(sed 's/-.*//; s/stream/openai/' <<<$kind)" >"$kind.out" 2>"$kind.err"
		jq -c .message.content "$kind.out"
		jq -e '.message.content | . == "yes" or .[0].text == "yes"' "$kind.out"
		grep -cx 'ctx-append: the answer has [23] choices: only the first is stored' "$kind.err" | grep -x 1
	done
	jq -c 'del(.choices[0])' <<<"$answer" | ctx-append -s s -p openai 2>err
	[ ! -s err ]
}

@test 'a second answer after the end of a stream is not mixed into the first' {
	local p
	ask openai '{"model":"m"}'
	chat() { echo "{\"id\":\"$1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"$1\"}}]} {\"id\":\"$1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}" | stream; }
	gemini() { echo "{\"responseId\":\"$1\",\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"$1\"}]},\"finishReason\":\"STOP\"}]}" | stream; }
	claude() { echo "{\"type\":\"message_start\",\"message\":{\"id\":\"$1\",\"role\":\"assistant\",\"content\":[]}} {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"$1\"}} {\"type\":\"content_block_stop\",\"index\":0} {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}} {\"type\":\"message_stop\"}" | stream; }
	gpt() { echo "{\"type\":\"response.created\",\"response\":{\"id\":\"$1\"}} {\"type\":\"response.completed\",\"response\":{\"id\":\"$1\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"$1\"}]}]}}" | stream; }
	steps() { echo "{\"event_type\":\"interaction.created\",\"interaction\":{\"id\":\"$1\"}} {\"event_type\":\"interaction.completed\",\"interaction\":{\"id\":\"$1\",\"status\":\"completed\",\"steps\":[{\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}]}}" | stream; }
	marked() { "$1" one; echo 'data: [DONE]'; echo; "$1" one; }
	for p in 'openai chat' 'gemini gemini' 'anthropic claude' 'responses gpt' 'interactions steps'; do
		{ ${p#* } one; ${p#* } two; } | ctx-append -s s -p ${p% *} 2>err >out
		jq -e '[.message.content | strings, (arrays | .[].text)] == ["one"]' out
		[ "$(cat err)" = 'ctx-append: the stream contains another answer: only the first is stored' ]
	done
	marked chat | ctx-append -s s -p openai 2>err | jq -e '.message.content == "one"'
	grep -q 'another answer' err
	chat one | ctx-append -s s -p openai 2>err >out
	[ ! -s err ]
}

@test 'for every stop reason of an answer, ctx-lint accepts the next request body' {
	local p reason params
	ended() { # PROVIDER REASON
		case $1 in
		openai) echo "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"t\"},\"finish_reason\":\"$2\"}]}" ;;
		anthropic) echo "{\"role\":\"assistant\",\"stop_reason\":\"$2\",\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}" ;;
		gemini) echo "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"t\"}]},\"finishReason\":\"$2\",\"continuationToken\":\"k\"}]}" ;;
		interactions) echo "{\"id\":\"v\",\"status\":\"$2\",\"continuation_token\":\"k\",\"steps\":[{\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}]}" ;;
		esac
	}
	while read -r p reason; do
		ctx-append -q --create -s "$p-$reason" -t q
		ended "$p" "$reason" | ctx-append -q -s "$p-$reason" -p "$p" 2>/dev/null
		params='{"model":"claude-opus-5","max_tokens":9}'
		[ "$p" != gemini ] || params='{}'
		ctx-window -s "$p-$reason" | ctx-render -p "$p" --params <(echo "$params") 2>/dev/null >body || continue
		ctx-lint -p "$p" body || { echo "$p $reason"; return 1; }
	done <<-'END'
	openai stop
	openai content_filter
	anthropic pause_turn
	anthropic refusal
	anthropic compaction
	gemini STOP
	gemini SAFETY
	gemini CONTINUATION
	interactions completed
	interactions requires_continuation
	END
	[ -s body ]
}
