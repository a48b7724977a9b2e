load helper

a=01a226a1-e917-7db5-b409-c238288a1f0b
b=01a226a1-aaaa-7db5-b409-c238288affff

setup() {
	isolate
	ctx-append -q --create -s $a -t 'of a'
	ctx-append -q --create -s $b -t 'of b'
	ctx-append -q --create -s talk -t 'of talk'
	ctx-append -q --create -s talk2 -t 'of talk2'
}

@test 'a unique beginning or ending of an id names a session' {
	[ "$(ctx-window -s 01a226a1-e | jq -r '.session_id // empty' | sort -u)" = $a ]
	[ "$(ctx-show -s ffff | head -n 1 | jq -r .session_id)" = $b ]
	ctx-append -s 1f0b -t more | jq -e --arg a $a '.session_id == $a and .seq == 2' >/dev/null
	printf '{"role":"user","content":"x"}\n' | ctx-append -s 1f0b | jq -e --arg a $a '.session_id == $a and .seq == 3' >/dev/null
	ctx-calls -s ffff
	ctx-delete -q -s ffff | jq -e --arg b $b '.session_id == $b' >/dev/null
	ctx-delete -q --restore -s ffff >/dev/null
	ctx-stats -s 1f0b -s ffff | jq -r .session_id | sort | same <(printf '%s\n' $b $a)
	ctx-window -s 1f0b | ctx-render -p openai --request req >/dev/null
	ctx-append --request req -s 1f0b -t yes | jq -e '.seq == 4' >/dev/null
}

@test 'if an abbreviated id fits several sessions, they are listed; a full id always names its session' {
	status 1 ctx-window -s 01a226a1 2>err
	same err <<<"ctx-window: several sessions match '01a226a1': $b, $a"
	ctx-window -s talk | grep -q 'of talk"'
	status 1 ctx-window -s 01a 2>err   # too short
	grep -q "no session '01a'" err
	status 1 ctx-window -s nobody 2>err
	for i in {1..9}; do ctx-new --id "many$i" -1 >/dev/null; done
	status 1 ctx-show -s many 2>err
	grep -q 'many1, .*many8, \.\.\.$' err
}

@test 'abbreviated ids are not accepted for new sessions or in records' {
	ctx-append -q --create -s 1f0b -t new
	[ "$(ctx-window -s 1f0b | grep -c '"kind":"message"')" = 1 ]
	ctx-window -s ffff --missing-ok | head -n 1 | jq -e '.session_id == "ffff"' >/dev/null
	echo '{"kind":"message","session_id":"ffff","message":{"role":"user","content":"x"}}' |
		status 1 ctx-append 2>err
	grep -q "no session 'ffff'" err
}

@test 'a missing session in a list on standard input is reported, and the others follow' {
	ctx-append -q --create -s gone -t x
	ctx-delete -q -s gone >/dev/null
	printf '%s\n' talk nosuch gone talk2 >ids
	local c
	for c in 'ctx-show' 'ctx-show -f openai' 'ctx-show -f html' 'ctx-window' 'ctx-stats -s -' \
		'ctx-view -s -' 'ctx-calls -s -'; do
		status 1 $c <ids >out 2>err || return
		grep -q "^${c%% *}: no session 'nosuch'" err || { echo "$c"; cat err; return 1; }
		grep -q "session 'gone' is deleted" err
		tail -n 1 err | same - "${c%% *}: 2 sessions skipped"
		[ "$c" = 'ctx-calls -s -' ] || grep -q 'of talk2\|"session_id":"talk2"' out || { echo "$c"; cat out; return 1; }
	done
	status 1 ctx-show -s nosuch -s talk 2>err >out
	same err <<<"ctx-show: no session 'nosuch'"
	[ ! -s out ]
}

@test '-s - reads session ids from standard input, and an error suggests -s - if ids arrive without this option' {
	ctx-item define -q <<<'{"kind":"item","type":"rule","name":"tone","content":"Be brief."}'
	ctx-item add -q -s talk tone
	ctx-item add -q -s $a tone
	ctx-list -1 >ids
	ctx-item list -s - <ids | jq -r .session_id | sort | same <(printf '%s\n' $a talk)
	{ echo nosuch; cat ids; } | status 1 ctx-item list -s - >out 2>err
	grep -q "^ctx-item: no session 'nosuch'" err
	jq -r .session_id out | sort | same <(printf '%s\n' $a talk)
	status 1 ctx-item list -s nosuch 2>err
	same err <<<"ctx-item: no session 'nosuch'"
	ctx-stats -s - <ids | jq -r .session_id | sort | same <(sort ids)
	for c in ctx-calls ctx-summarize; do
		status 3 $c <ids 2>err >out
		grep -q '(-s - reads session ids from standard input)' err || { cat err; return 1; }
	done
	status 2 ctx-summarize -n <ids 2>err
	grep -q -- '-s - reads session ids' err
}

@test 'an abbreviated id is compared only with visible sessions of the tenant' {
	CTX_TENANT=red ctx-append -q --create -s red-ffff -t x
	[ "$(CTX_TENANT=red ctx-show -s ffff | head -n 1 | jq -r .session_id)" = red-ffff ]
	status 1 ctx-show -s ffff 2>err
	grep -q "$b, red-ffff" err
}

@test 'CTX_SESSION names the session of a message, but is not used if standard input lists sessions' {
	export CTX_SESSION=talk
	ctx-append -t again | jq -e '.session_id == "talk"' >/dev/null
	echo raw | CTX_SESSION=1f0b ctx-append --raw | jq -e --arg a $a '.session_id == $a' >/dev/null
	ctx-append -s talk2 -t x | jq -e '.session_id == "talk2"' >/dev/null
	ctx-list | ctx-window | grep -c '"kind":"session"' | same - 4
	echo '{"role":"user","content":"x"}' | status 3 ctx-append 2>err
	CTX_SESSION='' status 2 ctx-append -t x 2>err
}

@test 'CTX_SESSION names the session if standard input is a terminal or /dev/null' {
	export CTX_SESSION=1f0b
	ctx-calls </dev/null
	echo '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}' |
		ctx-append -q -s $a
	ctx-calls </dev/null | jq -e '.name == "f"' >/dev/null
	ctx-calls </dev/null | same <(ctx-calls -s $a)
	ctx-show </dev/null | same <(ctx-show -s $a)
	ctx-window </dev/null | jq -r '.session_id // empty' | sort -u | same - $a
	ctx-view </dev/null | grep -q 'of a'
	ctx-append -q --result c1 -t fine
	for i in 1 2 3; do ctx-append -q -t "question $i"; ctx-append -q -t answer --role assistant; done
	ctx-prune --apply --keep-turns 1 </dev/null >hidden
	[ -s hidden ]
	ctx-window </dev/null | { ! grep -q 'question 1'; }
	ctx-prune --undo </dev/null >shown
	[ -s shown ]
	ctx-window </dev/null | grep -q 'question 1'
	ctx-summarize --keep-last 1 </dev/null | jq -e '.kind == "message" or .kind == "event"' >/dev/null
	ctx-summarize --undo </dev/null | grep -q '"undone":"summarize"'
	# an empty list is valid
	for command in ctx-calls ctx-show ctx-window 'ctx-prune --apply --keep-turns 1' ctx-summarize; do
		[ -z "$(printf '' | $command)" ] || { echo "$command"; return 1; }
	done
	status 2 env -u CTX_SESSION ctx-turn -p openai x 2>err
	grep -q 'CTX_SESSION' err
}
