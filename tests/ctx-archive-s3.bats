#!/usr/bin/env bats
# ctx-archive with object storage: an S3 server on loopback (s3rver, from npm) behind a proxy that
# simulates errors.
load helper

load s3

setup_file() {
	start_s3 archive-run
}

teardown_file() {
	stop_s3
}

setup() {
	isolate
	[ "$have_server" = 1 ] || skip 's3rver could not be installed'
	export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER
	export AWS_ENDPOINT_URL=http://127.0.0.1:$S3_PROXY
	export CTX_ARCHIVE=s3://bucket-$BATS_TEST_NUMBER/some/where
	misbehave pass 0
	: >"$S3_HOME/log"
	for s in a b; do
		ctx-new --id $s >/dev/null
		for i in 1 2 3; do
			ctx-append -q -s $s -t "message $i of $s, which is not to be lost"
		done
	done
}

content() {
	ctx-show "$@" | sed -E 's/"status":"[a-z]*",//; s/,"archive":\{[^}]*\}//' |
		grep -vE '"event":"(archive|restore)"'
}

@test 'sessions are archived to a new bucket, read, restored and loaded into another store' {
	content -s a >before
	ctx-list | ctx-archive -q --cleanup >out
	[ "$(jq -r 'select(.session_id == "a").uri' out)" = "$CTX_ARCHIVE/2026/01/a.ndjson.gz" ]
	[ "$(ctx-list -1)" = '' ]
	content -s a | diff before -
	[ "$(ctx-window -s a -n 2 | grep -c '"kind":"message"')" = 2 ]
	ctx-archive -q --verify --all
	ctx-check -q
	ctx-archive --list --to "$CTX_ARCHIVE" | jq -r .uri >listed
	[ "$(paste -sd' ' listed)" = "$CTX_ARCHIVE/2026/01/a.ndjson.gz $CTX_ARCHIVE/2026/01/b.ndjson.gz" ]
	ctx-archive -q --restore -s a >/dev/null
	content -s a | diff before -
	ctx-archive -q --restore --store new.db "$CTX_ARCHIVE/2026/01/a.ndjson.gz" >/dev/null
	content --store new.db -s a | diff before -
	[ "$(ctx-append -s b --resume -t more | jq .seq)" = 4 ]
	ctx-check -q
}

@test 'an unreachable archive is not reported as damaged' {
	ctx-list | ctx-archive -q --cleanup >/dev/null
	misbehave 403 99
	status 4 ctx-check -q >out 2>err
	[ ! -s out ]
	grep -q "'a' cannot be reached" err
	grep -q '2 archives cannot be reached' err
	misbehave pass 0
	ctx-archive -q --remove "$CTX_ARCHIVE/2026/01/a.ndjson.gz" >/dev/null
	status 1 ctx-check -q >out
	[ "$(jq -r .session_id out)" = a ]
}

@test 'a purge removes archives from the bucket' {
	ctx-list | ctx-archive -q --cleanup >/dev/null
	ctx-delete -q -s a --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 1 and .survivors == 0 and .texts == 3' >/dev/null
	[ "$(ctx-archive --list --to "$CTX_ARCHIVE" | jq -r '.uri | split("/") | last')" = b.ndjson.gz ]
}

@test 'temporary failures are retried' {
	misbehave 503 2
	ctx-archive -q -s a --cleanup >/dev/null
	misbehave 500 2
	ctx-archive -q --restore -s a >/dev/null
	[ "$(ctx-list -1 | paste -sd' ')" = 'a b' ]
}

@test 'wrong keys lose no data and are not printed' {
	content -s a >before
	AWS_SECRET_ACCESS_KEY=wrongwrong status 4 ctx-archive -s a --cleanup >out 2>err
	[ ! -s out ]
	(! grep -q wrongwrong err)
	content -s a | diff before -
	[ "$(ctx-list -1 | paste -sd' ')" = 'a b' ]
	unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
	status 4 ctx-archive -s a --cleanup 2>err
	grep -q 'no credentials' err
	mkdir -p "$HOME/.aws"
	printf '[default]\naws_access_key_id = S3RVER\naws_secret_access_key = S3RVER\n' >"$HOME/.aws/credentials"
	ctx-archive -q -s a --cleanup >/dev/null
	[ "$(ctx-list -1)" = b ]
}

@test 'without a server, the exit status is 4 and the session stays' {
	content -s a >before
	AWS_ENDPOINT_URL=http://127.0.0.1:1 status 4 ctx-archive -s a --cleanup 2>/dev/null
	content -s a | diff before -
	ctx-archive -q -s a --cleanup >/dev/null
	AWS_ENDPOINT_URL=http://127.0.0.1:1 status 4 ctx-show -s a >/dev/null 2>&1
	AWS_ENDPOINT_URL=http://127.0.0.1:1 status 4 ctx-delete -s a --purge 2>/dev/null
	[ "$(ctx-list -1 --status deleted)" = a ]
	ctx-delete -q -s a --purge >/dev/null
	[ "$(ctx-list -a1)" = b ]
}

# Creates session big, whose archive is uploaded in two parts and downloaded in two ranges.
make_big() {
	ctx-new --id big >/dev/null
	head -c 9000000 /dev/urandom | base64 -w 60000 |
		sed 's/.*/{"role":"user","content":"&"}/' | ctx-append -q -s big
	content -s big >big
}

in_store() {   # STATUS: of the session big
	[ "$(ctx-list -a | jq -r 'select(.session_id == "big").status')" = "$1" ]
}

@test 'temporary failures of uploads and downloads in parts are retried' {
	make_big
	for mode in drop cut lose 500 502 503 429; do
		misbehave $mode 2
		ctx-archive -q -s big --cleanup >/dev/null
		in_store archived
		[ "$(grep -c '^PUT .*partNumber=' "$S3_HOME/log")" -ge 2 ]
		misbehave $mode 2
		ctx-archive -q --verify -s big
		misbehave $mode 2
		ctx-archive -q --restore -s big >/dev/null
		in_store active
		: >"$S3_HOME/log"
	done
	content -s big | cmp - big
}

@test 'a failed upload is aborted, and the session stays' {
	make_big
	misbehave no-parts 99
	status 4 ctx-archive -q -s big --cleanup >out 2>err
	[ ! -s out ]
	grep -q "session 'big' is unchanged" err
	[ "$(grep -c '^DELETE .*uploadId=' "$S3_HOME/log")" = 1 ]
	in_store active
	misbehave pass 0
	[ -z "$(ctx-archive --list --to "$CTX_ARCHIVE")" ]
	content -s big | cmp - big
	# all parts are uploaded, but the upload cannot be completed
	misbehave late-error 99
	status 4 ctx-archive -q -s big --cleanup >out 2>err
	[ "$(grep -c '^DELETE .*uploadId=' "$S3_HOME/log")" = 2 ]
	in_store active
}

@test 'a permanently broken connection loses no data, and the next run succeeds' {
	make_big
	misbehave drop 99
	status 4 ctx-archive -q -s big --cleanup 2>/dev/null
	in_store active
	misbehave pass 0
	ctx-archive -q -s big --cleanup >/dev/null
	misbehave cut 99
	status 4 ctx-archive -q --restore -s big 2>/dev/null
	status 4 ctx-archive -q --verify -s big 2>/dev/null
	status 4 ctx-show -s big >/dev/null 2>&1
	in_store archived
	misbehave other-version 99
	status 4 ctx-archive -q --restore -s big 2>err
	grep -q 'changed while it was read' err
	in_store archived
	misbehave pass 0
	ctx-archive -q --restore -s big >/dev/null
	content -s big | cmp - big
	ctx-check -q
}

@test 'a full disk during restore leaves the session in its archive' {
	make_big
	ctx-archive -q -s big --cleanup >/dev/null
	run -4 bash -c 'ulimit -f 4000; trap "" XFSZ; ctx-archive -q --restore -s big'
	in_store archived
	content -s big | cmp - big
	run -4 bash -c 'ulimit -f 4000; trap "" XFSZ; ctx-archive -q --restore --store new.db "$CTX_ARCHIVE/2026/01/big.ndjson.gz"'
	ctx-archive -q --restore --store new.db "$CTX_ARCHIVE/2026/01/big.ndjson.gz" >/dev/null
	content --store new.db -s big | cmp - big
	ctx-archive -q --restore -s big >/dev/null
	content -s big | cmp - big
	ctx-check -q
}

@test 'with wrong keys, no operation succeeds and none prints the keys' {
	ctx-archive -q -s a --cleanup >/dev/null
	export AWS_SECRET_ACCESS_KEY=wrongwrong
	for o in '--verify -s a' '--restore -s a' "--list --to $CTX_ARCHIVE" '--cat -s a' \
		"--remove $CTX_ARCHIVE/2026/01/a.ndjson.gz" "--cat --to $CTX_ARCHIVE"; do
		# shellcheck disable=SC2086
		status 4 ctx-archive $o >out 2>err
		grep -q SignatureDoesNotMatch err
		(! grep -q wrongwrong out err)
	done
	status 4 ctx-show -s a >/dev/null 2>&1
	status 4 ctx-delete -s a --purge --receipt 2>err
	(! grep -q wrongwrong err)
	export AWS_SECRET_ACCESS_KEY=S3RVER
	[ "$(ctx-archive --list --to "$CTX_ARCHIVE" | wc -l)" = 1 ]
	ctx-delete -q -s a --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 1 and .survivors == 0' >/dev/null
	[ -z "$(ctx-archive --list --to "$CTX_ARCHIVE")" ]
}

@test 'TLS accepts only the trusted authority' {
	[ -n "$S3_TLS" ] || skip 'no openssl'
	export AWS_ENDPOINT_URL=https://127.0.0.1:$S3_TLS
	content -s a >before
	status 4 ctx-archive -q -s a --cleanup 2>/dev/null
	AWS_CA_BUNDLE=$S3_HOME/other.pem status 4 ctx-archive -q -s a --cleanup 2>/dev/null
	content -s a | diff before -
	[ ! -s "$S3_HOME/log" ]
	export AWS_CA_BUNDLE=$S3_HOME/ca.pem
	ctx-archive -q -s a --cleanup >/dev/null
	content -s a | diff before -
	ctx-archive -q --verify --all
	ctx-archive -q --restore -s a >/dev/null
	content -s a | diff before -
	ctx-archive -q -s a --cleanup >/dev/null
	ctx-delete -q -s a --purge --receipt | tail -n 1 | jq -e '.survivors == 0' >/dev/null
	[ -z "$(ctx-archive --list --to "$CTX_ARCHIVE")" ]
}

@test 'the receipt of a purge searches all archives in the bucket, and damaged ones as far as they can be read' {
	s3() { S3_BUCKET=bucket-$BATS_TEST_NUMBER S3_PREFIX=some/where "$CTX_BIN/tools/s3" "$@"; }
	ctx-archive -q -s a --snapshot --to place >/dev/null
	ctx-archive -q -s a --snapshot >/dev/null
	ctx-archive -q -s b --cleanup >/dev/null
	s3 put 2026/01/stray.ndjson.gz <place/2026/01/a.ndjson.gz
	status 1 ctx-delete -q -s a --purge --receipt >out 2>/dev/null
	tail -n 1 out | jq -e '.archives == 2 and .archives_scanned == 2 and .survivors >= 3' >/dev/null
	ctx-new --id c >/dev/null
	ctx-append -q -s c -t 'a text of c that nobody else has said before'
	printf 'no archive at all' | s3 put 2026/01/stray.ndjson.gz
	ctx-delete -q -s c --purge --receipt >out 2>err
	tail -n 1 out | jq -e '.archives_scanned == 2 and .archives_damaged == 1 and .survivors == 0' >/dev/null
	grep -q '1 archive is damaged' err
	# an archive that cannot be read is not counted as searched
	ctx-new --id d >/dev/null
	ctx-append -q -s d -t 'a text of d that nobody else has said before'
	misbehave 403 99
	status 4 ctx-delete -q -s d --purge --receipt --to s3://other/place >out 2>/dev/null
	[ ! -s out ]
	[ "$(ctx-list -1 --status deleted)" = d ]
}

@test 'a purge also removes archives that a killed run left in the bucket' {
	ctx-archive -q -s a --snapshot >/dev/null
	sqlite3 "$CTX_STORE" "DELETE FROM event WHERE record LIKE '%snapshot%'"
	ctx-delete -q -s a --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 1 and .survivors == 0' >/dev/null
	[ -z "$(ctx-archive --list --to "$CTX_ARCHIVE")" ]
}

@test 'if another session'\''s archive is stored under the session'\''s name, its messages are not shown' {
	s3() { S3_BUCKET=bucket-$BATS_TEST_NUMBER S3_PREFIX=some/where "$CTX_BIN/tools/s3" "$@"; }
	ctx-archive -q -s a --cleanup >/dev/null
	ctx-new --store other.db --id a >/dev/null
	ctx-append -q --store other.db -s a -t 'what was never said'
	ctx-archive -q --store other.db -s a --to place >/dev/null
	s3 put 2026/01/a.ndjson.gz <place/2026/01/a.ndjson.gz
	for command in 'ctx-show -s a' 'ctx-window -s a' 'ctx-archive --restore -s a' 'ctx-archive --cat -s a'; do
		status 1 $command >out 2>err
		grep -q 'SHA-256 differs' err
		! grep -q 'never said' out || return 1
	done
	# the foreign archive is not removed with the session
	status 4 ctx-delete -q -s a --purge 2>err # the recorded one may be elsewhere
	grep -q "not removed" err
	[ "$(ctx-archive --list --to "$CTX_ARCHIVE" | jq -r .session_id)" = a ]
}

@test 'messages are redacted in archives in a bucket' {
	ctx-list | ctx-archive -q --cleanup >/dev/null
	ctx-delete -q --redact a 2 --receipt >out
	[ "$(jq -c 'select(.action == "receipt") | [.archives, .survivors]' out)" = '[1,0]' ]
	ctx-archive -q --verify --all
	ctx-archive --cat -s a >records
	grep -q '\[redacted\]' records
	status 1 grep 'message 2 of a' records
	grep -q 'message 3 of a' records
	ctx-delete -q --redact a --match 'not to be lost' >out
	[ "$(jq -c .seqs out)" = '[1,3]' ]
	ctx-archive --cat -s a >records
	status 1 grep 'not to be lost' records
	ctx-archive --cat -s b | grep -q 'not to be lost'
	ctx-archive -q --restore -s a >/dev/null
	ctx-check -q
}
