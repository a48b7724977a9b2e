load helper

messages() {
	local i
	for i in "$@"; do
		printf '{"role":"user","content":"%s"}\n' "$i"
	done
}

# compare A B: prints each difference as CHANGE ROLE WORDS; ctx-diff must exit with status 1.
compare() {
	status 1 ctx-diff --format ndjson "$@" >diff.ndjson
	jq -r 'select(.change != "total") |
		[.change, .role, (.before.content // "-"), (.after.content // "-")] | join(" ")' diff.ndjson
}

@test 'inputs with the same messages give exit status 0 and no output, whatever their format and white space' {
	messages a b >bare
	jq . bare >pretty
	jq -s . bare >array
	jq -c '{kind: "message", session_id: "s", seq: 1, id: "s/1", message: .}' bare >records
	jq -s '{messages: .}' bare >body
	for f in bare pretty array records body; do
		status 0 ctx-diff bare $f >out
		[ ! -s out ]
	done
	status 0 ctx-diff --format ndjson bare - <pretty | jq -c '[.change, .in, .out, .changed]' |
		same - '["total",0,0,0]'
}

@test 'added, removed and changed messages are printed in order' {
	messages a b c d e >A
	messages x a c D e >B
	compare A B | same - "in user - x
out user b -
changed user d D"
	[ "$(jq -c 'select(.change == "changed") | [.position_before, .position_after]' diff.ndjson)" = '[4,4]' ]
	compare B A | same - "out user x -
in user - b
changed user D d"
	# the same text with another role is another message
	messages a >A
	echo '{"role":"assistant","content":"A"}' >B
	compare A B | same - "out user a -
in assistant - A"
}

@test 'messages with the same record id are compared, and all others are added or removed' {
	record() { printf '{"kind":"message","id":"%s","message":{"role":"user","content":"%s"}}\n' "$1" "$2"; }
	{ record 1 a; record 2 b; record 3 c; } >A
	{ record 1 a; record 9 z; record 2 B; record 3 c; } >B
	compare A B | same - "in user - z
changed user b B"
	{ record 1 a; record 9 z; record 3 c; } >B
	compare A B | same - "out user b -
in user - z"
	# a message that moved is removed and added
	{ record 2 b; record 1 a; record 3 c; } >B
	[ "$(compare A B | cut -d' ' -f1 | sort | tr '\n' ' ')" = 'in out ' ]
}

@test 'ctx-diff compares the added texts of two windows by kind and source, and prints the token counts of both windows' {
	ctx-append -q --create -s s -t 'How long do refunds take?'
	ctx-window -s s >A
	echo '{"type":"rule","name":"refunds","content":"Refunds take 30 days."}' | ctx-item define -q
	ctx-item add -q -s s refunds
	ctx-window -s s | ctx-enrich >B
	status 1 ctx-diff A B >out
	grep -qE '^\+ system +#[0-9]+ .*\[[a-z]+ rule:refunds\]' out
	grep -qE '^  [a-z]+ rule:refunds +0 ' out
	status 1 ctx-diff --format ndjson A B >diff.ndjson
	for f in A:before B:after; do
		jq -c 'select(.kind == "request") | .tokens' ${f%:*} |
			same <(jq -c "select(.change == \"total\") | .tokens_${f#*:} | del(.tools)" diff.ndjson)
	done
	# the stored request is equal to the window
	ctx-render -p openai --request req.json B >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"30 days."},"finish_reason":"stop"}]}' | ctx-append -q -s s --request req.json
	ctx-show --request "$(jq -r .request_id req.json)" | status 0 ctx-diff B -
}

@test 'request bodies of every provider are compared: messages, system text, tools and parameters' {
	cat >openai <<-'END'
	{"model":"m","messages":[{"role":"user","content":"q"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}
	END
	cat >anthropic <<-'END'
	{"model":"m","system":"s","messages":[{"role":"user","content":"q"}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}
	END
	cat >gemini <<-'END'
	{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"q"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}]}
	END
	cat >responses <<-'END'
	{"model":"m","instructions":"s","input":[{"role":"user","content":"q"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"r"}],"tools":[{"type":"function","name":"f"}]}
	END
	for p in openai anthropic gemini responses; do
		status 0 ctx-diff $p $p
		sed 's/"q"/"Q"/; s/"name":"f"}*/&/; s/"text":"s"/"text":"t"/; s/"system":"s"/"system":"t"/; s/"instructions":"s"/"instructions":"t"/' $p >$p.b
		status 1 ctx-diff $p $p.b >out
		grep -q '^~ user .* Q$' out
		[ $p = openai ] || grep -q '^~ system .* t$' out
		jq -c 'del(.tools) | .temperature = 1' $p >$p.b
		status 1 ctx-diff --format ndjson $p $p.b | jq -r 'select(.change != "total") | [.change, .type, .id] | join(" ")' | sort |
			same - "in param temperature
out tool f"
	done
	# the total is the same as in ctx-lint
	n=$(ctx-diff --format ndjson responses responses | jq .tokens_after.total)
	ctx-lint --budget "$n" responses
	status 1 ctx-lint --budget $((n - 1)) responses >/dev/null
	echo '{"input":"q"}' >A
	echo '{"input":"p"}' >B
	status 1 ctx-diff A B | grep -q '^~ user      #1'
}

@test 'text output has a line for each message and the counts, and colors only on a terminal' {
	messages 'one two' b >A
	messages 'one two' 'c\td\n\u001b[31me' >B
	status 1 ctx-diff A B >out
	head -n 3 out | same - "--- A: 2 messages, $(ctx-diff --format ndjson A A | jq .tokens_after.total) tokens
+++ B: 2 messages, $(ctx-diff --format ndjson B B | jq .tokens_after.total) tokens
$(sed -n 3p out)"
	grep -qE '^~ user +#2 .* c d \\x1b\[31me$' out
	run ! grep -q "$(printf '\033')" out
	status 1 ctx-diff --color always A B | grep -q "$(printf '\033')\["
	# for long texts with a common beginning, the different part is printed
	long=$(printf 'word %.0s' {1..200})
	messages "$long here" >A
	messages "$long there" >B
	status 1 ctx-diff A B | grep -q '^~ .*there'
}

@test 'html output is a page that shows the changes and escapes all content' {
	printf '%s\n' '{"role":"user","content":"Hello <script>alert(1)</script> wörld"}' '{"role":"assistant","content":"Hi"}' >A
	printf '%s\n' '{"role":"user","content":"Hello <script>alert(1)</script> wärld"}' '{"role":"user","content":"\u001b[31mMore"}' >B
	status 1 ctx-diff --format html A B >out
	grep -qF 'wörld' out && { echo 'a character is torn'; return 1; }
	grep -qF 'w<del>ö</del>rld</pre>' out
	grep -qF 'w<ins>ä</ins>rld</pre>' out
	grep -qF '&lt;script&gt;alert(1)&lt;/script&gt;' out
	status 1 grep '<script\|'$'\x1b' out
	grep -qx '<p>1 in ([0-9]* tokens), 1 out ([0-9]* tokens), 1 changed.</p>' out
	[ "$(grep -o '<article>' out | wc -l)" = 3 ]
	python3 - out <<'END'
import html.parser, sys
stack = []
class P(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        if tag != "meta": stack.append(tag)
    def handle_endtag(self, tag):
        assert stack.pop() == tag, tag
p = P(); p.feed(open(sys.argv[1], encoding="utf-8").read())
assert not stack, stack
END
	# calls are shown as JSON, and equal inputs also give a page
	echo '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}' >C
	status 1 ctx-diff --format html A C | grep -qF '&quot;tool_calls&quot;'
	ctx-diff --format html A A | grep -qF '<p>Nothing differs.</p>'
}

@test 'wrong usage and bad input are refused' {
	messages a >A
	for args in '' A 'A A A' '- -' '--format xml A A' '--tokenizer none A A'; do
		# shellcheck disable=SC2086 # words
		status 2 ctx-diff $args </dev/null 2>err
		[ -s err ]
	done
	status 4 ctx-diff A nowhere 2>err
	: >empty
	{ cat A; echo '{"a":1}'; } >object
	{ cat A; echo '{"role":"user"'; } >broken
	echo '{"role":"robot","content":"x"}' >role
	echo '{"messages":[{"role":"user","content":"q"}]}' >body
	cat body A >mixed
	cat A body >mixed2
	cat body body >bodies
	printf '%s\n' '{"kind":"session","session_id":"s"}' '{"kind":"session","session_id":"t"}' >windows
	echo '{"messages":[1]}' >number
	for f in empty object broken role mixed mixed2 bodies windows number; do
		status 3 ctx-diff A $f >out 2>err
		[ ! -s out ] && grep -q "^ctx-diff: $f: " err || { cat err; return 1; }
	done
	status 3 ctx-diff A - <broken 2>err
	grep -q '^ctx-diff: stdin: line 2: ' err
}
