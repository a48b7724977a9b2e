load helper

on_terminal() {
	TERM=xterm python3 "$ROOT/tests/tools/terminal.py" "$@"
}

sessions() {
	ctx-new --id lisbon --title 'To Lisbon' >/dev/null
	printf '%s\n' '{"role":"user","content":"Find me a flight.\nTo Lisbon.\nOr to Porto."}' \
		'{"role":"assistant","content":"Flights to Lisbon:\n- TP 100\n- TP 200\n\nAnd to Porto none."}' |
		ctx-append -q -s lisbon
	ctx-append -q --create -s other -t 'A train to Lisbon' -t 'Nothing of that'
}

@test 'ctx-grep prints the lines with the most matching words, grouped by session' {
	sessions
	ctx-grep lisbon flight >out
	same out <<-'END'
	lisbon:1:user: Find me a flight.
	lisbon:1:user: To Lisbon.
	lisbon:2:assistant: Flights to Lisbon:
	END
	ctx-grep train | same - 'other:1:user: A train to Lisbon'
	ctx-grep 'port*' --role assistant | same - 'lisbon:2:assistant: And to Porto none.'
	ctx-grep -s other lisbon | same - 'other:1:user: A train to Lisbon'
	ctx-grep --any train porto | cut -d : -f 1,2 | sort -u | paste -sd ' ' | same - 'lisbon:1 lisbon:2 other:1'
	status 1 ctx-grep nowhere >out
	[ ! -s out ]
	status 2 ctx-grep 2>err
	grep -q 'no query given' err
}

@test 'ctx-grep -C N prints N lines before and after each matching line' {
	sessions
	ctx-grep -C 1 -s lisbon --role assistant tp porto >out
	same out <<-'END'
	lisbon-2-assistant- Flights to Lisbon:
	lisbon:2:assistant: - TP 100
	lisbon:2:assistant: - TP 200
	lisbon-2-assistant- 
	lisbon:2:assistant: And to Porto none.
	END
}

@test 'a note says when there are more matches than printed' {
	ctx-append -q --create -s s -t 'one tea' -t 'two teas' -t 'three tea'
	ctx-grep -n 2 tea >out 2>err
	[ "$(wc -l <out)" = 2 ]
	grep -q 'are shown (--max N shows more)' err
	ctx-grep -q -n 2 tea 2>err >out
	[ ! -s err ]
	ctx-grep -n 3 tea 2>err >out
	[ ! -s err ]
}

@test 'on a terminal, matches have short ids and titles, marked words and shortened lines' {
	sessions
	ctx-append -q --create -s long -t "$(printf 'word %.0s' {1..50}) the needle $(printf 'word %.0s' {1..50})"
	export CTX_PAGER=cat
	NO_COLOR=1 on_terminal 60 ctx-grep train | same - 'other  A train to Lisbon
1 user: A train to Lisbon'
	on_terminal 60 ctx-grep train | grep -q $'A \033\[0;1;31mtrain\033\[0m to'
	NO_COLOR=1 on_terminal 60 ctx-grep needle >out
	grep -q '^1 user: ….*needle.*…$' out
	[ "$(wc -L <out)" -le 60 ]
}

@test 'archived sessions are searched too' {
	sessions
	ctx-archive -q -s lisbon --to archive --cleanup >/dev/null
	ctx-grep porto 2>err | grep -q '^lisbon:1:user: Or to Porto.'
}
