#!/bin/sh
# What summaries without a model are worth. usage: summary.sh DATA
# DATA is a directory of transcripts in the formats of the tools that wrote them. Prints,
# beside the first and last text of the same size: the share of facts used after a cut
# (summary_facts.py says how it is counted), lines that are neither heading, sentence,
# action nor fact (tests/tools/summary_grammar.py), and what is left over ten cuts of the
# facts of the first. With SUMMARY_SHOW=DIR the summaries at 20 % are written there, for
# somebody who answers questions with nothing else. Needs jq and python3; the commands are
# taken from PATH.
set -eu
[ $# -eq 1 ] || { echo "usage: ${0##*/} DATA" >&2; exit 2; }
data=$1 here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

i=0
while IFS= read -r line; do
	printf '%s\n' "$line" | jq -c '.messages[]' >"$dir/tau-bench.$i"
	i=$((i + 1))
done <"$data/openai-chat/taubench-airline-60.jsonl"
for f in "$data"/claude-code/*.jsonl "$data"/codex/*.jsonl "$data"/gemini/* "$data"/swe-agent/*.traj; do
	ctx-import -q "$f" 2>/dev/null | jq -c 'select(.kind == "message").message' >"$dir/agents.$(basename "$f")" || :
done
for f in "$data"/beam/*.messages.ndjson; do
	jq -c '.message? // .' "$f" >"$dir/beam.$(basename "$f" .messages.ndjson)"
done

for set in tau-bench agents beam; do
	python3 "$here/summary_facts.py" "$set" ctx-summarize "$dir/$set".*
done
python3 "$here/summary_chain.py" ctx-summarize "$dir"/beam.b1 "$dir"/agents.spotter_*[0-9d].jsonl
out=${SUMMARY_SHOW:-$dir/show}
mkdir -p "$out"
n=0
for f in "$dir"/*.*; do
	size=$(ctx-count "$f" 2>/dev/null | jq -s '[.[].token_count // 0] | add // 0')
	[ "$size" -ge 1000 ] || continue
	{ cat "$f"; echo '{"role":"user","content":"?"}'; } |
		ctx-summarize -q --keep-last 1 --max-tokens $((size / 5)) |
		jq -r 'select(.slot == "summary").message.content' >"$out/$(basename "$f").txt"
	n=$((n + 1))
done
python3 "$here/../tools/summary_grammar.py" "$out"/*.txt && echo "grammar: $n summaries, all lines parsed"
