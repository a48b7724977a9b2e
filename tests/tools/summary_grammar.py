"""Parse summaries of ctx-summarize. usage: summary_grammar.py FILE...

Each line must be a heading, or begin as the lines of its section do:

    document = section...           sections in their order, each once, none empty
    section  = "## " name, line...
    line     = ("- " | number ". "), text
    actions  = action, { ("; " | ", "), action }
    action   = [verb " "], object, [" (" number " times)"], [": " result]
    result   = quotation | "nothing found" | number " results" | number " lines"
    object   = code | quotation | (name | code) "(" arguments ")"
    state    = "- " subject ":", [" " item, { ", " item }], { "  - " ( part | [number ": "], quotation, [" (" number " times)"] ) }
    part     = name, " (", item, { ", " item }, ")"
    open     = "- " label ": " item, { "; " item }

A quotation stands between “ and ” and a code between backticks, and neither holds its own
marks. What else is said are the words of the conversation, on one line. Prints each line
that is none of these with its file, and fails.
"""
import re
import sys

SECTIONS = ["Requests", "Actions", "Outcomes", "Decisions", "State", "Open"]
VERBS = ["called", "read", "edited", "wrote", "patched", "ran", "searched for", "listed",
         "fetched", "delegated", "updated the list"]
HEADER = "Summary of the earlier conversation:"
LEAD = re.compile(r"(- |\d+\. )(?=\S)")
TIMES = re.compile(r" \(\d+ times\)")
AMOUNT = re.compile(r"nothing found|\d+ (?:results|lines)")
QUOTED = re.compile(r"(\d+: )?“[^“”]+”")
CODE = re.compile(r"`[^`]+`")
PART = re.compile(r"[^\s“”()`][^“”()`]* \(\S.*\)")
NAME = re.compile(r"[^\s()\[\]`\"';,]+(?=\()")


def arguments_end(s, at):
    """The end of the balanced brackets at at; quotations in them are skipped."""
    depth = 0
    while at < len(s):
        m = QUOTED.match(s, at)
        if m:
            at = m.end()
            continue
        depth += {"(": 1, ")": -1}.get(s[at], 0)
        at += 1
        if depth == 0:
            return at
    return -1


def object_end(s, at):
    for pattern in (CODE, QUOTED):
        m = pattern.match(s, at)
        if m:
            end = m.end()
            if pattern is CODE and s.startswith("(", end):
                return arguments_end(s, end)
            while s.startswith(", ", end) and pattern is CODE and CODE.match(s, end + 2):
                end = CODE.match(s, end + 2).end()
            return end
    m = NAME.match(s, at)
    return arguments_end(s, m.end()) if m else -1


def actions(s):
    at = 0
    while True:
        verb = next((v for v in VERBS if s.startswith(v, at)), None)
        if verb:
            at += len(verb)
            at += s.startswith(" ", at)
        end = object_end(s, at) if at < len(s) else at
        if end < 0 and verb != "updated the list":
            return False
        at = max(at, end)
        m = TIMES.match(s, at)
        at = m.end() if m else at
        if s.startswith(": ", at):
            m = QUOTED.match(s, at + 2) or AMOUNT.match(s, at + 2)
            if not m:
                return False
            at = m.end()
        if at == len(s):
            return True
        if s[at:at + 2] not in ("; ", ", "):
            return False
        at += 2


def balanced(s):
    depth = 0
    for c in s:
        depth += {"“": 1, "”": -1}.get(c, 0)
        if depth not in (0, 1):
            return False
    return depth == 0


def state(s):
    subject, _, items = s.partition(":")
    return bool(subject.strip()) and balanced(s) and (not items or items.startswith(" ") or s.endswith(":"))


def below(s):
    """A line below a State line."""
    return bool(QUOTED.fullmatch(TIMES.sub("", s)) or PART.fullmatch(s)) and balanced(s)


def check(text):
    section, last, empty = -1, "", False
    for n, line in enumerate(text.splitlines(), 1):
        if n == 1 and line == HEADER:
            continue
        if line.startswith("## ") and line[3:] in SECTIONS:
            ok = SECTIONS.index(line[3:]) > section and not empty
            section, empty = SECTIONS.index(line[3:]), True
        elif section < 0:
            ok = False
        elif line.startswith("  - "):
            ok = SECTIONS[section] == "State" and below(line[4:]) and not empty
        else:
            lead = LEAD.match(line)
            rest = line[lead.end():] if lead else ""
            name = SECTIONS[section]
            ok = bool(rest) and rest == rest.strip() and (
                actions(rest) if name == "Actions" else
                state(rest) and lead.group() == "- " if name == "State" else
                ": " in rest and lead.group() == "- " if name == "Open" else True)
            empty = False
        if not ok:
            yield n, line
    if empty:
        yield 0, "a section without lines"


def main():
    bad = 0
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as f:
            text = f.read()
        for n, line in check(text):
            print(f"{name}:{n}: {line}", file=sys.stderr)
            bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
