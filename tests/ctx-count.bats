# ctx-count(1)
load helper

# Skips the test if the tables of the exact tokenizers were not built.
tables() {
	export CTX_TOKENIZER_DIR=$ROOT/build/tokenizers
	[ -f "$CTX_TOKENIZER_DIR/o200k_base.tbl" ] || skip 'make tokenizers'
}

u='{"role":"user","content":"Name three rivers."}'

@test 'for plain text, ctx-count prints only the number of tokens' {
	[ "$(ctx-count --tokenizer chars4 -t 'How many tokens is this?')" = 6 ]
	[ "$(printf 12345678 | ctx-count --raw --tokenizer chars4)" = 2 ]
	[ "$(printf '' | ctx-count --raw)" = 0 ]
	printf 12345678 >a
	printf 1234 >b
	ctx-count --raw --tokenizer chars4 a | same - 2
	ctx-count --raw --tokenizer chars4 a b | same - $'2 a\n1 b'
	status 4 ctx-count --raw a nonesuch
}

@test 'messages are printed with their counts and otherwise unchanged' {
	echo "$u" | ctx-count --tokenizer chars4 |
		same - '{"kind":"message","token_count":8,"tokenizer":"chars4","message":'"$u"'}'
	cat >in <<-END
	{"kind":"message","seq":1,"token_count":99,"tokenizer":"old","x":1e400,"message":$u,"y":null}
	{"kind":"event","session_id":"s","event":"prune","n":10000000000000000000001}
	END
	sed 's/99/8/; s/"old"/"chars4"/' in >want
	ctx-count --tokenizer chars4 in | same want
	ctx-count --tokenizer chars4 <in | ctx-count --tokenizer chars4 | same want
}

@test '--total prints the sum of the counts' {
	for _ in 1 2 3; do echo "$u"; done >in
	[ "$(ctx-count --total in)" = "$(ctx-count in | jq -s "map(.token_count) | add")" ]
	[ "$(ctx-count --total </dev/null)" = 0 ]
}

@test 'a stored message has the same count as when it was appended' {
	echo "$u" | ctx-append --create -s s >stored
	ctx-window -s s >window
	ctx-count window | same window
	[ "$(jq .token_count <stored)" = "$(jq 'select(.kind == "message").token_count' <window)" ]
}

@test 'encrypted reasoning is counted by the estimated size of its decrypted text' {
	secret=$(printf 'x%.0s' {1..1600})
	reasoning='{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"'$secret'"}'
	text='{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Yes."}]}'
	echo '{"role":"assistant","content":['"$reasoning"',{"type":"text","text":"Yes."}]}' >message
	plain=$(ctx-count --tokenizer chars4 --total <<<'{"role":"assistant","content":[{"type":"text","text":"Yes."}]}')
	[ $(($(ctx-count --tokenizer chars4 --total message) - plain)) = 301 ]
	echo '{"model":"m","input":['"$text"']}' >plain
	echo '{"model":"m","input":['"$reasoning,$text"']}' >body
	count_of() { ctx-lint -p responses -b 1 --tokenizer chars4 "$1" | jq -r .message | sed -n 's|^the input has \([0-9]*\) tokens.*|\1|p'; }
	[ $(($(count_of body) - $(count_of plain))) = 301 ]
	echo '{"role":"assistant","content":[{"type":"redacted_thinking","data":"'"$secret"'"},{"type":"text","text":"Yes."}]}' >message
	[ $(($(ctx-count --tokenizer chars4 --total message) - plain)) = 301 ]
}

@test 'invalid input is reported, and the output of ctx-show can be counted' {
	echo 'plain text' >text
	status 3 ctx-count text 2>err
	same err <<<'ctx-count: text:1: not a JSON value at byte 1 (--raw reads plain text)'
	status 3 ctx-count <<<'{"role":"user"'
	status 3 ctx-count <<<'{"role":"nobody","content":"x"}'
	ctx-append --create -s s -t x >/dev/null
	ctx-append --create -s t -t y >/dev/null
	{ ctx-show -s s; ctx-show -s t; } >both
	ctx-count --total --max 10 both | same - 10
	status 1 ctx-count --total --max 9 both >out 2>err
	same - 10 <out
	ctx-show -s s | ctx-count >out
	[ "$(jq -r .kind out | paste -sd ' ')" = 'session message' ]
}

@test 'options that cannot be combined are refused' {
	status 2 ctx-count --ids </dev/null
	status 2 ctx-count -t x --raw
	status 2 ctx-count -t x --total
	status 2 ctx-count -t x file
	status 2 ctx-count --total --calibrate </dev/null
	status 2 ctx-count -t x --tokenizer nonesuch
	status 2 ctx-count -t x --tokenizer 'approx*11'
	status 2 ctx-count -t x --ids
}

@test 'if the table of an exact tokenizer is missing, the error message says how to build it' {
	export CTX_TOKENIZER_DIR=$PWD
	status 2 ctx-count -t x --tokenizer o200k_base 2>err
	grep -q 'make tokenizers' err
	grep -q CTX_TOKENIZER_DIR err
	printf 'not a table' >o200k_base.tbl
	status 4 ctx-count -t x --tokenizer o200k_base 2>err
	grep -q 'not a tokenizer table' err
}

@test 'exact tokenizers print counts and ids' {
	tables
	ctx-count --ids --tokenizer o200k_base -t 'hello world' | same - '24912 2375'
	ctx-count --ids --tokenizer cl100k_base -t 'hello world' | same - '15339 1917'
	[ "$(ctx-count --tokenizer o200k_base -t '<|endoftext|>')" = 7 ]
	[ "$(CTX_TOKENIZER=cl100k_base ctx-count -t ' the')" = 1 ]
	[ -z "$(ctx-count --ids --tokenizer o200k_base --raw </dev/null)" ]
}

@test 'a .tiktoken file given by its path gives the same counts as the built table' {
	tables
	ranks=$ROOT/build/ranks
	text=$'don\'t DON\'T 12345 {"k": [1]}\n\n  x // 中文 e\xcc\x81'
	for name in cl100k_base o200k_base; do
		ctx-count --ids -t "$text" --tokenizer "$ranks/$name.tiktoken" >a
		ctx-count --ids -t "$text" --tokenizer $name | same a
		ctx-count --ids -t "$text" --tokenizer "$CTX_TOKENIZER_DIR/$name.tbl" | same a
	done
	echo 'YQ== 0' >short
	status 3 ctx-count -t x --tokenizer ./short
}

@test 'auto:MODEL selects the tokenizer of the model' {
	tables
	name() { echo "$u" | ctx-count --tokenizer "auto:$1" | jq -r .tokenizer; }
	[ "$(name gpt-4o-mini)" = o200k_base ]
	[ "$(name gpt-4-turbo)" = cl100k_base ]
	[ "$(name other)" = approx ]
	# fine-tuned models, names with a router, names of Azure, embeddings, open weights
	[ "$(name ft:gpt-4o-mini-2024-07-18:acme::abc)" = o200k_base ]
	[ "$(name openai/gpt-4o)" = o200k_base ]
	[ "$(name gpt-35-turbo)" = cl100k_base ]
	[ "$(name text-embedding-3-small)" = cl100k_base ]
	[ "$(name gpt-oss-120b)" = o200k_base ]
	[ "$(name mistral/o1)" = approx ]
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	cat >"$XDG_CONFIG_HOME/ctx/calibration.ndjson" <<-END
	{"model":"other","tokenizer":"chars4","requests":{"factor":1.5}}
	{"model":"other-2","tokenizer":"o200k_base*1.1","requests":{"factor":2}}
	{"model":"answers","tokenizer":"chars4"}
	{"model":"dated-2026-01-31","tokenizer":"chars4","requests":{"factor":1.2}}
	{"model":"short-20260131","tokenizer":"chars4","requests":{"factor":1.3}}
	{"model":"gpt-4o","tokenizer":"o200k_base","requests":{"factor":1.1}}
	END
	# a factor that was learned for the dated name applies to the short name
	[ "$(name dated)" = 'chars4*1.200' ]
	[ "$(name dated-mini)" = approx ]
	[ "$(name short)" = 'chars4*1.300' ]
	[ "$(name ft:gpt-4o:acme::abc)" = 'o200k_base*1.100' ]
	[ "$(name other-1)" = 'chars4*1.500' ]
	[ "$(name other-2-mini)" = 'o200k_base*2.200' ]
	[ "$(name answers)" = chars4 ]
	[ "$(ctx-count --tokenizer auto:other -t 12345678)" = 3 ]
}

@test '--calibrate compares the usage that providers reported with the counted tokens, for each model' {
	cat >in <<-'END'
	{"kind":"message","seq":1,"message":{"role":"user","content":"hi"}}
	{"kind":"session","session_id":"s","status":"active"}
	{"kind":"message","session_id":"s","seq":2,"metadata":{"model":"m-1","usage":{"completion_tokens":12}},"message":{"role":"assistant","content":"12345678"}}
	{"kind":"request","session_id":"s","request_id":"r1","response_seq":2,"tokenizer":"chars4","tokens":{"total":100},"usage":{"prompt_tokens":150}}
	{"kind":"request","session_id":"s","request_id":"r2","params":{"model":"m-2"},"tokenizer":"chars4","tokens":{"total":100},"usage":{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":15}}
	{"kind":"request","session_id":"s","request_id":"r3","params":{"model":"m-2"},"tokenizer":"approx","tokens":{"total":100},"usage":{"input_tokens":500}}
	END
	ctx-count --calibrate --tokenizer chars4 in >out 2>err
	same out <<-'END'
	{"kind":"calibration","model":"m-1","tokenizer":"chars4","requests":{"n":1,"counted":100,"reported":150,"factor":1.5000,"safe":1.5750},"answers":{"n":1,"counted":6,"reported":12,"factor":2.0000}}
	{"kind":"calibration","model":"m-2","tokenizer":"chars4","requests":{"n":1,"counted":100,"reported":120,"factor":1.2000,"safe":1.2600}}
	END
	grep -q 'another tokenizer' err
}

@test 'with a calibrated factor, at most 5 % of later requests use more tokens than counted' {
	# simulated usage: about 1.35 times the count, and higher in every tenth request
	awk 'BEGIN { srand(7); for (i = 0; i < 2000; i++) {
		own = 500 + int(rand() * 50000); r = 1.35 + (rand() + rand() + rand() - 1.5) * 0.2 + (rand() < 0.1 ? 0.1 : 0)
		printf "{\"kind\":\"request\",\"session_id\":\"s\",\"request_id\":\"r%d\",\"params\":{\"model\":\"house-1\"},\"tokenizer\":\"approx\",\"tokens\":{\"total\":%d},\"usage\":{\"input_tokens\":%d}}\n", i, own, own * r } }' >all
	for n in 3 30 1000; do
		head -n "$n" all | ctx-count --calibrate >calibration
		tail -n 1000 all | jq -n --slurpfile c calibration '[inputs | .usage.input_tokens > .tokens.total * $c[0].requests.safe] | (map(select(.)) | length) * 100 / length' >share
		echo "$n learned from: $(cat share) % cost more"
		[ "$n" -lt 30 ] || jq -e '. <= 5' share
	done
}

@test '--max N gives exit status 1 if the input has more than N tokens, and does not change the output' {
	ctx-count -t 'one two three' --max 100
	status 1 ctx-count -t 'one two three' --max 2 >out 2>err
	ctx-count -t 'one two three' | same out
	grep -q 'tokens, .* more than --max 2' err
	printf '%s\n' '{"role":"user","content":"one two three"}' '{"role":"assistant","content":"four"}' >in
	n=$(ctx-count --total in)
	ctx-count --max "$n" in >/dev/null
	status 1 ctx-count --max $((n - 1)) --total in >out 2>/dev/null
	same - "$n" <out
	status 1 ctx-count --raw --max 2 in in >out 2>/dev/null
	[ "$(wc -l <out)" = 2 ]
	status 2 ctx-count --max 1 --calibrate in 2>err
}
