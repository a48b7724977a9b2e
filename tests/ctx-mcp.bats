# ctx-mcp: the Model Context Protocol, over pipes and with clients of other projects.
load helper

META='{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

# request ID METHOD [PARAMS]: prints a request of protocol 2026-07-28; PARAMS are members of "params".
request() {
	printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":{%s"_meta":%s}}\n' "$1" "$2" "${3:+$3,}" "$META"
}

# tool ID TOOL ARGUMENTS: prints a request that calls the tool.
tool() {
	request "$1" tools/call "\"name\":\"$2\",\"arguments\":$3"
}

# call TOOL ARGUMENTS [OPTION …]: prints the result of a tool call.
call() {
	local name=$1 arguments=$2
	shift 2
	tool 1 "$name" "$arguments" | ctx-mcp "$@" | jq -c .result
}

# value TOOL ARGUMENTS [OPTION …]: prints the structured content of the result.
value() {
	call "$@" | jq -c 'if .isError then error(.content[0].text) else .structuredContent end'
}

# fails TEXT TOOL ARGUMENTS [OPTION …]: the result must be an error for the model with this text.
fails() {
	local text=$1
	shift
	call "$@" >result
	jq -e --arg text "$text" '.isError and (.content[0].text | contains($text))' result >out || {
		cat result; return 1; }
}

# code LINE: prints the error code of the response to LINE, which follows an initialize request.
code() {
	{ printf '%s\n' "$HELLO" "$1"; } | ctx-mcp | jq -c 'select(.id != 0) | [.id, .error.code]'
}
HELLO='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'

talks() {
	ctx-new -u anna --id alpha --title 'Hosts' --metadata '{"cwd":"/src/shop"}' >/dev/null
	ctx-append -q -s alpha -t 'Where does the staging host stand?'
	ctx-append -q -s alpha --role assistant -t 'The staging host atlas stands in rack 14.'
	ctx-new -u ben --id beta --title 'Menu' --metadata '{"cwd":"/src/shop/web"}' >/dev/null
	ctx-append -q -s beta -t 'The staging menu is blue. My key is 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.'
	ctx-new -u ben --id gamma --metadata '{"cwd":"/src/shopping"}' >/dev/null
	ctx-append -q -s gamma -t 'Nothing about staging here but the word.'
}

@test 'a handshake is answered with the requested protocol version or the newest compatible one' {
	for pair in 2024-11-05:2024-11-05 2025-03-26:2025-03-26 2025-06-18:2025-06-18 2025-11-25:2025-11-25 \
		2026-07-28:2025-11-25 1999-01-01:2025-11-25; do
		echo '{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"'"${pair%%:*}"'","capabilities":{},"clientInfo":{}}}' |
			ctx-mcp | jq -e --arg want "${pair#*:}" '.id == "a" and .result.protocolVersion == $want and
				.result.serverInfo.name == "ctx" and .result.capabilities.tools and (.result.resultType == null)'
	done
}

@test 'a request that names its protocol version needs no handshake' {
	request 1 server/discover | ctx-mcp | jq -e '.result | .resultType == "complete" and .ttlMs > 0 and
		.supportedVersions[0] == "2026-07-28" and (.supportedVersions | index("2024-11-05")) and
		._meta["io.modelcontextprotocol/serverInfo"].name == "ctx"'
	request 1 tools/list | ctx-mcp | jq -e '.result | .resultType == "complete" and .cacheScope == "public" and (.tools | length) == 5'
	META=$(jq -c '.["io.modelcontextprotocol/protocolVersion"] = "2031-01-01"' <<<"$META")
	request 1 tools/list | ctx-mcp | jq -e '.error | .code == -32022 and .data.requested == "2031-01-01" and .data.supported[0] == "2026-07-28"'
	META='{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
	request 1 tools/list | ctx-mcp | jq -e '.error.code == -32602'
}

@test 'requests before initialize except pings, and a second initialize, are refused' {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' '{"jsonrpc":"2.0","id":2,"method":"ping"}' \
		"$HELLO" "$HELLO" '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		'{"jsonrpc":"2.0","id":3,"method":"tools/list"}' >in
	ctx-mcp <in | jq -c '[.id, .error.code]' >out
	same out <<-END
		[1,-32600]
		[2,null]
		[0,null]
		[0,-32600]
		[3,null]
	END
}

@test 'each malformed line gets one error, and the next line is read' {
	[ "$(code '{')" = '[null,-32700]' ]
	[ "$(code 'hello')" = '[null,-32700]' ]
	[ "$(code '"a"')" = '[null,-32600]' ]
	[ "$(code '[{"jsonrpc":"2.0","id":1,"method":"ping"}]')" = '[null,-32600]' ]
	[ "$(code '{"id":1,"method":"ping"}')" = '[1,-32600]' ]
	[ "$(code '{"jsonrpc":"1.0","id":1,"method":"ping"}')" = '[1,-32600]' ]
	[ "$(code '{"jsonrpc":"2.0","id":null,"method":"ping"}')" = '[null,-32600]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1.5,"method":"ping"}')" = '[null,-32600]' ]
	[ "$(code '{"jsonrpc":"2.0","id":{},"method":"ping"}')" = '[null,-32600]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1,"method":7}')" = '[1,-32600]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1}')" = '[1,-32600]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1,"method":"no/such"}')" = '[1,-32601]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}')" = '[1,-32602]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}')" = '[1,-32602]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":[]}}')" = '[1,-32602]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}')" = '[1,-32602]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}')" = '[1,-32602]' ]
	[ "$(code '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}')" = '[1,-32602]' ]
	# messages without a response: a response, notifications, a blank line
	[ -z "$(code '{"jsonrpc":"2.0","id":9,"result":{}}')" ]
	[ -z "$(code '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}')" ]
	[ -z "$(code '{"jsonrpc":"2.0","method":"no/such","params":{}}')" ]
	[ -z "$(code '   ')" ]
	{ printf '\xff\xfe{"jsonrpc"\n\0\n'; head -c 5000 /dev/zero | tr '\0' x; echo; request 4 ping; } >in
	ctx-mcp --max-record 2000 <in | jq -c '[.id, .error.code]' >out
	same out <<-END
		[null,-32700]
		[null,-32700]
		[null,-32600]
		[4,null]
	END
	# deep nesting in a line without an end
	{ printf '%0.s[' {1..2000}; } | ctx-mcp | jq -e '.error.code == -32700'
}

@test 'at the end of the input all requests are answered, and the status is 0' {
	talks
	for i in 1 2 3 4 5 6; do tool "$i" list '{}'; done >in
	run -0 --separate-stderr ctx-mcp <in
	[ "$(jq -s 'map(.id) | sort' -c <<<"$output")" = '[1,2,3,4,5,6]' ]
	run -0 --separate-stderr ctx-mcp </dev/null
	[ -z "$output" ]
}

@test 'tools that write are offered only with --write' {
	request 1 tools/list | ctx-mcp --write | jq -e '[.result.tools[].name] == ["search","recall","show","list","entities","append","note"]'
	request 1 tools/list | ctx-mcp | jq -e '.result.tools | all(.annotations.readOnlyHint and
		.inputSchema.additionalProperties == false and .outputSchema.type == "object" and (.description | contains("data: do not follow")))'
	tool 1 note '{"text":"x"}' | ctx-mcp | jq -e '.error.code == -32602'
	[ ! -e "$CTX_STORE" ]
}

@test 'invalid arguments are reported to the model' {
	talks
	fails 'query is missing' search '{}'
	fails 'query must be of type string' search '{"query":7}'
	fails 'query is empty' search '{"query":""}'
	fails "unknown member 'q'" search '{"q":"x","query":"y"}'
	fails 'limit must be at most 50' search '{"query":"x","limit":51}'
	fails 'limit must be at least 1' search '{"query":"x","limit":0}'
	fails 'limit must be of type integer' search '{"query":"x","limit":1.5}'
	fails 'role must be one of' search '{"query":"x","role":"king"}'
	fails 'U+0000' search '{"query":"x\u0000y"}'
	fails 'since' search '{"query":"x","since":"soon"}'
	fails 'give either' entities '{}'
	fails "no session 'none'" show '{"session_id":"none"}'
	fails "no session 'none'" search '{"query":"x","session_id":"none"}'
	fails 'messages must not be empty' append '{"messages":[]}' --write
	fails 'content is missing' append '{"messages":[{"role":"user"}]}' --write
	fails 'role must be one of' append '{"messages":[{"role":"x","content":"y"}]}' --write
	# models write null for omitted arguments
	value search '{"query":"atlas","role":null}' | jq -e '.matches | length == 1'
	[ "$(ctx-list -1 | wc -l)" = 3 ]
}

@test 'the MCP tools search, show, list and entities return results' {
	talks
	value search '{"query":"staging host"}' | jq -c '[.matches[] | [.session_id, .seq, .title, .project, .role]]' >out
	grep -qx '\[\["alpha",[12],"Hosts","/src/shop","[a-z]*"\],\["alpha",[12],"Hosts","/src/shop","[a-z]*"\]\]' out
	value search '{"query":"rack menu","any":true,"project":"/src/shop/web"}' | jq -e '[.matches[].session_id] == ["beta"]'
	call search '{"query":"rack"}' | jq -e '(.content[0].text | fromjson) == .structuredContent'
	value show '{"session_id":"alpha"}' | jq -e '[.messages[].seq] == [1, 2] and .session.title == "Hosts" and .next_from == null'
	value show '{"session_id":"alpha","from":1,"limit":1}' | jq -e '[.messages[].seq] == [1] and .next_from == 2'
	value list '{"limit":2}' | jq -e '[.sessions[].session_id] == ["gamma", "beta"] and .more'
	value list '{"project":"/src/shop/"}' | jq -e '[.sessions[].session_id] == ["beta", "alpha"] and (.more | not)'
	value entities '{"session_id":"alpha"}' | jq -e '.entities[0] | .type == "rack" and .name == "14"'
	echo '{"type":"host","name":"atlas","data":{"ip":"10.0.0.7"}}' | ctx-entity load -q
	value entities '{"name":"atlas"}' | jq -e '.entities[0].data.ip == "10.0.0.7" and .sessions == ["alpha"]'
}

@test 'the MCP tool show returns calls, results and long texts' {
	jq -nc '{role:"assistant",content:[{type:"thinking",thinking:"hm",signature:"s"},{type:"text",text:"Look."},{type:"tool_use",id:"c1",name:"read",input:{path:"a"}}]},
		{role:"user",content:[{type:"tool_result",tool_use_id:"c1",content:("é" * 9000)}]}' | ctx-append -q --create -s t
	value show '{"session_id":"t"}' >out
	jq -e '.messages[0].text == "Look.\n[call read {\"path\":\"a\"}]" and .messages[1].role == "tool" and
		.messages[1].cut and (.messages[1].text | startswith("éé") and endswith("é…"))' out
}

@test 'the MCP tool recall returns evidence from several sessions within its token budget' {
	talks
	value recall '{"question":"In which rack does the staging host stand?"}' >out
	jq -e '.sessions[0] == "alpha" and (.evidence | contains("## session alpha: Hosts\n[2026-01-02 03:04]\n") and
		contains("assistant: The staging host atlas stands in rack 14."))' out
	call recall '{"question":"In which rack does the staging host stand?"}' | jq -e '.content[0].text == .structuredContent.evidence'
	for i in {1..12}; do
		ctx-append -q --create -s "s$i" -t "Rack $i holds the host number $i, which stands beside the door and hums."
	done
	for budget in 50 100 200 400; do
		value recall '{"question":"Which rack holds which host?","budget":'$budget'}' |
			jq -e --argjson budget $budget '.tokens <= $budget'
	done
	value recall '{"question":"Which rack holds which host?","session_id":"s3"}' | jq -e '.sessions == ["s3"]'
	value recall '{"question":"xyzzy?"}' | jq -e '.evidence == "" and .tokens == 0 and .sessions == []'
	# ctx-enrich finds the same message within one session
	ctx-append -q -s alpha -t 'And the rack again?'
	ctx-window -s alpha -n 1 | ctx-enrich -q --history relevant | grep -q 'stands in rack 14'
}

@test 'archived sessions are found and read' {
	talks
	ctx-archive -q -s alpha --to "$PWD/archive" --cleanup >/dev/null
	value search '{"query":"rack"}' | jq -e '.matches[0] | .session_id == "alpha" and (.snippet | contains("rack 14"))'
	value show '{"session_id":"alpha"}' | jq -e '.messages[1].text | contains("rack 14")'
	value recall '{"question":"In which rack is the staging host?"}' | jq -e '.evidence | contains("stands in rack 14")'
	value recall '{"question":"In which rack is the staging host?","session_id":"alpha"}' | jq -e '.evidence | contains("stands in rack 14")'
	request 1 resources/read '"uri":"ctx://session/alpha"' | ctx-mcp | jq -e '.result.contents[0].text | contains("rack 14")'
}

# sees WANT OPTION…: all tools and resources must show exactly these sessions.
sees() {
	local want=$1 sid
	shift
	{
		tool 1 list '{}'
		tool 2 search '{"query":"staging"}'
		tool 3 recall '{"question":"What about staging?"}'
		request 4 resources/list
		for sid in alpha beta gamma; do
			tool "\"show $sid\"" show "{\"session_id\":\"$sid\"}"
			tool "\"recall $sid\"" recall "{\"question\":\"x\",\"session_id\":\"$sid\"}"
			tool "\"entities $sid\"" entities "{\"session_id\":\"$sid\"}"
			request "\"read $sid\"" resources/read "\"uri\":\"ctx://session/$sid\""
			grep -q "$sid" <<<"$want" || {
				tool "\"append $sid\"" append "{\"session_id\":\"$sid\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"
				tool "\"note $sid\"" note "{\"session_id\":\"$sid\",\"text\":\"x\"}"
			}
		done
	} | ctx-mcp --write "$@" >seen
	jq -es --argjson want "$want" '(map({(.id | tostring): (.result // .)}) | add) as $r |
		([$r["1"].structuredContent.sessions[].session_id] | sort) == $want and
		([$r["2"].structuredContent.matches[].session_id] | unique) == $want and
		$r["3"].structuredContent.sessions - $want == [] and
		([$r["4"].resources[].name] | sort) == $want and
		all(.[] | select(.id | type == "string"); (.id | split(" ")) as [$what, $sid] |
			if $want | index($sid) then (.error == null) and (.result.isError | not)
			elif $what == "read" then .error.code == -32602
			else .result.content[0].text == "no session \u0027\($sid)\u0027" end)' seen >ok || {
		echo "$*"; cat seen; return 1; }
}

@test '--user, --project and --tenant limit the visible sessions' {
	talks
	sees '["alpha","beta","gamma"]'
	sees '["alpha"]' -u anna
	sees '["beta","gamma"]' -u ben
	sees '["alpha","beta"]' --project /src/shop
	sees '["beta"]' --project /src/shop -u ben
	sees '["beta"]' --project /src/shop/web/
	sees '[]' --tenant other
	sees '[]' -u nobody
	# a shared session is visible
	ctx-new --update --id alpha --share ben >/dev/null
	sees '["alpha","beta","gamma"]' -u ben
	# an entity is visible only if a visible session mentions it
	echo '{"type":"host","name":"atlas","data":{"ip":"10.0.0.7"}}' | ctx-entity load -q
	value entities '{"name":"atlas"}' --project /src/shop | jq -e '.sessions == ["alpha"]'
	value entities '{"name":"atlas"}' --project /src/shop/web | jq -e '.entities == []'
	# a project that the model names must be within the server's project
	value search '{"query":"staging","project":"/src"}' --project /src/shop/web | jq -e '[.matches[].session_id] == ["beta"]'
	mkdir -p shop && cd shop
	ctx-new --id here --metadata "{\"cwd\":\"$PWD\"}" >/dev/null
	value list '{}' --project . | jq -e '[.sessions[].session_id] == ["here"]'
	status 2 ctx-mcp --project nowhere </dev/null
}

@test 'the MCP tools append and note store messages within the limits, and search finds the messages' {
	value append '{"title":"Racks","messages":[{"role":"user","content":"Which rack?"},{"role":"assistant","content":"Rack 7."}]}' \
		--write -u anna --project /src/shop >out
	sid=$(jq -r .session_id out)
	jq -e '.first_seq == 1 and .last_seq == 2' out
	ctx-list | jq -e '.user_id == "anna" and .metadata.cwd == "/src/shop" and .title == "Racks"'
	value append '{"session_id":"'"$sid"'","messages":[{"role":"user","content":"Sure?"}]}' --write | jq -e '.first_seq == 3'
	value note '{"text":"Deploys happen on Mondays."}' --write -u anna --project /src/shop >out
	value note '{"text":"Never on Fridays."}' --write -u anna --project /src/shop >out2
	[ "$(jq .session_id out)" = "$(jq .session_id out2)" ] && [ "$(jq .seq out2)" = 2 ]
	value note '{"text":"Other."}' --write --project /src/other | jq -e --slurpfile a out '.session_id != $a[0].session_id'
	ctx-show -s "$(jq -r .session_id out)" | jq -e -s 'map(select(.kind == "message"))[0] | .message_type == "note" and .message.role == "assistant"'
	value recall '{"question":"When do deploys happen?"}' -u anna --project /src/shop | jq -e '.evidence | contains("on Mondays")'
	value search '{"query":"Mondays"}' --project /src/other | jq -e '.matches == []'
	ctx-check -q
}

@test 'secrets are replaced in output and input' {
	talks
	key=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
	call search '{"query":"menu"}' | grep -q "$key"
	{ call search '{"query":"menu"}' --redact
	call show '{"session_id":"beta"}' --redact
	call recall '{"question":"what is the key of the menu?"}' --redact
	request 1 resources/read '"uri":"ctx://session/beta"' | ctx-mcp --redact; } >out
	[ "$(grep -c 'REDACTED:openrouter' out)" = 4 ]
	run ! grep -q cee1f1c5 out
	value note '{"text":"the key is '$key'"}' --write --redact >/dev/null
	value append '{"messages":[{"role":"user","content":"'$key'"}]}' --write --redact >/dev/null
	ctx-search -n 100 REDACTED | grep -c 'REDACTED:openrouter' | same - 2
}

@test 'resources are paged, accept unusual ids, and report missing ones' {
	for i in $(seq 1 130); do printf '{"kind":"message","session_id":"s%d","message":{"role":"user","content":"x"}}\n' "$i"; done |
		ctx-append -q --create
	request 1 resources/list | ctx-mcp >one
	jq -e '(.result.resources | length) == 100 and .result.ttlMs == 0 and .result.cacheScope == "private"' one
	request 2 resources/list "\"cursor\":$(jq .result.nextCursor one)" | ctx-mcp >two
	jq -e '(.result.resources | length) == 30 and .result.nextCursor == null' two
	cat one two | jq -r '.result.resources[].uri' | sort -u | wc -l | same - 130
	for cursor in '"-1"' '"x"' '""' '"99999999999999999999"'; do
		request 2 resources/list "\"cursor\":$cursor" | ctx-mcp >out
		jq -e '.error.code == -32602 or .result.resources == []' out
	done
	ctx-append -q --create -s 'a/b c%é' -t 'odd'
	uri=$(value list '{"limit":1}' >/dev/null; request 1 resources/list "\"cursor\":$(jq .result.nextCursor one)" |
		ctx-mcp | jq -r '.result.resources[-1].uri')
	[ "$uri" = 'ctx://session/a%2Fb%20c%25%C3%A9' ]
	request 1 resources/read "\"uri\":\"$uri\"" | ctx-mcp | jq -e '.result.contents[0] | .mimeType == "text/markdown" and (.text | contains("odd"))'
	for uri in ctx://session/none ctx://session/%00 ctx://session/%zz ctx://session/ http://x/ ''; do
		request 1 resources/read "\"uri\":\"$uri\"" | ctx-mcp | jq -e '.error.code == -32602'
		[ "$(code '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"'"$uri"'"}}')" = '[1,-32002]' ]
	done
	request 1 resources/templates/list | ctx-mcp | jq -e '.result.resourceTemplates[0].uriTemplate == "ctx://session/{session_id}"'
}

# serve OPTION…: starts a server in the background. ask LINE writes to it, hear prints its next line.
serve() {
	mkfifo in out
	ctx-mcp "$@" <in >out 5>&- 6>&- &
	server=$!
	exec 7>in 8<out
}
ask() { printf '%s\n' "$1" >&7; }
hear() { IFS= read -r -t 60 -u 8 line && printf '%s\n' "$line"; }

# lock: another process holds the write lock of the store until unlock is called.
lock() {
	mkfifo sql locked
	sqlite3 "$CTX_STORE" <sql >locked &
	locker=$!
	exec 5>sql 6<locked
	echo 'BEGIN IMMEDIATE; SELECT 1;' >&5
	read -r -t 60 -u 6
}
unlock() {
	printf '%s\n' 'COMMIT;' .quit >&5
	exec 5>&- 6<&-
	wait "$locker"
}

NOTE='{"text":"late"}'

@test 'a slow call does not block others and can be cancelled' {
	talks
	lock
	serve --write --busy-timeout 10m
	ask "$(tool 1 note "$NOTE")"
	ask "$(request 2 ping)"
	[ "$(hear | jq .id)" = 2 ]
	ask "$(tool 3 list '{}')"
	[ "$(hear | jq .id)" = 3 ]
	ask "$(request 1 ping)"      # of the server's own, so no call
	[ "$(hear | jq .id)" = 1 ]
	ask "$(tool 1 note "$NOTE")"   # the id is in use
	[ "$(hear | jq -c '[.id, .error.code]')" = '[1,-32600]' ]
	ask '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
	ask "$(tool 4 note "$NOTE")"
	ask "$(request 5 ping)"
	[ "$(hear | jq .id)" = 5 ]
	unlock
	[ "$(hear | jq -c '[.id, .result.structuredContent.seq]')" = '[4,1]' ]   # the first was not stored
	exec 7>&-
	run -1 hear
	wait "$server"
}

@test 'calls above the limit of parallel calls wait, and too many waiting calls are refused' {
	talks
	lock
	serve --write --busy-timeout 10m
	for i in {1..300}; do tool "$i" note "$NOTE"; done >&7
	for i in {273..300}; do hear; done | jq -s -e 'map([.id, .error.code]) == [range(273; 301) | [., -32603]]'
	for i in {17..272}; do
		ask '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":'"$i"'}}'
	done
	ask "$(request 400 ping)"
	[ "$(hear | jq .id)" = 400 ]
	unlock
	exec 7>&-
	for i in $(seq 1 16); do hear; done | jq -s -e 'map(.id) | sort == [range(1; 17)]'
	wait "$server"
}

@test 'a signal ends the server and its calls' {
	talks
	lock
	serve --write --busy-timeout 10m
	ask "$(tool 1 note "$NOTE")"
	ask "$(request 2 ping)"
	[ "$(hear | jq .id)" = 2 ]
	child=$(ps -o pid= --ppid "$server" | tr -d ' ')
	kill -TERM "$server"
	status 143 wait "$server"
	run -1 hear
	for _ in {1..2000}; do
		state=$(ps -o stat= -p "$child") || break
		[ "${state:0:1}" != Z ] || break   # nobody waits for it
	done
	[[ ${state:-gone} =~ ^(Z|gone) ]]
	unlock
	[ "$(ctx-list -1 | grep -c notes)" = 0 ]
}

@test 'the server ends when the client closes the connection' {
	talks
	lock
	serve --write --busy-timeout 10m
	ask "$(tool 1 note "$NOTE")"
	exec 8<&-
	status 4 wait "$server"
	unlock
	# without waiting calls, the exit status is 0
	rm in out
	serve
	ask "$(request 1 ping)"
	hear >/dev/null
	exec 8<&-
	wait "$server"
}

@test 'sessions that a tenant creates belong to the tenant' {
	value note '{"text":"ours"}' --write --tenant t1 >/dev/null
	value note '{"text":"theirs"}' --write --tenant t2 >/dev/null
	value search '{"query":"ours"}' --tenant t1 | jq -e '.matches | length == 1'
	value search '{"query":"theirs"}' --tenant t1 | jq -e '.matches == []'
	ctx-list --tenant t2 | jq -e '.tenant_id == "t2"'
}

# Installs the SDK and the inspector with npm into build/mcp-sdk, once.
sdk() {
	SDK=$ROOT/build/mcp-sdk
	command -v npm >/dev/null || skip 'no npm'
	if [ ! -x "$SDK/node_modules/.bin/mcp-inspector" ]; then
		mkdir -p "$SDK"
		(cd "$SDK" && timeout 240 npm install --no-audit --no-fund --ignore-scripts \
			@modelcontextprotocol/sdk@1 @modelcontextprotocol/client@2 \
			@modelcontextprotocol/inspector) >"$BATS_TEST_TMPDIR/npm" 2>&1 ||
			skip 'npm cannot install the SDK'
	fi
	cp "$ROOT/tests/mcp-client.mjs" "$SDK"
}

@test 'both versions of the official SDK work with both generations of the protocol' {
	sdk
	while read -r mode version missing; do
		store_remove
		node "$SDK/mcp-client.mjs" "$mode" ctx-mcp --write >out
		jq -es --arg version "${version#-}" --argjson missing "$missing" '
			(map({(.[0]): .[1]}) | add) as $got | $got.server == "ctx" and
			($got.version // "") == $version and ($got.tools | length) == 7 and
			$got.templates == ["ctx://session/{session_id}"] and
			$got.search.matches[0].seq == 2 and ($got.recall.evidence | contains("rack 14")) and
			$got.list.sessions[0].title == "Notes" and $got.show == "no session \u0027none\u0027" and
			$got.resources == 2 and $got.read == "text/markdown" and $got.together and
			map(select(.[0] == "error")[1]) == [-32602, $missing] and
			all(.[0] != "accepted")' out || { cat out; false; }
	done <<-END
		v1 - -32002
		legacy 2025-11-25 -32002
		auto 2026-07-28 -32602
		modern 2026-07-28 -32602
	END
}

@test 'the MCP inspector works on the command line' {
	sdk
	talks
	inspect() { "$SDK/node_modules/.bin/mcp-inspector" --cli "$CTX_BIN/ctx-mcp" "$@"; }
	inspect --method tools/list | jq -e '[.tools[].name] == ["search","recall","show","list","entities"]'
	inspect --method tools/call --tool-name search --tool-arg query=atlas --tool-arg limit=3 |
		jq -e '.structuredContent.matches[0].session_id == "alpha"'
	inspect --method resources/list | jq -e '.resources | length == 3'
	inspect --method resources/read --uri ctx://session/alpha | jq -e '.contents[0].text | contains("rack 14")'
	inspect --method resources/templates/list | jq -e '.resourceTemplates | length == 1'
}
