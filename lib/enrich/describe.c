/* Describes an entity for the model. */
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "enrich/listed.h"
#include "entity/load.h"
#include "json/json.h"

#define DETAILS_MAX 300 /* bytes */

void
ctx_enrich_put_plain(struct ctx_buf *b, struct ctx_span s)
{
	for (size_t i = 0; i < s.n; i++)
		ctx_buf_addc(
		    b, (unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f ? ' ' : s.p[i]);
}

/* Appends a short form of a value; for an object, the member that is meant for people. */
static bool
put_value(struct ctx_buf *b, struct ctx_span v)
{
	static const char *const words[] = {"display", "label", "name", "value"};
	struct ctx_buf tmp = CTX_BUF_INIT;
	bool put = true;

	for (size_t i = 0; ctx_json_type(v) == CTX_JSON_OBJECT && i < 4; i++) {
		struct ctx_span inner = ctx_json_get(v, words[i]);
		if (ctx_json_type(inner) == CTX_JSON_STRING)
			v = inner;
	}
	if (ctx_json_type(v) == CTX_JSON_STRING)
		ctx_enrich_put_plain(b, ctx_json_text(v, &tmp));
	else if (ctx_json_type(v) == CTX_JSON_NUMBER || ctx_json_type(v) == CTX_JSON_BOOL)
		ctx_buf_addspan(b, v);
	else
		put = false;
	ctx_buf_release(&tmp);
	return put;
}

/* Cuts the text after start to max bytes. */
static void
cut_description(struct ctx_buf *b, size_t start, size_t max)
{
	if (b->n - start <= max)
		return;
	b->n = start + ctx_grapheme_before(b->p + start, b->n - start, max);
	ctx_buf_adds(b, "…");
}

/* Returns true if the value is a string that equals the entity's name or id, which the
 * list shows already. A number with the same digits may mean something else. */
static bool
is_shown(struct ctx_span value, struct ctx_span id, const char *name)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	bool shown = ctx_json_type(value) == CTX_JSON_STRING &&
		     (ctx_span_eq(value, id) ||
			 ctx_span_is(ctx_json_text(value, &tmp), name));

	ctx_buf_release(&tmp);
	return shown;
}

static void
put_details(struct ctx_buf *b, struct ctx_span data, struct ctx_span id, const char *name)
{
	size_t start = b->n;
	struct ctx_buf key = CTX_BUF_INIT;
	const char *lead = "  Details: ";

	if (ctx_json_type(data) != CTX_JSON_OBJECT) {
		ctx_buf_adds(b, lead);
		if (put_value(b, data)) {
			cut_description(b, start, DETAILS_MAX);
			ctx_buf_addc(b, '\n');
		} else {
			ctx_buf_cut(b, start);
		}
		return;
	}
	CTX_JSON_EACH_WHILE(b->n - start < DETAILS_MAX, it, data) {
		size_t before = b->n;
		if (is_shown(it.value, id, name))
			continue;
		ctx_buf_adds(b, lead);
		ctx_enrich_put_plain(b, ctx_json_text(it.key, &key));
		ctx_buf_adds(b, ": ");
		if (put_value(b, it.value) && b->n - start <= DETAILS_MAX + 100)
			lead = ", ";
		else
			ctx_buf_cut(b, before);
	}
	if (b->n > start)
		ctx_buf_addc(b, '\n');
	ctx_buf_release(&key);
}

struct relations {
	struct ctx_enrich *e;
	struct ctx_buf *b;
	size_t n;
};

static int
put_related_entity(void *arg, struct ctx_span type, int64_t other, struct ctx_err *err)
{
	struct relations *r = arg;
	struct ctx_entity e = CTX_ENTITY_INIT;
	int rc;

	if (r->n >= 10)
		return 0;
	rc = ctx_entity_get(r->e->st, other, &e, err);
	if (rc == 1) {
		ctx_buf_adds(r->b, r->n++ == 0 ? "  Related: " : ", ");
		ctx_enrich_put_plain(r->b, type);
		ctx_buf_adds(r->b, ": ");
		ctx_enrich_put_plain(r->b, ctx_span_of(e.name));
	}
	ctx_entity_release(&e);
	return rc < 0 ? -1 : 0;
}

static int
put_relations(struct ctx_enrich *e, struct ctx_buf *b, const struct ctx_entity *entity,
    struct ctx_span resolved, struct ctx_err *err)
{
	struct relations r = {e, b, 0};

	if (entity->no > 0 &&
	    ctx_entity_relations(e->st, entity->no, put_related_entity, &r, err) < 0)
		return -1;
	CTX_JSON_EACH_WHILE(r.n < 10, it, ctx_json_get(resolved, "relations")) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		struct ctx_span target = ctx_json_get(it.value, "target");
		if (type.p == NULL || target.p == NULL)
			continue;
		ctx_buf_adds(b, r.n++ == 0 ? "  Related: " : ", ");
		put_value(b, type);
		ctx_buf_adds(b, ": ");
		put_value(b, target);
	}
	if (r.n > 0)
		ctx_buf_addc(b, '\n');
	return 0;
}

char *
ctx_enrich_resolved_or(
    const struct enrich_listed *l, const char *member, const char *known)
{
	struct ctx_span v = ctx_json_get(ctx_buf_span(&l->candidate.record), member);
	struct ctx_buf text = CTX_BUF_INIT, tmp = CTX_BUF_INIT;

	if (ctx_json_type(v) == CTX_JSON_STRING)
		ctx_enrich_put_plain(&text, ctx_span_trim(ctx_json_text(v, &tmp)));
	cut_description(&text, 0, CTX_ENTITY_NAME_MAX);
	if (text.n == 0)
		ctx_buf_adds(&text, known);
	ctx_buf_release(&tmp);
	return ctx_buf_detach(&text);
}

static void
put_line(struct ctx_buf *b, const char *label, const char *text)
{
	ctx_buf_adds(b, label);
	ctx_enrich_put_plain(b, ctx_span_of(text));
	ctx_buf_addc(b, '\n');
}

int
ctx_enrich_describe(struct ctx_enrich *e, const struct enrich_listed *l,
    const struct enrich_part *part, struct ctx_err *err)
{
	struct ctx_buf *b = &e->entities;
	struct ctx_span resolved = ctx_buf_span(&l->candidate.record), id, data;
	const char *action;
	char at[CTX_TIME_LEN + 1];
	bool holds;

	ctx_buf_adds(b, "- ");
	ctx_enrich_put_plain(b, ctx_span_of(part->type));
	put_line(b, ": ", part->name);
	id = l->entity.id_json != NULL ? ctx_span_of(l->entity.id_json)
				       : ctx_json_get(resolved, "id");
	if (id.p != NULL && ctx_json_type(id) != CTX_JSON_NULL) {
		ctx_buf_adds(b, "  ID: ");
		put_value(b, id);
		ctx_buf_addc(b, '\n');
	}
	ctx_time_format(l->use.last_at, at);
	if (l->use.mentions > 0)
		ctx_buf_addf(b, "  Mentioned %lld time%s\n  Last mentioned: %s\n",
		    (long long)l->use.mentions, l->use.mentions == 1 ? "" : "s", at);
	if (strcmp(part->name, l->entity.name) != 0)
		put_line(b, "  Mentioned as: ", l->entity.name);
	action = *l->use.action ? l->use.action : l->entity.action;
	if (action != NULL)
		put_line(b, "  Action: ", action);
	holds = l->entity.data_json != NULL && ctx_entity_known(&l->entity, e->o.now);
	data = holds ? ctx_span_of(l->entity.data_json) : ctx_json_get(resolved, "data");
	put_details(b, data, id, part->name);
	return put_relations(e, b, &l->entity, resolved, err);
}

static bool
is_kept_addition(struct ctx_span v)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_message m = CTX_MESSAGE_INIT;
	bool is = ctx_json_type(v) == CTX_JSON_OBJECT &&
		  ctx_json_type(ctx_json_get(v, "source")) == CTX_JSON_OBJECT &&
		  ctx_message_parse(&m, ctx_json_get(v, "message"), &ignored) == 0;

	ctx_message_release(&m);
	return is;
}

bool
ctx_enrich_is_result(struct ctx_span value)
{
	struct ctx_span mode = ctx_json_get(value, "mode");
	int64_t room;

	if (ctx_json_type(value) != CTX_JSON_OBJECT ||
	    (mode.p != NULL && ctx_json_type(mode) != CTX_JSON_STRING) ||
	    !ctx_json_int(ctx_json_get(value, "room"), &room) || room < -1 ||
	    room > CTX_RECORD_TOKENS_MAX ||
	    ctx_json_type(ctx_json_get(value, "additions")) != CTX_JSON_ARRAY ||
	    ctx_json_type(ctx_json_get(value, "passed")) != CTX_JSON_ARRAY)
		return false;
	CTX_JSON_EACH(it, ctx_json_get(value, "additions"))
		if (!is_kept_addition(it.value))
			return false;
	return true;
}
