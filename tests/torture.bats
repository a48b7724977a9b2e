# Short versions of "make torture" with a fixed random seed. The commands that are tested are in
# tests/torture/scenarios.py.
load helper

torture() {
	python3 "$ROOT/tests/torture/torture.py" "$1" "$CTX_BIN" "$CTX_BIN/dynamic" \
		"$CTX_BIN/tools/faults.so" "$2" 1 >out || { grep -v '^ok' out; return 1; }
}

@test 'after a failing system call in any command, the store is intact and usable' {
	! sanitized || skip 'built with sanitizers, which come before any other library'
	torture faults 2
}

@test 'after running out of memory in any command, the store is intact and usable' {
	! sanitized || skip 'built with sanitizers, which come before any other library'
	torture memory 1
}

@test 'after killing any command that writes, the store is intact and usable' {
	torture kills 1
}

@test 'on a damaged store, no command crashes or prints different text' {
	torture damage 1
}

@test 'writers, readers and an archiver work on one store at once' {
	[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
	python3 "$ROOT/tests/torture/load.py" "$CTX_BIN" 5 >out || { cat out; return 1; }
}

@test 'a session that is archived and restored repeatedly can be read all the time' {
	[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
	python3 "$ROOT/tests/torture/moves.py" "$CTX_BIN" 5 >out || { cat out; return 1; }
}

@test 'two stores that share an archive directory lose no message, and a purge removes or reports every copy' {
	[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
	python3 "$ROOT/tests/torture/owners.py" "$CTX_BIN" 5 1 >out || { cat out; return 1; }
}

@test 'for random sessions, each request of an append-only run extends the previous one and fits the budget' {
	[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
	python3 "$ROOT/tests/torture/runs.py" "$CTX_BIN" 4 >out || { cat out; return 1; }
}

@test 'if providers fail or ctx-turn is killed, no message of a turn is lost or stored twice' {
	command -v jq >/dev/null && command -v curl >/dev/null || skip 'no jq or no curl'
	python3 "$ROOT/tests/torture/turns.py" "$CTX_BIN" 8 1 >out || { cat out; return 1; }
	jq -e '.failures + .kills >= 8' out >/dev/null
}
