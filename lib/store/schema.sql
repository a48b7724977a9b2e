-- The schema of the store, version 2. Times are milliseconds since the epoch. Ids that users choose,
-- such as session_id and user_id, are text.

-- The sessions. The column no is the number of a session. In other tables, it is the upper half of
-- the ids of the session's rows (no << 32 | seq), so the rows of a session are stored together.
-- The number of a purged session is never used again: a command that still works on the purged
-- session must not find another session under this number.
CREATE TABLE session (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL DEFAULT '',
  status INTEGER NOT NULL DEFAULT 0,            -- 0 active, 1 archived, 2 deleted
  user_id TEXT,
  caller_id TEXT,
  account_id TEXT,
  agent TEXT,
  title TEXT,
  topic TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_message_at INTEGER,
  last_seq INTEGER NOT NULL DEFAULT 0,          -- sequence number of the newest message
  last_turn INTEGER NOT NULL DEFAULT 0,         -- sequence number of the first message of the current turn
  summary INTEGER NOT NULL DEFAULT 0,           -- number of the summary in use; 0: none
  has_pins INTEGER NOT NULL DEFAULT 0,          -- 0: no message of the session is pinned
  ttl_ms INTEGER,
  expires_at INTEGER,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0,
  token_count INTEGER NOT NULL DEFAULT 0,
  hidden_count INTEGER NOT NULL DEFAULT 0,
  preferences TEXT,                             -- JSON
  metadata TEXT,                                -- JSON
  parent_session_id TEXT,
  parent_seq INTEGER,
  archive TEXT,                                 -- JSON: uri, sha256, bytes, messages
  hold TEXT,                                    -- reason of a hold, which prevents deletion; NULL: no hold
  UNIQUE (session_id, tenant_id)
);
CREATE INDEX session_user ON session (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX session_caller ON session (caller_id, created_at) WHERE caller_id IS NOT NULL;

-- The messages. Only a redaction changes rows. Only a clean-up after archiving and a purge remove
-- rows.
CREATE TABLE message (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | seq
  turn INTEGER NOT NULL,                        -- sequence number of the first message of the turn; 0: no turn
  role INTEGER NOT NULL,
  type INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  token_sum INTEGER NOT NULL,                   -- tokens of all earlier messages of the session
  tokenizer INTEGER NOT NULL,                   -- 0: approx, 1: chars4, other numbers: tokenizer.no
  tool_calls INTEGER NOT NULL,
  crc INTEGER NOT NULL,                         -- CRC-32 of body
  body TEXT NOT NULL,                           -- the message, verbatim
  record_id TEXT,                               -- id that the user gave; NULL: no id was given
  metadata TEXT                                 -- JSON
);
CREATE UNIQUE INDEX message_record ON message ((id >> 32), record_id)
  WHERE record_id IS NOT NULL;

CREATE TABLE pin (id INTEGER PRIMARY KEY);      -- message.id of a pinned message
CREATE TABLE hidden (                           -- ranges of messages that windows leave out
  first_id INTEGER PRIMARY KEY,                 -- first message.id; ranges do not overlap
  last_id INTEGER NOT NULL,                     -- last message.id of the range
  event INTEGER NOT NULL                        -- event.id of the event that hid the messages
);

CREATE TABLE event (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | n
  created_at INTEGER NOT NULL,
  record TEXT NOT NULL                          -- JSON
);

-- Summaries: in windows, a summary replaces the messages from first_seq to last_seq. These messages
-- stay in the store. Undoing a summary only changes session.summary. Only a redaction changes rows.
-- Only a clean-up after archiving and a purge remove rows.
CREATE TABLE summary (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | n
  previous INTEGER NOT NULL,                    -- number of the summary used before; 0: none
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,                  -- 0: made from messages; else generation of the previous summary + 1
  event INTEGER NOT NULL,                       -- event.id of the event that recorded it; 0: unknown
  created_at INTEGER NOT NULL,
  source TEXT NOT NULL,                         -- JSON, member source of the summary record
  body TEXT NOT NULL                            -- JSON, the message
);

-- The requests: request records, without the texts of additions and of shortened messages.
CREATE TABLE request (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | n
  request_id TEXT NOT NULL,
  for_seq INTEGER NOT NULL,
  response_seq INTEGER,                         -- sequence number of the answer; NULL: no answer
  created_at INTEGER NOT NULL,
  record TEXT NOT NULL                          -- JSON
);
-- A request id is unique only within a session: a copy of a session has the same requests.
CREATE UNIQUE INDEX request_request ON request (request_id, (id >> 32));

-- The texts in requests of a session that are not messages of the session. Each text is stored once
-- per session. No session refers to a text of another session.
CREATE TABLE content (
  session_no INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (session_no, sha256)
) WITHOUT ROWID;

CREATE TABLE share (                            -- other users who may see a session
  user_id TEXT NOT NULL,
  session_no INTEGER NOT NULL,
  PRIMARY KEY (user_id, session_no)
) WITHOUT ROWID;
CREATE INDEX share_session ON share (session_no);

CREATE TABLE preference (                       -- preferences that a user's new sessions get
  user_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  preferences TEXT NOT NULL,                    -- JSON
  PRIMARY KEY (user_id, tenant_id)
) WITHOUT ROWID;

CREATE TABLE tokenizer (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- Links between sessions and entities that ctx-entity track recorded. Mentions of entities in messages
-- are in the derived file.
CREATE TABLE session_entity_link (
  session_no INTEGER NOT NULL,
  entity_id INTEGER NOT NULL,                   -- entity.id
  action TEXT NOT NULL,                         -- created, modified, discussed, …
  seq INTEGER NOT NULL,                         -- sequence number of the newest message at that time
  at INTEGER NOT NULL,
  PRIMARY KEY (session_no, entity_id)
) WITHOUT ROWID;
CREATE INDEX session_entity_link_entity ON session_entity_link (entity_id, session_no);

-- The identity of the store: at most one row. A backup has a different identity, and records the
-- identity of the original store.
CREATE TABLE identity (
  id TEXT NOT NULL,                             -- UUID, also written into every archive of the store
  origin TEXT                                   -- id of the store that was backed up; NULL: not a backup
);
-- Archives of sessions that this store wrote, or from which it restored a session.
CREATE TABLE archive_file (
  session_no INTEGER NOT NULL,
  uri TEXT NOT NULL,
  sha256 TEXT,                                  -- digest of the file; NULL: unknown
  state INTEGER NOT NULL,                       -- 0 restored, 1 written, 2 a purge is removing it
  PRIMARY KEY (session_no, uri)
) WITHOUT ROWID;
CREATE INDEX archive_file_uri ON archive_file (uri);
-- Places (directories or URLs) in which an archiving command is working, or was interrupted before it
-- recorded all of its archives.
CREATE TABLE archive_run (place TEXT PRIMARY KEY) WITHOUT ROWID;
