#!/usr/bin/env python3
"""Whatever ctx-append and ctx-import take can be sent, and lint finds no error in the bodies.

  foreign.py BIN [ROUNDS [SEED [FILE_OR_DIRECTORY ...]]]

ROUNDS sessions of random messages: broken calls, stray content, blocks of all shapes, images
without data, answers of four providers in odd shapes, whole and streamed. What is named is
imported, and appended as records, as messages (also those of "messages" in a record) and as
answers. To each session a question is added; then its window must render for every provider, and
ctx-lint must find no error in the body. Prints what is wrong and exits with status 1."""
import json
import os
import random
import subprocess
import sys
import tempfile

PROVIDERS = ["openai", "anthropic", "gemini", "responses"]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class History:
    """Messages as no provider would ever put them together."""

    def __init__(self, rng):
        self.rng = rng
        self.ids = ["", " ", "c1", "toolu_1", "fc.1:a|b", "x" * 90, "ä"]

    def text(self):
        return self.rng.choice(["hello", "", " ", "\u00a0\n", "{}", "ä\u2028", "\\", "[image]", "Error: no"])

    def value(self, depth=0):
        r = self.rng
        kinds = [None, True, 7, 1.5e300, "s", "", "{\"a\": 1", "{\"a\": 1.0}"]
        if depth < 2:
            kinds += [[self.value(depth + 1)], {"k": self.value(depth + 1)}, [], {}]
        return r.choice(kinds)

    def name(self):
        return self.rng.choice(["f", "f", "look_up", "a.b/c d", "", " ", "9lives", "x" * 80, "-", "日本", 5, None])

    def image(self):
        r = self.rng
        data = r.choice([PNG, PNG, "", "/9j/4AAQ", "AAAA", None])
        kind = r.choice(["image/png", "image/jpg", "image/jpeg", "", None])
        return r.choice([
            {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}},
            {"type": "image", "source": {"type": "url", "url": r.choice(["https://e.org/a.png", ""])}},
            {"type": "image", "data": data, "mimeType": kind}, {"type": "image"},
            {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}},
            {"type": "image_url", "image_url": r.choice(["https://e.org/a", "", {}, None])},
            {"type": "input_image", "image_url": r.choice(["https://e.org/a", f"data:image/png;base64,{PNG}"])},
            {"type": "input_image", "file_id": "file_1"}])

    def block(self, inner=False):
        r = self.rng
        if r.random() < .25:
            return {"type": r.choice(["text", "input_text", "output_text"]), "text": self.text()}
        if r.random() < .25:
            return self.image()
        blocks = [
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "doc"}},
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}},
            {"type": "search_result", "source": "u", "title": "t", "content": [{"type": "text", "text": "hit"}]},
            {"type": "resource", "resource": {"uri": "a:b", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "a:b", "blob": "AAAA", "mimeType": "application/zip"}},
            {"type": "resource_link", "uri": "https://e.org/x", "name": "x"},
            {"type": "audio", "data": "QUFB", "mimeType": r.choice(["audio/wav", "audio/ogg"])},
            {"type": "input_audio", "input_audio": {"data": "QUFB", "format": "wav"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
            {"type": "tool-invocation", "x": self.value()}, {"type": r.choice(["", "chart", 5]), "y": 1},
            {"type": "refusal", "refusal": self.text()},
            {"x": self.value()}]
        if inner:
            return r.choice(blocks)
        blocks += [
            {"type": "thinking", "thinking": self.text(), "signature": r.choice(["s", "", None])},
            {"type": "redacted_thinking", "data": r.choice(["d", ""])},
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "server_tool_use", "id": r.choice(["srvtoolu_1", "srvtoolu_2"]), "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": r.choice(["srvtoolu_1", "srvtoolu_9"]), "content": []},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": r.choice(["e", None])},
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
            {"type": "compaction", "content": "short", "signature": "s"}, {"type": "fallback", "from": {}, "to": {}},
            {"type": "part", "functionResponse": {"name": "f", "response": {}}},
            {"type": "part", "functionCall": {"name": "f", "args": {}}},
            {"type": "part", "executableCode": {"language": "PYTHON", "code": "1"}}, {"type": "part"},
            {"type": "part", "thoughtSignature": "S", "text": ""},
            {"type": "thought", "text": "hm", "thoughtSignature": r.choice(["S", ""])},
            {"type": "text", "text": self.text(), "thoughtSignature": "S"}]
        return r.choice(blocks)

    def content(self, inner=False):
        r = self.rng
        if r.random() < .3:
            return self.text()
        if r.random() < .08:
            return self.value()
        return [self.block(inner) for _ in range(r.randrange(4))]

    def call(self, openai):
        r = self.rng
        i, n = r.choice(self.ids + [None]), self.name()
        if openai:
            kind = r.choice(["function"] * 4 + ["custom"])
            c = {"id": i, "type": kind, kind: {"name": n, "arguments" if kind == "function" else "input": r.choice(
                ["{}", "{\"a\": 1.0}", "", "{\"cut", "[1]", "null", None, 7])}}
        else:
            c = {"type": "tool_use", "id": i, "name": n, "input": r.choice([{}, {"a": 1}, None, "text", [1], 5])}
        for key in r.sample(sorted(c), 1) if r.random() < .05 else []:
            del c[key]
        return c

    def messages(self):
        r = self.rng
        for _ in range(r.randrange(1, 8)):
            m = {"role": r.choice(["user", "user", "assistant", "assistant", "tool", "system", "developer"])}
            if r.random() < .95:
                m["content"] = self.content(m["role"] == "tool")
            calls = []
            if m["role"] == "assistant" and r.random() < .6:
                openai = r.random() < .5
                calls = [self.call(openai) for _ in range(r.randrange(1, 4))]
                if openai:
                    m["tool_calls"] = calls
                elif isinstance(m.get("content"), list):
                    m["content"] += calls
                else:
                    m["content"] = calls
            if m["role"] == "assistant" and r.random() < .05:
                m["function_call"] = {"name": "f", "arguments": "{}"}
            if m["role"] == "assistant" and r.random() < .1:
                m[r.choice(["reasoning_content", "refusal", "name"])] = self.text()
            if m["role"] == "user" and r.random() < .1:
                m["name"] = r.choice(["Ann B", "", "日本", 5])
            if m["role"] == "tool":
                m["tool_call_id"] = r.choice(self.ids)
            yield m
            for c in calls:
                if r.random() < .15:
                    continue
                i = c.get("id")
                if r.random() < .5:
                    yield {"role": "tool", "tool_call_id": i, "content": self.content(True)}
                else:
                    yield {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i,
                           "content": self.content(True), "is_error": r.random() < .3}]}

    def answer(self, provider):
        r = self.rng
        if provider == "openai":
            m = {"role": "assistant", "content": r.choice([None, self.text(), self.content()]),
                 "tool_calls": [self.call(True) for _ in range(r.randrange(3))]}
            return {"choices": [{"finish_reason": r.choice(["stop", "tool_calls", "length", None]), "message": m}]}
        if provider == "anthropic":
            return {"role": "assistant", "stop_reason": r.choice(["end_turn", "tool_use", "max_tokens", "pause_turn", "refusal"]),
                    "content": [r.choice([self.block(), self.call(False)]) for _ in range(r.randrange(4))]}
        if provider == "gemini":
            parts = [r.choice([{"text": self.text()}, {"text": "hm", "thought": True}, {"inlineData": {"mimeType": "image/png", "data": PNG}},
                     {"functionCall": {"name": self.name(), "args": r.choice([{}, None, {"a": 1}])}, "thoughtSignature": "S"},
                     {"functionCall": {"name": "f", "args": {}}}, {"executableCode": {"code": "1"}}]) for _ in range(r.randrange(4))]
            return {"candidates": [{"content": {"parts": parts}, "finishReason": r.choice(["STOP", "MAX_TOKENS", "SAFETY"])}]}
        items = [r.choice([{"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": self.text()}]},
                 {"type": "function_call", "id": "fc_1", "call_id": r.choice(self.ids), "name": self.name(), "arguments": r.choice(["{}", "{\"cut"])},
                 {"type": "custom_tool_call", "call_id": "k", "name": "f", "input": "free"},
                 {"type": "reasoning", "id": "rs_1", "summary": []}, {"type": "web_search_call", "id": "ws_1"},
                 {"type": "image_generation_call", "id": "ig_1", "result": PNG}]) for _ in range(r.randrange(4))]
        return {"status": r.choice(["completed", "incomplete"]), "output": items}


class Stream:
    """An answer as the events of its provider, cut anywhere, at times without its end."""

    def __init__(self, rng):
        self.rng = rng

    def pieces(self, text):
        cut = sorted(self.rng.randrange(len(text) + 1) for _ in range(self.rng.randrange(3)))
        return [text[a:b] for a, b in zip([0] + cut, cut + [len(text)])]

    def openai(self, answer):
        choice = answer["choices"][0]
        m = choice["message"]
        deltas = [{"role": "assistant"}]
        content = m["content"]
        deltas += [{"content": c} for c in (self.pieces(content) if isinstance(content, str) else [content])]
        for i, call in enumerate(m["tool_calls"]):
            inner = call.get(call.get("type"))
            text = inner.get("arguments", inner.get("input")) if isinstance(inner, dict) else None
            pieces = self.pieces(text) if isinstance(text, str) else [text]
            for n, piece in enumerate(pieces):
                c = {"index": self.rng.choice([i, i, i, 0])}
                if n == 0:
                    c.update(call)
                if isinstance(inner, dict):
                    c[call["type"]] = {"arguments": piece} if n else dict(inner, arguments=piece)
                deltas.append({"tool_calls": [c]})
        chunks = [{"choices": [{"index": 0, "delta": d}]} for d in deltas]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
        return chunks + ["[DONE]"]

    def anthropic(self, answer):
        events = [{"type": "message_start", "message": {"role": "assistant", "content": []}}]
        for i, b in enumerate(answer["content"]):
            start, deltas = dict(b), []
            if b.get("type") == "text":
                start["text"] = ""
                deltas = [{"type": "text_delta", "text": p} for p in self.pieces(b["text"])]
            elif b.get("type") == "tool_use" and "input" in b:
                start["input"] = {}
                deltas = [{"type": "input_json_delta", "partial_json": p} for p in self.pieces(json.dumps(b["input"]))]
                if self.rng.random() < .3:
                    deltas = deltas[:-1]
            events += [{"type": "content_block_start", "index": i, "content_block": start}]
            events += [{"type": "content_block_delta", "index": i, "delta": d} for d in deltas]
            events += [{"type": "content_block_stop", "index": i}]
        return events + [{"type": "message_delta", "delta": {"stop_reason": answer["stop_reason"]}}, {"type": "message_stop"}]

    def gemini(self, answer):
        c = answer["candidates"][0]
        parts = []
        for p in c["content"]["parts"]:
            call = p.get("functionCall")
            if call and isinstance(call["args"], dict) and self.rng.random() < .7:
                parts.append(dict(p, functionCall={"name": call["name"], "willContinue": True}))
                for k, v in call["args"].items():
                    parts.append({"functionCall": {"partialArgs": [{"jsonPath": f"$.{k}", "numberValue": v}], "willContinue": True}})
                if self.rng.random() < .8:
                    parts.append({"functionCall": {}})
            else:
                parts.append(p)
        chunks = [{"candidates": [{"content": {"parts": [p]}}]} for p in parts]
        return chunks + [{"candidates": [{"content": {"parts": []}, "finishReason": c["finishReason"]}]}]

    def responses(self, answer):
        events = []
        for i, item in enumerate(answer["output"]):
            if item["type"] == "function_call" and self.rng.random() < .7:
                events.append({"type": "response.output_item.added", "output_index": i, "item": dict(item, arguments="")})
                events += [{"type": "response.function_call_arguments.delta", "output_index": i, "delta": p}
                           for p in self.pieces(item["arguments"])]
                if self.rng.random() < .5:
                    continue
            events.append({"type": "response.output_item.done", "output_index": i, "item": item})
        whole = dict(answer, output=[]) if self.rng.random() < .5 else answer
        return events + [{"type": "response." + answer["status"], "response": whole}]

    def text(self, provider, answer):
        events = getattr(self, provider)(answer)
        if self.rng.random() < .2:
            events = events[:-1]
        return "".join("data: " + (e if isinstance(e, str) else json.dumps(e)) + "\n\n" for e in events)


class Check:
    def __init__(self, bin_dir, place):
        self.env = dict(os.environ, PATH=bin_dir + ":" + os.environ["PATH"], CTX_STORE=place + "/ctx.db", CTX_SYNC="off",
                        CTX_TOKENIZER="chars4", XDG_CONFIG_HOME=place + "/none", LC_ALL="C.UTF-8")
        self.bad = []

    def run(self, args, data="", ok=(0,)):
        p = subprocess.run(args, input=data.encode("utf-8", "surrogatepass"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env)
        if p.returncode not in ok:
            self.bad.append(f"{' '.join(args)}: status {p.returncode}: {p.stderr.decode()[:300]}")
        return p

    def windows(self, sessions):
        """The window of each session, after a last question."""
        self.run(["ctx-append", "-q"], "".join(json.dumps({"kind": "message", "session_id": s, "message": {
            "role": "user", "content": "And now?"}}) + "\n" for s in sessions))
        out = self.run(["ctx-window", "-n", "1000"], "".join(
            json.dumps({"kind": "session", "session_id": s}) + "\n" for s in sessions)).stdout.decode()
        window, found = [], {}
        for line in out.split("\n")[:-1]:
            window.append(line)
            r = json.loads(line)
            if r.get("kind") == "request":
                found[r["session_id"]] = "\n".join(window) + "\n"
                window = []
        for s in set(sessions) - set(found):
            self.bad.append(f"session {s} has no window")
        return found

    def render(self, windows, provider):
        """Bodies by session, as few processes as there are refusals."""
        names, bodies = list(windows), {}
        while names:
            p = self.run(["ctx-render", "-p", provider], "".join(windows[s] for s in names), (0, 1, 3))
            lines = p.stdout.decode().split("\n")[:-1]
            bodies.update(zip(names, lines))
            if p.returncode != 0:
                if len(lines) >= len(names):
                    break
                self.bad.append(f"{names[len(lines)]}: {p.stderr.decode().splitlines()[-1][:200]}")
                self.show(windows[names[len(lines)]])
            names = names[len(lines) + (p.returncode != 0):]
        return bodies

    def show(self, text):
        if os.environ.get("FOREIGN_SHOW"):
            print(text)

    def sessions(self, sessions):
        windows = self.windows(sessions)
        for provider in PROVIDERS:
            bodies = self.render(windows, provider)
            names = list(bodies)
            out = self.run(["ctx-lint", "-p", provider], "".join(bodies[s] + "\n" for s in names), (0, 1)).stdout.decode()
            for line in out.split("\n")[:-1]:
                d = json.loads(line)
                if d["severity"] == "error":
                    s = names[d["line"] - 1]
                    self.bad.append(f"{s}: {provider}: {d['rule']}: {d['message'][:200]}")
                    self.show(bodies[s])

    def random_sessions(self, rounds, seed):
        lines, answers = [], []
        for i in range(rounds):
            h = History(random.Random(f"{seed}/{i}"))
            for m in h.messages():
                lines.append({"kind": "message", "session_id": f"r{i}", "message": m})
            lines.append({"kind": "message", "session_id": f"r{i}", "message": {"role": "user", "content": "q"}})
            if i % 5 == 0:
                p = h.rng.choice(PROVIDERS)
                a = h.answer(p)
                answers.append((f"r{i}", p, Stream(h.rng).text(p, a) if h.rng.random() < .5 else json.dumps(a)))
        self.run(["ctx-append", "-q", "--create", "--keep-going"], "".join(json.dumps(m) + "\n" for m in lines), (0, 3))
        for s, p, a in answers:
            self.run(["ctx-append", "-q", "-s", s, "-p", p], a, (0, 3, 4))
        self.sessions([f"r{i}" for i in range(rounds)])

    def imports(self, places):
        for place in places:
            names = [place] if os.path.isfile(place) else [os.path.join(d, f) for d, _, fs in os.walk(place) for f in sorted(fs)]
            for name in names:
                known = self.listed()
                out = self.run(["ctx-import", "-q", "-s", f"i{len(known)}", name], "", (0, 1, 3, 4)).stdout.decode("utf-8", "replace")
                if out:
                    self.run(["ctx-append", "-q", "--create", "--keep-going"], out, (0, 1, 3))
                self.as_input(name, f"a{len(known)}")
                self.sessions(sorted(self.listed() - known))

    def as_input(self, name, session):
        """The file as records or messages, and as an answer of each provider."""
        with open(name, "rb") as f:
            text = f.read().decode("utf-8", "replace")
        if "\0" in text:
            return
        lines = text.split("\n")
        if any(line.startswith("{") and '"role"' in line for line in lines[:3]):
            for line in lines:
                try:
                    v = json.loads(line)
                except ValueError:
                    continue
                if isinstance(v, dict) and isinstance(v.get("messages"), list):
                    self.run(["ctx-append", "-q", "--create", "--keep-going", "-s", f"{session}-{len(self.listed())}"],
                             "".join(json.dumps(m) + "\n" for m in v["messages"]), (0, 1, 3))
            self.run(["ctx-append", "-q", "--create", "--keep-going", "-s", session + "-m"], text, (0, 1, 3))
        if len(text) < 100000:
            for p in PROVIDERS:
                self.run(["ctx-append", "-q", "--create", "-s", f"{session}-{p}", "-t", "q"])
                self.run(["ctx-append", "-q", "-s", f"{session}-{p}", "-p", p], text, (0, 3, 4))

    def listed(self):
        return set(self.run(["ctx-list", "-1"]).stdout.decode().split("\n")) - {""}


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    with tempfile.TemporaryDirectory() as place:
        c = Check(os.path.abspath(sys.argv[1]), place)
        c.random_sessions(rounds, seed)
        c.imports(sys.argv[4:])
    for line in c.bad[:50]:
        print(line)
    print(f"{len(c.bad)} wrong")
    return 1 if c.bad else 0


if __name__ == "__main__":
    sys.exit(main())
