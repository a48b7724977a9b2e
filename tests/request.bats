# Request records: a stored request can be rendered again.
load helper

provider_answer() {
	case $1 in
	openai) echo '{"choices":[{"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}' ;;
	anthropic) echo '{"type":"message","role":"assistant","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}' ;;
	gemini) echo '{"candidates":[{"content":{"role":"model","parts":[{"text":"done"}]},"finishReason":"STOP"}]}' ;;
	esac
}

# turn SID N: prints a turn of a random session: a question and up to three calls with results.
turn() {
	local s=$1 n=$2 k
	echo "{\"role\":\"user\",\"content\":\"find sw-core-01 and authenticate, question $n, $RANDOM\"}"
	for ((k = 0; k < RANDOM % 4; k++)); do
		printf '{"role":"assistant","content":null,"tool_calls":[{"id":"c%d_%d","type":"function","function":{"name":"look","arguments":"{\\"n\\":1.50}"}}]}\n' "$n" "$k"
		printf '{"role":"tool","tool_call_id":"c%d_%d","content":"%s"}\n' "$n" "$k" \
			"$(head -c $((RANDOM % 6000)) /dev/zero | tr '\0' 'r') 10.0.0.$((RANDOM % 9))"
	done
}

# request DIR PROVIDER: renders a request, and writes its record and its body to the directory.
request() {
	local dir=$1 provider=$2
	shift 2
	mkdir -p "$dir"
	ctx-window -s s -n 30 | ctx-enrich --attach doc=doc.txt | ctx-prune -b 5000 "$@" |
		ctx-render -p "$provider" --params params.json --request "$dir/req" >"$dir/body" || return
	provider_answer "$provider" | ctx-append -q --request "$dir/req"
}

# Every stored request must render to the same bytes, whatever the environment variables say.
all_same() {
	local dir n=0
	for dir in r/*; do
		CTX_PROVIDER=gemini CTX_BUDGET=10 ctx-show --request "$(jq -r .request_id "$dir/req")" |
			CTX_PROVIDER=gemini CTX_BUDGET=10 ctx-render | cmp - "$dir/body" || return
		n=$((n + 1))
	done
	[ "$n" -gt 5 ]
}

@test 'a recorded request renders to the same bytes after any later change' {
	RANDOM=7
	echo "some document" >doc.txt
	printf '{\n "temperature": 0.50, "model": "m", "max_tokens": 50, "big": 12345678901234567890\n}\n' >params.json
	define() {
		jq -nc --arg v "$1" '{type: "rule", name: "Style", include: "always", content: "Be short \($v)."},
			{type: "prompt", name: "core", content: "You help \($v)."},
			{type: "rule", name: "Authentication", include: "agent", content: "How to authenticate \($v)."}' |
			ctx-item define -q
	}
	define 1
	ctx-new --id s >/dev/null
	providers=(openai anthropic gemini)
	strategies=("" "--strategy tools --tools-keep 1" "--strategy filter,recent" "--strategy score"
		"--strategy truncate --max-chars 500" "--strategy filter --stub")
	for n in $(seq 12); do
		turn s "$n" | ctx-append -qs s
		# shellcheck disable=SC2086 # options
		request "r/$n" "${providers[RANDOM % 3]}" ${strategies[RANDOM % 6]} || { echo "turn $n"; false; }
		((RANDOM % 4)) || define "$n"
	done
	all_same
	# the request record lists shortened messages
	grep -l '"reason":"\(cut\|truncated\|cleared\)"' r/*/req
	# after hiding messages
	define 99
	ctx-prune -s s --apply --keep-turns 2 >/dev/null
	all_same
	# after archiving with --cleanup
	ctx-archive -q -s s --to "$PWD/archive" --cleanup >/dev/null
	all_same
	# after restoring into another store
	export CTX_STORE=$PWD/other.db
	ctx-archive -q --restore "$(find archive -name '*.gz')" >/dev/null
	all_same
}

@test 'the texts of requests are stored once in each session and removed with the session' {
	echo "a document of its own" >doc.txt
	echo '{"model":"m","max_tokens":50}' >params.json
	for n in 1 2 3; do
		turn s "$n" | ctx-append -qs s --create
		request "r/$n" openai
	done
	if command -v sqlite3 >/dev/null; then
		[ "$(sqlite3 "$CTX_STORE" "SELECT count(*) FROM content WHERE body LIKE '%of its own%'")" = 1 ]
		[ "$(sqlite3 "$CTX_STORE" "SELECT count(*) FROM request WHERE record LIKE '%of its own%'")" = 0 ]
	fi
	ctx-delete -s s --purge >/dev/null
	! grep -aq "a document of its own" "$CTX_STORE"* || false
}

@test 'ctx-show --context prints the texts that were added to the request of each answer' {
	echo "some document" >doc.txt
	echo '{"model":"m","max_tokens":50}' >params.json
	printf '%s\n' '{"type":"rule","name":"Style","include":"always","content":"Be short."}' \
		'{"type":"rule","name":"Manual one","content":"By hand."}' \
		'{"type":"rule","name":"Authentication","include":"agent","content":"How to authenticate."}' \
		'{"type":"tool","server_name":"fs","name":"read","content":"Reads."}' | ctx-item define -q
	ctx-new --id s >/dev/null
	ctx-item add -q -s s "Manual one"
	ctx-append -qs s -t "hello"
	ctx-append -qs s --role assistant -t "from elsewhere"
	ctx-append -qs s -t "authenticate"
	request r/1 anthropic
	score=$(jq -r '.messages[] | .source.similarity_score // empty | . * 100 | round / 100' r/1/req)
	ctx-show -s s --context | same - "Answer 2, 2026-01-02T03:04:05.678Z:
No context data available

Answer 4, 2026-01-02T03:04:05.678Z:
Rules (3):
  Style [Always]
  Manual one [Manual]
  Authentication [Agent - $(printf %.2f "$score")]
References (1):
  doc [Attached]
Tools (1):
  fs:read [Always]
3 rules (1 agent, 1 always, 1 manual), 1 reference, 1 tool (1 always)
"
}

@test 'a request is looked up in the named session' {
	ctx-append -q --create -s a -t hi
	ctx-append -q --create -s b -t hi
	ctx-window -s a | ctx-render -p openai --request r >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"Hi."}}]}' | ctx-append -q --request r
	id=$(jq -r .request_id r)
	ctx-show -s a --request "$id" >/dev/null
	ctx-show -s b -s a --request "$id" >/dev/null
	status 1 ctx-show -s b --request "$id" 2>err
	grep -q "no request '$id' in session b" err
}

@test 'an unknown request id gives exit status 1, and without a provider nothing is rendered' {
	ctx-append -qs s --create -t hello
	run -1 ctx-show --request nobody
	[[ $output == *"no request 'nobody'"* ]]
	ctx-window -s s >w
	status 2 ctx-render w
}

# ---- several tenants have a session with the same id: the request names its tenant ----

# Creates session a in two tenants and without a tenant, with one question each. The requests for them are in
# the files reqone, reqtwo and req.
three_tenants() {
	local t
	echo '{"choices":[{"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}' >answer
	for t in one two ''; do
		ctx-new --tenant "$t" --id a >/dev/null
		ctx-append -q --tenant "$t" -s a -t "a question of ${t:-nobody}"
		ctx-list | jq -c --arg t "$t" 'select((.tenant_id // "") == $t)' | ctx-window |
			ctx-enrich | ctx-prune -b 9000 |
			ctx-render -p openai -b 9000 --request "req$t" >/dev/null
	done
}

# Prints the answers and requests of each tenant's session.
answers() {
	local t
	for t in one two ''; do
		ctx-show --tenant "$t" -s a |
			jq -r --arg t "$t" 'select(.message.role == "assistant" or .kind == "request") |
				$t + ":" + .kind + ":" + (.tenant_id // "")'
	done
}

@test 'a request record names the tenant of its session' {
	three_tenants
	[ "$(jq -r .tenant_id reqone)" = one ]
	[ "$(jq -r .tenant_id reqtwo)" = two ]
	jq -e 'has("tenant_id") | not' req >/dev/null
	[ "$(CTX_TENANT=two ctx-window -s a | tail -n 1 | jq -r '.kind + .tenant_id')" = requesttwo ]
	# also for a session that does not exist yet
	CTX_TENANT=new ctx-window --missing-ok -s a | ctx-enrich --tenant new >out
	[ "$(jq -r .tenant_id out | paste -sd' ')" = 'new new' ]
}

@test 'an answer is stored in the session of its request' {
	three_tenants
	ctx-append -q --request reqtwo <answer
	same - 'two:message:
two:request:two' < <(answers)
	ctx-append -q --request reqtwo <answer     # once
	ctx-append -q --request req <answer
	ctx-append -q -s a --request reqone <answer
	same - 'one:message:
one:request:one
two:message:
two:request:two
:message:
:request:' < <(answers)
	# a request whose answer is an error
	ctx-append -q --tenant one -s a -t 'another question'
	ctx-list | jq -c 'select(.tenant_id == "one")' | ctx-window | ctx-render -p openai --request failed >/dev/null
	status 4 ctx-append -q --request failed <<<'{"error":{"message":"no"}}' 2>err
	[ "$(ctx-show --tenant one -s a | jq -r 'select(.status == "failed").tenant_id')" = one ]
	# --create creates the session of the request
	ctx-append -q -S new.db --create --request reqtwo <answer
	[ "$(ctx-list -S new.db | jq -r .tenant_id)" = two ]
}

@test 'a request without a tenant needs a unique session id' {
	three_tenants
	ctx-delete -q --tenant '' -s a --purge
	ctx-append -q --tenant one -s a -t more
	jq -c 'del(.tenant_id)' reqone >old
	status 1 ctx-append --request old <answer >out 2>err
	grep -q 'several tenants have a session' err
	[ -z "$(answers)" ]
	CTX_TENANT=one ctx-append -q --request old <answer
	ctx-delete -q --tenant two -s a --purge
	jq -c '.request_id = "another"' old >older
	ctx-append -q --request older <answer
	same - 'one:message:
one:message:
one:request:one
one:request:one' < <(answers | sort)
}

@test 'a request of another tenant is refused' {
	three_tenants
	for t in two ''; do
		status 3 ctx-append --tenant "$t" --request reqone <answer >out 2>err
		[ "$(wc -l <err)" = 1 ] && [ ! -s out ]
		grep -q '^ctx-append: reqone: the session belongs to a tenant other than' err
	done
	status 3 ctx-append --create --tenant two -S new.db --request reqone <answer 2>err
	[ ! -e new.db ] || [ -z "$(ctx-list -S new.db)" ]
	[ -z "$(answers)" ]
	# an id with a NUL character is refused, not truncated
	for m in tenant_id session_id request_id; do
		sed 's/"'$m'":"[^"]*/&\\u0000b/' reqone >bad
		status 3 ctx-append --request bad <answer 2>err
		grep -q "^ctx-append: bad: $m must be a string without NUL characters" err
	done
	[ -z "$(answers)" ]
}

@test 'a request record selects the session of its own tenant, and another tenant in CTX_TENANT is an error' {
	three_tenants
	[ "$(ctx-show <reqtwo | jq -r 'select(.kind == "message").message.content')" = 'a question of two' ]
	[ "$(ctx-window <reqone | jq -r 'select(.kind == "message").message.content')" = 'a question of one' ]
	CTX_TENANT=one status 3 ctx-show <reqtwo 2>err
	grep -q 'stdin:1: .*a tenant other than' err
}

@test 'after archive and restore, a request keeps its tenant, and --resume restores the session of that tenant' {
	three_tenants
	ctx-append -q --request reqone <answer
	ctx-append -q --request reqtwo <answer
	answers >before
	ctx-list | jq -c 'select(.tenant_id)' | ctx-window -n 1 >windows
	for t in one two; do
		jq -c 'select(.kind == "request" and .tenant_id == "'$t'") | .provider = "openai"' windows >next$t
	done
	[ -s nextone ]
	ctx-list | ctx-archive -q --to "$PWD/place" --cleanup >/dev/null
	answers | diff before -
	status 1 ctx-append --request nexttwo <answer 2>err
	ctx-append -q --resume --request nexttwo <answer
	[ "$(ctx-list --tenant two | jq -r '.status + (.message_count | tostring)')" = active3 ]
	[ "$(ctx-list -a | jq -r .status | sort | paste -sd' ')" = 'active archived archived' ]
	ctx-list -a | jq -c 'select(.status == "archived")' | ctx-archive -q --restore >/dev/null
	ctx-append -q --request nextone <answer
	[ "$(ctx-list --tenant one | jq .message_count)" = 3 ]
	archive=$(find place -name 'a@one.ndjson.gz')
	ctx-archive -q --restore --store new.db "$archive" >/dev/null
	[ "$(ctx-show -S new.db -s a | jq -r 'select(.kind == "request").tenant_id')" = one ]
	ctx-archive -q --restore --as b --store other.db "$archive" >/dev/null
	[ "$(ctx-show -S other.db -s b | jq -r 'select(.kind == "request") | .session_id + .tenant_id')" = bone ]
}

@test 'a request record without a required member is refused in one line' {
	ctx-append -q --create -s s -t hello
	ctx-window -s s | ctx-render -p openai --request req >/dev/null
	answer='{"choices":[{"message":{"role":"assistant","content":"hi"}}]}'
	for m in created_at request_id session_id; do
		for a in "$answer" '{"error":{"message":"no"}}'; do
			jq -c "del(.$m)" req >bad
			echo "$a" | status 3 ctx-append --request bad >out 2>err
			[ "$(wc -l <err)" = 1 ] && [ ! -s out ]
			grep -q "^ctx-append: bad: .*$m.* is missing" err
		done
	done
	# all other members are optional
	jq -c '{kind, request_id, session_id, created_at}' req >bare
	echo "$answer" | ctx-append -q -p openai --request bare
	ctx-show -s s | grep -q '"kind":"request"'
}

@test 'an answer already stored under its id belongs to the named request' {
	ctx-append -q --create -s a -t q
	ctx-window -s a | ctx-render -p openai --request req.json >/dev/null
	id=$(jq -r .request_id req.json)
	printf '{"kind":"message","id":"%s","message":{"role":"assistant","content":"yes"}}\n' "$id" | ctx-append -q -s a
	ctx-append -q -s a -t other
	echo '{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}' |
		ctx-append -q --request req.json
	ctx-show -s a | jq -c 'select(.kind == "request").response_seq' | same - 2
	[ "$(ctx-list | jq .message_count)" = 3 ]
}

@test 'the tools in the request record are sent as callable tools, each once and not also as text' {
	ctx-item define -q --agent net <<-'X'
		{"type":"tool","server_name":"fs","name":"read","content":"Reads a file.","schema":{"type":"object","properties":{"path":{"type":"string"}}}}
		{"type":"tool","server_name":"net","name":"ping","include":"agent","content":"Ping a host.","schema":{"properties":{"host":{"type":"string"}}}}
		{"type":"tool","server_name":"old","name":"prose","include":"always","content":"Prose."}
	X
	ctx-new --id s --agent net >/dev/null
	ctx-append -q -s s -t 'ping that host please'
	ctx-window -s s -b 4000 | ctx-enrich --topic none >w
	for p in openai anthropic gemini responses; do
		ctx-prune -p $p -b 4000 <w | ctx-render -p $p -b 4000 --request r >body
		jq -r '.tools[] | .function // . | .functionDeclarations // [.] | .[].name' body | sort |
			same - $'fs__read\nnet__ping'
		# a callable tool is not also sent as text
		run -1 grep -e 'Reads a file.*Reads a file' -e 'Tool: fs' body
		grep -q 'Tool: old:prose' body
		jq -e '[.messages[].source | select(.type == "tool") | .name] == ["read", "prose", "ping"]' r
	done
	ctx-prune <w | ctx-render -p prompt | grep -q 'Tool: fs:read'
	# the stored request renders to the same bytes
	ctx-render -p openai --request r <w >body
	echo '{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}' | ctx-append -q --request r
	ctx-show --request "$(jq -r .request_id r)" | ctx-render | cmp - body
	# a tool of the same name in the parameters takes precedence
	echo '{"model":"m","tools":[{"type":"function","function":{"name":"fs__read","description":"Mine."}}]}' >params
	ctx-render -p openai --params params <w | jq -e '[.tools[].function | .name + (.description // "")] == ["fs__readMine.", "net__pingPing a host."]'
}

@test 'messages that fit the budget with tools also fit in the body, at every budget' {
	for i in 1 2 3 4 5 6; do
		jq -nc --arg n "t$i" '{type: "tool", server_name: "s", name: $n, include: "always", content: "Does a thing.",
			schema: {type: "object", properties: {a: {type: "string", enum: ["x", "y"]}, b: {type: "array", items: {type: "object", properties: {c: {type: "number"}}}}}}}'
	done | ctx-item define -q --agent net
	ctx-new --id s --agent net >/dev/null
	for i in $(seq 30); do
		printf '{"role":"user","content":"question %d of many"}\n{"role":"assistant","content":"answer"}\n' "$i"
	done | ctx-append -q -s s
	ctx-append -q -s s -t last
	ctx-window -s s -n 100 | ctx-enrich >w
	for p in openai anthropic gemini responses; do
		for b in 1000 1100 1200; do
			ctx-prune -p $p -b $b <w | ctx-render -p $p -b $b >/dev/null
		done
	done
}

@test 'an answer to a plain text prompt is linked to its request' {
	echo '{"type":"rule","name":"Style","include":"always","content":"Be short."}' | ctx-item define -q --agent net
	for p in prompt text markdown; do
		ctx-new --id $p --agent net >/dev/null
		ctx-append -q -s $p -t 'What goes with scones?'
		ctx-window -s $p -b 1000 | ctx-enrich | ctx-render -p $p --request r >out
		[ "$(head -c -1 out | sha256sum | cut -d ' ' -f 1)" = "$(jq -r .body_sha256 r)" ]
		[ "$(jq -r .provider r)" = $p ]
		printf 'Tea,\nof course.\n' | ctx-append --raw --request r --echo --metadata '{"host":"here","model":"x"}' >stored 2>echoed
		printf 'Tea,\nof course.\n' | cmp - echoed
		jq -c '[.seq, .message, .metadata.provider, .metadata.host, .metadata.request_id]' stored |
			same - "[2,{\"role\":\"assistant\",\"content\":\"Tea,\\nof course.\"},\"$p\",\"here\",\"$(jq -r .request_id r)\"]"
		ctx-show --request "$(jq -r .request_id r)" -s $p | ctx-render | cmp - out
		ctx-show -s $p --context | grep -q '^  Style \[Always\]'
		# appending the same answer again stores nothing
		ctx-append -q --raw --request r <<<$'Tea,\nof course.'
		[ "$(ctx-list | jq -s --arg p $p '.[]|select(.session_id == $p).last_seq')" = 2 ]
	done
	ctx-stats --items | jq -se 'any(.name == "Style" and .requests == 3)'
	ctx-stats --warn 1 >out 2>&1 || true
	grep -q prompt out
	# empty input is a failed request
	ctx-append -q -s text -t More
	ctx-window -s text | ctx-render -p text --request r >/dev/null
	run -4 ctx-append -q --raw --request r </dev/null
	ctx-show -s text | jq -se 'any(.kind == "request" and .status == "failed")'
	run -2 ctx-append -q --request r <<<Tea
	[[ $output == *--raw* ]]
	ctx-append -q -t Tea --request r
	[ "$(ctx-window -s text | jq -r 'select(.seq == 4).message.content')" = Tea ]
	# a required message that exceeds the budget is an error
	ctx-append -q -s prompt -t "$(printf 'word %.0s' {1..200})"
	ctx-window -s prompt | status 1 ctx-render -p prompt -b 100
}

@test 'ctx-show --context for one answer lists the entities of its request by name' {
	echo '{"type":"rule","name":"Style","include":"always","content":"Be short."}' | ctx-item define -q
	ctx-new --id s >/dev/null
	for q in 'rack A-12 in site DM-Akron' 'host sw-core-01 in rack A-12'; do
		ctx-append -q -s s -t "$q"
		ctx-window -s s -b 4000 | ctx-enrich --entities 10 | ctx-render -p openai --request r >/dev/null
		echo '{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}' | ctx-append -q --request r
		jq -r .request_id r >>ids
	done
	ctx-append -q -s s -t more
	ctx-show --context --request "$(head -n 1 ids)" | tee first | head -n 1 | grep -q '^Answer 2,'
	grep -c '^Answer' first | same - 1
	grep -A2 '^Entities (2):' first | tail -n 2 | sort | same - $'  rack A-12\n  site DM-Akron'
	ctx-show -s s --context --last | tee last | grep -c '^Answer' | same - 1
	grep -q '^Answer 4,' last
	grep -q '^  host sw-core-01' last
	ctx-show -s s --context | grep -c '^Answer' | same - 2
	status 2 ctx-show -s s --last 2>err
	ctx-window -s s | ctx-render -p openai --request r >/dev/null
	ctx-append -q --request r <<<'{"error":{"message":"no"}}' 2>err || true
	ctx-show --context --request "$(jq -r .request_id r)" | grep -q 'not answered'
	ctx-new --id empty >/dev/null
	status 1 ctx-show -s empty --context --last 2>err
}
