# ctx-redact(1)
load helper

F=$BATS_TEST_DIRNAME/fixtures/redact

# Prints each sample secret in every kind of message. Input: lines of text separated by tabs.
# Output: messages, whose ids contain the rule (or a description) and the kind.
forms() {
	jq -Rc 'split("\t") as $f
		| (if $f[2] != null then {id: $f[0], secret: ($f[1] + $f[2]), context: ($f[3] // "")}
		   else {id: $f[0], secret: $f[1], context: "§"} end)
		| .context |= (if . == "" or test("^as JSON") then "§" else . end)
		| .secret |= (if startswith("-----BEGIN") then gsub("\\\\n"; "\n") else . end)
		| . as $s | (.secret | length / 2 | floor) as $half
		| ($s.context | split("§")) as $c
		| ($c | join($s.secret)) as $text
		| ($c | join("\u001b[32m" + $s.secret[:$half] + "\u001b[1;31m" + $s.secret[$half:] + "\u001b[0m")) as $coloured
		| {role: "user"} as $user
		| ({plain: ($user + {content: $text}),
		    twice: ($user + {content: ({out: ({x: $text} | tojson)} | tojson)}),
		    coloured: ($user + {content: $coloured}),
		    "coloured-twice": ($user + {content: ({x: $coloured} | tojson)}),
		    argument: {role: "assistant", content: null, tool_calls: [{id: "call_1", type: "function",
		      function: {name: "run", arguments: ({command: ("x " + $text)} | tojson)}}]},
		    input: {role: "assistant", content: [{type: "tool_use", id: "toolu_1", name: "run", input: {command: $text}}]},
		    url: ($user + {content: "see https://x.example/a?token=\($s.secret | @uri)&v=3"}),
		    "url-whole": ($user + {content: "see https://x.example/a?q=\($text | @uri)&v=3"})}
		  | to_entries[]
		  | {kind: "message", session_id: "s", id: "\($s.id):\(.key)", message: .value})' "$1"
}

@test 'every kind of secret is found in every form, and the rest of a record is unchanged' {
	forms "$F/positive.tsv" >in
	[ "$(wc -l <in)" = 376 ]
	ctx-redact --report report in >out
	# the placeholder names the rule for the secret
	jq -r '.id as $id | ($id | split(":")[0]) as $rule
		| select(tojson | contains("[REDACTED:" + $rule + "]") | not) | $id' out | same /dev/null
	# all other members of the records are unchanged
	diff <(jq -c 'del(.message.content, .message.tool_calls)' in) <(jq -c 'del(.message.content, .message.tool_calls)' out)
	[ "$(jq -s length report)" -ge 376 ]
	# no part of a secret is left
	cut -f 3 "$F/positive.tsv" | cut -c 4-24 | grep -v 'VATE KEY' | grep -Fc -f - out | same - 0
	# a second run changes nothing
	ctx-redact out | cmp out -
	ctx-redact --check out
}

@test 'text that only looks like a secret is unchanged' {
	forms "$F/negative.tsv" >in
	ctx-redact --report report in | cmp in -
	[ ! -s report ]
	ctx-redact --check in
}

@test 'passwords and keys are recognized by the words before them' {
	forms "$F/more-positive.tsv" | jq -c 'select(.id | endswith(":url") | not)' >in
	ctx-redact in >out
	jq -r '.id as $id | ($id | split(":")[0]) as $rule
		| select(tojson | contains("[REDACTED:" + $rule + "]") | not) | $id' out | same /dev/null
	cut -f 3 "$F/more-positive.tsv" | grep -Fc -f - out | same - 0
	forms "$F/more-negative.tsv" | jq -c 'select(.id | endswith(":url") | not)' >in
	ctx-redact --report report in | cmp in -
	[ ! -s report ]
}

@test 'ctx-redact does not change signatures, encrypted reasoning, ids, digests and images' {
	secret=$(sed -n 's/^aws-access-key-id\t\([^\t]*\)\t\([^\t]*\).*/\1\2/p' "$F/positive.tsv")
	[ ${#secret} = 20 ]
	cat >in <<-E
		{"kind":"message","session_id":"$secret","id":"$secret","message":{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"EqQBCgIYAhIM2oNRTKqBVDvL6q5fhZOo65fZWNXDJep52aGhAi/$secret/YW3bqDmvc82"},{"type":"redacted_thinking","data":"$secret"},{"type":"tool_use","id":"$secret","name":"f","input":{}},{"type":"text","text":"x","thoughtSignature":"$secret"}]}}
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"$secret","content":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"$secret"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBOR/$secret/+"}}]}
		{"role":"assistant","content":[{"type":"reasoning","id":"$secret","encrypted_content":"$secret"}]}
	E
	ctx-redact in | cmp in -
	# also if a text contains this JSON
	jq -c '{role: "user", content: (.message // . | tojson | gsub("\"(?:id|data|tool_use_id|encrypted_content|thoughtSignature)\":\"[^\"]*\""; "\"x\":1"))}' in >text
	ctx-redact text | cmp text -
	# the same secret in a text is replaced
	sed 's/"thinking":"x"/"thinking":"'"$secret"'"/' in | ctx-redact | grep -c 'thinking":"\[REDACTED:aws-access-key-id\]"' | same - 1
}

@test 'numbers, duplicate keys and escapes around a secret keep their bytes' {
	key=$(sed -n 's/^groq\t\([^\t]*\)\t\([^\t]*\).*/\1\2/p' "$F/positive.tsv")
	echo '{"role":"user","n":12345678901234567890,"k":1.0,"k":1e400,"content":"\u00e9\/ '"$key"' \ud83d\ude00 é\n"}' >in
	ctx-redact in | same - '{"role":"user","n":12345678901234567890,"k":1.0,"k":1e400,"content":"\u00e9\/ [REDACTED:groq] \ud83d\ude00 é\n"}'
}

@test '--report and --check work, and the same secret gets the same placeholder' {
	p=$(sed -n 's/^generic-password\t\([^\t]*\)\t\([^\t]*\).*/\1\2/p' "$F/positive.tsv")
	jq -nc --arg p "$p" '{kind: "message", session_id: "s", seq: 3, id: "m", message: {role: "user", content: [{type: "text", text: "the password \"\($p)\""}, {type: "text", text: "db://shop:\($p)@db"}]}}' >in
	ctx-redact --report report in >out
	[ "$(grep -o 'REDACTED:generic-password' out | wc -l)" = 2 ]
	jq -c '[.kind, .rule, .file, .line, .session_id, .seq, .id, .path]' report | same - \
'["finding","generic-password","in",1,"s",3,"m","message.content[0].text"]
["finding","generic-password","in",1,"s",3,"m","message.content[1].text"]'
	run ! grep -qF "$p" report
	[ "$(jq -r .hash report | uniq)" = "$(printf %s "$p" | sha256sum | cut -c 1-16)" ]
	status 1 ctx-redact --check in >out 2>err
	[ ! -s out ]
	grep -qx 'ctx-redact: 2 secrets found' err
	echo '{"role":"user","content":"none"}' | ctx-redact --check
	echo oops | status 3 ctx-redact 2>err
}

@test '--raw replaces secrets in plain text' {
	printf 'TOKEN=%s\n' "$(sed -n 's/^npm\t\([^\t]*\)\t\([^\t]*\).*/\1\2/p' "$F/positive.tsv")" >env
	ctx-redact --raw env | same - 'TOKEN=[REDACTED:npm]'
	printf '\033[1mno newline' | ctx-redact --raw | od -c | same <(printf '\033[1mno newline' | od -c)
}

@test 'rules of the user are added, replaced or allowed, and bad rules are reported' {
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	cat >"$XDG_CONFIG_HOME/ctx/redact.rules" <<-'E'
		# ours
		our-key  2  our_  our_[0-9a-f]{8}
		npm      2  npm_  npm_never
		allow    ^our_0000
	E
	npm=$(sed -n 's/^npm\t\([^\t]*\)\t\([^\t]*\).*/\1\2/p' "$F/positive.tsv")
	echo "{\"role\":\"user\",\"content\":\"our_12345678 our_00001234 $npm\"}" >in
	ctx-redact in | same - "{\"role\":\"user\",\"content\":\"[REDACTED:our-key] our_00001234 $npm\"}"
	echo 'mine 0 our_ our_0000[0-9]+' >mine
	echo 'other 2v words words=(\S+)' >>mine
	CTX_REDACT_RULES=mine ctx-redact in | same - "{\"role\":\"user\",\"content\":\"[REDACTED:our-key] our_00001234 $npm\"}"
	for bad in 'Bad 0 xx xx' 'a x xx xx' 'a 0 xx (' 'a 0 x x' 'a 0 xx' 'allow'; do
		printf '\n%s\n' "$bad" >bad
		status 2 ctx-redact --redact-rules bad in >out 2>err
		grep -q '^ctx-redact: bad: line 2: ' err || { echo "$bad"; cat err; false; }
	done
}

@test '--redact keeps secrets out of append, import and show' {
	key=$(sed -n 's/^github-pat\t\([^\t]*\)\t\([^\t]*\).*/\1\2/p' "$F/positive.tsv")
	echo "{\"role\":\"user\",\"content\":\"it is $key\"}" >in
	ctx-append --redact --create -s a in >out
	ctx-append --redact -s a -t "or $key" >>out
	echo "$key" | CTX_REDACT=true ctx-append -s a --raw >>out
	printf '{"choices":[{"message":{"role":"assistant","content":"ok, %s"}}]}' "$key" |
		ctx-append --redact -s a -p openai >>out
	[ "$(grep -c 'REDACTED:github-pat' out)" = 4 ]
	ctx-show -s a | grep -c "REDACTED" | same - 4
	[ "$(ctx-show -s a | grep -cF "$key")" = 0 ]
	run ! grep -aF "$key" "$CTX_STORE"*
	# ctx-import, by config.json
	mkdir -p "$XDG_CONFIG_HOME/ctx"
	echo '{"redact":true}' >"$XDG_CONFIG_HOME/ctx/config.json"
	[ "$(ctx-import -q in | grep -cF "$key")" = 0 ]
	rm "$XDG_CONFIG_HOME/ctx/config.json"
	# ctx-show, for a stored secret
	ctx-append -q --create -s b in
	ctx-show -s b | grep -qF "$key"
	for f in ndjson openai markdown html; do
		ctx-show --redact -s b -f $f >out
		grep -q 'REDACTED:github-pat' out
		! grep -F "$key" out
	done
	status 2 ctx-show --redact --request r 2>err
}

@test 'ctx-archive --redact writes archives without secrets, and the store can still use these archives' {
	key=$(sed -n 's/^github-pat\t\([^\t]*\)\t\([^\t]*\).*/\1\2/p' "$F/positive.tsv")
	for s in a b; do
		ctx-append -q --create -s $s -t "it is $key"
		ctx-append -q -s $s --role assistant -t "thank you for $key"
	done
	ctx-archive -q --redact -s a --to pl --snapshot >/dev/null
	ctx-append -q -s a -t 'and more'
	ctx-archive -q --redact -s a --to pl --snapshot >/dev/null
	ctx-archive -q --redact --jobs 2 -s b --to pl --cleanup --forget >/dev/null
	[ "$(find pl -type f -exec zcat {} + | grep -cF "$key")" = 0 ]
	[ "$(ctx-archive --cat --to pl | grep -c 'REDACTED:github-pat')" = 4 ]
	ctx-archive --cat --to pl | jq -se '[.[] | select(.kind == "session").archive.redacted] == [true, true]'
	ctx-archive -q --verify --to pl >/dev/null
	# the store still contains the secret, and messages of the cleaned-up session come from the archive
	ctx-show -s a | grep -qF "$key"
	ctx-window -s b | grep -q 'REDACTED:github-pat'
	ctx-archive -q --restore -s b
	ctx-show -s b | grep -q 'REDACTED:github-pat'
	ctx-check -q
	ctx-delete -q -s a -s b
	ctx-delete -s a -s b --purge --receipt >r
	[ -z "$(find pl -type f)" ]
	run -2 ctx-archive --redact --verify --to pl
}

@test '--report - is refused and creates no file' {
	echo '{"role":"user","content":"x"}' >in
	status 2 ctx-redact --report - in >out 2>err
	[ ! -s out ] && [ ! -e ./- ]
	grep -q "'-' cannot be written to" err
	ctx-render -p openai --request - in >out 2>err && return 1
	[ ! -e ./- ]
}
