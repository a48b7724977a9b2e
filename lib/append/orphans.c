#include "append/orphans.h"

#include "base/hash.h"
#include "json/json.h"
#include "store/waiting.h"

#define ORPHANS_TOLD 20 /* then the input is not worth the time */

/* How often a session calls and answers under an id. */
struct id_uses {
	struct ctx_span key;
	int64_t calls, results;
	struct ctx_message view;
	struct ctx_arena arena;
};

static int
count_id_uses(void *arg, const struct ctx_stored *m, struct ctx_err *err CTX_UNUSED)
{
	struct id_uses *u = arg;
	struct ctx_err ignored = CTX_ERR_INIT;

	if (ctx_message_parse(&u->view, m->message, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < u->view.n; i++) {
		const struct ctx_part *p = &u->view.parts[i];
		if ((p->type != CTX_PART_TOOL_CALL && p->type != CTX_PART_TOOL_RESULT) ||
		    ctx_json_type(p->id) != CTX_JSON_STRING ||
		    !ctx_span_eq(ctx_message_call_id(p->id, &u->arena), u->key))
			continue;
		u->calls += p->type == CTX_PART_TOOL_CALL;
		u->results += p->type == CTX_PART_TOOL_RESULT;
	}
	return 0;
}

/* Looks for a call in the last answer, then in the whole session: a result may come late. */
static int
check_orphan(struct ctx_orphans *o, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span json, struct ctx_err *err)
{
	struct ctx_calls calls = CTX_CALLS_INIT;
	struct id_uses uses = {.view = CTX_MESSAGE_INIT, .arena = CTX_ARENA_INIT};
	struct ctx_buf id = CTX_BUF_INIT;
	bool waits;
	int rc;

	ctx_json_decode(json, &id);
	rc = ctx_store_calls(st, s, &calls, err);
	waits = rc == 0 && ctx_calls_find(&calls, ctx_buf_span(&id)) != NULL;
	uses.key = ctx_message_call_id(json, &uses.arena);
	if (rc == 0 && !waits && s->last_seq > 0)
		rc = ctx_store_messages(st, s, 1, s->last_seq, count_id_uses, &uses, err);
	if (rc == 0 && !waits && uses.calls <= uses.results) {
		o->found++;
		o->fn(s->session_id, id.p, uses.calls > 0);
	}
	ctx_calls_release(&calls);
	ctx_message_release(&uses.view);
	ctx_arena_release(&uses.arena);
	ctx_buf_release(&id);
	return rc < 0 ? -1 : 0;
}

int
ctx_orphans_see(struct ctx_orphans *o, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_message *view, struct ctx_err *err)
{
	struct ctx_arena arena = CTX_ARENA_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < view->n && o->found < ORPHANS_TOLD; i++) {
		const struct ctx_part *p = &view->parts[i];
		struct ctx_span key;
		uint64_t hash;
		if ((p->type != CTX_PART_TOOL_CALL && p->type != CTX_PART_TOOL_RESULT) ||
		    ctx_json_type(p->id) != CTX_JSON_STRING || p->id.n <= 2)
			continue;
		key = ctx_message_call_id(p->id, &arena);
		hash = ctx_hash_bytes((uint64_t)s->no, key.p, key.n);
		if (p->type == CTX_PART_TOOL_CALL)
			*ctx_map_at(&o->calls, hash, NULL, NULL) = 1;
		else if (ctx_map_get(&o->calls, hash, NULL, NULL) == 0)
			rc = check_orphan(o, st, s, p->id, err);
	}
	ctx_arena_release(&arena);
	return rc;
}

void
ctx_orphans_release(struct ctx_orphans *o)
{
	ctx_map_release(&o->calls);
}
