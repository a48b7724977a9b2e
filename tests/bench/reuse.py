#!/usr/bin/env python3
"""Measures how much of each request repeats the beginning of the previous request.

usage: reuse.py BUDGET WHEN FILE [OPTION ...]

FILE contains one message on each line. The messages are appended one after the other. WHEN is "user" (a
request after each message of the user or of a tool) or "every" (a request after every message). The
options are those of ctx-window. Prints the share of the bytes of all requests that repeat the beginning
of the previous request, the mean number of tokens of a request, and the number of requests."""
import json, os, subprocess, sys, tempfile

def run(args, data=None):
    return subprocess.run(args, input=data, stdout=subprocess.PIPE, check=True).stdout

def wanted(message, when):
    return when == "every" or message["role"] in ("user", "tool")

def common(a, b):
    n = min(len(a), len(b))
    if a[:n] == b[:n]:
        return n
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    return low

def main(budget, when, path, *options):
    bin = os.environ["CTX_BIN"]
    reused = total = tokens = requests = 0
    with tempfile.TemporaryDirectory() as work:
        store = work + "/ctx.db"
        run([bin + "/ctx-new", "-S", store, "--id", "S", "-1"])
        before = b""
        for line in open(path, "rb"):
            record = json.loads(line)
            run([bin + "/ctx-append", "-S", store, "-s", "S", "-q", "--sync", "off"], line)
            if not wanted(record.get("message", record), when):
                continue
            window = run([bin + "/ctx-window", "-S", store, "-s", "S", "-b", budget,
                          "-p", "openai", *options])
            # the messages as they stand in the body: all of it but what surrounds them
            kept = [json.loads(l) for l in window.splitlines()]
            body = b"".join(json.dumps(r["message"]).encode() for r in kept
                            if r["kind"] == "message")
            reused += common(before, body)
            total += len(body)
            tokens += kept[-1]["tokens"]["total"]
            requests += 1
            before = body
    print(f"{100 * reused / total:.2f}\t{tokens / requests:.0f}\t{requests}")

if len(sys.argv) < 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
