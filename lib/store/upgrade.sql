-- Schema 1 -> 2 of the store. upgrade_item.sql comes before it, where there are items.

-- Texts belong to the sessions whose requests refer to them.
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

-- Preferences are found by their user in all tenants.
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

-- These were made with the first row.
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
