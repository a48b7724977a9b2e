#include <string.h>

#include "base/time.h"
#include "entity/alias.h"
#include "entity/relevance.h"
#include "json/json.h"
#include "entity/load.h"

int
ctx_entity_of(struct ctx_store *st, int64_t no, struct ctx_entity *e, struct ctx_err *err)
{
	int rc;

	if (no > 0)
		return ctx_entity_get(st, no, e, err);
	ctx_entity_release(e);
	rc = ctx_seen_get(st, no, &e->type, &e->name, err);
	e->no = no;
	return rc;
}

struct print {
	struct ctx_buf *b;
	struct ctx_store *st;
};

static int
put_alias(void *arg, struct ctx_span text, int64_t other CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct print *p = arg;

	ctx_json_put_string(p->b, text);
	return 0;
}

static void
put_generated(void *arg, struct ctx_span alias, enum ctx_made where CTX_UNUSED)
{
	struct print *p = arg;

	ctx_json_put_string(p->b, alias);
}

static int
put_entity_relation(void *arg, struct ctx_span type, int64_t other, struct ctx_err *err)
{
	struct print *p = arg;
	struct ctx_entity e = CTX_ENTITY_INIT;
	int rc = ctx_entity_get(p->st, other, &e, err);

	if (rc == 1)
		ctx_json_print(p->b, "{'type':%t,'target':%s,'target_type':%s}", type,
		    e.name, e.type);
	ctx_entity_release(&e);
	return rc < 0 ? -1 : 0;
}

/* Ends the member with an array that begins at byte before; removes it if the array is
 * empty. */
static void
end_array(struct ctx_buf *b, size_t before)
{
	if (b->p[b->n - 1] == '[')
		ctx_buf_cut(b, before);
	else
		ctx_json_put_close(b, ']');
}

/* Appends a member with an array, unless the array is empty. */
static int
put_entity_array(struct ctx_buf *b, struct ctx_store *st, int64_t no, const char *key,
    int (*each)(struct ctx_store *st, int64_t no, ctx_entity_fn *fn, void *arg,
	struct ctx_err *err),
    ctx_entity_fn *fn, struct ctx_err *err)
{
	struct print p = {b, st};
	size_t before = b->n;

	ctx_json_add_open(b, key, '[');
	if (each(st, no, fn, &p, err) < 0)
		return -1;
	end_array(b, before);
	return 0;
}

static int
put_entity_parent(struct ctx_buf *b, struct ctx_store *st, const struct ctx_entity *e,
    struct ctx_err *err)
{
	struct ctx_entity parent = CTX_ENTITY_INIT;
	int rc;

	if (e->parent_no == 0)
		return 0;
	rc = ctx_entity_get(st, e->parent_no, &parent, err);
	if (rc == 1)
		ctx_json_print(
		    b, "'parent':%s,'parent_type':%s", parent.name, parent.type);
	ctx_entity_release(&parent);
	return rc < 0 ? -1 : 0;
}

static int
put_known(struct ctx_buf *b, struct ctx_store *st, const struct ctx_entity *e,
    struct ctx_err *err)
{
	struct print p = {b, st};
	size_t before = b->n;

	ctx_json_add_open(b, "generated_aliases", '[');
	ctx_alias_generate(ctx_span_of(e->name), ctx_span_of(e->type), put_generated, &p);
	end_array(b, before);
	if (put_entity_array(
		b, st, e->no, "aliases", ctx_entity_aliases, put_alias, err) < 0 ||
	    put_entity_array(b, st, e->no, "relations", ctx_entity_relations,
		put_entity_relation, err) < 0 ||
	    put_entity_parent(b, st, e, err) < 0)
		return -1;
	return put_entity_array(
	    b, st, e->no, "children", ctx_entity_children, put_alias, err);
}

int
ctx_entity_print(struct ctx_buf *b, struct ctx_store *st, const struct ctx_entity *e,
    const char *session_id, const struct ctx_entity_use *use, int64_t now,
    struct ctx_err *err)
{
	int64_t relations = 0;

	ctx_json_print(b,
	    "{'kind':'entity','session_id':%s,'type':%s,'name':%s,'id':%j,'slug':%s",
	    session_id, e->type, e->name, ctx_span_of(e->id_json), e->slug);
	if (e->no > 0 && (put_known(b, st, e, err) < 0 ||
			     ctx_entity_relation_count(st, e->no, &relations, err) < 0))
		return -1;
	ctx_json_add_str(
	    b, "action", use != NULL && *use->action ? use->action : e->action);
	if (use != NULL) {
		ctx_json_print(b,
		    "'action_at':%m,'first_mentioned_at':%m,'last_mentioned_at':%m,"
		    "'first_seq':%d,'last_seq':%d,'mention_count':%d",
		    *use->action ? use->action_at : CTX_TIME_NONE, use->first_at,
		    use->last_at, use->first_seq, use->last_seq, use->mentions);
		ctx_json_add_double(b, "relevance",
		    ctx_entity_relevance(ctx_span_of(e->type), now, use->last_at,
			(uint64_t)use->mentions, (uint64_t)relations),
		    4);
	}
	ctx_json_print(b, "'data':%j,'data_expires_at':%m}\n", ctx_span_of(e->data_json),
	    e->data_expires_at);
	return 0;
}
