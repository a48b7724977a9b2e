# jq.sh DB FILE SCHEMA: jq extracts the members of each message, and sqlite3 stores them
set -eu
sqlite3 "$1" <"$3" >/dev/null
jq -r '["S", .role, .content, ((.content // "") | length / 4 | floor),
	"2026-01-02T03:04:05.678Z", tojson] | @csv' "$2" | sqlite3 -csv "$1" '.import /dev/stdin message'
