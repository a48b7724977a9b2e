# Request bodies are checked with tsc against the types of the official SDKs from npm.

load helper

# Installs the SDKs with npm into build/sdk, once.
sdk() {
	SDK=${CTX_SDK:-$ROOT/build/sdk}
	command -v npm >/dev/null || skip 'no npm'
	[ -x "$SDK/node_modules/.bin/tsc" ] && return
	mkdir -p "$SDK"
	(cd "$SDK" && timeout 240 npm install --no-audit --no-fund --ignore-scripts \
		openai @anthropic-ai/sdk @google/genai typescript) >"$BATS_TEST_TMPDIR/npm" 2>&1 ||
		skip 'npm cannot install the SDKs'
}

# body PROVIDER TYPE FILE: prints a TypeScript line that declares the body with this type.
body() {
	local text
	# the type of a tool result has no member "name", although the API accepts one
	text=$(jq -c 'if .role == "tool" then del(.name) else . end' "$3" |
		ctx-render -p "$1" --params "params.$1" 2>err) || { cat err; return 1; }
	printf 'export const b%d: %s = %s; // %s %s\n' $((count++)) "$2" "$text" "$1" "${3##*/}"
}

@test 'bodies of all formats have the types of the SDKs' {
	sdk
	count=0
	isolate
	echo '{"model":"claude-opus-5-5","max_tokens":9,"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}}}]}' >params.anthropic
	echo '{"model":"gpt-5.6","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}' >params.openai
	echo '{"model":"gpt-6.2-sol","store":false,"tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":false}]}' >params.responses
	echo '{"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object"}}]}]}' >params.gemini
	echo '{"model":"gemini-3.5-flash","store":false,"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]}' >params.interactions
	mkdir histories
	{ cat "$ROOT/tests/demo/transcript.ndjson"; echo '{"role":"user","content":"What now?"}'; } >histories/demo
	python3 "$ROOT/tests/tools/histories.py" "${CTX_HISTORIES:-12}" |
		awk '/^--$/ { n++; next } { print > sprintf("histories/%04d", n) }'
	{
		echo "import type { MessageCreateParamsNonStreaming as A } from '@anthropic-ai/sdk/resources/beta/messages/messages';"
		echo "import type { ChatCompletionCreateParamsNonStreaming as C } from 'openai/resources/chat/completions/completions';"
		echo "import type { ResponseCreateParamsNonStreaming as R } from 'openai/resources/responses/responses';"
		echo "import type { Content, Tool } from '@google/genai';"
		echo "import type { Interactions } from '@google/genai';"
		echo "type I = Interactions.CreateModelInteractionParamsNonStreaming;"
		echo 'type G = { contents: Content[]; systemInstruction?: Content; tools?: Tool[] };'
		for file in histories/*; do
			body anthropic A "$file"
			body openai C "$file"
			body responses R "$file"
			body gemini G "$file"
			body interactions I "$file"
		done
	} >"$SDK/bodies.ts"
	run -0 "$SDK/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck --target es2022 \
		--module esnext --moduleResolution bundler "$SDK/bodies.ts"
}
