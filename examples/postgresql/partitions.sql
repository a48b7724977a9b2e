-- Divides the large tables of a store on PostgreSQL into partitions by session: all rows of a session
-- are in the same partition. Session numbers are spread evenly over 31 bits, so equal ranges of session
-- numbers give partitions of about the same size. Run this script as the owner of the tables, while no
-- command writes. The script moves existing rows into the partitions.
--
--   psql -v ON_ERROR_STOP=1 -v parts=16 "$CTX_STORE" -f partitions.sql
--
-- With -v how=hash, the tables are partitioned by a hash of the session number. The operator class below
-- computes the hash from the upper half of an id, which is the session number; only a superuser can
-- create an operator class. Partitions by hash are slower than partitions by range: statements that
-- read several messages of a session search every partition.
\if :{?parts}
\else
\set parts 8
\endif
\if :{?how}
\else
\set how range
\endif
BEGIN;
SELECT set_config('ctx.parts', :'parts', true), set_config('ctx.how', :'how', true);
SELECT :'how' = 'hash' AS by_hash \gset
\if :by_hash
CREATE FUNCTION ctx_session_hash(id bigint, seed bigint) RETURNS bigint LANGUAGE sql
IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT hashint8extended(id >> 32, seed)';
CREATE OPERATOR CLASS ctx_session_ops FOR TYPE bigint USING hash AS
  OPERATOR 1 = , FUNCTION 2 ctx_session_hash(bigint, bigint);
\endif
DO $$
DECLARE
  parts int := current_setting('ctx.parts')::int;
  by_hash boolean := current_setting('ctx.how') = 'hash';
  t record;
  step bigint;
  lowest text;
  highest text;
BEGIN
  -- An id is session number << 32 | n. Therefore the bounds of partitions by id are multiples of 2^32,
  -- and all tables are divided at the same session numbers.
  FOR t IN SELECT * FROM (VALUES
    ('message', 'id', 'id', 4294967296),
    ('request', 'id', 'id', 4294967296),
    ('event', 'id', 'id', 4294967296),
    ('content', 'session_no, sha256', 'session_no', 1),
    ('fulltext', 'id', 'id', 4294967296),
    ('mention', 'id', 'id', 4294967296)
  ) AS tables (name, key, part_by, unit)
  LOOP
    step := (2147483648 / parts) * t.unit;
    EXECUTE format('ALTER TABLE %I RENAME TO %I', t.name, t.name || '_whole');
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS, PRIMARY KEY (%s)) '
                   'PARTITION BY %s (%I %s)', t.name, t.name || '_whole', t.key,
                   CASE WHEN by_hash THEN 'HASH' ELSE 'RANGE' END, t.part_by,
                   CASE WHEN by_hash AND t.unit > 1 THEN 'ctx_session_ops' ELSE '' END);
    FOR i IN 0 .. parts - 1 LOOP
      lowest := CASE WHEN i = 0 THEN 'MINVALUE' ELSE (i * step)::text END;
      highest := CASE WHEN i = parts - 1 THEN 'MAXVALUE' ELSE ((i + 1) * step)::text END;
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES ', t.name || '_' || i, t.name)
        || CASE WHEN by_hash THEN format('WITH (MODULUS %s, REMAINDER %s)', parts, i)
           ELSE format('FROM (%s) TO (%s)', lowest, highest) END;
      -- These values are unique within a session. A session is in one partition, so an index on the
      -- partition is sufficient.
      IF t.name = 'message' THEN
        EXECUTE format('CREATE UNIQUE INDEX ON %I ((id >> 32), record_id) '
                       'WHERE record_id IS NOT NULL', t.name || '_' || i);
      ELSIF t.name = 'request' THEN
        EXECUTE format('CREATE UNIQUE INDEX ON %I (request_id, (id >> 32))', t.name || '_' || i);
      END IF;
    END LOOP;
    EXECUTE format('INSERT INTO %I SELECT * FROM %I', t.name, t.name || '_whole');
    EXECUTE format('DROP TABLE %I', t.name || '_whole');
  END LOOP;
END $$;
CREATE INDEX ON fulltext USING gin (words);
COMMIT;
