#!/usr/bin/env python3
"""usage: torture.py faults|memory|kills|damage|plain BIN DYNAMIC FAULTS.SO [RUNS [SEED [NAME]]]

Runs every scenario with one call of the C library failing (faults: those of the system,
memory: allocations), or killed at a random moment, and judges what is left; or on a store
that was damaged. RUNS: of each scenario, that many chosen by chance; 0: faults of every call
in every way. plain: once each with nothing failing, by the command in TORTURE_WRAP. Prints
TAP."""
import collections
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from scenarios import SCENARIOS, WRITES, Place, Wrong, finish, judge, survey

# how each call may fail; those that start with ~ must not be noticed
WAYS = {
    "read": ["EIO", "~EINTR", "~short"], "write": ["EIO", "ENOSPC", "~EINTR", "~short"],
    "pread": ["EIO", "~EINTR", "~short"],
    "pwrite": ["EIO", "ENOSPC", "~EINTR", "~short", "ENOSPC forever"],
    "open": ["EIO", "EMFILE", "EACCES"], "openat": ["EIO", "EMFILE", "ENOSPC"],
    "mkstemp": ["ENOSPC", "EACCES"], "fsync": ["EIO", "ENOSPC"], "fdatasync": ["EIO", "ENOSPC"],
    "ftruncate": ["EIO", "~EINTR"], "rename": ["EIO", "ENOSPC"], "link": ["EIO", "ENOSPC"],
    "mkdir": ["ENOSPC", "EACCES"], "lock": ["EIO", "ENOLCK"], "flock": ["~EINTR", "ENOLCK"],
    "mmap": ["ENOMEM"], "fork": ["ENOMEM"], "spawn": ["ENOMEM"], "thread": ["ENOMEM"],
    "poll": ["~EINTR", "ENOMEM"], "waitpid": ["~EINTR"],
    "malloc": ["ENOMEM", "ENOMEM forever"], "calloc": ["ENOMEM", "ENOMEM forever"],
    "realloc": ["ENOMEM", "ENOMEM forever"],
}
MEMORY = "malloc,calloc,realloc"
FULL = "write,pwrite,ftruncate,fallocate,mkdir,mkstemp"
STATUSES = (0, 1, 3, 4, 5, 75)


def calls_of(place, scenario, faults, memory):
    """(name, n) of the calls that the scenario makes: the nth of the name in a process."""
    log = os.path.join(os.path.dirname(place.dir), "calls")
    if os.path.exists(log):
        os.unlink(log)
    place.restore()
    env = {**scenario.env, "LD_PRELOAD": faults, "FAULT_LOG": log}
    if memory:
        env["FAULT_CALLS"] = MEMORY
    place.run(scenario.argv, scenario.stdin, env)
    each = collections.Counter()
    with open(log) as f:
        for line in f:
            pid, call = line.split()[:2]
            each[pid, call] += 1
    most = collections.Counter()
    for (_, call), n in each.items():
        most[call] = max(most[call], n)
    return [(call, n) for call in sorted(most) for n in range(1, most[call] + 1)]


def masked(place, text):
    """Workers end in any order."""
    return sorted(place.mask(text.decode("utf-8", "replace")).splitlines())


def check_run(place, scenario, p, plain, after, transparent):
    err = p.stderr.decode("utf-8", "replace")
    if p.returncode not in STATUSES:
        raise Wrong("exit status %d: %s" % (p.returncode, err))
    said = err.splitlines()
    expected = plain.stderr.decode().splitlines()
    for line in said:
        if line not in expected and not line.startswith(("ctx", "jq: error")):
            raise Wrong("no diagnostic: %s" % line)
    if transparent and (p.returncode != scenario.status or
                        masked(place, p.stdout) != masked(place, plain.stdout)):
        raise Wrong("it should not have been noticed: exit status %d: %s" % (p.returncode, err))
    new = [ln for ln in said if ln not in expected]
    if p.returncode not in (0, scenario.status) and not new:
        raise Wrong("exit status %d and nothing said" % p.returncode)
    if len(new) > 3:
        raise Wrong("too much said: %s" % err)
    state = judge(place, scenario, p.stdout, after)
    if p.returncode == 0 and scenario.status == 0:
        if scenario.kind in ("whole", "rows") and state != after:
            raise Wrong("it says it succeeded")
        if scenario.kind == "read" and not new and \
                masked(place, p.stdout) != masked(place, plain.stdout):
            raise Wrong("another answer, and nothing said")


def one_fault(place, scenario, so, call, at, way, plain, after):
    how = way.lstrip("~").split()
    place.restore()
    env = {**scenario.env, "LD_PRELOAD": so, "FAULT_AT": str(at), "FAULT_HOW": how[0],
           "FAULT_CALLS": call, "FAULT_ON": how[1] if len(how) > 1 else ""}
    if call in ("lock", "flock"):   # SQLite takes ENOLCK for a lock that will come
        env["CTX_BUSY_TIMEOUT"] = "2s"
    if len(how) > 1:   # full is full
        env["FAULT_CALLS"] = MEMORY if call in MEMORY else "%s,%s" % (call, FULL)
    try:
        p = place.run(scenario.argv, scenario.stdin, env)
        check_run(place, scenario, p, plain, after, way.startswith("~"))
        if len(how) == 1 and call not in ("unlink",) + tuple(MEMORY.split(",")) and \
                place.leftovers():
            raise Wrong("left behind: %s" % place.leftovers())
        finish(place, scenario, after)
    except Wrong as e:
        return "FAULT_CALLS=%s FAULT_AT=%d FAULT_HOW=%s: %s" % (call, at, way, e)
    return None


def faults(place, scenario, so, runs, rnd, memory):
    plain, after = survey(place, scenario)
    calls = calls_of(place, scenario, so, memory)
    if not calls:
        raise Wrong("no calls were seen")
    todo = [(c, n, w) for c, n in calls for w in WAYS.get(c, ["EIO"])]
    if runs:
        todo = rnd.sample(todo, min(runs, len(todo)))
    found = [one_fault(place, scenario, so, call, at, way, plain, after)
             for call, at, way in todo]
    found = [wrong for wrong in found if wrong]
    if memory and scenario.library:
        # libjq forgets in places to look whether it got its memory
        died = [wrong for wrong in found if "exit status -" in wrong]
        if len(died) <= max(1, len(todo) / 3):
            found = [wrong for wrong in found if wrong not in died]
    return len(todo), found


def one_kill(place, scenario, after, delay):
    place.restore()
    try:
        p = subprocess.Popen(scenario.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, cwd=place.dir, start_new_session=True,
                             env={**place.env, **scenario.env})
        try:
            p.stdin.write(scenario.stdin or b"")
            p.stdin.close()
        except BrokenPipeError:
            pass
        time.sleep(delay)
        try:
            os.killpg(p.pid, signal.SIGKILL)   # and workers and commands that it has started
        except ProcessLookupError:
            pass
        out = p.stdout.read()
        p.stdout.close()
        p.wait()
        judge(place, scenario, out, after)
        finish(place, scenario, after)
    except Wrong as e:
        return "killed after %.4f s: %s" % (delay, e)
    return None


def kills(place, scenario, runs, rnd):
    begun = time.monotonic()
    _, after = survey(place, scenario)
    took = []
    for _ in range(3):
        place.restore()
        begun = time.monotonic()
        place.run(scenario.argv, scenario.stdin, scenario.env)
        took.append(time.monotonic() - begun)
    found = []
    for _ in range(runs):
        wrong = one_kill(place, scenario, after, rnd.random() * sorted(took)[1])
        if wrong:
            found.append(wrong)
    return runs, found


def damage(place, rnd):
    """Of the store mostly; returns what was done."""
    name = rnd.choice(["ctx.db"] * 6 + ["ctx.db-derived", "ctx.db-wal", "ctx.db-names",
                                        "place/2026/01/c.ndjson.gz"])
    path = os.path.join(place.dir, name)
    if not os.path.exists(path):
        return "nothing"
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        pages = max(1, len(data) // 4096)
        what = rnd.choice(["flip", "flip", "flip", "noise", "zero", "swap", "cut", "cut page"])
        at = rnd.randrange(pages) * 4096
        if what == "flip":
            for _ in range(rnd.choice([1, 1, 5, 50])):
                if data:
                    data[rnd.randrange(len(data))] ^= 1 << rnd.randrange(8)
        elif what == "noise":
            data[at + 8:at + 4096] = rnd.randbytes(4088)
        elif what == "zero":
            data[at:at + 4096] = bytes(4096)
        elif what == "swap":
            other = rnd.randrange(pages) * 4096
            data[at:at + 4096], data[other:other + 4096] = \
                data[other:other + 4096], data[at:at + 4096]
        elif what == "cut":
            del data[rnd.randrange(len(data) + 1):]
        else:
            del data[at:]
        f.seek(0)
        f.truncate()
        f.write(data)
    return "%s of %s" % (what, name)


def one_damage(place, scenario, bodies, rnd):
    """No crash, no hang, a clear line; never another text than was stored."""
    place.restore()
    for end in ("", "-derived"):
        db = sqlite3.connect(place.store + end)
        db.execute("PRAGMA wal_checkpoint(%s)" % rnd.choice(["TRUNCATE", "PASSIVE"]))
        db.close()
    done = damage(place, rnd)
    try:
        try:
            p = subprocess.run(scenario.argv, input=scenario.stdin or b"", stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=place.dir, timeout=120,
                               env={**place.env, **scenario.env})
        except subprocess.TimeoutExpired:
            raise Wrong("it does not end")
        err = p.stderr.decode("utf-8", "replace")
        if p.returncode not in STATUSES:
            raise Wrong("exit status %d: %s" % (p.returncode, err))
        if p.returncode not in (0, scenario.status) and not err:
            raise Wrong("exit status %d and nothing said" % p.returncode)
        for line in err.splitlines():
            if line != "the answer" and not (line.startswith("ctx") and line.isprintable()):
                raise Wrong("no diagnostic: %r" % line)
        for line in p.stdout[:p.stdout.rfind(b"\n") + 1].splitlines():
            if line.startswith(b'{"kind":"message"') and scenario.argv[0] in (
                    "ctx-show", "ctx-window", "ctx-search"):
                record = json.loads(line)
                if "slot" not in record and "seq" in record and \
                        json.dumps(record["message"]) not in bodies:
                    raise Wrong("another text: %s" % line[:300])
        found = place.run(["ctx-check", "-q", "--no-archives"])
        if found.returncode not in (0, 1, 4, 5):
            raise Wrong("ctx-check: %d %s" % (found.returncode, found.stderr.decode()))
        if found.returncode == 0:
            now = {json.dumps(json.loads(b)) for b in place.messages(place.state()).values()}
            other = [b for b in now if b not in bodies and "more" not in b and "text" not in b]
            if other and scenario.kind == "read":
                raise Wrong("ctx-check found nothing, and there is %s" % other[:1])
    except Wrong as e:
        return "%s: %s" % (done, e)
    return None


def damages(place, scenario, runs, rnd):
    place.restore()
    bodies = {json.dumps(json.loads(b)) for b in place.messages(place.before).values()}
    for line in place.run(["ctx-show", "-s", "c"]).stdout.splitlines():
        record = json.loads(line)
        if record["kind"] == "message":
            bodies.add(json.dumps(record["message"]))
    found = [one_damage(place, scenario, bodies, rnd) for _ in range(runs)]
    return runs, [wrong for wrong in found if wrong]


def plain(place, scenario, wrap):
    place.restore()
    p = place.run(wrap + [shutil.which(scenario.argv[0], path=place.bin)] + scenario.argv[1:],
                  scenario.stdin, scenario.env)
    if p.returncode != scenario.status:
        return 1, ["exit status %d: %s" % (p.returncode, p.stderr.decode()[-3000:])]
    return 1, []


def main():
    mode, bin, dynamic, so = sys.argv[1:5]
    runs = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    seed = int(sys.argv[6]) if len(sys.argv) > 6 and sys.argv[6] else random.randrange(1 << 31)
    scenarios = WRITES if mode == "kills" else SCENARIOS
    if len(sys.argv) > 7:
        scenarios = [s for s in scenarios if s.name == sys.argv[7]]
    print("# seed %d" % seed)
    print("1..%d" % len(scenarios), flush=True)
    bad = total = 0
    # syncing is not what takes the time there
    memory_disk = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory_disk) as directory:
        place = Place(directory, bin if mode in ("kills", "damage") else dynamic)
        for i, s in enumerate(scenarios, 1):
            rnd = random.Random("%d %s" % (seed, s.name))
            try:
                if mode == "kills":
                    n, found = kills(place, s, runs, rnd)
                elif mode == "damage":
                    n, found = damages(place, s, runs, rnd)
                elif mode == "plain":
                    n, found = plain(place, s, os.environ.get("TORTURE_WRAP", "").split())
                else:
                    n, found = faults(place, s, so, runs, rnd, mode == "memory")
            except Wrong as e:
                n, found = 1, [str(e)]
            total += n
            print("%s %d %s: %s (%d)" % ("not ok" if found else "ok", i, mode, s.name, n))
            for wrong in found[:20]:
                print("#   " + wrong.replace("\n", "\n#   "))
            if len(found) > 20:
                print("#   and %d more" % (len(found) - 20))
            sys.stdout.flush()
            bad += bool(found)
    print("# %d runs" % total)
    sys.exit(bad > 0)


main()
