#!/usr/bin/env python3
"""Random sessions of append-only requests, checked as a provider would check them.

  runs.py BIN [ROUNDS [SEED]]

Each session gets questions, answers with thinking and tool calls, results, failed requests,
rules that change, summaries, hidden messages, forks and archives, at random. Of every body
it is checked that:
- a request that continues another begins with its body, cache marks aside;
- each thinking block stands behind what it was made behind, and none comes back that was
  left out before;
- ctx-lint finds no error in it;
- at the end, every stored request renders again to the same bytes.
Prints what is wrong and exits with status 1."""
import json
import os
import random
import subprocess
import sys
import tempfile

BUDGET = "1500"


class Wrong(Exception):
    pass


class Session:
    def __init__(self, bin_dir, place, seed):
        self.rng = random.Random(seed)
        self.env = dict(os.environ, PATH=bin_dir + ":" + os.environ["PATH"], CTX_STORE=place + "/ctx.db",
                        CTX_SYNC="off", CTX_TOKENIZER="chars4", CTX_PROVIDER="anthropic", CTX_BUDGET=BUDGET,
                        CTX_PARAMS=place + "/params", XDG_CONFIG_HOME=place + "/none", LC_ALL="C.UTF-8")
        self.place = place
        self.id = "s"
        self.bodies = {}     # request id -> blocks of its body
        self.prefix = {}     # signature -> what stood before it
        self.gone = set()    # signatures that were left out once
        self.mine = set()
        self.last = []
        self.files = {}      # request id -> body as it was printed
        self.n = 0
        self.params = {"model": "claude-opus-5-5", "max_tokens": 50,
                       "tools": [{"name": "f", "input_schema": {"type": "object"}}]}
        self.write("params", json.dumps(self.params))
        self.run(["ctx-new", "--id", "s"])

    def write(self, name, text):
        with open(os.path.join(self.place, name), "w") as f:
            f.write(text)

    def run(self, args, data="", ok=(0,)):
        r = subprocess.run(args, input=data.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env,
                           cwd=self.place)
        if r.returncode not in ok:
            raise Wrong(f"{' '.join(args)}: status {r.returncode}: {r.stderr.decode()[:200]}")
        return r.stdout.decode()

    def words(self):
        return " ".join(self.rng.choice("cat dog rule tea flight paid test edit".split())
                        for _ in range(self.rng.choice([3, 10, 60])))

    def request(self):
        out = self.run(["bash", "-o", "pipefail", "-c",
                        f"ctx-window -s {self.id} | ctx-enrich -q | ctx-prune | ctx-render --request req"])
        with open(self.place + "/req") as f:
            record = json.load(f)
        self.files[record["request_id"]] = out
        self.check(json.loads(out), record)
        self.run(["ctx-lint", "-p", "anthropic"], out)
        return record

    def check(self, body, record):
        blocks = [json.dumps(without_marks([body.get("system"), body.get("tools")]), sort_keys=True)]
        present = set()
        for m in body["messages"]:
            content = m["content"]
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            for b in content:
                if b["type"] == "thinking":
                    s = b["signature"]
                    present.add(s)
                    if s in self.gone:
                        raise Wrong(f"reasoning {s} is back")
                    if self.prefix[s] != blocks:
                        raise Wrong(f"reasoning {s} stands behind something else")
                else:
                    blocks.append(json.dumps([m["role"], without_marks(b)], sort_keys=True))
        run = record["run"]
        if "continues" in run:
            before = self.bodies[run["continues"]]
            if blocks[:len(before)] != before:
                raise Wrong("a request does not begin with the one that it continues")
        self.gone |= {s for s in self.prefix if s not in present and s in self.mine}
        self.bodies[record["request_id"]] = blocks
        self.last = blocks

    def answer(self, calls):
        self.n += 1
        signature = f"sig{self.n}"
        self.prefix[signature] = list(self.last)
        self.mine.add(signature)
        content = [{"type": "thinking", "thinking": "", "signature": signature}]
        if calls == 0 or self.rng.random() < 0.5:
            content.append({"type": "text", "text": self.words()})
        content += [{"type": "tool_use", "id": f"t{self.n}_{i}", "name": "f", "input": {"n": i}} for i in range(calls)]
        self.run(["ctx-append", "-q", "--request", "req"], json.dumps({
            "id": f"m{self.n}", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
            "content": content, "stop_reason": "tool_use" if calls else "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1}}))
        if calls:
            self.run(["ctx-append", "-q", "-s", self.id], json.dumps({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": f"t{self.n}_{i}", "content": self.words()}
                for i in range(calls)]}))

    def event(self):
        what = self.rng.choice("rule fail summarize prune undo fork archive tool".split())
        if what == "rule":
            self.run(["ctx-item", "define", "-q"], json.dumps({
                "kind": "item", "type": "rule", "name": self.rng.choice("abc"), "include": "agent",
                "description": self.rng.choice(["About cats.", "When tea is paid.", "On each test edit."]),
                "content": f"Rule {self.rng.random()}"}))
        elif what == "fail":
            self.run(["ctx-append", "-q", "-s", self.id, "-t", self.words()])
            self.request()
            self.run(["ctx-append", "-q", "--request", "req"],
                     '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', ok=(4,))
        elif what == "summarize":
            self.run(["ctx-summarize", "-q", "-s", self.id, "--keep-last", "4", "-b", BUDGET, "--threshold", "0.1"],
                     ok=(0, 1))
        elif what == "prune":
            self.run(["env", "-u", "CTX_BUDGET", "ctx-prune", "-s", self.id, "--apply", "--keep-turns", "2"], ok=(0, 1))
        elif what == "undo":
            self.run(["ctx-prune", "-s", self.id, "--undo"], ok=(0, 1))
        elif what == "fork":
            new = f"f{self.n}_{self.rng.randrange(10**6)}"
            self.run(["ctx-new", "--fork", self.id, "--id", new])
            self.id = new
        elif what == "archive":
            os.makedirs(self.place + "/archive", exist_ok=True)
            self.run(["ctx-archive", "-q", "-s", self.id, "--to", "archive", "--cleanup"])
            self.run(["ctx-archive", "-q", "-s", self.id, "--restore"])
        elif what == "tool":
            self.params["tools"].append({"name": f"g{self.n}", "input_schema": {"type": "object"}})
            self.write("params", json.dumps(self.params))

    def play(self, turns):
        for _ in range(turns):
            if self.rng.random() < 0.3:
                self.event()
            self.run(["ctx-append", "-q", "-s", self.id, "-t", self.words()])
            self.request()
            for _ in range(self.rng.choice([0, 0, 1, 4])):
                self.answer(self.rng.choice([1, 2]))
                self.request()
            self.answer(0)
        for request_id, body in self.files.items():
            out = self.run(["bash", "-o", "pipefail", "-c",
                            f"ctx-show --request {request_id} | ctx-render"], ok=(0, 1))
            if out and out != body:
                raise Wrong(f"request {request_id} renders to other bytes")


def without_marks(x):
    if isinstance(x, dict):
        return {k: without_marks(v) for k, v in x.items() if k != "cache_control"}
    return [without_marks(v) for v in x] if isinstance(x, list) else x


def main():
    bin_dir = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    bad = 0
    for i in range(seed, seed + rounds):
        with tempfile.TemporaryDirectory() as place:
            session = Session(bin_dir, place, i)
            try:
                session.play(14)
            except Wrong as e:
                bad += 1
                print(f"seed {i}: {e}")
    print(f"{rounds} sessions, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
