#!/usr/bin/env python3
"""Names what only SQLite understands in the SQL of C files.
usage: neutral_sql.py FILE..."""
import re
import sys

STARTS = re.compile(
    r"\s*\(?(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|DROP|ALTER|PRAGMA|REPLACE|ATTACH|VACUUM|"
    r"WHERE|AND|OR|FROM|JOIN|ORDER BY|GROUP BY|UNION|SET|VALUES|ON CONFLICT|LIMIT)\s"
)
# what a statement must not have, and what does the same on every engine
REFUSED = [
    (r"\bPRAGMA\b", "a function of store/engine.h"),
    (r"\browid\b|\bWITHOUT ROWID\b", "a key with a name"),
    (r"\bsqlite_\w+|\bfulltext_(data|idx|docsize|config)\b|\bfts5\b", "a function of store/engine.h"),
    (r"\bMATCH\b", "store/fulltext_index.h"),
    (r"\bjson_\w+\(|->", "the functions of json/json.h"),
    (r"\b(INSERT|UPDATE) OR\b|\bREPLACE INTO\b", "ON CONFLICT"),
    (r"\b(instr|GLOB|REGEXP)\b", "LIKE, or a comparison in C"),
    (r"\b(strftime|date|time|datetime|julianday|unixepoch)\(", "milliseconds"),
    (r"\b(typeof|quote|hex|unhex|randomblob|zeroblob|char|unicode|printf|format)\(", "C"),
    (r"\b(ifnull|iif)\(", "coalesce, CASE"),
    (r"\b(group_concat|total)\(", "C, sum"),
    (r"\b(last_insert_rowid|changes|total_changes)\(", "RETURNING"),
    (r"\bIS (NOT )?([?0-9']|(?!NOT\b|NULL\b|DISTINCT\b|TRUE\b|FALSE\b)[a-z(])", "IS [NOT] DISTINCT FROM"),
    (r"==", "="),
    (r"\b(main|temp|catalog)\.|\bTEMP\b|\bATTACH\b|\bVACUUM\b", "a function of store/engine.h"),
    (r"\bAUTOINCREMENT\b|\bINDEXED BY\b|\bNOT INDEXED\b|\bCOLLATE\b|\bBLOB\b", "the engine's schema"),
    (r"\bAS INTEGER\)", "AS BIGINT"),
    (r"\bLIMIT -", "no LIMIT"),
    (r"\bsubstr\([^()]*, -", "length() - n + 1"),
    (r"\?(?![0-9])", "?1, ?2, ..."),
    (r"[`\[\]]|\bx'", "plain names and values"),
    (r"\bINSERT INTO \w+ (SELECT|VALUES)\b", "INSERT with the names of its columns"),
]


def arguments(sql, at):
    """How many arguments the call has whose parenthesis opens before at, and its end."""
    depth, n = 1, 1
    while at < len(sql) and depth > 0:
        c = sql[at]
        depth += (c == "(") - (c == ")")
        n += c == "," and depth == 1
        at += 1
    return n, at


def structure(sql):
    for m in re.finditer(r"\b(max|min)\(", sql):
        if arguments(sql, m.end())[0] > 1:
            yield m.group(0) + "a, b)", "CASE"
    for m in re.finditer(r"\b(FROM|JOIN) \((?=SELECT|\s|$)", sql):
        end = arguments(sql, m.end())[1]
        after = sql[end:].lstrip()
        if sql[end - 1 : end] == ")" and not re.match(r"(AS )?[a-z]", after):
            yield sql[m.start() : end] + " without a name", "a name after it"
    for m in re.finditer(r"\bDO UPDATE SET (.*)", sql):
        text = re.split(r"\bRETURNING\b", m.group(1))[0]
        names = re.findall(r"(?:^|, )(\w+) = ", text)
        for value in re.split(r"(?:^|, )\w+ = ", text):
            for name in re.findall(r"(?<![\w.'])([a-z_]\w*)(?![\w(.'])", value):
                if name in names:
                    yield "%s in DO UPDATE SET" % name, "TABLE.%s or excluded.%s" % (name, name)


def statements(text):
    """The literals that begin as SQL does: line, joined text."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for m in re.finditer(r"%s(?:(?:\s|\\\n)*(?:%s|\b[A-Z][A-Z_0-9]+\b))*" % (literal, literal), text):
        sql = ""
        for part in re.finditer(r'(%s)|\b[A-Z][A-Z_0-9]+\b' % literal, m.group(0)):
            sql += part.group(1)[1:-1] if part.group(1) else " %s "
        sql = re.sub(r"\s+", " ", sql.replace("\\n", " ").replace('\\"', '"'))
        if STARTS.match(sql + " "):
            yield text.count("\n", 0, m.start()) + 1, sql


def main():
    bad = False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for line, sql in statements(text):
            bare = re.sub(r"'(?:[^']|'')*'", "''", sql)
            found = [(m.group(0), use) for rule, use in REFUSED for m in re.finditer(rule, bare)]
            for what, use in found + list(structure(bare)):
                bad = True
                print("%s:%d: %s: use %s" % (path, line, what.strip(), use))
    return 1 if bad else 0


sys.exit(main())
