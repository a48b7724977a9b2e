load helper

on_terminal() {
	TERM=xterm python3 "$ROOT/tests/tools/terminal.py" "$@"
}

a_session() {
	ctx-new --id s --title 'Flights' >/dev/null
	cat >in <<-'END'
	{"role":"system","content":"Be brief.\n1\n2\n3\n4\n5\n6\n7\n8\n9"}
	{"role":"user","content":"Which flights are there?"}
	{"role":"assistant","content":"Let me **look**.","tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{\"from\":\"LIS\",\"n\":2}"}}]}
	{"role":"tool","tool_call_id":"a","content":"TP 100\nTP 200\nTP 300"}
	{"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"price","arguments":"{\"flight\":\"TP 100\"}"}},{"id":"c","type":"function","function":{"name":"price","arguments":"{}"}}]}
	{"role":"tool","tool_call_id":"b","content":"90 EUR"}
	{"role":"assistant","content":[{"type":"thinking","thinking":"It is the only one.","signature":"x"},{"type":"text","text":"- TP 100: `90 EUR`"}]}
	{"role":"user","content":"Thanks"}
	END
	ctx-append -q -s s in
}

@test 'roles, numbers, times and calls with results are shown, and omitted parts are marked' {
	a_session
	ctx-view s >out 2>err
	[ ! -s err ]
	same out <<-'END'
	Flights
	s · 8 messages · 131 tokens

	system  #1  2026-01-02 03:04
	    Be brief.
	    1
	    2
	    3
	  … 6 more lines

	user  #2  03:04
	    Which flights are there?

	assistant  #3  03:04
	    Let me look.
	  ▸ search(from: LIS, n: 2) → TP 100 +2 lines
	  ▸ #5 price(flight: TP 100) → 90 EUR
	  ▸ price → no result: the conversation continued without a result

	assistant  #7  03:04
	  (thought: 5 words)
	    • TP 100: 90 EUR

	user  #8  03:04
	    Thanks

	Not shown in full: 1 result, 6 lines, 1 thought (--full shows everything)
	END
}

@test 'ctx-view --full shows the omitted parts of messages too' {
	a_session
	ctx-view --full s >out
	! grep -E 'Not shown|more line' out || false
	grep -qx '    9' out
	grep -qx '    It is the only one.' out
	sed -n '/▸ search/,/TP 300/p' out | same - '  ▸ search
      {"from":"LIS","n":2}
  result:
      TP 100
      TP 200
      TP 300'
}

@test 'ctx-view shows the title of a session without messages' {
	ctx-new --id new --title 'Nothing yet' >/dev/null
	ctx-view new | same - 'Nothing yet
new · 0 messages · 0 tokens'
}

@test 'ctx-view marks calls that wait for a result and calls that can no longer get one' {
	call='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]}'
	{ echo '{"role":"user","content":"x"}'; echo "$call"; } | ctx-append -q --create -s s
	ctx-view s | grep '▸' | same - '  ▸ look → no result yet'
	ctx-view --full s | grep -q 'no result yet'
	ctx-append -q -s s -t 'Never mind'
	ctx-view s | grep '▸' | same - '  ▸ look → no result: the conversation continued without a result'
	# the same call id again in a later turn
	echo "$call" | ctx-append -q -s s
	ctx-view s | grep '▸' | same - '  ▸ look → no result: the conversation continued without a result
  ▸ look → no result yet'
	ctx-append -q -s s --result a -t Done
	ctx-view s | grep '▸' | same - '  ▸ look → no result: the conversation continued without a result
  ▸ look → Done'
}

@test 'failed requests show the provider'\''s error in place of the answer' {
	fail() { # BODY
		ctx-window -s s | ctx-prune -b 4000 | ctx-render -p openai --request r >/dev/null
		status 4 ctx-append -q --request r <<<"$1" 2>err
	}
	ctx-append -q --create -s s -t One
	error='{"error":{"message":"\u001b[2Jno credit left","type":"insufficient_quota","code":"429"}}'
	fail "$error" && fail "$error"
	fail '<html>Bad gateway</html>'
	ctx-view s >out
	head -n 1 out | same - 's · 1 message · 5 tokens · 3 failed requests'
	sed -n '4,$p' out >rest
	grep -c '^  failed: ' rest | same - 2
	grep -q '^  failed: .*no credit left.* (2 times)$' rest
	! grep $'\033' out || false
	# an error is shown in its turn, with the received part of the answer
	ctx-append -q -s s -t Two
	fail $'data: {"choices":[{"delta":{"content":"It is"}}]}\n\n'
	ctx-append -q -s s -t Three
	ctx-view s | sed '1d; /^$/d; s/^\(  failed\).*/\1/; s/  [#0-9].*:04//' | same - 'user
    One
  failed
  failed
user
    Two
assistant  partial answer, never sent
    It is
  failed
user
    Three'
	ctx-view --turns 1 s | grep 'earlier' | same - '  … 2 earlier messages'
	ctx-view s | head -n 1 | grep -q '3 messages .* 4 failed requests'
}

@test 'sessions are named by parts of their ids or CTX_SESSION, and --turns shows the newest turns' {
	ctx-append -q --create -s lisbon-trip -t One -t Two -t Three
	ctx-append -q --create -s other -t Four
	ctx-view lisbon other >out
	grep -c '^user' out | same - 4
	ctx-view --turns 2 -s trip >out
	grep -q '… 1 earlier message$' out
	! grep -q One out || false
	CTX_SESSION=other ctx-view | grep -q Four
	status 2 ctx-view 2>err
	grep -q 'no session given' err
	status 1 ctx-view nothing 2>err
	grep -q "no session 'nothing'" err
}

@test 'hidden messages, failed answers, and deleted and archived sessions are shown as such' {
	ctx-append -q --create -s s -t One -t Two -t Three
	ctx-prune -s s --apply --keep-turns 1 >/dev/null
	ctx-view s >out
	grep -c 'hidden$' out | same - 2
	ctx-window -s s | ctx-prune -b 4000 | ctx-render -p openai --request r >/dev/null
	printf 'data: {"choices":[{"delta":{"content":"It is"}}]}\n\n' >broken
	status 4 ctx-append -q --request r <broken 2>err
	ctx-view s | grep -A 1 'partial answer, never sent' | grep -q 'It is'
	ctx-archive -q -s s --to archive --cleanup >/dev/null
	ctx-view s >archived
	grep -q Three archived
	head -n 1 archived | grep -q archived
	ctx-delete -q -s s >/dev/null
	status 1 ctx-view s 2>err
	grep -q 'is deleted' err
}

@test 'on a terminal, lines are wrapped and colored, times are local, and control characters are removed' {
	ctx-append -q --create -s s -t 'A question that goes on for more than the width of a terminal — really'
	export CTX_PAGER=cat
	TZ=UTC-3 NO_COLOR=1 on_terminal 40 ctx-view s >out
	sed -n '3,$p' out | same - 'user  #1  2026-01-02 06:04
    A question that goes on for more
    than the width of a terminal —
    really'
	on_terminal 40 ctx-view s | grep -q $'^\033\[0;1;32muser'
	NO_COLOR=1 LC_ALL=C on_terminal 80 ctx-view s >out
	! LC_ALL=C grep '[^ -~]' out || false
	grep -q 'terminal -- really' out
}

@test 'text cannot send control sequences to the terminal' {
	printf '%s\n' '{"role":"user","content":"\u001b[2Jgone\u202e\u009b31m"}' \
		'{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"x\u001b[0m","arguments":"{\"a\":\"\\u001b]0;t\\u0007\"}"}}]}' \
		'{"role":"tool","tool_call_id":"a","content":"\u001b[8m"}' |
		ctx-append -q --create -s s
	for o in '' --full; do
		ctx-view $o s >out
		! LC_ALL=C grep $'[\001-\011\013-\037\177]' out || false
		! grep $'\xc2\x9b' out || false
	done
}

@test 'ctx-view --redact replaces secrets in its output' {
	ctx-append -q --create -s s -t 'my key is ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'
	ctx-view s | grep -q ghp_
	! ctx-view --redact s | grep ghp_ || false
}
