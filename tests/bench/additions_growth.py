"""Counts the requests that grow by more than 15 % without a reason.

usage: additions_growth.py BIN DATA [ENRICH OPTION...]

DATA is a directory of transcripts as for summary.sh. Each message of a user is a request:
    ctx-window -b 4000 | ctx-enrich | ctx-prune -b 4000
A reason is a quoted passage, a document, or an entity with data, relations, an id or an action.
"""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

FACTS = ("\n  ID: ", "\n  Details: ", "\n  Related: ", "\n  Action: ")


def transcripts(data):
    with open(data + "/openai-chat/taubench-airline-60.jsonl") as f:
        for line in f:
            yield "tau-bench", [json.dumps(m) for m in json.loads(line)["messages"]]
    for path in sorted(sum((glob.glob(data + p) for p in (
            "/claude-code/*.jsonl", "/codex/*.jsonl", "/gemini/*", "/swe-agent/*.traj",
            "/agents/*/*")), [])):
        out = subprocess.run(["ctx-import", "-q", path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout.decode().splitlines()
        records = [r for r in map(json.loads, out) if r["kind"] == "message"]
        if records:
            yield "agents", [json.dumps({k: r[k] for k in ("kind", "message")}) for r in records]


def asks(line):
    message = json.loads(line)
    message = message.get("message", message)
    content = message.get("content")
    return message["role"] == "user" and not (
        isinstance(content, list) and any(b.get("type") == "tool_result" for b in content))


def is_reason(record):
    kind = record["source"]["type"]
    text = str(record["message"].get("content"))
    return kind in ("history", "reference") or (kind == "entity" and any(f in text for f in FACTS))


def main(bin_dir, data, *options):
    os.environ["PATH"] = bin_dir + ":" + os.environ["PATH"]
    os.environ["CTX_SYNC"] = "off"
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        os.environ["CTX_STORE"] = work + "/ctx.db"
        pipe = ("ctx-window -s %s -b 4000 >" + work + "/window && ctx-enrich -q \"$@\" <" + work +
                "/window | ctx-prune -b 4000")
        for n, (name, lines) in enumerate(transcripts(data)):
            new = []
            for line in lines:
                new.append(line + "\n")
                if not asks(line):
                    continue
                subprocess.run(["ctx-append", "-q", "--create", "--keep-going", "-s", str(n)],
                               input="".join(new).encode(), stderr=subprocess.DEVNULL)
                new = []
                run = subprocess.run(["sh", "-c", pipe % n, "sh"] + list(options),
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                records = [json.loads(x) for x in run.stdout.splitlines()]
                if not records:
                    continue
                with open(work + "/window") as f:
                    before = json.loads(f.readlines()[-1])["tokens"]["total"]
                added = [r for r in records if r["kind"] == "message" and r.get("source")]
                counts[name, "requests"] += 1
                counts[name, "with additions"] += bool(added)
                counts[name, "grow by more than 15 % without a reason"] += (
                    records[-1]["tokens"]["total"] > 1.15 * before and
                    not any(map(is_reason, added)))
    for name in ("tau-bench", "agents"):
        print("%s: %s" % (name, ", ".join("%d %s" % (counts[name, what], what) for what in (
            "requests", "with additions", "grow by more than 15 % without a reason"))))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
