# ctx-lint(1)

load helper

setup() {
	export CTX_BIN PATH=$CTX_BIN:$PATH
	unset CTX_PROVIDER CTX_BUDGET CTX_TOKENIZER
	export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR"
	u='{"role":"user","content":"hi"}'
	a='{"role":"assistant","content":"ok"}'
	call='{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}'
	result='{"role":"tool","tool_call_id":"c1","content":"4"}'
}

@test "for a transcript without errors, nothing is printed and the exit status is 0" {
	printf '%s\n' "$u" "$call" "$result" "$a" >t
	run -0 ctx-lint t
	[ -z "$output" ]
}

@test "a violated rule prints one diagnostic record, and the exit status is 1" {
	printf '%s\n' "$u" "$result" >t
	run -1 ctx-lint t
	[ "${#lines[@]}" = 1 ]
	[ "$(jq -c '[.kind, .file, .line, .index, .rule, .severity, .provider]' <<<"$output")" = \
	    '["diagnostic","t",2,1,"oa-orphan-result","error","openai"]' ]
	[ -n "$(jq -r .message <<<"$output")" ]
}

@test "an unknown role is an error with every provider" {
	for p in openai anthropic gemini responses interactions; do
		run -1 ctx-lint -p "$p" --format text <<<'{"role":"robot","content":"x"}'
		[ "${lines[0]}" = 'stdin:1: error: unknown role "robot" [all-role]' ]
		[ "$p" != anthropic ] || [ "${#lines[@]}" = 1 ]
	done
	run -1 ctx-lint --repair <<<'{"role":"robot","content":"x"}'
}

@test "if there are only warnings, the exit status is 0" {
	echo '{"model":"m","max_tokens":9,"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}]}' >t
	run -0 ctx-lint t
	[ "$(jq -r '.severity + " " + .rule' <<<"$output")" = "warning an-tools-sent" ]
}

@test "each file is a separate transcript" {
	echo "$call" >one
	echo "$result" >two
	run -0 ctx-lint one
	run -1 ctx-lint one two
	[ "$(jq -r .file <<<"$output")" = two ]
	cat one two >both
	run -0 ctx-lint both
}

@test "standard input is read by default or as -" {
	run -1 ctx-lint <<<"$result"
	[ "$(jq -r .file <<<"$output")" = stdin ]
	run -1 ctx-lint - <<<"$result"
	[ "$(jq -r .file <<<"$output")" = stdin ]
}

@test "in message records, a session record starts the next transcript" {
	printf '{"kind":"session","session_id":"s"}\n{"kind":"message","session_id":"s","message":%s}\n' \
	    "$call" "$u" >t
	run -0 ctx-lint t
	printf '{"kind":"message","session_id":"s","message":%s}\n' "$call" "$u" >t
	run -1 ctx-lint t
	[ "$(jq -r .rule <<<"$output")" = oa-unanswered-call ]
}

@test "for a pretty-printed body, the line of the message is reported" {
	jq -n --argjson u "$u" --argjson a "$a" '{model: "m", messages: [$u, $a]}' >t
	run -1 ctx-lint t
	[ "$(jq -c '[.line, .index, .rule]' <<<"$output")" = '[8,1,"oa-last-role"]' ]
}

@test "a request body must satisfy more rules than a stored history" {
	printf '[%s,%s]' "$u" "$a" >t
	run -0 ctx-lint t
	printf '{"messages":[%s,%s]}' "$u" "$a" >t
	run -1 ctx-lint t
}

@test "-p selects the rules, and CTX_PROVIDER is used only if the input does not show its provider" {
	printf '{"model":"m","max_tokens":9,"messages":[%s,%s]}' "$u" "$u" >t
	run -0 ctx-lint t
	run -1 ctx-lint -p anthropic t
	[ "$(jq -r .rule <<<"$output")" = an-alternate ]
	CTX_PROVIDER=anthropic run -1 ctx-lint t
	echo '{"contents":[{"role":"user","parts":[{"text":"x"}]}]}' >t
	CTX_PROVIDER=anthropic run -0 ctx-lint t
	run -3 ctx-lint -p anthropic t
}

@test "the provider in config.json is used only if the input does not show its provider, like CTX_PROVIDER" {
	printf '{"model":"m","max_tokens":9,"messages":[%s,%s]}' "$u" "$u" >t
	mkdir -p ctx
	echo '{"provider":"anthropic"}' >ctx/config.json
	run -1 ctx-lint t
	[ "$(jq -r .rule <<<"$output")" = an-alternate ]
	CTX_PROVIDER=openai run -0 ctx-lint t
	CTX_PROVIDER=text run -0 ctx-lint t
	run -0 ctx-lint -p openai t
	printf '{"messages":[%s,%s,%s,%s]}' "$u" "$call" "$result" "$u" >t
	run -0 ctx-lint t
}

@test "with -p, a body of another provider is an error, and with CTX_PROVIDER it is checked for its own provider" {
	call='{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}'
	printf '{"messages":[%s,%s,{"role":"tool","tool_call_id":"c","content":"r"},%s]}' "$u" "$call" "$u" >t
	for p in anthropic gemini responses; do
		run -3 --separate-stderr ctx-lint -p $p --repair t
		[ -z "$output" ]
		[[ $stderr == *"in the format of openai, not of $p"* ]]
		CTX_PROVIDER=$p run -0 ctx-lint t
		CTX_PROVIDER=$p run -0 ctx-lint --repair t
		[ "$output" = "$(cat t)" ]
	done
	printf '{"messages":[{"role":"system","content":"s"},%s]}' "$u" >t
	CTX_PROVIDER=anthropic run -0 ctx-lint t
}

@test "the size that is compared with the budget includes tools and system text" {
	printf '{"messages":[%s]}' "$u" >t
	run -0 ctx-lint -b 50 t
	run -1 ctx-lint -b 2 t
	[ "$(jq -r .rule <<<"$output")" = all-budget ]
	CTX_BUDGET=2 run -1 ctx-lint t
	printf '{"system":"%0300d","messages":[%s]}' 0 "$u" >t
	run -1 ctx-lint -b 50 --tokenizer chars4 t
}

@test "--format text and --format github print diagnostics for people and for GitHub" {
	printf '%s\n' "$u" "$result" >'a,b:c'
	run -1 ctx-lint --format text 'a,b:c'
	[[ $output == 'a,b:c:2: error: '*' [oa-orphan-result]' ]]
	run -1 ctx-lint --format github 'a,b:c'
	[[ $output == '::error file=a%2Cb%3Ac,line=2,title=oa-orphan-result::'* ]]
	run -2 ctx-lint --format xml 'a,b:c'
}

@test "unreadable input is reported with its line, other files are checked, and the exit status is 3" {
	echo nonsense >bad
	echo "$result" >orphan
	run -3 --separate-stderr ctx-lint bad orphan
	[[ $stderr == "ctx-lint: bad:1: "* ]]
	[ "$(jq -r .file <<<"$output")" = orphan ]
	run -3 ctx-lint <<<'{"a":1}'
	run -4 ctx-lint missing
}

@test "--repair prints clean input byte for byte" {
	printf '[ %s ,\n\n %s]' "$u" "$a" >t
	ctx-lint --repair t >out
	cmp t out
	printf '%s\n\n %s' "$u" "$a" >t
	ctx-lint --repair t >out
	cmp t out
}

@test "--repair prints messages on stdout and diagnostics on stderr, and the exit status is 0 if all errors are corrected" {
	printf '%s\n' "$u" "$call" "$u" >t
	run -0 --separate-stderr ctx-lint --repair t
	[ "$(jq -r .rule <<<"$stderr")" = oa-unanswered-call ]
	[ "${lines[0]}" = "$u" ]
	[ "${lines[1]}" = "$call" ]
	[ "${lines[2]}" = '{"role":"tool","tool_call_id":"c1","content":"no result recorded"}' ]
	[ "${lines[3]}" = "$u" ]
	ctx-lint --repair t 2>/dev/null | ctx-lint
}

@test "--repair reports the errors that it could not correct" {
	printf '{"messages":[%s]}' "$u" >t
	run -1 --separate-stderr ctx-lint --repair -b 2 t
	[ "$output" = "$(cat t)" ]
}

@test "--repair corrects messages that ctx-render refuses for their content" {
	for message in '{"role":"user","content":5}' '{"role":"assistant","content":{"type":"text","text":"x"}}' \
	    '{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}'; do
		printf '%s\n' "$u" "$message" "$u" >t
		run -1 ctx-render -p openai t
		[[ $output == *"(ctx-lint --repair corrects it)" ]]
		run -1 ctx-lint t
		run -0 --separate-stderr ctx-lint --repair t
		ctx-render -p openai <<<"$output" | jq -e '.messages | length >= 3'
	done
}

@test "a body with function_call is checked for OpenAI even if CTX_PROVIDER names another provider" {
	printf '{"messages":[%s,{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"r"},%s]}' \
	    "$u" "$u" >t
	CTX_PROVIDER=anthropic run -0 --separate-stderr ctx-lint --repair t
	[ "$output" = "$(cat t)" ]
	run -3 ctx-lint -p anthropic t
}

@test "an unpaired surrogate is reported and replaced" {
	printf '%s\n%s\n' "$u" '{"role":"user","content":"x\ud83d"}' >t
	run -1 ctx-lint t
	[ "$(jq -c '[.line, .rule, .provider]' <<<"$output")" = '[2,"all-utf8","all"]' ]
	ctx-lint --repair t 2>/dev/null >out
	printf '%s\n%s\n' "$u" '{"role":"user","content":"x\ufffd"}' >want
	diff want out
}

@test "a full disk is reported as an error" {
	[ -w /dev/full ] || skip "no /dev/full"
	run -4 sh -c 'ctx-lint >/dev/full' <<<"$result"
}

@test "wrong usage is refused" {
	run -2 ctx-lint -p nobody
	run -2 ctx-lint --no-such-option
	run -0 ctx-lint --help
}

@test "the manual names every rule" {
	for rule in $(grep -ho '"\(oa\|an\|ge\|re\|all\)-[a-z0-9-]*[a-z0-9]"' \
	    "$BATS_TEST_DIRNAME"/../lib/lint/*.c \
	    "$BATS_TEST_DIRNAME"/../lib/provider/*/*.c | tr -d '"' | sort -u); do
		grep -q "^\.It Cm $rule\$" "$BATS_TEST_DIRNAME/../man/ctx-lint.1" || {
			echo "missing: $rule"
			false
		}
	done
}

# many_transcripts N M SIZE: prints N transcripts with M messages of SIZE bytes each.
many_transcripts() {
	python3 - "$@" <<-'P'
		import sys
		transcripts, messages, size = map(int, sys.argv[1:])
		for i in range(transcripts):
		    print('{"kind":"session","session_id":"s%d"}' % i)
		    for k in range(messages):
		        print('{"kind":"message","session_id":"s%d","seq":%d,"message":{"role":"%s","content":"%s"}}'
		              % (i, k + 1, "assistant" if k % 2 else "user", "x" * size))
		print('{"kind":"message","session_id":"s","seq":1,"message":{"role":"tool","tool_call_id":"c","content":"x"}}')
	P
}

@test 'memory grows with the longest transcript, not with the file' {
	! sanitized || skip 'address space is not memory here'
	many_transcripts 60 10 50000 >in # 30 MB
	jq -nc '{model: "m", messages: [{role: "user", content: ("x" * 50000)}]}' >body
	for _ in {1..600}; do cat body; done >bodies
	echo '{"messages":[{"role":"tool","tool_call_id":"c","content":"x"}]}' >>bodies
	(
		ulimit -v 20000
		status 1 ctx-lint --format text in >out
		status 0 ctx-lint --repair in >repaired 2>err
		status 1 ctx-lint -p openai --format text bodies >of_bodies
	)
	grep -q '^in:661: error: .*\[oa-orphan-result\]' out
	head -n 660 in | cmp -n "$(head -n 660 in | wc -c)" - repaired
	grep -q '^bodies:601: error' of_bodies
}

@test 'line numbers count in the whole file, and a bad line does not stop the check' {
	many_transcripts 3 2 10 >in
	sed '5s/.*/{"kind":"message","message":7}/' in >bad
	run -3 --separate-stderr ctx-lint --format text bad
	[[ "$stderr" = *'bad:5: the message record contains no message'* ]]
	[[ "$output" = bad:10:* ]]
	# a session record inside an array does not start a transcript
	printf '[\n{"role":"user","content":"x"},\n{"kind":"session","session_id":"s"}\n]\n' | ctx-lint
}

# Writes a transcript with an error, a result without a call, and a warning for OpenAI, a system
# message that is not at the start.
some_findings() {
	printf '%s\n' '{"role":"user","content":"a"}' \
		'{"role":"tool","tool_call_id":"x","content":"<&\"\u0001"}' >'bad <1>.ndjson'
	echo '{"role":"user","content":"a"}' >good.ndjson
}

@test '--format sarif prints one document' {
	some_findings
	status 1 ctx-lint -p openai --format sarif good.ndjson 'bad <1>.ndjson' 'bad <1>.ndjson' >out
	n=$(ctx-lint -p openai 'bad <1>.ndjson' | grep -c .) || true
	jq -e --argjson n $((n * 2)) '.version == "2.1.0" and (.runs[0].results | length == $n) and
		.runs[0].tool.driver.name == "ctx-lint" and (.runs[0].results[0] |
		.level == "error" and .locations[0].physicalLocation.artifactLocation.uri == "bad <1>.ndjson"
		and .locations[0].physicalLocation.region.startLine == 2)' out >/dev/null
	ctx-lint -p openai --format sarif good.ndjson | jq -e '.runs[0].results == []' >/dev/null
	status 2 ctx-lint --format sarif --repair good.ndjson 2>/dev/null
}

@test '--format junit prints a test case for each diagnostic and for a clean file' {
	some_findings
	echo 'no json' >none
	status 3 ctx-lint -p openai --format junit good.ndjson 'bad <1>.ndjson' none >out 2>/dev/null
	command -v python3 >/dev/null || skip 'no python3'
	python3 - out <<-'END' >got
	import sys, xml.etree.ElementTree as t
	for c in t.parse(sys.argv[1]).iter("testcase"):
	    print(c.get("classname"), c.get("name").split(":")[0], *[e.tag for e in c])
	END
	grep -qx 'good.ndjson all rules' got
	grep -qx 'bad <1>.ndjson line 2 failure' got
	grep -qx 'none line 1 error' got
	grep -q 'name="line 1: unreadable"><error message="[^"]*not' out
}

@test '--strict treats warnings as errors' {
	printf '%s\n' '{"role":"user","content":"a"}' '{"role":"system","content":"late"}' \
		'{"role":"user","content":"b"}' >in
	ctx-lint -p openai in >out
	jq -e '.severity == "warning"' out >/dev/null
	status 1 ctx-lint --strict -p openai in | same out
	status 1 ctx-lint --strict -p openai --format junit in | grep -q '<failure type="warning"'
	ctx-lint -p openai --format junit in | grep -q '<system-out>'
}

@test "an input without messages is an error" {
	for t in '' $'\n' '{"kind":"session","session_id":"s"}'; do
		run -3 ctx-lint <<<"$t"
		[[ $output == *'stdin: the input contains no message and no request body'* ]] || { echo "$output"; return 1; }
	done
	run -3 ctx-lint </dev/null
	: >empty
	printf '%s\n' "$u" "$a" >t
	run -3 ctx-lint t empty
	[[ $output == *'empty: the input contains no message and no request body'* ]]
	run -3 ctx-lint --repair </dev/null
	run -0 ctx-lint t
	run -0 ctx-lint <<<'{"model":"m","input":"hi"}'
}

@test "every output format reports a file that cannot be read or parsed" {
	printf '%s\n' "$u" "$a" >t
	printf '%s\nno json\n' "$u" >bad
	status 4 ctx-lint --format github t bad missing >out 2>err
	grep -q '^::error file=bad,line=2,title=unreadable::' out
	grep -q "^::error file=missing,line=1,title=unreadable::cannot open 'missing': " out
	[ "$(wc -l <out)" = 2 ]
	status 4 ctx-lint --format sarif t bad missing 2>/dev/null |
		jq -r '.runs[0].results[] | "\(.ruleId) \(.level) \(.locations[0].physicalLocation | "\(.artifactLocation.uri):\(.region.startLine)")"' |
		same - 'unreadable error bad:2
unreadable error missing:1'
	status 4 ctx-lint --format junit missing 2>/dev/null | grep -q '<error message="cannot open '
	status 3 ctx-lint --format junit </dev/null 2>/dev/null | grep -q 'unreadable"><error message="the input contains no message and no request body'
}

@test "-b checks the size of requests and histories, and CTX_BUDGET only the size of requests" {
	printf '%s\n' "$u" "$a" >t
	run -1 ctx-lint -b 1 t
	[ "$(jq -r .rule <<<"$output")" = all-budget ]
	[[ $output == *' more than the budget of 1"'* ]]
	run -0 ctx-lint -b 1000 t
	CTX_BUDGET=1 run -0 ctx-lint t
	[ -z "$output" ]
	echo "{\"model\":\"m\",\"messages\":[$u]}" >body
	run -0 ctx-lint -b 1000 t body
	[ -z "$output" ]
}

@test "members that belong to another provider's API are reported" {
	t() { echo "{\"model\":\"m\",$2}" | ctx-lint -p $1 --format text 2>&1 | grep -c 'all-foreign-member' || true; }
	m="\"messages\":[$u]"
	[ "$(t openai "\"instructions\":\"Be short.\",$m")" = 1 ]
	[ "$(t openai "\"instructions\":null,$m")" = 0 ]
	[ "$(t anthropic "\"max_tokens\":9,\"system\":\"Be short.\",$m")" = 0 ]
	[ "$(t anthropic "\"max_tokens\":9,\"instructions\":\"Be short.\",$m")" = 1 ]
	[ "$(t responses '"instructions":"Be short.","input":"hi"')" = 0 ]
	[ "$(t responses '"system":"Be short.","input":"hi"')" = 1 ]
	[ "$(t gemini '"instructions":"Be short.","contents":[{"role":"user","parts":[{"text":"hi"}]}]')" = 1 ]
	[ "$(t openai "\"contents\":[],$m")" = 1 ]
}

@test "an image type that the provider does not accept is an error in a request and a warning in a history" {
	image() { echo "{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/$1\",\"data\":\"$2\"}}]}"; }
	for p in openai anthropic gemini responses interactions; do
		image tiff TU0AKgAA | ctx-lint -p $p | jq -r '.rule + .severity' | grep -qx all-imagewarning
	done
	while read -r p body; do
		echo "$body" >b
		status 1 ctx-lint -p "$p" b >out
		[ "$(jq -r .rule out)" = all-image ]
	done <<-E
		anthropic {"model":"m","max_tokens":9,"messages":[$(image tiff TU0AKgAA)]}
		openai {"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/tiff;base64,TU0AKgAA"}}]}]}
		responses {"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_image","detail":"auto","image_url":"data:image/tiff;base64,TU0AKgAA"}]}]}
		gemini {"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/gif","data":"R0lGODlhAQAB"}}]}]}
	E
	sed 's/gif/heic/; s/R0lGODlhAQAB/TU0AKgAA/' b | ctx-lint -p gemini | same /dev/null
}

@test "an Anthropic body without model or max_tokens is reported" {
	body() { echo "{$1\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}"; }
	body '"model":"claude-sonnet-4-5",' | status 1 ctx-lint -p anthropic >out
	[ "$(jq -r '[.rule, .severity] | join(" ")' out)" = 'an-required error' ]
	jq -r .message out | grep -q '"max_tokens"'
	body '"max_tokens":9,' | status 1 ctx-lint -p anthropic >out
	jq -r .message out | grep -q '"model"'
	body '"model":null,"max_tokens":9,' | status 1 ctx-lint -p anthropic >out
	body '"model":"claude-sonnet-4-5","max_tokens":9,' | ctx-lint -p anthropic | same /dev/null
	body '"anthropic_version":"bedrock-2023-05-31","max_tokens":9,' | ctx-lint -p anthropic | same /dev/null
	# a body that ctx-render prints without parameters
	body '' | ctx-lint -p anthropic >out
	[ "$(jq -r '[.rule, .severity] | join(" ")' out)" = 'an-required warning' ]
	body '"model":"m",' | ctx-lint -p openai | same /dev/null
}

@test "a Gemini call without a name is the only error that --repair leaves" {
	echo '{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":{"x":1}}}]}]}' |
		status 1 ctx-lint -p gemini --repair 2>/dev/null >mended
	status 1 ctx-lint -p gemini mended | jq -r .rule | same - all-call-name
}
