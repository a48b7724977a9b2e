load helper

answers=$BATS_TEST_DIRNAME/fixtures/answers

new() {
	ctx-new --id "${1:-s}" -1 >/dev/null
}

messages() { # SID: the messages that are stored, as they are
	ctx-show -s "${1:-s}" | grep '"kind":"message"' | sed 's/.*"message":\({.*}\)}$/\1/' || true
}

user() {
	printf '{"role":"user","content":"%s"}\n' "$@"
}


@test '-t appends one message and prints its record with the sequence number' {
	new
	ctx-append -s s -t 'hello "you"' >out
	[ "$(wc -l <out)" = 1 ]
	[ "$(jq -c '[.kind,.session_id,.seq,.created_at,.message_type]' out)" = \
		'["message","s",1,"2026-01-02T03:04:05.678Z","query"]' ]
	grep -qF '"message":{"role":"user","content":"hello \"you\""}' out
	jq -e '.token_count > 0' out >/dev/null
	ctx-append -s s --role assistant -t hi | jq -e '.message_type == "response" and .seq == 2' >/dev/null
	ctx-append -s s --role system --type note --metadata '{"a":1.0}' --id x1 -t n >out
	grep -qF '"metadata":{"a":1.0}' out
	jq -e '.id == "x1" and .message_type == "note"' out >/dev/null
	ctx-show -s s | tail -1 | same out
}

@test '-t and --raw accept valid text and reject other bytes' {
	new
	printf 'two\nlines\n' | ctx-append -s s --raw | jq -e '.message.content == "two\nlines"' >/dev/null
	printf 'no end' | ctx-append -s s --raw | jq -e '.message.content == "no end"' >/dev/null
	printf '{"role":"user"}' | ctx-append -s s --raw | jq -e '.message.content == "{\"role\":\"user\"}"' >/dev/null
	printf '' | ctx-append -s s --raw | jq -e '.message.content == ""' >/dev/null
	ctx-append -s s -t 'ä😀' | jq -e '.message.content == "ä😀"' >/dev/null
	printf 'a\0b' | status 3 ctx-append -s s --raw 2>err
	printf 'a\xff' | status 3 ctx-append -s s --raw 2>err
	grep -q '^ctx-append: stdin: .*byte 2' err
	status 3 ctx-append -s s -t $'\xed\xa0\x80' 2>err
	status 2 ctx-append -s s --role robot -t x 2>err
	grep -q robot err
	[ "$(messages | wc -l)" = 5 ]
}

@test 'options that cannot be combined are refused' {
	new
	for o in '-t x --raw' '-t x -p openai' '--id x' '--type note' '--metadata {}' \
		'--rejects f' '--keep-going --atomic' '--keep-going --if-seq 1' '-t x file' \
		'-t x --metadata [' '-t x --metadata []' '-t x --if-seq -1' '-t x --if-seq 1x' \
		'-t x --type dance' '-t x --sync never' '-t x --tokenizer none'; do
		status 2 ctx-append -s s $o >out 2>err </dev/null || { echo "$o" >&2; return 1; }
		[ ! -s out ]
		[ "$(wc -l <err)" = 1 ]
	done
	status 2 ctx-append -s s -t two words 2>err
	grep -q "unexpected operand 'words' (quote a text of several words)" err
	status 2 ctx-append -t x 2>err
	grep -q -- '-s SID' err
	[ -z "$(messages)" ]
}

@test 'bare messages and records of several sessions can be mixed in one input' {
	new a
	new b
	printf '%s\n' '{"kind":"message","session_id":"a","message":{"role":"user","content":"1"}}' \
		'{"kind":"message","session_id":"b","seq":99,"id":"r","created_at":"2020-02-03T04:05:06+01:00","message_type":"error","pinned":true,"metadata":{"x":[1.0]},"token_count":1,"message":{"role":"user","content":"2"}}' \
		'{"kind":"message","session_id":"a","message":{"role":"assistant","content":"3"}}' |
		ctx-append >out
	[ "$(jq -c '[.session_id,.seq]' out | tr '\n' ' ')" = '["a",1] ["b",1] ["a",2] ' ]
	[ "$(jq -c 'select(.session_id=="b")|[.id,.created_at,.message_type,.pinned]' out)" = \
		'["r","2020-02-03T03:05:06.000Z","error",true]' ]
	grep -qF '"metadata":{"x":[1.0]}' out
	# -s puts all messages into one session
	new c
	ctx-append -s c <out >/dev/null
	[ "$(messages c | wc -l)" = 3 ]
	# a message without a session id needs -s
	user x | status 3 ctx-append 2>err
	grep -q '^ctx-append: stdin:1: no session' err
}

@test 'an id and a time inside the message are kept unchanged' {
	new
	echo '{"id":"theirs","created_at":17,"seq":3,"kind_":"x","role":"user","content":"c"}' | ctx-append -s s >out
	jq -e '.seq == 1 and .id == "s/1" and .message.id == "theirs" and .message.created_at == 17' out >/dev/null
}

@test 'records that are not messages, and texts that ctx-enrich added, are printed unchanged and in order' {
	new
	printf '%s\n' '{"kind":"session","session_id":"s", "x":1.0}' '{"role":"user","content":"1"}' \
		'{"kind":"message","slot":"prefix","source":{"type":"prompt"},"message":{"role":"system","content":"p"}}' \
		'{"kind":"future","a":[1]}' '{"role":"assistant","content":"2"}' \
		'{"kind":"request","session_id":"s"}' >in
	ctx-append -s s <in >out
	[ "$(wc -l <out)" = 6 ]
	for i in 1 3 4 6; do
		sed -n ${i}p out | same <(sed -n ${i}p in)
	done
	[ "$(messages)" = "$(sed -n '2p;5p' in)" ]
}

@test 'files are read in order, and - is standard input' {
	new
	user one >'a file'
	user three >b
	user two | ctx-append -s s 'a file' - b | jq -r .message.content >out
	printf '%s\n' one two three | same out
	status 4 ctx-append -s s b nowhere 2>err >out
	grep -q "^ctx-append: cannot open 'nowhere'" err
	[ "$(wc -l <out)" = 1 ]
	[ "$(messages | wc -l)" = 4 ]
}

@test '--create creates the session and the store' {
	status 5 ctx-append -s s -t x 2>err
	grep -q -- --create err
	[ ! -e "$CTX_STORE" ]
	ctx-append --create -u ann --ttl 1d -s s -t x >out
	[ "$(ctx-list | jq -c '[.session_id,.user_id,.message_count,.expires_at]')" = \
		'["s","ann",1,"2026-01-03T03:04:05.678Z"]' ]
	status 1 ctx-append -s t -t x 2>err
	grep -q "no session 't' (ctx-new or --create creates it)" err
	# --create creates the session of each record
	printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"c"}}\n' p q p |
		ctx-append --create >/dev/null
	[ "$(ctx-list | jq -c '[.session_id,.message_count]' | tr '\n' ' ')" = '["s",1] ["p",2] ["q",1] ' ]
	# empty input creates no session
	ctx-append --create -s empty </dev/null >out
	[ ! -s out ]
}

@test '--if-seq appends only if no other process appended' {
	new
	ctx-append -s s --if-seq 0 -t one >/dev/null
	status 1 ctx-append -s s --if-seq 0 -t two >out 2>err
	[ ! -s out ]
	grep -q "the last message of session '[^']*' has the number 1, not 0" err
	user two three | ctx-append -s s --if-seq 1 >/dev/null
	user four five | status 1 ctx-append -s s --if-seq 1 >out 2>err
	[ ! -s out ]
	[ "$(messages | wc -l)" = 3 ]
	ctx-append --create -s fresh --if-seq 0 -t x >/dev/null
}

@test '--if-seq acknowledges a message that is already stored, even if others appended since' {
	new
	ctx-append -s s --if-seq 0 --id r -t x >first
	ctx-append -s s -t 'someone else' >/dev/null
	ctx-append -s s --if-seq 0 --id r -t x | same first
	for id in a b; do echo "{\"kind\":\"message\",\"id\":\"$id\",\"message\":{\"role\":\"user\",\"content\":\"$id\"}}"; done >two
	ctx-append -s s --if-seq 2 <two >stored
	ctx-append -s s --if-seq 2 <two | same stored
	# one message is already stored, and the other would follow messages of another process
	{ cat two; user new; } | status 1 ctx-append -s s --if-seq 2 >out 2>err
	[ ! -s out ]
	[ "$(messages | wc -l)" = 4 ]
	status 3 ctx-append -s s --if-seq 4 --id r -t 'other bytes' 2>err
}

@test 'a message with an existing record id is acknowledged again if it is the same message, and rejected otherwise' {
	new
	ctx-append -s s --id r -t x >first
	ctx-append -s s -t between >/dev/null
	ctx-append -s s --id r -t x >again
	same first <again
	status 3 ctx-append -s s --id r -t y >out 2>err
	[ ! -s out ]
	grep -q "record id 'r' is already used" err
	[ "$(messages | wc -l)" = 2 ]
	# the same message with other white space
	echo '{"kind":"message","id":"r","message":{ "role" : "user" , "content" : "x" }}' |
		ctx-append -s s | same first
	# an id that is repeated within the input
	for c in q q z; do echo "{\"kind\":\"message\",\"id\":\"n\",\"message\":{\"role\":\"user\",\"content\":\"$c\"}}"; done |
		status 3 ctx-append -s s >out 2>err
	grep -q '^ctx-append: stdin:3: ' err
	[ "$(jq -c .seq out | tr '\n' ' ')" = '3 3 ' ]
	# ids are unique only within a session
	new t
	ctx-append -s t --id r -t other >/dev/null
}

@test 'appending an export again changes nothing' {
	new
	user a b c | ctx-append -s s >acks
	ctx-show -s s >before
	ctx-append <acks | same acks
	ctx-show -s s | ctx-append >/dev/null
	ctx-show -s s | same before
	# an existing sequence number with another message is rejected
	sed 's/"b"/"B"/' acks | status 3 ctx-append >out 2>err
	[ "$(wc -l <out)" = 1 ]
	ctx-show -s s | same before
}

@test '--atomic stores the whole input or nothing' {
	new
	{ user a b; echo '{"role":"nobody"}'; } >bad
	status 3 ctx-append -s s --atomic bad >out 2>err
	grep -q '^ctx-append: bad:3: ' err
	[ ! -s out ]
	status 3 ctx-append -s s --atomic - <bad >out 2>err
	grep -q '^ctx-append: stdin:3: ' err
	[ -z "$(messages)" ]
	[ "$(ctx-list | jq .message_count)" = 0 ]
	user a b >good
	user c | ctx-append -s s --atomic good - >out
	[ "$(jq -r .message.content out | tr '\n' ' ')" = 'a b c ' ]
	# a record that is rejected only by the store
	printf '%s\n' "$(user d)" '{"kind":"message","session_id":"s","id":"s/1","message":{"role":"user","content":"z"}}' |
		status 3 ctx-append -s s --atomic >out 2>err
	[ ! -s out ]
	[ "$(messages | wc -l)" = 3 ]
	# the created session is removed too
	echo '{"role":"x"}' | cat good - | status 3 ctx-append --create -s t --atomic 2>err
	[ "$(ctx-list -1)" = s ]
}

@test '--atomic holds no lock while it reads from a pipe' {
	new
	mkfifo slow
	user first >head
	ctx-append -s s --atomic head slow >acks &
	pid=$!
	exec 7>slow
	user second >&7
	# the input and the output are still open, and another process can write
	CTX_BUSY_TIMEOUT=2s ctx-append -s s -t other >out || { exec 7>&-; wait $pid; return 1; }
	exec 7>&-
	wait $pid
	[ "$(messages | jq -r .content | tr '\n' ' ')" = 'other first second ' ]
}

@test 'a message from an open pipe is stored and acknowledged immediately' {
	new
	coproc APP { ctx-append -s s; }
	pid=$APP_PID
	for i in 1 2 3; do
		user "m$i" >&"${APP[1]}"
		read -r -t 10 line <&"${APP[0]}"
		[ "$(jq .seq <<<"$line")" = $i ]
		# another process sees the message and could write now
		[ "$(ctx-window -s s -n 1 | jq -r 'select(.kind=="message").message.content')" = "m$i" ]
	done
	new t
	eval "exec ${APP[1]}>&-"
	wait $pid
}

@test 'an append from an open pipe continues after another process appended, and every message is acknowledged' {
	new
	coproc APP { CTX_BUSY_TIMEOUT=2s ctx-append -s s; }
	pid=$APP_PID
	line='{"kind":"message","id":"r","message":{"role":"user","content":"x"}}'
	for _ in 1 2; do # the second is there already
		echo "$line" >&"${APP[1]}"
		read -r -t 10 ack <&"${APP[0]}"
		ctx-append -s s -t other >/dev/null
	done
	user last >&"${APP[1]}"
	read -r -t 10 ack <&"${APP[0]}"
	[ "$(jq -r .seq <<<"$ack")" = 4 ]
	eval "exec ${APP[1]}>&-"
	wait $pid
}

@test 'if a pipe delivers half a line, ctx-append waits for the other half' {
	new
	coproc APP { ctx-append -s s; }
	pid=$APP_PID
	user one >&"${APP[1]}"
	printf '{"role":"user",' >&"${APP[1]}"
	read -r -t 10 line <&"${APP[0]}"
	printf '"content":"two"}\n' >&"${APP[1]}"
	read -r -t 10 line <&"${APP[0]}"
	[ "$(jq -r .message.content <<<"$line")" = two ]
	eval "exec ${APP[1]}>&-"
	wait $pid
	[ "$(messages | wc -l)" = 2 ]
}

request() { # SID PROVIDER [REQUEST-ID]
	printf '{"kind":"request","session_id":"%s","request_id":"%s","for_seq":1,"created_at":"2026-01-01T00:00:00.000Z","provider":"%s"}\n' \
		"$1" "${3-req-1}" "$2"
}

# bad WANT LINE…: rejects LINE (a format of printf) and stores the valid lines around it.
bad() {
	local want=$1
	new "b$((++n))"
	{ user before; printf "$2\n"; user after; } >in.ndjson
	status 3 ctx-append -s "b$n" in.ndjson >out 2>err || return
	[ "$(wc -l <err)" = 1 ] && [ "$(wc -c <err)" -lt 1200 ] || { cat err; return 1; }
	grep -q "^ctx-append: in.ndjson:2: .*$want" err || { cat err; return 1; }
	[ "$(messages "b$n")" = "$(user before)" ] && [ "$(wc -l <out)" = 1 ] || return
	# with --keep-going, all valid messages are stored, and the invalid line is written unchanged to the rejects file
	status 3 ctx-append -s "b$n" --keep-going --rejects rejects <in.ndjson >out 2>err || return
	grep -q "^ctx-append: stdin:2: .*$want" err || { cat err; return 1; }
	[ "$(messages "b$n")" = "$(user before before after)" ] || return
	printf "$2\n" | cmp - rejects
}

@test 'for plain text or a JSON list, the error message says how to pass it' {
	local line
	for line in 'plain text' '[{"role":"user","content":"x"}]' '{"plain"'; do
		status 3 ctx-append -q --create -s s <<<"$line" 2>>err
	done
	{ user x; echo 'plain text'; } | status 3 ctx-append -q -s s --create 2>>err
	same err <<-'END'
	ctx-append: stdin:1: not a JSON value at byte 1 (--raw reads plain text)
	ctx-append: stdin:1: not a JSON object (jq -c '.[]' puts each element of a list on a line)
	ctx-append: stdin:1: incomplete value at byte 9 (jq -c . puts each value on one line)
	ctx-append: stdin:2: not a JSON value at byte 1
	END
	: >req
	status 3 ctx-append --request req <<<'{}' 2>err
	same err <<<'ctx-append: req: the file is empty, but must contain a request record (ctx-render --request writes it)'
}

@test 'each kind of bad input is reported with file and line, and valid messages are stored' {
	n=0
	bad '' '{"role":"user"'
	bad '' '{"role":"user",}'
	bad '' '{role:"user"}'
	bad '' '{"role":"user","content":01}'
	bad '' '{"role":"user","content":NaN}'
	bad '' '{"role":"user","content":"a\tb"}'
	bad '' "{'role':'user'}"
	bad '' '{"role":"user","content":"x"} {"role":"user","content":"y"}'
	bad '' '{"role":"user","content":"x"}, '
	bad 'not a JSON object' '[{"role":"user","content":"x"}]'
	bad 'not a JSON object' '"text"'
	bad 'not a JSON object' 'null'
	bad '' 'plain text, no JSON'
	bad '' '{"role":"user","content":"a\0b"}'
	bad '' '\0\0\0\0\0\0'
	bad 'UTF-8' '{"role":"user","content":"a\xff"}'
	bad 'UTF-8' '{"role":"user","content":"\xed\xa0\x80"}'
	bad 'UTF-8' '{"role":"user","content":"\xc0\xaf"}'
	bad 'surrogate' '{"role":"user","content":"\\ud83d"}'
	bad 'surrogate' '{"role":"user","content":"\\ude00 x"}'
	bad '' '{"role":"user","content":"\\x41"}'
	bad 'role' '{"content":"x"}'
	bad 'role' '{}'
	bad 'unknown role "bot"' '{"role":"bot","content":"x"}'
	bad 'no role' '{"role":null,"content":"x"}'
	bad 'message must be an object' '{"kind":"message"}'
	bad 'message must be an object' '{"kind":"message","message":"x"}'
	bad 'role' '{"kind":"message","message":{"content":"x"}}'
	bad 'created_at' '{"kind":"message","created_at":"yesterday","message":{"role":"user","content":"x"}}'
	bad 'message_type' '{"kind":"message","message_type":"song","message":{"role":"user","content":"x"}}'
	bad 'pinned' '{"kind":"message","pinned":"yes","message":{"role":"user","content":"x"}}'
	bad 'record id' '{"kind":"message","id":"","message":{"role":"user","content":"x"}}'
	bad '' '  {"role":"user"  \t\r'
}

@test 'deeply nested input is rejected' {
	new
	python3 -c 'print("{\"role\":\"user\",\"content\":" + "[" * 1000000)' >bomb
	python3 -c 'n = 200000; print("{\"role\":\"user\",\"content\":" + "[" * n + "]" * n + "}")' >>bomb
	status 3 ctx-append -s s --keep-going bomb 2>err
	[ "$(grep -c '^ctx-append: bomb:[12]: ' err)" = 2 ]
	[ -z "$(messages)" ]
}

@test 'NUL padding after the last line, as after a crash, is accepted' {
	new
	{ user a b; head -c 4096 /dev/zero; } >padded
	status 3 ctx-append -s s padded >out 2>err
	[ "$(wc -l <out)" = 2 ]
	grep -q '^ctx-append: padded:3: .*NUL' err
}

@test 'blank lines, CRLF, a byte order mark and a missing last newline are accepted' {
	new
	printf '\xef\xbb\xbf{"role":"user","content":"a"}\r\n\r\n  \n{"role":"user","content":"b"}' |
		ctx-append -s s >out
	[ "$(messages)" = "$(user a b)" ]
	{ user c; echo; echo nope; } | status 3 ctx-append -s s 2>err
	grep -q '^ctx-append: stdin:3: ' err
}

@test 'a line longer than --max-record is reported and written completely to the --rejects file' {
	new
	{ user short; user "$(head -c 3000000 /dev/zero | tr '\0' x)"; user "$(printf '%0150d' 0)"; user last; } >in
	status 3 ctx-append -s s --max-record 100 --keep-going --rejects rejects <in >out 2>err
	[ "$(grep -c 'longer than 100 bytes' err)" = 2 ]
	grep -q '^ctx-append: stdin:2: ' err
	grep -q '^ctx-append: stdin:3: ' err
	[ "$(messages)" = "$(user short last)" ]
	sed -n 2,3p in | cmp - rejects
	status 3 ctx-append -s s --max-record 100 in >out 2>err
	[ "$(wc -l <out)" = 1 ]
}

@test 'with --keep-going, messages for missing or deleted sessions are written to the --rejects file' {
	new a
	new gone
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 2 WHERE session_id = 'gone'"
	line() { printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"x"}}\n' "$@"; }
	line a nope gone a | status 3 ctx-append --keep-going --rejects rejects >out 2>err
	[ "$(wc -l <out)" = 2 ]
	grep -q "^ctx-append: stdin:2: no session 'nope'" err
	grep -q "^ctx-append: stdin:3: session 'gone' is deleted" err
	line nope gone | same rejects
	status 4 ctx-append --keep-going --rejects nowhere/x </dev/null 2>err
}

@test 'rejected lines are written to the --rejects file in the order of the input' {
	new a
	new gone
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 2 WHERE session_id = 'gone'"
	long=$(printf '%0300d' 0)
	line() { printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"x"}}\n' "$@"; }
	{
		line gone a
		echo nonsense
		line gone
		echo '{"kind":"session","session_id":"a","user_id":5}'
		line a
		echo "{\"long\":\"$long\"}"
		line a gone
		head -c 3000000 /dev/zero | tr '\0' x
		echo
		line gone
		echo '[]'
	} >in
	status 3 ctx-append --create --keep-going --rejects rejects --max-record 250 in >out 2>err
	[ "$(wc -l <out)" = 1 ]
	sed 2d in | cmp - rejects
	sed -n 's/^ctx-append: in:\([0-9]*\): .*/\1/p' err | paste -sd ' ' - | same - '1 3 4 5 6 7 8 9 10 11 12'
}

@test 'with --keep-going, an error names the file of the rejected line, even if other files follow' {
	d=$(printf 'd%.0s' {1..100})
	mkdir "$d"
	echo '{"kind":"message","session_id":"nope","message":{"role":"user","content":"x"}}' |
		tee "$d/one" "$d/two" >three
	new a
	status 1 ctx-append "$d/one" three 2>err
	grep -q "^ctx-append: $d/one:1: no session 'nope'" err
	status 3 ctx-append --keep-going "$d/one" "$d/two" three 2>err
	for f in "$d/one" "$d/two" three; do
		grep -q "^ctx-append: $f:1: no session 'nope'" err || return
	done
}

@test 'messages for missing, deleted and archived sessions are refused' {
	new
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 2"
	status 1 ctx-append -s s -t x 2>err
	grep -q "session 's' is deleted" err
	user x | status 1 ctx-append -s s 2>err
	grep -q "stdin:1: session 's' is deleted" err
	status 1 ctx-append --create -s s -t x 2>err
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 1"
	status 1 ctx-append -s s -t x 2>err
	grep -q "archived.*restore" err
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 0"
	[ -z "$(messages)" ]
}

@test 'if the reader of the output goes away, the input is still stored and the exit status is 4' {
	new
	seq -f '{"role":"user","content":"m%g"}' 2000 >in
	set +e
	ctx-append -s s <in 2>err | head -n 1 >out
	st=(${PIPESTATUS[@]})
	set -e
	[ "${st[0]}" = 4 ]
	[ "$(wc -l <out)" = 1 ]
	[ ! -s err ]
	messages | same in
}

@test 'if stdout is a full disk, the input is still stored and the exit status is 4' {
	new
	user a b | status 4 ctx-append -s s >/dev/full 2>err
	status 4 ctx-append -s s -t c >/dev/full 2>err
	user d | status 4 ctx-append -s s --atomic >/dev/full 2>err
	messages | same <(user a b c d)
	ctx-append -q -s s -t e >/dev/full
}

@test '-q prints no records' {
	new
	user a | ctx-append -q -s s >out
	user b | ctx-append -q --atomic -s s >>out
	[ ! -s out ]
	[ "$(messages | wc -l)" = 2 ]
}

@test 'counters of messages, calls, tokens and times are updated' {
	new
	ctx-append -s s <<-'END' >out
	{"role":"user","content":"a"}
	{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]}
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x","is_error":true},{"type":"tool_result","tool_use_id":"2","content":"y"}]}
	{"role":"tool","tool_call_id":"2","content":"y"}
	END
	[ "$(jq -r .message_type out | tr '\n' ' ')" = 'query response error tool_result ' ]
	ctx-list >rec
	[ "$(jq -c '[.message_count,.tool_call_count,.last_seq]' rec)" = '[4,2,4]' ]
	[ "$(jq .token_count rec)" = "$(jq -s 'map(.token_count)|add' out)" ]
	[ "$(jq -r .last_message_at rec)" = 2026-01-02T03:04:05.678Z ]
}

@test 'chars4 counts floor(characters / 4), and the record names the tokenizer' {
	new
	ctx-append -s s --tokenizer chars4 -t 'ääääääää' >out
	[ "$(jq -r .tokenizer out)" = chars4 ]
	a=$(jq .token_count out)
	b=$(ctx-append -s s --tokenizer chars4 -t 'ääääääääääää' | jq .token_count)
	[ $((b - a)) = 1 ]
}

# ---- answers ----

@test 'answers of every provider are stored, as a whole body or a stream, with and without a request record' {
	for f in "$answers"/*; do
		name=$(basename "$f")
		p=${name%%-*}
		sid=$name
		ctx-append --create -s "$sid" -t question >/dev/null
		request "$sid" "$p" >req.json
		ctx-append --request req.json <"$f" >out 2>err || { cat err; echo "$name"; return 1; }
		[ ! -s err ]
		jq -e --arg p "$p" '.seq == 2 and .message.role == "assistant" and .metadata.provider == $p
			and .metadata.request_id == "req-1" and (.metadata.usage|type) == "object"
			and (.metadata.model|type) == "string"' out >/dev/null || { cat out; return 1; }
		ctx-show -s "$sid" | tail -1 | jq -e '.kind == "request" and .response_seq == 2
			and (.usage|type) == "object"' >/dev/null
		# the same answer is acknowledged again
		ctx-append --request req.json <"$f" | same out
		ctx-append -p "$p" -s "$sid" <"$f" | jq -e '.seq == 3' >/dev/null
		[ "$(messages "$sid" | sed -n 2p)" = "$(messages "$sid" | sed -n 3p)" ]
		# a streamed answer is stored as the same message as the whole body
		case $name in
		*.json) messages "$sid" | sed -n 2p >"whole-${name%.json}" ;;
		esac
	done
	for f in "$answers"/*.sse; do
		name=$(basename "$f" .sse)
		[ "$(messages "$name.sse" | sed -n 2p | jq -cS '.content, [.tool_calls[]?|del(.index)]')" = \
			"$(jq -cS '.content, [.tool_calls[]?|del(.index)]' "whole-$name")" ] || { echo "$name"; return 1; }
	done
}

@test 'an answer is stored with its tool calls and token count, for the provider of -p or CTX_PROVIDER' {
	new
	ctx-append -s s -p openai <"$answers/openai-tools.json" >out
	jq -e '.message.tool_calls|length > 0' out >/dev/null
	[ "$(ctx-list | jq .tool_call_count)" = "$(jq '.message.tool_calls|length' out)" ]
	new t
	request t openai | sed 's/,"provider":"openai"//' >req
	status 2 ctx-append --request req <"$answers/openai-text.json" 2>err
	grep -q 'no provider given' err
	CTX_PROVIDER=openai ctx-append --request req <"$answers/openai-text.json" >/dev/null
	# CTX_PROVIDER alone does not make ctx-append read messages as answers
	user hi | CTX_PROVIDER=openai ctx-append -s s >/dev/null
	status 2 ctx-append -p openai <"$answers/openai-text.json" 2>err
	status 2 ctx-append -s s -p nobody <"$answers/openai-text.json" 2>err
	status 2 ctx-append -p openai -s s --request req <"$answers/openai-text.json" 2>err
	grep -q "belongs to session 't'" err
}

@test '--echo prints the answer'\''s text on stderr with visible control characters' {
	new
	ctx-append -s s -p openai --echo <"$answers/openai-text.sse" 2>err >out
	[ "$(cat err)" = "$(jq -r .message.content out)" ]
	python3 - >evil <<-'END'
	import json
	print(json.dumps({"id": "x", "choices": [{"index": 0, "finish_reason": "stop", "message":
	    {"role": "assistant", "content": "a\x1b]0;t\x07b\u009b31m\tc\nd\u00e4"}}]}))
	END
	ctx-append -s s -p openai --echo <evil 2>err >out
	printf 'a\\x1b]0;t\\x07b\\x9b31m\tc\ndä\n' | cmp - err
	jq -e '.message.content == "a\u001b]0;t\u0007b\u009b31m\tc\nd\u00e4"' out >/dev/null
}

@test '--echo prints each event of a stream as it arrives' {
	new
	coproc APP { ctx-append -s s -p openai --echo 2>&1 >ack; }
	pid=$APP_PID
	printf 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hey"}}]}\n\n' >&"${APP[1]}"
	read -r -t 10 -N 3 text <&"${APP[0]}"
	[ "$text" = Hey ]
	[ -z "$(messages)" ]
	printf 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n' >&"${APP[1]}"
	eval "exec ${APP[1]}>&-"
	wait $pid
	[ "$(messages | wc -l)" = 1 ]
}

# failed PROVIDER WANT: standard input is not an answer, the error contains WANT, and nothing is stored.
failed() {
	local p=$1 want=$2
	new "f$((++n))"
	ctx-append -s "f$n" -t q >/dev/null
	request "f$n" "$p" "req-$n" >req
	status 4 ctx-append --request req >out 2>err || return
	[ ! -s out ] && [ "$(wc -l <err)" = 1 ] || { cat out err; return 1; }
	grep -q "$want" err || { cat err; return 1; }
	[ "$(messages "f$n" | wc -l)" = 1 ] || return
	ctx-show -s "f$n" | tail -1 >rec
	jq -e --arg w "$want" '.kind == "request" and .status == "failed" and (.error|test($w))
		and (has("response_seq")|not)' rec >/dev/null || { cat rec; return 1; }
}

@test 'an error body or a truncated stream is stored only as a failed request, not as an answer' {
	n=0
	failed openai 'quota is gone' <<<'{"error":{"message":"quota is gone","type":"x","code":429}}'
	failed anthropic 'Overloaded' <<<'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
	failed gemini 'bad key' <<<'{"error":{"code":400,"message":"bad key","status":"INVALID_ARGUMENT"}}'
	failed gemini 'bad key' <<<'[{"error":{"code":400,"message":"bad key","status":"INVALID_ARGUMENT"}}]'
	failed anthropic 'Overloaded' <<-'END'
	event: error
	data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}

	END
	failed openai 'html' <<<'<html><h1>502 Bad Gateway</h1></html>'
	failed openai '' </dev/null
	failed openai '' <<<'{"choices":[]}'
	for f in "$answers"/*.sse "$answers"/*.array "$answers"/*.json; do
		p=$(basename "$f")
		head -c $(($(stat -c %s "$f") / 2)) "$f" >half
		failed "${p%%-*}" '' <half || { echo "$p" >&2; return 1; }
	done
}

@test 'a failed request can be sent again, and only its first answer is stored' {
	new
	ctx-append -s s -t q >/dev/null
	request s openai >req
	status 4 ctx-append --request req <<<'{"error":{"message":"later"}}' 2>err
	ctx-append --request req <"$answers/openai-text.json" >out
	ctx-show -s s | grep '"kind":"request"' >recs
	[ "$(wc -l <recs)" = 1 ]
	jq -e '.response_seq == 2 and .status != "failed" and (has("error")|not)' recs >/dev/null
	# a different answer to the request is refused, and the stored one does not change
	sed 's/"content": *"/&X/' "$answers/openai-text.json" | status 3 ctx-append --request req 2>err >out
	[ ! -s out ]
	ctx-show -s s | grep '"kind":"request"' | same recs
	# a later error does not change the stored answer
	status 4 ctx-append --request req <<<'{"error":{"message":"later"}}' 2>err
	ctx-show -s s | grep '"kind":"request"' | same recs
	# the same answer after another message is acknowledged with its old sequence number
	ctx-append -s s -t more >/dev/null
	ctx-append --request req <"$answers/openai-text.json" | jq -e '.seq == 2' >/dev/null
	ctx-show -s s | grep '"kind":"request"' | same recs
}

@test 'an invalid request file is refused' {
	new
	for r in '' '{}' '{"kind":"session"}' '{"kind":"request"}' '{"kind":"request","request_id":"r"}' 'x'; do
		printf '%s\n' "$r" >req
		status 3 ctx-append --request req <"$answers/openai-text.json" 2>err || { echo "$r"; return 1; }
		grep -q '^ctx-append: req: ' err || { cat err; return 1; }
	done
	status 4 ctx-append --request nowhere <"$answers/openai-text.json" 2>err
	request nope openai >req
	status 1 ctx-append --request req <"$answers/openai-text.json" 2>err
	grep -q "no session 'nope'" err
	[ -z "$(messages)" ]
}

@test 'file names with spaces, quotes and format characters work in the C locale' {
	mkdir -p "$BATS_TEST_TMPDIR/a dir/-x \"q\" ;\$(x)%s"
	cd "$BATS_TEST_TMPDIR/a dir/-x \"q\" ;\$(x)%s"
	export LC_ALL=C CTX_STORE='my store.db'
	user 'ä' >'in put'
	ctx-append --create -s 's p' 'in put' >out
	same <(user 'ä') <<<"$(messages 's p')"
	echo '{"role":"ä"}' >'%s%n'
	status 3 ctx-append -s 's p' '%s%n' 2>err
	grep -qF 'ctx-append: %s%n:1: unknown role "ä"' err
	export CTX_STORE=$'new\nline.db'
	status 5 ctx-append -s s -t x 2>err
	[ "$(wc -l <err)" = 1 ]
	CTX_STORE=./-dash.db ctx-append --create -s s -t x >/dev/null
	[ -f ./-dash.db ]
	for path in 'file:uri?mode=memory' file:uri :memory: 'a?b#c%41'; do
		export CTX_STORE=$path
		ctx-append --create -s s -t x >/dev/null
		[ -f "$path" ]
		[ "$(messages s | wc -l)" = 1 ]
		[ "$(ctx-window -s s | wc -l)" = 3 ]
	done
}

# ---- bytes of messages ----

@test 'randomly generated messages are read back byte for byte' {
	new
	python3 - >in 2>want <<-'END'
	import random, sys
	r = random.Random(20260102)
	ws = ["", "", "", " ", "\t", "  ", " \r"]
	def w(spaced): return r.choice(ws) if spaced else ""
	nums = ["0", "-0", "1.0", "1e400", "-1E-400", "9007199254740993", "18446744073709551616",
	    "123456789012345678901234567890", "0.1", "1e0", "1E+2", "3.14159265358979323846", "-1"]
	chars = ["a", "Z", " ", "\\n", "\\u0041", "\\u00e4", "ä", "\\ud83d\\ude00", "😀", "👩‍👩‍👧", "\\/", "/",
	    "\\\\", "\\\"", "\\b", "\\f", "\\u0000", "\u2028", "\x7f", "\U0010ffff", "\\uFFFF", "{", "]", ":", ","]
	def string(): return '"' + "".join(r.choice(chars) for _ in range(r.randrange(8))) + '"'
	def value(d):
	    k = r.randrange(9 if d > 0 else 6)
	    if k < 2: return [r.choice(nums)]
	    if k < 4: return [string()]
	    if k == 4: return [r.choice(["true", "false", "null"])]
	    if k == 5: return [r.choice(["{", "["])] if False else ["[", "]"]
	    if k == 6 or k == 7: return obj([], d - 1)
	    out = ["["]
	    for i in range(r.randrange(1, 5)):
	        out += ([","] if i else []) + value(d - 1)
	    return out + ["]"]
	def obj(fixed, d):
	    members = [[k, ":"] + v for k, v in fixed]
	    for _ in range(r.randrange(4)):
	        k = string()
	        for _ in range(r.choice([1, 1, 1, 2])):   # duplicate keys
	            members.append([k, ":"] + value(d))
	    r.shuffle(members)
	    out = ["{"]
	    for i, m in enumerate(members): out += ([","] if i else []) + m
	    return out + ["}"]
	for i in range(1500):
	    role = r.choice(["user", "assistant", "system", "developer"])
	    t = obj([('"role"', ['"%s"' % role]), ('"content"', value(4))], 3)
	    spaced = r.random() < .5
	    line = "".join(w(spaced) + x + w(spaced) for x in t)
	    sys.stderr.write("".join(t) + "\n")
	    if r.random() < .5:
	        line = '{"kind":"message",%s"metadata":{"n":1.0},"message":%s}' % (w(spaced), line)
	    sys.stdout.write(line + "\n")
	END
	ctx-append -s s <in >out
	messages | same want
	sed 's/.*"message":\({.*}\)}$/\1/' out | same want
	# through ctx-window and ctx-prune into another session
	ctx-window -s s -n 1500 | ctx-prune -b 100000000 | ctx-append -q --create -s t
	messages t | sort | uniq >got
	sort want | uniq | comm -13 - got | same /dev/null
	LC_ALL=C ctx-append --create -q -s u <in
	messages u | same want
}

@test 'a file size limit is reported like a full disk, and only stored messages are acknowledged' {
	ctx-append -q --create -s s -t one
	yes '{"role":"user","content":"0123456789012345678901234567890123456789"}' |
		head -n 30000 >in || true
	status 4 bash -c 'ulimit -f 200; ctx-append -s s in 2>&1 >acked | cat >err; exit "${PIPESTATUS[0]}"'
	grep -q '^ctx-append: ' err
	[ "$(wc -l <acked)" -lt "$(ctx-show -s s | grep -c '"kind":"message"')" ]
	ctx-check -q
}

@test '--echo: an error message begins on a new line' {
	printf 'data: {"choices":[{"delta":{"role":"assistant","content":"partial"}}]}\n\n' >cut
	ctx-append -q --create -s s -t hello
	status 4 ctx-append --echo -p openai -s s <cut 2>err
	[ "$(head -n 1 err)" = partial ]
	grep -q '^ctx-append: openai: the answer broke off before its end' err
	# no empty line if no text was printed before the error
	echo '{"error":{"message":"no"}}' | status 4 ctx-append --echo -p openai -s s 2>err
	[ "$(wc -l <err)" = 1 ]
}

@test 'a message accepted with --max-record can be read and appended by all commands' {
	export CTX_MAX_RECORD=100000
	# the JSON around the text has 28 bytes
	head -c 99972 /dev/zero | tr '\0' x | ctx-append -q --create -s s --raw
	ctx-show -s s | grep '"kind":"message"' >stored
	[ "$(wc -c <stored)" -gt 100000 ]
	for c in 'ctx-prune -b 999999' 'ctx-render -p openai' ctx-enrich ctx-count 'ctx-count --total' \
	    'ctx-summarize'; do
		ctx-window -s s -b 999999 | $c >out
	done
	ctx-show -s s | ctx-append -q --create -S copy.db
	ctx-show -S copy.db -s s | grep '"kind":"message"' | same stored
	# one byte more is refused, and so is a text that is too long after escaping
	head -c 99973 /dev/zero | tr '\0' x | status 3 ctx-append -q -s s --raw 2>err
	grep -q 'longer than 100000 bytes' err
	head -c 60000 /dev/zero | tr '\0' '"' | status 3 ctx-append -q -s s --raw 2>err
	grep -q 'longer than 100000 bytes' err
	printf '{"role":"user","content":"%s"}\n' "$(head -c 99973 /dev/zero | tr '\0' x)" >long
	status 3 ctx-append -q -s s long 2>err
	grep -q '^ctx-append: long:1: the record is longer than 100000 bytes' err
	[ "$(ctx-show -s s | grep -c '"kind":"message"')" = 1 ]
}

@test 'every command reports a line that is too long' {
	export CTX_MAX_RECORD=1000
	{ user short; user "$(head -c 100000 /dev/zero | tr '\0' x)"; } >in
	for c in ctx-count 'ctx-count --calibrate' 'ctx-prune -b 10' 'ctx-render -p openai' \
	    'ctx-summarize' 'ctx-entity load' 'ctx-item define'; do
		case $c in ctx-entity*|ctx-item*) sed 's/.*short.*/{"type":"device","name":"x","content":"x"}/' in >f ;; *) cp in f ;; esac
		case $c in ctx-item*) sed -i 's/device/rule/' f ;; esac
		status 3 $c f >out 2>err
		grep -q '^ctx-[a-z]*: f:2: the record is longer than 1000 bytes' err
	done
	new
	status 3 ctx-enrich -s s in >out 2>err
	grep -q '^ctx-enrich: in:2: the record is longer than 1000 bytes' err
	{ ctx-window -s s; sed -n 2p f; } | status 3 ctx-show >out 2>err
	grep -q '^ctx-show: stdin:[0-9]*: the record is longer than 1000 bytes' err
}

@test 'a question is stored with its answer or not at all' {
	ctx-append -q --create -s s --question 'Is it up?' -t 'Yes.' --metadata '{"k":1}'
	ctx-show -s s | jq -c 'select(.kind == "message") | [.message.role, .message.content, .message_type, .metadata]' |
		same - $'["user","Is it up?","query",null]\n["assistant","Yes.","response",{"k":1}]'
	printf 'Still.\n' | ctx-append -q -s s --question 'And now?' --raw
	status 4 ctx-append -q -s s --question 'Lost?' --raw </dev/null
	status 4 ctx-append -q -s s --question 'Lost?' -t ' '
	status 4 ctx-append -q -s s --question 'Lost?' -p openai <<<'{"error":{"message":"no"}}'
	status 1 ctx-append -q -s s --if-seq 3 --question 'Lost?' -t 'Late.'
	ctx-list | jq .message_count | same - 4
	# the answer to a request can be appended twice
	ctx-window -s s | sed '$i{"role":"user","content":"Asked?"}' |
		ctx-render -p openai --request req.json >/dev/null
	for i in 1 2; do
		ctx-append -q --request req.json --question 'Asked?' <"$answers/openai-text.json"
	done
	ctx-show -s s | jq -r 'select(.kind == "message") | .message.role' | paste -sd' ' |
		same - 'user assistant user assistant user assistant'
	ctx-show -s s | jq -c 'select(.kind == "request") | [.response_seq]' | same - '[6]'
	status 2 ctx-append -s s --question 'q'
	status 2 ctx-append -s s --question 'q' -t a --role user
	status 2 ctx-append -s s --question 'q' -t a -t b
}

@test 'an answer given as a file operand is refused with a hint to use standard input' {
	ctx-append -q --create -s s -t hi
	ctx-window -s s | ctx-render -p openai --request req.json >/dev/null
	status 2 ctx-append --request req.json answer.json 2>err
	grep -q "unexpected operand 'answer.json': an answer is read from standard input (< answer.json)" err
}

@test '--if-seq distinguishes a missing message from messages appended by others' {
	ctx-append -q --create -s s -t hi
	status 1 ctx-append -s s --if-seq 99 -t more 2>err
	grep -q "the last message of session '[^']*' has the number 1, not 99: the session has fewer messages than expected" err
	status 1 ctx-append -s s --if-seq 0 -t more 2>err
	grep -q "another process appended messages" err
}

@test '--attach detects images, documents and texts by their bytes, for each provider' {
	base64 -d >pic <<<iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
	printf '%%PDF-1.4\nx' >doc
	echo hello >note.txt
	mkdir d && mv doc d
	ctx-append --create -s s -t 'What is this?' --attach pic --attach d/doc --attach note.txt >out
	jq -c '.message.content | map([.type, .source.type, .source.media_type, .title, .text])' out |
		same - '[["image","base64","image/png",null,null],["document","base64","application/pdf","doc",null],["document","text","text/plain","note.txt",null],["text",null,null,null,"What is this?"]]'
	jq -r '.message.content[0].source.data' out | base64 -d | cmp - pic
	echo '{"model":"m","max_tokens":9}' >params
	for p in openai anthropic gemini responses interactions; do
		ctx-window -s s -b 9000 | ctx-prune | ctx-render -p $p --params params >body
		ctx-lint -p $p body
		grep -q hello body
		grep -q iVBORw0KGgo body
		grep -q JVBERi body
	done
	echo 'Read it' | ctx-append -q -s s --raw --attach note.txt
	ctx-view s >out
	grep -qx '  \[image\]' out
	grep -qx '  \[document doc\]' out
}

@test '--attach refuses files that cannot be attached' {
	printf '\xff\xfe\x00' >bin
	: >empty
	{ printf '\x89PNG\r\n\x1a\n'; head -c 5300000 /dev/zero; } >big
	ctx-new --id s >/dev/null
	for f in bin empty big; do
		status 3 ctx-append -s s -t x --attach $f >out 2>err
		[ ! -s out ]
		grep -q "$f: " err
	done
	grep -q '5242880 bytes (5 MiB)' err
	status 4 ctx-append -s s -t x --attach missing 2>err
	echo hi >f
	for o in '-t x -t y' '--result a' '--question q -t x' ''; do
		status 2 ctx-append -s s $o --attach f 2>err </dev/null
		grep -q -- --attach err
	done
	[ "$(ctx-list | jq .message_count)" = 0 ]
}

@test 'metadata of a message must be an object' {
	for value in '[1]' 5 '"x"' true; do
		run -3 ctx-append --create -s s <<<"{\"kind\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"x\"},\"metadata\":$value}"
		[ "$output" = 'ctx-append: stdin:1: metadata is not a JSON object' ]
	done
	ctx-append --create -s s <<<'{"kind":"message","message":{"role":"user","content":"x"},"metadata":null}' |
		jq -e '.seq == 1 and (has("metadata") | not)'
}

@test 'a tool result without a matching call is stored, and a warning names its id' {
	call='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]}'
	result() { echo "{\"role\":\"tool\",\"tool_call_id\":\"$1\",\"content\":\"x\"}"; }
	# calls and results in one input, and a result for a call that was stored before
	{ echo '{"role":"user","content":"x"}'; echo "$call"; result a; echo "${call/\"a\"/\"b\"}"; } |
		ctx-append -q --create -s s 2>err
	result b | ctx-append -q -s s 2>>err
	[ ! -s err ]
	result c | ctx-append -q -s s 2>err
	same err <<<"ctx-append: no call 'c' in session 's': the result is stored, but will not be sent to a model"
	result b | ctx-append -q -s s 2>err
	same err <<<"ctx-append: call 'b' of session 's' already has a result: the new result is stored, but will not be sent to a model"
	# a late result for an id that is used again
	echo "$call" | ctx-append -q -s s
	ctx-append -q -s s -t 'Never mind'
	result a | ctx-append -q -s s 2>err
	[ ! -s err ]
	echo '{"role":"user","content":[{"type":"tool_result","tool_use_id":"d","content":"x"}]}' | ctx-append -q -s s 2>err
	grep -q "no call 'd' in session" err
	[ "$(ctx-list | jq .message_count)" = 11 ]
	ctx-window -s s | ctx-prune -b 9000 | ctx-render -p openai 2>/dev/null >body
	[ "$(jq -c '[.messages[] | .tool_call_id // empty]' body)" = '["a","b","a_2"]' ]
	# at most 20 warnings are printed
	for _ in {1..50}; do result z; done | ctx-append -q -s s 2>err
	[ "$(wc -l <err)" = 20 ]
}
