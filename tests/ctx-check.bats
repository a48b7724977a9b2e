# ctx-check reports every damage of a store, and nothing for an intact store. Backups and indexes.
load helper

setup() {
	isolate
	for s in a b; do
		ctx-new --id $s -u u >/dev/null
		for i in 1 2 3 4; do ctx-append -q -s $s -t "message $i of $s"; done
	done
	ctx-append -q -s a --pin -t pinned
	ctx-prune -s a --apply -b 25 >/dev/null
}

finds() {   # CHECK SESSION SEQ SQL
	store_keep whole.db
	sqlite3 "$CTX_STORE" "$4"
	status 1 ctx-check >out 2>err || return
	jq -se --arg c "$1" --arg s "$2" --argjson q "$3" \
		'any(.check == $c and .kind == "diagnostic" and (.session_id // "") == $s and (.seq // 0) == $q)' out >/dev/null ||
		{ cat out; return 1; }
	store_return whole.db
	ctx-check -q
}

@test 'an intact store has no findings' {
	ctx-new --fork a@3 --id fork >/dev/null
	ctx-archive -q -s b --to place --cleanup >/dev/null
	ctx-delete -s fork >/dev/null
	ctx-check >out 2>err
	[ ! -s out ]
	grep -q '3 sessions checked, 0 findings' err
}

@test 'ctx-check accepts a store with more known entity names than messages' {
	for i in 1 2 3 4 5 6 7 8; do
		echo "{\"type\":\"site\",\"name\":\"Hall $i\"}" | ctx-entity load -q
	done
	ctx-list | ctx-entity track -q
	ctx-check -q
	# an index mark after the last message is still reported
	sqlite3 "$CTX_STORE-derived" "UPDATE mark SET seq = 99 WHERE kind = 'entity'"
	status 1 ctx-check -q >out 2>/dev/null
	grep -q "the index 'entity' claims to cover messages after the last message" out
}

@test 'a changed message, a missing message, wrong counters and dangling references are found' {
	finds checksum a 2 "UPDATE message SET body = replace(body, 'message 2', 'massage 2') WHERE body LIKE '%2 of a%'"
	finds sequence a 2 "DELETE FROM message WHERE body LIKE '%2 of a%'"
	finds counter b 0 "UPDATE session SET message_count = 5 WHERE session_id = 'b'"
	finds counter b 0 "UPDATE session SET token_count = 1 WHERE session_id = 'b'"
	finds counter b 0 "UPDATE session SET last_seq = 9 WHERE session_id = 'b'"
	finds counter a 0 "UPDATE session SET hidden_count = 0 WHERE session_id = 'a'"
	finds reference '' 0 "DELETE FROM session WHERE session_id = 'b'"
	finds reference a 77 "INSERT INTO pin SELECT (no << 32) + 77 FROM session WHERE session_id = 'a'"
	finds reference a 99 "INSERT INTO hidden SELECT (no << 32) + 5, (no << 32) + 99, 0 FROM session WHERE session_id = 'a'"
}

@test 'invalid records and changed shared texts are found' {
	echo '{"type":"rule","name":"r","content":"be short"}' | ctx-item define -q
	ctx-item add -q -s b r
	ctx-window -s b | ctx-enrich | ctx-render -p openai --request req.json >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"answer"}}]}' |
		ctx-append -q --request req.json
	ctx-summarize -q -s b --keep-last 1 >/dev/null
	ctx-check -q
	# PostgreSQL stores only UTF-8 and checks the types of values itself
	if [ "${ENGINE-}" != postgresql ]; then
		finds record b 0 "UPDATE session SET title = CAST(x'61ff' AS TEXT) WHERE session_id = 'b'"
		finds record b 0 "UPDATE request SET record = CAST(replace(record, 'openai', x'ff') AS TEXT)"
		finds record b 0 "UPDATE session SET metadata = '{\"a\":' WHERE session_id = 'b'"
	fi
	finds record b 0 "UPDATE request SET record = replace(record, '\"kind\"', '\"kind')"
	finds record a 0 "UPDATE event SET record = substr(record, 2)"
	finds record b 0 "UPDATE summary SET body = body || '}'"
	finds record b 0 "UPDATE message SET metadata = 'x' WHERE body LIKE '%2 of b%'"
	finds checksum '' 0 "UPDATE content SET body = replace(body, 'short', 'shirt')"
}

@test '-s checks only one session' {
	sqlite3 "$CTX_STORE" "UPDATE session SET message_count = 5 WHERE session_id = 'b'"
	ctx-check -q -s a
	status 1 ctx-check -q -s b >out 2>/dev/null
	[ "$(jq -r .session_id out)" = b ]
	status 1 ctx-check -s nobody 2>/dev/null
}

@test 'archives are checked against their digests' {
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	ctx-check -q
	rm place/2026/01/a.ndjson.gz
	status 1 ctx-check -q >out 2>/dev/null
	[ "$(jq -r '[.check, .session_id] | @csv' out)" = '"archive","a"' ]
	# an archive of another session under the same name is reported
	cp place/2026/01/b.ndjson.gz place/2026/01/a.ndjson.gz
	status 1 ctx-check -q >out 2>/dev/null
	grep -q 'SHA-256 differs\|SHA-256 of the content differs' out
	ctx-check -q --no-archives
}

@test 'for an unreadable store the exit status is 5' {
	ctx-check -q
	rm -f "$CTX_STORE"-*
	head -c 8192 /dev/zero >"$CTX_STORE"
	status 5 ctx-check 2>/dev/null
	rm "$CTX_STORE"
	status 5 ctx-check 2>/dev/null
}

@test 'a backup of a store that is being written to is a consistent copy' {
	(
		i=0
		until [ -e stop ]; do
			i=$((i + 1))
			ctx-append -q -s b -t "while the backup runs, number $i"
		done
	) &
	for i in 1 2 3 4 5; do
		ctx-check --backup copy.db
		ctx-check -q --store copy.db
	done
	touch stop
	wait
	[ "$(stat -c %a copy.db)" = 600 ]
	ctx-show -s a >here
	ctx-show --store copy.db -s a | diff here -
	[ -z "$(compgen -G 'copy.db.tmp*')" ]
}

@test 'a failed backup leaves the previous one' {
	ctx-check --backup copy.db
	cp copy.db kept.db
	run -4 bash -c 'ulimit -f 4; trap "" XFSZ; ctx-check --backup copy.db'
	cmp copy.db kept.db
	[ -z "$(compgen -G 'copy.db.tmp*')" ]
	status 4 ctx-check --backup no/where.db 2>/dev/null
}

@test 'a backup does not overwrite the store itself or a copy that has changes of its own' {
	ctx-check --backup copy.db
	ln -s "$CTX_STORE" link.db
	for place in "$CTX_STORE" link.db; do
		status 2 ctx-check --backup "$place" 2>err
		grep -q 'is the store itself' err
	done
	ctx-append -q --store copy.db -s b -t "said to the copy"
	cp copy.db kept.db
	status 4 ctx-check --backup copy.db 2>err
	grep -q "copy.db-wal' contains unfinished changes to 'copy.db'" err
	cmp copy.db kept.db
	ctx-check -q --store copy.db
	[ -z "$(compgen -G 'copy.db.tmp*')" ]
}

@test '--backup overwrites an existing file only if it is a copy of the store' {
	local f
	for f in '' -wal -shm -journal -lock -archive-lock -restore-lock -mj12345678 -derived -derived-wal -names; do
		status 2 ctx-check --backup "$CTX_STORE$f" 2>err
	done
	ln "$CTX_STORE-wal" hard
	ln -s "$CTX_STORE-lock" soft
	cp "$CTX_STORE" other.db
	cp other.db kept.db
	ctx-new --store new.db --id x -1 >/dev/null
	sqlite3 new.db 'PRAGMA wal_checkpoint(truncate)' >/dev/null
	echo mine >notes
	cp notes notes-names
	: >empty
	ln -s notes link
	mkfifo fifo
	mknod device c 1 3 2>/dev/null || mkfifo device # not /dev/null: root would lose it
	mkdir dir
	for f in hard soft other.db new.db notes empty link fifo device dir; do
		ls -ld "$f"* >before
		status 2 ctx-check --backup $f 2>err
		[ "$(wc -l <err)" = 1 ]
		ls -ld "$f"* | diff before -
	done
	rm notes
	status 4 ctx-check --backup notes 2>err
	grep -q "'notes-names' exists and would be used as a part of the copy" err
	[ "$(cat notes-names)" = mine ]
	ctx-new --store s-names --id x -1 >/dev/null
	status 2 ctx-check --store s-names --backup s 2>err
	[ "$(ctx-list --store s-names -1)" = x ]
	[ "$(ctx-list --store new.db -1)" = x ]
	cmp other.db kept.db
	ctx-check -q
	[ -z "$(compgen -G '*.tmp-*')" ]
}

@test '--backup overwrites a copy only if it was made from the same store and has no changes of its own' {
	ctx-check --backup copy.db
	ctx-check -q --store copy.db
	ctx-search --store copy.db message >/dev/null
	ctx-check -q --store copy.db --catch-up
	ctx-append -q -s b -t "later"
	ctx-check --backup copy.db
	ctx-show -s b >here
	ctx-show --store copy.db -s b | diff here -
	ctx-new --store new.db --id x -1 >/dev/null
	cp copy.db kept.db
	status 2 ctx-check --store new.db --backup copy.db 2>err
	grep -q 'copy of another store' err
	cmp copy.db kept.db
	ctx-append -q --store copy.db -s b -t "said to the copy"
	sqlite3 copy.db 'PRAGMA wal_checkpoint(truncate)' >/dev/null
	status 2 ctx-check --backup copy.db 2>err
	grep -q 'because it is a store' err
	ctx-show --store copy.db -s b | grep -q 'said to the copy'
	[ "$(sqlite3 copy.db 'PRAGMA application_id')" = "$(sqlite3 "$CTX_STORE" 'PRAGMA application_id')" ]
	# a failed append leaves the copy unchanged, so it can be replaced
	ctx-check --backup third.db
	status 1 ctx-append -q --store third.db -s none -t x 2>err
	ctx-check --backup third.db
	# a copy that is used as a store can have backups
	ctx-check --store third.db --backup fourth.db
	ctx-check --store third.db --backup fourth.db
	ctx-append -q --store third.db -s b -t on
	ctx-check --store third.db --backup fourth.db
	ctx-show --store fourth.db -s b | grep -q '"on"'
}

@test 'a backup contains all tenants, so --tenant is refused' {
	status 2 ctx-check --tenant red --backup copy.db 2>err
	grep -q 'of all tenants' err
	CTX_TENANT=red status 2 ctx-check --backup copy.db 2>err
	[ ! -e copy.db ]
}

@test 'a new backup does not use the index of the previous backup' {
	ctx-check --backup copy.db
	for i in 1 2 3 4 5 6 7 8 9; do ctx-append -q -s b -t "word$i"; done
	ctx-search --store copy.db message >/dev/null
	ctx-check --backup copy.db
	ctx-check -q --store copy.db
	ctx-search --store copy.db '"message 2 of b"' >found
	[ "$(jq -r .session_id found)" = b ]
}

@test '--rebuild and --catch-up do not change messages' {
	ctx-show -s a >before
	ctx-check --rebuild
	ctx-check --catch-up
	ctx-show -s a | diff before -
	ctx-check -q
}

named() { sqlite3 "$CTX_STORE-derived" "SELECT count(*) FROM session_entity"; }

@test '--catch-up indexes words and names of every tenant' {
	ctx-append -q -s a -t "look at 10.0.0.1 and at the Blue Moon"
	echo '{"type":"project","name":"Blue Moon"}' | ctx-entity load -q --tenant other
	CTX_TENANT=other ctx-append -q -s x --create -t "the blue moon at 10.0.0.2"
	ctx-check --catch-up
	[ "$(named)" = 3 ]
	ctx-search --no-catch-up blue >/dev/null
	ctx-append -q -s b -t "10.0.0.3"
	ctx-check --catch-up
	[ "$(named)" = 4 ]
	ctx-check --rebuild
	[ "$(named)" = 4 ]
}

# After --cleanup, the mentions are found in the texts that the index keeps.
@test 'entity mentions in archived sessions are still known after --rebuild and after new names are loaded' {
	ctx-append -q -s a -t "look at 10.0.0.1, and at the Blue Moon of a"
	ctx-append -q -s b -t "look at 10.0.0.2"
	ctx-entity list -s a >/dev/null
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	list() { ctx-entity list -s "$1" | jq -r '"\(.name) \(.mention_count) \(.first_mentioned_at)"' | sort; }
	list a | grep -q '^10.0.0.1 1 2026'
	list b | grep -q '^10.0.0.2 1 2026'          # never looked at before
	ctx-check --rebuild
	list a | grep -q '^10.0.0.1 1 2026'
	echo '{"type":"project","name":"Blue Moon"}' | ctx-entity load -q
	list a | grep -q '^10.0.0.1 1 2026'
	list a | grep -q '^Blue Moon 1 2026'
	ctx-entity show -s a "blue moon" | jq -e '.mentions[0].context | test("at the Blue Moon of a")'
	# without stored texts, known mentions stay
	sqlite3 "$CTX_STORE-derived" "DELETE FROM fulltext_kept WHERE id >> 32 = $(sqlite3 "$CTX_STORE" "SELECT no FROM session WHERE session_id = 'a'")"
	ctx-check --rebuild
	list a | grep -q '^Blue Moon 1 2026'
	echo '{"type":"project","name":"Red Moon"}' | ctx-entity load -q
	list a | grep -q '^Blue Moon 1 2026'
	# after a restore, all mentions are found again
	ctx-archive -q -s a --restore >/dev/null
	list a | grep -q '^Blue Moon 1 2026'
	list a | grep -q '^10.0.0.1 1 2026'
}

@test 'tenants may have sessions with the same id' {
	ctx-append -q --create --tenant one -s a -t hello
	ctx-append -q --create --tenant two -s a -t hello
	ctx-check
}

found() {
	ctx-search -q "$1" | jq -r .session_id | sort -u | paste -sd' '
}

@test '--rebuild replaces a damaged file of derived data and indexes archived sessions from their archives' {
	ctx-new --id c >/dev/null
	ctx-append -q -s c -t 'a kumquat of c'
	ctx-append -q -s b -t 'a kumquat of b'
	ctx-new --id d >/dev/null
	ctx-append -q -s d -t 'a kumquat of d'
	ctx-archive -q -s b -s c --to place --cleanup >/dev/null
	ctx-archive -q -s d --to place --cleanup --forget >/dev/null
	[ "$(found kumquat)" = 'b c' ]
	ctx-check -q
	ctx-check -q --rebuild
	[ "$(found kumquat)" = 'b c' ]
	ctx-show -s a >before
	size=$(stat -c %s "$CTX_STORE-derived")
	rm -f "$CTX_STORE-derived-wal" "$CTX_STORE-derived-shm"
	for at in 100 4096 8192 12288 $((size / 2)); do
		[ "$at" -lt "$size" ] || continue
		dd if=/dev/urandom of="$CTX_STORE-derived" bs=1 seek="$at" count=4000 conv=notrunc 2>/dev/null
		status 1 ctx-check -q >out 2>/dev/null
		grep -qE -- "--(rebuild|catch-up)" out
		ctx-check -q --rebuild 2>/dev/null
		ctx-check -q
		[ "$(found kumquat)" = 'b c' ]
		[ "$(found pinned)" = a ]
		rm -f "$CTX_STORE-derived-wal" "$CTX_STORE-derived-shm"
	done
	# without the file of derived data
	rm -f "$CTX_STORE-derived"*
	ctx-check -q --rebuild
	[ "$(found kumquat)" = 'b c' ]
	# a missing archive is reported
	rm -f "$CTX_STORE-derived"*
	mv place/2026/01/c.ndjson.gz aside
	status 1 ctx-check -q --rebuild 2>err
	grep -q "session 'c' cannot be searched" err
	[ "$(found kumquat)" = b ]
	status 1 ctx-check -q >out 2>/dev/null
	[ "$(jq -r '.check + " " + .session_id' out | sort | paste -sd,)" = 'archive c,mark c' ]
	mv aside place/2026/01/c.ndjson.gz
	ctx-check -q --rebuild
	[ "$(found kumquat)" = 'b c' ]
	ctx-check -q
	ctx-show -s a | diff before -
}

@test 'if tables are missing or changed in the file of derived data, ctx-check reports it and --rebuild replaces the file' {
	local sql
	echo '{"role":"user","content":"mango"}' | ctx-append -q --create -s a
	for sql in 'DROP TABLE counter' 'DROP TABLE recount; CREATE TABLE recount (a)' \
	    'DROP TABLE seen'; do
		ctx-window -s a --tokenizer chars4 >/dev/null
		ctx-check -q
		sqlite3 "$CTX_STORE-derived" "$sql"
		status 1 ctx-check -q >out
		grep -q -- --rebuild out
		ctx-check -q --rebuild 2>/dev/null
		ctx-check -q
		ctx-search -q mango >/dev/null
	done
	# a file of derived data with a view is replaced when it is opened
	sqlite3 "$CTX_STORE-derived" 'DROP TABLE mark; CREATE VIEW mark AS SELECT 1 AS kind'
	ctx-search -q mango >/dev/null
	ctx-check -q
	[ "$(sqlite3 "$CTX_STORE-derived" "SELECT count(*) FROM sqlite_master WHERE type = 'view'")" = 0 ]
}

@test 'a store restored from a backup is searchable again after catching up' {
	for s in a b c; do ctx-append -q --create -s $s -t "a kumquat of $s"; done
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	ctx-check -q --backup copy.db
	rm "$CTX_STORE"*
	cp copy.db "$CTX_STORE"
	status 1 ctx-check -q >out
	[ "$(grep -c 'archive is not in the full-text index yet' out)" = 2 ]
	# sessions that are not searched are reported, also if there are matches
	ctx-search kumquat 2>err | jq -r .session_id | same - c
	grep -q '2 archived sessions are not searched' err
	ctx-search -s a -s c kumquat 2>err >/dev/null
	grep -q '1 archived session is not searched' err
	ctx-search -s c kumquat 2>err >/dev/null
	[ ! -s err ]
	ctx-check --catch-up
	ctx-check -q
	ctx-search kumquat 2>err | jq -r .session_id | sort | paste -sd' ' | same - 'a b c'
	[ ! -s err ]
}

@test 'a backup removes temporary files of a killed backup to the same path, but not those of a running backup' {
	ctx-append -q --create -s s -t x
	mkdir there
	for f in copy.tmp-aB3dE6 copy.tmp-aB3dE6-journal copy.tmp-aB3dE6-wal copy.tmp-aB3dE6-shm copy.tmp-zzzzzz-wal copy.tmp-living other.tmp-aB3dE6 copy.tmp-short copy.tmp-notours; do
		echo "a text of $f" >there/$f
	done
	mv there/copy.tmp-living there/copy.tmp-LiViNg
	flock there/copy.tmp-LiViNg ctx-check -q --backup there/copy
	ctx-check -q -S there/copy
	rm there/copy there/copy-*
	[ "$(cd there && echo *)" = 'copy.tmp-LiViNg copy.tmp-notours copy.tmp-short other.tmp-aB3dE6' ]
}

@test 'a full-text index in the middle of a merge is not reported as damaged' {
	for part in 1 2; do
		python3 -c "
for i in range(400): print('{\"role\":\"user\",\"content\":\"%s\"}' % ' '.join(
    'w%x' % (i * 7919 * k + $part) for k in range(1, 30)))" |
			ctx-append -s merged --create -q
		ctx-search -q w1 >/dev/null
	done
	sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (fulltext, rank) VALUES ('merge', -3)"
	for word in aaaa nothing; do
		run ctx-search -q "$word"
		[ "$output" = '' ]
		[ "$status" -le 1 ]
	done
	ctx-check -q
}

@test 'a search reports a damaged index page instead of silently missing messages' {
	for i in {1..4000}; do
		echo "{\"role\":\"user\",\"content\":\"common rare$i\"}"
	done | ctx-append -q --create -s s
	[ "$(ctx-search -n 9999 common | wc -l)" = 4000 ]
	sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (fulltext) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
	cp "$CTX_STORE-derived" good
	# the following index pages of a word with many matches
	leaf=$(sqlite3 good "SELECT (segid << 37) + (pgno >> 1) FROM fulltext_idx WHERE term <= CAST('0common' AS BLOB) ORDER BY term DESC LIMIT 1")
	for sql in "UPDATE fulltext_data SET block = zeroblob(length(block)) WHERE id = $leaf + 1" \
		"UPDATE fulltext_data SET block = zeroblob(length(block)) WHERE id = $leaf + 2" \
		"DELETE FROM fulltext_data WHERE id = $leaf + 2"; do
		rm -f "$CTX_STORE"-derived*
		cp good "$CTX_STORE-derived"
		sqlite3 "$CTX_STORE-derived" "$sql"
		for c in 'ctx-search -n 9999' 'ctx-search -n 1' 'ctx-search -s s -n 9999' 'ctx-grep -n 9999'; do
			run -5 $c common
			[[ "$output" = *'ctx-check --rebuild'* ]] || { echo "$sql: $c: $output"; false; }
		done
		ctx-search rare3999 | jq -e '.seq == 3999'
		run -1 ctx-check -q
		[[ "$output" = *'derived file of indexes (--rebuild rebuilds it): the full-text index'* ]]
	done
}

@test 'a damaged index is reported by checks and searches, and --rebuild corrects it' {
	for i in {1..300}; do
		echo "{\"role\":\"user\",\"content\":\"needle of message $i, word$((i * 7)) and word$((i * 11))\"}"
	done | ctx-append -q --create -s s
	ctx-search needle >/dev/null
	sqlite3 "$CTX_STORE-derived" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	cp "$CTX_STORE-derived" good
	# the index page that contains the word
	leaf=$(sqlite3 good "SELECT (segid << 37) + (pgno >> 1) FROM fulltext_idx WHERE term <= CAST('0needl' AS BLOB) ORDER BY term DESC LIMIT 1")
	for sql in 'UPDATE fulltext_data SET block = zeroblob(length(block)) WHERE id = 10' \
		"UPDATE fulltext_data SET block = 'x' WHERE id = 1" \
		"UPDATE fulltext_data SET block = zeroblob(length(block)) WHERE id = $leaf" \
		"DELETE FROM fulltext_data WHERE id = $leaf"; do
		rm -f "$CTX_STORE"-derived*
		cp good "$CTX_STORE-derived"
		sqlite3 "$CTX_STORE-derived" "$sql"
		run -5 ctx-search needle
		[[ "$output" = *'ctx-check --rebuild'* ]] || { echo "$sql: $output"; false; }
		run -1 ctx-check -q
		[[ "$output" = *'derived file of indexes (--rebuild rebuilds it): the full-text index'* ]] || { echo "$sql: $output"; false; }
		ctx-check -q --rebuild 2>/dev/null
		[ "$(ctx-search -n 1000 needle | wc -l)" = 300 ]
		ctx-check -q
	done
	# a word that is not indexed is not found, and no damage is reported
	run -1 ctx-search nothing
	[ -z "$output" ]
	ctx-append -q --create -s t -t 'needle to purge'
	ctx-search needle >/dev/null
	ctx-delete -q -s t --purge
	ctx-check -q
}
