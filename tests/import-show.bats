# Transcripts are exported with ctx-show and imported again with ctx-import. The lost data is exactly
# what the table in ctx-import(1) lists.
load helper

F=$BATS_TEST_DIRNAME/fixtures/import
FORMATS='openai anthropic gemini responses interactions sharegpt'

setup() {
	isolate
	[ -x "$CTX_BIN/ctx-import" ] || skip 'built without libjq'
}

# Prints a session with all data that at least one format can represent.
everything() {
	cat <<-'E'
		{"kind":"session","session_id":"all","title":"Everything","created_at":"2026-01-01T00:00:00.000Z","user_id":"ann","agent":"tester","metadata":{"k":1.0}}
		{"kind":"message","session_id":"all","id":"one","created_at":"2026-01-01T00:00:01.000Z","metadata":{"n":1},"message":{"role":"system","content":"be brief"}}
		{"kind":"message","session_id":"all","id":"two","created_at":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":[{"type":"text","text":"look: é \u0041 <&>"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}}
		{"kind":"message","session_id":"all","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s1"},{"type":"text","text":"I call"},{"type":"tool_use","id":"call_1","name":"get","input":{"n":12345678901234567890,"x":1.50}},{"type":"tool_use","id":"call_2","name":"put","input":{}}]}}
		{"kind":"message","session_id":"all","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"fine"},{"type":"tool_result","tool_use_id":"call_2","content":"no disk","is_error":true}]}}
		{"kind":"message","session_id":"all","message":{"role":"assistant","content":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"},{"type":"text","text":"done","item_id":"msg_1"}]}}
		{"kind":"message","session_id":"all","message":{"role":"user","content":"thanks"}}
		{"kind":"message","session_id":"all","message":{"role":"assistant","content":[{"type":"thought","text":"so","thoughtSignature":"t1"},{"type":"text","text":"bye"}]}}
		{"kind":"message","session_id":"all","message":{"role":"user","name":"bob","content":"and?"}}
	E
}

# Prints tool results with images, one of them failed.
pictures() {
	cat <<-'E'
		{"kind":"message","session_id":"shots","message":{"role":"assistant","content":[{"type":"tool_use","id":"call_3","name":"shot","input":{}},{"type":"tool_use","id":"call_4","name":"shot","input":{}}]}}
		{"kind":"message","session_id":"shots","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_3","is_error":true,"content":[{"type":"text","text":"blank"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoA"}}]},{"type":"tool_result","tool_use_id":"call_4","content":[{"type":"text","text":"seen"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoB"}}]}]}}
	E
}

# things SID: prints the data of a session, one line for each kind of data.
things() {
	ctx-show -s "$1" | jq -rs '
	def blocks: .content | if type == "array" then .[] else empty end;
	[.[] | select(.kind == "message")] as $all | [$all[].message] as $m
	| (.[0] | "title \(.title)", "session-time \(.created_at)", "owner \(.user_id) \(.agent)"),
	"message-ids \([$all[].id | select(startswith("all/") | not)] | index("two") != null)",
	"message-times \([$all[].created_at] | index("2026-01-01T00:00:02.000Z") != null)",
	"metadata \([$all[].metadata // {} | .n // empty])",
	"text \([$m[] | .role as $r | select($r != "tool") | if (.content | type) == "string" then .content
	  else ([blocks | select(.type == "text").text] | if . == [] then empty else join("|") end) end])",
	"calls \([$m[] | (.tool_calls // [])[].function | .name, (.arguments | fromjson | tostring)]
	  + [$m[] | blocks | select(.type == "tool_use") | .name, (.input | tostring)])",
	"results \([$m[] | if .role == "tool" then .content else blocks | select(.type == "tool_result").content end
	  | sub("^Error: "; "")])",
	"call-ids \([$m[] | .tool_call_id // empty, (blocks | select(.type == "tool_result").tool_use_id)])",
	"error-mark \([$m[] | blocks | select(.is_error == true)] | length)",
	"images \([$m[] | blocks | select(.type == "image" or .type == "image_url") | tostring | contains("iVBORw0KGgo=")])",
	"thinking-anthropic \([$m[] | blocks | select(.type == "thinking").signature])",
	"thinking-gemini \([$m[] | blocks | select(.type == "thought").thoughtSignature])",
	"reasoning-responses \([$m[] | blocks | select(.type == "reasoning").encrypted_content])",
	"speaker \([$m[].name // empty])"'
}

# trip FORMAT SID: exports the session in this format and imports it into a new store.
trip() {
	ctx-show -s "$2" -f "$1" >"$1.out"
	ctx-import -q -f "$1" "$1.out" | ctx-append -S "$1.db" --create >/dev/null
}

@test 'exporting to a format loses only the data that the manual page lists' {
	{ everything; pictures; } | ctx-append --create >/dev/null
	things all >before
	for f in $FORMATS; do
		trip "$f" all
		CTX_STORE=$f.db things all >after
		lost=$(diff before after | sed -n 's/^< \([^ ]*\) .*/\1/p' | paste -sd' ')
		trip "$f" shots
		CTX_STORE=$f.db ctx-show -s shots >shots
		grep -q iVBORw0KGgoA shots || lost+=' error-images'
		grep -q iVBORw0KGgoB shots || lost+=' result-images'
		echo "$f	$lost"
	done >got
	sed -n '/losses: begin/,/losses: end/s/^\.It \([a-z]*\) Ta \(.*\)/\1	\2/p' "$ROOT/man/ctx-import.1" >want
	diff -u want got
}

@test 'the records of ctx-show restore a session and its messages, and an archive restores everything' {
	everything | ctx-append --create >/dev/null
	for i in 1 2 3; do
		ctx-append -q -s all -t "question $i"
		ctx-append -q -s all -t "answer $i" --role assistant
	done
	ctx-prune --apply -s all --keep-turns 2 >/dev/null
	ctx-show -s all >first
	ctx-append -q --create -S copy.db first
	ctx-show -S copy.db -s all >second
	said() {
		jq -c 'if .kind == "session" then {session_id, title, user_id, agent, metadata, created_at, parent_session_id}
			elif .kind == "message" then del(.token_count, .tokenizer, .message_type) else empty end' "$1"
	}
	said first >want
	said second | cmp want -
	for f in first second; do sed -n '/"kind":"message"/s/.*"message":\({.*}\)}$/\1/p' $f >$f.said; done
	cmp first.said second.said
	grep -q '^{"kind":"hidden"' first
	[ "$(jq -c 'select(.kind != "session" and .kind != "message")' second)" = '' ]
	ctx-archive -q -s all --to archive >/dev/null
	ctx-archive -q --restore --store back.db archive/*/*/all.ndjson.gz >/dev/null
	ctx-show -S back.db -s all | jq -c 'select(.kind == "hidden" or .kind == "message")' >third
	jq -c 'select(.kind == "hidden" or .kind == "message")' first | cmp - third
	status 3 ctx-import first 2>err >out
	[ ! -s out ]
	grep -q 'ctx-append' err
}

@test 'numbers in arguments survive every format that has calls' {
	everything | ctx-append --create >/dev/null
	for f in openai anthropic gemini responses interactions; do
		trip "$f" all
		CTX_STORE=$f.db ctx-show -s all | grep -q '12345678901234567890' || { echo "$f"; false; }
		CTX_STORE=$f.db ctx-show -s all | grep -q '1\.50' || { echo "$f"; false; }
	done
}

@test 'real transcripts give the same result after a second export and import' {
	ctx-import -q "$F"/*.json* "$F"/*.traj | ctx-append --create >/dev/null
	for sid in $(ctx-list -1 | grep -v '^test-legacy'); do
		for f in $FORMATS; do
			ctx-show -s "$sid" -f "$f" >one
			rm -f two.db*
			ctx-import -q -f "$f" one | ctx-append -S two.db --create >/dev/null
			ctx-show -S two.db -s "$sid" -f "$f" | cmp - one || { echo "$sid as $f"; false; }
		done
	done
}

# The last message of each imported transcript is from the user, so that a request can be rendered.
@test 'imported transcripts can be sent to any provider' {
	everything | ctx-append --create >/dev/null
	for f in $FORMATS; do
		trip "$f" all
		for p in openai anthropic gemini responses interactions; do
			ctx-window -S "$f.db" -s all | ctx-render -p "$p" >body
			ctx-lint -p "$p" body >/dev/null || { echo "$f to $p"; cat body; false; }
		done
	done
}

@test 'ctx-show prints one line per session in formats of request bodies and training data' {
	everything | ctx-append --create >/dev/null
	[ "$(ctx-show -s all -f openai | jq -r '.session_id + " " + (.messages[0].role)')" = 'all system' ]
	[ "$(ctx-show -s all -f anthropic | jq -r '.system[0].text // .system')" = 'be brief' ]
	[ "$(ctx-show -s all -f gemini | jq -r '.contents[0].role')" = user ]
	[ "$(ctx-show -s all -f responses | jq -r '.input[1].role')" = user ]
	ctx-show -s all -f sharegpt | jq -c '[.id, (.conversations | length), .conversations[-1].from]' |
		same - '["all",7,"human"]'
	ctx-show -s all -f markdown | head -1 | same - '# Everything'
	status 2 ctx-show -s all -f nosuch 2>err
	# a session with a call that waits for its result can be exported
	echo '{"role":"assistant","content":[{"type":"tool_use","id":"open","name":"f","input":{}}]}' |
		ctx-append -q --create -s open
	for f in $FORMATS markdown html; do
		ctx-show -s open -f "$f" >/dev/null || { echo "$f"; false; }
	done
}

@test 'sharegpt: user text beside a result is kept' {
	{
		echo '{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}'
		echo '{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"},{"type":"text","text":"why?"},{"type":"text","text":"so"}]}'
		echo '{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"}]}'
	} | ctx-append -q --create -s x
	ctx-show -s x -f sharegpt | jq -c .conversations | same - '[{"from":"human","value":"why?\nso"}]'
}

@test 'html: one page, everything escaped, nothing loaded' {
	{
		echo '{"kind":"session","session_id":"x","title":"<script>alert(1)</script>"}'
		echo '{"kind":"message","session_id":"x","message":{"role":"user","name":"\"><b>","content":"</style><script>alert(2)</script>\u0000 & \u001b[1m"}}'
		echo '{"kind":"message","session_id":"x","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"<i>","input":{"a":"<img src=x onerror=alert(3)>"}},{"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"PHN2Zz4="}},{"type":"image","source":{"type":"url","url":"javascript:alert(4)"}},{"type":"<u>","x":1}]}}'
		echo '{"kind":"message","session_id":"x","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"<plaintext>","is_error":true}]}}'
	} | ctx-append --create >/dev/null
	ctx-show -s x -f html >page.html
	! grep -qiE '<script|<i>|<b>"|<u>|<plaintext|<img src="?(x|http|javascript)|href="?http|url\(|@import|<link' page.html ||
		{ grep -niE '<script|<i>|<u>|<plaintext' page.html; false; }
	grep -q '&lt;script&gt;alert(2)&lt;/script&gt;' page.html
	grep -q '<details class="bad"><summary>Error' page.html
	[ "$(grep -c '<html' page.html)" = 1 ]
	# every HTML element is closed
	for t in details article section pre summary ul figure main body html header p; do
		[ "$(grep -oE "<${t}[ >]" page.html | wc -l)" = "$(grep -o "</$t>" page.html | wc -l)" ] || { echo "$t"; false; }
	done
}

@test 'html: each turn shows its tokens, and each answer shows the texts that were added to its request' {
	ctx-append -q --create -s s -t 'first question'
	ctx-append -q -s s -t "$(head -c 3000 /dev/zero | tr '\0' 'w')" --role assistant
	ctx-append -q -s s -t 'second question'
	ctx-window -s s -p anthropic -b 400 | ctx-render -p anthropic --request req.json >/dev/null
	ctx-append -q --request req.json <"$BATS_TEST_DIRNAME/fixtures/answers/anthropic-text.json"
	ctx-show -s s -f html >page.html
	[ "$(grep -c '<section id="t' page.html)" = 2 ]
	[ "$(grep -o '<rect' page.html | wc -l)" = 2 ]
	[ "$(grep -c 'class="context"' page.html)" = 1 ]
	grep -q 'Context used: .* tokens of 400 <meter' page.html
	grep -q '<li class="out">without message' page.html
}

@test 'html: an addition has its tokens, and a shortened message is not shown as left out' {
	ctx-append -q --create -s s -t "What about cats? $(head -c 3000 /dev/zero | tr '\0' 'w')"
	ctx-item define -q <<<'{"kind":"item","type":"rule","name":"r","include":"agent","description":"about cats","content":"Never feed cats."}'
	ctx-window -s s -p anthropic | ctx-enrich -q | ctx-prune --strategy truncate --max-chars 100 |
		ctx-render -p anthropic --request req.json >/dev/null
	ctx-append -q --request req.json <"$BATS_TEST_DIRNAME/fixtures/answers/anthropic-text.json"
	ctx-show -s s -f html >page.html
	n=$(jq '.messages[] | select(.source.name == "r").token_count' req.json)
	grep -q "<li>rule r, $n tokens</li>" page.html
	grep -q '<li class="out">message <a href="#m1">1</a>: truncated</li>' page.html
}

@test 'html: the page works in a narrow and a wide browser' {
	chromium=$(command -v chromium || command -v chromium-browser) || skip 'no Chromium'
	ctx-import -q "$F/spotter_tool_heavy.jsonl" | ctx-append --create >/dev/null
	ctx-show -s "$(ctx-list -1)" -f html >page.html
	timeout 60 "$chromium" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$PWD/profile" --dump-dom "file://$PWD/page.html" >dom 2>/dev/null || skip 'Chromium does not start'
	[ "$(grep -o '<article' dom | wc -l)" = 17 ]
	grep -q '</main>' dom
	for w in 360 1400; do
		timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
			--window-size=$w,900 --screenshot="$PWD/$w.png" "file://$PWD/page.html" 2>/dev/null
		[ "$(wc -c <$w.png)" -gt 10000 ]
	done
}

@test 'html: several sessions are one page with a table of contents' {
	ctx-append -q --create -s a -t one
	ctx-append -q --create -s b -t two
	ctx-append -q -s b -t three
	ctx-list | ctx-show -f html >page.html
	[ "$(grep -c '<html' page.html)" = 1 ]
	grep -q '<title>2 sessions</title>' page.html
	grep -q '<li><a href="#s2">b</a></li>' page.html
	[ "$(grep -c '<h1 id=' page.html)" = 2 ]
	# every id in the page is unique
	[ -z "$(grep -o 'id="[^"]*"' page.html | sort | uniq -d)" ]
	grep -q '>1</b> message<\|>1 message<' page.html
	ctx-show -s a -f html >page.html
	grep -q '<title>a</title>' page.html
	run ! grep -q '<nav>' page.html
}

@test 'a session that the format cannot represent is reported, and the others follow' {
	ctx-append -q --create -s a -t one
	ctx-append -q --create -s b <<<'{"role":"tool","content":"x"}'
	ctx-append -q --create -s c -t three
	status 1 ctx-show -s a -s b -s c -f anthropic >out 2>err
	jq -r .session_id out | paste -sd' ' | same - 'a c'
	grep -q "session 'b': " err
}

@test 'text and Markdown label a tool result as a tool message' {
	ctx-append -q --create -s a <<-'X'
		{"role":"user","content":"go"}
		{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"r"}]}
	X
	ctx-show -s a -f markdown | grep '^## ' | cut -d' ' -f2 | paste -sd' ' | same - 'User Assistant Tool'
	ctx-window -s a | ctx-render -p text | grep -E '^[a-z]+ ?.*:$' | cut -d' ' -f1 | tr -d : | paste -sd' ' | same - 'user assistant tool'
}
