# Rules for lib/: which headers a layer may include, and which functions the library may export and call.
load helper

# layer: the lower layers that it may include
layers='
base:
term: base
json: base
words: base
record: base json
model: base json
provider: base json record
tokens: base json record model provider
answer: base json record provider
lint: base json record provider tokens model
summary: base json record tokens
store: base json record tokens words
stats: base json record model tokens words store
append: base json record provider tokens answer store
recall: base json record tokens words store
entity: base json record words store recall
enrich: base words json record tokens entity store recall select
select: base json record tokens
window: base json record provider tokens entity summary store select
render: base term words json record provider tokens
provider/anthropic: base json record provider model answer lint render
provider/gemini: base json record provider model answer lint render
provider/interactions: base json record provider model answer lint render
provider/openai: base json record provider model answer lint render
provider/responses: base json record provider model answer lint render provider/openai
carry: base json record provider render model
import: base json record
archive: base json record store
redact: base json
diff: base term json record provider tokens lint select
mcp: base json
telemetry: base json record model provider stats render
'

sources() {
	(cd "$ROOT" && find "$@" -name '*.[ch]' 2>/dev/null | sort)
}

@test 'each layer of lib/ includes only headers of layers below it' {
	cd "$ROOT"
	bad=0
	for dir in lib/*/ lib/provider/*/; do
		layer=${dir#lib/}
		layer=${layer%/}
		line=$(grep "^$layer:" <<<"$layers") ||
			{ echo "lib/$layer: name the layer in tests/lib.bats"; bad=1; continue; }
		below=" $layer ${line#*:} "
		while IFS=: read -r file used; do
			case $below in
			*" $used "*) ;;
			*) [ ! -d "lib/$used" ] || { echo "$file includes $used/"; bad=1; } ;;
			esac
		done < <(grep -oHE '^#include "[a-z0-9_/]+/' "$dir"*.[ch] | sed 's/#include "//; s,/$,,')
	done
	[ "$bad" = 0 ]
}

# only HEADER PATTERN…: only files that match a pattern may include the header.
only() {
	local header=$1 found
	# shellcheck disable=SC2046 # names without spaces
	found=$(cd "$ROOT" && grep -lE "^ *# *include *<$header>" $(sources cmd lib) |
		grep -vE "$2" || true)
	[ -z "$found" ] || { echo "<$header> in $found"; return 1; }
}

@test 'each outside library is included in one place' {
	only 'sqlite3\.h' '^lib/store/engine_sqlite'
	only 'libpq-fe\.h' '^lib/store/engine_pg'
	only 'j[qv]\.h' '^lib/json/'
	only 'curl/.*' '^lib/'
	# shellcheck disable=SC2046
	[ "$(cd "$ROOT" && grep -l '^#include <curl/' $(sources cmd lib) | wc -l)" -le 1 ]
}

@test 'only the store'\''s engine calls SQLite' {
	cd "$ROOT"
	# shellcheck disable=SC2046 # names without spaces
	found=$(grep -nE '\<(sqlite3_[a-z0-9_]+ *\(|sqlite3_[a-z]+ \*|SQLITE_[A-Z]+)' $(sources cmd lib |
		grep -v '^lib/store/engine_sqlite') || true)
	[ -z "$found" ] || { echo "$found"; false; }
	# only the engine's own headers mention types of SQLite
	# shellcheck disable=SC2046
	! grep -nE '\<sqlite3(_[a-z]+)?\>' $(sources lib | grep '\.h$' | grep -vE '^lib/store/engine_(sqlite|pg)')
}

@test 'SQL outside the engine is common to SQLite and PostgreSQL' {
	cd "$ROOT"
	# shellcheck disable=SC2046 # names without spaces
	tests/tools/neutral_sql.py $(sources cmd lib | grep -vE '^lib/store/engine_(sqlite|pg)')
	# the check must report SQL that is not common to both
	# shellcheck disable=SC2046
	! tests/tools/neutral_sql.py $(sources lib | grep '^lib/store/engine_sqlite') >"$BATS_TEST_TMPDIR/own"
	[ "$(cut -d : -f 3- "$BATS_TEST_TMPDIR/own" | sort -u | wc -l)" -gt 20 ]
}

@test 'SQL conditions do not test whether a parameter is NULL' {
	# such a condition prevents the use of indexes, so it is omitted from the SQL
	cd "$ROOT"
	# shellcheck disable=SC2046
	! grep -nE '\?[0-9]* IS NULL OR' $(sources lib)
}

# Prints the names of the SQLite engine's functions, from the list in engine_table.h.
engine_functions() {
	sed -nE 's/^\tROW\(ctx_[a-z0-9_]+, ([a-z0-9_]+)\).*/ctx_sqlite_\1/p' lib/store/engine_table.h
}

@test 'the library exports exactly the symbols that its headers declare' {
	cd "$ROOT"
	headers=$(for dir in lib/*/ lib/provider/*/; do   # of what is in libctx.a
		compgen -G "$dir*.c" >/dev/null && compgen -G "$dir*.h" | grep -v engine_pg || true
	done)
	nm -g --defined-only "$CTX_BIN/libctx.a" 2>/dev/null | awk 'NF == 3 { print $3 }' |
		grep -vE '^__(asan|odr_asan|ubsan|sanitizer)' | sort -u >"$BATS_TEST_TMPDIR/got"
	# every symbol is declared in a header …
	# shellcheck disable=SC2086 # names without spaces
	{
		cat $headers | grep -oE '\bctx_[a-z0-9_]+'
		# names that are generated from the list of providers
		for name in lib/provider/*/; do
			printf "ctx_%s_$(basename "$name")\n" provider answer render lint
		done
		engine_functions
	} | sort -u >"$BATS_TEST_TMPDIR/named"
	[ -z "$(comm -23 "$BATS_TEST_TMPDIR/got" "$BATS_TEST_TMPDIR/named" | tee /dev/stderr)" ]
	# … and every declared function exists
	# shellcheck disable=SC2086
	cat $headers | sed '/^static inline/,/^}/d' |
		cc -fpreprocessed -dD -E -P -x c - 2>/dev/null | grep -v '^#' |
		sed -nE ':a; /[;{}]$/!{N; s/\n/ /; ba}; p' | grep -v '^typedef' |
		grep -oE '^[^(]*\bctx_[a-z0-9_]+\(' | grep -oE 'ctx_[a-z0-9_]+\($' | tr -d '(' |
		sort -u >"$BATS_TEST_TMPDIR/declared"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -gt 100 ]
	[ -z "$(comm -13 "$BATS_TEST_TMPDIR/got" "$BATS_TEST_TMPDIR/declared" | tee /dev/stderr)" ]
}

@test 'each function that a header exports is used by another file' {
	cd "$ROOT"
	nm -g --defined-only "$CTX_BIN/libctx.a" 2>/dev/null |
		awk 'NF == 3 && $2 == "T" && $3 ~ /^ctx_/ { print $3 }' | sort -u >"$BATS_TEST_TMPDIR/exported"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/exported")" -gt 1000 ]
	# names that occur in more than one file, with calls in headers
	# shellcheck disable=SC2046 # names without spaces
	{
		grep -oHwE 'ctx_[a-z0-9_]+' $(sources cmd lib tests | grep '\.c$') | sort -u | cut -d : -f 2
		sed -nE '/^static inline/,/^}/p; /^#define/ { :a; /\\$/ { N; ba }; p }' $(sources lib | grep '\.h$') |
			grep -owE 'ctx_[a-z0-9_]+'
		engine_functions
	} | sort | uniq -d >"$BATS_TEST_TMPDIR/shared"
	[ -z "$(comm -23 "$BATS_TEST_TMPDIR/exported" "$BATS_TEST_TMPDIR/shared" | tee /dev/stderr)" ]
}

@test 'static functions have unique names' {
	cd "$ROOT"
	# shellcheck disable=SC2046 # names without spaces
	statics=$(awk '
		FNR == 1 { open = 0 }
		/^static [^(=;]*$/ { open = 1; next }
		open && /^[a-z_0-9]+\(/ { sub(/\(.*/, ""); print }
		{ open = 0 }' $(sources cmd lib | grep '\.c$') | grep -vxE 'run|check_options')
	total=$(wc -l <<<"$statics")
	[ "$total" -gt 1000 ]
	shared=$(sort <<<"$statics" | uniq -D)
	shared_count=$(grep -c . <<<"$shared" || true)
	# one function in twenty may have the name of a function in another file
	[ $((shared_count * 20)) -le "$total" ] || { echo "$shared"; false; }
}

@test 'the library does not exit, print, or read the environment' {
	found=$(nm -u -A "$CTX_BIN/libctx.a" 2>/dev/null | awk '{ print $1, $NF }' |
		grep -E ' (exit|_Exit|abort|v?f?printf|__v?f?printf_chk|puts|fputs|putchar|perror|errx?|warnx?|getenv|secure_getenv|setenv|setlocale|stdout|stderr)$' || true)
	[ -z "$found" ] || { echo "$found"; false; }
	# the only exception is _exit when no memory is left
	[ "$(nm -u -A "$CTX_BIN/libctx.a" 2>/dev/null | grep -E ' _exit$' | grep -cv ':mem\.o:')" = 0 ]
}

@test 'the library has no variables that change' {
	! sanitized || skip 'built with sanitizers'
	found=$(objdump -t "$CTX_BIN/libctx.a" | grep ' O ' | grep -E '[[:space:]](\.data|\.bss|\.tdata|\.tbss|\*COM\*)' |
		grep -v '\.data\.rel\.ro' || true)
	[ -z "$found" ] || { echo "$found"; false; }
}

@test 'source files of a command share no variables' {
	# commands with several files pass a struct; only cli*.h declares shared settings
	found=$(cd "$ROOT" && grep -nE '^extern [^(]*[;{=]' cmd/*.h | grep -vE '^cmd/cli(_[a-z]+)?\.h:' || true)
	[ -z "$found" ] || { echo "$found"; false; }
}

@test 'every test skipped on PostgreSQL exists and has a reason' {
	while IFS= read -r line; do
		file=${line%% | *} why=${line##* | } name=${line#* | }
		name=${name% | *}
		[ -n "$why" ] && [ -f "$ROOT/tests/$file" ] || { echo "$line"; false; }
		[ "$name" = '*' ] || grep -qF -e "@test '$name' {" -e "@test \"$name\" {" "$ROOT/tests/$file" || { echo "$line"; false; }
	done <"$ROOT/tests/postgresql/skip"
}
