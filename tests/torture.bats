# The short forms of "make torture", where what is done is chosen by chance: here the seed is
# the same each time. The ways in which each tool is used: tests/torture/scenarios.py.
load helper

torture() {
	python3 "$ROOT/tests/torture/torture.py" "$1" "$CTX_BIN" "$CTX_BIN/dynamic" \
		"$CTX_BIN/tools/faults.so" "$2" 1 >out || { grep -v '^ok' out; return 1; }
}

@test 'a call that fails, of every tool: what is left is sound, and can be gone on with' {
	! sanitized || skip 'built with sanitizers, which come before any other library'
	torture faults 2
}

@test 'memory that runs out, of every tool' {
	! sanitized || skip 'built with sanitizers, which come before any other library'
	torture memory 1
}

@test 'kill -9 of every tool that writes' {
	torture kills 1
}

@test 'a store that was damaged, under every tool: no crash, no other text' {
	torture damage 1
}

@test 'writers, readers and an archiver on one store' {
	[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
	python3 "$ROOT/tests/torture/load.py" "$CTX_BIN" 5 >out || { cat out; return 1; }
}

@test 'readers of a session that goes into its archive and back' {
	[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
	python3 "$ROOT/tests/torture/moves.py" "$CTX_BIN" 5 >out || { cat out; return 1; }
}

@test 'two stores that share a place: what is purged is gone or named, nothing else is lost' {
	[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
	python3 "$ROOT/tests/torture/owners.py" "$CTX_BIN" 5 1 >out || { cat out; return 1; }
}

@test 'random sessions of append-only requests' {
	[ ! -w /dev/shm ] || export TMPDIR=/dev/shm
	python3 "$ROOT/tests/torture/runs.py" "$CTX_BIN" 4 >out || { cat out; return 1; }
}

@test 'turns: failures of providers and kills lose no message and double none' {
	command -v jq >/dev/null && command -v curl >/dev/null || skip 'no jq or no curl'
	python3 "$ROOT/tests/torture/turns.py" "$CTX_BIN" 8 1 >out || { cat out; return 1; }
	jq -e '.failures + .kills >= 8' out >/dev/null
}
