# Several tenants have a session with the same id: records name the tenant, so commands can tell them apart.
load helper

setup() {
	isolate
	for t in one two; do
		ctx-new --tenant $t --id a >/dev/null
		ctx-append -q --tenant $t -s a -t "what tenant $t said, and nobody else"
	done
	ctx-new --id a >/dev/null
	ctx-append -q --tenant '' -s a -t 'what was said by nobody, and nobody else'
	ctx-append -q --tenant two -s a -t 'tenant two says more'
}

said() {   # TENANT…
	local t
	for t; do
		ctx-show --tenant "$t" -s a | jq -r --arg t "$t" 'select(.kind == "message") | $t + ":" + .message.content'
	done
}

all='one:what tenant one said, and nobody else
two:what tenant two said, and nobody else
two:tenant two says more
:what was said by nobody, and nobody else'

@test 'records from ctx-list select the sessions of each tenant, even if their ids are equal' {
	ctx-list | ctx-show >out
	[ "$(jq -r 'select(.kind == "session").tenant_id' out | paste -sd' ')" = 'one two null' ]
	[ "$(grep -c '"kind":"message"' out)" = 4 ]
	[ "$(ctx-list | ctx-window | jq -r 'select(.kind == "message").message.content' | wc -l)" = 4 ]
	ctx-list | jq -c 'select(.tenant_id == "two")' | ctx-window | ctx-enrich >out
	[ "$(jq -r 'select(.kind == "message").message.content' out | tail -n 1)" = 'tenant two says more' ]
	ctx-list | ctx-check -q
	# an id alone is ambiguous
	status 1 ctx-show -s a 2>err
	grep -q 'several tenants have a session' err
	echo '{"kind":"session","session_id":"a"}' >bare
	status 1 ctx-show <bare 2>/dev/null
}

@test 'with --tenant, records of other tenants are refused' {
	ctx-list >listed
	for t in one ''; do
		status 3 ctx-delete --tenant "$t" <listed 2>err
		grep -q 'stdin:[0-9]*: .*tenant' err
	done
	status 3 ctx-show --tenant two <listed >out 2>/dev/null
	[ "$(grep -c 'tenant one' out)" = 0 ]
	[ "$(ctx-list --tenant two -1)" = a ]
	CTX_TENANT=two status 3 ctx-archive --to place <listed 2>/dev/null
	[ "$(ctx-list --tenant two | jq -r .status)" = active ]
	ctx-list --tenant two | ctx-show --tenant two >out
	[ "$(grep -c '"kind":"message"' out)" = 2 ]
}

@test 'archives of sessions with equal ids in several tenants do not overwrite each other' {
	said one two '' >before
	same - "$all" <before
	ctx-list | ctx-archive -q --to place --cleanup >out
	[ "$(jq -r .action out | sort | uniq -c | tr -s ' ')" = ' 3 archived' ]
	[ "$(find place -name '*.gz' | wc -l)" = 3 ]
	[ -f place/2026/01/a.ndjson.gz ]
	said one two '' | diff before -
	ctx-archive -q --verify --all
	ctx-archive -q --verify --sample 3
	ctx-check -q
	ctx-list -a | ctx-archive -q --restore >out
	[ "$(wc -l <out)" = 3 ]
	said one two '' | diff before -
	ctx-list | ctx-archive -q --jobs 2 --to place --cleanup >/dev/null
	said one two '' | diff before -
	# restore into other stores: all archives, and one archive
	ctx-archive -q --restore --store new.db place/2026/01/*.gz >/dev/null
	CTX_STORE=new.db said one two '' | diff before -
	ctx-check -q --store new.db
	ctx-list -S new.db | jq -r '[.session_id, .tenant_id] | @csv' | sort >got
	printf '"a",\n"a","one"\n"a","two"\n' | diff - got
	ctx-archive -q --restore --tenant one --store one.db place/2026/01/*.gz >out 2>err || true
	[ "$(ctx-list -S one.db | jq -r .tenant_id | sort -u)" = one ]
	CTX_STORE=one.db said one | grep -q 'tenant one said'
	[ "$(grep -c "the archive does not belong to tenant 'one'" err)" = 2 ]
}

@test 'restored sessions belong to the same tenants as before, whether one or many are restored' {
	for t in three four; do
		ctx-new --tenant $t --id a >/dev/null
		head -c 4000000 /dev/urandom | base64 -w 60000 |
			sed 's/.*/{"role":"user","content":"&"}/' | ctx-append -q --tenant $t -s a
	done
	said one two three four '' >before
	ctx-list | ctx-archive -q --to place --cleanup >/dev/null
	ctx-list -a | ctx-archive -q --restore >out
	[ "$(wc -l <out)" = 5 ]
	said one two three four '' | cmp - before
	ctx-list | ctx-archive -q --to place --cleanup >/dev/null
	ctx-archive -q --restore --store new.db place/2026/01/*.gz >/dev/null
	CTX_STORE=new.db said one two three four '' | cmp - before
}

@test 'deletion and purge affect only the named tenant'\''s session' {
	ctx-list | jq -c 'select(.tenant_id == "one")' | ctx-delete -q --purge --receipt >out
	tail -n 1 out | jq -e '.survivors == 0 and .sessions == 1' >/dev/null
	[ "$(ctx-list -a | jq -r .tenant_id | paste -sd' ')" = 'two null' ]
	ctx-list | ctx-archive -q --to place --cleanup >/dev/null
	ctx-list -a | jq -c 'select(.tenant_id == "two")' | ctx-delete -q --purge --receipt --to place >out
	tail -n 1 out | jq -e '.survivors == 0 and .archives == 1 and .archives_scanned == 1 and .texts == 2' >/dev/null
	[ "$(find place -name '*.gz')" = place/2026/01/a.ndjson.gz ]
	said '' | grep -q nobody
}

@test 'deleting a user removes the user'\''s sessions in every tenant' {
	for t in one two; do
		ctx-new --tenant $t --id b -u ann >/dev/null
		ctx-append -q --tenant $t -s b -t "ann said to $t something that is to be forgotten"
	done
	ctx-delete -q -u ann --purge --receipt >out
	[ "$(jq -r 'select(.action == "purge").session_id' out | paste -sd' ')" = 'b b' ]
	[ "$(ctx-list -a | jq -r .session_id | sort -u)" = a ]
}

@test 'ctx-append --create keeps sessions of different tenants apart' {
	said one two '' >before
	ctx-list | ctx-show | ctx-append -q --create -S new.db
	CTX_STORE=new.db said one two '' | diff before -
	# more messages than one batch
	for t in one two; do
		seq 9000 | sed 's/.*/{"role":"user","content":"number &"}/' | ctx-append -q --tenant $t -s a
	done
	said one two '' >before
	ctx-list | ctx-show | jq -c 'del(.id)' | ctx-append -q --create -S big.db
	CTX_STORE=big.db said one two '' | diff before -
	# with --tenant, sessions of others are refused
	status 3 ctx-append -q --create --tenant two -S two.db < <(ctx-list | ctx-show) 2>err
	grep -q 'a tenant other than' err
	[ -z "$(ctx-list -S two.db | grep 'one')" ]
	[ "$(ctx-list | ctx-show | ctx-append --create --keep-going --tenant two -S two.db 2>/dev/null | grep -c 'tenant one said')" = 0 ]
}

@test 'an id that contains a NUL character is refused, not truncated' {
	local id='a\u0000b' r
	for r in '{"kind":"session","session_id":"'$id'","tenant_id":"one","created_at":"2026-01-01T00:00:00Z"}' \
	    '{"kind":"session","session_id":"a","tenant_id":"one\u0000b","created_at":"2026-01-01T00:00:00Z"}'; do
		for c in ctx-window ctx-show ctx-delete 'ctx-archive --to archive' \
		    'ctx-append --create' ctx-summarize 'ctx-prune --apply -b 10'; do
			echo "$r" | status 3 $c >out 2>err
			grep -q '_id must be a string without NUL characters' err
		done
	done
	for c in 'ctx-append --create' 'ctx-append --create --tenant one'; do
		echo '{"kind":"message","session_id":"'$id'","message":{"role":"user","content":"x"}}' |
		    status 3 $c >out 2>err
	done
	[ "$(said one two '')" = "$all" ]
	[ "$(ctx-list | jq -r .status | sort -u)" = active ]
}

@test 'every command refuses messages of another tenant' {
	local c from
	ctx-new --tenant two --id b -1
	ctx-window --tenant one -s a >window
	ctx-show --tenant one -s a >shown
	CTX_TENANT=two ctx-show -s a -s b >before
	export CTX_TENANT=two
	for from in window shown; do
		for c in ctx-append 'ctx-append -q' 'ctx-append --atomic' 'ctx-append --create' \
		    'ctx-append --keep-going' 'ctx-append --create --keep-going' 'ctx-append -s b' \
		    'ctx-append -s b --keep-going' 'ctx-append -s b --if-seq 0' 'ctx-append -s new --create' \
		    ctx-window ctx-show ctx-enrich 'ctx-prune -b 1000' 'ctx-prune --apply --keep-turns 1' \
		    'ctx-summarize --keep-last 1' 'ctx-summarize -s - --keep-last 1' \
		    ctx-delete 'ctx-archive --to place' 'ctx-entity track' 'ctx-new -'; do
			status 3 $c <$from >out 2>err || { echo "$c <$from"; cat out err; return 1; }
			grep -q 'to a tenant other than\|is incomplete' err || { echo "$c <$from"; cat err; return 1; }
			[ "$(grep -c 'tenant one said' out)" = 0 ] || { echo "$c <$from"; cat out; return 1; }
			ctx-show -s a -s b | cmp - before || { echo "$c <$from"; return 1; }
			[ "$(ctx-list -1 | sort | paste -sd' ')" = 'a b' ]
		done
	done
	# the request record alone names the tenant
	tail -n 1 window | status 3 ctx-append 2>err
	grep -q 'to a tenant other than' err
}

@test 'messages after a session record belong to its tenant, also without --create' {
	said one two '' >before
	echo '{"role":"user","content":"more of one"}' | ctx-append -q --tenant one -s a
	said one two '' >before
	ctx-list | ctx-show | ctx-append -q      # all there already
	said one two '' | diff before -
	ctx-window --tenant two -s a | jq -c 'del(.id, .seq)' | ctx-append -q
	[ "$(said two | wc -l)" = 4 ]
	[ "$(said one | wc -l)" = 2 ]
	# messages without a tenant can be appended to a session of a tenant
	ctx-window --tenant '' -s a | jq -c 'del(.id, .seq)' | ctx-append -q --tenant one
	[ "$(said one | tail -n 1)" = 'one:what was said by nobody, and nobody else' ]
	# after a refused message, the following ones are stored
	(ctx-window --tenant two -s a; ctx-window --tenant one -s a) | jq -c 'del(.id, .seq)' >both
	status 3 ctx-append -q --tenant one --keep-going --rejects bad <both 2>err
	[ "$(said one | wc -l)" = 6 ]
	[ "$(said one | grep -c 'tenant two')" = 0 ]
	[ "$(grep -c 'tenant two' bad)" = 4 ]
}
