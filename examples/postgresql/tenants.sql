-- Separates the tenants of a store on PostgreSQL by row-level security. Run this script once, after the
-- tables of the store were created, as the owner of these tables:
--
--   psql -v ON_ERROR_STOP=1 "$CTX_STORE" -f tenants.sql
--
-- Then assign a tenant to a login. The login can read and write only the sessions of this tenant, whatever
-- SQL statements or options it uses:
--
--   CREATE ROLE acme LOGIN PASSWORD '…' IN ROLE ctx_tenant;
--   INSERT INTO ctx_tenant_login (login, tenant_id) VALUES ('acme', 'acme');
--
-- A login with the role ctx_tenant but without a row in ctx_tenant_login can read and write the sessions
-- of the tenant in the setting ctx.tenant, and no sessions without this setting. ctx sets ctx.tenant to
-- the value of --tenant in every transaction. Such a login is suitable for a connection pooler that
-- serves several tenants. The owner of the tables can read everything.

BEGIN;

DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ctx_tenant') THEN
    CREATE ROLE ctx_tenant NOLOGIN;
  END IF;
END $$;

CREATE TABLE ctx_tenant_login (login name PRIMARY KEY, tenant_id text COLLATE "C" NOT NULL);

-- Returns the tenant of the current login; NULL means that no rows are visible. The function has the
-- rights of its owner, so logins need no access to ctx_tenant_login. session_user is the login even after
-- SET ROLE.
CREATE FUNCTION ctx_tenant() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
AS $$
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM ctx_tenant_login WHERE login = session_user)
    THEN (SELECT tenant_id FROM ctx_tenant_login WHERE login = session_user)
    ELSE nullif(current_setting('ctx.tenant', true), '')
  END
$$;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION ctx_tenant() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO ctx_tenant', current_schema());
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO ctx_tenant', current_schema());
END $$;

-- For each table, the condition that a row belongs to the tenant. A condition that reads the table
-- session finds only the sessions of the tenant, because session has a policy too.
DO $$
DECLARE
  rule record;
BEGIN
  FOR rule IN SELECT * FROM (VALUES
    ('session', 'tenant_id = (SELECT ctx_tenant())'),
    ('preference', 'tenant_id = (SELECT ctx_tenant())'),
    ('item', 'tenant_id = (SELECT ctx_tenant())'),
    ('entity', 'tenant_id = (SELECT ctx_tenant())'),
    ('entity_pattern', 'tenant_id = (SELECT ctx_tenant())'),
    ('entity_change', 'tenant_id = (SELECT ctx_tenant())'),
    ('entity_alias', 'EXISTS (SELECT 1 FROM entity e WHERE e.id = entity_id)'),
    ('entity_relation', 'EXISTS (SELECT 1 FROM entity e WHERE e.id = entity_id)'),
    ('message', 'EXISTS (SELECT 1 FROM session s WHERE s.no = message.id >> 32)'),
    ('pin', 'EXISTS (SELECT 1 FROM session s WHERE s.no = pin.id >> 32)'),
    ('hidden', 'EXISTS (SELECT 1 FROM session s WHERE s.no = first_id >> 32)'),
    ('event', 'EXISTS (SELECT 1 FROM session s WHERE s.no = event.id >> 32)'),
    ('summary', 'EXISTS (SELECT 1 FROM session s WHERE s.no = summary.id >> 32)'),
    ('request', 'EXISTS (SELECT 1 FROM session s WHERE s.no = request.id >> 32)'),
    ('session_item', 'EXISTS (SELECT 1 FROM session s WHERE s.no = session_item.id >> 32)'),
    ('content', 'EXISTS (SELECT 1 FROM session s WHERE s.no = session_no)'),
    ('share', 'EXISTS (SELECT 1 FROM session s WHERE s.no = session_no)'),
    ('session_entity_link', 'EXISTS (SELECT 1 FROM session s WHERE s.no = session_no)'),
    ('archive_file', 'EXISTS (SELECT 1 FROM session s WHERE s.no = session_no)'),
    ('fulltext', 'EXISTS (SELECT 1 FROM session s WHERE s.no = fulltext.id >> 32)'),
    ('fulltext_kept', 'EXISTS (SELECT 1 FROM session s WHERE s.no = fulltext_kept.id >> 32)'),
    ('mention', 'EXISTS (SELECT 1 FROM session s WHERE s.no = mention.id >> 32)'),
    ('recount', 'EXISTS (SELECT 1 FROM session s WHERE s.no = recount.id >> 32)'),
    ('recount_total', 'EXISTS (SELECT 1 FROM session s WHERE s.no = session_no)'),
    ('session_entity', 'EXISTS (SELECT 1 FROM session s WHERE s.no = session_no)'),
    ('cache', 'EXISTS (SELECT 1 FROM session s WHERE s.no = session_no)'),
    ('mark', 'session_no = 0 OR EXISTS (SELECT 1 FROM session s WHERE s.no = session_no)'),
    -- names of entities that messages of the tenant mention
    ('seen', 'EXISTS (SELECT 1 FROM session_entity x WHERE x.entity = -seen.no)')
  ) AS rules (name, condition)
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', rule.name);
    EXECUTE format('CREATE POLICY ctx_tenant ON %I USING (%s)', rule.name, rule.condition);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO ctx_tenant', rule.name);
  END LOOP;
END $$;

-- These tables contain no data of tenants.
GRANT SELECT ON ctx_store, identity TO ctx_tenant;
GRANT SELECT, INSERT ON tokenizer, counter TO ctx_tenant;
GRANT SELECT, INSERT, UPDATE ON cache_use TO ctx_tenant;

COMMIT;
