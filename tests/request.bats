# The record of a request: what was sent can be sent again.
load helper

provider_answer() {
	case $1 in
	openai) echo '{"choices":[{"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}' ;;
	anthropic) echo '{"type":"message","role":"assistant","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}' ;;
	gemini) echo '{"candidates":[{"content":{"role":"model","parts":[{"text":"done"}]},"finishReason":"STOP"}]}' ;;
	esac
}

# A turn of a random session: a question, some steps of a tool loop.
turn() {
	local s=$1 n=$2 k
	echo "{\"role\":\"user\",\"content\":\"find sw-core-01 and authenticate, question $n, $RANDOM\"}"
	for ((k = 0; k < RANDOM % 4; k++)); do
		printf '{"role":"assistant","content":null,"tool_calls":[{"id":"c%d_%d","type":"function","function":{"name":"look","arguments":"{\\"n\\":1.50}"}}]}\n' "$n" "$k"
		printf '{"role":"tool","tool_call_id":"c%d_%d","content":"%s"}\n' "$n" "$k" \
			"$(head -c $((RANDOM % 6000)) /dev/zero | tr '\0' 'r') 10.0.0.$((RANDOM % 9))"
	done
}

# Record a request in directory $1 with its body.
request() {
	local dir=$1 provider=$2
	shift 2
	mkdir -p "$dir"
	ctx-window -s s -n 30 | ctx-enrich --attach doc=doc.txt | ctx-prune -b 5000 "$@" |
		ctx-render -p "$provider" --params params.json --request "$dir/req" >"$dir/body" || return
	provider_answer "$provider" | ctx-append -q --request "$dir/req"
}

# Every recorded request renders to the same bytes, whatever the environment says.
all_same() {
	local dir n=0
	for dir in r/*; do
		CTX_PROVIDER=gemini CTX_BUDGET=10 ctx-show --request "$(jq -r .request_id "$dir/req")" |
			CTX_PROVIDER=gemini CTX_BUDGET=10 ctx-render | cmp - "$dir/body" || return
		n=$((n + 1))
	done
	[ "$n" -gt 5 ]
}

@test 'a recorded request renders to the same bytes, come what may' {
	RANDOM=7
	echo "some document" >doc.txt
	printf '{\n "temperature": 0.50, "model": "m", "big": 12345678901234567890\n}\n' >params.json
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
	# what was cut is in the record
	grep -l '"reason":"\(cut\|truncated\|cleared\)"' r/*/req
	# hidden
	define 99
	ctx-prune -s s --apply --keep-turns 2 >/dev/null
	all_same
	# archived, with the messages cleaned up, and read there
	ctx-archive -q -s s --to "$PWD/archive" --cleanup >/dev/null
	all_same
	# restored, into a store that knows none of it
	export CTX_STORE=$PWD/other.db
	ctx-archive -q --restore "$(find archive -name '*.gz')" >/dev/null
	all_same
}

@test 'texts are kept once, and go with the last request that used them' {
	echo "a document of its own" >doc.txt
	echo '{}' >params.json
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

@test 'show --context: what each answer was given' {
	echo "some document" >doc.txt
	echo '{}' >params.json
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

@test 'an unknown request is an answer; without a provider nothing is rendered' {
	ctx-append -qs s --create -t hello
	run -1 ctx-show --request nobody
	[[ $output == *"no request 'nobody'"* ]]
	ctx-window -s s >w
	status 2 ctx-render w
}
