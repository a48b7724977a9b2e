load helper

fixture() {
	{
		echo '{"role":"system","content":"sys"}'
		echo '{"role":"user","content":"q"}'
		echo '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}'
		echo '{"role":"tool","tool_call_id":"c","content":"r","n":1.0}'
	} | ctx-append -q --create -s "$1" -u ann
	ctx-append -q -s "$1" --pin --id 'my id' --metadata '{"k":1e400}' -t pinned
}

@test 'the session record, messages, requests and events are printed' {
	fixture s
	ctx-window -s s -p openai | ctx-render -p openai --request req.json >/dev/null
	ctx-append -q --request req.json <"$BATS_TEST_DIRNAME/fixtures/answers/openai-text.json"
	sqlite3 "$CTX_STORE" "INSERT INTO event SELECT no << 32 | 1, 0, '{\"kind\":\"event\",\"session_id\":\"s\"}' FROM session"
	ctx-show -s s >out
	[ "$(jq -r .kind out | uniq -c | tr -s ' \n' ' ')" = ' 1 session 6 message 1 request 1 event ' ]
	head -1 out | same <(ctx-list)
	[ "$(jq -c 'select(.kind=="message").seq' out | tr '\n' ' ')" = '1 2 3 4 5 6 ' ]
	jq -se '.[5] | .id == "my id" and .pinned' out >/dev/null
	grep -qF '"metadata":{"k":1e400}' out
	grep -qF '"message":{"role":"tool","tool_call_id":"c","content":"r","n":1.0}' out
	jq -se '.[7] | .response_seq == 6 and .for_seq == 5 and .request_id and (.body_sha256|length == 64)' out >/dev/null
}

@test 'an export recreates the same session in another store' {
	fixture s
	ctx-show -s s >out
	export CTX_STORE=$BATS_TEST_TMPDIR/other.db
	ctx-new - <out | ctx-append >/dev/null
	ctx-show -s s | jq -c 'del(.updated_at)' | same <(jq -c 'del(.updated_at)' out)
	ctx-show -s s | grep '"kind":"message"' | same <(grep '"kind":"message"' out)
}

@test 'several sessions are named by several -s options or by records on standard input' {
	fixture a
	fixture b
	ctx-show -s b -s a | jq -r 'select(.kind=="session").session_id' | tr '\n' ' ' | grep -qx 'b a '
	ctx-list | ctx-show | same <(ctx-show -s a -s b)
	status 1 ctx-show -s a -s nope -s b >out 2>err
	grep -q "^ctx-show: no session 'nope'" err
	same <(ctx-show -s a) <out
	status 2 ctx-show operand 2>err
}

@test 'a deleted session is refused, and an archived session is printed' {
	fixture s
	sqlite3 "$CTX_STORE" 'UPDATE session SET status = 2'
	status 1 ctx-show -s s >out 2>err
	[ ! -s out ]
	grep -q deleted err
	sqlite3 "$CTX_STORE" 'UPDATE session SET status = 1'
	ctx-show -s s | head -1 | jq -e '.status == "archived"' >/dev/null
}

@test 'a session that is longer than one read is printed in order, with its hidden messages' {
	seq -f '{"role":"user","content":"%g"}' 3000 | ctx-append -q --create -s s
	sqlite3 "$CTX_STORE" 'INSERT INTO hidden SELECT no << 32 | 2, no << 32 | 4, 0 FROM session;
		UPDATE session SET hidden_count = 3'
	ctx-show -s s | jq -r 'select(.kind=="message")|"\(.seq) \(.message.content)"' |
		same <(seq 3000 | sed 's/.*/& &/')
	# a message larger than one read
	head -c 3000000 /dev/zero | tr '\0' x | ctx-append -q -s s --raw
	ctx-append -q -s s -t end
	ctx-show -s s | grep '"kind":"message"' | tail -1 | jq -e '.seq == 3002 and .message.content == "end"' >/dev/null
}

@test 'a full disk and a closed pipe are reported' {
	fixture s
	status 4 ctx-show -s s >/dev/full 2>err
	grep -q '^ctx-show: ' err
	seq -f '{"role":"user","content":"%g"}' 3000 | ctx-append -q -s s
	set +e
	ctx-show -s s 2>err | head -n 1 >out
	st=(${PIPESTATUS[@]})
	set -e
	[ "${st[0]}" = 4 ]
}

# long SID: creates a session larger than many pipe buffers, with hidden messages and a pinned one.
long() {
	for i in $(seq 2000); do
		printf '{"role":"user","content":"question %s %0200d"}\n{"role":"assistant","content":"answer %s"}\n' "$i" 0 "$i"
	done | ctx-append -q --create -s "$1"
	ctx-append -q -s "$1" --pin -t 'the last one'
	ctx-prune --apply -s "$1" --keep-turns 1900 >/dev/null
}

# meanwhile DOING COMMAND…: starts COMMAND, runs DOING after its first line, and reads the other lines.
meanwhile() {
	local doing=$1 first rc=0
	shift
	rm -f pipe
	mkfifo pipe
	"$@" >pipe 2>err &
	exec 7<pipe
	read -r first <&7
	$doing
	{ printf '%s\n' "$first"; cat <&7; } >out
	exec 7<&-
	wait $! || rc=$?
	return $rc
}

archive_all() {
	ctx-list | ctx-archive -q --cleanup --to place >/dev/null
}

purge_all() {
	ctx-list | ctx-delete -q --purge >/dev/null
}

@test 'a session that is archived while it is shown is printed completely' {
	long a
	ctx-show -s a >before
	meanwhile archive_all ctx-show -s a
	grep -v '"event":"archive"' out | same before
	ctx-show -s a | grep -q '"cleaned":true'
	ctx-archive -q --restore -s a >/dev/null
	ctx-show -s a --context >before
	meanwhile archive_all ctx-show -s a --context
	same before <out
}

@test 'a session that is purged while it is shown is an error' {
	long a
	status 1 meanwhile purge_all ctx-show -s a
	grep -q "session 'a' was purged while it was read" err
}

@test 'ctx-show --tools prints each tool call with its result' {
	ctx-append -q --create -s s <<-'X'
		{"role":"user","content":"go"}
		{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{\"dir\": \"x\"}"}},{"id":"b","type":"function","function":{"name":"cat","arguments":"{}"}}]}
		{"role":"tool","tool_call_id":"a","content":"one"}
		{"role":"tool","tool_call_id":"b","content":"two"}
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{"dir":"y"}}]}
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"no such directory","is_error":true}]}
		{"role":"assistant","content":[{"type":"tool_use","id":"d","name":"cat","input":{}}]}
	X
	ctx-show -s s --tools >out
	jq -c '[.kind, .seq, .name, .arguments, .result_seq, .result, .error]' out | same - \
'["call",2,"ls",{"dir":"x"},3,"one",null]
["call",2,"cat",{},4,"two",null]
["call",5,"ls",{"dir":"y"},6,"no such directory",true]
["call",7,"cat",{},null,null,null]'
	jq -e '.created_at == "2026-01-02T03:04:05.678Z" and .session_id == "s"' out >/dev/null
	ctx-show -s s --tools --last | jq -c '[.name, .seq]' | same - $'["ls",5]\n["cat",7]'
	status 2 ctx-show -s s --tools --context
	status 2 ctx-show -s s --last
	# also from an archive
	ctx-archive -s s --to "$PWD/arch" --cleanup >/dev/null
	ctx-show -s s --tools | same out
}

@test '--follow prints each record once when it is stored, also after writers restart' {
	ctx-append -q --create -s s -t one
	ctx-show --follow -s s >out 2>err &
	follower=$!
	for text in two three; do
		ctx-append -q -s s -t $text
	done
	ctx-window -s s | ctx-prune -b 4000 | ctx-render -p openai --request r >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"four"},"finish_reason":"stop"}]}' |
		ctx-append -q --request r
	ctx-new --update -s s --title T >/dev/null 2>&1 || true
	for _ in {1..300}; do
		! grep -q '"kind":"request"' out || ! grep -q four out || break
		sleep 0.05
	done
	ctx-delete -s s >/dev/null
	status 1 wait $follower
	grep -q "session 's' was deleted" err
	jq -r 'select(.kind == "message").message.content' out | paste -sd ' ' | same - 'one two three four'
	[ "$(grep -c '"kind":"session"' out)" = 1 ]
	[ "$(grep -c '"kind":"request"' out)" = 1 ]
}

@test '--follow ends when its reader goes away' {
	ctx-append -q --create -s s -t one
	timeout 20 ctx-show --follow -s s | head -n 1 | grep -q '"kind":"session"'
	CTX_SESSION=s timeout 20 ctx-show --follow | head -n 1 | grep -q session
	status 2 ctx-show --follow 2>err
	grep -q 'needs exactly one session' err
	status 2 ctx-show --follow -s s -f markdown 2>err
}
