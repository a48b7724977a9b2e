# ctx-show -f otlp: traces for OpenTelemetry.
load helper

# spans [OPTION …]: prints each span of session s on a line: name, kind, attributes by key.
spans() {
	ctx-show -s s -f otlp "$@" | jq -c '.resourceSpans[].scopeSpans[].spans[] | {name, kind, traceId, spanId,
		parentSpanId, start: (.startTimeUnixNano | tonumber / 1000000000), end: (.endTimeUnixNano | tonumber / 1000000000), status} +
		(.attributes | map({(.key): (.value | to_entries[0].value)}) | add)'
}

turns() {
	ctx-append -q --create <<-'END'
		{"kind":"session","session_id":"s","agent":"helper","user_id":"anna","created_at":"2026-01-01T10:00:00Z","metadata":{"format":"claude-code"}}
		{"kind":"message","session_id":"s","created_at":"2026-01-01T10:00:00Z","message":{"role":"user","content":"secret question"}}
		{"kind":"message","session_id":"s","created_at":"2026-01-01T10:00:05Z","metadata":{"model":"claude-sonnet-4-5","answer_id":"msg_1","stop_reason":"tool_use","usage":{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":7}},"message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"text","text":"secret look"},{"type":"tool_use","id":"c1","name":"Read","input":{"path":"secret.txt"}},{"type":"tool_use","id":"c2","name":"Run","input":{}}]}}
		{"kind":"message","session_id":"s","created_at":"2026-01-01T10:00:08Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":"secret failure","is_error":true},{"type":"tool_result","tool_use_id":"c1","content":"secret text"}]}}
		{"kind":"message","session_id":"s","created_at":"2026-01-01T10:00:10Z","metadata":{"model":"claude-sonnet-4-5","stop_reason":"end_turn"},"message":{"role":"assistant","content":"secret answer"}}
		{"kind":"message","session_id":"s","created_at":"2026-01-01T11:00:00Z","message":{"role":"user","content":"again"}}
		{"kind":"message","session_id":"s","created_at":"2026-01-01T11:00:01Z","metadata":{"model":"gpt-5.6"},"message":{"role":"assistant","content":null,"tool_calls":[{"id":"d","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}}
	END
}

@test 'a turn is a trace with spans for answers and calls' {
	turns
	spans >out
	jq -c '[.name, .kind, .start, .end]' out >shape
	same shape <<-END
		["invoke_agent helper",1,1767261600,1767261610]
		["chat claude-sonnet-4-5",3,1767261600,1767261605]
		["execute_tool Run",1,1767261605,1767261608]
		["execute_tool Read",1,1767261605,1767261608]
		["chat claude-sonnet-4-5",3,1767261608,1767261610]
		["invoke_agent helper",1,1767265200,1767265201]
		["chat gpt-5.6",3,1767265200,1767265201]
		["execute_tool f",1,1767265201,1767265201]
	END
	ctx-show -s s -f otlp | wc -l | same - 2
	# ids have the right length, each turn is one trace, span ids are unique, and spans have the root as parent
	jq -es 'all(.[]; (.traceId | test("^[0-9a-f]{32}$")) and (.spanId | test("^[0-9a-f]{16}$"))) and
		(group_by(.traceId) | length == 2 and all(.[]; map(select(.parentSpanId == null)) as $root |
			($root | length) == 1 and $root[0]["gen_ai.operation.name"] == "invoke_agent" and
			(map(.parentSpanId // $root[0].spanId) | unique == [$root[0].spanId]))) and
		(map(.spanId) | unique | length) == 8' out
	jq -es '.[1] | .["gen_ai.operation.name"] == "chat" and .["gen_ai.provider.name"] == "anthropic" and
		.["gen_ai.conversation.id"] == "s" and .["gen_ai.request.model"] == "claude-sonnet-4-5" and
		.["gen_ai.response.model"] == "claude-sonnet-4-5" and .["gen_ai.response.id"] == "msg_1" and
		.["gen_ai.response.finish_reasons"].values[0].stringValue == "tool_use" and
		.["gen_ai.usage.input_tokens"] == 130 and .["gen_ai.usage.output_tokens"] == 7 and
		.["gen_ai.usage.cache_read.input_tokens"] == 100 and .["gen_ai.usage.cache_creation.input_tokens"] == 20' out
	jq -es '.[2] | .["gen_ai.tool.name"] == "Run" and .["gen_ai.tool.call.id"] == "c2" and
		.["error.type"] == "_OTHER" and .status.code == 2' out
	jq -es '.[0]["user.id"] == "anna" and .[6]["gen_ai.provider.name"] == "openai" and .[3].status == null' out
	ctx-show -s s -f otlp | jq -es 'all(.[]; .resourceSpans[0].resource.attributes == [{key: "service.name", value: {stringValue: "claude-code"}}])'
}

@test 'the same session gives the same ids, and another session different ones' {
	turns
	spans >one
	ctx-append -q -s s -t 'more'
	spans | head -n 8 | cmp - one
	ctx-new --fork s --id t >/dev/null
	ctx-show -s t -f otlp | jq -r '.resourceSpans[].scopeSpans[].spans[].spanId' | sort >other
	jq -r .spanId one | sort | comm -12 - other | wc -l | same - 0
}

@test 'content is included only with --content' {
	turns
	run ! grep -q secret <(ctx-show -s s -f otlp)
	spans --content >out
	jq -es '(.[1]["gen_ai.input.messages"] | fromjson) == [{role: "user", parts: [{type: "text", content: "secret question"}]}] and
		(.[1]["gen_ai.output.messages"] | fromjson)[0] == {role: "assistant", parts: [{type: "reasoning", content: "hm"},
			{type: "text", content: "secret look"}, {type: "tool_call", id: "c1", name: "Read", arguments: {path: "secret.txt"}},
			{type: "tool_call", id: "c2", name: "Run", arguments: {}}], finish_reason: "tool_call"} and
		(.[3]["gen_ai.tool.call.arguments"] | fromjson) == {path: "secret.txt"} and .[3]["gen_ai.tool.call.result"] == "secret text" and
		(.[4]["gen_ai.input.messages"] | fromjson)[0].parts[0] == {type: "tool_call_response", id: "c2", response: "secret failure"} and
		(.[4]["gen_ai.output.messages"] | fromjson)[0].finish_reason == "stop" and
		(.[7]["gen_ai.tool.call.arguments"] | fromjson) == {a: 1}' out
	key=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
	ctx-append -q -s s -t "the key $key"
	ctx-append -q -s s --role assistant -t ok
	spans --content | grep -q "$key"
	run ! grep -q "$key" <(ctx-show -s s -f otlp --content --redact)
	status 2 ctx-show -s s --content
	status 2 ctx-show -s s -f markdown --content
}

@test 'requests have their time and parameters, and failed requests are included' {
	ctx-append -q --create -s s -t 'hello'
	export CTX_NOW=2026-01-02T03:04:06.000Z
	echo '{"model":"claude-sonnet-4-5","temperature":0.5,"top_k":40,"max_tokens":100,"stop_sequences":["x","y"],"stream":true}' >params
	ctx-window -s s | ctx-render -p anthropic --params params --request failed >/dev/null
	echo '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' >no
	run ctx-append -q --request failed <no
	export CTX_NOW=2026-01-02T03:04:07.000Z
	ctx-window -s s | ctx-render -p anthropic --params params --request req >/dev/null
	export CTX_NOW=2026-01-02T03:04:09.000Z
	echo '{"id":"msg_7","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":3}}' |
		ctx-append -q --request req
	spans >out
	jq -es 'length == 3 and (.[1] | .["error.type"] == "_OTHER" and .status.code == 2 and (.status.message | contains("Overloaded"))) and
		(.[2] | .start == 1767323047 and .end == 1767323049 and .["gen_ai.request.model"] == "claude-sonnet-4-5" and
		.["gen_ai.response.model"] == "claude-sonnet-4-5-20250929" and .["gen_ai.response.id"] == "msg_7" and
		.["gen_ai.request.temperature"] == 0.5 and .["gen_ai.request.top_k"] == 40 and .["gen_ai.request.max_tokens"] == 100 and
		.["gen_ai.request.stream"] and ([.["gen_ai.request.stop_sequences"].values[].stringValue] == ["x", "y"]) and
		.["gen_ai.usage.input_tokens"] == 9)' out
}

@test 'sessions without turns or with unusual messages are exported' {
	ctx-new --id s >/dev/null
	[ -z "$(ctx-show -s s -f otlp)" ]
	jq -nc '{role:"system",content:"be kind"},{role:"assistant",content:"first"},{role:"tool",tool_call_id:"none",content:"lost"},
		{role:"assistant",tool_calls:[{id:"a",type:"custom",custom:{name:"x",input:"not json"}},{id:"a",type:"function",function:{name:"y\"é",arguments:"{"}}]}' |
		ctx-append -q -s s
	spans --content >out
	jq -es 'length == 5 and (map(.spanId) | unique | length) == 5 and .[4].name == "execute_tool y\"é" and
		.[1]["gen_ai.provider.name"] == "_OTHER"' out
	ctx-archive -q -s s --to "$PWD/archive" --cleanup >/dev/null
	spans --content | cmp - out
}

# The OpenTelemetry exporter for JavaScript, whose types describe OTLP/JSON.
exporter() {
	SDK=$ROOT/build/otlp-sdk
	command -v npm >/dev/null || skip 'no npm'
	[ -x "$SDK/node_modules/.bin/tsc" ] && return
	mkdir -p "$SDK"
	(cd "$SDK" && timeout 240 npm install --no-audit --no-fund --ignore-scripts \
		@opentelemetry/otlp-transformer typescript) >"$BATS_TEST_TMPDIR/npm" 2>&1 ||
		skip 'npm cannot install the exporter'
}

@test 'the output matches the types of the OpenTelemetry exporter' {
	exporter
	turns
	{
		echo "import type { IExportTraceServiceRequest } from './node_modules/@opentelemetry/otlp-transformer/build/src/trace/internal-types';"
		# empty members may be missing in JSON
		echo 'type Sparse<T> = T extends Uint8Array | string | number ? T : { [K in keyof T]?: T[K] extends (infer U)[] ? Sparse<U>[] : Sparse<T[K]> };'
		ctx-show -s s -f otlp --content | awk '{ print "export const t" NR ": Sparse<IExportTraceServiceRequest> = " $0 ";" }'
		# a wrong type must be an error
		ctx-show -s s -f otlp | sed -n 's/"stringValue":"Run"/"stringValue":7/p' |
			awk '{ print "// @ts-expect-error\nexport const no: Sparse<IExportTraceServiceRequest> = " $0 ";" }'
	} >"$SDK/traces.ts"
	run -0 "$SDK/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck --target es2022 \
		--module esnext --moduleResolution bundler "$SDK/traces.ts"
}

# The protobuf definitions, and the semantic conventions for generative AI, in their latest versions.
definitions() {
	DEFINITIONS=$ROOT/build/otlp-definitions
	command -v npm >/dev/null || skip 'no npm'
	[ -d "$DEFINITIONS/node_modules/@opentelemetry/semantic-conventions" ] && return
	mkdir -p "$DEFINITIONS"
	(cd "$DEFINITIONS" && timeout 240 npm install --no-audit --no-fund --ignore-scripts \
		@opentelemetry/otlp-transformer@0.203.0 @opentelemetry/semantic-conventions@1.43.0) \
		>"$BATS_TEST_TMPDIR/npm" 2>&1 || skip 'npm cannot install the definitions'
}

@test 'every trace matches the protobuf definitions, and all attribute names are in the semantic conventions' {
	definitions
	turns
	{ ctx-show -s s -f otlp; ctx-show -s s -f otlp --content; } >traces
	node "$ROOT/tests/otlp-decode.mjs" "$DEFINITIONS" <traces | same /dev/null
	# unknown names must be reported
	sed -n '1s/"startTimeUnixNano"/"begun"/p; 1s/"gen_ai.operation.name"/"gen_ai.op"/p' traces |
		node "$ROOT/tests/otlp-decode.mjs" "$DEFINITIONS" | sort -u | same - 'not in the conventions: gen_ai.op
not in the protocol: .resourceSpans..scopeSpans..spans..begun'
}
