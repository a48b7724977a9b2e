# ctx-import --sync, --sources, --append and directories: new sessions and messages of installed tools are
# stored.
load helper

A=$BATS_TEST_DIRNAME/fixtures/agents
F=$BATS_TEST_DIRNAME/fixtures/import

setup() {
	isolate
	[ -x "$CTX_BIN/ctx-import" ] || skip 'built without libjq'
	unset CTX_NOW
}

# Creates the session directories of three tools.
tools() {
	mkdir -p "$HOME/.claude/projects/p" "$HOME/.copilot/session-state/x" "$XDG_DATA_HOME/opencode"
	cp "$F/spotter_short.jsonl" "$HOME/.claude/projects/p/a.jsonl"
	cp "$A/copilot/cli_schema_drift.jsonl" "$HOME/.copilot/session-state/x/events.jsonl"
	cp "$A/opencode/v1/opencode.db" "$XDG_DATA_HOME/opencode/opencode.db"
}

@test '--sync finds the session files of installed agents and stores new sessions and messages' {
	tools
	ctx-import --sources | jq -c '[.kind, .format, .files]' | same - '["source","claude-code",1]
["source","copilot",1]
["source","opencode",1]'
	ctx-import --sync >out 2>err
	jq -c '[.format, .files, .read, .new, .present, .refused]' out | same - '["claude-code",1,1,5,0,0]
["copilot",1,1,3,0,0]
["opencode",1,1,56,0,0]'
	same - 'ctx-import: 3 files found, 3 read
ctx-import: 64 new messages, 0 already stored, 0 refused' <err
	ctx-stats | jq -c '[.sessions_active, .messages]' | same - '[7,64]'
	# unchanged files are not opened
	chmod 0 "$HOME/.claude/projects/p/a.jsonl" "$XDG_DATA_HOME/opencode/opencode.db"
	ctx-import --sync >out 2>err
	[ ! -s out ]
	head -n 1 err | same - 'ctx-import: 3 files found, 0 read'
	chmod 600 "$HOME/.claude/projects/p/a.jsonl" "$XDG_DATA_HOME/opencode/opencode.db"
	# sessions that a tool deleted stay in the store
	rm -r "$HOME/.copilot"
	ctx-import -q --sync
	ctx-stats | jq -c .messages | same - 64
	# a second store gets all messages; only the named tools are read
	ctx-import -q --sync -S other.db claude-code | jq -c '[.format, .new]' | same - '["claude-code",5]'
	status 2 ctx-import --sync nothere
	status 2 ctx-import --sync -f claude-code
}

@test 'a file that grows is read from where the last run stopped' {
	tools
	ctx-import -q --sync claude-code >out
	file=$HOME/.claude/projects/p/a.jsonl
	line=$(grep -m 1 '"type":"user"' "$file" | jq -c '.uuid = "new-1" | .message.content = "more"')
	# the beginning of the file is overwritten, which shows that it is not read again
	size=$(stat -c %s "$file")
	{ head -c "$((size - 1))" /dev/zero | tr '\0' x; printf '\n%s\n%s' "$line" "${line:0:50}"; } >grown
	cat grown >"$file"
	ctx-import --sync claude-code 2>err | jq -c '[.new, .present]' | same - '[1,0]'
	# an incomplete line is imported when it is complete
	printf '%s\n' "${line:50}" | sed 's/new-1/new-2/; s/more/and more/' >>"$file"
	ctx-import --sync claude-code 2>err | jq -c '[.new, .present]' | same - '[1,0]'
	! grep -q 'not a JSON' err || return 1
	# a file that was replaced is read from its beginning
	rm "$file"
	cp "$F/spotter_short.jsonl" "$file"
	ctx-import -q --sync claude-code | jq -c '[.new, .present]' | same - '[0,5]'
}

@test 'a message that may still grow is stored after its file stopped changing' {
	mkdir -p "$HOME/.claude/projects/p"
	file=$HOME/.claude/projects/p/b.jsonl
	piece() {
		echo '{"type":"assistant","sessionId":"s","uuid":"u'$1'","timestamp":"2026-01-01T00:00:0'$1'Z","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"'$2'"}],"usage":{"input_tokens":1,"output_tokens":'$1'}}}'
	}
	echo '{"type":"user","sessionId":"s","uuid":"u0","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"go"}}' >"$file"
	piece 1 one >>"$file"
	ctx-import -q --sync | jq -c .new | same - 1
	piece 2 two >>"$file"
	ctx-import -q --sync >out
	touch -d '1 hour ago' "$file"
	ctx-import -q --sync | jq -c '[.new, .refused]' | same - '[1,0]'
	ctx-show -s s | jq -c 'select(.kind == "message") | .message.content' | same - '"go"
[{"type":"text","text":"one"},{"type":"text","text":"two"}]'
}

@test 'the last message of a finished file is stored after the file stopped changing' {
	mkdir -p "$HOME/.claude/projects/p"
	for i in 1 2 3; do
		echo '{"type":"assistant","sessionId":"s'$i'","uuid":"u","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"the end"}]}}' \
			>"$HOME/.claude/projects/p/$i.jsonl"
	done
	ctx-import -q --sync | jq -c '[.files, .read, .new]' | same - '[3,3,0]'
	[ -z "$(ctx-import -q --sync)" ]
	export CTX_NOW=2036-01-01T00:00:00Z
	ctx-import -q --sync | jq -c '[.files, .read, .new]' | same - '[3,3,3]'
	[ -z "$(ctx-import -q --sync)" ]
}

@test 'two runs of --sync at the same time store each message once' {
	tools
	ctx-import -q --sync >one &
	ctx-import -q --sync >two || :
	wait
	ctx-import -q --sync >three
	ctx-stats | jq -c '[.sessions_active, .messages]' | same - '[7,64]'
}

@test '--append imports whole directories into the store and skips files of unknown formats' {
	mkdir -p dir/deep dir/.git
	cp "$A/copilot/cli_schema_drift.jsonl" dir/deep/events.jsonl
	cp "$A/goose/sessions_v15.db" dir
	cp "$A/copilot/cli_schema_drift.jsonl" dir/.git/x.jsonl
	echo 'no transcript' >dir/README
	ctx-import --append dir >out 2>err
	[ ! -s out ]
	tail -n 1 err | same - 'ctx-import: 13 new messages, 0 already stored, 0 refused'
	ctx-import --append dir 2>&1 | tail -n 1 | same - 'ctx-import: 0 new messages, 13 already stored, 0 refused'
	ctx-import -q dir | grep -c '"kind":"message"' | same - 13
	# an existing message with different bytes is refused
	echo '{"session_id":"s1","messages":[{"role":"user","content":"one"}]}' >a.json
	ctx-import -q --append a.json
	sed -i s/one/two/ a.json
	status 3 ctx-import -q --append a.json 2>err
	grep -q "record id 'm1' is already used by a different message" err
	ctx-import -q --append --tenant t -S t.db dir
	ctx-list -S t.db | jq -r .tenant_id | sort -u | same - t
}
