# ctx-render --server: servers that are compatible with OpenAI's API, and their stricter rules.

load helper

setup() {
	isolate
	u='{"role":"user","content":"u"}'
	call='{"role":"assistant","content":null,"refusal":null,"reasoning_content":"why","tool_calls":[{"id":"call_abc.123","type":"function","function":{"name":"f","arguments":"{ \"a\": 1 }"},"extra_content":{"x":1}}]}'
	result='{"role":"tool","tool_call_id":"call_abc.123","content":"r"}'
	echo '{"model":"m"}' >params
}

# body SERVER MESSAGE…: renders a request body for the server.
body() {
	local server=$1
	shift
	printf '%s\n' "$@" | ctx-render --server "$server" --params params >body
}

@test 'mistral: ids have nine characters, and no unknown member is sent' {
	body mistral "$u" "$call" "$result"
	jq -e '.messages[1].tool_calls[0].id as $id | ($id | test("^[a-zA-Z0-9]{9}$")) and .messages[2].tool_call_id == $id' body
	[ "$(jq -c '.messages[1] | keys' body)" = '["content","role","tool_calls"]' ]
	[ "$(jq -c '.messages[1].content' body)" = '""' ]
	! grep -q extra_content body || return 1
	# the same long id is always shortened to the same id, and a valid id does not change
	cp body first
	body mistral "$u" "$call" "$result"
	diff first body
	body mistral "$u" "${call//call_abc.123/abcDEF123}" "${result//call_abc.123/abcDEF123}"
	[ "$(jq -r '.messages[2].tool_call_id' body)" = abcDEF123 ]
	# the server is derived from the model name, unless a router is used
	echo '{"model":"mistral-large-latest"}' >params
	printf '%s\n' "$u" "$call" "$result" | ctx-render -p openai --params params >body
	[ "$(jq -r '.messages[2].tool_call_id | length' body)" = 9 ]
	echo '{"model":"openrouter/mistralai/mistral-large-latest"}' >params
	printf '%s\n' "$u" "$call" "$result" | ctx-render -p openai --params params >body
	[ "$(jq -r '.messages[2].tool_call_id' body)" = call_abc.123 ]
}

@test 'some servers get a single system message at the start, and later system messages as user messages' {
	d='{"role":"developer","content":"d"}'
	for server in mistral deepseek vllm; do
		body $server "$d" "$u" '{"role":"assistant","content":"a"}' '{"role":"system","content":"later"}' "$u"
		[ "$(jq -c '[.messages[].role]' body)" = '["system","user","assistant","user","user"]' ]
	done
	body litellm "$d" "$u"
	[ "$(jq -r '.messages[0].role' body)" = developer ]
}

@test 'deepseek: every answer has its reasoning if one has it or thinking is enabled' {
	body deepseek "$u" '{"role":"assistant","content":"a"}' "$u" "$call" "$result"
	[ "$(jq -c '[.messages[] | select(.role == "assistant").reasoning_content]' body)" = '["","why"]' ]
	body deepseek "$u" '{"role":"assistant","content":"a"}' "$u"
	[ "$(jq -c '.messages[1] | has("reasoning_content")' body)" = false ]
	echo '{"model":"deepseek-v4","thinking":{"type":"enabled"}}' >params
	body deepseek "$u" '{"role":"assistant","content":"a"}' "$u"
	[ "$(jq -c '.messages[1].reasoning_content' body)" = '""' ]
}

@test 'openrouter: reasoning_details are sent back completely' {
	details='[{"type":"reasoning.text","text":"a","signature":"s"},{"type":"reasoning.encrypted","data":"d"}]'
	body openrouter "$u" "{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_details\":$details}" "$u"
	[ "$(jq -c '.messages[1].reasoning_details' body)" = "$details" ]
}

@test 'ollama: arguments are objects, results name the tool, images are plain base64' {
	body ollama '{"role":"system","content":"s"}' \
		'{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}' \
		"$call" "$result"
	[ "$(jq -c '.messages[0]' body)" = '{"role":"system","content":"s"}' ]
	[ "$(jq -c '.messages[1]' body)" = '{"role":"user","content":"see","images":["iVBORw0KGgo="]}' ]
	[ "$(jq -c '.messages[2].tool_calls' body)" = '[{"function":{"name":"f","arguments":{"a":1}}}]' ]
	[ "$(jq -c '.messages[3]' body)" = '{"role":"tool","tool_name":"f","content":"r"}' ]
}

@test 'ollama: whole and streamed answers are stored and sent back' {
	export CTX_STORE=$PWD/store.db
	ctx-append -q --create -s s -t hello
	ctx-window -s s | ctx-render --server ollama --params params --request req.json >first
	[ "$(jq -r .server req.json)" = ollama ]
	printf '%s\n' '{"model":"m","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}' \
		'{"model":"m","message":{"role":"assistant","content":"we","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":false}' \
		'{"model":"m","message":{"role":"assistant","content":"ll"},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":3}' |
		ctx-append -q --request req.json
	[ "$(ctx-show -s s | jq -c 'select(.seq == 2) | [.message.content, .metadata.usage]')" = '["well",{"prompt_tokens":7,"completion_tokens":3}]' ]
	ctx-append -q -s s --result "$(ctx-calls -s s | jq -r .id)" -t r
	ctx-window -s s | ctx-render --server ollama --params params --request req.json >body
	[ "$(jq -c '[.messages[1].content, .messages[1].thinking, .messages[1].tool_calls[0].function.arguments, .messages[2].tool_name]' body)" = '["well","hm",{"a":1},"f"]' ]
	echo '{"model":"m","message":{"role":"assistant","content":"done"},"done":true,"done_reason":"stop"}' | ctx-append -q --request req.json
	ctx-show -s s --request "$(jq -r .request_id req.json)" | ctx-render >again
	diff body again
}

@test 'unknown servers and servers of another API are refused' {
	run -2 --separate-stderr body nobody "$u"
	[[ $stderr == *"unknown server 'nobody' (mistral, deepseek, xai, "* ]]
	body xai "$u"
	jq -e '.input' body
	echo "$u" >m
	run -2 --separate-stderr ctx-render -p anthropic --server mistral m
	[[ $stderr == *'uses the API of openai'* ]]
	CTX_SERVER=mistral ctx-render -p gemini m # a default of another API says nothing
}

@test 'the manual page describes every server of the table' {
	names=$(ctx-render --help | sed -n 's/.*compatible server to which the body will be sent: \(.*\) \[.*/\1/p' | tr -d ,)
	[[ $names == *mistral* ]]
	for name in $names; do
		sed -n '/Fl -server Ar/,/^\.It Fl/p' "$ROOT/man/ctx-render.1" | grep -qw "$name" || { echo "$name"; return 1; }
	done
}

@test 'mistral: chunks of thinking are joined and sent only to the model that made them' {
	ctx-append -q --create -s m -t q
	echo '{"model":"magistral-medium","choices":[{"message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},{"type":"text","text":"x"},{"type":"thinking","thinking":[{"type":"text","text":"b"}]},{"type":"text","text":"y"}]},"finish_reason":"stop"}]}' |
		ctx-append -q -s m -p openai
	ctx-append -q -s m -t more
	back() { ctx-window -s m | ctx-render -p openai --params <(echo "{\"model\":\"$1\"}") "${@:2}" 2>err | jq -c '.messages[1].content'; }
	[ "$(back magistral-medium)" = '[{"type":"thinking","thinking":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"type":"text","text":"x"},{"type":"text","text":"y"}]' ]
	[ "$(back magistral-medium)" = "$(back mistral-large-4 --server mistral)" ]
	[ "$(back gpt-4.1)" = '[{"type":"text","text":"x"},{"type":"text","text":"y"}]' ]
}
