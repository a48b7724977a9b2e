# The rules of lib/: what may include what, and what it may export and call.
load helper

# layer: the layers that it may include besides itself, all below it
layers='
base:
json: base
words: base
record: base json
tokens: base json record
answer: base json record
extract: base json record tokens
lint: base json record tokens
select: base json record tokens
render: base json record tokens select
store: base json record tokens words
recall: base json record tokens words store
import: base json record
archive: base json record tokens store select render
'

sources() {
	(cd "$ROOT" && find "$@" -name '*.[ch]' 2>/dev/null | sort)
}

@test 'a layer includes only layers below it' {
	cd "$ROOT"
	bad=0
	for dir in lib/*/; do
		layer=$(basename "$dir")
		line=$(grep "^$layer:" <<<"$layers") ||
			{ echo "lib/$layer: name the layer in tests/lib.bats"; bad=1; continue; }
		below=" $layer ${line#*:} "
		while IFS=: read -r file used; do
			case $below in
			*" $used "*) ;;
			*) [ ! -d "lib/$used" ] || { echo "$file includes $used/"; bad=1; } ;;
			esac
		done < <(grep -oHE '^#include "[a-z0-9_]+/' "$dir"*.[ch] | sed 's/#include "//; s,/$,,')
	done
	[ "$bad" = 0 ]
}

# only HEADER PATTERN…: no file but those that match includes it
only() {
	local header=$1 found
	# shellcheck disable=SC2046 # names without spaces
	found=$(cd "$ROOT" && grep -lE "^ *# *include *<$header>" $(sources cmd lib) |
		grep -vE "$2" || true)
	[ -z "$found" ] || { echo "<$header> in $found"; return 1; }
}

@test 'outside libraries are each included in one place' {
	only 'sqlite3\.h' '^lib/store/'
	only 'j[qv]\.h' '^lib/json/'
	only 'curl/.*' '^lib/'
	# shellcheck disable=SC2046
	[ "$(cd "$ROOT" && grep -l '^#include <curl/' $(sources cmd lib) | wc -l)" -le 1 ]
}

@test 'exported symbols are those of the headers' {
	cd "$ROOT"
	for dir in lib/*/; do   # headers of what is built
		compgen -G "$dir*.c" >/dev/null && cat "$dir"*.h
	done | cc -fpreprocessed -dD -E -P -x c - 2>/dev/null | grep -v '^#' |
		sed -nE ':a; /[;{}]$/!{N; s/\n/ /; ba}; p' |
		grep -oE '\bctx_[a-z0-9_]+(\(|\[\]|;)' | grep -vE ';$' | tr -d '([]' |
		sort -u >"$BATS_TEST_TMPDIR/want"
	nm -g --defined-only "$CTX_BIN/libctx.a" 2>/dev/null | awk 'NF == 3 { print $3 }' |
		grep -vE '^__(asan|odr_asan|ubsan|sanitizer)' | sort -u >"$BATS_TEST_TMPDIR/got"
	diff -u "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

@test 'the library does not exit, print, or read the environment' {
	found=$(nm -u -A "$CTX_BIN/libctx.a" 2>/dev/null | awk '{ print $1, $NF }' |
		grep -E ' (exit|_Exit|abort|v?f?printf|__v?f?printf_chk|puts|fputs|putchar|perror|errx?|warnx?|getenv|secure_getenv|setenv|setlocale|stdout|stderr)$' || true)
	[ -z "$found" ] || { echo "$found"; false; }
	# ending the process for want of memory is the one exception
	[ "$(nm -u -A "$CTX_BIN/libctx.a" 2>/dev/null | grep -E ' _exit$' | grep -cv ':mem\.o:')" = 0 ]
}

@test 'the library holds no changeable state' {
	! nm "$CTX_BIN/libctx.a" 2>/dev/null | grep -q __asan || skip 'built with sanitizers'
	found=$(objdump -t "$CTX_BIN/libctx.a" | grep ' O ' | grep -E '[[:space:]](\.data|\.bss|\.tdata|\.tbss|\*COM\*)' |
		grep -v '\.data\.rel\.ro' || true)
	[ -z "$found" ] || { echo "$found"; false; }
}
