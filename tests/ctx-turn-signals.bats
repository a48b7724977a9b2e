# Signals to ctx-turn.
load helper
load turn

@test 'an interrupted or killed turn leaves no text and no key in TMPDIR' {
	local i sig
	export TMPDIR=$PWD/tmp OPENAI_API_KEY=k-secret
	mkdir tmp
	ctx-new --id s >/dev/null
	for sig in INT TERM HUP KILL; do
		rm -f served/requests
		plan 'status 500'
		python3 - $sig <<-'X'
			import os, signal, subprocess, sys, time
			p = subprocess.Popen(["ctx-turn", "-s", "s", "-p", "openai", "--model", "m", "--retry-wait", "100", "a secret"],
			                     start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
			                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
			while not os.path.exists("served/requests") or not os.path.getsize("served/requests"):
			    assert p.poll() is None
			    time.sleep(0.02)
			# another turn does not remove this turn's directory
			before = sorted(os.listdir("tmp"))
			subprocess.run(["ctx-turn", "-q", "-s", "s", "-p", "openai", "--model", "m", "--dry-run", "x"],
			               stdout=subprocess.DEVNULL, check=True)
			assert before and sorted(os.listdir("tmp")) == before, (before, os.listdir("tmp"))
			os.killpg(p.pid, getattr(signal, "SIG" + sys.argv[1]))
			p.wait(60)
		X
		# the next turn removes a killed turn's directory after the killed turn's request has ended
		for i in {1..100}; do
			[ $sig = KILL ] || break
			ctx-turn -q -s s -p openai --model m --dry-run x >/dev/null
			[ -n "$(ls tmp)" ] || break
			sleep 0.1
		done
		[ -z "$(ls tmp)" ] || { echo "$sig: $(ls -R tmp)"; return 1; }
	done
}

@test 'a signal ends the request, and the received text is stored' {
	local sig expected
	while read -r p sig expected; do
		export p
		rm -f served/gone
		plan 'stall Once upon a time'
		interrupt $sig out --create "Tell, $sig" | same - $expected
		same err <<<'ctx-turn: interrupted: run the same command again to go on'
		await_file served/gone
		ctx-show -s s | tail -n 1 | jq -e '.status == "failed" and .partial != null' >/dev/null
		turn "Tell, $sig" | same - OK
	done <<-'X'
		openai TERM 143
		anthropic INT -2
		gemini HUP 129
		responses -TERM 143
		interactions -HUP 129
	X
	unset p
	[ "$(messages | wc -l)" = 10 ]
	# the next turn waits until the killed turn has stored the received text
	rm -f served/gone
	plan 'stall Once more'
	interrupt KILL out 'Tell again' | same - -9
	turn -q 'Tell again' | same - OK
	await_file served/gone
	ctx-show -s s | grep -c '"partial":' | same - 6
	# a signal before a retry, while the question is read, and while waiting for another turn
	plan 'status 503 1000'
	interrupt TERM err 'Now?' | same - 143
	turn 'Now?' | same - OK
	mkfifo pipe
	exec 5<>pipe
	mkdir tmp
	TMPDIR=$PWD/tmp ctx-turn -s s -p openai --model m --params pipe 'Well?' 2>err 3>&- &
	pid=$!
	until find tmp -name given | grep -q .; do kill -0 $pid; done
	kill -TERM $pid
	status 143 wait $pid
	[ -z "$(ls tmp)" ]
}

@test 'a signal ends the tools, and complete results are stored' {
	cat >tool <<-'END'
	#!/bin/sh
	n=$(jq .n)
	echo $n >>runs
	echo "result $n"
	[ -e quick ] || [ $n != 1 ] || {
		# the results of other parallel calls are complete
		until [ ! -e parallel ] || [ -s tmp/ctx-turn.*/status.1 -a -s tmp/ctx-turn.*/status.3 ]; do sleep 0.1; done
		sleep 1000 & echo $$ $! >pids; wait
	}
	END
	chmod +x tool
	mkdir tmp
	export TMPDIR=$PWD/tmp
	local sig o expected
	while read -r sig expected o; do
		rm -f quick runs parallel
		[ -z "$o" ] || touch parallel
		plan 'call look 3' 'text Done.'
		# shellcheck disable=SC2086
		interrupt $sig pids --create --tool-exec ./tool $o "Look, $sig $o" | same - $expected
		# shellcheck disable=SC2046
		await_end $(<pids)
		ctx-calls -s s >calls
		wc -l <calls | same - "$([ -n "$o" ] && echo 1 || echo 2)"
		touch quick
		plan
		turn -q --tool-exec ./tool "Look, $sig $o" | same - Done.
		sort runs | uniq -c | awk '{ print $2, $1 }' | paste -sd ' ' | same - '0 1 1 2 2 1'
	done <<-'X'
		TERM 143
		TERM 143 --parallel
		INT -2 --parallel
		KILL -9
	X
	[ "$(messages | grep -c '^tool')" = 12 ]
	# a tool that ignores the signal, and a tool that exits with status 0 on the signal
	for trap in "''" "'echo half; exit 0'"; do
		printf '#!/bin/sh\ntrap %s TERM\n[ -e quick ] || sleep 1000 &\necho $$ >pids\nuntil [ -e quick ]; do sleep 0.1; done; echo whole\n' "$trap" >tool
		rm -f quick
		plan 'call look' 'text Done.'
		interrupt TERM pids --tool-exec ./tool "Look, $trap" | same - 143
		# shellcheck disable=SC2046
		await_end $(<pids)
		touch quick
		plan
		turn -q --tool-exec ./tool "Look, $trap" | same - Done.
		messages | tail -n 2 | head -n 1 | same - 'tool whole'
	done
}

# Lists the shells that can be sh and are installed.
shells() {
	local name
	for name in dash bash mksh zsh; do
		command -v $name || true
	done
}

@test 'a signal ends ctx-turn with each shell, also while ctx-turn stores a result' {
	mkdir bin tmp
	export TMPDIR=$PWD/tmp
	# ctx-turn reads the id of a result with jq, which sends the signal the first time
	cat >bin/jq <<-END
	#!/bin/sh
	[ "\$*" != '-r .id' ] || [ ! -s to ] || {
		until [ -s pids ]; do sleep 0.1; done
		kill -s \$(cat to)
		rm to
	}
	exec $(command -v jq) "\$@"
	END
	cat >tool <<-'END'
	#!/bin/sh
	[ $(jq .n) = 0 ] || { sleep 1000 & echo $$ $! >pids; wait; }
	echo found
	END
	chmod +x bin/jq tool
	local shell sig target
	for shell in $(shells); do
		ln -sf "$shell" bin/sh
		while read -r sig target; do
			echo "$shell $sig $target"
			rm -f pids
			plan 'call look 2'
			# shellcheck disable=SC2016
			! PATH=$PWD/bin:$PATH setsid -w env --default-signal=$sig sh -c 'echo "$1" "${2:-$$}" >to
				exec sh "$(command -v ctx-turn)" -s s --create -p openai --model m --parallel --tool-exec ./tool Look' \
				sh $sig $target >out 2>err || return 1
			cat err
			grep -qx 'ctx-turn: interrupted: run the same command again to go on' err
			# shellcheck disable=SC2046
			await_end $(<pids)
			[ -z "$(ls tmp)" ]
			messages | tail -n 1 | same - 'tool found'
			ctx-calls -s s | wc -l | same - 1
			turn -q --tool-exec 'echo again #' Look | same - OK
		done <<-'X'
			INT
			TERM 0
		X
		rm -f served/gone
		plan 'stall Once upon a time'
		PATH=$PWD/bin:$PATH sh=sh interrupt INT out Tell >ended
		same err <<<'ctx-turn: interrupted: run the same command again to go on'
		await_file served/gone
		ctx-show -s s | tail -n 1 | jq -e '.status == "failed" and .partial != null' >/dev/null
		turn -q Tell | same - OK
	done
}
