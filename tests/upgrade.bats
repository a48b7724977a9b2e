# Stores of the first version are upgraded when a command opens them.
load helper

setup() {
	isolate
	first=$BATS_TEST_DIRNAME/fixtures/first-version
}

# Creates a store of the first version with data in each table.
old_store() {
	mkdir -p place/2026/01
	cp "$first/d.ndjson.gz" place/2026/01
	sed "s,@PLACE@,$PWD/place,g" "$first/store.sql" | sqlite3 "$CTX_STORE"
	gzip -dc "$first/derived.gz" >"$CTX_STORE-derived"
}

# schema STORE: prints the tables, indexes and columns.
schema() {
	sqlite3 "$1" "SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'fulltext%' ORDER BY 1, 2"
	sqlite3 "$1" "SELECT m.name, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk
		FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.name NOT LIKE 'fulltext%' ORDER BY 1, c.cid"
}

@test 'an upgraded store contains the same data as before' {
	old_store
	ctx-check >out 2>err
	[ ! -s out ]
	grep -q '4 sessions checked, 0 findings' err
	sqlite3 "$CTX_STORE" 'PRAGMA user_version; PRAGMA integrity_check' | same - $'2\nok'
	for s in b c; do
		ctx-show -s $s >show
		jq -r 'select(.kind == "request") | .messages[].message.content // empty' show | grep -c 'a document that both' | same - 2
		jq -s '[.[] | select(.kind == "message")] | length' show | same - "$([ $s = b ] && echo 11 || echo 10)"
	done
	ctx-item list --agent shop | jq -r 'select(.type != "tool") | .content' | sort | same - $'Be brief and kind to all of them.\nYou sell shoes.'
	ctx-entity list -s b | jq -r 'select(.name == "core-router-7") | .action' | same - created
	ctx-new -u u --tenant t --id f >/dev/null
	ctx-show --tenant t -s f | jq -c 'select(.kind == "session") | .preferences' | same - '{"unit":"km"}'
	ctx-list -u w -1 | same - b
	ctx-search archived | jq -r .session_id | same - d
	ctx-archive -q --restore -s d >/dev/null
	ctx-show -s d | grep -q 'An archived text'
	ctx-append -q -s b -t 'And on.'
	ctx-window -s b | ctx-enrich | ctx-render -p openai --request request >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}' | ctx-append -q -s b --request request
	ctx-check -q
}

@test 'an upgraded store has the same schema as a new store' {
	old_store
	ctx-list >/dev/null
	ctx-search router >/dev/null
	CTX_STORE=new.db ctx-new --id a >/dev/null
	CTX_STORE=new.db ctx-item define -q <<<'{"type":"rule","name":"r","content":"c"}'
	CTX_STORE=new.db ctx-append -q -s a -t router
	CTX_STORE=new.db ctx-search router >/dev/null
	schema new.db >want
	schema "$CTX_STORE" | same - "$(cat want)"
	schema new.db-derived >want
	schema "$CTX_STORE-derived" | same - "$(cat want)"
}

@test 'purging an upgraded session keeps texts that another session shares' {
	old_store
	ctx-delete -q --purge -s b >/dev/null
	ctx-show -s c | grep -q 'a document that both'
	ctx-delete -q --purge --receipt -s c | tail -n 1 | jq '.additions > 0 and .survivors == 0' | same - true
	sqlite3 "$CTX_STORE" 'SELECT count(*) FROM content' | same - 0
	[ -z "$(grep -al 'a document that both' "$CTX_STORE"* || true)" ]
	ctx-check -q
}

@test 'an old store without the tables that the first version created only when needed can be upgraded' {
	old_store
	rm "$CTX_STORE-derived"
	sqlite3 "$CTX_STORE" 'DROP TABLE session_entity_link; DROP TABLE identity; DROP TABLE archive_file;
		DROP TABLE archive_run; DROP TABLE item; DROP TABLE session_item; DROP TABLE entity;
		DROP TABLE entity_alias; DROP TABLE entity_relation; DROP TABLE entity_pattern; DROP TABLE entity_change'
	ctx-list -1 | sort | same - $'a\nb\nc'
	ctx-show -s b | grep -q 'a document that both'
	ctx-item define -q <<<'{"type":"rule","name":"r","content":"c"}'
	ctx-item list | jq -r .content | same - c
	sqlite3 "$CTX_STORE" 'PRAGMA user_version' | same - 2
}

@test 'an upgrade is done completely or not at all' {
	old_store
	sqlite3 "$CTX_STORE" 'ALTER TABLE content_use RENAME TO away'
	sqlite3 "$CTX_STORE" .dump >before
	status 5 ctx-list >out 2>err
	grep -q content_use err
	sqlite3 "$CTX_STORE" .dump | same - "$(cat before)"
	sqlite3 "$CTX_STORE" 'PRAGMA user_version; ALTER TABLE away RENAME TO content_use' | same - 1
	ctx-list -1 | sort | same - $'a\nb\nc'
}

@test 'several processes that open an old store upgrade it once' {
	old_store
	for i in 1 2 3 4 5 6; do
		{ ctx-show -s b >"show.$i" 2>"err.$i"; echo $? >"rc.$i"; } &
	done
	wait
	cat rc.* | sort -u | same - 0
	cat err.* | same /dev/null
	sha256sum show.* | cut -d ' ' -f 1 | sort -u | wc -l | same - 1
}

@test 'a read-only old store is refused with a hint' {
	unshare -m true 2>/dev/null || skip 'needs mount namespaces'
	mkdir store
	CTX_STORE=$PWD/store/ctx.db
	old_store
	unshare -m mount --bind -o ro store store || skip 'may not mount'
	status 5 unshare -m bash -c 'mount --bind -o ro store store && ctx-list' >out 2>err || { cat err; false; }
	grep -q "has an older version and cannot be upgraded, because it is read-only: use a writable copy" err
	cp -r store copy
	CTX_STORE=$PWD/copy/ctx.db ctx-list -1 | sort | same - $'a\nb\nc'
}

# whole STATUS: the store has the old or the new version, contains all texts, and can be upgraded.
whole() {
	sqlite3 "$CTX_STORE" 'SELECT count(*) FROM content' >n
	case $(sqlite3 "$CTX_STORE" 'PRAGMA user_version') in
	1) [ "$1" != 0 ] && grep -qx 7 n ;;
	2) grep -qx 10 n ;;
	esac || return
	ctx-show -s b | grep -q 'a document that both' && ctx-check -q
}

again() {
	rm -f "$CTX_STORE"*
	cp saved "$CTX_STORE"
	cp saved-derived "$CTX_STORE-derived"
}

@test 'an upgrade that runs out of space can be repeated' {
	! sanitized || skip 'built with sanitizers, which come before any other library'
	old_store
	cp "$CTX_STORE" saved
	cp "$CTX_STORE-derived" saved-derived
	for how in ENOSPC short; do
		for n in 1 2 5 9 14 20 27 40 60 200; do
			again
			status=0
			LD_PRELOAD=$CTX_BIN/tools/faults.so FAULT_CALLS=pwrite FAULT_AT=$n FAULT_HOW=$how FAULT_ON=forever \
				"$CTX_BIN/dynamic/ctx-show" -s b >out 2>err || status=$?
			[ $status = 0 ] || [ ! -s out ]
			whole $status
		done
		[ $status = 0 ]
	done
}

@test 'a killed upgrade can be repeated' {
	old_store
	cp "$CTX_STORE" saved
	cp "$CTX_STORE-derived" saved-derived
	for round in $(seq 8); do
		again
		ctx-show -s b >out 2>/dev/null &
		perl -e 'select undef, undef, undef, rand 0.02'
		kill -9 $! 2>/dev/null || true
		wait $! || true
		whole 1
	done
}
