"""What a session says, in a form in which two records of it can be compared.

usage: carry.py RECORDS...

Prints for each file of records one line for each text, call and result, in order: calls and
results of a turn after its texts, each result with the call that it answers.
"""
import json
import sys


def text_of(content):
    if isinstance(content, str):
        return content
    return "\n".join(b["text"] if b.get("type") == "text" else "[%s]" % b.get("type") for b in content or [])


def parts(message):
    role = message["role"]
    if role == "tool":
        return [("result", message["tool_call_id"], text_of(message.get("content")), False)]
    content = message.get("content") or []
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    out = []
    for b in content:
        t = b.get("type")
        if t in ("text", "input_text", "output_text"):
            out.append(("text", b["text"]))
        elif t == "tool_use":
            out.append(("call", b["id"], b["name"], b.get("input") or {}))
        elif t == "tool_result":
            out.append(("result", b["tool_use_id"], text_of(b.get("content")), bool(b.get("is_error"))))
        elif t in ("image", "image_url"):
            out.append(("text", "[image]"))
    for c in message.get("tool_calls") or []:
        out.append(("call", c["id"], c["function"]["name"], json.loads(c["function"]["arguments"] or "{}")))
    return out


def main(paths):
    for path in paths:
        turns, calls, results = [], [], {}
        for line in open(path):
            r = json.loads(line)
            if r.get("kind") != "message" or r["message"]["role"] in ("system", "developer"):
                continue
            m = r["message"]
            for p in parts(m):
                if p[0] == "text":
                    who = "assistant" if m["role"] == "assistant" else "user"
                    if turns and turns[-1][0] == who and not turns[-1][2]:
                        turns[-1][1].append(p[1])
                    else:
                        turns.append([who, [p[1]], False])
                elif p[0] == "call":
                    calls.append(p)
                    turns.append(["call", [p[2]], True])
                else:
                    results[p[1]] = p[2:]
        for who, said, _ in turns:
            print(who, json.dumps("\n\n".join(said)))
        for _, i, name, args in calls:
            print("called", name, json.dumps(args, sort_keys=True), json.dumps(results.get(i)))


if __name__ == "__main__":
    main(sys.argv[1:])
