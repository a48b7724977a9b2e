#!/usr/bin/env python3
"""Calculates how much of each request can at most repeat the beginning of the previous request.

usage: reuse_bound.py BUDGET LOW_WATER FILE

FILE contains messages in Anthropic's format, as for reuse.py. There is a request after each message of the
user. A window consists of the newest groups (a call and its results) and of the message that begins the
turn of the first group. A window must fit the budget. After a cut, the window must have LOW_WATER percent of
the budget, apart from one group. Prints the largest share of bytes that can be reused
 - if all cuts are chosen with knowledge of all later messages, and
 - if the window is cut only when it must be, down to the first group border at or below LOW_WATER. This
   choice needs the previous window, which stable windows of ctx-window do not use."""
import json, os, subprocess, sys, tempfile

def load(path):
    with tempfile.TemporaryDirectory() as work:
        store = work + "/ctx.db"
        bin = os.environ["CTX_BIN"]
        subprocess.run([bin + "/ctx-append", "-S", store, "-s", "S", "-q", "--create", path], check=True)
        out = subprocess.run([bin + "/ctx-show", "-S", store, "-s", "S"], stdout=subprocess.PIPE, check=True)
    return [r for r in map(json.loads, out.stdout.splitlines()) if r["kind"] == "message"]

class Session:
    def __init__(self, records):
        self.sums, calls, turn = [(0, 0)], {}, None
        self.turn, self.requests, until = [], [], []
        for i, r in enumerate(records):
            m = r["message"]
            blocks = m["content"] if isinstance(m["content"], list) else []
            results = [b for b in blocks if b.get("type") == "tool_result"]
            calls.update({b["id"]: i for b in blocks if b.get("type") == "tool_use"})
            if m["role"] == "user":
                self.requests.append(i + 1)
                turn = turn if results else i
            self.turn.append(turn)
            until.append(i)
            for b in results:
                if b["tool_use_id"] in calls:
                    until[calls[b["tool_use_id"]]] = i
            t, n = self.sums[-1]
            self.sums.append((t + r["token_count"], n + len(json.dumps(m).encode())))
        self.borders, reach = [], -1
        for i, last in enumerate(until):
            if i > reach:
                self.borders.append(i)
            reach = max(reach, last)

    def opening(self, start):
        """The message that comes along, or None."""
        t = self.turn[start]
        return t if t is not None and t < start else None

    def size(self, start, end, what):
        t = self.opening(start)
        extra = 0 if t is None else self.sums[t + 1][what] - self.sums[t][what]
        return self.sums[end][what] - self.sums[start][what] + extra

TOKENS, BYTES = 0, 1

def foresight(s, budget, mark, price):
    """Most of reused - price * all bytes: (value, reused, all). States are starts."""
    best, before = {0: (0, 0, 0)}, 0
    for end in s.requests:
        after = {}
        for start, (v, r, n) in best.items():
            if s.size(start, end, TOKENS) <= budget:
                size, same = s.size(start, end, BYTES), s.size(start, before, BYTES) if before > start else 0
                after[start] = (v + same - price * size, r + same, n + size)
        for j, start in enumerate(s.borders[1:]):
            if start >= end or s.size(start, end, TOKENS) > budget:
                continue
            if s.size(s.borders[j], end, TOKENS) < mark:
                continue
            t, size = s.opening(start), s.size(start, end, BYTES)
            for old, (v, r, n) in best.items():
                if old < start:
                    u = s.opening(old)
                    same = s.sums[t + 1][1] - s.sums[t][1] if t is not None and t in (u, old) else 0
                    c = (v + same - price * size, r + same, n + size)
                    if start not in after or c > after[start]:
                        after[start] = c
        best, before = after, end
    return max(best.values())

def memory(s, budget, mark):
    start = before = reused = total = 0
    for end in s.requests:
        old = start
        if s.size(start, end, TOKENS) > budget:
            start = next((b for b in s.borders if b > start and s.size(b, end, TOKENS) <= mark), s.borders[-1])
        reused += s.size(start, before, BYTES) if start == old and before > start else 0
        total += s.size(start, end, BYTES)
        before = end
    return reused / total

def main(budget, low, path):
    s = Session(load(path))
    budget = int(budget) - 3 # the answer's primer
    mark, share = budget * int(low) / 100, 0.5
    while True: # the price at which nothing is gained is the share
        _, reused, total = foresight(s, budget, mark, share)
        if abs(reused / total - share) < 1e-6:
            break
        share = reused / total
    print(f"{100 * share:.2f}\t{100 * memory(s, budget, mark):.2f}")

if len(sys.argv) != 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
