#include "entity/load_waiting.h"

#include <stdlib.h>

#include "base/mem.h"
#include "words/fold.h"
#include "json/json.h"

static void
free_one(struct waiting *p)
{
	free(p->relation);
	free(p->type);
	free(p->name);
}

void
ctx_waiting_drop(struct ctx_loader *l, size_t from)
{
	for (size_t i = from; i < l->n; i++)
		free_one(&l->waiting[i]);
	l->n = from;
}

int
ctx_waiting_add(struct ctx_loader *l, struct ctx_span relation, struct ctx_span target,
    struct ctx_span type, bool child, struct ctx_err *err)
{
	struct waiting p = {.child = child};
	int rc;

	if (ctx_json_type(target) == CTX_JSON_OBJECT) {
		type = ctx_json_get(target, "type");
		target = ctx_json_get(target, "name");
	}
	p.name = ctx_load_name(target, "the name of a related entity", err);
	if (p.name == NULL)
		return -1;
	if (relation.p != NULL)
		p.relation = ctx_load_name(relation, "the type of a relation", err);
	rc = relation.p != NULL && p.relation == NULL
		 ? -1
		 : ctx_json_member(&p.type, type, "the type of a related entity", err);
	if (rc < 0) {
		free(p.name);
		free(p.relation);
		return -1;
	}
	CTX_MEM_GROW(l->waiting, l->n, l->cap);
	l->waiting[l->n++] = p;
	return 0;
}

size_t
ctx_waiting_take_back(struct ctx_loader *l, int64_t no, size_t n)
{
	size_t kept = 0, before = l->n;

	for (size_t i = 0; i < l->n; i++)
		if (i < n && l->waiting[i].no == no)
			free_one(&l->waiting[i]);
		else
			l->waiting[kept++] = l->waiting[i];
	l->n = kept;
	return before - kept;
}

/* ---- relations from waiting records ---- */

static int
set_parent(struct ctx_loader *l, int64_t child, int64_t parent, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	struct ctx_entity e = CTX_ENTITY_INIT;
	int rc = ctx_entity_get(l->st, child, &e, err);

	if (rc == 1 && child != parent) {
		e.parent_no = parent;
		ctx_fold_text(ctx_span_of(e.name), &key);
		rc = ctx_entity_put(l->st, l->tenant, &e, ctx_buf_span(&key), err);
	}
	ctx_entity_release(&e);
	ctx_buf_release(&key);
	return rc < 0 ? -1 : 0;
}

static int
link_waiting_entity(
    struct ctx_loader *l, const struct waiting *p, bool *found, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int64_t other = 0;
	int rc;

	ctx_fold_text(ctx_span_of(p->name), &key);
	rc = ctx_entity_find(l->st, l->tenant, p->type, ctx_buf_span(&key), &other, err);
	ctx_buf_release(&key);
	*found = rc == 1;
	if (rc != 1)
		return rc < 0 ? -1 : 0;
	if (p->relation != NULL)
		return ctx_entity_relate(l->st, p->no, p->relation, other, err) < 0 ? -1
										    : 0;
	return p->child ? set_parent(l, other, p->no, err)
			: set_parent(l, p->no, other, err);
}

int
ctx_loader_finish(
    struct ctx_loader *l, size_t *missing, struct ctx_buf *first, struct ctx_err *err)
{
	bool found;

	*missing = 0;
	for (size_t i = 0; i < l->n_replaced; i++)
		if (ctx_entity_detach(l->st, l->replaced[i], err) < 0)
			return -1;
	l->n_replaced = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (link_waiting_entity(l, &l->waiting[i], &found, err) < 0)
			return -1;
		if (!found && ++*missing == 1)
			ctx_buf_adds(first, l->waiting[i].name);
	}
	ctx_waiting_drop(l, 0);
	return 0;
}
