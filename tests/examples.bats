# The installed examples work as described.
load helper

setup() {
	isolate
	export PATH=$ROOT/tests/bin:${PATH/$ROOT\/tests\/bin:/}   # llm, ollama and claude, but not curl
	unset OPENAI_API_KEY ANTHROPIC_API_KEY CTX_SESSION CTX_PROVIDER CTX_ARCHIVE
	E=$ROOT/examples
}

# Starts a provider on the loopback interface; the real curl is used.
serve() {
	command -v python3 >/dev/null || skip 'no python3'
	PATH=${PATH/$ROOT\/tests\/bin:/}
	mkdir served
	python3 "$ROOT/tests/tools/provider_server.py" "$PWD/served" >/dev/null 2>server.err 3>&- &
	server=$!
	for _ in {1..200}; do
		[ ! -s served/port ] || break
		sleep 0.05
	done
	OPENAI_BASE_URL=http://127.0.0.1:$(<served/port)/v1
	export OPENAI_BASE_URL OPENAI_API_KEY=k
	printf '%s\n' "$@" >served/plan
}

teardown() {
	[ -z "${server-}" ] || kill $server 2>/dev/null || true
}

@test 'the example chat works' {
	serve 'text Good day.' 'text Sunny.'
	printf 'Hello\n\n-- What weather?\n' | CHAT=x "$E/chat" -p openai --model m >out 2>err
	same - $'Good day.\nSunny.' <out
	[ "$(ctx-show -s chat-x | jq -r 'select(.kind == "message").message.content' | paste -sd '|')" = \
		'Hello|Good day.|-- What weather?|Sunny.' ]
}

@test 'the example agent works with its tools' {
	mkdir files && echo hi >files/small && head -c 3000 /dev/zero | tr '\0' x >files/large
	serve 'call list_files' 'call date 2' 'text It is files/large.'
	ctx-new --id s >/dev/null
	CTX_SESSION=s "$E/agent" -p openai --model m 'Which is the largest?' >out 2>err || { cat err; return 1; }
	grep -qx 'It is files/large.' out
	[ "$(ctx-show -s s | jq -s '[.[] | select(.message.role == "tool")] | length')" = 3 ]
	[ "$(jq -s '.[0].body.tools | length' served/requests)" = 3 ]
	tool() { printf '%s' "$2" | "$E/agent-tools" "$1"; }
	[ "$(tool list_files '{"directory":"files"}' | head -n 1)" = '3000 large' ]
	[ "$(tool read_file '{"path":"files/small"}')" = hi ]
	for path in /etc/passwd .. files/../../x files/none; do
		status 1 tool read_file "{\"path\":\"$path\"}" >/dev/null
	done
	ln -s /etc/passwd files/link
	status 1 tool read_file '{"path":"files/link"}' >out
	status 1 tool rm '{}' >out
}

@test 'the example ci-context checks the lint rules, the token budget and the bytes of request bodies' {
	mkdir prompts
	printf '%s\n' '{"role":"system","content":"Be brief."}' '{"role":"user","content":"Hello"}' >prompts/hello.ndjson
	sed -i 's/^/{"kind":"message","session_id":"hello","message":/; s/$/}/' prompts/hello.ndjson
	"$E/ci-context" --update prompts
	cp prompts/hello.body.json first
	# a conversation with an answer is compared with the body for its question
	cp prompts/hello.ndjson asked
	echo '{"kind":"message","session_id":"hello","message":{"role":"assistant","content":"Hi."}}' >>prompts/hello.ndjson
	"$E/ci-context" prompts >out || { cat out; return 1; }
	cp asked prompts/hello.ndjson
	mkdir empty
	status 1 "$E/ci-context" empty >out
	grep -q 'no conversations' out
	CTX_NOW=2026-05-05T00:00:00Z "$E/ci-context" --update prompts
	cmp first prompts/hello.body.json
	"$E/ci-context" prompts >out
	status 1 "$E/ci-context" prompts 3 >out
	grep -q 'more than 3 tokens' out
	echo '{"kind":"message","session_id":"hello","message":{"role":"user","content":"And you?"}}' >>prompts/hello.ndjson
	status 1 "$E/ci-context" prompts >out
	grep -q 'the body has changed' out
	echo '{"kind":"message","session_id":"hello","message":{"role":"tool","tool_call_id":"c","content":"4"}}' >>prompts/hello.ndjson
	status 1 "$E/ci-context" prompts >out 2>&1
	grep -q 'breaks the rules' out
}

@test 'github-ci.yml calls existing commands' {
	grep -q 'examples/ci-context prompts 8000' "$E/github-ci.yml"
	! command -v python3 >/dev/null || ! python3 -c 'import yaml' 2>/dev/null ||
		python3 -c 'import sys, yaml; yaml.safe_load(open(sys.argv[1]))' "$E/github-ci.yml"
}

@test 'each line of retention.cron works' {
	export HOME=$PWD CTX_ARCHIVE=$PWD/archive
	ctx-append -q --create -s old -t 'hello'
	ctx-append -q --create -s gone -t 'bye'
	ctx-delete -q -s gone >/dev/null
	export CTX_NOW=2027-01-01T00:00:00Z
	n=0
	while read -r _ _ _ _ _ command; do
		sh -c "$command" >out 2>err || { echo "$command"; cat err; return 1; }
		n=$((n + 1))
	done < <(grep -E '^[0-9*]' "$E/retention.cron")
	[ $n = 9 ]
	[ "$(ctx-list -1 --status archived)" = old ]
	[ -z "$(ctx-list -1 --status deleted)" ]
	[ -s ctx.backup ] && [ -s ctx.prom ]
}

@test 'the example summarise writes a summary by a model' {
	export OPENAI_API_KEY=k SUMMARY_MODEL=m CURL_ANSWER='They spoke of ferries and trains to Rotterdam.'
	for i in $(seq 6); do ctx-append -q --create -s a -t "question $i about the ferry to Rotterdam and its price"; done
	ctx-summarize -q -s a --keep-last 2 --exec-format text --exec "$E/summarise" >out 2>err || { cat err; return 1; }
	[ ! -s err ] || { cat err; return 1; }
	ctx-window -s a -n 20 | grep -q 'ferries and trains to Rotterdam'
	# if the model fails, the built-in summary is used
	ctx-summarize -q -s a --undo >/dev/null
	CURL_ANSWER='' ctx-summarize -s a --keep-last 1 --exec-format text --exec "$E/summarise; false" >out 2>err
	[ -s err ] && ctx-window -s a -n 20 | grep -q 'Summary of the earlier conversation'
}

@test 'the example embed works' {
	mkdir bin
	cat >bin/curl <<'END'
#!/bin/sh
jq -c '{data: [.input | to_entries[] | {index: .key, embedding: [(.value | length), 1]}] | reverse}'
END
	chmod +x bin/curl
	printf '{"text":"ab"}\n{"text":"abcd"}\n' | PATH=$PWD/bin:$PATH EMBED_MODEL=m "$E/embed" |
		same - $'[2,1]\n[4,1]'
	for i in 1 2 3; do ctx-append -q --create -s a -t "question $i on ports"; done
	ctx-window -s a -b 4000 | PATH=$PWD/bin:$PATH EMBED_MODEL=m ctx-enrich --embed-exec "$E/embed" >out 2>err
	[ ! -s err ] || { cat err; return 1; }
}

@test 'the example with-program works with llm, ollama and claude -p' {
	CTX_SESSION=$(ctx-new -1)
	export CTX_SESSION
	"$E/with-program" 'One?' llm -m x --no-log | grep -q canned
	"$E/with-program" 'Two?' ollama run x | grep -q canned
	"$E/with-program" 'Three?' claude -p 'Answer the last question.' | grep -q canned
	[ "$(ctx-list | jq .message_count)" = 6 ]
	[ "$(ctx-show -s "$CTX_SESSION" | grep -c '"kind":"request"')" = 3 ]
	status 1 "$E/with-program" 'Four?' false
	status 2 "$E/with-program" 'Five?' 2>err
}
