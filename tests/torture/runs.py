#!/usr/bin/env python3
"""Random sessions of append-only requests, checked as a provider would check them.

  runs.py BIN [ROUNDS [SEED [PROVIDER]]]

Each session gets, at random: questions in several languages, images, answers with reasoning and parallel tool calls,
whole or streamed, refused, empty, cut by a limit or broken off; results of any length; requests that fail; rules, tools,
documents and entities that change; other models, budgets, strategies and another provider; system messages, pins,
summaries, stored and in the pipe, hidden and redacted messages, forks, archives, purges; other programs that append, ask in the same session, or with another system
text. Of every body it is checked that:
- a request that continues another begins with its body and its answer, cache marks aside, unless a model takes over
  that needs rules in another form;
- reasoning stands behind what it was made behind, none comes back that was left out before,
  and none is missing that was made in the run;
- ctx-lint finds no error in it;
- a request that failed is made again to the same bytes;
- at the end, every stored request renders again to the same bytes: from the store, from the archive of the session,
  and from another store that the archive was restored in.
PROVIDER is anthropic, responses, openai or gemini, with which the session begins; by default they take turns.
Prints what is wrong and exits with status 1."""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

from run_shapes import SCHEMA, SHAPES, blocks_of_results, results

BUDGETS = ["1500", "1500", "2500", "6000"]
PROVIDERS = ["anthropic", "responses", "openai", "gemini"]
WORDS = ["cat dog rule tea flight paid test edit", "Katze Straße Übergröße naïve café año", "猫 在 桌子 上 喝茶 航班 付款 测试",
         "قطة كلب شاي رحلة اختبار", "👩‍👩‍👧 🇩🇪 é́ ‏שלום‏ cat zero\u200bwidth tab\there \"quoted\" back\\slash", "cat: 'x' <b> & a\u2028b 1.50 1e5 null {} []"]
PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
EVENTS = ("rule rule disable fail fail summarize prune undo hide fork back archive tool system pin between model model entity "
          "load window long interrupt orphan callable callable session provider budget image document empty refused "
          "cut broken stream line named rolling twice crowd imported purge later purged_fork redact "
          "piped").split()


class Wrong(Exception):
    pass


class Session:
    def __init__(self, bin_dir, place, seed, provider):
        self.rng = random.Random(seed)
        self.env = dict(os.environ, PATH=bin_dir + ":" + os.environ["PATH"], CTX_STORE=place + "/ctx.db",
                        CTX_SYNC="off", CTX_TOKENIZER="chars4", CTX_BUDGET=self.rng.choice(BUDGETS),
                        CTX_PARAMS=place + "/params", XDG_CONFIG_HOME=place + "/none", LC_ALL="C.UTF-8")
        self.hour = 0
        self.pass_time(0)
        self.place = place
        self.id, self.others = "s", []
        self.bodies = {}   # request id -> blocks of its body, without reasoning
        self.answers = {}  # request id -> blocks of its answer, and its reasoning
        self.prefix = {}   # reasoning -> what stood before it
        self.chain = {}    # reasoning -> the reasoning that stood before it
        self.model_of = {}
        self.gone = collections.defaultdict(set)  # (session, line, form) -> reasoning that was left out once
        self.forms = {}    # request id -> whether rules and later system messages are the user's for its model
        self.record = None
        self.files = {}    # request id -> body as it was printed
        self.stored = {}   # request id -> session
        self.happened = collections.Counter()
        self.n = 0
        self.all_params = {p: dict(s.params, model=s.models[0], tools=[s.tool("f")]) for p, s in SHAPES.items()}
        if self.rng.random() < 0.2:  # no tools of the parameters
            for p in self.all_params.values():
                del p["tools"]
        self.use(provider)
        self.vocabulary = self.rng.choice(WORDS[:1] * 3 + WORDS[1:]).split(" ")
        self.cache = self.rng.choice(["", "", " --cache off", " --cache 1h"])
        self.headers = self.rng.choice(["", " --headers headers"])
        self.enrich = self.rng.choice(["", "", " --entities 10 --min-score 0.05", " --history relevant", " --idle-note 1d --topic auto",
                                       " --attach doc=doc", " --cache-ttl 0"])
        self.prune = self.rng.choice(["", "", "", " --strategy tools --tools-keep 1", " --strategy truncate --max-chars 300",
                                      " --no-cut"])
        self.write("doc", "A document about tea.")
        self.write("brief", "You are brief.")
        self.run(["ctx-new", "--id", "s"])

    def use(self, provider):
        self.provider, self.shape = provider, SHAPES[provider]
        self.params = self.all_params[provider]
        self.env["CTX_PROVIDER"] = provider
        self.write("params", self.params_text())

    def params_text(self):
        return json.dumps({k: v for k, v in self.params.items() if self.provider != "gemini" or k != "model"})

    def pass_time(self, hours):
        self.hour += hours
        self.env["CTX_NOW"] = "2026-%02d-%02dT%02d:00:00Z" % (1 + self.hour // 672, 1 + self.hour // 24 % 28, self.hour % 24)

    def write(self, name, text):
        with open(os.path.join(self.place, name), "w") as f:
            f.write(text)

    def run(self, args, data="", ok=(0,)):
        r = subprocess.run(args, input=data.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env,
                           cwd=self.place)
        if r.returncode not in ok:
            raise Wrong(f"{' '.join(args)}: status {r.returncode}: {r.stderr.decode()[:300]}")
        self.noted = r.stderr.decode()
        return r.stdout.decode()

    def words(self, most=60):
        return " ".join(self.rng.choice(self.vocabulary) for _ in range(self.rng.choice([3, 10, most])))

    def append(self, *messages):
        self.run(["ctx-append", "-q", "-s", self.id], "".join(json.dumps(m) + "\n" for m in messages))

    def ask(self, text=None):
        self.append({"role": "user", "content": text or self.words()})

    def request(self, window="", line=""):
        out = self.run(["bash", "-o", "pipefail", "-c",
                        f"ctx-window -s {self.id}{window} | ctx-enrich -q{self.enrich} | ctx-prune{self.prune} | "
                        f"ctx-render --request req{self.headers}{self.cache}"], ok=(0, 1, 3))
        if out == "":  # nothing but what is too large may be refused
            if "over the budget" not in self.noted or self.env["CTX_BUDGET"] == "90000":
                raise Wrong(f"no body: {self.noted[:300]}")
            self.happened["refused for its size"] += 1
            self.env["CTX_BUDGET"] = "90000"
            return self.request(window, line)
        with open(self.place + "/req") as f:
            self.record = json.load(f)
        self.files[self.record["request_id"]] = out
        self.check(without_marks(json.loads(out)), (self.id, line))
        self.run(["ctx-lint", "-p", self.provider], out)
        return out

    def check(self, body, line):
        record = self.record
        form = (record.get("system"), record.get("run", {}).get("rules"))
        line += (form,)
        blocks, present = [], []
        checked = self.params["model"] in self.shape.checked
        for text, reasoning in self.shape.blocks(body):
            if reasoning is None:
                blocks.append(text)
                continue
            if checked:
                self.check_reasoning(reasoning, blocks, present, line)
            present.append(reasoning)
        before = record.get("run", {}).get("continues")
        self.forms[record["request_id"]] = form
        same_form = before and self.forms[before] == form
        if before and not same_form:
            self.happened["continues in another form"] += 1
        if same_form:
            answer, reasoning = self.answers[before]
            if checked and reasoning and reasoning not in present:
                raise Wrong(f"reasoning {reasoning} is missing")
            start = self.bodies[before] + answer
            if blocks[:len(start)] != start:
                at = next((i for i, b in enumerate(start) if i >= len(blocks) or blocks[i] != b))
                raise Wrong(f"a request does not begin with the one that it continues, and its answer: block {at} "
                            f"of {len(start)}: {start[at][:300]} ... {blocks[at][:300] if at < len(blocks) else None}")
        self.happened["continues" if before else "begins"] += 1
        self.gone[line] |= set(self.prefix) - set(present)
        self.bodies[record["request_id"]] = blocks
        self.present = present

    def check_reasoning(self, reasoning, blocks, present, line):
        before = self.chain.get(reasoning)
        if before is None:
            raise Wrong(f"reasoning {reasoning} was not made here")
        if self.prefix[reasoning] != blocks:
            raise Wrong(f"reasoning {reasoning} stands behind something else")
        if reasoning in self.gone[line]:
            raise Wrong(f"reasoning {reasoning} is back")
        if present != before[len(before) - len(present):]:
            raise Wrong(f"reasoning {reasoning} stands behind other reasoning")

    def answer(self, calls, answered=None, how=None, stream=None, name="req"):
        """Appends an answer with calls, and the results of them (answered: of so many)."""
        self.n += 1
        signature = f"sig{self.n}"
        request_id = self.record["request_id"]
        ids = [f"t{self.n}_{i}" for i in range(calls)]
        text = self.words() if calls == 0 or self.rng.random() < 0.5 else ""
        answer, blocks = self.shape.answer(self.n, self.params.get("model"), signature, text, ids, how)
        broken = stream == "broken"
        if stream or self.rng.random() < 0.3:
            answer = self.shape.stream(answer, broken)
        else:
            answer = json.dumps(answer)
        self.stored[request_id] = self.id
        failed = broken or how == "empty"
        self.run(["ctx-append", "-q", "--request", name], answer, ok=(4,) if failed else (0,))
        if failed:
            return
        if self.provider in ("anthropic", "responses"):
            self.prefix[signature] = self.bodies[request_id]
            self.chain[signature] = self.present
        self.answers[request_id] = (blocks, signature if signature in self.prefix and blocks else None)
        if answered is not None:
            self.answers[request_id] = ([], None)
        if how is None and ids[:answered]:
            make = self.rng.choice([results, blocks_of_results])
            self.append(*make(ids[:answered], self.words(self.rng.choice([60, 60, 400, 3000]))))

    def fail(self):
        self.stored[self.record["request_id"]] = self.id
        self.run(["ctx-append", "-q", "--request", "req"],
                 '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded","code":529}}', ok=(4,))

    def define(self, **item):
        self.run(["ctx-item", "define", "-q"], json.dumps(dict(item, kind="item", include="agent")))

    def fork(self, new):
        self.run(["ctx-new", "--fork", self.id, "--id", new])
        for session, line, form in list(self.gone):
            if session == self.id:
                self.gone[(new, line, form)] = set(self.gone[(session, line, form)])
        self.others.append(self.id)
        self.id = new

    def event(self):
        what = self.rng.choice(EVENTS)
        self.happened[what] += 1
        getattr(self, "do_" + what, lambda: self.do_simple(what))()

    def do_simple(self, what):
        if what == "rule" or what == "disable":
            self.define(type="rule", name=self.rng.choice("abc"), content=f"Rule {self.rng.random()}", enabled=what == "rule",
                        description=self.rng.choice(["About cats.", "When tea is paid.", "On each test edit."]))
        elif what == "callable":
            self.define(type="tool", server_name="w", name=self.rng.choice("xyz"), schema=SCHEMA,
                        content=f"Cat, dog, rule, tea, flight, paid, test, edit: {self.rng.randrange(3)}")
        elif what == "session":
            self.run(["ctx-item", self.rng.choice(["add", "add", "remove"]), "-q", "-s", self.id, "--type", "rule",
                      self.rng.choice("abc")], ok=(0, 1))
        elif what == "summarize":
            self.run(["ctx-summarize", "-q", "-s", self.id, "--keep-last", "4", "-b", "1500", "--threshold", "0.1"]
                     + self.rng.choice([[], ["--exec", "echo What was said."]]), ok=(0, 1))
        elif what == "prune":
            self.run(["env", "-u", "CTX_BUDGET", "ctx-prune", "-s", self.id, "--apply", "--keep-turns", "2"], ok=(0, 1))
        elif what == "undo":
            self.run(["ctx-prune", "-s", self.id, "--undo"], ok=(0, 1))
        elif what == "hide":
            self.run(["ctx-prune", "-s", self.id, "--hide", self.rng.choice(["last", "turn", "1", "2-3"])], ok=(0, 1))
        elif what == "system":
            self.append({"role": "system", "content": f"From now on: {self.words(10)}."})
        elif what == "pin":
            self.append({"kind": "message", "pinned": True, "message": {"role": "user", "content": "Keep " + self.words(10)}})
        elif what == "entity":
            self.ask(f"See ACME-{self.rng.randrange(9)} in src/main{self.rng.randrange(9)}.c with Ada Lovelace")
        elif what == "load":
            self.run(["ctx-entity", "load", "-q"], json.dumps({
                "kind": "entity", "type": "person", "name": "Ada Lovelace", "data": {"room": self.rng.randrange(3)}}))
        elif what == "orphan":
            self.append(*results(["nobody"], self.words()))
        elif what == "long":
            self.ask(self.words(500))
        elif what == "budget":
            self.env["CTX_BUDGET"] = self.rng.choice(BUDGETS)
        elif what == "provider":
            self.use(self.rng.choice(PROVIDERS))
        elif what == "document":
            self.write("doc", f"A document about {self.words(10)}.")
        elif what == "later":
            self.pass_time(self.rng.choice([1, 30, 200]))

    def do_image(self):
        self.append({"role": "user", "content": [{"type": "text", "text": self.words(5)},
                                                 {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PNG}}]})

    def do_tool(self):
        for p, params in self.all_params.items():
            params.setdefault("tools", []).append(SHAPES[p].tool(f"g{self.n}"))
        self.use(self.provider)

    def do_model(self):
        self.params["model"] = self.rng.choice(self.shape.models)
        self.use(self.provider)

    def do_fail(self):
        self.ask()
        failed = self.request()
        self.fail()
        if self.rng.random() < 0.5:  # made again
            if self.request() != failed and "doc" not in self.enrich:
                raise Wrong("a request that failed is made again to other bytes")
            self.answer(0)

    def do_fork(self):
        self.fork(f"f{self.n}_{self.rng.randrange(10**6)}")

    def do_back(self):
        if self.others:
            self.others.append(self.id)
            self.id = self.others.pop(self.rng.randrange(len(self.others)))

    def do_purged_fork(self):
        """What a fork was made from is removed for good."""
        self.fork(f"f{self.n}_{self.rng.randrange(10**6)}")
        self.purge(self.others.pop())

    def purge(self, session):
        self.run(["ctx-delete", "-q", "-s", session, "--purge"])
        for request_id in [r for r, s in self.stored.items() if s == session]:
            del self.stored[request_id]

    def do_purge(self):
        """Another session is removed for good."""
        if self.others:
            self.purge(self.others.pop())

    def do_redact(self):
        """A message is removed for good: requests that held it are not what they were."""
        self.run(["ctx-delete", "-q", "--redact", self.id, str(self.rng.randrange(1, 12))], ok=(0, 1))
        for request_id in [r for r, s in self.stored.items() if s == self.id]:
            del self.stored[request_id]

    def do_piped(self):
        """A summary is made in the pipe."""
        self.ask()
        self.request(" | ctx-summarize -q --threshold 0.4")
        self.answer(0)

    def do_archive(self):
        os.makedirs(self.place + "/archive", exist_ok=True)
        self.run(["ctx-archive", "-q", "-s", self.id, "--to", "archive", "--cleanup"])
        self.run(["ctx-archive", "-q", "-s", self.id, "--restore"])

    def do_between(self):
        """Somebody writes while the answer is on its way."""
        self.ask()
        self.request()
        self.ask()
        self.answer(0)

    def do_interrupt(self):
        """The tools are never run."""
        self.ask()
        self.request()
        self.answer(2, answered=self.rng.choice([0, 1]))

    def do_window(self):
        """A request that is never sent."""
        self.ask()
        self.run(["bash", "-c", f"ctx-window -s {self.id} | ctx-enrich -q | ctx-render"])

    def do_empty(self):
        self.ask()
        self.request()
        self.answer(0, how="empty")

    def do_broken(self):
        self.ask()
        self.request()
        self.answer(self.rng.choice([0, 1]), stream="broken")

    def do_stream(self):
        self.ask()
        self.request()
        self.answer(self.rng.choice([0, 2]), stream="whole")

    def do_refused(self):
        self.ask()
        self.request()
        self.answer(self.rng.choice([0, 1]), how="refused")

    def do_cut(self):
        self.ask()
        self.request()
        self.answer(self.rng.choice([0, 1]), how="cut")

    def do_line(self):
        """Another program asks with other system text."""
        self.ask()
        self.request(" --system brief", "brief")
        self.answer(0)

    def do_named(self):
        self.ask()
        self.request(" --run other", "other")
        self.answer(0)

    def do_rolling(self):
        self.ask()
        self.request(self.rng.choice([" --rolling", " -n 6", " --turns 2"]), f"rolling{self.n}")
        self.answer(0)

    def do_twice(self):
        """Two programs ask at once, and both get an answer."""
        self.ask()
        self.request()
        first = (self.record, self.present)
        os.rename(self.place + "/req", self.place + "/req1")
        self.request()
        self.answer(0)
        self.record, self.present = first
        self.answer(0, name="req1")

    def do_crowd(self):
        """Several programs append at once, an answer among them."""
        self.ask()
        self.request()
        line = json.dumps({"role": "user", "content": self.words()}) + "\n"
        crowd = [subprocess.Popen(["ctx-append", "-q", "-s", self.id], stdin=subprocess.PIPE, env=self.env) for _ in range(2)]
        for c in crowd:
            c.stdin.write(line.encode())
            c.stdin.close()
        self.answer(0)
        if any([c.wait() for c in crowd]):
            raise Wrong("an append at the same time as others failed")

    def do_imported(self):
        """An answer that was not asked for here, with reasoning of its own."""
        self.append({"role": "user", "content": self.words()}, {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "imported"}, {"type": "text", "text": self.words()}]})

    def play(self, turns):
        for _ in range(turns):
            if self.rng.random() < 0.5:
                self.event()
            self.ask()
            self.request()
            for _ in range(self.rng.choice([0, 0, 1, 4])):
                self.answer(self.rng.choice([1, 2, 5]))
                if self.rng.random() < 0.05:
                    self.use(self.rng.choice(PROVIDERS))
                self.request()
            self.answer(0)
        self.again("the store")
        os.makedirs(self.place + "/last", exist_ok=True)
        for session in set(self.stored.values()):
            self.run(["ctx-archive", "-q", "-s", session, "--to", "last", "--cleanup"])
        self.again("the archive")
        self.env["CTX_STORE"] = self.place + "/other.db"
        self.run(["ctx-archive", "-q", "--restore", "--to", "last"])
        self.again("another store")
        self.ask()
        self.request()

    def again(self, where):
        for request_id in self.stored:
            out = self.run(["bash", "-o", "pipefail", "-c",
                            f"ctx-show --request {request_id} | ctx-render{self.cache}"], ok=(0, 1))
            if out != self.files[request_id]:
                raise Wrong(f"request {request_id} from {where} renders to other bytes, or none: {self.noted[:200]}")


def without_marks(x):
    if isinstance(x, dict):
        return {k: without_marks(v) for k, v in x.items() if k not in ("cache_control", "prompt_cache_breakpoint")}
    return [without_marks(v) for v in x] if isinstance(x, list) else x


def main():
    bin_dir = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    bad, happened = 0, collections.Counter()
    for i in range(seed, seed + rounds):
        provider = sys.argv[4] if len(sys.argv) > 4 else PROVIDERS[i % len(PROVIDERS)]
        with tempfile.TemporaryDirectory() as place:
            session = Session(bin_dir, place, i, provider)
            try:
                session.play(14)
            except Wrong as e:
                bad += 1
                print(f"seed {i} {provider}: {e}", flush=True)
            happened += session.happened
    print(json.dumps(happened, sort_keys=True))
    print(f"{rounds} sessions, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
