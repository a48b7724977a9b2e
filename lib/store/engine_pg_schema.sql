-- The store on PostgreSQL: everything in one schema, the first of search_path.

-- What this is: what, application, version.
CREATE TABLE ctx_store (what text PRIMARY KEY, application bigint NOT NULL, version bigint NOT NULL);

-- Sessions are numbered in order of creation, and the number is spread over 31 bits by reversing
-- them, so that sessions that are made one after another lie apart.
CREATE SEQUENCE session_number MINVALUE 1 MAXVALUE 2147483646;
CREATE FUNCTION ctx_spread(n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT sum(((n >> i) & 1) << (30 - i))::bigint FROM generate_series(0, 30) i';

-- What SQLite has by these names.
CREATE FUNCTION instr(a text, b text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT strpos(a, b)';
CREATE FUNCTION max(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT greatest(a, b)';
CREATE FUNCTION min(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT least(a, b)';


-- no is the upper half of the ids of the session's rows elsewhere (no << 32 | seq), so
-- that whatever belongs to one session lies together. It is given once: what still works
-- on a session that was purged must not meet another one under its number.
CREATE TABLE session (
  no bigint PRIMARY KEY DEFAULT ctx_spread(nextval('session_number')),
  session_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL DEFAULT '',
  status bigint NOT NULL DEFAULT 0,            -- 0 active, 1 archived, 2 deleted
  user_id text COLLATE "C",
  caller_id text COLLATE "C",
  account_id text COLLATE "C",
  agent text COLLATE "C",
  title text COLLATE "C",
  topic text COLLATE "C",
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  last_message_at bigint,
  last_seq bigint NOT NULL DEFAULT 0,          -- of the newest message
  last_turn bigint NOT NULL DEFAULT 0,         -- seq of the message that began the current turn
  summary bigint NOT NULL DEFAULT 0,           -- n of the summary in use, 0: none
  has_pins bigint NOT NULL DEFAULT 0,          -- 0: none of its messages is pinned
  ttl_ms bigint,
  expires_at bigint,
  message_count bigint NOT NULL DEFAULT 0,
  tool_call_count bigint NOT NULL DEFAULT 0,
  token_count bigint NOT NULL DEFAULT 0,
  hidden_count bigint NOT NULL DEFAULT 0,
  preferences text COLLATE "C",                             -- JSON
  metadata text COLLATE "C",                                -- JSON
  parent_session_id text COLLATE "C",
  parent_seq bigint,
  archive text COLLATE "C",                                 -- JSON: uri, sha256, bytes, messages
  hold text COLLATE "C",                        -- why it may not be deleted
  ordinal bigint GENERATED ALWAYS AS (ctx_spread(no)) STORED, -- in order of creation
  UNIQUE (session_id, tenant_id)
);
CREATE UNIQUE INDEX session_ordinal ON session (ordinal);
CREATE INDEX session_owner ON session (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX session_caller ON session (caller_id, created_at) WHERE caller_id IS NOT NULL;

-- The log: rows are added and, by clean-up alone, removed; never changed.
CREATE TABLE message (
  id bigint PRIMARY KEY,                       -- session no << 32 | seq
  turn bigint NOT NULL,                        -- seq of the message that began its turn, 0: none
  role bigint NOT NULL,
  type bigint NOT NULL,
  created_at bigint NOT NULL,
  token_count bigint NOT NULL,
  token_sum bigint NOT NULL,                   -- of the session's messages before it
  tokenizer bigint NOT NULL,                   -- 0 approx, 1 chars4, else tokenizer.no
  tool_calls bigint NOT NULL,
  crc bigint NOT NULL,                         -- CRC-32 of body
  body text COLLATE "C" NOT NULL,                           -- the message, verbatim
  record_id text COLLATE "C",                               -- when one was given
  metadata text COLLATE "C"                                 -- JSON
);
CREATE UNIQUE INDEX message_record ON message ((id >> 32), record_id)
  WHERE record_id IS NOT NULL;

CREATE TABLE pin (id bigint PRIMARY KEY);      -- a message's id
CREATE TABLE hidden (                           -- messages that windows leave out
  first_id bigint PRIMARY KEY,                 -- of messages; ranges do not overlap
  last_id bigint NOT NULL,
  event bigint NOT NULL                        -- event.id
);

CREATE TABLE event (
  id bigint PRIMARY KEY,                       -- session no << 32 | n
  created_at bigint NOT NULL,
  record text COLLATE "C" NOT NULL                          -- JSON
);

-- Texts that stand in windows for the messages from first_seq to last_seq, which stay.
-- Rows are added and, by clean-up alone, removed; undoing moves session.summary.
CREATE TABLE summary (
  id bigint PRIMARY KEY,                       -- session no << 32 | n
  previous bigint NOT NULL,                    -- n of the summary that it took over, 0: none
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  generation bigint NOT NULL,                  -- summaries of summaries since the originals
  event bigint NOT NULL,                       -- event.id; 0: unknown
  created_at bigint NOT NULL,
  source text COLLATE "C" NOT NULL,                         -- JSON, of the record
  body text COLLATE "C" NOT NULL                            -- JSON, the message
);

-- What was sent: the request record, without the texts of its additions.
CREATE TABLE request (
  id bigint PRIMARY KEY,                       -- session no << 32 | n
  request_id text COLLATE "C" NOT NULL,
  for_seq bigint NOT NULL,
  response_seq bigint,                         -- the answer's message; NULL: none came
  created_at bigint NOT NULL,
  record text COLLATE "C" NOT NULL                          -- JSON
);
-- unique within a session: a copy of the session has the same requests
CREATE UNIQUE INDEX request_request ON request (request_id, (id >> 32));

-- Texts that requests and items refer to, once each.
CREATE TABLE content (
  sha256 text COLLATE "C" PRIMARY KEY,
  body text COLLATE "C" NOT NULL
);
CREATE TABLE content_use (                      -- by requests
  request bigint NOT NULL,                     -- request.id
  sha256 text COLLATE "C" NOT NULL,
  PRIMARY KEY (request, sha256)
);
CREATE INDEX content_use_sha256 ON content_use (sha256);

CREATE TABLE share (                            -- who else may see a session
  user_id text COLLATE "C" NOT NULL,
  session_no bigint NOT NULL,
  PRIMARY KEY (user_id, session_no)
);

CREATE TABLE preference (                       -- of a user, copied into new sessions
  tenant_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  preferences text COLLATE "C" NOT NULL,                    -- JSON
  PRIMARY KEY (tenant_id, user_id)
);

CREATE TABLE tokenizer (no bigint PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE);

-- What an agent defines: rules, references, tools, prompt modules, modes.
CREATE TABLE item (
  id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
  tenant_id text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,                          -- '': of every agent, and of none
  type text COLLATE "C" NOT NULL,
  server_name text COLLATE "C" NOT NULL,                    -- of tools, else ''
  name text COLLATE "C" NOT NULL,
  include text COLLATE "C",                                 -- always, manual, agent; NULL: the default
  enabled bigint NOT NULL,
  modes text COLLATE "C",                                   -- JSON array of names
  sha256 text COLLATE "C",                                  -- content
  schema text COLLATE "C",                                  -- JSON, of tools
  updated_at bigint NOT NULL,
  UNIQUE (tenant_id, agent, type, server_name, name)
);
CREATE INDEX item_content ON item (sha256);
CREATE TABLE session_item (                     -- by name: what it is, the item says
  id bigint PRIMARY KEY,                       -- session no << 32 | n
  type text COLLATE "C" NOT NULL,
  server_name text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  include_mode text COLLATE "C" NOT NULL,                   -- always, manual
  added_at bigint NOT NULL
);

-- Known things: their names, and what is known of them.
CREATE TABLE entity (
  id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,         -- given once, as session.no
  tenant_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,                            -- the name, folded
  name text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",                             -- JSON, of wherever it was loaded from
  slug text COLLATE "C",
  parent_id bigint,                            -- entity.id
  action text COLLATE "C",                                  -- created, modified, discussed, …
  data text COLLATE "C",                                    -- JSON
  data_expires_at bigint,
  updated_at bigint NOT NULL,
  UNIQUE (tenant_id, type, key)
);
CREATE INDEX entity_key ON entity (tenant_id, key);
CREATE INDEX entity_parent ON entity (parent_id) WHERE parent_id IS NOT NULL;
CREATE TABLE entity_alias (                     -- given ones; others follow from the name
  entity_id bigint NOT NULL,
  key text COLLATE "C" NOT NULL,                            -- the alias, folded
  alias text COLLATE "C" NOT NULL,
  PRIMARY KEY (key, entity_id)
);
CREATE INDEX entity_alias_entity ON entity_alias (entity_id);
CREATE TABLE entity_relation (
  entity_id bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  target_id bigint NOT NULL,
  PRIMARY KEY (entity_id, type, target_id)
);
CREATE INDEX entity_relation_target ON entity_relation (target_id);
CREATE TABLE entity_pattern (                   -- regular expressions that find entities
  tenant_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  pattern text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, type, pattern)
);
CREATE TABLE entity_change (                    -- counts changes
  tenant_id text COLLATE "C" PRIMARY KEY,
  generation bigint NOT NULL,                  -- of names and patterns
  revision bigint NOT NULL                     -- of anything about entities
);

-- What a session did with an entity, as somebody said; mentions are in the derived file.
CREATE TABLE session_entity_link (
  session_no bigint NOT NULL,
  entity_id bigint NOT NULL,                   -- entity.id
  action text COLLATE "C" NOT NULL,                         -- created, modified, discussed, …
  seq bigint NOT NULL,                         -- the session's last message then
  at bigint NOT NULL,
  PRIMARY KEY (session_no, entity_id)
);
CREATE INDEX session_entity_link_entity ON session_entity_link (entity_id, session_no);

-- One row. A backup has an identity of its own, and remembers whose copy it is.
CREATE TABLE identity (
  id text COLLATE "C" NOT NULL,                             -- a UUID, in every archive that the store writes
  origin text COLLATE "C"                                   -- NULL: it is no copy
);
-- Archives of sessions: those that were written, and those that were restored.
CREATE TABLE archive_file (
  session_no bigint NOT NULL,
  uri text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C",                                  -- of the file; NULL: a run was cut off
  state bigint NOT NULL,                       -- 0 restored, 1 written, 2 a purge removes it
  PRIMARY KEY (session_no, uri)
);
CREATE INDEX archive_file_uri ON archive_file (uri);
-- Places in which a run is at work, or was cut off before it recorded all that it wrote.
CREATE TABLE archive_run (place text COLLATE "C" PRIMARY KEY);
-- What can be derived from the store again.

-- How far each kind of derived data has got: everything up to seq is in.
CREATE TABLE mark (
  kind text COLLATE "C" NOT NULL,
  session_no bigint NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (kind, session_no)
);

-- Results of resolvers, embedders, summarisers and enrichments.
CREATE TABLE cache (
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,                            -- SHA-256 of what the result depends on
  session_no bigint NOT NULL,                  -- whose content it holds, 0: nobody's
  expires_at bigint NOT NULL,
  value bytea NOT NULL,                          -- JSON, or numbers of a vector
  PRIMARY KEY (kind, key)
);
CREATE INDEX cache_session ON cache (session_no);
CREATE INDEX cache_expiry ON cache (expires_at);
CREATE TABLE cache_use (kind text COLLATE "C" PRIMARY KEY, hits bigint NOT NULL, misses bigint NOT NULL)
;

-- Words of the messages; rowid is message.id. It holds no text: what is found is read in
-- the store. Words of scripts without spaces come as pairs of characters, made before.
CREATE TABLE fulltext (
  id bigint PRIMARY KEY,                        -- message.id
  words tsvector NOT NULL
);
CREATE INDEX fulltext_words ON fulltext USING gin (words);
-- Texts of messages whose bodies were archived away: to show, and to take out of the index.
CREATE TABLE fulltext_kept (
  id bigint PRIMARY KEY,                       -- of the message
  role bigint NOT NULL,                        -- and << 8 the roles that it counts for
  created_at bigint NOT NULL,
  size bigint NOT NULL,                        -- bytes of the text
  text bytea NOT NULL                            -- zlib
);
-- Things that messages name without their being known: found by form or by a pattern.
CREATE TABLE seen (
  no bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
  type text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,                           -- normalised and folded
  spelling text COLLATE "C",                                -- as it was first written; NULL: like name
  UNIQUE (type, name)
);
-- Where a message names what: (entity, offset, length) as in store/mention.h.
CREATE TABLE mention (
  id bigint PRIMARY KEY,                       -- session no << 32 | seq
  found bytea NOT NULL
);
-- Both directions. entity: entity.id of the store or, negative, seen.no.
CREATE TABLE session_entity (
  session_no bigint NOT NULL,
  entity bigint NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  mentions bigint NOT NULL,
  PRIMARY KEY (session_no, entity)
);
CREATE INDEX session_entity_entity ON session_entity (entity, session_no);
CREATE INDEX session_entity_last ON session_entity (session_no, last_seq);
CREATE INDEX session_entity_mentions ON session_entity (session_no, mentions);

-- What messages cost by other tokenizers than the one that counted them when they came.
CREATE TABLE counter (
  no bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
  tokenizer text COLLATE "C" NOT NULL UNIQUE,
  source text COLLATE "C" NOT NULL                          -- SHA-256 of its vocabulary, '': none
);
CREATE TABLE recount (
  counter bigint NOT NULL,                     -- counter.no
  id bigint NOT NULL,                          -- of the message
  tokens bigint NOT NULL,
  PRIMARY KEY (counter, id)
);
CREATE TABLE recount_total (                    -- of a session's messages up to seq
  counter bigint NOT NULL,
  session_no bigint NOT NULL,
  seq bigint NOT NULL,
  tokens bigint NOT NULL,
  PRIMARY KEY (counter, session_no)
);
