load helper

# Mistakes of new users, and the hints that they get.

@test 'every command that selects sessions reads ids or records from standard input' {
	for s in a b c; do ctx-append -q --create -s $s -t "hello 10.0.0.1"; done
	ids() { ctx-list -1; }
	ids | ctx-show | jq -r 'select(.kind == "session").session_id' | same - $'a\nb\nc'
	ids | ctx-show -s - -s a | jq -r 'select(.kind == "session").session_id' | same - $'a\na\nb\nc'
	ids | ctx-stats -s - | jq -r .session_id | same - $'a\nb\nc'
	ctx-list | ctx-stats -s - | jq -r .session_id | same - $'a\nb\nc'
	ids | ctx-entity track | jq -r .session_id | sort -u | same - $'a\nb\nc'
	ids | ctx-entity list -s - | jq -r .session_id | sort -u | same - $'a\nb\nc'
	ids | ctx-search -s - hello | jq -r .session_id | sort | same - $'a\nb\nc'
	ids | ctx-prune --apply -s - --keep-turns 1 | jq -r .session_id | same - $'a\nb\nc'
	ids | ctx-check -s - >/dev/null
	ids | ctx-archive --to "$PWD/archive" >/dev/null
	ctx-list -1 --all | ctx-delete | jq -r .session_id | same - $'a\nb\nc'
	ctx-list -a | jq -c .session_id | ctx-delete --restore | jq -r .session_id | same - $'a\nb\nc'
	printf 'a\nno such\nb\n' | status 1 ctx-show >out 2>err
	grep -q "no session 'no such'" err
	printf '[1]\n' | status 3 ctx-show 2>err
}

@test 'every command ends silently if its output is no longer read' {
	for i in $(seq 300); do printf '{"role":"user","content":"%s"}\n' "$i"; done >in
	ctx-append -q --create -s s in
	set +o pipefail
	{ ctx-show -s s 2>err; } | head -n 1 >/dev/null
	{ ctx-window -s s -n 300 2>>err; } | head -n 1 >/dev/null
	{ ctx-window -s s -n 300 | ctx-prune -b 100000 2>>err; } | head -n 1 >/dev/null
	{ ctx-append -s s in 2>>err; } | head -n 1 >/dev/null
	for c in 'ctx-show -s s' 'ctx-list' 'ctx-window -s s' 'ctx-stats' 'ctx-search 7' 'ctx-count in' 'ctx-lint in' 'ctx-append -s s -t x' 'ctx-show --help'; do
		{ $c 2>>err; } | true
	done
	[ ! -s err ]
	run --separate-stderr -4 bash -c 'ctx-list >/dev/full'
	[[ $stderr == *'No space left'* ]]
}

@test 'sessions on hold do not make a clean-up fail' {
	for s in a b; do ctx-append -q --create -s $s --ttl 1s -t x; done
	ctx-delete -s a --hold 'law suit' >/dev/null
	export CTX_NOW=2027-01-02T03:04:05.678Z
	ctx-list -1 --expired | same - b
	ctx-list -1 --expired --hold | same - $'a\nb'
	ctx-list --expired | ctx-delete >/dev/null
	ctx-list -1 | same - a
	status 2 ctx-list --hold 2>err
}

@test 'the commands for one turn in the README also work if model.json contains tools' {
	ctx-new --id s >/dev/null
	jq -nc '{model: "gpt-4o", tools: [range(20) | {type: "function", function: {name: "tool_\(.)",
		description: ("Does this and that. " * 5), parameters: {type: "object", properties: {path: {type: "string"}}}}}]}' >model.json
	for i in $(seq 30); do
		printf '{"role":"user","content":"question %d %s"}\n{"role":"assistant","content":"answer"}\n' "$i" "$(printf 'word %.0s' {1..40})"
	done | ctx-append -q -s s
	export CTX_PARAMS=$PWD/model.json
	ctx-append -q -s s -t 'What is a write-ahead log?'
	ctx-window -s s -b 3000 | ctx-prune | ctx-render -p openai --request req.json >body.json
	jq -e '.tools | length == 20' body.json
}

@test 'a mistyped command, action or option gets a suggestion' {
	status 2 ctx widnow 2>err
	grep -q "did you mean window?" err
	status 2 ctx-window --buget 100 -s s 2>err
	grep -q -- "did you mean --budget?" err
	status 2 ctx-entity lsit 2>err
	grep -q "did you mean list?" err
	# no suggestion for words that resemble no command
	for word in xyzzy q; do
		status 2 ctx $word 2>err
		run ! grep -q 'did you mean' err
	done
	status 2 ctx-window --xyzzy 2>err
	run ! grep -q 'did you mean' err
}

@test 'ctx help accepts the full name of a command' {
	ctx help ctx-window | same <(ctx help window)
	ctx ctx-window --help | same <(ctx-window --help)
}

@test 'for JSON over several lines or a request body, the error message says how to convert it' {
	echo '{"role":"user","content":"hi"}' | jq . >pretty
	status 3 ctx-append --create -s s pretty 2>err
	grep -q "jq -c \. " err
	status 3 ctx-prune -b 100 pretty 2>err
	grep -q "jq -c \. " err
	echo '{"messages":[{"role":"user","content":"hi"}]}' >body
	status 3 ctx-append --create -s s body 2>err
	grep -qF "jq -c '.messages[]'" err
	status 3 ctx-render -p openai body 2>err
	grep -qF '(ctx-import converts a body to messages' err
}

@test 'a tokenizer chosen for a model is replaced by an estimate if its table is missing' {
	mkdir empty
	echo '{"role":"user","content":"some text"}' | CTX_TOKENIZER_DIR=$PWD/empty ctx-count --tokenizer auto:gpt-4o >out 2>err
	[ -s out ]
	grep -q 'token counts are estimates' err
	# a tokenizer that was selected by name needs its table
	echo 'some text' >text
	status 2 env CTX_TOKENIZER_DIR="$PWD/empty" ctx-count --tokenizer o200k_base text
}
