load helper

# on_terminal COLUMNS COMMAND…: prints what the command writes to a terminal of this width.
on_terminal() {
	TERM=xterm python3 "$ROOT/tests/tools/terminal.py" "$@"
}

some_sessions() {
	CTX_NOW=2025-12-31T03:04:05Z ctx-append -q --create -s lisbon-trip -t 'Find me a
	flight to Lisbon, please: one that leaves in the morning and is not too dear' \
		-t 'With a window seat'
	CTX_NOW=2026-01-02T00:00:00Z ctx-new --id empty --title 'Nothing yet' >/dev/null
	ctx-append -q --create -s café -t 'Où est le café 漢字?'
}

@test 'the table has short ids, ages, and titles or first questions, newest first' {
	some_sessions
	ctx-ls >out 2>err
	[ ! -s err ]
	same out <<-'END'
	ID           ACTIVE   MSGS  TOKENS  STATUS  TITLE
	café         now         1      11  open    Où est le café 漢字?
	empty        3 hours     0       0  active  Nothing yet
	lisbon-trip  2 days      2      34  open    Find me a flight to Lisbon, please: one that leaves in the morning and is not too dear
	END
}

@test 'UUIDs are abbreviated to unique endings, which commands accept as ids' {
	sid=$(ctx-new -1 --title one)
	ctx-new -1 --title two >/dev/null
	short=$(ctx-ls | awk '$NF == "one" { print $1 }')
	[ "${#short}" -ge 8 ] && [ "${#short}" -lt 12 ]
	[ "${sid%"$short"}" != "$sid" ]
	ctx-show -s "$short" | grep -q "$sid"
}

@test 'ctx-ls shows which sessions wait for an answer' {
	states() { ctx-ls "$@" | awk 'NR > 1 { print $1, $5 }' | sort | paste -sd ' '; }
	call='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]}'
	answer='{"role":"assistant","content":"Yes"}'
	ctx-append -q --create -s question -t One
	echo "$answer" | ctx-append -q --create -s end
	echo "$call" | ctx-append -q --create -s call
	{ echo "$call"; echo '{"role":"tool","tool_call_id":"a","content":"x"}'; } | ctx-append -q --create -s result
	ctx-append -q --create -s fail -t One
	ctx-window -s fail | ctx-prune -b 4000 | ctx-render -p openai --request r >/dev/null
	status 4 ctx-append -q --request r <<<'{"error":{"message":"no","type":"x"}}' 2>/dev/null
	[ "$(states)" = 'call open end active fail failed question open result open' ]
	[ "$(ctx-ls --tsv | cut -f 5 | sort -u)" = active ]
	ctx-ls --color always | grep '^[^ ]*fail' | grep -q $'\033\[[0-9;]*mfailed'
	# after another question or an answer
	ctx-append -q -s fail -t Two
	[ "$(states | grep -o 'fail [a-z]*')" = 'fail open' ]
	echo "$answer" | ctx-append -q -s fail
	[ "$(states | grep -o 'fail [a-z]*')" = 'fail active' ]
	ctx-delete -q -s call
	[ "$(states -a | grep -o 'call [a-z]*')" = 'call deleted' ]
}

@test '--sort, -n and filters select sessions' {
	some_sessions
	ids() { ctx-ls "$@" | sed 1d | sed 's/ .*//' | paste -sd ' '; }
	[ "$(ids)" = 'café empty lisbon-trip' ]
	[ "$(ids -r)" = 'lisbon-trip empty café' ]
	[ "$(ids --sort created)" = 'café empty lisbon-trip' ]
	[ "$(ids --sort messages)" = 'lisbon-trip café empty' ]
	[ "$(ids --sort tokens -n 1)" = lisbon-trip ]
	[ "$(ids --sort title)" = 'lisbon-trip empty café' ]
	[ "$(ids --idle 1d)" = lisbon-trip ]
	[ -z "$(ctx-ls -u nobody)" ]
	ctx-delete -q -s empty >/dev/null
	[ "$(ids --status deleted)" = empty ]
	ctx-ls --status deleted | grep -q deleted
	status 2 ctx-ls --sort size 2>err
	grep -q "'size' is not active, created" err
}

@test '--tsv prints full values for scripts' {
	some_sessions
	ctx-ls --tsv -n 1 --reverse >out
	printf 'lisbon-trip\t2025-12-31T03:04:05.000Z\t2\t34\tactive\tFind me a flight to Lisbon, please: one that leaves in the morning and is not too dear\n' |
		same out
}

@test 'on a terminal, the width, colors and UTF-8 support are respected' {
	some_sessions
	export CTX_PAGER=cat
	on_terminal 60 ctx-ls >out
	grep -q $'\033\[0;36mcafé\033\[0m' out
	sed 's/\x1b\[[0-9;]*m//g' out | same - 'ID           ACTIVE   MSGS  TOKENS  STATUS  TITLE
café         now         1      11  open    Où est le café…
empty        3 hours     0       0  active  Nothing yet
lisbon-trip  2 days      2      34  open    Find me a fligh…'
	NO_COLOR=1 on_terminal 60 ctx-ls >out
	! grep $'\033' out || false
	TERM=dumb python3 "$ROOT/tests/tools/terminal.py" 60 ctx-ls >out
	! grep $'\033' out || false
	NO_COLOR=1 LC_ALL=C on_terminal 60 ctx-ls >out
	! LC_ALL=C grep '[^ -~]' out || false
	grep -q '^cafe .*  Ou est le .*\.\.\.$' out
	ctx-ls --color always | grep -q $'\033'
	status 2 ctx-ls --color sometimes 2>err
	grep -q "'sometimes' is not auto" err
}

@test 'a pager is used only on a terminal' {
	some_sessions
	export NO_COLOR=1 CTX_PAGER='sed s/^/paged:/'
	on_terminal 80 ctx-ls | grep -c '^paged:' | same - 4
	ctx-ls | grep -c '^paged:' | same - 0
	on_terminal 80 ctx-ls --no-pager | grep -c '^paged:' | same - 0
	PAGER='sed s/^/paged:/' CTX_PAGER='' on_terminal 80 ctx-ls | grep -c '^paged:' | same - 4
	CTX_PAGER='head -n 1' on_terminal 80 ctx-ls >out   # one that ends early
	[ "$(wc -l <out)" = 1 ]
}

@test 'titles cannot send control sequences to the terminal' {
	ctx-new --id x --title $'red \033[31m\nand \xe2\x80\xaeturned' >/dev/null
	ctx-ls | grep -F 'red \x1b[31m and turned'
}

@test 'the first question of an archived session is shown' {
	some_sessions
	ctx-archive -q -s lisbon-trip --to archive --cleanup >/dev/null
	ctx-ls --status archived | grep -q '^lisbon-trip .* archived  Find me a flight'
}

@test 'on a narrow terminal titles remain, and no line is wider than the terminal' {
	ctx-append -q --create -s 0197-trip -t 'How do I get from Rotterdam to Hull by ferry?'
	for columns in 60 44 30 20; do
		TERM=xterm NO_COLOR=1 CTX_PAGER=cat LC_ALL=C.UTF-8 \
			python3 "$ROOT/tests/tools/terminal.py" $columns ctx-ls >out
		[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le $columns ] || { echo $columns; cat out; return 1; }
		grep -q 'TI' out
	done
	TERM=xterm NO_COLOR=1 CTX_PAGER=cat python3 "$ROOT/tests/tools/terminal.py" 44 ctx-ls >out
	grep -q 'How do I get' out
}
