load helper

@test 'an item of a type that cannot be added to a session is refused with the type' {
	ctx-new --id s >/dev/null
	printf '%s\n' '{"type":"prompt","name":"core","content":"x"}' '{"type":"mode","name":"triage","content":"sort"}' |
		ctx-item define -q
	status 1 ctx-item add -s s core 2>err
	same err <<<"ctx-item: 'core' is a prompt: this kind of item cannot be limited to one session"
	status 1 ctx-item add -s s triage 2>err
	grep -q 'is a mode' err
	status 1 ctx-item add -s s nosuch 2>err
	grep -q "no item 'nosuch' is defined" err
}

@test 'ctx-item list -s accepts --server and --type' {
	printf '%s\n' '{"type":"tool","server_name":"a","name":"t","schema":{"type":"object"}}' \
		'{"type":"tool","server_name":"b","name":"u","schema":{"type":"object"}}' | ctx-item define -q --agent g
	ctx-new --id s --agent g >/dev/null
	ctx-item list -s s --server b | jq -r .name | same - u
}

define() {
	cat >items.ndjson <<-'X'
	{"type":"rule","name":"A","include":"always","content":"Rule a"}
	{"type":"rule","name":"B","include":"manual","content":"Rule b"}
	{"type":"rule","name":"C","include":"agent","content":"Rule c"}
	{"type":"rule","name":"Off","include":"always","enabled":false,"content":"never"}
	{"type":"reference","name":"X","include":"always","content":"Reference x"}
	{"type":"server","name":"fs","include":"manual"}
	{"type":"tool","server_name":"fs","name":"read","content":"Reads."}
	{"type":"tool","server_name":"fs","name":"write","include":"always","content":"Writes."}
	{"type":"tool","server_name":"web","name":"get","content":"Gets."}
	X
	ctx-item define -q --agent ann items.ndjson
}

items() {
	ctx-item list -s "$1" | jq -r '"\(.server_name // "-"):\(.name)=\(.include_mode)"' | tr '\n' ' '
}

@test 'a new session has the items that are always included' {
	define
	ctx-new --id s --agent ann >/dev/null
	# a tool has its own include mode, that of its server, or always
	[ "$(items s)" = "-:A=always -:X=always fs:write=always web:get=always " ] || { items s; false; }
	ctx-new --id other --agent bob >/dev/null
	[ "$(items other)" = "" ]
	echo '{"kind":"session","session_id":"r","agent":"ann"}' | ctx-new - >/dev/null
	[ "$(items r)" = "$(items s)" ]
}

@test 'an item can be added to a session once and removed once, and added items come last in the list' {
	define
	ctx-new --id s --agent ann >/dev/null
	ctx-item add -q -s s B fs:read
	ctx-item add -q -s s B A
	ctx-item remove -q -s s X
	[ "$(items s)" = "-:A=always fs:write=always web:get=always -:B=manual fs:read=manual " ]
	run -1 ctx-item add -s s Nobody
	[[ $output == *"no item 'Nobody'"* ]]
	status 1 ctx-item remove -s s X
	ctx-new --id copy --fork s >/dev/null
	[ "$(items copy)" = "$(items s)" ]
}

@test 'item definitions are listed, shown, replaced and removed' {
	define
	[ "$(ctx-item list --agent ann | wc -l)" = 9 ]
	[ "$(ctx-item list --agent bob | wc -l)" = 0 ]
	ctx-item show A | jq -e '.content == "Rule a" and .agent == "ann" and .enabled'
	echo '{"type":"rule","name":"A","agent":"ann","content":"Rule a, again"}' | ctx-item define -q
	ctx-item show A | jq -e '.content == "Rule a, again"'
	echo '{"type":"rule","name":"A","agent":"ann"}' | ctx-item define --remove
	status 1 ctx-item show A
	# an item can be removed from a session after its definition was removed
	ctx-new --id s --agent ann >/dev/null
}

@test 'an item defined for every agent applies unless the agent redefines it' {
	echo '{"type":"rule","name":"A","include":"always","content":"for all"}' | ctx-item define -q
	echo '{"type":"rule","name":"A","include":"always","agent":"ann","content":"for ann"}' | ctx-item define -q
	for agent in ann bob; do
		ctx-new --id $agent --agent $agent >/dev/null
		ctx-append -qs $agent -t hello
	done
	text() { ctx-window -s "$1" | ctx-enrich | jq -r 'select(.slot) | .message.content'; }
	[ "$(text ann)" = $'Rule: A\nfor ann' ]
	[ "$(text bob)" = $'Rule: A\nfor all' ]
}

@test 'invalid item definitions are reported' {
	run -3 ctx-item define <<<'{"type":"rule","name":"A"}'
	[[ $output == *"stdin:1: content is missing"* ]]
	run -3 ctx-item define <<<'{"type":"law","name":"A","content":"x"}'
	run -3 ctx-item define <<<'{"type":"tool","name":"A","content":"x"}'
	[[ $output == *server_name* ]]
	run -3 ctx-item define <<<'{"type":"rule","name":"A","content":"x","include":"never"}'
}

@test 'items are archived with their session' {
	define
	ctx-new --id s --agent ann >/dev/null
	ctx-append -qs s -t hello
	ctx-item add -q -s s B
	items s >before
	ctx-archive -q -s s --to "$PWD/archive" --cleanup >/dev/null
	export CTX_STORE=$PWD/other.db
	ctx-archive -q --restore "$(find archive -name '*.gz')" >/dev/null
	items s | same before
}

@test 'a missing or unknown action is refused with the list of actions' {
	status 2 ctx-item 2>err
	same err <<<'ctx-item: no action given (actions: define, list, show, add, remove, tools)'
	status 2 ctx-item drop 2>err
	same err <<<"ctx-item: unknown action 'drop' (actions: define, list, show, add, remove, tools)"
}

@test 'a text with a NUL character is rejected, not truncated' {
	define
	ctx-item list >before
	for r in '"content":"Never delete\u0000 without asking","agent":"ann"' \
	    '"words":"Never delete\u0000 without asking"' '"content":"x","agent":"ann\u0000x"' \
	    '"content":"x","server_name":"s\u0000x"'; do
		echo '{"type":"rule","name":"B",'"$r}" | status 3 ctx-item define -q 2>err
		grep -Eq '^ctx-item: stdin:1: (content|words|agent|server_name) must be a string without NUL characters$' err
	done
	echo '{"type":"rule","agent":"ann","name":"B\u0000x"}' | status 3 ctx-item define --remove 2>err
	grep -q 'stdin:1: name must be a string without NUL characters$' err
	ctx-item list | same before
}

@test 'a disabled item can be added, with a warning that requests do not include it' {
	define
	ctx-new --id s --agent ann >/dev/null
	for quiet in '' -q; do
		status 0 ctx-item add $quiet -s s Off B >out 2>err
		same err <<<"ctx-item: rule 'Off' is disabled: requests include it only after it is enabled"
	done
	items s | grep -q -- '-:Off=manual'
	ctx-append -qs s -t hello
	[ -z "$(ctx-window -s s | ctx-enrich | jq -r 'select(.source.name == "Off")')" ]
	echo '{"type":"rule","name":"Off","agent":"ann","content":"now"}' | ctx-item define -q
	[ "$(ctx-window -s s | ctx-enrich | jq -r 'select(.source.name == "Off").message.content')" = $'Rule: Off\nnow' ]
	status 0 ctx-item add -q -s s Off 2>err
	[ ! -s err ]
}

callable() {
	printf '%s\n' '{"type":"tool","server_name":"fs","name":"read","content":"Reads a file.","schema":{"type":"object","properties":{"path":{"type":"string"},"max":{"type":"number","maximum":1.50e1}},"required":["path"],"additionalProperties":false}}' \
		'{"type":"tool","server_name":"fs","name":"list","schema":{}}' \
		'{"type":"tool","server_name":"fs","name":"told","content":"Prose."}' \
		'{"type":"tool","server_name":"fs","name":"off","content":"x","enabled":false,"schema":{}}' \
		'{"type":"tool","server_name":"web","name":"get","include":"manual","content":"Gets.","schema":{"properties":{}}}' \
		'{"type":"rule","name":"A","content":"Rule a"}' |
		ctx-item define -q --agent ann
}

@test 'ctx-item tools prints tools in each provider'\''s format, ready for ctx-render' {
	callable
	schema='{"type":"object","properties":{"path":{"type":"string"},"max":{"type":"number","maximum":1.50e1}},"required":["path"],"additionalProperties":false}'
	none='{"type":"object","properties":{}}'
	ctx-item tools -p openai --server fs | same - '{"tools":[{"type":"function","function":{"name":"fs__read","description":"Reads a file.","parameters":'"$schema"'}},{"type":"function","function":{"name":"fs__list","parameters":'"$none"'}}]}'
	ctx-item tools -p responses --server fs | same - '{"tools":[{"type":"function","name":"fs__read","description":"Reads a file.","parameters":'"$schema"',"strict":false},{"type":"function","name":"fs__list","parameters":'"$none"',"strict":false}]}'
	ctx-item tools -p anthropic --server fs | same - '{"tools":[{"name":"fs__read","description":"Reads a file.","input_schema":'"$schema"'},{"name":"fs__list","input_schema":'"$none"'}]}'
	ctx-item tools -p gemini --server fs | same - '{"tools":[{"functionDeclarations":[{"name":"fs__read","description":"Reads a file.","parametersJsonSchema":'"$schema"'},{"name":"fs__list","parametersJsonSchema":'"$none"'}]}]}'
	ctx-new --id s --agent ann >/dev/null
	ctx-append -qs s -t hello
	for p in openai responses anthropic gemini; do
		CTX_PROVIDER=$p ctx-item tools -s s | jq -c '. + {model: "m", max_tokens: 9}' >params
		ctx-window -s s | ctx-enrich | ctx-prune -b 4000 --params params | ctx-render -p $p --params params >body
		jq -c .tools body | same <(jq -c .tools params)
		grep -q '"fs__read"' body
		ctx-lint -p $p body
	done
}

@test 'ctx-item tools selects tools by agent and session, and omits disabled tools' {
	callable
	names() { ctx-item tools -p anthropic "$@" | jq -r '.tools[]?.name' | tr '\n' ' '; }
	[ "$(names)" = "fs__read fs__list web__get " ]
	[ "$(names --agent ann)" = "fs__read fs__list web__get " ]
	[ "$(names --server web)" = "web__get " ]
	ctx-new --id s --agent ann >/dev/null
	[ "$(names -s s)" = "fs__read fs__list " ]
	ctx-item add -q -s s web:get
	[ "$(names -s s)" = "fs__read fs__list web__get " ]
	# without tools, the member is omitted, because providers refuse an empty list
	ctx-item tools -p openai --agent bob 2>err | same - '{}'
	grep -q 'no enabled tool has a schema' err
	status 1 ctx-item tools -p openai -s nosuch 2>err
	status 2 ctx-item tools 2>err
	grep -q 'no provider given' err
	status 2 ctx-item tools -p openai read 2>err
}

@test '--params keeps the members and tools of the given parameters and puts the new tools last' {
	callable
	echo '{"model":"m","temperature":0.10,"tools":[{"type":"function","function":{"name":"mine"}}],"tool_choice":"auto"}' >model.json
	ctx-item tools -p openai --server web --params model.json |
		same - '{"model":"m","temperature":0.10,"tool_choice":"auto","tools":[{"type":"function","function":{"name":"mine"}},{"type":"function","function":{"name":"web__get","description":"Gets.","parameters":{"type":"object","properties":{}}}}]}'
	ctx-item tools -q -p openai --agent bob --params model.json | same model.json
	for p in openai responses anthropic gemini; do
		ctx-item tools -p $p >once.json
		status 1 ctx-item tools -p $p --params once.json >out 2>err
		same err <<<"ctx-item: two tools have the name 'fs__read'"
		[ ! -s out ]
	done
	echo '[]' >list.json
	status 3 ctx-item tools -p openai --params list.json 2>err
	echo '{"tools":7}' >bad.json
	status 3 ctx-item tools -p openai --params bad.json 2>err
}

@test 'tool names that a provider rejects are changed, and invalid schemas are refused' {
	def() { jq -nc --arg s "$1" --arg n "$2" --argjson c "$3" '{type: "tool", server_name: $s, name: $n, schema: $c}' | ctx-item define -q; }
	refused() { status 1 ctx-item tools -p "$1" >out 2>err; [ ! -s out ]; grep -q "$2" err; }
	taken() { ctx-item tools -p "$1" | jq -e '[.. | .name? // empty] | all(test("^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$"))'; }
	def my.server read '{}'
	def s "$(printf '%070d' 0)" '{}'
	def 9 read '{}'
	taken gemini
	ctx-item list | ctx-item define --remove
	def my.server read '{}'
	for p in openai responses anthropic gemini; do
		taken $p
	done
	ctx-item list | ctx-item define --remove
	for schema in '{"type":"string"}' '{"path":"string"}' '{"properties":[]}' '{"type":["object"]}'; do
		def s t "$schema"
		refused openai "schema of tool 's__t' must be a JSON Schema of type object"
	done
}

@test 'every way to create a session adds the items of its agent' {
	echo '{"type":"rule","name":"Style","include":"always","content":"Be short."}' | ctx-item define -q --agent net
	names() { ctx-item list -s "$1" | jq -r '"\(.name) \(.include_mode)"'; }
	ctx-append -q --create --agent net -s a -t hi 2>err
	[ ! -s err ]
	names a | same - 'Style always'
	printf '%s\n' '{"kind":"session","session_id":"b","agent":"net"}' '{"kind":"message","session_id":"b","message":{"role":"user","content":"hi"}}' |
		ctx-append -q --create
	names b | same - 'Style always'
	ctx-new --id c >/dev/null
	[ -z "$(names c)" ]
	ctx-new --update --id c --agent net >/dev/null 2>err
	[ ! -s err ]
	names c | same - 'Style always'
	ctx-append -q --create --agent other -s a -t again
	ctx-list | jq -r .agent | same - $'net\nnet\nnet'
	for c in 'ctx-new --id d --agent nett' 'ctx-new --update --id c --agent nett' 'ctx-append --create -s e --agent nett -t hi'; do
		$c 2>err >/dev/null
		grep -q "agent 'nett' has no items" err
	done
}

@test 'for two tools of the same name the error lists the servers' {
	for s in fs web; do
		jq -nc --arg s $s '{agent: "ann", type: "tool", server_name: $s, name: "read", content: "Reads.", include: "manual"}' | ctx-item define -q
	done
	ctx-new --id s --agent ann >/dev/null
	status 1 ctx-item add -s s read 2>err
	same err <<<"ctx-item: several items have the name 'read': name the server too: fs:read, web:read"
	ctx-item add -q -s s fs:read
	ctx-item add -q -s s web:read
	status 1 ctx-item remove -s s read 2>err
	grep -q 'fs:read, web:read' err
}

@test 'an agent without items causes a warning, also with --quiet' {
	ctx-append -q --create --agent nett -s s -t x 2>err
	same err <<<"ctx-append: agent 'nett' has no items (ctx-item define --agent nett)"
}
