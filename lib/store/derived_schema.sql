-- The schema of the derived file (STORE-derived), version 3: data that is derived from the store, and
-- can be derived again.

-- Marks: for each session and each kind of derived data, the seq of the last message from which this
-- data was derived. A few kinds store another number in the column seq.
CREATE TABLE mark (
  session_no INTEGER NOT NULL,                  -- 0: the mark belongs to no session
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session_no, kind)
) WITHOUT ROWID;

-- Cached results of resolvers, embedders, summarizers and enrichments.
CREATE TABLE cache (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,                            -- SHA-256 of all inputs of the result
  session_no INTEGER NOT NULL,                  -- session whose content is in value; 0: no session's
  expires_at INTEGER NOT NULL,
  value BLOB NOT NULL,                          -- JSON, or the numbers of a vector
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX cache_session ON cache (session_no);
CREATE INDEX cache_expiry ON cache (expires_at);
CREATE TABLE cache_use (kind TEXT PRIMARY KEY, hits INTEGER NOT NULL, misses INTEGER NOT NULL)
  WITHOUT ROWID;

-- The full-text index: the words of the messages. A rowid is a message.id. The index contains no
-- texts; the texts of matches are read from the store. A text in a script without spaces, such as
-- Chinese, is split into pairs of characters before it is indexed.
CREATE VIRTUAL TABLE fulltext USING fts5(text, content = '',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'");
-- The texts of messages that were removed from the store after archiving. A search quotes these texts,
-- and they are needed to remove a message from the index.
CREATE TABLE fulltext_kept (
  id INTEGER PRIMARY KEY,                       -- message.id
  role INTEGER NOT NULL,                        -- low 8 bits: message.role; higher bits: set of the roles of the texts
  created_at INTEGER NOT NULL,
  size INTEGER NOT NULL,                        -- bytes of the uncompressed text
  text BLOB NOT NULL                            -- in zlib's format; short texts are not compressed
);
-- Entities that were recognized in messages by their form or by a pattern, but are not in the table
-- entity.
CREATE TABLE seen (
  no INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  name TEXT NOT NULL,                           -- normalized and case-folded
  spelling TEXT,                                -- the name as first written; NULL: equal to name
  UNIQUE (type, name)
);
-- The mentions of entities in messages. The column found contains the entity, the offset and the length
-- of each mention in a message (store/mention.h).
CREATE TABLE mention (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | seq
  found BLOB NOT NULL
);
-- For each session, the entities that its messages mention. The column entity is entity.id in the
-- store or, if it is negative, -seen.no. The indexes find the entities of a session, and the sessions
-- of an entity.
CREATE TABLE session_entity (
  session_no INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  mentions INTEGER NOT NULL,
  PRIMARY KEY (session_no, entity)
) WITHOUT ROWID;
CREATE INDEX session_entity_entity ON session_entity (entity, session_no);
CREATE INDEX session_entity_last ON session_entity (session_no, last_seq);
CREATE INDEX session_entity_mentions ON session_entity (session_no, mentions);

-- Tokenizers with which messages were counted again after the append. recount contains the counts.
CREATE TABLE counter (
  no INTEGER PRIMARY KEY,
  tokenizer TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL                          -- SHA-256 of the vocabulary; '': no vocabulary
);
CREATE TABLE recount (
  counter INTEGER NOT NULL,                     -- counter.no
  id INTEGER NOT NULL,                          -- message.id
  tokens INTEGER NOT NULL,
  PRIMARY KEY (counter, id)
) WITHOUT ROWID;
CREATE TABLE recount_total (                    -- tokens of all messages of a session up to seq
  counter INTEGER NOT NULL,
  session_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (counter, session_no)
) WITHOUT ROWID;
