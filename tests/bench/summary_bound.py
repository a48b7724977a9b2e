"""Measures a bare list of facts, as an upper bound for summaries.

usage: summary_bound.py NAME FILE...

The conversations and their cuts are those of summary_facts.py. A logistic model ranks the
facts before a cut by how often users, answers, calls and results name them, by where they
are named first and last, and by their form. It is fitted on the facts of every second
conversation and ranks the facts of the others, then the other way round. The list has the
best facts that fit, with twelve characters of words beside each. It is not a readable
summary. Prints two shares for 5, 10 and 20 % of the tokens: the facts used after the cut
that are in the list, and the facts in the list that are used or were asked for. Then prints
the largest share of used facts in a list of any length of which at least half of the facts
are used or were asked for.
"""
import json
import math
import sys

from summary_facts import WORDS, cuts, facts, fact_text, parts, text_of, tokens, values

KINDS = ("user", "assistant", "call", "result")
STEPS, RATE, DECAY = 300, 2.0, 1e-4


def describe_facts(messages):
    """Returns a dictionary from each fact to its features."""
    size = tokens(text_of(messages))
    counts, first, last, seen = {}, {}, {}, 0
    for m in messages:
        if m["role"] in ("system", "developer"):
            continue
        for kind, text in parts(m):
            plain = text if kind in ("user", "assistant") else values(
                text.split(" ", 1)[-1] if kind == "call" else text)
            for f in facts(plain):
                counts.setdefault(f, dict.fromkeys(KINDS, 0))[kind] += 1
                first.setdefault(f, seen / size)
                last[f] = seen / size
            seen += len(text) // 4
    return {f: [1.0, *(math.log1p(n[k]) for k in KINDS), first[f], last[f],
                float("/" in f), float("-" in f), float(f.replace(",", "").replace(".", "").isdigit()),
                len(f) / 10] for f, n in counts.items()}


def estimate(weights, features):
    z = sum(w * x for w, x in zip(weights, features))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))


def fit_weights(rows):
    """Maximizes the likelihood by gradient ascent. rows: (features, used later?)"""
    weights = [0.0] * len(rows[0][0])
    for _ in range(STEPS):
        slope = [0.0] * len(weights)
        for x, used in rows:
            error = used - estimate(weights, x)
            for j, value in enumerate(x):
                slope[j] += error * value
        weights = [w + RATE / len(rows) * g - DECAY * w for w, g in zip(weights, slope)]
    return weights


def read_cuts(files):
    """(number of the file, tokens, features of each fact, facts used later, facts asked for)"""
    out = []
    for number, name in enumerate(files):
        messages = [json.loads(line) for line in open(name)]
        messages = [m.get("message", m) for m in messages if m.get("kind", "message") == "message"]
        for i in cuts(messages):
            before = messages[:i]
            n = tokens(text_of(before))
            if n < 1000:
                continue
            asked = set(facts("\n".join(t for m in before for k, t in parts(m) if k == "user")))
            described = describe_facts(before)
            later = set(facts(fact_text(messages[i:]))) & set(described)
            out.append((number, n, described, later, asked))
    return out


def main():
    name, data = sys.argv[1], read_cuts(sys.argv[2:])
    rows = {share: [0, 0, 0] for share in (0.05, 0.1, 0.2)}
    ranked, wanted = [], 0
    for half in (0, 1):
        weights = fit_weights([(x, float(f in later)) for number, _, described, later, _ in data
                               if number % 2 != half for f, x in described.items()])
        for number, n, described, later, asked in data:
            if number % 2 != half:
                continue
            order = sorted(((estimate(weights, x), f) for f, x in described.items()), reverse=True)
            ranked += [(p, f in later, f in later or f in asked) for p, f in order]
            wanted += len(later)
            for share, row in rows.items():
                room = int(n * share) * 4
                for _, f in order:
                    if len(f) + WORDS <= room:
                        room -= len(f) + WORDS
                        row[0] += f in later
                        row[1] += f in later or f in asked
                        row[2] += 1
    for share, (used, good, held) in rows.items():
        print(f"{name:12} {share:4.0%} list       again {used:5}/{wanted:5} {used / wanted:6.1%}"
              f"  good {good / held:6.1%}")
    used = good = best = 0
    for i, (_, later, kept) in enumerate(sorted(ranked, reverse=True), 1):
        used += later
        good += kept
        if good * 2 >= i:
            best = used
    print(f"{name:12} half good  again {best:5}/{wanted:5} {best / wanted:6.1%}")


if __name__ == "__main__":
    main()
