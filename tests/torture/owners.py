#!/usr/bin/env python3
"""Two stores that share a place: random archiving, restoring, backups, purges and moves of the
place, with kill -9. After each purge its receipt is compared with a search of every byte under
the stores' directory, the places and TMPDIR, and every session that was not purged must be
readable.
usage: owners.py BINDIR SECONDS [SEED [KILLS]] [KIND=WEIGHT...]
Goes on until at least KILLS calls of each kind were killed: archive, restore, purge, relocate.
WEIGHT is how often a kind is drawn; 0 leaves it out. Kinds: new, archive, restore, purge,
relocate, backup."""
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

weights = {"new": 2, "archive": 3, "restore": 4, "purge": 3, "relocate": 1, "backup": 1}
operands = [x for x in sys.argv[1:] if "=" not in x]
weights.update((k, int(n)) for k, n in (x.split("=") for x in sys.argv[1:] if "=" in x))
BIN, SECONDS = operands[0], float(operands[1])
SEED = int(operands[2]) if len(operands) > 2 else random.randrange(1 << 30)
KILLS = int(operands[3]) if len(operands) > 3 else 0
rng = random.Random(SEED)
root = tempfile.mkdtemp(prefix="ctx-owners.")
tmp = os.path.join(root, "tmp")
os.mkdir(tmp)
env = {k: v for k, v in os.environ.items() if not k.startswith(("CTX_", "XDG_"))}
env.update(HOME=root, TMPDIR=tmp, CTX_NOW="2026-01-02T03:04:05Z")


class Failed(Exception):
    pass


def run(tool, *args, data=None, kill=0.0):
    """Exit status, standard output and error; killed after so many seconds: -9."""
    p = subprocess.Popen([os.path.join(BIN, tool), *args], stdin=subprocess.PIPE, env=env,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if kill:
        time.sleep(kill)
        p.kill()
    out, err = p.communicate(data.encode() if data else b"")
    return p.returncode, out.decode(), err.decode()


def need(statuses, *call, **kw):
    rc, out, err = run(*call, **kw)
    if rc not in statuses:
        raise Failed(f"{' '.join(call)}: status {rc}\n{out}{err}")
    return rc, out, err


class Store:
    def __init__(self, name):
        self.path = os.path.join(root, name)
        self.texts = {}  # of sessions that are there

    def call(self, statuses, tool, *args, **kw):
        return need(statuses, tool, "--store", self.path, *args, **kw)


stores = [Store("one.db"), Store("two.db")]
place = os.path.join(root, "place")
counts = {"sessions": 0, "archive": 0, "restore": 0, "purge": 0, "relocate": 0}
kills = {k: 0 for k in counts if k != "sessions" and weights[k]}
took = {}  # seconds of a call of each kind that ran to its end


def token():
    return f"{rng.getrandbits(160):040x}{rng.getrandbits(160):040x}"


def files():
    for top, _, names in os.walk(root):
        for name in names:
            path = os.path.join(top, name)
            with open(path, "rb") as f:
                data = f.read()
            if name.endswith(".gz") or ".ctx-tmp-" in name:
                try:
                    data += gzip.decompress(data)
                except (OSError, EOFError):
                    pass
            yield path, data


def holders(texts):
    """Files with one of the texts, or a half of it."""
    pieces = [t[:40].encode() for t in texts] + [t[-40:].encode() for t in texts]
    return sorted(p for p, data in files() if any(x in data for x in pieces))


def new_session():
    s = rng.choice(stores)
    counts["sessions"] += 1
    sid = f"s{counts['sessions']}"
    texts = [token() for _ in range(rng.choice((1, 2, 30)))]
    # in the row, or in pages that it goes on in
    lines = [json.dumps({"role": "user", "content": " " * rng.choice((0, 5000, 9000)) + t +
                         " " * rng.choice((0, 5000))}) for t in texts]
    s.call((0,), "ctx-append", "-q", "--create", "-s", sid, data="\n".join(lines))
    s.texts[sid] = texts


def killed(kind):
    """How long a call may live: 0 is to its end. Any moment of a call of this kind is as likely."""
    return 1e-4 + rng.random() * 1.1 * took.get(kind, 0.02) if rng.random() < 0.5 else 0


def timed(kind, call, *args):
    begin = time.monotonic()
    result = call(*args)
    took[kind] = 0.8 * took.get(kind, 0.02) + 0.2 * (time.monotonic() - begin)
    return result


def act(kind, s, statuses, tool, *args):
    """Killed, then repeated until it ends."""
    wait = killed(kind)
    if wait:
        rc, _, _ = run(tool, "--store", s.path, *args, kill=wait)
        kills[kind] += rc == -9
        leftover(kind)
    counts[kind] += 1
    return timed(kind, s.call, statuses, tool, *args)


def leftover(kind):
    left = os.listdir(tmp)
    if left:
        raise Failed(f"{kind} left in TMPDIR: {left}")


def readable(s):
    for sid, texts in s.texts.items():
        _, out, _ = s.call((0,), "ctx-show", "-s", sid)
        got = [json.loads(x) for x in out.splitlines()]
        have = [m["message"]["content"].strip() for m in got if m["kind"] == "message"]
        if have != texts:
            raise Failed(f"{sid} of {s.path} lost messages: {len(have)} of {len(texts)}")


def archive():
    s = rng.choice(stores)
    if s.texts:
        sid = rng.choice(sorted(s.texts))
        # 1: the other store's archive is there
        act("archive", s, (0, 1), "ctx-archive", "-q", "-s", sid, "--to", place,
            *rng.choice(([], ["--cleanup"], ["--snapshot"])))


def restore():
    a, b = rng.sample(stores, 2)
    if not a.texts:
        return
    sid = rng.choice(sorted(a.texts))
    _, out, _ = a.call((0,), "ctx-list", "-a")
    row = next(x for x in map(json.loads, out.splitlines()) if x["session_id"] == sid)
    if rng.random() < 0.5:
        act("restore", a, (0, 1), "ctx-archive", "-q", "--restore", "-s", sid)
    elif "archive" in row and sid not in b.texts:
        rc, _, _ = act("restore", b, (0, 1), "ctx-archive", "-q", "--restore",
                       row["archive"]["uri"])
        if rc == 0:
            b.texts[sid] = a.texts[sid]


def backup():
    """A purge in a backup loses nothing."""
    s = rng.choice(stores)
    if s.texts:
        copy = Store("copy.db")
        s.call((0,), "ctx-check", "-q", "--backup", copy.path)
        for sid in sorted(s.texts)[:3]:
            copy.call((0, 1, 4), "ctx-delete", "-q", "-s", sid, "--purge")
        for name in os.listdir(root):
            if name.startswith("copy.db"):
                os.remove(os.path.join(root, name))


def relocate():
    global place
    new = os.path.join(root, f"place{counts['relocate']}-{rng.randrange(1000)}")
    if not os.path.isdir(place):
        return
    shutil.copytree(place, new)
    for s in stores:
        if os.path.exists(s.path):
            # 1: the other store's archive that a session was restored from is gone
            act("relocate", s, (0, 1), "ctx-archive", "-q", "--relocate", "--keep-going",
                place, new)
    shutil.rmtree(place)
    place = new


def purge():
    s, other = rng.sample(stores, 2)
    if not s.texts:
        return
    sid = rng.choice(sorted(s.texts))
    texts = s.texts.pop(sid)
    call = ("ctx-delete", "-q", "-s", sid, "--purge", "--receipt", "--to", place)
    wait = killed("purge")
    if wait:
        rc, _, _ = run(call[0], "--store", s.path, *call[1:], kill=wait)
        kills["purge"] += rc == -9
        leftover("purge")
    counts["purge"] += 1
    rc, out, err = timed("purge", s.call, (0, 1, 4), *call)
    left = holders(texts)
    lines = out.splitlines()
    if not lines:  # the killed one was done
        if "no session" not in err:
            raise Failed(f"a purge without a receipt: {rc} {err}")
        receipt = {"survivors": 0, "shared": 0, "archives_missing": 0}
    else:
        receipt = json.loads(lines[-1])
    if sid in other.texts:  # it may have the texts, and its archives
        left = [p for p in left if p.startswith(s.path)]
    elif lines and receipt["survivors"] == 0 and receipt["archives_missing"] == 0 and left:
        raise Failed(f"the receipt of {sid} says nothing of {left}\n{out}{err}")
    own = [p for p in left if p.startswith(s.path) or p.startswith(tmp)]
    if own:
        raise Failed(f"after the purge of {sid}: {own}\n{out}{err}")
    named = [p for p in left if os.path.basename(p) not in err]
    if lines and named:
        raise Failed(f"left of {sid}, and not named: {named}\n{out}{err}")


def main():
    end = time.monotonic() + SECONDS
    actions = {"new": new_session, "archive": archive, "restore": restore, "purge": purge,
               "relocate": relocate, "backup": backup}
    rounds = 0
    try:
        while time.monotonic() < end or min(kills.values()) < KILLS:
            rng.choices([actions[k] for k in weights], weights.values())[0]()
            rounds += 1
            if rounds % 10 == 0:
                for s in stores:
                    readable(s)
        for s in stores:
            readable(s)
            if os.path.exists(s.path):
                s.call((0,), "ctx-check", "-q")
    except Failed as e:
        print(f"not ok - two stores that share a place (seed {SEED}, kept in {root}): {e}")
        return 1
    shutil.rmtree(root)
    done = ", ".join(f"{n} {k}" + (f" ({kills[k]} killed)" if kills.get(k) else "")
                     for k, n in counts.items())
    print(f"ok - two stores that share a place: {rounds} rounds, {done}")
    return 0


sys.exit(main())
