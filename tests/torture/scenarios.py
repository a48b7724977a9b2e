"""What the tools are made to do while things fail: a place with a store, archives and
input files, a scenario for each way in which a tool writes or reads, and what may be
found in the store after any of them was stopped at any point."""
import json
import os
import re
import shutil
import sqlite3
import subprocess

NOW = "2026-01-02T03:04:05.678Z"
IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
DIGESTS = re.compile(r"\b[0-9a-f]{64}\b")


class Wrong(Exception):
    """A promise was broken."""


class Scenario:
    """kind: what may be there after a failure. "read": what was before; "whole": that, or
    what is there after a success; "rows": part of the new rows, those acknowledged among
    them; "free": what there is may differ, as a fallback's work does; "moved": sessions on their way into or out of an archive, each message in the
    store or in an archive that is whole."""

    def __init__(self, name, kind, argv, stdin=None, again=(0,), status=0, acks=None,
                 ends=True, library=False, env=None):
        self.name, self.kind, self.argv, self.stdin = name, kind, argv, stdin
        self.again, self.status, self.acks, self.env = again, status, acks, env or {}
        self.ends = ends   # done again, is all as if nothing had failed?
        self.library = library


def lines(*records):
    return "".join(json.dumps(r) + "\n" for r in records).encode()


def message(sid, n, text, **more):
    return {"kind": "message", "session_id": sid, "id": "%s-%s" % (sid, n),
            "message": {"role": "user" if isinstance(n, str) or n % 2 else "assistant",
                        "content": text}, **more}


MORE = [message("a", "new%d" % i, "more %d %s" % (i, "x" * (i * 97 % 700))) for i in range(12)]
SCRIPT = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "who is there?"}]
CALLED = lines(
    {"role": "user", "content": "look"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "result " * 400},
    {"role": "user", "content": "and now"})
ANSWER = json.dumps({"choices": [{"message": {"role": "assistant", "content": "the answer"}}],
                     "usage": {"prompt_tokens": 3, "completion_tokens": 2}}).encode()

S = Scenario
SCENARIOS = [
    S("new", "whole", ["ctx-new", "--id", "n1", "-u", "u", "--agent", "ann", "--share", "v"],
      again=(1,)),
    S("new store", "whole", ["ctx-new", "--id", "n1", "-S", "deep/new/x.db"], again=(1,)),
    S("new sessions", "rows", ["ctx-new", "-"], again=(1,), acks="session", ends=False,
      stdin=lines(*({"kind": "session", "session_id": "n%d" % i} for i in range(5)))),
    S("fork", "whole", ["ctx-new", "--fork", "a", "--id", "f1"], again=(1,)),
    S("preferences", "whole", ["ctx-new", "-u", "u", "--set-preferences", '{"style":"short"}']),
    S("append", "rows", ["ctx-append"], stdin=lines(*MORE), acks="message"),
    S("append text", "whole", ["ctx-append", "-s", "a", "--id", "t1", "-t", "text", "--pin"],
      acks="message"),
    S("append atomic", "whole", ["ctx-append", "--atomic"], stdin=lines(*MORE), acks="message"),
    S("append and create", "rows", ["ctx-append", "--create", "-u", "u"], acks="message",
      stdin=lines(*(message("m%d" % (i % 3), i, "text %d" % i) for i in range(9)))),
    S("append and go on", "rows", ["ctx-append", "--keep-going", "--rejects", "rejects"],
      stdin=lines(*MORE[:3]) + b"{bad}\n" + lines(*MORE[3:6]), acks="message", status=3, again=(3,)),
    S("append and resume", "rows", ["ctx-append", "--resume", "-s", "c"], acks="message",
      stdin=lines(message("c", "new", "once more"))),
    # an answer that cannot be read is no answer: the request is kept as failed
    S("append an answer", "free", ["ctx-append", "--request", "request", "--echo"], stdin=ANSWER,
      acks="message"),
    S("window", "read", ["ctx-window", "-s", "a", "-b", "4000"]),
    S("window of an archived session", "read", ["ctx-window", "-s", "c"]),
    S("enrich", "read", ["ctx-enrich", "--history", "relevant", "window"]),
    S("summarize", "whole", ["ctx-summarize", "-s", "a", "--keep-last", "4"], again=(0, 1)),
    S("summarize by a command", "free", ["ctx-summarize", "-s", "a", "--keep-last", "4",
      "--exec", "cat >/dev/null; echo short"], again=(0, 1)),
    S("undo a summary", "whole", ["ctx-summarize", "-s", "e", "--undo"], again=(0, 1)),
    S("summarize a window", "read", ["ctx-summarize", "--keep-last", "2", "window"]),
    S("prune", "whole", ["ctx-prune", "--apply", "-s", "a", "-b", "600"]),
    S("undo pruning", "whole", ["ctx-prune", "--undo", "-s", "b"], again=(1,)),
    S("prune a window", "read", ["ctx-prune", "-b", "800", "--report", "report", "window"]),
    S("render", "read", ["ctx-render", "-p", "openai", "--request", "request2", "window"]),
    S("import", "read", ["ctx-import", "-f", "sharegpt", "-s", "i"], library=True, stdin=json.dumps(
        {"id": "i", "conversations": [{"from": "human", "value": "hi"},
                                      {"from": "gpt", "value": "ho"}]}).encode()),
    S("list", "read", ["ctx-list", "-a"]),
    S("list by entity", "read", ["ctx-list", "--entity", "sw-core-01"]),
    S("show", "read", ["ctx-show", "-s", "a"]),
    S("show an archived session", "read", ["ctx-show", "-s", "c"]),
    S("search", "read", ["ctx-search", "question", "--context", "1"]),
    S("load entities", "rows", ["ctx-entity", "load"], stdin=lines(
        {"type": "site", "name": "DC2"}, {"type": "rack", "pattern": "R[0-9]+"},
        {"type": "device", "name": "sw-core-02", "aliases": ["the other switch"],
         "relations": [{"type": "located_in", "target": "DC2"}]})),
    S("track entities", "read", ["ctx-entity", "track", "--rebuild"]),
    S("entities of a session", "read", ["ctx-entity", "list", "-s", "a"]),
    S("merge entities", "whole", ["ctx-entity", "merge", "sw-old", "sw-core-01"], again=(1,)),
    S("alias", "whole", ["ctx-entity", "alias", "sw-core-01", "the big one"]),
    S("relate", "whole", ["ctx-entity", "relate", "sw-old", "next_to", "sw-core-01"]),
    S("resolve", "rows", ["ctx-entity", "resolve", "-s", "a", "--resolve-exec", "cat"]),
    S("define items", "rows", ["ctx-item", "define", "--agent", "ann"], stdin=lines(
        {"type": "rule", "name": "Z", "include": "always", "content": "Rule z"},
        {"type": "tool", "server_name": "fs", "name": "read", "content": "Reads."})),
    S("add items", "whole", ["ctx-item", "add", "-s", "a", "B"]),
    S("remove items", "whole", ["ctx-item", "remove", "-s", "a", "A"], again=(1,)),
    S("archive", "moved", ["ctx-archive", "-s", "a", "-s", "b", "--to", "new/place"]),
    S("archive and clean up", "moved", ["ctx-archive", "--cleanup", "-s", "a", "-s", "b", "--to",
      "place"], again=(0, 1)),
    S("archive with workers", "moved", ["ctx-archive", "--cleanup", "--forget", "--jobs", "2",
      "-s", "a", "-s", "b", "--to", "place"], again=(0, 1)),
    S("snapshot", "moved", ["ctx-archive", "--snapshot", "-s", "a", "--to", "place"]),
    S("restore", "moved", ["ctx-archive", "--restore", "-s", "c"], again=(0, 1)),
    S("restore as another", "whole", ["ctx-archive", "--restore", "-s", "c", "--as", "c2"],
      again=(0, 1)),
    S("verify archives", "read", ["ctx-archive", "--verify", "--all"]),
    S("list archives", "read", ["ctx-archive", "--list", "--to", "place"]),
    S("print an archive", "read", ["ctx-archive", "--cat", "-s", "c"]),
    S("delete", "whole", ["ctx-delete", "-s", "a"], again=(1,)),
    S("restore a deleted session", "whole", ["ctx-delete", "--restore", "-s", "d"], again=(1,)),
    S("hold", "whole", ["ctx-delete", "--hold", "case 7", "-s", "a"], ends=False),
    S("release", "whole", ["ctx-delete", "--release", "-s", "e"], again=(1,)),
    S("purge", "purged", ["ctx-delete", "--purge", "--receipt", "-s", "a", "-s", "c", "--to", "place"],
      again=(0, 1)),
    S("purge a user", "purged", ["ctx-delete", "--purge", "-u", "u"], again=(0, 1)),
    S("count", "read", ["ctx-count", "--total", "window"]),
    S("lint", "read", ["ctx-lint", "-p", "openai", "--repair"], stdin=CALLED),
    S("stats", "read", ["ctx-stats", "--by", "session"]),
    S("check", "read", ["ctx-check"]),
    S("catch up", "read", ["ctx-check", "--catch-up"]),
    S("rebuild", "read", ["ctx-check", "--rebuild"]),
    S("backup", "read", ["ctx-check", "--backup", "copy.db"], again=(0, 4)),
]
WRITES = [s for s in SCENARIOS if s.kind != "read" or s.name in (
    "enrich", "render", "search", "track entities", "catch up", "rebuild", "backup",
    "prune a window")]


class Place:
    """A directory with all that the scenarios need, which can be put back as it was."""

    def __init__(self, directory, bin):
        self.dir = os.path.join(directory, "place")
        self.saved = os.path.join(directory, "saved")
        self.bin = bin
        self.store = os.path.join(self.dir, "ctx.db")
        os.makedirs(os.path.join(self.dir, "tmp"))
        self.env = {"PATH": "%s:/usr/local/bin:/usr/bin:/bin" % bin, "HOME": self.dir,
                    "LC_ALL": "C.UTF-8", "TZ": "UTC", "CTX_NOW": NOW, "CTX_STORE": self.store,
                    "TMPDIR": os.path.join(self.dir, "tmp"), "CTX_BUSY_TIMEOUT": "20s",
                    **{v: os.environ[v] for v in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if v in os.environ}}
        self.fill()
        self.counts = {}
        self.before = self.state()
        shutil.copytree(self.dir, self.saved)

    def run(self, argv, stdin=b"", env=None):
        return subprocess.run(argv, input=stdin or b"", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.dir, env={**self.env, **(env or {})})

    def must(self, *argv, stdin=b"", into=None):
        p = self.run(argv, stdin)
        if p.returncode != 0:
            raise Wrong("%s: %d %s" % (argv, p.returncode, p.stderr.decode()))
        if into:
            with open(os.path.join(self.dir, into), "wb") as f:
                f.write(p.stdout)
        return p.stdout

    def fill(self):
        must = self.must
        must("ctx-item", "define", "-q", "--agent", "ann", stdin=lines(
            {"type": "rule", "name": "A", "include": "always", "content": "Rule a"},
            {"type": "rule", "name": "B", "include": "manual", "content": "Rule b"},
            {"type": "prompt", "name": "core", "content": "You help."}))
        must("ctx-entity", "load", "-q", stdin=lines(
            {"type": "site", "name": "DC1"}, {"type": "device", "name": "sw-old"},
            {"type": "device", "name": "sw-core-01", "aliases": ["core switch"]}))
        for sid in "abcde":
            must("ctx-new", "--id", sid, "-u", "u" if sid in "ac" else "w", "--agent", "ann")
            must("ctx-append", "-q", stdin=lines(*(
                message(sid, i, "question %d of %s about sw-core-01 %s" % (i, sid, "y" * (i * 53 % 400)))
                for i in range(1, 25))))
            must("ctx-append", "-q", "-s", sid, stdin=CALLED)
        must("ctx-prune", "--apply", "-s", "b", "-b", "500")
        must("ctx-summarize", "-s", "e", "--keep-last", "3")
        must("ctx-archive", "-q", "--cleanup", "-s", "c", "--to", os.path.join(self.dir, "place"))
        must("ctx-delete", "-q", "-s", "d")
        must("ctx-delete", "-q", "-s", "e", "--hold", "case 8")
        must("ctx-check", "-q", "--catch-up")
        must("ctx-append", "-q", "-s", "a", "-t", "question that nothing was derived from")
        must("ctx-window", "-s", "a", into="window")
        must("ctx-render", "-p", "openai", "--request", "request", "window")

    def restore(self):
        shutil.rmtree(self.dir)
        shutil.copytree(self.saved, self.dir)

    # ---- what is in the store ----

    def mask(self, v):
        if isinstance(v, bytes):
            v = v.decode("utf-8", "surrogateescape")
        if isinstance(v, str):
            v = DIGESTS.sub("DIGEST", IDS.sub("ID", v)).replace(self.dir, "DIR")
        return v

    def rows(self, path):
        db = sqlite3.connect(path, timeout=20)
        db.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        try:
            ok = db.execute("PRAGMA integrity_check").fetchall()
            if ok != [("ok",)]:
                raise Wrong("integrity of %s: %s" % (path, ok[:3]))
            tables = [r[0] for r in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
            return {t: frozenset(tuple(self.mask(v) for v in r) for r in db.execute(
                "SELECT * FROM %s" % t)) for t in tables}
        except sqlite3.DatabaseError as e:
            raise Wrong("%s: %s" % (path, e))
        finally:
            db.close()

    def state(self):
        """Rows of each table; of a second store, too, that a scenario makes."""
        found = {}
        for name in ("ctx.db", "deep/new/x.db"):
            path = os.path.join(self.dir, name)
            if os.path.exists(path) and os.path.getsize(path) > 0:
                for table, rows in self.rows(path).items():
                    found[name + ":" + table] = rows
        return {t: r for t, r in found.items() if r}

    def messages(self, state):
        """(session id, seq) -> text of what the store itself holds."""
        sids = {r[0]: r[1] for r in state.get("ctx.db:session", ())}
        return {(sids.get(r[0] >> 32), r[0] & 0xffffffff): r[10]
                for r in state.get("ctx.db:message", ())}

    def everything(self):
        """Every message of the sessions a, b and c, wherever it is."""
        out = self.must("ctx-show", "-s", "a", "-s", "b", "-s", "c")
        return [ln for ln in out.decode().splitlines() if '"kind":"message"' in ln]

    def leftovers(self):
        found = []
        for d, _, files in os.walk(self.dir):
            found += [os.path.join(d, f) for f in files
                      if ".ctx-tmp-" in f or ".tmp." in f or d.endswith("/tmp")]
        return found


def acknowledged(place, scenario, out, state):
    """What was printed as done must be there."""
    whole = out[:out.rfind(b"\n") + 1].decode()
    sids = {r[1] for r in state.get("ctx.db:session", ())}
    messages = place.messages(state)
    for line in whole.splitlines():
        record = json.loads(line)
        if record.get("kind") == "session" and record["session_id"] not in sids:
            raise Wrong("session %s was acknowledged and is not there" % record["session_id"])
        if record.get("kind") == "message":
            text = messages.get((record["session_id"], record["seq"]))
            if text is None or json.loads(text) != record["message"]:
                raise Wrong("message %s of %s was acknowledged and is not there" % (
                    record["seq"], record["session_id"]))


def no_counters(table, rows):
    # of sessions, all that appending counts
    return {r[:3] for r in rows} if table == "ctx.db:session" else rows


def judge(place, scenario, out, after):
    """After a failure: raise Wrong unless the store holds what it may. Returns its state."""
    state, before = place.state(), place.before
    if scenario.kind == "read" and state != before:
        raise Wrong("a reader changed the store: %s" % differing(before, state))
    if scenario.kind == "whole" and state not in (before, after):
        if not (scenario.name == "new store" and fits_empty(state, after)):
            raise Wrong("half of it: %s" % differing(before, state))
    if scenario.kind == "whole" and out.strip() and state != after and not scenario.acks:
        raise Wrong("acknowledged and not there")
    if scenario.kind == "rows":
        for t in set(before) | set(state):
            least, most = before.get(t, frozenset()), after.get(t, frozenset())
            got = no_counters(t, state.get(t, frozenset()))
            if t in ("ctx.db:entity_change", "ctx.db:entity"):
                continue
            if not no_counters(t, least) <= got | no_counters(t, most) or \
                    not got <= no_counters(t, least) | no_counters(t, most):
                raise Wrong("rows of %s that nobody meant: %s" % (t, sorted(
                    got - no_counters(t, least) - no_counters(t, most), key=str)[:3]))
    if scenario.acks:
        acknowledged(place, scenario, out, state)
    return state


def fits_empty(state, after):
    """The schema is there, or part of the making of the file, and no row of it."""
    return {t: r for t, r in state.items() if t.startswith("ctx.db:")} == \
        {t: r for t, r in after.items() if t.startswith("ctx.db:")}


def differing(a, b):
    return ", ".join("%s: -%s +%s" % (
        t, sorted(a.get(t, frozenset()) - b.get(t, frozenset()), key=str)[:2],
        sorted(b.get(t, frozenset()) - a.get(t, frozenset()), key=str)[:2])
        for t in sorted(set(a) | set(b)) if a.get(t) != b.get(t))


def survey(place, scenario):
    """The scenario when nothing fails: (process, state after)."""
    place.restore()
    if scenario.kind in ("moved",) and "everything" not in place.counts:
        place.counts["everything"] = place.everything()
    p = place.run(scenario.argv, scenario.stdin, scenario.env)
    if p.returncode != scenario.status:
        raise Wrong("without a fault: exit status %d: %s" % (p.returncode, p.stderr.decode()))
    after = place.state()
    if scenario.kind not in ("read", "moved") and scenario.name not in ("resolve",) and \
            after == place.before:
        raise Wrong("it changes nothing, and tests nothing")
    judge(place, scenario, p.stdout, after)
    return p, after


def finish(place, scenario, after):
    """The store is usable: done again it succeeds, and what is there is as if nothing had
    failed; every check of the store's own finds nothing."""
    if scenario.kind == "moved" and place.everything() != place.counts["everything"]:
        raise Wrong("messages are not what they were")
    p = place.run(scenario.argv, scenario.stdin, scenario.env)
    if p.returncode not in (scenario.status,) + tuple(scenario.again):
        raise Wrong("afterwards: exit status %d: %s" % (p.returncode, p.stderr.decode()))
    state = place.state()
    if scenario.kind in ("whole", "rows", "purged") and scenario.ends and \
            settled(state) != settled(after):
        raise Wrong("done again, it is not what it should be: %s" % differing(after, state))
    if scenario.kind == "moved" and place.everything() != place.counts["everything"]:
        raise Wrong("afterwards, messages are not what they were")
    p = place.run(["ctx-check", "-q"])
    if p.returncode == 1 and all(json.loads(ln)["check"] == "mark" for ln in p.stdout.splitlines()):
        # what is derived may be behind: a warning said so, and this mends it
        place.must("ctx-check", "-q", "--rebuild")
        p = place.run(["ctx-check", "-q"])
    if p.returncode != 0:
        raise Wrong("ctx-check: %d %s %s" % (p.returncode, p.stdout.decode(), p.stderr.decode()))


def settled(state):
    """Without counters of changes, and the order in which rows were numbered."""
    return {t: r for t, r in state.items() if t not in ("ctx.db:entity_change",)}
