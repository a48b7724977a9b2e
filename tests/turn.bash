# For tests of ctx-turn: a test server that answers as planned in a file.

setup() {
	isolate
	command -v python3 >/dev/null || skip 'no python3'
	unset OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY
	unset OPENAI_BASE_URL ANTHROPIC_BASE_URL GOOGLE_GEMINI_BASE_URL http_proxy https_proxy
	mkdir served
	python3 "$ROOT/tests/tools/provider_server.py" "$PWD/served" >/dev/null 2>server.err 3>&- &
	server=$!
	for _ in {1..200}; do
		[ ! -s served/port ] || break
		kill -0 $server || { cat server.err; return 1; }
		sleep 0.05
	done
	base=http://127.0.0.1:$(<served/port)
	export OPENAI_BASE_URL=$base/v1 ANTHROPIC_BASE_URL=$base GOOGLE_GEMINI_BASE_URL=$base
	export PATH=${PATH/$ROOT\/tests\/bin:/}   # the real curl
}

teardown() {
	[ -z "${server-}" ] || kill $server 2>/dev/null || true
}

plan() {
	printf '%s\n' "$@" >>served/plan
}

turn() {
	ctx-turn -s s -p "${p:-openai}" --model m --retry-wait 0 "$@"
}

messages() {
	ctx-window -s s -n 1000 | jq -r 'select(.kind == "message") | "\(.message.role) \(.message.content | if type == "string" then . else map(.text // .content // .type) | join(",") end)"'
}

# Runs a turn without a terminal, and sends it a signal as soon as FILE is not empty. The signal goes
# to the process or, if its name is preceded by -, to the process group. Prints the exit status of
# the turn. The output of the turn is in the files out and err. If $sh is set, this shell runs it.
interrupt() { # SIGNAL FILE ARGUMENT...
	rm -f "$2"
	sh=${sh-} python3 - "$@" <<-'X'
		import os, shutil, signal, subprocess, sys, time
		sig, path, *more = sys.argv[1:]
		turn = [os.environ["sh"], shutil.which("ctx-turn")] if os.environ["sh"] else ["ctx-turn"]
		p = subprocess.Popen([*turn, "-s", "s", "-p", os.environ.get("p", "openai"), "--model", "m", *more],
		                     start_new_session=True, stdin=subprocess.DEVNULL, stdout=open("out", "w"), stderr=open("err", "w"),
		                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
		while not os.path.exists(path) or not os.path.getsize(path):
		    assert p.poll() is None, open("err").read()
		    time.sleep(0.02)
		send = os.killpg if sig[0] == "-" else os.kill
		send(p.pid, getattr(signal, "SIG" + sig.strip("-")))
		try:
		    print(p.wait(30))
		except subprocess.TimeoutExpired:
		    os.killpg(p.pid, signal.SIGKILL)
		    raise
	X
}

await_file() { # FILE
	for _ in {1..600}; do [ ! -e "$1" ] || return 0; sleep 0.05; done
	return 1
}

await_end() { # PID...
	local pid
	for pid; do
		for _ in {1..600}; do
			case $(cat /proc/$pid/stat 2>/dev/null) in '' | *') Z '*) continue 2 ;; esac
			sleep 0.05
		done
		return 1
	done
}
