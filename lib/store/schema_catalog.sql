-- Schema 2 of the store, goes on: tables that are made when something is first defined.
-- SQLite reads the whole schema at each start, so stores that do without are opened faster.

-- What an agent defines: rules, references, tools, prompt modules, modes.
CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  agent TEXT NOT NULL,                          -- '': of every agent, and of none
  type TEXT NOT NULL,
  server_name TEXT NOT NULL,                    -- of tools, else ''
  name TEXT NOT NULL,
  include TEXT,                                 -- always, manual, agent; NULL: the default
  enabled INTEGER NOT NULL,
  modes TEXT,                                   -- JSON array of names
  content TEXT,
  schema TEXT,                                  -- JSON, of tools
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant_id, agent, type, server_name, name)
);
CREATE TABLE session_item (                     -- by name: what it is, the item says
  id INTEGER PRIMARY KEY,                       -- session no << 32 | n
  type TEXT NOT NULL,
  server_name TEXT NOT NULL,
  name TEXT NOT NULL,
  include_mode TEXT NOT NULL,                   -- always, manual
  added_at INTEGER NOT NULL
);

-- Known things: their names, and what is known of them.
CREATE TABLE entity (
  id INTEGER PRIMARY KEY AUTOINCREMENT,         -- given once, as session.no
  tenant_id TEXT NOT NULL,
  type TEXT NOT NULL,
  key TEXT NOT NULL,                            -- the name, folded
  name TEXT NOT NULL,
  external_id TEXT,                             -- JSON, of wherever it was loaded from
  slug TEXT,
  parent_id INTEGER,                            -- entity.id
  action TEXT,                                  -- created, modified, discussed, …
  data TEXT,                                    -- JSON
  data_expires_at INTEGER,
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant_id, type, key)
);
CREATE INDEX entity_key ON entity (tenant_id, key);
CREATE INDEX entity_parent ON entity (parent_id) WHERE parent_id IS NOT NULL;
CREATE TABLE entity_alias (                     -- given ones; others follow from the name
  entity_id INTEGER NOT NULL,
  key TEXT NOT NULL,                            -- the alias, folded
  alias TEXT NOT NULL,
  PRIMARY KEY (key, entity_id)
) WITHOUT ROWID;
CREATE INDEX entity_alias_entity ON entity_alias (entity_id);
CREATE TABLE entity_relation (
  entity_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  target_id INTEGER NOT NULL,
  PRIMARY KEY (entity_id, type, target_id)
) WITHOUT ROWID;
CREATE INDEX entity_relation_target ON entity_relation (target_id);
CREATE TABLE entity_pattern (                   -- regular expressions that find entities
  tenant_id TEXT NOT NULL,
  type TEXT NOT NULL,
  pattern TEXT NOT NULL,
  PRIMARY KEY (tenant_id, type, pattern)
) WITHOUT ROWID;
CREATE TABLE entity_change (                    -- counts changes
  tenant_id TEXT PRIMARY KEY,
  generation INTEGER NOT NULL,                  -- of names and patterns
  revision INTEGER NOT NULL                     -- of anything about entities
) WITHOUT ROWID;
