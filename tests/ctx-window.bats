load helper

user() { printf '{"role":"user","content":"%s"}\n' "$@"; }
assistant() { printf '{"role":"assistant","content":"%s"}\n' "$@"; }
system() { printf '{"role":"system","content":"%s"}\n' "$@"; }
# call TEXT ID…: prints an assistant message with these calls.
call() {
	local text=$1 id sep=
	shift
	printf '{"role":"assistant","content":"%s","tool_calls":[' "$text"
	for id; do
		printf '%s{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}' "$sep" "$id"
		sep=,
	done
	printf ']}\n'
}
results() { printf '{"role":"tool","tool_call_id":"%s","content":"r"}\n' "$@"; }

fill() { # SID, messages on standard input
	ctx-append -q --create -s "$1"
}

# seqs: prints the sequence numbers of the messages in the window on standard input, on one line.
seqs() {
	jq -rj 'select(.kind=="message")|"\(.seq // .slot) "'
}

# whole WINDOW: the window must begin with its session record and end with its request record, which
# must list every message of the session as sent or omitted.
whole() {
	local all
	[ "$(head -1 "$1" | jq -r .kind)" = session ] && [ "$(tail -1 "$1" | jq -r .kind)" = request ] || return
	all=$(tail -1 "$1" | jq -c '[.messages[], .dropped[]|select(.first_seq)|range(.first_seq; .last_seq + 1)]|sort')
	[ "$all" = "$(tail -1 "$1" | jq -c '[range(1; .for_seq + 1)]')" ] || {
		echo "ranges: $all"; tail -1 "$1"; return 1; } >&2
	[ "$(tail -1 "$1" | jq -c '[.messages[]|select(.first_seq)|range(.first_seq; .last_seq + 1)]|sort')" = \
		"$(jq -sc '[.[]|select(.kind=="message" and .seq).seq]' "$1")" ] || return
	[ "$(tail -1 "$1" | jq '.tokens|del(.total)|add + 3')" = "$(tail -1 "$1" | jq .tokens.total)" ] || return
	[ "$(tail -1 "$1" | jq .tokens.total)" = \
		"$(jq -s '[.[]|select(.kind=="message").token_count]|add // 0|. + 3' "$1")" ]
}

@test 'the first message is not in a window with the summary that covers it' {
	for i in {1..8}; do
		ctx-append --create -q -s s -t "question $i: $(printf 'word %.0s' {1..30})"
		ctx-append -q -s s --role assistant -t "answer $i"
	done
	ctx-summarize -q -s s --keep-last 4 -b 2000 --threshold 0.1 >/dev/null
	for o in '' --rolling '-n 10' -p\ anthropic; do
		# shellcheck disable=SC2086 # words
		ctx-window -s s -b 2000 $o | jq -sc '[.[] | select(.kind == "message") | .slot // .seq]' |
			same - '["summary",13,14,15,16]'
	done
}

@test 'a window has the last 20 messages, or the number of messages that -n or CTX_WINDOW names' {
	for i in $(seq 30); do user "u$i"; assistant "a$i"; done | fill s
	ctx-window -s s >w
	[ "$(seqs <w)" = "$(seq -s ' ' 41 60) " ]
	whole w
	tail -1 w | jq -e '.kind == "request" and .session_id == "s" and .for_seq == 60
		and .created_at == "2026-01-02T03:04:05.678Z" and .dropped == [{"first_seq":1,"last_seq":40,"reason":"over_count"}]
		and .messages == [{"first_seq":41,"last_seq":60}]' >/dev/null
	[ "$(ctx-window -s s -n 4 | seqs)" = '57 58 59 60 ' ]
	[ "$(CTX_WINDOW=6 ctx-window -s s | seqs)" = '55 56 57 58 59 60 ' ]
	[ "$(CTX_WINDOW=6 ctx-window -s s -n 2 | seqs)" = '59 60 ' ]
	[ "$(ctx-window -s s -n 1000 | seqs | wc -w)" = 60 ]
	# a window begins with a user message, so that no answer stands without its question
	[ "$(ctx-window -s s -n 5 | tee w | seqs)" = '57 58 59 60 ' ]
	whole w
	tail -1 w | jq -e '.dropped == [{"first_seq":1,"last_seq":56,"reason":"over_count"}]' >/dev/null
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	echo '{"messages": 2}' >"$XDG_CONFIG_HOME/ctx/config.json"
	[ "$(ctx-window -s s | seqs)" = '59 60 ' ]
}

@test 'a window contains the messages as they are stored' {
	{ user a; assistant b; } | fill s
	ctx-append -s s --id x --metadata '{"n":1.0}' -t c >/dev/null
	ctx-window -s s | grep '"kind":"message"' | same <(ctx-show -s s | grep '"kind":"message"')
	ctx-window -s s | head -1 | same <(ctx-list)
}

@test '--turns N selects the last N turns, and a turn includes all its tool calls' {
	{
		user u1; call x c1; results c1; assistant a1
		user u2; call x c2 c3; results c3 c2; call x c4; results c4; assistant a2
		user u3; assistant a3
	} | fill s
	[ "$(ctx-window -s s --turns 1 | tee w | seqs)" = '12 13 ' ]
	whole w
	[ "$(ctx-window -s s --turns 2 | tee w | seqs)" = '5 6 7 8 9 10 11 12 13 ' ]
	whole w
	tail -1 w | jq -e '.dropped == [{"first_seq":1,"last_seq":4,"reason":"over_turns"}]' >/dev/null
	[ "$(CTX_TURNS=3 ctx-window -s s | seqs | wc -w)" = 13 ]
	[ "$(ctx-window -s s --turns 50 | seqs | wc -w)" = 13 ]
}

@test 'a window contains a call and all its results or none of them, even if a result came much later' {
	{ user u1; call x c1 c2 c3; results c3 c1 c2; assistant a1; user u2; assistant a2; } | fill s
	# messages: 1 user, 2 calls, 3-5 results, 6 answer, 7 user, 8 answer
	for n in 2 3 4 5 6 7; do
		ctx-window -s s -n $n >w
		whole w
		case " $(seqs <w)" in
		' 1 2 3 4 5 6 7 8 ' | ' 1 6 7 8 ' | ' 7 8 ') ;;   # a part of a turn brings its user message
		*) seqs <w; return 1 ;;
		esac
	done
	[ "$(ctx-window -s s -n 8 | seqs | wc -w)" = 8 ]
	# a late result after other messages
	{ user u1; call x c1 c2; results c1; for i in $(seq 30); do call y "z$i"; results "z$i"; done; results c2; user u2; } | fill late
	ctx-window -s late -n 10 >w
	whole w
	jq -s '[.[]|select(.kind=="message").message]|[.[].tool_calls[]?.id]-[.[].tool_call_id]' w | grep -qx '\[\]'
	jq -s '[.[]|select(.kind=="message").message]|[.[].tool_call_id|values]-[.[].tool_calls[]?.id]' w | grep -qx '\[\]'
}

@test 'in a long tool loop, the current turn keeps its user message and the newest messages' {
	{ system sys; user old; assistant old; user task
	  for i in $(seq 300); do call "step$i" "c$i"; results "c$i"; done; } | fill s
	ctx-window -s s -n 11 >w
	[ "$(seqs <w)" = '1 4 595 596 597 598 599 600 601 602 603 604 ' ] ||
		[ "$(seqs <w)" = '1 4 597 598 599 600 601 602 603 604 ' ] || { seqs <w; return 1; }
	whole w
	ctx-window -s s -b 2000 >w
	whole w
	seqs <w | grep -q '^1 4 .* 603 604 $'
	[ "$(tail -1 w | jq .tokens.total)" -le 1750 ]
	[ "$(seqs <w | wc -w)" -gt 20 ]
	ctx-window -s s --turns 1 >w
	[ "$(seqs <w | wc -w)" = 602 ]
	# calls that wait for results are kept
	call open o1 o2 | fill s
	ctx-window -s s -n 2 | seqs | grep -q '^1 4 .*605 $'
	results o1 | fill s
	ctx-window -s s -n 2 | seqs | grep -q '^1 4 .*605 606 $'
}

@test '-b TOKENS selects as many messages as fit into the budget minus the reserve' {
	for i in $(seq 200); do user "question number $i"; assistant "the answer to it is $i"; done | fill s
	for b in 100 1000 4000; do
		ctx-window -s s -b $b --reserve 0 >w
		whole w
		[ "$(tail -1 w | jq .tokens.total)" -le $b ]
		# one more turn would exceed the budget
		n=$(seqs <w | wc -w)
		more=$(ctx-window -s s -n $((n + 2)) | tail -1 | jq .tokens.total)
		[ "$n" = 400 ] || [ "$more" -gt $b ] || { echo "$b: $n messages, $more tokens"; return 1; } >&2
	done
	t() { ctx-window -s s "$@" | tail -1 | jq .tokens.total; }
	[ "$(t -b 800)" -le 700 ]
	[ "$(t -b 800)" -gt 650 ]
	[ "$(t -b 800 --reserve 500)" -le 300 ]
	[ "$(CTX_BUDGET=800 t)" = "$(t -b 800)" ]
	[ "$(CTX_BUDGET=800 CTX_RESERVE=500 t)" = "$(t -b 800 --reserve 500)" ]
	ctx-window -s s -b 800 --reserve 500 | tail -1 | jq -e '.budget == 800 and .reserve == 500' >/dev/null
	# both limits apply
	[ "$(ctx-window -s s -b 4000 -n 4 | seqs)" = '397 398 399 400 ' ]
	status 2 ctx-window -s s -b 100 --reserve 101 2>err
	# counts of different tokenizers are not mixed
	ctx-window -s s -b 800 --tokenizer chars4 >w
	whole w
	jq -se 'all(.[]|select(.kind=="message"); .tokenizer == "chars4")' w >/dev/null
	tail -1 w | jq -e '.tokenizer == "chars4"' >/dev/null
}

# recounted COMMAND...: prints the number of messages whose tokens the command counted again.
recounted() {
	"$@" -v 2>&1 >/dev/null | sed -n 's/.*, \([0-9]*\) messages* recounted.*/\1/p'
}

@test 'messages counted by another tokenizer are recounted only once' {
	seq -f '{"role":"user","content":"message number %g"}' 30 | fill s
	[ -z "$(recounted ctx-window -s s)" ]
	[ ! -e "$CTX_STORE-derived" ]
	[ "$(recounted ctx-window -s s -n 19 --tokenizer chars4)" = 20 ] # and the next
	ctx-window -s s -n 30 --tokenizer 'chars4*1' | jq -c 'select(.seq) | [.seq, .token_count]' >anew
	[ "$(recounted ctx-window -s s -n 30 --tokenizer chars4)" = 10 ]
	[ -z "$(recounted ctx-window -s s -n 30 --tokenizer chars4)" ]
	ctx-window -s s -n 30 --tokenizer chars4 | jq -c 'select(.seq) | [.seq, .token_count]' | diff anew -
	# other commands use the same counts
	[ -z "$(recounted ctx-prune -s s -n -b 100 --tokenizer chars4)" ]
	[ -z "$(recounted ctx-summarize -s s -n --tokenizer chars4)" ]
	[ -z "$(recounted ctx-list --tokenizer chars4)" ]
	ctx-append -q -s s -t more
	[ "$(recounted ctx-stats --tokenizer chars4)" = 1 ]
	[ -z "$(recounted ctx-stats --by user --tokenizer chars4)" ]
	# the counts were deleted and are computed again
	rm -f "$CTX_STORE"-derived*
	[ "$(recounted ctx-window -s s -n 30 --tokenizer chars4)" = 31 ]
	ctx-check --rebuild
	[ -z "$(recounted ctx-window -s s -n 31 --tokenizer chars4)" ]
	ctx-append -q -s s -t more
	ctx-check --catch-up
	[ -z "$(recounted ctx-window -s s -n 31 --tokenizer chars4)" ]
	# if the file of derived data cannot be used, messages are counted again each time
	rm -f "$CTX_STORE"-derived*
	mkdir "$CTX_STORE-derived"
	[ "$(recounted ctx-window -s s -n 32 --tokenizer chars4)" = 32 ]
	[ "$(recounted ctx-window -s s -n 32 --tokenizer chars4)" = 32 ]
}

@test 'neither ctx-append nor ctx-window waits for a lock on the file of derived data' {
	seq -f '{"role":"user","content":"message number %g"}' 5 | fill s
	ctx-window -s s --tokenizer chars4 >/dev/null
	ctx-append -q -s s -t six
	exec 9<>"$CTX_STORE-derived-lock"
	flock 9
	ctx-window -s s --tokenizer chars4 --busy-timeout 1h | jq -se '.[-2].tokenizer == "chars4"' >/dev/null
	ctx-append -q -s s -t seven --busy-timeout 1h
	flock -u 9
	[ "$(recounted ctx-window -s s --tokenizer chars4)" = 2 ]
}

@test 'required messages are included even if they exceed the budget' {
	{ system "$(printf '%02000d' 0)"; user "$(printf '%02000d' 1)"; } | fill s
	ctx-window -s s -b 50 >w
	[ "$(seqs <w)" = '1 2 ' ]
	whole w
}

@test 'opening system messages and pinned messages are always included' {
	{ system a; system b; user u0; assistant a0; } | fill s
	user pinned | ctx-append -q --pin -s s
	assistant a1 | fill s
	for i in $(seq 30); do user "u$i"; assistant "a$i"; done | fill s
	system 'in between' | fill s
	user last | fill s
	ctx-window -s s -n 3 >w
	[ "$(seqs <w)" = '1 2 5 68 ' ] || [ "$(seqs <w)" = '1 2 5 67 68 ' ] || { seqs <w; return 1; }
	whole w
	jq -se '.[]|select(.seq==5).pinned' w >/dev/null
	[ "$(ctx-window -s s -b 100 | seqs | cut -d' ' -f1-3)" = '1 2 5' ]
}

@test 'a pinned tool result also keeps its call, the other results and the user message of its turn' {
	{ user u1; call x c1 c2; results c1; } | fill s
	results c2 | ctx-append -q --pin -s s
	assistant done | fill s
	for i in $(seq 300); do user "u$i"; assistant "a$i"; done | fill s
	ctx-window -s s -n 2 >w
	[ "$(seqs <w)" = '1 2 3 4 604 605 ' ]
	whole w
}

@test '--system FILE and --default-system TEXT add a system message' {
	user u | fill s
	printf 'You are "x".\nBe ä.\n\n' >'sys file'
	ctx-window -s s --system 'sys file' >w
	[ "$(sed -n 2p w | jq -c '[.slot,.message.role,.message.content,.source.type]')" = \
		'["prefix","system","You are \"x\".\nBe ä.","prompt"]' ]
	[ "$(seqs <w)" = 'prefix 1 ' ]
	tail -1 w | jq -e '.tokens.system > 0' >/dev/null
	ctx-window -s s --default-system 'Be good.' | sed -n 2p | jq -e '.message.content == "Be good."' >/dev/null
	ctx-window -s s --default-system no --system 'sys file' | grep -c prefix | grep -qx 2
	{ system mine; user u; } | fill t
	[ "$(ctx-window -s t --default-system 'Be good.' | seqs)" = '1 2 ' ]
	[ "$(ctx-window -s t --default-system 'Be good.' -n 1 | seqs)" = '1 2 ' ]
	# also for an empty session
	ctx-new --id e >/dev/null
	[ "$(ctx-window -s e --default-system 'Be good.' | seqs)" = 'prefix ' ]
	status 4 ctx-window -s s --system nowhere 2>err >out
	[ ! -s out ]
	printf 'a\xff' >bad
	status 3 ctx-window -s s --system bad 2>err >out
	grep -q 'bad: not valid UTF-8' err
	# the system message is not stored
	[ "$(ctx-show -s s | grep -c '"kind":"message"')" = 1 ]
}

@test '--since omits older messages, by time or by age' {
	for d in 01 02 03 04; do
		for r in user assistant; do
			echo "{\"kind\":\"message\",\"created_at\":\"2026-01-${d}T00:00:00Z\",\"message\":{\"role\":\"$r\",\"content\":\"$d\"}}"
		done
	done | fill s
	export CTX_NOW=2026-01-05T00:00:00Z
	[ "$(ctx-window -s s --since 2026-01-03T00:00:00Z | tee w | seqs)" = '5 6 7 8 ' ]
	whole w
	[ "$(ctx-window -s s --since 2d | seqs)" = '5 6 7 8 ' ]
	[ "$(ctx-window -s s --since 36h | seqs)" = '7 8 ' ]
	[ "$(ctx-window -s s --since 30d | seqs | wc -w)" = 8 ]
	# the current turn is included however old it is
	[ "$(ctx-window -s s --since 1h | tee w | seqs)" = '7 8 ' ]
	whole w
	[ "$(ctx-window -s s -n 0 | seqs)" = '7 8 ' ]
	[ "$(ctx-window -s s --turns 0 | seqs)" = '7 8 ' ]
	status 2 ctx-window -s s --since soon 2>err
	grep -q -- "--since: 'soon' is neither a duration such as 90d " err
}

@test '--until SEQ ends the window with that message' {
	{ user u1; assistant a1; user u2; call x c1; results c1; assistant a2; user u3; } | fill s
	[ "$(ctx-window -s s --until 2 | tee w | seqs)" = '1 2 ' ]
	whole w
	tail -1 w | jq -e '.for_seq == 2' >/dev/null
	[ "$(ctx-window -s s --until 4 | seqs)" = '1 2 3 4 ' ]
	[ "$(ctx-window -s s --until 6 --turns 1 | seqs)" = '3 4 5 6 ' ]
	[ "$(ctx-window -s s --until 99 | seqs | wc -w)" = 7 ]
	[ -z "$(ctx-window -s s --until 0 | tee w | seqs)" ]
	whole w
}

@test '--missing-ok treats a missing session as empty, even without a store' {
	status 5 ctx-window -s s 2>err
	grep -q 'no store' err
	ctx-window -s s --missing-ok --default-system hi >w
	[ ! -e "$CTX_STORE" ]
	[ "$(seqs <w)" = 'prefix ' ]
	[ "$(head -1 w | jq -r '.session_id + " " + .status')" = 's active' ]
	tail -1 w | jq -e '.kind == "request" and .for_seq == 0' >/dev/null
	user u | fill other
	status 1 ctx-window -s s 2>err >out
	grep -q "^ctx-window: no session 's'" err
	[ ! -s out ]
	ctx-window -s s --missing-ok | tail -1 | jq -e '.kind == "request"' >/dev/null
	[ "$(ctx-list -1)" = other ]
}

@test 'several sessions are named by -s options or by records on standard input' {
	for s in a b c; do user "of $s" | fill $s; done
	ctx-window -s c -s a >w
	[ "$(jq -r 'select(.kind=="session" or .kind=="request")|.kind + " " + .session_id' w | tr '\n' ' ')" = \
		'session c request c session a request a ' ]
	[ "$(ctx-list | ctx-window | jq -r 'select(.kind=="message").message.content' | tr '\n' ' ')" = 'of a of b of c ' ]
	# every record with a session id names a session; consecutive records of one session count once
	user more | ctx-append -s b | ctx-window | grep -c '"kind":"session"' | grep -qx 1
	{ ctx-show -s a; ctx-show -s c; } | ctx-window | grep -c '"kind":"request"' | grep -qx 2
	echo "{" | status 3 ctx-window 2>err
	grep -q '^ctx-window: stdin:1: ' err
	ctx-window </dev/null >out
	[ ! -s out ]
	printf '%s\n' '{"kind":"session","session_id":"a"}' '{"kind":"session","session_id":"zz"}' |
		status 1 ctx-window 2>err >out
	tail -1 out | jq -e '.kind == "request" and .session_id == "a"' >/dev/null
}

@test 'deleted sessions are refused, archived ones are not' {
	user u | fill s
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 2"
	status 1 ctx-window -s s 2>err >out
	grep -q "session 's' is deleted (ctx-delete --restore restores it)" err
	status 1 ctx-window -s s --missing-ok 2>err >out
	[ ! -s out ]
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 1"
	[ "$(ctx-window -s s | seqs)" = '1 ' ]
}

@test 'hidden messages are omitted, and the request record counts them' {
	for i in 1 2 3 4 5 6; do user "u$i"; done | fill s
	sqlite3 "$CTX_STORE" "INSERT INTO hidden SELECT no << 32 | 2, no << 32 | 4, 0 FROM session;
		UPDATE session SET hidden_count = 3"
	ctx-window -s s >w
	[ "$(seqs <w)" = '1 5 6 ' ]
	whole w
	tail -1 w | jq -e '.dropped == [{"first_seq":2,"last_seq":4,"reason":"hidden"}]' >/dev/null
	[ "$(ctx-window -s s -n 3 | seqs)" = '1 5 6 ' ]
	ctx-window -s s -n 1 >w
	[ "$(seqs <w)" = '6 ' ]
	whole w
	ctx-window -s s --until 3 >w
	[ "$(seqs <w)" = '1 ' ]
	whole w
}

@test 'results without calls and unanswered calls are omitted and listed in the request record' {
	{ results nobody; user u1; call x c1; user u2; call x c2; results c2 c2; assistant a; user u3; } | fill s
	ctx-window -s s >w
	whole w
	[ "$(seqs <w)" = '2 4 5 6 8 9 ' ] || [ "$(seqs <w)" = '2 4 5 6 9 ' ] || [ "$(seqs <w)" = '2 4 8 9 ' ] || { seqs <w; return 1; }
	tail -1 w | jq -r '.dropped[].reason' | grep -qx orphan_result
	tail -1 w | jq -r '.dropped[].reason' | grep -qx unanswered_call
}

@test 'the request record contains the mode, the provider and a new request id' {
	user u | fill s
	ctx-window -s s -p anthropic --mode plan | tail -1 | jq -e '.provider == "anthropic" and .mode == "plan"' >/dev/null
	[ "$(for _ in 1 2 3; do ctx-window -s s | tail -1 | jq -r .request_id; done | sort -u | wc -l)" = 3 ]
	status 2 ctx-window -s s -p nobody 2>err
	status 2 ctx-window -s s operand 2>err
	same err <<<"ctx-window: unexpected operand 'operand'"
	status 2 ctx-window s 2>err
	same err <<<"ctx-window: unexpected operand 's' (use -s SID to name a session)"
	status 2 ctx-window -s s -n -1 2>err
	status 2 ctx-window -s s -n 1.5 2>err
}

@test 'the cost of a window does not grow with the history, and old messages are not read' {
	user old | fill s
	seq -f '{"role":"user","content":"some words to fill a page or two, %g"}' 20000 | fill s
	# old messages are damaged, so reading them would be an error
	sqlite3 "$CTX_STORE" "UPDATE message SET body = 'x' WHERE id & 0xffffffff BETWEEN 2 AND 19000"
	ctx-window -s s -n 10 >w
	[ "$(seqs <w | wc -w)" = 10 ]
	ctx-window -s s -b 1000 >/dev/null
	ctx-append -s s -t x | jq -e '.seq == 20002' >/dev/null
	status 5 ctx-window -s s -n 5000 2>err
}

@test 'the output in the C locale has the same bytes' {
	{ system ä; user 'ä😀'; } | fill s
	ctx-window -s s | sed '$d' >w
	LC_ALL=C ctx-window -s s | sed '$d' | same w
}

@test 'call ids are equal whatever escapes they are written with' {
	{
		user q
		call see 'a/b' c
		results 'a\/b' '\u0063'
		user r
	} | fill s
	ctx-window -s s -n 5 >w
	whole w
	[ "$(seqs <w)" = '1 2 3 4 5 ' ]
	ctx-window -s s | ctx-prune -b 1000 | ctx-render -p openai | jq -e '.messages|length == 5'
}

@test 'invalid cached counts are counted again' {
	seq -f '{"role":"user","content":"message number %g"}' 30 | fill s
	ctx-window -s s -n 30 --tokenizer chars4 | jq -c 'select(.seq) | [.seq, .token_count]' >right
	ctx-list --tokenizer chars4 | jq .token_count >sum
	for bad in -5 9223372036854775807 1e300 "'many'" 2147483648; do
		sqlite3 "$CTX_STORE-derived" "UPDATE recount SET tokens = $bad;
			UPDATE recount_total SET seq = $bad, tokens = $bad"
		ctx-list --tokenizer chars4 | jq .token_count | diff sum -
		sqlite3 "$CTX_STORE-derived" "UPDATE recount SET tokens = $bad"
		ctx-window -s s -n 30 -b 9999 --tokenizer chars4 >w
		jq -c 'select(.seq) | [.seq, .token_count]' w | diff right -
		[ -z "$(recounted ctx-window -s s -n 30 --tokenizer chars4)" ]
	done
}

@test '--stable takes little time even for one very long turn, which cannot be split' {
	{
		echo '{"role":"user","content":"go"}'
		seq -f '{"role":"tool","tool_call_id":"c%.0f","content":"x"}' 120000
	} | fill s
	ctx-window -s s -b 150000 >/dev/null
	(ulimit -t 5 && ctx-window -s s -b 150000 --stable) >w # of the processor's time
	tail -n 1 w | jq -e '.kind == "request"' >/dev/null
}

@test 'the request record gives over_budget, over_turns or over_count as the reason for omitted messages' {
	ctx-new --id o >/dev/null
	for t in aaaa bbbb dd "$(printf '%0400d' 0)"; do ctx-append -q -s o -t "$t"; done
	ctx-window -s o -b 50 | tail -n 1 | jq -c .dropped | same - '[{"first_seq":1,"last_seq":3,"reason":"over_budget"}]'
	ctx-window -s o | ctx-prune --keep-turns 1 | tail -n 1 | jq -c .dropped | same - '[{"first_seq":1,"last_seq":3,"reason":"over_turns"}]'
	ctx-window -s o | ctx-prune --keep-last 1 | tail -n 1 | jq -c .dropped | same - '[{"first_seq":1,"last_seq":3,"reason":"over_count"}]'
}
