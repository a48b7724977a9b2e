import json, sqlite3, sys

db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA synchronous = FULL")
db.execute("""CREATE TABLE message (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT,
    content TEXT, tokens INTEGER, created_at TEXT, body TEXT NOT NULL)""")
db.execute("CREATE INDEX message_session ON message (session_id, id)")

def rows(file):
    for line in file:
        m = json.loads(line)
        text = m.get("content") or ""
        yield ("S", m["role"], text, len(text) // 4, "2026-01-02T03:04:05.678Z", line)

with open(sys.argv[2], encoding="utf-8") as file:
    rest = rows(file)
    while True:
        batch = [row for _, row in zip(range(8192), rest)]
        if not batch:
            break
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO message (session_id, role, content, tokens, created_at, body) "
                       "VALUES (?, ?, ?, ?, ?, ?)", batch)
        db.execute("COMMIT")
