-- Reads Zed's threads.db: one value for each thread.
-- with threads.data threads.parent_id threads.created_at
SELECT json_object('id', id, 'title', summary, 'parent', parent_id, 'created_at', created_at, 'folder', folder_paths,
  'thread', json(CASE WHEN json_valid(text) THEN text END))
  FROM (SELECT *, CASE data_type WHEN 'zstd' THEN unzstd(data) ELSE CAST(data AS TEXT) END AS text FROM threads)
 ORDER BY updated_at, id;
-- with threads.data
-- without threads.created_at
SELECT json_object('id', id, 'title', summary, 'thread', json(CASE WHEN json_valid(text) THEN text END))
  FROM (SELECT *, CASE data_type WHEN 'zstd' THEN unzstd(data) ELSE CAST(data AS TEXT) END AS text FROM threads)
 ORDER BY updated_at, id;
