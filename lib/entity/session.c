#include "entity/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/time.h"
#include "entity/mention.h"
#include "entity/relevance.h"
#include "json/json.h"
#include "record/message.h"
#include "store/fulltext.h"
#include "store/purge.h"
#include "entity/load.h"

#define CONTEXT 60 /* bytes before and after a mention */

/* ---- entities by relevance ---- */

struct ranked {
	struct ctx_entity_use use;
	double relevance;
};

static int
compare_entity_relevance(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	return a->relevance != b->relevance ? CTX_ORDER(b->relevance, a->relevance)
	       : a->use.last_seq != b->use.last_seq
		   ? CTX_ORDER(b->use.last_seq, a->use.last_seq)
		   : CTX_ORDER(a->use.first_seq, b->use.first_seq);
}

static int
rank_session_entity(
    struct ctx_store *st, int64_t now, struct ranked *r, struct ctx_err *err)
{
	struct ctx_entity e = CTX_ENTITY_INIT;
	int64_t relations = 0;
	int rc = ctx_entity_of(st, r->use.entity, &e, err);

	if (rc == 1 && e.no > 0)
		rc = ctx_entity_relation_count(st, e.no, &relations, err) < 0 ? -1 : 1;
	if (rc == 1)
		r->relevance = ctx_entity_relevance(ctx_span_of(e.type), now,
		    r->use.last_at, (uint64_t)r->use.mentions, (uint64_t)relations);
	ctx_entity_release(&e);
	return rc < 0 ? -1 : 0;
}

int
ctx_entity_uses_ranked(struct ctx_store *st, const struct ctx_session *s, int64_t now,
    struct ctx_entity_use **out, size_t *n, struct ctx_err *err)
{
	struct ctx_entity_use *uses;
	struct ranked *list;
	int rc = ctx_mention_uses(st, s, -1, &uses, n, err);

	list = ctx_mem_new(*n * sizeof(*list));
	for (size_t i = 0; rc == 0 && i < *n; i++) {
		list[i].use = uses[i];
		rc = rank_session_entity(st, now, &list[i], err);
	}
	if (*n > 1)
		qsort(list, *n, sizeof(*list), compare_entity_relevance);
	for (size_t i = 0; i < *n; i++)
		uses[i] = list[i].use;
	free(list);
	*out = uses;
	return rc;
}

/* ---- mentions ---- */

/* Reads the text of a message or, if it is only in an archive, the text kept by the
 * full-text index. Returns 1, 0 if there is none, -1 on error. */
static int
text_there(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_buf *text, int64_t *created_at, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_cursor *c = ctx_cursor_open(st, s, seq, seq, false, err);
	struct ctx_err ignored;
	struct ctx_stored stored;
	int role, rc = ctx_cursor_next(c, &stored, err);

	if (rc == 1) {
		*created_at = stored.created_at;
		if (ctx_message_parse(&m, stored.message, &ignored) == 0)
			ctx_message_text(&m, text);
	} else if (rc == 0) {
		rc = ctx_fulltext_kept(st, s->no, seq, text, &role, created_at, err);
	}
	ctx_cursor_close(c);
	ctx_message_release(&m);
	return rc;
}

static int
read_session_text(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_buf *text, int64_t *created_at, struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = text_there(st, s, seq, text, created_at, err);

	while (rc < 0 && ctx_session_moved(st, s, &now, err))
		rc = text_there(st, &now, seq, text, created_at, err);
	ctx_session_release(&now);
	return rc;
}

static int
print_mentions_of(struct ctx_buf *b, struct ctx_store *st, const struct ctx_session *s,
    int64_t no, int64_t seq, int64_t *left, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_mention_at *list;
	int64_t created_at = CTX_TIME_NONE;
	size_t n, from, to;
	int rc = ctx_mention_get(st, s, seq, &list, &n, err);

	if (rc == 0)
		rc = read_session_text(st, s, seq, &text, &created_at, err);
	for (size_t i = 0; rc == 1 && i < n && *left != 0; i++) {
		size_t at = (size_t)list[i].offset, len = (size_t)list[i].len;
		if (list[i].entity != no || at + len > text.n)
			continue;
		ctx_mention_context(ctx_buf_span(&text), at, len, CONTEXT, &from, &to);
		ctx_json_print(b,
		    "{'seq':%d,'created_at':%m,'offset':%d,'text':%t,'context':%t}", seq,
		    created_at, list[i].offset, (struct ctx_span){text.p + at, len},
		    (struct ctx_span){text.p + from, to - from});
		--*left;
	}
	free(list);
	ctx_buf_release(&text);
	return rc < 0 ? -1 : 0;
}

int
ctx_entity_print_mentions(struct ctx_buf *b, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_entity_use *use, int64_t max,
    struct ctx_err *err)
{
	int64_t seq;
	int rc = 0;

	ctx_json_add_open(b, "mentions", '[');
	for (seq = use->first_seq; rc == 0 && seq <= use->last_seq && max != 0; seq++) {
		rc = ctx_mention_next(st, s, &seq, err);
		if (rc != 1 || seq > use->last_seq)
			break;
		rc = print_mentions_of(b, st, s, use->entity, seq, &max, err);
	}
	ctx_json_put_close(b, ']');
	return rc < 0 ? -1 : 0;
}

/* ---- candidates for resolving ---- */

static void
print_resolved(struct ctx_buf *b, const struct ctx_candidate *c)
{
	struct ctx_span record = ctx_buf_span(&c->record);

	if (record.n == 0)
		return;
	ctx_buf_adds(b, "{\"kind\":\"entity\"");
	if (ctx_json_find(record, "type").p == NULL)
		ctx_json_add_str(b, "type", c->type);
	CTX_JSON_EACH(it, record)
		if (!ctx_json_is(it.key, "kind") &&
		    ctx_json_type(it.value) != CTX_JSON_NULL)
			ctx_json_put_member(b, it.key, it.value);
	ctx_buf_adds(b, "}\n");
}

int
ctx_entity_resolve(struct ctx_buf *b, struct ctx_store *st, struct ctx_resolver *r,
    const struct ctx_session *s, const char *type, int64_t now, struct ctx_err *why,
    struct ctx_err *err)
{
	struct ctx_entity_use *uses;
	struct ctx_candidate *list;
	struct ctx_entity e = CTX_ENTITY_INIT;
	size_t n_uses, n = 0;
	int rc = ctx_mention_uses(st, s, -1, &uses, &n_uses, err);

	list = ctx_mem_new(n_uses * sizeof(*list));
	for (size_t i = 0; rc >= 0 && i < n_uses; i++) {
		rc = ctx_entity_of(st, uses[i].entity, &e, err);
		if (rc == 1 && (type == NULL || strcmp(type, e.type) == 0) &&
		    !ctx_entity_known(&e, now))
			list[n++] = (struct ctx_candidate){
			    .type = ctx_mem_str(e.type), .name = ctx_mem_str(e.name)};
	}
	if (rc >= 0)
		ctx_resolver_ask(r, s->no, list, n, why);
	for (size_t i = 0; i < n; i++) {
		if (rc >= 0)
			print_resolved(b, &list[i]);
		free((char *)list[i].type);
		free((char *)list[i].name);
		ctx_buf_release(&list[i].record);
	}
	free(list);
	free(uses);
	ctx_entity_release(&e);
	return rc < 0 ? -1 : 0;
}
