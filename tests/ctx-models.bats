# ctx-models(1), and the values of the model table that other commands use.

load helper

setup() {
	isolate
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	table=$XDG_CONFIG_HOME/ctx/models.ndjson
	hi='{"role":"user","content":"hi"}'
}

# rules DIAGNOSTICS: prints severity and rule of each diagnostic.
rules() { jq -r '.severity + " " + .rule' <<<"$1"; }

@test 'every row of the model table has the required members, and the manual page describes them' {
	ctx-models >all
	jq -e '(.models | length > 0) and (.provider | IN("openai", "anthropic", "gemini", "responses"))
	    and (.tokens.prose >= 1) and (.cache.style | type == "string")
	    and (.thinking | type == "array")' <all >/dev/null
	for member in $(jq -r 'keys[]' <all | sort -u); do
		grep -qE "^\.It Va .*\b$member\b" "$ROOT/man/ctx-models.1" || { echo "$member"; return 1; }
	done
	# "unsure" contains names of members
	run -0 jq -r '.unsure // [] | .[]' <all
	for member in $(sort -u <<<"$output"); do
		grep -qE "^\.It Va .*\b$member\b" "$ROOT/man/ctx-models.1" || { echo "$member"; return 1; }
	done
}

@test 'the first matching row of the model table is used, also for names with a router prefix or a date' {
	[ "$(ctx-models claude-opus-5-5-20261001 | jq -r .reasoning)" = checked ]
	[ "$(ctx-models claude-opus-5 | jq -r .reasoning)" = kept ]
	[ "$(ctx-models us.anthropic.claude-haiku-4-5-20251001-v1:0 | jq .window)" = 200000 ]
	[ "$(ctx-models openrouter/openai/gpt-6.2-sol | jq -r .tools)" = responses ]
	[ "$(ctx-models ft:gpt-4o-mini:org::id | jq .output)" = 16384 ]
}

@test 'an unknown model gives exit status 1, and the known models are printed' {
	run -1 --separate-stderr ctx-models gpt-4o no-such-model gpt-4.1
	[ "${#lines[@]}" = 2 ]
	[ "$stderr" = "ctx-models: the model table has no row for 'no-such-model'" ]
}

@test 'the user'\''s model table takes precedence, and an invalid line in it is reported' {
	echo '{"models":["gpt-4o*","house"],"window":1000}' >"$table"
	[ "$(ctx-models gpt-4o house | jq -s -c 'map(.window)')" = '[1000,1000]' ]
	[ "$(ctx-models | head -n 1 | jq -c .models)" = '["gpt-4o*","house"]' ]
	for bad in '{' '[]' '{}' '{"models":[]}' '{"models":[1]}' '{"models":["a"],"tokens":1}'; do
		printf '{"models":["a"]}\n\n%s\n' "$bad" >"$table"
		run -3 --separate-stderr ctx-models
		[[ $stderr == *'models.ndjson: line 3: '* ]]
	done
}

@test 'token counts are scaled by the model'\''s factor, except for OpenAI models' {
	text=$(printf 'Some words of prose. %.0s' {1..50})
	plain=$(ctx-count -t "$text")
	scaled=$(ctx-count --tokenizer auto:claude-opus-5-5 -t "$text")
	[ "$scaled" -ge $((plain * 169 / 100)) ]
	[ "$scaled" -le $((plain * 171 / 100 + 1)) ]
	echo '{"models":["house"],"tokens":{"prose":2,"code":3}}' >"$table"
	[ "$(ctx-count --tokenizer auto:house -t "$text")" = $((plain * 3)) ]
}

@test 'without a given budget, the budget is the model'\''s context window less its maximum output' {
	ctx-new --id s >/dev/null
	for i in {1..30}; do echo "$hi"; done | ctx-append -s s >/dev/null
	echo '{"model":"claude-opus-4-5"}' >p
	run -0 ctx-window -s s --params p
	[ "$(tail -n 1 <<<"$output" | jq .budget)" = 136000 ]
	[ "$(grep -c '"kind":"message"' <<<"$output")" = 30 ]
	CTX_PARAMS=p run -0 ctx-window -s s -n 5
	[ "$(grep -c '"kind":"message"' <<<"$output")" = 5 ]
	[ "$(tail -n 1 <<<"$output" | jq .budget)" = null ]
	# for an unknown model, the default applies
	echo '{"model":"unheard-of"}' >p
	run -0 ctx-window -s s --params p
	[ "$(grep -c '"kind":"message"' <<<"$output")" = 20 ]
}

@test 'lint reports parameters that a Claude model rejects' {
	body() { echo "{\"max_tokens\":100,\"messages\":[$hi],$1}" | ctx-lint -p anthropic; }
	run -1 body '"model":"claude-opus-5","temperature":0.3'
	[ "$(rules "$output")" = 'error an-model-sampling' ]
	run -0 body '"model":"claude-opus-5","temperature":1'
	[ -z "$output" ]
	run -0 body '"model":"claude-opus-4-5","temperature":0.3'
	[ -z "$output" ]
	run -1 body '"model":"claude-opus-5","thinking":{"type":"enabled","budget_tokens":2000}'
	[ "$(rules "$output")" = 'error an-model-thinking' ]
	run -1 body '"model":"claude-opus-5","thinking":{"type":"adaptive","budget_tokens":2000}'
	[ "$(rules "$output")" = 'error an-model-thinking' ]
	run -1 body '"model":"claude-sonnet-5-5","tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}'
	[ "$(rules "$output")" = 'error an-model-tool-choice' ]
	run -0 body '"model":"claude-haiku-5-5","tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}'
	[ -z "$output" ]
	run -1 body '"model":"claude-opus-5-5","max_tokens":128001'
	[ "$(rules "$output")" = 'error an-model-output' ]
	# values marked as unsure cause only a warning, and unknown models are not checked
	run -0 body '"model":"claude-3-opus","temperature":0.3'
	[ "$(rules "$output")" = 'warning an-model-sampling' ]
	run -0 body '"model":"house-1","temperature":0.3'
	[ -z "$output" ]
}

@test 'lint reports parameters that a GPT model rejects in Chat Completions' {
	body() { echo "{\"messages\":[$hi],$1}" | ctx-lint -p openai; }
	run -1 body '"model":"gpt-6.2-sol","temperature":0.3'
	[ "$(rules "$output")" = 'error oa-model-sampling' ]
	run -1 body '"model":"gpt-5.6","top_p":0.3'
	[ "$(rules "$output")" = 'error oa-model-sampling' ]
	run -0 body '"model":"gpt-5.6","top_p":0.3,"reasoning_effort":"none"'
	[ -z "$output" ]
	run -1 body '"model":"gpt-6.2-sol","reasoning_effort":"none"'
	[ "$(rules "$output")" = 'error oa-model-effort' ]
	run -1 body '"model":"gpt-6.1-sol","tools":[{"type":"function","function":{"name":"f"}}]'
	[ "$(rules "$output")" = 'error oa-model-tools' ]
	run -1 body '"model":"gpt-5.6","max_tokens":5'
	[ "$(rules "$output")" = 'error oa-model-output' ]
	run -0 body '"model":"gpt-4o","max_tokens":5,"temperature":0.2'
	[ -z "$output" ]
	run -0 body '"model":"gpt-4o","user":"u"'
	[ "$(rules "$output")" = 'warning oa-model-deprecated' ]
}

@test 'lint reports parameters that a GPT model rejects in Responses' {
	body() { echo "{\"input\":[{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}],$1}" | ctx-lint -p responses; }
	run -1 body '"model":"gpt-6.2-sol","temperature":0.3'
	[ "$(rules "$output")" = 'error re-model-sampling' ]
	run -1 body '"model":"gpt-6.2-sol","reasoning":{"effort":"minimal"}'
	[ "$(rules "$output")" = 'error re-model-effort' ]
	run -1 body '"model":"gpt-6.2-sol","max_tokens":5'
	[ "$(rules "$output")" = 'error re-model-output' ]
	run -0 body '"model":"gpt-6.2-sol","reasoning":{"effort":"low"},"max_output_tokens":5'
	[ -z "$output" ]
}

# fix PROVIDER PARAMS: prints the parameters that ctx-render --fix sends.
fix() {
	echo "$2" >p
	echo "$hi" | ctx-render -p "$1" --params p --fix >body || return
	jq -c 'del(.messages, .input, .contents)' body
}

@test 'ctx-render --fix removes and renames rejected parameters and reports it' {
	run -0 --separate-stderr fix anthropic '{"model":"claude-opus-5-5","max_tokens":200000,
		"temperature":0.3,"top_k":5,"thinking":{"type":"enabled","budget_tokens":2000,"display":"omitted"}}'
	[ "$output" = '{"model":"claude-opus-5-5","max_tokens":128000,"thinking":{"type":"adaptive","display":"omitted"}}' ]
	[ "$(grep -c '^ctx-render: fixed: .*\[an-model-' <<<"$stderr")" = 4 ]
	run -0 --separate-stderr fix openai '{"model":"gpt-5.6","max_tokens":5,"temperature":0.2,"user":"u"}'
	[ "$output" = '{"model":"gpt-5.6","max_completion_tokens":5,"safety_identifier":"u"}' ]
	run -0 --separate-stderr fix openai '{"model":"gpt-4o","functions":[{"name":"f"}],"function_call":{"name":"f"}}'
	[ "$output" = '{"model":"gpt-4o","tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"function","function":{"name":"f"}}}' ]
	run -0 --separate-stderr fix responses '{"model":"gpt-6.2-sol","max_tokens":9,"reasoning":{"summary":"auto","effort":"minimal"},
		"include":["message.output_text.logprobs","reasoning.encrypted_content"]}'
	[ "$output" = '{"model":"gpt-6.2-sol","max_output_tokens":9,"reasoning":{"summary":"auto","effort":"low"},"include":["reasoning.encrypted_content"]}' ]
	# for servers other than OpenAI's, max_tokens is sent and other parameters stay
	run -0 --separate-stderr fix openai '{"model":"mistral-large-latest","max_completion_tokens":5,"temperature":0.2,"user":"u"}'
	[ "$output" = '{"model":"mistral-large-latest","max_tokens":5,"temperature":0.2,"user":"u"}' ]
	# without corrections, nothing is printed and the bytes do not change
	run -0 --separate-stderr fix openai '{"model":"gpt-4o","temperature":0.20}'
	[[ $(cat body) == '{"model":"gpt-4o","temperature":0.20,'* ]]
	[ -z "$stderr" ]
}

@test 'ctx-render --fix converts tools to the format of the API' {
	schema='{"type":"object","properties":{"x":{"type":"number"}}}'
	chat='{"type":"function","function":{"name":"f","description":"d","parameters":'$schema'}}'
	claude='{"name":"f","description":"d","input_schema":'$schema'}'
	flat='{"type":"function","name":"f","description":"d","parameters":'$schema'}'
	for tool in "$chat" "$claude" "$flat"; do
		fix openai '{"model":"gpt-4o","tools":['"$tool"']}' 2>err | jq -c '.tools[]' >got
		diff <(echo "$chat") got
		fix anthropic '{"model":"claude-opus-5","max_tokens":9,"tools":['"$tool"']}' 2>err | jq -c '.tools[]' >got
		diff <(echo "$claude") got
		fix responses '{"model":"gpt-6.2-sol","tools":['"$tool"']}' 2>err | jq -c '.tools[]' >got
		diff <(echo "$flat") got
		fix gemini '{"tools":['"$tool"',{"googleSearch":{}}]}' 2>err | jq -c '.tools[]' >got
		diff <(printf '%s\n' '{"googleSearch":{}}' '{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":'"$schema"'}]}') got
	done
	# tools that the provider runs are not changed
	fix anthropic '{"model":"claude-opus-5","max_tokens":9,"tools":[{"type":"web_search_20250305","name":"web_search"}]}' 2>err
	[ ! -s err ]
}

@test 'ctx-render --fix refuses what it cannot correct without changing the meaning' {
	run -1 --separate-stderr fix openai '{"model":"gpt-6.1-sol","tools":[{"type":"function","function":{"name":"f"}}]}'
	[ -z "$output" ]
	[[ $stderr == *'not fixed: '*'[oa-model-tools]'* ]]
	run -1 --separate-stderr fix anthropic '{"model":"claude-opus-5-5","max_tokens":9,"thinking":{"type":"disabled"}}'
	[[ $stderr == *'[an-model-thinking]'* ]]
	run -1 --separate-stderr fix gemini '{"cachedContent":"c","tools":[]}'
	[[ $stderr == *'[ge-cached-content]'* ]]
}

@test 'parameters without a required member are refused' {
	for p in openai responses; do
		run -1 --separate-stderr fix "$p" '{"store":false}'
		[[ $stderr == *"have no model, which $p requires"* ]]
	done
	run -0 fix responses '{"prompt":{"id":"pmpt_1"}}'
	run -0 fix gemini '{"generationConfig":{}}'
	run -1 --separate-stderr fix anthropic '{"model":null}'
	[[ $stderr == *'have no model and max_tokens'* ]]
}
