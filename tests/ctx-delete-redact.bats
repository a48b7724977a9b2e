# ctx-delete --redact: single messages, or texts within them, are removed permanently.
load helper

setup() {
	isolate
}

# Creates a session with the secret in a question, a call, its result and an answer.
trip() {   # SID
	ctx-append -q --create -s "$1" <<'END'
{"role":"system","content":"You are a travel agent."}
{"role":"user","content":"My passport is C01X00T47-very-secret; I was born in \"Springfield\" under the bridge."}
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"book","arguments":"{\"passport\":\"C01X00T47-very-secret\",\"born\":\"\\\"Springfield\\\" under\"}"}}]}
{"role":"tool","tool_call_id":"c1","content":"{\"ok\":true,\"holder\":\"C01X00T47-very-secret\"}"}
{"role":"assistant","content":"Booked, the sea is calm."}
{"role":"user","content":"Thanks, and the way back please."}
END
}

# left TEXT: prints the files of the store and the archives that contain the text.
left() {
	grep -laF "$1" "$CTX_STORE" "$CTX_STORE"-* 2>/dev/null
	find . -name '*.ndjson.gz' ! -path './saved/*' -exec zgrep -lF "$1" {} +
	true
}

@test 'a redacted message is replaced by a tombstone, and no byte of it is left' {
	trip a
	trip b
	ctx-search -q bridge >/dev/null
	ctx-delete --redact a 2 --receipt >out
	[ "$(jq -c 'select(.action == "redact") | [.session_id, .seqs, .messages]' out)" = '["a",[2],1]' ]
	[ "$(jq -c 'select(.action == "receipt") | [.messages, .texts, .survivors]' out)" = '[1,1,0]' ]
	ctx-show -s a >shown
	[ "$(jq -c 'select(.seq == 2) | [.message, .metadata]' shown)" = \
		'[{"role":"user","content":"[redacted]"},{"redacted":"message"}]' ]
	[ "$(jq -c 'select(.event == "redact") | [.seqs, .unfinished]' shown)" = '[[2],null]' ]
	# the other session still contains the text
	[ "$(ctx-show -s b | grep -c bridge)" = 1 ]
	ctx-delete -q --purge -s b >/dev/null
	[ -z "$(left bridge)" ]
	[ -z "$(ctx-search -q bridge)" ]
	ctx-check -q
	# a second redaction does nothing
	ctx-delete --redact -s a 2 >out 2>err
	[ ! -s out ] && grep -q 'are already redacted' err
}

# Prints the words of message SEQ in the pages of the full-text index.
indexed_words() { # SEQ
	sqlite3 "$CTX_STORE-derived" "CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, fulltext, instance);
		SELECT term FROM temp.v WHERE doc & 4294967295 = $1"
}

@test 'the words of a redacted message are removed from the index, also if the index changed after the message was indexed' {
	# many index pages with words of another session
	seq 20 | jq -c '{role: "user", content: [range(. * 400; . * 400 + 400) | "q\(.) zb\(.)"] | join(" ")}' |
		ctx-append -q --create -s other
	for case in whole behind merged match; do
		ctx-append -q --create -s $case -t 'Zanzibar aardvark C01X00T47-very-secret'
		ctx-search -q zanzibar >/dev/null
		ctx-append -q -s $case -t 'tea and scones'
		[ $case = behind ] || ctx-search -q zanzibar >/dev/null
		[ $case != merged ] || sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (fulltext) VALUES ('optimize')"
		if [ $case = match ]; then
			ctx-delete -q --redact $case 1 --match 'Zanzibar aardvark' >/dev/null
		else
			ctx-delete -q --redact $case 1 >/dev/null
		fi
		[ -z "$(indexed_words 1 | grep -e zanz -e aard)" ]
		ctx-check -q
		for word in zanzibar aardvark; do
			status 1 ctx-search -q $word >out
		done
		ctx-search -q -s $case scones | jq -e '.seq == 2'
		ctx-search -q zb777 | jq -e '.session_id == "other"'
		ctx-check -q
	done
}

@test 'repeating an interrupted redaction clears the rest of the index' {
	trip a
	ctx-search -q bridge >/dev/null
	ctx-archive -q -s a --snapshot --to place >/dev/null
	mv place away
	status 4 ctx-delete -q --redact a 2 >out 2>err
	sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (rowid, text) VALUES ((1 << 32) + 2, 'bridge')"
	mv away place
	ctx-delete -q --redact a 2 >out
	[ -z "$(indexed_words 2)" ]
	status 1 ctx-search -q bridge >out
	ctx-search -q calm >out
	ctx-check -q
}

@test 'calls and results stay paired after a redaction' {
	trip a
	ctx-delete -q --redact -s a 3 4 >/dev/null
	ctx-show -s a | jq -c 'select(.seq == 3 or .seq == 4).message' >out
	[ "$(jq -r '.tool_calls[0].id // .tool_call_id' out | paste -sd' ')" = 'c1 c1' ]
	[ "$(jq -r 'select(.tool_calls).tool_calls[0].function | .name, .arguments' out | paste -sd' ')" = 'book {}' ]
	for p in openai anthropic gemini responses; do
		ctx-window -s a -b 4000 | ctx-render -p $p >body.json
		ctx-lint -p $p body.json 2>err || { cat err; return 1; }
	done
	# results in the format of Anthropic
	ctx-append -q --create -s c <<'END'
{"role":"user","content":"Look it up."}
{"role":"assistant","content":[{"type":"thinking","thinking":"where the treasure is","signature":"xyz"},{"type":"tool_use","id":"t1","name":"look","input":{"at":"the treasure"}},{"type":"tool_use","id":"t2","name":"look","input":{}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"the treasure"},{"type":"tool_result","tool_use_id":"t2","content":"none"}]}
END
	ctx-delete -q --redact -s c 2-3 >/dev/null
	[ -z "$(left treasure)" ]
	ctx-append -q -s c -t 'And now?'
	ctx-window -s c -b 4000 | ctx-render -p anthropic >body.json
	ctx-lint -p anthropic body.json >/dev/null
}

@test '--match removes only the given text from messages, also where JSON escapes it' {
	trip a
	ctx-delete --redact -s a --match C01X00T47-very-secret --receipt >out
	[ "$(jq -c 'select(.action == "redact") | [.seqs, .match]' out)" = '[[2,3,4],true]' ]
	[ -z "$(left C01X00T47)" ]
	ctx-show -s a | jq -r 'select(.seq == 3).message.tool_calls[0].function.arguments' | jq -c .passport |
		grep -qx '"\[redacted\]"'
	[ "$(ctx-show -s a | grep -c 'under the bridge')" = 1 ]
	ctx-delete -q --redact -s a 3 --match '"Springfield" under' >/dev/null
	ctx-show -s a | jq -r 'select(.seq == 3).message.tool_calls[0].function.arguments' | jq -r .born |
		grep -qx '\[redacted\]'
	[ "$(ctx-show -s a | jq -r 'select(.seq == 2).message.content' | grep -c Springfield)" = 1 ]
	ctx-check -q
	status 1 ctx-delete --redact -s a --match C01X00T47-very-secret 2>err
	grep -q 'no message contains the text' err
	# --match does not search roles and types
	status 1 ctx-delete --redact -s a 2 --match user 2>err
}

@test 'reasoning that contained the text is removed with its signature' {
	ctx-append -q --create -s a <<'END'
{"role":"user","content":"Who is it?"}
{"role":"assistant","content":[{"type":"thinking","thinking":"It is Rumpelstiltskin.","signature":"c2ln"},{"type":"text","text":"I will not say."}]}
END
	ctx-delete -q --redact -s a 2 --match Rumpelstiltskin >/dev/null
	[ "$(ctx-show -s a | jq -c 'select(.seq == 2).message.content')" = \
		'[{"type":"text","text":"I will not say."}]' ]
}

answer() {   # TEXT
	printf '{"choices":[{"message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}]}' "$1" |
		ctx-append -q --request req.json
}

@test 'requests that contained redacted text are marked, and the next request starts a new append-only run' {
	ctx-new -q --id a >/dev/null 2>&1 || ctx-new --id a >/dev/null
	ctx-append -q -s a -t 'The code of the safe in the cellar is 4711-4712-4713, tell nobody.'
	ctx-window -s a -b 4000 -p openai | ctx-render -p openai --request req.json >/dev/null
	answer 'I will not.'
	ctx-append -q -s a -t 'What is next?'
	ctx-window -s a -b 4000 -p openai | ctx-render -p openai --request req.json >/dev/null
	[ "$(jq -r .run.n req.json)" = 2 ]
	answer 'Nothing.'
	ctx-append -q -s a -t 'Go on.'
	ctx-delete -q --redact -s a 1 >out
	[ "$(jq .requests out)" = 2 ]
	ctx-show -s a | jq -c 'select(.kind == "request").redacted' | sort -u | same <(echo '[1]')
	ctx-window -s a -b 4000 -p openai | tail -n 1 | jq -c '[.run.n, .run.cut]' | same <(echo '[1,"redacted"]')
	ctx-window -s a -b 4000 -p openai | ctx-render -p openai --request req.json >body.json
	status 1 grep 4711 body.json
	answer 'Well.'
	ctx-append -q -s a -t 'Further.'
	# the new append-only run continues
	[ "$(ctx-window -s a -b 4000 -p openai | tail -n 1 | jq .run.n)" = 2 ]
}

@test 'copies of redacted text in stored requests, summaries and the session title are redacted too' {
	secret='the treasure lies under the third oak behind the mill of the old baron'
	ctx-new --id a --title "Where $secret" >/dev/null
	ctx-append -q -s a -t "Note this: $secret."
	for i in $(seq 12); do
		ctx-append -q -s a -t "question $i about rivers and their bridges in the country"
		echo "{\"role\":\"assistant\",\"content\":\"answer $i: there are $i of them, as the map says\"}" | ctx-append -q -s a
	done
	ctx-summarize -q -s a --keep-last 6 >/dev/null
	ctx-append -q -s a -t 'Where was the treasure again, under the oak behind the mill?'
	ctx-window -s a -b 600 -p openai | ctx-enrich | ctx-prune | ctx-render -p openai --request req.json >body.json
	grep -q 'third oak' body.json
	answer 'There.'
	ctx-delete -q --redact -s a 1 --receipt >out
	[ "$(jq -c 'select(.action == "receipt") | [.survivors, .additions]' out)" = '[0,1]' ]
	[ "$(jq 'select(.action == "redact") | .summaries' out)" = 1 ]
	[ -z "$(left 'third oak')" ]
	ctx-show -s a >shown
	[ "$(jq -r 'select(.kind == "session").title' shown)" = null ]
	[ "$(jq -r 'select(.kind == "summary").current' shown)" = false ]
	# the stored request can be rendered, with [redacted] in place of the text
	id=$(jq -r 'select(.kind == "request").request_id' shown)
	ctx-show --request "$id" | ctx-render -p openai | grep -qF '[redacted]'
	ctx-check -q
	# an archive of the redacted session is intact
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-archive -q --restore -s a >/dev/null
	ctx-check -q
}

@test 'archives are rewritten and their new digests recorded' {
	trip a
	ctx-summarize -q -s a --keep-last 2 >/dev/null
	ctx-archive -q -s a --snapshot --to snapshots >/dev/null
	ctx-archive -q -s a --to place --cleanup >/dev/null
	ctx-delete --redact a 2 --receipt >out 2>err
	[ "$(jq -c 'select(.action == "receipt") | [.archives, .archives_scanned, .survivors]' out)" = '[2,2,0]' ]
	grep -q 'catch-up' err
	[ -z "$(left bridge)" ]
	ctx-archive -q --verify --all
	ctx-check -q --catch-up
	ctx-check -q
	[ "$(ctx-search -q sea | jq .seq)" = 5 ]
	ctx-delete -q --redact a --match C01X00T47-very-secret >out
	[ "$(jq -c .seqs out)" = '[3,4]' ]
	[ -z "$(left C01X00T47)" ]
	# the token count of the archived session is that of the remaining messages
	archived=$(ctx-list --all | jq .token_count)
	ctx-archive -q --restore -s a >/dev/null
	[ "$(ctx-list --all | jq .token_count)" = "$archived" ]
	ctx-check -q
	[ "$(ctx-show -s a | jq -c 'select(.seq == 2).message')" = '{"role":"user","content":"[redacted]"}' ]
	# an archive of another store
	ctx-archive -q -s a --to place >/dev/null
	ctx-delete -q --redact a 5 >/dev/null
	CTX_STORE=$PWD/other.db ctx-archive -q --restore --to place >/dev/null
	CTX_STORE=$PWD/other.db ctx-show -s a | jq -r 'select(.seq == 5).message.content' |
		grep -qxF '[redacted]'
}

@test 'a missing archive is reported, and the command can be repeated' {
	trip a
	ctx-archive -q -s a --snapshot --to place >/dev/null
	mv place elsewhere
	status 4 ctx-delete --redact a 2 >out 2>err
	grep -q 'was not redacted' err
	status 1 ctx-check -q >out
	grep -q 'a redaction was interrupted' out
	mv elsewhere place
	ctx-delete --redact a 2 >out 2>err
	grep -q 'interrupted redaction' err
	[ -z "$(left bridge)" ]
	ctx-check -q
}

@test 'redaction is refused for sessions that are on hold, deleted or of another tenant' {
	trip a
	ctx-delete -s a --hold 'case 7' >/dev/null
	status 1 ctx-delete --redact a 2 2>err
	grep -q 'on hold (case 7)' err
	[ "$(ctx-show -s a | grep -c bridge)" = 1 ]
	ctx-delete -s a --release >/dev/null
	status 1 ctx-delete --redact --tenant t1 a 2 2>err
	grep -q "no session 'a'" err
	status 1 ctx-delete --redact a 99 2>err
	grep -q 'has no message 99' err
	status 2 ctx-delete --redact a 2>err
	status 2 ctx-delete --redact a 0 2>err
	status 2 ctx-delete --redact a x 2>err
	status 2 ctx-delete --redact a 2 --match '' 2>err
	status 2 ctx-delete --match x -s a 2>err
	status 2 ctx-delete --redact --purge a 2 2>err
	status 1 ctx-delete --redact nobody 2 2>err
	ctx-delete -s a >/dev/null
	status 1 ctx-delete --redact a 2 2>err
	grep -q 'is deleted' err
}

@test 'a dry run changes nothing' {
	trip a
	ctx-show -s a >before
	ctx-delete -n --redact a 2 3 >out
	[ "$(jq -c '[.dry_run, .messages]' out)" = '[true,2]' ]
	ctx-show -s a | same before
}

@test 'a redaction that fails at any write can be repeated' {
	! sanitized || skip 'built with sanitizers, which come before any other library'
	trip a
	ctx-archive -q -s a --snapshot --to place >/dev/null
	ctx-search -q bridge >/dev/null
	sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	mkdir saved
	cp -r place "$CTX_STORE" "$CTX_STORE-derived" saved
	for n in 1 2 4 7 10 14 18 25 40 60 200; do
		store_remove
		rm -r place
		cp -r saved/place .
		cp saved/*.db* "$(dirname "$CTX_STORE")"
		status=0
		LD_PRELOAD=$CTX_BIN/tools/faults.so FAULT_CALLS=pwrite,write FAULT_AT=$n FAULT_HOW=EIO \
			FAULT_ON=forever "$CTX_BIN"/dynamic/ctx-delete -q --redact a 2 >out 2>err || status=$?
		[ $status = 0 ] || ctx-delete -q --redact a 2 >out
		[ -z "$(left bridge)" ] || { echo "$n: $status"; left bridge; return 1; }
		ctx-check -q
		ctx-archive -q --verify --to place
		[ "$(ctx-show -s a | grep -c '"unfinished"')" = 0 ]
	done
	[ $status = 0 ]
}

@test 'a killed redaction can be repeated' {
	for round in $(seq 8); do
		trip s$round
		ctx-archive -q -s s$round --snapshot --to place >/dev/null
		ctx-delete -q --redact s$round 2 >/dev/null 2>&1 &
		perl -e 'select undef, undef, undef, rand 0.06'
		kill -9 $! 2>/dev/null || true
		wait || true
		ctx-delete -q --redact s$round 2 >/dev/null
		[ -z "$(left bridge)" ]
		ctx-archive -q --verify --to place
	done
	ctx-check -q
}
