/* Recognized entities: entities that messages mention and that users did not load into the
 * store. */
#include <stdlib.h>

#include "base/mem.h"
#include "store/mention.h"
#include "store/row.h"

/* The column seen.no. The number of the entity is -no. */
static const struct ctx_whole seen = {"seen", "no", 1, INT64_MAX};

int
ctx_seen_find(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    int64_t *no, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(ctx_store_derived(st, err), seen.table,
	    "SELECT no FROM seen WHERE type = ?1 AND name = ?2",
	    CTX_VALUES(ctx_text(type), ctx_text(name)), err);

	if (ctx_rows_next(&r))
		*no = -ctx_row_whole(&r, 0, seen.name, seen.least, seen.most);
	return ctx_rows_found(&r);
}

int
ctx_seen_called(struct ctx_store *st, struct ctx_span name, struct ctx_span exact,
    int64_t **nos, size_t *n, struct ctx_err *err)
{
	/* one type after the other, because the index begins with the type */
	static const char sql[] =
	    "WITH RECURSIVE t (type) AS ("
	    "SELECT min(type) "
	    "FROM seen "
	    "UNION ALL SELECT (SELECT min(type) FROM seen WHERE type > t.type) "
	    "FROM t "
	    "WHERE t.type IS NOT NULL) "
	    "SELECT no "
	    "FROM t "
	    "JOIN seen ON seen.type = t.type AND seen.name IN (?1, ?2)";
	struct ctx_db *db = ctx_store_derived(st, err);
	struct ctx_numbers l = {NULL, 0, 0};
	int rc = ctx_stmt_list(
	    db, sql, CTX_VALUES(ctx_text(name), ctx_text(exact)), seen, &l, err);

	for (size_t i = 0; i < l.n; i++)
		l.v[i] = -l.v[i];
	*nos = l.v;
	*n = l.n;
	return rc < 0 ? -1 : 0;
}

int
ctx_seen_number(struct ctx_store *st, struct ctx_span type, struct ctx_span name,
    struct ctx_span spelling, int64_t *no, struct ctx_err *err)
{
	int rc = ctx_seen_find(st, type, name, no, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (ctx_span_eq(name, spelling))
		spelling = CTX_SPAN_NONE;
	rc = ctx_stmt_add(st->derived,
	    "INSERT INTO seen (type, name, spelling) VALUES (?1, ?2, ?3) RETURNING no",
	    CTX_VALUES(ctx_text(type), ctx_text(name), ctx_text(spelling)), no, err);
	*no = -*no;
	return rc;
}

/* Number of entities that are read on either side of the wanted one. On a server, each
 * statement takes a round trip, and entities that are wanted one after another have similar
 * numbers. */
#define SEEN_NEAR 64

struct seen_name {
	int64_t no;
	char *type, *name;
};

struct ctx_seen_near {
	struct seen_name *list;
	size_t n, cap;
};

void
ctx_seen_forget_near(struct ctx_store *st)
{
	struct ctx_seen_near *near = st->seen_near;

	for (size_t i = 0; near != NULL && i < near->n; i++) {
		free(near->list[i].type);
		free(near->list[i].name);
	}
	if (near != NULL)
		free(near->list);
	free(near);
	st->seen_near = NULL;
}

static int
read_seen_near(struct ctx_store *st, int64_t no, struct ctx_err *err)
{
	struct ctx_seen_near *near = ctx_mem_new(sizeof(*near));
	struct ctx_row r = ctx_rows(st->derived, seen.table,
	    "SELECT no, type, coalesce(spelling, name) "
	    "FROM seen "
	    "WHERE no BETWEEN ?1 AND ?2",
	    CTX_VALUES(ctx_int(no - SEEN_NEAR), ctx_int(no + SEEN_NEAR)), err);

	ctx_seen_forget_near(st);
	st->seen_near = near;
	while (ctx_rows_next(&r)) {
		CTX_MEM_GROW(near->list, near->n, near->cap);
		near->list[near->n++] = (struct seen_name){
		    .no = ctx_row_whole(&r, 0, seen.name, seen.least, seen.most),
		    .type = ctx_row_given(&r, 1, "type"),
		    .name = ctx_row_given(&r, 2, "name")};
	}
	return ctx_rows_end(&r);
}

static const struct seen_name *
find_seen_near(const struct ctx_store *st, int64_t no)
{
	const struct ctx_seen_near *near = st->seen_near;

	for (size_t i = 0; near != NULL && i < near->n; i++)
		if (near->list[i].no == no)
			return &near->list[i];
	return NULL;
}

static int
get_seen_near(
    struct ctx_store *st, int64_t no, char **type, char **name, struct ctx_err *err)
{
	const struct seen_name *found = find_seen_near(st, no);

	if (found == NULL && read_seen_near(st, no, err) < 0)
		return -1;
	if (found == NULL)
		found = find_seen_near(st, no);
	if (found == NULL)
		return 0;
	*type = ctx_mem_str(found->type);
	*name = ctx_mem_str(found->name);
	return 1;
}

int
ctx_seen_get(
    struct ctx_store *st, int64_t no, char **type, char **name, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	struct ctx_row r;

	if (db != NULL && ctx_db_is_whole(db))
		return get_seen_near(st, -no, type, name, err);
	r = ctx_rows(db, seen.table,
	    "SELECT type, coalesce(spelling, name) FROM seen WHERE no = ?1",
	    CTX_VALUES(ctx_int(-no)), err);
	if (ctx_rows_next(&r)) {
		*type = ctx_row_given(&r, 0, "type");
		*name = ctx_row_given(&r, 1, "name");
	}
	return ctx_rows_found(&r);
}
