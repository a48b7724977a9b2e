-- The tables and functions that only a store on PostgreSQL has. engine_pg.sed generates the other
-- tables from the schema for SQLite. All tables are in the first schema of search_path.

-- Identifies the tables as a store of ctx: the application id and the version of the schema.
CREATE TABLE ctx_store (what text PRIMARY KEY, application bigint NOT NULL, version bigint NOT NULL);

-- Sessions are numbered in order of creation. ctx_spread reverses the 31 bits of this number, and the
-- result is the session number. Therefore the rows of new sessions are spread over the whole index.
CREATE SEQUENCE session_number MINVALUE 1 MAXVALUE 2147483646;
CREATE FUNCTION ctx_spread(n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT sum(((n >> i) & 1) << (30 - i))::bigint FROM generate_series(0, 30) i';

-- The full-text index: the same words as in SQLite's full-text index, with their positions.
CREATE TABLE fulltext (
  id bigint PRIMARY KEY,                        -- message.id
  size bigint NOT NULL,                         -- number of words
  words tsvector NOT NULL
);
CREATE INDEX fulltext_words ON fulltext USING gin (words);
