#!/usr/bin/env python3
"""Load on a store on PostgreSQL whose server stops at once, whose connections are cut and whose
clients are killed: what was acknowledged is compared with what is stored.
usage: CTX_BIN=DIR postgresql.py [SECONDS]
Ends with one line of figures; status 1 if anything acknowledged is missing, stored twice, out
of order or numbered with gaps."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("CTX_BIN", os.path.join(ROOT, "build"))
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 1800
SESSIONS, WRITERS = 4, 8

work = tempfile.mkdtemp(prefix="ctx-pg.", dir="/tmp")
os.chmod(work, 0o711)
place = os.path.join(work, "s")
os.mkdir(place)
env = dict(os.environ, PGHOST=place, PGUSER="ctx", PGDATABASE="ctx", PG_FSYNC="on",
           CTX_STORE="postgresql:///ctx?host=%s&user=ctx" % place, CTX_BUSY_TIMEOUT="20s")
end = time.time() + SECONDS
lock = threading.Lock()
acknowledged, running = [], set()
figures = {"failed": 0, "killed": 0, "stops": 0, "cuts": 0}


def server(action):
    subprocess.run([ROOT + "/tests/postgresql/server", action, place], env=env, check=True)


def run(*args, **more):
    return subprocess.run([BIN + "/" + args[0], *args[1:]], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **more)


def keep(line):
    try:
        record = json.loads(line)
    except ValueError:
        return  # a killed client's last line
    with lock:
        acknowledged.append((record["session_id"], record["seq"], record["message"]["content"]))


def short_writer(name):
    n = 0
    while time.time() < end:
        n += 1
        r = run("ctx-append", "-s", "s%d" % (n % SESSIONS), "-t", "%s %d" % (name, n))
        for line in r.stdout.splitlines():
            keep(line)
        figures["failed"] += r.returncode != 0
        if r.returncode not in (0, 4, 75):
            print("status", r.returncode, r.stderr, file=sys.stderr)


def long_writer(name):
    n = 0
    while time.time() < end:
        p = subprocess.Popen([BIN + "/ctx-append", "-s", "s%d" % (n % SESSIONS)], env=env, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with lock:
            running.add(p)
        try:
            for _ in range(200):
                n += 1
                p.stdin.write(json.dumps({"role": "user", "content": "%s %d" % (name, n)}) + "\n")
                p.stdin.flush()
                line = p.stdout.readline()
                if not line or time.time() > end:
                    break
                keep(line)
            p.stdin.close()
        except OSError:
            pass
        for line in p.stdout:
            keep(line)
        with lock:
            running.discard(p)
        figures["killed" if p.wait() == -9 else "failed"] += p.returncode != 0


def trouble():
    while time.time() < end - 5:
        time.sleep(random.uniform(0.5, 3))
        what = random.choice(["stop", "cut", "cut", "kill", "kill"])
        if what == "stop":
            server("immediate")
            time.sleep(random.uniform(0, 1))
            server("start")
            figures["stops"] += 1
        elif what == "cut":
            subprocess.run(["psql", "-Xqc", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                            "WHERE application_name = 'ctx' AND random() < 0.5"], env=env,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            figures["cuts"] += 1
        else:
            with lock:
                for p in list(running):
                    p.kill()


def check():
    bad, stored_all = 0, 0
    for i in range(SESSIONS):
        sid = "s%d" % i
        stored = {}
        for line in run("ctx-show", "-s", sid).stdout.splitlines():
            record = json.loads(line)
            if record["kind"] == "message":
                stored[record["seq"]] = record["message"]["content"]
        stored_all += len(stored)
        wrong = [] if sorted(stored) == list(range(1, len(stored) + 1)) else ["gaps"]
        wrong += [(seq, text, stored.get(seq)) for s, seq, text in acknowledged
                  if s == sid and stored.get(seq) != text]
        texts = sorted(stored.values())
        wrong += [("twice", a) for a, b in zip(texts, texts[1:]) if a == b]
        for one in wrong:
            print(sid, one, file=sys.stderr)
        bad += len(wrong)
    return bad, stored_all


def main():
    server("start")
    subprocess.run(["createdb", "ctx"], env=env, check=True)
    for i in range(SESSIONS):
        run("ctx-new", "--id", "s%d" % i)
    threads = [threading.Thread(target=short_writer if i % 2 else long_writer, args=("w%d" % i,))
               for i in range(WRITERS)]
    threads.append(threading.Thread(target=trouble))
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    bad, stored = check()
    server("immediate")
    print("%d acknowledged, %d stored, %d wrong; %d stops, %d cuts, %d clients killed, %d failed, %d s"
          % (len(acknowledged), stored, bad, figures["stops"], figures["cuts"], figures["killed"],
             figures["failed"], SECONDS))
    return bad > 0


try:
    status = main()
finally:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(status)
