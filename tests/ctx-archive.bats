# Archives: no byte of a message is lost by archiving, cleaning up and restoring, whatever fails.
load helper

# talk SID N: appends N questions and N answers with unusual numbers, escapes and ids.
talk() {
	local i
	for i in $(seq "$2"); do
		printf '{"kind":"message","session_id":"%s","message":{"role":"user","n":1.%s0e+2,"big":12345678901234567890%s,"content":"question %s of %s \\u00e9 ☃","n":2}}\n' "$1" "$i" "$i" "$i" "$1"
		printf '{"kind":"message","session_id":"%s","id":"%s-%s","metadata":{"k":%s},"message":{"role":"assistant","content":"answer %s"}}\n' "$1" "$1" "$i" "$i" "$i"
	done | ctx-append -q --create
}

# Prints a session without the status and the events that archiving adds.
content() {
	ctx-show "$@" | sed -E 's/"status":"[a-z]*",//; s/,"archive":\{[^}]*\}//' |
		grep -vE '"event":"(archive|restore|cleanup|snapshot)"'
}

all_sessions() {
	ctx-list -a1 | sort
}

@test 'a session is archived under the year and month of its creation, and the archive is verified' {
	talk a 3
	ctx-list | ctx-archive --to place >out
	[ "$(jq -r '[.kind, .session_id, .action, .messages] | @csv' out)" = '"archive","a","archived",6' ]
	[ -f place/2026/01/a.ndjson.gz ]
	gzip -t place/2026/01/a.ndjson.gz
	[ "$(sha256sum <place/2026/01/a.ndjson.gz | cut -d' ' -f1)" = "$(jq -r .sha256 out)" ]
	[ "$(stat -c %s place/2026/01/a.ndjson.gz)" = "$(jq -r .bytes out)" ]
	# the last record contains the digest of all records before it
	zcat place/2026/01/a.ndjson.gz | sed '$d' | sha256sum | cut -d' ' -f1 >digest
	[ "$(zcat place/2026/01/a.ndjson.gz | tail -n 1 | jq -r .sha256)" = "$(cat digest)" ]
	[ "$(ctx-list --status archived | jq -r .archive.uri)" = "$PWD/place/2026/01/a.ndjson.gz" ]
}

@test 'the same session gives the same archive file from any store' {
	talk a 400
	for s in b c d e; do talk $s 30; done
	ctx-list | ctx-archive --jobs 3 --snapshot --to many >out
	[ "$(jq -r .session_id out | sort | paste -sd' ')" = 'a b c d e' ]
	ctx-archive --verify many/2026/01/*.gz
	[ "$(zcat many/2026/01/*.gz | grep -c '"kind":"message"')" = 1040 ]
	cp "$CTX_STORE" copy.db
	[ ! -e "$CTX_STORE-wal" ] || cp "$CTX_STORE-wal" copy.db-wal
	ctx-archive -s a --to two --jobs 3 >/dev/null
	ctx-archive --store copy.db -s a --to three >/dev/null
	cmp two/2026/01/a.ndjson.gz three/2026/01/a.ndjson.gz
}

@test 'a destination that looks like an unknown URI is refused' {
	ctx-new --id a >/dev/null
	ctx-append -q -s a -t x
	for dest in s3:/x s3//b/c s3: s3:bucket/x S3://b/c file:///tmp/x http://host/x gs://b/c a.b+c-1:/x; do
		for mode in '-s a' '-s a --cleanup' '-s a --snapshot' '-s a -n' '-s a --jobs 2' --list --cat; do
			status 2 ctx-archive $mode --to "$dest" >out 2>err
			[ ! -s out ]
			[ "$(wc -l <err)" = 1 ]
			grep -qF "'$dest' is neither a directory nor s3://BUCKET/PREFIX" err
		done
		for mode in -q --restore --verify --list; do
			CTX_ARCHIVE=$dest status 2 ctx-archive $mode -s a >out 2>err
			grep -qF 'is neither a directory nor s3://BUCKET/PREFIX' err
		done
		# a purge is refused if the archive location is invalid
		status 2 ctx-delete -s a --purge --receipt --to "$dest" >out 2>err
		grep -qF "'$dest' is neither a directory nor s3://BUCKET/PREFIX" err
		CTX_ARCHIVE=$dest status 2 ctx-delete -s a --purge >out 2>err
	done
	ls | paste -sd, | same - err,out
	ctx-list | jq -r .status | same - active
	for dest in ./s3: s3 b:c; do
		ctx-archive --snapshot -s a --to "$dest" >out
		[ -d "$dest" ]
	done
}

@test '--cleanup removes messages, reports the freed bytes, and the session stays listed' {
	talk a 2000
	size=$(stat -c %s "$CTX_STORE")
	ctx-archive -s a --to place --cleanup >out 2>err
	grep -qE '4000 messages removed, [1-9][0-9]* bytes freed' err
	[ "$(stat -c %s "$CTX_STORE")" -lt $((size / 2)) ]
	[ "$(ctx-list -1 --status archived)" = a ]
	[ "$(ctx-list --status archived | jq .message_count)" = 4000 ]
}

@test 'an archived session is read like an active one' {
	export TMPDIR=$PWD/tmp   # nobody else's
	mkdir tmp
	talk a 10
	content -s a >before
	ctx-window -s a -n 5 | grep '"kind":"message"' >window
	ctx-archive -q -s a --to place --cleanup >/dev/null
	content -s a | diff before -
	ctx-window -s a -n 5 | grep '"kind":"message"' | diff window -
	[ -z "$(ls tmp)" ]
}

@test 'restore brings back every byte and number' {
	talk a 20
	ctx-append -q -s a --pin -t 'never forget'
	ctx-prune -s a --apply -b 200 >/dev/null
	[ "$(ctx-list | jq .hidden_count)" -gt 0 ]
	printf '{"kind":"request","session_id":"a","request_id":"r1","for_seq":3,"created_at":"2026-01-02T00:00:00.000Z","provider":"openai","messages":[],"dropped":[],"tokens":{}}' >req
	echo '{"choices":[{"message":{"role":"assistant","content":"ok"}}]}' | ctx-append -q --request req
	content -s a >before
	ctx-window -s a | grep '"kind":"message"' >window
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-archive -s a --restore >out
	[ "$(jq -r .action out)" = restored ]
	content -s a | diff before -
	ctx-window -s a | grep '"kind":"message"' | diff window -
	[ "$(ctx-list -1)" = a ]
	[ "$(ctx-show -s a | jq -r 'select(.kind == "event") | .event' | tail -n 2 | paste -sd' ')" = 'archive restore' ]
	ctx-check -q
	# restore into a new store
	ctx-archive -q --restore --store new.db place/2026/01/a.ndjson.gz >/dev/null
	content --store new.db -s a | diff before -
	ctx-check -q --store new.db
	[ "$(stat -c %a new.db)" = 600 ]
	# the next message gets the next number
	[ "$(ctx-append --store new.db -s a -t more | jq .seq)" = 43 ]
	ctx-prune --store new.db -s a --undo >/dev/null
}

@test 'appending to an archived session prints a hint, and --resume restores the session first' {
	talk a 2
	ctx-archive -q -s a --to place --cleanup >/dev/null
	status 1 ctx-append -s a -t more 2>err
	grep -q -- --resume err
	[ "$(ctx-append -s a -t more --resume | jq .seq)" = 5 ]
	[ "$(ctx-list -1)" = a ]
}

@test '--resume also works if another process restores the session first' {
	talk a 2
	ctx-archive -q -s a --to place --cleanup >/dev/null
	mkdir bin
	cp "$(command -v ctx-append)" bin
	printf '#!/bin/sh\n"%s" "$@" && exec "%s" "$@"\n' "$(command -v ctx-archive)"{,} >bin/ctx-archive
	chmod +x bin/ctx-archive
	bin/ctx-append -s a -t more --resume 2>err | jq .seq | same - 5
	[ ! -s err ]
	# a failed restore is an error
	ctx-archive -q -s a --to place --cleanup >/dev/null
	rm place/*/*/a.ndjson.gz
	status 1 ctx-append -s a -t more --resume 2>err
	grep -q '^ctx-archive: .*a.ndjson.gz' err
}

@test 'ctx-append --create --resume restores an archived session even if the input has no messages for it' {
	talk a 2
	ctx-archive -q -s a --to place --cleanup >/dev/null
	echo '{"kind":"session","session_id":"a"}' | ctx-append --create --resume
	[ "$(ctx-list -1)" = a ]
	ctx-append -s a -t more | jq -e '.seq == 5' >/dev/null
}

@test '--resume does not restore a session whose record is rejected' {
	for s in a b; do talk $s 2; done
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	line() { printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"more"}}\n' "$1"; }
	bad='{"kind":"session","session_id":"a","user_id":5}'
	{ echo "$bad"; line a; line b; } | status 3 ctx-append --create --resume --keep-going >out 2>err
	[ "$(jq -r .session_id out)" = b ]
	ctx-show -s a | head -1 | jq -e '.status == "archived"'
	# a valid record after the rejected one restores the session
	{ echo "$bad"; echo '{"kind":"session","session_id":"a"}'; line a; } |
		status 3 ctx-append --create --resume --keep-going >out 2>err
	ctx-show -s a | head -1 | jq -e '.status == "active"'
}

@test '--resume restores sessions named by option, by record or by environment' {
	for s in a b c d; do talk $s 2; done
	ctx-archive -q -s a -s b -s c -s d --to place --cleanup >/dev/null
	line() { printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"more of %s"}}\n' "$1" "$1"; }
	status 1 ctx-append -q < <(line a) 2>err
	grep -q -- --resume err
	{ line a; line a; line b; line a; } | ctx-append --resume >out
	[ "$(jq -r '.session_id + "/" + (.seq|tostring)' out | paste -sd' ')" = 'a/5 a/6 b/5 a/7' ]
	{ line c; line a; } | ctx-append --resume --atomic >out
	[ "$(jq -r '.session_id + "/" + (.seq|tostring)' out | paste -sd' ')" = 'c/5 a/8' ]
	line d >file
	mv place/2026/01/d.ndjson.gz aside
	status 3 ctx-append --resume --keep-going --rejects rejected <(line a) file >out 2>err
	[ "$(jq -r .session_id out)" = a ]
	cmp file rejected
	status 1 ctx-append --resume --atomic <(line a) file >out 2>/dev/null
	[ ! -s out ]
	mv aside place/2026/01/d.ndjson.gz
	ctx-append --resume --atomic <(line a) file >out
	[ "$(jq -r '.session_id + "/" + (.seq|tostring)' out | paste -sd' ')" = 'a/10 d/5' ]
	ctx-archive -q -s d --to place --cleanup >/dev/null
	{ printf '{"kind":"message","session_id":"d","id":"d-1","metadata":{"k":1},"message":{"role":"assistant","content":"answer 1"}}\n'; } |
		ctx-append --resume | jq -e '.seq == 2' >/dev/null
	ctx-check -q
}

@test '--forget removes an archived session from the search index, but only if its archive is intact' {
	talk a 3
	n=$(ctx-show -s a | grep -c '"kind":"message"')
	ctx-archive -q -s a --to place --cleanup >/dev/null
	mv place away
	status 1 ctx-archive -q -s a --to place --cleanup --forget 2>err
	grep -q 'does not exist' err
	rm -rf place
	mv away place
	[ "$(sqlite3 "$CTX_STORE-derived" 'SELECT count(*) FROM fulltext_kept')" = "$n" ]
	ctx-archive -s a --to place --cleanup --forget >out
	[ "$(jq -c '[.action, .messages, .cleaned]' out)" = '["cleaned",'"$n"',true]' ]
	[ "$(sqlite3 "$CTX_STORE-derived" 'SELECT count(*) FROM fulltext_kept')" = 0 ]
	[ "$(ctx-list --status archived | jq .archive.forgotten)" = true ]
	[ "$(ctx-show -s a | grep -c '"kind":"message"')" = "$n" ]
	ctx-check -q
	ctx-archive -s a --to place --cleanup --forget 2>err | wc -l | same - 0
	grep -q 'already archived' err
}

@test 'snapshots of an unchanged session are identical in every directory, and a repeated snapshot adds no event' {
	talk a 3
	ctx-archive -s a --snapshot --to one | jq -r .sha256 >first
	ctx-show -s a >before
	for to in one two one; do
		CTX_NOW=2026-02-03T04:05:06Z ctx-archive -s a --snapshot --to $to | jq -r .sha256 | same first
	done
	ctx-archive -s a --snapshot --jobs 2 --to two | jq -r .sha256 | same first
	ctx-show -s a | grep -v '"uri":"[^"]*/two/' | diff before -
	ctx-show -s a | grep -c '"event":"snapshot"' | same - 2
	ctx-append -q -s a -t more
	ctx-archive -q -s a --snapshot --to one >/dev/null
	ctx-show -s a | grep -c '"event":"snapshot"' | same - 3
	# the archive contains the snapshot events, so a purge in any store finds the snapshots
	ctx-archive -q -s a --to place --cleanup >/dev/null
	zcat place/2026/01/a.ndjson.gz | grep -c '"event":"snapshot"' | same - 3
}

@test 'messages that were hidden in separate steps can be unhidden in the same steps after archiving and restoring' {
	talk a 20
	for budget in 150 120; do
		ctx-archive -q -s a --snapshot --to place >/dev/null
		ctx-prune -s a --apply -b $budget >/dev/null
	done
	ctx-archive -q -s a --snapshot --to other >/dev/null
	ctx-archive -q --restore --as b other/*/*/a.ndjson.gz >/dev/null
	for s in a b; do
		ctx-prune -s $s --apply -b 90 >/dev/null
		for i in 1 2 3; do
			ctx-prune -s $s --undo | jq .messages
		done >undone-$s
	done
	wc -l <undone-a | same - 3
	diff undone-a undone-b
	# each hidden range names the event that hid it
	zcat other/*/*/a.ndjson.gz | jq -s -c '([.[] | select(.kind == "event")] | map(.hidden)) as $by
		| .[] | select(.kind == "hidden")
		| [$by[.event - 1][] | .first_seq] == [.first_seq]' | sort -u | same - true
}

@test 'a session that changed while it was archived is skipped' {
	talk a 2
	talk b 2
	ctx-list >listed
	ctx-append -q -s a -t late
	status 1 ctx-archive --to place --cleanup <listed >out 2>err
	[ "$(jq -r .session_id out)" = b ]
	grep -q "'a' changed since" err
	[ "$(ctx-list -1)" = a ]
	[ ! -e place/2026/01/a.ndjson.gz ]
}

@test 'restore does not overwrite newer messages' {
	talk a 3
	ctx-archive -q -s a --snapshot --to place >/dev/null
	sqlite3 "$CTX_STORE" "VACUUM INTO 'old.db'"
	ctx-append -q -s a -t newer
	content -s a >before
	status 1 ctx-archive --restore place/2026/01/a.ndjson.gz 2>err
	grep -q newer err
	content -s a | diff before -
	# an archive with more messages than the session is not overwritten
	ctx-archive -q -s a --to place >/dev/null
	cp place/2026/01/a.ndjson.gz kept
	status 1 ctx-archive --store old.db -s a --to place 2>err
	grep -q 'contains messages that the session does not have' err
	cmp kept place/2026/01/a.ndjson.gz
}

@test 'restore adds the new messages of a session that grew in another store, and skips a different session with the same id' {
	talk a 2
	ctx-archive -q -s a --snapshot --to one >/dev/null
	ctx-archive -q --restore --store there.db one/2026/01/a.ndjson.gz >/dev/null
	talk a 2 2>/dev/null || ctx-append -q -s a -t more
	ctx-append -q -s a -t 'and more'
	ctx-archive -q -s a --snapshot --to two >/dev/null
	ctx-archive -q --restore --store there.db two/2026/01/a.ndjson.gz >/dev/null
	content -s a | grep '"kind":"message"' >here
	content --store there.db -s a | grep '"kind":"message"' | diff here -
	ctx-new --store other.db --id a >/dev/null
	ctx-append -q --store other.db -s a -t 'something else'
	status 1 ctx-archive --restore --store other.db two/2026/01/a.ndjson.gz 2>err
	grep -q 'differs between store and archive' err
	[ "$(ctx-show --store other.db -s a | jq -r 'select(.seq == 1).message.content')" = 'something else' ]
	[ "$(ctx-list --store other.db -1)" = a ]
}

@test '--as restores under another id, also in the same store' {
	talk a 3
	ctx-archive -q -s a --snapshot --to place >/dev/null
	ctx-archive -q --restore --as b place/2026/01/a.ndjson.gz >/dev/null
	ctx-show -s a | jq -c 'select(.kind == "message").message' >a
	ctx-show -s b | jq -c 'select(.kind == "message").message' | diff a -
	[ "$(ctx-show -s b | jq -r .session_id | sort -u)" = b ]
	ctx-check -q
	status 1 ctx-archive --restore --as b place/2026/01/a.ndjson.gz
}

@test 'every kind of damage is found, and damaged data is not restored' {
	talk a 40
	ctx-archive -q -s a --to place --cleanup >/dev/null
	f=place/2026/01/a.ndjson.gz
	cp $f whole
	size=$(stat -c %s $f)
	for at in 0 3 9 10 100 $((size / 2)) $((size - 9)) $((size - 1)); do
		cp whole $f
		byte=$(dd if=whole bs=1 skip="$at" count=1 2>/dev/null | od -An -tu1)
		# shellcheck disable=SC2059
		printf "\\$(printf %03o $((byte ^ 16)))" | dd of=$f bs=1 seek="$at" conv=notrunc 2>/dev/null
		status 1 ctx-archive -q --verify -s a >out 2>/dev/null
		[ "$(jq -r .action out)" = damaged ] || { echo "flip at $at"; false; }
		status 1 ctx-archive --restore -s a 2>/dev/null
		status 1 ctx-window -s a 2>/dev/null
	done
	for size in 0 1 17 $((size / 2)) $((size - 1)); do
		head -c "$size" whole >$f
		status 1 ctx-archive -q --verify -s a >out 2>/dev/null
		[ "$(jq -r .action out)" = damaged ]
		status 1 ctx-archive --restore --store new.db $f 2>/dev/null
		[ -z "$(ctx-list --store new.db -a1)" ]
	done
	rm $f
	status 1 ctx-archive -q --verify --all >out 2>/dev/null
	[ "$(jq -r .action out)" = missing ]
	status 1 ctx-check -q >out 2>/dev/null
	grep -q '"check":"archive"' out
	cp whole $f
	ctx-archive -q --verify --sample 1
	ctx-archive -q --restore -s a >/dev/null
	ctx-check -q
}

@test 'a session id cannot lead out of the archive directory' {
	for id in ../../evil .. /etc/evil '..%2F' .hidden 'a b' 'é' "$(printf 'x%.0s' {1..128})"; do
		ctx-new --id "$id" >/dev/null
		ctx-append -q -s "$id" -t "text of $id"
	done
	mkdir -p deep/er
	ctx-list | ctx-archive -q --to deep/er/place --cleanup >/dev/null
	[ "$(find . -name '*.gz' | wc -l)" = "$(find deep/er/place/2026/01 -type f -name '*.gz' | wc -l)" ]
	[ "$(find deep/er/place -type f | wc -l)" = 8 ]
	ctx-archive -q --verify --all
	ctx-list -a | ctx-archive -q --restore >/dev/null
	[ "$(ctx-show -s ../../evil | jq -r 'select(.seq == 1).message.content')" = 'text of ../../evil' ]
	# a link in place of a directory is not followed
	mkdir elsewhere trap trap/2026
	ln -s "$PWD/elsewhere" trap/2026/01
	status 4 ctx-archive -s .. --to trap 2>/dev/null
	[ -z "$(ls elsewhere)" ]
	[ "$(ctx-list -a | jq -r 'select(.session_id == "..").status')" = active ]
}

@test 'a dry run changes nothing' {
	talk a 2
	content -s a >before
	ctx-archive -s a --to place --cleanup -n >out
	[ "$(jq -c '[.action, .dry_run]' out)" = '["archived",true]' ]
	[ ! -e place ]
	content -s a | diff before -
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-archive -q -s a --restore -n >/dev/null
	[ "$(ctx-list -1 --status archived)" = a ]
	ctx-archive --remove -n place/2026/01/a.ndjson.gz >/dev/null
	[ -f place/2026/01/a.ndjson.gz ]
}

@test 'a dry run of a restore does not create a missing store' {
	talk a 2
	talk b 1
	ctx-archive -q --to place -s a >/dev/null
	ctx-archive -q --to place -s b >/dev/null
	set -- place/2026/01/a.ndjson.gz place/2026/01/b.ndjson.gz
	mkdir scratch
	TMPDIR=$PWD/scratch ctx-archive --restore -n -S new/er.db "$@" >dry 2>err
	[ ! -s err ]
	[ "$(jq -c '[.session_id, .action, .dry_run]' dry | tr -d '\n')" = \
		'["a","restored",true]["b","restored",true]' ]
	[ ! -e new ] && [ -z "$(ls -A scratch)" ]
	# the dry run prints the same records as the real run
	ctx-archive --restore -S new/er.db "$@" >out
	jq -c 'del(.dry_run)' dry | same out
	# a missing archive
	TMPDIR=$PWD/scratch status 1 ctx-archive --restore -n -S new/2.db place/none.gz 2>err
	grep -q 'place/none.gz: archive not found (use -s SID to name a session)' err
	[ ! -e new/2.db ] && [ -z "$(ls -A scratch)" ]
	status 5 ctx-archive --restore -n -S new/2.db -s a 2>err
}

@test 'a full disk leaves the session unchanged' {
	talk a 300
	content -s a >before
	run -4 bash -c 'ulimit -f 1; trap "" XFSZ; ctx-archive -s a --to place --cleanup'
	content -s a | diff before -
	[ "$(ctx-list -1)" = a ]
	[ -z "$(find place -name '*.gz')" ]
}

@test 'two runs at the same time archive each session once and completely' {
	for s in a b c d e f; do talk $s 60; done
	for s in $(all_sessions); do content -s "$s" >"$s.before"; done
	ctx-list >listed
	for i in 1 2 3; do
		ctx-archive -q --to place --cleanup <listed >out.$i 2>err.$i || echo $? >rc.$i &
	done
	wait
	# other runs at the same time skipped the sessions or found nothing to do
	for i in 1 2 3; do [ ! -e rc.$i ] || grep -qxE '1|75' rc.$i; done
	[ "$(jq -r .session_id out.1 out.2 out.3 | sort | paste -sd' ')" = 'a b c d e f' ]
	ctx-archive -q --verify --all
	for s in $(all_sessions); do content -s "$s" | diff "$s.before" -; done
	ctx-check -q
}

# After each kill, every session is complete, in the store or in its archive.
@test 'killing an archive or restore run at any moment loses no message, and the next run finishes the work' {
	for s in a b c d; do talk $s 150; done
	for s in $(all_sessions); do content -s "$s" >"$s.before"; done
	finished=0 killed=0
	took=$(date +%s%N)
	ctx-list | ctx-archive -q --to elsewhere --cleanup >/dev/null
	took=$(($(date +%s%N) - took))
	ctx-list -a | ctx-archive -q --restore >/dev/null
	for round in $(seq 25); do
		case $((round % 3)) in
		0) ctx-list -a | ctx-archive -q --restore >/dev/null 2>&1 & ;;
		*) ctx-list | ctx-archive -q --to place --cleanup >/dev/null 2>&1 & ;;
		esac
		# a random moment during the run or shortly after it
		perl -e 'select undef, undef, undef, rand(shift) * 1.2 / 1e9' "$took"
		kill -9 $! 2>/dev/null || true
		wait $! 2>/dev/null && finished=$((finished + 1)) || killed=$((killed + 1))
		[ "$(all_sessions | paste -sd' ')" = 'a b c d' ]
		for s in a b c d; do
			content -s $s | diff $s.before - || { echo "round $round, session $s"; false; }
		done
	done
	echo "$killed killed, $finished not"
	[ $killed -gt 0 ]
	ctx-check -q
	ctx-list | ctx-archive -q --to place --cleanup >/dev/null
	[ "$(ctx-list -1 --status archived | sort | paste -sd' ')" = 'a b c d' ]
	ctx-list -a | ctx-archive -q --restore >/dev/null
	for s in a b c d; do content -s $s | diff $s.before -; done
	ctx-check -q
}

@test 'a large session is restored in batches, and a killed restore can be repeated' {
	seq 30000 | sed 's/.*/{"kind":"message","session_id":"a","message":{"role":"user","content":"message number & of a long session, long enough to need several transactions on its way back"}}/' |
		ctx-append -q --create
	content -s a | sha256sum >before
	ctx-archive -q -s a --to place --cleanup --jobs 2 >/dev/null
	for _ in 1 2 3 4; do
		ctx-archive -q -s a --restore >/dev/null 2>&1 &
		perl -e 'select undef, undef, undef, rand 0.4'
		kill -9 $! 2>/dev/null || true
		wait || true
		content -s a | sha256sum | diff before -
	done
	[ "$(ctx-list -1)" = a ] || ctx-archive -q -s a --restore >/dev/null
	content -s a | sha256sum | diff before -
	ctx-check -q
}

@test 'memory does not grow with the size of the session' {
	! sanitized || skip 'address space is not memory here'
	seq 60000 | sed 's/.*/{"kind":"message","session_id":"a","message":{"role":"user","content":"message number & of a long session, with a text that is neither short nor long, so that there are some megabytes of it: 0123456789012345678901234567890123456789012345678901234567890123456789"}}/' |
		ctx-append -q --create
	limit() { (ulimit -v 200000; "$@"); }
	limit ctx-archive -q -s a --to place --cleanup >/dev/null
	limit ctx-archive -q --verify -s a
	limit ctx-archive -q -s a --restore >/dev/null
	[ "$(ctx-list | jq .message_count)" = 60000 ]
}

@test '--list, --cat and --remove work on archives in a directory' {
	talk a 1
	talk b 1
	ctx-archive -q -s a -s b --to place >/dev/null
	[ "$(ctx-archive --list | jq -r .session_id | paste -sd' ')" = 'a b' ]
	[ "$(ctx-archive --list --to place | jq -r '.uri | split("/") | last' | paste -sd' ')" = 'a.ndjson.gz b.ndjson.gz' ]
	[ "$(ctx-archive --cat place/2026/01/a.ndjson.gz | jq -r .kind | paste -sd' ')" = 'session message message' ]
	ctx-archive --remove place/2026/01/b.ndjson.gz >/dev/null
	[ "$(ctx-archive --list --to place | wc -l)" = 1 ]
	touch stranger
	status 3 ctx-archive --remove stranger
	[ -e stranger ]
}

@test 'a session on hold is archived but not cleaned up' {
	talk a 1
	ctx-delete -s a --hold 'lawsuit' >/dev/null
	status 1 ctx-archive -s a --to place --cleanup 2>err
	grep -q lawsuit err
	[ "$(ctx-list -1)" = a ]
	ctx-archive -q -s a --to place >/dev/null
	[ "$(ctx-list --status archived | jq -r .hold)" = lawsuit ]
}

@test '--cleanup can be run after the archive was written, and verifies the archive first' {
	talk a 5
	content -s a >before
	ctx-archive -q -s a --to place >/dev/null
	cp place/2026/01/a.ndjson.gz whole
	printf X | dd of=place/2026/01/a.ndjson.gz bs=1 seek=50 conv=notrunc 2>/dev/null
	status 1 ctx-archive -s a --to place --cleanup 2>/dev/null
	content -s a | diff before -
	cp whole place/2026/01/a.ndjson.gz
	[ "$(ctx-archive -q -s a --to place --cleanup | jq -r .action)" = cleaned ]
	content -s a | diff before -
	rm place/2026/01/a.ndjson.gz
	status 1 ctx-show -s a >/dev/null 2>&1
}

@test 'an archive of another store is not overwritten' {
	talk a 3
	CTX_STORE=other.db talk a 2
	ctx-append -q --store other.db -s a -t 'more here'
	ctx-append -q --store other.db -s a -t 'and here'
	ctx-archive -q -s a --to place --cleanup >/dev/null
	content -s a >before
	status 1 ctx-archive --store other.db -s a --to place --cleanup 2>err
	grep -qE 'another|messages that the session does not have' err
	content -s a | diff before -
	[ "$(ctx-list --store other.db -1)" = a ]
	# an earlier archive of the same session is overwritten
	ctx-archive -q --restore -s a >/dev/null
	ctx-append -q -s a -t more
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-archive -q --verify --all
}

@test 'temporary files of killed runs are removed unless a process holds them' {
	talk a 1
	mkdir -p place/2026/01
	cd place/2026/01
	touch -d '2 days ago' .ctx-tmp-old
	touch .ctx-tmp-new .ctx-tmp-held
	cd -
	exec 7>>place/2026/01/.ctx-tmp-held
	flock -n 7
	ctx-archive -s a --to place 2>err >/dev/null
	grep -q 'removed 2 temporary files of ctx-archive processes that were killed' err
	[ "$(cd place/2026/01 && echo .ctx*)" = .ctx-tmp-held ]
	exec 7>&-
	talk b 1
	ctx-archive -q -s b --to place >/dev/null
	[ "$(cd place/2026/01 && echo .ctx*)" = '.ctx*' ]
}

# forge: prints an archive of the records on standard input, with a correct last record.
forge() {
	local n sha
	cat >forged
	n=$(wc -l <forged) sha=$(sha256sum <forged | cut -d' ' -f1)
	{
		cat forged
		jq -sc --arg sha "$sha" --argjson bytes "$(stat -c %s forged)" --argjson n "$n" \
			'{kind: "archive", format: 1, session_id: "a", records: $n,
			counts: (map(.kind | select(IN("session", "message", "request", "event", "item"))) |
				group_by(.) | map({key: .[0], value: length}) | from_entries),
			bytes: $bytes, sha256: $sha}' forged
	} | gzip
}

@test 'restore computes token and call counts from the messages, not from the counts in the archive' {
	talk a 3
	ctx-archive -q -s a --snapshot --to place >/dev/null
	zcat place/2026/01/a.ndjson.gz | sed '$d' >records
	forge <records >same.gz
	ctx-archive -q --restore --store same.db same.gz >/dev/null
	sed 's/"token_count":[0-9]*/"token_count":1/; s/"tool_call_count":[0-9]*/"tool_call_count":9/' records |
		forge >forged.gz
	ctx-archive -q --restore --store new.db forged.gz >/dev/null
	ctx-check -q --store new.db
	[ "$(ctx-list --store new.db | jq .token_count)" = 6 ]
	sed 's/"updated_at":"[^"]*",//' records | forge >forged2.gz
	ctx-archive -q --restore --store new2.db forged2.gz >/dev/null
	# restore into a session that already has some of the messages
	ctx-new --store old.db --id a >/dev/null
	grep -m 2 '"kind":"message"' records | ctx-append -q --store old.db
	ctx-archive -q --restore --store old.db forged.gz >/dev/null
	ctx-check -q --store old.db
}

@test 'a count or a time to live that is too large is refused' {
	local big=9223372036854775807
	talk a 3
	ctx-archive -q -s a --snapshot --to place >/dev/null
	zcat place/2026/01/a.ndjson.gz | sed '$d' >records
	sed "s/\"token_count\":[0-9]*,\"tok/\"token_count\":$big,\"tok/" records | forge >tokens.gz
	sed "s/\"last_seq\"/\"ttl_ms\":$big,&/" records | forge >ttl.gz
	for f in tokens ttl; do
		status 1 ctx-archive -q --restore --store $f.db $f.gz >out 2>err
		grep -q "token_count must\|ttl_ms has" err
	done
	echo "{\"kind\":\"session\",\"session_id\":\"b\",\"ttl_ms\":$big}" | status 3 ctx-append --create 2>err
	zcat tokens.gz | status 3 ctx-prune -b 100 >/dev/null 2>&1
}

@test '--verify and --restore accept and reject the same archives, and ctx-check finds no error in what they restore' {
	talk a 3
	ctx-archive -q -s a --snapshot --to place >/dev/null
	zcat place/2026/01/a.ndjson.gz | sed '$d' >records
	last=$(grep -o '"last_seq":[0-9]*' records | head -1 | grep -o '[0-9]*$')
	forge <records >good.gz
	sed "s/\"seq\":$last,/\"seq\":2147483647,/; s/\"last_seq\":$last/\"last_seq\":2147483647/" records | forge >far.gz
	grep -v '"seq":2,' records | forge >gap.gz
	sed "s/\"seq\":$last,/\"seq\":2,/" records | forge >twice.gz
	{ sed -n 1p records; grep '"kind":"message"' records | tac; } | forge >down.gz
	sed '1!s/"role":"user"/"role":"weird"/' records | forge >role.gz
	sed "s/\"message_count\":$last/\"message_count\":9/" records | forge >count.gz
	sed '1!s/"created_at"/"created"/' records | forge >time.gz
	sed 1d records | forge >headless.gz
	{ cat records; echo '{"kind":"request","session_id":"a","for_seq":1}'; } | forge >request.gz
	{ cat records; echo '{"kind":"hidden","first_seq":1,"last_seq":99}'; } | forge >hidden.gz
	{ cat records; echo '{"kind":"item","type":"rule","name":"a\u0000b","include_mode":"always"}'; } | forge >item.gz
	ctx-archive -q --verify good.gz
	ctx-archive -q --restore --store good.db good.gz >/dev/null
	ctx-check -q --store good.db
	for f in far gap twice down role count time headless request hidden item; do
		status 1 ctx-archive --verify $f.gz >verified 2>err
		status 1 ctx-archive -q --restore --store $f.db $f.gz >restored 2>err
		jq -r .reason verified | grep '^damaged: ' >reason
		grep -qFf reason err
		[ ! -e $f.db ] || [ -z "$(ctx-list --store $f.db)" ]
	done
}

@test 'a session that is purged during its restore stays purged' {
	seq 60000 | sed 's/.*/{"kind":"message","session_id":"a","message":{"role":"user","content":"secret number & of a long session, long enough to need several transactions on its way back"}}/' |
		ctx-append -q --create
	ctx-archive -q -s a --to place --cleanup --forget >/dev/null
	cp place/2026/01/a.ndjson.gz copy.gz
	for wait in .05 .1 .15 .2 .3 .4; do
		rc=0
		ctx-archive -q --restore copy.gz >out 2>err &
		perl -e "select undef, undef, undef, $wait"
		# the purge waits for the current batch; then a new session gets the internal number of the purged one
		ctx-delete -q -s a --purge >/dev/null 2>&1 || true
		ctx-new --id "n$wait" >/dev/null
		wait $! || rc=$?
		ctx-check -q --no-archives
		[ "$(ctx-list -a | jq -r 'select(.session_id | startswith("n")) | .message_count' | sort -u)" = 0 ]
		if [ $rc = 0 ]; then [ "$(ctx-list -a | jq -r 'select(.session_id == "a").message_count')" = 60000 ] || [ -z "$(ctx-list -a1 | grep -x a)" ]; fi
	done
}

@test 'ctx-archive --to is refused together with operands or options that name archives' {
	talk a 1 >/dev/null
	ctx-archive -q -s a --to place >/dev/null
	for o in '--verify --all' '--verify place/2026/01/a.ndjson.gz' '--restore place/2026/01/a.ndjson.gz' '--restore --as b' '--remove place/2026/01/a.ndjson.gz' '--relocate x y' '--adopt x'; do
		# shellcheck disable=SC2086
		status 2 ctx-archive $o --to place </dev/null >out 2>err
		grep -q -- '--to' err
	done
	CTX_ARCHIVE=$PWD/place ctx-archive -q --verify --all
}

@test 'a session that was not cleaned up can be restored without its archive' {
	talk a 3
	content -s a >before
	ctx-archive -q -s a --to place
	rm -r place
	status 1 ctx-append -q -s a -t x 2>err
	ctx-archive --restore -n -s a | jq -r .action | same - restored
	[ "$(ctx-list -1 --status archived)" = a ]
	ctx-archive --restore -s a >out
	[ "$(jq -r '[.session_id, .action] | @csv' out)" = '"a","restored"' ]
	[ "$(ctx-list -1 --status active)" = a ]
	content -s a | same before
	ctx-append -q -s a -t x
	ctx-archive -q -s a --to place
	rm -r place
	ctx-append -q --resume -s a -t y
	[ "$(ctx-list | jq .message_count)" = 8 ]
	ctx-check -q
}

# large SID: creates a session that is restored in several batches.
large() {
	for i in $(seq 120); do printf '{"role":"user","content":"%s %0100000d"}\n' "$i" 0; done | ctx-append -q --create -s "$1"
}

@test 'messages appended during the restore of a large archive are kept' {
	large a
	ctx-archive -q -s a --snapshot --to place >/dev/null
	mv place/*/*/a.ndjson.gz copy.gz
	for try in 1 2 3; do
		: >said
		ctx-archive -q --restore copy.gz >out 2>err &
		restore=$!
		while kill -0 $restore 2>/dev/null; do
			ctx-append -s a -t "in between" >>said 2>err2 || grep -q 'is archived' err2
		done
		wait $restore || grep -q -e 'changed while it was restored: skipped' -e 'has newer messages' err
		ctx-archive -q --restore -s a >/dev/null 2>&1 || true
		ctx-show -s a | jq -c 'select(.kind == "message").seq' >seqs
		jq .seq said | sort - seqs | uniq -d | wc -l | same - "$(wc -l <said)"
		ctx-append -q -s a -t more
		ctx-check -q --no-archives
	done
}

@test 'two processes that resume a session at once both succeed' {
	large a
	for try in 1 2 3; do
		ctx-archive -q -s a --cleanup --to place >/dev/null
		ctx-append -q --resume -s a -t "one $try" &
		ctx-append -q --resume -s a -t "two $try"
		wait $!
	done
	[ "$(ctx-show -s a | grep -c '"content":"one\|"content":"two')" = 6 ]
	ctx-check -q
}

@test 'two stores that archive sessions of the same name at once both keep their archives' {
	for i in 1 2 3 4 5 6 7 8; do
		for store in one two; do
			seq 40 | sed "s/.*/{\"role\":\"user\",\"content\":\"of $store &\"}/" | ctx-append -q --create -S $store.db -s "daily$i"
		done
		ctx-archive -q --cleanup -S one.db -s "daily$i" --to place >/dev/null 2>err1 &
		ctx-archive -q --cleanup -S two.db -s "daily$i" --to place >/dev/null 2>err2 || true
		wait $! || true
		for store in one two; do
			[ "$(ctx-show -S $store.db -s "daily$i" | grep -c "\"of $store")" = 40 ]
		done
		cat err1 err2 | grep -q 'skipped'
	done
}

@test 'archives are listed, verified and restored from a directory without a store' {
	talk a 2
	ctx-new --id 'b/ä' --tenant t >/dev/null
	id=$(printf 'long%0220d' 1)
	ctx-new --id "${id:0:128}" --tenant "$(printf 'tenant%0100d' 1)" >/dev/null
	ctx-append -q -s a -t more
	ctx-list | ctx-archive --to place --cleanup >/dev/null
	ctx-show -s a | grep '"kind":"message"' >before
	store_remove
	ctx-archive --list --to place | jq -r '[.session_id, .tenant_id // "-"] | join(" ")' | sort >listed
	printf '%s\n' 'a -' 'b/ä t' "${id:0:128} $(printf 'tenant%0100d' 1)" | sort | diff - listed
	ctx-archive --verify --to place 2>err
	grep -q '3 intact archives, 0 not intact' err
	ctx-archive --verify --to place -s a 2>err
	grep -q '1 intact archive, 0 not intact' err
	status 1 ctx-archive --verify --to place -s a -s none 2>err
	grep -q "no archive of session 'none' in 'place'" err
	status 1 ctx-archive --restore --to place -s none 2>err
	[ "$(ctx-archive --restore --to place -s a | jq -r .session_id)" = a ]
	ctx-show -s a | grep '"kind":"message"' | diff before -
	[ "$(ctx-list -1)" = a ]
	ctx-archive -q --restore --to place --tenant t >/dev/null
	[ "$(ctx-list -1 | wc -l)" = 2 ]
	ctx-archive -q --restore --to place >/dev/null
	[ "$(ctx-list -1 | wc -l)" = 3 ]
	ctx-check -q
	# a damaged archive is reported, and the others are restored
	store_remove
	truncate -s -20 place/2026/01/a.ndjson.gz
	status 1 ctx-archive --verify --to place >out 2>err
	[ "$(jq -r .action out)" = damaged ]
	status 1 ctx-archive -q --restore --to place >out 2>err
	[ "$(ctx-list -1 | wc -l)" = 2 ]
}

@test 'a directory without archives is an error for --verify and --restore' {
	talk a 1 >/dev/null
	ctx-archive -q -s a --to place --cleanup >/dev/null
	mkdir empty
	for mode in --verify --restore; do
		run -1 ctx-archive $mode --to empty
		[ "$output" = "ctx-archive: no archives in 'empty'" ]
		run -1 ctx-archive $mode --to place --tenant t
		[ "$output" = "ctx-archive: no archives in 'place'" ]
	done
	run -0 ctx-archive --list --to empty
	run -0 ctx-archive --cat --to empty
	CTX_ARCHIVE=$PWD/empty run -1 ctx-archive --verify
}

@test 'a restore without any archive does not create a store' {
	talk a 1 >/dev/null
	ctx-append -q --create --tenant t -s b -t hello
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-archive -q -s b --tenant t --to other --cleanup >/dev/null
	mkdir empty
	head -c 100 place/2026/01/a.ndjson.gz >broken
	echo x >text
	none() { # COMMAND…
		for dry in '' -n; do
			run -1 ctx-archive -S new/er.db --restore $dry "$@"
			[ ! -e new ]
		done
	}
	none --to empty
	none --to place -s none
	none --to place --tenant t
	none broken
	none text broken gone.ndjson.gz
	none other/2026/01/b@t.ndjson.gz --tenant u
	CTX_ARCHIVE=$PWD/place none -s none
	# an intact archive after an invalid file creates the store
	run -1 ctx-archive -q -S new/er.db --restore broken place/2026/01/a.ndjson.gz text
	[ "$(ctx-list -S new/er.db -1)" = a ]
	ctx-check -q -S new/er.db
	ctx-archive -q -S new/own.db --restore --to other --tenant t
	[ "$(ctx-list -S new/own.db -1)" = b ]
}

@test 'sessions that are missing in the store are found in the archives of CTX_ARCHIVE' {
	for s in a b c; do talk $s 2 >/dev/null; done
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	ctx-archive -q -s c --to other --cleanup >/dev/null
	ctx-show -s a | grep '"kind":"message"' >before
	export CTX_ARCHIVE=$PWD/place
	# recorded archive locations are searched first
	ctx-archive -q --verify -s c
	ctx-archive --cat -s c | grep -q '"kind":"message"'
	ctx-archive --verify 2>err </dev/null
	grep -q '2 intact archives, 0 not intact' err
	# the store no longer exists
	store_remove
	ctx-archive -q --verify -s a
	status 1 ctx-archive -q --verify -s c
	ctx-archive --cat -s a | grep '"kind":"message"' | diff <(jq -c .message before) <(jq -c .message)
	ctx-archive -q --restore -s a | jq -e '.session_id == "a" and .action == "restored"'
	ctx-show -s a | grep '"kind":"message"' | diff before -
	# a new store, which has some of the sessions
	echo '{"session_id":"b"}' | ctx-archive -q --restore | jq -e '.session_id == "b"'
	run -1 ctx-archive --restore -s c
	[[ "$output" = *"no session 'c', and '$CTX_ARCHIVE' contains no archive of this session"* ]]
	[ "$(ctx-list -1 | paste -sd' ')" = 'a b' ]
	# --restore without sessions restores all archives of CTX_ARCHIVE
	store_remove
	ctx-new --id n >/dev/null
	ctx-archive --restore </dev/null
	[ "$(ctx-list -1)" = n ]
}

@test '--relocate makes archives readable after their directory was moved' {
	for s in a b c; do talk $s 2; done
	ctx-archive -q -s a -s b --to place --cleanup >/dev/null
	ctx-archive -q -s c --to other --cleanup >/dev/null
	ctx-show -s a >before
	mkdir -p far/away
	mv place far/away/
	status 1 ctx-archive --relocate place other 2>err
	grep -q 'does not exist: nothing was changed' err
	status 4 ctx-archive --relocate place nowhere
	ctx-archive --relocate place far/away/place -n >out
	[ "$(jq -r .addresses out)" = 4 ]
	status 1 ctx-show -s a
	[ "$(ctx-archive --relocate place/ far/away/place/ | jq -r .action)" = relocated ]
	ctx-archive -q --verify --all
	ctx-show -s a | sed 's|far/away/||' | diff before -
	# a missing archive does not prevent the others from being relocated
	mv far/away/place place
	mv place/2026/01/b.ndjson.gz kept
	status 1 ctx-archive --relocate "$PWD/far/away/place" place 2>err
	status 1 ctx-archive --relocate "$PWD/far/away/place" place --keep-going >/dev/null 2>err
	ctx-show -s a | diff before -
	mkdir -p far/away/place/2026/01
	mv kept far/away/place/2026/01/b.ndjson.gz
	ctx-archive -q --verify --all
	# the same directory under another name
	ln -s place link
	status 2 ctx-archive --relocate "$PWD/place" link 2>err
	grep -q 'are the same place' err
	rmdir -p far/away/place/2026/01 2>/dev/null || mv far/away/place/2026/01/b.ndjson.gz place/2026/01/
	rm -r far
	ln -s "$PWD" far
	mkdir away
	ln -s "$PWD/place" away/place
	ctx-archive --relocate far/away/place place 2>err >/dev/null
	grep -q 'two names of the same place' err
	ctx-archive -q --verify --all
	ctx-delete -q -s a -s b -s c --purge --receipt | tail -n 1 | jq -e '.archives == 3 and .survivors == 0' >/dev/null
	[ -z "$(find place other -type f)" ]
}

@test '--cat --raw prints the archive file unchanged' {
	talk a 2
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-archive --cat --raw -s a | cmp - place/2026/01/a.ndjson.gz
	truncate -s -9 place/2026/01/a.ndjson.gz
	ctx-archive --cat --raw place/2026/01/a.ndjson.gz | cmp - place/2026/01/a.ndjson.gz
	status 1 ctx-archive --cat --raw place/2026/01/b.ndjson.gz
	status 2 ctx-archive --list --raw
}

@test 'a command that is killed while it reads an archived session leaves no plain text in TMPDIR' {
	talk a 3000
	ctx-archive -q -s a --to place --cleanup >/dev/null
	mkdir tmp
	export TMPDIR=$PWD/tmp
	for signal in TERM HUP INT KILL; do
		for command in 'ctx-show -s a' 'ctx-window -s a -n 6000'; do
			mkfifo pipe
			$command >pipe &
			read -r first <pipe || true
			kill -$signal $! 2>/dev/null || true
			wait $! || true
			rm pipe
			[ -z "$(ls -A tmp)" ]
		done
	done
}

@test 'an archive with ids that --restore would reject is reported as damaged' {
	talk a 2
	ctx-archive -q -s a --snapshot --to place >/dev/null
	zcat place/2026/01/a.ndjson.gz | sed '$d' >records
	sed 's/"id":"a-2"/"id":"a-1"/' records | forge >twins.gz
	sed '1s/"session_id":"a"/"session_id":"a\\u0007"/' records | forge >control.gz
	for f in twins control; do
		status 1 ctx-archive --verify $f.gz >out
		[ "$(jq -r .action out)" = damaged ]
		status 1 ctx-archive --restore --store new.db $f.gz 2>err
	done
}

# Rows of many lengths, so that pages freed by --cleanup are reused by rows of other sessions.
@test '--cleanup leaves no byte of a message in the store' {
	jq -nc '[10, 3000, 4500, 6000, 9000] as $m | [3, 250, 380, 700, 2000] as $t | range(60) as $s
		| {kind: "session", session_id: "s\($s)", metadata: {x: ("m" * $m[$s * 7 % 5])}},
		  (range(1 + $s * 5 % 8) as $i | {kind: "message", session_id: "s\($s)", message: {role: "user",
		   content: ("leftover\($s)x " * $t[($s * 3 + $i * 7 + ($s * $i)) % 5])}})' |
		ctx-append --create -q
	seq 0 59 | awk '$1 % 3 { print "s" ($1 * 7) % 60 }' >names
	ctx-archive -q --to "$PWD/to" --cleanup --jobs 2 <names >/dev/null
	while read -r s; do
		! LC_ALL=C grep -aq "leftover${s#s}x" "$CTX_STORE" || echo "$s"
	done <names | same /dev/null
}

@test 'a session that is twice in the input list is archived once' {
	for sid in a b c; do
		ctx-append --create -q -s $sid -t "text of $sid"
	done
	ctx-list >listed
	for how in '' --cleanup --snapshot '--cleanup --jobs 2'; do
		rm -rf place
		cat listed listed | ctx-archive $how --to place 2>err >out
		[ "$(jq -r .session_id out | xargs)" = 'a b c' ]
		! grep -q skipped err
		[ "$how" = --snapshot ] || { ctx-list --status archived | ctx-archive -q --restore && ctx-list >listed; } >/dev/null
	done
}

@test 'archive directories are removed with their last archive' {
	local i
	mkdir place
	for i in a b c; do
		ctx-append -q --create -s $i -t hello
	done
	ctx-archive -q -s a -s b -s c --to place --cleanup >/dev/null
	ctx-delete -q -s a --purge >/dev/null
	[ -f place/2026/01/b.ndjson.gz ]
	ctx-archive --remove place/2026/01/c.ndjson.gz >/dev/null
	[ -d place/2026/01 ]
	ctx-delete -q -s b --purge >/dev/null
	[ -z "$(ls -A place)" ]
	ctx-append -q --create -s d -t hello
	ctx-archive -q -s d --to place --snapshot >/dev/null
	ctx-archive --remove place/*/*/d.ndjson.gz >/dev/null
	[ -z "$(ls -A place)" ]
}

@test 'a command that writes an archive creates the directory again if another process removes it' {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		ctx-append -q --create -s s$i -t hello
		ctx-append -q -S other.db --create -s t$i -t hello
	done
	ctx-archive -q -S other.db --to place -s t1 -s t2 -s t3 -s t4 -s t5 -s t6 -s t7 -s t8 >/dev/null
	(for i in 1 2 3 4 5 6 7 8; do ctx-delete -q -S other.db -s t$i --purge; done >/dev/null) &
	for i in 1 2 3 4 5 6 7 8; do
		ctx-archive -q -s s$i --to place >/dev/null
		ctx-delete -q -s s$i --purge >/dev/null
	done
	wait $!
	[ -z "$(ls -A place)" ]
}

@test 'all records that ctx-archive and ctx-delete print for a session contain its tenant' {
	ctx-append -q --create --tenant t -s s -t x
	{
		ctx-archive -n -s s --to place
		ctx-archive -s s --to place --snapshot
		ctx-archive -s s --to place
		ctx-archive --list
		ctx-archive -s s --to place --cleanup
		ctx-archive --restore -s s
		ctx-archive -q -s s --to place --cleanup
		ctx-archive --list --to place
		rm place/2026/01/*
		ctx-archive --verify --all || true
		ctx-delete -s s --hold x
		ctx-delete -s s --release
		ctx-delete -s s
		ctx-delete -s s --restore
	} 2>/dev/null >out
	[ "$(wc -l <out)" = 13 ]
	[ "$(jq -r .tenant_id out | sort -u)" = t ]
}

@test '--relocate also changes archive addresses that an older version stored only in events' {
	ctx-append -q --create -s s -t 'A text that is long enough to be looked for.'
	ctx-archive -q -s s --to old --cleanup >/dev/null
	mv old new
	ctx-archive -q --relocate old new >/dev/null
	# an address that an older version did not change
	sqlite3 "$CTX_STORE" "UPDATE event SET record = replace(record, '$PWD/new/', '$PWD/old/')"
	ctx-archive -q -n --relocate old new | jq -e '.addresses == 1'
	ctx-archive -q --relocate old new | jq -e '.addresses == 1'
	ctx-archive -q --relocate old new | jq -e '.addresses == 0'
	ctx-delete -q -s s --purge --receipt | tail -n 1 | jq -e '.archives == 1 and .archives_missing == 0'
}
