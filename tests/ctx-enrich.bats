load helper

define() {
	cat >items.ndjson <<-'X'
	{"type":"prompt","name":"core","content":"You are a network assistant."}
	{"type":"prompt","name":"searching","modes":["search"],"content":"Look things up."}
	{"type":"prompt","name":"changing","modes":["modification","creation"],"content":"Change things with care."}
	{"type":"rule","name":"Style","include":"always","content":"Be short."}
	{"type":"rule","name":"Off","include":"always","enabled":false,"content":"never seen"}
	{"type":"rule","name":"Authentication","include":"agent","content":"How to authenticate: use tokens, log in with OAuth and rotate credentials."}
	{"type":"reference","name":"Database schema","include":"agent","content":"Tables and columns of the database, keys and indexes."}
	{"type":"tool","server_name":"fs","name":"read","include":"agent","content":"Reads a file from disk."}
	X
	ctx-item define -q --agent net items.ndjson
	ctx-new --id s --agent net >/dev/null
}

# Prints the source of each addition on a line.
sources() {
	jq -r 'select(.slot) | "\(.slot) \(.source.type) \(.source.name // "-")"'
}

@test 'ctx-enrich adds the items of the session, the agent'\''s items that match the question, and the prompt for the mode' {
	define
	ctx-append -qs s -t "find out how I authenticate, please"
	ctx-window -s s | ctx-enrich --topic none >w
	sources <w | same - 'prefix prompt core
prefix prompt searching
prefix rule Style
volatile rule Authentication'
	jq -se 'any(.source.name == "Authentication" and .source.include_mode == "agent"
		and .source.similarity_score > 0.3 and .source.similarity_score <= 1)' w
	# the request record lists and counts all added items
	tail -n 1 w | jq -e '.mode == "search" and (.messages | length) == 5 and .tokens.items > 0'
	# items for one message are placed directly before it
	[ "$(jq -r 'select(.kind == "message") | .slot // "history"' w | tail -n 2 | tr '\n' ' ')" = "volatile history " ]
	ctx-append -qs s --role assistant -t "With a token."
	ctx-append -qs s -t "update the columns of that database table"
	ctx-window -s s | ctx-enrich --topic none | sources | same - 'prefix prompt core
prefix prompt changing
prefix rule Style
volatile reference Database schema'
}

@test '--mode sets the mode, and a mode item replaces the words that select a mode' {
	define
	ctx-append -qs s -t "hello there"
	mode() { ctx-window -s s | ctx-enrich "$@" | tail -n 1 | jq -r .mode; }
	[ "$(mode)" = general ]
	[ "$(mode --mode analysis)" = analysis ]
	echo '{"type":"mode","name":"greeting","words":"hello hi"}' | ctx-item define -q --agent net
	[ "$(mode)" = greeting ]
}

# One of five prompts for modes is sent, instead of all five.
@test 'if only the prompt for the current mode is sent, the system text has 40 to 70 % fewer tokens' {
	for m in general creation search modification analysis; do
		jq -nc --arg m "$m" '{type: "prompt", name: $m, modes: [$m],
			content: ("Guidance for the mode \($m) of the assistant. " * 25)}'
	done | ctx-item define -q
	jq -nc '{type: "prompt", name: "core", content: ("Who you are and how you behave. " * 60)}' |
		ctx-item define -q
	ctx-append -qs s --create -t "find the server"
	some=$(ctx-window -s s | ctx-enrich | tail -n 1 | jq .tokens.system)
	all=$(ctx-item list | jq -s '[.[] | .content | length] | add / 4')
	jq -ne --argjson some "$some" --argjson all "$all" '1 - $some / $all | . > 0.4 and . < 0.7'
}

@test 'entities are added with their facts, and the recently and often mentioned ones first' {
	echo '{"type":"device","name":"sw-core-01","id":42,"data":{"status":{"value":"active","label":"Active"},"serial":null}}' | ctx-entity load -q
	echo '{"type":"site","name":"DC1"}' | ctx-entity load -q
	ctx-entity relate -q sw-core-01 located_in DC1
	CTX_NOW=2026-01-01T00:00:00Z ctx-append -qs s --create -t "DC1, DC1, DC1 and sw-core-01 with 10.0.0.1"
	CTX_NOW=2026-01-01T00:00:01Z ctx-append -qs s -t "what about sw-core-01?"
	ctx-window -s s | ctx-enrich --entities 20 | jq -r 'select(.source.type == "entity") | .message.content' |
		same - 'Entities in this conversation:
- device: sw-core-01
  ID: 42
  Mentioned 2 times
  Last mentioned: 2026-01-01T00:00:01.000Z
  Details: status: Active
  Related: located_in: DC1
- site: DC1
  Mentioned 3 times
  Last mentioned: 2026-01-01T00:00:00.000Z
- ip_address: 10.0.0.1
  Mentioned 1 time
  Last mentioned: 2026-01-01T00:00:00.000Z'
	count() { ctx-window -s s | ctx-enrich "$@" | grep -o '\\n- [a-z_]*' | sort | uniq -c | tr -s ' \n' ' '; }
	[ "$(count --entities 1)" = ' 1 \n- device ' ]
	[ "$(count --entities site:5)" = ' 1 \n- site ' ]
	[ "$(count --entities 0)" = "" ]
}

@test 'the text prompt contains history, entities, topic, message and instructions, in this order' {
	echo '{"type":"device","name":"sw-core-01","id":42}' | ctx-entity load -q
	CTX_NOW=2026-01-01T00:00:00Z ctx-append -qs s --create -t "where is sw-core-01?"
	CTX_NOW=2026-01-01T00:00:01Z ctx-append -qs s --role assistant -t "In DC1."
	CTX_NOW=2026-01-01T00:00:02Z ctx-append -qs s -t "and its ports?"
	ctx-window -s s | ctx-enrich --topic "core switches" --instructions "Use the ids." |
		ctx-render -p prompt | same - 'Conversation so far:
user (2026-01-01T00:00:00.000Z):
where is sw-core-01?
assistant (2026-01-01T00:00:01.000Z):
In DC1.

Entities in this conversation:
- device: sw-core-01
  ID: 42
  Mentioned 1 time
  Last mentioned: 2026-01-01T00:00:00.000Z

Current topic: core switches

Current user message: and its ports?

Use the ids.'
}

@test 'the topic consists of words that recent turns share, with rare words and recent names first' {
	topic() { ctx-window -s s "$@" | ctx-enrich --topic derived --instructions none | jq -r 'select(.source.type == "topic") | .message.content'; }
	for q in "the invoice of March is wrong" "send the invoice again, the server is slow" \
		"is the invoice paid? the server" "why is the server slow?" "slow server: disk or memory?"; do
		ctx-append -qs s --create -t "$q"
		ctx-append -qs s --role assistant -t "I am looking at the server."
	done
	ctx-append -qs s -t "and the disk of the slow server?"
	# "server" is also in all answers, so "slow" comes first
	[ "$(topic)" = "Current topic: slow, server, disk, invoice" ] || { topic; false; }
	# a single word does not make a topic
	[ "$(topic -n 1)" = "" ]
	# entities are part of the topic, and their names are not repeated as words
	ctx-append -qs s --role assistant -t "It is 10.0.0.1."
	ctx-append -qs s -t "restart 10.0.0.1"
	topic | grep -q "10.0.0.1"
	echo '{"type":"device","name":"slow server"}' | ctx-entity load -q
	ctx-append -qs s -t "restart the slow server, I say"
	topic >t
	grep -q "slow server" t
	! grep -qE "slow,|slow$|[^w] server" t || { cat t; false; }
}

@test 'entities of the turn are ordered by salience' {
	active() { ctx-window -s s | ctx-enrich --entities 20 | jq -r 'select(.source.type == "entity") | .message.content' | grep -o '^- .*'; }
	for i in 1 2 3 4 5 6; do ctx-append -qs s --create -t "10.0.0.9 again"; done
	ctx-append -qs s -t "10.0.0.1 is down"
	ctx-append -qs s -t "can 10.0.0.9 see 10.0.0.1?"
	ctx-append -qs s -t "10.0.0.2, 10.0.0.9 and 10.0.0.1"
	active | same - '- ip_address: 10.0.0.9
- ip_address: 10.0.0.1
- ip_address: 10.0.0.2'
	# entities of the last turns come before an entity that was named long ago
	for i in 1 2 3 4 5 6 7 8 9 10; do ctx-append -qs s -t "and what else?"; done
	ctx-append -qs s -t "10.0.0.3"
	ctx-append -qs s -t "10.0.0.9 and 10.0.0.3"
	active | head -n 2 | same - '- ip_address: 10.0.0.3
- ip_address: 10.0.0.9'
}

@test '--attach adds documents from text and NDJSON files, and --idle-note adds a note after a long pause' {
	CTX_NOW=2026-01-01T00:00:00Z ctx-append -qs s --create -t hello
	CTX_NOW=2026-01-01T00:00:01Z ctx-append -qs s --role assistant -t hi
	CTX_NOW=2026-01-12T00:00:00Z ctx-append -qs s -t again
	printf 'first line\nsecond line\n' >doc.txt
	printf '%s\n' '{"title":"One","content":"text one"}' '{"text":"text two"}' >docs.ndjson
	ctx-window -s s | ctx-enrich --attach spec=doc.txt --attach docs=docs.ndjson --idle-note 7d >w
	sources <w | same - 'volatile reference spec
volatile reference docs: One
volatile reference docs
volatile note idle'
	jq -r 'select(.source.name == "idle") | .message.content' w | grep -q "10 days"
	jq -se 'any(.message.content == "Document: docs: One\n<quote>\ntext one\n</quote>")' w
	[ "$(ctx-window -s s | ctx-enrich --idle-note 30d | sources)" = "" ]
	status 4 ctx-enrich --attach spec=nothing </dev/null
	status 2 ctx-enrich --attach spec </dev/null
}

@test 'the added texts stay the same during the tool loop of a turn and are selected again for the next turn' {
	define
	ctx-append -qs s -t "find sw-core-01 at 10.0.0.1 and authenticate"
	ctx-window -s s | ctx-enrich >first
	printf '%s\n' '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"update","arguments":"{}"}}]}' \
		'{"role":"tool","tool_call_id":"c1","content":"10.9.9.9 delete update change 10.8.8.8"}' | ctx-append -qs s
	CTX_NOW=2026-01-02T09:00:00Z ctx-window -s s | CTX_NOW=2026-01-02T09:00:00Z ctx-enrich >second
	jq -c 'select(.slot)' second | same <(jq -c 'select(.slot)' first)
	# both bodies have the same bytes up to the user's message
	a=$(ctx-render -p openai first) b=$(ctx-render -p openai second)
	[ "${b:0:$((${#a} - 2))}" = "${a:0:$((${#a} - 2))}" ]
	ctx-append -qs s --role assistant -t "done"
	ctx-append -qs s -t "and 10.9.9.9?"
	ctx-window -s s | ctx-enrich --entities 20 | jq -r 'select(.source.type == "entity") | .message.content' | grep -q 10.9.9.9
}

@test 'after a new message, a changed item or a changed entity, ctx-enrich does not use cached texts' {
	define
	enrich() { ctx-window -s s | ctx-enrich "$@"; }
	ctx-append -qs s -t "look at 10.0.0.1"
	enrich >one
	enrich --explain 2>&1 >/dev/null | grep -q "from the cache"
	enrich | jq -c 'select(.slot)' | same <(jq -c 'select(.slot)' one)
	ctx-append -qs s -t "look at 10.0.0.2"
	enrich | grep -q 10.0.0.2
	echo '{"type":"device","name":"10.0.0.2","id":77}' | ctx-entity load -q
	enrich | grep -q "ID: 77"
	echo '{"type":"rule","name":"Look","include":"agent","content":"When you look at addresses, look twice."}' | ctx-item define -q --agent net
	enrich --min-score 0.01 | grep -q "look twice"
}

@test 'a resolver and an embedder are called once for each name or text, and their failure is only a warning' {
	define
	ctx-append -qs s -t "find 10.0.0.1 and authenticate"
	resolver='while read -r l; do echo x >>asked; echo "$l" | jq -c ". + {id: 9, data: {owner: \"ann\"}}"; done'
	ctx-window -s s | ctx-enrich --resolve-exec "$resolver" | grep -q 'ID: 9\\n.*Details: owner: ann'
	ctx-append -qs s --role assistant -t "ok"
	ctx-append -qs s -t "again 10.0.0.1"
	ctx-window -s s | ctx-enrich --resolve-exec "$resolver" | grep -q 'ID: 9'
	[ "$(wc -l <asked)" = 1 ]
	# test vectors: texts are similar only if they contain the same of three words
	embedder='jq -c --unbuffered ".text | [test(\"uthent\"), test(\"atabase\"), test(\"file\")] | map(if . then 1 else 0 end) + [0.01]"'
	ctx-append -qs s -t "authenticate"
	ctx-window -s s | ctx-enrich --embed-exec "$embedder" --entities 0 --topic none | sources | grep volatile |
		same - 'volatile rule Authentication'
	ctx-append -qs s -t "authenticate again"
	run -0 --separate-stderr bash -c 'ctx-window -s s | ctx-enrich --embed-exec "exit 3" --resolve-exec "exit 4" --cache-ttl 0ms'
	[[ $stderr == *"status 3"* ]]
	[[ $output == *Authentication* ]]
}

@test 'one process handles several windows' {
	for s in a b c; do
		ctx-append -qs $s --create -t "10.0.0.$((RANDOM % 250 + 1)) for $s.example.com"
	done
	cat >resolver <<-'X'
	#!/bin/sh
	echo x >>starts
	while read -r l; do echo "$l"; done
	X
	chmod +x resolver
	ctx-window -s a -s b -s c | ctx-enrich --resolve-exec ./resolver >/dev/null
	[ "$(wc -l <starts)" = 1 ]
}

# Forty turns about five devices.
@test 'repeated look-ups are answered from the cache' {
	for i in $(seq 40); do
		ctx-append -qs s --create -t "status of 10.0.0.$((i % 5 + 1))?"
		ctx-window -s s | ctx-enrich --resolve-exec 'while read -r l; do echo x >>asked; echo "$l"; done' >/dev/null
		ctx-append -qs s --role assistant -t "fine"
	done
	[ "$(wc -l <asked)" = 5 ]
	if command -v sqlite3 >/dev/null; then
		rate=$(sqlite3 "$CTX_STORE-derived" "SELECT 100 * hits / (hits + misses) FROM cache_use WHERE kind = 'resolve'")
		[ "$rate" -gt 80 ]
	fi
}

@test 'a document that does not fit into the budget is not added' {
	define
	head -c 40000 /dev/zero | tr '\0' 'x' >big
	ctx-append -qs s -t "authenticate with 10.0.0.1"
	ctx-window -s s -b 4000 | ctx-enrich --attach big=big >w
	! sources <w | grep -q big || false
	tail -n 1 w | jq -e '[.dropped[] | select(.source.name == "big" and .reason == "over_budget")] | length == 1'
	ctx-render -p openai w >/dev/null
}

@test 'for messages without a session record, ctx-enrich needs -s, and records of other kinds are printed unchanged' {
	define
	ctx-append -qs s -t "authenticate"
	printf '%s\n' '{"role":"user","content":"how do I authenticate?"}' '{"kind":"own","x":1}' >in
	ctx-enrich -s s --topic none in >out
	sources <out | tail -n 1 | same - 'volatile rule Authentication'
	tail -n 2 out | same in
	status 2 ctx-enrich in
	status 1 ctx-enrich -s nobody in
}

@test 'twenty ctx-enrich processes run at the same time, and messages can be appended meanwhile' {
	for i in $(seq 3000); do
		printf '{"role":"%s","content":"host web-%04d.example.com at 10.1.%d.%d, ticket in vlan %d"}\n' \
			"$([ $((i % 2)) = 1 ] && echo user || echo assistant)" "$i" $((i / 250)) $((i % 250)) $((i % 90))
	done | ctx-append -qs s --create
	ctx-append -qs s -t "what about 10.1.0.7?"
	mkdir out
	for i in $(seq 20); do
		{ ctx-window -s s | ctx-enrich --busy-timeout 2m >"out/$i" 2>"out/$i.err" && touch "out/$i.ok"; } 3>&- &
	done
	# ctx-append does not need the lock of the file of derived data
	for i in $(seq 10); do
		ctx-append -qs t --create --busy-timeout 0ms -t "number $i" || exit 1
	done
	wait
	[ "$(find out -name '*.ok' | wc -l)" = 20 ]
	[ "$(cat out/*.err)" = "" ]
	for i in $(seq 20); do grep -q "10.1.0.7" "out/$i"; done
}

@test 'if the store or the session is missing, ctx-enrich prints the window unchanged' {
	ctx-append -qs s --create -t hi
	rm -f other.db
	ctx-window -s s >w
	ctx-enrich -S other.db w | jq -c 'select(.kind == "message" and (.slot | not))' | grep -q hi
	ctx-window --missing-ok -s nobody | ctx-enrich | jq -e -s '.[-1].kind == "request"'
}

@test 'an assistant'\''s remark before a tool call and a program'\''s notice are quoted only if they share a word with the question' {
	remark() { jq -nc --arg t "$1" --arg i "$2" '{role:"assistant",content:$t,tool_calls:[{id:$i,type:"function",function:{name:"bash",arguments:"{}"}}]}'; }
	{
		echo '{"role":"user","content":"Implement the review page."}'
		for i in 1 2 3; do
			remark "Now let me apply all changes, part $i." "a$i"
			echo "{\"role\":\"tool\",\"tool_call_id\":\"a$i\",\"content\":\"ok\"}"
		done
		remark 'The view cannot reach the sandbox, so I share it.' b
		echo '{"role":"tool","tool_call_id":"b","content":"ok"}'
		echo '{"role":"user","content":"<task-notification>\nbackground command completed\n</task-notification>"}'
		echo '{"role":"assistant","content":"It is stale."}'
		echo '{"role":"user","content":"Fine."}'
		echo '{"role":"assistant","content":"Done."}'
		echo '{"role":"user","content":"What was wrong with the sandbox?"}'
	} | ctx-append -qs s --create
	ctx-window -s s --turns 1 -b 4000 | ctx-enrich --history relevant |
		jq -r 'select(.source.type == "history").message.content' >got
	grep -q 'cannot reach the sandbox' got
	! grep -q -e 'Now let me' -e 'task-notification' got || { cat got; return 1; }
}

@test 'a remark before a tool call is not quoted if it shares only a common word with the question' {
	{
		echo '{"role":"user","content":"Implement the review page."}'
		for i in $(seq 8); do
			jq -nc --arg i "$i" '{role: "assistant", content: "Now let me run the tests, part \($i).",
				tool_calls: [{id: $i, type: "function", function: {name: "bash", arguments: "{}"}}]},
				{role: "tool", tool_call_id: $i, content: "ok"}'
		done
		echo '{"role":"assistant","content":"The view could not reach the sandbox; the tests now share it."}'
		echo '{"role":"user","content":"Which tests showed what was wrong with the sandbox of the view?"}'
	} | ctx-append -qs s --create
	ctx-window -s s --turns 1 -b 4000 | ctx-enrich --history relevant |
		jq -r 'select(.source.type == "history").message.content' >got
	grep -q 'could not reach the sandbox' got
	! grep -q 'Now let me' got || { cat got; return 1; }
}

@test 'nothing is quoted for a message that only agrees or is about an unrelated subject' {
	{
		echo '{"role":"user","content":"Thanks, the staging database is fine. Yes, go on with the finances."}'
		echo '{"role":"assistant","content":"OK, continuing. Sure, all good."}'
		for i in $(seq 10); do
			echo '{"role":"user","content":"Yes, ok, lunch '$i' was great."}'
			echo '{"role":"assistant","content":"Perfect, thanks."}'
		done
	} | ctx-append -qs s --create
	for q in 'Yes, thanks!' 'OK' 'Please go on.' 'Continue.' 'Great, that sounds good 👍' 'Ja, danke.' \
		'What is the capital of France?'; do
		ctx-append -qs s -t "$q"
		ctx-window -s s --turns 1 -b 4000 | ctx-enrich --explain --history relevant 2>err >w
		! grep -q '"type":"history"' w || { echo "$q"; cat w; return 1; }
		grep -q 'left out: earlier messages, because none of them is relevant$' err
		ctx-append -qs s --role assistant -t 'Fine.'
	done
	ctx-append -qs s -t 'How are the finances?'
	ctx-window -s s --turns 1 -b 4000 | ctx-enrich --history relevant |
		jq -r 'select(.source.type == "history").message.content' | grep -q 'go on with the finances'
}

@test 'relevant older messages are added as a quotation' {
	ctx-append -qs s --create -t "The staging database password rotates on Mondays."
	ctx-append -qs s --role assistant -t "Noted: staging database, Mondays."
	for i in $(seq 30); do
		ctx-append -qs s -t "Lunch number $i was fine."
		ctx-append -qs s --role assistant -t "Good."
	done
	ctx-append -qs s -t "When does the staging database password rotate?"
	ctx-window -s s -n 5 | ctx-enrich --history relevant >w
	jq -se 'any(.source.type == "history" and .slot == "volatile"
		and (.message.content | test("rotates on Mondays")))' w
	[ "$(ctx-window -s s -n 5 | ctx-enrich | grep -c '"history"')" = 1 ]   # in the request's tokens alone
	# quotations use the available room
	for budget in 1000 2000 4000; do
		ctx-window -s s -n 5 -b $budget | ctx-enrich --history relevant >w
		jq -se --argjson room $((budget * 31 / 32)) 'any(.source.type == "history"
			and (.message.content | test("rotates on Mondays")))
			and (map(select(.slot == "volatile").token_count) | add) <= $room' w
	done
	# quotations are placed before the topic
	[ "$(jq -r 'select(.slot == "volatile").source.type' w | head -n 1)" = history ]
	ctx-window -s s -n 5 | ctx-enrich --history relevant --max-tokens 90 | grep -q "rotates on Mondays"
	# messages of the window are not quoted
	ctx-window -s s -n 100 | ctx-enrich --history relevant | jq -se 'any(.source.type == "history") | not'
	status 2 ctx-enrich --history all </dev/null
}

@test 'relevant messages from the beginning of a very long session are quoted' {
	{
		echo '{"role":"user","content":"The Tasmanian wombat sleeps in the burrow behind the shed."}'
		echo '{"role":"assistant","content":"Noted."}'
		filler=$(printf 'Nothing of note happened on that day, and lunch was fine. %.0s' $(seq 60))
		for i in $(seq 300); do
			echo '{"role":"user","content":"What about day '$i'?"}'
			echo '{"role":"assistant","content":"Day '$i'. '"$filler$filler"'"}'
		done
		echo '{"role":"user","content":"Where does the wombat sleep?"}'
	} | ctx-append -qs s --create
	ctx-list | jq -e 'select(.session_id == "s").token_count > 400000'
	ctx-window -s s -n 3 | ctx-enrich --history relevant >w
	jq -se 'any(.source.type == "history" and (.message.content | test("wombat sleeps in the burrow")))' w
}

@test 'a paragraph that several drafts contain is quoted once' {
	paragraph="In January I attended the film festival, where Bryan spoke about the structure of a story and about the people in it."
	filler=$(for i in $(seq 30); do echo "Here line $i tells of something else, such as the garden in the morning."; done)
	ctx-append -qs s --create -t "Please draft a letter."
	for i in $(seq 5); do
		ctx-append -qs s --role assistant -t "Draft $i. $filler $paragraph $filler"
		ctx-append -qs s -t "Thanks, please change number $i."
	done
	ctx-append -qs s --role assistant -t "Bryan also spoke about light at the film festival, and how cameras see it in winter."
	for i in $(seq 10); do
		ctx-append -qs s -t "Lunch number $i was fine."
	done
	ctx-append -qs s -t "What did Bryan say at the film festival?"
	ctx-window -s s -n 5 | ctx-enrich --history relevant --history-tokens 2000 |
		jq -r 'select(.source.type == "history").message.content' >quoted
	[ "$(grep -c "Bryan spoke about the structure" quoted)" = 1 ]
	[ "$(grep -c "Bryan also spoke about light" quoted)" = 1 ]
}

@test 'a message that a speaker wrote several times is quoted once' {
	for i in 1 2 3; do
		ctx-append -qs s --create -t "So the spare key of the boat house is under the third flower pot, right?"
		ctx-append -qs s --role assistant -t "Yes, note $i says so."
	done
	for i in $(seq 10); do
		ctx-append -qs s -t "Lunch number $i was fine."
	done
	ctx-append -qs s -t "Where is the spare key of the boat house?"
	ctx-window -s s -n 3 | ctx-enrich --history relevant |
		jq -r 'select(.source.type == "history").message.content' >quoted
	[ "$(grep -c "under the third flower pot" quoted)" = 1 ] || { cat quoted; return 1; }
}

@test 'quoted messages of the same minute are printed under one date' {
	{
		for i in $(seq 150); do
			echo '{"role":"user","content":"Shelf '$i' of the boat house holds paint."}'
			echo '{"role":"assistant","content":"Noted, shelf '$i'."}'
		done
		echo '{"role":"user","content":"What do the shelves of the boat house hold?"}'
	} | CTX_NOW=2026-01-01T00:00:00Z ctx-append -qs s --create
	ctx-window -s s -n 3 | ctx-enrich --history relevant --history-tokens 8000 |
		jq -r 'select(.source.type == "history").message.content' >quoted
	grep -q "^user: Shelf 1 of" quoted
	grep -q "^user: Shelf 140 of" quoted
	[ "$(grep -c '^\[2026-01-01 00:00\]$' quoted)" = 1 ] || { cat quoted; return 1; }
}

# Creates a session in which the relevant message and the question have no word in common.
garage() {
	ctx-append -qs s --create -t "My Volvo is in the garage in the Kirchgasse."
	ctx-append -qs s --role assistant -t "Noted."
	for i in $(seq 30); do
		ctx-append -qs s -t "Lunch number $i was fine."
		ctx-append -qs s --role assistant -t "Good."
	done
	ctx-append -qs s -t "Which workshop has the automobile?"
}
# A test embedder with vectors of three numbers: cars, food, everything else.
embedder='jq -c --unbuffered "[.text | test(\"olvo|utomobile\"), test(\"unch\")] | map(if . then 1 else 0 end) + [0.01]"'
recalled() { jq -r 'select(.source.type == "history") | .message.content'; }

@test 'embedding vectors find older messages that share no word with the new one' {
	garage
	cat >embed <<-X
	#!/bin/sh
	tee -a asked | $embedder
	X
	chmod +x embed
	ctx-window -s s -n 5 | ctx-enrich --history relevant --history-tokens 60 >w
	! recalled <w | grep -q Volvo || false
	ctx-window -s s -n 5 | ctx-enrich --history relevant --history-tokens 60 --embed-exec ./embed >w
	recalled <w | grep -q Volvo
	# the embedder is called once for each message
	n=$(wc -l <asked)
	[ "$n" = 59 ]
	ctx-append -qs s --role assistant -t "Kirchgasse."
	ctx-append -qs s -t "And the opening hours of the automobile workshop?"
	ctx-window -s s -n 5 | ctx-enrich --history relevant --history-tokens 60 --embed-exec ./embed | recalled | grep -q Volvo
	[ "$(wc -l <asked)" -le $((n + 4)) ]
	ctx-stats --cache | jq -se 'any(.cache == "embed" and .hits > 50)' || ctx-stats --cache
}

@test 'the details of an entity do not repeat its name and id' {
	echo '{"type":"order","name":"JG7FMM","id":"o-12","data":{"code":"JG7FMM","order_id":"o-12","items":2}}' |
		ctx-entity load -q
	ctx-append -q --create -s s -t "Where is JG7FMM?"
	ctx-window -s s | ctx-enrich | jq -r 'select(.source.type == "entity").message.content' | grep -v entioned |
		same - 'Entities in this conversation:
- order: JG7FMM
  ID: o-12
  Details: items: 2'
}

@test 'the facts of an entity are printed on its line and shortened if they are long' {
	printf '%s\n' '{"type":"device","name":"K1","data":{"a\n- device: FAKE\n  ID: 9":"v\n- x: y"}}' \
		"$(jq -nc '{type: "device", name: "Big", data: ("é" * 40000)}')" | ctx-entity load -q
	ctx-append -q --create -s s -t "K1 and Big are here"
	ctx-window -s s | ctx-enrich >w
	jq -r 'select(.source.type == "entity").message.content' w >text
	[ "$(grep -c '^- ' text)" = 2 ]
	status 1 grep FAKE$ text
	[ "$(wc -c <text)" -lt 800 ]
	grep -q 'é…$' text
}

@test 'the instructions about entities are added only if entities are added' {
	echo '{"type":"device","name":"K1","id":1}' | ctx-entity load -q
	ctx-append -q --create -s s -t "K1 is here"
	ctx-window -s s >w
	types() { jq -r 'select(.slot == "volatile").source.type' | xargs; }
	[ "$(ctx-enrich --topic none <w | types)" = "entity note" ]
	tokens=$(ctx-enrich --topic none <w | jq -s 'map(select(.slot == "volatile").token_count)')
	entity=$(jq '.[0]' <<<"$tokens") note=$(jq '.[1]' <<<"$tokens")
	[ "$(ctx-enrich --topic none --max-tokens $((entity + note)) <w | types)" = "entity note" ]
	[ "$(ctx-enrich --topic none --max-tokens $((entity + note - 1)) <w | types)" = "entity" ]
	jq -nc '{type: "device", name: "K1", id: 1, data: ("x" * 290)}' | ctx-entity load -q
	ctx-append -q -s s -t "K1 again"
	ctx-window -s s | ctx-enrich --topic none --max-tokens $((note + 1)) >w
	[ "$(types <w)" = "" ]
	# the user's own instructions are added
	ctx-append -q -s s -t "K1 once more"
	[ "$(ctx-window -s s | ctx-enrich --topic none --instructions "Be brief." --max-tokens 20 | types)" = "note" ]
}

@test 'without the embedder, older messages are found by words' {
	garage
	ctx-append -qs s -t "Was lunch number 7 fine?"
	ctx-window -s s -n 5 >w
	ctx-enrich --cache-ttl 0ms --history relevant w | recalled >words
	grep -q "number 7" words
	for command in 'exit 3' 'echo nonsense' 'head -n 3' 'sleep 60'; do
		[ "$command" != 'sleep 60' ] && limit=10m || limit=100ms
		run -0 --separate-stderr ctx-enrich --cache-ttl 0ms --exec-timeout $limit \
			--history relevant --embed-exec "$command" w
		recalled <<<"$output" | cmp - words
		[ "$(grep -c . <<<"$stderr")" = 1 ]   # one warning
	done
}

@test 'messages of an archived session are not quoted, which a warning says, until the session is restored' {
	for i in 1 2 3 4 5 6 7 8 9; do
		printf '{"role":"user","content":"key %s is in drawer %s"}\n{"role":"assistant","content":"noted"}\n' "$i" "$i"
	done | ctx-append -q --create -s a
	ctx-append -q -s a -t 'which drawer has key 3?'
	ctx-archive -q -s a --cleanup --to place >/dev/null
	ctx-window -s a -n 2 | ctx-enrich --history relevant >out 2>err
	grep -q "session 'a' is archived: earlier messages are not quoted" err
	! grep -q '"type":"history"' out || false
	ctx-archive -q -s a --restore >/dev/null
	ctx-window -s a -n 2 | ctx-enrich --history relevant | grep '"type":"history"' | grep -q 'drawer 3'
}

@test 'if an embedder or resolver failed, it is called again for the next turn, but not within the same turn' {
	garage
	cat >embed <<-X
	#!/bin/sh
	[ -e works ] || exit 3
	$embedder
	X
	chmod +x embed
	enrich() { ctx-window -s s -n 5 | ctx-enrich --history relevant --history-tokens 60 --embed-exec ./embed; }
	enrich >w 2>err
	grep -q 'status 3' err
	! recalled <w | grep -q Volvo || false
	touch works
	enrich | recalled | grep -q Volvo
	# a turn that began without the quotation continues without it
	rm works
	ctx-append -qs s -t "Once more: which workshop has the automobile?"
	enrich >w 2>err
	grep -q 'status 3' err
	touch works
	ctx-append -qs s --role assistant -t "I look it up."
	enrich | jq -c 'select(.slot == "volatile").message' | same <(jq -c 'select(.slot == "volatile").message' w)
}

# devices N: defines N entities with data and names all of them in one message.
devices() {
	local names
	names=$(seq -f 'sw-%03g' "$1")
	jq -nRc '[inputs] | to_entries[] | {type: "device", name: .value, id: .key,
		data: {status: "active", rack: "R\(.key)", owner: "the network team"}}' <<<"$names" |
		ctx-entity load -q
	ctx-append -qs s --create -t "About $(xargs <<<"$names"): hello."
}
listed() { jq -r 'select(.source.type == "entity").message.content' "$@" | grep -o '^- .*' | cut -c 3-; }

@test 'as many entities as fit are added, most relevant first' {
	devices 16
	ctx-window -s s >free
	ctx-enrich free | listed >all
	[ "$(wc -l <all)" = 16 ]
	# --explain and the warning name the omitted entities
	ctx-window -s s -b 4000 --stable | ctx-enrich --explain >w 2>err
	listed w >some
	n=$(wc -l <some)
	[ "$n" -ge 2 ] && [ "$n" -lt 16 ]
	head -n "$n" all | same some
	[ "$(sed -n 's/^ctx-enrich: left out, because it does not fit: entity \(.*\)$/\1/p' err)" = "$(tail -n +$((n + 1)) all)" ]
	# the request record lists the omitted entities
	tail -n 1 w | jq -r '.dropped[] | select(.reason == "over_budget" and .source.type == "entity")
		| .source.entities[] | "\(.type): \(.name)"' | same <(tail -n +$((n + 1)) all)
	# without --explain, nothing is printed
	ctx-window -s s -b 4000 --stable | ctx-enrich --cache-ttl 0ms 2>err >/dev/null
	[ "$(cat err)" = "" ]
	# as many entities as possible are added
	for max in $(seq 30 37 1000); do
		ctx-enrich --topic none --instructions none --max-tokens "$max" free 2>/dev/null >w
		n=$(listed w | wc -l)
		jq -se --argjson max "$max" 'map(select(.slot == "volatile").token_count) | add // 0 | . <= $max' w >/dev/null
		[ "$n" = 16 ] || {
			ctx-enrich --topic none --instructions none --entities $((n + 1)) free |
				jq -se --argjson max "$max" 'map(select(.slot == "volatile").token_count) | add > $max' >/dev/null
		}
	done
	[ "$n" = 16 ]
	# also if several --entities options limit the number
	ctx-enrich --max-tokens 400 --entities device:3 --entities 16 free | listed | same <(head -n "$(ctx-enrich --max-tokens 400 free | listed | wc -l)" all)
}

@test 'all requests of one turn get the same selected entities' {
	devices 16
	ctx-window -s s -b 4000 --stable | ctx-enrich >first
	printf '%s\n' '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"update","arguments":"{}"}}]}' \
		'{"role":"tool","tool_call_id":"c1","content":"sw-016 sw-016 sw-015"}' | ctx-append -qs s
	ctx-window -s s -b 4000 --stable | ctx-enrich >second
	jq -c 'select(.slot)' second | same <(jq -c 'select(.slot)' first)
	tail -n 1 second | jq -c .dropped | same <(tail -n 1 first | jq -c .dropped)
	# a larger budget allows more entities
	[ "$(ctx-window -s s -b 9000 --stable | ctx-enrich | listed | wc -l)" -gt "$(listed first | wc -l)" ]
	# the request fits the budget
	ctx-window -s s -b 4000 --stable | ctx-enrich | ctx-prune | ctx-render -p openai >/dev/null
}

@test 'added texts that do not fit are reported, and the warning names the option that makes room' {
	define
	devices 2
	ctx-append -qs s -t "authenticate at sw-001"
	ctx-window -s s >w
	run -0 --separate-stderr ctx-enrich --topic none --max-tokens 20 w
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"no room for rule Authentication, entities ("*--max-tokens*--reserve* ]]
	[[ $stderr != *--entities* ]]
	# entities are omitted before items
	ctx-enrich --topic none --max-tokens 80 w 2>&1 >/dev/null | grep -q "no room for rule Authentication (.*lower --entities"
	tail -n 1 <<<"$output" | jq -e '[.dropped[].source.entities // [] | length] | add == 2'
	ctx-enrich -q --topic none --max-tokens 20 w 2>err >/dev/null
	[ "$(cat err)" = "" ]
	# the warning is printed once in a turn
	ctx-append -qs s --role assistant -t "I look it up."
	ctx-window -s s | ctx-enrich --topic none --max-tokens 20 2>err >/dev/null
	[ "$(cat err)" = "" ]
}

@test 'the type, name and id that a resolver returns appear in the prompt' {
	ctx-append -qs s --create -t "restart host router7 and 10.0.0.1, please"
	cat >resolver <<-'X'
	#!/bin/sh
	jq -c --unbuffered 'if .name == "router7" then {query: "router7", type: "device", name: "Router 7", id: 77}
		else {type: "\n- device", name: .name, id: 1} end'
	X
	chmod +x resolver
	ctx-window -s s | ctx-enrich --resolve-exec ./resolver --topic none --instructions none >w
	jq -r 'select(.slot).message.content' w | grep -v ' Last' | same - 'Entities in this conversation:
- - device: 10.0.0.1
  ID: 1
  Mentioned 1 time
- device: Router 7
  ID: 77
  Mentioned 1 time
  Mentioned as: router7'
	# an omitted entity is recorded with the name that the resolver returned
	ctx-window -s s | ctx-enrich -q --resolve-exec ./resolver --max-tokens 40 | tail -n 1 |
		jq -c '[.dropped[].source.entities // [] | .[] | select(.type == "device")]' |
		same - '[{"type":"device","name":"Router 7"}]'
}

@test 'a resolver is asked about entities without id and data, or with expired data' {
	printf '%s\n' '{"type":"device","name":"K1","id":1}' '{"type":"device","name":"K2","data":{"a":1}}' \
		'{"type":"device","name":"K3"}' '{"type":"device","name":"K4","id":4,"slug":"k4"}' \
		'{"type":"device","name":"K5","id":5,"data":{"a":1},"data_expires_at":"2026-01-01T00:00:00Z"}' |
		ctx-entity load -q
	ctx-append -qs s --create -t "K1, K2, K3, K4 and K5 are here"
	for s in ctx-enrich 'ctx-entity resolve'; do
		rm -f asked
		ctx-window -s s | $s --resolve-exec 'tee -a asked' --resolve-ttl 0s >w
		jq -r .name asked | sort | xargs | same - 'K3 K5'
	done
}

@test 'a request that reuses the added texts of its turn counts as a cache hit' {
	ctx-append -qs s --create -t "look at 10.0.0.1"
	enrich() { ctx-window -s s | ctx-enrich "$@" >/dev/null; }
	enrich
	for i in 1 2 3; do
		ctx-append -qs s --role assistant -t "step $i"
		enrich
	done
	enrich   # the same again
	figures() { ctx-stats --cache | jq -c --arg c "$1" 'select(.cache == $c) | [.hits, .misses, .hit_rate]'; }
	[ "$(figures enrich)" = '[0,1,0]' ]
	[ "$(figures turn)" = '[4,0,1]' ]
	# other requests are misses of both caches
	enrich --topic none
	enrich --topic none
	ctx-append -qs s -t "and 10.0.0.2"
	enrich
	enrich
	[ "$(figures enrich)" = '[2,3,0.4]' ]
	[ "$(figures turn)" = '[4,1,0.8]' ]
	ctx-stats --cache --format prometheus | grep -x 'ctx_cache_hit_rate{cache="enrich"} 0.4'
	if command -v sqlite3 >/dev/null; then
		sqlite3 "$CTX_STORE-derived" 'UPDATE cache_use SET hits = 0, misses = 0'
		[ "$(figures turn)" = '[0,0,null]' ]
		status 1 grep hit_rate <(ctx-stats --cache --format prometheus)
	fi
}

@test '--explain distinguishes texts that did not fit from texts that were irrelevant' {
	define
	devices 3
	ctx-append -qs s -t "authenticate at sw-001"
	ctx-window -s s >w
	explain() { ctx-enrich --explain --topic none "$@" 2>&1 >out | grep 'left out'; }
	explain --entities 2 w >err
	grep 'name Database schema, similarity_score 0.*, not similar enough (--min-score 0.35)$' err
	grep 'other entities, because --entities lists only the most relevant' err
	status 1 grep -E 'does not fit|Authentication' err
	# the cached result is explained in the same way
	explain --entities 2 w | same err
	tail -n 1 out | jq -e '.dropped // [] | length == 0'
	echo '{"type":"rule","name":"Tokens","include":"agent","content":"Authenticate with tokens."}' | ctx-item define -q --agent net
	explain --min-score 0.01 --top-n 1 w | grep -E 'name (Tokens|Authentication), .*--top-n'
	explain --max-tokens 80 w >err
	grep 'name Authentication, .*, does not fit in 80 tokens$' err || { cat err; false; }
	status 1 grep -E '(Tokens|Authentication).*not similar' err
	tail -n 1 out | jq -e '.dropped | length > 0 and all(.reason == "over_budget")'
}

@test '--explain reports whether older messages were irrelevant or had no room' {
	ctx-append -qs s --create -t "The staging database password rotates on Mondays."
	for i in $(seq 20); do ctx-append -qs s -t "Lunch was fine."; done
	ctx-append -qs s -t "When does the staging database password rotate?"
	ctx-window -s s -n 5 >w
	enrich() { ctx-enrich --history relevant --topic none "$@" w 2>&1 >/dev/null; }
	enrich --max-tokens 0 | grep -q 'no room for earlier messages'
	enrich --max-tokens 0 --explain | grep -q 'left out, because it does not fit: earlier messages$'
	ctx-append -qs s -t "xyzzy"
	ctx-window -s s -n 5 >w
	[ "$(enrich)" = "" ]
	enrich --explain | grep 'left out: earlier messages, because none of them is relevant$'
}

@test 'in a rolling window, added texts may use all tokens that the messages leave free' {
	for i in 1 2 3 4 5 6 7 8; do
		jq -nc --arg i "$i" '{title: "Part \($i)", content: ("Word number \($i) of the document. " * 26)}'
	done >docs
	ctx-append -qs s --create -t "What do the documents say?"
	ctx-window -s s -b 4000 | ctx-enrich --attach docs=docs 2>err | ctx-prune -b 4000 >w
	[ "$(jq -s 'map(select(.source.type == "reference")) | length' w)" = 8 ]
	[ "$(jq -s 'map(select(.source.type == "reference").token_count) | add > 1500' w)" = true ]
	ctx-render -p openai w >/dev/null
	[ "$(cat err)" = "" ]
	# one warning names all documents that do not fit
	for i in $(seq 60); do ctx-append -qs s -t "A message of some length, so that little room is left, number $i."; done
	ctx-window -s s -b 1500 | ctx-enrich --attach docs=docs 2>err | ctx-prune | ctx-render -p openai >/dev/null
	[ "$(grep -c 'no room for' err)" = 1 ]
	# part of the budget stays free for the answer
	ctx-window -s s -b 4000 | ctx-enrich --history relevant --attach docs=docs |
		jq -se '.[-1] | (.tokens.total) <= 4000 - 4000 / 32' >/dev/null
}

@test 'later requests of a turn have as much room for added texts as its first request' {
	for i in 1 2 3 4 5 6 7 8; do
		jq -nc --arg i "$i" '{title: "Part \($i)", content: ("Word number \($i) of the document. " * 26)}'
	done >docs
	ctx-append -qs s --create -t "What do the documents say?"
	ctx-window -s s -b 4000 | ctx-enrich --attach docs=docs >first
	jq -nc '{role: "assistant", content: null, tool_calls: [{id: "c1", type: "function", function: {name: "look", arguments: "{}"}}]},
		{role: "tool", tool_call_id: "c1", content: ("result " * 1400)}' | ctx-append -qs s
	ctx-window -s s -b 4000 | ctx-enrich --attach docs=docs >second
	jq -c 'select(.slot)' second | same <(jq -c 'select(.slot)' first)
}

@test 'an entity without facts is listed only if the window uses an alias without the entity'\''s name' {
	printf '%s\n' '{"type":"device","name":"Kiosk North","aliases":["K1"]}' \
		'{"type":"device","name":"Kiosk South","data":{"status":"active"}}' | ctx-entity load -q
	ctx-append -qs s --create -t "Kiosk South and 10.0.0.1 are here"
	ctx-window -s s | ctx-enrich --explain 2>err | listed | same - "device: Kiosk South"
	grep -q 'left out: 1 entity, because no data about it is stored' err
	ctx-window -s s | ctx-enrich --entities 20 | listed | grep -q 10.0.0.1
	ctx-append -qs s -t "Is K1 up?"
	ctx-window -s s | ctx-enrich | listed | grep -q "Kiosk North"
	ctx-append -qs s --role assistant -t "Kiosk North is up."
	ctx-append -qs s -t "And K1 now?"
	! ctx-window -s s | ctx-enrich | listed | grep -q "Kiosk North" || false
}

@test 'an attached document is added with its source and title' {
	ctx-append -q --create -s s -t 'What is the limit?'
	printf '%s\n' '{"title":"Limits","source":"https://example.org/limits","content":"Ten."}' '{"source":"only.txt","content":"x"}' >docs.ndjson
	ctx-window -s s | ctx-enrich --attach docs=docs.ndjson >w
	jq -r 'select(.source.reason == "attached") | .source.name' w |
		same - $'docs: Limits (https://example.org/limits)\ndocs: only.txt'
	ctx-render -p prompt w | grep -q 'docs: Limits (https://example.org/limits)'
}

@test 'the tools that an imported answer names are used to choose the mode' {
	ctx-append -q --create -s s --question 'What about it?' -t 'Done.'
	ctx-append -q -s s -t 'Once more, please.'
	ctx-window -s s | ctx-enrich --mode auto | tail -n 1 | jq -r .mode | same - general
	ctx-append -q --create -s t --question 'What about it?' -t 'Done.' \
		--metadata '{"tools_used":["search_workflows","list_workflows"]}'
	ctx-append -q -s t -t 'Once more, please.'
	ctx-window -s t | ctx-enrich --mode auto | tail -n 1 | jq -r .mode | same - search
}
