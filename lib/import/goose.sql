-- Reads goose's sessions.db: one value for each message, which also contains the session.
-- with sessions.parent_session_id sessions.name usage_ledger
SELECT json_object('session', json_object('id', s.id, 'name', coalesce(nullif(s.name, ''), s.description),
  'working_dir', s.working_dir, 'created_at', s.created_at, 'session_type', s.session_type,
  'parent', s.parent_session_id, 'provider_name', s.provider_name,
  'model_config', json(CASE WHEN json_valid(s.model_config_json) THEN s.model_config_json END),
  'ledger', (SELECT json_group_array(json_object('created', u.created_timestamp, 'model', u.model,
    'input_tokens', u.input_tokens, 'output_tokens', u.output_tokens, 'cache_read_tokens', u.cache_read_tokens,
    'cache_write_tokens', u.cache_write_tokens, 'cost', u.cost)) FROM usage_ledger u WHERE u.session_id = s.id)),
  'message', json_object('id', coalesce(m.message_id, 'n' || m.id), 'role', m.role, 'created', m.created_timestamp,
  'content', json(CASE WHEN json_valid(m.content_json) THEN m.content_json END),
  'metadata', json(CASE WHEN json_valid(m.metadata_json) THEN m.metadata_json END)))
  FROM messages m JOIN sessions s ON s.id = m.session_id
 ORDER BY m.session_id, m.id;
-- without sessions.parent_session_id
SELECT json_object('session', json_object('id', s.id, 'name', s.description, 'working_dir', s.working_dir,
  'created_at', s.created_at),
  'message', json_object('id', 'n' || m.id, 'role', m.role, 'created', m.created_timestamp,
  'content', json(CASE WHEN json_valid(m.content_json) THEN m.content_json END)))
  FROM messages m JOIN sessions s ON s.id = m.session_id
 ORDER BY m.session_id, m.id;
