# For the rows: . "$BENCH/lib.sh"
# In the environment: CTX_BIN (what was built), BENCH (this directory), WORK (scratch), SIZE (full
# or small), MESSAGES (in a long session), STORED (in a large store), ROUNDS (of short
# processes), RUNS (of long ones), PYTHON, NODE_PATH.
set -eu
PATH=$WORK/commands:$WORK/bin:$PATH
unset CTX_STORE CTX_BUDGET CTX_PROVIDER CTX_TOKENIZER

# row P OPERATION OURS PEER RATIO GOAL: a line of the result. RATIO and GOAL are compared;
# a GOAL is "<= N" or ">= N", with a unit behind it, or "-".
row() { printf '%s | %s | %s | %s | %s | %s\n' "$@"; }

# skip P OPERATION WHY
skip() { row "$1" "$2" - "$3" - skipped; }

have() { command -v "$1" >/dev/null 2>&1; }

# figure NAME COLUMN <RACE: 2 wall ms, 3 CPU ms, 4 peak MiB
figure() { awk -F '\t' -v n="$1" -v c="$2" '$1 == n { print $c }'; }

# ratio A B
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# against P OPERATION RACE OURS PEER GOAL: one process against another, from what race
# printed; by how much time ours takes of the peer's. With "faster" behind it, by how many
# times ours is faster.
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

# The table that someone would make who has only SQLite.
peer_schema='PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
CREATE TABLE message (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT,
	content TEXT, tokens INTEGER, created_at TEXT, body TEXT NOT NULL);
CREATE INDEX message_session ON message (session_id, id);'

# peer_store DB FILE: the messages of FILE in session S
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

# our_store DB FILE: the same
our_store() {
	rm -f "$1" "$1"-*
	ctx-append -S "$1" -s S --create -q "$2"
}
