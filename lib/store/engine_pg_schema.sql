-- The store on PostgreSQL: everything in one schema, the first of search_path. The other tables are
-- made of SQLite's (engine_pg.sed).

-- What this is: what, application, version.
CREATE TABLE ctx_store (what text PRIMARY KEY, application bigint NOT NULL, version bigint NOT NULL);

-- Sessions are numbered in order of creation, and the number is spread over 31 bits by reversing
-- them, so that sessions that are made one after another lie apart.
CREATE SEQUENCE session_number MINVALUE 1 MAXVALUE 2147483646;
CREATE FUNCTION ctx_spread(n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT sum(((n >> i) & 1) << (30 - i))::bigint FROM generate_series(0, 30) i';

-- The index of words: those that SQLite's index would have, with their places.
CREATE TABLE fulltext (
  id bigint PRIMARY KEY,                        -- message.id
  size bigint NOT NULL,                         -- in words
  words tsvector NOT NULL
);
CREATE INDEX fulltext_words ON fulltext USING gin (words);
