"""Measures how many facts are left in a chain of summaries.

usage: summary_chain.py PROGRAM FILE...

Each FILE contains a conversation, with one bare message on each line. The conversation is divided into ten
parts. The first part is summarized; each later part is summarized together with the previous summary. A
summary has a fifth of the tokens of a part. Prints how many of the facts in the first summary each later
summary contains.
"""
import json
import subprocess
import sys

from summary_facts import facts, text_of, tokens


def step(program, lines, n):
    r = subprocess.run([program, "-q", "--keep-last", "1", "--max-tokens", str(n)],
                       input="\n".join(lines + ['{"role":"user","content":"?"}']).encode(),
                       stdout=subprocess.PIPE, check=True)
    for line in r.stdout.decode().splitlines():
        if '"slot":"summary"' in line:
            return line
    return lines[0]


def main():
    left, first = [0] * 10, 0
    for name in sys.argv[2:]:
        messages = [json.loads(x) for x in open(name, encoding="utf-8")]
        if len(messages) < 20:
            continue
        size = -(-len(messages) // 10)
        n = max(400, tokens(text_of(messages)) // 50)
        record, kept = [], None
        for i in range(10):
            part = messages[i * size:(i + 1) * size]
            if not part:
                break
            record = [step(sys.argv[1], record + [json.dumps(m) for m in part], n)]
            got = set(facts(json.loads(record[0]).get("message", {}).get("content", "")))
            if kept is None:
                kept = got
                first += len(kept)
            left[i] += len(kept & got)
    print("chain       ", " ".join(f"{x / max(1, first):.0%}" for x in left))


if __name__ == "__main__":
    main()
