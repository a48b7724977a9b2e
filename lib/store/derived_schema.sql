-- What can be derived from the store again, version 1. Lives in the file "STORE-derived".

-- How far each kind of derived data has got: everything up to seq is in.
CREATE TABLE mark (
  kind TEXT NOT NULL,
  session_no INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (kind, session_no)
) WITHOUT ROWID;

-- Results of resolvers, embedders, summarisers and enrichments.
CREATE TABLE cache (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,                            -- SHA-256 of what the result depends on
  session_no INTEGER NOT NULL,                  -- whose content it holds, 0: nobody's
  expires_at INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX cache_session ON cache (session_no);
CREATE TABLE cache_use (kind TEXT PRIMARY KEY, hits INTEGER NOT NULL, misses INTEGER NOT NULL)
  WITHOUT ROWID;
