/* Which items went into requests: counted from the request records. */
#include "store/stmt.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "store/item.h"

struct use {
	char *type, *server, *name;
	int64_t requests, modes[3];
	double scores;
	int64_t scored;
};

struct uses {
	struct use *list;
	size_t n, cap;
};

static int
by_name(const void *pa, const void *pb)
{
	const struct use *a = pa, *b = pb;
	int c = strcmp(a->type, b->type);

	if (c == 0)
		c = strcmp(a->server, b->server);
	return c != 0 ? c : strcmp(a->name, b->name);
}

static struct use *
find(struct uses *u, struct ctx_span source)
{
	struct use want = {.type = ctx_json_strdup(ctx_json_get(source, "type")),
	    .server = ctx_json_strdup(ctx_json_get(source, "server_name")),
	    .name = ctx_json_strdup(ctx_json_get(source, "name"))};

	if (want.server == NULL)
		want.server = ctx_mem_str("");
	for (size_t i = 0; want.type != NULL && want.name != NULL && i < u->n; i++)
		if (by_name(&u->list[i], &want) == 0) {
			free(want.type);
			free(want.server);
			free(want.name);
			return &u->list[i];
		}
	if (want.type == NULL || want.name == NULL) {
		free(want.type);
		free(want.server);
		free(want.name);
		return NULL;
	}
	CTX_MEM_GROW(u->list, u->n, u->cap);
	u->list[u->n] = want;
	return &u->list[u->n++];
}

static void
count(struct uses *u, struct ctx_span source)
{
	static const char *const modes[] = {"always", "manual", "agent"};
	struct ctx_span type = ctx_json_get(source, "type");
	struct use *one;
	double score;

	if (!ctx_json_is(type, "rule") && !ctx_json_is(type, "reference") &&
	    !ctx_json_is(type, "tool") && !ctx_json_is(type, "prompt"))
		return;
	one = find(u, source);
	if (one == NULL)
		return;
	one->requests++;
	for (int m = 0; m < 3; m++)
		one->modes[m] += ctx_json_is(
		    ctx_json_get(source, "include_mode"), modes[m]);
	if (ctx_json_double(ctx_json_get(source, "similarity_score"), &score)) {
		one->scores += score;
		one->scored++;
	}
}

static int
read_all(struct ctx_store *st, const struct ctx_session *s, struct uses *u,
    struct ctx_err *err)
{
	sqlite3_stmt *q = ctx_stmt_new(&st->db,
	    "SELECT r.record FROM request r JOIN session s ON s.no = (r.id >> 32) "
	    "WHERE r.id BETWEEN ?1 AND ?2 AND (?3 IS NULL OR s.tenant_id = ?3)",
	    err);
	struct ctx_json_iter it;
	int rc;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, s == NULL ? 0 : ctx_row_id(s->no, 0));
	ctx_stmt_bind_int(q, 2, s == NULL ? INT64_MAX : ctx_row_id(s->no, CTX_SEQ_MAX));
	ctx_stmt_bind_str(q, 3, st->tenant);
	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		ctx_json_iter_init(&it, ctx_json_get(ctx_stmt_span(q, 0), "messages"));
		while (ctx_json_iter_next(&it))
			count(u, ctx_json_get(it.value, "source"));
	}
	sqlite3_finalize(q);
	return rc;
}

int
ctx_item_uses(struct ctx_store *st, const struct ctx_session *s,
    int (*fn)(void *arg, const struct ctx_item_use *use, struct ctx_err *err), void *arg,
    struct ctx_err *err)
{
	struct uses u = {NULL, 0, 0};
	int rc = read_all(st, s, &u, err);

	if (u.n > 1)
		qsort(u.list, u.n, sizeof(*u.list), by_name);
	for (size_t i = 0; i < u.n; i++) {
		const struct use *one = &u.list[i];
		struct ctx_item_use use = {one->type, one->server, one->name,
		    one->requests, one->modes[0], one->modes[1], one->modes[2],
		    one->scored > 0 ? one->scores / (double)one->scored : 0};
		if (rc == 0)
			rc = fn(arg, &use, err);
		free(one->type);
		free(one->server);
		free(one->name);
	}
	free(u.list);
	return rc;
}
