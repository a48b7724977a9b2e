-- What can be derived from the store again, version 3. Lives in the file "STORE-derived".

-- How far each kind of derived data has got: everything up to seq is in.
CREATE TABLE mark (
  session_no INTEGER NOT NULL,                  -- 0: of no session
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session_no, kind)
) WITHOUT ROWID;

-- Results of resolvers, embedders, summarisers and enrichments.
CREATE TABLE cache (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,                            -- SHA-256 of what the result depends on
  session_no INTEGER NOT NULL,                  -- whose content it holds, 0: nobody's
  expires_at INTEGER NOT NULL,
  value BLOB NOT NULL,                          -- JSON, or numbers of a vector
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX cache_session ON cache (session_no);
CREATE INDEX cache_expiry ON cache (expires_at);
CREATE TABLE cache_use (kind TEXT PRIMARY KEY, hits INTEGER NOT NULL, misses INTEGER NOT NULL)
  WITHOUT ROWID;

-- Words of the messages; rowid is message.id. It holds no text: what is found is read in
-- the store. Words of scripts without spaces come as pairs of characters, made before.
CREATE VIRTUAL TABLE fulltext USING fts5(text, content = '',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'");
-- Texts of messages whose bodies were archived away: to show, and to take out of the index.
CREATE TABLE fulltext_kept (
  id INTEGER PRIMARY KEY,                       -- of the message
  role INTEGER NOT NULL,                        -- and << 8 the roles that it counts for
  created_at INTEGER NOT NULL,
  size INTEGER NOT NULL,                        -- bytes of the text
  text BLOB NOT NULL                            -- zlib, short ones stored
);
-- Things that messages name without their being known: found by form or by a pattern.
CREATE TABLE seen (
  no INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  name TEXT NOT NULL,                           -- normalised and folded
  spelling TEXT,                                -- as it was first written; NULL: like name
  UNIQUE (type, name)
);
-- Where a message names what: (entity, offset, length) as in store/mention.h.
CREATE TABLE mention (
  id INTEGER PRIMARY KEY,                       -- session no << 32 | seq
  found BLOB NOT NULL
);
-- Both directions. entity: entity.id of the store or, negative, seen.no.
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

-- What messages cost by other tokenizers than the one that counted them when they came.
CREATE TABLE counter (
  no INTEGER PRIMARY KEY,
  tokenizer TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL                          -- SHA-256 of its vocabulary, '': none
);
CREATE TABLE recount (
  counter INTEGER NOT NULL,                     -- counter.no
  id INTEGER NOT NULL,                          -- of the message
  tokens INTEGER NOT NULL,
  PRIMARY KEY (counter, id)
) WITHOUT ROWID;
CREATE TABLE recount_total (                    -- of a session's messages up to seq
  counter INTEGER NOT NULL,
  session_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (counter, session_no)
) WITHOUT ROWID;
