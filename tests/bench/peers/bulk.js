const db = new (require("better-sqlite3"))(process.argv[2]);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.exec(`CREATE TABLE message (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT,
	content TEXT, tokens INTEGER, created_at TEXT, body TEXT NOT NULL);
	CREATE INDEX message_session ON message (session_id, id)`);
const insert = db.prepare("INSERT INTO message (session_id, role, content, tokens, created_at, body) " +
	"VALUES (?, ?, ?, ?, ?, ?)");
const store = db.transaction((batch) => {
	for (const [m, line] of batch)
		insert.run("S", m.role, m.content ?? "", Math.floor((m.content ?? "").length / 4),
			"2026-01-02T03:04:05.678Z", line);
});

async function main() {
	const lines = require("readline").createInterface({input: require("fs").createReadStream(process.argv[3])});
	let batch = [];
	for await (const line of lines) {
		batch.push([JSON.parse(line), line]);
		if (batch.length === 8192) {
			store.immediate(batch);
			batch = [];
		}
	}
	store.immediate(batch);
	db.close();
}
main();
