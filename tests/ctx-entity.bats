load helper

known() {
	cat >known.ndjson <<-'X'
	{"kind":"entity","type":"site","name":"DC1","id":7}
	{"type":"device","name":"sw-core-01","id":42,"aliases":["core switch"],"relations":[{"type":"located_in","target":"DC1"}],"data":{"status":"active"}}
	{"type":"workflow","name":"Task Management","id":"wf-1","action":"created"}
	{"type":"interface","name":"GigabitEthernet0/1","parent":"sw-core-01"}
	{"type":"ticket","pattern":"[A-Z]+-[0-9]+"}
	X
	ctx-entity load -q known.ndjson
}

talk() {
	ctx-append -qs "$1" --create -t "update my task workflow; the core switch at 10.0.0.1 Gi0/1, see INC-1234"
	ctx-append -qs "$1" -t "Is SW-CORE-01 in vlan 10?"
}

names() {
	jq -r '"\(.type):\(.name)"' | sort | tr '\n' ' '
}

@test 'entities are found in messages by name, alias, pattern and recognized form' {
	known
	talk s
	got=$(ctx-entity list -s s | names)
	[ "$got" = "device:sw-core-01 interface:GigabitEthernet0/1 ip_address:10.0.0.1 ticket:INC-1234 vlan:10 workflow:Task Management " ] ||
		{ echo "$got"; false; }
	# the most relevant entity first: two mentions, a relation, and the type device
	[ "$(ctx-entity list -s s -n 1 | jq -r .name)" = sw-core-01 ]
	[ "$(ctx-entity list -s s --type device | jq .mention_count)" = 2 ]
}

@test 'the relevance follows the documented formula' {
	known
	CTX_NOW=2026-01-01T00:00:00Z ctx-append -qs s --create -t "sw-core-01"
	# 10 - 4 days + 2 ln 2 + 0.5 for one relation + 3 for a device
	CTX_NOW=2026-01-05T00:00:00Z ctx-entity list -s s >out
	jq -e '.relevance == 10.8863' out
}

@test 'a mention has its position and the words around it' {
	known
	talk s
	ctx-entity show -s s "core switch" >out
	jq -ce '.mentions | length == 2' out
	jq -ce '.mentions[0] == {seq: 1, created_at: .mentions[0].created_at, offset: 29,
		text: "core switch", context: .mentions[0].context}' out
	jq -re '.mentions[0].context | test("workflow; the core switch at")' out
	status 1 ctx-entity show -s s "nobody"
}

@test 'a name takes precedence over an alias that is part of it' {
	printf '%s\n' '{"type":"city","name":"New York"}' '{"type":"city","name":"York"}' |
		ctx-entity load -q
	ctx-append -qs s --create -t "Only York is meant here."
	[ "$(ctx-entity list -s s | names)" = "city:York " ]
	[ "$(ctx-entity find york | names)" = "city:York " ]
	ctx-append -qs s -t "And now New York."
	[ "$(ctx-entity list -s s | names)" = "city:New York city:York " ]
	# a session that mentions both entities is printed once
	[ "$(ctx-entity find --sessions "york or new york" | wc -l)" = 1 ]
	[ "$(ctx-entity find --sessions york "new york" | wc -l)" = 1 ]
	# a name that is unambiguous in the tenant is found by a part of it
	ctx-entity load -q --tenant t <<<'{"type":"city","name":"New York"}'
	[ "$(ctx-entity find --tenant t york | names)" = "city:New York " ]
}

@test 'a short generated alias is not found in messages, but ctx-entity find accepts it' {
	printf '%s\n' '{"type":"power_feed","name":"feed-a"}' '{"type":"workflow","name":"Support Ticket Routing"}' \
		'{"type":"cable","name":"loop-b","aliases":["loop"]}' | ctx-entity load -q
	ctx-append -qs s --create -t "feed the cat, convert it to str; Str is FEED"
	[ "$(ctx-entity list -s s | names)" = "" ]
	ctx-append -qs s -t "The STR is late, feed-a too: a loop"
	[ "$(ctx-entity list -s s | names)" = "cable:loop-b power_feed:feed-a workflow:Support Ticket Routing " ]
	[ "$(ctx-entity find feed | names)" = "power_feed:feed-a " ]
	[ "$(ctx-entity find -s s str | names)" = "workflow:Support Ticket Routing " ]
}

@test 'if the rules for finding entities have changed since a session was searched, it is searched again' {
	known
	talk s
	ctx-entity list -s s >expect
	sqlite3 "$CTX_STORE-derived" "UPDATE mark SET seq = seq & 281474976710655 WHERE kind = 'entity-names'; DELETE FROM mention; DELETE FROM session_entity"
	ctx-entity list -s s | same expect
}

@test 'ctx-entity find matches words that a phrase shares with a name' {
	local name
	for name in "Expense Approval" "Invoice Approval" "Customer Onboarding" "Order Fulfillment" "Leave Request" \
		"Email Notification" "Bug Triage" "Support Ticket Routing" "Update Check"; do
		echo "{\"type\":\"workflow\",\"name\":\"$name\"}"
	done | ctx-entity load -q
	echo '{"type":"site","name":"Expense Office"}' | ctx-entity load -q
	ctx-append -qs p --create -t "Expense Approval, Customer Onboarding, Support Ticket Routing"
	[ "$(ctx-entity find -s p "update my expense workflow" | jq -r .name)" = "Expense Approval" ]
	[ "$(ctx-entity find -s p "my onboarding workflow" | jq -r .name)" = "Customer Onboarding" ]
	[ "$(ctx-entity find -s p "the ticket routing workflow" | jq -r .name)" = "Support Ticket Routing" ]
	[ "$(ctx-entity find "what about the notifications" | jq -r .name)" = "Email Notification" ]
	[ "$(ctx-entity find "show the triage" | jq -r .name)" = "Bug Triage" ]
	[ "$(ctx-entity find "the approval workflow" | names)" = "workflow:Expense Approval workflow:Invoice Approval " ]
	[ "$(ctx-entity find -s p "the approval workflow" | names)" = "workflow:Expense Approval " ]
	[ "$(ctx-entity find "my expense" | names)" = "site:Expense Office workflow:Expense Approval " ]
	status 1 ctx-entity find -s p "update my invoice workflow"
	status 1 ctx-entity find "fix the workflow" "my own thing"
	ctx-append -qs q --create -t "That expense, the routing and the bug"
	[ "$(ctx-entity list -s q | names)" = "" ]
	ctx-append -qs q -t "To update workflow by workflow"
	[ "$(ctx-entity list -s q | names)" = "" ]
	ctx-append -qs q -t "Change my expense workflow"
	[ "$(ctx-entity list -s q | names)" = "workflow:Expense Approval " ]
}

@test 'ctx-entity find finds entities by generated alias and by text, and lists their sessions' {
	known
	talk s
	ctx-new --id other >/dev/null
	[ "$(ctx-entity find "TASK   management" | jq -r .id)" = wf-1 ]
	[ "$(ctx-entity find "please update my task workflow now" | jq -r .id)" = wf-1 ]
	[ "$(ctx-entity find --sessions "task workflow" | jq -r .session_id)" = s ]
	[ "$(ctx-list -1 --entity 10.0.0.1)" = s ]
	[ "$(ctx-list -1 --entity inc-9)" = "" ]
	status 1 ctx-entity find "no such thing"
}

@test 'entities of the same name are distinguished by type, and -n limits the results' {
	printf '%s\n' '{"type":"device","name":"DC1"}' '{"type":"site","name":"DC1"}' \
		'{"type":"device","name":"other"}' '{"type":"site","name":"place","aliases":["other"]}' | ctx-entity load -q
	ctx-append -q --create -s s -t "DC1 is down"
	ctx-append -q --create -s t -t "a place"
	ctx-entity find --type site -n 1 DC1 | jq -es 'length == 1 and .[0].type == "site"'
	ctx-entity find --type site -n 1 -s s DC1 | jq -es 'length == 1 and .[0].type == "site"'
	ctx-entity find -n 1 DC1 | jq -es 'length == 1'
	ctx-entity find -n 1 -s t other | jq -es 'length == 1 and .[0].name == "place"'
	ctx-entity find --sessions --type site other | jq -r .session_id | same - t
	status 1 ctx-entity find --sessions --type device other 2>err
	ctx-entity show -s s --type device DC1 >out
	[ "$(grep -o '"mentions"' out | wc -l)" = 1 ]
	ctx-entity show -s s --type site DC1 | jq -es 'length == 1 and (.[0].mentions | length == 1)'
	# mentions of an entity with a very long record are printed too
	jq -nc '{type: "device", name: "Big", data: ("x" * 70000)}' | ctx-entity load -q
	ctx-append -q -s s -t "Big is here"
	ctx-entity show -s s Big | jq -e '.mentions | length == 1'
}

@test 'names that are loaded later are found in earlier messages' {
	ctx-append -qs s --create -t "the old billing engine is slow"
	[ "$(ctx-entity list -s s | names)" = "" ]
	echo '{"type":"system","name":"Billing Engine"}' | ctx-entity load -q
	[ "$(ctx-entity list -s s | names)" = "system:Billing Engine " ]
}

@test 'ctx-entity load --remove removes entities that were loaded by mistake' {
	known
	talk s
	ctx-entity list -s s >/dev/null
	# a loaded alias can be removed, and a generated one cannot
	ctx-entity alias --remove sw-core-01 "Core  Switch" | jq -e 'has("aliases") | not'
	[ "$(ctx-entity list -s s --type device | jq .mention_count)" = 1 ]
	status 1 ctx-entity alias --remove "task management" "task workflow"
	# an entity is removed by its name, with aliases, relations and mentions
	ctx-entity load --remove <<<'{"type":"device","name":"DC1"}'
	ctx-entity find dc1 | jq -e '.id == 7'
	ctx-entity find SW-CORE-01 | ctx-entity load --remove
	ctx-entity find GigabitEthernet0/1 | jq -e 'has("parent") | not'
	[ "$(ctx-entity list -s s --type device | names)" = "" ]
	[ "$(ctx-entity list | names)" = "interface:GigabitEthernet0/1 site:DC1 workflow:Task Management " ]
	ctx-entity load --remove <<<'{"type":"ticket","pattern":"[A-Z]+-[0-9]+"}'
	[ "$(ctx-entity list -s s --type ticket | names)" = "" ]
	status 3 ctx-entity load --remove <<<'{"type":"device"}'
	# a new entity that gets the internal number of a removed one has no mentions
	ctx-entity find GigabitEthernet0/1 | ctx-entity load --remove
	ctx-entity load -q <<<'{"type":"device","name":"sw-new-01"}'
	[ "$(ctx-entity list -s s --type device | names)" = "" ]
	ctx-check
}

@test 'ctx-entity alias, relate and merge change entities' {
	known
	ctx-entity alias DC1 "data centre one" | jq -e '.aliases == ["data centre one"]'
	ctx-entity relate "task management" runs_in "data centre one" |
		jq -e '.relations == [{"type":"runs_in","target":"DC1","target_type":"site"}]'
	ctx-entity relate --remove "task management" runs_in dc1 | jq -e 'has("relations") | not'
	echo '{"type":"device","name":"core1","slug":"c1"}' | ctx-entity load -q
	ctx-entity merge core1 sw-core-01 |
		jq -e '.slug == "c1" and .id == 42 and (.aliases | index("core1") != null)'
	ctx-append -qs s --create -t "core1 is down"
	[ "$(ctx-entity list -s s | names)" = "device:sw-core-01 " ]
	status 1 ctx-entity merge core1 sw-core-01
	status 1 ctx-entity alias nobody x
}

@test 'an alias or relation that is empty, too long or not valid UTF-8 is refused' {
	known
	long=$(printf '%0513d' 1)
	for bad in '' ' ' $'\xff' "$long"; do
		status 2 ctx-entity alias sw-core-01 "$bad" 2>err
		status 2 ctx-entity relate sw-core-01 "$bad" DC1 2>err
	done
	ctx-entity list | jq -se 'length == 4' >/dev/null
	ctx-entity alias -q sw-core-01 "${long#0}"
	status 1 ctx-entity alias --remove sw-core-01 '' 2>err
}

@test 'ctx-entity load updates entities and reports invalid records' {
	known
	echo '{"type":"device","name":"SW-Core-01","data":{"status":"offline"}}' | ctx-entity load |
		jq -e '.id == 42 and .data.status == "offline" and .name == "SW-Core-01"'
	printf '%s\n' '{"type":"device","name":"a"}' '{"name":"b"}' >bad
	run -3 ctx-entity load bad
	[[ $output == *"bad:2: an entity needs a type"* ]]
	ctx-entity find a
	run -3 ctx-entity load -q <<<'{"type":"t","pattern":"(("}'
	[[ $output == *pattern* ]]
	run -0 ctx-entity load -q <<<'{"type":"device","name":"x","relations":[{"type":"in","target":"nowhere"}]}'
	[[ $output == *nowhere* ]]
}

@test 'ctx-entity load --replace makes an entity equal to its record' {
	cat >full <<-'X'
		{"type":"site","name":"dc1"}
		{"type":"device","name":"sw1","id":5,"slug":"s","aliases":["Core  Switch","old name"],"parent":"dc1","relations":[{"type":"next_to","target":"sw2"}],"action":"created","data":{"a":1},"data_expires_at":"2030-01-01T00:00:00Z"}
		{"type":"device","name":"sw2","relations":[{"type":"next_to","target":"sw1"}]}
	X
	ctx-entity load -q full
	ctx-entity list >loaded
	ctx-append -q --create -s s -t "the core switch, once old name, is sw1"
	[ "$(ctx-entity list -s s --type device | jq .mention_count)" = 3 ]
	# loading the same records again changes nothing, and no session is searched again
	sqlite3 "$CTX_STORE" "SELECT generation FROM entity_change" >generation
	ctx-entity load -q --replace full
	ctx-entity list | same loaded
	sqlite3 "$CTX_STORE" "SELECT generation FROM entity_change" | same generation
	# an invalid record changes nothing
	printf '%s\n' '{"type":"device","name":"sw1","aliases":[1]}' | status 3 ctx-entity load -q --replace 2>err
	ctx-entity list | same loaded
	ctx-entity load -q --replace <<<'{"type":"device","name":"sw1","aliases":["core switch"]}'
	ctx-entity find sw1 | jq -ce 'del(.generated_aliases)' |
		same - '{"kind":"entity","type":"device","name":"sw1","aliases":["Core  Switch"]}'
	[ "$(ctx-entity list -s s --type device | jq .mention_count)" = 2 ]
	ctx-entity find sw2 | jq -e '.relations[0].target == "sw1"'
	status 1 ctx-entity find "old name" 2>err
	# without --replace, members that are not in the record stay
	ctx-entity load -q <<<'{"type":"device","name":"sw1","slug":"t"}'
	ctx-entity find sw1 | jq -e '.slug == "t" and .aliases == ["Core  Switch"]'
	# of two records for an entity, the later one replaces the earlier one
	printf '%s\n' '{"type":"device","name":"sw1","parent":"dc1","relations":[{"type":"next_to","target":"sw2"}]}' \
		'{"type":"device","name":"sw2"}' '{"type":"device","name":"sw1","relations":[{"type":"above","target":"sw2"}]}' |
		ctx-entity load -q --replace
	ctx-entity find sw1 | jq -c '[.parent, .relations]' | same - '[null,[{"type":"above","target":"sw2","target_type":"device"}]]'
	status 2 ctx-entity load --replace --remove full 2>err
	ctx-check
}

@test 'no part of an invalid entity record is stored' {
	ctx-entity load -q <<<'{"type":"device","name":"dc1"}'
	ctx-entity list >before
	for bad in '"aliases":["fine",5]' '"relations":[{"type":"in","target":"dc1"},"x"]' '"children":["dc1",{}]' \
		'"parent":5' '"data_expires_at":"soon"' '"relations":[{"type":"","target":"dc1"}]'; do
		status 3 ctx-entity load <<<'{"type":"device","name":"half",'"$bad"'}' 2>err
		ctx-entity list | same before || { echo "$bad"; false; }
	done
}

@test 'entity records before an invalid record stay stored, with their relations' {
	for bad in '{"type":"device"}' '{"type"' '{"type":"device","name":"x","aliases":[1]}'; do
		printf '%s\n' '{"type":"site","name":"dc1"}' '{"type":"device","name":"a","parent":"dc1"}' "$bad" |
			status 3 ctx-entity load -q 2>err
		grep -q stdin:3: err
		ctx-entity find a | jq -e '.parent == "dc1"'
		ctx-entity find a | ctx-entity load --remove
	done
}

@test 'ctx-entity list -n N prints at most N records' {
	for i in $(seq 300); do echo "{\"type\":\"t\",\"name\":\"n$i\"}"; done |
		ctx-entity load -q
	for n in 0 1 2 255 256 257 300; do
		[ "$(ctx-entity list -n $n | wc -l)" = $n ]
	done
	[ "$(ctx-entity list -n 301 | wc -l)" = 300 ]
	[ "$(ctx-entity list | wc -l)" = 300 ]
}

@test 'ctx-entity load does not block other writers while nobody reads its output' {
	ctx-new --id s >/dev/null
	awk 'BEGIN { for (x = "y"; length(x) < 1024;) x = x x
		for (i = 0; i < 600; i++)
			printf "{\"type\":\"t\",\"name\":\"n%d\",\"data\":\"%s\"}\n", i, x }' >many
	mkfifo pipe
	ctx-entity load many >pipe &
	exec 7<pipe
	read -r first <&7
	# printed records are stored, although most of the output has not been read
	[ "$(ctx-entity list -n 1 | jq -r .name)" = "$(jq -r .name <<<"$first")" ]
	ctx-append -qs s -t "not held up"
	[ "$(cat <&7 | wc -l)" = 599 ]
	exec 7<&-
	wait $!
}

@test 'a tenant does not see the names of another tenant' {
	echo '{"type":"project","name":"Blue Moon"}' | ctx-entity load -q --tenant a
	CTX_TENANT=a ctx-new --id s >/dev/null
	CTX_TENANT=b ctx-new --id s >/dev/null
	CTX_TENANT=a ctx-append -qs s -t "about blue moon"
	CTX_TENANT=b ctx-append -qs s -t "about blue moon"
	[ "$(CTX_TENANT=a ctx-entity list -s s | names)" = "project:Blue Moon " ]
	[ "$(CTX_TENANT=b ctx-entity list -s s | names)" = "" ]
	CTX_TENANT=b run -1 ctx-entity find "blue moon"
}

@test 'one run over sessions of several tenants uses each tenant'\''s names' {
	echo '{"type":"project","name":"Blue Moon"}' | ctx-entity load -q --tenant a
	ctx-new --id of-a --tenant a >/dev/null
	ctx-new --id of-b --tenant b >/dev/null
	ctx-new --id of-none >/dev/null
	for s in of-a of-b of-none; do
		ctx-append -qs $s -t "blue moon on 10.0.0.1"
	done
	ctx-entity list -s of-a -s of-none -s of-b -s of-a | jq -r '"\(.session_id) \(.type)"' | sort | uniq -c |
		awk '{print $2, $3, $1}' | xargs | same - "of-a ip_address 2 of-a project 2 of-b ip_address 1 of-none ip_address 1"
	# data that a resolver returned for one tenant is not visible to others
	who='while read -r l; do printf "%s\n" "$l" | jq -c ". + {data: \"$WHO\"}"; done'
	for s in of-a of-b of-none; do
		WHO=$s ctx-entity resolve -s $s --type ip_address --resolve-exec "$who" | jq -r .data
	done | xargs | same - 'of-a of-b of-none'
	WHO=later ctx-entity resolve -s of-b -s of-a -s of-none --type ip_address --resolve-exec "$who" | jq -r .data |
		xargs | same - 'of-b of-a of-none'
}

# Entities are searched after each message, after several messages, and in the whole session.
@test 'searching a growing session for entities step by step gives the same result as searching all of it' {
	known
	RANDOM=42
	words=(sw-core-01 "core switch" 10.0.0.1 10.0.0.2 "vlan 30" INC-7 "task workflow" DC1 and the)
	for i in $(seq 60); do
		text=
		for _ in 1 2 3 4; do
			text+="${words[RANDOM % ${#words[@]}]} "
		done
		ctx-append -qs s --create -t "$text"
		((RANDOM % 3)) || ctx-entity track -q -s s
		# new names are loaded in between
		[ "$i" != 20 ] || echo '{"type":"note","name":"and the"}' | ctx-entity load -q
		[ "$i" != 40 ] || ctx-entity alias DC1 "the DC1" -q
	done
	ctx-entity track -s s >steps
	for name in DC1 10.0.0.1 "task management"; do ctx-entity show -s s "$name"; done >>steps
	ctx-entity track -s s --rebuild >anew
	for name in DC1 10.0.0.1 "task management"; do ctx-entity show -s s "$name"; done >>anew
	same steps <anew
	# the same result after the derived files were deleted
	rm -f "$CTX_STORE"-derived* "$CTX_STORE"-names*
	ctx-entity track -s s >lost
	for name in DC1 10.0.0.1 "task management"; do ctx-entity show -s s "$name"; done >>lost
	same steps <lost
}

@test 'a purge removes the mentions of the session' {
	talk s
	ctx-entity list -s s | grep -q 10.0.0.1
	ctx-delete -s s --purge >/dev/null
	! grep -aq "10.0.0.1" "$CTX_STORE"* || false
}

@test 'ctx-entity resolve asks one resolver process once about each entity, and stores the results' {
	talk s
	cat >resolver <<-'X'
	#!/bin/sh
	echo start >>starts
	while read -r line; do
		echo "$line" >>asked
		echo "$line" | jq -c '. + {id: 1}'
	done
	X
	chmod +x resolver
	ctx-entity resolve -s s --resolve-exec ./resolver | names >out
	grep -q "ip_address:10.0.0.1" out
	[ "$(wc -l <starts)" = 1 ]
	n=$(wc -l <asked)
	ctx-entity resolve -s s --resolve-exec ./resolver | names | same out
	[ "$(wc -l <asked)" = "$n" ]
	CTX_NOW=2026-01-02T04:04:06Z ctx-entity resolve -s s --resolve-exec ./resolver >/dev/null
	[ "$(wc -l <asked)" = $((2 * n)) ]
}

@test 'a resolver that fails causes a warning and is not called again for a while' {
	talk s
	run -0 --separate-stderr ctx-entity resolve -s s --resolve-exec 'echo x >>runs; exit 7'
	[[ $stderr == *"status 7"* ]]
	[ -z "$output" ]
	run -0 --separate-stderr ctx-entity resolve -s s --resolve-exec 'echo x >>runs; exit 7'
	[ "$(wc -l <runs)" = 1 ]
	run -0 --separate-stderr ctx-entity resolve -s s --exec-timeout 100ms --resolve-exec 'sleep 60'
	[[ $stderr == *"took longer"* ]]
}

@test 'an entity that the resolver could not look up is looked up again after a minute' {
	ctx-append -qs s --create -t "10.0.0.1 and 10.0.0.2"
	cat >resolver <<-'X'
	#!/bin/sh
	tee -a asked | jq -c --unbuffered 'if .name == "10.0.0.1" then {error: "busy"} else null end'
	X
	chmod +x resolver
	for at in 03:04:05 03:05:00 03:05:06; do
		CTX_NOW=2026-01-02T${at}Z ctx-entity resolve -s s --resolve-exec ./resolver
	done
	[ "$(jq -r .name asked | sort | tr '\n' ' ')" = "10.0.0.1 10.0.0.1 10.0.0.2 " ] || { cat asked; false; }
}

@test 'the example resolver for NetBox works' {
	command -v curl jq python3 >/dev/null || skip 'needs curl, jq and python3'
	PATH=${PATH//"$ROOT/tests/bin:"/}   # the real curl
	python3 "$ROOT/tests/fixtures/netbox/server.py" port log &
	server=$!
	while [ ! -f port ]; do kill -0 "$server"; done
	export NETBOX_URL=http://127.0.0.1:$(cat port) NETBOX_TOKEN=secret
	ctx-append -qs s --create -t "sw-core-01 at 10.0.0.1, mail a@example.org, site DC1"
	ctx-entity resolve -s s --resolve-exec "$ROOT/examples/netbox-resolve" >out || { kill "$server"; false; }
	NETBOX_TOKEN=wrong run -0 --separate-stderr ctx-entity resolve -s s \
		--resolve-exec "exec $ROOT/examples/netbox-resolve"
	[[ $stderr == *403* ]]
	# an entity whose look-up failed does not prevent the look-up of the next one
	jq -cn '("boom", "DC1") | {type: "site", name: .}' |
		"$ROOT/examples/netbox-resolve" >answers 2>/dev/null || true
	kill "$server"
	[ "$(jq -r '.error // .name' answers | tr '\n' ,)" = "NetBox did not answer,DC1," ]
	jq -se 'any(.name == "sw-core-01" and .id == 42 and .data.status == "Active"
		and (.relations | index({"type":"site","target":"DC1","target_type":"site"})) != null)' out
	jq -se 'any(.type == "ip_address" and .data.dns_name == "core.dc1.example")' out
	! grep -q email out || false
	ctx-entity load -q <out
	ctx-entity find sw-core-01
}

@test 'a text with a NUL character is rejected, not truncated' {
	printf '{"type":"device","name":"core","slug":"c","data":{"k":"good"}}\n' | ctx-entity load -q
	ctx-entity list >before
	grep -q good before
	for r in '"type":"device","name":"core\u0000x","data":{"k":"evil"}' \
	    '"type":"device\u0000x","name":"core","data":{"k":"evil"}' \
	    '"type":"device","name":"core","slug":"d\u0000x"' \
	    '"type":"device","name":"core","action":"d\u0000x"' \
	    '"type":"device","pattern":"d\u0000x"'; do
		for how in '' --remove; do
			echo "{$r}" | status 3 ctx-entity load -q $how 2>err
			grep -Eq '^ctx-entity: stdin:1: (name|type|slug|action|pattern) must be a string without NUL characters$' err
		done
	done
	for r in '"aliases":["d\u0000x"]' '"parent":"core\u0000x"' '"children":["core\u0000x"]' \
	    '"parent":"core","parent_type":"d\u0000x"' \
	    '"relations":[{"type":"of\u0000x","target":"core"}]' \
	    '"relations":[{"type":"of","target":{"type":"d\u0000x","name":"core"}}]'; do
		echo '{"type":"device","name":"other",'"$r}" | status 3 ctx-entity load -q 2>err
		grep -q '^ctx-entity: stdin:1: .* without NUL characters$' err
	done
	ctx-entity list | grep -F "\"core\"" | same before
}

@test 'every name that ctx-entity list prints is accepted by the other actions' {
	ctx-append -q --create -s s -t 'Move rtr-x-01 from site DM-Akron, rack A-12 to racks R1 and R2; VRF Alpha, vlans 30 and 40,
		AS 65001, commit 3f786850e387550fdab836ed7e6dc881de23001b, https://Example.com/A, /etc/Hosts.conf'
	ctx-append -q -s s -t 'rack a-12 and RACK A-12, site dm-akron'
	echo '{"type":"spec","name":"Order form","id":"spec-1","slug":"order-form"}' | ctx-entity load -q
	ctx-append -q -s s -t 'the Order form'
	ctx-entity list -s s | jq -r .name >names
	for n in rtr-x-01 DM-Akron A-12 R1 R2 Alpha 30 40 AS65001; do
		grep -qx -e "$n" names || { echo "$n"; cat names; return 1; }
	done
	[ "$(ctx-entity list -s s | jq -r 'select(.type == "rack" and .name == "A-12").mention_count')" = 3 ]
	while read -r name; do
		for c in 'show -s s' 'find -s s' find 'find --sessions'; do
			ctx-entity $c "$name" >out || { echo "$c $name"; return 1; }
			[ -s out ]
		done
		ctx-list --entity "$name" | jq -r .session_id | same - s
	done <names
	for id in spec-1 order-form; do
		ctx-entity find $id | jq -r .name | same - 'Order form'
		ctx-entity show -s s $id | jq -r .name | same - 'Order form'
		ctx-entity alias $id form-$id | jq -r .name | same - 'Order form'
	done
	ctx-entity find 'RTR-X-01' | jq -r .name | same - rtr-x-01
	for c in find 'show -s s'; do
		run --separate-stderr -1 ctx-entity $c nonsense-name
		[[ $stderr == *"no entity has the name 'nonsense-name'"* ]]
	done
	ctx-list --entity nonsense-name 2>err
	grep -q "no entity has the name 'nonsense-name'" err
	# the spelling in the prompt and in the request to the resolver
	ctx-window -s s -n 1 | ctx-enrich --resolve-exec 'tee asked | jq -c null' >w
	grep -q '"name":"A-12"' asked
	! grep -q '"name":"a-12"' asked
}

@test 'names that differ only in letter case are the same entity, in any script' {
	printf '{"type":"site","name":"%s"}\n' 'ÄRGER' 'ärger' 'Straße' 'STRASSE' | ctx-entity load -q
	ctx-entity list | jq -r .name | same - $'ärger\nSTRASSE'
	ctx-append -q --create -s s -t 'Site: Köln
Site: KÖLN'
	ctx-entity list -s s | jq -r '"\(.name) \(.mention_count)"' | same - 'Köln 2'
}

@test 'a file of derived data of the first version is upgraded, and new names keep their spelling' {
	ctx-append -q --create -s s -t 'rack A-12'
	ctx-entity list -s s >/dev/null
	sqlite3 "$CTX_STORE-derived" 'ALTER TABLE seen DROP COLUMN spelling;
		ALTER TABLE mark RENAME TO old;
		CREATE TABLE mark (kind TEXT NOT NULL, session_no INTEGER NOT NULL, seq INTEGER NOT NULL,
			PRIMARY KEY (kind, session_no)) WITHOUT ROWID;
		INSERT INTO mark SELECT kind, session_no, seq FROM old; DROP TABLE old; PRAGMA user_version = 2'
	ctx-entity list -s s | jq -r .name | same - a-12
	ctx-append -q -s s -t 'rack B-12'
	ctx-entity list -s s | jq -r .name | sort | same - $'B-12\na-12'
	sqlite3 "$CTX_STORE-derived" 'PRAGMA user_version; SELECT count(*) FROM mark WHERE session_no = 1' | same - $'3\n2'
	ctx-check
}

@test 'an error that a resolver reports is a warning, and other entities are resolved' {
	ctx-append -q --create -s s -t 'hosts sw-core-01 and sw-core-02'
	ctx-entity resolve -s s --resolve-exec "jq -c --unbuffered 'if .name == \"sw-core-01\" then {error: \"no route\"} else {type, name, id: 7} end'" >out 2>err
	grep -q "has no result for host 'sw-core-01': no route" err
	jq -r '"\(.name) \(.id)"' out | same - 'sw-core-02 7'
	ctx-entity resolve -s s --resolve-ttl 0s --resolve-exec 'jq -c --unbuffered "{error: \"down\"}"' 2>err
	sed "s/.*': //" err | same - down
	ctx-entity resolve -s s --resolve-ttl 0s --resolve-exec 'jq -c --unbuffered "{error: {code: 7}}"' 2>err
	sed "s/.*': //" err | same - '{"code":7}'
}

@test 'ctx-entity list --seq prints only the entities and mentions of one message' {
	known
	talk s
	ctx-entity list -s s --seq 2 >out
	[ "$(names <out)" = 'device:sw-core-01 vlan:10 ' ]
	jq -c 'select(.type == "device") | [.mention_count, [.mentions[].seq], .mentions[0].text]' out |
		same - '[2,[2],"SW-CORE-01"]'
	[ "$(ctx-entity list -s s --seq 2 --type vlan | names)" = 'vlan:10 ' ]
	status 1 ctx-entity list -s s --seq 3
	status 2 ctx-entity list --seq 1
	status 2 ctx-entity show -s s --seq 1 vlan
}

@test 'ctx-entity track --action links a session to an entity that no message mentions' {
	known
	ctx-append -qs a --create -t 'Build something for me.'
	ctx-append -qs b --create -t 'Update my task workflow.'
	ctx-append -qs c --create -t 'Show my task workflow.'
	ctx-entity track -s a --action created wf-1 |
		jq -c '[.session_id, .name, .action, .action_at, .mention_count]' |
		same - '["a","Task Management","created","2026-01-02T03:04:05.678Z",0]'
	ctx-entity track -qs b --action modified 'Task Management'
	ctx-entity list -s a | jq -r '"\(.id) \(.action)"' | same - 'wf-1 created'
	ctx-entity list -s b | jq -r '"\(.id) \(.action) \(.mention_count)"' | same - 'wf-1 modified 1'
	ctx-entity show -s a wf-1 | jq -c .mentions | same - '[]'
	# from entity to sessions and from session to entities
	ctx-entity find --sessions wf-1 | jq -r .session_id | paste -sd' ' | same - 'a b c'
	ctx-list -1 --entity wf-1 | sort | paste -sd' ' | same - 'a b c'
	ctx-window -s a | ctx-enrich --entities workflow:5 | ctx-render -p prompt >prompt
	grep -q 'Task Management' prompt
	grep -q 'Action: created' prompt
	run ! grep -q 'Mentioned 0' prompt
	# the last action replaces earlier ones
	CTX_NOW=2026-01-03T00:00:00Z ctx-entity track -s a --action modified wf-1 | jq -r '"\(.action) \(.action_at)"' |
		same - 'modified 2026-01-03T00:00:00.000Z'
	ctx-entity track -qs a --remove wf-1
	ctx-entity list -s a | same /dev/null
}

@test 'an entity that was not loaded is linked with its type' {
	ctx-append -qs a --create -t 'Build something for me.'
	status 1 ctx-entity track -s a --action created 'Invoice Check' 2>err
	ctx-entity track -qs a --action created --type workflow 'Invoice Check'
	ctx-entity list -s a | jq -r '"\(.type) \(.name) \(.action)"' | same - 'workflow Invoice Check created'
	[ "$(ctx-entity list | names)" = 'workflow:Invoice Check ' ]
	status 2 ctx-entity track -s a 'Invoice Check'
	status 2 ctx-entity track -s a --action created
	status 2 ctx-entity track -s a --action "$(printf 'x%.0s' {1..65})" 'Invoice Check'
}

@test 'links between sessions and entities are copied to forks and archives, and removed by a purge' {
	known
	ctx-append -qs a --create -t 'One.'
	ctx-entity track -qs a --action created wf-1
	ctx-append -qs a -t 'Two.'
	ctx-entity track -qs a --action modified sw-core-01
	ctx-new --id f --fork a@1 >/dev/null
	ctx-entity list -s f | jq -r '"\(.name) \(.action)"' | same - 'Task Management created'
	ctx-archive -s a --to "$PWD/arch" --cleanup >/dev/null
	ctx-entity list -s a | jq -r .name | sort | paste -sd, | same - 'Task Management,sw-core-01'
	# into a store without the entities
	ctx-archive -S other.db --restore "$PWD"/arch/*/*/*.gz >/dev/null
	ctx-entity -S other.db list -s a | jq -r '"\(.name) \(.action) \(.id)"' 2>/dev/null | sort |
		same - $'Task Management created wf-1\nsw-core-01 modified 42'
	ctx-check -S other.db >/dev/null
	ctx-delete -S other.db -s a --purge >/dev/null
	sqlite3 other.db 'SELECT count(*) FROM session_entity_link' | same - 0
}

@test 'links between sessions and an entity move to the entity that it is merged into, and are removed with it' {
	known
	ctx-append -qs a --create -t 'One.'
	ctx-entity track -qs a --action created wf-1
	echo '{"type":"workflow","name":"Errands","id":"wf-2"}' | ctx-entity load -q
	ctx-entity merge 'Task Management' Errands >/dev/null
	ctx-entity list -s a | jq -r '"\(.name) \(.action)"' | same - 'Errands created'
	echo '{"type":"workflow","name":"Errands"}' | ctx-entity load -q --remove
	ctx-entity list -s a | same /dev/null
}

@test 'an invalid value in a link between a session and an entity is reported by ctx-check' {
	known
	ctx-append -qs a --create -t 'One.'
	ctx-entity track -qs a --action created wf-1
	ctx-check >/dev/null
	sqlite3 "$CTX_STORE" "UPDATE session_entity_link SET action = x'00'"
	status 1 ctx-check >out 2>&1
	grep -q session_entity_link out
}

@test 'in a list of racks, sites or VRFs, recognition stops at a word of another type' {
	ctx-append -q --create -s s -t 'VRF Alpha, AS65001, racks R1 and R2, VLAN120, site DC1, AS65002 and DC2'
	ctx-entity list -s s --seq 1 | jq -r '.type + " " + .name' | sort | paste -sd , |
		same - 'asn AS65001,asn AS65002,rack R1,rack R2,site DC1,vlan 120,vrf Alpha'
}
