# Message lists that caused errors in other tools: the diagnostics and repairs by ctx-lint. The cases
# are in the directory CTX_SHARED, outside the source tree.

bats_require_minimum_version 1.5.0

setup() {
	PATH=${CTX_BIN:-$BATS_TEST_DIRNAME/../build}:$PATH
	unset CTX_PROVIDER CTX_BUDGET CTX_TOKENIZER
	cases=${CTX_SHARED:-$BATS_TEST_DIRNAME/../../shared}/data/field-cases/cases.ndjson
	[ -r "$cases" ] || skip "no field cases (set CTX_SHARED)"
	cd "$BATS_TEST_TMPDIR"
}

# take CASE: writes the messages of the case to "case"; raw JSON text is not parsed by jq.
take() {
	jq -r --arg id "$1" 'select(.id == $id) | .raw_json // (.messages | tojson)' \
	    "$cases" >case
	[ -s case ] || skip "no case $1"
}

rules() {
	run ctx-lint -p "$1" case
	jq -r .rule <<<"$output" | sort -u | tr '\n' ' '
}

repaired() {
	ctx-lint -p "$1" --repair case >out 2>/dev/null
	ctx-lint -p "$1" out
}

@test "every case: --repair gives a clean result that a second repair does not change, for every provider" {
	jq -r .id "$cases" >ids
	while read -r id; do
		take "$id"
		for p in openai anthropic gemini responses; do
			ctx-lint -p $p --repair case >once 2>/dev/null
			run -0 ctx-lint -p $p once
			ctx-lint -p $p --repair once >twice 2>/dev/null
			cmp once twice
		done
	done <ids
}

@test "tool-reply-dropped-though-under-limit: lint finds no error, and --repair changes nothing" {
	take tool-reply-dropped-though-under-limit
	[ -z "$(rules openai)" ]
	repaired openai
	cmp case out
}

@test "parallel-orphans-run: every result without a call is reported" {
	take parallel-orphans-run
	jq -c '[.[2, 3, 4, 5, 6]]' case >cut
	mv cut case
	[ "$(rules openai)" = "oa-orphan-result " ]
	run ctx-lint case
	[ "${#lines[@]}" = 3 ]
	repaired openai
	[ "$(jq -c 'map(.role)' out)" = '["assistant","user"]' ]
}

@test "gemini-window-opens-on-call: a request must not begin with a tool call" {
	take gemini-window-opens-on-call
	jq -c '.[1:]' case >cut
	mv cut case
	[ "$(rules gemini)" = "ge-call-after " ]
	repaired gemini
	[ "$(jq -r '.[0].role' out)" = user ]
}

@test "system-list-content: system text may be a list" {
	take system-list-content
	[ -z "$(rules openai)" ]
	[ -z "$(rules anthropic)" ]
}

@test "base64-image-counted-as-text: an image is counted at the price of an image" {
	take base64-image-counted-as-text
	jq -c '{messages: (. + [{role: "user", content: "x"}])}' case >body
	run -0 ctx-lint -b 2000 body
}

@test "surrogate-split: no surrogate pair is split" {
	take surrogate-split
	[ -z "$(rules openai)" ]
}

@test "lone-surrogate-in-stored-transcript: an unpaired surrogate is read, reported and replaced" {
	take lone-surrogate-in-stored-transcript
	[ "$(rules anthropic)" = "all-utf8 " ]
	repaired anthropic
	grep -q 'key \\ufffd text continues' out
}

@test "whitespace-placeholder: a message of white space is removed" {
	take whitespace-placeholder
	[ "$(rules anthropic)" = "an-nonempty " ]
	repaired anthropic
	[ "$(jq -c . out)" = '[{"role":"user","content":"hi"}]' ]
}

@test "content-emptied-by-strip: an empty message is removed, and roles alternate" {
	take content-emptied-by-strip
	[ "$(rules anthropic)" = "an-nonempty " ]
	repaired anthropic
	[ "$(jq -c 'map(.role)' out)" = '["user","assistant"]' ]
}

@test "thinking-truncated: a thinking block is kept unchanged" {
	take thinking-truncated
	repaired anthropic
	cmp case out
}

@test "duplicate-tool-results: the second result of a call is removed" {
	take duplicate-tool-results
	[ "$(rules openai)" = "oa-unanswered-call " ]
	repaired openai
	[ "$(jq -c 'map(.tool_call_id // empty)' out)" = '["d1","d2"]' ]
}

@test "unanswered-call-at-end: an interrupted call gets a result" {
	take unanswered-call-at-end
	[ "$(rules openai)" = "oa-unanswered-call " ]
	repaired openai
	[ "$(jq -c 'map(.tool_call_id // empty)' out)" = '["u1","u2"]' ]
}
