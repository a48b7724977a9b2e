#!/usr/bin/env bats
# Sessions exported to the formats of other tools and imported again with ctx-import.

load helper

formats='atif claude-code codex gemini-cli goose opencode pi'

same_talk() { # RECORDS RECORDS
	diff <(python3 "$ROOT/tests/carry.py" "$1") <(python3 "$ROOT/tests/carry.py" "$2")
}

made() { # a session with every kind of content that is carried over
	python3 - <<'END'
import json
def put(m, **more): print(json.dumps({"kind": "message", "session_id": "made", "message": m, **more}))
print(json.dumps({"kind": "session", "session_id": "made", "title": "A \"quoted\" title", "metadata": {"cwd": "/srv/it's here"}}))
put({"role": "system", "content": "Be brief."})
put({"role": "user", "content": "Größe?\n\n`x` <b> \\n \u4f60\u597d"}, created_at="2026-05-01T10:00:00.000Z")
put({"role": "assistant", "content": [
    {"type": "thinking", "thinking": "hidden", "signature": "c2ln"},
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a \"b\".txt", "n": 12345678901234567890, "deep": {"x": [1.50, None, True]}}},
    {"type": "tool_use", "id": "t2", "name": "run", "input": {}}]}, created_at="2026-05-01T10:00:05.000Z")
put({"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "t1", "content": "line 1\nline 2"},
    {"type": "tool_result", "tool_use_id": "t2", "content": "no such file", "is_error": True}]})
put({"role": "assistant", "content": None, "tool_calls": [{"id": "c3", "type": "function", "function": {"name": "run", "arguments": "{\"cmd\":\"ls\"}"}}]})
put({"role": "tool", "tool_call_id": "c3", "content": "a.txt"})
put({"role": "assistant", "content": "It is there."})
put({"role": "user", "content": "Thanks."}, created_at="2026-05-01T11:00:00.000Z")
END
}

@test 'a session exported for another tool can be imported again unchanged' {
	made | ctx-append -q --create
	ctx-show -s made >records
	for f in $formats; do
		ctx-show -s made -f $f 2>note >out
		[ "$f" = codex ] || [ "$f" = atif ] || grep -q 'does not support a system text' note
		[ -z "$(ctx-show -q -s made -f $f 2>&1 >/dev/null)" ]
		ctx-import -q -f $f out >back || { echo "$f"; return 1; }
		case $f in
		codex | atif) # which do not say that a result is an error
			sed 's/"is_error":true/"is_error":false/' records >plain
			same_talk plain back >d ;;
		*) same_talk records back >d ;;
		esac || { echo "$f"; cat d; return 1; }
		grep -q hidden out && { echo "$f: reasoning"; return 1; }
		grep -q 12345678901234567890 out || { echo "$f: a number was rounded"; return 1; }
		ctx-show -s made -f $f 2>/dev/null | cmp - out
	done
	! grep -q c2ln out || return 1
}

@test 'an image at a URL becomes [image], and a document [document]' {
	cat >in <<'END'
{"kind":"message","session_id":"s","message":{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}}]}}
{"kind":"message","session_id":"s","message":{"role":"assistant","content":"ok"}}
END
	ctx-append -q --create <in
	for f in codex gemini-cli goose opencode pi; do
		ctx-show -s s -f $f >out
		for words in image document; do
			grep -qF "\"text\":\"[$words]\"" out || { echo "$f: $words"; return 1; }
		done
	done
}

@test 'samples of every importer can be exported for every tool and imported again' {
	n=0
	for file in "$ROOT"/tests/fixtures/import/*.json*; do
		ctx-import -q "$file" >in 2>/dev/null || continue
		[ "$(grep -c '"kind":"message"' in)" -gt 1 ] || continue
		store_remove
		ctx-append -q --create --keep-going in 2>/dev/null || true
		sid=$(ctx-list -1 | sort | tail -1)
		for f in claude-code opencode pi; do
			ctx-show -s "$sid" -f openai >shown
			ctx-show -s "$sid" -f $f 2>/dev/null >out
			ctx-import -q -f $f out >back
			ctx-import -q -f anthropic <(ctx-show -s "$sid" -f anthropic) >plain
			same_talk plain back >d || { echo "$file $f"; head -5 d; bad=1; }
			n=$((n + 1))
		done
	done
	[ -z "${bad:-}" ]
	[ "$n" -ge 20 ]
}

@test '--install writes the file where the tool looks for it and never overwrites a file' {
	made | ctx-append -q --create
	export HOME=$PWD/home
	unset CLAUDE_CONFIG_DIR CODEX_HOME PI_CODING_AGENT_DIR
	f=$(ctx-show -s made -f claude-code --install)
	[[ $f == "$HOME/.claude/projects/-srv-it-s-here/"*.jsonl ]]
	[ "$(stat -c %a "$f")" = 600 ]
	[ "$(head -1 "$f" | jq -r .sessionId)" = "$(basename "$f" .jsonl)" ]
	cp "$f" before
	run -1 ctx-show -s made -f claude-code --install
	[[ $output == *'already exists and is not replaced'* ]]
	cmp "$f" before
	CODEX_HOME=$PWD/cx ctx-show -s made -f codex --install --directory /elsewhere >path
	[[ $(cat path) == "$PWD/cx/sessions/2026/05/01/rollout-2026-05-01T10-00-00-"*.jsonl ]]
	[ "$(head -1 "$(cat path)" | jq -r .payload.cwd)" = /elsewhere ]
	ctx-show -s made -f gemini-cli --install >path
	[ "$(cat "$(dirname "$(dirname "$(cat path)")")/.project_root")" = "/srv/it's here" ]
	# the tool already has a directory for the project
	mkdir -p gem/.gemini/tmp/its-1 gem/.gemini/tmp/other
	echo '/srv/other' >gem/.gemini/tmp/other/.project_root
	echo "/srv/it's here" >gem/.gemini/tmp/its-1/.project_root
	GEMINI_CLI_HOME=$PWD/gem ctx-show -s made -f gemini-cli --install >path
	[[ $(cat path) == "$PWD/gem/.gemini/tmp/its-1/chats/session-2026-05-01T10-00-"*.json ]]
	[ -s "$(cat path)" ]
	ctx-show -s made -f pi --install --directory '/srv/a_b.c d' >path
	[[ $(cat path) == "$HOME/.pi/agent/sessions/--srv-a_b.c d--/"*.jsonl ]]
	[ -s "$(cat path)" ]
	run -2 ctx-show -s made -f goose --install
	[[ $output == *'goose session import'* ]]
	run -2 ctx-show -s made -f atif --install
	run -2 ctx-show -s made -f markdown --install
	run -2 ctx-show -s made -f pi --directory relative
	run -2 ctx-show -s made --directory /x
	# ctx-import --sync finds the installed file
	ctx-import --sync claude-code -q >/dev/null
	ctx-list -1 | grep -q "$(basename "$f" .jsonl)"
}

@test 'exported sessions have ascending times, a provider that fits the model, and a current lastUpdated time' {
	made | ctx-append -q --create
	export CTX_NOW=2026-11-01T00:00:00Z
	# a message without a time gets the time of storing, which is later than that of the next message
	ctx-show -s made -f opencode 2>/dev/null | jq -e '[.messages[].info.time.created] | . == sort' >/dev/null
	ctx-show -s made -f claude-code 2>/dev/null | jq -s -e '[.[].timestamp | strings] | . == sort' >/dev/null
	ctx-show -s made -f codex | jq -s -e '.[0].payload | has("model_provider") | not' >/dev/null
	ctx-show -s made -f gemini-cli 2>/dev/null | jq -r .lastUpdated | same - 2026-11-01T00:00:00.000Z
	for model in claude-sonnet-4-5 gpt-5.4 gemini-2.5-pro deepseek-chat nobody-knows; do
		ctx-append -q -s made <<<'{"kind":"message","session_id":"made","message":{"role":"assistant","content":"x"},"metadata":{"model":"'$model'"}}'
		ctx-show -s made -f opencode 2>/dev/null | jq -r '.messages[0].info.model.providerID'
	done | xargs | same - 'anthropic openai google deepseek ctx'
}

@test 'a session that is continued in two tools is imported as two sessions' {
	made | ctx-append -q --create
	for f in claude-code gemini-cli pi codex; do
		ctx-show -s made -f $f 2>/dev/null >out.$f
		ctx-import -q -f $f out.$f
	done | jq -c 'select(.kind == "session").session_id' | sort -u | wc -l | same - 4
	ctx-import -q out.* | ctx-append -q --create
}

@test 'a title is exported only if the session has a title' {
	made | ctx-append -q --create
	ctx-show -s made -f pi 2>/dev/null | jq -r 'select(.type == "session_info").name' | same - 'A "quoted" title'
	ctx-show -s made -f gemini-cli 2>/dev/null | jq -r .summary | same - 'A "quoted" title'
	ctx-show -s made -f claude-code 2>/dev/null | tail -n 1 | jq -r .customTitle | same - 'A "quoted" title'
	ctx-append -q --create <<<'{"kind":"message","session_id":"bare","message":{"role":"user","content":"Hi"}}'
	for f in pi gemini-cli claude-code; do ctx-show -s bare -f $f; done | grep -e session_info -e '"summary"' -e custom-title && return 1
	true
}

@test 'exporting a session without messages is an error, and the other sessions are still exported' {
	ctx-new -1 --id empty >/dev/null
	made | ctx-append -q --create
	run -1 ctx-show -s empty -f pi
	[[ $output == *'no message'* ]]
	printf 'empty\nmade\n' | ctx-show -f pi >out 2>/dev/null && return 1
	grep -q 'Thanks' out
}
