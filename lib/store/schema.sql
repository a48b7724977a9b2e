-- Schema 2. Times are milliseconds since the epoch; *_id of users are text.

-- no is the upper half of the ids of the session's rows elsewhere (no << 32 | seq), so
-- that whatever belongs to one session lies together. It is given once: what still works
-- on a session that was purged must not meet another one under its number.
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
  last_seq INTEGER NOT NULL DEFAULT 0,          -- of the newest message
  last_turn INTEGER NOT NULL DEFAULT 0,         -- seq of the message that began the current turn
  summary INTEGER NOT NULL DEFAULT 0,           -- n of the summary in use, 0: none
  has_pins INTEGER NOT NULL DEFAULT 0,          -- 0: none of its messages is pinned
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
  hold TEXT,                                    -- why it may not be deleted
  UNIQUE (session_id, tenant_id)
);
CREATE INDEX session_user ON session (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX session_caller ON session (caller_id, created_at) WHERE caller_id IS NOT NULL;

-- The log: rows are added and, by clean-up alone, removed; never changed.
CREATE TABLE message (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | seq
  turn INTEGER NOT NULL,                        -- seq of the message that began its turn, 0: none
  role INTEGER NOT NULL,
  type INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  token_sum INTEGER NOT NULL,                   -- of the session's messages before it
  tokenizer INTEGER NOT NULL,                   -- 0 approx, 1 chars4, else tokenizer.no
  tool_calls INTEGER NOT NULL,
  crc INTEGER NOT NULL,                         -- CRC-32 of body
  body TEXT NOT NULL,                           -- the message, verbatim
  record_id TEXT,                               -- when one was given
  metadata TEXT                                 -- JSON
);
CREATE UNIQUE INDEX message_record ON message ((id >> 32), record_id)
  WHERE record_id IS NOT NULL;

CREATE TABLE pin (id INTEGER PRIMARY KEY);      -- a message's id
CREATE TABLE hidden (                           -- messages that windows leave out
  first_id INTEGER PRIMARY KEY,                 -- of messages; ranges do not overlap
  last_id INTEGER NOT NULL,
  event INTEGER NOT NULL                        -- event.id
);

CREATE TABLE event (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | n
  created_at INTEGER NOT NULL,
  record TEXT NOT NULL                          -- JSON
);

-- Texts that stand in windows for the messages from first_seq to last_seq, which stay.
-- Rows are added and, by clean-up alone, removed; undoing moves session.summary.
CREATE TABLE summary (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | n
  previous INTEGER NOT NULL,                    -- n of the summary that it took over, 0: none
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,                  -- summaries of summaries since the originals
  event INTEGER NOT NULL,                       -- event.id; 0: unknown
  created_at INTEGER NOT NULL,
  source TEXT NOT NULL,                         -- JSON, of the record
  body TEXT NOT NULL                            -- JSON, the message
);

-- What was sent: the request record, without the texts of its additions.
CREATE TABLE request (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | n
  request_id TEXT NOT NULL,
  for_seq INTEGER NOT NULL,
  response_seq INTEGER,                         -- the answer's message; NULL: none came
  created_at INTEGER NOT NULL,
  record TEXT NOT NULL                          -- JSON
);
-- unique within a session: a copy of the session has the same requests
CREATE UNIQUE INDEX request_request ON request (request_id, (id >> 32));

-- Texts that the session's requests refer to, once each. No session refers to another's.
CREATE TABLE content (
  session_no INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (session_no, sha256)
) WITHOUT ROWID;

CREATE TABLE share (                            -- who else may see a session
  user_id TEXT NOT NULL,
  session_no INTEGER NOT NULL,
  PRIMARY KEY (user_id, session_no)
) WITHOUT ROWID;
CREATE INDEX share_session ON share (session_no);

CREATE TABLE preference (                       -- of a user, copied into new sessions
  user_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  preferences TEXT NOT NULL,                    -- JSON
  PRIMARY KEY (user_id, tenant_id)
) WITHOUT ROWID;

CREATE TABLE tokenizer (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- What a session did with an entity, as somebody said; mentions are in the derived file.
CREATE TABLE session_entity_link (
  session_no INTEGER NOT NULL,
  entity_id INTEGER NOT NULL,                   -- entity.id
  action TEXT NOT NULL,                         -- created, modified, discussed, …
  seq INTEGER NOT NULL,                         -- the session's last message then
  at INTEGER NOT NULL,
  PRIMARY KEY (session_no, entity_id)
) WITHOUT ROWID;
CREATE INDEX session_entity_link_entity ON session_entity_link (entity_id, session_no);

-- One row. A backup has an identity of its own, and remembers whose copy it is.
CREATE TABLE identity (
  id TEXT NOT NULL,                             -- a UUID, in every archive that the store writes
  origin TEXT                                   -- NULL: it is no copy
);
-- Archives of sessions: those that were written, and those that were restored.
CREATE TABLE archive_file (
  session_no INTEGER NOT NULL,
  uri TEXT NOT NULL,
  sha256 TEXT,                                  -- of the file; NULL: a run was cut off
  state INTEGER NOT NULL,                       -- 0 restored, 1 written, 2 a purge removes it
  PRIMARY KEY (session_no, uri)
) WITHOUT ROWID;
CREATE INDEX archive_file_uri ON archive_file (uri);
-- Places in which a run is at work, or was cut off before it recorded all that it wrote.
CREATE TABLE archive_run (place TEXT PRIMARY KEY) WITHOUT ROWID;
