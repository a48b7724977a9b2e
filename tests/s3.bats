#!/usr/bin/env bats
# Object storage with real servers on loopback: s3rver (if npm can install it) behind a proxy that simulates
# errors, and OpenStack Swift with CTX_TEST_SWIFT=1.

load s3

setup_file() {
	export S3="${CTX_BIN:-$(cd "$BATS_TEST_DIRNAME/.." && pwd)/build}/tools/s3"
	start_s3 run || return
	[ "$have_server" = 1 ] || return 0
	export AWS_ACCESS_KEY_ID=S3RVER AWS_SECRET_ACCESS_KEY=S3RVER S3_BUCKET=ctx-test
	head -c 20000000 /dev/urandom >"$S3_HOME/big"
}

teardown_file() {
	stop_s3
}

setup() {
	[ "$have_server" = 1 ] || skip "s3rver could not be installed"
	export AWS_ENDPOINT_URL=http://127.0.0.1:$S3_PROXY
	export S3_PREFIX=t$BATS_TEST_NUMBER
	misbehave pass 0
	: >"$S3_HOME/log"
	cd "$BATS_TEST_TMPDIR"
}

@test "stored objects are read back, also under unusual keys" {
	for name in plain 2024/02/%2E.%2Fx.ndjson.gz 'a b+c&d=e?f#g' "$(printf '\303\251~!*()')"; do
		echo "<$name>" | "$S3" put "$name"
		run "$S3" get "$name"
		[ "$status" -eq 0 ]
		[ "$output" = "<$name>" ]
	done
	run "$S3" list ''
	[ "${#lines[@]}" -eq 4 ]
	[[ "$output" == *"2024/02/%2E.%2Fx.ndjson.gz 29 dated"* ]]
	# s3rver escapes '&' twice in listings
	[[ "$output" == *'a b+c&'*'d=e?f#g 16 dated'* ]]
}

@test "every request is signed with its digest, and bodies have an MD5" {
	echo x | "$S3" put x
	grep -q '^PUT .* 200 content-md5 x-amz-content-sha256' "$S3_HOME/log"
	[ "$(grep -vc x-amz-content-sha256 "$S3_HOME/log")" -eq 0 ]
}

@test "a missing bucket reads as empty and is created by a write" {
	export S3_BUCKET=ctx-new-bucket
	run "$S3" list ''
	[ "$status" -eq 0 ] && [ -z "$output" ]
	run "$S3" get x
	[ "$status" -eq 1 ]
	echo x | "$S3" put x
	[ "$("$S3" get x)" = x ]
	export S3_BUCKET=ctx-new-for-parts
	"$S3" put big <"$S3_HOME/big"
	"$S3" get big | cmp - "$S3_HOME/big"
}

@test "more than 8 MiB is uploaded in parts and downloaded in ranges" {
	"$S3" put big <"$S3_HOME/big"
	[ "$(grep -c '^PUT .*partNumber=' "$S3_HOME/log")" -eq 3 ]
	"$S3" get big | cmp - "$S3_HOME/big"
	[ "$(requests GET)" -eq 3 ]
	head -c 8388608 "$S3_HOME/big" | "$S3" put exact
	[ "$("$S3" exists exact)" = 8388608 ]
	[ "$(grep -c '^PUT .*partNumber=' "$S3_HOME/log")" -eq 3 ]
	head -c 16777216 "$S3_HOME/big" | "$S3" put twice
	"$S3" get twice | cmp - <(head -c 16777216 "$S3_HOME/big")
}

@test "memory stays bounded whatever is sent and received" {
	! nm "${CTX_BIN:-$BATS_TEST_DIRNAME/../build}/libctx.a" | grep -q __asan ||
		skip 'address space is not memory here'
	head -c 150000000 /dev/zero >zeros
	(ulimit -v 300000 && "$S3" put zeros <zeros)
	(ulimit -v 300000 && "$S3" get zeros) | cmp - zeros
}

@test "a canceled or failed upload is aborted" {
	"$S3" put-abort big <"$S3_HOME/big"
	[ "$(grep -c '^DELETE .*uploadId=' "$S3_HOME/log")" -eq 1 ]
	misbehave no-parts 9
	run "$S3" put big <"$S3_HOME/big"
	[ "$status" -eq 4 ]
	[ "$(grep -c '^DELETE .*uploadId=' "$S3_HOME/log")" -eq 2 ]
	misbehave pass 0
	run "$S3" exists big
	[ "$status" -eq 1 ]
}

@test "a bucket listing is read to its end, also if it has several pages" {
	for i in 1 2 3 4 5; do echo $i | "$S3" put "d/$i"; done
	run env S3_PAGE=2 "$S3" list d/
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 5 ]
	[ "$(requests GET)" -eq 3 ]
	[ "${lines[4]}" = "d/5 2 dated" ]
}

@test "deleting an object twice succeeds" {
	echo x | "$S3" put x
	"$S3" delete x
	"$S3" delete x
	run "$S3" exists x
	[ "$status" -eq 1 ]
}

@test "server errors, throttling and broken connections are retried" {
	echo x | "$S3" put x
	for mode in 500 502 503 429 drop cut; do
		: >"$S3_HOME/log"
		misbehave $mode 2
		run "$S3" get x
		[ "$output" = x ]
		[ "$(requests GET)" -eq 3 ]
		misbehave $mode 2
		echo $mode | "$S3" put $mode
		[ "$("$S3" get $mode)" = $mode ]
	done
}

@test "the number of attempts is limited" {
	echo x | "$S3" put x
	: >"$S3_HOME/log"
	misbehave 503 100
	run "$S3" get x
	[ "$status" -eq 4 ]
	[ "$output" = "s3: GET s3://ctx-test/$S3_PREFIX/x: status 503 SlowDown: later" ]
	[ "$(requests GET)" -eq 5 ]
	: >"$S3_HOME/log"
	misbehave drop 100
	S3_ATTEMPTS=2 run "$S3" get x
	[ "$status" -eq 4 ]
	[ "$(requests GET)" -eq 2 ]
}

@test "refused requests and missing objects are not retried" {
	for mode in 403 404; do
		: >"$S3_HOME/log"
		misbehave $mode 1
		run "$S3" get x
		[ "$status" -eq $((mode == 403 ? 4 : 1)) ]
		[ "$(requests GET)" -eq 1 ]
	done
}

@test "if a server stalls, the request fails after a time limit" {
	misbehave stall 100
	S3_STALL=1 S3_ATTEMPTS=2 run timeout 20 "$S3" get x
	[ "$status" -eq 4 ]
	[ "$(requests GET)" -eq 2 ]
}

@test "an unreachable server is an error" {
	AWS_ENDPOINT_URL=http://127.0.0.1:1 S3_ATTEMPTS=2 run "$S3" get x
	[ "$status" -eq 4 ]
	[[ "$output" == "s3: GET s3://ctx-test/"* ]]
}

@test "wrong keys are refused and never shown" {
	echo x | "$S3" put x
	AWS_SECRET_ACCESS_KEY=not-the-secret run "$S3" get x
	[ "$status" -eq 4 ]
	[[ "$output" == *"status 403 SignatureDoesNotMatch"* ]]
	[[ "$output" != *not-the-secret* ]]
	AWS_ACCESS_KEY_ID=NOBODY run "$S3" get x
	[ "$status" -eq 4 ]
	[[ "$output" != *NOBODY* ]]
	misbehave echo 1
	AWS_SESSION_TOKEN=token-token run "$S3" get x
	[ "$status" -eq 4 ]
	[[ "$output" != *token-token* && "$output" != *Signature=* && "$output" != *S3RVER* ]]
	misbehave garbage 1
	run "$S3" get x
	[ "$status" -eq 4 ]
	[[ "$output" != *$'\033'* ]]
	AWS_ENDPOINT_URL=http://user:hunter2@127.0.0.1 run "$S3" get x
	[ "$status" -eq 2 ]
	[[ "$output" != *hunter2* ]]
	AWS_SECRET_ACCESS_KEY= run "$S3" get x
	[ "$status" -eq 2 ]
}

@test "a session token is sent" {
	misbehave 403 1
	AWS_SESSION_TOKEN=token-token run "$S3" get x
	grep -q ' x-amz-security-token' "$S3_HOME/log"
}

@test "an upload fails if the object exists and must not be overwritten" {
	echo one | "$S3" put x
	misbehave no-conditions 1
	run "$S3" put-new x <<<two
	[ "$status" -eq 1 ]
	[ "$("$S3" get x)" = one ]
	misbehave no-conditions 1
	"$S3" put-new y <<<two
	[ "$("$S3" get y)" = two ]
	misbehave exists 1
	run "$S3" put-new z <<<three
	[ "$status" -eq 1 ]
}

@test "a write whose response was lost counts as done" {
	misbehave lose 1
	"$S3" put x <<<one
	[ "$("$S3" get x)" = one ]
	[ "$(requests PUT)" -ge 2 ]
	# the response to the last request of an upload is lost, so the retry finds no upload
	misbehave lose-last 6
	"$S3" put big <"$S3_HOME/big"
	[ "$(grep -c '^POST .*uploadId=' "$S3_HOME/log")" -eq 2 ]
	"$S3" get big | cmp - "$S3_HOME/big"
}

@test "an error in the body of a response with status 200 is retried" {
	misbehave late-error 6
	"$S3" put big <"$S3_HOME/big"
	[ "$(grep -c '^POST .*uploadId=' "$S3_HOME/log")" -eq 3 ]
	"$S3" get big | cmp - "$S3_HOME/big"
	misbehave late-error 99
	S3_ATTEMPTS=2 run "$S3" put other <"$S3_HOME/big"
	[ "$status" -eq 4 ]
	[[ "$output" == *"InternalError: sorry" ]]
}

@test "an object that changes while it is read is detected" {
	"$S3" put big <"$S3_HOME/big"
	misbehave other-version 9
	run bash -c '"$S3" get big | wc -c'
	[[ "$output" == *"changed while it was read"* ]]
}

@test "a server that ignores ranges cannot fill the memory" {
	misbehave whole 9
	run bash -c '"$S3" get x | wc -c'
	[[ "$output" == *"longer than 8388608 bytes"* ]]
}

@test "TLS accepts the trusted authority and no other" {
	[ -n "$S3_TLS" ] || skip "no openssl"
	export AWS_ENDPOINT_URL=https://127.0.0.1:$S3_TLS
	run "$S3" put x <<<x
	[ "$status" -eq 4 ]
	AWS_CA_BUNDLE=$S3_HOME/other.pem run "$S3" put x <<<x
	[ "$status" -eq 4 ]
	AWS_ENDPOINT_URL=https://localhost:$S3_TLS AWS_CA_BUNDLE=$S3_HOME/ca.pem run "$S3" put x <<<x
	[ "$status" -eq 4 ]
	[ ! -s "$S3_HOME/log" ]
	export AWS_CA_BUNDLE=$S3_HOME/ca.pem
	"$S3" put big <"$S3_HOME/big"
	"$S3" get big | cmp - "$S3_HOME/big"
	for mode in drop cut 503; do
		misbehave $mode 2
		"$S3" put big <"$S3_HOME/big"
		misbehave $mode 2
		"$S3" get big | cmp - "$S3_HOME/big"
	done
	# https is used if the URL has no scheme
	AWS_ENDPOINT_URL=127.0.0.1:$S3_TLS "$S3" put y <<<y
	[ "$("$S3" get y)" = y ]
	# plain http is not used as a fallback
	AWS_ENDPOINT_URL=127.0.0.1:$S3_PROXY S3_ATTEMPTS=1 run "$S3" get y
	[ "$status" -eq 4 ]
}

@test "an archive is uploaded and verified from its download" {
	seq 300000 | sed 's/.*/{"kind":"message","session_id":"s","seq":&,"message":{"role":"user","content":"&"}}/' >lines
	run "$S3" archive ../s <lines
	[ "$status" -eq 0 ]
	[ "$output" = "1970/01/%2E.%2Fs.ndjson.gz 300000 $(sha256sum <lines | cut -d' ' -f1)" ]
	"$S3" get 1970/01/%2E.%2Fs.ndjson.gz | gzip -dc | head -n 300000 | cmp - lines
	S3_DIR=$PWD/dir run "$S3" archive ../s <lines
	[ "$status" -eq 0 ]
	"$S3" get 1970/01/%2E.%2Fs.ndjson.gz | cmp - dir/1970/01/%2E.%2Fs.ndjson.gz
}

@test "a full disk leaves no file behind" {
	(ulimit -f 100; S3_DIR=$PWD/dir "$S3" put a/x <"$S3_HOME/big") && false
	[ "$(find dir -type f | wc -l)" -eq 0 ]
	seq 100 | S3_DIR=$PWD/dir "$S3" put a/x
	(ulimit -f 100; S3_DIR=$PWD/dir "$S3" put a/x <"$S3_HOME/big") && false
	cmp dir/a/x <(seq 100)
}
