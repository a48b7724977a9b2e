# For the rows: . "$BENCH/lib.sh"
# Environment variables: CTX_BIN (directory of the built commands), BENCH (this directory), WORK (scratch
# directory), SIZE (full or small), MESSAGES (number of messages in a long session), STORED (number of
# messages in a large store), ROUNDS (number of rounds with short processes), RUNS_MID and RUNS (the same
# for longer processes), SECONDS_EACH (duration of a run of writers), PYTHON, NODE_PATH.
set -eu
PATH=$WORK/commands:$WORK/bin:$PATH
unset CTX_STORE CTX_BUDGET CTX_PROVIDER CTX_TOKENIZER

# row P OPERATION OURS PEER RATIO GOAL: prints a line of the result. RATIO is compared with GOAL, which is
# "<= N" or ">= N", with a unit after N if needed, or "-".
row() { printf '%s | %s | %s | %s | %s | %s\n' "$@"; }

# skip P OPERATION WHY
skip() { row "$1" "$2" - "$3" - skipped; }

have() { command -v "$1" >/dev/null 2>&1; }

# figure NAME COLUMN <RACE: prints a column of the output of race: 2 wall time in ms, 3 CPU time in ms, 4
# peak memory in MiB
figure() { awk -F '\t' -v n="$1" -v c="$2" '$1 == n { print $c }'; }

# ratio A B
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# against P OPERATION RACE OURS PEER GOAL [faster]: prints a row that compares two programs in the output
# RACE of race. The ratio is our time divided by the time of the peer; with "faster", the inverse.
against() {
	ours=$(figure "$4" 2 <"$3") peer=$(figure "$5" 2 <"$3")
	ours_cpu=$(figure "$4" 3 <"$3") peer_cpu=$(figure "$5" 3 <"$3")
	if [ "${7:-}" = faster ]; then
		r="$(ratio "$peer" "$ours") (CPU $(ratio "$peer_cpu" "$ours_cpu"))"
	else
		r="$(ratio "$ours" "$peer") (CPU $(ratio "$ours_cpu" "$peer_cpu"))"
	fi
	row "$1" "$2" "$ours ms ($ours_cpu CPU)" "$5 $peer ms ($peer_cpu CPU)" "$r" "$6"
}

# The table that a user of SQLite alone would create.
peer_schema='PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
CREATE TABLE message (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT,
	content TEXT, tokens INTEGER, created_at TEXT, body TEXT NOT NULL);
CREATE INDEX message_session ON message (session_id, id);'

# peer_store DB FILE: creates the peer's database DB with the messages of FILE in session S
peer_store() {
	rm -f "$1" "$1"-wal "$1"-shm
	sqlite3 "$1" >/dev/null <<-END
		$peer_schema
		CREATE TEMP TABLE line (line TEXT);
		.mode ascii
		.separator "\001" "\n"
		.import $2 line
		INSERT INTO message (session_id, role, content, tokens, created_at, body)
		SELECT 'S', json_extract(line, '\$.role'), json_extract(line, '\$.content'),
			length(line) / 4, '2026-01-02T03:04:05.678Z', line FROM line;
	END
}

# our_store DB FILE: creates the store DB with the messages of FILE in session S
our_store() {
	rm -f "$1" "$1"-*
	ctx-append -S "$1" -s S --create -q "$2"
}
