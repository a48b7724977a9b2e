load helper

# history TURNS: prints a system message, then turns of a question, two parallel calls, their results
# (the second one first) and an answer, as bare messages.
history() {
	python3 - "$1" <<-'END'
	import json, sys
	def put(m): print(json.dumps(m, separators=(",", ":"), ensure_ascii=False))
	put({"role": "system", "content": "You keep the servers running. Never reboot db-1."})
	for t in range(1, int(sys.argv[1]) + 1):
	    put({"role": "user", "content": f"Why does web-{t}.example.com answer with 50{t % 10} on port {8000 + t}? It began this morning, and customers have called."})
	    put({"role": "assistant", "content": None, "tool_calls": [
	        {"id": f"{k}{t}", "type": "function", "function": {"name": "read", "arguments": json.dumps({"path": f"/var/log/{k}{t}.log"})}} for k in "ab"]})
	    put({"role": "tool", "tool_call_id": f"b{t}", "content": f"INFO started worker {t}\nERROR cannot connect to 10.0.0.{t}:5432\n" + "INFO idle\n" * 8})
	    put({"role": "tool", "tool_call_id": f"a{t}", "content": "nothing unusual here"})
	    put({"role": "assistant", "content": f"The pool of web-{t} is too small. We decided to set pool_size_{t} to {20 + t} in /etc/web/pool{t}.conf. Anything else?"})
	END
}

# fill TURNS [SID]: creates a session with this history and a question without an answer.
fill() {
	{ history "$1"; echo '{"role":"user","content":"And now?"}'; } | ctx-append -q --create -s "${2:-s}"
}

seqs() {
	jq -r 'select(.kind=="message")|.seq // .slot' | paste -sd ' '
}

# holds [--arg[json] NAME VALUE]… FILTER [FILE]: FILTER must print one value or more, all true.
holds() {
	local args=()
	while [[ $1 == --* ]]; do args+=("$1" "$2" "$3"); shift 3; done
	jq -ne "${args[@]}" "[inputs|$1]|length > 0 and all" "${@:2}" >/dev/null
}

# sent: prints a window without the members that differ each time.
sent() {
	jq -c 'del(.request_id, .updated_at)'
}

# whole WINDOW: the request record must list every message as sent or omitted, with a correct total.
whole() {
	local all
	all=$(tail -1 "$1" | jq -c '[.messages[], .dropped[]|select(.first_seq)|range(.first_seq; .last_seq + 1)]|sort')
	[ "$all" = "$(tail -1 "$1" | jq -c '[range(1; .for_seq + 1)]')" ] || { tail -1 "$1"; return 1; } >&2
	[ "$(tail -1 "$1" | jq -c '[.messages[]|select(.first_seq)|range(.first_seq; .last_seq + 1)]|sort')" = \
		"$(jq -sc '[.[]|select(.kind=="message" and .seq).seq]' "$1")" ] || return
	[ "$(tail -1 "$1" | jq .tokens.total)" = \
		"$(jq -s '[.[]|select(.kind=="message").token_count]|add // 0|. + 3' "$1")" ] || return
	[ "$(tail -1 "$1" | jq '.tokens|del(.total)|add + 3')" = "$(tail -1 "$1" | jq .tokens.total)" ]
}

groups() { # FILE: no call without its results, no result without its call
	jq -se '[.[]|.message? // .|select(.role)] |
		([.[].tool_calls[]?.id]|sort) == ([.[]|select(.role=="tool").tool_call_id]|sort)' "$1" >/dev/null
}

@test 'ctx-summarize replaces the oldest turns of a window by one summary, and the request record names them' {
	fill 10
	ctx-window -s s -n 1000 >w
	ctx-summarize --fraction 0.5 <w >got
	# the oldest 5 of 11 turns are summarized: messages 2 to 26
	[ "$(seqs <got)" = "1 summary $(seq -s ' ' 27 52)" ]
	holds 'select(.slot=="summary")|.session_id == "s" and .message_type == "summary" and .message.role == "user"
		and .source == {"type":"summary","name":"extractive","first_seq":2,"last_seq":26}' got
	tail -1 got | holds '.dropped == [{"first_seq":2,"last_seq":26,"reason":"summarized"}]
		and .tokens.summary > 0 and .messages[1].source.last_seq == 26'
	whole got
	groups got
	grep -v '"slot":"summary"' got | grep '"kind":"message"' | grep -vxFf w | same /dev/null
	# the summary contains the summarized questions, shortened
	jq -r 'select(.slot=="summary").message.content' got >text
	grep -q '^1\. Why does web-1\.example\.com answer with 501 on port 8001?' text
	grep -q 'decided to set pool_size_[1-5] to 2' text
	[ "$(jq 'select(.slot=="summary").token_count' got)" -lt "$(jq -s '[.[1:26][].token_count]|add / 3' w | cut -d. -f1)" ]
	# the same input gives the same bytes
	ctx-summarize --fraction 0.5 <w | same got
}

@test 'ctx-summarize prints bare messages without envelopes, and records of other kinds unchanged' {
	{ history 4; echo '{"kind":"entity","name":"x"}'; echo '{"role":"user","content":"And now?"}'; } >in
	ctx-summarize --keep-last 2 <in >got
	[ "$(jq -c '.kind' got | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = ' 1 "entity"; 1 "message"; 4 null;' ] ||
		{ cat got; return 1; }
	holds 'select(.slot=="summary")|has("session_id") or (.source|has("first_seq"))|not' got
	head -1 got | same - "$(head -1 in)"
	tail -1 got | same - "$(tail -1 in)"
	: >empty
	ctx-summarize empty | same /dev/null
}

@test 'nothing is summarized as long as turns and tokens are below the --threshold' {
	fill 9
	ctx-window -s s -n 1000 -b 100000 >w
	# 10 turns are below 70 % of 15, which is 10.5
	ctx-summarize --max-turns 15 --threshold 0.70 --fraction 0.40 <w 2>err | same w
	[ "$(cat err)" = 'ctx-summarize: the window is unchanged: it has not reached --threshold' ]
	ctx-summarize -q --max-turns 15 <w 2>err | same w
	[ ! -s err ]
	ctx-summarize -s s --max-turns 15 2>/dev/null | same /dev/null
	ctx-window -s s -n 1000 -b 100000 | seqs | same - "$(seqs <w)"
	echo '{"role":"user","content":"Next?"}' | ctx-append -q -s s
	# with 11 turns, the oldest 4 are summarized
	ctx-window -s s -n 1000 | ctx-summarize --max-turns 15 --threshold 0.70 --fraction 0.40 >got
	holds 'select(.slot=="summary").source|.first_seq == 2 and .last_seq == 21' got
	ctx-summarize -s s --max-turns 15 --threshold 0.70 --fraction 0.40 -n |
		holds 'select(.kind=="summary").source.last_seq == 21'
	# the threshold for tokens
	total=$(tail -1 w | jq .tokens.total)
	[ "$(ctx-summarize -q --threshold 1 -b $((total + 1)) <w | jq -r .slot | grep -c summary)" = 0 ]
	[ "$(ctx-summarize -q --threshold 1 -b $total <w | jq -r .slot | grep -c summary)" = 1 ]
	[ "$(ctx-summarize -q --threshold 0.9 <w | jq -r .slot | grep -c summary)" = 0 ]   # the window's 100000
	# CTX_BUDGET does not set a threshold
	[ "$(CTX_BUDGET=100000 ctx-summarize <w | jq -r .slot | grep -c summary)" = 1 ]
}

@test '--keep-last N keeps the last N messages, with all results of a call and the question of their turn' {
	fill 3
	ctx-window -s s -n 1000 >w
	# the groups from the end: 17; 16; 13 14 15; 12
	ctx-summarize --keep-last 4 <w | seqs | same - '1 summary 12 13 14 15 16 17'
	ctx-summarize --keep-last 3 <w >got
	seqs <got | same - '1 summary 12 13 14 15 16 17'
	whole got
	# with 5 groups, the question of their turn is kept too
	ctx-window -s s -n 1000 | ctx-summarize --keep-last 5 | tee got | seqs | same - '1 summary 7 11 12 13 14 15 16 17'
	groups got
	ctx-summarize --keep-last 50 <w 2>err | same w
	[ "$(cat err)" = 'ctx-summarize: the window is unchanged: no message is old enough to be summarized' ]
	# the current turn is kept completely even if it has more messages
	for i in 1 2 3; do
		echo '{"role":"assistant","content":null,"tool_calls":[{"id":"z'$i'","type":"function","function":{"name":"x","arguments":"{}"}}]}'
		echo '{"role":"tool","tool_call_id":"z'$i'","content":"1"}'
	done | ctx-append -q -s s
	ctx-window -s s -n 1000 | ctx-summarize --keep-last 1 | seqs | same - '1 summary 17 18 19 20 21 22 23'
}

@test '-s stores a summary that windows use, ctx-window --no-summary ignores it, and --undo removes it' {
	fill 10
	ctx-window -s s -n 1000 | sent >before
	ctx-window -s s -n 7 | sent >before7
	ctx-show -s s | grep -v '"kind":"session"' >shown
	ctx-summarize -s s --keep-last 5 -n >dry
	ctx-window -s s -n 1000 | sent | same before
	ctx-summarize -s s --keep-last 5 >out
	same dry <out
	jq -c "[.kind, .slot, (.event|strings)]" out | same - '["summary",null]
["event",null,"summarize"]'
	holds 'select(.kind=="event")|.strategy == "extractive" and .first_seq == 2 and .last_seq == 45 and .messages == 43
		and .tokens_after < .tokens_before and .summary_tokens > 0 and .facts_kept > 0 and .facts >= .facts_kept
		and .fallbacks == []' out
	ctx-window -s s -n 1000 >w
	seqs <w | same - '1 42 summary 46 47 48 49 50 51 52'
	whole w
	tail -1 w | holds '.dropped == [{"first_seq":2,"last_seq":41,"reason":"summarized"},{"first_seq":43,"last_seq":45,"reason":"summarized"}]'
	[ "$(jq .tokens.total <<<"$(tail -1 w)")" = "$(jq 'select(.kind=="event").tokens_after + 3' out)" ]
	ctx-window -s s -n 2 | tee w | seqs | same - '1 summary 52' || { seqs <w; tail -1 w; return 1; }
	whole w
	tail -1 w | holds '[.dropped[].reason]|unique|contains(["over_count","summarized"])'
	ctx-window -s s -n 1000 --no-summary | jq -c 'del(.policy)' | sent | same <(jq -c 'del(.policy)' before)
	# a window that ends before the summary does not use it
	ctx-window -s s -n 3 --until 45 | seqs | grep -vq summary
	[ "$(ctx-window -s s -n 100 --until 46 | seqs)" = '1 42 summary 46' ]
	# all messages are still stored
	ctx-show -s s | grep '"kind":"message"' | grep -v '"slot"' | same <(grep '"kind":"message"' shown)
	[ "$(ctx-show -s s | jq -c 'select(.kind=="summary")|[.number,.previous,.generation,.current]')" = '[1,null,0,true]' ]
	ctx-summarize -s s --undo -n | holds '.event == "undo" and .undone == "summarize" and .last_seq == 45'
	ctx-window -s s -n 1000 | seqs | grep -q summary
	ctx-summarize -s s --undo >/dev/null
	ctx-window -s s -n 1000 | sent | same before
	ctx-window -s s -n 7 | sent | same before7
	status 1 ctx-summarize -s s --undo 2>err
	grep -q 'no summary in use' err
}

@test 'the next summary also covers the previous one, and --undo removes only the last' {
	fill 10
	ctx-window -s s -n 1000 | sent >w0
	ctx-summarize -s s >/dev/null
	ctx-window -s s -n 1000 | sent >w1
	ctx-summarize -s s >out
	ctx-window -s s -n 1000 | sent >w2
	holds 'select(.kind=="summary")|.source.first_seq == 2 and .source.last_seq == 31 and .previous == 1 and .generation == 0' out
	holds 'select(.kind=="event").made_from == "messages"' out
	# the new summary is made from messages, not from the text of the first summary
	jq -r 'select(.kind=="summary").message.content' out | grep -c 'Summary of the earlier conversation' | same - 1
	[ "$(seqs <w2)" = "1 summary $(seq -s ' ' 32 52)" ]
	ctx-summarize -s s --undo >/dev/null
	ctx-window -s s -n 1000 | sent | same w1
	ctx-summarize -s s --undo >/dev/null
	ctx-window -s s -n 1000 | sent | same w0
	# a further summary continues from there
	ctx-summarize -s s | holds 'select(.kind=="summary")|.number == 3 and .previous == null'
	ctx-window -s s -n 1000 | jq -c 'del(.request_id)' >w3
	# the same in a pipe
	ctx-window -s s -n 1000 | ctx-summarize >got
	[ "$(seqs <got)" = "1 summary $(seq -s ' ' 32 52)" ]
	holds 'select(.slot=="summary").source|.first_seq == 2 and .last_seq == 31' got >/dev/null
	tail -1 got | holds '[.dropped[]|select(.slot == "summary" and .reason == "summarized")]|length == 1'
}

@test 'a very long history is summarized in pieces, from the previous summary and the messages after it' {
	fill 40
	# each summary is made from the previous one, and after eight summaries from the messages again
	for i in $(seq 9); do
		ctx-summarize -s s --fraction 0.1 --piece 1000 >"out$i"
	done
	[ "$(jq -rs 'map(select(.kind=="summary").generation)|@csv' out?)" = '0,1,2,3,4,5,6,7,8' ]
	holds 'select(.kind=="event")|.made_from == "summary"' out9
	ctx-summarize -s s --fraction 0.1 --piece 1000 >out
	holds 'select(.kind=="summary").generation == 0' out
	holds 'select(.kind=="event")|.made_from == "messages" and .first_seq == 2' out
	# the first request is still in the summary, and the numbers of requests continue
	jq -r 'select(.kind=="summary").message.content' out9 >text
	grep -q '^1\. Why does web-1\.example\.com' text
	grep -q '^2[0-9]\. ' text
	# the command gets pieces of the history, and then the summaries of the pieces
	cat >model <<-'END'
	#!/bin/sh
	n=$(wc -l)
	echo "$n" >>lines
	echo "piece of $n"
	END
	chmod +x model
	fill 40 t
	ctx-summarize -s t --keep-last 1 --piece 2000 --exec ./model | jq -r 'select(.kind=="summary").message.content' | tail -1 >got
	pieces=$(($(wc -l <lines) - 1))
	[ "$pieces" -gt 1 ]
	same - "piece of $((pieces + 1))" <got
	[ "$(tail -1 lines)" = "$((pieces + 1))" ]
	# each piece has a draft of its summary after the messages
	[ "$(head -n -1 lines | awk '{ n += $1 - 1 } END { print n }')" = 200 ]
}

@test 'if the command for summaries fails, hangs or prints too much, the built-in summary is used and a warning says so' {
	fill 10
	try() { # METHOD REASON COMMAND [OPTION...]
		local method=$1 reason=$2 command=$3 limit=10m
		shift 3
		[ "$reason" != 'longer than' ] || limit=300ms
		ctx-summarize -s s --timeout $limit --exec "$command" "$@" >out 2>err || return
		holds --arg m "$method" --arg r "$reason" 'select(.kind=="event")|.strategy == $m and (.fallbacks|length) == 1 and .fallbacks[0].method == "exec"
			and (.fallbacks[0].reason|contains($r))' out || { cat out err; return 1; }
		holds --arg m "$method" 'select(.kind=="summary").source.name == $m' out || return
		grep -q "instead: exec: .*$reason" err || { cat err; return 1; }
		ctx-summarize -s s --undo >/dev/null
		# a pipe prints the same warning
		ctx-window -s s -n 1000 | ctx-summarize --timeout $limit --exec "$command" "$@" 2>err >got || return
		holds 'select(.slot=="summary").source.name == "extractive"' got >/dev/null && grep -q "instead: exec: .*$reason" err
	}
	ctx-window -s s -n 1000 | sent >w
	try extractive 'status 1' 'false'
	try extractive 'status 127' './no-such-thing 2>/dev/null'
	try extractive 'signal 9' 'kill -9 $$'
	try extractive 'empty' 'true'
	try extractive 'empty' 'printf " \n\n"'
	try extractive 'UTF-8' 'printf "caf\\351"'
	try extractive 'NUL' 'printf "a\\000b"'
	try extractive 'tokens, more than' 'cat; cat /proc/self/maps; seq 10000'
	try extractive 'wrote more than' 'yes'
	try extractive 'longer than' 'sleep 60'
	try extractive 'longer than' 'sleep 60 & sleep 60'
	try extractive 'does not contain' 'echo nothing of it' --require pool_size_3
	try extractive 'tokens' 'seq 100' --max-tokens 50
	ctx-window -s s -n 1000 | sent | same w
}

@test 'the summary of a command is used and cached for the same content' {
	fill 5
	cat >model <<-'END'
	#!/bin/sh
	cat >>seen
	echo run >>runs
	echo "  Servers web-1 to web-4 were too small.  "
	END
	chmod +x model
	ctx-summarize -s s --exec ./model >out
	jq -r 'select(.kind=="summary").message.content' out | same - 'Summary of the earlier conversation:
Servers web-1 to web-4 were too small.'
	holds 'select(.kind=="event")|.strategy == "exec" and .fallbacks == [] and .facts_kept < .facts' out
	ctx-show -s s | grep '"kind":"message"' | sed -n '2,11p' | same <(head -10 seen)
	sed 1,10d seen | jq -r 'select(.kind=="draft").text' | grep -q '^[12]\. Why does web-'
	ctx-summarize -s s --undo >/dev/null
	ctx-summarize -s s --exec ./model -n >/dev/null
	[ "$(wc -l <runs)" = 1 ]
	ctx-summarize -s s --exec "./model # other" -n >/dev/null
	[ "$(wc -l <runs)" = 2 ]
	rm seen
	ctx-summarize -s s --exec ./model --exec-format text -n >out
	head -2 seen | same - 'user: Why does web-1.example.com answer with 501 on port 8001? It began this morning, and customers have called.
assistant calls: read {"path": "/var/log/a1.log"}'
	sed '1,/^draft:$/d' seen | head -1 | same - '## Requests'
	# a failure is not cached
	ctx-summarize -s s --exec 'echo run >>fails; false' -n >/dev/null 2>&1
	ctx-summarize -s s --exec 'echo run >>fails; false' -n >/dev/null 2>&1
	[ "$(wc -l <fails)" = 2 ]
	CTX_SUMMARIZER=./model ctx-summarize -s s -n | holds 'select(.kind=="event").strategy == "exec"'
}

@test '--require keeps its text, --max-tokens limits the summary, and --condense-tools shortens long results' {
	fill 10
	ctx-window -s s -n 1000 >w
	text() { ctx-summarize -q "$@" <w | jq -r 'select(.slot=="summary").message.content'; }
	for n in 40 60 100 200 400; do
		[ "$(ctx-summarize -q --max-tokens $n <w | jq 'select(.slot=="summary").token_count')" -le $n ] || return
		text --max-tokens $n --require 'a3.log' --require 10.0.0.2:5432 >t
		grep -q a3.log t
		grep -q '10\.0\.0\.2:5432' t
	done
	# a text that is not in the messages cannot be kept
	text --require 'the moon' | same <(text)
	# of a log with 2000 lines, only the errors are kept
	{
		echo '{"role":"user","content":"Look at the log."}'
		echo '{"role":"assistant","content":null,"tool_calls":[{"id":"l","type":"function","function":{"name":"read","arguments":"{}"}}]}'
		for i in $(seq 500); do echo "2026-01-02T03:04:05Z INFO worker $i idle"; done >log
		sed -i '250s/.*/2026-01-02T03:04:05Z ERROR cannot write \/var\/spool\/x/' log
		jq -Rsc '{role:"tool",tool_call_id:"l",content:.}' log
		echo '{"role":"user","content":"And?"}'
	} >in
	ctx-summarize --exec 'cat >seen; echo fine' --condense-tools in >/dev/null
	grep -q 'left out' seen
	grep -q 'cannot write /var/spool/x' seen
	[ "$(wc -c <seen)" -lt 2000 ]
	jq -se '[.[]|.role // .kind] == ["user","assistant","tool","draft"]' seen >/dev/null
}

# parse FILE…: every line of the summaries must be a heading, a sentence, an action or a fact.
parse() {
	python3 "$BATS_TEST_DIRNAME/tools/summary_grammar.py" "$@"
}

# summaries NAME: writes summaries of the messages on standard input, of several lengths, to NAME.LENGTH.
summaries() {
	local n
	cat >"$1.in"
	echo '{"role":"user","content":"And now?"}' >>"$1.in"
	for n in 100 300 1000 4000; do
		ctx-summarize -q --keep-last 1 --max-tokens $n "$1.in" |
			jq -r 'select(.slot=="summary").message.content' >"$1.$n"
	done
}

@test 'every line of a summary can be parsed, also for real transcripts' {
	local f t=0 dir=$BATS_TEST_DIRNAME
	while read -r line; do
		t=$((t + 1))
		jq -c '.messages[]' <<<"$line" | summaries "tau.$t"
	done <"$dir/fixtures/import/taubench_airline-2.jsonl"
	for f in agsess_codex_small.jsonl spotter_short.jsonl spotter_tool_heavy.jsonl \
		agsess_gemini_large.json swe-agent_simple.traj ccl_representative_messages.jsonl; do
		[ -f "$dir/fixtures/import/$f" ] || continue
		ctx-import -q "$dir/fixtures/import/$f" | jq -c 'select(.kind=="message").message' | summaries "$f"
	done
	parse ./*.[134]0*
	history 12 | summaries own
	parse own.*00*
	# in a summary of a summary, quotations stay with their subject
	ctx-summarize -q --keep-last 1 --max-tokens 500 spotter_tool_heavy.jsonl.in |
		grep '"slot":"summary"' >first
	{ cat first; tail -n 8 spotter_tool_heavy.jsonl.in; } |
		ctx-summarize -q --keep-last 1 --max-tokens 600 |
		jq -r 'select(.slot=="summary").message.content' >again
	parse again
	grep -q '^  - “' again
	# facts are listed by their subject
	grep -q '^- user mia_li_3668: ' tau.1.1000
	grep -q '^2\. .*read `' spotter_tool_heavy.jsonl.1000
}

# say ROLE TEXT: prints a message; \n in TEXT is a line end.
say() {
	jq -nc --arg r "$1" --arg t "$(printf '%b' "$2")" '{role: $r, content: $t}'
}

# summary N [OPTION...]: prints a summary of the file "in" with at most N tokens.
summary() {
	ctx-summarize -q --keep-last 1 --max-tokens "$@" in | jq -r 'select(.slot=="summary").message.content'
}

@test 'if an agent writes its commands as text, the summary lists them as actions with their output' {
	local prompt='\n(Open file: n/a)\nbash-$'
	{
		say user "Find the flag in net.pcap. It has the form flag{…}. Good luck.$prompt"
		say assistant 'Telnet is plain text. I list the protocols.\n```\ntshark -r net.pcap -q -z io,phs\n```'
		say user "tcp frames:59\ntelnet frames:36$prompt"
		say assistant 'The capture holds a session of telnet with the host 192.168.221.128.\n```bash\ntshark -r net.pcap -Y telnet\n```'
		say user "Password: flag{d316759c}\nLogin incorrect$prompt"
		say assistant "The password is the flag, flag{d316759c}.\n\`\`\`\nsubmit 'flag{d316759c}'\n\`\`\`"
		say user '?'
	} >in
	summary 260 >got
	parse got
	grep -q '^1\. Find the flag in net.pcap' got
	grep -q '^1\. ran `tshark -r net.pcap -q -z io,phs`.*“telnet frames:36”' got
	grep -q '^1\. The capture holds a session of telnet with the host 192.168.221.128' got
	grep -q "^- waits for its result: ran \`submit 'flag{d316759c}'\`" got
	! grep -q -e 'bash-' -e '^2\. ' got || { cat got; return 1; }
	# commands in answers to a person are not actions
	{
		say user 'How do I list the files here? I am on a Mac.'
		say assistant 'So:\n```\nls -l\n```'
		say user 'And all of those below this directory, too?'
		say assistant 'So:\n```\nfind .\n```'
		say user 'What if I want only those that are empty?'
		say assistant 'So:\n```\nfind . -empty\n```'
		say user '?'
	} >in
	summary 90 >got
	grep -q '^3\. What if I want only those that are empty?' got
	! grep -q '^## Actions' got || return
}

@test 'announcements, thanks and introductions of code are left out of the summary' {
	{
		say user 'I am writing a budget tracker in Flask 2.3.1. Here is my code:\n```\nimport flask\n```'
		say assistant 'The tracker needs a table transactions. Feel free to ask more questions!'
		say user 'The login must lock after 5 attempts. Here is my code:\n```\ndef login(): pass\n```'
		say assistant 'Redis counts the attempts of each account for an hour. Here is how:\n```\nredis.incr(key)\n```'
		say user 'The chart of expenses is empty. Here is my code:\n```\nchart()\n```'
		say assistant 'These were wrong:\n- the query groups by month_id\n- the chart reads totals before they are there'
		say user 'Thank you so much for your help!'
		say assistant 'You'"'"'re welcome!'
		say user '?'
	} >in
	summary 160 >got
	parse got
	! grep -q -e 'Here is my code' -e 'Here is how' -e 'Feel free' -e 'welcome' got || { cat got; return 1; }
	grep -q '^2\. The login must lock' got
	grep -q 'These were wrong: the query groups by month_id' got
	# code without fences, and headings
	{
		say user 'Can you put the filter behind the text button in sidebar.tsx?\nimport {\n  Filter,\n  Search,\n} from "lucide-react";\nexport function Sidebar() {\n  return (\n    <div className="flex">\n      <Filter />\n    </div>\n  );\n}\n'
		say assistant '## Order of the sidebar\n**Why**\nThe row follows the order of its children, so sidebar.tsx needs no styles.'
		say user 'Always name the file when I ask about styles. What is missing?'
		say assistant 'Nothing is missing in sidebar.tsx.'
		say user '?'
	} >in
	summary 120 >got
	parse got
	grep -q '^1\. Can you put the filter behind the text button in sidebar.tsx?' got
	! grep -q -e 'lucide' -e 'className' -e 'Order of the sidebar' -e 'Why' got || { cat got; return 1; }
	sed -n '/^## Decisions/,$p' got | grep -q '^2\. Always name the file when I ask about styles\.'
}

# call ID NAME JSON: prints a tool call. result ID TEXT: prints its result.
call() {
	jq -nc --arg i "$1" --arg n "$2" --arg a "$3" '{role:"assistant",content:null,tool_calls:[{id:$i,type:"function",function:{name:$n,arguments:$a}}]}'
}
result() {
	jq -nc --arg i "$1" --arg t "$(printf '%b' "$2")" '{role:"tool",tool_call_id:$i,content:$t}'
}

@test 'a summary quotes what commands printed: numbers of tests, commits, errors' {
	{
		say user 'Make the tests pass, and commit.'
		call 1 bash '{"command":"mix test"}'
		result 1 'Compiling 3 files\n** (RuntimeError) no table\n87 tests, 2 failures\nRandomized with seed 1'
		say assistant 'The table annotation_refs is missing.'
		call 2 bash '{"command":"mix test"}'
		result 2 'Compiling 3 files\n87 tests, 0 failures\nRandomized with seed 2'
		call 3 bash '{"command":"git commit -am Refs"}'
		result 3 'hook ran\n[main a230dbf] Refs\n 2 files changed, 8 insertions(+)\n'
		call 4 bash '{"command":"git log --oneline"}'
		result 4 '1111111 a\n2222222 b\n3333333 c\n4444444 d'
		call 5 bash '{"command":"cat /nowhere"}'
		result 5 'cat: /nowhere: No such file or directory\nCommand failed with exit code: 1.'
		jq -nc '{role:"assistant",content:null,tool_calls:[{id:"6",type:"function",function:{name:"Task",arguments:({description:"Count files",prompt:"Count."}|tojson)}}]}'
		result 6 'agent_id: 0\nstatus: completed\nThere are 3,124 files below lib.\nNo error came up.'
		say assistant 'All 87 tests pass, and the change is committed.'
		say user '?'
	} >in
	summary 230 >got
	parse got
	grep -q 'delegated “Count files”: “There are 3,124 files below lib.”' got
	grep -q '`cat /nowhere`: “cat: /nowhere: No such file' got
	grep -q '`mix test` (2 times): “87 tests, 0 failures”' got
	grep -q '`git commit -am Refs`: “\[main a230dbf\] Refs”' got
	grep -q '`git log --oneline`\($\|[,;]\)' got
	grep -q '^1\. The table annotation_refs is missing\. *All 87 tests pass\|^1\. The table annotation_refs is missing' got
	grep -q 'All 87 tests pass, and the change is committed' got
}

@test 'a summary of a booking names its flights, passengers and amounts before addresses' {
	{
		say user 'Which of my reservations can be cancelled?'
		call 1 get_user '{"user_id":"mia_li_1"}'
		result 1 '{"name":{"first_name":"Mia","last_name":"Li"},"address":{"address1":"1 Elm Street","city":"Ulm","zip":"89073"},"email":"mia@example.com","payment_methods":{"credit_card_7":{"source":"credit_card","brand":"visa","last_four":"7238","id":"credit_card_7"},"gift_card_8":{"source":"gift_card","amount":274,"id":"gift_card_8"}},"reservations":["NM1VX1"]}'
		call 2 get_reservation '{"reservation_id":"NM1VX1"}'
		result 2 '{"reservation_id":"NM1VX1","user_id":"mia_li_1","cabin":"economy","flights":[{"flight_number":"HAT300","date":"2024-05-25","price":100},{"flight_number":"HAT208","date":"2024-05-27","price":53}],"passengers":[{"first_name":"Yara","last_name":"Silva","dob":"1972-06-16"},{"first_name":"Ivan","last_name":"Moore","dob":"1980-01-01"}],"payment_history":[{"payment_id":"gift_card_8","amount":183}]}'
		say user '?'
	} >in
	summary 220 >got
	parse got
	grep '^- reservation NM1VX1: ' got >line
	grep -q 'cabin economy' line
	grep -q 'flight HAT300 (2024-05-25, price 100), flight HAT208 (2024-05-27, price 53)' line
	grep -q 'passenger Yara Silva (dob 1972-06-16), passenger Ivan Moore' line
	grep -q 'payment gift_card_8 (amount 183)' line
	grep -q 'credit_card_7 (visa, last four 7238)' got
	grep -q 'gift_card_8 (amount 274)' got
	summary 130 >got
	! grep -q -e 'Elm Street' -e 'mia@example' got || { cat got; return 1; }
}

@test 'a summary says for each call whether it returned nothing, a number of results or an error' {
	{
		say user 'Move me to a nonstop flight.'
		call 1 search_flight '{"origin":"LAX","destination":"ORD"}'
		result 1 '[]'
		call 2 search_flight '{"origin":"LAX","destination":"LAS"}'
		result 2 '[{"flight_number":"HAT1"},{"flight_number":"HAT2"}]'
		call 3 update_flights '{"reservation_id":"XEWRD9","cabin":"economy","flights":[{"flight_number":"HAT030","date":"2024-05-13"},{"flight_number":"HAT223","date":"2024-05-14"}],"payment_id":"gift_card_4643416"}'
		result 3 'Error: flight HAT030 not available'
		call 4 cancel_flights '{"reservation_id":"XEWRD9"}'
		result 4 '{"success":false,"error":"too late to cancel"}'
		call 5 grep '{"pattern":"HAT030"}'
		result 5 'a.json:1\nb.json:2'
		say user '?'
	} >in
	summary 220 >got
	parse got
	grep -q 'search_flight(origin LAX, destination ORD): nothing found' got
	grep -q 'search_flight(origin LAX, destination LAS): 2 results' got
	grep -q 'update_flights(.*): “Error: flight HAT030 not available”' got
	grep -q 'cancel_flights(reservation_id XEWRD9): “too late to cancel”' got
	grep -q 'searched for `HAT030`: 2 lines' got
	summary 220 --language de | grep -q 'ORD): nichts gefunden'
}

@test 'a summary names the files of a patch, the action of a tool with several commands, and open items of a to-do list' {
	{
		say user 'Please fix the login bug in app.py and add a test for it.'
		call 1 TodoWrite '{"todos":[{"content":"Find the login bug","status":"completed"},{"content":"Fix token expiry","status":"in_progress"},{"content":"Add a regression test","status":"pending"}]}'
		result 1 'Todos have been modified successfully.'
		call 2 apply_patch '{"input":"*** Begin Patch\n*** Update File: src/app.py\n@@ def login\n-    exp = 10\n+    exp = 3600\n*** Add File: tests/test_login.py\n+def test_login():\n*** End Patch"}'
		result 2 'Done!'
		call 3 str_replace_based_edit_tool '{"command":"view","path":"/repo/README.md"}'
		result 3 '# Title'
		call 4 str_replace_based_edit_tool '{"command":"create","path":"/repo/NEW.md","file_text":"hello"}'
		result 4 'File created.'
		say user 'And now?'
	} >in
	summary 300 >got
	parse got
	grep -qF 'patched `src/app.py`, `tests/test_login.py`' got
	grep -qF 'read `/repo/README.md`' got
	grep -qF 'wrote `/repo/NEW.md`' got
	grep -qFx -- '- to do: Fix token expiry; Add a regression test' got
}

@test 'from files that were read, a summary quotes options, settings and first sentences, but no brackets' {
	{
		say user 'Does it have a debug option?'
		call 1 read_file '{"path":"main.rs"}'
		result 1 '```rust\nuse clap::Parser;\n#[derive(Debug)]\nstruct Cli {\n    /// Use comma-separated numbers\n    #[arg(long)]\n    number_comma: bool,\n}\nfn main() {\n    let x = 1;\n}\n```'
		call 2 read_file '{"path":"config.py"}'
		call 4 read '{"path":"a.lua"}'
		result 4 '1: local x = 1\n2: function M.format_task(text)\n3: end'
		result 2 'import os\nKEYS = {\n    "api-token": None,\n}\nROOT = "https://example.com/app"\nNAME = "~/.app.toml"\n'
		call 3 read_file '{"path":"README.md"}'
		result 3 '     1\t# App\n     2\t\n     3\t## Use\n     4\tApp counts the tokens that agents use. It has one command.\n'
		say user '?'
	} >in
	summary 300 >got
	parse got
	grep -q '^  - “/// Use comma-separated numbers #\[arg(long)\] number_comma: bool,”' got
	grep -q '^  - “"api-token": None,”' got
	grep -q '^  - “ROOT = "https://example.com/app"”' got
	grep -q '^  - “NAME = "~/.app.toml"”' got
	grep -q '^  - 2: “function M.format_task(text)”' got
	grep -q '^  - “App counts the tokens that agents use\.”' got
	! grep -q -e 'derive' -e '“# App' -e '“## Use' -e '“}' got || { cat got; return 1; }
}

@test 'a summary does not quote lines that were edited later, or errors that a later run no longer prints' {
	local i
	{
		say user 'Rename parse_old in lib/parse.py, and make the check pass.'
		call 1 Read '{"file_path":"lib/parse.py"}'
		result 1 'def parse_old(text_id):\n    return text_id\n\ndef parse_rest(text_id):\n    return 1'
		call 2 Edit '{"file_path":"lib/parse.py","old_string":"def parse_old(text_id):","new_string":"def parse_new(text_id):"}'
		result 2 'ok'
		call 3 Bash '{"command":"npm run check"}'
		result 3 "$(for i in 1 2 3 4; do printf 'lib/a.ts(%s,1): error TS2554: parse_rest is wrong in lib/parse.py\\n' $i; done)"
		call 4 Edit '{"file_path":"lib/parse.py","old_string":"    return 1","new_string":"    return 2"}'
		say user 'And now?'
		say user '?'
	} >in
	summary 300 >got
	parse got
	grep -q '^  - “def parse_old' got && { cat got; return 1; }
	grep -q 'def parse_new(text_id):”' got
	grep -q '^  - “def parse_rest' got
	grep -q '^  - “lib/a.ts(.*,1): error TS2554: .*” (4 times)' got
	# a call that was followed by a question is not listed as open
	! grep -q 'waits for its result' got || { cat got; return 1; }
	{
		sed '$d' in
		call 5 Bash '{"command":"npm run check"}'
		result 5 'all fine'
		say user '?'
	} >in2
	mv in2 in
	summary 300 >got
	! grep -q '^  - “lib/a.ts' got || { cat got; return 1; }
}

@test 'a summary of a chat prefers what people told to agreement and thanks, and quotes whole sentences and lists' {
	local i
	{
		say user 'I want to write a screenplay of 5,000 words by April 15.'
		say assistant 'Here are the reservation IDs:\n1. NM1VX1\n2. KC18K6\n3. S61CZX\n\nGood luck!'
		say user 'I rejected the subscription to ProWritingAid for $300 a month because my budget is small this spring, although I was told by two friends of mine who write for a living that it finds more than all of the free tools together do, by March 15, 2024 - can you help me weigh the pros and cons?'
		say assistant 'Choosing tools needs care.\n- Try the free ones first\n- Ask your peers'
		say user 'Always format dates as Month Day when I ask about timelines.'
		say assistant 'Sure!'
		for i in 1 2 3 4 5; do
			say user "Let's go with this approach."
			say assistant 'That sounds like a good plan!'
			say user 'Your help really means a lot.'
			say assistant 'Keep going!'
			say user 'Must be awesome. I can decide that later.'
			say assistant 'Yes.'
		done
		say user 'Carla and I hold the webinar on September 10.'
		say assistant 'Noted.'
		say user '?'
	} >in
	summary 260 >got
	parse got
	grep -q '^3\. I rejected\|^2\. I rejected' got
	grep -q 'by March 15, 2024 - can you help me weigh the pros and cons?' got
	grep -q 'Carla and I hold the webinar on September 10' got
	grep -q 'NM1VX1; KC18K6; S61CZX' got
	! grep -q -e 'this approach' -e 'means a lot' -e '[0-9]\. 2024 - ' got || { cat got; return 1; }
	sed -n '/^## Decisions/,$p' got >decisions
	grep -q '^3\. Always format dates' decisions
	! grep -q -e 'Must be' -e 'can decide' decisions || { cat decisions; return 1; }
	[ "$(grep -c 'Always format' got)" = 1 ]
}

@test 'a summary of a conversation between two people quotes both with their names' {
	local i
	{
		jq -nc '{role:"user",name:"Jon",content:"I lost my job as a banker. I will open a dance studio."}'
		jq -nc '{role:"assistant",name:"Gina",content:"Sorry to hear that! I lost my job at Door Dash this month."}'
		for i in 1 2 3 4 5 6; do
			jq -nc '{role:"user",name:"Jon",content:"Thanks, your support means a lot!"}'
			jq -nc '{role:"assistant",name:"Gina",content:"You are awesome, keep going!"}'
		done
		jq -nc '{role:"user",name:"Jon",content:"How is your store doing?"}'
		jq -nc '{role:"assistant",name:"Gina",content:"A wholesaler in Boston said yes to my request."}'
		say user '?'
	} >in
	summary 130 >got
	parse got
	grep -q '^- Jon: I lost my job as a banker' got
	grep -q '^- Gina: I lost my job at Door Dash' got
	grep -q 'Gina: A wholesaler in Boston said yes' got
	! grep -q -e 'means a lot' -e 'keep going' got || { cat got; return 1; }
}

@test 'a summary finds edits and outlines of files in the text of messages' {
	{
		say user 'Use the Spinner in run_install'
		say assistant 'I use the class Spinner. Here it is:\n\napp/utils.py\n```python\n<<<<<<< SEARCH\ndef run_install(cmd):\n    last_update = time.time()\n    go()\n=======\ndef run_install(cmd):\n    spinner = Spinner("Installing")\n    go()\n>>>>>>> REPLACE\n```\n'
		say user 'hi'
		say assistant 'These files are read-only here.\n\napp/repo.py:\n⋮...\n│class GitRepo:\n│    repo = None\n⋮...\n│    def ignored_file(self, fname):\n⋮...\n\napp/help.py:\n⋮...\n│class HelpCoder(Coder):\n⋮...\n'
		say user '?'
	} >in
	summary 200 >got
	parse got
	grep -q '^1\. edited `app/utils.py`' got
	grep -q '^- `app/utils.py`: edited' got
	grep -q '^  - “def run_install(cmd):”' got
	grep -q '^  - “+ spinner = Spinner("Installing")”' got
	grep -q '^  - “- last_update = time.time()”' got
	grep -q '^- `app/repo.py`: class GitRepo, ignored_file' got
	grep -q '^- `app/help.py`: class HelpCoder' got
	! grep -q -e '│' -e '⋮' -e 'Here it is: app' got || { cat got; return 1; }
}

@test 'a summary of a reservation names the user and the route, and each flight on its own line' {
	{
		say user 'Hi there! I want to fly a day later.'
		say assistant 'What is your user ID?'
		say user "Sure, it's mia_li_3668."
		call 1 get_reservation '{"reservation_id":"NM1VX1"}'
		result 1 '{"reservation_id":"NM1VX1","user_id":"mia_li_3668","origin":"MCO","destination":"CLT","flight_type":"one_way","flights":[{"flight_number":"HAT300","origin":"MCO","destination":"ATL","date":"2024-05-25","price":100},{"flight_number":"HAT208","origin":"ATL","destination":"CLT","date":"2024-05-26","price":53}],"payments":[{"id":"gift_card_8","amount":183}],"created_at":"2024-05-01T10:00:00"}'
		say assistant 'The reservation can be changed. Which day?'
		say user 'The cheapest one on 2024-05-27, please.'
	} >in
	summary 220 >got
	parse got
	grep -q '^1\. I want to fly a day later\.' got
	grep '^- reservation NM1VX1: ' got >line
	grep -q 'user mia_li_3668' line
	grep -q 'MCO → CLT, one_way' line
	grep -q 'gift_card_8 (amount 183)' line
	grep -q 'created at 2024-05-01T10:00:00' line
	grep -q '^  - flight HAT300 (MCO → ATL, 2024-05-25, price 100)$' got
	grep -q '^  - flight HAT208 (ATL → CLT, 2024-05-26, price 53)$' got
	! grep -q 'Hi there' got || return
	summary 60 >small
	parse small
	grep -q 'a day later' small
	# a later summary keeps the line of each flight
	jq -nc --rawfile s got '{kind:"message",slot:"summary",message:{role:"user",content:$s}}' >in
	say user 'And now?' >>in
	say assistant 'The reservation was changed to 2024-05-27.' >>in
	say user '?' >>in
	summary 250 >again
	parse again
	grep -q '^  - flight HAT208 (ATL → CLT, 2024-05-26, price 53)$' again
}

@test 'from an answer with a list, a summary prefers the sentence after the list to the sentence before it' {
	local i
	{
		say user 'Are several of my flights on the same day?'
		call a get_user '{"id":"ada_1"}'
		result a '{"reservations":["AB12CD","EF34GH","IJ56KL"]}'
		say assistant "I have reviewed your flight reservations, and here are the details:

1. **Reservation AB12CD**
   - **Flights:**
     - Rome to Oslo on 2026-05-17
2. **Reservation EF34GH**
   - **Flights:**
     - Paris to Bern on 2026-05-17
3. **Reservation IJ56KL**
   - **Flights:**
     - Wien to Linz on 2026-06-02

Two flights are on May 17, under AB12CD and EF34GH. Would you like to change one?"
		say user '?'
	} >in
	summary 90 >s
	parse s
	grep -q 'Two flights are on May 17, under AB12CD and EF34GH' s
	! grep -q '(1/3)' s || return
}

@test 'from an answer with a calculation, a summary prefers the conclusion to the steps' {
	local i
	for i in 1 2 3 4 5 6 7; do
		say user "Can you compute the area of triangle number $i with the sides 3$i, 4$i and 5$i?"
		say assistant "Let's use the formula for triangle $i. We insert the sides into it.
x = 3$i + 4$i + 5$i

s = x / 2

Now we take the square root of the product of the four terms.
Therefore, the area of triangle $i is about 6${i}0 square meters."
	done >in
	say user '?' >>in
	summary 260 >s
	parse s
	[ "$(grep -c 'Therefore, the area' s)" -ge 3 ]
	! grep -q 'x / 2' s || return
}

@test 'a summary quotes lines of files with their line numbers until the file is changed' {
	{
		say user 'Where is parse_ratio defined in ratio.py, and who calls it?'
		call 1 Read '{"file_path":"/src/ratio.py"}'
		result 1 '    40→import re\n    41→\n    42→def parse_ratio(text):\n    43→    return text\n    44→\n    45→def main():\n    46→    parse_ratio("3/4")'
		call 2 Read '{"file_path":"/src/other.py"}'
		result 2 '     7→def other_ratio(text):\n     8→    return text'
	} >in
	say user 'And now?' >>in
	summary 300 >s
	parse s
	grep -qF '  - 42: “def parse_ratio(text):”' s
	grep -qF '  - 7: “def other_ratio(text):”' s
	# a later summary takes the lines from the earlier summary
	{
		ctx-summarize -q --keep-last 1 --max-tokens 300 in
		say assistant 'parse_ratio is defined in line 42 of ratio.py.'
		say user 'Thanks. And other_ratio?'
	} >again
	ctx-summarize -q --keep-last 1 --max-tokens 300 again | jq -r 'select(.slot=="summary").message.content' >s
	parse s
	grep -qF '  - 7: “def other_ratio(text):”' s
	# line numbers are omitted after the file was changed
	sed '$d' in >changed
	{
		call 3 Edit '{"file_path":"/src/ratio.py","old_string":"import re\\n","new_string":"import re\\nimport os\\n"}'
		result 3 'The file /src/ratio.py has been updated.'
		say user 'And now?'
	} >>changed
	ctx-summarize -q --keep-last 1 --max-tokens 300 changed | jq -r 'select(.slot=="summary").message.content' >s
	parse s
	grep -qF '  - “def parse_ratio(text):”' s
	grep -qF '  - 7: “def other_ratio(text):”' s
}

@test 'from a long document, a summary quotes the parts that the user asked about' {
	{
		say user 'What does the DoorOpen event send? I need the fields of doorPayload.'
		call 1 fetch '{"url":"https://docs.example.com/events"}'
		result 1 "$(printf '# Events\n\n## WindowShut\n\nSent when a window has been shut by hand for good.\n\n| `pane` | which pane of glass |\n\n## DoorOpen\n\n<Note>\n\nSent when a visitor opens one of the doors.\n\n| `hinge_side` | where the door hangs |\n\n## Retention\n\nAll of them are kept for a whole long week.\n')"
		say user '?'
	} >in
	summary 160 >got
	parse got
	grep -q 'opens one of the doors' got
	grep -q 'hinge_side' got
	! grep -q -e 'shut by hand' -e 'long week' -e '<Note>' got || { cat got; return 1; }
}

@test 'a summary keeps the whole list of choices in an answer, and the answer to each request' {
	local flights='[{"flight_number":"HAT110","origin":"ATL","destination":"LGA","prices":{"economy":105}},{"flight_number":"HAT172","origin":"LGA","destination":"PHL","prices":{"economy":102}},{"flight_number":"HAT264","origin":"LGA","destination":"PHL","prices":{"economy":556}}]'
	{
		say user 'Can I bring my dog?'
		say assistant 'Pets are not allowed in the cabin on this route. Is there anything else?'
		say user 'Then find me a flight from ATL to PHL on 2024-05-24.'
		call 1 search_onestop_flight '{"origin":"ATL","destination":"PHL","date":"2024-05-24"}'
		result 1 "$flights"
		say assistant 'Here are the cheapest options for May 24:\n\n1. **Option 1:**\n   - **Flight 1:** ATL to LGA\n     - Flight Number: HAT110\n     - Price: $105\n   - **Flight 2:** LGA to PHL\n     - Flight Number: HAT172\n     - Price: $102\n   - **Total Price:** $207\n\nWould you like to book it?'
		say user '?'
	} >in
	summary 220 >got
	parse got
	grep -q '^1\. Pets are not allowed in the cabin' got
	grep -qF 'options for May 24: Option 1: Flight 1: ATL to LGA; Flight Number: HAT110; Price: $105; Flight 2: LGA to PHL; Flight Number: HAT172; Price: $102; Total Price: $207' got
}

@test 'a summary lists a question or request at the end of the last answer as open' {
	local ending
	for ending in 'Please confirm if you would like to proceed with the cancellation.' \
	    'If other dates or a stop suit you, let me know.' 'Which date suits you?'; do
		{
			say user 'Cancel reservation MZDDS4.'
			say assistant 'Please provide your user ID.'
			say user 'It is raj_7340.'
			call 1 get_reservation '{"id":"MZDDS4"}'
			result 1 '{"reservation_id":"MZDDS4","cabin":"business"}'
			say assistant "It was booked today and can be cancelled. $ending Let me know if there is anything else."
			say user '?'
		} >in
		summary 150 >got
		parse got
		grep -qxF -e "- asked: $ending" got || { cat got; return 1; }
		[ "$(grep -c 'user ID\|anything else' got)" = 0 ] || { cat got; return 1; }
	done
}

@test 'a summary of a chat omits markers of programs, empty clauses and headings' {
	local n
	{
		for n in 1 2 3 4 5 6 7; do
			say user "I signed the lease number 2$n for the bakery in Porto, can you help me with that? ->-> 1,$n"
			say assistant "### 2. Introduce the Context\nThe notary in Porto needs form B$n.\n### 3. Close with Enthusiasm\nSmile."
		done
		say user '?'
	} >in
	summary 400 >got
	parse got
	grep -q '^2\. I signed the lease number 22 for the bakery in Porto$' got
	grep -q 'The notary in Porto needs form B7' got
	! grep -q -e '->' -e 'Introduce the Context' -e 'Enthusiasm' got || { cat got; return 1; }
}

@test 'the lines that a search found and the lines after them are quoted in the order of the file' {
	local n file=
	for n in $(seq 1 40); do
		case $n in
		7) file+="$n: local Output_seven = 7\n" ;;
		20) file+="$n:   elseif tool == 'task' then\n" ;;
		21) file+="$n:     render_it(\n" ;;
		22) file+="$n:       duration_text\n" ;;
		33) file+="$n:     return int(value)\n" ;;
		*) file+="$n: setting_$n = 'value_$n',\n" ;;
		esac
	done
	{
		say user 'Where are tasks rendered?'
		call 1 grep '{"pattern":"task","path":"lua"}'
		result 1 'Found 1 matches\nlua/formatter.lua:\n  Line 20: elseif tool == task then'
		call 2 read '{"filePath":"lua/formatter.lua"}'
		result 2 "$file"
		say assistant 'The key file is formatter.lua, and line 33 is wrong.'
		call 3 grep '{"pattern":"task","path":"tests"}'
		result 3 'Found 1 matches\ntests/util_spec.lua:\n  Line 324: help with this task'
		say user '?'
	} >in
	summary 240 >got
	parse got
	grep -qF $'  - 20: “elseif tool == \'task\' then”' got
	grep -qF '  - 21: “render_it(”' got
	grep -qF '  - 22: “duration_text”' got
	# the result of a search in another file is kept
	grep -q 'Line 20: elseif tool' got
	[ "$(grep -o '^  - [0-9]*' got | grep -o '[0-9]*')" = "$(grep -o '^  - [0-9]*' got | grep -o '[0-9]*' | sort -n)" ]
}

@test 'a summary quotes the error of a traceback and the reason why an edit was refused' {
	{
		say user 'Fix the bug in app/run.py'
		call 1 bash '{"command":"python app/run.py"}'
		result 1 'Traceback (most recent call last):\n  File "app/run.py", line 3, in <module>\n    raise AttributeError(\nAttributeError: no PixelData in the file'
		call 2 edit '{"file_path":"app/run.py","old_string":"a","new_string":"b("}'
		result 2 'Your edit has a syntax error. Please retry.\n\nERRORS:\n- E999 SyntaxError: unmatched parenthesis'
		say user '?'
	} >in
	summary 150 >got
	parse got
	grep -qF 'ran `python app/run.py`: “AttributeError: no PixelData in the file”' got
	grep -qF 'edited `app/run.py`: “- E999 SyntaxError: unmatched parenthesis”' got
}

@test 'a summary prints repeated calls of an unknown tool once, with their number' {
	local n
	{
		for n in 1 2 3; do
			say user "Please try the update again, attempt $n."
			call $n update_reservation '{"reservation_id":"XEWRD9","cabin":"economy"}'
			result $n 'Error: flight HAT030 is not available on 2024-05-13'
			say assistant 'The flight HAT030 is still not available.'
		done
		say user '?'
	} >in
	summary 100 >got
	parse got
	[ "$(grep -c 'update_reservation(' got)" = 1 ]
	grep -qF 'update_reservation(reservation_id XEWRD9, cabin economy) (3 times): “Error: flight HAT030 is not available on 2024-05-13”' got
}

@test 'a summary of a dated conversation quotes events with the date on which they were told' {
	local n
	{
		for n in 1 2 3 4 5 6; do
			jq -nc --argjson n $n '{role:"user",name:"Ann",content:"[\($n):56 pm on \($n + 9) May, 2023] Hey Bea! How are you? I joined the rowing club number \($n) yesterday and met Trainer\($n). The colors blend nicely."}'
			jq -nc --argjson n $n '{role:"assistant",name:"Bea",content:"Wow, that is so great! You are amazing. Last week I took my kids to a pottery workshop in Town\($n)."}'
		done
		say user '?'
	} >in
	summary 260 >got
	parse got
	grep -q '^- Ann: \[11 May, 2023\] I joined the rowing club number 2 yesterday' got
	grep -q '^- Ann: \[10 May, 2023\] ' got
	# the line of the other speaker follows under the same date
	[[ $(grep -A 1 -e '^- Ann: \[15 May, 2023\]' got | tail -n 1) == '- Bea: Last week I took my kids to a pottery workshop in Town6'* ]]
	! grep -q -e '56 pm' -e 'blend nicely' -e amazing got || { cat got; return 1; }
}

@test 'the summary in the README is what its command prints' {
	local readme=$BATS_TEST_DIRNAME/../README.md
	[ -f "$readme" ] || skip 'no README'
	cd "$BATS_TEST_DIRNAME/.."
	sed -n '/^ctx-append .*transcript.ndjson/,/^```$/p' "$readme" | sed '$d' >"$BATS_TEST_TMPDIR/commands"
	# shellcheck source=/dev/null
	. "$BATS_TEST_TMPDIR/commands" >"$BATS_TEST_TMPDIR/got"
	same "$BATS_TEST_TMPDIR/got" <<<"$(sed -n '/^Summary of the earlier conversation:/,/^```$/p' "$readme" | sed '$d')"
}

@test '--language changes headings and verbs, not the quoted text' {
	fill 10
	for l in de:Aufträge es:Peticiones zh:请求; do
		ctx-summarize -s s -n --language ${l%:*} | jq -r 'select(.kind=="summary").message.content' >text
		grep -qx "## ${l#*:}" text
		! grep -q '^## Requests' text || return
		grep -q 'Why does web-1.example.com' text
		CTX_SUMMARY_LANGUAGE=${l%:*} ctx-summarize -s s -n | jq -r 'select(.kind=="summary").message.content' | same text
	done
	ctx-summarize -s s -n --keep-facts 2>err | jq -r 'select(.kind=="summary").message.content' | sed -n 2p | same - '## Requests'
	grep -q 'no longer have an effect' err
	[ "$(ctx-summarize -q -s s -n --no-keep-facts 2>&1 >/dev/null)" = '' ]
}

@test 'if a summary would not be shorter, nothing happens' {
	printf '{"role":"%s","content":"%s"}\n' user Hi assistant Hello user Bye >in
	ctx-summarize <in 2>err | same in
	grep -q '^ctx-summarize: left unchanged: extractive: a summary would not be shorter than the messages' err
	ctx-append -q --create -s s <in
	ctx-summarize -s s 2>err | same /dev/null
	grep -q "left unchanged" err
	[ "$(ctx-show -s s | grep -c '"kind":"event"')" = 0 ]
	echo '{"role":"assistant","content":"I speak first"}' | ctx-summarize 2>/dev/null | same - '{"role":"assistant","content":"I speak first"}'
}

@test 'opening system messages, pinned and hidden messages are not summarized' {
	{
		history 2
		echo '{"kind":"message","pinned":true,"message":{"role":"user","content":"Remember: the key is 4711-XYZ, whatever happens."}}'
		history 6 | tail -n +2 | sed 's/"\([ab][0-9]\)"/"z\1"/g'
		echo '{"role":"user","content":"And now?"}'
	} | ctx-append -q --create -s s
	ctx-window -s s -n 1000 | sent >before
	ctx-summarize -s s --keep-last 1 >out
	ctx-window -s s -n 1000 | tee w | seqs | same - '1 12 summary 43'
	whole w
	! jq -r 'select(.kind=="summary").message.content' out | grep -q 4711 || return
	# after another turn, the pinned message is still not summarized
	history 2 | tail -n +2 | sed 's/"\([ab][0-9]\)"/"y\1"/g' | ctx-append -q -s s
	ctx-append -q -s s -t 'So?'
	ctx-summarize -s s --keep-last 1 >out
	ctx-window -s s -n 1000 | tee w | seqs | same - '1 12 summary 54'
	! jq -r 'select(.kind=="summary").message.content' out | grep -q 4711 || return
	ctx-summarize -s s --undo >/dev/null
	ctx-summarize -s s --undo >/dev/null
	# hidden messages are not in the summary
	ctx-prune --apply -s s --keep-last 8 >/dev/null
	ctx-window -s s -n 1000 | sent >hidden
	first=$(jq -s '[.[]|select(.seq and .seq > 12).seq]|min' hidden)
	ctx-summarize -s s --keep-last 1 >out
	holds --argjson f "$first" 'select(.kind=="summary").source.first_seq == $f' out
	! jq -r 'select(.kind=="summary").message.content' out | grep -q 'pool_size_3 ' || return
	ctx-window -s s -n 1000 | tee w | tail -1 | holds '.dropped[0].reason == "hidden" and .dropped[-1].reason == "summarized"'
	whole w
	# pruning hides only messages after the summary, and counts the tokens of the summary
	ctx-prune --apply -n -s s -b 400 | holds '[.hidden[]|select(.first_seq < 54)] == []' >/dev/null
	ctx-summarize -s s --undo
	ctx-window -s s -n 1000 | sent | same hidden
	ctx-prune --undo -s s >/dev/null
}

@test 'messages that a summary covers are not read' {
	command -v sqlite3 >/dev/null || skip 'no sqlite3'
	fill 40
	ctx-summarize -s s --keep-last 5 >/dev/null
	sqlite3 "$CTX_STORE" 'UPDATE message SET crc = crc + 1 WHERE (id & 0xffffffff) BETWEEN 7 AND 190'
	for w in '-n 1000' '-b 100000' '-b 3000 --stable' '--turns 50'; do
		# shellcheck disable=SC2086
		ctx-window -s s $w | seqs | grep -q summary || { echo "$w"; return 1; }
	done
	status 5 ctx-window -s s -n 1000 --no-summary >/dev/null 2>&1
}

@test 'windows that are limited by -b, --turns or --stable count the tokens of the summary' {
	fill 30
	ctx-summarize -s s >/dev/null
	for b in 900 1500 2500 4000 8000; do
		ctx-window -s s -b $b >w
		whole w
		groups w
		seqs <w | grep -q summary
		tail -1 w | holds --argjson b $b '.tokens.total <= $b' >/dev/null
		ctx-window -s s -b $b | ctx-prune | ctx-render -p openai -b $b
	done
	ctx-window -s s --turns 2 >w
	whole w
	[ "$(jq -r 'select(.message.role=="user" and (.slot|not)).seq' w | wc -l)" = 2 ]
	# windows that start at the same message have the same first bytes
	ctx-window -s s -b 2500 --stable | grep '"kind":"message"' | head -3 >a
	echo '{"role":"assistant","content":"Fine."}' | ctx-append -q -s s
	ctx-append -q -s s -t 'Thanks.'
	ctx-window -s s -b 2500 --stable | grep '"kind":"message"' | head -3 | same a
	grep -q '"slot":"summary"' a
}

@test 'in a request body of each provider, the summary stands after the system text and before the messages' {
	fill 10
	ctx-summarize -s s >/dev/null
	for p in openai anthropic gemini; do
		echo '{"max_tokens":100,"model":"m"}' >params
		ctx-window -s s -b 4000 -p $p | ctx-prune | ctx-render -p $p --params params >body || { echo $p; return 1; }
		ctx-lint -p $p body || { echo $p; return 1; }
	done
	ctx-window -s s -b 4000 | ctx-prune | ctx-render -p openai | jq -c '[.messages[0:3][]|.role, .content[0:20]]' |
		same - '["system","You keep the servers","user","Summary of the earli","user","Why does web-5.examp"]' ||
		ctx-window -s s -b 4000 | ctx-prune | ctx-render -p openai | jq -c '.messages[0:3]'
	# also in a pipe
	ctx-window -s s -b 4000 --no-summary | ctx-summarize | ctx-prune | ctx-render -p anthropic >body 2>err || { cat err; return 1; }
	ctx-lint -p anthropic body
}

@test 'a request that contained a summary can be rendered again after the summary was undone' {
	fill 10
	ctx-summarize -s s >/dev/null
	ctx-window -s s -b 4000 | ctx-prune | ctx-render -p openai --request req >body
	echo '{"id":"x","model":"m","choices":[{"message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}]}' |
		ctx-append -q --request req >/dev/null
	ctx-summarize -s s --undo >/dev/null
	grep -q 'Summary of the earlier' body
	ctx-show --request "$(jq -r .request_id req)" | ctx-render -p openai | same body
}

@test 'a fork copies only summaries of messages that it contains' {
	fill 10
	ctx-summarize -s s >/dev/null
	ctx-summarize -s s >/dev/null
	ctx-new --id all --fork s >/dev/null
	ctx-window -s all -n 1000 | seqs | same <(ctx-window -s s -n 1000 | seqs)
	ctx-new --id less --fork s@30 >/dev/null
	[ "$(ctx-window -s less -n 1000 | jq -c 'select(.slot=="summary").source.last_seq')" = 21 ]
	ctx-new --id none --fork s@20 >/dev/null
	[ "$(ctx-window -s none -n 1000 | seqs | grep -c summary)" = 0 ]
	ctx-summarize -s all --undo >/dev/null
	ctx-summarize -s all --undo >/dev/null
	status 1 ctx-summarize -s all --undo 2>/dev/null
	[ "$(ctx-window -s s -n 1000 | jq -c 'select(.slot=="summary").source.last_seq')" = 31 ]
}

@test 'if two processes summarize a session at once, one stores its summary and the other skips the session' {
	fill 10
	mkfifo go1 go2
	for i in 1 2; do
		ctx-summarize -s s --exec "read x <go$i; echo summary $i" >"out$i" 2>"err$i" &
		pids[i]=$!
	done
	exec 8>go1 # returns when the first command has been started
	timeout 20 bash -c 'echo >go2'
	wait "${pids[2]}"
	# other processes can write meanwhile
	ctx-append -q -s s -t 'Still there?'
	echo >&8
	exec 8>&-
	rc=0
	wait "${pids[1]}" || rc=$?
	[ "$rc" = 1 ]
	grep -q 'changed meanwhile: skipped' err1
	[ ! -s out1 ]
	ctx-window -s s -n 1000 | jq -r 'select(.slot=="summary").message.content' | grep -q '^summary 2'
	[ "$(ctx-show -s s | grep -c '"event":"summarize"')" = 1 ]
	# new messages during the summary do not prevent storing it
	ctx-summarize -s s --undo >/dev/null
	ctx-summarize -s s --exec 'ctx-append -q -s s -t More >/dev/null; echo gist' | holds 'select(.kind=="event").strategy == "exec"'
}

@test 'a session is skipped if its hidden messages change during the summary, even if their number stays the same' {
	fill 20
	ctx-prune --apply -s s -b 500 --strategy recent >/dev/null
	n=$(ctx-list | jq .hidden_count)
	[ "$n" -gt 0 ]
	cat >meanwhile <<-X
	ctx-prune --undo -s s >/dev/null
	sqlite3 "$CTX_STORE" "INSERT INTO hidden SELECT id, id + $n - 1, 1 FROM message ORDER BY id DESC LIMIT 1 OFFSET $n;
		UPDATE session SET hidden_count = $n"
	X
	status 1 ctx-summarize -s s --exec 'sh ./meanwhile; echo gist' >out 2>err
	grep -q 'changed meanwhile: skipped' err
	[ ! -s out ]
}

@test 'after a kill at any moment, the summary and its event are both stored or both missing' {
	fill 20
	ctx-window -s s -n 1000 | sent >before
	for i in $(seq 25); do
		ctx-summarize -s s >/dev/null 2>&1 &
		pid=$!
		python3 -c "import time; time.sleep($i / 1500)"
		kill -9 $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
		ctx-window -s s -n 1000 >w
		whole w
		used=$(ctx-show -s s | jq -s '[.[]|select(.event=="summarize")]|length')
		rows=$(ctx-show -s s | jq -s '[.[]|select(.kind=="summary")]|length')
		[ "$used" = "$rows" ] || { ctx-show -s s | tail; return 1; }
		while ctx-summarize -s s --undo >/dev/null 2>&1; do :; done
		ctx-window -s s -n 1000 | sent | same before
	done
}

@test 'several sessions are summarized, and missing ones are reported' {
	fill 5 a
	fill 5 b
	ctx-summarize -s a -s b | jq -r 'select(.kind=="event").session_id' | same - 'a
b'
	ctx-list | ctx-summarize -s - --undo | jq -r .session_id | sort | same - 'a
b'
	status 1 ctx-summarize -s nobody 2>err
	[ "$(cat err)" = "ctx-summarize: no session 'nobody'" ]
	status 5 ctx-summarize -s a -S nowhere.db 2>/dev/null
	for bad in '--threshold 2' '--threshold x' '--fraction 0' '--fraction 0.4 --keep-last 3' '--undo' '-n' \
		'--exec-format xml' '--max-tokens 0' '--piece 10' '-s a --threshold 0.5' '-s a file' '--language xx'; do
		# shellcheck disable=SC2086
		status 2 ctx-summarize $bad </dev/null >out 2>err || { echo "$bad"; return 1; }
		[ ! -s out ] && [ "$(wc -l <err)" = 1 ]
	done
	echo '{"role":' | status 3 ctx-summarize 2>/dev/null
	ctx-window -s a | head -2 | status 3 ctx-summarize 2>/dev/null
}

@test 'the options --fraction and --keep-last override the settings, and the setting keep_last overrides the setting fraction' {
	fill 10
	ctx-summarize -s s -n --keep-last 3 >kept
	ctx-summarize -s s -n --fraction 0.5 >half
	! cmp -s kept half || return 1
	export CTX_FRACTION=0.5 CTX_KEEP_LAST=3
	ctx-summarize -s s -n | same kept
	ctx-summarize -s s -n --fraction 0.5 | same half
	unset CTX_FRACTION CTX_KEEP_LAST
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	echo '{"fraction":0.5,"keep_last":3}' >"$XDG_CONFIG_HOME/ctx/config.json"
	ctx-summarize -s s -n | same kept
	ctx-summarize -s s -n --fraction 0.5 | same half
}

@test 'archive and restore keep summaries, and a purge removes them' {
	fill 10
	ctx-summarize -s s >/dev/null
	ctx-summarize -s s >/dev/null
	ctx-summarize -s s --undo >/dev/null
	ctx-show -s s | grep -v '"kind":"session"' >shown
	grep -c '"kind":"summary"' shown | same - 2
	ctx-window -s s -n 1000 | sent >w
	mkdir a
	ctx-list | ctx-archive --to "$PWD/a" --cleanup >/dev/null
	command -v sqlite3 >/dev/null && [ "$(sqlite3 "$CTX_STORE" 'SELECT (SELECT count(*) FROM summary) + (SELECT sum(summary) FROM session)')" = 0 ]
	ctx-show -s s | grep '"kind":"summary"' | same <(grep '"kind":"summary"' shown)
	ctx-archive --restore -s s >/dev/null
	ctx-show -s s | grep '"kind":"summary"' | same <(grep '"kind":"summary"' shown)
	ctx-window -s s -n 1000 | sent | same w
	ctx-summarize -s s --undo >/dev/null
	ctx-summarize -s s --exec 'echo a secret gist 90210' >/dev/null
	grep -q 'secret gist' "$CTX_STORE" "$CTX_STORE"-*
	ctx-delete --purge -s s >/dev/null
	! grep -q 'secret gist' "$CTX_STORE" "$CTX_STORE"-* || return
	! grep -q 'pool_size_1' "$CTX_STORE" "$CTX_STORE"-* || return
}

gone() {
	timeout 20 tail --pid="$(cat "$1")" -f /dev/null
}

@test 'a signal that ends ctx-summarize also ends its command' {
	local sig n
	for i in 1 2 3 4 5 6 7 8 9; do ctx-append -q --create -s s -t "message $i from 10.0.0.1"; done
	for sig in HUP:129 INT:130 TERM:143; do
		n=${sig#*:} sig=${sig%:*}
		status $n ctx-summarize -n -s s --keep-last 1 --timeout 60s \
			--exec "sleep 6543 & echo \$! >sleeps; kill -$sig \$PPID; wait" >out 2>err
		[ ! -s out ]
		gone sleeps
		status $n ctx-entity resolve -s s --resolve-exec \
			"sleep 6543 & echo \$! >sleeps; kill -$sig \$PPID; wait" >out 2>err
		gone sleeps
	done
}
