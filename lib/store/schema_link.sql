-- Schema 1 of the store, goes on: a table that is made with the first link.

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
