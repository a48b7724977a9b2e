-- Cursor's state.vscdb: one value a bubble, in the order of the headers. A bubble is read by its
-- key, or by the id inside it.
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
