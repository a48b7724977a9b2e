# Content that means harm: what a terminal would obey never reaches it from what is made for
# people to read, in whatever field it stands.
load helper

evil='\u001b]0;owned\u0007\u001b[31m\u009b2J\u0000\u007f\u202e end'

# Raw control characters (C0 but tab and newline, DEL, C1) in a file. In NDJSON, which is for
# programs, C0 is escaped, and the rest is as it was given.
controls() {
	LC_ALL=C grep -anP '[\x00-\x08\x0b-\x1f]' "$1" ||
		{ grep -v '^{' "$1" | LC_ALL=C grep -anP '\x7f|\xc2[\x80-\x9f]'; }
}

fill() {
	ctx-item define -q --agent ann <<-END
	{"type":"rule","name":"r","include":"always","content":"content $evil"}
	END
	ctx-entity load -q <<-END
	{"type":"device","name":"switch $evil","aliases":["alias $evil"]}
	END
	printf '%s\n' '{"kind":"session","session_id":"s","agent":"ann","title":"title '"$evil"'","topic":"topic '"$evil"'","user_id":"u"}' |
		ctx-new - >/dev/null
	for i in 1 2 3 4 5 6; do
		printf '%s\n' '{"role":"user","content":"question '"$i $evil"' switch"}' \
			'{"role":"assistant","content":null,"tool_calls":[{"id":"c'$i'","type":"function","function":{"name":"f'"$evil"'","arguments":"{\"a\":\"'"${evil//\\/\\\\}"'\"}"}}]}' \
			'{"role":"tool","tool_call_id":"c'$i'","content":"result '"$evil"'"}' \
			'{"role":"assistant","content":"<script>alert(1)</script> '"$evil"'"}'
	done | ctx-append -q -s s
	printf '{"role":"user","content":"and switch %s"}' "$evil" | ctx-append -q -s s
	ctx-window -s s | ctx-enrich -q >window
	ctx-render -p openai --request req <window >body
	printf '%s' '{"choices":[{"message":{"role":"assistant","content":"answer '"$evil"'"}}],"model":"m'"$evil"'","usage":{"prompt_tokens":10,"completion_tokens":2}}' >answer
}

@test 'no control character reaches a terminal from what is made for people' {
	fill
	ctx-append -s s --request req --echo <answer >out 2>err
	bad=0
	look() {
		"$@" >out 2>err || true
		if controls out || controls err; then echo "from: $*"; bad=1; fi
	}
	(! controls err)
	(! controls out)
	look ctx-show -s s
	look ctx-show -s s --context
	look ctx-show -s s -f markdown
	look ctx-show -s s -f html
	look ctx-show -s s -f sharegpt
	look ctx-render -p text window
	look ctx-render -p markdown window
	look ctx-render -p prompt window
	look ctx-enrich --explain window
	look ctx-search question
	look ctx-lint --format text body
	look ctx-lint --format github body
	look ctx-stats --by tool
	look ctx-stats --by model
	look ctx-stats --by session
	look ctx-stats --plot -s s
	look ctx-stats --format prometheus
	look ctx-stats --items
	look ctx-list
	look ctx-entity list -s s
	look ctx-entity find switch
	look ctx-item list
	look ctx-check
	look ctx-archive -s s --to place --snapshot
	# messages of errors hold what was typed or read
	x=$(printf 'no\033[31m such\a')
	look ctx-window -s "$x"
	look ctx-render -p "$x" window
	look ctx-append -s "$x" -t y
	look ctx-show --request "$x"
	look ctx-search -s "$x" y
	look ctx-entity show -s s "$x"
	look ctx-item show "$x"
	look ctx-archive --verify "$x"
	look ctx-new --metadata "$x"
	look ctx-list --entity "$x" --status "$x"
	look ctx-prune -b 10 --strategy "$x"
	look ctx-count --tokenizer "$x" -t y
	look "ctx-list" "--$x"
	look ctx "$x"
	printf '{"role":"user","content":"\033[31m"}\n' >raw
	for c in 'ctx-append -s s' ctx-count ctx-prune 'ctx-render -p openai' ctx-lint 'ctx-import -f sharegpt' ctx-enrich; do
		look $c raw
	done
	[ $bad = 0 ]
}

@test 'HTML is text: no tag, attribute or address of a message becomes one of the page' {
	fill
	printf '%s\n' '{"role":"user","content":[{"type":"text","text":"<img src=x onerror=alert(1)>\" onload=\"x"},{"type":"image_url","image_url":{"url":"javascript:alert(1)"}},{"type":"image_url","image_url":{"url":"https://evil.example/\" onerror=\"alert(1)"}}]}' |
		ctx-append -q -s s
	ctx-show -s s -f html >page
	(! grep -iE '<script[ >]|<img src=x|(href|src)="javascript:|[" ]on(error|load)="' page)
	grep -q '&lt;script&gt;' page
}
