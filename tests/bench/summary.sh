#!/bin/sh
# Which share of the facts of real transcripts do summaries keep at 10, 20 and 40 % of the
# tokens? usage: summary.sh PROGRAM DATA
# PROGRAM is built from summary.c, which tells how it measures; DATA is a directory of
# transcripts in the formats of the tools that wrote them. Needs jq.
set -eu
[ $# -eq 2 ] || { echo "usage: ${0##*/} PROGRAM DATA" >&2; exit 2; }
program=$1 data=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

claude_code='objects | objects | select(.type == "user" or .type == "assistant") | .message | objects |
	select(.role and .content) | {role, content}'

codex='def text: if type == "array" then [.[] | .text // empty] | join("\n")
		elif type == "object" then .output // tojson else . // "" | tostring end;
	select(.type == "response_item") | .payload | objects |
	if .type == "message" then {role, content: (.content | text)}
	elif .type == "function_call" or .type == "custom_tool_call" then
		{role: "assistant", content: null, tool_calls: [{id: .call_id, type: "function",
		function: {name, arguments: (.arguments // .input // "" | text)}}]}
	elif .type == "function_call_output" or .type == "custom_tool_call_output" then
		{role: "tool", tool_call_id: .call_id, content: (.output | text)}
	else empty end'

swe_agent='(.history // [.trajectory[] | {role: "assistant", content: (.thought + "\n" + .action)},
	{role: "user", content: .observation}]) | .[] | select(.content | strings) |
	{role: (if .role == "tool" then "user" else .role end), content}'

locomo='.conversation as $c | $c.speaker_a as $a | range(1; 60) | $c["session_\(.)"] // [] | .[] |
	{role: (if .speaker == $a then "user" else "assistant" end), name: .speaker, content: .text}'

for f in "$data"/claude-code/*.jsonl; do
	jq -c "$claude_code" "$f" > "$dir/claude-code.$(basename "$f" .jsonl)"
done
for f in "$data"/codex/*.jsonl; do
	jq -c "$codex" "$f" > "$dir/codex.$(basename "$f" .jsonl)"
done
for f in "$data"/swe-agent/*.traj; do
	jq -c "$swe_agent" "$f" > "$dir/swe-agent.$(basename "$f" .traj)"
done
i=0
while [ "$(jq -c ".[$i] // empty" "$data/locomo/locomo4.json" | head -c 1)" ]; do
	jq -c ".[$i] | $locomo" "$data/locomo/locomo4.json" > "$dir/locomo.$i"
	i=$((i + 1))
done
i=0
while IFS= read -r line; do
	printf '%s\n' "$line" | jq -c '.messages[]' > "$dir/tau-bench.$i"
	i=$((i + 1))
done < "$data/openai-chat/taubench-airline-60.jsonl"

for set in claude-code codex swe-agent locomo tau-bench; do
	"$program" "$set" "$dir/$set".*
done
