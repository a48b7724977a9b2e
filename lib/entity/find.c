#include <stdlib.h>

#include "base/mem.h"
#include "words/fold.h"
#include "entity/load.h"
#include "entity/track.h"

#define SAME_NAME_MAX 64 /* entities with the same name that are distinguished */

struct numbers {
	int64_t *list;
	size_t n, cap;
};

static void
add_found_number(struct numbers *l, int64_t no)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->list[i] == no)
			return;
	CTX_MEM_GROW(l->list, l->n, l->cap);
	l->list[l->n++] = no;
}

/* Adds n numbers, and frees the array. */
static void
take_found_numbers(struct numbers *l, int64_t *nos, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_found_number(l, nos[i]);
	free(nos);
}

static int
scan_text_mentions(struct ctx_tracker *t, struct ctx_store *st, struct ctx_span text,
    struct numbers *l, struct ctx_err *err)
{
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	struct ctx_buf key = CTX_BUF_INIT;
	int rc = 0;

	ctx_tracker_text(t, text, &m);
	for (size_t i = 0; rc >= 0 && i < m.n; i++) {
		const char *type = m.list[i].type;
		struct ctx_span name = ctx_mentions_name(&m, i);
		int64_t no = m.list[i].source == CTX_MENTION_NAME
				 ? (int64_t)m.list[i].id
				 : ctx_tracker_known(t, type, name);
		ctx_buf_reset(&key);
		if (no == 0)
			ctx_seen_key(type, name, &key);
		rc = no != 0 ? 1
			     : ctx_seen_find(
				   st, ctx_span_of(type), ctx_buf_span(&key), &no, err);
		if (rc == 1)
			add_found_number(l, no);
	}
	ctx_mentions_release(&m);
	ctx_buf_release(&key);
	return rc < 0 ? -1 : 0;
}

int
ctx_tracker_named(struct ctx_tracker *t, const char *text, int64_t **nos, size_t *n,
    struct ctx_err *err)
{
	uint64_t found[SAME_NAME_MAX];
	struct ctx_store *st = ctx_tracker_store(t);
	struct ctx_span name = ctx_fold_trim(ctx_span_of(text));
	struct numbers l = {NULL, 0, 0};
	struct ctx_buf key = CTX_BUF_INIT;
	size_t whole = ctx_tracker_find(t, ctx_span_of(text), found, SAME_NAME_MAX);
	int rc;

	for (size_t i = 0; i < whole && i < SAME_NAME_MAX; i++)
		add_found_number(&l, (int64_t)found[i]);
	/* entities of any type that were seen under this name */
	ctx_fold_text(name, &key);
	*nos = NULL;
	*n = 0;
	rc = ctx_seen_called(st, ctx_buf_span(&key), name, nos, n, err);
	take_found_numbers(&l, *nos, *n);
	if (rc == 0 && l.n == 0) { /* known entities that have this id or slug */
		*nos = NULL;
		*n = 0;
		rc = ctx_entity_with_id(st, ctx_tracker_tenant(t), name, nos, n, err);
		take_found_numbers(&l, *nos, *n);
	}
	if (rc == 0 && l.n == 0)
		rc = scan_text_mentions(t, st, ctx_span_of(text), &l, err);
	ctx_buf_release(&key);
	*nos = l.list;
	*n = l.n;
	return rc;
}

int
ctx_tracker_mentions(struct ctx_tracker *t, const struct ctx_session *s, const char *text,
    struct ctx_err *err)
{
	struct ctx_entity_use use;
	int64_t *nos = NULL;
	size_t n = 0;
	int rc = ctx_tracker_catch_up(t, s, err);

	if (rc == 0)
		rc = ctx_tracker_named(t, text, &nos, &n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = ctx_mention_use(ctx_tracker_store(t), s, nos[i], &use, err);
	free(nos);
	return rc;
}

int
ctx_entity_named(struct ctx_store *st, const char *tenant, const char *type,
    const char *name, int64_t *no, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int64_t *nos = NULL;
	size_t n = 0;
	int rc;

	ctx_fold_text(ctx_span_of(name), &key);
	rc = key.n == 0 ? 0
			: ctx_entity_find(st, tenant, type, ctx_buf_span(&key), no, err);
	ctx_buf_release(&key);
	if (rc == 0 && (rc = ctx_entity_with_id(st, tenant,
			    ctx_fold_trim(ctx_span_of(name)), &nos, &n, err)) == 0)
		rc = (int)n;
	if (n == 1)
		*no = nos[0];
	free(nos);
	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER, "no entity '%s'", name);
	if (rc > 1)
		return ctx_err_set(err, CTX_EANSWER,
		    "several entities have the name '%s' (--type selects one)", name);
	return rc < 0 ? -1 : 0;
}
