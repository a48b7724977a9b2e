# The progress line on standard error.
load helper

on_terminal() {
	TERM=xterm python3 "$ROOT/tests/tools/terminal.py" 80 "$@" | tr '\r' '\n'
}

@test 'progress shows amount and unit and is erased at the end' {
	export CTX_PROGRESS=0s
	for _ in {1..50}; do echo '{"role":"user","content":"A question of some length"}'; done >in
	on_terminal ctx-append -q --create -s s in >out
	grep -q 'ctx-append: 1 line' out
	grep -q ' %' out
	tail -n 1 out | grep -qx $'\033\[K'
	on_terminal sh -c 'ctx-search question >/dev/null' | grep -q 'ctx-search: 50 messages indexed, 100 %'
	on_terminal sh -c 'ctx-check >/dev/null' | grep -q 'ctx-check: 1 session, 100 %'
	on_terminal sh -c 'ctx-import -f openai in >/dev/null' | grep -q 'ctx-import: 1 record'
	# the percentage is that of all files
	on_terminal sh -c 'ctx-import -f openai in in >/dev/null' >out
	sed -n 's/.*ctx-import: 1 record, \([0-9]*\) %.*/\1/p' out >part
	[ "$(<part)" -lt 50 ]
}

@test 'no progress is shown without a terminal, with --quiet, for piped input, or before CTX_PROGRESS has passed' {
	for _ in {1..50}; do echo '{"role":"user","content":"A question"}'; done >in
	CTX_PROGRESS=0s ctx-append -q --create -s s in 2>err
	[ ! -s err ]
	[ -z "$(CTX_PROGRESS=0s on_terminal sh -c 'cat in | ctx-append -q --create -s piped')" ]
	for p in never 1h ''; do
		[ -z "$(CTX_PROGRESS=$p on_terminal ctx-append -q --create -s "s$p" in)" ]
	done
	CTX_PROGRESS=0s on_terminal sh -c 'ctx-search -q question >/dev/null' >out
	[ ! -s out ]
}

@test 'commands that process many sessions show progress, also for a list from a pipe' {
	export CTX_PROGRESS=0s
	for s in a b c; do
		for i in 1 2 3 4; do echo "{\"role\":\"user\",\"content\":\"Question $i about a harbour\"}"; done |
			ctx-append -q --create -s $s
	done
	on_terminal sh -c 'ctx-list | ctx-summarize -s - --keep-last 2 >/dev/null' | grep -q 'ctx-summarize: 1 session'
	on_terminal sh -c 'ctx-list | ctx-archive --to place --cleanup >/dev/null' | grep -q 'ctx-archive: 1 session'
	on_terminal sh -c 'ctx-archive --verify --all' | grep -q 'ctx-archive: 1 session'
	on_terminal sh -c 'ctx-list -a | ctx-archive --restore >/dev/null' | grep -q 'ctx-archive: 1 session'
	# the percentage is known after the writer of the list has ended
	for s in d e f; do echo '{"role":"user","content":"x"}' | ctx-append -q --create -s $s; done
	ctx-list >list
	on_terminal sh -c 'ctx-archive --to other --snapshot <list >/dev/null' | grep -qE 'ctx-archive: [0-9] sessions?, [0-9]+ %'
	on_terminal ctx-check --rebuild | grep -qE 'ctx-check: ([0-9]+ messages indexed|1 session), '
	on_terminal ctx-check --catch-up | grep -qE 'ctx-check: 1 session, [0-9]+ %'
	on_terminal sh -c 'ctx-list -a | ctx-delete --purge >/dev/null' | grep -q 'ctx-delete: 1 session'
}

@test 'the progress of a backup counts copied pages, and the progress of a purge counts searched pages' {
	export CTX_PROGRESS=0s
	for s in a b c; do ctx-append -q --create -s $s -t x; done
	on_terminal ctx-check --backup copy.db | grep -q 'ctx-check: .* pages copied, 100 %'
	ctx-list -S copy.db -1 | same - "$(ctx-list -1)"
	# a lock file as an older version leaves it
	: >"$CTX_STORE-lock"
	on_terminal sh -c 'ctx-delete --purge -s a >/dev/null' |
		grep -q 'ctx-delete: [0-9]* pages searched, 100 %'
	[ -z "$(on_terminal sh -c 'ctx-delete --purge -s b >/dev/null' | grep 'pages searched')" ]
}
