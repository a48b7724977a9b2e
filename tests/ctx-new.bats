load helper

# field NAME: prints this member of the record on standard input.
field() {
	jq -r ".$1"
}

@test 'a session gets a new id and a record, and the store is private' {
	export CTX_STORE=$BATS_TEST_TMPDIR/new/deep/ctx.db
	ctx-new >rec
	[ "$(wc -l <rec)" = 1 ]
	[[ $(field session_id <rec) =~ ^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$ ]]
	[ "$(field kind <rec)" = session ]
	[ "$(field status <rec)" = active ]
	[ "$(field created_at <rec)" = 2026-01-02T03:04:05.678Z ]
	[ "$(field last_seq <rec)" = 0 ]
	[ "$(field message_count <rec)" = 0 ]
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/new")" = 700 ]
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/new/deep")" = 700 ]
	for f in "$BATS_TEST_TMPDIR"/new/deep/*; do
		[ "$(stat -c %a "$f")" = 600 ] || { ls -l "$f" >&2; return 1; }
	done
}

@test 'file permissions do not depend on the umask' {
	export CTX_STORE=$BATS_TEST_TMPDIR/new/ctx.db
	(umask 0; ctx-new --id a >/dev/null; ctx-append -s a -t x >/dev/null)
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/new")" = 700 ]
	[ "$(stat -c %a "$BATS_TEST_TMPDIR"/new/* | sort -u)" = 600 ]
}

@test '-1 prints only the id, and ids created in a row differ' {
	for _ in 1 2 3 4; do ctx-new -1; done >ids
	[ "$(sort -u ids | wc -l)" = 4 ]
	grep -qxE '[0-9a-f-]{36}' ids
	ctx-list -1 | same ids
}

@test 'the default store is in XDG_DATA_HOME or in the home directory' {
	unset CTX_STORE
	ctx-new --id a -1 >/dev/null
	[ -f "$XDG_DATA_HOME/ctx/ctx.db" ]
	XDG_DATA_HOME='' HOME=$BATS_TEST_TMPDIR/h2 ctx-new --id b -1 >/dev/null
	[ -f "$BATS_TEST_TMPDIR/h2/.local/share/ctx/ctx.db" ]
	status 2 env -u HOME -u XDG_DATA_HOME PATH="$PATH" ctx-new 2>err
	grep -q 'CTX_STORE' err
}

@test '-S overrides the environment, and the environment overrides the configuration' {
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	echo "{\"store\": \"$BATS_TEST_TMPDIR/config.db\"}" >"$XDG_CONFIG_HOME/ctx/config.json"
	ctx-new -S "$BATS_TEST_TMPDIR/flag.db" --id a -1
	ctx-new --id b -1
	env -u CTX_STORE ctx-new --id c -1
	[ "$(ctx-list -1 -S "$BATS_TEST_TMPDIR/flag.db")" = a ]
	[ "$(ctx-list -1)" = b ]
	[ "$(env -u CTX_STORE ctx-list -1)" = c ]
	[ "$(ctx-list -1 -S "$BATS_TEST_TMPDIR/config.db")" = c ]
}

@test 'every attribute is stored' {
	ctx-new --id s -u ann --title 'Zoë "x"' --topic net --agent ops --caller web --account acme \
		--metadata '{"k": 1.0}' --preferences '{"lang":"de"}' --hold 'law case 7' >rec
	ctx-list | same rec
	[ "$(jq -c '[.user_id,.title,.topic,.agent,.caller_id,.account_id,.hold]' rec)" = \
		'["ann","Zoë \"x\"","net","ops","web","acme","law case 7"]' ]
	grep -qF '"metadata":{"k":1.0}' rec || grep -qF '"metadata":{"k": 1.0}' rec
	grep -qF '"preferences":{"lang":"de"}' rec
}

@test 'a time to live counts from the last message' {
	ctx-new --id s --ttl 1d | grep -qF '"expires_at":"2026-01-03T03:04:05.678Z"'
	CTX_NOW=2026-01-05T00:00:00Z ctx-append -s s -t x >/dev/null
	ctx-list | grep -qF '"expires_at":"2026-01-06T00:00:00.000Z"'
	CTX_TTL=2h ctx-new --id t | grep -qF '"expires_at":"2026-01-02T05:04:05.678Z"'
	ctx-new --id u >rec
	! grep -q expires_at rec
}

@test 'an existing id gives exit status 1 and changes nothing' {
	ctx-new --id s --title one >rec
	status 1 ctx-new --id s --title two >out 2>err
	[ ! -s out ]
	grep -q "^ctx-new: .*'s' already exists" err
	ctx-list | same rec
}

@test 'invalid ids are refused: empty, too long, control characters, not UTF-8' {
	for id in '' "$(printf '%0129d' 0)" $'a\tb' $'a\nb' $'\x7f' $'a\xff'; do
		status 2 ctx-new --id "$id" >out 2>err
		[ ! -s out ]
		[ "$(wc -l <err)" = 1 ]
	done
	id128=$(printf '%0128d' 0)
	[ "$(ctx-new -1 --id "$id128")" = "$id128" ]
	[ "$(ctx-new -1 --id 'with space/ä 😀 %41 "q"')" = 'with space/ä 😀 %41 "q"' ]
}

@test 'values that are not valid text or JSON are refused before anything is stored' {
	ctx-new --id first -1
	for o in --title --topic --hold --user --agent --caller --account --share; do
		status 2 ctx-new "$o" $'bad\xff' >out 2>err || { echo "$o" >&2; return 1; }
		[ ! -s out ]
	done
	for o in --metadata --preferences; do
		for v in '' '[]' '{' '"x"' '{} {}'; do
			status 2 ctx-new "$o" "$v" >out 2>err || { echo "$o $v" >&2; return 1; }
			grep -q -- "$o" err
		done
	done
	status 2 ctx-new --ttl soon 2>err
	status 2 ctx-new operand 2>err
	[ "$(ctx-list -a -1)" = first ]
}

@test 'ctx-new - uses the attributes of session records from standard input, but not their counters' {
	echo '{"kind":"session","session_id":"a","user_id":"ann","title":"T","created_at":"2020-01-01T00:00:00Z","message_count":7,"last_seq":7,"status":"deleted","unknown":1}' >in
	echo '{"kind":"session"}' >>in
	ctx-new - <in >out
	[ "$(wc -l <out)" = 2 ]
	[ "$(head -1 out | jq -c '[.session_id,.user_id,.title,.created_at,.message_count,.last_seq,.status]')" = \
		'["a","ann","T","2020-01-01T00:00:00.000Z",0,0,"active"]' ]
	[ "$(tail -1 out | jq -r .session_id | wc -c)" = 37 ]
	ctx-list | same out
}

@test 'ctx-new - prints other records unchanged and applies the options to every session' {
	printf '%s\n' '{"kind":"message","session_id":"x","message":{"role":"user","content":"hi"}}' \
		'{"kind":"session","session_id":"a"}' '{"kind":"weird","n":1.0}' >in
	ctx-new -u bob - <in >out
	sed -n 1p out | same <(sed -n 1p in)
	sed -n 3p out | same <(sed -n 3p in)
	[ "$(sed -n 2p out | jq -r .user_id)" = bob ]
}

@test 'ctx-new - reports an invalid session record, and sessions from earlier records stay stored' {
	printf '%s\n' '{"kind":"session","session_id":"a"}' '' '{"kind":"session","session_id":7}' \
		'{"kind":"session","session_id":"c"}' >in
	status 3 ctx-new -1 - <in >out 2>err
	[ "$(cat out)" = a ]
	grep -q '^ctx-new: stdin:3: ' err
	[ "$(ctx-list -1)" = a ]
	status 1 ctx-new -1 - <in >out 2>err
	grep -q '^ctx-new: stdin:1: .*already exists' err
}

@test 'preferences of a user are stored once and copied into each new session' {
	ctx-new -u ann --set-preferences '{"lang":"fr","n":1.0}' >out
	[ ! -s out ]
	[ "$(ctx-list -a | wc -l)" = 0 ]
	ctx-new -u ann --id a | grep -qF '"preferences":{"lang":"fr","n":1.0}'
	ctx-new -u bob --id b >rec
	(! grep -q preferences rec)
	ctx-new -u ann --id c --preferences '{"lang":"it"}' | grep -qF '"preferences":{"lang":"it"}'
	ctx-append --create -u ann -s d -t hi >/dev/null
	ctx-show -s d | head -1 | grep -qF '"lang":"fr"'
	# changed preferences apply only to new sessions
	ctx-new -u ann --set-preferences '{}'
	ctx-show -s a | head -1 | grep -qF '"lang":"fr"'
	ctx-new -u ann --id e | grep -qF '"preferences":{}'
	status 2 ctx-new --set-preferences '{}' 2>err
	status 2 ctx-new -u ann --set-preferences '[]' 2>err
}

@test '--share lets the other user find the session, but no third user' {
	ctx-new --id s -u ann --share bob --share cy >/dev/null
	[ "$(ctx-list -1 -u ann)" = s ]
	[ "$(ctx-list -1 -u bob)" = s ]
	[ "$(ctx-list -1 -u cy)" = s ]
	[ -z "$(ctx-list -1 -u eve)" ]
}

@test '--fork copies a session, and both sessions continue independently' {
	ctx-new --id s -u ann --title T >/dev/null
	for i in 1 2 3 4 5; do echo "{\"role\":\"user\",\"content\":\"m$i\"}"; done |
		ctx-append -s s >/dev/null
	ctx-append -s s --pin -t pinned >/dev/null
	ctx-new --fork s --id f >rec
	[ "$(jq -c '[.parent_session_id,.parent_seq,.last_seq,.message_count,.user_id,.title]' rec)" = \
		'["s",6,6,6,"ann","T"]' ]
	[ "$(ctx-show -s f | jq -c 'select(.kind=="message").message')" = \
		"$(ctx-show -s s | jq -c 'select(.kind=="message").message')" ]
	ctx-show -s f | jq -e 'select(.seq==6).pinned' >/dev/null
	ctx-append -s f -t only-f >/dev/null
	ctx-append -s s -t only-s >/dev/null
	[ "$(ctx-window -s f -n 1 | jq -r 'select(.kind=="message" and .seq==7).message.content')" = only-f ]
	[ "$(ctx-window -s s -n 1 | jq -r 'select(.kind=="message" and .seq==7).message.content')" = only-s ]
	[ "$(ctx-list | jq -r .token_count | sort -u | wc -l)" = 1 ]
}

@test '--fork: the time to live of the copy counts from its creation' {
	CTX_NOW=2026-01-01T00:00:00Z ctx-new --id s --ttl 1d >/dev/null
	CTX_NOW=2026-01-01T00:00:00Z ctx-append -q -s s -t old
	CTX_NOW=2026-03-01T00:00:00Z ctx-new --fork s --id f | jq -r .expires_at |
		same - 2026-03-02T00:00:00.000Z
	CTX_NOW=2026-03-01T00:00:01Z ctx-list -1 --idle 30d | same - s
	CTX_NOW=2026-03-01T01:00:00Z ctx-append -q -s f -t new
	ctx-show -s f | jq -r 'select(.kind == "session").expires_at' | same - 2026-03-02T01:00:00.000Z
	ctx-show -s s | jq -r 'select(.kind == "session").expires_at' | same - 2026-01-02T00:00:00.000Z
}

@test 'CTX_TTL applies to sessions without a time to live' {
	ctx-new --id s --ttl 1d >/dev/null
	export CTX_TTL=2d
	ctx-new --fork s --id f | jq .ttl_ms | same - 86400000
	ctx-new --fork s --id g --ttl 3d | jq .ttl_ms | same - 259200000
	ctx-new --id h | jq .ttl_ms | same - 172800000
	ctx-list | CTX_STORE=other.db ctx-new - | jq .ttl_ms | paste -sd' ' | same - '86400000 86400000 259200000 172800000'
	ctx-show -s s | CTX_STORE=third.db ctx-append -q --create
	CTX_STORE=third.db ctx-list | jq .ttl_ms | same - 86400000
	CTX_STORE=third.db ctx-append -q --create -s n -t x
	CTX_STORE=third.db ctx-list | tail -n 1 | jq .ttl_ms | same - 172800000
}

@test '--fork SID@SEQ copies up to that message, with correct counters' {
	ctx-append --create -s s@2 <<-'END' >/dev/null
	{"role":"user","content":"a"}
	{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}
	{"role":"tool","tool_call_id":"c1","content":"r"}
	{"role":"assistant","content":"b"}
	{"role":"user","content":"c"}
	END
	ctx-new --fork s@2@4 --id f >rec
	[ "$(jq -c '[.parent_session_id,.parent_seq,.last_seq,.message_count,.tool_call_count]' rec)" = \
		'["s@2",4,4,4,1]' ]
	[ "$(jq .token_count rec)" = \
		"$(ctx-show -s f | jq -s 'map(select(.kind=="message").token_count)|add')" ]
	ctx-append -s f -t next >out
	[ "$(jq .seq out)" = 5 ]
	ctx-new --fork s@2 --id g | jq -e '.last_seq == 5' >/dev/null || {
		# "s@2" can be a session id or message 2 of "s"; here only the session exists
		echo 'an id that ends in @ and digits cannot be forked' >&2; return 1; }
	[ "$(ctx-new --fork s@2@0 --id h | jq .message_count)" = 0 ]
}

@test '--fork of a missing session or message gives exit status 1' {
	ctx-append --create -s s -t x >/dev/null
	status 1 ctx-new --fork nope 2>err
	grep -q "no session 'nope'" err
	status 1 ctx-new --fork s@2 2>err
	grep -q 'no message 2' err
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 2 WHERE session_id = 's'"
	status 1 ctx-new --fork s 2>err
	grep -q deleted err
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 1 WHERE session_id = 's'"
	status 1 ctx-new --fork s 2>err
	grep -q 'archived' err
	[ "$(ctx-list -a -1)" = s ]
}

@test 'in a fork, appending a copied message with its record id stores nothing new' {
	ctx-append --create -s s -t x --id r1 >/dev/null
	ctx-new --fork s --id f >/dev/null
	ctx-append -s f -t x --id r1 >out
	[ "$(jq .seq out)" = 1 ]
	[ "$(ctx-show -s f | grep -c '"kind":"message"')" = 1 ]
}

@test 'tenants may have the same session id, and no command shows another tenant'\''s session' {
	CTX_TENANT=one ctx-new --id s --title first -u ann >/dev/null
	CTX_TENANT=two ctx-new --id s --title second -u ann >/dev/null
	CTX_TENANT=one ctx-append -s s -t 'of one' >/dev/null
	CTX_TENANT=two ctx-append -s s -t 'of two' >/dev/null
	CTX_TENANT=one ctx-append -s s -t 'of one again' >/dev/null
	for t in one two; do
		export CTX_TENANT=$t
		ctx-list >list
		[ "$(jq -r .tenant_id list)" = $t ]
		ctx-list -u ann | same list
		ctx-show -s s >show
		[ "$(grep -c "of $t" show)" = "$(jq .message_count list)" ]
		[ "$(grep '"kind":"message"' show | grep -vc "of $t")" = 0 ]
		ctx-window -s s | grep '"kind":"message"' >win
		[ "$(grep -vc "of $t" win)" = 0 ]
		ctx-new --fork s --id "f-$t" | jq -e ".tenant_id == \"$t\"" >/dev/null
	done
	export CTX_TENANT=three
	[ -z "$(ctx-list -a)" ]
	status 1 ctx-show -s s 2>err
	status 1 ctx-window -s s 2>err
	status 1 ctx-append -s s -t x 2>err
	status 1 ctx-new --fork s 2>err
	unset CTX_TENANT
	status 1 ctx-show -s s 2>err
	grep -q -- '--tenant' err
	[ "$(ctx-show --tenant two -s s | grep -c '"kind":"message"')" = 1 ]
}

@test 'preferences and requests are separate for each tenant' {
	CTX_TENANT=one ctx-new -u ann --set-preferences '{"secret":1}'
	CTX_TENANT=two ctx-new -u ann --id t >rec
	(! grep -q secret rec)
	CTX_TENANT=one ctx-append --create -s s -t hi >/dev/null
	CTX_TENANT=two ctx-append -s t -t hi >/dev/null
	req() { echo "{\"kind\":\"request\",\"session_id\":\"$1\",\"request_id\":\"r\",\"for_seq\":1,\"created_at\":\"2026-01-01T00:00:00Z\",\"provider\":\"openai\"}"; }
	req s >one.json
	req t >two.json
	status 4 env CTX_TENANT=one ctx-append --request one.json <<<'{"error":{"message":"mine"}}' 2>err
	CTX_TENANT=one ctx-show -s s | grep '"kind":"request"' >before
	[ -s before ]
	status 4 env CTX_TENANT=two ctx-append --request two.json <<<'{"error":{"message":"theirs"}}' 2>err
	CTX_TENANT=one ctx-show -s s | grep '"kind":"request"' | same before
	CTX_TENANT=two ctx-append --request two.json <"$ROOT/tests/fixtures/answers/openai-text.json" >out ||
		grep -q request_id err
	CTX_TENANT=one ctx-show -s s | grep '"kind":"request"' | same before
}

@test 'a text with a NUL character in a session record is rejected, not truncated' {
	for m in title topic agent user_id hold; do
		echo '{"kind":"session","session_id":"s","created_at":"2026-01-01T00:00:00Z","'$m'":"a\u0000b"}' |
			status 3 ctx-new - >out 2>err
		grep -q "stdin:1: $m must be a string without NUL characters$" err
		[ ! -s out ]
	done
	[ -z "$(ctx-list)" ]
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	echo '{"tenant": "a\u0000b"}' >"$XDG_CONFIG_HOME/ctx/config.json"
	status 2 ctx-new 2>err
	grep -q 'config.json: tenant: .* NUL characters$' err
}

@test '--update replaces the given members and records an event' {
	ctx-new --id s -u ann --title T --topic net --agent ops --metadata '{"a":1,"b":2}' \
		--preferences '{"lang":"de"}' --hold why >/dev/null
	ctx-append -q -s s -t x
	export CTX_NOW=2026-02-01T00:00:00Z
	ctx-new --update --id s --title 'Zoë "x"' --topic '' --metadata '{"c": 10000000000000000001}' >rec
	jq -c '[.title, .topic, .agent, .user_id, .hold, .last_seq, .created_at, .updated_at]' rec |
		same - '["Zoë \"x\"",null,"ops","ann","why",1,"2026-01-02T03:04:05.678Z","2026-02-01T00:00:00.000Z"]'
	grep -qF '"metadata":{"c": 10000000000000000001}' rec
	grep -qF '"preferences":{"lang":"de"}' rec
	ctx-list | same rec
	ctx-show -s s | jq -c 'select(.kind == "event") | [.event, .created_at, .members]' |
		same - '["update","2026-02-01T00:00:00.000Z",["title","topic","metadata"]]'
	ctx-new --update --id s --title '' --agent '' --preferences '{}' -1 | same - s
	ctx-list | jq -c '[.title, .agent, .preferences, .metadata.c > 1]' | same - '[null,null,{},true]'
	[ -z "$(ctx-list --agent ops -1)" ]
}

@test 'ctx-new --update --ttl counts from the last message, and --ttl none removes the time to live' {
	ctx-new --id s >/dev/null
	ctx-new --update --id s --ttl 1d | jq -r .expires_at | same - 2026-01-03T03:04:05.678Z
	CTX_NOW=2026-01-05T00:00:00Z ctx-append -q -s s -t x
	export CTX_NOW=2026-01-05T01:00:00Z CTX_TTL=9d
	ctx-new --update --id s --ttl 2d | jq -r .expires_at | same - 2026-01-07T00:00:00.000Z
	ctx-new --update --id s --title T | jq -r .expires_at | same - 2026-01-07T00:00:00.000Z
	ctx-new --update --id s --ttl none | jq -c '[.ttl_ms, .expires_at]' | same - '[null,null]'
	ctx-append -q -s s -t y
	ctx-list | jq -c '[.ttl_ms, .expires_at]' | same - '[null,null]'
}

@test '--update --share and --unshare change who finds the session' {
	ctx-new --id s -u ann --share bob >/dev/null
	ctx-new --update --id s --share cy --share bob >/dev/null
	for u in ann bob cy; do ctx-list -1 -u "$u" | same - s; done
	ctx-new --id other -u ann --share bob >/dev/null
	ctx-new --update --id s --unshare bob --unshare eve >/dev/null
	ctx-list -1 -u bob | same - other
	ctx-list -1 -u cy | same - s
	ctx-show -s s | jq -c 'select(.event == "update").members' | paste -sd' ' | same - '["share"] ["unshare"]'
	status 2 ctx-new --id t --unshare bob 2>err
	grep -q -- '--update' err
}

@test '--update of a missing, deleted or archived session is refused' {
	status 5 ctx-new --update --id s --title T 2>err
	[ ! -e "$CTX_STORE" ]
	ctx-new --id gone >/dev/null
	ctx-new --id away >/dev/null
	ctx-append -q -s away -t x
	ctx-delete -q -s gone >/dev/null
	ctx-archive -s away --to arch --cleanup >/dev/null
	ctx-list -a >before
	for id in none gone away; do
		status 1 ctx-new --update --id "$id" --title T --share bob >out 2>err
		[ ! -s out ]
		[ "$(wc -l <err)" = 1 ]
		case $id in
		none) grep -q "no session 'none'" err ;;
		gone) grep -q "'gone' is deleted" err ;;
		away) grep -q "'away' is archived" err ;;
		esac
	done
	ctx-list -a | same before
	[ -z "$(ctx-list -a -1 -u bob)" ]
}

@test '--update changes only sessions of the tenant' {
	ctx-new --tenant one --id s --title 1 >/dev/null
	ctx-new --tenant two --id s --title 2 >/dev/null
	ctx-new --tenant two --id t >/dev/null
	ctx-new --tenant two --update --id s --title new | jq -r .tenant_id | same - two
	status 1 ctx-new --tenant one --update --id t --title x 2>err
	status 1 ctx-new --update --id s --title x 2>err
	grep -q 'several tenants have a session' err
	ctx-list | jq -r .title | paste -sd' ' | same - '1 new null'
}

@test '--update refuses options that cannot be combined with it' {
	ctx-new --id s -1
	ctx-list >before
	status 2 ctx-new --update --title T 2>err
	grep -q -- '--id' err
	status 2 ctx-new --update --id s 2>err
	grep -q 'needs a change' err
	for o in --user --caller --account --hold --fork; do
		status 2 ctx-new --update --id s --title T "$o" s 2>err
		grep -q -- "$o" err
	done
	status 2 ctx-new --update --id s -u ann --set-preferences '{}' 2>err
	status 2 ctx-new --update --id s --title T - </dev/null 2>err
	status 2 ctx-new --update --id s --metadata '[]' 2>err
	status 2 ctx-new --update --id s --title $'a\xff' 2>err
	status 2 ctx-new --update --id s --share '' 2>err
	ctx-list | same before
}

@test 'a time to live of zero is refused, and --ttl none means forever' {
	for ttl in 0 0s 0d0h; do
		status 2 ctx-new --id s --ttl "$ttl" 2>err
		grep -q -- '--ttl.*none' err
		CTX_TTL=$ttl status 2 ctx-new --id s 2>err
		status 2 ctx-append --create -s s -t x --ttl "$ttl" 2>err
	done
	[ ! -e "$CTX_STORE" ]
	CTX_TTL=1d ctx-new --id s --ttl none | jq .ttl_ms | same - null
	CTX_TTL=none ctx-new --id u | jq .ttl_ms | same - null
	ctx-new --id p --ttl 1d >/dev/null
	ctx-new --id f --fork p --ttl none | jq -c '[.ttl_ms, .expires_at]' | same - '[null,null]'
}
