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

@test 'loaded names, aliases, patterns and forms are found in messages' {
	known
	talk s
	got=$(ctx-entity list -s s | names)
	[ "$got" = "device:sw-core-01 interface:GigabitEthernet0/1 ip_address:10.0.0.1 ticket:INC-1234 vlan:10 workflow:Task Management " ] ||
		{ echo "$got"; false; }
	# the most relevant first: mentioned twice, a relation and a child's parent, a device
	[ "$(ctx-entity list -s s -n 1 | jq -r .name)" = sw-core-01 ]
	[ "$(ctx-entity list -s s --type device | jq .mention_count)" = 2 ]
}

@test 'relevance is that of the formula' {
	known
	CTX_NOW=2026-01-01T00:00:00Z ctx-append -qs s --create -t "sw-core-01"
	# 10 - 4 days + 2 ln 2 + 0.5 for one relation + 3 for a device
	CTX_NOW=2026-01-05T00:00:00Z ctx-entity list -s s >out
	jq -e '.relevance == 10.8863' out
}

@test 'a mention tells where, and the words around' {
	known
	talk s
	ctx-entity show -s s "core switch" >out
	jq -ce '.mentions | length == 2' out
	jq -ce '.mentions[0] == {seq: 1, created_at: .mentions[0].created_at, offset: 29,
		text: "core switch", context: .mentions[0].context}' out
	jq -re '.mentions[0].context | test("workflow; the core switch at")' out
	status 1 ctx-entity show -s s "nobody"
}

@test 'a name that is another one in part: the alias yields to the name' {
	printf '%s\n' '{"type":"city","name":"New York"}' '{"type":"city","name":"York"}' |
		ctx-entity load -q
	ctx-append -qs s --create -t "Only York is meant here."
	[ "$(ctx-entity list -s s | names)" = "city:York " ]
	[ "$(ctx-entity find york | names)" = "city:York " ]
	ctx-append -qs s -t "And now New York."
	[ "$(ctx-entity list -s s | names)" = "city:New York city:York " ]
	# a session of both comes once
	[ "$(ctx-entity find --sessions "york or new york" | wc -l)" = 1 ]
	[ "$(ctx-entity find --sessions york "new york" | wc -l)" = 1 ]
	# who alone has it in part is found by it still
	ctx-entity load -q --tenant t <<<'{"type":"city","name":"New York"}'
	[ "$(ctx-entity find --tenant t york | names)" = "city:New York " ]
}

@test 'find: by alias made from the name, by text, and both directions' {
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

@test 'names that are loaded later are found in earlier messages' {
	ctx-append -qs s --create -t "the old billing engine is slow"
	[ "$(ctx-entity list -s s | names)" = "" ]
	echo '{"type":"system","name":"Billing Engine"}' | ctx-entity load -q
	[ "$(ctx-entity list -s s | names)" = "system:Billing Engine " ]
}

@test 'what was loaded by mistake is taken away' {
	known
	talk s
	ctx-entity list -s s >/dev/null
	# an alias that was given; one that is made is not
	ctx-entity alias --remove sw-core-01 "Core  Switch" | jq -e 'has("aliases") | not'
	[ "$(ctx-entity list -s s --type device | jq .mention_count)" = 1 ]
	status 1 ctx-entity alias --remove "task management" "task workflow"
	# an entity, by its name alone, with all that hangs on it
	ctx-entity load --remove <<<'{"type":"device","name":"DC1"}'
	ctx-entity find dc1 | jq -e '.id == 7'
	ctx-entity find SW-CORE-01 | ctx-entity load --remove
	ctx-entity find GigabitEthernet0/1 | jq -e 'has("parent") | not'
	[ "$(ctx-entity list -s s --type device | names)" = "" ]
	[ "$(ctx-entity list | names)" = "interface:GigabitEthernet0/1 site:DC1 workflow:Task Management " ]
	ctx-entity load --remove <<<'{"type":"ticket","pattern":"[A-Z]+-[0-9]+"}'
	[ "$(ctx-entity list -s s --type ticket | names)" = "" ]
	status 3 ctx-entity load --remove <<<'{"type":"device"}'
	# whoever gets the number of the last one has none of its mentions
	ctx-entity find GigabitEthernet0/1 | ctx-entity load --remove
	ctx-entity load -q <<<'{"type":"device","name":"sw-new-01"}'
	[ "$(ctx-entity list -s s --type device | names)" = "" ]
	ctx-check
}

@test 'alias, relate and merge' {
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

@test 'load brings up to date, and names bad records' {
	known
	echo '{"type":"device","name":"SW-Core-01","data":{"status":"offline"}}' | ctx-entity load |
		jq -e '.id == 42 and .data.status == "offline" and .name == "SW-Core-01"'
	printf '%s\n' '{"type":"device","name":"a"}' '{"name":"b"}' >bad
	run -3 ctx-entity load bad
	[[ $output == *"bad:2: an entity has a type"* ]]
	ctx-entity find a
	run -3 ctx-entity load -q <<<'{"type":"t","pattern":"(("}'
	[[ $output == *pattern* ]]
	run -0 ctx-entity load -q <<<'{"type":"device","name":"x","relations":[{"type":"in","target":"nowhere"}]}'
	[[ $output == *nowhere* ]]
}

@test 'one tenant does not see the names of another' {
	echo '{"type":"project","name":"Blue Moon"}' | ctx-entity load -q --tenant a
	CTX_TENANT=a ctx-new --id s >/dev/null
	CTX_TENANT=b ctx-new --id s >/dev/null
	CTX_TENANT=a ctx-append -qs s -t "about blue moon"
	CTX_TENANT=b ctx-append -qs s -t "about blue moon"
	[ "$(CTX_TENANT=a ctx-entity list -s s | names)" = "project:Blue Moon " ]
	[ "$(CTX_TENANT=b ctx-entity list -s s | names)" = "" ]
	CTX_TENANT=b run -1 ctx-entity find "blue moon"
}

# The same sessions tracked message by message, in steps, and all at once.
@test 'tracking in steps gives what tracking anew gives' {
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
		# names come and go in between
		[ "$i" != 20 ] || echo '{"type":"note","name":"and the"}' | ctx-entity load -q
		[ "$i" != 40 ] || ctx-entity alias DC1 "the DC1" -q
	done
	ctx-entity track -s s >steps
	for name in DC1 10.0.0.1 "task management"; do ctx-entity show -s s "$name"; done >>steps
	ctx-entity track -s s --rebuild >anew
	for name in DC1 10.0.0.1 "task management"; do ctx-entity show -s s "$name"; done >>anew
	same steps <anew
	# … and when the derived file and the names are lost
	rm -f "$CTX_STORE"-derived* "$CTX_STORE"-names*
	ctx-entity track -s s >lost
	for name in DC1 10.0.0.1 "task management"; do ctx-entity show -s s "$name"; done >>lost
	same steps <lost
}

@test 'a purged session leaves no trace of what it named' {
	talk s
	ctx-entity list -s s | grep -q 10.0.0.1
	ctx-delete -s s --purge >/dev/null
	! grep -aq "10.0.0.1" "$CTX_STORE"* || false
}

@test 'resolve asks once, in one process, and remembers' {
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

@test 'a resolver that fails is a warning, and is left alone for a while' {
	talk s
	run -0 --separate-stderr ctx-entity resolve -s s --resolve-exec 'echo x >>runs; exit 7'
	[[ $stderr == *"status 7"* ]]
	[ -z "$output" ]
	run -0 --separate-stderr ctx-entity resolve -s s --resolve-exec 'echo x >>runs; exit 7'
	[ "$(wc -l <runs)" = 1 ]
	run -0 --separate-stderr ctx-entity resolve -s s --exec-timeout 100ms --resolve-exec 'sleep 60'
	[[ $stderr == *"took longer"* ]]
}

@test 'what a resolver could not tell just now is asked again after a minute' {
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

@test 'the resolver for NetBox' {
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
	# one that fails is asked again in a while, and those after it are asked now
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

@test 'a text with a NUL is refused, and not cut off there' {
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
			grep -Eq '^ctx-entity: stdin:1: (name|type|slug|action|pattern) must be a string without NUL$' err
		done
	done
	for r in '"aliases":["d\u0000x"]' '"parent":"core\u0000x"' '"children":["core\u0000x"]' \
	    '"parent":"core","parent_type":"d\u0000x"' \
	    '"relations":[{"type":"of\u0000x","target":"core"}]' \
	    '"relations":[{"type":"of","target":{"type":"d\u0000x","name":"core"}}]'; do
		echo '{"type":"device","name":"other",'"$r}" | status 3 ctx-entity load -q 2>err
		grep -q '^ctx-entity: stdin:1: .* without NUL$' err
	done
	ctx-entity list | grep -F "\"core\"" | same before
}
