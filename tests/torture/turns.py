#!/usr/bin/env python3
"""usage: turns.py BIN FAILURES [SEED]

Turns of one session against a stand-in for four providers that fails at random: it refuses,
drops, breaks off before any text and after some, and in between ctx-turn is killed, the server
is started anew, or two turns are begun at once. A turn that failed is run again by the same line until it succeeds. In the end no message may be lost or
doubled: each question is there once, in its order, and behind it each call with one result and
one answer. Prints what was seen; exits 1 when a promise was broken."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

bin_dir, wanted = os.path.abspath(sys.argv[1]), int(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
rng = random.Random(seed)
PROVIDERS = ["openai", "anthropic", "gemini", "responses"]
FAILURES = ["status 429 0", "status 500", "status 503", "page 502", "drop", "overloaded",
            "break", "cut Half an ans", "status 400", "date 429", "date 503 -60", "garbled"]

# One that takes its time, so that a signal finds it at work.
TOOL = "cat; sleep 0.$(($$ % 4)); :"

work = tempfile.mkdtemp(prefix="turns.")
served = os.path.join(work, "served")
os.mkdir(served)


def start_server(*port):
    return subprocess.Popen(
        [sys.executable, os.path.join(os.path.dirname(__file__), "../tools/provider_server.py"),
         served, *port], stderr=subprocess.DEVNULL)


said = open(os.path.join(work, "said"), "a", encoding="utf-8")
server = start_server()
for _ in range(1200):
    if os.path.exists(os.path.join(served, "port")):
        break
    time.sleep(0.05)
with open(os.path.join(served, "port"), encoding="utf-8") as f:
    port = f.read().strip()
base = "http://127.0.0.1:" + port

env = {k: v for k, v in os.environ.items()
       if not k.startswith("CTX_") and not k.endswith(("_proxy", "_API_KEY"))}
path = [p for p in os.environ["PATH"].split(":") if not p.endswith("tests/bin")]
env.update(CTX_STORE=os.path.join(work, "ctx.db"), HOME=work, XDG_CACHE_HOME=work,
           PATH=":".join([bin_dir, *path]), OPENAI_BASE_URL=base + "/v1",
           ANTHROPIC_BASE_URL=base, GOOGLE_GEMINI_BASE_URL=base)
seen = {"turns": 0, "failures": 0, "kills": 0, "restarts": 0, "pairs": 0, "runs": 0, "calls": 0}
bad = []


def plan(lines):
    with open(os.path.join(served, "plan"), "w", encoding="utf-8") as out:
        out.write("".join(line + "\n" for line in lines))


def begin(question, provider):
    seen["runs"] += 1
    return subprocess.Popen(
        ["ctx-turn", "-q", "-s", "s", "--create", "-p", provider, "--model", "m", "--retries",
         "2", "--retry-wait", "0", *rng.choice([[], ["--parallel"]]), "--tool-exec", TOOL, question],
        env=env, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True)


def restart_server():
    global server
    seen["restarts"] += 1
    server.kill()
    server.wait()
    time.sleep(rng.uniform(0, 0.5))
    server = start_server(port)


def run(question, provider, kill):
    """One run of the line; True if it succeeded."""
    turn = begin(question, provider)
    if kill is not None and rng.random() < 0.3:
        try:
            turn.wait(kill)
        except subprocess.TimeoutExpired:
            restart_server()
    elif kill is not None:
        try:
            turn.wait(kill)
        except subprocess.TimeoutExpired:
            seen["kills"] += 1
            end = rng.choice([os.kill, os.killpg])  # its process alone, or all of them
            end(turn.pid, rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
    return turn.wait() == 0


def messages():
    out = subprocess.run(["ctx-show", "-s", "s"], env=env, capture_output=True, text=True,
                         check=False).stdout
    records = [json.loads(line) for line in out.splitlines()]
    return [r["message"] for r in records if r["kind"] == "message"]


def blocks(message, kind):
    content = message.get("content")
    return [b for b in content if b.get("type") == kind] if isinstance(content, list) else []


def text(message):
    content = message.get("content")
    return content if isinstance(content, str) else "".join(
        b.get("text", "") for b in blocks(message, "text"))


def calls_of(message):
    return ([c["id"] for c in message.get("tool_calls") or []] +
            [b["id"] for b in blocks(message, "tool_use")])


def results_of(message):
    if message["role"] == "tool":
        return [message["tool_call_id"]]
    return [b["tool_use_id"] for b in blocks(message, "tool_result")]


def state_of(question):
    """How far the turn has come: nothing, called or answered."""
    stored, state = messages() if os.path.exists(env["CTX_STORE"]) else [], "nothing"
    for i, m in enumerate(stored):
        if m["role"] == "user" and text(m) == question:
            for later in stored[i + 1:]:
                if calls_of(later):
                    state = "called"
                elif later["role"] == "assistant":
                    return "answered"
    return state


def judge(asked):
    """The session against the questions, in their order."""
    stored = messages()
    questions = [text(m) for m in stored if m["role"] == "user" and not results_of(m)]
    if questions != asked:
        bad.append(f"questions: {questions[-3:]}, not {asked[-3:]}")
    made = [c for m in stored for c in calls_of(m)]
    given = [r for m in stored for r in results_of(m)]
    if sorted(made) != sorted(given):
        bad.append(f"{len(made)} calls, {len(given)} results")
    answers = [m for m in stored if m["role"] == "assistant" and not calls_of(m)]
    if [text(m) for m in answers] != [f"Answer to {q}" for q in asked]:
        bad.append(f"{len(answers)} answers to {len(asked)} questions")
    seen["calls"] = len(made)


def run_pair(questions):
    """Two turns of the session at once: each waits for the other, and both are answered."""
    seen["pairs"] += 1
    plan(["answer", "answer"])
    turns = [begin(q, rng.choice(PROVIDERS)) for q in questions]
    if not all([turn.wait() == 0 for turn in turns]):
        bad.append(f"two at once: {questions} failed")
    order = [text(m) for m in messages() if m["role"] == "user" and text(m) in questions]
    return order if sorted(order) == sorted(questions) else questions


asked = []
try:
    while seen["failures"] + seen["kills"] < wanted and not bad:
        if asked and rng.random() < 0.15:
            asked += run_pair([f"question {len(asked) + n}" for n in (1, 2)])
            seen["turns"] += 2
            judge(asked)
            continue
        question = f"question {len(asked) + 1}"
        asked.append(question)
        seen["turns"] += 1
        steps = ["call look 2"] * rng.choice([0, 0, 1]) + [rng.choice(["text", "text", "gzip"]) + f" Answer to {question}"]
        provider, tries = rng.choice(PROVIDERS), 0
        while True:
            tries += 1
            fails = rng.choices(FAILURES, k=rng.choice([0, 1, 1, 2, 4])) if tries < 8 else []
            state = state_of(question) if tries > 1 else "nothing"
            if state == "answered":  # it was killed behind its last step
                break
            rest = steps[-1:] if state == "called" else steps
            at = rng.randrange(len(rest) + 1)
            lines = rest[:at] + fails + rest[at:]
            plan(lines)
            kill = rng.uniform(0, 1.5) if tries < 8 and rng.random() < 0.3 else None
            ok = run(question, provider, kill)
            with open(os.path.join(served, "plan"), encoding="utf-8") as f:
                left = f.read().splitlines()
            seen["failures"] += sum(line in FAILURES for line in lines[:len(lines) - len(left)])
            if ok:
                break
            if tries > 30:
                bad.append(f"{question}: no success in {tries} runs")
                break
        judge(asked)
finally:
    server.terminate()
print(json.dumps({"seed": seed, **seen, "messages": len(messages())}))
for line in bad:
    print("broken:", line)
if not bad:
    subprocess.run(["rm", "-r", work], check=False)
else:
    print("kept:", work)
sys.exit(bool(bad))
