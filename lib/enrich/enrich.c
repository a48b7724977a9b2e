#include "enrich/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "enrich/arrange.h"
#include "json/json.h"
#include "record/message.h"
#include "store/derived.h"

/* How long the additions of a turn are reused unchanged, in ms. */
#define FROZEN_TTL ((int64_t)24 * 3600 * 1000)

struct ctx_enrich *
ctx_enrich_new(struct ctx_store *st, const struct ctx_enrich_options *o)
{
	struct ctx_enrich *e = ctx_mem_new(sizeof(*e));
	struct ctx_exec_options exec = {.command = o->embed,
	    .timeout_ms = o->exec_timeout_ms,
	    .last = o->last,
	    .arg = o->last_arg};

	e->st = st;
	e->o = *o;
	if (o->embed != NULL && st != NULL)
		e->embedder = ctx_embedder_new(st, &exec, o->now);
	return e;
}

static void
reset_enrich_result(struct ctx_enrich *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->list[i].source);
		free(e->list[i].message);
	}
	e->n = 0;
	for (size_t i = 0; i < e->n_passed; i++)
		free(e->passed[i].what);
	e->n_passed = 0;
	e->cached = e->lacking = false;
	free(e->mode);
	e->mode = NULL;
	ctx_buf_reset(&e->query);
	ctx_buf_reset(&e->failed);
	for (size_t i = 0; i < e->n_subjects; i++)
		free(e->subjects[i].text);
	e->n_subjects = 0;
	for (size_t i = 0; i < e->n_parts; i++) {
		free(e->parts[i].type);
		free(e->parts[i].name);
	}
	e->n_parts = 0;
	ctx_buf_reset(&e->entities);
	ctx_definition_free(e->defs, e->n_defs);
	ctx_session_item_free(e->items, e->n_items);
	e->defs = NULL;
	e->items = NULL;
	e->n_defs = e->n_items = 0;
}

void
ctx_enrich_free(struct ctx_enrich *e)
{
	if (e == NULL)
		return;
	reset_enrich_result(e);
	free(e->list);
	free(e->passed);
	ctx_buf_release(&e->query);
	ctx_buf_release(&e->failed);
	free(e->subjects);
	ctx_buf_release(&e->entities);
	free(e->parts);
	ctx_tracker_free(e->tracker);
	ctx_resolver_free(e->resolver);
	ctx_embedder_free(e->embedder);
	free(e->tenant);
	free(e);
}

void
ctx_enrich_warn(struct ctx_enrich *e, const struct ctx_err *err)
{
	e->lacking = true;
	if (e->o.warn != NULL)
		e->o.warn(e->o.warn_arg, err->msg);
}

void
ctx_enrich_embed_failed(struct ctx_enrich *e, const struct ctx_err *err)
{
	e->embed_failed = true;
	ctx_enrich_warn(e, err);
}

const char *
ctx_enrich_tenant(const struct ctx_enrich *e)
{
	return e->session == NULL || e->session->tenant_id == NULL
		   ? ""
		   : e->session->tenant_id;
}

/* ---- additions ---- */

void
ctx_enrich_put_source(struct ctx_buf *b, const struct enrich_source *s)
{
	ctx_json_print(b, "{'type':%s,'name':%s,'server_name':%s,'include_mode':%s",
	    s->type, s->name, s->server_name, s->include_mode);
	if (s->score >= 0)
		ctx_json_add_double(b, "similarity_score", s->score, 4);
	ctx_json_print(b, "'reason':%s}", s->reason);
}

void
ctx_enrich_add_text(struct ctx_enrich *e, enum ctx_slot slot,
    const struct enrich_source *s, struct ctx_span text)
{
	struct ctx_buf source = CTX_BUF_INIT;

	ctx_enrich_put_source(&source, s);
	ctx_enrich_add_system(e, slot, ctx_buf_span(&source), text);
	ctx_buf_release(&source);
}

const struct ctx_addition *
ctx_enrich_additions(const struct ctx_enrich *e, size_t *n)
{
	*n = e->n;
	return e->list;
}

const struct ctx_passed *
ctx_enrich_passed(const struct ctx_enrich *e, size_t *n)
{
	*n = e->n_passed;
	return e->passed;
}

const char *
ctx_enrich_mode(const struct ctx_enrich *e)
{
	return e->mode;
}

bool
ctx_enrich_cached(const struct ctx_enrich *e)
{
	return e->cached;
}

int64_t
ctx_enrich_room(const struct ctx_enrich *e)
{
	return e->room;
}

int64_t
ctx_enrich_window_seq(const struct ctx_enrich *e)
{
	int64_t first = 0;

	for (size_t i = e->n_messages; i-- > 0;) {
		int64_t seq = e->messages[i].seq;
		if (e->messages[i].slot != CTX_SLOT_HISTORY)
			continue;
		if (seq < 1 || (first != 0 && seq != first - 1))
			break;
		first = seq;
	}
	return first;
}

/* ---- keys of the caches ---- */

static void
put_enrich_key_text(struct ctx_buf *b, const char *s)
{
	ctx_buf_adds(b, s == NULL ? "-" : s);
	ctx_buf_addc(b, '\0');
}

/* Appends the key of the turn: the options, the query and its position, which are the
 * same for all steps of the turn. */
static void
describe_turn(const struct ctx_enrich *e, struct ctx_buf *b)
{
	const struct ctx_enrich_options *o = &e->o;
	const struct ctx_enrich_message *m = &e->messages[e->turn];
	/* these additions depend on the space available */
	bool fits = o->history_tokens != 0 || o->n_entities > 0;

	ctx_buf_addf(b, "%lld %lld %lld %lld %.6f %lld ", (long long)e->session->no,
	    (long long)m->seq, (long long)o->top_k, (long long)o->top_n, o->min_score,
	    (long long)o->idle_ms);
	put_enrich_key_text(b, e->session->session_id);
	put_enrich_key_text(b, o->mode);
	put_enrich_key_text(b, o->topic);
	put_enrich_key_text(b, o->instructions);
	put_enrich_key_text(b, o->resolve);
	put_enrich_key_text(b, o->embed);
	ctx_buf_addf(b, "%lld ", (long long)o->history_tokens);
	if (fits)
		ctx_buf_addf(b, "%lld ", (long long)e->room_limit);
	put_enrich_key_text(b, fits ? ctx_tokenizer_name(o->tokenizer) : NULL);
	ctx_buf_addf(b, "%d ", o->all_entities);
	for (size_t i = 0; i < o->n_entities; i++) {
		put_enrich_key_text(b, o->entities[i].type);
		ctx_buf_addi(b, o->entities[i].max);
	}
	for (size_t i = 0; i < o->n_attachments; i++) {
		put_enrich_key_text(b, o->attachments[i].name);
		ctx_buf_addspan(b, o->attachments[i].text);
	}
	ctx_buf_addc(b, '\0');
	ctx_buf_addspan(b, m->message);
}

/* Appends everything else that the additions depend on. If any of this changes, they are
 * made again. */
static int
describe_state(const struct ctx_enrich *e, struct ctx_buf *b, struct ctx_err *err)
{
	int64_t generation, revision;

	if (ctx_entity_generation(
		e->st, ctx_enrich_tenant(e), &generation, &revision, err) < 0)
		return -1;
	ctx_buf_addf(b, "%lld %lld %lld %lld ", (long long)e->session->last_seq,
	    (long long)revision, (long long)ctx_enrich_window_seq(e), (long long)e->room);
	put_enrich_key_text(b, e->session->topic);
	put_enrich_key_text(b, e->session->agent);
	for (size_t i = 0; i < e->n_defs; i++) {
		const struct ctx_definition *d = &e->defs[i];
		ctx_buf_addf(b, "%lld %lld %d ", (long long)d->no,
		    (long long)d->updated_at, d->enabled);
		put_enrich_key_text(b, d->sha256);
		put_enrich_key_text(b, d->include);
	}
	for (size_t i = 0; i < e->n_items; i++) {
		put_enrich_key_text(b, e->items[i].type);
		put_enrich_key_text(b, e->items[i].server_name);
		put_enrich_key_text(b, e->items[i].name);
	}
	ctx_enrich_put_quotations(e, b);
	return 0;
}

/* ---- two caches: by state, and by turn ---- */

static void
save_enrich_result(const struct ctx_enrich *e, struct ctx_buf *b)
{
	ctx_json_print(b, "{'mode':%s,'room':%d,'additions':[", e->mode, e->room);
	for (size_t i = 0; i < e->n; i++)
		if (e->list[i].slot == CTX_SLOT_VOLATILE)
			ctx_json_print(b, "{'source':%j,'message':%j,'rest':%j}",
			    ctx_span_of(e->list[i].source),
			    ctx_span_of(e->list[i].message),
			    e->list[i].rest ? ctx_span_of("true") : CTX_SPAN_NONE);
	ctx_json_print(b, "],'passed':[");
	for (size_t i = 0; i < e->n_passed; i++)
		ctx_json_print(b, "{'what':%s,'crowded':%b}", e->passed[i].what,
		    e->passed[i].crowded);
	ctx_buf_adds(b, "]}");
}

/* Loads the mode and the room. load_additions then loads the additions. */
static void
load_mode(struct ctx_enrich *e, struct ctx_span value)
{
	free(e->mode);
	e->mode = ctx_json_strdup(ctx_json_get(value, "mode"));
	ctx_json_int(ctx_json_get(value, "room"), &e->room);
}

static void
load_additions(struct ctx_enrich *e, struct ctx_span value)
{
	struct ctx_buf what = CTX_BUF_INIT;

	CTX_JSON_EACH(it, ctx_json_get(value, "additions")) {
		struct ctx_span source = ctx_json_get(it.value, "source");
		if (!ctx_enrich_is_enabled(e, source))
			continue; /* the item was disabled during the turn */
		ctx_enrich_add(
		    e, CTX_SLOT_VOLATILE, source, ctx_json_get(it.value, "message"));
		e->list[e->n - 1].rest = ctx_json_get(it.value, "rest").p != NULL;
	}
	CTX_JSON_EACH(it, ctx_json_get(value, "passed"))
		ctx_enrich_pass(e, ctx_span_is(ctx_json_get(it.value, "crowded"), "true"),
		    ctx_json_text(ctx_json_get(it.value, "what"), &what));
	ctx_buf_release(&what);
}

/* Looks the result up by the state of the window, then by its turn. Returns 1 and the
 * value, 0 if neither is cached, -1 on error. A hit by turn is not counted as a miss by
 * state. */
static int
look_up_enrich_result(struct ctx_enrich *e, const char *state, const char *turn,
    struct ctx_buf *value, struct ctx_err *err)
{
	int rc = ctx_cache_peek(e->st, "enrich", state, e->o.now, value, err);
	bool of_state = rc == 1;

	/* in the middle of a turn, use the additions made for its first step */
	if (rc == 0 && e->turn + 1 < e->n_messages)
		rc = ctx_cache_get(e->st, "turn", turn, e->o.now, value, err);
	if ((rc == 0 || of_state) &&
	    ctx_cache_count(e->st, "enrich", of_state, !of_state, err) < 0)
		return -1;
	return rc;
}

/* Caches the result. An incomplete result is cached only for the other steps of its turn,
 * during which additions must not change. */
static int
cache_enrich_result(
    struct ctx_enrich *e, const char *state, const char *turn, struct ctx_err *err)
{
	struct ctx_buf value = CTX_BUF_INIT;
	int rc;

	save_enrich_result(e, &value);
	rc = ctx_derived_begin(e->st, err);
	if (rc == 0 && !e->lacking && !e->embed_failed)
		rc = ctx_cache_put(e->st, "enrich", state, e->session->no, e->o.now,
		    e->o.cache_ttl_ms, ctx_buf_span(&value), err);
	if (rc == 0)
		rc = ctx_cache_put(e->st, "turn", turn, e->session->no, e->o.now,
		    FROZEN_TTL, ctx_buf_span(&value), err);
	rc = ctx_derived_end(e->st, rc, err);
	ctx_buf_release(&value);
	return rc;
}

/* ---- making the additions ---- */

/* Makes the volatile additions. Failures are reported as warnings, because additions are
 * optional. */
static void
make_volatile(struct ctx_enrich *e)
{
	struct ctx_err err = CTX_ERR_INIT;
	size_t before;

	if (e->st != NULL)
		ctx_enrich_add_agent_items(e);
	ctx_enrich_add_attachments(e);
	before = e->n;
	if (e->st != NULL && e->session != NULL && ctx_enrich_find_entities(e, &err) < 0)
		ctx_enrich_warn(e, &err);
	ctx_enrich_add_topic(e);
	ctx_enrich_add_idle_note(e);
	ctx_enrich_add_instructions(e, e->n_parts > 0);
	ctx_enrich_add_entities(e, before);
	if (e->st != NULL && e->session != NULL &&
	    ctx_enrich_add_history(e, before, &err) < 0)
		ctx_enrich_warn(e, &err);
}

static void
make_prefix(struct ctx_enrich *e)
{
	if (e->mode == NULL)
		e->mode = ctx_enrich_choose_mode(e);
	ctx_enrich_add_prompts(e);
	ctx_enrich_add_session_items(e);
}

/* Subtracts from the room the additions that are placed before the history. */
static void
share_room(struct ctx_enrich *e)
{
	for (size_t i = 0; e->room_shared && i < e->n; i++) {
		e->room -= ctx_addition_tokens(&e->list[i], e->o.tokenizer);
		e->room = e->room > 0 ? e->room : 0;
	}
}

static void
make_all(struct ctx_enrich *e)
{
	make_prefix(e);
	share_room(e);
	if (e->turn < e->n_messages)
		make_volatile(e);
}

static void
make_cached(struct ctx_enrich *e)
{
	struct ctx_buf what = CTX_BUF_INIT, value = CTX_BUF_INIT;
	char turn[CTX_HASH_HEX + 1], state[CTX_HASH_HEX + 1];
	struct ctx_err err = CTX_ERR_INIT;
	int rc;

	describe_turn(e, &what);
	ctx_hash_sha256(what.p, what.n, turn);
	rc = describe_state(e, &what, &err);
	ctx_hash_sha256(what.p, what.n, state);
	if (rc == 0)
		rc = look_up_enrich_result(e, state, turn, &value, &err);
	if (rc == 1 && !ctx_enrich_is_result(ctx_buf_span(&value)))
		rc = 0;
	if (rc == 1) {
		load_mode(e, ctx_buf_span(&value));
		make_prefix(e);
		load_additions(e, ctx_buf_span(&value));
		e->cached = true;
	} else {
		make_all(e);
		if (rc == 0)
			rc = cache_enrich_result(e, state, turn, &err);
		if (rc < 0)
			ctx_enrich_warn(e, &err);
	}
	ctx_buf_release(&what);
	ctx_buf_release(&value);
}

static size_t
find_enrich_turn(struct ctx_enrich *e)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	size_t turn = e->n_messages;

	for (size_t i = e->n_messages; i-- > 0 && turn == e->n_messages;)
		if (e->messages[i].slot == CTX_SLOT_HISTORY &&
		    ctx_message_parse(&m, e->messages[i].message, &ignored) == 0 &&
		    ctx_message_starts_turn(&m)) {
			turn = i;
			ctx_message_text(&m, &e->query);
		}
	ctx_message_release(&m);
	return turn;
}

int
ctx_enrich_window(struct ctx_enrich *e, const struct ctx_session *session,
    const struct ctx_enrich_message *list, size_t n, const struct ctx_enrich_room *room,
    size_t *turn, struct ctx_err *err)
{
	reset_enrich_result(e);
	e->room = room->tokens;
	e->room_limit = room->limit;
	e->room_shared = room->shared && room->tokens >= 0;
	e->session = session;
	e->messages = list;
	e->n_messages = n;
	*turn = e->turn = find_enrich_turn(e);
	if (e->st != NULL &&
	    (ctx_definition_of(e->st, ctx_enrich_tenant(e),
		 session == NULL ? NULL : session->agent, &e->defs, &e->n_defs,
		 err) < 0 ||
		(session != NULL && ctx_session_item_list(e->st, session, &e->items,
					&e->n_items, err) < 0)))
		return -1;
	if (e->st == NULL || session == NULL || e->turn == n) {
		make_all(e);
	} else if (ctx_enrich_find_failed(e, room->run)) {
		make_prefix(e);
		ctx_enrich_add_failed(e);
		e->cached = true;
	} else if (e->o.cache_ttl_ms > 0) {
		make_cached(e);
	} else {
		make_all(e);
	}
	return 0;
}
