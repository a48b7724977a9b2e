# Real transcripts through the whole pipeline. Transcripts that may not be distributed are read from
# $CTX_SHARED; their tests are skipped if the files are missing.
load helper

setup_file() {
	export SHARED=${CTX_SHARED:-$BATS_TEST_DIRNAME/../../shared}
}

# claude_messages FILE: prints a Claude Code session as bare messages; records of one API message are joined.
claude_messages() {
	jq -cn 'reduce (inputs|select((.type=="user" or .type=="assistant") and
			(.isMeta or .isSidechain|not))) as $l ({at: {}, out: []};
		($l.message.id // null) as $id
		| if $l.type == "assistant" and $id != null and .at[$id] != null
		  then .at[$id] as $i | .out[$i].content += $l.message.content
		  else (if $id != null then .at[$id] = (.out|length) else . end)
		       | .out += [$l.message|{role, content}]
		  end) | .out[]' "$1"
}

# each_moment SID STEP: renders a request at every STEP-th message that can be answered, for several budgets
# and providers, and checks it with ctx-lint. ctx-prune may refuse a required message that is too large.
each_moment() {
	local n=0 refused=0 seq budget provider
	while read -r seq; do
		for budget in 4000 32000; do
			for provider in openai anthropic gemini; do
				n=$((n + 1))
				ctx-window -s "$1" --until "$seq" -b $budget -p $provider >w
				if ! ctx-prune -b $budget w 2>err >pruned; then
					grep -q 'that must be kept are' err || { cat err; return 1; } >&2
					[ ! -s pruned ]
					refused=$((refused + 1))
					continue
				fi
				ctx-render -p $provider -b $budget pruned >body.json || {
					echo "message $seq, $budget, $provider"; return 1; } >&2
				ctx-lint -p $provider -b $budget body.json >lint || { cat lint; return 1; } >&2
			done
		done
	done < <(ctx-show -s "$1" | jq -r 'select(.kind == "message") | .message as $m
		| [.seq, (($m.tool_calls // [] | length) +
			([$m.content | arrays | .[] | select(.type == "tool_use")] | length)),
			(if $m.role == "tool" then 1 else
			[$m.content | arrays | .[] | select(.type == "tool_result")] | length end), $m.role]
		| @tsv' |
		awk -v step="$2" '{ open += $2 - $3; if ($4 == "user" && $3 == 0) open = 0 }
			open == 0 && $4 != "assistant" && $4 != "system" && ++k % step == 0 { print $1 }')
	[ "$n" -gt 20 ]
	[ "$refused" -lt $((n / 5)) ]
}

@test 'after each message of the bundled transcript, the session can be rendered for every provider' {
	ctx-append -q --create -s demo "$ROOT/tests/demo/transcript.ndjson"
	each_moment demo 1
}

@test 'at points throughout the longest tool loop of a real session, the session can be rendered for every provider' {
	file=$SHARED/data/claude-code/spotter_258c7280-ae70-4798-800f-63464d01a85d.jsonl
	[ -f "$file" ] || skip "no $file"
	claude_messages "$file" | ctx-append -q --create -s loop
	[ "$(ctx-list | jq .message_count)" -gt 300 ]
	each_moment loop 6
}
