load helper

# history: prints about 60 messages with parallel calls, long results and a pinned message.
history() {
	python3 - "$@" <<-'END'
	import json, sys
	bare = "bare" in sys.argv
	seq = 0
	def put(m, **more):
	    global seq
	    seq += 1
	    if bare: print(json.dumps(m, separators=(",", ":"), ensure_ascii=False))
	    else: print(json.dumps({"kind": "message", "session_id": "s", "seq": seq, **more, "message": m}, separators=(",", ":"), ensure_ascii=False))
	def call(*ids):
	    put({"role": "assistant", "content": None, "tool_calls": [{"id": i, "type": "function", "function": {"name": "read", "arguments": json.dumps({"path": i})}} for i in ids]})
	def result(i, text): put({"role": "tool", "tool_call_id": i, "content": text})
	put({"role": "system", "content": "You help."})
	for t in range(8):
	    if t == 2: put({"role": "user", "content": "remember this"}, pinned=True)
	    else: put({"role": "user", "content": f"question {t} " + "wörter " * 10})
	    call(f"a{t}", f"b{t}")
	    result(f"b{t}", "line of output 👩‍👩‍👧\n" * (400 if t == 7 else 10))
	    result(f"a{t}", "ok")
	    call(f"c{t}")
	    result(f"c{t}", "x" * 50)
	    if t < 7: put({"role": "assistant", "content": f"answer {t} " + "text " * 20})
	END
}

store() {
	history | ctx-append -q --create -s s
}

# fits BUDGET FILE: ctx-render counts the tokens of the window again and must accept it.
fits() {
	ctx-render -p openai -b "$1" <"$2" >/dev/null
}

groups() { # FILE: no call without its result, no result without its call
	jq -se '[.[]|.message? // .|select(.role)] |
		([.[].tool_calls[]?.id]|sort) == ([.[]|select(.role=="tool").tool_call_id]|sort)' "$1" >/dev/null
}

@test '--strategy truncate: even with small limits, no text is cut twice or becomes longer' {
	printf '{"role":"user","content":"%045d"}\n' 0 >short
	printf '{"role":"user","content":"%01000d"}\n' 0 >long
	for n in 0 20 49; do
		ctx-prune --strategy truncate --max-chars $n <short | same short
		ctx-prune --strategy truncate --max-chars $n <long >out
		jq -e '.content | length <= 50 and test("\\[\\.\\.\\. 9[0-9]+ of 1000 characters cut")' out
		ctx-prune --strategy truncate --max-chars $n <out | same out
	done
}

@test 'messages that fit the budget also fit in the request body, with tools and arguments' {
	jq -nc '{kind: "message", slot: "volatile", source: {type: "tool", name: "y"}, message: {role: "system", content: "Tool: y",
	    tool_definition: {name: "w__y", description: "Weather of a city", input_schema: {type: "object", properties: {}}}}}' >tool
	jq -nc '{role: "user", content: "Which weather?"}' >question
	jq -nc '{role: "assistant", content: [range(5) | {type: "tool_use", id: "t\(.)", name: "f", input: {n: 1.5},
	    arguments: "{ \"n\"  :  1.5  }"}]}, (range(5) | {role: "tool", tool_call_id: "t\(.)", content: ("long " * 50)})' >loop
	for p in openai anthropic gemini responses; do
		for b in {390..470..4} {700..900..25}; do
			ctx-prune -p $p -b "$b" --tokenizer chars4 tool question loop >fit 2>err || continue
			ctx-render -p $p -b "$b" --tokenizer chars4 fit >/dev/null || { echo "$p $b"; return 1; }
		done
		[ -s fit ]
	done
}

@test 'messages that fit the budget also fit in the request body, with images and documents' {
	wide=iVBORw0KGgoAAAANSUhEUgAABkAAAAPoCAIAAAA= # 1600 x 1000
	tiny=iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAA=
	text=$(printf 'many words %.0s' {1..400})
	jq -nc --arg d "$wide" '{role: "user", content: [{type: "image_url", image_url: {url: "data:image/png;base64,\($d)"}}]}' >openai
	jq -nc --arg d "$tiny" '{role: "user", content: [{type: "image", source: {type: "base64", media_type: "image/png", data: $d}}]}' >anthropic
	jq -nc --arg d "$text" '{role: "user", content: [{type: "document", source: {type: "text", media_type: "text/plain", data: $d}}]}' >document
	for f in openai anthropic document; do
		cat $f <(echo '{"role":"user","content":"and?"}') >in
		for p in openai anthropic gemini responses interactions; do
			for b in 50 300 1500 3000; do
				ctx-prune -p $p -b $b in >fit
				ctx-render -p $p -b $b fit >/dev/null || { echo "$f $p $b"; return 1; }
			done
		done
	done
	# the format follows the provider in the window, or -p for bare messages
	ctx-append -q --create -s s openai
	ctx-append -q -s s -t 'and?'
	ctx-window -s s -p anthropic -b 1500 | ctx-prune | ctx-render -p anthropic >/dev/null
	CTX_PROVIDER=gemini ctx-prune -b 1500 openai <(echo '{"role":"user","content":"and?"}') | ctx-render -p gemini -b 1500 >/dev/null
	ctx-window -s s -b 1500 | ctx-prune >fit
	status 1 ctx-render -p anthropic fit 2>err >out
	[ ! -s out ] && grep -q '(ctx-prune -p anthropic makes it fit)' err
	ctx-prune -p anthropic fit | ctx-render -p anthropic >/dev/null
	status 2 ctx-prune -p nobody fit
}

@test 'for every budget, the output fits, keeps calls with their results, keeps the order and adds nothing' {
	store
	ctx-window -s s -n 1000 >w
	for b in 300 500 800 1000 1500 2500 5000; do
		ctx-prune -b $b <w >p || { echo "$b"; return 1; }
		fits $b p
		groups p
		[ "$(head -1 p)" = "$(head -1 w)" ]
		tail -1 p | jq -e --argjson b $b '.kind == "request" and .budget == $b and .tokens.total <= $b' >/dev/null
		[ "$(tail -1 p | jq .request_id)" = "$(tail -1 w | jq .request_id)" ]
		# kept messages are unchanged except for shortened results
		grep '"kind":"message"' p | grep -v 'characters cut' >kept
		grep -vxFf w kept | same /dev/null || [ ! -s kept ]
		jq -c 'select(.seq).seq' p >seqs
		sort -n seqs | same seqs
		# system message, pinned message and current turn are kept
		jq -se '[.[].seq]|contains([1,16,51])' p >/dev/null || { cat seqs; return 1; }
		# kept and dropped ranges cover all messages
		tail -1 p | jq -e '([.messages[]|range(.first_seq;.last_seq+1)] + [.dropped[]|select(.reason != "cut")|range(.first_seq;.last_seq+1)]|sort) == [range(1;57)]' >/dev/null
	done
	ctx-prune -b 100000 <w >p
	grep -v '"kind":"request"' w | same <(grep -v '"kind":"request"' p)
	# a larger budget keeps at least as many messages
	n=0
	for b in 300 600 900 1200 1500 1800 2100; do
		m=$(ctx-prune -b $b <w | wc -l)
		[ "$m" -ge "$n" ]
		n=$m
	done
}

@test 'pruning again changes nothing' {
	store
	ctx-window -s s -n 1000 >w
	for b in 300 700 1500; do
		ctx-prune -b $b <w >p
		ctx-prune -b $b <p | grep -v '"kind":"request"' | same <(grep -v '"kind":"request"' p)
		ctx-prune -b $b <w | same p
	done
}

@test 'a result that is too large is shortened, marked, and stays valid' {
	store
	ctx-window -s s -n 1000 | ctx-prune -b 1000 >p
	grep 'characters cut' p >cut
	[ -s cut ]
	jq -e '.message.role == "tool" and (.message.content|test("^line of output .*\n\\[\\.\\.\\. [0-9]+ of [0-9]+ characters cut \\.\\.\\.\\]\n.*line of output"; "p")) and .token_count < 300' cut >/dev/null
	python3 -c 'import json,sys; t=json.loads(open("cut").readline())["message"]["content"]; sys.exit(any(s.strip("\n") not in ("", "line of output 👩‍👩‍👧") and "characters cut" not in s and "👩‍👩‍👧"[0] in s and "👩‍👩‍👧" not in s for s in t.split("\n")))'
	tail -1 p | jq -e '[.dropped[]|select(.reason=="cut")|.first_seq] == [53]' >/dev/null
	ctx-window -s s -n 1000 | ctx-prune -b 1000 --no-cut >p
	(! grep 'characters cut' p)
	fits 1000 p
	groups p
}

@test 'if required messages do not fit, exit status 1 names the largest and the excess' {
	store
	ctx-window -s s -n 1000 | status 1 ctx-prune -b 40 >out 2>err
	[ ! -s out ]
	[ "$(wc -l <err)" = 1 ]
	grep -qE 'the messages that must be kept are [0-9]+ tokens over the budget; the largest is (user|tool) message [0-9]+ with [0-9]+ tokens$' err
	echo '{"role":"user","content":"hello there, you"}' | status 1 ctx-prune -b 4 >out 2>err
	grep -q 'user message 1 ' err
	echo '{"role":"user","content":"x"}' | status 1 ctx-prune -b 0 >out 2>err
}

@test 'the budget comes from -b, the environment or the window'\''s request record' {
	store
	status 2 ctx-prune <<<'{"role":"user","content":"x"}' 2>err >out
	grep -q 'no limit' err
	ctx-window -s s -n 1000 -b 800 >w
	ctx-prune <w | tail -1 | jq -e '.budget == 800' >/dev/null
	CTX_BUDGET=500 ctx-prune <w | tail -1 | jq -e '.budget == 500' >/dev/null
	CTX_BUDGET=500 ctx-prune -b 400 <w | tail -1 | jq -e '.budget == 400' >/dev/null
}

@test 'ctx-prune prints bare messages as bare messages and records as records, and keeps the bytes of unchanged messages' {
	history bare >h
	ctx-prune -b 100000 <h | same h
	ctx-prune -b 700 <h >p
	grep -v 'characters cut' p | grep -vxFf h | same /dev/null
	fits 700 p
	groups p
	echo '{"role":"user","content":"a", "n":1.0, "n":1e400}' >one
	ctx-prune -b 100 <one | same one
	ctx-prune -b 100 one - <one | same <(cat one one)
	history >env
	ctx-prune -b 100000 <env | same env
}

@test 'ctx-prune reads the files that are given as operands' {
	echo '{"role":"user","content":"a"}' >'a b'
	ctx-prune -b 100 'a b' - <'a b' | same <(cat 'a b' 'a b')
	status 4 ctx-prune -b 100 nowhere 2>err
}

@test 'unknown records are passed unchanged and in order' {
	printf '%s\n' '{"kind":"event","x":1.0}' '{"role":"user","content":"a"}' '{"kind":"future", "y":[1]}' \
		'{"role":"assistant","content":"b"}' '{"kind":"entity","name":"e"}' '{"a":1}' >in
	ctx-prune -b 100 <in | same in
	store
	ctx-window -s s -n 2 | sed '2i{"kind":"future","n":1e2}' >w
	ctx-prune -b 1000 <w | sed -n 2p | same <(sed -n 2p w)
}

@test 'an incomplete window gives exit status 3 and no output' {
	store
	ctx-window -s s >w
	for n in 1 2 5 $(($(wc -l <w) - 1)); do
		head -n $n w | status 3 ctx-prune -b 1000 >out 2>err
		[ ! -s out ]
		grep -q 'incomplete' err
	done
	{ head -n 3 w; cat w; } | status 3 ctx-prune -b 1000 >out 2>err
	[ ! -s out ]
	ctx-prune -b 1000 </dev/null >out
	[ ! -s out ]
}

@test 'several windows are pruned independently' {
	store
	ctx-new --fork s --id t >/dev/null
	ctx-window -s s -s t | ctx-prune -b 500 | jq -r 'select(.kind=="request").session_id' | tr '\n' ' ' | grep -qx 's t '
}

@test 'bad lines are reported' {
	printf '%s\n' '{"role":"user","content":"a"}' 'x' | status 3 ctx-prune -b 100 >out 2>err
	grep -q '^ctx-prune: stdin:2: ' err
	[ ! -s out ]
	echo '{"role":"bot"}' | status 3 ctx-prune -b 100 >out 2>err
	grep -q 'unknown role' err
}

@test 'a changed message is counted again, whatever its record says' {
	store
	ctx-window -s s -n 20 | jq -c 'if .message.role == "assistant" and .message.content then .message.content *= 20 else . end' >w
	ctx-prune -b 1000 <w >p
	fits 1000 p
	sed 's/"token_count":[0-9]*/"token_count":1/' w | ctx-prune -b 1000 >p
	fits 1000 p
}

@test '--params counts the tools and parameters that ctx-render will add to the body' {
	store
	printf '{"model":"m","tools":[{"type":"function","function":{"name":"f","description":"%0800d","parameters":{}}}]}' 0 >params
	ctx-window -s s -n 1000 >w
	ctx-prune -b 900 --params params <w >p
	ctx-render -p openai -b 900 --params params <p >/dev/null
	[ "$(wc -l <p)" -lt "$(ctx-prune -b 900 <w | wc -l)" ]
	ctx-prune -b 900 <w >p
	status 1 ctx-render -p openai -b 900 --params params <p >out 2>err
	status 1 ctx-prune -b 100 --params params <w 2>err
	grep -q parameters err
	echo '[]' >params
	status 3 ctx-prune -b 900 --params params <w 2>err >out
	echo '{' >params
	status 3 ctx-prune -b 900 --params params <w 2>err >out
	grep -q '^ctx-prune: params:1: ' err
}

@test 'added texts at the start of the prompt and summaries are kept, and other added texts are removed, the least similar first' {
	add() { printf '{"kind":"message","slot":"%s","source":{"type":"history","similarity_score":%s},"message":{"role":"user","content":"%s %0100d"}}\n' "$1" "$2" "$3" 0; }
	{
		add prefix 0 pre
		add summary 0 sum
		echo '{"role":"user","content":"question"}'
		add volatile 0.2 low
		add volatile 0.9 high
	} >in
	ctx-prune -b 1000 <in | same in
	total=$(ctx-render -p openai -b 0 <in 2>&1 >/dev/null | sed 's/.*the request has \([0-9]*\).*/\1/')
	ctx-prune -b $((total - 1)) <in >p
	grep -v '"low ' in | same p
}

@test 'ctx-prune opens no store and creates no file' {
	history bare | env -u HOME CTX_STORE=/nowhere/x ctx-prune -b 500 >/dev/null
	[ -z "$(ls "$HOME")" ]
}

@test 'the output in the C locale has the same bytes' {
	history bare >h
	ctx-prune -b 700 <h >p
	LC_ALL=C ctx-prune -b 700 <h | same p
	status 4 ctx-prune -b 700 <h >/dev/full 2>err
}

@test 'a request body is refused, not passed through' {
	echo '{"messages":[{"role":"user","content":"hi"}]}' >messages
	echo '{"contents":[{"parts":[{"text":"hi"}]}]}' >contents
	echo '{"input":[{"role":"user","content":"hi"}]}' >input
	echo '{"model":"m","input":"hi"}' >text
	for body in messages contents input text; do
	for cmd in 'ctx-prune -b 100' 'ctx-render -p openai' 'ctx-count --total'; do
		run -3 --separate-stderr $cmd $body
		[ "$output" = '' ]
		[[ $stderr == *"$body:1: the input is a request body, not a message"* ]]
	done
	done
	# ctx-import converts the body to messages, which can be counted
	ctx-import -q messages | ctx-count --total --max 100 | same - 5
}

@test '--strategy important keeps the last 10 messages and the last 5 that name an entity' {
	for i in $(seq 20); do
		printf '{"role":"user","content":"question %d about %s"}\n' "$i" \
			"$([ "$i" = 3 ] && echo 'the switch at 10.4.5.6' || echo nothing)"
		printf '{"role":"assistant","content":"answer"}\n'
	done >in
	ctx-prune --strategy important in >out
	[ "$(wc -l <out)" = 11 ]
	head -1 out | grep -q 'question 3 about the switch at 10.4.5.6'
	ctx-append -q --create -s s in
	ctx-prune -s s --apply --strategy important | jq -e '[.hidden[].first_seq] == [1, 6]' >/dev/null
}

@test '--apply --strategy important also recognizes loaded names' {
	echo '{"type":"workflow","name":"Expense Approval"}' | ctx-entity load -q
	for i in $(seq 20); do
		printf '{"role":"user","content":"question %d about %s"}\n' "$i" \
			"$([ "$i" = 3 ] && echo 'my expense workflow' || echo nothing)"
		printf '{"role":"assistant","content":"answer"}\n'
	done >in
	ctx-append -q --create -s s in
	ctx-prune -s s --apply --dry-run --strategy important >out
	jq -e '[.hidden[].first_seq] == [1, 6]' out
	rm -f "$CTX_STORE-derived"*
	mkdir "$CTX_STORE-derived"
	ctx-prune -s s --apply --dry-run --strategy important >out 2>err
	grep -q 'entities with a known form' err
	jq -e '[.hidden[].first_seq] == [1]' out
}

@test '--apply and --undo skip sessions that changed since they were listed' {
	local s
	for s in st other; do
		printf '{"role":"user","content":"turn %d"}\n' 1 2 3 4 | ctx-append -q --create -s $s
	done
	ctx-list >list
	ctx-append -q -s st -t new
	for c in '--apply --keep-turns 1' '--apply -n --keep-turns 1'; do
		status 1 ctx-prune $c <list >out 2>err
		grep -q "'st' changed since it was listed: skipped" err
		[ "$(jq -r .session_id out)" = other ]
		[ "$(ctx-list | jq -r 'select(.session_id == "st").hidden_count')" = 0 ]
		ctx-prune -s other --undo >/dev/null 2>&1 || true
	done
	ctx-list | ctx-prune --apply --keep-turns 1 >/dev/null
	ctx-list >list
	ctx-append -q -s st -t newer
	status 1 ctx-prune --undo <list >out 2>err
	grep -q "'st' changed since" err
	[ "$(ctx-list | jq -r 'select(.session_id == "st").hidden_count')" = 4 ]
	[ "$(ctx-list | jq -r 'select(.session_id == "other").hidden_count')" = 0 ]
}

@test 'the request record names the strategies that selected messages' {
	printf '{"role":"user","content":"turn %d"}\n' 1 2 3 | ctx-append -q --create -s st
	strategy() { jq -r 'select(.kind == "request").policy.strategy'; }
	ctx-window -s st -n 3 | ctx-prune --strategy comprehensive >pruned
	strategy <pruned | same - recent,comprehensive
	# other members of the window's policy are kept
	ctx-prune --strategy filter,tools <pruned | jq -c 'select(.kind == "request").policy' |
		same - '{"strategy":"recent,comprehensive,filter,tools","messages":3}'
	# a strategy is recorded once, and the default strategy is recent
	ctx-window -s st -n 3 | ctx-prune -b 1000 | ctx-prune -b 900 --strategy recent,score | strategy | same - recent,score
	ctx-window -s st | jq -c 'del(.policy)' | ctx-prune --strategy truncate | strategy | same - truncate
	ctx-prune -b 500 --strategy score <pruned | ctx-render -p openai --request r >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}' | ctx-append -q --request r
	ctx-show -s st | strategy | same - recent,comprehensive,score
}

@test 'at or below the budget, no strategy changes anything in a window or in the store' {
	for i in $(seq 25); do
		printf '{"role":"user","content":"q%d"}\n{"role":"assistant","content":"a%d"}\n' "$i" "$i"
	done >in
	ctx-prune --strategy comprehensive <in | same in
	ctx-prune --strategy comprehensive -b 4000 <in | same in
	ctx-append -q --create -s tiny in
	ctx-prune -s tiny --apply --strategy comprehensive -b 4000 | jq -e '.hidden == []' >/dev/null

	history bare >in
	jq -nc '{role: "assistant", content: ("word " * 3000)}' >>in
	ctx-append -q --create -s s in
	for s in recent score filter system important comprehensive tools truncate; do
		short=
		[ $s != truncate ] || short='--max-chars 50'
		ctx-prune -b 100000 --strategy $s $short <in | same in
	done
	ctx-prune -b 100000 <in | same in
	for s in recent score filter system important comprehensive; do
		ctx-prune -s s --apply -b 100000 --strategy $s | jq -e '.hidden == []' >/dev/null
	done
	# a budget from the environment does not keep messages that the strategy removes
	CTX_BUDGET=100000 ctx-prune --strategy filter <in >out
	! grep -q tool_calls out
}

@test '--strategy filter keeps the assistant'\''s text in a message with tool calls' {
	cat >in <<-'X'
		{"role":"user","content":"go"}
		{"role":"assistant","content":"I look into it.","tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]}
		{"role":"tool","tool_call_id":"a","content":"one"}
		{"role":"assistant","content":[{"type":"text","text":"And once more."},{"type":"tool_use","id":"b","name":"ls","input":{}}]}
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"two"}]}
		{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]}
		{"role":"tool","tool_call_id":"c","content":"three"}
		{"role":"assistant","content":"Done."}
		{"role":"user","content":"thanks"}
	X
	ctx-prune --strategy filter in >out
	jq -c '[.role, (.content | if type == "array" then map(.text) | join("") else . end), has("tool_calls")]' out | same - \
'["user","go",false]
["assistant","I look into it.",false]
["assistant","And once more.",false]
["assistant","Done.",false]
["user","thanks",false]'
	ctx-lint -p openai out
	ctx-prune --strategy filter out | same out
	# also in a long input with a budget
	{ cat in; for i in 1 2 3; do cat in; done; } | ctx-prune --strategy filter -b 100000 | grep -c 'I look into it' | same - 4
}

@test 'an imported answer that names its tools counts as important' {
	local i
	{
		echo '{"role":"user","content":"first"}'
		echo '{"kind":"message","metadata":{"tools_used":["find"]},"message":{"role":"assistant","content":"marked"}}'
		for i in $(seq 15); do echo '{"role":"user","content":"filler"}'; done
	} >in
	ctx-prune --strategy important <in | grep -c marked | same - 1
	sed 's/tools_used/tools/' in | ctx-prune --strategy important | grep -c marked | same - 0
	ctx-append -q --create -s s in
	ctx-prune -s s --apply --strategy important | jq -c '.hidden[0]' |
		same - '{"first_seq":3,"last_seq":7,"reason":"unimportant"}'
}

# visible: prints the sequence numbers of the messages in the window of session s.
visible() {
	ctx-window -s s -n 100 | jq -r 'select(.kind == "message").seq' | paste -sd ' '
}

@test '--hide hides messages with their calls and results, and --undo shows them again' {
	cat >in <<-'END'
	{"role":"user","content":"one"}
	{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}
	{"role":"tool","tool_call_id":"a","content":"1"}
	{"role":"tool","tool_call_id":"b","content":"2"}
	{"role":"assistant","content":"done"}
	{"role":"user","content":"two"}
	{"role":"assistant","content":"yes"}
	END
	ctx-append -q --create -s s in
	ctx-prune -s s --hide 6-7 >event 2>err
	[ ! -s err ]
	jq -e '.event == "prune" and .strategy == "chosen" and .hidden == [{"first_seq":6,"last_seq":7,"reason":"hidden"}]
		and .tokens_after < .tokens_before' event >/dev/null
	[ "$(visible)" = '1 2 3 4 5' ]
	ctx-prune -s s --hide 3 >/dev/null 2>err
	grep -q '2 more messages are hidden' err
	[ "$(visible)" = '1 5' ]
	ctx-prune -s s --undo >/dev/null
	[ "$(visible)" = '1 2 3 4 5' ]
	ctx-prune -s s --undo >/dev/null
	[ "$(visible)" = '1 2 3 4 5 6 7' ]
	ctx-prune -n -s s --hide last >/dev/null
	[ "$(visible)" = '1 2 3 4 5 6 7' ]
	ctx-prune -s s --hide 1 5 >/dev/null
	[ "$(visible)" = '6 7' ]   # a window begins with a question
}

@test '--hide last hides the last message, and --hide turn the last turn' {
	ctx-append -q --create -s s -t one -t two
	ctx-prune -s s --hide last >/dev/null
	[ "$(visible)" = 1 ]
	ctx-append -q -s s -t three
	[ "$(visible)" = '1 3' ]
	ctx-window -s s -b 4000 | ctx-prune | ctx-render -p openai | jq -c '[.messages[].content]' |
		same - '["one","three"]'
	echo '{"role":"assistant","content":"four"}' | ctx-append -q -s s
	ctx-prune -s s --hide turn >/dev/null
	[ "$(visible)" = 1 ]
	CTX_SESSION=s ctx-prune --hide last >/dev/null
	[ -z "$(visible)" ]
	status 1 ctx-prune -s s --hide last 2>err
	grep -q 'no visible message' err
}

@test 'after --hide last hides a tool result, its call waits for a result again' {
	printf '%s\n' '{"role":"user","content":"one"}' \
		'{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}' |
		ctx-append -q --create -s s
	ctx-append -q -s s --result a -t wrong
	[ -z "$(ctx-calls -s s)" ]
	ctx-prune -s s --hide last >/dev/null
	[ "$(ctx-calls -s s | jq -r .id)" = a ]
	ctx-append -q -s s --result a -t right
	[ -z "$(ctx-calls -s s)" ]
	ctx-window -s s -b 4000 | ctx-prune | ctx-render -p openai >body
	ctx-lint -p openai body
	grep -q right body
	! grep wrong body || false
}

@test '--hide refuses messages that cannot be hidden' {
	ctx-append -q --create -s s -t one -t two
	ctx-append -q --create -s other -t one
	for words in 3 '1 9' 0 -1 x 2-1 '' 1-; do
		got=0
		ctx-prune -s s --hide -- $words >out 2>err || got=$?
		[ "$got" = 1 ] || [ "$got" = 2 ] || { echo "$words: $got"; return 1; }
		[ ! -s out ]
	done
	status 2 ctx-prune -s s -s other --hide 1 2>/dev/null
	status 2 ctx-prune -s s --hide --apply 1 2>/dev/null
	[ "$(visible)" = '1 2' ]
	ctx-prune -s s --hide 1 >/dev/null
	status 1 ctx-prune -s s --hide 1 2>err
	grep -q 'message 1 is already hidden' err
}
