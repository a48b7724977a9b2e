load helper

# Prints a conversation with parallel calls in the format of Chat Completions.
openai_history() {
	cat <<-'END'
	{"role":"system","content":"Be brief."}
	{"role":"user","content":"Weather?"}
	{"role":"assistant","content":"Looking.","tool_calls":[{"id":"c1","type":"function","function":{"name":"get","arguments":"{\"city\":\"Köln\",\"n\":1.0}"}},{"id":"c2","type":"function","function":{"name":"now","arguments":"{}"}}]}
	{"role":"tool","tool_call_id":"c2","content":"noon"}
	{"role":"tool","tool_call_id":"c1","content":"rain"}
	{"role":"user","content":"Thanks. Tomorrow?"}
	END
}

window() {
	openai_history | ctx-append -q --create -s s
	ctx-window -s s "$@"
}

@test 'openai: messages are sent unchanged' {
	openai_history >h
	ctx-render -p openai <h >body
	[ "$(wc -l <body)" = 1 ]
	# results are in the order of their calls
	jq -c '.messages[]' body | same <(sed -n 1,3p h; sed -n 5p h; sed -n 4p h; sed -n 6p h)
	# numbers in argument strings keep their spelling
	grep -qF '{\"city\":\"Köln\",\"n\":1.0}' body
}

@test 'anthropic: the system text is separate, calls are blocks, results come first in the next user message' {
	openai_history | ctx-render -p anthropic >body
	jq -e '.system == "Be brief." or .system == [{"type":"text","text":"Be brief."}]' body >/dev/null
	jq -c '[.messages[].role]' body | same - '["user","assistant","user"]'
	jq -c '.messages[1].content|map(del(.text))' body |
		same - '[{"type":"text"},{"type":"tool_use","id":"c1","name":"get","input":{"city":"Köln","n":1}},{"type":"tool_use","id":"c2","name":"now","input":{}}]'
	grep -qF '{"city":"Köln","n":1.0}' body
	jq -c '.messages[2].content|map([.type, .tool_use_id])' body | same - '[["tool_result","c1"],["tool_result","c2"],["text",null]]'
}

@test 'gemini: roles alternate, and responses are in the order of their calls' {
	openai_history | ctx-render -p gemini >body
	jq -c '[.contents[].role]' body | same - '["user","model","user"]'
	jq -e '.systemInstruction.parts[0].text == "Be brief." or .system_instruction.parts[0].text == "Be brief."' body >/dev/null
	jq -c '[.contents[1].parts[]|.functionCall.name//"text"]' body | same - '["text","get","now"]'
	jq -c '[.contents[2].parts[]|.functionResponse.name//"text"]' body | same - '["get","now","text"]'
}

@test "anthropic's format is converted to OpenAI's and back" {
	openai_history | ctx-render -p anthropic | jq -c '.messages[]' >an
	ctx-render -p openai <an | jq -c '[.messages[]|[.role, .tool_call_id, [.tool_calls[]?|.id, .function.name]]]' >got
	grep -qF '["assistant",null,["c1","get","c2","now"]]' got
	grep -qF '["tool","c1",[]]' got
	ctx-render -p openai <an | jq -c '.messages[]' | ctx-render -p anthropic | jq -cS .messages | same <(jq -csS . an)
}

@test 'text and markdown are readable transcripts' {
	openai_history | ctx-render -p text >out
	grep -q 'Köln' out
	grep -q 'rain' out
	openai_history | ctx-render -p markdown >out
	grep -q 'Tomorrow' out
	status 3 ctx-render -p text --request r </dev/null 2>err
}

@test 'text and Markdown transcripts have the same order of messages as request bodies' {
	cat >w <<-'END'
	{"kind":"message","message":{"role":"user","content":"question"}}
	{"kind":"message","slot":"summary","source":{"type":"summary"},"message":{"role":"user","content":"in short"}}
	{"kind":"message","message":{"role":"system","content":"later rule"}}
	{"kind":"message","message":{"role":"assistant","content":"answer"}}
	{"kind":"message","slot":"prefix","source":{"type":"rule"},"message":{"role":"system","content":"module"}}
	{"kind":"message","slot":"volatile","source":{"type":"note"},"message":{"role":"user","content":"aside"}}
	{"kind":"message","message":{"role":"user","content":"next"}}
	END
	(echo '{"role":"system","content":"opening"}' && cat w) >with
	for p in text markdown; do
		ctx-render -p $p <w | sed 's/^> //' | grep -xE 'question|in short|later rule|answer|module|aside|next' |
			paste -sd, | same - 'module,in short,question,later rule,answer,aside,next'
		ctx-render -p $p <with | sed 's/^> //' | grep -xE 'opening|question|in short|module' |
			paste -sd, | same - 'module,opening,in short,question'
	done
}

@test 'the provider comes from -p or CTX_PROVIDER, and without a provider the command is refused' {
	openai_history >h
	status 2 ctx-render <h 2>err
	grep -q 'no provider given' err
	status 2 ctx-render -p acme <h 2>err
	grep -q "unknown provider 'acme' (openai, .*text, markdown or prompt)" err
	CTX_PROVIDER=gemini ctx-render <h | jq -e .contents >/dev/null
	CTX_PROVIDER=gemini ctx-render -p openai <h | jq -e .messages >/dev/null
}

@test 'the members of the --params file are put into the body with their original spelling' {
	echo '{"model":"m","temperature":1.0,"max_tokens":12345678901234567890,"stop":["a","ä"]}' >params
	for p in openai anthropic gemini; do
		openai_history | ctx-render -p $p --params params >body
		grep -qF '"temperature":1.0' body
		grep -qF '12345678901234567890' body
		jq -e '.model == "m" and .stop == ["a","ä"] and (.messages // .contents|length > 0)' body >/dev/null
	done
	CTX_PARAMS=params ctx-render -p openai < <(openai_history) | jq -e '.model == "m"' >/dev/null
	echo '[1]' >bad
	status 3 ctx-render -p openai --params bad < <(openai_history) 2>err >out
	grep -q '^ctx-render: bad: ' err
	echo '{"a":' >bad
	status 3 ctx-render -p openai --params bad < <(openai_history) 2>err >out
	[ ! -s out ]
	status 4 ctx-render -p openai --params nowhere < <(openai_history) 2>err
}

@test '-b: a request that exceeds the budget is not printed, and the error names the excess' {
	openai_history >h
	status 1 ctx-render -p openai -b 20 <h >out 2>err
	[ ! -s out ]
	[ "$(wc -l <err)" = 1 ]
	cost=$(sed -n 's/.*the request has \([0-9]*\) tokens, \([0-9]*\) more.*/\1/p' err)
	grep -q "$((cost - 20)) more than the budget of 20" err
	ctx-render -p openai -b $cost <h >/dev/null
	status 1 ctx-render -p openai -b $((cost - 1)) <h 2>err >out
	# the budget in the window's request record also applies
	window -b 5 >w
	status 1 ctx-render -p openai --request req <w 2>err >out
	[ ! -s out ] && [ ! -e req ]
	window -n 100 >w
	status 1 env CTX_BUDGET=20 ctx-render -p openai <w 2>err >out
}

@test '-b: the body never exceeds the budget, in every format' {
	{
		echo '{"role":"user","content":"Look at all."}'
		jq -nc '{role: "assistant", content: "I do.", tool_calls: [range(20) | {id: "c\(.)", type: "function", function: {name: "look", arguments: "{\"n\":\(.)}"}}]}'
		jq -nc 'range(20) | {role: "tool", tool_call_id: "c\(.)", content: "seen \(.)"}'
	} >h
	for p in openai anthropic gemini responses interactions; do
		status 1 ctx-render -p $p -b 20 <h 2>err >out
		cost=$(sed -n 's/.*the request has \([0-9]*\) tokens.*/\1/p' err)
		ctx-render -p $p -b "$cost" <h >body
		ctx-lint -p $p -b "$cost" body >out
	done
}

@test 'messages after the end of a window are an error, and only the window'\''s request is printed' {
	window -n 100 >w
	ctx-render -p openai <w >body
	echo '{"role":"user","content":"and?"}' | cat w - >more
	status 3 ctx-render -p openai <more >out 2>err
	same body <out
	grep -q 'records follow the request record' err
	[ "$(wc -l <err)" = 1 ]
	# a second complete window gives a second body
	cat w w | ctx-render -p openai | same <(cat body body)
}

@test '-b: an image is counted at the price of the provider' {
	echo '{"role":"user","content":[{"type":"text","text":"See."},{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"}}]}' >h
	ctx-render -p anthropic -b 60 <h >/dev/null
	status 1 ctx-render -p openai -b 60 <h >out 2>err
	[ ! -s out ]
	grep -q 'the request has 2[0-9][0-9] tokens' err
}

@test 'an incomplete window or empty input gives exit status 3 and no output' {
	window >w
	for n in 1 2 $(($(wc -l <w) - 1)); do
		head -n $n w | status 3 ctx-render -p openai --request req >out 2>err
		[ ! -s out ] && [ ! -e req ]
		grep -q incomplete err
	done
	# the output of a failed ctx-window
	status 3 ctx-render -p openai </dev/null >out 2>err
	[ ! -s out ]
	[ "$(wc -l <err)" = 1 ]
	printf '\n\n' | status 3 ctx-render -p openai >out 2>err
	set +e
	ctx-window -s nope 2>/dev/null | ctx-prune -b 100 | ctx-render -p openai >out 2>err
	st=(${PIPESTATUS[@]})
	set -e
	[ "${st[*]}" = '1 0 3' ]
	[ ! -s out ]
}

@test 'a conversation without a user message to answer is refused' {
	ctx-new --id e >/dev/null
	ctx-window -s e | status 1 ctx-render -p openai >out 2>err
	[ ! -s out ]
	echo '{"role":"system","content":"x"}' | status 1 ctx-render -p anthropic >out 2>err
	[ ! -s out ]
}

@test '--request FILE writes the request as sent, readable only by its owner' {
	echo '{"model":"m","max_tokens":9,"temperature":1.0}' >params
	window -b 1000 >w
	(umask 0; ctx-render -p anthropic --params params --request 'r q.json' <w >body)
	[ "$(stat -c %a 'r q.json')" = 600 ]
	[ "$(wc -l <'r q.json')" = 1 ]
	jq -e --argjson id "$(tail -1 w | jq .request_id)" '.kind == "request" and .provider == "anthropic" and .session_id == "s"
		and .request_id == $id and .params.model == "m" and .budget == 1000 and .for_seq == 6' 'r q.json' >/dev/null
	grep -qF '"temperature":1.0' 'r q.json'
	[ "$(jq -r .body_sha256 'r q.json')" = "$(head -c -1 body | sha256sum | cut -d' ' -f1)" ] ||
		[ "$(jq -r .body_sha256 'r q.json')" = "$(sha256sum <body | cut -d' ' -f1)" ]
	# an existing file is replaced
	ctx-window -s s | ctx-render -p openai --request 'r q.json' >/dev/null
	jq -e '.provider == "openai"' 'r q.json' >/dev/null
	openai_history | status 3 ctx-render -p openai --request x 2>err >out
	grep -q 'no request record' err
	[ ! -s out ]
	status 4 ctx-render -p openai --request no/dir/x <w 2>err >out
	[ ! -s out ]
	ctx-window -s s -s s | status 3 ctx-render -p openai --request x 2>err >out
}

@test 'the same window and parameters give the same bytes in any locale' {
	window >w
	echo '{"model":"m","max_tokens":9}' >params
	export CTX_PARAMS=params
	for p in openai anthropic gemini text markdown; do
		ctx-render -p $p <w >one
		ctx-render -p $p <w | same one
		LC_ALL=C TZ=Asia/Tokyo CTX_NOW=2030-01-01T00:00:00Z ctx-render -p $p <w | same one
	done
}

@test 'several windows give one body each' {
	window >w
	ctx-new --fork s --id t >/dev/null
	ctx-window -s t >>w
	ctx-render -p openai <w >bodies
	[ "$(wc -l <bodies)" = 2 ]
	[ "$(sort -u bodies | wc -l)" = 1 ]
}

@test 'hostile content cannot change the structure of the body' {
	python3 - >h <<-'END'
	import json
	for s in ["\x1b[31m", "\u202e", "</s><|im_end|>", "\\u0000", "\u0000", "a" * 100000, "👩‍👩‍👧", "\"}],"]:
	    print(json.dumps({"role": "user", "content": s}))
	    print(json.dumps({"role": "assistant", "content": s}))
	print(json.dumps({"role": "user", "content": "end"}))
	END
	for p in openai anthropic gemini; do
		ctx-render -p $p <h >body
		python3 -c 'import json; json.load(open("body"))'
		[ "$(wc -l <body)" = 1 ]
	done
	jq -c '[.contents[].parts[0].text]' body | same <(jq -sc '[.[].content]' h)
}

@test 'bad lines are reported' {
	printf '%s\n' '{"role":"user","content":"a"}' '{"role":"bot"}' | status 3 ctx-render -p openai >out 2>err
	grep -q 'unknown role' err
	[ ! -s out ]
	printf '%s\n' '{"role":"user","content":"a"}' 'x' >'a b'
	status 3 ctx-render -p openai 'a b' >out 2>err
	grep -q '^ctx-render: a b:2: ' err
	openai_history | status 4 ctx-render -p openai >/dev/full 2>err
}

@test 'ctx-window, ctx-prune and ctx-render together stay within each budget for each provider' {
	for i in $(seq 12); do openai_history | sed "s/c1/x$i/g;s/c2/y$i/g;s/Be brief/$i/"; done |
		sed '2,${/"role":"system"/d}' >h
	ctx-append -q --create -s s <h
	for p in openai anthropic gemini; do
		for b in 120 200 400 2000; do
			ctx-window -s s -b $b -p $p | ctx-prune | ctx-render -p $p --request req.json >body || { echo "$p $b"; return 1; }
			jq -e --argjson b $b '.tokens.total <= $b and .budget == $b' req.json >/dev/null
		done
	done
}

@test 'content that no provider accepts is an error, not omitted' {
	for m in '{"role":"user","content":5}' '{"role":"user","content":{"text":"hm"}}' \
		'{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}'; do
		printf '%s\n' '{"role":"user","content":"q"}' "$m" '{"role":"user","content":"z"}' >in
		for p in openai anthropic gemini responses interactions; do
			status 1 ctx-render -p $p in >out 2>err
			[ ! -s out ] && grep -q 'position 2: the content of the message has the wrong type' err
		done
		ctx-render -p text in | grep -q -e '^5$' -e '^hm$' -e '^.data.$'
	done
}

@test 'message content that is a number is sent as text' {
	call='{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}'
	printf '%s\n' '{"role":"user","content":["q",7]}' "$call" '{"role":"tool","tool_call_id":"c","content":5}' >in
	ctx-render -p openai in | jq -c '[.messages[0].content[1].text, .messages[2].content]' | same - '["7","5"]'
	ctx-render -p anthropic in | jq -c '[.messages[0].content[1].text, .messages[2].content[0].content]' | same - '["7","5"]'
}

@test 'a pinned greeting before the first question is sent if the provider accepts it' {
	ctx-new --id s >/dev/null
	ctx-append -q -s s --pin --role assistant -t Welcome
	ctx-append -q -s s -t hi
	ctx-window -s s | ctx-prune -b 4000 >w
	for p in openai responses; do
		ctx-render -p $p w >body
		jq -e '[(.messages // .input)[].role] == ["assistant","user"]' body >/dev/null
		ctx-lint -p $p body
	done
	for p in anthropic gemini; do
		status 1 ctx-render -p $p w >out 2>err
		[ ! -s out ] && grep -q "message 1: the first message must have the role user" err
	done
}

@test 'a request that uses most of its budget causes a warning' {
	ctx-append -q --create -s s -t "$(printf 'word %.0s' {1..90})"
	tokens=$(ctx-window -s s | ctx-render -p openai --request r.json >/dev/null && jq .tokens.total r.json)
	ctx-window -s s | ctx-render -p openai -b $((tokens * 110 / 100)) >body 2>err
	[ -s body ]
	grep -Eq "uses 9[01] % of the budget of $((tokens * 110 / 100)) tokens" err
	ctx-window -s s | ctx-render -p openai -b $((tokens * 2)) 2>err >/dev/null
	[ ! -s err ]
	ctx-window -s s | CTX_WARN=40 ctx-render -p openai -b $((tokens * 2)) 2>err >/dev/null
	[ -s err ]
	ctx-window -s s | ctx-render -p openai -b $((tokens * 110 / 100)) --warn 0 2>err >/dev/null
	[ ! -s err ]
}

@test 'parameters of another API are refused, and --fix converts them' {
	u='{"role":"user","content":"hi"}'
	echo '{"model":"m","max_tokens":9,"instructions":"Be short."}' >params
	for p in openai anthropic gemini; do
		ctx-render -p $p --params params <<<"$u" >out 2>err && return 1
		[ ! -s out ]
		grep -q '"instructions" belongs to an API other than' err
	done
	ctx-render -p anthropic --fix --params params <<<"$u" 2>err | jq -e '.system == "Be short." and (has("instructions") | not)' >/dev/null
	grep -q 'fixed: .*"instructions"' err
	ctx-render -p gemini --fix --params params <<<"$u" 2>/dev/null | jq -e '.systemInstruction.parts[0].text == "Be short."' >/dev/null
	ctx-render -p openai --fix --params params <<<"$u" 2>err && return 1
	grep -q 'system message' err || grep -q 'role system' err
	ctx-render -p responses --params params <<<"$u" 2>/dev/null | jq -e '.instructions == "Be short."' >/dev/null
	echo '{"model":"m","max_tokens":9,"system":"One.","instructions":"Two."}' >params
	ctx-render -p anthropic --fix --params params <<<"$u" 2>err && return 1
	echo '{"model":"m","input":"x"}' >params
	ctx-render -p openai --params params <<<"$u" 2>err && return 1
	grep -q 'must not contain input' err
}

@test 'no heading in text and Markdown transcripts contains the same word twice' {
	local type format
	for type in rule reference prompt; do
		echo "{\"kind\":\"item\",\"agent\":\"a\",\"type\":\"$type\",\"name\":\"$type\",\"include\":\"always\",\"content\":\"It says: $type.\"}"
	done | ctx-item define >/dev/null
	ctx-new --id s --agent a --topic topic >/dev/null
	for i in 1 2 3; do ctx-append -q -s s -t "Question $i about 10.0.0.$i" && ctx-append -q -s s --role assistant -t "Answer $i."; done
	echo '{"kind":"message","session_id":"s","message_type":"summary","message":{"role":"user","content":"So far: all well."}}' | ctx-append -q
	ctx-append -q -s s --type note -t 'Mind this.'
	ctx-append -q -s s -t 'And now?'
	ctx-summarize -q -s s --keep-last 3 >/dev/null
	echo text >document
	ctx-window -s s | ctx-enrich --attach document=document --entities 5 --instructions instructions 2>/dev/null >window
	for format in text markdown; do
		ctx-render -p $format window >"$format"
		grep -E '^(## )?(User|user|Assistant|System|system|Tool)' "$format" >headings
		[ "$(wc -l <headings)" -gt 6 ] && grep -q 'summary)' headings
		! grep -iE '\b([a-z]+)\b.*\b\1\b' headings || false
	done
	ctx-show -s s -f markdown | grep '^## ' >headings
	! grep -iE '\b([a-z]+)\b.*\b\1\b' headings || false
}

@test "files in OpenAI's formats are converted for each provider, and URLs are kept" {
	echo '{"role":"user","content":[{"type":"input_file","file_url":"https://x/a.pdf"},{"type":"input_file","file_data":"data:application/pdf;base64,JVBERi0=","filename":"a.pdf"},{"type":"input_file","file_id":"f1"},{"type":"file","file":{"file_id":"f2"}},{"type":"text","text":"x"}]}' >m
	body() { ctx-render -p "$1" --params <([ "$1" != anthropic ] && echo '{"model":"m"}' || echo '{"model":"claude-opus-5","max_tokens":9}') m 2>err; }
	body openai | jq -c '.messages[0].content[0:4]' | same - '[{"type":"text","text":"[input_file https://x/a.pdf]"},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}},{"type":"file","file":{"file_id":"f1"}},{"type":"file","file":{"file_id":"f2"}}]'
	body responses | jq -c '.input[0].content[0:4]' | same - '[{"type":"input_file","file_url":"https://x/a.pdf"},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="},{"type":"input_file","file_id":"f1"},{"type":"input_file","file_id":"f2"}]'
	body anthropic | jq -c '.messages[0].content[0:2]' | same - '[{"type":"document","source":{"type":"url","url":"https://x/a.pdf"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="},"title":"a.pdf"}]'
	grep -q 'does not support some parts of message 1 (input_file), message 1 (file)' err
	ctx-render -p gemini m 2>err | jq -c '.contents[0].parts[0:2]' | same - '[{"fileData":{"mimeType":"application/pdf","fileUri":"https://x/a.pdf"}},{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0="}}]'
}

@test 'errors name the file and the line' {
	echo '{"role":"user","content":"hi"}' >in
	printf '{"model":"m",\n "tools": [}\n' >p
	status 3 ctx-render -p openai --params p in 2>err
	same err <<<'ctx-render: p:2: not a JSON value at byte 12'
	echo '{"model":"m","messages":[]}' >p
	status 2 ctx-render -p openai --params p in 2>err
	same err <<<'ctx-render: p: the parameters must not contain messages'
	{ cat in; echo '{"role":"tool","content":"x"}'; } >bad
	status 1 ctx-render -p openai bad 2>err
	same err <<<'ctx-render: bad: message at position 2: a tool result has no call id'
}
