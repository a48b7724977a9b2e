#!/usr/bin/env python3
"""Measures the rows P21 to P23. usage: postgresql.py SOCKETDIR CTX_BIN ROUNDS SECONDS STORED"""
import glob
import os
import statistics
import subprocess
import sys
import threading
import time

place, commands, rounds, seconds, stored = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
env = dict(os.environ, PGHOST=place, PGUSER="ctx", PGDATABASE="ctx",
           CTX_STORE="postgresql:///ctx?host=%s&user=ctx" % place)
# The programs themselves, because Debian's psql in PATH is a wrapper in Perl.
bins = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1:] or [""]
PSQL, PGBENCH = (os.path.join(bins[0], name) for name in ("psql", "pgbench"))
BODY = '{"role":"user","content":"%s"}' % ("x" * 300)
WRITERS = 64


def run(*args):
    return subprocess.run(args, env=env, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


def ctx(name, *args):
    return run(os.path.join(commands, name), *args)


def sql(text):
    return run(PSQL, "-XqAtc", text)


def timed(fn, *args):
    start = time.perf_counter()
    fn(*args)
    return (time.perf_counter() - start) * 1000


def row(*fields):
    print(" | ".join(str(f) for f in fields), flush=True)


def one_append():
    ours, peer = [], []
    ctx("ctx-new", "--id", "p21")
    for i in range(rounds):
        ours.append(timed(ctx, "ctx-append", "-s", "p21", "-t", "x" * 300))
        peer.append(timed(sql, "INSERT INTO message (id, turn, role, type, created_at, token_count, "
                          "token_sum, tokenizer, tool_calls, crc, body) VALUES (%d, 1, 1, 1, 1, 1, 1, "
                          "0, 0, 1, '%s')" % ((77777 << 32) + i, BODY)))
    a, b = statistics.median(ours), statistics.median(peer)
    row("P21", "one durable append", "%.2f ms" % a, "psql -c INSERT %.2f ms" % b, "%.3f" % (a / b), "<= 1.5")


def long_appends():
    line = (BODY + "\n").encode()
    count = [0] * WRITERS
    processes = [subprocess.Popen([commands + "/ctx-append", "-s", "p22-%d" % i], env=env, bufsize=0,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) for i in range(WRITERS)]

    def feed(i):
        while time.time() < end:
            processes[i].stdin.write(line)
            answers[i].readline()
            count[i] += 1
        processes[i].stdin.close()

    answers = [os.fdopen(os.dup(p.stdout.fileno()), "rb") for p in processes]
    for p, answer in zip(processes, answers):  # all are connected
        p.stdin.write(line)
        answer.readline()
    threads = [threading.Thread(target=feed, args=(i,)) for i in range(WRITERS)]
    start = time.time()
    end = start + seconds
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for p in processes:
        p.wait()
    return sum(count) / (time.time() - start)


def bench(script):
    for line in run(PGBENCH, "-n", "-M", "extended", "-c", str(WRITERS), "-j", "2", "-T", str(seconds),
                    "-f", script).splitlines():
        if line.startswith("tps"):
            return float(line.split()[2])
    raise ValueError("pgbench printed no figure")


def many_appends():
    for i in range(WRITERS):
        ctx("ctx-new", "--id", "p22-%d" % i)
    sql("CREATE SEQUENCE p22 START 1000000")
    script = os.path.join(os.environ["WORK"], "p22.sql")
    with open(script, "w") as f:
        f.write("""BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT pg_current_xact_id()::text, set_config('lock_timeout', '5000', true), set_config('ctx.tenant', '', true), set_config('jit', 'off', true);
SELECT * FROM session WHERE session_id = 'p22-' || :client_id LIMIT 2 FOR NO KEY UPDATE;
INSERT INTO message (id, turn, role, type, created_at, token_count, tokenizer, tool_calls, crc, body, token_sum)
SELECT (no << 32) + nextval('p22'), 1, 1, 1, 1, 1, 0, 0, 1, '%s', 1 FROM session WHERE session_id = 'p22-' || :client_id;
UPDATE session SET updated_at = updated_at + 1 WHERE session_id = 'p22-' || :client_id;
COMMIT;
""" % BODY)
    pairs = [(long_appends(), bench(script)) for _ in range(3)]
    a, b = (statistics.median(p[i] for p in pairs) for i in (0, 1))
    row("P22", "64 appends to 64 sessions", "%d/s" % a, "pgbench %d/s" % b, "%.3f" % (a / b), ">= 0.7")


def windows():
    few = 10000
    for n in (few, stored):
        sid = "p23-%d" % n
        ctx("ctx-new", "--id", sid)
        ctx("ctx-append", "-s", sid, "-t", "first")
        sql("INSERT INTO message (id, turn, role, type, created_at, token_count, token_sum, tokenizer, "
            "tool_calls, crc, body) SELECT m.id + g, g + 1, m.role, m.type, m.created_at, m.token_count, "
            "m.token_sum + g * 5, 0, 0, m.crc, m.body FROM message m JOIN session s ON m.id = (s.no << 32) + 1, "
            "generate_series(1, %d) g WHERE s.session_id = '%s'" % (n - 1, sid))
        sql("UPDATE session SET last_seq = %d, last_turn = %d, message_count = %d WHERE session_id = '%s'"
            % (n, n, n, sid))
    sql("VACUUM ANALYZE message")
    times = {few: [], stored: []}
    for _ in range(rounds):
        for n in times:
            times[n].append(timed(ctx, "ctx-window", "-s", "p23-%d" % n, "-n", "20"))
    a, b = statistics.median(times[stored]), statistics.median(times[few])
    row("P23", "a window of 20 of %d messages" % stored, "%.2f ms" % a, "of %d: %.2f ms" % (few, b),
        "%.3f" % (a / b), "<= 1.15")


run(PSQL, "-Xqd", "postgres", "-c", "CREATE DATABASE ctx")
one_append()
many_appends()
windows()
