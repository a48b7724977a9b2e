load helper
load turn

@test 'a question is answered with each provider' {
	for p in openai anthropic gemini responses interactions; do
		plan 'text Good day to you.'
		OPENAI_API_KEY=k-o ANTHROPIC_API_KEY=k-a GEMINI_API_KEY=k-g \
			turn --create "Hello, $p" >out 2>err
		same - 'Good day to you.' <out
		[ ! -s err ] || { cat err; return 1; }
	done
	[ "$(ctx-list | jq .message_count)" = 10 ]
	[ "$(jq -r .key served/requests | paste -sd ' ')" = 'Bearer k-o k-a k-g Bearer k-o k-g' ]
	[ "$(jq -r .path served/requests | paste -sd ' ')" = '/v1/chat/completions /v1/messages /v1beta/models/m:streamGenerateContent?alt=sse /v1/responses /v1beta/interactions' ]
	[ "$(ctx-show -s s | grep -c '"kind":"request"')" = 5 ]
	# a user's own server, without a key
	turn --url "$base/v1" 'And now?' | same - OK
	status 2 env -u OPENAI_BASE_URL ctx-turn -s s -p openai --model m x 2>err
	grep -q 'OPENAI_API_KEY is not set' err
}

@test 'an answer that the provider paused is continued' {
	p=anthropic
	plan 'pause One.' 'pause Two.' 'text Three.'
	turn --create 'Count.' >out
	same - $'One.\nTwo.\nThree.' <out
	[ "$(jq -c '.body.messages[-1].role' served/requests | paste -sd ' ')" = '"user" "assistant" "assistant"' ]
	# a paused answer whose continuation failed is continued without a new question
	plan 'pause Four.' 'status 400'
	status 4 turn 'More.' >out 2>err
	plan 'text Five.'
	turn >out
	same - Five. <out
	status 1 turn 2>err
	grep -q 'nothing to answer' err
}

@test 'if the provider is busy, ctx-turn sends the request again' {
	for p in openai anthropic gemini responses interactions; do
		plan 'status 429 0' 'status 503' 'page 502' drop overloaded break 'text Well.'
		turn --create --retries 6 "Hello, $p" >out 2>err
		same - Well. <out || { cat err; return 1; }
		[ "$(grep -c 'again in 0 s' err)" = 6 ] || { cat err; return 1; }
	done
	messages | grep -c '^user' | same - 5
	messages | grep -c '^assistant Well.' | same - 5
	[ "$(ctx-show -s s | grep -c '"status":"failed"')" = 0 ]
}

@test 'Retry-After dates, damaged streams and compressed answers are handled' {
	mkdir bin
	printf '#!/bin/sh\necho "$1" >>"%s/slept"\n' "$PWD" >bin/sleep
	chmod +x bin/sleep
	for p in openai anthropic gemini responses interactions; do
		: >slept
		plan 'date 429 3600' 'date 503 -10' garbled 'gzip Well, well.'
		PATH=$PWD/bin:$PATH turn --create "Hello, $p" 2>err | same - 'Well, well.' || { cat err; return 1; }
		[[ $(paste -sd ' ' slept) =~ ^3[56][0-9][0-9]' 0 0'$ ]] || { cat slept; return 1; }
	done
	messages | grep -c '^user' | same - 5
}

@test 'errors that a retry cannot fix are not retried, and the turn can be repeated' {
	plan 'status 400' 'status 401'
	for i in 1 2; do
		status 4 turn --create 'Who are you?' >out 2>err
		[ ! -s out ]
		grep -q 'try later 40' err
	done
	[ "$(wc -l <served/requests)" = 2 ]
	for p in openai anthropic gemini responses interactions; do
		plan 'status 500' 'status 500'
		status 4 turn --retries 1 'Who are you?' 2>err
		ctx-view s | grep -q "^  failed: $p: HTTP 500 from $base/.*: .*try later 500" || { ctx-view s; return 1; }
	done
	unset p
	ctx-ls | grep -q ' failed  Who are you?'
	messages | same - 'user Who are you?'
	turn 'Who are you?' | same - OK
	turn 'Who are you?' >out   # answered: a new question
	[ "$(messages | wc -l)" = 4 ]
	status 1 turn 2>err
	grep -q "nothing to answer in session 's'" err
}

@test 'errors name the HTTP status and the URL, and a wrong address is not retried' {
	plan 'status 404'
	status 4 turn --create Hello 2>err
	grep -q "ctx-turn: openai: HTTP 404 from $base/v1/chat/completions: .*try later 404" err
	plan 'status 503' 'text Well.'
	turn Hello 2>err | same - Well.
	grep -q "ctx-turn: openai: HTTP 503 from $base/v1/chat/completions: .*(again in 0 s)" err
	: >served/requests
	plan 'page 200'
	status_of=0
	turn Again 2>err >out || status_of=$?
	[ $status_of != 0 ]
	grep -q "HTTP 200 from $base" err
	[ "$(wc -l <served/requests)" = 1 ]
	for url in http://no-such-host.invalid no-such-scheme://x 'http://'; do
		status_of=0
		turn --url "$url" Hello 2>err >out || status_of=$?
		[ $status_of != 0 ]
		! grep -q 'again in' err || { cat err; return 1; }
		grep -q 'ctx-turn: openai: no response from ' err
	done
	# no server on that port
	refused=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	for n in 2 3; do
		# shellcheck disable=SC2046
		status 4 turn --url "http://127.0.0.1:$refused/v1" $([ $n = 2 ] || echo --retries $n) Hello 2>err
		grep -c 'again in' err | same - $n
	done
	status_of=0
	turn --url http://me:secret@no-such-host.invalid Hello 2>err >out || status_of=$?
	grep -q '(6)' err
	! grep -q secret err
}

@test 'a hint says if the base URL has too much or too little of the path' {
	while read -r p url hint; do
		plan 'status 404'
		status 4 turn --create --url "$base$url" "Hello, $url" 2>err
		grep -qF "$hint" err || { echo "$url:"; cat err; return 1; }
	done <<-X
		anthropic /v1 (the base ends in '/v1', which is added to it: take '$base')
		anthropic /v1/messages (the base ends in '/v1/messages', which is added to it: take '$base')
		openai /v1/chat/completions (the base ends in '/chat/completions', which is added to it: take '$base/v1')
		openai / (the base of most such APIs ends in /v1)
		responses /v1/responses/ (the base ends in '/responses', which is added to it: take '$base/v1')
		gemini /v1beta (the base ends in '/v1beta', which is added to it: take '$base')
	X
	plan 'status 404'
	status 4 turn -q Hello 2>err
	! grep 'the base' err || false
}

@test 'a stream that breaks off is reported, stored with the request, and can be repeated' {
	for p in openai anthropic gemini responses interactions; do
		plan 'cut Once upon a time'
		status 4 turn --create "Tell, $p" >out 2>err
		same - 'Once upon a time' <out
		grep -q "^ctx-turn: $p: no complete answer from $base.*: the answer broke off before its end (" err
		ctx-show -s s | grep '"status":"failed"' | jq -er .partial.content >/dev/null ||
			ctx-show -s s | grep '"status":"failed"' | grep -q 'Once upon'
		turn >out
		same - OK <out
	done
	[ "$(messages | wc -l)" = 10 ]
}

@test 'each tool call runs once, a failed call gets an error result, and the turn ends with an answer' {
	cat >tool <<-'END'
	#!/bin/sh
	case $1 in
	date) jq -c '[.zone, .n]' ;;
	bad) echo broken; exit 3 ;;
	*) exit 7 ;;
	esac
	END
	chmod +x tool
	for p in openai anthropic gemini responses interactions; do
		for o in '' $([ $p != gemini ] || echo --parallel); do
			plan 'call date 3' 'status 500' 'call bad' 'call mute' 'text Done.'
			turn --create --tool-exec ./tool $o "Do, $p $o" >out 2>err
			same - Done. <out || { cat err; return 1; }
			[ -z "$(ctx-calls -s s)" ]
		done
	done
	[ "$(messages | grep -cF '["UTC",2]')" = 6 ]
	[ "$(messages | grep -c 'broken')" = 6 ]
	[ "$(messages | grep -c 'exit status 7')" = 6 ]
	[ "$(ctx-show -s s | grep -c '"message_type":"error"')" = 12 ]
}

@test 'options without effect are refused, and mistyped ones get a suggestion' {
	local o
	for o in --parallel '--max-steps 3'; do
		# shellcheck disable=SC2086
		status 2 turn --create $o Hello 2>err || return
		grep -q -- "^ctx-turn: ${o%% *} needs --tool-exec$" err || { cat err; return 1; }
	done
	status 2 turn --create --tool-exec true --max-steps 0 Hello 2>err
	grep -q -- '--max-steps: at least 1' err
	status 2 turn --create --paralel Hello 2>err
	same err <<<"ctx-turn: unknown option '--paralel': did you mean --parallel? (--help lists the options)"
	status 2 turn --create --max-step 3 Hello 2>err
	grep -q 'did you mean --max-steps?' err
	status 2 turn --create --zzzzzzzzzz Hello 2>err
	same err <<<"ctx-turn: unknown option '--zzzzzzzzzz' (--help lists the options)"
	status 2 turn '-5 plus 3?' 2>err
	same err <<<'ctx-turn: a question that begins with - needs the operand -- before it'
	status 2 turn '-q what' 2>err
	same err <<<'ctx-turn: a question that begins with - needs the operand -- before it'
	[ ! -e served/requests ]
}

@test 'without --tool-exec or after too many steps the turn stops and can be continued' {
	plan 'call date'
	status 1 turn --create 'What day?' 2>err >out
	grep -q "calls wait for results (--tool-exec runs them, ctx-calls -s 's' lists them" err
	status 1 turn 'What day?' 2>err
	ctx-calls -s s | jq -e '.name == "date"' >/dev/null
	plan 'call date' 'call date' 'call date'
	status 1 turn --tool-exec 'echo today; :' --max-steps 2 'What day?' 2>err
	grep -q 'calls that have waited are run first: date' err
	grep -q 'stopped after 2 requests' err
	turn --tool-exec 'echo today; :' 'What day?' >out
	same - OK <out
	[ "$(messages | grep -c '^user What')" = 1 ]
	[ "$(messages | grep -c '^tool today')" = 4 ]
	plan 'call date' 'text Fine.'
	turn --tool-exec 'printf "\377"; :' 'And now?' | same - Fine.
	messages | grep -q '^tool Error: the output is not UTF-8'
}

@test '--dry-run prints the body that would be sent' {
	turn --create 'One' >/dev/null
	for p in openai anthropic gemini responses interactions; do
		turn --dry-run 'Two' >body
		ctx-lint -p $p body
		grep -q Two body
	done
	[ "$(wc -l <served/requests)" = 1 ]
	[ "$(messages | wc -l)" = 2 ]
	p=openai
	turn --dry-run --create Two | jq -e '.messages | length == 3' >/dev/null
	ctx-turn -s new --create -p openai --model m --dry-run Hi | jq -e '.messages[0].content == "Hi"' >/dev/null
	turn --dry-run Two | jq -cS . >body
	turn Two >/dev/null
	tail -n 1 served/requests | jq -cS .body | same body
}

@test 'a file or command that cannot be used ends the turn before anything is stored or sent' {
	ctx-new --id s >/dev/null
	status 1 ctx-turn -s other -p openai --model m Hello 2>err
	same err <<<"ctx-turn: no session 'other' (--create makes it)"
	status 4 turn --system 'You are kind' Hello 2>err
	grep -q "cannot open 'You are kind': No such file.* (the system message is in a file)" err
	echo 'echo hi' >tool
	status 2 turn --tool-exec ./tool Hello 2>err
	grep -q "'./tool' is not executable" err
	chmod +x tool
	status 2 turn --tool-exec tool Hello 2>err
	grep -q "no such command 'tool': did you mean ./tool?" err
	status 2 turn --tool-exec no-such Hello 2>err
	grep -q "no such command 'no-such'" err
	[ -z "$(messages)" ] && [ ! -e served/requests ]
	# the system message may come through a pipe
	turn --tool-exec ./tool --system <(echo 'You are kind') Hello | same - OK
	tail -n 1 served/requests | grep -q 'You are kind'
}

@test 'tools in the format of another API are converted' {
	echo '{"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]}' >params
	for p in openai anthropic gemini responses interactions; do
		turn --create --params params "Hello, $p" 2>err >out
		grep -q 'fixed: ' err || [ $p = openai ]
		tail -n 1 served/requests | jq -c .body >body
		ctx-lint -p $p body
		turn -q --params params --dry-run Hello 2>err >body
		[ ! -s err ]
		ctx-lint -p $p body
	done
	tail -n 1 served/requests | jq -e '.body.tools[0].name == "f"' >/dev/null
}

@test 'turns of a session wait for each other' {
	turn --create Zero >/dev/null
	for i in 1 2 3 4; do
		turn -q "Question $i" >out.$i 2>err.$i 3>&- &
		jobs[i]=$!
	done
	for i in 1 2 3 4; do wait ${jobs[i]} || { cat err.$i; return 1; }; done
	[ "$(messages | cut -d ' ' -f 1 | paste -sd ' ')" = 'user assistant user assistant user assistant user assistant user assistant' ]
}

@test 'wrong usage is refused' {
	for o in '--model' '--retries x' 'a b' '--no-such'; do
		status 2 turn $o 2>err || { echo "$o"; return 1; }
		[ "$(wc -l <err)" = 1 ]
	done
	status 2 turn $'--q\x9b31m\xc2\x9b' 2>err
	! LC_ALL=C grep -q $'\x9b' err || return 1
	status 4 turn --params $'/x\x9b31m' x 2>err
	! LC_ALL=C grep -q $'\x9b' err || return 1
	status 4 turn --params nosuch.json x 2>err
	grep -q "cannot open 'nosuch.json'" err
	status 2 turn --frühstück 2>err
	grep -q "'--frühstück'" err
	status 2 ctx-turn -p openai x 2>err
	grep -q 'no session given' err
	status 2 ctx-turn -s s x 2>err
	status 2 ctx-turn -s s -p openai x 2>err
	grep -q 'no model given' err
	status 2 ctx-turn -s s -p robot --model m x 2>err
	status 5 turn 'no store' 2>err
	ctx-new --id other -1 >/dev/null
	status 1 turn 'no such session' 2>err
	grep -q "no session 's'" err
	ctx-turn -ss -popenai --model=m --create -- -t 2>err >out
	messages | head -n 1 | same - 'user -t'
	echo 'from stdin' | turn - >out
	turn 'without stdin' <&- | same - OK
	ctx-new --id long-session-id -1 >/dev/null
	CTX_SESSION=ion-id ctx-turn -p openai --model m abbreviated >out
	ctx-window -s long-session-id | grep -q abbreviated
	ctx turn -s s -p openai --model m again | same - OK
	printf '{"model":"other","temperature":0}' >params
	CTX_PARAMS=params ctx-turn -s s -p openai x >out
	tail -n 1 served/requests | jq -c '[.body.model,.body.temperature,.body.stream]' | same - '["other",0,true]'
}

@test 'a question may be longer than an argument' {
	head -c 300000 /dev/zero | tr '\0' x >long
	turn -b 500000 --create - <long | same - OK
	messages | head -n 1 | wc -c | same - 300006
	turn -b 500000 - <long | same - OK   # answered: a new question
	plan 'status 400'
	status 4 turn -b 500000 - <long 2>err
	turn -b 500000 - <long | same - OK
	turn -b 1000000 --dry-run - <long | wc -c | xargs test 1200000 -lt
	messages | grep -c '^user' | same - 3
}

# Checks that each option that the messages in FILE name without a command is an option of ctx-turn.
names_own_options() { # FILE
	local option
	ctx-turn --help >help
	grep -oE '(ctx-[a-z]+ )?--[a-z][a-z-]+' "$1" | grep -v '^ctx-' >options
	[ -s options ]
	while read -r option; do
		grep -q -- " $option " help || { cat "$1"; return 1; }
	done <options
}

@test 'hints of the commands that ctx-turn runs name options of ctx-turn' {
	# an archived session, with and without a question
	ctx-append -q --create -s s -t Hello
	ctx-archive -q -s s --to place --cleanup >/dev/null
	status 1 turn 2>err
	names_own_options err
	status 1 turn --create 'And now?' 2>err
	names_own_options err
	[ ! -e served/requests ]
	turn --resume | same - OK
	ctx-archive -q -s s --to place --cleanup >/dev/null
	plan 'call date' 'text Well.'
	turn --resume --tool-exec 'echo today #' 'And now?' | same - Well.
	# an answer that was refused
	ctx-append -q -s s -t 'Say it'
	echo '{"choices":[{"index":0,"message":{"role":"assistant","content":"No way"},"finish_reason":"content_filter"}]}' |
		ctx-append -q -s s -p openai 2>err
	turn Why? 2>err | same - OK
	names_own_options err
	tail -n 1 served/requests | jq -c '.body.messages | map(.content)' | status 1 grep -q 'No way'
	turn -q --refused 'Why not?' | same - OK
	tail -n 1 served/requests | grep -q 'No way'
	status 1 ctx-turn -s other -p openai --model m Hello 2>err
	names_own_options err
}

@test 'an error of the provider is printed and stored as it is, without escape sequences' {
	local told='a\0033[31m\tb\c and \\n more'
	plan "refuse $told" $'refuse x\e[31my'
	status 4 turn --create Hello 2>err
	grep -qF ": $told" err
	status 1 grep -q $'\e' err
	ctx-show -s s | jq -r 'select(.kind == "request").error' | grep -qF ": $told"
	status 4 turn Hello 2>err
	grep -q '^ctx-turn: openai: HTTP 400 ' err
	status 1 grep -q $'\e' err
}

@test 'on a terminal, control characters of an answer are printed visibly' {
	plan $'text Look: \e[31mred' 'cut Once upon'
	for q in Look Tell; do
		status "$([ $q = Look ] && echo 0 || echo 4)" "$ROOT/tests/tools/terminal.py" 80 "$CTX_BIN/ctx-turn" \
			-s s --create -p openai --model m $q >>out
	done
	head -n 2 out | same - $'Look: \\x1b[31mred\nOnce upon'
	[ "$(wc -l <served/requests)" = 2 ]
	ctx-show -s s | tail -n 1 | jq -r .partial.content | same - 'Once upon'
	# a request whose stream breaks before any text is sent again
	plan break 'text Well.'
	"$ROOT/tests/tools/terminal.py" 80 "$CTX_BIN/ctx-turn" -s s -p openai --model m --retry-wait 0 >out
	grep -q 'again in 0 s' out
	tail -n 1 out | same - Well.
}
