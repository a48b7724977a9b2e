# Answers that end before they are complete.
load helper

setup() {
	isolate
	ctx-new --id s >/dev/null
	ctx-append -s s -q -t 'a question'
	ctx-window -s s | ctx-render -p openai --request req >/dev/null
}

# chunk TEXT: prints an event of a stream.
chunk() {
	printf 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"%s"}}]}\n\n' "$1"
}

partial() {
	ctx-show -s s | jq -c 'select(.kind=="request")|[.status,.partial]'
}

@test 'a truncated stream keeps the received text with its request, and a retry replaces it' {
	status 4 ctx-append --request req < <(chunk 'Half an '; chunk answer; printf 'data: {"choi') >out 2>err
	[ ! -s out ]
	[ "$(partial)" = '["failed",{"role":"assistant","content":"Half an answer"}]' ]
	jq -e .error < <(ctx-show -s s | grep '"kind":"request"')
	# a partial answer is not sent and is not a message
	[ "$(ctx-window -s s | grep -c '"kind":"message"')" = 1 ]
	[ "$(ctx-window -s s | ctx-render -p openai | grep -c Half)" = 0 ]
	[ "$(ctx-show --request "$(jq -r .request_id req)" | ctx-render -p openai | grep -c Half)" = 0 ]
	[ "$(ctx-show -s s | jq -r 'select(.kind=="session").last_seq')" = 1 ]
	ctx-check >/dev/null
	# a failed retry without text stores no partial answer, and a successful one only its answer
	status 4 ctx-append --request req </dev/null 2>err
	[ "$(partial)" = '["failed",null]' ]
	status 4 ctx-append --request req < <(chunk again) 2>err
	{ chunk 'All of it'; printf 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'; } |
		ctx-append --request req >out
	[ "$(jq -r .message.content out)" = 'All of it' ]
	[ "$(partial)" = '[null,null]' ]
	ctx-show -s s | jq -e 'select(.kind=="request").response_seq==2'
}

@test 'a signal keeps the received text and then ends the command' {
	for sig in INT TERM HUP; do
		mkfifo "in$sig"
		env --default-signal="$sig" ctx-append --request req --echo <"in$sig" >out 2>"err$sig" 3>&- 7>&- &
		pid=$!
		exec 7>"in$sig"
		chunk "until $sig" >&7
		for _ in {1..200}; do
			grep -q "until $sig" "err$sig" && break
			sleep 0.05
		done
		kill -s "$sig" $pid
		status $((128 + $(kill -l "$sig"))) wait $pid
		exec 7>&-
		[ ! -s out ]
		[ "$(partial)" = '["failed",{"role":"assistant","content":"until '"$sig"'"}]' ]
		grep -q interrupted "err$sig"
	done
}

@test 'restoring an archived session restores partial answers' {
	status 4 ctx-append --request req < <(chunk 'Half an answer') 2>err
	ctx-archive -s s --to place --cleanup >out
	ctx-archive --restore "$(jq -r .uri out)" >/dev/null
	[ "$(partial)" = '["failed",{"role":"assistant","content":"Half an answer"}]' ]
}

@test 'several -t options append several messages in order, and a tool result needs --call-id' {
	ctx-append -s s -t two -t three --metadata '{"a":1}' >out
	[ "$(jq -c '[.seq,.message.content,.metadata.a]' out)" = $'[2,"two",1]\n[3,"three",1]' ]
	status 1 ctx-append -s s --if-seq 2 -t four -t five
	status 2 ctx-append -s s --id x -t four -t five
	status 3 ctx-append -s s -t good -t $'bad\xff'
	for more in '' '--raw'; do
		run -2 ctx-append -s s ${more:--t x} --role tool </dev/null
		[[ "$output" = *--call-id* ]]
	done
	status 2 ctx-append -s s -t x --call-id c
	status 2 ctx-append -s s --call-id c </dev/null
	[ "$(ctx-show -s s | jq -r 'select(.kind=="session").last_seq')" = 3 ]
	ctx-append -s s -q <<<'{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}'
	ctx-append -s s --role tool --call-id c -t result | jq -e '.message_type=="tool_result" and .message.tool_call_id=="c"'
	ctx-window -s s | ctx-render -p anthropic | jq -e '.messages[-1].content[0].tool_use_id=="c"'
}

@test 'transcripts for people mark a partial answer, and formats for programs omit it' {
	status 4 ctx-append --request req < <(chunk 'Half an answer') 2>err
	ctx-append -s s -q -t 'another question'
	ctx-show -s s -f markdown >md
	grep -A2 '^## Assistant (.*partial answer, never sent)$' md | grep -qx '> Half an answer'
	[ "$(grep -n '^## Assistant' md | cut -d: -f1)" -lt "$(grep -n '> another question' md | cut -d: -f1)" ]
	ctx-show -s s -f html >html
	grep -q '<article class="assistant partial">.*<span>partial answer, never sent</span>' html
	grep -q 'Half an answer' html
	for f in openai anthropic gemini responses interactions sharegpt; do
		! ctx-show -s s -f $f | grep Half
	done
}

@test '--redact replaces secrets in a partial answer' {
	status 4 ctx-append --redact --request req < <(chunk 'The key is AKIA''IOSFODNN7EXAMQLE, and') 2>err
	partial | grep -q 'The key is \[REDACTED:[a-z-]*\], and'
	! ctx-show -s s | grep AKIA
}
