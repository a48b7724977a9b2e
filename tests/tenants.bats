# With CTX_TENANT set, no command shows or changes data of another tenant.
load helper

# Creates sessions "both" and "old", user u and agent ann for both tenants, red and blue. All data of the
# tenant blue contains the word "blue".
fill() {
	local t
	for t in red blue; do
		export CTX_TENANT=$t
		printf '%s\n' '{"type":"rule","name":"'$t'rule","include":"always","content":"rule of '$t'"}' \
			'{"type":"rule","name":"shared","include":"manual","content":"the shared rule of '$t'"}' |
			ctx-item define -q --agent ann
		printf '%s\n' '{"type":"device","name":"'$t'switch","aliases":["'$t' alias"],"data":{"of":"'$t'"}}' \
			'{"type":"site","name":"DC1","data":{"of":"'$t'"},"relations":[{"type":"holds","target":"'$t'switch"}]}' \
			'{"type":"ticket","pattern":"'$t'-[0-9]+"}' | ctx-entity load -q
		ctx-new -u u --set-preferences '{"of":"'$t'"}' >/dev/null
		for s in both mine$t old gone$t held$t; do
			ctx-new --id $s -u u --caller c --account acc --agent ann --title "title of $t" --topic "$t" \
				--metadata '{"of":"'$t'"}' >/dev/null
			seq 30 | sed 's/.*/{"role":"user","content":"question & of '$t' about DC1 and '$t'-&, findable"}/' |
				ctx-append -q -s $s
			ctx-append -q -s $s --id note$t --pin -t "a pinned note of $t"
			ctx-window -s $s -b 900 | ctx-enrich | ctx-render -p openai -b 900 --request $s.$t.req >/dev/null
			echo '{"choices":[{"message":{"role":"assistant","content":"answer of '$t'"}}]}' |
				ctx-append -q --request $s.$t.req
			ctx-prune -s $s --apply -b 600 >/dev/null
			ctx-summarize -q -s $s --keep-last 4 >/dev/null
		done
		ctx-archive -q -s old --to place$t --cleanup >/dev/null
		ctx-delete -q -s gone$t >/dev/null
		ctx-delete -q -s held$t --hold "case of $t" >/dev/null
		ctx-check -q --catch-up
	done
	export CTX_TENANT=red
}

# Prints all data of the tenant blue.
blue() {
	CTX_TENANT=blue ctx-list -a
	CTX_TENANT=blue ctx-show -s both -s mineblue -s old -s heldblue
	CTX_TENANT=blue ctx-item list
	CTX_TENANT=blue ctx-item list -s both
	CTX_TENANT=blue ctx-entity list
	CTX_TENANT=blue ctx-entity list -s both
	sqlite3 "$CTX_STORE" "SELECT * FROM preference WHERE tenant_id = 'blue';
		SELECT * FROM entity_pattern WHERE tenant_id = 'blue'"
	find placeblue -type f -exec sha256sum {} +
}

# Prints commands that try to use data of another tenant; "<" precedes the input file.
uses() {
	local s
	for s in mineblue goneblue heldblue; do
		cat <<-END
		ctx-append -s $s -t intruder
		ctx-append --resume -s $s -t intruder
		ctx-append <$s.messages
		ctx-append --request $s.blue.req <answer
		ctx-window -s $s
		ctx-window <$s.records
		ctx-enrich -s $s <bare
		ctx-summarize -s $s --keep-last 2
		ctx-summarize -s $s --undo
		ctx-prune -s $s --apply -b 100
		ctx-prune -s $s --undo
		ctx-show -s $s
		ctx-show -s $s --context
		ctx-show <$s.records
		ctx-search findable -s $s
		ctx-entity list -s $s
		ctx-entity show -s $s blueswitch
		ctx-entity track -s $s --rebuild
		ctx-entity resolve -s $s --resolve-exec cat
		ctx-item list -s $s
		ctx-item add -s $s shared
		ctx-item remove -s $s bluerule
		ctx-archive -s $s --to place --cleanup
		ctx-archive -s $s --to place --snapshot
		ctx-archive --restore -s $s
		ctx-archive --verify -s $s
		ctx-archive --cat -s $s
		ctx-archive --to place --cleanup <$s.records
		ctx-delete -s $s
		ctx-delete -s $s --purge --receipt
		ctx-delete -s $s --restore
		ctx-delete -s $s --hold x
		ctx-delete -s $s --release
		ctx-delete <$s.records
		ctx-stats -s $s
		ctx-calls -s $s
		ctx-view -s $s
		ctx-grep findable -s $s
		ctx-import -f openai --append -s $s chat
		ctx-check -s $s
		ctx-new --fork $s --id copy$s
		END
	done
	for s in both old; do   # red has them, too: it sees and changes its own
		cat <<-END
		ctx-append --resume -s $s -t more
		ctx-append <$s.messages
		ctx-window -s $s
		ctx-window <$s.records
		ctx-show -s $s
		ctx-show -s $s --context
		ctx-show --request $(jq -r .request_id $s.blue.req)
		ctx-search findable -s $s
		ctx-entity list -s $s
		ctx-item list -s $s
		ctx-stats -s $s
		ctx-view -s $s
		ctx-grep findable -s $s
		ctx-prune -s $s --apply -b 100
		ctx-summarize -s $s --keep-last 2
		ctx-archive --cat -s $s
		ctx-archive --verify -s $s
		ctx-archive -s $s --to place --cleanup
		ctx-archive --restore -s $s
		ctx-new --fork $s --id copy$s
		ctx-check -s $s
		END
	done
	cat <<-'END'
	ctx-mcp <asked
	ctx-mcp --write <asked
	ctx-list -a
	ctx-list -a -u u
	ctx-list -a --caller c
	ctx-list -a --agent ann
	ctx-list -a --entity blueswitch
	ctx-list -a --entity blue-7
	ctx-list -a --min-tokens 1
	ctx-ls -a
	ctx-ls --tsv
	ctx-grep findable
	ctx-grep blue
	ctx-list --expired
	ctx-search findable
	ctx-search blue
	ctx-search findable -u u --context 2
	ctx-search findable --fts
	ctx-entity list
	ctx-entity find blueswitch
	ctx-entity find "blue alias"
	ctx-entity find --sessions DC1
	ctx-entity find DC1
	ctx-entity alias DC1 mine
	ctx-entity relate DC1 next_to redswitch
	ctx-entity merge blueswitch redswitch
	ctx-entity load --remove <blue.patterns
	ctx-entity track --rebuild
	ctx-item list
	ctx-item list --agent ann
	ctx-item show bluerule
	ctx-item show shared
	ctx-item define --remove <blue.items
	ctx-new -u u --id prefs
	ctx-new -u u --set-preferences {"of":"red2"}
	ctx-new - <blue.sessions
	ctx-stats
	ctx-stats -u u
	ctx-stats --by session
	ctx-stats --by user
	ctx-stats --by day
	ctx-stats --by model
	ctx-stats --by tool
	ctx-stats --cache
	ctx-stats --items
	ctx-stats --plot -s both
	ctx-stats --warn 1
	ctx-stats --format prometheus
	ctx-archive --verify --all
	ctx-archive --verify --sample 9
	ctx-archive --list
	ctx-archive --list --to placeblue
	ctx-archive --cat --to placeblue
	ctx-archive --cat --keep-going --to placeblue
	ctx-archive --verify placeblue/2026/01/old@blue.ndjson.gz
	ctx-archive --cat placeblue/2026/01/old@blue.ndjson.gz
	ctx-archive --cat --keep-going placeblue/2026/01/old@blue.ndjson.gz
	ctx-archive --restore placeblue/2026/01/old@blue.ndjson.gz
	ctx-archive --restore --as old2 placeblue/2026/01/old@blue.ndjson.gz
	ctx-archive --remove placeblue/2026/01/old@blue.ndjson.gz
	ctx-check
	ctx-check --catch-up
	ctx-check --rebuild
	ctx-delete -u u
	ctx-delete -u u --restore
	ctx-delete -u u --hold x
	ctx-delete -u u --release
	ctx-delete -u u --purge --receipt
	END
}

# Creates a shared archive directory with long names, a damaged archive and a renamed archive.
share_place() {
	local t long
	long=$(printf '%080d' 0 | tr 0 :)
	for t in red blue; do
		for s in sharedof$t $long; do
			ctx-append -q --create --tenant $t -s $s -t "secret of $t"
			ctx-archive -q --tenant $t -s $s --to shared --cleanup >/dev/null
		done
		ctx-append -q --create --tenant $t -s damagedof$t -t "secret of $t"
		ctx-archive -q --tenant $t -s damagedof$t --to shared >/dev/null
		echo nonsense >"$(echo shared/*/*/damagedof$t@$t.ndjson.gz)"
		cp shared/*/*/sharedof$t@$t.ndjson.gz $t.gz
	done
}

@test 'in a shared archive directory, each tenant sees and removes only its own archives' {
	share_place
	(cd shared && find . -type f -exec sha256sum {} + | sort) >before
	export CTX_TENANT=red
	[ "$(ctx-archive --list --to shared | wc -l)" = 3 ]
	ctx-archive --list --to shared >out
	! grep -q blue out || false
	status 1 ctx-archive --cat --to shared >out 2>err
	[ "$(grep -c 'secret of red' out)" = 2 ]
	! grep -q blue out err || false
	status 1 ctx-archive --cat --keep-going --to shared >out
	[ "$(grep -c 'secret of red' out)" = 2 ]
	! grep -q blue out || false
	status 1 ctx-archive --cat red.gz blue.gz >out 2>err
	[ "$(grep -c 'secret of red' out)" = 1 ]
	! grep -q 'secret of blue' out || false
	grep -q "blue.gz: the archive does not belong to tenant 'red'" err
	for o in --verify --remove '--remove -n' --cat '--cat --keep-going' --restore; do
		for f in shared/*/*/*blue.ndjson.gz; do
			status 1 ctx-archive $o "$f" >out 2>err
			[ ! -s out ]
		done
	done
	# archives of other tenants are not reported as damaged
	status 1 ctx-archive --verify shared/*/*/*blue.ndjson.gz 2>err
	grep -q ' 0 intact archives, 0 not intact' err
	! grep -q 'damaged or missing' err || false
	ctx-archive -q --verify shared/*/*/sharedofred*
	status 1 ctx-archive --verify shared/*/*/damagedofred* 2>err | grep -q '"damaged"'
	# of the archives with shortened names, one belongs to red
	status 1 ctx-archive --remove shared/*/*/*~* >out 2>err
	[ "$(wc -l <out)" = 1 ]
	ctx-archive --remove shared/*/*/*red.ndjson.gz >out
	[ "$(wc -l <out)" = 2 ]
	export CTX_TENANT=blue
	[ "$(ctx-archive --list --to shared | wc -l)" = 3 ]
	(cd shared && find . -type f -exec sha256sum {} + | sort) >after
	[ "$(comm -13 before after | wc -l)" = 0 ]
	[ "$(comm -23 before after | wc -l)" = 3 ]
	# archives without a tenant are not visible to a tenant, and vice versa
	ctx-archive --tenant '' --list --to shared >out
	[ ! -s out ]
	status 1 ctx-archive --tenant '' --cat blue.gz >out 2>err
	[ ! -s out ]
}

@test 'no command shows or changes anything of another tenant' {
	fill
	CTX_TENANT=blue ctx-list -a >blue.sessions
	CTX_TENANT=blue ctx-item list >blue.items
	echo '{"type":"ticket","pattern":"blue-[0-9]+"}' >blue.patterns
	echo '{"choices":[{"message":{"role":"assistant","content":"intruder"}}]}' >answer
	echo '{"role":"user","content":"findable DC1 and more"}' >bare
	echo '{"messages":[{"role":"user","content":"intruder"}]}' >chat
	ask() { # TOOL ARGUMENTS
		printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2"
	}
	{
		echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}}'
		echo '{"jsonrpc":"2.0","id":2,"method":"resources/list"}'
		ask list '{}'
		ask search '{"query":"findable"}'
		ask recall '{"question":"findable"}'
		ask show '{"session":"mineblue"}'
		ask show '{"session":"both"}'
		ask entities '{}'
		ask append '{"session":"mineblue","text":"intruder"}'
		ask note '{"session":"heldblue","text":"intruder"}'
	} >asked
	for s in both old mineblue goneblue heldblue; do
		grep "\"session_id\":\"$s\"" blue.sessions >$s.records
		printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"intruder"}}\n' $s >$s.messages
	done
	blue >before
	bad=0
	uses >uses
	for c in $(commands); do
		[ "$c" != ctx-turn ] || continue # a script over the others
		"$c" --help | grep -q -- --tenant || continue
		grep -q "^$c " uses || { echo "$c is not asked"; bad=1; }
	done
	while read -r line; do
		read -r -a argv <<<"${line% <*}"
		[[ $line != *'"'* ]] || eval "argv=($(sed 's/{.*}/'"'&'/" <<<"${line% <*}"))"
		in=/dev/null
		[[ $line != *' <'* ]] || in=${line##* <}
		got=0
		"${argv[@]}" <"$in" >out 2>err || got=$?
		[ $got != 2 ] || { echo "asked wrongly: $line"; cat err; bad=1; }
		# names that the command got as arguments may be printed
		if sed -E 's/(mine|gone|held|copymine|copygone|copyheld)blue//g; s/placeblue//g' out | grep -q blue; then
			echo "shown: $line"; grep -m 2 blue out | cut -c1-300; bad=1
		fi
		[[ $line == *blue* ]] || ! grep -q blue err || { echo "said: $line"; cat err; bad=1; }
		blue >after
		cmp -s before after || { echo "changed: $line"; diff before after | cut -c1-300 | head -n 5; bad=1; cp after before; }
	done <uses
	[ $bad = 0 ]
}

@test 'a receipt and a restore do not reveal data of other tenants' {
	request() { # TENANT SID
		ctx-new --tenant "$1" --id "$2" >/dev/null
		ctx-append -q --tenant "$1" -s "$2" -t 'a text of some length that both tenants have in common'
		ctx-window --tenant "$1" -s "$2" | ctx-render -p openai --request req.json >/dev/null
		jq -c '.request_id = "same"' req.json >"$2.json"
		echo '{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}' |
			ctx-append -q --tenant "$1" --request "$2.json" >/dev/null
	}
	request one a
	ctx-archive -q --tenant one -s a --to place --cleanup >/dev/null
	request two b
	ctx-archive -q --restore --tenant one -s a 2>err >/dev/null
	[ ! -s err ]
	ctx-delete -q --tenant one -s a --purge --receipt | tail -n 1 >out
	jq -e '.survivors == 0 and (has("shared") | not)' out >/dev/null
	ctx-delete -q -s b --purge --receipt | tail -n 1 | jq -e 'has("shared")' >/dev/null
}
