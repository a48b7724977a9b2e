-- Reads state.vscdb of Cursor's editor: one value for each bubble (Cursor's name for a message), in the
-- order of the chat's headers. A bubble is found by its key or, if the key is different, by the id
-- inside the bubble.
-- with cursorDiskKV.value
SELECT json_object('composer', json_object('id', substr(c.key, 14), 'name', json_extract(c.value, '$.name'),
  'createdAt', json_extract(c.value, '$.createdAt'), 'status', json_extract(c.value, '$.status'),
  'parent', json_extract(c.value, '$.subagentInfo.parentComposerId'),
  'folder', json_extract(c.value, '$.workspaceIdentifier.uri.fsPath'),
  'model', json_extract(c.value, '$.modelConfig.modelName')),
  'n', h.key + 1, 'last', h.key + 1 = json_array_length(c.value, '$.fullConversationHeadersOnly'), 'header', json(h.value),
  'bubble', json(CASE WHEN json_valid(b.value) THEN b.value ELSE (SELECT x.value FROM cursorDiskKV x
    WHERE x.key > 'bubbleId:' || substr(c.key, 14) || ':' AND x.key < 'bubbleId:' || substr(c.key, 14) || ';'
      AND json_valid(x.value) AND json_extract(x.value, '$.bubbleId') = json_extract(h.value, '$.bubbleId')) END))
  FROM cursorDiskKV c, json_each(CASE WHEN json_valid(c.value) THEN c.value ELSE '{}' END, '$.fullConversationHeadersOnly') h
  LEFT JOIN cursorDiskKV b ON b.key = 'bubbleId:' || substr(c.key, 14) || ':' || json_extract(h.value, '$.bubbleId')
 WHERE c.key > 'composerData:' AND c.key < 'composerData;';
-- with cursorDiskKV.value
SELECT json_object('composer', json_object('id', substr(c.key, 14), 'name', json_extract(c.value, '$.name'),
  'createdAt', json_extract(c.value, '$.createdAt'), 'status', json_extract(c.value, '$.status')),
  'n', h.key + 1, 'last', 0, 'header', json(h.value), 'bubble', json(h.value))
  FROM cursorDiskKV c, json_each(CASE WHEN json_valid(c.value) THEN c.value ELSE '{}' END, '$.conversation') h
 WHERE c.key > 'composerData:' AND c.key < 'composerData;' AND h.type = 'object';
-- with ItemTable.value
SELECT json_object('composer', json_object('id', json_extract(t.value, '$.tabId'), 'name', json_extract(t.value, '$.chatTitle')),
  'n', b.key + 1, 'last', 0, 'header', json('{}'), 'bubble', json(b.value))
  FROM ItemTable i, json_each(CASE WHEN json_valid(i.value) THEN i.value ELSE '{}' END, '$.tabs') t, json_each(t.value, '$.bubbles') b
 WHERE i.key = 'workbench.panel.aichat.view.aichat.chatdata' AND t.type = 'object' AND b.type = 'object';
-- Reads chats without bubbles from the data of Cursor's agent: one value for each chat, with the
-- agent's messages, each once, and the states that list these messages. The states are in the order
-- in which they were stored; the current state is last. A state is in the chat itself, as "~" and
-- base64 or as hexadecimal digits, or in a blob that a checkpoint names.
-- with cursorDiskKV.value
WITH chat AS (SELECT substr(key, 14) AS id, CAST(value AS TEXT) AS json FROM cursorDiskKV
    WHERE key > 'composerData:' AND key < 'composerData;' AND json_valid(CAST(value AS TEXT))),
  bare AS (SELECT * FROM chat c WHERE coalesce(json_array_length(c.json, '$.conversation'), 0) = 0 AND NOT EXISTS (
    SELECT 1 FROM json_each(c.json, '$.fullConversationHeadersOnly') h JOIN cursorDiskKV b
      ON b.key = 'bubbleId:' || c.id || ':' || json_extract(h.value, '$.bubbleId')
     WHERE b.value IS NOT NULL)),
  point AS (SELECT c.id, k.rowid AS n, k.value AS hash FROM bare c JOIN cursorDiskKV k
      ON k.key > 'agentKv:bubbleCheckpoint:' || c.id || ':' AND k.key < 'agentKv:bubbleCheckpoint:' || c.id || ';'
    UNION ALL SELECT c.id, 9e15, k.value FROM bare c JOIN cursorDiskKV k ON k.key = 'agentKv:checkpoint:' || c.id),
  state AS (SELECT p.id, p.n, CASE typeof(k.value) WHEN 'text' THEN coalesce(unhex(k.value), CAST(k.value AS BLOB)) ELSE k.value END AS root
      FROM point p JOIN cursorDiskKV k ON k.key = 'agentKv:blob:' || CAST(p.hash AS TEXT)
    UNION ALL SELECT id, 1e16, coalesce(unhex(s), unbase64(ltrim(s, '~')))
      FROM (SELECT id, json_extract(json, '$.conversationState') AS s FROM bare) WHERE length(s) > 1),
  named AS (SELECT s.id, s.n, f.key AS i, f.value AS hash FROM state s, json_each(protobuf_field(s.root, 1)) f
    WHERE length(f.value) = 64)
SELECT json_object('composer', json_object('id', c.id, 'name', json_extract(c.json, '$.name'),
  'createdAt', json_extract(c.json, '$.createdAt'),
  'parent', json_extract(c.json, '$.subagentInfo.parentComposerId'),
  'folder', json_extract(c.json, '$.workspaceIdentifier.uri.fsPath'),
  'model', json_extract(c.json, '$.modelConfig.modelName')),
  'states', (SELECT json_group_array(json(list)) FROM (SELECT json_group_array(hash) AS list
    FROM (SELECT n, hash FROM named WHERE id = c.id ORDER BY n, i) GROUP BY n ORDER BY n)),
  'messages', (SELECT json_group_object(hash, json(text)) FROM (SELECT m.hash,
      CAST(CASE typeof(k.value) WHEN 'text' THEN coalesce(unhex(k.value), k.value) ELSE k.value END AS TEXT) AS text
      FROM (SELECT DISTINCT hash FROM named WHERE id = c.id) m JOIN cursorDiskKV k ON k.key = 'agentKv:blob:' || m.hash)
    WHERE json_valid(text)))
  FROM bare c WHERE EXISTS (SELECT 1 FROM named WHERE id = c.id);
