# No acknowledged message is lost, whatever fails, and a command that waits for a pipe holds no lock.
load helper

torture=${CTX_TORTURE:-0}   # 1: the long form; each test's own environment is bare

messages() {
	ctx-show -s "${1:-s}" | grep '"kind":"message"' || true
}

# sound SID: the store is intact, the sequence numbers have no gap, and the counters are correct.
sound() {
	[ "$(sqlite3 -cmd '.timeout 10000' "$CTX_STORE" 'PRAGMA integrity_check')" = ok ] || return
	messages "$1" >sound
	jq .seq sound | same <(seq "$(wc -l <sound)") || return
	[ "$(ctx-show -s "$1" | head -1 | jq -c '[.message_count,.last_seq,.token_count]')" = \
		"$(jq -sc '[length, length, (map(.token_count)|add // 0)]' sound)" ]
}

@test 'after kills at random moments, every acknowledged record is stored and none is incomplete' {
	ctx-new --id s -1 >/dev/null
	cat >torture.py <<-'END'
	import json, os, random, select, signal, subprocess, sys, time
	rounds = int(sys.argv[1])
	rnd = random.Random(7)
	acked, sent, n = {}, {}, 0
	for k in range(rounds):
	    p = subprocess.Popen(["ctx-append", "-s", "s"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
	    os.set_blocking(p.stdin.fileno(), False)
	    # half of the processes are killed at any moment, half after an acknowledgement
	    wait = rnd.random() * 0.03
	    end = time.monotonic() + (wait if k % 2 else 20)
	    # single messages, or many at once, which fill batches
	    many = rnd.choice([1, 1, 20, 2000])
	    buf, out = b"", b""
	    while time.monotonic() < end:
	        if not buf:
	            for _ in range(many):
	                text = "m%d %s" % (n, "x" * rnd.choice([0, 10, 3000]))
	                sent[text] = True
	                buf += json.dumps({"role": "user", "content": text}).encode() + b"\n"
	                n += 1
	        r, w, _ = select.select([p.stdout], [p.stdin], [], 0.002)
	        if w:
	            buf = buf[os.write(p.stdin.fileno(), buf[:65536]):]
	        if r:
	            if not out: end = time.monotonic() + wait
	            out += os.read(p.stdout.fileno(), 1 << 20)
	    p.send_signal(signal.SIGKILL)
	    out += p.stdout.read()
	    p.wait()
	    try: p.stdin.close()
	    except BrokenPipeError: pass
	    for line in out.split(b"\n")[:-1]:
	        rec = json.loads(line)
	        assert rec["seq"] not in acked, "seq %d acknowledged twice" % rec["seq"]
	        acked[rec["seq"]] = rec["message"]["content"]
	stored = {}
	show = subprocess.run(["ctx-show", "-s", "s"], stdout=subprocess.PIPE, check=True).stdout
	for line in show.splitlines():
	    rec = json.loads(line)
	    if rec["kind"] == "message":
	        assert rec["message"]["content"] in sent, "half a record"
	        stored[rec["seq"]] = rec["message"]["content"]
	assert len(set(stored.values())) == len(stored), "a message is there twice"
	lost = [s for s in acked if stored.get(s) != acked[s]]
	assert not lost, "lost: %s" % lost[:10]
	assert len(acked) >= rounds / 2, "too few acknowledgements (%d) for a test" % len(acked)
	print("%d rounds, %d acknowledged, %d stored" % (rounds, len(acked), len(stored)))
	END
	rounds=25
	[ "$torture" = 0 ] || rounds=200
	python3 torture.py $rounds
	sound s
}

@test 'after a kill, an atomic append is stored completely or not at all' {
	ctx-new --id s -1 >/dev/null
	seq -f '{"role":"user","content":"%g"}' 20000 >in
	for d in 0.005 0.02 0.05 0.08 0.12; do
		# wait until the killed process has ended
		ctx-append -q -s s --atomic <in 2>/dev/null & pid=$!
		sleep $d
		kill -9 $pid 2>/dev/null || true
		wait $pid || true
		n=$(ctx-list | jq .message_count)
		[ $((n % 20000)) = 0 ] || { echo "$n"; return 1; }
	done
	sound s
}

@test 'processes that append to one session at the same time lose no message, store none twice and leave no gap in the numbers' {
	ctx-new --id s -1 >/dev/null
	for p in 1 2 3 4 5 6 7 8; do
		seq -f "{\"role\":\"user\",\"content\":\"$p-%g\"}" 200 >in.$p
	done
	# four processes append everything at once; four wait for each acknowledgement
	for p in 1 2 3 4; do ctx-append -s s <in.$p >ack.$p & done
	for p in 5 6 7 8; do
		python3 - in.$p ack.$p <<-'END' &
		import subprocess, sys
		p = subprocess.Popen(["ctx-append", "-s", "s"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		with open(sys.argv[2], "wb") as ack:
		    for line in open(sys.argv[1], "rb"):
		        p.stdin.write(line)
		        p.stdin.flush()
		        ack.write(p.stdout.readline())
		p.stdin.close()
		sys.exit(p.wait())
		END
	done
	for j in $(jobs -p); do wait $j; done
	sound s
	[ "$(wc -l <sound)" = 1600 ]
	sort sound | same <(cat ack.* | sort)
	# messages of each process keep their order
	for p in 1 5; do
		jq -r .message.content sound | grep "^$p-" | same <(seq -f "$p-%g" 200)
	done
}

@test '20 processes append one message each at the same time' {
	ctx-new --id s -1 >/dev/null
	seq 60 | xargs -P 20 -I{} ctx-append -q -s s -t 'm{}'
	sound s
	jq -r .message.content sound | sort | same <(seq -f 'm%g' 60 | sort)
}

@test 'sessions that xargs creates in parallel each keep their own record' {
	seq -f '{"kind":"session","session_id":"s%g"}' 30 | ctx-new - >/dev/null
	ctx-list -1 | xargs -P 20 -I{} ctx-append -q -s {} -t hello
	[ "$(ctx-list | jq .message_count | sort | uniq -c | tr -s ' ')" = ' 30 1' ]
	ctx-list | ctx-append >/dev/null
	ctx-list | ctx-window | ctx-prune -b 1000 | grep -c '"kind":"request"' | grep -qx 30
}

@test 'two processes can create the store at once' {
	for i in $(seq 20); do
		export CTX_STORE=$BATS_TEST_TMPDIR/race$i/ctx.db
		ctx-new --id a -1 >one 2>&1 &
		a=$!
		ctx-append --create -s b -t x >two 2>&1 &
		b=$!
		wait $a || { cat one; return 1; }
		wait $b || { cat two; return 1; }
		[ "$(ctx-list -1 | sort | tr '\n' ' ')" = 'a b ' ]
	done
	# after a kill before the schema was created, the store can still be created
	export CTX_STORE=$BATS_TEST_TMPDIR/half.db
	sqlite3 "$CTX_STORE" 'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL' >/dev/null
	[ -s "$CTX_STORE" ]
	ctx-new -1 --id s | same - s
	sqlite3 "$CTX_STORE" 'PRAGMA integrity_check; PRAGMA journal_mode; PRAGMA auto_vacuum' |
		same - $'ok\nwal\n2'
}

@test 'a locked store gives exit status 75 after the busy timeout, and nothing is stored' {
	ctx-append --create -s s -t x >/dev/null
	coproc DB { sqlite3 "$CTX_STORE"; }
	echo 'BEGIN IMMEDIATE; SELECT 1;' >&"${DB[1]}"
	read -r -t 10 _ <&"${DB[0]}"
	export CTX_BUSY_TIMEOUT=300ms
	status 75 ctx-append -s s -t y >out 2>err
	grep -q '^ctx-append: .*busy' err
	[ ! -s out ]
	echo '{"role":"user","content":"z"}' | status 75 ctx-append -s s 2>err
	status 75 ctx-append -s s --busy-timeout 0s -t y 2>err
	status 75 ctx-new 2>err
	# reading works while the store is locked
	[ "$(ctx-window -s s | grep -c '"kind":"message"')" = 1 ]
	ctx-list >/dev/null
	ctx-show -s s >/dev/null
	# a waiting process continues when the lock is released
	CTX_BUSY_TIMEOUT=20s ctx-append -s s -t later >late &
	pid=$!
	echo 'COMMIT; SELECT 2;' >&"${DB[1]}"
	read -r -t 10 _ <&"${DB[0]}"
	wait $pid
	[ "$(jq .seq late)" = 2 ]
	eval "exec ${DB[1]}>&-"
	sound s
}

@test 'the busy timeout also applies to waiting for another ctx command' {
	ctx-append --create -s s -t x >/dev/null
	coproc LOCK { flock -x "$CTX_STORE-lock" sh -c 'echo held; read -r _'; }
	pid=$LOCK_PID
	read -r -t 10 _ <&"${LOCK[0]}"
	status 75 env CTX_BUSY_TIMEOUT=200ms ctx-append -s s -t y 2>err
	grep -q busy err
	echo go >&"${LOCK[1]}"
	wait $pid
	ctx-append -s s -t y | jq -e '.seq == 2' >/dev/null
}

@test 'a stopped reader does not block writers' {
	seq -f '{"role":"user","content":"%g"}' 20000 | ctx-append -q --create -s s
	for cmd in 'ctx-show -s s' 'ctx-window -s s -n 20000' 'ctx-list'; do
		mkfifo pipe
		exec 7<>pipe # open, and never read from
		$cmd >pipe &
		pid=$!
		read -r -N 10 -u 7 head # it is at work
		kill -STOP $pid 2>/dev/null || true
		CTX_BUSY_TIMEOUT=1s ctx-append -s s -t more >out
		CTX_BUSY_TIMEOUT=1s ctx-new -1 >/dev/null
		# the stopped reader does not prevent a checkpoint of the log
		[ "$(sqlite3 "$CTX_STORE" 'PRAGMA wal_checkpoint(TRUNCATE)' | cut -d'|' -f1)" = 0 ]
		kill -KILL $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
		exec 7>&-
		rm pipe
	done
}

@test 'an append whose output is not read does not block other writers' {
	ctx-new --id s -1 >/dev/null
	seq -f '{"role":"user","content":"%g"}' 20000 >in
	mkfifo pipe
	exec 7<>pipe
	ctx-append -s s <in >pipe &
	pid=$!
	read -r -N 10 -u 7 head
	CTX_BUSY_TIMEOUT=1s ctx-append -q -s s -t other
	kill -KILL $pid
	wait $pid || true
	exec 7>&-
	sound s
}

# paused COMMAND LINE1 LINE2: while the pipe is open, LINE1 is acknowledged, and another process can
# write after half of LINE2 has arrived.
paused() {
	local cmd=$1 one=$2 two=$3 ack
	coproc SLOW { $cmd; }
	pid=$SLOW_PID
	echo "$one" >&"${SLOW[1]}"
	read -r -t 10 ack <&"${SLOW[0]}"
	[ -n "$ack" ]
	printf %s "${two:0:5}" >&"${SLOW[1]}"
	CTX_BUSY_TIMEOUT=1s ctx-new --id "other-${cmd%% *}" -1 >/dev/null
	echo "${two:5}" >&"${SLOW[1]}"
	read -r -t 10 ack <&"${SLOW[0]}"
	[ -n "$ack" ]
	eval "exec ${SLOW[1]}>&-"
	wait "$pid"
}

@test 'records from an open pipe are stored immediately, and no lock is held while the pipe is silent' {
	paused 'ctx-new -1 -' '{"kind":"session","session_id":"a"}' '{"kind":"session","session_id":"b"}'
	paused 'ctx-item define' '{"type":"rule","name":"a","content":"x"}' \
	    '{"type":"rule","name":"b","content":"x"}'
	[ "$(ctx-list -1 | sort | tr '\n' ' ')" = 'a b other-ctx-item other-ctx-new ' ]
	[ "$(ctx-item list | wc -l)" = 2 ]
}

@test 'a copy of a store is switched to write-ahead logging, so that readers do not block writers' {
	ctx-append --create -q -s s -t first
	sqlite3 "$CTX_STORE" "VACUUM INTO 'copy.db'"
	[ "$(sqlite3 copy.db 'PRAGMA journal_mode')" = delete ]
	export CTX_STORE=$PWD/copy.db
	ctx-append -q -s s -t second
	[ "$(sqlite3 copy.db 'PRAGMA journal_mode')" = wal ]
	sound s
	[ "$(wc -l <sound)" = 2 ]
	# while another process reads the copy, the mode cannot change, but the message is stored
	sqlite3 copy.db "VACUUM INTO 'again.db'"
	export CTX_STORE=$PWD/again.db
	coproc READER { sqlite3 again.db; }
	pid=$READER_PID
	echo "BEGIN; SELECT count(*) FROM message;" >&"${READER[1]}"
	read -r n <&"${READER[0]}"
	[ "$n" = 2 ]
	status 75 ctx-append -q -s s --busy-timeout 50ms -t third 2>err
	echo "COMMIT; SELECT 'done';" >&"${READER[1]}"
	read -r n <&"${READER[0]}"
	ctx-append -q -s s -t third
	eval "exec ${READER[1]}>&-"
	wait "$pid"
	[ "$(sqlite3 again.db 'PRAGMA journal_mode')" = wal ]
	sound s
	[ "$(wc -l <sound)" = 3 ]
}

@test 'a full disk gives exit status 4, and acknowledged messages stay stored' {
	ctx-append --create -s s -t first >/dev/null
	seq -f '{"role":"user","content":"%g"}' 5000 >in
	# a limit of the file size simulates a full disk
	status 4 bash -c "trap '' XFSZ; ulimit -f 200; exec ctx-append -s s" <in >acks 2>err
	grep -q '^ctx-append: ' err
	sound s
	n=$(wc -l <sound)
	[ "$n" -lt 5001 ]
	comm -13 <(sort sound) <(sort acks) | same /dev/null
	ctx-append -q -s s -t last
	sound s
}

@test '--sync is full by default, and every mode stores messages' {
	for m in full normal off; do ctx-append --create -q -s s --sync $m -t x; done
	sound s
	[ "$(wc -l <sound)" = 3 ]
}

@test 'if the clock goes backwards, order, counters and windows stay correct' {
	export CTX_TTL=10d
	CTX_NOW=2026-03-01T00:00:00Z ctx-append -q --create -s s -t one
	CTX_NOW=2026-03-01T00:00:01Z ctx-append -q -s s --role assistant -t two
	export CTX_NOW=2025-12-31T00:00:00Z
	seq -f '{"role":"user","content":"later but earlier %g"}' 30 | ctx-append -q -s s
	ctx-window -s s -n 40 | jq -c 'select(.kind == "message") | .seq' | same <(seq 32)
	ctx-list | jq -e '.last_message_at == "2026-03-01T00:00:01.000Z" and .last_seq == 32' >/dev/null
	[ -z "$(ctx-list -1 --idle 1h; ctx-list -1 --expired)" ]
	ctx-window -s s | ctx-enrich -q | ctx-render -p openai --request req >/dev/null
	echo '{"choices":[{"message":{"role":"assistant","content":"answer"}}]}' | ctx-append -q --request req
	ctx-prune -s s --apply -b 100 >/dev/null
	ctx-summarize -q -s s --keep-last 3 >/dev/null
	ctx-search earlier -n 3 | jq -e .seq >/dev/null
	ctx-archive -q -s s --to place --cleanup >/dev/null
	CTX_NOW=2025-06-01T00:00:00Z ctx-archive -q -s s --restore >/dev/null
	ctx-show -s s | jq -c 'select(.kind == "message" and has("slot") == false) | .seq' | same <(seq 33)
	ctx-check -q
}

@test 'on a full disk, no command loses an acknowledged message, and commands work again after space is freed' {
	# mounting a file system may be forbidden even for root in a container
	mkdir small
	unshare -rm sh -c 'mount -t tmpfs -o size=1m none small' 2>/dev/null || skip 'no file system can be mounted'
	cat >full <<-'END'
	set -eu
	mount -t tmpfs -o size=1m none small
	export CTX_STORE=$PWD/small/ctx.db
	ctx-append -q --create -s s -t first
	got=0
	seq -f '{"role":"user","content":"message %g with some words in it"}' 20000 >in
	ctx-append -s s <in >acks 2>err || got=$?
	[ $got = 4 ] || { echo "append: $got"; cat err; exit 1; }
	[ "$(wc -l <err)" = 1 ]
	for c in 'ctx-new --id n' 'ctx-prune -s s --apply -b 100' 'ctx-summarize -s s --keep-last 5' \
		'ctx-search message' 'ctx-check --catch-up' 'ctx-check --backup small/copy.db' \
		'ctx-archive -s s --to small/place --cleanup' 'ctx-window -s s' 'ctx-delete -s n'; do
		got=0
		$c >out 2>err || got=$?
		case $got in 0 | 1 | 4) ;; *) echo "$c: $got"; cat err; exit 1 ;; esac
	done
	ctx-show -s s | grep '"kind":"message"' | sort >there
	[ "$(grep -v '"seq":1,' acks | grep -v slot | sort | comm -13 there - | wc -l)" = 0 ]
	[ ! -e small/copy.db ] || sqlite3 small/copy.db 'PRAGMA integrity_check' | grep -qx ok
	mount -o remount,size=64m small
	ctx-append -q -s s -t last
	ctx-check -q
	END
	unshare -rm bash full
}
