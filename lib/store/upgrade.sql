-- Upgrades the store from schema version 1 to 2. In a store with the table item, upgrade_item.sql
-- runs first.

-- In version 2, each session has its own copies of the texts to which its requests refer.
CREATE TABLE new_content (
  session_no INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (session_no, sha256)
) WITHOUT ROWID;
INSERT INTO new_content (session_no, sha256, body)
SELECT DISTINCT u.request >> 32, c.sha256, c.body
FROM content_use u
JOIN content c ON c.sha256 = u.sha256
ORDER BY 1, 2;
DROP TABLE content;
DROP TABLE content_use;
ALTER TABLE new_content RENAME TO content;

-- In version 2, the primary key of preference begins with the user: a user's preferences in all
-- tenants are stored together.
CREATE TABLE new_preference (
  user_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  preferences TEXT NOT NULL,
  PRIMARY KEY (user_id, tenant_id)
) WITHOUT ROWID;
INSERT INTO new_preference (user_id, tenant_id, preferences)
SELECT user_id, tenant_id, preferences
FROM preference;
DROP TABLE preference;
ALTER TABLE new_preference RENAME TO preference;

-- In version 1, these indexes and tables were created with their first row.
CREATE INDEX IF NOT EXISTS share_session ON share (session_no);
CREATE TABLE IF NOT EXISTS session_entity_link (
  session_no INTEGER NOT NULL,
  entity_id INTEGER NOT NULL,
  action TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_no, entity_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS identity (
  id TEXT NOT NULL,
  origin TEXT
);
CREATE TABLE IF NOT EXISTS archive_file (
  session_no INTEGER NOT NULL,
  uri TEXT NOT NULL,
  sha256 TEXT,
  state INTEGER NOT NULL,
  PRIMARY KEY (session_no, uri)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS archive_run (place TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS session_entity_link_entity ON session_entity_link (entity_id, session_no);
CREATE INDEX IF NOT EXISTS archive_file_uri ON archive_file (uri);
