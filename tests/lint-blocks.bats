#!/usr/bin/env bats
# Rules of ctx-lint for blocks, items and cache marks that are valid JSON, but rejected by the provider.

load helper

# lint PROVIDER: prints severity and rule of each diagnostic for the body on standard input.
lint() {
	ctx-lint -p "$1" - | jq -r '"\(.severity) \(.rule)"'
}

an() { # MESSAGES [MEMBERS]
	printf '{"model":"claude-opus-5-5","max_tokens":100,%s"messages":[%s]}\n' "${2:+$2,}" "$1" | lint anthropic
}

re() { # ITEMS [MEMBERS]
	printf '{"model":"gpt-6.2-sol",%s"input":[%s]}\n' "${2:+$2,}" "$1" | lint responses
}

chat() { # MESSAGES MODEL
	printf '{"model":"%s","messages":[%s]}\n' "$2" "$1" | lint openai
}

q='{"role":"user","content":"q"}'
mark='"cache_control":{"type":"ephemeral"}'
hour='"cache_control":{"type":"ephemeral","ttl":"1h"}'

text() { printf '{"type":"text","text":"%s"%s}' "$1" "${2:+,$2}"; }

@test 'Anthropic: lint reports a cache mark before one with a longer lifetime, and a cache mark on a thinking block' {
	[ "$(an "{\"role\":\"user\",\"content\":[$(text a "$mark"),$(text b "$hour")]}")" = 'error an-cache-marks' ]
	[ "$(an "{\"role\":\"user\",\"content\":[$(text a "$hour"),$(text b "$mark")]}")" = '' ]
	[ "$(an "{\"role\":\"user\",\"content\":[$(text a "$mark")]}" "$hour")" = 'error an-cache-marks' ]
	[ "$(an "{\"role\":\"user\",\"content\":[$(text a "$hour")]}" "\"system\":[$(text s "$mark")]")" = 'error an-cache-marks' ]
	[ "$(an "$q,{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"c2ln\",$mark},$(text a)]},$q")" = 'error an-cache-marks' ]
}

@test 'Anthropic: ctx-render sets valid cache marks, whatever cache marks messages and parameters contain' {
	for front in "$mark" "$hour"; do
		for old in "$mark" "$hour"; do
			for how in 5m 1h; do
				jq -n --argjson f "{$front}" '{model: "claude-opus-5-5", max_tokens: 100, system: [{type: "text", text: "s"} + $f]}' >m.json
				printf '%s\n' "{\"role\":\"user\",\"content\":[$(text a "$old")]}" \
					"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"c2ln\",$mark},$(text b)]}" "$q" |
					ctx-render -p anthropic --params m.json --cache "$how" >b
				[ "$(lint anthropic <b)" = '' ]
				grep -q cache_control b
			done
		done
	done
	# a mark that ctx-render sets before the user's one-hour mark also lasts one hour
	echo '{"model":"claude-opus-5-5","max_tokens":100,"system":"s"}' >m.json
	printf '%s\n' "{\"role\":\"user\",\"content\":[$(text a "$hour")]}" | ctx-render -p anthropic --params m.json --cache 5m >b
	[ "$(lint anthropic <b)" = '' ]
}

block='{"type":"compaction","content":"c","signature":"c2ln"}'

@test 'Anthropic: lint checks compaction blocks and compaction requests' {
	first="{\"role\":\"assistant\",\"content\":[$block]}"
	[ "$(an "$first,$q")" = '' ]
	[ "$(an "$first,{\"role\":\"assistant\",\"content\":\"a\"},$q")" = '' ]
	[ "$(an "$q,$first,$q")" = 'error an-compaction' ]
	[ "$(an "$first,$q,$first,$q")" = 'error an-compaction' ]
	[ "$(an "{\"role\":\"assistant\",\"content\":[${block%\}},\"citations\":null}]},$q")" = 'error an-compaction' ]
	[ "$(an "{\"role\":\"assistant\",\"content\":[{\"type\":\"compaction\",\"content\":\"\"}]},$q")" = 'error an-compaction' ]
	[ "$(an "$q" '"compaction":{"type":"summarize"},"stop_sequences":["x"]')" = 'error an-compaction' ]
	[ "$(an "$q" '"compaction":{"type":"summarize"},"output_config":{"format":{"type":"json_schema"}}')" = 'error an-compaction' ]
	[ "$(an "$q" '"compaction":{"type":"summarize"},"context_management":{"edits":[]}')" = 'error an-compaction' ]
	long=$(printf 'ä%.0s' {1..16384})
	[ "$(an "$q" "\"compaction\":{\"type\":\"summarize\",\"instructions\":\"$long\"}")" = '' ]
	[ "$(an "$q" "\"compaction\":{\"type\":\"summarize\",\"instructions\":\"$long.\"}")" = 'error an-compaction' ]
}

@test 'Anthropic: lint checks context edits' {
	edits() { an "${2:-$q}" "\"context_management\":{\"edits\":[$1]}"; }
	compact='{"type":"compact_20260112","trigger":{"type":"input_tokens","value":50000}}'
	[ "$(edits '{"type":"clear_thinking_20251015"},{"type":"clear_tool_uses_20250919"}')" = '' ]
	[ "$(edits '{"type":"clear_tool_uses_20250919"},{"type":"clear_thinking_20251015"}')" = 'error an-edits' ]
	[ "$(edits "$compact")" = '' ]
	[ "$(edits "${compact/50000/49999}")" = 'error an-edits' ]
	[ "$(edits "$compact" "{\"role\":\"assistant\",\"content\":[$block]},$q")" = 'error an-edits' ]
}

@test 'Anthropic: lint reports a request in which every tool has a deferred definition' {
	tool='{"name":"f","input_schema":{"type":"object"}' late='"defer_loading":true'
	[ "$(an "$q" "\"tools\":[$tool,$late}]")" = 'warning an-deferred-tools' ]
	[ "$(an "$q" "\"tools\":[$tool,$late},${tool/f/g}}]")" = '' ]
	[ "$(an "$q" '"tools":[]')" = '' ]
}

@test 'Anthropic: lint checks toolset names, ids of server tool calls, search results and citations' {
	call='{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{},"toolset_name":"set"}]}'
	result='{"type":"tool_result","tool_use_id":"t1","content":"r"'
	tools='"tools":[{"name":"f","input_schema":{"type":"object"}}]'
	[ "$(an "$q,$call,{\"role\":\"user\",\"content\":[$result}]}" "$tools")" = 'error an-toolset' ]
	[ "$(an "$q,$call,{\"role\":\"user\",\"content\":[$result,\"toolset_name\":\"set\"}]}" "$tools")" = '' ]
	printf '%s\n' "$q" "$call" "{\"role\":\"user\",\"content\":[$result}]}" | ctx-render -p anthropic 2>/dev/null |
		jq -e '.messages[2].content[0].toolset_name == "set"'
	search='"name":"web_search","input":{}},{"type":"web_search_tool_result","content":[],"tool_use_id"'
	[ "$(an "$q,{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"x1\",$search:\"x1\"}]},$q" "$tools")" = 'warning an-server-id' ]
	[ "$(an "$q,{\"role\":\"assistant\",\"content\":[{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",$search:\"srvtoolu_1\"}]},$q" "$tools")" = '' ]
	[ "$(an '{"role":"user","content":[{"type":"search_result","title":"t","content":[{"type":"text","text":"x"}]}]}')" = 'error an-search-result' ]
	doc() { printf '{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},"citations":{"enabled":%s}}' "$1"; }
	[ "$(an "{\"role\":\"user\",\"content\":[$(doc true),$(doc true),$(text q)]}")" = '' ]
	[ "$(an "{\"role\":\"user\",\"content\":[$(doc true),$(doc false),$(text q)]}")" = 'error an-citations' ]
}

@test 'Anthropic: a model that continues an answer may be sent its beginning' {
	body() { printf '{"model":"%s","max_tokens":9,"messages":[%s,{"role":"assistant","content":"It is"}]}\n' "$1" "$q" | lint anthropic; }
	[ "$(body claude-sonnet-4-5)" = '' ]
	[ "$(body claude-opus-5-5)" = 'error an-last-user' ]
}

@test 'Responses: lint checks item ids, reasoning, calls, image URLs, compaction triggers and configuration updates' {
	call='{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"'
	out='{"type":"function_call_output","call_id":"c1","output":"r"}'
	[ "$(re "$q,$call,\"id\":\"fc_1\"},$out")" = '' ]
	[ "$(re "$q,$call,\"id\":\"toolu_1\"},$out")" = 'warning re-item-id' ]
	[ "$(re "$q,{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"x\"},$call},$out" '"store":false')" = '' ]
	[ "$(re "$q,{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]},$call},$out" '"store":false')" = 'warning re-reasoning' ]
	[ "$(re "$q,{\"type\":\"reasoning\",\"id\":\"rs_1\",\"encrypted_content\":\"x\"},$call},$out")" = 'error re-reasoning' ]
	[ "$(re "$q,$call,\"status\":\"incomplete\"},$out")" = 'warning re-half-call' ]
	[ "$(re "$q,$call,\"caller\":{\"type\":\"program\",\"caller_id\":\"p1\"}},$out")" = 'error re-program' ]
	[ "$(re "$q,{\"type\":\"program\",\"id\":\"p1\",\"fingerprint\":\"f\"},$call,\"caller\":{\"type\":\"program\",\"caller_id\":\"p1\"}},$out")" = '' ]
	[ "$(re '{"role":"user","content":[{"type":"input_image","image_url":{"url":"https://x.example/y.png"}}]}')" = 'error re-image-url' ]
	[ "$(re "{\"type\":\"compaction_trigger\"},$q")" = 'error re-compaction-trigger' ]
	[ "$(re "$q,{\"type\":\"compaction_trigger\"}")" = '' ]
	[ "$(re '{"type":"configuration_update","reasoning":{"effort":"low"}},{"type":"configuration_update","reasoning":{"effort":"high"}},'"$q")" = 'warning re-configuration-update' ]
	[ "$(re "$q" '"instructions":"Be brief."')" = 'warning re-model-cache' ]
	[ "$(printf '{"model":"gpt-5.4","prompt_cache_options":{"mode":"explicit"},"input":[%s]}\n' "$q" | lint responses)" = 'warning re-model-cache' ]
}

@test 'Chat Completions: lint checks the content of results, audio, and the requirements of compatible servers' {
	call() { printf '{"role":"assistant","tool_calls":[{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"%s","content":%s}' "$1" "$1" "${2:-\"r\"}"; }
	[ "$(chat "$q,$(call c1 '[{"type":"image_url","image_url":{"url":"https://x.example/y.png"}}]')" gpt-4o)" = 'error oa-tool-content' ]
	[ "$(chat "$q,$(call c1)" gpt-4o)" = '' ]
	[ "$(chat "$q,{\"role\":\"assistant\",\"audio\":{\"id\":\"a\",\"data\":\"xx\"}},$q" gpt-4o)" = 'warning oa-audio' ]
	[ "$(chat "$q,$(call call_1)" mistral-large-4)" = 'warning oa-server-id' ]
	[ "$(chat "$q,$(call abcde1234)" mistral-large-4)" = '' ]
	[ "$(chat "$q,{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_content\":\"r\"},$q,{\"role\":\"assistant\",\"content\":\"a\"},$q" deepseek-v4-pro)" = 'warning oa-server-reasoning' ]
}

# mended PROVIDER RULE BODY: --repair must solve the problem, and a second --repair must change nothing.
mended() {
	echo "$3" >body
	ctx-lint -p "$1" body | grep -q "\"$2\"" || { echo "no $2 before"; return 1; }
	ctx-lint -p "$1" --repair body >mended 2>left
	ctx-lint -p "$1" mended
	ctx-lint -p "$1" --repair mended 2>/dev/null | same mended
}

@test '--repair adds missing members and removes rejected ones that carry no data' {
	local head='"model":"claude-opus-5-5","max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object"}}]'
	local call='{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{},"toolset_name":"ts"}]}'
	for own in '' ',"toolset_name":"other"'; do
		mended anthropic an-toolset "{$head,\"messages\":[$call,{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"r\"$own}]}]}"
		jq -e '.messages[2].content[0] == {type: "tool_result", tool_use_id: "t1", content: "r", toolset_name: "ts"}' mended
	done
	mended anthropic an-cache-marks "{$head,\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"x\",\"signature\":\"s\",\"cache_control\":{\"type\":\"ephemeral\"}},{\"type\":\"text\",\"text\":\"a\"}]},{\"role\":\"user\",\"content\":\"r\"}]}"
	jq -e '.messages[1].content[0] == {type: "thinking", thinking: "x", signature: "s"}' mended
	mended anthropic an-compaction "{$head,\"messages\":[{\"role\":\"assistant\",\"content\":[{\"citations\":null,\"type\":\"compaction\",\"content\":\"c\",\"signature\":\"s\",\"x\":1}]},{\"role\":\"user\",\"content\":\"r\"}]}"
	jq -e '.messages[0].content == [{type: "compaction", content: "c", signature: "s"}]' mended
	mended responses re-reasoning '{"model":"m","input":[{"role":"user","content":"q"},{"type":"reasoning","id":"rs_1","encrypted_content":"e"},{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"a"}]},{"role":"user","content":"r"}]}'
	jq -e '.input[1] == {type: "reasoning", id: "rs_1", encrypted_content: "e", summary: []}' mended
	mended responses re-image-url '{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"q"},{"type":"input_image","image_url":{"url":"https://x/y.png","detail":"low"}},{"type":"input_image","detail":"high","image_url":{"url":"https://x/z.png"}}]}]}'
	jq -e '.input[0].content[1:] == [{type: "input_image", image_url: "https://x/y.png", detail: "low"}, {type: "input_image", detail: "high", image_url: "https://x/z.png"}]' mended
}

@test 'lint checks the values of parameters that allow only a few values' {
	one() { printf '%s\n' "$2" | ctx-lint -p "$1" | jq -r '.severity + " " + .rule' | sort -u; }
	local m='"max_tokens":99,"messages":[{"role":"user","content":"q"}'
	[ "$(one anthropic "{\"model\":\"claude-opus-5-5\",$m,{\"role\":\"system\",\"content\":\"x\",\"clear_at\":\"soon\"}]}")" = 'error an-clear-at' ]
	[ "$(one anthropic "{\"model\":\"claude-opus-5-5\",$m,{\"role\":\"system\",\"content\":\"x\",\"clear_at\":\"next_user_message\"}]}")" = '' ]
	[ "$(one anthropic "{\"model\":\"claude-opus-5-5\",\"output_config\":{\"effort\":\"xxl\"},$m]}")" = 'error an-model-thinking' ]
	off='"thinking":{"type":"disabled"},"output_config":{"effort":"max"}'
	[ "$(one anthropic "{\"model\":\"claude-opus-5\",$off,$m]}")" = 'error an-model-thinking' ]
	[ "$(one anthropic "{\"model\":\"claude-opus-4-8\",$off,$m]}")" = '' ]
	on='"thinking":{"type":"enabled","budget_tokens":1024}'
	[ "$(one anthropic "{\"model\":\"claude-opus-4-6\",$on,\"max_tokens\":2000,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}")" = 'warning an-model-deprecated' ]
	[ "$(one anthropic "{\"model\":\"claude-opus-4-5\",$on,\"max_tokens\":2000,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}")" = '' ]
	[ "$(one anthropic '{"model":"claude-opus-4-8","max_tokens":0,"stream":true,"messages":[{"role":"user","content":"q"}]}')" = 'error an-model-output' ]
	[ "$(one anthropic '{"model":"claude-opus-4-8","max_tokens":0,"messages":[{"role":"user","content":"q"}]}')" = '' ]
	for options in '"mode":"auto"' '"ttl":"5m"'; do
		[ "$(one responses "{\"model\":\"gpt-6.2-sol\",\"prompt_cache_options\":{$options},\"input\":\"q\"}")" = 'error re-model-cache' ]
	done
	[ "$(one responses '{"model":"gpt-6.2-sol","prompt_cache_options":{"mode":"explicit","ttl":"12h"},"input":"q"}')" = '' ]
	for args in '' '"arguments":{"a":1},'; do
		mended responses re-call-arguments "{\"model\":\"m\",\"input\":[{\"role\":\"user\",\"content\":\"q\"},{\"type\":\"function_call\",\"call_id\":\"c\",$args\"name\":\"f\"},{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"r\"}]}"
		[ "$(jq -r '.input[1].arguments' mended)" = "$([ -z "$args" ] && echo '{}' || echo '{"a":1}')" ]
	done
}
