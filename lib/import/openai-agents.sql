-- Reads sessions of the OpenAI Agents SDK: one value for each item, with the items of each branch
-- together.
-- with agent_messages.message_data agent_sessions message_structure.branch_id
SELECT json_object('session', m.session_id, 'created_at', s.created_at, 'branch', nullif(t.branch_id, 'main'), 'id', m.id, 'at', m.created_at,
  'item', json(CASE WHEN json_valid(m.message_data) THEN m.message_data END))
  FROM agent_messages m JOIN agent_sessions s ON s.session_id = m.session_id
  LEFT JOIN message_structure t ON t.message_id = m.id AND t.session_id = m.session_id
 ORDER BY m.session_id, t.branch_id, m.id;
-- with agent_messages.message_data agent_sessions
-- without message_structure.branch_id
SELECT json_object('session', m.session_id, 'created_at', s.created_at, 'id', m.id, 'at', m.created_at,
  'item', json(CASE WHEN json_valid(m.message_data) THEN m.message_data END))
  FROM agent_messages m JOIN agent_sessions s ON s.session_id = m.session_id
 ORDER BY m.session_id, m.id;
