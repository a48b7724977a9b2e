"""Prints the share of the evidence for a question that reaches the request body.

usage: additions.py BIN DIR...

DIR holds ID.messages.ndjson and ID.questions.ndjson as for tests/bench/recall. Each
question is appended to its conversation and goes through
    ctx-window -b 4000 --turns 2 | ctx-enrich --history relevant | ctx-prune -b 4000 | ctx-render
Prints the mean share of a question's evidence that is in the body. Adversarial questions are left out, as
in the first column of tests/bench/recall. A message counts as found if the body contains a passage of 200
characters of it, or a quarter of a shorter message. With EVERY=N, only every Nth question is used.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile


def text_of(record):
    content = record.get("message", record).get("content")
    if isinstance(content, list):
        content = "\n".join(b.get("text", "") for b in content)
    return " ".join((content or "").split())


def is_there(text, body):
    pieces = [text[i:i + 40] for i in range(0, max(1, len(text) - 39), 40)]
    return sum(p in body for p in pieces) >= min(5, len(pieces) / 4)


def main(bin_dir, *dirs):
    every = int(os.environ.get("EVERY", "1"))
    work = tempfile.mkdtemp()
    env = dict(os.environ, CTX_STORE=work + "/q.db", CTX_SYNC="off",
               PATH=bin_dir + ":" + os.environ["PATH"])
    params = work + "/params.json"
    with open(params, "w") as f:
        f.write('{"model": "m"}')
    pipe = ("ctx-append -q -s %s --raw && ctx-window -s %s -b 4000 --turns 2 |"
            " ctx-enrich -q --history relevant | ctx-prune -b 4000 --params " + params +
            " | ctx-render -p openai --warn 0 --params " + params)
    for d in dirs:
        shares = []
        for messages in sorted(glob.glob(d + "/*.messages.ndjson")):
            sid = os.path.basename(messages).split(".")[0]
            base = "%s/%s.db" % (work, sid)
            subprocess.run(["ctx-append", "-q", "--create", "-s", sid, "-S", base, messages],
                           check=True, env=env)
            subprocess.run(["ctx-check", "-q", "--catch-up", "-S", base], check=True, env=env)
            with open(messages) as f:
                texts = [text_of(json.loads(line)) for line in f]
            with open(messages.replace(".messages.", ".questions.")) as f:
                questions = [q for q in map(json.loads, f) if q["category"] != 5]
            for q in questions[::every]:
                for side in glob.glob(work + "/q.db*"):
                    os.remove(side)
                for part in glob.glob(base + "*"):
                    shutil.copy(part, work + "/q.db" + part[len(base):])
                body = subprocess.run(["sh", "-c", pipe % (sid, sid)], env=env,
                                      input=q["question"].encode(), stdout=subprocess.PIPE).stdout
                try:
                    sent = " ".join(text_of(m) for m in json.loads(body)["messages"])
                except ValueError:
                    sent = ""
                evidence = set(q["evidence"])
                if evidence:
                    shares.append(sum(is_there(texts[s - 1], sent) for s in evidence) /
                                  len(evidence))
        print("%s: %d questions, %.1f %%" % (d, len(shares), 100 * sum(shares) / len(shares)))
    shutil.rmtree(work)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
