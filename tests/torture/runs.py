#!/usr/bin/env python3
"""Random sessions of append-only requests, checked as a provider would check them.

  runs.py BIN [ROUNDS [SEED [PROVIDER]]]

Each session gets questions, answers with reasoning and tool calls, results, failed requests,
rules and tools that change, items of the session, system messages, pins, summaries, hidden messages, forks and archives, at
random. Of every body it is checked that:
- a request that continues another begins with its body and its answer, cache marks aside;
- reasoning stands behind what it was made behind, none comes back that was left out before,
  and none is missing that was made in the run;
- ctx-lint finds no error in it;
- a request that failed is made again to the same bytes;
- at the end, every stored request renders again to the same bytes.
PROVIDER is anthropic, responses, openai or gemini; by default the sessions take turns.
Prints what is wrong and exits with status 1."""
import json
import os
import random
import subprocess
import sys
import tempfile

BUDGET = "1500"
PROVIDERS = ["anthropic", "responses", "openai", "gemini"]
SCHEMA = {"type": "object", "properties": {}}


class Wrong(Exception):
    pass


class Anthropic:
    params = {"model": "claude-opus-5-5", "max_tokens": 50}
    other = "claude-fable-5-1"

    @staticmethod
    def tool(name):
        return {"name": name, "input_schema": SCHEMA}

    @staticmethod
    def blocks(body):
        """The blocks of a body, and of each whether it is reasoning."""
        yield json.dumps([body.get("system"), body.get("tools")]), None
        for m in body["messages"]:
            content = m["content"]
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            for b in content:
                yield json.dumps([m["role"], b]), b["signature"] if b["type"] == "thinking" else None

    @staticmethod
    def answer(n, model, signature, text, calls):
        content = [{"type": "thinking", "thinking": "", "signature": signature}]
        content += [{"type": "text", "text": text}] if text else []
        content += [{"type": "tool_use", "id": i, "name": "f", "input": {"n": 1.50}} for i in calls]
        return {"id": f"m{n}", "type": "message", "role": "assistant", "model": model, "content": content,
                "stop_reason": "tool_use" if calls else "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}
                }, [json.dumps(["assistant", b]) for b in content[1:]]

    @staticmethod
    def results(calls, text):
        return [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": text} for i in calls]}]


class Responses:
    params = {"model": "gpt-6.2-sol", "store": False, "include": ["reasoning.encrypted_content"]}
    other = "gpt-6.2-astra"

    @staticmethod
    def tool(name):
        return {"type": "function", "name": name, "parameters": SCHEMA}

    @staticmethod
    def blocks(body):
        yield json.dumps([body.get("instructions"), body.get("tools")]), None
        for b in body["input"]:
            yield json.dumps(b), b["encrypted_content"] if b.get("type") == "reasoning" else None

    @staticmethod
    def answer(n, model, signature, text, calls):
        output = [{"type": "reasoning", "id": f"rs_{n}", "summary": [], "encrypted_content": signature}]
        output += [{"type": "message", "id": f"msg_{n}", "status": "completed", "role": "assistant",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]}] if text else []
        output += [{"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": "f", "arguments": '{"n" : 1.50 }',
                    "status": "completed"} for i in calls]
        return {"id": f"resp_{n}", "object": "response", "status": "completed", "model": model, "output": output,
                "usage": {"input_tokens": 1, "output_tokens": 1}}, [json.dumps(b) for b in output[1:]]

    @staticmethod
    def results(calls, text):
        return [{"role": "tool", "tool_call_id": i, "content": text} for i in calls]


class OpenAI:
    params = {"model": "gpt-5.6"}
    other = "gpt-5.5"
    results = Responses.results

    @staticmethod
    def tool(name):
        return {"type": "function", "function": {"name": name, "parameters": SCHEMA}}

    @staticmethod
    def blocks(body):
        yield json.dumps(body.get("tools")), None
        for m in body["messages"]:
            yield json.dumps(m), None

    @staticmethod
    def answer(n, model, signature, text, calls):
        m = {"role": "assistant", "content": text or None}
        if calls:
            m["tool_calls"] = [{"id": i, "type": "function", "function": {"name": "f", "arguments": '{"n" : 1.50 }'}}
                               for i in calls]
        return {"id": f"c{n}", "object": "chat.completion", "model": model, "choices": [
            {"index": 0, "message": m, "finish_reason": "tool_calls" if calls else "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1}}, [json.dumps(m)]


class Gemini:
    params = {}
    other = None
    results = Responses.results

    @staticmethod
    def tool(name):
        return {"functionDeclarations": [{"name": name, "parameters": SCHEMA}]}

    @staticmethod
    def blocks(body):
        yield json.dumps([body.get("systemInstruction"), body.get("tools")]), None
        for m in body["contents"]:
            for p in m["parts"]:
                yield json.dumps([m["role"], p]), None

    @staticmethod
    def answer(n, model, signature, text, calls):
        parts = [{"text": text}] if text else []
        parts += [{"functionCall": {"id": i, "name": "f", "args": {"n": 1.50}}} for i in calls]
        parts[-1 if not calls else len(parts) - len(calls)]["thoughtSignature"] = signature
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1}
                }, [json.dumps(["model", p]) for p in parts]


SHAPES = {"anthropic": Anthropic, "responses": Responses, "openai": OpenAI, "gemini": Gemini}


class Session:
    def __init__(self, bin_dir, place, seed, provider):
        self.rng = random.Random(seed)
        self.shape = SHAPES[provider]
        self.provider = provider
        self.env = dict(os.environ, PATH=bin_dir + ":" + os.environ["PATH"], CTX_STORE=place + "/ctx.db",
                        CTX_SYNC="off", CTX_TOKENIZER="chars4", CTX_PROVIDER=provider, CTX_BUDGET=BUDGET,
                        CTX_PARAMS=place + "/params", XDG_CONFIG_HOME=place + "/none", LC_ALL="C.UTF-8")
        self.place = place
        self.id = "s"
        self.bodies = {}   # request id -> blocks of its body, without reasoning
        self.answers = {}  # request id -> blocks of its answer, and its reasoning
        self.prefix = {}   # reasoning -> what stood before it
        self.model_of = {}
        self.gone = set()  # reasoning that was left out once
        self.record = None
        self.files = {}    # request id -> body as it was printed
        self.n = 0
        self.params = dict(self.shape.params, tools=[self.shape.tool("f")])
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

    def words(self, most=60):
        return " ".join(self.rng.choice("cat dog rule tea flight paid test edit".split())
                        for _ in range(self.rng.choice([3, 10, most])))

    def append(self, *messages):
        self.run(["ctx-append", "-q", "-s", self.id], "".join(json.dumps(m) + "\n" for m in messages))

    def request(self):
        out = self.run(["bash", "-o", "pipefail", "-c",
                        f"ctx-window -s {self.id} | ctx-enrich -q | ctx-prune | ctx-render --request req --headers headers"])
        with open(self.place + "/req") as f:
            self.record = json.load(f)
        self.files[self.record["request_id"]] = out
        self.check(without_marks(json.loads(out)))
        self.run(["ctx-lint", "-p", self.provider], out)

    def check(self, body):
        record = self.record
        blocks, present = [], set()
        for text, reasoning in self.shape.blocks(body):
            if reasoning is None:
                blocks.append(text)
                continue
            present.add(reasoning)
            if reasoning in self.gone:
                raise Wrong(f"reasoning {reasoning} is back")
            if self.prefix[reasoning] != blocks:
                raise Wrong(f"reasoning {reasoning} stands behind something else")
        before = record["run"].get("continues")
        if before:
            answer, reasoning = self.answers[before]
            if reasoning and reasoning not in present:
                raise Wrong(f"reasoning {reasoning} is missing")
            start = self.bodies[before] + answer
            if blocks[:len(start)] != start:
                at = next((i for i, b in enumerate(start) if i >= len(blocks) or blocks[i] != b))
                raise Wrong(f"a request does not begin with the one that it continues, and its answer: block {at} "
                            f"of {len(start)}: {start[at][:200]} ... {blocks[at][:200] if at < len(blocks) else None}")
        self.gone |= set(self.prefix) - present
        self.bodies[record["request_id"]] = blocks

    def answer(self, calls, answered=None):
        self.n += 1
        signature = f"sig{self.n}"
        record = self.record
        ids = [f"t{self.n}_{i}" for i in range(calls)]
        text = self.words() if calls == 0 or self.rng.random() < 0.5 else ""
        answer, blocks = self.shape.answer(self.n, self.params.get("model"), signature, text, ids)
        if self.provider in ("anthropic", "responses"):
            self.prefix[signature] = self.bodies[record["request_id"]]
        self.answers[record["request_id"]] = (blocks, signature if signature in self.prefix else None)
        if answered is not None:
            self.answers[record["request_id"]] = ([], None)
        self.run(["ctx-append", "-q", "--request", "req"], json.dumps(answer))
        ids = ids[:answered]
        if ids:
            self.append(*self.shape.results(ids, self.words(self.rng.choice([60, 60, 400]))))

    def event(self):
        what = self.rng.choice("rule rule disable fail fail summarize prune undo fork archive tool system pin "
                               "between model entity window long interrupt orphan callable callable session".split())
        if what == "rule" or what == "disable":
            self.run(["ctx-item", "define", "-q"], json.dumps({
                "kind": "item", "type": "rule", "name": self.rng.choice("abc"), "include": "agent",
                "description": self.rng.choice(["About cats.", "When tea is paid.", "On each test edit."]),
                "content": f"Rule {self.rng.random()}", "enabled": what == "rule"}))
        elif what == "callable":
            self.run(["ctx-item", "define", "-q"], json.dumps({
                "kind": "item", "type": "tool", "server_name": "w", "name": self.rng.choice("xyz"), "include": "agent",
                "content": f"Cat, dog, rule, tea, flight, paid, test, edit: {self.rng.randrange(3)}", "schema": SCHEMA}))
        elif what == "session":
            rule = self.rng.choice("abc")
            self.run(["ctx-item", self.rng.choice(["add", "add", "remove"]), "-q", "-s", self.id, "--type", "rule", rule],
                     ok=(0, 1))
        elif what == "fail":
            self.append({"role": "user", "content": self.words()})
            self.request()
            self.run(["ctx-append", "-q", "--request", "req"],
                     '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded","code":529}}', ok=(4,))
            if self.rng.random() < 0.5:  # made again
                failed = self.files[self.record["request_id"]]
                self.request()
                if self.files[self.record["request_id"]] != failed:
                    raise Wrong("a request that failed is made again to other bytes")
                self.answer(0)
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
            self.params["tools"].append(self.shape.tool(f"g{self.n}"))
            self.write("params", json.dumps(self.params))
        elif what == "system":
            self.append({"role": "system", "content": f"From now on: {self.words(10)}."})
        elif what == "pin":
            self.append({"kind": "message", "pinned": True, "message": {"role": "user", "content": "Keep " + self.words(10)}})
        elif what == "between":  # somebody writes while the answer is on its way
            self.append({"role": "user", "content": self.words()})
            self.request()
            self.append({"role": "user", "content": self.words()})
            self.answer(0)
        elif what == "model" and self.shape.other:
            self.params["model"] = self.rng.choice([self.shape.params["model"], self.shape.other])
            self.write("params", json.dumps(self.params))
        elif what == "entity":
            self.append({"role": "user", "content": f"See ACME-{self.rng.randrange(9)} in src/main{self.rng.randrange(9)}.c"})
        elif what == "interrupt":  # the tools are never run
            self.append({"role": "user", "content": self.words()})
            self.request()
            self.answer(2, answered=self.rng.choice([0, 1]))
        elif what == "orphan":
            self.append(*self.shape.results(["nobody"], self.words()))
        elif what == "window":  # a request that is never sent
            self.append({"role": "user", "content": self.words()})
            self.run(["bash", "-c", f"ctx-window -s {self.id} | ctx-enrich -q | ctx-render"])
        elif what == "long":
            self.append({"role": "user", "content": self.words(500)})

    def play(self, turns):
        for _ in range(turns):
            if self.rng.random() < 0.4:
                self.event()
            self.append({"role": "user", "content": self.words()})
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
        provider = sys.argv[4] if len(sys.argv) > 4 else PROVIDERS[i % len(PROVIDERS)]
        with tempfile.TemporaryDirectory() as place:
            try:
                Session(bin_dir, place, i, provider).play(14)
            except Wrong as e:
                bad += 1
                print(f"seed {i} {provider}: {e}", flush=True)
    print(f"{rounds} sessions, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
