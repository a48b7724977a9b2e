#include "enrich/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "enrich/internal.h"
#include "json/json.h"

static bool
is_addition(const struct ctx_record *r)
{
	return r->sent && r->seq < 0;
}

static bool
same_member(struct ctx_span a, struct ctx_span b, const char *key)
{
	return ctx_span_eq(ctx_json_get(a, key), ctx_json_get(b, key));
}

/* Returns whether the source's name identifies it. Quoted history and attached documents
 * may have the same name several times. */
static bool
is_named_view_source(struct ctx_span source)
{
	struct ctx_span type = ctx_json_get(source, "type");

	return ctx_json_get(source, "name").p != NULL && !ctx_json_is(type, "history") &&
	       !ctx_json_is(ctx_json_get(source, "reason"), "attached");
}

/* Returns whether an earlier request of the run contains the addition, and no newer text
 * of the same item. */
static bool
is_in_view(const struct ctx_stream *in, const struct ctx_addition *a)
{
	struct ctx_span source = ctx_span_of(a->source),
			message = ctx_span_of(a->message);
	bool named = is_named_view_source(source);

	for (size_t i = in->n; i-- > 0;) {
		const struct ctx_record *r = &in->records[i];
		if (!is_addition(r))
			continue;
		if (ctx_span_eq(r->message, message))
			return true;
		if (named && same_member(source, r->source, "type") &&
		    same_member(source, r->source, "name") &&
		    same_member(source, r->source, "server_name"))
			return false;
	}
	return false;
}

/* ---- entities ---- */

/* Returns the next entity of a list: a line that begins with "- ", and the indented lines
 * after it. */
static struct ctx_span
next_entity(struct ctx_span *rest)
{
	struct ctx_span entity = CTX_SPAN_NONE, before = *rest, line;

	for (; ctx_span_split(rest, '\n', &line); before = *rest) {
		if (ctx_span_begins(line, "- ")) {
			if (entity.p != NULL) {
				*rest = before;
				break;
			}
			entity = line;
		} else if (entity.p != NULL) {
			entity.n = (size_t)(line.p + line.n - entity.p);
		}
	}
	return entity;
}

/* Returns whether the line is "  Mentioned 3 times" or "  Last mentioned: …". */
static bool
is_count(struct ctx_span line)
{
	static const char mentioned[] = "  Mentioned ";
	size_t n = sizeof(mentioned) - 1;

	return ctx_span_begins(line, "  Last mentioned: ") ||
	       (ctx_span_begins(line, mentioned) && line.n > n &&
		   ctx_is_digit(line.p[n]));
}

/* Returns the next line that is not a count; absent at the end. */
static struct ctx_span
next_fact(struct ctx_span *rest)
{
	struct ctx_span line;

	while (ctx_span_split(rest, '\n', &line))
		if (!is_count(line))
			return line;
	return CTX_SPAN_NONE;
}

/* Returns 1 if both are the same entity with the same facts, 0 if they are different
 * entities, -1 if they are the same entity with different facts. */
static int
compare_entities(struct ctx_span a, struct ctx_span b)
{
	struct ctx_span x = next_fact(&a), y = next_fact(&b);

	if (!ctx_span_eq(x, y))
		return 0;
	while (x.p != NULL && y.p != NULL && ctx_span_eq(x, y)) {
		x = next_fact(&a);
		y = next_fact(&b);
	}
	return x.p == NULL && y.p == NULL ? 1 : -1;
}

static bool
entity_in_view(const struct ctx_stream *in, struct ctx_span entity)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int found = 0;

	for (size_t i = in->n; i-- > 0 && found == 0;) {
		const struct ctx_record *r = &in->records[i];
		struct ctx_span rest, old;
		if (!is_addition(r) || !ctx_json_has_type(r->source, "entity"))
			continue;
		rest = ctx_json_text(ctx_json_get(r->message, "content"), &text);
		while (found == 0 && (old = next_entity(&rest)).p != NULL)
			found = compare_entities(old, entity);
	}
	ctx_buf_release(&text);
	return found == 1;
}

static char *
keep_text(struct ctx_view *v, struct ctx_buf *b)
{
	CTX_MEM_GROW(v->own, v->n_own, v->cap_own);
	return v->own[v->n_own++] = ctx_buf_detach(b);
}

/* The new part of a list of entities, built from texts and names. */
struct entities {
	struct ctx_buf text, names;
	size_t n;
};

static void
collect_new(struct entities *out, const struct ctx_stream *in, struct ctx_span content,
    struct ctx_span names)
{
	struct ctx_span rest = content, entity, head = CTX_SPAN_NONE;
	struct ctx_json_iter it = ctx_json_iter_of(names);

	ctx_span_split(&rest, '\n', &head);
	ctx_buf_addspan(&out->text, head);
	rest = content;
	while ((entity = next_entity(&rest)).p != NULL) {
		bool named = ctx_json_iter_next(&it);
		if (entity_in_view(in, entity))
			continue;
		ctx_buf_addc(&out->text, '\n');
		ctx_buf_addspan(&out->text, ctx_span_trim(entity));
		if (named)
			ctx_json_put_raw(&out->names, it.value);
		out->n++;
	}
}

/* Reduces the addition to entities that are new or have changed. Returns their number. If
 * it is 0, *room is set: there may be space for the entities that did not fit. */
static size_t
reduce_entities(
    struct ctx_view *v, struct ctx_addition *a, const struct ctx_stream *in, bool *room)
{
	struct ctx_span source = ctx_span_of(a->source);
	struct ctx_span names = ctx_json_get(source, a->rest ? "entities" : "names");
	struct ctx_buf tmp = CTX_BUF_INIT, b = CTX_BUF_INIT;
	struct entities fresh = {.n = 0};

	collect_new(&fresh, in,
	    ctx_json_text(ctx_json_get(ctx_span_of(a->message), "content"), &tmp), names);
	if (fresh.n > 0) {
		ctx_enrich_put_message(&b, ctx_buf_span(&fresh.text));
		a->message = keep_text(v, &b);
		a->rest = a->rest && !*room;
		ctx_buf_addf(&b,
		    "{\"type\":\"entity\",\"name\":\"entities\",\"%s\":[%s]}",
		    a->rest ? "entities" : "names",
		    fresh.names.p == NULL ? "" : fresh.names.p);
		a->source = keep_text(v, &b);
	}
	ctx_buf_release(&tmp);
	ctx_buf_release(&fresh.text);
	ctx_buf_release(&fresh.names);
	*room = fresh.n == 0;
	return fresh.n;
}

/* ---- items and modes ---- */

/* Records an item that was chosen but is in view, with its score for this message. */
static void
note_in_view(struct ctx_view *v, const struct ctx_addition *a)
{
	struct ctx_span type = ctx_json_get(ctx_span_of(a->source), "type");
	char sha[CTX_HASH_HEX + 1];

	if (a->slot != CTX_SLOT_VOLATILE ||
	    !CTX_JSON_IS_ANY(type, "rule", "reference", "tool"))
		return;
	ctx_hash_sha256(a->message, strlen(a->message), sha);
	ctx_json_print(
	    &v->in_view, "{'source':%j,'sha256':%s}", ctx_span_of(a->source), sha);
}

/* Returns the mode of an addition that is a prompt module or a note; absent if it has no
 * mode. */
static struct ctx_span
get_mode(struct ctx_span source)
{
	struct ctx_span reason = ctx_json_get(source, "reason");
	bool note = ctx_json_has_type(source, "note") &&
		    ctx_json_is(ctx_json_get(source, "name"), "mode");

	return note || (ctx_json_has_type(source, "prompt") &&
			   !ctx_json_is(reason, CTX_ENRICH_EVERY_MODE))
		   ? reason
		   : CTX_SPAN_NONE;
}

/* Returns whether the newest addition with a mode (a new one, or else one in view) has
 * another mode than the message. */
static bool
mode_differs(const struct ctx_view *v, const struct ctx_stream *in)
{
	struct ctx_span mode = CTX_SPAN_NONE;

	for (size_t i = 0; i < v->n && mode.p == NULL; i++)
		mode = get_mode(ctx_span_of(v->list[i].source));
	for (size_t i = in->n; i-- > 0 && mode.p == NULL;)
		if (is_addition(&in->records[i]))
			mode = get_mode(in->records[i].source);
	return mode.p != NULL && !ctx_json_is(mode, v->mode);
}

/* Adds, before the other additions, a line that names the mode. */
static void
add_mode_note(struct ctx_view *v)
{
	struct ctx_buf text = CTX_BUF_INIT, b = CTX_BUF_INIT;
	struct ctx_addition note = {.slot = CTX_SLOT_VOLATILE};

	ctx_buf_addf(&text,
	    "The mode is %s now: instructions above for other modes do not apply.",
	    v->mode);
	ctx_enrich_put_message(&b, ctx_buf_span(&text));
	note.message = keep_text(v, &b);
	ctx_json_print(&b, "{'type':'note','name':'mode','reason':%s}", v->mode);
	note.source = keep_text(v, &b);
	memmove(v->list + 1, v->list, v->n * sizeof(*v->list));
	v->list[0] = note;
	v->n++;
	ctx_buf_release(&text);
}

void
ctx_view_make(struct ctx_view *v, const struct ctx_addition *additions, size_t n,
    const struct ctx_stream *in, const struct ctx_enriched *w)
{
	int64_t sent_seq = v->sent_seq;
	bool room = false; /* space for entities that did not fit before */

	v->list = ctx_mem_new((n + 2) * sizeof(*v->list));
	if (sent_seq >= 0 && (w->turn >= w->n || w->messages[w->turn].seq <= sent_seq))
		return;
	for (size_t i = 0; i < n; i++) {
		struct ctx_addition a = additions[i];
		if (ctx_json_has_type(ctx_span_of(a.source), "entity")) {
			if (reduce_entities(v, &a, in, &room) == 0)
				continue;
		} else if (is_in_view(in, &a)) {
			note_in_view(v, &a);
			continue;
		}
		if (sent_seq >= 0)
			a.slot = CTX_SLOT_VOLATILE;
		v->list[v->n++] = a;
	}
	if (sent_seq >= 0 && v->mode != NULL && mode_differs(v, in))
		add_mode_note(v);
}

void
ctx_view_release(struct ctx_view *v)
{
	for (size_t i = 0; i < v->n_own; i++)
		free(v->own[i]);
	free(v->own);
	free(v->list);
	ctx_buf_release(&v->in_view);
	memset(v, 0, sizeof(*v));
}
