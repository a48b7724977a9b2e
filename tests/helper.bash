# Every bats file loads this helper. Each test starts in an empty directory with its own store, home directory
# and clock, and without the caller's settings.
bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
: "${CTX_BIN:=$ROOT/build}"

. "$ROOT/tests/postgresql/helper.bash"

isolate() {
	local v
	[ "${ENGINE-}" != postgresql ] || postgresql_skip
	for v in $(compgen -e CTX_) $(compgen -e AWS_) $(compgen -e XDG_); do
		[ "$v" = CTX_BIN ] || unset "$v"
	done
	export CTX_BIN HOME=$BATS_TEST_TMPDIR/home LC_ALL=C.UTF-8 TZ=UTC
	export XDG_CONFIG_HOME=$HOME/.config XDG_DATA_HOME=$HOME/.local/share
	export XDG_CACHE_HOME=$HOME/.cache
	export CTX_STORE=$BATS_TEST_TMPDIR/ctx.db CTX_NOW=2026-01-02T03:04:05.678Z
	export PATH=$CTX_BIN:$ROOT/tests/bin:$PATH
	[ "${ENGINE-}" != postgresql ] || postgresql_store
	mkdir -p "$HOME" "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
}

setup() {
	isolate
}

# Prints the names of the commands that were built.
commands() {
	local f
	for f in "$CTX_BIN"/ctx "$CTX_BIN"/ctx-*; do
		[ -f "$f" ] && [ -x "$f" ] && basename "$f"
	done
	return 0
}

# status N COMMAND…: the exit status of the command must be N.
status() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || { echo "exit status $got, not $want: $*" >&2; return 1; }
}

# same FILE: standard input must equal the file; same - TEXT: standard input must equal the text.
same() {
	if [ "$1" = - ]; then
		diff -u <(printf '%s\n' "$2") -
	else
		diff -u "$1" -
	fi
}

# Were the commands built with sanitizers, which use much more address space?
sanitized() {
	nm "$CTX_BIN/libctx.a" 2>/dev/null | grep -q __asan
}

# Prints the data of the store, so that a test can check that nothing has changed.
store_state() {
	if [ "${ENGINE-}" = postgresql ]; then
		postgresql_dump --data-only
	else
		sqlite3 "$CTX_STORE" .dump
	fi
}

store_remove() {
	if [ "${ENGINE-}" = postgresql ]; then
		postgresql_return /dev/null
	else
		rm -f "$CTX_STORE"*
	fi
}

# store_keep FILE saves the store, and store_return FILE restores it.
store_keep() {
	if [ "${ENGINE-}" = postgresql ]; then
		postgresql_dump >"$1"
	else
		cp "$CTX_STORE" "$1"
		[ ! -e "$CTX_STORE-wal" ] || cp "$CTX_STORE-wal" "$1-wal"
	fi
}

store_return() {
	if [ "${ENGINE-}" = postgresql ]; then
		postgresql_return "$1"
	else
		rm -f "$CTX_STORE"-*
		cp "$1" "$CTX_STORE"
		[ ! -e "$1-wal" ] || mv "$1-wal" "$CTX_STORE-wal"
	fi
}
