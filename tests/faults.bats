# System calls that fail: acknowledged records are stored, and other records are not acknowledged. The
# commands are linked dynamically, so that LD_PRELOAD can replace functions of the C library.
load helper

setup() {
	isolate
	! sanitized || skip 'built with sanitizers, which come before any other library'
	PATH=$CTX_BIN/dynamic:$PATH
}

# failing CALLS N HOW COMMAND…: the Nth of these calls fails; with "HOW forever", all later ones too.
failing() {
	local calls=$1 at=$2 how=$3
	shift 3
	LD_PRELOAD=$CTX_BIN/tools/faults.so FAULT_CALLS=$calls FAULT_AT=$at FAULT_HOW=${how% *} \
		FAULT_ON=${how#* } "$@"
}

@test 'records that could not be stored are not printed as stored' {
	for s in a b; do
		seq -f '{"role":"user","content":"message %g of some length"}' 60 | ctx-append -q --create -s $s
	done
	ctx-prune -s b --apply -b 300 >/dev/null
	ctx-summarize -q -s b --keep-last 3 >/dev/null
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	ctx-list >before
	export CTX_SYNC=off   # nothing here depends on it, and it takes its time
	for c in 'ctx-append -s a -t x' 'ctx-new --id c' 'ctx-new --fork a --id c' 'ctx-prune -s a --apply -b 300' \
		'ctx-prune -s b --undo' 'ctx-summarize -s a --keep-last 3' 'ctx-summarize -s b --undo' \
		'ctx-delete -s a' 'ctx-delete -s a --hold x' 'ctx-archive -s a --to place'; do
		cp "$CTX_STORE" saved
		for n in $(seq 40); do
			status=0
			failing pwrite $n 'ENOSPC forever' $c >out 2>err || status=$?
			[ $status != 0 ] || break
			[ $status = 4 ] || { echo "$c: $status"; cat err; return 1; }
			[ ! -s out ] || { echo "$c"; cat out; return 1; }
			[ "$(wc -l <err)" = 1 ] && grep -q "^${c%% *}: " err || { echo "$c"; cat err; return 1; }
			ctx-list | same before
		done
		[ $n -gt 1 ] && [ $status = 0 ] || { echo "$c: $n $status"; return 1; }
		rm "$CTX_STORE"-*
		cp saved "$CTX_STORE"
		ctx-list | same before
	done
}

@test 'records that arrive together are stored in one transaction, up to the first rejected record' {
	seq -f '{"kind":"session","session_id":"s%g"}' 2500 >in
	sed -i '2200s/"s2200"/"s7"/' in
	LD_PRELOAD=$CTX_BIN/tools/faults.so FAULT_LOG=log status 1 ctx-new -1 - <in >out 2>err
	grep -qx "ctx-new: stdin:2200: session 's7' already exists" err
	[ "$(wc -l <out)" = 2199 ]
	ctx-list -1 | sort | same <(sort out)
	n=$(grep -cE '^[0-9]+ f(data)?sync' log)
	[ "$n" -gt 0 ] && [ "$n" -lt 50 ]
}

@test 'if a write fails, none of the records of its transaction is printed' {
	ctx-new --id first -1 >/dev/null
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	cp "$CTX_STORE" saved
	seq -f '{"kind":"session","session_id":"s%g"}' 2500 >in
	for n in 1 3 10 20 30 50; do
		status 4 failing pwrite $n 'ENOSPC forever' ctx-new -1 - <in >out 2>err
		[ "$(wc -l <err)" = 1 ]
		{ echo first; cat out; } | sort | same <(ctx-list -1 | sort)
		rm "$CTX_STORE"-*
		cp saved "$CTX_STORE"
	done
}

@test 'an incomplete listing of archives is an error' {
	for s in a b c; do ctx-append -q --create -s $s -t x; done
	ctx-list | ctx-archive --to place >/dev/null
	[ "$(ctx-archive --list --to place | wc -l)" = 3 ]
	for n in $(seq 12); do
		status=0
		failing stat $n EIO ctx-archive --list --to place >out 2>err || status=$?
		[ $status = 4 ] || [ "$(wc -l <out)" = 3 ] || { echo $n $status; cat out; return 1; }
	done
}

@test 'derived data is kept if a temporary error prevents its file from being opened' {
	ctx-append -q --create -s s -t 'a message to find'
	ctx-search find >before
	inode=$(stat -c %i "$CTX_STORE-derived")
	for call in open lock mmap fstat pread; do
		for n in $(seq 40); do
			status=0
			failing $call $n EIO ctx-search find >out 2>err || status=$?
			[ "$inode" = "$(stat -c %i "$CTX_STORE-derived")" ] ||
				{ echo "$call $n: $status"; cat err; return 1; }
			[ $status != 0 ] || same before <out
		done
	done
	ctx-search find | same before
	# a file that is not a database is replaced
	echo 'no database, and long enough to be looked at as one: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' >"$CTX_STORE-derived"
	rm -f "$CTX_STORE"-derived-*
	ctx-search find | same before
}

# logged COMMAND…: prints the calls that make data durable, in order, with temporary names replaced.
logged() {
	rm -f log
	LD_PRELOAD=$CTX_BIN/tools/faults.so FAULT_LOG=$PWD/log \
		FAULT_CALLS=fsync,fdatasync,rename,link,mkdir,write "$@" >/dev/null 2>&1
	cut -d' ' -f2- log | sed -E "s,$PWD/,,; s/\.ctx-tmp-[-0-9a-f]+/TMP/; s,(write|fsync) $PWD\$,\1 .,"
}

# in_order LINE…: the file "order" must contain these lines in this order.
in_order() {
	local line at=0 n
	for line; do
		n=$(awk -v at=$at -v want="$line" 'NR > at && $0 == want { print NR; exit }' order)
		[ -n "$n" ] || { echo "no '$line' behind line $at of:"; cat order; return 1; }
		at=$n
	done
}

@test 'an archive is durable before the store records it and removes messages' {
	export CTX_STORE=$PWD/ctx.db
	ctx-append -q --create -s s -t x
	logged ctx-archive -s s --to new/place --cleanup >order
	in_order 'mkdir new' 'fsync .' 'mkdir new/place' 'fsync new' 'mkdir 2026' 'fsync new/place' \
		'mkdir 01' 'fsync new/place/2026' 'write new/place/2026/01/TMP' \
		'fsync new/place/2026/01/TMP' 'link s.ndjson.gz' 'fsync new/place/2026/01' \
		'fdatasync ctx.db-wal'
}

@test 'a new store is durable together with its directories' {
	export CTX_STORE=$PWD/deep/new/ctx.db
	logged ctx-append -s s --create -t x >order
	in_order 'mkdir deep' 'fsync .' 'mkdir deep/new' 'fsync deep' 'fdatasync deep/new/ctx.db-wal' \
		'fdatasync deep/new' 'fdatasync deep/new/ctx.db-wal' 'write /dev/null'
}

# Prints which files of derived data exist.
derived() {
	local f
	for f in "$CTX_STORE-derived" "$CTX_STORE-derived-wal"; do
		[ ! -e "$f" ] || stat -c '%n %s' "$f"
	done
}

@test 'if the file of derived data cannot be created, sessions can still be read and purged' {
	for s in a b; do ctx-append -q --create -s $s -t 'a message to find'; done
	# keeps a reader open, so that the shared-memory file of the store exists
	coproc sqlite3 "$CTX_STORE"
	echo 'BEGIN; SELECT count(*) FROM session;' >&"${COPROC[1]}"
	read -r <&"${COPROC[0]}"
	for n in $(seq 30); do   # the file, its journal, its log and the log's index
		rm -f "$CTX_STORE-derived"*
		for i in 1 2; do
			status 4 failing pwrite $n 'ENOSPC forever' ctx-search find >/dev/null 2>&1
		done
		derived >left
		for c in 'ctx-check -q' ctx-stats 'ctx-delete -n -s a --purge'; do
			failing pwrite 1 'ENOSPC forever' $c >/dev/null
		done
		derived | diff left -
	done
	echo .quit >&"${COPROC[1]}"
	wait
	ctx-delete -q -s a --purge >/dev/null
	derived | diff left -
	ctx-search find | grep -c . | same - 1
}

@test 'commands that free space first truncate the write-ahead log' {
	for c in 'ctx-delete -s a --purge' 'ctx-archive -s a --to place --cleanup --forget'; do
		seq 50 | jq -c '{role: "user", content: ("some \(.) words " * 2000)}' | ctx-append -q --create -s a
		ctx-append -q -s a -t x
		[ -s "$CTX_STORE-wal" ]
		LD_PRELOAD=$CTX_BIN/tools/faults.so FAULT_LOG=$PWD/log FAULT_CALLS=ftruncate,pwrite $c >/dev/null 2>&1
		grep -- 'ctx.db-wal$' log | head -n 1 | cut -d' ' -f2 | same - ftruncate
		rm log
	done
}
