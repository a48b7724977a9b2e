#!/usr/bin/env python3
"""usage: moves.py BIN SECONDS [TOOL ...]

Readers of one session, while it goes into its archive and comes back, again and again. What
a tool prints must be what it prints of the session in use or of the archived one: never less,
never a mixture that misses something, never an error that neither has; what would change the
session may say that it moved. Counts what was read; exits 1 when a promise was broken."""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

bin, seconds, only = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
TURNS = 1500  # more than a page of any tool
READERS = 3

TOOLS = {
    "show": "ctx-show -s a",
    "show markdown": "ctx-show -s a -f markdown",
    "show --context": "ctx-show -s a --context",
    "show --request": "ctx-show --request $REQUEST",
    "window": "ctx-window -s a -n 4000",
    "window of a list": "ctx-list -a | ctx-window -b 30000 -p openai --stable",
    "search": "ctx-search elephant | jq -c '[.session_id, .seq]'",
    # what is kept of archived messages is less than they were
    "search --context": "ctx-search --context 4000 word700 | jq -c .seq",
    "list": "ctx-list -a --tokenizer chars4 | jq -c .token_count",
    "stats": "ctx-stats -s a --tokenizer chars4 | jq -c 'del(.tokens)'",  # which are looked at first
    "entity": "ctx-entity list -s a | jq -c '[.name, .mentions]'",
    "entity show": "ctx-entity show -s a ann3@example.com | jq -c '[.entity.name, .mentions]'",
    "enrich": "ctx-window -s a -n 3 | ctx-enrich --history relevant | jq -c 'select(.kind == \"message\").message'",
    "prune": "ctx-prune --apply -n -s a -b 3000",
    "summarize": "ctx-summarize -n -s a -b 9000 | jq -c 'del(.id, .source, .event)'",
    "check": "ctx-check -q",
}
ARCHIVE = "ctx-archive -q -s a --cleanup --to place"
RESTORE = "ctx-archive -q --restore -s a"

lock = threading.Lock()
counts = collections.Counter()
wrong = collections.Counter()


def run(env, command, stdin=b""):
    p = subprocess.run(["bash", "-c", "set -o pipefail; " + command], input=stdin,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=env["HOME"])
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def must(env, command, stdin=b""):
    rc, out, err = run(env, command, stdin)
    if rc != 0:
        sys.exit("Bail out! %s: %d %s" % (command, rc, err))
    return out


def make(env):
    """A session with a pin, hidden messages, a summary and an answered request."""
    talk = ({"role": role, "content": "word%d of the Purple Elephant, ask ann%d@example.com %s" % (
        i, i % 7, "and more " * (i % 40))} for i in range(TURNS) for role in ("user", "assistant"))
    must(env, "ctx-append -q --create -s a", "\n".join(map(json.dumps, talk)).encode())
    must(env, "ctx-append -q -s a --pin -t 'what does the elephant do?'")
    must(env, "ctx-prune --apply -s a --keep-turns 1400 && ctx-summarize -s a -b 60000")
    must(env, "ctx-window -s a -b 30000 -p openai | ctx-render -p openai --request req.json")
    answer = {"id": "x", "object": "chat.completion", "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "it sleeps"}, "finish_reason": "stop"}]}
    must(env, "ctx-append -q --request req.json", json.dumps(answer).encode())
    return must(env, "ctx-show -s a | jq -r 'select(.kind == \"request\").request_id'").strip()


LEFT_ALONE = ["session 'a' was archived while it was read", "session 'a' changed meanwhile: skipped"]


def essence(tool, env):
    """What a tool prints but for what archiving itself changes, and for what is new each time."""
    rc, out, err = run(env, TOOLS[tool])
    out = re.sub(r'"(updated_at|created_at|archive|status|request_id)":("[^"]*"|\{[^}]*\}),?', "", out)
    if rc != 0:
        out += "\n" + err.split(": ", 1)[-1].strip()
    lines = [ln for ln in out.split("\n") if not re.search(r'"event":"(archive|restore)"', ln)]
    return (rc, "\n".join(lines)), err


def reader(env, want, k, end):
    rnd = random.Random(k)
    while time.monotonic() < end:
        tool = rnd.choice(sorted(want))
        got, err = essence(tool, env)
        with lock:
            counts[tool] += 1
            if got not in want[tool]:
                wrong["%s: status %d, %d characters of %s %s" % (
                    tool, got[0], len(got[1]), [len(w[1]) for w in want[tool]], err.strip()[-200:])] += 1


def main():
    with tempfile.TemporaryDirectory() as directory:
        env = {"PATH": bin + ":/usr/bin:/bin", "HOME": directory, "TMPDIR": directory,
               "LC_ALL": "C.UTF-8", "CTX_STORE": os.path.join(directory, "ctx.db"),
               "CTX_BUSY_TIMEOUT": "60s", "CTX_NOW": "2026-01-02T03:04:05.678Z"}
        env["REQUEST"] = make(env)
        want = {tool: [] for tool in only or TOOLS}
        for then in (ARCHIVE, RESTORE, "true"):
            for tool in want:
                want[tool].append(essence(tool, env)[0])
            must(env, then)
        for tool in ("prune", "summarize"):
            want.get(tool, []).extend((1, "\n" + text) for text in LEFT_ALONE)
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=reader, args=(env, want, k, end)) for k in range(READERS)]
        for t in threads:
            t.start()
        moves = 0
        while any(t.is_alive() for t in threads):
            must(env, ARCHIVE)
            must(env, RESTORE)
            moves += 1
        must(env, "ctx-check -q")
    print("# %g s, %d readings, there and back %d times" % (seconds, sum(counts.values()), moves))
    for text, n in wrong.most_common(20):
        print("#   %d times %s" % (n, text))
    print("%s 1 moves: a session that is archived and restored repeatedly can be read all the time\n1..1" % (
        "not ok" if wrong or not moves else "ok"))
    sys.exit(bool(wrong) or not moves)


main()
