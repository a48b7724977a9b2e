# A working day: sessions of three agents are imported, redacted and searched over MCP, and one session is
# exported to another agent and imported back.
load helper

# Creates session files of Claude Code, Codex and the Gemini CLI in their usual directories.
agents_home() {
	mkdir -p "$HOME/.claude/projects/-src-shop" "$HOME/.codex/sessions/2026/07/01" "$HOME/.gemini/tmp/x/chats"
	cp "$ROOT/tests/fixtures/import/spotter_tool_heavy.jsonl" "$HOME/.claude/projects/-src-shop"
	jq -nc 'def item(payload): {timestamp: "2026-07-01T10:00:00.000Z", type: "response_item", payload: payload};
		{timestamp: "2026-07-01T10:00:00.000Z", type: "session_meta", payload: {id: "019f0000-0000-7000-8000-0000000000aa",
			timestamp: "2026-07-01T10:00:00.000Z", cwd: "/src/menu", originator: "codex_cli_rs", cli_version: "0.50.0"}},
		item({type: "message", role: "user", content: [{type: "input_text", text: "Which colour has the menu?"}]}),
		item({type: "function_call", name: "shell", arguments: "{\"command\":[\"cat\",\"menu.css\"]}", call_id: "c1"}),
		item({type: "function_call_output", call_id: "c1", output: "color: blue"}),
		item({type: "message", role: "assistant", content: [{type: "output_text", text: "The menu is blue."}]})' \
		>"$HOME/.codex/sessions/2026/07/01/rollout-2026-07-01T10-00-00-019f0000-0000-7000-8000-0000000000aa.jsonl"
	cp "$ROOT/tests/fixtures/import/agsess_gemini_small.json" "$HOME/.gemini/tmp/x/chats/session-1.json"
	jq -nc --arg key "$KEY" '{type: "user", sessionId: "shop", uuid: "u1", timestamp: "2026-07-01T09:00:00Z", cwd: "/src/shop",
			message: {role: "user", content: "Deploy the shop with the key \($key), please."}},
		{type: "assistant", sessionId: "shop", uuid: "u2", timestamp: "2026-07-01T09:00:05Z", message: {id: "m1", role: "assistant",
			model: "claude-sonnet-4-5", usage: {input_tokens: 1000, output_tokens: 100}, content: [
			{type: "text", text: "I deploy it."}, {type: "tool_use", id: "t1", name: "Bash", input: {command: "deploy --key \($key) shop"}}]}},
		{type: "user", sessionId: "shop", uuid: "u3", timestamp: "2026-07-01T09:01:00Z", message: {role: "user",
			content: [{type: "tool_result", tool_use_id: "t1", content: "deployed to atlas"}]}},
		{type: "assistant", sessionId: "shop", uuid: "u4", timestamp: "2026-07-01T09:01:05Z", message: {id: "m2", role: "assistant",
			model: "claude-sonnet-4-5", usage: {input_tokens: 1200, output_tokens: 10}, content: [{type: "text", text: "The shop runs on atlas."}]}}' \
		>"$HOME/.claude/projects/-src-shop/shop.jsonl"
	touch -d '1 hour ago' "$HOME"/.claude/projects/*/* "$HOME"/.codex/sessions/*/*/*/* "$HOME"/.gemini/tmp/*/*/*
}

@test 'the example of a day with three agents in the manual works' {
	KEY=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
	agents_home
	unset CTX_NOW   # files rest since then
	"$ROOT/examples/one-day" where does the shop run >out 2>err || { cat out err; return 1; }
	for format in claude-code codex gemini-cli; do
		grep -q '"format":"'$format'","files":[12],"read":[12],"new":[1-9]' out
	done
	grep -qE '^claude-code: 0\.[0-9]+ \([0-9]+ answers, 0 without' out
	grep -q '^shop 4 assistant: The shop runs on atlas\.' out
	grep -qE '^[1-9][0-9]* tokens of evidence from [1-9]' out
	grep -q '^== shop carried over to codex and back to claude-code' out
	grep -q '^nothing lost of 3 texts and calls' out
	# the secret is not in the output or in the store
	run ! grep -q "${KEY:10:20}" out err
	run ! grep -q "${KEY:10:20}" <(ctx-list --all -1 | ctx-show)
	grep -q 'REDACTED:openrouter' <(ctx-list --all -1 | ctx-show)
	# on the next day, nothing new is found
	"$ROOT/examples/one-day" deploy >again 2>err
	run ! grep -q '"kind":"sync"' again
	status 1 "$ROOT/examples/one-day" xyzzy >out 2>err
	status 2 "$ROOT/examples/one-day" 2>err
}

@test 'a session of each agent can be exported to another agent'\''s format and imported back without loss' {
	KEY=none
	agents_home
	unset CTX_NOW
	while read -r words; do
		"$ROOT/examples/one-day" "$words" >out 2>err || { cat out err; return 1; }
		grep -q '^nothing lost of [1-9]' out
		grep -o 'carried over to .*' out
	done <<-'END' >ways
		atlas
		blue menu
		hello
	END
	same ways <<-END
		carried over to codex and back to claude-code
		carried over to claude-code and back to codex
		carried over to codex and back to gemini-cli
	END
}
