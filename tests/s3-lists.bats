# Lists of a server for objects that are wrong. Needs only python.
load helper

setup() {
	isolate
	mkfifo alive
	bad-s3-server port <alive 3>&- &
	exec 9>alive
	for _ in $(seq 300); do
		[ -s port ] && break
		sleep .1
	done
	export AWS_ENDPOINT_URL=http://127.0.0.1:$(cat port)
	export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=s
	unset http_proxy HTTP_PROXY ALL_PROXY all_proxy
}

teardown() {
	exec 9>&-
	wait
}

@test 'a list whose marks repeat, alternate, run in a circle or never end is refused' {
	for bucket in repeats alternates circles runs-on; do
		run -4 --separate-stderr timeout 60 ctx-archive --list --to "s3://$bucket/ctx"
		[[ "$stderr" = *'the list does not advance'* ]]
	done
}

@test 'archiving to a place whose lists never end leaves the session, and the lock' {
	ctx-new --id s >/dev/null
	ctx-append -q -s s -t kept
	ctx-list | status 4 timeout 60 ctx-archive --to s3://alternates/ctx --cleanup >out 2>err
	ctx-window -s s | grep -q kept
	ctx-list | ctx-archive --to place | grep -q '"archive"'
}

@test 'keys outside the prefix are not listed' {
	ctx-archive --list --to s3://elsewhere/ctx | jq -r .uri | same - s3://elsewhere/ctx/2026/01/a.ndjson.gz
}

@test 'megabytes of brackets and open tags are an empty list, soon' {
	for bucket in brackets tags open; do
		timeout 60 ctx-archive --list --to "s3://$bucket/ctx" | same /dev/null
	done
}
