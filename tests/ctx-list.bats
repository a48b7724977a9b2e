load helper

@test 'an empty store lists nothing, and a missing store is an error' {
	status 5 ctx-list 2>err >out
	grep -q '^ctx-list: no store at ' err
	ctx-new -1 --id s >/dev/null
	sqlite3 "$CTX_STORE" 'UPDATE session SET status = 2'
	ctx-list >out
	[ ! -s out ]
}

@test 'filters for user, caller, agent and tokens work alone and in combination' {
	ctx-new --id a -u ann --caller web --agent ops >/dev/null
	ctx-new --id b -u ann --caller app --share cy >/dev/null
	ctx-new --id c -u bob --caller web >/dev/null
	ctx-new --id d >/dev/null
	ctx-append -s c -t "$(printf '%01000d' 0)" >/dev/null
	[ "$(ctx-list -1 | tr '\n' ' ')" = 'a b c d ' ]
	[ "$(ctx-list -1 -u ann | tr '\n' ' ')" = 'a b ' ]
	[ "$(ctx-list -1 -u cy)" = b ]
	[ "$(ctx-list -1 --caller web | tr '\n' ' ')" = 'a c ' ]
	[ "$(ctx-list -1 --agent ops)" = a ]
	[ "$(ctx-list -1 -u ann --caller web)" = a ]
	[ "$(ctx-list -1 --min-tokens 100)" = c ]
	[ "$(ctx-list -1 --min-tokens 0 | wc -l)" = 4 ]
	[ -z "$(ctx-list -1 -u ann --min-tokens 100)" ]
	[ -z "$(ctx-list -1 -u nobody)" ]
	[ -z "$(ctx-list -1 -u "x' OR 1=1 --")" ]
	ctx-list -u bob | jq -e '.session_id == "c" and .user_id == "bob" and .message_count == 1' >/dev/null
}

@test 'a session that its owner shares with himself is listed once' {
	ctx-new --id s -u ann --share ann >/dev/null
	[ "$(ctx-list -1 -u ann)" = s ]
}

@test 'ctx-list --status prints only sessions with this status' {
	for s in active archived deleted; do ctx-new --id $s >/dev/null; done
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 1 WHERE session_id = 'archived';
		UPDATE session SET status = 2 WHERE session_id = 'deleted'"
	[ "$(ctx-list -1)" = active ]
	for s in active archived deleted; do
		[ "$(ctx-list -1 --status $s)" = $s ]
		ctx-list --status $s | jq -e --arg s $s '.status == $s' >/dev/null
	done
	[ "$(ctx-list -1 --status deleted --status active | tr '\n' ' ')" = 'active deleted ' ]
	[ "$(ctx-list -1 -a | tr '\n' ' ')" = 'active archived deleted ' ]
	[ "$(ctx-list -1 --all | wc -l)" = 3 ]
	status 2 ctx-list --status gone 2>err
	grep -q gone err
}

@test 'sessions are filtered by age, idle time and expiry' {
	CTX_NOW=2025-01-01T00:00:00Z ctx-new --id old --ttl 30d >/dev/null
	CTX_NOW=2025-01-01T00:00:00Z ctx-new --id revived --ttl 30d >/dev/null
	CTX_NOW=2025-12-30T00:00:00Z ctx-append -s revived -t hi >/dev/null
	CTX_NOW=2026-01-01T00:00:00Z ctx-new --id fresh >/dev/null
	export CTX_NOW=2026-01-02T00:00:00Z
	list() { ctx-list -1 "$@" | tr '\n' ' '; }
	[ "$(list --idle 90d)" = 'old ' ]
	[ "$(list --idle 2d)" = 'old revived ' ]
	[ "$(list --idle 2025-12-30T00:00:01Z)" = 'old revived ' ]
	[ "$(list --idle 2025-12-30T00:00:00Z)" = 'old ' ]
	[ "$(list --older 90d)" = 'old revived ' ]
	[ "$(list --newer 90d)" = 'fresh ' ]
	[ "$(list --newer 2025-01-01T00:00:00Z --older 2026-01-01T00:00:00Z)" = 'old revived ' ]
	[ "$(list --expired)" = 'old ' ]
	[ "$(CTX_NOW=2026-01-29T00:00:00Z list --expired)" = 'old revived ' ]
	[ "$(CTX_NOW=2025-01-30T23:59:59.999Z list --expired)" = '' ]
	[ "$(CTX_NOW=2025-01-31T00:00:00Z list --expired)" = 'old ' ]
	for o in --idle --older --newer --deleted; do
		status 2 ctx-list $o nonsense 2>err
		grep -q -- $o err
	done
	status 2 ctx-list --min-tokens x 2>err
	status 2 ctx-list operand 2>err
}

@test '--deleted AGE compares the age with the time of deletion, not of the last message' {
	CTX_NOW=2025-01-01T00:00:00Z ctx-append --create -q -s old -t hi
	CTX_NOW=2025-01-01T00:00:00Z ctx-append --create -q -s kept -t hi
	CTX_NOW=2026-01-01T00:00:00Z ctx-delete -q -s old >/dev/null
	[ -z "$(CTX_NOW=2026-01-30T00:00:00Z ctx-list -1 --deleted 30d)" ]
	[ "$(CTX_NOW=2026-02-01T00:00:00Z ctx-list -1 --deleted 30d)" = old ]
	CTX_NOW=2026-02-01T00:00:00Z ctx-delete -q -s old --restore >/dev/null
	[ -z "$(CTX_NOW=2026-12-01T00:00:00Z ctx-list -1 --deleted 30d)" ]
}

@test 'every session is listed exactly once, even if the list is read in several parts' {
	seq -f '{"kind":"session","session_id":"s%g","user_id":"u"}' 1000 >in
	# one transaction for all sessions
	ctx-new --sync off -q - <in >/dev/null 2>&1 || ctx-new --sync off - <in >/dev/null
	ctx-list -1 | same <(seq -f 's%g' 1000)
	ctx-list -1 -u u | same <(seq -f 's%g' 1000)
	ctx-list | jq -r .session_id | same <(seq -f 's%g' 1000)
	sqlite3 "$CTX_STORE" 'UPDATE session SET status = 2 WHERE no % 3 <> 0'
	[ "$(ctx-list -1 | wc -l)" = "$(sqlite3 "$CTX_STORE" 'SELECT count(*) FROM session WHERE status = 0')" ]
}

@test 'a full disk and a closed pipe are reported' {
	ctx-new --id s >/dev/null
	status 4 ctx-list >/dev/full 2>err
	grep -q '^ctx-list: .*stdout' err
}

@test 'the output in the C locale has the same bytes' {
	ctx-new --id ä --title '😀' >rec
	LC_ALL=C ctx-list | same rec
	LC_ALL=C ctx-list -1 | same - ä
}

@test '--tokenizer prints counts by that tokenizer even if others counted the messages before' {
	for s in a b c; do
		ctx-append -q --create -s $s --tokenizer approx -t "the session $s"
		ctx-append -q -s $s --tokenizer chars4 -t "$(printf "%0${#s}00d" 1)"
	done
	ctx-append -q -s b --tokenizer approx -t "$(printf '%0400d' 1)"
	sum() { ctx-window -s "$1" --tokenizer "$2" | jq -s 'map(select(.kind == "message").token_count) | add'; }
	for t in chars4 approx; do
		for s in a b c; do sum $s $t; done >want
		ctx-list --tokenizer $t | jq .token_count | same want
		[ "$(ctx-list --tokenizer $t --min-tokens "$(sed -n 2p want)" -1)" = b ]
		ctx-stats --by session --tokenizer $t | jq .tokens | same want
		ctx-stats --tokenizer $t | jq .tokens | same - "$(paste -sd+ want | jq -Rr 'split("+") | map(tonumber) | add')"
		ctx-stats -s b --tokenizer $t | jq .tokens | same - "$(sed -n 2p want)"
	done
	# without --tokenizer, the stored counts are printed
	sqlite3 -cmd '.timeout 5000' "$CTX_STORE" 'SELECT token_count FROM session' >want
	ctx-list | jq .token_count | same want
	for o in --cache '--by day' '--by tokenizer' --timings; do status 2 ctx-stats --tokenizer chars4 $o; done
	status 2 ctx-list --tokenizer nosuch
}
