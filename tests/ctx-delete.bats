# Deletion that can be undone, purges that cannot, and receipts for purges.
load helper

talk() {   # SID N
	local i
	for i in $(seq "$2"); do
		printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"the secret of %s is number %s, and nobody else may know of it"}}\n' "$1" "$1" "$i"
	done | ctx-append -q --create
}

# leaks TEXT: prints the files of the store that contain the text.
leaks() {
	grep -laF "$1" "$CTX_STORE" "$CTX_STORE"-* 2>/dev/null
}

@test 'a deleted session is hidden everywhere and can be restored completely' {
	talk a 3
	talk b 1
	ctx-show -s a >before
	ctx-delete -s a >out
	[ "$(jq -r '[.kind, .session_id, .action, .messages] | @csv' out)" = '"deletion","a","delete",3' ]
	[ "$(ctx-list -1)" = b ]
	[ "$(ctx-list -1 --status deleted)" = a ]
	status 1 ctx-show -s a 2>err
	grep -q 'is deleted' err
	status 1 ctx-window -s a
	status 1 ctx-append -s a -t more
	status 1 ctx-append -s a -t more --create
	status 1 ctx-append -s a -t more --resume
	status 1 ctx-archive -s a --to place
	ctx-delete -s a --restore >out
	[ "$(jq -r .action out)" = undelete ]
	ctx-show -s a | head -n 4 | diff before -
	[ "$(ctx-list -1 | paste -sd' ')" = 'a b' ]
	status 1 ctx-delete -s a --restore 2>/dev/null
}

@test 'an archived session that was deleted is restored as archived' {
	talk a 3
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-delete -s a >/dev/null
	status 1 ctx-archive -s a --restore 2>/dev/null
	status 1 ctx-archive --restore place/2026/01/a.ndjson.gz 2>/dev/null
	ctx-delete -s a --restore >/dev/null
	[ "$(ctx-list -1 --status archived)" = a ]
	[ "$(ctx-show -s a | grep -c '"kind":"message"')" = 3 ]
}

@test 'purge leaves no byte in the store or in archives' {
	talk a 200
	talk b 200
	ctx-archive -q -s a --snapshot --to snapshots >/dev/null
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-archive -q -s a --restore >/dev/null
	[ -n "$(leaks 'secret of a is')" ]
	ctx-delete -s a --purge >out 2>err
	[ "$(jq -c '[.action, .messages]' out)" = '["purge",200]' ]
	grep -qE '[1-9][0-9]* bytes freed' err
	[ -z "$(leaks 'secret of a is')" ]
	[ -n "$(leaks 'secret of b is')" ]
	[ -z "$(find snapshots place -type f)" ]
	[ "$(ctx-list -a1)" = b ]
	ctx-check -q
}

@test 'purge leaves no byte of rows that were moved within the file' {
	# messages of several sessions in turn, with sizes that make SQLite split pages
	for i in $(seq 400); do
		for s in a b c; do
			printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"secret of %s number %s %0*d"}}\n' $s $s "$i" $((i * 37 % 900 + 20)) "$i"
		done
	done | ctx-append -q --create
	for i in $(seq 20); do
		ctx-append -q -s a -t "another secret of a, $i, that is appended late and by itself"
		ctx-append -q -s c -t "another secret of c, $i, that is appended late and by itself"
	done
	ctx-delete -q -s a -s c --purge --receipt >out
	[ -z "$(leaks 'secret of a')" ]
	[ -z "$(leaks 'secret of c')" ]
	[ "$(tail -n 1 out | jq -c '[.action, .survivors, .sessions, .messages]')" = '["receipt",0,2,840]' ]
	[ "$(ctx-show -s b | grep -c '"kind":"message"')" = 400 ]
	ctx-check -q
}

@test 'a purge receipt counts texts that other sessions share, and reports copies that are left in archives' {
	talk a 5
	ctx-new --fork a --id fork >/dev/null
	ctx-append -q -s a -t 'a text of its own that no other session has a copy of'
	ctx-archive -q -s a --snapshot --to place >/dev/null
	cp place/2026/01/a.ndjson.gz place/2026/01/stray.ndjson.gz
	status 1 ctx-delete -q -s a --purge --receipt --to place >out
	tail -n 1 out | jq -e '.shared >= 5 and .survivors >= 1 and .archives == 1 and .archives_scanned == 1' >/dev/null
	# a fork keeps its copies of the messages
	[ "$(ctx-show -s fork | grep -c '"kind":"message"')" = 5 ]
	rm place/2026/01/stray.ndjson.gz
	ctx-archive -q -s fork --to place --cleanup >/dev/null
	talk z 2
	ctx-delete -q -s z --purge --receipt --to place >out
	tail -n 1 out | jq -e '.survivors == 0 and .archives_scanned == 1 and .texts == 2 and .probes > 0' >/dev/null
}

@test 'texts that other archived sessions share are not reported as left over, and recorded archives are searched' {
	for s in a b; do
		for i in 1 2 3; do
			ctx-append -q --create -s $s -t "a text of many words, number $i, that two sessions have in common"
		done
	done
	ctx-new --fork a --id fork >/dev/null
	ctx-archive -q -s a -s b -s fork --to place --cleanup >/dev/null
	ctx-delete -q -s a --purge --receipt >out
	tail -n 1 out | jq -e '.survivors == 0 and .shared >= 3 and .archives_scanned == 2' >/dev/null
	ctx-delete -q -s b --purge --receipt --to place >out
	tail -n 1 out | jq -e '.survivors == 0 and .archives_scanned == 1' >/dev/null
	# the archive belongs to the original session, which no longer exists
	talk x 2
	ctx-archive -q -s x --snapshot --to elsewhere >/dev/null
	ctx-archive -q --restore --as y elsewhere/2026/01/x.ndjson.gz >/dev/null
	sqlite3 "$CTX_STORE" "DELETE FROM event WHERE record LIKE '%snapshot%'" \
		"DELETE FROM archive_file WHERE session_no = (SELECT no FROM session WHERE session_id = 'x')"
	ctx-delete -q -s x --purge
	status 1 ctx-delete -q -s y --purge --receipt >out 2>err
	tail -n 1 out | jq -e '.survivors >= 2 and .archives_scanned == 2' >/dev/null
}

@test 'any JSON object with a session_id names a session, and an object without one is an error' {
	for s in a b; do
		talk $s 2
	done
	ctx-list | jq -c '{session_id}' | ctx-window | grep -c '"kind":"session"' | same - 2
	ctx-list | jq -c '{session_id}' | ctx-show | grep -c '"kind":"session"' | same - 2
	ctx-list | jq -c '{kind: "mine", session_id}' | ctx-archive --snapshot --to place | wc -l | same - 2
	ctx-list | jq -c '{session_id, last_seq: 1}' >old
	status 1 ctx-delete <old 2>err
	grep -q 'changed since' err
	ctx-list | jq -c '{session_id}' | ctx-delete | jq -r .session_id | paste -sd' ' | same - 'a b'
	for bad in '{"id":"a"}' '{"session_id":7}' '{"kind":"session","id":"a"}' '{"role":"user","content":"x"}'; do
		for c in ctx-delete 'ctx-archive --to place' ctx-window ctx-show; do
			printf '%s\n' "$bad" >in
			status 3 $c <in 2>err
			grep -q 'stdin:1: session_id is missing or is not a string' err
		done
	done
	# messages in a window are not invalid session records
	ctx-delete -q -s a --restore >/dev/null
	printf '%s\n' '{"kind":"session","session_id":"a"}' '{"role":"user","content":"x"}' | ctx-window | grep -c '"kind":"session"' | same - 1
}

@test 'a hold refuses deletion and clean-up until it is released' {
	ctx-new --id a --hold 'case 7' >/dev/null
	ctx-append -q -s a -t one
	talk b 1
	ctx-delete -s b --hold 'case 8' >out
	[ "$(jq -r '[.action, .reason] | @csv' out)" = '"hold","case 8"' ]
	for o in '' --purge; do
		status 1 ctx-delete -s a -s b $o 2>err
		grep -q 'case 7' err
		grep -q 'case 8' err
	done
	status 1 ctx-archive -s a --to place --cleanup 2>/dev/null
	[ "$(ctx-list -1 | paste -sd' ')" = 'a b' ]
	ctx-delete -s a -s b --release >/dev/null
	status 1 ctx-delete -s a --release 2>/dev/null
	ctx-delete -s a -s b >/dev/null
	[ -z "$(ctx-list -1)" ]
}

@test '--user --purge removes all data of that user and nothing of others' {
	for s in a1 a2 b1; do
		ctx-new --id $s -u ${s%?} --share x >/dev/null
		ctx-append -q -s $s -t "what ${s%?} once said in $s, for nobody else to know"
	done
	ctx-new -u a --set-preferences '{"tone":"of voice that a likes"}'
	ctx-new --id b2 -u b --share a >/dev/null
	ctx-archive -q -s a2 --to place --cleanup >/dev/null
	ctx-delete -s a1 >/dev/null
	ctx-delete -q -u a --purge --receipt >out
	[ "$(ctx-list -a1 | paste -sd' ')" = 'b1 b2' ]
	[ -z "$(leaks 'what a once said')" ]
	[ -z "$(leaks 'tone')" ]
	[ -z "$(find place -type f)" ]
	[ "$(jq -r 'select(.action == "purge" and .session_id) | .session_id' out | sort | paste -sd' ')" = 'a1 a2' ]
	[ "$(ctx-list -u a -1)" = '' ]
	# for an unknown user, the command says that there is nothing to do
	ctx-delete -u a 2>err >out
	same err <<<"ctx-delete: nothing to do for user 'a'"
	[ ! -s out ]
	ctx-delete -q -u a --purge 2>err >out
	[ ! -s err ] && [ ! -s out ]
	[ "$(ctx-list -u x -1)" = b1 ]
}

@test 'purge removes token counts of all tokenizers' {
	ctx-append -q --create -s a -t one
	ctx-append -q --create -s b -t two
	ctx-list --tokenizer chars4 >/dev/null
	ctx-delete -q -s a --purge >/dev/null
	for table in 'SELECT id >> 32 FROM recount' 'SELECT session_no FROM recount_total'; do
		sqlite3 "$CTX_STORE-derived" "$table" | same - 2
	done
}

@test 'a dry run changes nothing' {
	talk a 2
	ctx-show -s a >before
	for o in '' --purge '--purge --receipt' '--hold x'; do
		# shellcheck disable=SC2086
		ctx-delete -s a $o -n >out
		[ "$(head -n 1 out | jq .dry_run)" = true ]
		ctx-show -s a | diff before -
	done
}

@test 'a session that changed since it was listed is skipped, and the others are deleted' {
	talk a 1
	talk b 1
	ctx-list >listed
	ctx-append -q -s a -t late
	status 1 ctx-delete <listed >out 2>err
	grep -q "'a' changed since" err
	[ "$(ctx-list -1)" = a ]
	ctx-list >listed
	ctx-append -q -s a -t later
	status 1 ctx-delete --purge <listed 2>/dev/null
	[ "$(ctx-list -1)" = a ]
	status 1 ctx-delete -s nobody -s a 2>/dev/null
	[ -z "$(ctx-list -1)" ]
}

@test 'the cron line from the documentation deletes and purges expired sessions' {
	ctx-new --id a --ttl 1h >/dev/null
	ctx-new --id b >/dev/null
	CTX_NOW=2026-01-02T05:00:00Z ctx-list --expired | ctx-delete >out
	[ "$(jq -r .session_id out)" = a ]
	[ "$(ctx-list -1)" = b ]
	ctx-list --status deleted | ctx-delete -q --purge >/dev/null
	[ "$(ctx-list -a1)" = b ]
}

@test 'a purge does not delete a file that only an imported session record names as its archive' {
	talk a 1
	echo precious >file
	sqlite3 "$CTX_STORE" "UPDATE session SET archive = '{\"uri\":\"$PWD/file\",\"sha256\":\"x\"}', status = 1"
	status 4 ctx-delete -q -s a --purge 2>err
	grep -q "not removed" err
	[ "$(cat file)" = precious ]
	[ -z "$(ctx-list -a1)" ]
}

@test 'a killed purge can be repeated' {
	took=100000000
	for round in $(seq 12); do
		talk a 100
		ctx-archive -q -s a --snapshot --to place >/dev/null
		ctx-delete -q -s a --purge >/dev/null 2>&1 &
		perl -e 'select undef, undef, undef, rand(shift) / 1e9' "$took"
		kill -9 $! 2>/dev/null || true
		wait || true
		ctx-check -q --no-archives
		ctx-list -a | ctx-delete -q --purge >/dev/null
		[ -z "$(ctx-list -a1)" ]
		[ -z "$(leaks 'secret of a')" ]
		[ -z "$(find place -name '*.gz')" ]
	done
}

@test 'a purge removes the session'\''s archives that a killed run left, and no archives of other sessions' {
	talk a 3
	ctx-archive -q -s a --snapshot --to place >/dev/null
	sqlite3 "$CTX_STORE" "DELETE FROM event"   # killed before it could say so
	tmp=place/2026/01/.ctx-tmp-$(printf a.ndjson.gz | sha256sum | cut -c -16)-0123456789abcdef
	cp place/2026/01/a.ndjson.gz "$tmp"
	cp "$tmp" place/2026/01/.ctx-tmp-0000000000000000-0123456789abcdef
	ctx-delete -q -s a --purge --receipt --to place >out
	tail -n 1 out | jq -e '.archives == 1 and .survivors == 0' >/dev/null
	[ "$(find place -type f)" = place/2026/01/.ctx-tmp-0000000000000000-0123456789abcdef ]
	# a session with the same id in another store
	CTX_STORE=other.db CTX_NOW=2026-01-09T00:00:00Z talk a 2
	ctx-archive -q --store other.db -s a --snapshot --to place >/dev/null
	talk a 3
	ctx-delete -q -s a --purge --to place >/dev/null
	[ -f place/2026/01/a.ndjson.gz ]
}

@test 'texts of requests are removed with their session and counted' {
	echo '{"type":"rule","name":"r","include":"always","content":"a rule of some length that an item has, too"}' | ctx-item define -q
	for s in a b; do
		ctx-new --id $s >/dev/null
		ctx-append -q -s $s -t "a question of $s that is to be forgotten"
		echo "a document of $s that nobody else is to know" >doc.$s
		echo "a document that both of them were given once" >doc
		ctx-window -s $s | ctx-enrich --attach doc=doc.$s --attach both=doc |
			ctx-render -p openai --request req >/dev/null
		echo '{"choices":[{"message":{"role":"assistant","content":"ok"}}]}' | ctx-append -q --request req
	done
	[ -n "$(leaks 'document of a')" ]
	ctx-delete -q -s a --purge --receipt >out
	tail -n 1 out | jq -e '.additions >= 2 and .survivors == 0 and .shared >= 1' >/dev/null
	[ -z "$(leaks 'document of a')" ]
	[ -n "$(leaks 'document that both')" ]
	ctx-show -s b | grep -q 'document of b'
	ctx-archive -q -s b --to place --cleanup >/dev/null
	ctx-delete -q -s b --purge --receipt >out
	tail -n 1 out | jq -e '.additions >= 2 and .survivors == 0' >/dev/null
	[ -z "$(leaks 'document')" ]
	[ "$(sqlite3 "$CTX_STORE" 'SELECT count(*) FROM content')" = 0 ]
	ctx-item list | jq -r .content | grep -q 'a rule of some length'
}

@test 'purge removes archived messages from the index completely' {
	awk 'BEGIN { srand(1); for (i = 0; i < 300; i++) for (s = 0; s < 3; s++) {
		printf "{\"kind\":\"message\",\"session_id\":\"%c\",\"message\":{\"role\":\"user\",\"content\":\"", 97 + s
		for (w = i * 37 % 40 + 10; w > 0; w--) printf "%d ", rand() * 1e9
		print "\"}}"
	} }' | ctx-append -q --create
	for _ in 1 2 3; do   # kept again and again, in another order
		ctx-archive -q -s b -s a -s c --to place --cleanup >/dev/null
		ctx-archive -q --restore -s a -s c >/dev/null
		ctx-archive -q -s c -s a --to place --cleanup >/dev/null
		ctx-archive -q --restore -s b -s a -s c >/dev/null
	done
	ctx-archive -q -s b -s a -s c --to place --cleanup >/dev/null
	sqlite3 "$CTX_STORE-derived" "SELECT lower(hex(substr(text, length(text) - 24))) FROM fulltext_kept
		WHERE length(text) > 50 AND (id >> 32) = (SELECT min(id >> 32) FROM fulltext_kept)" >pieces
	[ "$(wc -l <pieces)" -gt 100 ]
	ctx-delete -q -s a --purge >/dev/null
	cat "$CTX_STORE-derived" "$CTX_STORE-derived-wal" "$CTX_STORE" | od -An -v -tx1 | tr -d ' \n' >bytes
	[ "$(grep -coFf pieces bytes)" = 0 ]
	ctx-check -q
}

@test 'a session that is being purged cannot be held, restored or appended to' {
	ctx-append -q --create -s a -t 'what goes'
	ctx-search goes >/dev/null
	exec 8>>"$CTX_STORE-derived-lock"
	flock 8
	ctx-delete -q -s a --purge >out 2>err 8>&- &
	until ctx-list --status deleted -1 | grep -qx a; do :; done
	status 1 ctx-delete -s a --hold 'case 7' >held 2>err8
	grep -q "session 'a' is being purged" err8
	status 1 ctx-delete -s a --restore 2>/dev/null
	status 1 ctx-append -s a -t more 2>/dev/null
	exec 8>&-
	wait $!
	[ -z "$(ctx-list -1 --status deleted)" ]
	status 1 ctx-show -s a 2>/dev/null
	ctx-check -q
}

@test 'a process that still uses a purged session does not change a new session with the same id' {
	for i in $(seq 40); do printf '{"role":"user","content":"old %s"}\n{"role":"assistant","content":"fine %s"}\n' "$i" "$i"; done |
		ctx-append -q --create -s a
	cat >meanwhile <<-'X'
	ctx-delete -q -s a --purge >/dev/null
	for i in $(seq 80); do echo "{\"role\":\"user\",\"content\":\"new $i\"}"; done | ctx-append -q --create -s a
	echo gist
	X
	status 1 ctx-summarize -s a -b 300 --exec 'sh ./meanwhile' >out 2>err
	[ ! -s out ]
	[ "$(ctx-window -s a -n 100 | grep -c '"content":"new')" = 80 ]
	[ "$(sqlite3 "$CTX_STORE" 'SELECT no FROM session')" = 2 ]
}

# of_two SID: creates a session in store one, archives it, and restores the archive in store two.
of_two() {
	CTX_STORE=one.db talk "$1" 3
	ctx-archive -q --store one.db -s "$1" --to place --cleanup >/dev/null
	ctx-archive -q --restore --store two.db "place/2026/01/$1.ndjson.gz" >/dev/null
}

@test 'a purge keeps an archive that another store wrote, and reports it' {
	of_two a
	ctx-show --store one.db -s a >before
	status 1 ctx-delete -q --store two.db -s a --purge --receipt >out 2>err
	tail -n 1 out | jq -e '.archives == 0 and .archives_left == 1 and .survivors > 0' >/dev/null
	grep -q "place/2026/01/a.ndjson.gz' was not removed, because this store did not write it for session 'a'" err
	[ -z "$(ctx-list --store two.db -a1)" ]
	ctx-show --store one.db -s a | diff before -
	# two stores that share only the directory and the session id
	CTX_STORE=three.db talk a 2
	status 1 ctx-archive --store three.db -s a --to place 2>err
	grep -q "the archive belongs to another store" err
	ctx-delete -q --store three.db -s a --purge --to place 2>err
	ctx-show --store one.db -s a | diff before -
	# the store's own archive is removed, and other stores that only refer to it do not prevent this
	ctx-delete -q --store one.db -s a --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 1 and .archives_left == 0 and .survivors == 0' >/dev/null
	[ -z "$(find place -type f)" ]
}

@test 'a purge in a copy of the store does not remove the archives of the original store' {
	talk a 3
	talk b 3
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	ctx-check -q --backup copy.db
	ctx-show -s a >before
	ctx-delete -q --store copy.db -s a --purge 2>err
	grep -q "not removed" err
	ctx-show -s a | diff before -
	ctx-archive -q --store copy.db --adopt place/2026/01/b.ndjson.gz
	ctx-delete -q --store copy.db -s b --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 1 and .survivors == 0' >/dev/null
	[ ! -e place/2026/01/b.ndjson.gz ]
}

@test 'a forged event in an archive cannot make a purge remove another session'\''s archive' {
	talk a 2
	talk b 2
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	sha=$(sha256sum <place/2026/01/b.ndjson.gz | cut -d' ' -f1)
	CTX_STORE=other.db talk c 1
	ctx-archive -q --store other.db -s c --snapshot --to forge >/dev/null
	zcat forge/2026/01/c.ndjson.gz | sed '$d' >forged
	echo "{\"kind\":\"event\",\"session_id\":\"c\",\"created_at\":\"2026-01-02T03:04:05Z\",\"event\":\"archive\",\"uri\":\"$PWD/place/2026/01/b.ndjson.gz\",\"sha256\":\"$sha\"}" >>forged
	{
		cat forged
		jq -sc --arg sha "$(sha256sum <forged | cut -d' ' -f1)" --argjson bytes "$(stat -c %s forged)" \
			'{kind: "archive", format: 1, session_id: "c", records: length,
			counts: (map(.kind | select(IN("session", "message", "event"))) | group_by(.) |
				map({key: .[0], value: length}) | from_entries), bytes: $bytes, sha256: $sha}' forged
	} | gzip >forged.gz
	ctx-archive -q --restore forged.gz >/dev/null
	ctx-delete -q -s c --purge >/dev/null 2>&1
	ctx-archive -q --verify --all
}

@test 'recorded archives that no longer exist are counted, and the exit status is 4' {
	talk a 2
	talk b 2
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	mv place moved
	status 4 ctx-delete -q -s a --purge --receipt >out 2>err
	tail -n 1 out | jq -e '.archives == 0 and .archives_missing == 1' >/dev/null
	grep -q "place/2026/01/a.ndjson.gz' of session 'a' does not exist" err
	# the directory is empty, and no receipt is requested
	mkdir place
	status 4 ctx-delete -q -s b --purge 2>err
	grep -q 'does not exist' err
}

@test 'a purge does not remove a different archive that has taken the place of the recorded one' {
	talk a 2
	ctx-archive -q -s a --to place --cleanup >/dev/null
	mv place real
	CTX_STORE=other.db talk a 3
	ctx-archive -q --store other.db -s a --to place --cleanup >/dev/null
	ctx-show --store other.db -s a >before
	status 4 ctx-delete -q -s a --purge --receipt >out 2>err
	tail -n 1 out | jq -e '.archives == 0 and .archives_left == 0 and .archives_missing == 1' >/dev/null
	grep -q "a.ndjson.gz' was not removed, because it is not the archive that the store recorded" err
	ctx-show --store other.db -s a | diff before -
	[ -f real/2026/01/a.ndjson.gz ]
}

@test 'an unreadable archive of one session does not prevent the purge of other sessions' {
	talk a 2
	talk b 2
	talk c 2
	ctx-archive -q -s a -s c --to place --cleanup >/dev/null
	mv place/2026/01/a.ndjson.gz keep
	mkdir place/2026/01/a.ndjson.gz
	status 4 ctx-delete -q -s a -s b -s c --purge --receipt >out 2>err
	tail -n 1 out | jq -e '.sessions == 3 and .archives == 1 and .archives_missing == 1' >/dev/null
	grep -q "place/2026/01/a.ndjson.gz' of session 'a' was not removed, because it cannot be read" err
	[ -z "$(ctx-list -a1)$(ctx-list -1 --status deleted)" ]
	[ ! -e place/2026/01/c.ndjson.gz ]
}

@test 'after an archive directory was moved and --relocate was run, a purge searches only the new directory' {
	talk a 2
	talk b 2
	ctx-archive -q -s a --to place --snapshot >/dev/null
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	mv place moved
	ctx-archive -q --relocate place moved >/dev/null
	ctx-delete -q -s a --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 1 and .archives_missing == 0 and .survivors == 0' >/dev/null
	[ ! -e moved/2026/01/a.ndjson.gz ]
	# after moving the directory back, for a restored session
	mv moved place
	ctx-archive -q --relocate moved place >/dev/null
	ctx-archive -q --restore -s b >/dev/null
	mv place moved
	ctx-archive -q --relocate place moved >/dev/null
	ctx-delete -q -s b --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 1 and .archives_missing == 0' >/dev/null
	[ -z "$(find moved -type f)" ]
	ctx-check -q
}

@test 'purge removes archives that a killed run wrote but did not record' {
	talk a 2
	ctx-archive -q -s a --snapshot --to place >/dev/null
	talk b 2
	talk c 2
	CTX_STORE=copy.db
	cp "$BATS_TEST_TMPDIR/ctx.db" copy.db
	[ ! -e "$BATS_TEST_TMPDIR/ctx.db-wal" ] || cp "$BATS_TEST_TMPDIR/ctx.db-wal" copy.db-wal
	sqlite3 copy.db "INSERT INTO archive_run VALUES ('$PWD/place')"
	ctx-archive -q --store "$BATS_TEST_TMPDIR/ctx.db" -s b -s c --snapshot --to place >/dev/null
	[ -f place/2026/01/b.ndjson.gz ]
	ctx-delete -q -s b --purge
	[ ! -e place/2026/01/b.ndjson.gz ]
	# the next archive run records the unrecorded archives
	talk d 1
	ctx-archive -q -s d --snapshot --to place >/dev/null
	[ "$(sqlite3 copy.db 'SELECT count(*) FROM archive_run')" = 0 ]
	ctx-delete -q -s c --purge
	[ ! -e place/2026/01/c.ndjson.gz ]
}

@test 'a purge removes archives of older versions, which do not name the store that wrote them' {
	talk a 3
	talk b 3
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	# changes the archive, its digest and the store to those of an older version
	for s in a b; do
		f=place/2026/01/$s.ndjson.gz old=$(sha256sum <place/2026/01/$s.ndjson.gz | cut -d' ' -f1)
		zcat $f | sed '$d; s/,"archive":{"store":"[^"]*"}//' >plain
		{
			cat plain
			zcat $f | tail -n 1 | jq -c --arg sha "$(sha256sum <plain | cut -d' ' -f1)" \
				--argjson bytes "$(stat -c %s plain)" '.sha256 = $sha | .bytes = $bytes'
		} | gzip -n >new.gz
		mv new.gz $f
		new=$(sha256sum <$f | cut -d' ' -f1)
		sqlite3 "$CTX_STORE" "UPDATE session SET archive = replace(archive, '$old', '$new')" \
			"UPDATE event SET record = replace(record, '$old', '$new')"
	done
	sqlite3 "$CTX_STORE" 'DELETE FROM identity; DELETE FROM archive_file; DELETE FROM archive_run'
	ctx-archive -q --verify --all
	ctx-check -q --backup copy.db
	ctx-delete -q --store copy.db -s a --purge 2>err
	grep -q "not removed" err
	ctx-archive -q --restore --store other.db place/2026/01/a.ndjson.gz >/dev/null
	ctx-delete -q --store other.db -s a --purge 2>err
	grep -q "not removed" err
	ctx-archive -q -s b --restore >/dev/null
	ctx-archive -q -s b --to place >/dev/null
	ctx-delete -q -s a -s b --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 2 and .survivors == 0' >/dev/null
	[ -z "$(find place -type f)" ]
}

@test 'a session that is twice in the input list is purged once' {
	for n in $(seq 1100); do
		echo '{"kind":"message","session_id":"d'$n'","message":{"role":"user","content":"farewell '$n'"}}'
	done | ctx-append --create -q
	ctx-list >listed
	cat listed listed | ctx-delete -q --purge --receipt >out
	[ "$(jq -r 'select(.action=="purge").session_id' out | sort | uniq -d)" = '' ]
	[ "$(jq 'select(.action=="receipt").sessions' out)" = 1100 ]
	ctx-append --create -q -s again -t 'farewell at last'
	ctx-delete --purge -s again -s again 2>err >out
	[ "$(wc -l <out)" = 1 ]
	! grep -q again err
}

@test 'a purge removes only the words of its session from the index' {
	for s in a b c; do
		printf '{"role":"user","content":"Where is the zebrafish%s of the harbour?"}\n' $s |
			ctx-append -s $s --create -q
	done
	ctx-search zebrafishb >/dev/null
	ctx-append -s c -q -t 'A quagga, perhaps.'
	ctx-search quagga >/dev/null
	for s in b c; do
		ctx-delete -q --purge -s $s >/dev/null
		sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (fulltext) VALUES ('integrity-check')"
	done
	cat "$CTX_STORE"-derived* >bytes
	! grep -qa -e zebrafishb -e fishc -e quagga bytes || false
	grep -qa zebrafisha bytes
	ctx-search harbour | jq -r 'select(.kind == "message").session_id' | same - a
	ctx-append -s d --create -q -t 'The zebrafish of the harbour'
	ctx-search harbour | jq -s 'map(select(.kind == "message")) | length' | same - 2
}

# Appends to many sessions in turn, so that SQLite splits pages and moves rows to other pages.
take_turns() {
	for round in {1..12}; do
		for s in {1..40}; do
			printf '{"kind":"message","session_id":"s%s","message":{"role":"user","content":"%s%s"}}\n' \
				$s "$(printf "mark-s$s-%.0s" $(seq $(((s * 7 + round * 5) % 23 * 6 + 1))))" "$round"
		done
	done >in
	split -n l/4 in part.
	for part in part.*; do
		ctx-append -q --create "$part"
	done
	ctx-search -q mark >/dev/null
}

@test 'rows that SQLite moved leave no copies in the file, so a purge need not search for them' {
	take_turns
	python3 "$ROOT/tests/tools/gaps.py" "$CTX_STORE" "$CTX_STORE-derived" | same /dev/null
	ctx-delete -q --purge -s s3 -s s4 -s s5 -s s17 -s s30 >out
	[ "$(jq -s 'map(.messages) | add' out)" = 60 ]
	cat "$CTX_STORE"* >bytes
	grep -qa mark-s1- bytes
	! grep -qaE 'mark-s(3|4|5|17|30)-' bytes || false
	python3 "$ROOT/tests/tools/gaps.py" "$CTX_STORE" "$CTX_STORE-derived" | same /dev/null
	ctx-check -q
	ctx-search s1 >/dev/null
	status 1 ctx-search s3
}

@test 'a purge overwrites copies of purged texts that another program left in unused parts of the file' {
	take_turns
	for round in 1 2; do
		# the other program leaves the store without a write-ahead log
		python3 "$ROOT/tests/tools/gaps.py" --fill "$(printf 'mark-s%s-%.0s' $round{,,,,,,,})" "$CTX_STORE"
		rm "$CTX_STORE-wal" "$CTX_STORE-shm"
		ctx-list >/dev/null
		ctx-delete -q --purge -s s$round >/dev/null
		! grep -qa mark-s$round- "$CTX_STORE" || false
	done
}

@test 'a purge removes words in all scripts from the index, for several sessions at once' {
	text='Running cafés, naïve CAFÉ, 漢字漢字 🚀 ΑΘΗΝΑ Straße e\u0301tude x_y 10.0.0.7 '
	text+=$(printf 'long%.0s' {1..40})
	for s in a b c; do
		printf '{"role":"user","content":"%s zebra%s"}\n' "$text" $s | ctx-append -s $s --create -q
	done
	ctx-search -q running >/dev/null
	for s in "-s b" "-s a -s c"; do
		ctx-delete -q --purge $s >/dev/null
		sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (fulltext) VALUES ('integrity-check');
			SELECT seq FROM mark WHERE kind = 'fulltext-cut'" | same - 1
		cat "$CTX_STORE"-derived* >bytes
		! grep -qa zebrab bytes || false
	done
	! grep -qa -e zebra -e longlong -e 10.0.0 bytes || false
	sqlite3 "$CTX_STORE-derived" 'SELECT count(*) FROM fulltext_docsize' | same - 0
}

@test 'a purge removes the words of messages, tool calls and results from the index, in every message format' {
	long=$(printf 'w%s ' {1..4000})
	cat >in <<-END
		{"role":"user","content":"\\u007aebra one\\nquagga\\tquoll\\/wombat \\ud83d\\ude80 tapir\\\\nnumbat"}
		{"role":"user","content":[{"type":"text","text":"okapi"},{"source":{"type":"base64","media_type":"image/png","data":"AAAA"},"type":"image"}]}
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":\\"narwhal\\"}"}}]}
		{"role":"tool","tool_call_id":"c1","content":"bongo $long"}
		{"role":"assistant","content":[{"type":"tool_use","id":"c2","name":"f","input":{"b":1}},{"type":"tool_use","id":"c3","name":"f","input":{}}]}
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":{"dodo":"kea\\nmoa"}},{"type":"tool_result","tool_use_id":"c3","content":[{"a":1},17]}]}
	END
	for s in a b; do
		ctx-append -s $s --create -q in
	done
	for word in zebra quagga quoll wombat tapir okapi bongo w3999 dodo 17; do
		ctx-search $word | jq -s 'map(select(.kind == "message")) | length' | same - 2
	done
	made=$(sqlite3 "$CTX_STORE-derived" "SELECT seq FROM mark WHERE kind = 'fulltext-made'")
	ctx-delete -q --purge -s a >/dev/null
	# the words were removed from the pages, without a rebuild of the index
	sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (fulltext) VALUES ('integrity-check');
		SELECT seq FROM mark WHERE kind IN ('fulltext-cut', 'fulltext-made') ORDER BY kind" |
		same - "1
$made"
	for word in zebra quagga quoll wombat tapir okapi bongo w3999 dodo 17; do
		ctx-search $word | jq -r 'select(.kind == "message").session_id' | same - b
	done
	ctx-delete -q --purge -s b >/dev/null
	cat "$CTX_STORE"-derived* >bytes
	! grep -qa -e zebra -e quagga -e bongo -e dodo bytes || false
}

@test 'without --receipt, a purge removes all texts of an archived session from the store even if the archive is damaged' {
	talk old 2
	talk new 2
	ctx-archive -q -s old --to place --cleanup >/dev/null
	echo damaged >"$(find place -name old.ndjson.gz)"
	status 4 ctx-delete -q --purge -s old 2>err
	! grep -q 'the search does not include' err || false
	[ -z "$(leaks 'secret of old')" ]
	leaks 'secret of new' >/dev/null
}

@test 'a purge also removes words that an older version only marked as deleted in the index' {
	for s in a b; do
		ctx-append -s $s --create -q -t "Where is the zebrafish$s of the harbour?"
	done
	ctx-search zebrafishb >/dev/null
	sqlite3 "$CTX_STORE-derived" "DELETE FROM mark WHERE kind = 'fulltext-cut';
		INSERT INTO fulltext (fulltext, rowid, text)
		VALUES ('delete', (1 << 32) + 1, 'where is the zebrafisha of the harbour')"
	ctx-delete -q --purge -s b >/dev/null
	cat "$CTX_STORE"-derived* >bytes
	! grep -qa -e zebrafishb -e fisha bytes || false
	sqlite3 "$CTX_STORE-derived" "SELECT seq FROM mark WHERE kind = 'fulltext-cut'" | same - 1
}

@test 'a purge leaves no empty archive directories' {
	CTX_NOW=2025-11-02T00:00:00Z talk old 2
	talk new 2
	talk kept 2
	ctx-archive -q -s old -s new -s kept --to place --cleanup >/dev/null
	[ -d place/2025/11 ] && [ -d place/2026/01 ]
	ctx-delete -q --purge -s old >/dev/null
	find place -type d -empty | same /dev/null
	[ ! -e place/2025 ] && [ -e place/2026/01/kept.ndjson.gz ]
	ctx-delete -q --purge -s new -s kept >/dev/null
	find place -mindepth 1 | same /dev/null
	[ -d place ] # which is the user's
}
