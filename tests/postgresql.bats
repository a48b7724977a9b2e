# Tests that apply only to stores on PostgreSQL. The tests start a server of their own, on a socket in a
# temporary directory.
load helper

setup_file() {
	ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export PG_DIR
	PG_DIR=$(mktemp -d /tmp/ctx-pg.XXXXXX)
	chmod 711 "$PG_DIR"
	mkdir "$PG_DIR/s"
	"$ROOT/tests/postgresql/server" start "$PG_DIR/s" 2>"$PG_DIR/why" 3>&- || true
}

teardown_file() {
	"$ROOT/tests/postgresql/server" immediate "$PG_DIR/s" 2>/dev/null || true
	rm -rf "$PG_DIR"
}

setup() {
	ENGINE='' isolate
	[ -x "$CTX_BIN/pg/ctx-window" ] || skip 'built without libpq'
	[ -S "$PG_DIR/s/.s.PGSQL.5432" ] || skip "$(cat "$PG_DIR/why")"
	export PGHOST=$PG_DIR/s PGUSER=ctx PGDATABASE=t$BATS_TEST_NUMBER
	psql -Xqd postgres -c "CREATE DATABASE $PGDATABASE"
	# settings of libpq must be in the address
	export CTX_STORE="postgresql:///$PGDATABASE?host=$PGHOST&user=ctx"
}

sql() {
	psql -XAtq -v ON_ERROR_STOP=1 "$@"
}

server() {
	"$ROOT/tests/postgresql/server" "$1" "$PG_DIR/s" 3>&-
}

# unbroken SID: prints the number of messages, or "gaps" if sequence numbers are missing.
unbroken() {
	ctx-show -s "$1" | jq -s '[.[] | select(.kind == "message").seq] | if . == [range(1; length + 1)] then length else "gaps" end'
}

@test 'for a PostgreSQL store, a command runs its PostgreSQL version, or reports that none is installed' {
	ctx-new --id s >/dev/null
	ctx-append -s s -t hello | jq -e '.seq == 1' >/dev/null
	[ "$(sql -c 'SELECT body FROM message')" = '{"role":"user","content":"hello"}' ]
	mkdir alone
	cp "$CTX_BIN/ctx-window" alone
	status 5 alone/ctx-window -s s 2>err
	grep -q 'for PostgreSQL are not installed' err
	# a store in a file needs no PostgreSQL command
	CTX_STORE=s.db ctx-new --id f >/dev/null
	CTX_STORE=s.db alone/ctx-window -s f >/dev/null
}

@test 'a missing store, database or server is reported without the password' {
	status 5 ctx-list 2>err
	grep -q "no store at 'postgresql:///$PGDATABASE'" err
	CTX_STORE="postgresql://ctx:geheim@/none?host=$PGHOST" status 5 ctx-list 2>err
	grep -q 'database "none" does not exist' err
	CTX_STORE="postgresql://ctx:geheim@/x?host=$HOME" CTX_BUSY_TIMEOUT=50ms status 4 ctx-list 2>>err
	grep -q 'cannot connect' err
	status 1 grep geheim err
	CTX_STORE='postgresql://[' status 2 ctx-list 2>err
}

@test 'a store of another version is refused with a hint' {
	ctx-new --id s >/dev/null
	sql -c 'SELECT what, version FROM ctx_store ORDER BY 1' | same - $'derived|3\nstore|2'
	for what in store derived; do
		sql -c "UPDATE ctx_store SET version = version + 90 WHERE what = '$what'"
		status 5 ctx-list 2>err
		grep -q 'newer version' err
		sql -c "UPDATE ctx_store SET version = version - 91 WHERE what = '$what'"
		status 5 ctx-append -s s -t lost 2>err
		grep -q 'cannot be upgraded on PostgreSQL: export it with the commands of that version (ctx-list | ctx-archive --snapshot' err
		sql -c "UPDATE ctx_store SET version = version + 1 WHERE what = '$what'"
	done
	# the first stores did not record the version of the derived tables
	sql -c "DELETE FROM ctx_store WHERE what = 'derived'"
	ctx-append -s s -t kept >/dev/null
	ctx-search kept | jq -e '.seq == 1' >/dev/null
	sql -c "UPDATE ctx_store SET application = 1"
	status 5 ctx-list 2>err
	grep -q 'is not a ctx store' err
}

@test 'a store is upgraded in one transaction and only once' {
	upgrade=$CTX_BIN/tools/pg_upgrade
	[ -x "$upgrade" ] || skip 'not built'
	ctx-new --id s >/dev/null
	# a failed upgrade changes nothing
	status 1 "$upgrade" "$CTX_STORE" 'ALTER TABLE session ADD COLUMN colour text; SELECT 1 / 0' 2>err
	grep -q 'division by zero' err
	sql -c "SELECT version FROM ctx_store WHERE what = 'store'" | same - 2
	ctx-append -s s -t kept >/dev/null
	# a user who may not change the tables gets an error
	sql -c "CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"
	status 1 "$upgrade" "postgresql:///$PGDATABASE?host=$PGHOST&user=reader" 'ALTER TABLE session ADD COLUMN colour text' 2>err
	grep -q 'must be owner of table session' err
	for i in 1 2 3 4 5 6 7 8; do
		"$upgrade" "$CTX_STORE" "ALTER TABLE session ADD COLUMN colour text; UPDATE session SET colour = 'red'" >"out.$i" &
	done
	wait
	cat out.* | same - 'from 2'
	sql -c "SELECT version, colour FROM ctx_store, session WHERE what = 'store'" | same - '3|red'
	status 5 ctx-list 2>err
	grep -q 'newer version 3; this program supports versions up to 2' err
}

@test 'sixteen processes that create the store and append leave no gap and repeat nothing' {
	for i in $(seq 16); do
		(for n in 1 2 3; do ctx-append --create -s s -t "$i $n"; done >"out.$i") &
	done
	wait
	[ "$(cat out.* | wc -l)" = 48 ]
	[ "$(unbroken s)" = 48 ]
	[ "$(cat out.* | jq .seq | sort -u | wc -l)" = 48 ]
}

@test 'writers of different sessions do not wait for each other' {
	ctx-new --id a >/dev/null
	ctx-new --id b >/dev/null
	mkfifo go
	{ echo "BEGIN; SELECT 1 FROM session WHERE session_id = 'a' FOR UPDATE;"; cat go; } |
		psql -XAtq >locked &
	until grep -q 1 locked 2>/dev/null; do :; done
	ctx-append -s b -t free | jq -e '.seq == 1' >/dev/null
	status 75 ctx-append -s a -t held --busy-timeout 100ms 2>err
	grep -q 'is busy, try again' err
	ctx-window -s a >/dev/null
	echo 'COMMIT;' >go
	wait
	ctx-append -s a -t free | jq -e '.seq == 1' >/dev/null
}

@test 'a lost connection is restored, and nothing is lost or stored twice' {
	ctx-new --id s >/dev/null
	mkfifo in
	ctx-append -s s <in >out &
	exec 7>in
	for i in 1 2 3 4; do
		echo '{"role":"user","content":"'$i'"}' >&7
		until [ "$(wc -l <out)" = $i ]; do :; done
		sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ctx'" >/dev/null
	done
	exec 7>&-
	wait
	[ "$(unbroken s)" = 4 ]
}

@test 'if the server stops during appends, acknowledged messages are stored' {
	ctx-new --id s >/dev/null
	for i in 1 2 3 4; do
		(n=0; while [ ! -e stop ]; do
			ctx-append -s s --busy-timeout 20s -t "$i $n" >>"out.$i" 2>>"err.$i" || true
			n=$((n + 1))
		done) 7>&- &
	done
	for i in 1 2; do
		until [ "$(cat out.* 2>/dev/null | wc -l)" -ge $((i * 8)) ]; do :; done
		server immediate
		server start
	done
	until [ "$(cat out.* | wc -l)" -ge 30 ]; do :; done
	touch stop
	wait
	cat out.* | jq -r '"\(.seq) \(.message.content)"' | sort >acknowledged
	ctx-show -s s | jq -r 'select(.kind == "message") | "\(.seq) \(.message.content)"' | sort >stored
	[ -z "$(comm -23 acknowledged stored)" ]
	[ "$(unbroken s)" = "$(wc -l <stored)" ]
	# no message is stored twice
	[ "$(cut -d ' ' -f 2- stored | sort | uniq -d | wc -l)" = 0 ]
}

@test 'a connection pooler in transaction mode works' {
	command -v pgbouncer >/dev/null || PATH=$PATH:/usr/sbin
	command -v pgbouncer >/dev/null || skip 'no pgbouncer'
	mkdir "$PG_DIR/b$BATS_TEST_NUMBER"
	dir=$PG_DIR/b$BATS_TEST_NUMBER
	cat >"$dir/ini" <<-END
	[databases]
	* = host=$PGHOST user=ctx
	[pgbouncer]
	listen_addr =
	listen_port = 5432
	unix_socket_dir = $dir
	auth_type = any
	pool_mode = transaction
	default_pool_size = 2
	logfile = $dir/log
	pidfile = $dir/pid
	END
	user=
	if [ "$(id -u)" = 0 ]; then
		user='-u postgres'
		chown postgres "$dir"
	fi
	# shellcheck disable=SC2086 # words
	pgbouncer -d $user "$dir/ini" >/dev/null 2>&1 3>&- </dev/null
	export CTX_STORE="postgresql:///$PGDATABASE?host=$dir&user=ctx"
	for i in $(seq 200); do psql -Xqh "$dir" -c 'SELECT 1' >/dev/null 2>"$dir/err" && break; done
	[ ! -s "$dir/err" ] || { cat "$dir/err" "$dir/log"; false; }
	for i in $(seq 8); do
		(for n in 1 2 3; do ctx-append --create -s s$((i % 2)) -t "word $i $n"; done >/dev/null) &
	done
	wait
	[ "$(unbroken s0)$(unbroken s1)" = 1212 ]
	ctx-window -s s0 | ctx-enrich >/dev/null
	[ "$(ctx-search word -n 100 | wc -l)" = 24 ]
	# the tenant setting does not affect the next transaction of another client
	ctx-append -q --create --tenant acme -s ta -t 'a word of acme'
	ctx-window --tenant acme -s ta | ctx-enrich | grep -q 'word of acme'
	[ "$(ctx-search --tenant acme word | wc -l)" = 1 ]
	for _ in 1 2 3 4; do
		[ -z "$(sql -h "$dir" -c "SELECT current_setting('ctx.tenant', true)")" ]
	done
	kill "$(cat "$dir/pid")"
}

# divided HOW: partitions the tables with examples/postgresql/partitions.sql.
divided() {
	ctx-new --id before >/dev/null
	ctx-append -s before -t 'first word' >/dev/null
	sql -v parts=4 -v how="$1" -f "$ROOT/examples/postgresql/partitions.sql" >/dev/null
	for i in $(seq 16); do
		for n in x y; do
			echo '{"id":"'$n'","role":"user","content":"word '$i'"}' | jq -c '{kind: "message", id, message: {role, content}}'
		done | ctx-append --create -s "s$i" >/dev/null
	done
	# sessions are distributed over all partitions, and each session is in one partition
	[ "$(sql -c 'SELECT count(DISTINCT tableoid) FROM message')" = 4 ]
	[ "$(sql -c 'SELECT max(n) FROM (SELECT count(DISTINCT tableoid) AS n FROM message GROUP BY id >> 32) AS t')" = 1 ]
	sql -c 'SELECT DISTINCT partstrat FROM pg_partitioned_table' | same - "${1:0:1}"
	[ "$(ctx-search word -n 100 | wc -l)" = 33 ]
	[ "$(ctx-list | wc -l)" = 17 ]
	ctx-window -s s3 | ctx-render -p openai --request req >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"sure"},"finish_reason":"stop"}]}' |
		ctx-append -s s3 --request req | jq -e '.seq == 3' >/dev/null
	[ "$(unbroken s3)" = 3 ]
	# a message id is unique in a session
	echo '{"kind":"message","id":"x","message":{"role":"user","content":"word 1"}}' | ctx-append -s s1 | jq -e '.seq == 1' >/dev/null
	ctx-list | ctx-entity track -q
	ctx-check -q
	ctx-archive -q -s s4 --to place --cleanup >/dev/null
	ctx-archive -q -s s4 --restore >/dev/null
	[ "$(unbroken s4)" = 2 ]
	ctx-delete -s s3 --purge >/dev/null
	[ "$(ctx-search word -n 100 | wc -l)" = 31 ]
}

@test 'tables partitioned by ranges of sessions work' {
	divided range
}

@test 'tables partitioned by a hash of the session work' {
	divided hash
}

@test 'a database login or a transaction setting limits access to one tenant or to no tenant' {
	for t in acme beta; do
		ctx-new --tenant $t --id "s-$t" >/dev/null
		ctx-append --tenant $t -s "s-$t" -t "secret of $t" >/dev/null
		ctx-window --tenant $t -s "s-$t" >/dev/null
		echo '{"type":"site","name":"Site-'$t'"}' | ctx-entity --tenant $t load >/dev/null
		echo '{"agent":"","type":"rule","name":"r-'$t'","content":"rule of '$t'"}' | ctx-item --tenant $t define >/dev/null
	done
	ctx-search secret >/dev/null
	sql -f "$ROOT/examples/postgresql/tenants.sql"
	sql -c "CREATE ROLE acme LOGIN IN ROLE ctx_tenant; CREATE ROLE pool LOGIN IN ROLE ctx_tenant;
	    INSERT INTO ctx_tenant_login VALUES ('acme', 'acme')"
	export CTX_STORE="postgresql:///$PGDATABASE?host=$PGHOST&user=acme"
	[ "$(ctx-list | jq -r .session_id)" = s-acme ]
	[ -z "$(ctx-list --tenant beta | jq -r 'select(.tenant_id == "beta")')" ]
	[ "$(ctx-search secret | jq -r .session_id)" = s-acme ]
	status 1 ctx-window -s s-beta 2>/dev/null
	status 1 ctx-show -s s-beta 2>/dev/null
	status 1 ctx-append --tenant beta -s s-beta -t x 2>/dev/null
	status 1 ctx-delete -s s-beta 2>/dev/null
	ctx-append -s s-acme -t more | jq -e '.seq == 2' >/dev/null
	ctx-window -s s-acme | ctx-enrich | ctx-render -p text | grep -q 'secret of acme'
	# the limit applies to all SQL of the login
	export PGUSER=acme
	for table in message request event content fulltext entity item session mark; do
		sql -c "SET ctx.tenant = 'beta'; SELECT * FROM $table" >rows
		! grep -q beta rows
	done
	no=$(PGUSER=ctx sql -c "SELECT no FROM session WHERE session_id = 's-beta'")
	[ -z "$(sql -c "SELECT body FROM message WHERE id BETWEEN $no::bigint << 32 AND ($no::bigint << 32) + 9")" ]
	status 1 sql -c "INSERT INTO pin VALUES (($no::bigint << 32) + 1)" 2>/dev/null
	status 1 sql -c "UPDATE session SET tenant_id = 'beta'" 2>/dev/null
	[ "$(sql -c "WITH gone AS (DELETE FROM message WHERE id >> 32 = $no RETURNING 1) SELECT count(*) FROM gone")" = 0 ]
	status 1 sql -c "INSERT INTO ctx_tenant_login VALUES ('acme', 'beta')" 2>/dev/null
	status 1 sql -c 'SELECT * FROM ctx_tenant_login' 2>/dev/null
	status 1 sql -c 'ALTER TABLE session DISABLE ROW LEVEL SECURITY' 2>/dev/null
	# a shared login sees nothing until it sets a tenant
	export CTX_STORE="postgresql:///$PGDATABASE?host=$PGHOST&user=pool"
	[ -z "$(ctx-list)" ]
	[ -z "$(ctx-search secret)" ]
	status 1 ctx-window -s s-beta 2>/dev/null
	[ "$(ctx-list --tenant beta | jq -r .session_id)" = s-beta ]
	[ "$(ctx-search --tenant beta secret | jq -r .session_id)" = s-beta ]
	ctx-new --tenant beta --id s-acme >/dev/null
	[ -z "$(PGUSER=pool sql -c 'SELECT * FROM message')" ]
}

# Prints all records of the store except "restore" events.
everything() {
	ctx-list | ctx-show | jq -cS 'select(.event != "restore")' | sort
}

@test 'a store can be moved from SQLite to PostgreSQL and back' {
	export CTX_STORE=from.db
	ctx-new --id a --tenant t --user u --title 'A title' >/dev/null
	printf '%s\n' '{"role":"system","content":"be brief"}' '{"role":"user","content":"caf\u00e9 \ud83d\ude00 1.10","n":1e400}' |
		ctx-append -s a >/dev/null
	echo '{"kind":"message","id":"own","created_at":"2025-01-01T00:00:00Z","metadata":{"k":[1]},"pinned":true,"message":{"role":"assistant","content":"yes"}}' |
		ctx-append -s a >/dev/null
	ctx-append -s a -t 'and now?' >/dev/null
	ctx-window -s a | ctx-render -p openai --request req.json >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"sure"},"finish_reason":"stop"}]}' | ctx-append -s a --request req.json >/dev/null
	ctx-new --id b --fork a@2 >/dev/null
	ctx-prune -s b --apply --hide last >/dev/null 2>&1 || true
	everything >want
	ctx-list | ctx-archive --to out --snapshot >/dev/null
	export CTX_STORE="postgresql:///$PGDATABASE?host=$PGHOST&user=ctx"
	ctx-archive --restore out/*/*/*.gz >/dev/null
	everything | same want
	ctx-list | ctx-archive --to back --snapshot >/dev/null
	export CTX_STORE=back.db
	ctx-archive --restore back/*/*/*.gz >/dev/null
	everything | same want
}

@test 'on PostgreSQL, a purge receipt lists the copies whose removal it cannot prove' {
	text='the blue whale is larger than any other animal that has ever lived here'
	for s in a b; do
		ctx-append --create -s $s -t "$text in $s, and it sings for hours on end" >/dev/null
	done
	ctx-search whale >/dev/null
	ctx-delete -q -s a --purge --receipt | tail -n 1 >receipt
	jq -e '.survivors == 0 and .messages == 1 and .shared > 0 and .bytes_scanned > 50 and .archives_scanned == 0' receipt
	jq -r '.unproven[]' receipt | same - $'old versions of rows, until VACUUM\nwrite-ahead log, until it is recycled\narchived logs, replicas and backups'
	# a copy in another table is found
	sql -c "INSERT INTO cache_use VALUES ('$text in b, and it sings for hours on end', 0, 0)"
	status 1 ctx-delete -q -s b --purge --receipt >receipt 2>err
	tail -n 1 receipt | jq -e '.survivors > 0'
	grep -q 'the store or an archive still contains parts of the removed text' err
	# for a SQLite file, the receipt is complete
	export CTX_STORE=file.db
	ctx-append --create -s a -t "$text" >/dev/null
	ctx-delete -q -s a --purge --receipt | tail -n 1 | jq -e '.survivors == 0 and .unproven == null'
}

@test 'a search finds the same messages in SQLite and in PostgreSQL' {
	words=(alpha beta gamma delta Häuser running runs 10.0.0.1 sw-core-01 東京都 naïve don\'t e-mail)
	for i in $(seq 60); do
		echo '{"role":"user","content":"'"${words[i % 13]} ${words[i * 5 % 13]} ${words[i * 7 % 11]} n$i ${words[i % 3]}"'"}'
	done >in
	for store in file.db "$CTX_STORE"; do
		export CTX_STORE=$store
		for s in one two; do
			ctx-append --create -s $s <in >/dev/null
		done
		ctx-append -s two -t 'alpha of the assistant' --role assistant >/dev/null 2>&1 || true
		for q in alpha 'alpha beta' '"alpha beta"' 'run' 'haus' 'Häuser' 'n1*' '"sw core"*' 10.0.0.1 東京 "don't" 'e-mail' nothing '"gamma delta" runs'; do
			ctx-search -n 500 "$q" | jq -r '"\(.session_id) \(.seq)"' | sort | sed "s/^/$q: /"
			ctx-search -n 500 -s two "$q" | jq -r '"\(.seq) \(.score * 1000 | round)"'
		done >"hits.$((++n))"
		# the query syntax of --fts
		for q in 'NEAR(alpha gamma)' 'NEAR(gamma alpha, 0)' 'NEAR("alpha beta" n1* delta, 1)' '^alpha' '^"beta gamma"' '^al*' \
		    'alpha NOT ^alpha' 'alpha NOT NEAR(alpha gamma, 1)' '^gamma OR NEAR(delta running)' 'text:alpha' 'alpha -text:beta' \
		    '{text}:(alpha OR ^delta)' '"" AND alpha' '"" alpha' '"-" OR delta' 'alpha NOT ""' 'al* + be*' near NEAR; do
			ctx-search -n 500 --fts "$q" | jq -r '"\(.session_id) \(.seq)"' | sort | sed "s/^/$q: /"
		done >"found.$n"
		for q in 'alpha (beta)' 'NEAR(alpha' 'NEAR(alpha, x)' 'NEAR(^alpha beta)' 'alpha AND' 'foo:alpha' '"abc' 'foo(a)' 'a) OR b' '{text'; do
			status 2 ctx-search --fts "$q" 2>&1
		done >"refused.$n"
	done
	[ "$(wc -l <hits.1)" -gt 300 ]
	same hits.1 <hits.2
	[ "$(cut -d : -f 1 found.1 | uniq | wc -l)" -ge 12 ]
	same found.1 <found.2
	same refused.1 <refused.2
}

@test 'ctx-enrich selects the same older messages in SQLite and in PostgreSQL' {
	for i in $(seq 30); do
		echo '{"role":"user","content":"question '$i' about the router in building '$((i % 7))'"}'
		echo '{"role":"assistant","content":"answer '$i': the switch of floor '$((i % 5))' is '"$((i * i))"'"}'
	done >in
	n=0
	for store in file.db "$CTX_STORE"; do
		export CTX_STORE=$store
		n=$((n + 1))
		ctx-append --create -s s <in >/dev/null
		ctx-append -s s -t 'which switch is on floor 3 of building 4?' >/dev/null
		ctx-window -s s -n 4 | ctx-enrich --history relevant | jq -c 'select(.slot) | .message' >"out.$n"
	done
	grep -q switch out.1
	same out.1 <out.2
}

@test 'the server does not JIT-compile statements that read the end of a long session' {
	ctx-append -q --create -s s -t hello
	for setting in "session_preload_libraries = 'auto_explain'" 'auto_explain.log_min_duration = 0' \
	    'auto_explain.log_analyze = on' 'jit_above_cost = 0' 'log_min_messages = log'; do
		sql -c "ALTER DATABASE $PGDATABASE SET $setting"
	done
	sql -c "SELECT count(*) AS compiled FROM message" >/dev/null
	ctx-window -s s | ctx-enrich >/dev/null
	plans() { awk -v RS='LOG: ' -v text="$1" 'index($0, text)' "$PG_DIR/s/server.log"; }
	plans 'AS compiled' | grep -q JIT: || skip 'no compiler in the server'
	plans 'CURSOR FOR SELECT id, turn' | grep -q 'Index Scan Backward using message_pkey'
	! plans 'CURSOR FOR SELECT id, turn' | grep JIT:
}
