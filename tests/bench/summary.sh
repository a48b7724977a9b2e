#!/bin/sh
# usage: summary.sh DATA
# Measures the built-in summary, which is made without a model. DATA is a directory of transcripts in the
# formats of the tools that wrote them. Prints:
# - the share of the facts used after a cut that the summary contains, and the same share for the first
#   and last text of the same size (summary_facts.py);
# - the lines that are neither headings nor sentences, actions or facts (tests/tools/summary_grammar.py);
# - the share of the facts in a first summary that are left after ten summaries (summary_chain.py).
# With SUMMARY_SHOW=DIR, the summaries of 20 % are written to DIR, for somebody who answers questions from
# them alone. Needs jq and python3; the commands of ctx are taken from PATH.
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
