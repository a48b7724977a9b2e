-- Reads a chat of Cursor's command line. The table meta contains hexadecimal JSON, which names the
-- latest root. The root is a blob that lists the digests of the messages in order, and each message
-- is a blob under its digest.
-- with blobs.data meta.value
WITH about AS (SELECT CAST(unhex(value) AS TEXT) AS json FROM meta WHERE key = '0'),
  root AS (SELECT b.data FROM about JOIN blobs b ON b.id = json_extract(about.json, '$.latestRootBlobId')
    WHERE json_valid(about.json)),
  named AS (SELECT f.key AS n, f.value AS id,
    row_number() OVER (PARTITION BY f.value ORDER BY f.key) AS times
    FROM root JOIN json_each(protobuf_field(root.data, 1)) f)
SELECT json_object('about', json(a.json), 'id', substr(n.id, 1, 16) || CASE WHEN n.times > 1 THEN '-' || n.times ELSE '' END,
  'message', json(CASE WHEN json_valid(CAST(b.data AS TEXT)) THEN CAST(b.data AS TEXT) END))
  FROM about a LEFT JOIN named n LEFT JOIN blobs b ON b.id = n.id
 WHERE json_valid(a.json)
 ORDER BY n.n;
