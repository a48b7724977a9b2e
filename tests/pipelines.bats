# The examples of the README and of the man pages are run; tests/examples says how examples are marked.
# tests/bin/curl replaces the provider.
load helper

run_page() {
	local page=$1 dir
	dir=$BATS_TEST_TMPDIR/$(basename "$page")
	mkdir -p "$dir/work"
	"$ROOT/tests/examples" "$page" >"$dir/script" || return
	[ -s "$dir/script" ] || return 0
	(
		cd "$dir/work" && export CTX_STORE=$dir/ctx.db HOME=$dir/home ROOT
		export XDG_DATA_HOME=$HOME/data XDG_CONFIG_HOME=$HOME/config
		mkdir -p "$HOME"
		bash --norc -e -v -o pipefail "$dir/script" >"$dir/log" 2>&1 </dev/null
	) || { echo "$(basename "$page"):"; tail -n 30 "$dir/log"; return 1; }
}

@test 'the examples of the README work' {
	[ -f "$ROOT/README.md" ] || skip 'no README'
	run_page "$ROOT/README.md"
}

@test 'the examples of the man pages work' {
	compgen -G "$ROOT/man/*.[157]" >/dev/null || skip 'no page'
	bad=0
	for page in "$ROOT"/man/*.[157]; do
		name=$(basename "$page" .1)
		# pages of commands that were not built because a library is missing are skipped
		case $page in *.1) [ -x "$CTX_BIN/$name" ] || continue ;; esac
		run_page "$page" || bad=1
	done
	[ "$bad" = 0 ]
}

@test 'the demonstration works' {
	"$ROOT/tests/demo/run" >log 2>&1 || { tail -n 20 log >&2; return 1; }
}
