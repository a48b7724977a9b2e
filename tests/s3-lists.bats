# Invalid object listings of an S3 server. The tests need only python.
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

@test 'a bucket listing whose continuation tokens repeat or never end is rejected' {
	for bucket in repeats alternates circles runs-on falls; do
		run -4 --separate-stderr timeout 240 ctx-archive --list --to "s3://$bucket/ctx"
		[[ "$stderr" = *"the server returned a page of the listing twice"* ]]
	done
}

@test 'if the bucket returns endless listings, archiving fails and the session stays unchanged and unlocked' {
	ctx-new --id s >/dev/null
	ctx-append -q -s s -t kept
	ctx-list | status 4 timeout 240 ctx-archive --to s3://alternates/ctx --cleanup >out 2>err
	ctx-window -s s | grep -q kept
	ctx-list | ctx-archive --to place | grep -q '"archive"'
}

@test 'objects whose key does not begin with the given prefix are not listed' {
	ctx-archive --list --to s3://elsewhere/ctx | jq -r .uri | same - s3://elsewhere/ctx/2026/01/a.ndjson.gz
}

@test 'an invalid or truncated listing is not treated as empty' {
	for bucket in brackets tags open half login nothing no-end; do
		for mode in --list --verify --restore --cat; do
			run -4 --separate-stderr timeout 240 ctx-archive $mode --to "s3://$bucket/ctx"
			[[ "$stderr" = *"s3://$bucket/: the response is not a listing of objects" ]]
			[ -z "$output" ]
		done
	done
	for bucket in cut-off cut-off-1; do
		run -4 --separate-stderr timeout 240 ctx-archive --list --to "s3://$bucket/ctx"
		[[ "$stderr" = *"s3://$bucket/: the listing is incomplete, but does not name its next page" ]]
	done
	# a receipt with an invalid listing fails too
	ctx-append -q --create -s s -t 'a text to be purged'
	run -4 --separate-stderr ctx-delete -q --purge -s s --receipt --to s3://login/ctx
	[ -n "$stderr" ]
}

@test 'unusual keys and entities in a listing are decoded or rejected' {
	for bucket in huge-key entities deep; do
		timeout 240 ctx-archive --list --to "s3://$bucket/ctx" >out
		tail -n 1 out | jq -r .uri | same - "s3://$bucket/ctx/2026/01/a.ndjson.gz"
	done
	ctx-archive --list --to s3://odd-keys/ctx | jq -r .uri >out
	tail -n 1 out | same - s3://odd-keys/ctx/2026/01/a.ndjson.gz
	! grep -F -e .. -e //etc -e $'\e' out
}

@test 'an endless response of the server is an error' {
	run -4 --separate-stderr timeout 240 ctx-archive --list --to s3://chunks/ctx
	[[ "$stderr" = *'longer than'* ]]
	run -4 --separate-stderr timeout 240 ctx-archive --list --to s3://interim/ctx
	[ -n "$stderr" ]
	# a response that sends a byte now and then is too slow
	export S3_BUCKET=drips S3_STALL=1 S3_ATTEMPTS=1
	run -4 --separate-stderr timeout 240 "$CTX_BIN/tools/s3" list ''
	[[ "$stderr" = *'too slow'* ]]
}
