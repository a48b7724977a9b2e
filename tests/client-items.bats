#!/usr/bin/env bats
# Tools of OpenAI that the client runs: apply_patch, shell and computer use.

load helper

calls='{"type":"apply_patch_call","id":"apc_1","call_id":"c1","status":"completed","operation":{"type":"create_file","path":"x","diff":"+a"}},{"type":"shell_call","id":"sh_1","call_id":"c2","status":"completed","action":{"commands":["ls"]}},{"type":"local_shell_call","id":"lsh_1","call_id":"c3","status":"completed","action":{"type":"exec","command":["ls"]}},{"type":"computer_call","id":"cu_1","call_id":"c4","status":"completed","action":{"type":"click","x":1,"y":2},"pending_safety_checks":[]}'

answered() { # ITEMS: a session s with an answer of these items
	ctx-append -q --create -s s -t q
	printf '{"id":"r","object":"response","status":"completed","output":[%s]}\n' "$1" | ctx-append -q -p responses -s s
}

body() { # PROVIDER
	ctx-window -s s -p "$1" | ctx-render -p "$1" 2>/dev/null
}

@test 'Responses: calls of tools that the client runs wait for results, and each result gets the item type of its call' {
	answered "$calls"
	[ "$(ctx-calls -s s | jq -r '"\(.id) \(.name) \(.arguments | keys | join(","))"' | paste -sd ';')" = \
		'c1 apply_patch diff,path,type;c2 shell commands;c3 local_shell command,type;c4 computer type,x,y' ]
	run -1 body responses
	echo patched | ctx-append -q -s s --result c1
	echo 'no such file' | ctx-append -q -s s --result c2 --error
	echo out | ctx-append -q -s s --result c3
	echo '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c4","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}' | ctx-append -q -s s
	[ "$(ctx-calls -s s)" = '' ]
	body responses >b
	jq -e --argjson c "[$calls]" '.input[1:5] == $c' b
	jq -e '.input[5:] == [
		{type: "apply_patch_call_output", call_id: "c1", output: "patched", status: "completed"},
		{type: "shell_call_output", call_id: "c2", output: [{stdout: "no such file", stderr: "", outcome: {type: "exit", exit_code: 1}}]},
		{type: "local_shell_call_output", id: "c3", output: "out"},
		{type: "computer_call_output", call_id: "c4", output: {type: "computer_screenshot", image_url: "data:image/png;base64,iVBORw0KGgo="}}]' b
	ctx-lint -p responses b
}

@test 'outputs in the format of the Responses API are sent unchanged, and other providers get ordinary tool calls' {
	answered "$calls"
	echo '{"role":"user","content":[{"type":"apply_patch_call_output","call_id":"c1","status":"failed","output":"no"},{"type":"shell_call_output","call_id":"c2","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}],"max_output_length":9},{"type":"local_shell_call_output","id":"c3","output":"{}"},{"type":"computer_call_output","call_id":"c4","output":{"type":"computer_screenshot","image_url":"https://x.example/y.png"},"acknowledged_safety_checks":[]}]}' >m
	ctx-append -q -s s m
	body responses | jq -e --slurpfile m m '.input[5:] == $m[0].content'
	for p in openai anthropic gemini; do
		body $p >b
		[ "$(ctx-lint -p $p b | jq -r 'select(.severity == "error")')" = '' ]
		grep -q apply_patch b
	done
	body openai | jq -e '[.messages[1].tool_calls[].function.name] == ["apply_patch", "shell", "local_shell", "computer"]'
	ctx-view -s s | grep -q 'apply_patch(.*no'
}

@test 'calls that the server ran itself do not wait for results' {
	answered '{"type":"shell_call","id":"sh_1","call_id":"c2","status":"completed","action":{"commands":["ls"]}},{"type":"shell_call_output","id":"so_1","call_id":"c2","output":[]},{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"a"}]}'
	[ "$(ctx-calls -s s)" = '' ]
	ctx-append -q -s s -t more
	body responses | jq -e '[.input[].type] == [null, "shell_call", "shell_call_output", "message", null]'
}

@test 'lint reports calls without outputs, and --repair corrects them' {
	printf '{"model":"gpt-6.2-sol","input":[{"role":"user","content":"q"},%s]}\n' "$calls" >b
	[ "$(ctx-lint -p responses b | jq -r .rule | uniq -c | xargs)" = '4 re-unanswered-call' ]
	ctx-lint -p responses --repair b 2>/dev/null >fixed || true
	jq -e '[.input[5:][].type] == ["apply_patch_call_output", "shell_call_output", "local_shell_call_output"]' fixed
	[ "$(ctx-lint -p responses fixed | jq -r .rule)" = re-unanswered-call ]
}
