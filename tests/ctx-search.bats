load helper

# say SID TEXT…: appends messages, from the user and the assistant in turn.
say() {
	local sid=$1 role=user
	shift
	for text; do
		jq -nc --arg r $role --arg t "$text" '{role: $r, content: $t}'
		[ $role = user ] && role=assistant || role=user
	done | ctx-append --create -s "$sid" >/dev/null
}

# found QUERY…: prints SESSION/SEQ of each match, best first.
found() {
	ctx-search "$@" | jq -r '"\(.session_id)/\(.seq)"' | tr '\n' ' '
}

@test 'words are found in any form, case and order, if a message has all of them' {
	say a 'I painted a sunrise' 'Lovely painting!' 'The sun rose'
	[ "$(found -n 5 PAINTS)" = 'a/2 a/1 ' ]
	[ "$(found sunrise painting)" = 'a/1 ' ]
	[ "$(found --any sunrise lovely)" = 'a/1 a/2 ' ] || [ "$(found --any sunrise lovely)" = 'a/2 a/1 ' ]
	status 1 ctx-search sunrise lovely >out
	[ ! -s out ]
}

@test 'records have a score and a snippet, and the message is unchanged' {
	printf '%s\n' '{"role":"user","content":"big zebra \u001b[31m red","x":1e2}' |
		ctx-append --create -s a >/dev/null
	ctx-search zebra >out
	grep -qF '"message":{"role":"user","content":"big zebra \u001b[31m red","x":1e2}' out
	jq -e '.kind == "message" and .seq == 1 and (.score | type) == "number"
		and .snippet == "big zebra [31m red"' out >/dev/null
}

@test 'a snippet shows the matching words of a long text' {
	say a "$(yes 'lorem ipsum' | head -n 500 | tr '\n' ' ') the hidden treasure $(yes dolor | head -n 500 | tr '\n' ' ')"
	ctx-search treasure | jq -e '.snippet | test("hidden treasure") and (length < 220)
		and startswith("…") and endswith("…")' >/dev/null
}

@test 'phrases and beginnings of words are found' {
	say a 'state of the art' 'the art of the state' 'statement'
	[ "$(found '"state of the art"')" = 'a/1 ' ]
	[ "$(found 'statem*')" = 'a/3 ' ]
	[ "$(found 'art "the state"')" = 'a/2 ' ]
	[ "$(found '"of the sta*"')" = 'a/2 ' ]
	[ "$(found '"of the ar*"')" = 'a/1 ' ]
	status 1 ctx-search '"of the sta"'
}

@test 'letter case is ignored for all letters' {
	say a 'Die Straße ist lang' 'in der STRASSE' 'ein ﬁsch' 'ΟΔΥΣΣΕΥΣ' 'Ծովեր և'
	for q in STRASSE straße Strasse STRAẞE 'straß*' '"die strasse"'; do
		found "$q" | grep -q a/1
	done
	[ "$(found straße | wc -w)" = 2 ]
	ctx-search -n 1 --any straße | jq -e '.snippet | test("(?i)stra")' >/dev/null
	[ "$(found FISCH)" = 'a/3 ' ]
	[ "$(found οδυσσευς)" = 'a/4 ' ]
	[ "$(found ԵՒ)" = 'a/5 ' ]
}

@test 'an index that was built with older rules for words is rebuilt, also for archived messages' {
	say a 'eine Straße'
	say b 'noch eine Straße'
	say c 'Straße, dritte'
	found straße
	ctx-archive -s b --to "$PWD/arch" --cleanup >/dev/null 2>&1
	old() { # as from before: without the mark, words as they came then
		sqlite3 "$CTX_STORE-derived" "DELETE FROM mark WHERE kind = 'fulltext-form';
			INSERT INTO fulltext (fulltext) VALUES ('delete-all');
			INSERT INTO fulltext (rowid, text) SELECT no << 32 | 1, 'straße'
				FROM (SELECT DISTINCT session_no no FROM mark WHERE kind = 'fulltext' UNION SELECT id >> 32 FROM fulltext_kept)"
	}
	old
	[ "$(found STRASSE | tr ' ' '\n' | sort | xargs)" = 'a/1 b/1 c/1' ]
	old
	ctx-delete --purge -s c >/dev/null 2>&1
	[ "$(found STRASSE | tr ' ' '\n' | sort | xargs)" = 'a/1 b/1' ]
	[ "$(sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (fulltext) VALUES ('integrity-check'); SELECT 'fine'")" = fine ]
}

@test 'emoji are indexed as words: skin tones are ignored, sequences are split, flags stay whole' {
	say a 'ship it 🚀' 'ok👍🏽!' '👩🏽‍💻 at work' 'love ❤️you' 'aus 🇩🇪🇫🇷' 'step 1️⃣ Foo™ bar' 'plain 🫶🏿'
	for q in 🚀:1 '"ship it 🚀"':1 👍:2 👍🏿:2 ok:2 👩:3 💻:3 👩‍💻:3 👩🏻‍💻:3 ❤:4 ❤️:4 you:4 🇩🇪:5 🇫🇷:5 1:6 \
		'"foo bar"':6 🫶:7 '🚀*':1; do
		[ "$(found "${q%:*}")" = "a/${q##*:} " ] || { echo "$q: $(found "${q%:*}")"; false; }
	done
	status 1 ctx-search 🎉
	status 1 ctx-search 🇪🇫
	ctx-search 🚀 | jq -e '.snippet == "ship it 🚀"' >/dev/null
	# an index that was built without emoji is rebuilt
	sqlite3 "$CTX_STORE-derived" "UPDATE mark SET seq = 2 WHERE kind = 'fulltext-form';
		INSERT INTO fulltext (fulltext) VALUES ('delete-all');
		INSERT INTO fulltext (rowid, text) SELECT 1 << 32 | 1, 'ship it'"
	[ "$(found 🚀)" = 'a/1 ' ]
	ctx-delete --purge -s a >/dev/null 2>&1
	[ "$(sqlite3 "$CTX_STORE-derived" "INSERT INTO fulltext (fulltext) VALUES ('integrity-check'); SELECT 'fine'")" = fine ]
}

@test 'any text is a valid query' {
	say a 'don"t - stop (ever) AND: "x" NEAR* ^y {z} + OR'
	for q in 'don"t' '"' '-' '- stop' '--' '(ever' 'AND' 'NEAR(' 'stop*' '^y' "'; DROP TABLE" 'x:y' '*' '"" ""' \
		'text:stop' '\' 'NOT'; do
		ctx-search -- "$q" >out 2>err || [ $? = 1 ]
		[ ! -s err ] || { echo "$q"; cat err; false; }
	done
	[ "$(found -- '- stop (ever')" = 'a/1 ' ]
	[ "$(found 'don"t AND')" = 'a/1 ' ]
	status 2 ctx-search 2>err
	status 2 ctx-search $'\xff' 2>err
}

@test '--fts accepts the raw query syntax' {
	say a 'red fox' 'red hen'
	[ "$(found --fts 'red NOT fox')" = 'a/2 ' ]
	status 2 ctx-search --fts 'red AND (' 2>err
	grep -q '^ctx-search: query ' err
}

@test 'languages without spaces between words are searched' {
	say a '明日は東京都庁へ行きます。' 'ฉันไปเที่ยวกรุงเทพมหานคร' '한국어를 배우고 있어요' 'plain Tokyo'
	[ "$(found 東京)" = 'a/1 ' ]
	[ "$(found 都庁へ行き)" = 'a/1 ' ]
	[ "$(found 庁)" = 'a/1 ' ]
	status 1 ctx-search 京東
	[ "$(found กรุงเทพ)" = 'a/2 ' ]
	[ "$(found 한국어)" = 'a/3 ' ]
	ctx-search 都庁 | jq -e '.snippet == "明日は東京都庁へ行きます。"' >/dev/null
}

@test 'results are filtered by session, user, role, time and tenant' {
	ctx-new --id a -u ann --share cy >/dev/null
	ctx-new --id b -u bob >/dev/null
	CTX_NOW=2025-01-01T00:00:00Z say a 'kiwi' 'kiwi'
	say b 'kiwi'
	[ "$(found -s b kiwi)" = 'b/1 ' ]
	[ "$(found -s a -s b -s a kiwi | wc -w)" = 3 ]
	[ "$(found -u ann kiwi | wc -w)" = 2 ]
	[ "$(found -u cy --role assistant kiwi)" = 'a/2 ' ]
	[ "$(found --since 90d kiwi)" = 'b/1 ' ]
	[ "$(found --until 2025-06-01 --role user kiwi)" = 'a/1 ' ]
	status 1 ctx-search -s nosuch kiwi 2>err
	grep -q nosuch err
	status 2 ctx-search --role robot kiwi 2>err
	ctx-new --tenant t1 --id x >/dev/null
	CTX_TENANT=t1 say x 'kiwi'
	[ "$(found --tenant t1 kiwi)" = 'x/1 ' ]
	status 1 ctx-search --tenant t2 kiwi
	# without --tenant, each match names its tenant
	ctx-append -q --create --tenant t2 -s x -t 'another kiwi'
	ctx-search kiwi | jq -r '.tenant_id // empty' | sort | paste -sd' ' | same - 't1 t2'
	ctx-search --context 1 another | jq -e 'has("tenant_id")' >/dev/null
}

@test '--role: tool output in a user message does not count as the user'\''s text' {
	cat >in <<-'END'
	{"role":"user","content":"do the migration"}
	{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"run","input":{}},{"type":"tool_use","id":"t2","name":"run","input":{}}]}
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"migration done"}]}
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"migration two"},{"type":"text","text":"now the next"}]}
	{"role":"assistant","content":"migration ready"}
	END
	ctx-append -q --create -s a <in
	roles() {
		[ "$(found --role tool migration | tr ' ' '\n' | sort | xargs)" = 'a/3 a/4' ]
		[ "$(found --role user migration | tr ' ' '\n' | sort | xargs)" = 'a/1 a/4' ]
		[ "$(found --role assistant migration)" = 'a/5 ' ]
		[ "$(found --role tool --role user migration | wc -w)" = 3 ]
	}
	roles
	ctx-archive -s a --to "$PWD/arch" --cleanup >/dev/null 2>&1
	roles
	ctx-search --role tool migration | jq -se 'all(.message.role == "user")' >/dev/null
	ctx-check -q --rebuild
	roles
}

@test 'only the best of many matches are printed' {
	for i in $(seq 30); do echo '{"role":"user","content":"apple and so on"}'; done |
		ctx-append --create -s a >/dev/null
	say b 'apple apple apple'
	[ "$(found -n 1 apple)" = 'b/1 ' ]
	[ "$(found apple | wc -w)" = 10 ]
	[ "$(found -n 100 apple | wc -w)" = 31 ]
	status 1 ctx-search -n 0 apple
}

@test '--context prints neighbors in order and none twice' {
	say a one two plum four plum six seven
	[ "$(found -n 1 --context 1 plum)" = 'a/4 a/5 a/6 ' ]
	[ "$(found --context 1 plum | wc -w)" = "$(found --context 1 plum | tr ' ' '\n' | sort -u | grep -c .)" ]
	ctx-search -n 1 --context 1 plum | jq -s -e '[.[] | has("score")] == [false, true, false]' >/dev/null
}

@test '--context marks every match, and prints neighboring matches and their context once and in order' {
	say a 'zebra 1' 'zebra zebra 2' other 'zebra 3' five six seven eight 'zebra 4 and more words to it'
	ctx-search --context 1 zebra >out
	jq -r '"\(.seq)\(if has("score") and has("snippet") then "!" else "" end)"' out |
		xargs | same - '1! 2! 3 4! 5 8 9!'
	[ "$(ctx-search zebra | wc -l)" = 4 ]
	ctx-search -n 1 --context 2 zebra | jq -c '[.seq, has("score")]' | xargs | same - '[1,false] [2,true] [3,false] [4,false]'
	[ "$(found --context 9007199254740992 zebra)" = 'a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 ' ]
	# more context than is read at once
	for i in $(seq 600); do echo '{"role":"user","content":"long"}'; done | ctx-append -q --create -s b
	say b yak
	ctx-search --context 700 yak | jq .seq | same - "$(seq 601)"
}

@test '--context works in archived sessions' {
	say a one two plum four five
	ctx-archive -s a --to "$PWD/arch" --cleanup >/dev/null 2>&1
	ctx-search --context 1 plum >out
	jq -c '[.seq, .message.role, .message.content, has("score"), has("snippet"), (.archive.uri | length > 0)]' out |
		same - '[2,"assistant","two",false,false,true]
[3,"user","plum",true,true,true]
[4,"assistant","four",false,false,true]'
	[ "$(found --context 100 plum)" = 'a/1 a/2 a/3 a/4 a/5 ' ]
}

@test 'appended messages are found immediately, and --no-catch-up searches only what is indexed' {
	say a 'first mango'
	[ "$(found mango | wc -w)" = 1 ]
	say a 'second mango'
	[ "$(found --no-catch-up mango | wc -w)" = 1 ]
	[ "$(found mango | wc -w)" = 2 ]
}

# count_found N: N messages must be found, each printed once.
count_found() {
	ctx-search -n 100 needle >hits
	[ "$(wc -l <hits)" = "$1" ]
	[ "$(jq -c '[.session_id, .seq]' hits | sort -u | wc -l)" = "$1" ]
}

@test 'messages archived before they were indexed are found by the next search' {
	for s in a b c; do
		ctx-append -q --create -s $s -t "needle one of $s"
	done
	count_found 3
	for s in a b c d; do
		ctx-append -q --create -s $s -t "needle two of $s" -t "$(seq -f 'needle %g' 500 | tr '\n' ' ')"
	done
	ctx-list | ctx-archive -q --to there --cleanup >/dev/null
	ctx-stats --format prometheus | grep -q '^ctx_index_behind_messages 8$'
	ctx-archive -q --restore -s b >/dev/null
	ctx-append -q -s b -t 'needle after'
	ctx-delete -q -s c --purge >/dev/null
	mkdir saved
	cp -r "$CTX_STORE" "$CTX_STORE-derived" there saved
	count_found 9
	ctx-stats --format prometheus | grep -q '^ctx_index_behind_messages 0$'
	count_found 9
	ctx-check -q
	ctx-delete -q -s d -s b --purge >/dev/null
	count_found 3
	ctx-check -q --rebuild
	count_found 3
	# in three ways: a purge before the search, a search in one session, and a rebuilt index
	rm -r "$CTX_STORE"* there
	cp -r saved/there there
	cp saved/ctx.db* "$(dirname "$CTX_STORE")"
	ctx-search -s a needle >hits
	[ "$(wc -l <hits)" = 3 ]
	ctx-delete -q -s a --purge >/dev/null
	count_found 6
	ctx-check -q
	rm -r "$CTX_STORE"* there
	cp -r saved/there there
	cp saved/ctx.db* "$(dirname "$CTX_STORE")"
	ctx-check -q --rebuild
	count_found 9
	ctx-check -q
}

@test 'a lost or damaged index is rebuilt' {
	say a mango
	found mango
	rm "$CTX_STORE-derived"*
	[ "$(found mango)" = 'a/1 ' ]
	printf 'garbage garbage garbage' >"$CTX_STORE-derived"
	rm -f "$CTX_STORE-derived-wal" "$CTX_STORE-derived-shm"
	[ "$(found mango)" = 'a/1 ' ]
	# tables of another version are not read
	sqlite3 "$CTX_STORE-derived" 'DROP TABLE recount; PRAGMA user_version = 1'
	[ "$(found mango)" = 'a/1 ' ]
	[ "$(sqlite3 "$CTX_STORE-derived" 'SELECT count(*) FROM recount')" = 0 ]
}

@test 'hidden messages are found, deleted sessions are not' {
	say a mango pear
	say b mango
	ctx-search mango >/dev/null
	sqlite3 "$CTX_STORE" "UPDATE session SET status = 2 WHERE session_id = 'b';
		INSERT INTO hidden SELECT no << 32 | 1, no << 32 | 1, 1 FROM session WHERE session_id = 'a'"
	[ "$(found mango)" = 'a/1 ' ]
}

@test 'twenty searches at the same time index every message once' {
	for i in $(seq 500); do echo '{"role":"user","content":"grape word'$i'"}'; done |
		ctx-append --create -s a >/dev/null
	seq 20 | xargs -P 20 -I{} sh -c 'ctx-search -n 1000 grape | wc -l' >counts
	[ "$(sort -u counts)" = 500 ]
	[ "$(sqlite3 "$CTX_STORE-derived" "SELECT cnt FROM (SELECT count(*) AS cnt FROM fulltext WHERE fulltext MATCH 'grape')")" = 500 ]
}

@test 'archived sessions are found without being restored, and after a restore they are still found only once' {
	say a 'a rare quokka' 'indeed'
	say b 'another thing'
	ctx-archive -s a --to "$PWD/arch" --cleanup >/dev/null 2>&1
	ctx-search quokka >out
	jq -e '.session_id == "a" and .seq == 1 and .snippet == "a rare quokka"
		and .message.role == "user" and (.archive.uri | length) > 0' out >/dev/null
	[ "$(found --role user quokka)" = 'a/1 ' ]
	status 1 ctx-search --role assistant quokka
	ctx-archive --restore "$(jq -r .archive.uri out)" >/dev/null 2>&1
	ctx-search quokka | jq -s -e 'length == 1 and (.[0] | has("archive") | not)' >/dev/null
}

@test 'a purge leaves no word in the index' {
	say a 'secretword here'
	say b 'other' 
	say c 'secretword too'
	ctx-search secretword >/dev/null
	ctx-archive -s c --to "$PWD/arch" --cleanup >/dev/null 2>&1
	ctx-delete --purge -s a >/dev/null 2>&1
	[ "$(found secretword)" = 'c/1 ' ]
	ctx-delete --purge -s c >/dev/null 2>&1
	status 1 ctx-search secretword
	(! grep -q 'secretw' "$CTX_STORE-derived" "$CTX_STORE-derived-wal")
	[ "$(found other)" = 'b/1 ' ]
}

@test 'a missing store gives exit status 5' {
	status 5 ctx-search x 2>err
	grep -q '^ctx-search: no store' err
}

@test 'messages that are in the index but not in the store are not printed' {
	ctx-append -q --create -s s -t 'findable one'
	cp "$CTX_STORE" older.db
	[ ! -e "$CTX_STORE-wal" ] || cp "$CTX_STORE-wal" older.db-wal
	ctx-append -q -s s -t 'findable two'
	[ "$(ctx-search findable | wc -l)" = 2 ]
	# the store is replaced by an older copy, and the index is not
	rm "$CTX_STORE" "$CTX_STORE-wal" "$CTX_STORE-shm"
	mv older.db "$CTX_STORE"
	[ ! -e older.db-wal ] || mv older.db-wal "$CTX_STORE-wal"
	ctx-search findable >out
	[ "$(jq -r .message.content out)" = 'findable one' ]
}

@test 'the context of a match is printed even if the session is archived meanwhile' {
	for i in $(seq 4000); do printf '{"role":"user","content":"word%s %0200d"}\n' "$i" 0; done |
		ctx-append -q --create -s a
	mkfifo pipe
	ctx-search --context 4000 word1 >pipe &
	exec 7<pipe
	read -r first <&7
	ctx-archive -q -s a --cleanup --to place >/dev/null
	{ printf '%s\n' "$first"; cat <&7; } >out
	exec 7<&-
	wait $!
	jq -r .seq out | same <(seq 4000)
	tail -1 out | jq -e '.archive.cleaned' >/dev/null
}

@test 'a session that is purged while matches are printed is skipped' {
	for i in $(seq 3000); do printf '{"role":"user","content":"word%s %0200d"}\n' "$i" 0; done |
		ctx-append -q --create -s a
	ctx-append -q --create -s b -t 'word1 word1 word1'
	ctx-append -q --create -s c -t 'a longer text in which there is word1, too, among others'
	mkfifo pipe
	ctx-search --context 4000 word1 >pipe &
	exec 7<pipe
	read -r first <&7
	jq -e '.session_id == "b"' <<<"$first" >/dev/null
	ctx-delete -q -s a --purge >/dev/null
	ctx-delete -q -s c --purge >/dev/null
	cat <&7 >out
	exec 7<&-
	wait $!
	[ "$(jq -r .session_id out | sort -u)" != c ]
	[ "$(wc -l <out)" -lt 3001 ]
}

@test 'a search in one session does not wait for the indexing of others' {
	for s in a b; do
		ctx-append -s $s --create -q -t 'Where is the harbour?'
	done
	ctx-search -s b harbour | jq -r 'select(.kind == "message").session_id' | same - b
	sqlite3 "$CTX_STORE-derived" "SELECT session_no FROM mark WHERE kind = 'fulltext'" | same - 2
	ctx-search harbour | jq -s 'map(select(.kind == "message")) | length' | same - 2
}
