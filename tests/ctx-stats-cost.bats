# ctx-stats --cost: each answer is counted once, with the price at its date.
load helper

# Data outside the source tree.
SHARED=${CTX_SHARED:-$ROOT/../shared}

# answer ID MODEL USAGE [SESSION [TIME]]: prints a message record with this usage.
answer() {
	echo '{"kind":"message","session_id":"'"${4:-s1}"'","id":"'$1'","created_at":"'"${5:-2026-11-01T10:00:00Z}"'","metadata":{"model":"'$2'","usage":'"$3"'},"message":{"role":"assistant","content":"'$1'"}}'
}

costs() {
	ctx-stats --cost "$@" 2>err | jq -c '[.session_id // .model // .day // .tool // .user_id // "", .answers, .cost, .unpriced]'
}

@test 'tokens of each kind have their price, and unknown prices are reported, not guessed' {
	{
		echo '{"kind":"session","session_id":"s1","user_id":"ann","metadata":{"format":"pi"}}'
		answer a1 claude-sonnet-4-5-20250929 '{"input_tokens":1000000,"cache_read_input_tokens":1000000,"cache_creation_input_tokens":1000000,"cache_creation":{"ephemeral_1h_input_tokens":400000},"output_tokens":1000000}'
		answer a2 anthropic/claude-haiku-4.5 '{"input":1000000,"output":100000,"cacheRead":1000000,"cacheWrite":0}'
		answer a3 gpt-4.1 '{"prompt_tokens":1000000,"prompt_tokens_details":{"cached_tokens":500000},"completion_tokens":100000}'
		answer a4 gemini-2.5-pro '{"promptTokenCount":100000,"candidatesTokenCount":10000,"thoughtsTokenCount":10000}' s1 2026-11-02T10:00:00Z
		answer a5 gemini-2.5-pro '{"promptTokenCount":300000,"candidatesTokenCount":10000}' s1 2026-11-02T10:00:00Z
		answer a6 claude-opus-4-8-fast '{"input_tokens":5,"output_tokens":5}'
		# the price for cache writes is unknown
		answer a7 gpt-4.1 '{"prompt_tokens":10,"prompt_tokens_details":{"cache_write_tokens":5},"completion_tokens":1}'
	} | ctx-append -q --create
	# expected costs: 3 + 0.3 + 0.6 * 3.75 + 0.4 * 6 + 15, 1 + 0.5 + 0.1, 1 + 0.25 + 0.8, 0.125 + 0.2, 0.75 + 0.15
	costs --by model | same - '["anthropic/claude-haiku-4.5",1,1.6,0]
["claude-opus-4-8-fast",1,0,1]
["claude-sonnet-4-5-20250929",1,22.95,0]
["gemini-2.5-pro",2,1.225,0]
["gpt-4.1",2,2.05,1]'
	grep -q "the price of model 'claude-opus-4-8-fast' is unknown (1 answer)" err
	costs | same - '["",7,27.825,2]'
	costs --by day | same - '["2026-11-01",5,26.6,2]
["2026-11-02",2,1.225,0]'
	costs --by tool | same - '["pi",7,27.825,2]'
	costs --by user | same - '["ann",7,27.825,2]'
	costs --by session | same - '["s1",7,27.825,2]'
	costs -s s1 | same - '["",7,27.825,2]'
	costs -u bob | same - '["",0,0,0]'
	status 1 ctx-stats --cost --max-cost 27.83 >/dev/null 2>err
	grep -q 'the cost does not include 2 answers with an unknown price' err
	! grep -q 'the cost is' err || return 1
	status 1 ctx-stats --cost --max-cost 27.82 >/dev/null 2>err
	grep -q 'the cost is' err
	status 2 ctx-stats --cost --max-cost x
	status 2 ctx-stats --max-cost 1
	status 2 ctx-stats --cost --by tokenizer
	status 2 ctx-stats --cost --format prometheus
}

@test 'the cost includes compactions that Anthropic made inside an answer' {
	{
		answer a1 claude-sonnet-4-5 '{"input_tokens":100000,"output_tokens":0,"iterations":[{"type":"compaction","input_tokens":1000000,"cache_read_input_tokens":1000000,"output_tokens":100000},{"type":"message","input_tokens":100000,"output_tokens":0}]}'
		answer a2 claude-sonnet-4-5 '{"input_tokens":100000,"output_tokens":0,"iterations":null}'
	} | ctx-append -q --create
	# expected costs: 0.3 + 3 + 0.3 + 1.5, 0.3
	costs | same - '["",2,5.4,0]'
	ctx-stats --by model | jq -c '[.input_tokens, .output_tokens]' | same - '[2200000,100000]'
}

@test 'prices change over time, and the user'\''s price file takes precedence' {
	{
		answer a1 claude-sonnet-5-5 '{"input_tokens":0,"cache_read_input_tokens":1000000,"output_tokens":0}' s1 2026-10-01T00:00:00Z
		answer a2 claude-sonnet-5-5 '{"input_tokens":0,"cache_read_input_tokens":1000000,"output_tokens":0}' s1 2026-10-08T00:00:00Z
		answer a3 nobody-1 '{"input_tokens":1000000,"output_tokens":0}'
	} | ctx-append -q --create
	costs --by day | same - '["2026-10-01",1,0.2,0]
["2026-10-08",1,0.1,0]
["2026-11-01",1,0,1]'
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	echo '{"models":["nobody-*"],"input":7,"output":9,"date":"2026-11-01","source":"me"}' >"$XDG_CONFIG_HOME/ctx/prices.ndjson"
	costs | same - '["",3,7.3,0]'
	echo '{"models":"x"}' >"$XDG_CONFIG_HOME/ctx/prices.ndjson"
	status 3 ctx-stats --cost
}

@test 'each row of prices has a date and a source' {
	jq -e '(.models | length > 0) and (.date | test("^20[0-9]{2}-[0-9]{2}-[0-9]{2}$")) and (.source | startswith("https://")) and (.input | type == "number") and (.output | type == "number")' \
		"$ROOT/lib/model/prices.ndjson" >/dev/null
}

@test 'an answer that branches or forks repeat costs once, and a total that an imported session reported is used as it is' {
	u='{"input_tokens":1000000,"output_tokens":0}'
	{ answer a1 claude-haiku-4-5 "$u"; answer a1 claude-haiku-4-5 "$u" 's1~x'; answer a2 claude-haiku-4-5 "$u" 's1~x'; } | ctx-append -q --create
	costs | same - '["",2,2,0]'
	ctx-new --fork s1 -1 >/dev/null
	costs | same - '["",2,2,0]'
	{
		echo '{"kind":"session","session_id":"sum","metadata":{"format":"goose","model":"claude-haiku-4-5","usage":[{"input_tokens":1000000,"output_tokens":0},{"model":"claude-opus-4-5","input_tokens":1000000,"output_tokens":0}]}}'
		answer b1 claude-haiku-4-5 "$u" sum
	} | ctx-append -q --create
	costs -s sum | same - '["",2,6,0]'
}

@test 'a group without a name is printed as null, and a cost below --max-cost gives exit status 0' {
	answer a1 gpt-4.1 '{"prompt_tokens":1000000,"completion_tokens":0}' | ctx-append -q --create
	ctx-stats --cost --by tool | jq -ce '[has("tool"), .tool]' | same - '[true,null]'
	ctx-stats --cost --by user | jq -ce '[has("user_id"), .user_id]' | same - '[true,null]'
	ctx-stats --cost --max-cost 2 >/dev/null
	status 1 ctx-stats --cost --max-cost 1.99 >/dev/null 2>&1
	echo '{"kind":"message","session_id":"s1","id":"a2","metadata":{"usage":{"prompt_tokens":1,"completion_tokens":1}},"message":{"role":"assistant","content":"x"}}' | ctx-append -q
	ctx-stats --cost --by model 2>/dev/null | jq -c 'select(.model == null) | has("model")' | same - true
	status 1 ctx-stats --cost --max-cost 2 >/dev/null 2>err
	grep -q 'the cost does not include 1 answer with an unknown price' err
}

# Installs ccusage with npm into build/ccusage, once.
ccusage() {
	CCUSAGE=$ROOT/build/ccusage
	command -v npm >/dev/null || skip 'no npm'
	local platform
	platform=$(node -p 'process.platform + "-" + process.arch')
	[ -d "$CCUSAGE/node_modules/@ccusage/ccusage-$platform" ] && return
	mkdir -p "$CCUSAGE"
	(cd "$CCUSAGE" && timeout 240 npm install --no-audit --no-fund ccusage "@ccusage/ccusage-$platform") \
		>"$BATS_TEST_TMPDIR/npm" 2>&1 || skip 'npm cannot install ccusage'
}

@test 'ccusage computes the same costs for the samples of Claude Code, to the cent' {
	samples=$SHARED/data/claude-code
	[ -d "$samples" ] || skip 'no samples of Claude Code'
	ccusage
	mkdir -p "$HOME/.claude/projects/p"
	cp "$samples"/*.jsonl "$HOME/.claude/projects/p"
	"$CCUSAGE/node_modules/.bin/ccusage" claude session --json --offline >theirs.json 2>err ||
		skip 'ccusage does not run here'
	jq -c '.sessions[] | [.inputTokens, .cacheReadTokens, .cacheCreationTokens, .outputTokens, (.totalCost * 100 | round)]' \
		theirs.json | sort >theirs
	[ "$(wc -l <theirs)" -ge 7 ]
	touch -d '1 hour ago' "$HOME"/.claude/projects/p/*
	CTX_NOW=$(date -u +%FT%TZ) ctx-import -q --sync claude-code >/dev/null 2>&1 || true   # samples have broken lines
	ctx-stats --cost --by session 2>err |
		jq -c 'select(.unpriced < .answers) | [.input_tokens, .cache_read_tokens, .cache_write_tokens, .output_tokens, (.cost * 100 | round)]' |
		sort >ours
	# ccusage omits two synthetic samples of a model without a known price
	diff theirs ours
	[ "$(jq '.totals.totalCost * 100 | round' theirs.json)" = "$(ctx-stats --cost 2>err | jq '.cost * 100 | round')" ]
}

# Prints a Codex rollout: an answer with a call, whose usage follows the result, then two more answers.
rollout() {
	jq -nc '
		def line($type; $payload): {timestamp: "2026-07-02T10:00:00.000Z", type: $type, payload: $payload};
		def said($role; $text): line("response_item"; {type: "message", role: $role, content: [{type: (if $role == "user" then "input_text" else "output_text" end), text: $text}]});
		def usage($i; $c; $o): {input_tokens: $i, cached_input_tokens: $c, cache_write_input_tokens: 0, output_tokens: $o, reasoning_output_tokens: 10, total_tokens: ($i + $o)};
		def count($last; $total): line("event_msg"; {type: "token_count", info: {last_token_usage: $last, total_token_usage: $total, model_context_window: 258400}});
		line("session_meta"; {id: "019f0000-0000-7000-8000-00000000abcd", timestamp: "2026-07-02T10:00:00.000Z", cwd: "/srv", cli_version: "0.171.0"}),
		line("turn_context"; {cwd: "/srv", model: "gpt-5.4"}),
		said("user"; "look"), said("assistant"; "I look."),
		line("response_item"; {type: "function_call", name: "shell", arguments: "{}", call_id: "c1"}),
		line("response_item"; {type: "function_call_output", call_id: "c1", output: "x"}),
		count(usage(12000; 2000; 300); usage(12000; 2000; 300)),
		said("assistant"; "Done."), count(usage(14000; 12500; 100); usage(26000; 14500; 400)),
		line("turn_context"; {cwd: "/srv", model: "gpt-5.5"}),
		said("user"; "more"), said("assistant"; "More."), count(usage(15000; 14000; 500); usage(41000; 28500; 900))'
}

@test 'the answers of an imported Codex session have costs, each counted once' {
	rollout >r.jsonl
	ctx-import -q r.jsonl | ctx-append -q --create
	ctx-stats --cost --by model | jq -c '[.model, .answers, .input_tokens, .cache_read_tokens, .output_tokens, .cost]' | same - \
		'["gpt-5.4",2,11500,14500,400,0.038375]
["gpt-5.5",1,1000,14000,500,0.027]'
	# repeated usage, and usage without an answer, is not counted
	awk '{ print } /token_count/ { print }' r.jsonl | ctx-import -q -f codex -s again | ctx-append -q --create
	ctx-stats --cost -s again | jq -c '[.answers, .cost]' | same - '[3,0.065375]'
	{ head -n 2 r.jsonl; grep token_count r.jsonl; } | ctx-import -q -f codex -s none | jq -r .kind | same - session
	# an import that stopped at a result continues with the usage that follows it
	export HOME=$PWD/home
	mkdir -p home/.codex/sessions/2026/07/02
	f=home/.codex/sessions/2026/07/02/rollout-2026-07-02T10-00-00-019f0000-0000-7000-8000-00000000abcd.jsonl
	head -n 6 r.jsonl >"$f"
	unset CODEX_HOME
	ctx-import --sync codex -q -S grown.db >/dev/null
	tail -n +7 r.jsonl >>"$f"
	touch -d '1 hour ago' "$f"
	CTX_NOW=$(date -u +%FT%TZ) ctx-import --sync codex -q -S grown.db >/dev/null
	ctx-stats --cost -S grown.db | jq -c '[.answers, .cost]' | same - '[3,0.065375]'
}

@test 'ccusage computes the same costs for a Codex rollout' {
	local tool=$ROOT/build/ccusage-codex
	command -v npm >/dev/null || skip 'no npm'
	[ -d "$tool/node_modules/@ccusage/codex" ] || {
		mkdir -p "$tool"
		(cd "$tool" && timeout 240 npm install --no-audit --no-fund --ignore-scripts @ccusage/codex@18.0.11) \
			>"$BATS_TEST_TMPDIR/npm" 2>&1 || skip 'npm cannot install @ccusage/codex'
	}
	mkdir -p "$HOME/.codex/sessions/2026/07/02"
	rollout | sed s/gpt-5.5/gpt-5.4/ >"$HOME/.codex/sessions/2026/07/02/rollout-2026-07-02T10-00-00-019f0000-0000-7000-8000-00000000abcd.jsonl"
	ctx-import -q "$HOME"/.codex/sessions/*/*/*/*.jsonl | ctx-append -q --create
	(unset CODEX_HOME; "$tool/node_modules/.bin/ccusage-codex" session --json --offline) >theirs.json 2>err ||
		skip '@ccusage/codex does not run here'
	[ "$(jq '.totals.costUSD * 1000000 | round' theirs.json)" = "$(ctx-stats --cost | jq '.cost * 1000000 | round')" ]
}
