#!/usr/bin/env bats
# Facts about the APIs that other test files do not cover, and the table of all facts.

load helper

@test 'every row in provider_facts.txt names an existing test or a reason for having none' {
	while IFS='|' read -r place fact where; do
		where=${where# }
		[[ $where == '-: '?* ]] && continue
		file=${where%%: *} title=${where#*: }
		grep -qF -- "$title" "$ROOT/tests/$file" || { echo "$place|$fact: no test '$title' in $file"; bad=1; }
	done < <(grep -v '^#\|^$' "$ROOT/tests/provider_facts.txt")
	[ -z "${bad:-}" ]
	[ "$(grep -c '^[A-D][0-9]* |' "$ROOT/tests/provider_facts.txt")" = "$(grep -cv '^#\|^$' "$ROOT/tests/provider_facts.txt")" ]
}

answered() { # PROVIDER, the answer on standard input: the next body, and what it tells
	ctx-append -q --create -s s -t question
	ctx-append -q -p "$1" -s s
	ctx-append -q -s s -t more
}

next() { # PROVIDER
	ctx-window -s s -p "$1" | ctx-render -p "$1" 2>err
}

@test 'Anthropic: a thinking block with an empty signature is reported and not sent' {
	printf '%s\n' '{"role":"user","content":"q"}' '{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":""},{"type":"text","text":"a"}]}' '{"role":"user","content":"q"}' >in
	ctx-render -p anthropic in 2>/dev/null | jq -e '[.. | .type? // empty | select(. == "thinking")] == []'
	jq -sc '{model: "claude-opus-5-5", max_tokens: 9, messages: .}' in | ctx-lint -p anthropic | jq -e '.rule == "an-thinking"'
}

@test 'diagnostics of prompt caches are stored with the answer' {
	echo '{"id":"m","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","diagnostics":{"cache_miss_reason":{"type":"tools_changed","cache_missed_input_tokens":5}},"usage":{}}' | answered anthropic
	ctx-show -s s | jq -se 'map(select(.seq == 2))[0].metadata.answer.diagnostics.cache_miss_reason.type == "tools_changed"'
	echo '{"id":"r","object":"response","status":"completed","output":[{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"a"}]}],"prompt_cache_diagnostics":{"type":"cache_miss","reason":"tools_changed"}}' |
		{ ctx-append -q --create -s t -t question; ctx-append -q -p responses -s t; }
	ctx-show -s t | jq -se 'map(select(.seq == 2))[0].metadata.answer.prompt_cache_diagnostics.reason == "tools_changed"'
}

@test 'the calls and results of a tool search that the provider ran are sent back only to that provider' {
	echo '{"id":"m","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"tool_search_tool_regex","input":{"query":"w"}},{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"weather"}]}},{"type":"tool_use","id":"t1","name":"weather","input":{}}],"stop_reason":"tool_use","usage":{}}' >a
	ctx-append -q --create -s s -t question
	ctx-append -q -p anthropic -s s <a
	[ "$(ctx-calls -s s | jq -r .id)" = t1 ]
	echo sunny | ctx-append -q -s s --result t1
	next anthropic | jq -e --slurpfile a a '.messages[1].content == $a[0].content'
	next openai | jq -e '.messages[1].tool_calls | length == 1'
	grep -q 'tool_search_tool_result' err
	echo '{"id":"r","object":"response","status":"completed","output":[{"type":"tool_search_call","id":"ts_1","call_id":null,"execution":"server","status":"completed","arguments":{"paths":["x"]}},{"type":"tool_search_output","id":"tso_1","call_id":null,"execution":"server","status":"completed","tools":[{"type":"function","name":"f"}]},{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"}]}' >a
	ctx-append -q --create -s t -t question
	ctx-append -q -p responses -s t <a
	echo ok | ctx-append -q -s t --result c1
	ctx-window -s t -p responses | ctx-render -p responses | jq -e --slurpfile a a '.input[1:4] == $a[0].output'
	ctx-window -s t -p anthropic | ctx-render -p anthropic 2>/dev/null | jq -e '[.messages[1].content[].type] == ["tool_use"]'
}

@test 'Anthropic: a tool with defer_loading keeps this member and gets no cache mark' {
	echo '{"model":"claude-opus-5-5","max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object"}},{"name":"g","input_schema":{"type":"object"},"defer_loading":true}]}' >m.json
	echo '{"role":"user","content":"q"}' | ctx-render -p anthropic --params m.json --cache 5m >b
	jq -e '.tools[1].defer_loading and (.tools[1] | has("cache_control") | not) and .tools[0].cache_control.type == "ephemeral"' b
}

@test 'the text of an answer is found even if a block that lists tools stands before it' {
	ctx-append -q --create -s s -t question
	echo '{"id":"m","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"mcp_tool_listing","server_name":"x","tools":[]},{"type":"text","text":"the answer"}],"stop_reason":"end_turn","usage":{}}' >a
	[ "$(ctx-append --print text -p anthropic -s s <a)" = 'the answer' ]
	ctx-append -q -s s -t more
	next openai | jq -e '.messages[1].content == "the answer"'
}

@test 'OpenAI cache breakpoints are sent, and options that a model lacks are reported' {
	cat >input <<-'END'
		{"role":"user","content":[{"type":"input_text","text":"q","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"input_image","image_url":"https://x.example/y.png","prompt_cache_breakpoint":{"mode":"explicit"}}]}
	END
	ctx-render -p responses <input | jq -e '[.input[0].content[].prompt_cache_breakpoint.mode] == ["explicit", "explicit"]'
	echo '{"role":"user","content":[{"type":"text","text":"q","prompt_cache_breakpoint":{"mode":"explicit"}}]}' |
		ctx-render -p openai | jq -e '.messages[0].content[0].prompt_cache_breakpoint.mode == "explicit"'
	body() { printf '{"model":"%s",%s,"input":[{"role":"user","content":"q"}]}\n' "$1" "$2" | ctx-lint -p responses | jq -r .rule; }
	[ "$(body gpt-5.4 '"prompt_cache_options":{"mode":"explicit"}')" = re-model-cache ]
	[ "$(body gpt-6.2-sol '"prompt_cache_options":{"mode":"explicit"}')" = '' ]
	[ "$(body gpt-6.2-sol '"prompt_cache_options":{"ttl":"12h"},"prompt_cache_retention":"24h"')" = re-model-deprecated ]
}

@test 'Gemini: lint reports members that must not be sent together with cachedContent' {
	echo '{"cachedContent":"cachedContents/1","systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"q"}]}]}' |
		ctx-lint -p gemini | jq -e '.rule == "ge-cached-content"'
}

@test 'Gemini: an interrupted answer is continued with its continuation token, and later bodies contain the whole answer' {
	hop() { echo "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"$1\"}]},\"finishReason\":\"$2\"$3}],\"responseId\":\"$1\"}"; }
	body() { ctx-window -s s -b 100000 | ctx-render -p gemini --request req >body 2>err; }
	ctx-append -q --create -s s -t question
	body
	cp body first
	hop half CONTINUATION ',"continuationToken":"tok"' | ctx-append -q --request req
	body
	jq -c '. + {continuationToken: "tok"}' first | same body
	[ "$(cat err)" = 'ctx-render: message 2 is not sent, because the provider'\''s continuation token takes its place' ]
	jq -e '.omitted == [{seq: 2, type: "answer", reason: "continued"}]' req
	ctx-lint -p gemini body
	hop more CONTINUATION ',"continuationToken":"tok2"' | ctx-append -q --request req
	body
	jq -c '. + {continuationToken: "tok2"}' first | same body
	id=$(jq -r .request_id req)
	hop end STOP '' | ctx-append -q --request req
	ctx-show -s s --request "$id" | ctx-render -p gemini 2>err | same body
	ctx-append -q -s s -t next
	body
	[ ! -s err ]
	jq -e '[.contents[] | [.role, .parts[].text]] == [["user", "question"], ["model", "half", "more", "end"], ["user", "next"]]
		and (has("continuationToken") | not)' body
	# without the token, the answer cannot be continued; for other providers it is an ordinary answer
	hop half CONTINUATION '' | ctx-append -q --request req
	status 1 body
	grep -q 'cannot be continued without a continuationToken' err
	ctx-window -s s | status 1 ctx-render -p anthropic --params <(echo '{"model":"m","max_tokens":1}') 2>err
	grep -q "last message is an assistant message" err
}
