# Stores with invalid contents, as an attacker could write them.
load helper

fill() {
	ctx-new --id s --agent a -u u --share v --metadata '{"m":1}' --ttl 90d >/dev/null
	ctx-item define <<<'{"agent":"a","type":"rule","name":"r","content":"x","modes":["m"]}' >/dev/null
	ctx-item define <<<'{"agent":"a","type":"tool","server_name":"v","name":"t","content":"x","schema":{"type":"object"}}' >/dev/null
	ctx-item add -s s --type rule r >/dev/null
	ctx-entity load <<<'{"type":"person","name":"Ann","id":7,"slug":"ann","aliases":["Anna"],"data":{"a":1},"relations":[{"type":"knows","target":"Bob","target_type":"person"}]}
{"type":"person","name":"Bob","parent":"Ann"}' >/dev/null
	for i in {1..6}; do
		ctx-append -q -s s --id "m$i" --metadata '{"x":1}' -t "message $i of Ann"
	done
	ctx-append -q -s s --pin -t pinned
	ctx-summarize -q -s s >/dev/null
	ctx-append -q -s s -t 'one more message of Ann' -t 'and another message of Ann'
	ctx-prune -s s --apply -b 40 >/dev/null
	ctx-window -s s | ctx-enrich | ctx-render -p openai --request req >/dev/null
	ctx-append -q --request req <<<'{"choices":[{"message":{"role":"assistant","content":"fine"},"finish_reason":"stop"}]}'
	# fills every table
	ctx-append -q -s s --tokenizer chars4 -t 'message of host-77.example.com at 10.1.2.3'
	ctx-new -u u --set-preferences '{"style":"short"}'
	ctx-entity load -q <<<'{"type":"rack","pattern":"R[0-9]+"}'
	ctx-entity track -s s --action created Ann >/dev/null
	ctx-append -q --create -s old -t 'an old message of Ann about 10.9.8.7'
	ctx-archive -q -s old --cleanup --to place >/dev/null
	sqlite3 "$CTX_STORE" "INSERT INTO archive_run VALUES ('$PWD/place'); INSERT INTO tokenizer VALUES (2, 'other');
		UPDATE message SET tokenizer = 2 WHERE id & 4294967295 = 3"
	ctx-entity track -s s --resolve-exec cat >/dev/null 2>&1 || true
	ctx-enrich --history relevant <<<"$(ctx-window -s s)" >/dev/null
	ctx-stats -s s --tokenizer auto:gpt-4 >/dev/null
	ctx-window -s s --tokenizer chars4 >/dev/null
	ctx-check -q --catch-up
	ctx-check -q
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	sqlite3 "$CTX_STORE-derived" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	ctx-window -s s >in
}

@test 'commands reject invalid column values without crashing, and ctx-check reports them' {
	fill
	# testing all values takes minutes
	step=61
	[ -z "${MUTATE_EVERY-}" ] || step=$MUTATE_EVERY
	mutate-store "$CTX_STORE" "$step"
}

@test 'invalid enums, counters and JSON in the store are rejected when they are read, and other sessions stay readable' {
	fill
	cp "$CTX_STORE" good
	wrong() { # SQL NAME COMMAND…
		local sql=$1 name=$2
		shift 2
		cp good "$CTX_STORE"
		sqlite3 "$CTX_STORE" "$sql" || return
		run -5 --separate-stderr "$@" || return
		[[ "$stderr" = *"$name"* ]] || { echo "$sql: $stderr" >&2; return 1; }
		run -1 --separate-stderr ctx-check
		[[ "$output" = *"column $name"*"has a wrong value"* ]] || { echo "$sql: $output $stderr" >&2; return 1; }
	}
	wrong 'UPDATE session SET status = 99' status ctx-list
	wrong 'UPDATE session SET status = 99' status ctx-window -s s
	wrong 'UPDATE session SET last_seq = 1 << 40' last_seq ctx-summarize -s s
	wrong 'UPDATE session SET last_seq = 1 << 40' last_seq ctx-prune -s s --apply -b 60
	wrong 'UPDATE session SET token_count = 9223372036854775807' token_count ctx-append -s s -t x
	wrong "UPDATE session SET metadata = '{'" metadata ctx-show -s s
	wrong 'UPDATE message SET role = 77' role ctx-window -s s
	wrong 'UPDATE message SET type = -1' type ctx-show -s s
	wrong 'UPDATE message SET token_count = -5' token_count ctx-window -s s
	wrong "UPDATE event SET record = 'x'" record ctx-show -s s
	wrong "UPDATE summary SET source = 'x'" source ctx-show -s s
	wrong 'UPDATE session SET hidden_count = 1; INSERT OR REPLACE INTO hidden VALUES ((1 << 32) + 1, -1, 0)' last_id ctx-window -s s
	wrong 'UPDATE session SET hidden_count = 1; INSERT OR REPLACE INTO hidden VALUES ((1 << 32) + 3, (1 << 32) + 1, 0)' last_id ctx-window -s s
	wrong 'UPDATE summary SET last_seq = 0' last_seq ctx-show -s s
	wrong "UPDATE identity SET id = 'x'" id ctx-archive -s s --to place
	run -5 --separate-stderr ctx-archive -s s --to place
	[[ "$stderr" = *': an identity has'* ]]
	wrong 'UPDATE archive_file SET state = 9' state ctx-delete -s old --purge
	wrong "UPDATE archive_file SET uri = x'00'" uri ctx-archive --relocate /x "$PWD"
	wrong "UPDATE entity SET data = 'x'" data ctx-entity list
	wrong "UPDATE item SET enabled = 7" enabled ctx-item list --agent a
}

@test 'ctx-check reports JSON of the wrong shape and references to missing rows' {
	fill
	cp "$CTX_STORE" good
	named() { # SQL TABLE NAME
		cp good "$CTX_STORE"
		sqlite3 "$CTX_STORE" "$1" || return
		run -1 --separate-stderr ctx-check -q
		[[ "$output" = *"table $2, "*"column $3"*"has a wrong value"* ]] || { echo "$1: $output $stderr" >&2; return 1; }
	}
	named 'UPDATE message SET tokenizer = 500 WHERE id & 4294967295 = 2' message tokenizer
	for value in '[]' 5 null '"x"'; do
		named "UPDATE request SET record = '$value'" request record
		named "UPDATE event SET record = '$value'" event record
		named "UPDATE summary SET body = '$value'" summary body
		named "UPDATE summary SET source = '$value'" summary source
		named "UPDATE session SET metadata = '$value'" session metadata
		named "UPDATE message SET metadata = '$value' WHERE id & 4294967295 = 2" message metadata
	done
	named "UPDATE item SET schema = '[]' WHERE type = 'tool'" item schema
	named "UPDATE item SET modes = '{}' WHERE type = 'rule'" item modes
	named "UPDATE entity SET external_id = '{}' WHERE name = 'Ann'" entity external_id
	named "UPDATE request SET record = '{\"status\":3}'" request record
	named "UPDATE event SET record = '{\"kind\":\"event\",\"event\":\"archive\"}'" event record
	named "UPDATE summary SET body = '{}'" summary body
	named 'UPDATE summary SET last_seq = 9999' summary last_seq
	named 'UPDATE session SET summary = 77' session summary
}

@test 'commands reject invalid values in the file of derived data without crashing, and --rebuild replaces them' {
	fill
	# testing all values takes minutes
	step=61
	[ -z "${MUTATE_EVERY-}" ] || step=$MUTATE_EVERY
	mutate-store "$CTX_STORE" "$step" derived
}

@test 'derived values that are out of range are rejected when they are read, and ctx-check reports them' {
	fill
	cp "$CTX_STORE-derived" good
	wrong() { # SQL NAME COMMAND…
		local sql=$1 name=$2
		shift 2
		cp good "$CTX_STORE-derived"
		sqlite3 "$CTX_STORE-derived" "$sql" || return
		run -1 --separate-stderr ctx-check
		[[ "$output" = *"column $name"*"has a wrong value"* ]] || { echo "$sql: $output $stderr" >&2; return 1; }
		run --separate-stderr timeout 20 "$@"
		[ "$status" -lt 100 ] || { echo "$sql: $*: $status" >&2; return 1; }
		[[ "$stderr" = *"has an invalid"*"ctx-check --rebuild"* ]] || { echo "$sql: $*: $output $stderr" >&2; return 1; }
		ctx-check --rebuild -q 2>/dev/null
		ctx-check -q
	}
	wrong 'UPDATE fulltext_kept SET role = 99' 'role' ctx-search old
	wrong 'UPDATE fulltext_kept SET size = 1 << 40' 'size' ctx-search old
	wrong "UPDATE fulltext_kept SET text = 'x'" 'role, size or text' ctx-search old
	wrong "UPDATE session_entity SET session_no = 'x' WHERE session_no = 1" session_no ctx-entity find --sessions Ann
	wrong 'UPDATE session_entity SET mentions = -1' mentions ctx-entity list -s s
	wrong "UPDATE mark SET seq = 1 << 40 WHERE kind = 'fulltext'" seq ctx-check --catch-up
	# a mention that starts 10 bytes before the text: (entity 1, offset -10, length 40)
	wrong "UPDATE mention SET found = x'021350'" found ctx-entity list -s s --seq 1
	wrong "UPDATE mention SET found = x'02ffffffffffffffffff0102'" found ctx-entity list -s s --seq 1
	wrong "UPDATE cache_use SET hits = 'x'" hits ctx-stats --cache
}

@test 'an invalid cached value is computed again' {
	fill
	ctx-enrich in >before
	cp "$CTX_STORE-derived" good
	for value in "'{'" "x'00'" "'[]'" "1" "'{\"additions\":[1,{},{\"source\":1,\"message\":2}],\"room\":-9223372036854775807,\"passed\":[3]}'"; do
		cp good "$CTX_STORE-derived"
		sqlite3 "$CTX_STORE-derived" "UPDATE cache SET value = $value"
		ctx-enrich in | same before
	done
}

@test 'a message that is not JSON is rejected even with the right checksum' {
	fill
	python3 - <<-'X'
		import os, sqlite3, zlib
		db = sqlite3.connect(os.environ["CTX_STORE"])
		body = '{"role":"user","content":"'
		db.execute("UPDATE message SET body = ?, crc = ? WHERE id & 4294967295 = 7", (body, zlib.crc32(body.encode())))
		db.commit()
	X
	for c in 'ctx-window -s s' 'ctx-show -s s' 'ctx-archive -s s --to place'; do
		run $c
		[ "$status" -ge 3 ] && [ "$status" -le 5 ]
	done
	status 1 ctx-check -q >out
}

@test 'a store with triggers, views or virtual tables is refused' {
	ctx-new --id s >/dev/null
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	cp "$CTX_STORE" good
	for sql in 'CREATE TRIGGER t AFTER INSERT ON message BEGIN DELETE FROM message; END' 'CREATE VIEW v AS SELECT 1' \
		'CREATE TABLE other (x); CREATE TRIGGER t AFTER INSERT ON other BEGIN DELETE FROM message; END' \
		'CREATE VIRTUAL TABLE f USING fts5(x)'; do
		rm -f "$CTX_STORE"*
		cp good "$CTX_STORE"
		sqlite3 "$CTX_STORE" "$sql"
		for c in ctx-list 'ctx-append -s s -t x' 'ctx-window -s s' ctx-check 'ctx-delete -s s --purge'; do
			run -5 --separate-stderr $c
			[[ "$stderr" = *"that ctx did not create"* ]]
		done
	done
}

@test 'ctx-archive --verify and --restore reject the same damaged archives, and ctx-check finds no error in what they restore' {
	fill
	ctx-archive -q -s s --snapshot --to place >/dev/null
	mkdir mutations
	cd mutations
	# testing all bytes takes minutes
	mutate-archive ../place/*/*/s.ndjson.gz "${MUTATE_EVERY:-101}" 7
}
