# Answers and results that ctx-turn cannot store and keeps in a file.
load helper
load turn

# break_append OPTION COMMAND: replaces ctx-append. While the file "full" exists, ctx-append runs COMMAND
# if its arguments contain OPTION (--request for answers, --result for results).
break_append() { # OPTION COMMAND
	mkdir bin
	printf '#!/bin/sh\n[ ! -e "%s/full" ] || case " $* " in *" %s "*) %s ;; esac\nexec "%s" "$@"\n' \
		"$PWD" "$1" "$2" "$CTX_BIN/ctx-append" >bin/ctx-append
	chmod +x bin/ctx-append
	cp "$CTX_BIN/ctx-turn" bin
	[ "${PATH%%:*}" = "$PWD/bin" ] || PATH=$PWD/bin:$PATH
	touch full
}

full='cat >/dev/null; echo "ctx-append: the store is full" >&2; exit 4'

# Prints the command that the message in a file names for storing a kept answer or result.
command_in() {
	sed -n 's/.*; to store it: //p' "$1"
}

@test 'an answer that cannot be stored is kept, and the printed command stores it' {
	ctx-new --id s >/dev/null
	break_append --request "$full"
	local i=0 answer
	for p in openai anthropic gemini responses interactions; do
		for answer in 'text Well, well.' 'call date 2'; do
			[ "$answer" = 'text Well, well.' ] || [ $p = anthropic ] || continue
			touch full
			: >served/requests
			plan "$answer"
			status 4 turn --tool-exec 'echo no; :' "Hello, $((i += 1))" >out 2>err
			cat err
			# the request is not sent again
			[ "$(wc -l <served/requests)" = 1 ]
			grep -q '^ctx-append: the store is full' err
			grep -q "^ctx-turn: the answer is kept in '$HOME/.local/state/ctx/ctx-answer-.*'; to store it: ctx-append -q " err
			command_in err >stores
			messages | tail -n 1 | same - "user Hello, $i"
			rm full
			sh stores
			[ -z "$(ls -A "$HOME/.local/state/ctx")" ]
			[ "$answer" = 'text Well, well.' ] || turn -q --tool-exec 'echo today #' | same - OK
			messages | tail -n 1 | grep -q '^assistant '
		done
	done
	messages | grep -c '^user today' | same - 2
}

@test 'an answer is kept if the disk of the store is full' {
	[ "${ENGINE-}" != postgresql ] || skip 'the store is no file'
	! sanitized || skip 'built with sanitizers, which come before any other library'
	ctx-new --id s >/dev/null
	local n
	for n in 1 3; do
		rm -rf bin
		break_append --request "export LD_PRELOAD=$CTX_BIN/tools/faults.so FAULT_CALLS=pwrite FAULT_AT=$n FAULT_HOW=ENOSPC FAULT_ON=forever
			exec $CTX_BIN/dynamic/ctx-append \"\$@\""
		plan 'call date'
		status 4 turn --tool-exec 'echo today; :' "Hello, $n" >out 2>err
		grep -qE '^ctx-append: store .*: (disk I/O error|database or disk is full)$' err
		command_in err >stores
		rm full
		sh stores
		turn --tool-exec 'echo today; :' | same - OK
	done
	messages | same - "$(printf 'user Hello, %s\nassistant \ntool today\nassistant OK\n' 1 3)"
	[ "$(wc -l <served/requests)" = 4 ]
}

@test 'if ctx-append fails, the whole answer is kept in a file, and the printed command names the store' {
	ctx-new --id s >/dev/null
	local store=$CTX_STORE
	break_append --request 'exit 5'
	unset CTX_STORE
	plan "text $(head -c 300000 /dev/zero | tr '\0' x)"
	status 5 turn -S "$store" Hello >out 2>err
	command_in err >stores
	tr -d "'" <stores | grep -F -- "ctx-append -S $store -q --request"
	rm full
	sh stores
	ctx-window -S "$store" -s s | jq -r 'select(.seq == 2).message.content' | wc -c | same - 300001
}

@test 'if no other directory can be used, an answer is kept in TMPDIR, where later turns do not remove it' {
	mkdir "it's tmp"
	export TMPDIR="$PWD/it's tmp" XDG_STATE_HOME=$PWD/no-directory
	touch no-directory
	ctx-new --id s >/dev/null
	break_append --request 'exit 4'
	status 4 turn Hello >out 2>err
	[ "$(ls "$TMPDIR" | wc -l)" = 1 ]
	command_in err >stores
	rm full
	turn --dry-run Hello >out
	sh stores
	[ -z "$(ls "$TMPDIR")" ]
	messages | tail -n 1 | same - 'assistant OK'
}

@test 'an answer that was stored but could not be printed is not kept in a file' {
	ctx-new --id s >/dev/null
	plan "text $(head -c 300000 /dev/zero | tr '\0' x)"
	turn Hello 2>err | head -c 1 >/dev/null || true
	status 4 turn Hello >/dev/full 2>err || true
	messages | grep -c '^assistant' | same - 2
	[ ! -e "$HOME/.local/state" ]
}

@test 'a partial answer is kept if a signal ends the turn and it cannot be stored' {
	ctx-new --id s >/dev/null
	break_append --request 'cat; echo "ctx-append: the failed request was not stored: full" >&2
		echo "ctx-append: openai: the answer broke off" >&2; exit 4'
	plan 'stall Once upon a time'
	interrupt TERM out Tell | same - 4
	grep -qx 'ctx-turn: interrupted: store the answer first' err
	command_in err >stores
	rm full
	status 4 sh stores 2>err
	ctx-show -s s | tail -n 1 | jq -e '.partial != null' >/dev/null
}

@test 'no request is sent if TMPDIR has no space for the answer' {
	ctx-new --id s >/dev/null
	(ulimit -f 1000 && status 4 turn Hello >out 2>err)
	grep -q '^ctx-turn: no space for an answer in ' err
	[ ! -e served/requests ]
	turn Hello | same - OK
}

@test 'a tool result that cannot be stored is kept in a file, and no further calls are run' {
	ctx-new --id s >/dev/null
	break_append --result "$full"
	local o n
	for o in '' --parallel; do
		touch full
		rm -f ran
		plan 'call look 3'
		# shellcheck disable=SC2086
		status 4 turn $o --tool-exec 'echo "$@" >>ran; echo found' "Look $o" >out 2>err
		cat err
		n=$(wc -l <ran)
		[ "$n" = "$([ -n "$o" ] && echo 3 || echo 1)" ]
		command_in err >stores
		wc -l <stores | same - "$n"
		rm full
		sh stores
		ctx-calls -s s | wc -l | same - $((3 - n))
		[ -z "$(ls -A "$HOME/.local/state/ctx")" ]
		turn -q --tool-exec 'echo "$@" >>ran; echo found' "Look $o" | same - OK
		[ "$(wc -l <ran)" = 3 ]
	done
	messages | grep -c '^tool found' | same - 6
}
