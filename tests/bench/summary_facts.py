"""Measures how many of the facts that are used later a summary contains.

usage: summary_facts.py NAME PROGRAM FILE...

Each FILE contains a conversation, with one bare message on each line. The conversation is cut before a user
message at a quarter, half and three quarters of its tokens; if it has few turns, before a tool result.
PROGRAM (ctx-summarize) summarizes the part before the cut in 5, 10 and 20 % of its tokens, without the part
after the cut. Prints two shares, for the summary and for the first and last text of the same size: the
share of the facts used after the cut that the lines contain (at most three facts in each line), and the
share of the facts in the lines that are used later or were asked for. The rows "foreseen" are an upper
bound: a list of the facts that are used later, the shortest facts first, with twelve characters of words
beside each fact.
"""
import json
import re
import subprocess
import sys

FACT = re.compile(
    r"(?P<date>\b\d{4}-\d\d-\d\d\b)"
    r"|(?P<path>(?<![\w/.~:])(?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)+|(?<![\w/.-])[\w-]+\.(?:c|h|py|js|ts|tsx|rs|go|exs?|heex|rb|java|sh|md|txt|json|jsonl|ya?ml|toml|html|css|sql|lock|log|cfg|pcap)(?!\w))"
    r"|(?P<id>\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b|\b[a-z]+[A-Z]\w+\b|\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]{4,}\b|\b[A-Z]{6}\b)"
    r"|(?P<amount>\$\d[\d,]*(?:\.\d+)?|\b\d[\d,]*\.\d\d\b|\b\d{3,}\b)")


def facts(text):
    out = []
    for m in FACT.finditer(text):
        f = m.group().strip(".").rstrip("/")
        if m.lastgroup == "amount":
            f = f.lstrip("$").replace(",", "").strip(".")
            f = re.sub(r"\.0+$", "", f)
            if len(f) < 2:
                continue
        if m.lastgroup == "path" and not re.search("[A-Za-z]", f):
            continue
        out.append(f)
    return out


LINE_NUMBER = re.compile(r"^ *\d+(?:→|\t| \| )", re.M)


def values(text):
    """The text without keys of JSON and without the line numbers of file viewers."""
    def walk(v):
        if isinstance(v, dict):
            for x in v.values():
                yield from walk(x)
        elif isinstance(v, list):
            for x in v:
                yield from walk(x)
        elif v is not None and not isinstance(v, bool):
            yield str(v)
    try:
        v = json.loads(text)
    except ValueError:
        return LINE_NUMBER.sub("", text)
    return "\n".join(walk(v))


def fact_text(messages):
    return "\n".join(t if k in ("user", "assistant") else values(t.split(" ", 1)[-1] if k == "call" else t)
                     for m in messages if m["role"] not in ("system", "developer") for k, t in parts(m))


def parts(m):
    """(kind, text) of a message: text, args or result."""
    role, c = m["role"], m.get("content")
    if role == "tool":
        yield "result", c if isinstance(c, str) else json.dumps(c, ensure_ascii=False)
        return
    if isinstance(c, str):
        yield role, c
    for b in c if isinstance(c, list) else []:
        if b.get("type") == "text":
            yield role, b["text"]
        elif b.get("type") == "tool_use":
            yield "call", b["name"] + " " + json.dumps(b["input"], ensure_ascii=False)
        elif b.get("type") == "tool_result":
            x = b.get("content") or ""
            if not isinstance(x, str):
                x = "\n".join(y.get("text", "") for y in x)
            yield "result", x
    for call in m.get("tool_calls") or []:
        f = call["function"] if "function" in call else call.get("custom", {})
        yield "call", f["name"] + " " + str(f.get("arguments") or f.get("input") or "")


def text_of(messages):
    return "\n".join(t for m in messages if m["role"] not in ("system", "developer")
                     for _, t in parts(m))


def tokens(text):
    """About what ctx-count says, fast; only shares of it are used."""
    return max(1, len(text) // 4)


def starts(m):
    return m["role"] == "user" and any(k == "user" for k, _ in parts(m))


def cuts(messages):
    """Indexes to cut before."""
    sizes = [tokens(text_of([m])) if m["role"] not in ("system", "developer") else 0
             for m in messages]
    total, out = sum(sizes), []
    calls = lambda m: any(k == "call" for k, _ in parts(m))
    for share in (0.25, 0.5, 0.75):
        want, best = total * share, None
        for turn in (True, False):
            seen = 0
            for i, m in enumerate(messages):
                ok = starts(m) if turn else m["role"] == "assistant" and (
                    i and not calls(messages[i - 1]))
                if ok and 0 < seen and i > 2 and abs(seen - want) < total * 0.12:
                    if best is None or abs(seen - want) < abs(best[1] - want):
                        best = (i, seen)
                seen += sizes[i]
            if best:
                break
        if best and best[0] not in out:
            out.append(best[0])
    return out


def summary(program, messages, n, args=()):
    lines = [json.dumps(m, ensure_ascii=False) for m in messages]
    lines.append('{"role":"user","content":"?"}')
    r = subprocess.run([program, "-q", "--keep-last", "1", "--max-tokens", str(n), *args],
                       input="\n".join(lines).encode(), stdout=subprocess.PIPE, check=True)
    for line in r.stdout.decode().splitlines():
        rec = json.loads(line)
        if rec.get("slot") == "summary":
            return rec["message"]["content"]
    return ""


def held(text):
    """Facts by line; of each at most three count as used."""
    return [list(dict.fromkeys(facts(line))) for line in text.splitlines()]


DIRECTORY = re.compile(r"^- directory: `(.*)`$", re.M)


def score(text, used, asked):
    """Paths below the directory that a summary names stand for whole ones."""
    got, all_ = set(), set()
    root = DIRECTORY.search(text)
    for line in held(text):
        if root:
            line = [root.group(1) + "/" + f if root.group(1) + "/" + f in used else f for f in line]
        hits = [f for f in line if f in used and f not in got][:3]
        got.update(hits)
        all_.update(line)
    good = [f for f in all_ if f in used or f in asked]
    return len(got), len(good), len(all_)


def first_last(text, n):
    size = n * 4
    return text[:size // 2] + "\n" + text[-size // 2:]


WORDS = 12


def foreseen(used, n):
    """Returns the used facts that fit into n tokens, with WORDS characters beside each."""
    room, out = n * 4, []
    for f in sorted(used, key=len):
        room -= len(f) + WORDS
        if room < 0:
            break
        out.append(f)
    return "\n".join(out)


def main():
    name, program, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    rows = {}
    for f in files:
        messages = [json.loads(x) for x in open(f)]
        messages = [m.get("message", m) for m in messages if m.get("kind", "message") == "message"]
        for i in cuts(messages):
            before, after = messages[:i], messages[i:]
            text = text_of(before)
            n = tokens(text)
            if n < 1000:
                continue
            later = set(facts(fact_text(after)))
            said = set(facts("\n".join(values(t.split(" ", 1)[-1]) if k == "call" else t
                                       for m in after if m["role"] not in ("system", "developer")
                                       for k, t in parts(m) if k != "result")))
            here = set(facts(fact_text(before)))
            asked = set(facts("\n".join(t for m in before for k, t in parts(m) if k == "user")))
            for share in (0.05, 0.1, 0.2):
                k = int(n * share)
                s = summary(program, before, k + 12)
                for which, out in (("summary", s), ("first-last", first_last(text, k)),
                                   ("foreseen", foreseen(here & later, k))):
                    r = rows.setdefault((share, which), [0] * 6)
                    for j, used in enumerate((here & later, here & said)):
                        a, good, all_ = score(out, used, asked)
                        r[j * 2] += a
                        r[j * 2 + 1] += len(used)
                        if j == 0:
                            r[4] += good
                            r[5] += all_
    for (share, which), r in sorted(rows.items()):
        print(f"{name:12} {share:4.0%} {which:10} again {r[0]:5}/{r[1]:5} {r[0]/max(1,r[1]):6.1%}"
              f"  said {r[2]:5}/{r[3]:5} {r[2]/max(1,r[3]):6.1%}  good {r[4]/max(1,r[5]):6.1%}")


if __name__ == "__main__":
    main()
