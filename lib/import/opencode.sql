-- Reads opencode's database: one value for each message. The sessions in the tables of version 2 come
-- first, then the sessions that are only in the tables of version 1.
-- with session_v2 session_message.seq
SELECT json_object('session', json_object('id', s.id, 'parentID', coalesce(s.parent_id, s.fork_session_id),
  'title', s.title, 'directory', s.directory, 'version', s.version, 'time', json_object('created', s.time_created),
  'revert', json(CASE WHEN json_valid(s.revert) THEN s.revert END)),
  'entry', json_object('id', m.id, 'type', m.type, 'created', m.time_created,
  'last', m.seq = (SELECT max(l.seq) FROM session_message l WHERE l.session_id = s.id),
  'data', json(CASE WHEN json_valid(m.data) THEN m.data END)))
  FROM session_message m JOIN session_v2 s ON s.id = m.session_id
 ORDER BY s.time_created, s.id, m.seq;
-- with session_v2 session message part
SELECT json_object('session', json_object('id', s.id, 'parentID', s.parent_id, 'title', s.title,
  'directory', s.directory, 'version', s.version, 'time', json_object('created', s.time_created),
  'revert', json(CASE WHEN json_valid(s.revert) THEN s.revert END)),
  'message', json_object('id', m.id, 'last', NOT EXISTS (SELECT 1 FROM message l
    WHERE l.session_id = s.id AND (l.time_created, l.id) > (m.time_created, m.id)),
  'data', json(CASE WHEN json_valid(m.data) THEN m.data END)),
  'parts', (SELECT json_group_array(json_object('id', id, 'data', json(CASE WHEN json_valid(data) THEN data END)))
    FROM (SELECT p.id, p.data FROM part p WHERE p.message_id = m.id ORDER BY p.id)))
  FROM message m JOIN session s ON s.id = m.session_id
 WHERE s.id NOT IN (SELECT id FROM session_v2)
 ORDER BY s.time_created, s.id, m.time_created, m.id;
-- with session message part
-- without session_v2
SELECT json_object('session', json_object('id', s.id, 'parentID', s.parent_id, 'title', s.title,
  'directory', s.directory, 'version', s.version, 'time', json_object('created', s.time_created),
  'revert', json(CASE WHEN json_valid(s.revert) THEN s.revert END)),
  'message', json_object('id', m.id, 'last', NOT EXISTS (SELECT 1 FROM message l
    WHERE l.session_id = s.id AND (l.time_created, l.id) > (m.time_created, m.id)),
  'data', json(CASE WHEN json_valid(m.data) THEN m.data END)),
  'parts', (SELECT json_group_array(json_object('id', id, 'data', json(CASE WHEN json_valid(data) THEN data END)))
    FROM (SELECT p.id, p.data FROM part p WHERE p.message_id = m.id ORDER BY p.id)))
  FROM message m JOIN session s ON s.id = m.session_id
 ORDER BY s.time_created, s.id, m.time_created, m.id;
