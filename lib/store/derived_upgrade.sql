-- Upgrades the derived file from version 2 to 3: the primary key of mark begins with the session.
CREATE TABLE new_mark (
  session_no INTEGER NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session_no, kind)
) WITHOUT ROWID;
INSERT INTO new_mark (session_no, kind, seq)
SELECT session_no, kind, seq
FROM mark
ORDER BY session_no, kind;
DROP TABLE mark;
ALTER TABLE new_mark RENAME TO mark;
