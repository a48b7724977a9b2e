#!/usr/bin/env python3
"""Compares append-only requests of ctx with a program that only appends, on a stand-in for the providers.

  append_only.py JUDGE DATA [--events FIRST-LAST] [--provider NAME]... [--only NAME]...

JUDGE is the directory of replay.py and ideal.py, which tests/bench/README.md describes. DATA is a directory with
openai-chat/, locomo/ and claude-code/. The commands are taken from PATH. Prints a table with a row for each
conversation and budget: the number of requests and reasoning items that were refused, void or changed; the share of
the prompts that the providers' caches would have read; the mean prompt; and the reasoning that was sent back. The last
three figures are beside those of a program that only appends. With --events, prints a row for each seed of random
events between the turns (edited rules, failures, other models, summaries, forks); only the first column matters then.
Exits with status 1 if a row misses its goal: no error, as large a share read from caches, and nine tenths of the prompt
and of the reasoning. NAME is tau-bench, LoCoMo-26, LoCoMo-30, LoCoMo-41, LoCoMo-42 or Claude-Code."""
import json
import os
import subprocess
import sys
import tempfile

PROVIDERS = ["anthropic", "responses", "openai", "gemini"]
WRONG = ["errors", "refused", "reasoning_lost", "answers_changed"]


def run(*args, **more):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more).stdout


def write_agent_session(transcript, work):
    """A coding agent's transcript as messages of a chat, in one object."""
    env = dict(os.environ, CTX_STORE=work + "/agent.db")
    run("ctx-append", "-q", "--create", "-s", "agent", input=run("ctx-import", transcript), env=env)
    path = work + "/agent.json"
    with open(path, "wb") as f:
        f.write(run("ctx-show", "-s", "agent", "-f", "openai", env=env))
    return path


def conversations(data, work):
    """(name, arguments, budgets)"""
    talks = data + "/openai-chat/taubench-airline-60.jsonl"
    if os.path.exists(talks):
        yield "tau-bench", [talks, "1", "20"], [6000, 32000]
    if os.path.isdir(data + "/locomo"):
        run(sys.executable, data + "/locomo/convert.py", data + "/locomo/locomo4.json", work)
        for n in (26, 30, 41, 42):
            yield f"LoCoMo-{n}", [f"{work}/conv-{n}.messages.ndjson"], [4000, 16000]
    sessions = data + "/claude-code"
    if os.path.isdir(sessions):
        largest = max((os.path.join(sessions, f) for f in os.listdir(sessions)), key=os.path.getsize)
        yield "Claude-Code", [write_agent_session(largest, work)], [32000]


def play(judge, program, *args):
    r = subprocess.run([sys.executable, f"{judge}/{program}", *args], stdout=subprocess.PIPE, check=False)
    return json.loads(r.stdout)


def print_row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def measure(judge, name, args, budget, provider):
    args = ["-p", provider, "-b", str(budget), *args]
    ours, ideal = play(judge, "replay.py", *args), play(judge, "ideal.py", *args)
    wrong = sum(ours[k] for k in WRONG) + sum(ours.get("why", {}).values())
    good = wrong == 0 and ours["read"] >= ideal["read"] and all(
        ours[k] >= 0.9 * ideal[k] for k in ("mean_prompt", "reasoning_sent"))
    print_row(name, budget, provider, ours["requests"], wrong, f'{ours["read"]:.3f} / {ideal["read"]:.3f}',
              f'{ours["mean_prompt"]} / {ideal["mean_prompt"]}', f'{ours["reasoning_sent"]} / {ideal["reasoning_sent"]}',
              "yes" if good else "NO")
    return good


def measure_events(judge, name, args, budget, provider, seed):
    ours = play(judge, "replay.py", "-p", provider, "-b", str(budget), "--events", str(seed), *args)
    wrong = sum(ours[k] for k in WRONG) + sum(ours.get("why", {}).values())
    print_row(name, budget, provider, ours["requests"], wrong, f'seed {seed}: {ours["read"]:.3f}', ours["mean_prompt"],
              ours["reasoning_sent"], "yes" if wrong == 0 else "NO")
    return wrong == 0


def main(args):
    options, rest = {"--events": [], "--provider": [], "--only": []}, []
    while args:
        a = args.pop(0)
        if a in options and args:
            options[a].append(args.pop(0))
        else:
            rest.append(a)
    if len(rest) != 2 or any(a.startswith("-") for a in rest):
        sys.exit(__doc__)
    first, last = (options["--events"] or ["0-0"])[-1].split("-")
    seeds = range(int(first), int(last) + 1)
    good = True
    print_row("conversation", "budget", "provider", "requests", "wrong", "read / ideal", "mean prompt / ideal",
              "reasoning / ideal", "good")
    print("|---|--:|---|--:|--:|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        for name, files, budgets in conversations(rest[1], work):
            if options["--only"] and name not in options["--only"]:
                continue
            for budget in budgets:
                for provider in options["--provider"] or PROVIDERS:
                    if options["--events"]:
                        for seed in seeds:
                            good &= measure_events(rest[0], name, files, budget, provider, seed)
                    else:
                        good &= measure(rest[0], name, files, budget, provider)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
