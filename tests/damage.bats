load helper

fill() {
	seq -f '{"role":"user","content":"message %g"}' 10 | ctx-append -q --create -s s
}

# broken PATTERN COMMAND…: exit status 5, one matching line on stderr, nothing on stdout.
broken() {
	local want=$1
	shift
	status 5 "$@" >out 2>err </dev/null || return
	[ "$(wc -l <err)" = 1 ] && grep -q "^$1: .*$want" err || { cat err; return 1; }
}

@test 'every command that reads a damaged message reports the damage' {
	fill
	sqlite3 "$CTX_STORE" "UPDATE message SET body = replace(body, 'message 7', 'massage 7')"
	broken "message 7 of session 's' is damaged" ctx-window -s s
	[ ! -s out ]
	broken "message 7 of session 's' is damaged" ctx-show -s s
	(! grep -q massage out)
	# commands that do not read the damaged message work
	ctx-window -s s -n 2 | grep -q 'message 10'
	ctx-append -s s -t more >/dev/null
	ctx-list >/dev/null
	# the damaged message is not acknowledged when it is appended again
	echo '{"kind":"message","session_id":"s","id":"s/7","message":{"role":"user","content":"message 7"}}' |
		status 5 ctx-append 2>err >out
	[ ! -s out ]
}

@test 'a changed byte in the file causes an error, never different text' {
	fill
	ctx-window -s s | grep '"kind":"message"' >good
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	python3 - "$CTX_STORE" <<-'END'
	import sys
	with open(sys.argv[1], "r+b") as f:
	    d = f.read()
	    f.seek(d.index(b"message 3") + 8)
	    f.write(b"X")
	END
	broken "message 3 of session 's' is damaged" ctx-window -s s
	broken 'damaged' ctx-show -s s
}

@test 'a file with random data in the middle gives exit status 5' {
	seq -f '{"role":"user","content":"message %g"}' 3000 | ctx-append -q --create -s s
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	dd if=/dev/urandom of="$CTX_STORE" bs=4096 seek=5 count=60 conv=notrunc status=none
	status 5 ctx-show -s s >out 2>err
	grep -q '^ctx-show: ' err
	[ "$(wc -l <err)" = 1 ]
}

@test 'a store of a newer version is refused by every command and not changed' {
	fill
	sqlite3 "$CTX_STORE" 'PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	sum=$(sha256sum <"$CTX_STORE")
	for c in 'ctx-window -s s' 'ctx-show -s s' ctx-list 'ctx-append -s s -t x' 'ctx-append --create -s s -t x' 'ctx-new'; do
		broken 'newer version 99' $c || { echo "$c"; return 1; }
		[ ! -s out ]
	done
	[ "$sum" = "$(sha256sum <"$CTX_STORE")" ]
}

@test 'files that are not stores are refused: text, another database, a directory, an empty file' {
	all() {
		local c
		for c in ctx-list 'ctx-append -s s -t x' 'ctx-append --create -s s -t x' ctx-new 'ctx-window -s s'; do
			broken "$1" $c || { echo "$c"; return 1; }
		done
	}
	printf 'this is a text file, long enough to be looked at as a database header would be, or so\n%.0s' 1 2 3 4 5 6 7 8 >"$CTX_STORE"
	cp "$CTX_STORE" before
	all .
	cmp "$CTX_STORE" before
	rm "$CTX_STORE"
	sqlite3 "$CTX_STORE" 'CREATE TABLE mine (x); INSERT INTO mine VALUES (1)'
	all 'not a ctx store'
	[ "$(sqlite3 "$CTX_STORE" 'SELECT x FROM mine')" = 1 ]
	rm "$CTX_STORE"*
	mkdir "$CTX_STORE"
	all .
	rmdir "$CTX_STORE"
	: >"$CTX_STORE"
	broken 'is empty' ctx-list
	# an empty file is left by a crash during creation, and becomes a store
	ctx-new -1 --id s | same - s
}

@test 'a dangling link, or a path below a file, is an error, and a link to a store works' {
	: >file
	CTX_STORE=$PWD/file/x.db broken . ctx-list
	CTX_STORE=$PWD/file/x.db status 4 ctx-new 2>err || CTX_STORE=$PWD/file/x.db status 5 ctx-new 2>err
	ln -s "$PWD/real.db" link.db
	CTX_STORE=$PWD/link.db broken . ctx-list
	CTX_STORE=$PWD/link.db ctx-new -1 --id s >/dev/null
	CTX_STORE=$PWD/link.db ctx-append -q -s s -t x
	[ "$(CTX_STORE=$PWD/real.db ctx-list | jq .message_count)" = 1 ]
}

# as COMMAND…: runs the command as a user who cannot write in the directory; as root, as "nobody".
as() {
	if [ "$(id -u)" = 0 ]; then
		(cd / && HOME=$ro XDG_CONFIG_HOME=$ro PATH=$ro:$PATH setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
	else
		"$@"
	fi
}

# Creates a store in a directory that every user can read.
read_only() {
	ro=$(mktemp -d)
	chmod 755 "$ro"
	[ "$(id -u)" != 0 ] || cp "$CTX_BIN"/ctx-* "$ro"
	mkdir "$ro/store"
	export CTX_STORE=$ro/store/ctx.db
	fill
	ctx-check -q --catch-up
}

teardown() {
	[ -z "${ro-}" ] || { chmod -R u+w "$ro"; rm -rf "$ro"; }
}

reads() {
	[ "$(as ctx-window -s s | tail -1 | jq -r .kind)" = request ]
	[ "$(as ctx-show -s s | grep -c '"kind":"message"')" = 10 ]
	[ "$(as ctx-list -1)" = s ]
	[ "$(as ctx-search "message 7" -n 1 | jq .seq)" = 7 ]
	as ctx-check -q
	for c in 'ctx-append -s s -t x' 'ctx-append --create -s s -t x' ctx-new 'ctx-delete -s s --purge' 'ctx-prune -s s --apply -b 20'; do
		status 4 as $c >out 2>err
		[ ! -s out ]
		[ "$(wc -l <err)" = 1 ] || { echo "$c"; cat err; return 1; }
	done
}

@test 'a store in a read-only directory can be read, and writing is refused' {
	read_only
	chmod -R a+rX,a-w "$ro/store"
	reads
}

@test 'a read-only copy of a store can be read without its -wal and -shm files' {
	read_only
	for f in "$CTX_STORE" "$CTX_STORE-derived"; do
		sqlite3 "$f" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
		rm -f "$f"-wal "$f"-shm "$f"-lock
	done
	mv "$ro/store" "$ro/a store 100%?#&"
	export CTX_STORE="$ro/a store 100%?#&/ctx.db"
	chmod -R a+rX,a-w "$ro"/a*
	reads
	[ "$(ls "$ro"/a*)" = $'ctx.db\nctx.db-derived' ]
	# a write-ahead log that cannot be used must not be ignored
	chmod u+w "$ro"/a*
	printf 'a log' >"$CTX_STORE-wal"
	: >"$CTX_STORE-shm"
	chmod a+r "$CTX_STORE-wal"
	chmod 0 "$CTX_STORE-shm"
	chmod u-w "$ro"/a*
	status 5 as ctx-list 2>err
	[ "$(wc -l <err)" = 1 ]
	grep -q "ctx.db-shm': Permission denied" err
}

@test 'an unreadable or missing store gives one line and exit status 5' {
	read_only
	chmod -R a+rX "$ro/store"
	chmod 0 "$CTX_STORE"
	for how in file directory; do
		for c in ctx-list 'ctx-show -s s' 'ctx-window -s s' 'ctx-search message' ctx-check 'ctx-append -s s -t x' \
			'ctx-append --create -s s -t x' ctx-new; do
			status 5 as $c >out 2>err </dev/null
			[ ! -s out ]
			[ "$(wc -l <err)" = 1 ] && grep -q "^${c%% *}: .*$CTX_STORE" err || { echo "$how $c"; cat err; return 1; }
		done
		chmod a+r "$CTX_STORE"
		chmod 0 "$ro/store"
	done
}

@test 'a store works after the files beside it were deleted' {
	fill
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	rm -f "$CTX_STORE"-*
	[ "$(ctx-window -s s | grep -c '"kind":"message"')" = 10 ]
	ctx-append -q -s s -t x
}

@test 'a store that is deleted or replaced while open accepts no more messages' {
	ctx-new --id s -1 >/dev/null
	mkfifo in
	ctx-append -s s <in >out 2>err &
	exec 9>in
	echo '{"role":"user","content":"before"}' >&9
	for _ in $(seq 500); do [ -s out ] && break; sleep 0.02; done
	[ -s out ]
	store_remove
	ctx-new --id s -1 >/dev/null
	echo '{"role":"user","content":"after"}' >&9
	exec 9>&-
	status 5 wait $!
	grep -q 'was deleted or replaced' err
	[ "$(wc -l <out)" = 1 ]
}

@test 'after the write-ahead log of an open store was deleted, the writer accepts no more messages' {
	ctx-new --id s -1 >/dev/null
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	for how in gone another; do
		mkfifo in
		ctx-append -s s <in >out 2>err &
		exec 9>in
		echo '{"role":"user","content":"before"}' >&9
		for _ in $(seq 500); do [ -s out ] && break; sleep 0.02; done
		[ -s out ]
		rm "$CTX_STORE-wal"
		[ $how = gone ] || : >"$CTX_STORE-wal"
		echo '{"role":"user","content":"after"}' >&9
		exec 9>&-
		status 5 wait $!
		grep -q 'log of .* was deleted or replaced' err
		[ "$(wc -l <out)" = 1 ]
		rm in
	done
	# the remaining file with the index of the log does no harm
	ctx-append -q -s s -t x
	ctx-check -q
}

@test 'a truncated store gives an error, and nothing is written' {
	seq -f '{"role":"user","content":"message %g"}' 300 | ctx-append -q --create -s s
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	rm -f "$CTX_STORE"-*
	cp "$CTX_STORE" whole
	size=$(stat -c %s whole)
	for n in 99 100 512 4095 4096 5000 8192 $((size / 2)) $((size / 4096 / 2 * 4096)) $((size - 4096)) $((size - 1)); do
		head -c $n whole >"$CTX_STORE"
		for c in ctx-list 'ctx-show -s s' 'ctx-window -s s -n 300' 'ctx-append -s s -t x' 'ctx-append --create -s new -t x'; do
			got=0
			$c >out 2>err </dev/null || got=$?
			# data before the truncation may be readable
			[ $got = 5 ] && [ "$(wc -l <err)" = 1 ] || [ $got = 0 ] || { echo "$n: $c: $got"; cat err; return 1; }
		done
		got=0
		ctx-check -q >out 2>err || got=$?
		[ $got = 5 ] || [ $got = 1 ] || { echo "$n: $got"; return 1; }
		rm -f "$CTX_STORE" "$CTX_STORE"-*
	done
}
