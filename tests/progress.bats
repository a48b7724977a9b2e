# The line on standard error that tells how far long work is.
load helper

on_terminal() {
	TERM=xterm python3 "$ROOT/tests/tools/terminal.py" 80 "$@" | tr '\r' '\n'
}

@test 'progress: how much, and of what; wiped at the end' {
	export CTX_PROGRESS=0s
	for _ in {1..50}; do echo '{"role":"user","content":"A question of some length"}'; done >in
	on_terminal ctx-append -q --create -s s in >out
	grep -q 'ctx-append: 1 line' out
	grep -q ' %' out
	tail -n 1 out | grep -qx $'\033\[K'
	on_terminal sh -c 'ctx-search question >/dev/null' | grep -q 'ctx-search: 50 messages indexed, 100 %'
	on_terminal sh -c 'ctx-check >/dev/null' | grep -q 'ctx-check: 1 sessions checked'
	on_terminal sh -c 'ctx-import -f openai in >/dev/null' | grep -q 'ctx-import: 1 record'
}

@test 'progress: nowhere else, not with --quiet, not for what is typed or piped, not before its time' {
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
