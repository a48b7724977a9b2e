# Five applications built from ctx commands: an assistant for a network inventory, a chat memory in
# object storage, the store of a retrieval service, an agent for workflows, and a tracker of the context
# of each request.
load helper

said() {
	ctx-append -q -s s "$@"
}

ask() {
	said -t "$1"
	ctx-window -s s -b 8000 | ctx-enrich | ctx-prune | ctx-render -p openai --params p.json --request req.json >body
	jq -nc --arg t "$2" '{id: "x", model: "gpt-4.1", choices: [{message: {role: "assistant", content: $t}, finish_reason: "stop"}], usage: {prompt_tokens: 90, completion_tokens: 9}}' |
		ctx-append -q --request req.json
}

messages() {
	jq -c 'select(.kind == "message" and .slot == null) | .seq' | paste -sd' '
}

@test 'an assistant for a network inventory can be built with ctx: entities, prompts, pruning' {
	ctx-new -u ann --set-preferences '{"units":"metric"}'
	ctx-new -u ann --id s --topic 'core network' --ttl 24h | jq -c '[.preferences, .expires_at]' |
		same - '[{"units":"metric"},"2026-01-03T03:04:05.678Z"]'
	echo '{"type":"device","name":"sw-core-01","id":42,"data":{"role":"core"},"relations":[{"type":"near","target":"A-12","target_type":"rack"}]}
	{"type":"rack","name":"A-12","id":7}' | ctx-entity load -q
	said -t 'Where is sw-core-01 at site DM-Akron? Is it 10.0.0.1?'
	echo '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]}' | said
	said --result c1 -t '{"rack":"A-12"}'
	said --role assistant -t 'In rack A-12.'
	said -t 'Restart it.'
	ctx-show -s s --tools --last | jq -c '[.name, .result]' | same - '["look","{\"rack\":\"A-12\"}"]'
	ctx-entity list -s s | jq -r '"\(.type) \(.name)"' | sort |
		same - $'device sw-core-01\nip_address 10.0.0.1\nrack A-12\nsite DM-Akron'
	# relevance: 10 for a mention today, 2 ln 2 for one mention, 0.5 for the relation, 3 for a device
	ctx-entity list -s s --type device | jq '.relevance - 14.8863 | fabs < 0.001' | same - true
	ctx-window -s s | ctx-enrich | ctx-render -p prompt >prompt
	grep -n 'Conversation so far\|Entities in\|device: sw-core-01\|ID: 42\|Mentioned 1 time\|Last mentioned\|Details: role: core\|Related: near: A-12\|Current topic\|Current user message: Restart it\|Use the entities' prompt |
		cut -d: -f2- | cut -c1-16 | uniq | head -n 6 | paste -sd'|' >order
	grep -q '^Conversation so .*|Entities in this|- device: sw-cor|  ID: 42' order
	ctx-entity resolve -s s --resolve-exec 'exit 3' >/dev/null 2>err
	grep -q . err
	for i in $(seq 30); do echo '{"role":"user","content":"'"$i $(printf 'word %.0s' $(seq 160))"'"}'; done | ctx-append -q -s s
	ctx-window -s s -n 100 | ctx-prune --strategy comprehensive >w
	[ "$(messages <w | wc -w)" -le 15 ]
	ctx-prune -s s --apply --strategy comprehensive | jq -e '.tokens_before > 4000 and .tokens_after < 4000 and .strategy == "comprehensive"' >/dev/null
	ctx-append -s s --if-seq 1 -t late 2>err && false
	ctx-check --catch-up
}

@test 'a chat memory in object storage can be built with ctx: the last 50 pairs, one object per session' {
	ctx-window -s s --missing-ok | jq -r .kind | same - $'session\nrequest'
	for i in $(seq 55); do echo '{"question":"q'"$i"'","answer":"a'"$i"'","metadata":{"n":'"$i"'}}'; done |
		ctx-import -q -f qa -s s | ctx-append -q --create
	said --question q56 -t a56
	ctx-window -s s --turns 50 | messages | wc -w | same - 100
	ctx-prune -s s --apply --keep-turns 50 >/dev/null
	ctx-window -s s -n 1000 | messages | wc -w | same - 100
	said -t now
	for who in A B; do
		echo "You are $who." >system
		ctx-window -s s --turns 1 --system system | ctx-render -p openai | jq -c '[.messages[].content]' |
			same - "[\"You are $who.\",\"now\"]"
	done
	CTX_TURNS=1 ctx-window -s s | messages | same - 113
	CTX_ARCHIVE=place ctx-archive -q -s s --snapshot >/dev/null
	CTX_STORE=other.db ctx-archive --restore place/*/*/s.ndjson.gz | jq -r .action | same - restored
	CTX_STORE=other.db ctx-window -s s -n 1000 | messages | wc -w | same - 101
	ctx-new --id shared -u ann --share bob >/dev/null
	ctx-list -u bob -1 | same - shared
}

@test 'the store of a retrieval service can be built with ctx: windows, compression, archives, statistics' {
	ctx-new --id s --caller svc --account acc -u ann >/dev/null
	for i in $(seq 20); do
		printf '%s\n' '{"role":"user","content":"question '"$i"'"}' \
			'{"role":"assistant","content":"Looking.","tool_calls":[{"id":"c'"$i"'","type":"function","function":{"name":"look","arguments":"{}"}}]}' \
			'{"role":"tool","tool_call_id":"c'"$i"'","content":"found '"$i"'"}' \
			'{"role":"assistant","content":"answer '"$i"'"}'
	done | said
	ctx-list --caller svc | jq -c '[.message_count, .tool_call_count, .account_id]' | same - '[80,20,"acc"]'
	ctx-window -s s | messages | wc -w | same - 20
	ctx-count --tokenizer chars4 -t 'abcdefg' | same - 1
	ctx-window -s s -n 100 | ctx-prune -b 300 | tail -n 1 | jq '.tokens.total <= 300' | same - true
	ctx-window -s s -n 4 | ctx-prune --strategy filter | jq -c 'select(.kind == "message") | .message.content' |
		same - $'"question 20"\n"Looking."\n"answer 20"'
	ctx-window -s s -n 100 | ctx-prune -b 200 --strategy score | tail -n 1 | jq -r .policy.strategy | same - recent,score
	ctx-summarize -s s -n --keep-last 5 | jq -c 'select(.kind == "summary") | .first_seq' | same - 1
	ctx-summarize -s s -n -b 100000 --threshold 0.80 2>err | wc -l | same - 0
	# compression is needed above 80 % of the budget
	visible=$(ctx-stats -s s | jq .visible_tokens)
	ctx-stats -s s -b $((visible * 10 / 7)) | jq .compression_needed | same - false
	ctx-stats -s s -b $((visible * 10 / 9)) | jq .compression_needed | same - true
	CTX_THRESHOLD=0.6 ctx-stats -s s -b $((visible * 10 / 7)) | jq .compression_needed | same - true
	ctx-stats -s s | jq .turns | same - 20
	ctx-window -s none --missing-ok --default-system 'You are a helpful AI assistant.' | ctx-render -p text | grep -q helpful
	echo '{"title":"T","source":"https://e.org/d","content":"the body"}' >found
	ctx-window -s s -n 1 | ctx-enrich --attach document=found | jq -r 'select(.source.reason == "attached") | .source.name' |
		same - 'document: T (https://e.org/d)'
	CTX_NOW=2026-03-01T00:00:00Z said -t back
	ctx-window -s s | CTX_NOW=2026-03-01T00:00:00Z ctx-enrich --idle-note 7d | grep -q '5[78] days'
	ctx-window -v -s s 2>err >/dev/null
	grep -q 'ms open' err
	export CTX_NOW=2027-01-01T00:00:00Z
	ctx-list --idle 90d | ctx-archive -q --to place --cleanup | jq -r .uri | grep -q '/2026/01/s.ndjson.gz$'
	ctx-window -s s -n 1 | messages | same - 81
	status 1 ctx-append -q -s s -t late 2>err
	grep -q 'restore' err
	ctx-append -q -s s -t late --resume
	ctx-delete -q -s s >/dev/null
	status 1 ctx-window -s s 2>err
	grep -q deleted err
	ctx-list --status deleted | ctx-delete -q --purge >/dev/null
	[ -z "$(ls -A place)" ]
}

@test 'an agent for workflows can be built with ctx: turns, summaries, entity references, prompts by mode, telemetry' {
	for i in $(seq 20); do printf '%s\n' '{"role":"user","content":"question '"$i"' about it"}' '{"role":"assistant","content":"answer '"$i"' to it"}'; done |
		ctx-append -q --create -s s
	ctx-window -s s --turns 15 | messages | wc -w | same - 30
	ctx-summarize -s s --max-turns 15 --threshold 0.70 --fraction 0.40 | jq -c 'select(.kind == "summary") | [.first_seq, .last_seq]' | same - '[1,16]'
	ctx-summarize -s s --undo >/dev/null
	ctx-summarize -s s -n --exec false 2>/dev/null | jq -r 'select(.kind == "event").strategy' | same - extractive
	echo '{"type":"workflow","name":"Task Management","id":"wf-1"}' | ctx-entity load -q
	ctx-entity find 'update my task workflow' | jq -r .id | same - wf-1
	ctx-entity track -s s --action created wf-1 >/dev/null
	ctx-entity track -s s --action modified 'Task Management' | jq -c '[.action, .action_at]' | same - '["modified","2026-01-02T03:04:05.678Z"]'
	ctx-list --entity wf-1 -1 | same - s
	ctx-entity find --sessions wf-1 | jq -r .session_id | same - s
	said -t 'Create a new one for invoices'
	ctx-window -s s -n 1 | ctx-enrich --entities workflow:5 | grep -q 'Action: modified'
	for mode in creation search modification analysis general; do
		jq -nc --arg m $mode '{type: "prompt", name: $m, include: "always", modes: [$m], content: ("About \($m): " + "word " * 100)}'
	done | ctx-item define -q --agent flows
	ctx-new --update --id s --agent flows >/dev/null
	echo '{"steps":["a","b"]}' >spec.json
	ctx-window -s s -b 8000 -n 1 | ctx-enrich --mode auto --explain --attach spec=spec.json 2>err >w
	grep -q 'mode: creation' err
	[ "$(grep -c 'About ' w)" = 1 ]
	tail -n 1 w | jq -c '[.mode, .tokens.system > 100, .tokens.items > 5]' | same - '["creation",true,true]'
	ctx-window -s s -b 8000 -n 1 | ctx-enrich --mode auto --attach spec=spec.json | grep -v '"kind":"request"' >again
	grep -v '"kind":"request"' w | same again
	ctx-stats --cache | tail -n 1 | jq -c '[.cache, .hits > 0]' | same - '["all",true]'
	total=$(ctx-window -s s -n 3 | ctx-render -p openai --request req.json >/dev/null && jq .tokens.total req.json)
	ctx-window -s s -n 3 | ctx-render -p openai -b $((total * 10 / 9)) 2>&1 >/dev/null | grep -q '% of the budget'
	ctx-window -s s -n 3 | ctx-render -p openai -b $((total * 10 / 7)) 2>&1 >/dev/null | wc -l | same - 0
	CTX_TENANT=t2 ctx-list | wc -l | same - 0
	ctx-check -q
}

@test 'ctx records for each answer which items were added to the request, how they were chosen and whether they were used' {
	printf '%s\n' '{"type":"rule","name":"Style","include":"always","content":"Be short."}' \
		'{"type":"reference","name":"Guide","include":"manual","content":"The guide."}' \
		'{"type":"rule","name":"Vlans","include":"agent","content":"VLAN numbering goes from 2 to 4094 in every site."}' \
		'{"type":"rule","name":"Off","include":"always","enabled":false,"content":"No."}' \
		'{"type":"server","name":"fs","include":"manual"}' \
		'{"type":"tool","server_name":"fs","name":"read","content":"Reads","schema":{"type":"object","properties":{}}}' |
		ctx-item define -q --agent net
	echo '{"model":"gpt-4.1"}' >p.json
	ctx-append -q --create -s s --agent net --question hi -t hello
	ctx-show -s s --context | grep -q 'No context data'
	ctx-item add -q -s s Guide fs:read
	ctx-item add -q -s s Guide
	status 1 ctx-item add -q -s s Nope 2>err
	ctx-item list -s s | jq -r '"\(.name) \(.include_mode)"' | same - $'Style always\nGuide manual\nread manual'
	ask 'Which numbering do the VLAN ids in every site have?' 'From 2 to 4094.'
	jq -c '[.tools[].function.name]' body | same - '["fs__read"]'
	ctx-show -s s --context --last >view
	grep -c '\[Always\]' view | same - 1
	grep -c '\[Manual\]' view | same - 2
	grep -q 'Vlans \[Agent - 0\.' view
	grep -q '^Rules (2):' view
	grep -q '2 rules (1 agent, 1 always), 1 reference (1 manual), 1 tool (1 manual)' view
	ctx-show --request "$(jq -r .request_id req.json)" | ctx-render | cmp - body
	ctx-stats --items | jq -c 'select(.name == "Vlans") | [.agent, .drawn_on]' | same - '[1,1]'
	status 1 ctx-stats --warn 1 | jq -r .session_id | same - s
	export CTX_ROLLING=true
	for i in 1 2 3 4 5; do ask "Number $i, please." 'None.'; done
	ctx-stats --items | jq -r 'select(.suggestion == "remove").name' | grep -q Guide
	ctx-item remove -q -s s Guide
	ask 'And now?' 'Nothing.'
	grep -c 'The guide' body | same - 0
}
