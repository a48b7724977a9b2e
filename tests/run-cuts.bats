# What a cut of a run of append-only requests takes along: summaries, and what ctx-prune has to drop

load helper

setup() {
	isolate
	printf '{"model":"claude-opus-5-5","max_tokens":50}' >params
	export CTX_PARAMS=params CTX_PROVIDER=anthropic CTX_BUDGET=2000 CTX_TOKENIZER=chars4
	ctx-new --id s >/dev/null
	long=$(printf 'word %.0s' {1..60})
}

# turn N [COMMAND…]: a question, a request and its answer; the command is put behind ctx-window
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

# session OPTION…: a program that stores a summary before each turn if one is due
session() {
	for i in {1..26}; do
		ctx-summarize -q -s s -b "$CTX_BUDGET" --threshold 0.7 "$@" >/dev/null
		turn "$i"
		jq -c '[.run.n, .run.cut, .tokens.summary > 0]' req >>requests
	done
}

@test 'a summary that is needed waits for the next cut of the run' {
	session --fraction 0.6
	[ "$(jq -c 'select(.[1])' requests | sort -u)" = '[1,"full",true]' ]
	[ "$(jq -c 'select(.[1])' requests | wc -l)" -ge 2 ]
	# before the first cut none was in a request, though one was stored: nothing else changed the runs
	[ "$(head -n "$(($(grep -n full requests | head -n 1 | cut -d: -f1) - 1))" requests | grep -c true)" = 0 ]
	grep -q 'Summary of the earlier conversation' body
	grep -q number1.txt body
	run ! grep -q 'Number 1 is' <(jq '.messages[1:]' body)
}

@test 'a summary by a command waits for the next cut of the run' {
	session --exec 'echo They asked for numbers.'
	[ "$(jq -c 'select(.[1])' requests | sort -u)" = '[1,"full",true]' ]
	grep -q 'They asked for numbers' body
}

@test 'a cut for any reason uses the waiting summary' {
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

@test 'ctx-summarize in a pipe cuts the run when a summary is needed, and the run continues' {
	for i in {1..26}; do
		turn "$i" ctx-summarize -q --threshold 0.7
		jq -c '[.run.n, .run.cut, .tokens.summary > 0, .run.continues != null]' req >>requests
		[ ! -s warning ] || { cat warning; return 1; }
		[ "$(grep -o '"sig [0-9]*"' body | wc -l)" = "$(($(run_of n) - 1))" ]
	done
	[ "$(jq -c 'select(.[1])' requests | sort -u)" = '[1,"summary",true,false]' ]
	[ "$(jq -c 'select(.[1])' requests | wc -l)" -ge 2 ]
	# nothing is lost between the summary and the messages that stay
	[ "$(jq -c '[.dropped[].reason] | unique' req)" = '["summarized"]' ]
	ctx-show --request "$(jq -r .request_id req)" | ctx-render | cmp - body
}

@test 'ctx-prune drops new additions first and cuts the run if that is not enough' {
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
	# the next request continues this one
	echo '{"id":"m","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"thinking","thinking":"","signature":"sig x"},{"type":"text","text":"x"}],"stop_reason":"end_turn"}' |
		ctx-append -q --request req
	turn 11
	[ "$(run_of n)" = 2 ]
	grep -q '"sig x"' body
}

# recall N: runs turn N with quotations of earlier messages, and adds new quotations to "quoted"
recall() {
	ctx-append -q -s s -t "$2"
	ctx-window -s s | ctx-enrich -q --history relevant | ctx-prune >window
	ctx-render --request req >body 2>warning <window
	jq -r 'select(.source.type == "history" and (.sent | not)).message.content' window >quoted
	jq -cn --arg n "$1" '{id: "m", type: "message", role: "assistant", model: "claude-opus-5-5", content: [
	    {type: "text", text: "Number \($n) is in dir\($n)."}], stop_reason: "end_turn"}' |
		ctx-append -q --request req
}

@test 'additions after a cut leave its space to later turns, and a run quotes a message once' {
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
	# a run has several requests
	[ "$(jq -s 'map(.[0]) | unique | length' requests)" -le 7 ] || { cat requests; false; }
	# each run quotes the message, and none quotes it twice
	[ "$(wc -l <quotes)" -ge 1 ]
	[ "$(sort quotes | uniq -d)" = "" ] || { cat quotes; false; }
}
