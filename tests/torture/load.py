#!/usr/bin/env python3
"""usage: load.py BIN SECONDS [WRITERS [READERS]]

Writers, readers and an archiver on one store at once. Half of the writers feed one
long-lived ctx-append each, message by message; the others start a ctx-append for each. The
archiver archives sessions that rest, cleans them up, and brings some of them back. A meddler
prunes, summarises, forks, indexes anew and undoes, and is stopped at random moments for a
while. In the end every acknowledged message must be there, without a gap, and nothing else,
and what is derived must be what it is when it is derived anew; nobody was told that the store
is busy. Prints figures; exits 1 when a promise was broken."""
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

bin, seconds = sys.argv[1], float(sys.argv[2])
n_writers = int(sys.argv[3]) if len(sys.argv) > 3 else 16
n_readers = int(sys.argv[4]) if len(sys.argv) > 4 else 4

lock = threading.Lock()
acknowledged = collections.defaultdict(dict)   # session id -> seq -> text
sent = collections.defaultdict(set)
resting = []                                   # sessions that their writers have left
wrong = []
counts = collections.Counter()
slowest = collections.Counter()


def complain(text):
    with lock:
        wrong.append(text)


def run(env, argv, stdin=b"", fine=(0,), excuse=None):
    """excuse: what status 1 may say, of a session that the meddler was faster with."""
    begun = time.monotonic()
    p = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    with lock:
        counts[argv[0]] += 1
        slowest[argv[0]] = max(slowest[argv[0]], time.monotonic() - begun)
    excused = p.returncode == 1 and excuse is not None and excuse in p.stderr.decode()
    if p.returncode not in fine and not excused:
        complain("%s: %d %s" % (" ".join(argv), p.returncode, p.stderr.decode()[-300:]))
    return p


def took(sid, line, text):
    record = json.loads(line)
    if record["message"]["content"] != text or record["session_id"] != sid:
        complain("%s: not what was sent: %s" % (sid, line[:200]))
    with lock:
        if record["seq"] in acknowledged[sid]:
            wrong.append("%s: seq %d given twice" % (sid, record["seq"]))
        acknowledged[sid][record["seq"]] = text
        counts["messages"] += 1


def text_of(rnd, name, n):
    return "%s-%d %s" % (name, n, "x" * rnd.choice([0, 20, 200, 5000]))


def stream(env, sid, rnd, name, n, end):
    """One process, a message after the other; returns how many."""
    p = subprocess.Popen(["ctx-append", "-s", sid, "--create"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    for i in range(n):
        text = text_of(rnd, name, i)
        sent[sid].add(text)
        begun = time.monotonic()
        p.stdin.write(json.dumps({"role": "user", "content": text}).encode() + b"\n")
        p.stdin.flush()
        line = p.stdout.readline()
        if not line:
            break
        with lock:
            slowest["message"] = max(slowest["message"], time.monotonic() - begun)
        took(sid, line, text)
        if time.monotonic() > end:
            break
    p.stdin.close()
    err = p.stderr.read().decode()
    p.stdout.close()
    p.stderr.close()
    if p.wait() != 0:
        complain("ctx-append -s %s: %d %s" % (sid, p.returncode, err[-300:]))


def writer(env, k, end):
    """Its own session after session, and one that all write to."""
    rnd = random.Random(k)
    life = 0
    while time.monotonic() < end:
        sid = "w%d-%d" % (k, life)
        life += 1
        if k % 2 == 0:
            stream(env, sid, rnd, sid, 16, end)
            stream(env, "common", rnd, "c" + sid, 8, end)
        else:
            for i in range(6):
                target = "common" if i % 3 == 2 else sid
                text = text_of(rnd, "%s/%d" % (sid, i), i)
                sent[target].add(text)
                p = run(env, ["ctx-append", "--create", "-s", target, "-t", text])
                if p.returncode == 0:
                    took(target, p.stdout, text)
        with lock:
            resting.append(sid)


def reader(env, k, end):
    rnd = random.Random(1000 + k)
    while time.monotonic() < end:
        with lock:
            sid = rnd.choice(sorted(acknowledged) or ["common"])
            least = len(acknowledged[sid]) if sid in acknowledged else 0
        way = rnd.randrange(4)
        if way == 0:
            run(env, ["ctx-window", "-s", sid, "--missing-ok"])
        elif way == 1 and least > 0:
            p = run(env, ["ctx-show", "-s", sid])
            seqs = [json.loads(ln)["seq"] for ln in p.stdout.splitlines() if b'"kind":"message"' in ln]
            if p.returncode == 0 and (seqs != list(range(1, len(seqs) + 1)) or len(seqs) < least):
                complain("ctx-show -s %s: %d messages, %d were acknowledged" % (sid, len(seqs), least))
        elif way == 2:
            run(env, ["ctx-list", "-a"])
        else:
            run(env, ["ctx-search", "-q", "x", "-n", "3"], fine=(0, 1))


def archiver(env, place, end):
    rnd = random.Random(5)
    away = []
    while time.monotonic() < end:
        with lock:
            sids = [resting.pop(0) for _ in range(min(3, len(resting)))]
        if not sids:
            time.sleep(0.05)
            continue
        listed = b"".join(ln + b"\n" for ln in run(env, ["ctx-list"]).stdout.splitlines()
                          if json.loads(ln)["session_id"] in sids)
        run(env, ["ctx-archive", "-q", "--cleanup", "--to", place], listed, excuse="changed")
        away += sids
        if rnd.random() < 0.5 and away:
            run(env, ["ctx-archive", "-q", "--restore", "-s", away.pop(rnd.randrange(len(away)))],
                excuse="is not archived")


# what a session that is archived, or has nothing to undo, refuses: 1
MEDDLING = [
    (["ctx-prune", "--apply", "--keep-turns", "3", "-s"], (0, 1)), (["ctx-prune", "--undo", "-s"], (0, 1)),
    (["ctx-summarize", "-q", "--max-turns", "3", "-s"], (0, 1)), (["ctx-summarize", "-q", "--undo", "-s"], (0, 1)),
    (["ctx-entity", "track", "-q", "-s"], (0,)), (["ctx-new", "--fork"], (0, 1)), (["ctx-stats", "-s"], (0,)),
    (["ctx-check", "-q", "-s"], (0,)), (["ctx-check", "-q", "--catch-up"], (0,)),
    (["ctx-check", "-q", "--rebuild"], (0,)), (["ctx-list", "-a", "--tokenizer", "chars4"], (0,)),
]


def freeze(p, rnd):
    """Stop a process for a while: whatever it holds then, the others wait for or go past."""
    time.sleep(rnd.uniform(0, 0.03))
    p.send_signal(signal.SIGSTOP)
    time.sleep(rnd.uniform(0, 0.3))
    p.send_signal(signal.SIGCONT)


def meddler(env, end):
    rnd = random.Random(7)
    while time.monotonic() < end:
        with lock:
            sid = rnd.choice(sorted(acknowledged) or ["common"])
        argv, fine = rnd.choice(MEDDLING)
        argv = argv + [sid] if argv[-1] in ("-s", "--fork") else argv
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        frozen = threading.Thread(target=freeze, args=(p, rnd))
        frozen.start()
        out, err = p.communicate()
        frozen.join()
        with lock:
            counts["meddling"] += 1
        if p.returncode not in fine:
            complain("%s: %d %s %s" % (" ".join(argv), p.returncode, out.decode()[-300:], err.decode()[-300:]))


def derived(env):
    """What the full-text index and the tracker know of each session."""
    found = {}
    for argv in (["ctx-search", "-n", "1000000", "x"], ["ctx-list", "-a", "--tokenizer", "chars4"]):
        for line in run(env, argv, fine=(0, 1)).stdout.splitlines():
            record = json.loads(line)
            found.setdefault(record["session_id"], []).append(record.get("seq", record.get("token_count")))
    return {sid: sorted(what) for sid, what in found.items()}


def check(env):
    before = derived(env)
    run(env, ["ctx-check", "-q", "--rebuild"])
    for sid, what in derived(env).items():
        if before.get(sid) != what:
            complain("%s: derived anew it is %s, not %s" % (sid, str(what)[:200], str(before.get(sid))[:200]))
    total = 0
    for line in run(env, ["ctx-list", "-a"]).stdout.splitlines():
        sid = json.loads(line)["session_id"]
        if "parent_session_id" in json.loads(line):  # a fork, which nobody wrote to
            continue
        p = run(env, ["ctx-show", "-s", sid])
        texts = {}
        for ln in p.stdout.splitlines():
            record = json.loads(ln)
            if record["kind"] == "message":
                texts[record["seq"]] = record["message"]["content"]
        total += len(texts)
        if sorted(texts) != list(range(1, len(texts) + 1)):
            complain("%s: there are gaps" % sid)
        if len(set(texts.values())) != len(texts) or not set(texts.values()) <= sent[sid]:
            complain("%s: a message is there twice, or was never sent" % sid)
        lost = [s for s, t in acknowledged.pop(sid, {}).items() if texts.get(s) != t]
        if lost:
            complain("%s: lost: %s" % (sid, lost[:10]))
    if acknowledged:
        complain("sessions are gone: %s" % sorted(acknowledged)[:10])
    run(env, ["ctx-check", "-q"])
    return total


def main():
    with tempfile.TemporaryDirectory() as directory:
        env = {"PATH": bin + ":/usr/bin:/bin", "HOME": directory, "LC_ALL": "C.UTF-8",
               "CTX_STORE": os.path.join(directory, "ctx.db"), "CTX_BUSY_TIMEOUT": "60s"}
        run(env, ["ctx-new", "--id", "common"])
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=writer, args=(env, k, end)) for k in range(n_writers)]
        threads += [threading.Thread(target=reader, args=(env, k, end)) for k in range(n_readers)]
        threads += [threading.Thread(target=meddler, args=(env, end))]
        threads += [threading.Thread(target=archiver, args=(env, os.path.join(directory, "place"), end))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        size = sum(os.path.getsize(env["CTX_STORE"] + e) for e in ("", "-wal")
                   if os.path.exists(env["CTX_STORE"] + e))
        n = check(env)
    print("# %g s, %d writers, %d readers: %d messages acknowledged, %d there, store %d KiB" % (
        seconds, n_writers, n_readers, counts["messages"], n, size >> 10))
    print("# runs: " + ", ".join("%s %d" % c for c in sorted(counts.items()) if c[0] != "messages"))
    print("# slowest: " + ", ".join("%s %.0f ms" % (c, s * 1000) for c, s in sorted(slowest.items())))
    for text in wrong[:20]:
        print("#   " + text.strip())
    print("%s 1 load: writers, readers and an archiver work on one store at once\n1..1" % ("not ok" if wrong else "ok"))
    sys.exit(bool(wrong))


main()
