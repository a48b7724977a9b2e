# Three applications with append-only requests over whole sessions: the additions of each turn, the items that
# are already in the request, and the records about both.

load helper

setup() {
	isolate
	export CTX_PROVIDER=anthropic CTX_BUDGET=8000 CTX_TOKENIZER=chars4 CTX_PARAMS=params
	params '{"name":"get_device","input_schema":{"type":"object"}}'
}

params() { printf '{"model":"claude-opus-5-5","max_tokens":50,"tools":[%s]}' "$1" >params; }

# new AGENT: creates session s.
new() { ctx-new --id s -u ann --agent "$1" >/dev/null 2>&1; }

# request [ENRICH OPTION…]: renders a request, which must extend the previous one unless a new run starts.
request() {
	ctx-window -s s | ctx-enrich -q "$@" | ctx-prune | ctx-render --request req >body
	ctx-lint -p anthropic body
	jq -c 'del(.. | .cache_control?) | .system, .tools, (.messages[] | .role as $r |
	    (.content | if type == "string" then [{type: "text", text: .}] else . end)[] | [$r, .])' body >blocks
	if [ "$(jq '.run.n' req)" -gt 1 ]; then
		head -n "$(wc -l <before)" blocks | cmp - before
	fi
	cp blocks before
	jq -r .request_id req >>ids
	cp body "body.$(jq -r .request_id req)"
}

# ask TEXT [ENRICH OPTION…]: appends a question one minute later and renders its request.
ask() {
	export CTX_NOW="2026-01-02T03:$((10 + $(ctx-show -s s | wc -l) % 50)):00.000Z"
	ctx-append -q -s s -t "$1"
	request "${@:2}"
}

# reply BLOCK…: stores an answer with these blocks.
reply() {
	jq -cn '{id: "m", type: "message", role: "assistant", model: "claude-opus-5-5", stop_reason:
	    (if any($ARGS.positional[]; .type == "tool_use") then "tool_use" else "end_turn" end),
	    content: [{type: "thinking", thinking: "", signature: "sig"}, $ARGS.positional[]]}' --jsonargs "$@" |
		ctx-append -q --request req
}
answer() { reply "$(jq -cn --arg t "$1" '{type: "text", text: $t}')"; }

# call TOOL ID RESULT: stores an answer with a call, appends the result, and renders the next request.
call() {
	reply "$(jq -cn --arg n "$1" --arg i "$2" '{type: "tool_use", id: $i, name: $n, input: {}}')"
	ctx-append -q -s s --result "$2" -t "$3"
	request "${@:4}"
}

# newest: prints the texts of the newest user message, with additions, and of the messages after it.
newest() {
	jq -r '.messages | .[([.[].role] | rindex("user")):][].content | if type == "string" then . else .[].text // empty end' body
}

again() {
	local id
	while read -r id; do
		ctx-show --request "$id" | ctx-render | cmp - "body.$id"
	done <ids
}

entity() { # NAME TYPE DATA [MORE]
	jq -cn --arg n "$1" --arg t "$2" --argjson d "$3" '{kind: "entity", type: $t, name: $n, id: ("id-" + $n), data: $d}
	    + $ARGS.positional[0]' --jsonargs "${4-{\}}" | ctx-entity load -q
}

@test 'network inventory: entities are added in the turn that needs them, and again when one of their facts changes' {
	new netbox
	entity rack-a12 rack '{"height":42}'
	entity sw-core-01 device '{"status":"active"}' '{"relations":[{"type":"located_in","target":"rack-a12","target_type":"rack"}]}'
	entity Frankfurt site '{"region":"EU"}' '{"data_expires_at":"2026-01-03T00:00:00Z"}'
	ask 'Where is sw-core-01 installed?' --topic derived
	# the order is: entities, topic, message, instructions
	newest >texts
	[ "$(sed -n 1p texts)" = 'Entities in this conversation:' ]
	grep -q 'located_in: rack-a12' texts
	grep -q 'Mentioned 1 time' texts
	[ "$(tail -n 2 texts | cut -c1-16)" = "$(printf 'Where is sw-core\nUse the entities')" ]
	call get_device c1 '{"rack":"rack-a12","position":7}'
	[ "$(grep -c 'Entities in this' blocks)" = 1 ]
	answer 'In rack-a12.'
	ask 'Is that rack in Frankfurt?' --topic derived
	newest >texts
	grep -q '^- site: Frankfurt' texts
	grep -q '^- rack: rack-a12' texts
	run ! grep -q sw-core-01 texts
	answer 'Yes.'
	# another mention does not change the facts of an entity
	ask 'How high is rack-a12, and is sw-core-01 at its top?' --topic derived
	run ! grep -q 'Entities in this' <(newest)
	newest | grep -q '^Current topic: '
	topic=$(newest | grep '^Current topic: ')
	answer '42, and no.'
	# a fact has changed
	entity sw-core-01 device '{"status":"offline"}' '{"relations":[{"type":"located_in","target":"rack-a12","target_type":"rack"}]}'
	ask 'Is sw-core-01 up?' --topic derived
	newest | grep -q 'status: offline'
	run ! grep -q 'rack: rack-a12' <(newest)
	answer 'No.'
	ask 'And sw-core-01 in rack-a12?' --topic derived
	[ "$(grep -c "^$topic\$" <(jq -r '.messages[].content | if type == "string" then . else .[].text // empty end' body))" -le 2 ]
	run ! grep -q 'Entities in this' <(newest)
	answer 'Still not.'
	# the data about Frankfurt has expired
	export CTX_NOW=2026-01-04T00:00:00Z
	ctx-append -q -s s -t 'What of Frankfurt?'
	request --topic derived
	[ "$(jq .run.n req)" = 7 ]
	answer 'It stands.'
	# the instructions are sent once in a run, and every request renders to the same bytes
	[ "$(grep -c 'Use the entities listed' blocks)" = 1 ]
	again
	# a text prompt for the same session: history, entities, topic, message, instructions
	ctx-append -q -s s -t 'And sw-core-01?'
	export CTX_PROVIDER=prompt
	ctx-window -s s | ctx-enrich -q --topic derived | ctx-prune | ctx-render >prompt
	grep -nE '^(Conversation so far:|Entities in this|Current topic:|Current user message:|Use the entities)' prompt |
		sed 's/:.*//' | sort -nc
	[ "$(grep -cE '^(Conversation so far:|Entities in this|Current user message:|Use the entities)' prompt)" = 4 ]
	[ "$(tail -n 1 prompt | cut -c1-16)" = 'Use the entities' ]
}

@test 'workflow agent: the prompt follows the mode, and changed specifications and the five newest workflows are sent' {
	for m in creation search modification; do
		jq -nc --arg m "$m" '{kind: "item", type: "prompt", name: $m, modes: [$m], content: ("Guidance for the mode \($m). " * 30)}'
	done | ctx-item define -q
	jq -nc '{kind: "item", type: "prompt", name: "core", content: ("Who you are. " * 20)}' | ctx-item define -q
	for i in 1 2 3 4 5 6 7; do entity "Flow $i" workflow "{\"steps\":$i}"; done
	params '{"name":"create_workflow","input_schema":{"type":"object"}}'
	new flows
	echo 'Specification: two steps.' >spec
	flow() { CTX_MODE=$1 ask "$2" --entities workflow:5 --attach spec=spec; }
	flow creation 'Make a workflow for my mail: Flow 1, then Flow 2.'
	jq -r '.system[].text' body | grep -q 'Who you are'
	jq -r '.system[].text' body | grep -q 'mode creation'
	newest | grep -q '^Specification: two steps'
	[ "$(newest | grep -c '^- workflow: ')" = 2 ]
	CTX_MODE=creation call create_workflow c1 created --entities workflow:5 --attach spec=spec
	[ "$(jq .run.n req)" = 2 ]
	[ "$(grep -c 'Specification: two' blocks)" = 1 ]
	answer 'Made.'
	flow search 'Find Flow 3, Flow 4, Flow 5 and Flow 6.'
	newest | grep -q 'mode search'
	run ! grep -q 'Specification' <(newest)
	newest | grep '^- workflow: ' | sort >listed
	[ "$(wc -l <listed)" -le 5 ]
	grep -q 'Flow 6' listed
	run ! grep -q 'Flow 1' listed
	answer 'Found.'
	echo 'Specification: three steps.' >spec
	flow modification 'Change Flow 6.'
	newest | grep -q '^Specification: three steps'
	newest | grep -q 'mode modification'
	answer 'Changed.'
	flow search 'Find Flow 6 once more.'
	newest | grep -q 'The mode is search now'
	[ "$(grep -o 'Guidance for the mode search' blocks | wc -l)" = 30 ]
	answer 'Found.'
	[ "$(jq .run.n req)" = 5 ]
	# token counts in the request record
	jq -e '.tokens | .system > 0 and .history > 0 and .total < 8000' req >/dev/null
	again
	# after 15 turns, the session is summarized, and rolling windows use the summary
	for i in {6..15}; do
		flow general "Turn $i: nothing."
		answer "Nothing in $i."
	done
	ctx-summarize -q -s s --max-turns 15 --threshold 0.70 --fraction 0.40 >event
	[ "$(jq -r 'select(.kind == "event") | .event' event)" = summarize ]
	ctx-append -q -s s -t 'What was made?'
	ctx-window -s s --turns 15 >w
	[ "$(tail -n 1 w | jq -c .run)" = null ]
	[ "$(jq -r 'select(.slot == "summary").slot' w)" = summary ]
	# the current run does not use the summary
	request --entities workflow:5 --attach spec=spec
	[ "$(jq .tokens.summary req)" = 0 ]
	[ "$(jq .run.n req)" -gt 10 ]
}

@test 'request tracking: records say for each answer which items were in the request and how relevant they were' {
	{
		jq -nc '{kind: "item", type: "rule", name: "polite", include: "always", content: "Be polite."}'
		jq -nc '{kind: "item", type: "rule", name: "refunds", include: "agent", description: "refund of a payment", content: "Refunds need a stamped paper receipt."}'
		jq -nc '{kind: "item", type: "reference", name: "prices", include: "agent", description: "prices of tickets", content: "A ticket costs 30."}'
		jq -nc '{kind: "item", type: "reference", name: "seats", include: "manual", content: "Seats are numbered."}'
		jq -nc '{kind: "item", type: "server", name: "pay", include: "agent"}'
		jq -nc '{kind: "item", type: "tool", server_name: "pay", name: "refund", description: "refund a payment", content: "Pays back.", schema: {type: "object"}}'
		jq -nc '{kind: "item", type: "rule", name: "off", include: "agent", description: "refund of a payment", content: "Never used.", enabled: false}'
	} | ctx-item define -q
	params ''
	new desk
	[ "$(ctx-item list -s s | jq -rs 'map("\(.name) \(.include_mode)") | join(" ")')" = 'polite always' ]
	status 1 ctx-item add -s s --type rule nosuch 2>/dev/null
	ask 'How do I get a refund of a payment?'
	jq -r '.system[].text' body | grep -q 'Be polite'
	newest | grep -q 'Refunds need a stamped'
	[ "$(jq -c '[.tools[].name]' body)" = '["pay__refund"]' ]
	run ! grep -q 'Never used' body
	call pay__refund c1 paid
	answer 'It is paid back; keep the stamped paper receipt.'
	ask 'What are the prices of tickets?'
	newest | grep -q 'A ticket costs 30'
	run ! grep -q 'Refunds need' <(newest)
	answer 'A ticket costs 30.'
	# items that match again are not sent again, but recorded with the new score
	ask 'And another refund of a payment?'
	run ! grep -qE 'Refunds need|A ticket costs' <(newest)
	jq -c '[.in_view[].source.name] | sort' req >chosen
	[ "$(cat chosen)" = '["refund","refunds"]' ]
	jq -e 'all(.in_view[]; .source.similarity_score > 0)' req >/dev/null
	answer 'None.'
	ctx-show -s s --context --last >context
	grep -qE '^  refunds \[Agent - 0\.[0-9]+\], in view since ' context
	grep -q '^  polite \[Always\]' context
	# a changed item is sent again, and its old text stays in the run
	jq -nc '{kind: "item", type: "rule", name: "refunds", include: "agent", description: "refund of a payment", content: "Refunds need no receipt."}' | ctx-item define -q
	ask 'Once more: the refund of a payment?'
	newest | grep -q 'Refunds need no receipt'
	grep -q 'Refunds need a stamped' body
	answer 'No receipt is needed.'
	[ "$(jq .run.n req)" = 5 ]
	# requests that selected an item are counted once each, and so are answers at the end of a tool loop
	ctx-stats --items -s s >items
	[ "$(jq -c 'select(.name == "refunds") | [.requests, .answers, .drawn_on]' items)" = "[3,3,1]" ]
	[ "$(jq -c 'select(.name == "prices").requests' items)" = 1 ]
	# an item that is added to the session starts a new run and is sent at the start
	ctx-item add -q -s s --type reference seats
	ctx-item add -q -s s --type reference seats
	ask 'Where do I sit?'
	[ "$(jq -c '[.run.n, .run.cut]' req)" = '[1,"item"]' ]
	jq -r '.system[].text' body | grep -q 'Seats are numbered'
	answer 'There.'
	ctx-show -s s --context --last | grep -q '^  seats \[Manual\]'
	# messages without a request have no context data, and every request renders to the same bytes
	ctx-append -q -s s <<<'{"role":"assistant","content":"By the way."}'
	ctx-show -s s --context | grep -q 'No context data available'
	again
}
