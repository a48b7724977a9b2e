# Token budgets are counted in tokens of the model that gets the request.

load helper

setup() {
	isolate
	unset CTX_PROVIDER CTX_BUDGET CTX_TOKENIZER CTX_PARAMS
	echo '{"model":"claude-opus-5-5","max_tokens":1000}' >claude.json
	echo '{"model":"gpt-4.1"}' >gpt.json
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	calibration=$XDG_CONFIG_HOME/ctx/calibration.ndjson
}

text='The pump of line four was checked at seven, and the valve behind it was replaced by noon. '

# fill SID [N]: creates a session with N turns (default 40).
fill() {
	for i in $(seq "${2:-40}"); do
		jq -cn --arg t "$i: $text$text" '{role: "user", content: $t}, {role: "assistant", content: $t}'
	done >turns
	{ cat turns && jq -cn '{role: "user", content: "What was replaced?"}'; } |
		ctx-append -q --create -s "$1"
}

# size BODY: prints the tokens of a body without a model factor.
size() {
	status 1 ctx-lint -p anthropic -b 0 --tokenizer approx "$1" >diagnostics
	jq -r 'select(.rule == "all-budget").message' diagnostics | sed -n 's|^the input has \([0-9]*\) tokens.*|\1|p'
}

# fits BODY BUDGET FACTOR(%): with this factor, the body has at most BUDGET tokens and at least half of it.
fits() {
	n=$(size "$1")
	[ $((n * $3 / 100)) -le "$2" ] || { echo "$n tokens, too many for $2" >&2; return 1; }
	[ $((n * $3 / 100)) -ge $(($2 / 2)) ] || { echo "$n tokens, too few for $2" >&2; return 1; }
}

# ask [FILE]: sends a request with the parameters of FILE and stores an answer
ask() {
	ctx-window -s s -p anthropic --params "$1" -b 9000 |
		ctx-render -p anthropic --params "$1" --request req >sent
	jq -cn --arg m "$(jq -r .model "$1")" '{type: "message", id: "m", model: $m, role: "assistant",
	    content: [{type: "text", text: "The valve."}], stop_reason: "end_turn",
	    usage: {input_tokens: 10, output_tokens: 5}}' | ctx-append -q --request req
}

@test 'each command of a pipeline counts tokens for the model of --params or CTX_PARAMS, so the body fits the budget' {
	fill s
	for b in 1000 2500; do
		ctx-window -s s -b $b -p anthropic --params claude.json | ctx-enrich -q | ctx-prune |
			ctx-render -p anthropic --params claude.json >body
		fits body $b 170
		CTX_PARAMS=claude.json CTX_BUDGET=$b CTX_PROVIDER=anthropic
		export CTX_PARAMS CTX_BUDGET CTX_PROVIDER
		ctx-window -s s | ctx-enrich -q | ctx-prune | ctx-render >body2
		unset CTX_PARAMS CTX_BUDGET CTX_PROVIDER
		cmp body body2
		ctx-lint -b $b body
	done
	# another model allows more messages
	ctx-window -s s -b 2500 -p openai --params gpt.json | ctx-prune |
		ctx-render -p openai --params gpt.json >gpt
	[ "$(grep -o line gpt | wc -l)" -gt $(($(grep -o line body | wc -l) * 3 / 2)) ]
}

@test 'without parameters, tokens are counted for the model of the last request' {
	fill s
	ask claude.json
	ctx-append -q -s s -t 'And when?'
	for run in '' --rolling '-n 60'; do
		ctx-window -s s -b 2000 -p anthropic $run >w
		[ "$(tail -n 1 w | jq -r .tokenizer)" = 'approx*1.7' ]
		# the token counts of messages, total and budget use the same factor
		[ "$(tail -n 1 w | jq .tokens.total)" = \
			$(($(jq -s 'map(select(.kind == "message").token_count) | add' w) + 3)) ]
		[ "$(tail -n 1 w | jq .tokens.total)" -le 2000 ]
		ctx-prune w | ctx-render -p anthropic >body
		fits body 2000 170
	done
	# the factor is not used for a request to another provider
	[ "$(ctx-window -s s -b 2000 -p openai | tail -n 1 | jq -r .tokenizer)" = approx ]
}

@test 'a window counted for another model may be refused by ctx-render, and ctx-prune makes it fit' {
	fill s
	ctx-window -s s -b 2000 -p anthropic >w
	[ "$(tail -n 1 w | jq -r .tokenizer)" = approx ]
	run -1 --separate-stderr ctx-render -p anthropic --params claude.json w
	[ -z "$output" ]
	[[ $stderr == *'more than the budget of 2000 (ctx-prune -p anthropic --params claude.json makes it fit)' ]]
	ctx-prune -p anthropic --params claude.json w >pruned
	[ "$(tail -n 1 pruned | jq -r .tokenizer)" = 'approx*1.7' ]
	ctx-render -p anthropic --params claude.json --request req pruned >body
	fits body 2000 170
	jq -e '.tokenizer == "approx*1.7" and .tokens.total <= 2000 and
	    ([.tokens[]] | add) >= .tokens.total * 2 - 3' req
	# all counts in the request record use one tokenizer
	ctx-window -s s -n 4 | ctx-render -p anthropic --params claude.json --request req >body
	jq -e '.tokenizer == "approx*1.7" and ([.tokens[]] | add) == .tokens.total * 2 - 3' req
}

@test 'ctx-prune and ctx-render count bare messages for the model of --params' {
	fill s
	ctx-show -s s -f messages >bare 2>/dev/null || ctx-show -s s | jq -c 'select(.kind == "message").message' >bare
	ctx-prune -b 1500 -p anthropic --params claude.json bare >pruned
	ctx-render -b 1500 -p anthropic --params claude.json pruned >body
	fits body 1500 170
	ctx-prune -b 1500 bare >pruned
	status 1 ctx-render -b 1500 -p anthropic --params claude.json pruned 2>err
	grep -q 'more than the budget' err
}

@test 'the default budget is the input that the model accepts' {
	echo '{"models":["claude-house"],"provider":"anthropic","tokens":{"prose":1.5,"code":2},"window":3000,"output":1000}' \
		>"$XDG_CONFIG_HOME/ctx/models.ndjson"
	echo '{"model":"claude-house","max_tokens":1000}' >house.json
	fill s
	ctx-window -s s -p anthropic --params house.json >w
	tail -n 1 w | jq -e '.budget == 2000 and .tokenizer == "approx*2"'
	ctx-prune w | ctx-render -p anthropic --params house.json >body
	fits body 2000 200
}

@test 'ctx-enrich adds only what fits in the tokens of the model, and so do the requests of a batch' {
	ctx-append -q --create -s s -t "$text"
	for _ in {1..60}; do printf '%s' "$text"; done >notes.txt
	in_body() {
		ctx-window -s s -b 2200 -p "$1" --params "$2" | ctx-enrich -q --attach notes=notes.txt |
			ctx-prune | ctx-render -p "$1" --params "$2" --warn 0 | grep -c 'line four was.*line four was'
	}
	in_body openai gpt.json | same - 1
	in_body anthropic claude.json | status 1 grep 1
	fill t
	ctx-window -s t -b 2000 -p anthropic --params claude.json |
		ctx-render -p anthropic --params claude.json --batch --request req | jq -c .params >body
	fits body 2000 170
	ctx-window -s t -b 2000 -p anthropic |
		status 1 ctx-render -p anthropic --params claude.json --batch --request req 2>err
	grep -q 'more than the budget of 2000' err
}

@test 'ctx-lint -b agrees with ctx-render' {
	fill s 10
	ctx-window -s s -n 12 >w
	ctx-render -p anthropic --params claude.json w >body
	n=$(ctx-lint -p anthropic -b 0 body | jq -r 'select(.rule == "all-budget").message' | sed -n 's|^the input has \([0-9]*\) tokens.*|\1|p')
	[ "$n" -ge $(($(size body) * 170 / 100)) ]
	ctx-lint -b "$n" body
	ctx-render -b "$n" -p anthropic --params claude.json w | cmp - body
	status 1 ctx-lint -b $((n - 1)) body >/dev/null
	status 1 ctx-render -b $((n - 1)) -p anthropic --params claude.json w 2>/dev/null
	# each body in the input is counted for its own model
	jq -c '.model = "unknown"' body >other
	cat body other | status 1 ctx-lint -p anthropic -b $((n - 1)) | grep -c all-budget | same - 1
}

@test 'a factor that was learned with --calibrate takes precedence over the factor in the model table' {
	fill s
	echo '{"model":"claude-opus-5-5","tokenizer":"approx","requests":{"n":9,"factor":1.2,"safe":1.25}}' \
		>"$calibration"
	ctx-window -s s -b 2000 -p anthropic --params claude.json >w
	[ "$(tail -n 1 w | jq -r .tokenizer)" = 'approx*1.250' ]
	ctx-render -p anthropic --params claude.json w >body
	fits body 2000 125
	ctx-lint -b 2000 body
	# factors learned from counts with a factor, and with another tokenizer
	echo '{"model":"claude-opus-5-5","tokenizer":"approx*1.7","requests":{"safe":0.5}}
	{"model":"claude-opus-5-5","tokenizer":"chars4","requests":{"safe":3}}' \
		>"$calibration"
	[ "$(ctx-window -s s -b 2000 --params claude.json | tail -n 1 | jq -r .tokenizer)" = 'approx*0.850' ]
	[ "$(CTX_TOKENIZER=chars4 ctx-window -s s -b 2000 --params claude.json | tail -n 1 | jq -r .tokenizer)" = 'chars4*3.000' ]
	# an implausible factor is ignored
	echo '{"model":"claude-opus-5-5","tokenizer":"approx","requests":{"safe":99}}' \
		>"$calibration"
	[ "$(ctx-window -s s -b 2000 --params claude.json | tail -n 1 | jq -r .tokenizer)" = 'approx*1.7' ]
}

@test 'each window of a pipe is counted for its model' {
	fill s 20
	fill t 20
	fill u 20
	{
		ctx-window -s s -b 1500 --params claude.json
		ctx-window -s t -b 1500 --tokenizer chars4
		ctx-window -s u -b 1500
	} >windows
	names() { jq -r 'select(.kind == "request").tokenizer' | paste -sd ' '; }
	ctx-enrich -q --instructions none windows | names | same - 'approx*1.7 approx approx'
	ctx-prune windows | names | same - 'approx*1.7 approx approx'
	ctx-summarize -q windows 2>/dev/null | names | same - 'approx*1.7 approx approx'
	ctx-count windows | jq -r 'select(.kind == "message") | .session_id + " " + .tokenizer' | uniq |
		same - "s approx*1.7"$'\n'"t approx"$'\n'"u approx"
	ctx-window -s s -b 1500 --params claude.json >w
	[ "$(ctx-count --total w)" = $(($(tail -n 1 w | jq .tokens.total) - 3)) ]
	[ "$(CTX_PARAMS=gpt.json ctx-count --total w)" -lt "$(ctx-count --total w)" ]
}

@test '--tokenizer is used as given, and a tokenizer setting with a factor is not multiplied by the model'\''s factor' {
	fill s
	name() { tail -n 1 | jq -r .tokenizer; }
	[ "$(ctx-window -s s -b 2000 --params claude.json --tokenizer approx | name)" = approx ]
	[ "$(CTX_TOKENIZER=approx ctx-window -s s -b 2000 --params claude.json | name)" = 'approx*1.7' ]
	[ "$(CTX_TOKENIZER='approx*1.1' ctx-window -s s -b 2000 --params claude.json | name)" = 'approx*1.1' ]
	[ "$(CTX_TOKENIZER=auto:claude-opus-4-5 ctx-window -s s -b 2000 --params claude.json | name)" = 'approx*1.3' ]
	[ "$(CTX_TOKENIZER='approx*1.1' ctx-window -s s -b 2000 --params claude.json | CTX_TOKENIZER='approx*1.1' ctx-prune | name)" = 'approx*1.1' ]
	# the body fits the budget in tokens of this tokenizer
	ctx-window -s s -b 2000 -p anthropic --params claude.json --tokenizer approx |
		ctx-render -p anthropic --params claude.json --tokenizer approx >body
	fits body 2000 100
}

@test 'for a model without a row in the model table, or with the factor 1, token counts do not change' {
	fill s
	ctx-window -s s -b 2000 | sed 's/"request_id":"[^"]*"//; s/"run":.*//' >plain
	for model in house-1 gpt-4.1 openai/gpt-5.2; do
		jq -cn --arg m $model '{model: $m}' >p
		ctx-window -s s -b 2000 --params p | sed 's/"request_id":"[^"]*"//; s/"run":.*//' | cmp - plain
	done
	for p in '{"model":5}' '{"model":""}' '{"model":"a\u0000b"}' '{"model":null}'; do
		echo "$p" >p
		ctx-window -s s -b 2000 --params p | sed 's/"request_id":"[^"]*"//; s/"run":.*//' | cmp - plain
	done
}

@test 'ctx-prune --apply, ctx-summarize and ctx-stats count for the model of each session'\''s last request' {
	fill s
	fill other
	ask claude.json
	n=$(ctx-list | jq -s '[.[] | select(.session_id == "s").token_count] | first')
	ctx-prune --apply -n -s s -b 1000 >one
	ctx-prune --apply -n -s other -b 1000 >two
	[ "$(jq .tokens_after one)" -le 1000 ]
	[ "$(jq .tokens_before one)" -ge $(($(jq .tokens_before two) * 169 / 100)) ]
	{ ctx-prune --apply -n -s s -s other -b 1000; } | cmp - <(cat one two)
	# a summary is needed because the counts are multiplied by the model's factor
	ctx-summarize -n -s s -b $((n * 3 / 2)) --threshold 0.99 | grep -q summary
	ctx-summarize -n -s other -b $((n * 3 / 2)) --threshold 0.99 2>err | status 1 grep summary
	[ "$(ctx-window -s s -b $((n * 3 / 2)) --rolling | ctx-summarize --threshold 0.5 | tail -n 1 | jq -r .tokenizer)" = 'approx*1.7' ]
	ctx-stats -s s | jq -e --argjson n "$n" '.visible_tokens >= $n * 169 / 100 and .window_tokens <= .window_budget'
	ctx-stats -s other -b 5000 | jq -e '.window_budget == 5000'
}

@test 'ctx-count --params counts for the model of the parameters' {
	plain=$(ctx-count -t "$text")
	[ "$(ctx-count --params claude.json -t "$text")" = $(((plain * 17 + 9) / 10)) ]
	[ "$(CTX_PARAMS=claude.json ctx-count -t "$text")" = $(((plain * 17 + 9) / 10)) ]
	[ "$(CTX_PARAMS=claude.json ctx-count --tokenizer approx -t "$text")" = "$plain" ]
	jq -cn --arg t "$text" '{role: "user", content: $t}' >m
	ctx-count --params claude.json m | jq -e --argjson n $(((plain * 17 + 9) / 10 + 7)) \
		'.tokenizer == "approx*1.7" and .token_count == $n'
	status 1 ctx-count --params claude.json --max $((plain + 4)) --total m 2>/dev/null >&2
	status 2 ctx-count --params claude.json --calibrate m 2>/dev/null
	status 4 ctx-count --params none m 2>/dev/null
	echo '[' >bad
	status 3 ctx-count --params bad m 2>/dev/null
	# the price of an image is not multiplied by the factor
	image='{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]}'
	[ $(($(ctx-count --params claude.json --total <<<"$image") - $(ctx-count --total <<<"$image"))) = 3 ]
}

@test 'an append-only run continues with the same model, and also if the model changes within it' {
	fill s 6
	export CTX_BUDGET=4000 CTX_PROVIDER=anthropic
	blocks() {
		jq -c 'del(.. | .cache_control?) | .messages[] | .role as $r |
		    (.content | if type == "string" then [{type: "text", text: .}] else . end)[] | [$r, .]' "$1"
	}
	ask claude.json
	for i in 1 2 3 4; do
		cp sent before
		ctx-append -q -s s -t "Question $i: $text"
		# with --params or without, the count is the same
		if [ $((i % 2)) = 0 ]; then set -- --params claude.json; else set --; fi
		ctx-window -s s "$@" | ctx-enrich -q | ctx-prune >w
		tail -n 1 w | jq -e '.tokenizer == "approx*1.7" and .run.cut == null and .run.n > 1'
		ctx-render --params claude.json --request req w >sent
		blocks before >old
		blocks sent | head -n "$(wc -l <old)" | cmp - old
		jq -cn '{type: "message", id: "m", model: "claude-opus-5-5", role: "assistant",
		    content: [{type: "text", text: "Yes."}], stop_reason: "end_turn"}' | ctx-append -q --request req
	done
	ctx-append -q -s s -t 'More?'
	echo '{"model":"claude-sonnet-4-5","max_tokens":9}' >old.json
	ctx-window -s s --params old.json | ctx-render --params old.json --request req >sent
	jq -e '.tokenizer == "approx*1.3" and .run.cut == null' req
}

@test 'an append-only run counts the tools of the new parameters when the model changes' {
	fill s 6
	jq -cn --arg t "$text$text$text$text" '{max_tokens: 9, model: "claude-opus-5-5", tools: [range(12) |
	    {name: "f\(.)", description: $t, input_schema: {type: "object"}}]}' >opus.json
	jq -c '.model = "claude-sonnet-4-5"' opus.json >sonnet.json
	ask opus.json
	ctx-append -q -s s -t "And when? $text"
	run_with() {
		ctx-window -s s -p anthropic --params sonnet.json -b "$1" --reserve 0 >w
		tail -n 1 w | jq -r '[.run.n, .run.cut // "-"] | join(" ")'
	}
	run_with 9000 | same - '2 -'
	ctx-render -p anthropic --params sonnet.json w >body
	n=$(ctx-lint -p anthropic -b 0 body | jq -r 'select(.rule == "all-budget").message' | sed -n 's|^the input has \([0-9]*\) tokens.*|\1|p')
	# the run continues if the budget is large enough for the tools of the new model
	run_with $((n + 30)) | same - '2 -'
	run_with $((n - 30)) | same - '1 full'
}

@test 'a growing window with --stable drops old messages in large steps, and stays within the budget of the model' {
	fill s 30
	for until in $(seq 40 2 60); do
		ctx-window -s s --stable -b 1700 --reserve 0 --until "$until" --params claude.json >w
		jq 'select(.seq).seq' w | head -n 1
		[ "$(tail -n 1 w | jq .tokens.total)" -le 1700 ]
	done | uniq >beginnings
	[ "$(wc -l <beginnings)" -le 5 ]
	sort -n beginnings | uniq | cmp - beginnings
}

@test '--calibrate also learns from requests that were counted with a factor' {
	fill s 3
	for f in claude.json claude.json claude.json; do
		ctx-append -q -s s -t "Again: $text"
		ctx-window -s s -p anthropic --params $f -b 9000 | ctx-render -p anthropic --params $f --request req >/dev/null
		jq -cn --argjson n "$(jq '.tokens.total / 17 * 14 | floor' req)" '{type: "message", id: "m",
		    model: "claude-opus-5-5", role: "assistant", content: [{type: "text", text: "Yes."}],
		    stop_reason: "end_turn", usage: {input_tokens: $n, output_tokens: 2}}' |
			ctx-append -q --request req
	done
	rm -r "$XDG_CONFIG_HOME" # a first time makes the file
	ctx-stats --calibrate >out
	cmp out "$calibration"
	jq -e '.tokenizer == "approx" and .requests.n == 3 and .requests.factor > 1.39 and .requests.factor < 1.41' out
	ctx-show -s s | ctx-count --calibrate 2>err |
		jq -e 'select(.requests) | .requests.n == 3 and .requests.factor > 1.39 and .requests.factor < 1.41'
	[ ! -s err ]
	# later counts use the learned factor
	[ "$(ctx-window -s s -b 9000 --params claude.json | tail -n 1 | jq -r '.tokenizer | split("*")[1] | tonumber | . > 1.4 and . < 1.5')" = true ]
}

@test 'ctx-turn counts for the model that it asks' {
	fill s
	for m in claude-opus-5-5 claude-sonnet-4-5; do
		ctx-turn --dry-run -s s -p anthropic --model $m -b 2000 'And then?' >$m
	done
	fits claude-opus-5-5 2000 170
	fits claude-sonnet-4-5 2000 130
	[ "$(size claude-sonnet-4-5)" -gt "$(size claude-opus-5-5)" ]
}

@test '--verbose and --explain print for which model tokens are counted' {
	fill s 2
	ctx-window -s s -b 2000 --params claude.json | ctx-enrich --explain 2>err >/dev/null
	grep -qxF 'ctx-enrich: tokenizer: approx*1.7' err
	ctx-window -v -s s -b 2000 --params claude.json 2>err >/dev/null
	grep -qx 'ctx-window: tokens are counted for claude-opus-5-5 with approx\*1.7' err
	ctx-window -v -s s -b 2000 --params gpt.json 2>err >/dev/null
	status 1 grep 'tokens are counted for' err
}

@test 'ctx-lint -b counts a history for the model of the parameters' {
	printf '{"model":"claude-opus-5-5"}' >claude.json
	seq 400 | paste -s -d ' ' - | jq -Rc '{role:"user",content:.}' >history
	lint_count() { ctx-lint -p anthropic -b 0 "$@" history | jq -r 'select(.rule == "all-budget").message' | sed -n 's|^the input has \([0-9]*\) tokens.*|\1|p'; }
	plain=$(lint_count)
	[ "$(lint_count --params claude.json)" -gt "$plain" ]
	[ "$(CTX_PARAMS=claude.json lint_count)" = "$(lint_count --params claude.json)" ]
	[ "$(lint_count --params claude.json)" = "$(lint_count --tokenizer auto:claude-opus-5-5)" ]
	status 2 ctx-lint --params claude.json history 2>err
	grep -q -- '--params needs a budget' err
	# a body with a model name is counted for this model
	jq -c '{model:"gpt-4o",messages:[.]}' history >body
	[ "$(ctx-lint -p openai -b 0 body | jq -r .message | sed -n 's|^the input has \([0-9]*\) tokens.*|\1|p' | head -n 1)" = \
		"$(ctx-lint -p openai -b 0 --params claude.json body | jq -r .message | sed -n 's|^the input has \([0-9]*\) tokens.*|\1|p' | head -n 1)" ]
}
