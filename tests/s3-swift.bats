#!/usr/bin/env bats
load helper

# The tests of s3.bats with OpenStack Swift, which checks regions, digests and MD5s, supports multipart uploads,
# and answers 501 to conditional requests. They take a minute and run only with CTX_TEST_SWIFT=1.

setup_file() {
	build=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/build
	export S3="${CTX_BIN:-$build}/tools/s3" S3_HOME="$build/s3/swift" have_swift=0
	[ "$CTX_TEST_SWIFT" = 1 ] || return 0
	command -v swift-proxy-server >/dev/null || return 0
	rm -rf "$S3_HOME"
	mkdir -p "$S3_HOME"
	sh "$BATS_TEST_DIRNAME/s3-swift.sh" start "$S3_HOME" 3>&- || return 1
	have_swift=1
	export AWS_ACCESS_KEY_ID=test:tester AWS_SECRET_ACCESS_KEY=testing S3_BUCKET=ctx-test
	export AWS_ENDPOINT_URL=http://127.0.0.1:8085
	unset AWS_SESSION_TOKEN AWS_REGION AWS_CA_BUNDLE
	unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
	head -c 20000000 /dev/urandom >"$S3_HOME/big"
	start_proxy
}

# Starts the proxy before Swift, which can change bodies.
start_proxy() {
	command -v node >/dev/null || return 0
	mkfifo "$S3_HOME/alive"
	node "$BATS_TEST_DIRNAME/s3-server.js" "$S3_HOME" 8085 <"$S3_HOME/alive" \
		>"$S3_HOME/out" 2>&1 3>&- &
	exec 9>"$S3_HOME/alive"
	for _ in $(seq 100); do
		[ -s "$S3_HOME/ports" ] && break
		sleep .1
	done
	read -r _ S3_PROXY <"$S3_HOME/ports"
	export S3_PROXY
}

teardown_file() {
	exec 9>&-
	[ "$have_swift" = 0 ] || sh "$BATS_TEST_DIRNAME/s3-swift.sh" stop "$S3_HOME"
}

setup() {
	[ "$CTX_TEST_SWIFT" = 1 ] || skip "CTX_TEST_SWIFT is not 1"
	[ "$have_swift" = 1 ] || skip "Swift is not installed"
	export S3_PREFIX=t$BATS_TEST_NUMBER
}

@test "unusual keys, empty objects and missing objects work" {
	echo x | "$S3" put 'a b+c&d=e?f#g%2F'
	[ "$("$S3" get 'a b+c&d=e?f#g%2F')" = x ]
	run "$S3" list ''
	[ "$output" = 'a b+c&d=e?f#g%2F 2 dated' ]
	"$S3" put empty </dev/null
	run "$S3" get empty
	[ "$status" -eq 0 ] && [ -z "$output" ]
	run "$S3" get none
	[ "$status" -eq 1 ]
	S3_BUCKET=ctx-none run "$S3" list ''
	[ "$status" -eq 0 ] && [ -z "$output" ]
}

@test "the bucket can be part of the host name" {
	echo x | "$S3" put x
	AWS_ENDPOINT_URL=http://localhost:8085 S3_STYLE=virtual run "$S3" list ''
	[ "$output" = "x 2 dated" ]
	AWS_ENDPOINT_URL=http://localhost:8085 S3_STYLE=virtual "$S3" put 'y z' <<<y
	[ "$("$S3" get 'y z')" = y ]
}

@test "uploads in parts, downloads in ranges and paged listings work" {
	"$S3" put big <"$S3_HOME/big"
	"$S3" get big | cmp - "$S3_HOME/big"
	for i in 1 2 3 4; do echo $i | "$S3" put "d/$i"; done
	S3_PAGE=2 run "$S3" list ''
	[ "${#lines[@]}" -eq 5 ]
	"$S3" delete big
	"$S3" delete big
	run "$S3" exists big
	[ "$status" -eq 1 ]
}

@test "old parts of killed writers are removed, parts of others stay" {
	run "$S3" put-die big <"$S3_HOME/big"
	[ "$status" -eq 9 ]
	[ "$("$S3" sweep 3600)" = 0 ]
	[ "$(S3_PREFIX=other "$S3" sweep -5)" = 0 ]
	[ "$("$S3" sweep -5)" = 1 ]
	[ "$("$S3" sweep -5)" = 0 ]
	"$S3" put-abort big <"$S3_HOME/big"
	[ "$("$S3" sweep -5)" = 0 ]
}

@test "an existing object is not overwritten even if the server does not support conditional requests" {
	echo one | "$S3" put-new x
	run "$S3" put-new x <<<two
	[ "$status" -eq 1 ]
	[ "$("$S3" get x)" = one ]
}

@test "a wrong secret, an unknown key and a wrong region are refused" {
	AWS_SECRET_ACCESS_KEY=no run "$S3" get x
	[ "$status" -eq 4 ] && [[ "$output" == *"status 403 SignatureDoesNotMatch"* ]]
	AWS_ACCESS_KEY_ID=no:body run "$S3" get x
	[ "$status" -eq 4 ]
	AWS_REGION=eu-west-1 run "$S3" get x
	[ "$status" -eq 4 ] && [[ "$output" == *"status 400"* ]]
}

@test "bodies that changed on their way are rejected" {
	[ -n "$S3_PROXY" ] || skip "no node"
	echo "corrupt 1" >"$S3_HOME/mode"
	AWS_ENDPOINT_URL=http://127.0.0.1:$S3_PROXY run "$S3" put x <<<content
	[ "$status" -eq 4 ]
	[[ "$output" == *"status 400"* ]]
	run "$S3" exists x
	[ "$status" -eq 1 ]
	AWS_ENDPOINT_URL=http://127.0.0.1:$S3_PROXY "$S3" put x <<<content
}

@test "an archive is uploaded and verified from its download" {
	seq 100000 | sed 's/.*/{"kind":"message","session_id":"s","seq":&,"message":{"role":"user","content":"&"}}/' >"$BATS_TEST_TMPDIR/lines"
	run "$S3" archive .. <"$BATS_TEST_TMPDIR/lines"
	[ "$status" -eq 0 ]
}

@test "ctx-archive archives, verifies, reads, restores, lists and purges" {
	isolate
	export CTX_ARCHIVE=s3://ctx-sessions/some/where AWS_SECRET_ACCESS_KEY=testing
	export AWS_ACCESS_KEY_ID=test:tester AWS_ENDPOINT_URL=http://127.0.0.1:8085
	content() { ctx-show "$@" | grep '"kind":"message"'; }
	for s in 'odd/id &?=+%' big; do
		ctx-new --id "$s" --tenant "t of $s" >/dev/null
		ctx-append -q -s "$s" -t "what is said in $s is not to be lost"
	done
	head -c 9000000 /dev/urandom | base64 -w 60000 |
		sed 's/.*/{"role":"user","content":"&"}/' | ctx-append -q -s big
	for s in 'odd/id &?=+%' big; do content -s "$s"; done >before
	ctx-list | ctx-archive -q --cleanup --jobs 2 >out
	[ "$(jq -r .action out | sort -u)" = archived ]
	for s in 'odd/id &?=+%' big; do content -s "$s"; done | cmp - before
	ctx-archive -q --verify --all
	ctx-check -q
	[ "$(ctx-archive --list --to "$CTX_ARCHIVE" | wc -l)" = 2 ]
	ctx-list -a | ctx-archive -q --restore >/dev/null
	for s in 'odd/id &?=+%' big; do content -s "$s"; done | cmp - before
	AWS_SECRET_ACCESS_KEY=no status 4 ctx-archive -q -s big --cleanup 2>err
	grep -q SignatureDoesNotMatch err
	ctx-list | ctx-archive -q --cleanup >/dev/null
	ctx-list -a | ctx-delete -q --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 2 and .survivors == 0' >/dev/null
	[ -z "$(ctx-archive --list --to "$CTX_ARCHIVE")" ]
}
