#!/bin/sh
# usage: archive_memory.sh [MESSAGES]
# Measures the peak memory of archiving, verifying and restoring one long session, which should not
# depend on the length of the session. 6200000 messages (2 GB) take an hour on a busy machine, and 6 GB of
# disk space. All files are removed at the end.
set -eu
BENCH=$(cd "$(dirname "$0")" && pwd)
: "${CTX_BIN:=$BENCH/../../build}"
PATH=$(cd "$CTX_BIN" && pwd):$PATH
messages=${1:-100000} work=$(mktemp -d "${BENCH_DIR:-/tmp}/ctx-memory-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export CTX_STORE="$work/ctx.db"
unset CTX_ARCHIVE CTX_TENANT
${CC:-cc} -O2 -o "$work/corpus" "$BENCH/corpus.c"
"$work/corpus" 1 "$messages" | ctx-append -s s --create -q

measure() {
	what=$1
	shift
	/usr/bin/time -f '%M %U' -o "$work/time" "$@" >/dev/null
	awk -v what="$what" '{ printf "%-24s %6.1f MiB, %.1f s CPU\n", what, $1 / 1024, $2 }' "$work/time"
}

echo "$messages messages, $(($(stat -c %s "$CTX_STORE") >> 20)) MiB in the store"
measure 'archive and clean up' ctx-archive -q -s s --to "$work/to" --cleanup
measure verify ctx-archive -q --verify -s s
measure restore ctx-archive -q --restore -s s
measure 'archive with --jobs 2' ctx-archive -q -s s --to "$work/two" --jobs 2
