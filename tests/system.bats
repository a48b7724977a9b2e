# System and developer messages within a conversation.

load helper

setup() {
	isolate
	# shellcheck disable=SC2089 # quotes of JSON
	u='{"role":"user","content":"u"}'
	a='{"role":"assistant","content":"a"}'
	s='{"role":"system","content":"be brief"}'
	echo '{"model":"claude-opus-5-5","max_tokens":9}' >takes
	echo '{"model":"claude-sonnet-5","max_tokens":9}' >refuses
}

# roles PARAMS MESSAGE…: prints the roles in the Anthropic body, and the errors of ctx-lint.
roles() {
	local params=$1
	shift
	printf '%s\n' "$@" | ctx-render -p anthropic --params "$params" >body
	jq -r '[.messages[].role[:1]] | add' body
	ctx-lint -p anthropic body
}

@test 'Anthropic: a system message keeps its place if the model accepts it' {
	[ "$(roles takes "$u" "$s" "$a" "$u")" = usau ]
	[ "$(jq -r '.messages[1].content' body)" = 'be brief' ]
	[ "$(roles takes "$u" "$a" "$u" "$s")" = uaus ]
	# consecutive system messages count as one
	[ "$(roles takes "$u" "$s" "$s" "$a" "$u")" = ussau ]
	# a developer message is sent as a system message
	[ "$(roles takes "$u" '{"role":"developer","content":"d"}')" = us ]
	# results stand before the system message, next to their calls
	call='{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}'
	result='{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}'
	echo '{"model":"claude-opus-5-5","max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object"}}]}' >tools
	[ "$(roles tools "$u" "$call" "$result" "$s")" = uaus ]
}

@test 'Anthropic: if the model accepts no system messages within a conversation, they become text of the next user message' {
	for where in "refuses $u $s $a $u" "refuses $u $a $s $u" "takes $u $a $s $u"; do
		# shellcheck disable=SC2086,SC2090 # the messages hold no spaces but one
		set -- ${where//be brief/brief}
		[[ "$(roles "$@")" != *s* ]]
		[ "$(jq 'has("system")' body)" = false ]
		[ "$(grep -o brief body | wc -l)" = 1 ]
	done
	[ "$(jq -c '[.messages[-1].content[].text]' body)" = '["brief","u"]' ]
}

@test 'Anthropic: system messages at the start are the system text' {
	[ "$(roles takes "$s" "$u")" = u ]
	[ "$(jq -c .system body)" = '[{"type":"text","text":"be brief"}]' ]
}

@test 'Anthropic: clear_at, effort and tool changes in system messages are sent unchanged, with the headers that they need' {
	printf '%s\n' "$u" '{"role":"system","content":"soon gone","clear_at":"next_user_message"}' "$a" \
		'{"role":"system","content":[],"output_config":{"effort":"low"}}' "$u" \
		'{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"f"}}]}' |
		ctx-render -p anthropic --params takes --cache 5m --headers headers >body
	[ "$(jq -c '.messages[1]' body)" = '{"role":"system","content":"soon gone","clear_at":"next_user_message"}' ]
	[ "$(jq -c '.messages[3]' body)" = '{"role":"system","content":[],"output_config":{"effort":"low"}}' ]
	[ "$(jq -c '.messages[5].content[0].type' body)" = '"tool_removal"' ]
	for beta in system-clear-at output-config tool-changes; do grep -q "mid-conversation-$beta" headers; done
	ctx-lint -p anthropic body
	# for a model that refuses system messages, the text is sent in a user message
	printf '%s\n' "$u" '{"role":"system","content":"soon gone","clear_at":"next_user_message"}' "$a" \
		'{"role":"system","content":[],"output_config":{"effort":"low"}}' "$u" |
		ctx-render -p anthropic --params refuses >body
	[ "$(jq -c '[.messages[].role]' body)" = '["user","assistant","user"]' ]
	! grep -qE 'clear_at|output_config' body
}

@test 'lint checks places and members of system messages' {
	lint() { jq -nc --argjson m "[$1]" '{model: "claude-opus-5-5", max_tokens: 9, messages: $m}' | ctx-lint -p anthropic | jq -r .rule; }
	[ "$(lint "$s,$u")" = an-system-place ]
	[ "$(lint "$u,$a,$s,$u")" = an-system-place ]
	[ "$(lint "$u,$s,$u")" = an-system-place ]
	# a change of tools is checked, and a system message directly after a paused answer is an error
	paused='{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}]}'
	[ "$(lint "$u,$paused,"'{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"f"}}]}')" = an-system-place ]
	[ -z "$(lint "$u,$s,$a,$u")" ]
	[ "$(lint '{"role":"user","content":"u","clear_at":"never"}')" = an-clear-at ]
	[ "$(lint "$u,"'{"role":"system","content":"u","clear_at":"never","output_config":{"effort":"low"}}')" = an-clear-at ]
	jq -nc --argjson m "[$u,$s,$a,$u]" '{model: "claude-sonnet-5", max_tokens: 9, messages: $m}' >body
	[ "$(ctx-lint -p anthropic body | jq -r .rule)" = an-no-tool-role ]
}

@test 'a stored request is rendered again with its system messages in the same places' {
	export CTX_STORE=$PWD/store.db
	printf '%s\n' "$u" "$a" "$u" "$s" | ctx-append -q --create -s t
	ctx-window -s t -b 10000 | ctx-render -p anthropic --params takes --request req.json >body
	echo '{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"yes"}]}' |
		ctx-append -q --request req.json
	ctx-show -s t --request "$(jq -r .request_id req.json)" | ctx-render >again
	diff body again
	[ "$(jq -r '.messages[-1].role' again)" = system ]
	# the next request continues the run
	ctx-append -q -s t -t next
	ctx-window -s t -b 10000 | ctx-render -p anthropic --params takes --cache off >next
	[ "$(jq -c '[.messages[].role[:1]] | add' next)" = '"uausau"' ]
}

@test 'Responses: parts of a developer message that are not text are sent as separate items in the same order' {
	printf '%s\n' "$u" "$a" \
		'{"role":"developer","content":[{"type":"text","text":"now"},{"type":"configuration_update","reasoning":{"effort":"low"}}]}' \
		'{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"f","parameters":{}}]}' "$u" |
		ctx-render -p responses >body
	[ "$(jq -c '[.input[] | .type // .role]' body)" = '["user","assistant","developer","configuration_update","additional_tools","user"]' ]
	[ "$(jq -c '.input[3]' body)" = '{"type":"configuration_update","reasoning":{"effort":"low"}}' ]
	[ "$(jq -r '.input[4].tools[0].name' body)" = f ]
}

@test 'Responses: the output of an asynchronous call may arrive some turns later and keeps its position' {
	export CTX_STORE=$PWD/store.db
	call() { printf '{"type":"function_call","id":"fc_%s","call_id":"call_%s","name":"f","arguments":"{}"%s}' "$1" "$1" "$2"; }
	echo '{"model":"gpt-6.2-sol","store":false,"tools":[{"type":"function","name":"f","async":true}]}' >params
	ctx-append -q --create -s t -t one
	ctx-window -s t -b 10000 | ctx-render -p responses --params params --request req.json >first
	echo "{\"status\":\"completed\",\"output\":[$(call 1 ',"async":true'),$(call 2 '')]}" | ctx-append -q --request req.json
	ctx-append -q -s t --result call_2 -t now
	ctx-window -s t -b 10000 | ctx-render -p responses --params params --request req.json >second
	order() { jq -c '[.input[] | .call_id // (.content | if type == "string" then . else .[0].text end)]' "$1"; }
	[ "$(order second)" = '["one","call_1","call_2","call_2"]' ]
	ctx-lint -p responses second
	echo '{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"wait"}]}]}' |
		ctx-append -q --request req.json
	ctx-append -q -s t -t two
	ctx-window -s t -b 10000 | ctx-render -p responses --params params --request req.json >third
	[ "$(order third)" = '["one","call_1","call_2","call_2","wait","two"]' ]
	ctx-append -q --request req.json <<<'{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"still"}]}]}'
	ctx-append -q -s t --result call_1 -t late
	ctx-window -s t -b 10000 | ctx-render -p responses --params params >fourth
	[ "$(order fourth)" = '["one","call_1","call_2","call_2","wait","two","still","call_1"]' ]
	ctx-lint -p responses third fourth
	# for other providers, an asynchronous call without a result is omitted, and one with a result is sent as usual
	ctx-append -q -s t -t three
	ctx-window -s t -b 10000 | ctx-render -p openai >chat
	[ "$(jq -c '[.messages[] | select(.role == "tool").tool_call_id]' chat)" = '["call_1","call_2"]' ]
	ctx-show -s t | jq -c 'select(.kind == "message" and .seq < 6)' | ctx-render -p openai >chat2
	[ "$(jq -c '[.messages[] | select(.role == "tool").tool_call_id]' chat2)" = '["call_2"]' ]
	ctx-lint -p openai chat
}
