-- Reads Open WebUI's webui.db: one value for each chat.
-- with chat.chat chat.title chat.created_at
SELECT json_object('id', id, 'title', title, 'created_at', created_at,
  'chat', json(CASE WHEN json_valid(chat) THEN chat END))
  FROM chat
 ORDER BY created_at, id;
