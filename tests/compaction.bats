#!/usr/bin/env bats
# Compactions by the provider: the requests, and the summaries in the answers.

load helper

answer() { # CONTENT [STOP]: an answer of Anthropic's
	printf '{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5","content":%s,"stop_reason":"%s","usage":{"input_tokens":10,"output_tokens":5}}\n' \
		"$1" "${2:-end_turn}"
}

block='{"type":"compaction","content":"The user greets.","signature":"c2ln"}'

fill() { # SID: an answered question and one that is open
	ctx-append -q --create -s "$1" -t hello
	ctx-append -q -s "$1" --role assistant -t 'hi there'
	ctx-append -q -s "$1" -t 'second question'
}

body() { # SID PROVIDER: a body; its record goes to r.json
	ctx-window -s "$1" -p "$2" -b 4000 | ctx-render -p "$2" --cache off --request r.json 2>/dev/null
}

@test 'a compaction request has the same messages as the last request body, up to the last answer' {
	fill s
	echo '{"model":"claude-opus-5-5","max_tokens":500,"stop_sequences":["x"],"tool_choice":{"type":"any"},
		"output_config":{"effort":"low","format":{"type":"json_schema"}}}' >m.json
	body s anthropic >b
	ctx-window -s s -p anthropic -b 4000 | CTX_PARAMS=m.json ctx-render -p anthropic 2>/dev/null |
		ctx-summarize --provider anthropic --headers h --instructions 'Keep names.' >c
	jq -e '.compaction == {type: "summarize", instructions: "Keep names."} and .max_tokens == 500 and
		.output_config == {effort: "low"} and (has("stop_sequences") or has("tool_choice") | not) and
		[.messages[].role] == ["user", "assistant"]' c
	grep -q '^anthropic-beta: compact-2026-09-04$' h
	body s responses | ctx-summarize --provider responses >c
	jq -e 'keys == ["input"] and (.input | length) == 2' c
}

@test 'a body that cannot be compacted is refused with the reason' {
	ctx-append -q --create -s s -t hello
	body s anthropic >b
	run -1 ctx-summarize --provider anthropic b
	[[ $output == *'no answer yet'* ]]
	printf '%s\n' '{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}' \
		'{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"r"}]}' |
		ctx-append -q -s s
	body s anthropic >b
	run -1 ctx-summarize --provider anthropic b
	[[ $output == *'the tool loop is not finished'* ]]
	run -2 ctx-summarize --provider openai b
	run -2 ctx-summarize --provider nobody b
	run -3 ctx-summarize --provider responses b
	run -2 ctx-summarize --provider responses --instructions x b
	fill u
	body u anthropic >c
	long=$(printf 'ä%.0s' {1..16384})
	ctx-summarize --provider anthropic --instructions "$long" c >d
	run -2 ctx-summarize --provider anthropic --instructions "$long." c
	[[ $output == *'longer than 16384 characters'* ]]
	run -2 ctx-summarize --provider anthropic -s s b
	run -2 ctx-summarize --provider anthropic --max-tokens 5 b
	run -2 ctx-summarize --headers h b
}

@test 'the answer to a compaction request replaces the messages before it as a summary, until --undo' {
	fill s
	body s anthropic >before
	answer "[$block]" compaction >a
	ctx-summarize --provider anthropic --request r.json -n a >dry
	ctx-window -s s -p anthropic -b 4000 | jq -e 'select(.kind == "request") | .messages[0].first_seq == 1'
	ctx-summarize --provider anthropic --request r.json a >records
	[ "$(jq -r .kind records | paste -sd ' ')" = 'summary event' ]
	body s anthropic >after
	jq -e --argjson b "$block" '.messages == [{role: "assistant", content: [$b]}, {role: "user", content: "second question"}]' after
	ctx-lint -p anthropic after | jq -e 'select(.severity == "error")' && return 1
	jq -e '.run.compaction == 1' r.json
	# the next request of the append-only run begins with the compaction block
	answer '[{"type":"text","text":"second answer"}]' | ctx-append -q --request r.json 2>/dev/null
	ctx-append -q -s s -t 'third question'
	body s anthropic >next
	jq -e --argjson b "$block" '[.messages[0].content[0], (.messages | length)] == [$b, 4]' next
	jq -e '.run.n == 2' r.json
	# other providers get the text of the summary
	body s openai | jq -e '.messages[0] == {role: "user", content: "Summary of the earlier conversation:\nThe user greets."}'
	ctx-window -s s -b 4000 | ctx-render -p prompt | grep -q '^The user greets\.$'
	ctx-summarize -s s --undo >/dev/null
	body s anthropic | jq -e '[.messages[].role] == ["user", "assistant", "user", "assistant", "user"]'
	jq -e '.run.cut == "compaction"' r.json
	ctx-check
}

@test 'a summary that only its provider can read is not sent to other providers' {
	fill s
	body s responses >before
	printf '%s\n' '{"id":"resp_1","object":"response.compaction","output":[{"id":"msg_1","type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":"hello"}]},{"type":"compaction","id":"cmp_1","encrypted_content":"abc"}],"usage":{"input_tokens":3,"output_tokens":4}}' |
		ctx-summarize --provider responses --request r.json >/dev/null
	body s responses | jq -e '[.input[].type] == ["message", "compaction", null] and .input[1].encrypted_content == "abc"'
	body s anthropic | jq -e '.messages[0].content == "hello"'
	ctx-window -s s -b 4000 >w
	run -1 ctx-render -p openai w
	[[ $output == *'only responses can read this summary'* ]]
	# the built-in summary is made from the messages, not from the compaction
	ctx-append -q -s s --role assistant -t 'An answer that is long enough to be worth a summary, with the name Rotterdam in it and more words than the summary has.'
	ctx-append -q -s s -t 'And now?'
	ctx-summarize -q -s s --keep-last 1 --piece 1000 | grep -q hello
}

@test 'after an answer that contains a compaction block, the next request omits the messages before the block' {
	fill s
	body s anthropic >before
	answer "[$block,{\"type\":\"text\",\"text\":\"second answer\"}]" | ctx-append -q --request r.json 2>/dev/null
	ctx-append -q -s s -t 'third question'
	body s anthropic >after
	jq -e --argjson b "$block" '[.messages[].content | if type == "array" then .[] else empty end | select(. == $b)] | length == 1' after
	jq -e '[.messages[] | tostring | contains("hello")] | any | not' after
	jq -e '.run.cut == "compaction"' r.json
	ctx-append -q --request r.json <<<"$(answer "[$block]" compaction)"
	ctx-show -s s | jq -se 'map(select(.kind == "message")) | length == 5'
	# an answer that is appended twice is stored once
	fill t
	body t anthropic >/dev/null
	answer "[$block,{\"type\":\"text\",\"text\":\"second answer\"}]" >a
	ctx-append -q --request r.json <a
	ctx-append -q --request r.json <a
	ctx-summarize -s t --undo >/dev/null
	run -1 ctx-summarize -s t --undo
}

@test 'if the answer to a compaction request has no compaction, ctx-summarize fails and stores nothing' {
	fill s
	body s anthropic >/dev/null
	answer '[]' max_tokens >a
	run -4 ctx-summarize --provider anthropic --request r.json a
	answer '[{"type":"text","text":"no"}]' >a
	run -4 ctx-summarize --provider anthropic --request r.json a
	[[ $output == *'no compaction'* ]]
	echo '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}' >a
	run -4 ctx-summarize --provider anthropic --request r.json a
	[[ $output == *busy* ]]
	answer "[$block]" compaction >a
	run -2 ctx-summarize --provider anthropic --request r.json -s other a
	run -1 ctx-summarize -s s --undo
}
