# Invalid ids are rejected for new objects, by option, by record and by setting. Existing objects are
# found by any id.
load helper

# Invalid ids as arguments.
bad=("$(printf '%0129d' 0)" $'a\tb' $'a\nb' $'a\x7f' $'a\xc2\x9bb' $'a\xff')
# Invalid ids in JSON.
bad_json=("$(printf '%0129d' 0)" 'a\u0000b' 'a\tb' 'a\u007f' 'a\u009bb')

setup() {
	isolate
	ctx-new --id s -u u >/dev/null
	ctx-append -q -s s -t 'a question'
	ctx-window -s s | ctx-render -p openai --request req >/dev/null
	ctx-archive -q -s s --to "$PWD/place" --snapshot >/dev/null
	cp "$(find place -name '*.gz')" a.gz
	echo '{"kind":"session","session_id":"new"}' >session
	echo '{"role":"user","content":"x"}' >message
	echo '{"choices":[{"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}' >answer
	echo '{"type":"rule","name":"r","include":"always","content":"x"}' >item
	echo '{"type":"device","name":"sw1"}' >entity
	echo '[{"role":"user","content":"hi"}]' >transcript
}

stored() {
	store_state
}

# Prints commands that create an object, with V in place of an id.
makers() {
	local o
	for o in --id --user --agent --caller --account --share --tenant; do
		echo "ctx-new $o V"
		echo "ctx-new $o V - <session"
	done
	cat <<-'END'
	ctx-new --fork s --tenant V
	ctx-new --fork s -u V
	ctx-new -u V --set-preferences {}
	ctx-new -u u --tenant V --set-preferences {}
	ctx-append --create -s V -t x
	ctx-append --create -s V <message
	ctx-append --create -s V -p openai <answer
	ctx-append --create -s new -u V -t x
	ctx-append --create -u V <session
	ctx-append --create -s new -u V --keep-going <message
	ctx-append --create -s new -u V --atomic <message
	ctx-append --create -s new -u V -p openai <answer
	ctx-append --create -u V --request req <answer
	ctx-append --create -s new --tenant V -t x
	ctx-append --create --tenant V <session
	ctx-append --create --tenant V --request req <answer
	ctx-window --missing-ok -s V
	ctx-window --missing-ok -s new --tenant V
	ctx-window --missing-ok --tenant V <session
	ctx-item define --tenant V <item
	ctx-item define --agent V <item
	ctx-entity load --tenant V <entity
	ctx-import -s V <transcript
	ctx-import --append -s V <transcript
	ctx-import --append -s new --tenant V <transcript
	ctx-archive --restore --as V a.gz
	END
}

@test 'a command with an invalid id as an option creates nothing' {
	stored >before
	while read -r use; do
		for v in "${bad[@]}" ''; do
			case $v$use in *'--tenant V'* | *'define --agent V'*) [ -n "$v" ] || continue ;; esac
			input=/dev/null words=()
			for w in $use; do
				case $w in
				V) words+=("$v") ;;
				'<'*) input=${w#<} ;;
				*) words+=("$w") ;;
				esac
			done
			for store in "$CTX_STORE" "$PWD/none.db"; do
				case $store:$use in *none.db:*--fork*) continue ;; esac
				CTX_STORE=$store status 2 "${words[@]}" <"$input" >out 2>err ||
					{ printf '%s\n%q\n' "$use" "$v"; cat err; false; }
				[ ! -s out ] && [ "$(wc -l <err)" = 1 ] || { echo "$use"; cat out err; false; }
				grep -q 'is empty\|is longer than\|a control character\|not valid UTF-8' err
				[ ! -e none.db ] || { echo "a store was made: $use"; false; }
			done
		done
	done < <(makers)
	stored | diff before -
	# as an environment variable
	for v in "${bad[@]}"; do
		CTX_TENANT=$v status 2 ctx-new >out 2>err
		CTX_TENANT=$v status 2 ctx-append --create -s new -t x >out 2>err
	done
	stored | diff before -
}

@test 'a session record with an invalid id creates nothing and is reported' {
	stored >before
	echo '.record' >own.jq
	for member in session_id user_id caller_id account_id tenant_id agent parent_session_id; do
		for v in "${bad_json[@]}" ''; do
			[ "$member$v" != tenant_id ] || continue
			jq -nc --arg m $member --argjson v "\"$v\"" \
				'{kind: "session", session_id: "new", title: "t"} + {($m): $v}' >in
			for tool in 'ctx-new -' 'ctx-append --create' 'ctx-append --create --atomic' \
				'ctx-append --create --keep-going' 'ctx-import -q -f own --import-dir .'; do
				status 3 $tool <in >out 2>err || { echo "$tool $member $v"; cat err; false; }
				grep -q "^$(echo "$tool" | cut -d' ' -f1): stdin: *\(1\|record 1\): .*\($member\|session id\)" err ||
					{ echo "$tool $member $v"; cat err; false; }
				[ ! -s out ]
			done
		done
	done
	stored | diff before -
	# an empty tenant id means no tenant
	echo '{"kind":"session","session_id":"new","tenant_id":""}' >in
	ctx-append -q --create -S other.db in
	ctx-new -S third.db - <in | ctx-append -q --create -S fourth.db
	for store in other third fourth; do
		[ "$(ctx-list -S $store.db | jq -c '[.session_id, .tenant_id]')" = '["new",null]' ]
	done
}

message() {   # SID TEXT
	printf '{"kind":"message","session_id":"%s","message":{"role":"user","content":"%s"}}\n' "$@"
}

said() {   # TENANT SID
	ctx-show --tenant "$1" -s "$2" | jq -r 'select(.kind == "message").message.content' | paste -sd' '
}

# refused_records BROKEN TENANT EARLY: session records with the members BROKEN are rejected with their messages, and
# other records are stored. If EARLY is not empty, the session exists and EARLY is the text of its first message.
refused_records() {
	local broken=$1 tenant=$2 early=$3 record n way
	record='{"kind":"session","session_id":"s",'$broken'}'
	{
		[ -z "$early" ] || message s "$early"
		echo "$record"
		message s 1
		echo '{"kind":"session","session_id":"good"}'
		message good 2
		message s 3
		message good 4
		echo "$record"
		echo "$record"
		message s 5
		echo '{"kind":"session","session_id":"s","title":"t"}'
		message s late
	} >in
	for way in together 'line by line'; do
		store_remove
		if [ -n "$early" ]; then ctx-new --tenant "$tenant" --id s >/dev/null; fi
		: >out
		: >err
		if [ "$way" = together ]; then
			status 3 ctx-append --tenant "$tenant" --create --keep-going --rejects rejects in >out 2>err
			{ echo "$record"; message s 1; message s 3; echo "$record"; echo "$record"; message s 5; } |
				sort | same <(sort rejects)
			grep -q "^ctx-append: in:[23]: session 's'.*rejected" err
			[ "$(jq -r '.message.content // .session_id' out | xargs)" = "${early:+$early }good 2 4 s late" ]
		else
			n=0
			while read -r line; do
				printf '%s\n' "$line"
				n=$((n + 1))
				until [ "$(cat out err | wc -l)" -ge $n ]; do sleep 0.01; done
			done <in | status 3 ctx-append --tenant "$tenant" --create --keep-going >>out 2>>err
		fi
		[ "$(said "$tenant" s)" = "${early:+$early }late" ]
		[ "$(said "$tenant" good)" = '2 4' ]
		[ "$(ctx-list -a | wc -l)" = 2 ]
	done
}

@test '--keep-going: if a session record is rejected, its messages are rejected too' {
	# another tenant has a session with this id
	for broken in '"tenant_id":"x\u0001"' '"tenant_id":"x\u0000"' '"tenant_id":7'; do
		refused_records "$broken" mine early
		refused_records "$broken" '' early
	done
	refused_records '"tenant_id":"other"' mine early
	# no session with this id exists
	for broken in '"user_id":"x\u009b"' '"agent":""' '"ttl_ms":"x"' '"tenant_id":"x\u0001"'; do
		refused_records "$broken" mine ''
		refused_records "$broken" '' ''
	done
}

@test '--keep-going: a large input with many rejected sessions is handled correctly' {
	{
		echo '{"kind":"session","session_id":"bad","user_id":"\u0001"}'
		seq 9000 | sed 's/.*/{"kind":"message","session_id":"bad","message":{"role":"user","content":"&"}}/'
		seq 300 | sed 's/.*/{"kind":"session","session_id":"bad&","tenant_id":"\\u0001"}/'
		seq 300 | sed 's/.*/{"kind":"message","session_id":"bad&","message":{"role":"user","content":"&"}}/'
		seq 300 | sed 's/.*/{"kind":"session","session_id":"bad&","tenant_id":"t"}/'
		seq 300 | sed 's/.*/{"kind":"message","session_id":"bad&","message":{"role":"user","content":"&"}}/'
	} >in
	status 3 ctx-append -q --create --keep-going --rejects rejects -S new.db in 2>/dev/null
	head -n 9601 in | cmp - rejects
	[ "$(ctx-list -S new.db | jq -r '.tenant_id' | sort | uniq -c | xargs)" = '300 t' ]
}

@test 'ctx-import skips the messages of a session that it rejects' {
	cat >own.jq <<-'END'
	session(.record.id; {user_id: .record.user}), message(.record.id; "m\(.info.n)"; {role: "user", content: "\(.info.n)"}; {})
	END
	printf '%s\n' '{"id":"a","user":"\u0001"}' '{"id":"b"}' '{"id":"a","user":"\u009b"}' \
		'{"id":"a","user":"ann"}' '{"id":"b","user":"\u0001"}' >in
	status 3 ctx-import -f own --import-dir . in --report report >out 2>err
	[ "$(jq -r '.session_id + (.message.content // ":")' out | paste -sd' ')" = 'b: b2 a: a4 b5' ]
	grep -q '^ctx-import: in:1: user_id contains a control character' err
	# the session record stands alone
	cat >own.jq <<-'END'
	if .record.user then session(.record.id; {user_id: .record.user})
	else message(.record.id; "m\(.info.n)"; {role: "user", content: "\(.info.n)"}; {}) end
	END
	printf '%s\n' '{"id":"a","user":"\u0001"}' '{"id":"a"}' '{"id":"b"}' >in
	status 3 ctx-import -f own --import-dir . in --report report >out 2>err
	[ "$(jq -r '.session_id + .message.content' out)" = b3 ]
	[ "$(jq -c .skipped report)" = '{"user_id contains a control character":1,"session refused":1}' ]
}

@test 'a request with an invalid session id creates no session, and its answer is not read' {
	for member in session_id tenant_id; do
		for v in "${bad_json[@]}"; do
			jq -c --arg m $member --argjson v "\"$v\"" '.[$m] = $v' req >other
			status 3 ctx-append --create --request other -S new.db <answer >out 2>err
			grep -q "^ctx-append: other: .*\($member\|session id\)" err
			[ ! -s out ] && [ "$(wc -l <err)" = 1 ]
			[ ! -e new.db ] || [ -z "$(ctx-list -a -S new.db)" ]
		done
	done
}

@test 'a fork of a session with an invalid user id is refused' {
	sqlite3 "$CTX_STORE" "UPDATE session SET user_id = 'a' || char(9) || 'b'"
	stored >before
	status 3 ctx-new --fork s >out 2>err
	grep -q 'user_id contains a control character' err
	stored | diff before -
	ctx-new --fork s -u ann --id copy >/dev/null
	[ "$(ctx-list -u ann -1)" = copy ]
}

@test 'existing sessions are found and restored even if their ids would be invalid for new sessions' {
	odd=$'a\tb'
	sqlite3 "$CTX_STORE" "UPDATE session SET tenant_id = 'a' || char(9) || 'b', user_id = 'a' || char(9) || 'b'"
	export CTX_TENANT=$odd
	ctx-list -1 -u "$odd" | same - s
	ctx-append -q -s s -t more
	ctx-append -q -s s <message
	ctx-window --missing-ok -s s | ctx-enrich | ctx-prune -b 9000 | ctx-render -p openai --request odd >/dev/null
	ctx-append -q --request odd <answer
	[ "$(ctx-show -s s | grep -c '"kind":"message"')" = 4 ]
	ctx-search question | grep -q question
	ctx-summarize -q -s s --keep-last 1
	ctx-prune -s s --apply -b 900
	ctx-stats -s s >/dev/null
	ctx-calls -s s
	ctx-ls -a >/dev/null
	ctx-mcp </dev/null
	ctx-view -s s >/dev/null
	ctx-grep question >/dev/null
	ctx-entity track -q -s s
	ctx-entity list -s s
	ctx-item list -s s
	ctx-archive -q -s s --to "$PWD/place" --cleanup >/dev/null
	ctx-archive -q --restore -s s >/dev/null
	ctx-check -q
	ctx-show -s s | grep '"kind":"message"' >messages
	ctx-archive -q -s s --to "$PWD/another" >/dev/null
	CTX_STORE=other.db ctx-archive -q --restore "$(find another -name '*.gz')" >/dev/null
	CTX_STORE=other.db ctx-show -s s | grep '"kind":"message"' | same messages
	ctx-delete -q -s s --purge
	[ -z "$(ctx-list -a)" ]
	# every command with --tenant is in one of the two lists
	for c in $(commands); do
		[ "$c" != ctx-turn ] || continue # a script over the others
		"$c" --help | grep -q -- --tenant || continue
		makers | grep -q "^$c" || grep -q "^	.*$c " "$BATS_TEST_FILENAME" || { echo "$c"; false; }
	done
}
