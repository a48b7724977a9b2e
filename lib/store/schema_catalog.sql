-- The schema of the store, version 2, continued: these tables are created when an item or an entity
-- is first defined. SQLite reads the whole schema whenever it opens a store, so a store without
-- these tables is opened faster.

-- The definitions of items for agents: rules, references, tools, servers, prompts and modes.
CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  agent TEXT NOT NULL,                          -- '': for all agents and for sessions without an agent
  type TEXT NOT NULL,
  server_name TEXT NOT NULL,                    -- server of a tool; '' for other types
  name TEXT NOT NULL,
  include TEXT,                                 -- always, manual, agent; NULL: the default
  enabled INTEGER NOT NULL,
  modes TEXT,                                   -- JSON array of the names of modes
  content TEXT,
  schema TEXT,                                  -- JSON schema of a tool
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant_id, agent, type, server_name, name)
);
CREATE TABLE session_item (                     -- items of sessions; item holds the definitions
  id INTEGER PRIMARY KEY,                       -- session no << 32 | n
  type TEXT NOT NULL,
  server_name TEXT NOT NULL,
  name TEXT NOT NULL,
  include_mode TEXT NOT NULL,                   -- always, manual
  added_at INTEGER NOT NULL
);

-- Known entities: their names and data.
CREATE TABLE entity (
  id INTEGER PRIMARY KEY AUTOINCREMENT,         -- never used again after removal
  tenant_id TEXT NOT NULL,
  type TEXT NOT NULL,
  key TEXT NOT NULL,                            -- the case-folded name
  name TEXT NOT NULL,
  external_id TEXT,                             -- JSON: id in the system that the entity comes from
  slug TEXT,
  parent_id INTEGER,                            -- entity.id of the parent
  action TEXT,                                  -- created, modified, discussed, …
  data TEXT,                                    -- JSON
  data_expires_at INTEGER,
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant_id, type, key)
);
CREATE INDEX entity_key ON entity (tenant_id, key);
CREATE INDEX entity_parent ON entity (parent_id) WHERE parent_id IS NOT NULL;
CREATE TABLE entity_alias (                     -- aliases that were loaded, not those derived from names
  entity_id INTEGER NOT NULL,
  key TEXT NOT NULL,                            -- the case-folded alias
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
CREATE TABLE entity_change (                    -- counters of changes to the tables of entities
  tenant_id TEXT PRIMARY KEY,
  generation INTEGER NOT NULL,                  -- number of changes of names and patterns
  revision INTEGER NOT NULL                     -- number of all changes
) WITHOUT ROWID;
