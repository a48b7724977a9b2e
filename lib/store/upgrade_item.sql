-- Upgrades the items of a store from schema version 1 to 2. In version 2, the table item contains the
-- texts of the items; in version 1, the texts were in the table content.
CREATE TABLE new_item (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  type TEXT NOT NULL,
  server_name TEXT NOT NULL,
  name TEXT NOT NULL,
  include TEXT,
  enabled INTEGER NOT NULL,
  modes TEXT,
  content TEXT,
  schema TEXT,
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant_id, agent, type, server_name, name)
);
INSERT INTO new_item (id, tenant_id, agent, type, server_name, name, include, enabled, modes,
  content, schema, updated_at)
SELECT i.id, i.tenant_id, i.agent, i.type, i.server_name, i.name, i.include, i.enabled, i.modes,
  c.body, i.schema, i.updated_at
FROM item i
LEFT JOIN content c ON c.sha256 = i.sha256
ORDER BY i.id;
DROP TABLE item;
ALTER TABLE new_item RENAME TO item;
