-- Schema 1 of the store, goes on: tables that are made with the first archive.

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
