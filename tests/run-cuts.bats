# The start of a new append-only run: stored summaries, and additions that ctx-prune drops.

load helper

setup() {
	isolate
	printf '{"model":"claude-opus-5-5","max_tokens":50}' >params
	export CTX_PARAMS=params CTX_PROVIDER=anthropic CTX_BUDGET=2000 CTX_TOKENIZER=chars4
	ctx-new --id s >/dev/null
	long=$(printf 'word %.0s' {1..60})
}

# turn N [COMMAND…]: appends a question, renders a request through the command, and stores the answer.
turn() {
	local n=$1
	shift
	ctx-append -q -s s -t "Question $n: what is in number$n.txt? $long"
	ctx-window -s s >window
	if [ $# -gt 0 ]; then
		"$@" <window >changed && mv changed window
	fi
	ctx-enrich -q <window | ctx-prune | ctx-render --request req >body 2>warning
	jq -cn --arg n "$n" '{id: "m", type: "message", role: "assistant", model: "claude-opus-5-5", content: [
	    {type: "thinking", thinking: "", signature: ("sig " + $n)}, {type: "text", text: "Number \($n) is in dir\($n)."}],
	    stop_reason: "end_turn"}' | ctx-append -q --request req
}

run_of() { jq -c ".run.$1" req; }

# session OPTION…: before each turn, stores a summary if the threshold is exceeded.
session() {
	for i in {1..26}; do
		ctx-summarize -q -s s -b "$CTX_BUDGET" --threshold 0.7 "$@" >/dev/null
		turn "$i"
		jq -c '[.run.n, .run.cut, .tokens.summary > 0]' req >>requests
	done
}

@test 'a stored summary is first sent when the next append-only run starts' {
	session --fraction 0.6
	[ "$(jq -c 'select(.[1])' requests | sort -u)" = '[1,"full",true]' ]
	[ "$(jq -c 'select(.[1])' requests | wc -l)" -ge 2 ]
	# no request contains the stored summary before the first new run
	[ "$(head -n "$(($(grep -n full requests | head -n 1 | cut -d: -f1) - 1))" requests | grep -c true)" = 0 ]
	grep -q 'Summary of the earlier conversation' body
	grep -q number1.txt body
	run ! grep -q 'Number 1 is' <(jq '.messages[1:]' body)
}

@test 'a summary that a command wrote is first sent when the next append-only run starts' {
	session --exec 'echo They asked for numbers.'
	[ "$(jq -c 'select(.[1])' requests | sort -u)" = '[1,"full",true]' ]
	grep -q 'They asked for numbers' body
}

@test 'whatever starts a new append-only run, its first request contains the newest stored summary' {
	for i in {1..6}; do turn "$i"; done
	ctx-summarize -q -s s --keep-last 4 >/dev/null
	turn 7
	[ "$(run_of n)" = 7 ]
	[ "$(jq .tokens.summary req)" = 0 ]
	jq -c '.tools = [{"name":"f","input_schema":{"type":"object"}}]' params >p && mv p params
	turn 8
	[ "$(run_of cut)" = '"front"' ]
	[ "$(jq .tokens.summary req)" -gt 0 ]
	ctx-summarize -q -s s --keep-last 2 >/dev/null
	summary=$(jq .tokens.summary req)
	turn 9
	[ "$(run_of n)" = 2 ]
	[ "$(jq .tokens.summary req)" = "$summary" ]
	ctx-prune -s s --hide 17-18 >/dev/null
	turn 10
	[ "$(run_of cut)" = '"hidden"' ]
	grep -q 'number5' <(jq '.messages[0]' body)
}

@test 'ctx-summarize in a pipe starts a new append-only run when a summary is needed, and the next requests extend it' {
	for i in {1..26}; do
		turn "$i" ctx-summarize -q --threshold 0.7
		jq -c '[.run.n, .run.cut, .tokens.summary > 0, .run.continues != null]' req >>requests
		[ ! -s warning ] || { cat warning; return 1; }
		[ "$(grep -o '"sig [0-9]*"' body | wc -l)" = "$(($(run_of n) - 1))" ]
	done
	[ "$(jq -c 'select(.[1])' requests | sort -u)" = '[1,"summary",true,false]' ]
	[ "$(jq -c 'select(.[1])' requests | wc -l)" -ge 2 ]
	# every message is either summarized or in the request
	[ "$(jq -c '[.dropped[].reason] | unique' req)" = '["summarized"]' ]
	ctx-show --request "$(jq -r .request_id req)" | ctx-render | cmp - body
}

@test 'ctx-prune first drops newly added texts, and starts a new append-only run if that is not enough' {
	for i in {1..9}; do turn "$i"; done
	echo 'A document.' >doc
	ctx-append -q -s s -t 'And now?'
	ctx-window -s s | ctx-enrich -q --attach doc=doc >window
	least=$(ctx-prune <window | tail -n 1 | jq .tokens.total)
	ctx-prune -b $((least - 3)) <window | tail -n 1 >record
	[ "$(jq -c '[.run.n, .run.cut, (.dropped | length)]' record)" = '[10,null,1]' ]
	ctx-prune -b 900 <window >small
	tail -n 1 small >record
	[ "$(jq -c '[.run.n, .run.cut, .run.continues, .run.id == .request_id]' record)" = '[1,"full",null,true]' ]
	[ "$(jq .tokens.total record)" -le 495 ]
	run ! grep -q '"sent":true,"message":{"role":"user"' small
	ctx-render -b 900 --request req <small >body 2>warning
	run ! grep -q 'what stood before' warning
	run ! grep -q thinking body
	# the next request continues the new run
	echo '{"id":"m","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"thinking","thinking":"","signature":"sig x"},{"type":"text","text":"x"}],"stop_reason":"end_turn"}' |
		ctx-append -q --request req
	turn 11
	[ "$(run_of n)" = 2 ]
	grep -q '"sig x"' body
}

# recall N TEXT: runs turn N with quotations of earlier messages, and writes the new quotations to "quoted".
recall() {
	ctx-append -q -s s -t "$2"
	ctx-window -s s | ctx-enrich -q --history relevant | ctx-prune >window
	ctx-render --request req >body 2>warning <window
	jq -r 'select(.source.type == "history" and (.sent | not)).message.content' window >quoted
	jq -cn --arg n "$1" '{id: "m", type: "message", role: "assistant", model: "claude-opus-5-5", content: [
	    {type: "text", text: "Number \($n) is in dir\($n)."}], stop_reason: "end_turn"}' |
		ctx-append -q --request req
}

@test 'added texts leave room for later turns of an append-only run, and a run quotes a message at most once' {
	recall 0 'The wombat sleeps in the burrow behind the shed.'
	for i in {1..5}; do
		ctx-append -q -s s -t "The kangaroo number $i rests at the river in the field of farm $i."
		ctx-append -q -s s --role assistant -t "Noted."
	done
	for i in {1..24}; do
		recall "$i" "Question $i: what is in number$i.txt? $long"
	done
	for i in {25..44}; do
		recall "$i" "Where do the wombat and the kangaroo number $((i % 5 + 1)) sleep?"
		jq -c '[.run.id, .run.n]' req >>requests
		jq -c --arg id "$(run_of id)" --rawfile q quoted -n '[$id, ($q | split("\n")[] | select(startswith("user: The wombat")))] | select(.[1])' >>quotes
	done
	# each run has several requests
	[ "$(jq -s 'map(.[0]) | unique | length' requests)" -le 7 ] || { cat requests; false; }
	# no run quotes the message twice
	[ "$(wc -l <quotes)" -ge 1 ]
	[ "$(sort quotes | uniq -d)" = "" ] || { cat quotes; false; }
}
