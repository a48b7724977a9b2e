#!/usr/bin/env bats
# ctx-archive with object storage: a real server on loopback (s3rver, from npm) behind a
# proxy that misbehaves on demand.
load helper

setup_file() {
	local node_modules home
	node_modules=$(cd "$BATS_TEST_DIRNAME/.." && pwd)/build/s3
	home=$node_modules/archive-run   # s3-server.js looks for node_modules beside it
	export S3_HOME=$home have_server=0
	rm -rf "$home"
	mkdir -p "$home/data"
	command -v node >/dev/null && command -v npm >/dev/null || return 0
	[ -d "$node_modules/node_modules/@20minutes/s3rver" ] ||
		(cd "$node_modules" && npm install --silent --no-audit --no-fund --no-save \
			--ignore-scripts @20minutes/s3rver@5.0.0) >/dev/null 2>&1 || return 0
	mkfifo "$home/alive"
	node --openssl-legacy-provider --no-deprecation "$BATS_TEST_DIRNAME/s3-server.js" \
		"$home" <"$home/alive" >"$home/out" 2>&1 3>&- &
	exec 9>"$home/alive"
	echo $! >"$home/pid"
	for _ in $(seq 300); do
		[ -s "$home/ports" ] && break
		sleep .1
	done
	[ -s "$home/ports" ] || { cat "$home/out"; return 1; }
	read -r S3_PLAIN S3_PROXY S3_TLS <"$home/ports"
	export S3_PLAIN S3_PROXY S3_TLS have_server=1
}

teardown_file() {
	exec 9>&-
	[ ! -f "$S3_HOME/pid" ] || kill "$(cat "$S3_HOME/pid")" 2>/dev/null || true
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

misbehave() { echo "$1 $2" >"$S3_HOME/mode"; }

content() {
	ctx-show "$@" | sed -E 's/"status":"[a-z]*",//; s/,"archive":\{[^}]*\}//' |
		grep -vE '"event":"(archive|restore)"'
}

@test 'to a bucket that is made, read from there, restored, and loaded elsewhere' {
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

@test 'what is purged is gone there too' {
	ctx-list | ctx-archive -q --cleanup >/dev/null
	ctx-delete -q -s a --purge --receipt >out
	tail -n 1 out | jq -e '.archives == 1 and .survivors == 0 and .texts == 3' >/dev/null
	[ "$(ctx-archive --list --to "$CTX_ARCHIVE" | jq -r '.uri | split("/") | last')" = b.ndjson.gz ]
}

@test 'failures that pass are waited out' {
	misbehave 503 2
	ctx-archive -q -s a --cleanup >/dev/null
	misbehave 500 2
	ctx-archive -q --restore -s a >/dev/null
	[ "$(ctx-list -1 | paste -sd' ')" = 'a b' ]
}

@test 'wrong keys: nothing is lost, nothing is printed' {
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

@test 'no server: exit status 4, and the session stays' {
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
