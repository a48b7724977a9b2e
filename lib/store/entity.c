#include "store/entity.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/link.h"
#include "store/row.h"

void
ctx_entity_release(struct ctx_entity *e)
{
	free(e->type);
	free(e->name);
	free(e->id_json);
	free(e->slug);
	free(e->action);
	free(e->data_json);
	*e = (struct ctx_entity)CTX_ENTITY_INIT;
}

static int
bump_entities(struct ctx_store *st, const char *tenant, bool names, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "INSERT INTO entity_change (tenant_id, generation, revision) "
	    "VALUES (?1, ?2, 1) "
	    "ON CONFLICT (tenant_id) "
	    "DO UPDATE SET generation = entity_change.generation + excluded.generation, "
	    "revision = entity_change.revision + 1",
	    CTX_VALUES(ctx_str(tenant), ctx_int(names)), err);
}

/* Counts a change to one entity. names is true if the entity's names were changed, and
 * false if other data was changed. */
static int
count_entity_change(struct ctx_store *st, int64_t no, bool names, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "UPDATE entity_change "
	    "SET generation = generation + ?2, revision = revision + 1 "
	    "WHERE tenant_id = (SELECT tenant_id FROM entity WHERE id = ?1)",
	    CTX_VALUES(ctx_int(no), ctx_int(names)), err);
}

int
ctx_entity_generation(struct ctx_store *st, const char *tenant, int64_t *generation,
    int64_t *revision, struct ctx_err *err)
{
	int64_t out[2];
	int rc = ctx_stmt_ints(&st->db,
	    "SELECT generation, revision FROM entity_change WHERE tenant_id = ?1",
	    CTX_VALUES(ctx_str(tenant)), out, 2, err);

	*generation = out[0];
	*revision = out[1];
	return rc < 0 ? -1 : 0;
}

/* ---- entities ---- */

int
ctx_entity_put(struct ctx_store *st, const char *tenant, struct ctx_entity *e,
    struct ctx_span key, struct ctx_err *err)
{
	static const char sql[] =
	    "INSERT INTO entity (tenant_id, type, key, name, external_id, slug, parent_id, "
	    "action, data, data_expires_at, updated_at) "
	    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, 0), ?8, ?9, ?10, ?11) "
	    "ON CONFLICT (tenant_id, type, key) "
	    "DO UPDATE SET name = excluded.name, "
	    "external_id = coalesce(excluded.external_id, entity.external_id), "
	    "slug = coalesce(excluded.slug, entity.slug), "
	    "parent_id = coalesce(excluded.parent_id, entity.parent_id), "
	    "action = coalesce(excluded.action, entity.action), "
	    "data_expires_at = CASE WHEN excluded.data IS NULL THEN "
	    "entity.data_expires_at ELSE excluded.data_expires_at END, "
	    "data = coalesce(excluded.data, entity.data), "
	    "updated_at = excluded.updated_at "
	    "RETURNING id";
	bool renamed = false;
	struct ctx_row r;
	int known;

	if (ctx_db_make_catalog(&st->db, err) < 0)
		return -1;
	r = ctx_rows(&st->db, "entity",
	    "SELECT id, name FROM entity WHERE tenant_id = ?1 AND type = ?2 AND key = ?3",
	    CTX_VALUES(ctx_str(tenant), ctx_str(e->type), ctx_text(key)), err);
	if (ctx_rows_next(&r)) {
		e->no = ctx_stmt_int64(r.q, 0);
		renamed = !ctx_span_is(ctx_stmt_span(r.q, 1), e->name);
	}
	known = ctx_rows_found(&r);
	if (known < 0)
		return -1;
	if (ctx_stmt_add(&st->db, sql,
		CTX_VALUES(ctx_str(tenant), ctx_str(e->type), ctx_text(key),
		    ctx_str(e->name), ctx_str(e->id_json), ctx_str(e->slug),
		    ctx_int(e->parent_no), ctx_str(e->action), ctx_str(e->data_json),
		    ctx_int(e->data_expires_at), ctx_int(e->updated_at)),
		known == 0 ? &e->no : NULL, err) < 0)
		return -1;
	return bump_entities(st, tenant, known == 0 || renamed, err) < 0 ? -1
									 : known == 0;
}

#define COLUMNS                                                                         \
	"id, type, name, external_id, slug, parent_id, action, data, data_expires_at, " \
	"updated_at"

static void
read_entity_row(struct ctx_row *r, struct ctx_entity *e)
{
	int64_t parent;

	ctx_entity_release(e);
	e->no = ctx_row_whole(r, 0, "id", 1, INT64_MAX);
	e->type = ctx_row_given(r, 1, "type");
	e->name = ctx_row_given(r, 2, "name");
	e->id_json = ctx_span_dup(ctx_row_json(r, 3, "external_id"));
	e->slug = ctx_row_text(r, 4, "slug");
	parent = ctx_row_maybe(r, 5, "parent_id", 1, INT64_MAX);
	e->parent_no = parent == CTX_TIME_NONE ? 0 : parent;
	e->action = ctx_row_text(r, 6, "action");
	e->data_json = ctx_span_dup(ctx_row_json(r, 7, "data"));
	e->data_expires_at = ctx_row_maybe(
	    r, 8, "data_expires_at", -CTX_TIME_MAX, CTX_TIME_MAX);
	e->updated_at = ctx_row_time(r, 9, "updated_at");
	if (r->wrong)
		ctx_entity_release(e);
}

int
ctx_entity_get(
    struct ctx_store *st, int64_t no, struct ctx_entity *out, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "entity",
	    "SELECT " COLUMNS " FROM entity WHERE id = ?1", CTX_VALUES(ctx_int(no)), err);

	if (ctx_rows_next(&r))
		read_entity_row(&r, out);
	return ctx_rows_found(&r);
}

#define FIND_ENTITY(of_type, of_e_type)                                   \
	"SELECT id "                                                      \
	"FROM entity "                                                    \
	"WHERE tenant_id = ?1 AND key = ?2 " of_type "UNION SELECT e.id " \
	"FROM entity_alias a "                                            \
	"JOIN entity e ON e.id = a.entity_id "                            \
	"WHERE a.key = ?2 AND e.tenant_id = ?1 " of_e_type "LIMIT 2"

int
ctx_entity_find(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, int64_t *no, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "entity",
	    type != NULL ? FIND_ENTITY("AND type = ?3 ", "AND e.type = ?3 ")
			 : FIND_ENTITY("", ""),
	    CTX_VALUES(ctx_str(tenant), ctx_text(key), ctx_str(type)), err);
	int n = 0;

	while (ctx_rows_next(&r))
		if (n++ == 0)
			*no = ctx_stmt_int64(r.q, 0);
	return ctx_rows_end(&r) < 0 ? -1 : n;
}

int
ctx_entity_with_id(struct ctx_store *st, const char *tenant, struct ctx_span id,
    int64_t **nos, size_t *n, struct ctx_err *err)
{
	struct ctx_numbers l = {NULL, 0, 0};
	struct ctx_buf json = CTX_BUF_INIT;
	int rc;

	ctx_json_put_string(&json, id);
	rc = ctx_stmt_list(&st->db,
	    "SELECT id "
	    "FROM entity "
	    "WHERE tenant_id = ?1 AND (external_id IN (?2, ?3) OR slug = ?3)",
	    CTX_VALUES(ctx_str(tenant), ctx_text(ctx_buf_span(&json)), ctx_text(id)),
	    (struct ctx_whole){"entity", "id", 1, INT64_MAX}, &l, err);
	ctx_buf_release(&json);
	*nos = l.v;
	*n = l.n;
	return rc;
}

#define LIST_ENTITIES(of_type)                                     \
	"SELECT " COLUMNS " "                                      \
	"FROM entity "                                             \
	"WHERE tenant_id = ?1 AND id > ?2 " of_type "ORDER BY id " \
	"LIMIT ?4"

int
ctx_entity_list(struct ctx_store *st, const char *tenant, const char *type,
    int64_t after_no, struct ctx_entity out[], int max, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "entity",
	    type != NULL ? LIST_ENTITIES("AND type = ?3 ") : LIST_ENTITIES(""),
	    CTX_VALUES(ctx_str(tenant), ctx_int(after_no), ctx_str(type), ctx_int(max)),
	    err);
	int n = 0;

	while (ctx_rows_next(&r))
		read_entity_row(&r, &out[n++]);
	return ctx_rows_end(&r) < 0 ? -1 : n;
}

/* ---- aliases and relations ---- */

/* Runs a statement on the entity, whose number is ?1, and counts a change
 * (count_entity_change) if rows were changed. Returns their number, or -1. */
static int
change_entity(struct ctx_store *st, const char *sql, int64_t no, struct ctx_value second,
    struct ctx_value third, bool names, struct ctx_err *err)
{
	int n = ctx_stmt_change(
	    &st->db, sql, CTX_VALUES(ctx_int(no), second, third), err);

	return n > 0 && count_entity_change(st, no, names, err) < 0 ? -1 : n;
}

int
ctx_entity_alias(struct ctx_store *st, int64_t no, struct ctx_span key,
    struct ctx_span alias, struct ctx_err *err)
{
	return change_entity(st,
	    "INSERT INTO entity_alias (entity_id, key, alias) "
	    "VALUES (?1, ?2, ?3) "
	    "ON CONFLICT DO NOTHING",
	    no, ctx_text(key), ctx_text(alias), true, err);
}

int
ctx_entity_relate(struct ctx_store *st, int64_t no, const char *type, int64_t target,
    struct ctx_err *err)
{
	return change_entity(st,
	    "INSERT INTO entity_relation (entity_id, type, target_id) "
	    "SELECT ?1, ?2, ?3 "
	    "WHERE EXISTS (SELECT 1 FROM entity WHERE id = ?1) "
	    "ON CONFLICT DO NOTHING",
	    no, ctx_str(type), ctx_int(target), false, err);
}

int
ctx_entity_unrelate(struct ctx_store *st, int64_t no, const char *type, int64_t target,
    struct ctx_err *err)
{
	return change_entity(st,
	    "DELETE FROM entity_relation "
	    "WHERE entity_id = ?1 AND type = ?2 AND target_id = ?3",
	    no, ctx_str(type), ctx_int(target), false, err);
}

int
ctx_entity_merge(struct ctx_store *st, int64_t from, int64_t into, struct ctx_err *err)
{
	static const char *const steps[] = {
	    "INSERT INTO entity_alias (entity_id, key, alias) "
	    "SELECT ?2, key, name "
	    "FROM entity "
	    "WHERE id = ?1 "
	    "ON CONFLICT DO NOTHING",
	    "INSERT INTO entity_alias (entity_id, key, alias) "
	    "SELECT ?2, key, alias "
	    "FROM entity_alias "
	    "WHERE entity_id = ?1 "
	    "ON CONFLICT DO NOTHING",
	    "DELETE FROM entity_alias WHERE entity_id = ?1",
	    "INSERT INTO entity_relation (entity_id, type, target_id) "
	    "SELECT ?2, type, target_id "
	    "FROM entity_relation "
	    "WHERE entity_id = ?1 AND target_id != ?2 "
	    "ON CONFLICT DO NOTHING",
	    "INSERT INTO entity_relation (entity_id, type, target_id) "
	    "SELECT entity_id, type, ?2 "
	    "FROM entity_relation "
	    "WHERE target_id = ?1 AND entity_id != ?2 "
	    "ON CONFLICT DO NOTHING",
	    "DELETE FROM entity_relation WHERE entity_id = ?1 OR target_id = ?1",
	    "UPDATE entity SET parent_id = ?2 WHERE parent_id = ?1 AND id != ?2",
	    "UPDATE entity SET parent_id = NULL WHERE parent_id = ?1",
	    "UPDATE entity "
	    "SET (external_id, slug, parent_id, action, data, data_expires_at) = ("
	    "SELECT coalesce(entity.external_id, f.external_id), coalesce(entity.slug, "
	    "f.slug), coalesce(entity.parent_id, nullif(f.parent_id, ?2)), "
	    "coalesce(entity.action, f.action), coalesce(entity.data, f.data), "
	    "CASE WHEN entity.data IS NULL THEN f.data_expires_at ELSE "
	    "entity.data_expires_at END "
	    "FROM entity f "
	    "WHERE f.id = ?1) "
	    "WHERE id = ?2",
	    "DELETE FROM entity WHERE id = ?1",
	    NULL,
	};
	int64_t ignored = 0;

	if (ctx_stmt_each(&st->db, steps, CTX_VALUES(ctx_int(from), ctx_int(into)),
		&ignored, err) < 0 ||
	    ctx_link_move(st, from, into, err) < 0)
		return -1;
	return count_entity_change(st, into, true, err);
}

static int
visit_entities(struct ctx_store *st, const char *sql, int64_t no, ctx_entity_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "entity", sql, CTX_VALUES(ctx_int(no)), err);

	while (ctx_rows_next(&r))
		r.rc = fn(arg, ctx_stmt_span(r.q, 0), ctx_stmt_int64(r.q, 1), err);
	return ctx_rows_end(&r);
}

int
ctx_entity_aliases(
    struct ctx_store *st, int64_t no, ctx_entity_fn *fn, void *arg, struct ctx_err *err)
{
	return visit_entities(st,
	    "SELECT alias, 0 FROM entity_alias WHERE entity_id = ?1 ORDER BY key", no, fn,
	    arg, err);
}

int
ctx_entity_relations(
    struct ctx_store *st, int64_t no, ctx_entity_fn *fn, void *arg, struct ctx_err *err)
{
	return visit_entities(st,
	    "SELECT type, target_id "
	    "FROM entity_relation "
	    "WHERE entity_id = ?1 "
	    "ORDER BY type, target_id",
	    no, fn, arg, err);
}

int
ctx_entity_children(
    struct ctx_store *st, int64_t no, ctx_entity_fn *fn, void *arg, struct ctx_err *err)
{
	return visit_entities(st,
	    "SELECT name, id FROM entity WHERE parent_id = ?1 ORDER BY id", no, fn, arg,
	    err);
}

int
ctx_entity_relation_count(
    struct ctx_store *st, int64_t no, int64_t *n, struct ctx_err *err)
{
	return ctx_stmt_ints(&st->db,
		   "SELECT count(*) FROM entity_relation WHERE entity_id = ?1",
		   CTX_VALUES(ctx_int(no)), n, 1, err) < 0
		   ? -1
		   : 0;
}

/* ---- removing ---- */

int
ctx_entity_remove(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err)
{
	static const char *const steps[] = {
	    "DELETE FROM entity_alias WHERE entity_id = ?1",
	    "DELETE FROM entity_relation WHERE entity_id = ?1 OR target_id = ?1",
	    "UPDATE entity SET parent_id = NULL WHERE parent_id = ?1",
	    "DELETE FROM entity WHERE id = ?1",
	    NULL,
	};
	int64_t no = 0, ignored = 0;

	if (ctx_db_make_catalog(&st->db, err) < 0 ||
	    ctx_stmt_ints(&st->db,
		"SELECT id FROM entity WHERE tenant_id = ?1 AND type = ?2 AND key = ?3",
		CTX_VALUES(ctx_str(tenant), ctx_str(type), ctx_text(key)), &no, 1,
		err) < 0)
		return -1;
	if (no == 0)
		return 0;
	/* while the entity's row, which names the tenant, still exists */
	return count_entity_change(st, no, true, err) < 0 ||
		       ctx_stmt_each(
			   &st->db, steps, CTX_VALUES(ctx_int(no)), &ignored, err) < 0 ||
		       ctx_link_move(st, no, 0, err) < 0
		   ? -1
		   : 1;
}

int
ctx_entity_unalias(
    struct ctx_store *st, int64_t no, struct ctx_span key, struct ctx_err *err)
{
	return change_entity(st,
	    "DELETE FROM entity_alias WHERE entity_id = ?1 AND key = ?2", no,
	    ctx_text(key), ctx_int(0), true, err);
}

int
ctx_entity_reset(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "UPDATE entity "
	    "SET external_id = NULL, slug = NULL, action = NULL, data = NULL, "
	    "data_expires_at = NULL "
	    "WHERE tenant_id = ?1 AND type = ?2 AND key = ?3",
	    CTX_VALUES(ctx_str(tenant), ctx_str(type), ctx_text(key)), err);
}

int
ctx_entity_detach(struct ctx_store *st, int64_t no, struct ctx_err *err)
{
	static const char *const steps[] = {
	    "UPDATE entity SET parent_id = NULL WHERE id = ?1 AND parent_id IS NOT NULL",
	    "DELETE FROM entity_relation WHERE entity_id = ?1",
	    NULL,
	};
	int64_t rows = 0;

	if (ctx_stmt_each(&st->db, steps, CTX_VALUES(ctx_int(no)), &rows, err) < 0)
		return -1;
	return rows > 0 ? count_entity_change(st, no, false, err) : 0;
}

/* Names of known entities, and patterns that find other entities. */

int
ctx_entity_names(struct ctx_store *st, const char *tenant, ctx_entity_name_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "entity",
	    "SELECT name, type, id "
	    "FROM entity "
	    "WHERE tenant_id = ?1 "
	    "UNION ALL SELECT a.alias, NULL, a.entity_id "
	    "FROM entity_alias a "
	    "JOIN entity e ON e.id = a.entity_id "
	    "WHERE e.tenant_id = ?1",
	    CTX_VALUES(ctx_str(tenant)), err);

	while (ctx_rows_next(&r))
		fn(arg, ctx_stmt_span(r.q, 0), ctx_stmt_span(r.q, 1),
		    ctx_stmt_int64(r.q, 2));
	return ctx_rows_end(&r);
}

static int
change_pattern(struct ctx_store *st, const char *sql, const char *tenant,
    struct ctx_span type, struct ctx_span pattern, struct ctx_err *err)
{
	int n = ctx_stmt_change(&st->db, sql,
	    CTX_VALUES(ctx_str(tenant), ctx_text(type), ctx_text(pattern)), err);

	return n > 0 && bump_entities(st, tenant, true, err) < 0 ? -1 : n;
}

int
ctx_entity_pattern_put(struct ctx_store *st, const char *tenant, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err)
{
	if (ctx_db_make_catalog(&st->db, err) < 0)
		return -1;
	return change_pattern(st,
	    "INSERT INTO entity_pattern (tenant_id, type, pattern) "
	    "VALUES (?1, ?2, ?3) "
	    "ON CONFLICT DO NOTHING",
	    tenant, type, pattern, err);
}

int
ctx_entity_pattern_remove(struct ctx_store *st, const char *tenant, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err)
{
	return change_pattern(st,
	    "DELETE FROM entity_pattern "
	    "WHERE tenant_id = ?1 AND type = ?2 AND pattern = ?3",
	    tenant, type, pattern, err);
}

int
ctx_entity_patterns(struct ctx_store *st, const char *tenant, ctx_entity_pattern_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "entity_pattern",
	    "SELECT type, pattern "
	    "FROM entity_pattern "
	    "WHERE tenant_id = ?1 "
	    "ORDER BY type, pattern",
	    CTX_VALUES(ctx_str(tenant)), err);

	while (ctx_rows_next(&r))
		r.rc = fn(arg, ctx_stmt_span(r.q, 0), ctx_stmt_span(r.q, 1), err);
	return ctx_rows_end(&r);
}
