/* The entities of a session, as a model reads them. */
#include <stdlib.h>
#include <string.h>

#include "base/grapheme.h"
#include "base/mem.h"
#include "base/time.h"
#include "entity/relevance.h"
#include "enrich/internal.h"
#include "json/json.h"
#include "track/load.h"

/* The most relevant ones are among the most recent and the most often mentioned: so many
 * of either are looked at, however many a session has. */
#define LOOK_AT 256
#define DETAILS_MAX 300 /* bytes */
#define SUBJECTS 3
#define RECENT_MESSAGES 64

struct listed {
	struct ctx_entity_use use;
	struct ctx_entity entity;
	struct ctx_candidate candidate;
	double relevance, salience;
	double recent;   /* of the turns that name it, … */
	size_t last_age; /* … of which this was counted last */
	bool active, chosen;
};

/* ---- choosing ---- */

static int
by_relevance(const void *pa, const void *pb)
{
	const struct listed *a = pa, *b = pb;

	if (a->active != b->active)
		return a->active ? -1 : 1;
	if (a->active && a->salience != b->salience)
		return a->salience > b->salience ? -1 : 1;
	if (a->relevance != b->relevance)
		return a->relevance > b->relevance ? -1 : 1;
	if (a->use.last_seq != b->use.last_seq)
		return a->use.last_seq > b->use.last_seq ? -1 : 1;
	return a->use.entity < b->use.entity ? -1 : a->use.entity > b->use.entity;
}

static int
by_recency(const void *pa, const void *pb)
{
	const struct listed *a = pa, *b = pb;

	if (a->chosen != b->chosen)
		return a->chosen ? -1 : 1;
	if (a->use.last_seq != b->use.last_seq)
		return a->use.last_seq > b->use.last_seq ? -1 : 1;
	return by_relevance(pa, pb);
}

static int
rate(struct ctx_enrich *e, struct listed *l, struct ctx_err *err)
{
	int64_t relations = 0;
	int rc = ctx_entity_of(e->st, l->use.entity, &l->entity, err);

	if (rc != 1)
		return rc;
	if (l->entity.no > 0 &&
	    ctx_entity_relation_count(e->st, l->entity.no, &relations, err) < 0)
		return -1;
	l->relevance = ctx_entity_relevance(ctx_span_of(l->entity.type), e->o.now,
	    l->use.last_at, (uint64_t)l->use.mentions, (uint64_t)relations);
	/* named since the user's message */
	l->active = e->messages[e->turn].seq > 0 &&
		    l->use.last_seq >= e->messages[e->turn].seq;
	return 1;
}

static int
by_entity(const void *pa, const void *pb)
{
	const struct listed *a = pa, *b = pb;

	return a->use.entity < b->use.entity ? -1 : a->use.entity > b->use.entity;
}

/* Once for each turn that names it; list is in the order of entities. */
static int
add_recency(struct ctx_enrich *e, struct listed *list, size_t n, int64_t seq, size_t age,
    struct ctx_err *err)
{
	struct ctx_mention_at *at = NULL;
	size_t n_at = 0;
	int rc = ctx_mention_get(e->st, e->session, seq, &at, &n_at, err);

	for (size_t i = 0; rc == 0 && i < n_at; i++) {
		struct listed key = {.use = {.entity = at[i].entity}};
		struct listed *l = bsearch(&key, list, n, sizeof(*list), by_entity);
		if (l == NULL || (l->recent > 0 && l->last_age == age))
			continue;
		l->recent += ctx_enrich_recency(age);
		l->last_age = age;
	}
	free(at);
	return rc;
}

static int
rate_salience(struct ctx_enrich *e, struct listed *list, size_t n, struct ctx_err *err)
{
	size_t age = 0, read = 0;

	for (size_t i = e->n_messages;
	     i-- > 0 && age < ENRICH_RECENT_TURNS && read < RECENT_MESSAGES;) {
		const struct ctx_enrich_message *m = &e->messages[i];
		if (m->slot != CTX_SLOT_HISTORY || m->seq < 1)
			continue;
		read++;
		if (add_recency(e, list, n, m->seq, age, err) < 0)
			return -1;
		age += ctx_enrich_starts_turn(e, i);
	}
	for (size_t i = 0; i < n; i++)
		list[i].salience = ctx_enrich_salience(
		    list[i].recent, e->session->last_seq, list[i].use.mentions);
	return 0;
}

/* Mark what each wish asks for, in order: of any type the most relevant, of one type the
 * most recent. */
static void
choose(const struct ctx_enrich *e, struct listed *list, size_t n)
{
	for (size_t w = 0; w < e->o.n_entities; w++) {
		const struct ctx_enrich_entities *wish = &e->o.entities[w];
		int64_t left = wish->max;
		qsort(list, n, sizeof(*list),
		    wish->type == NULL ? by_relevance : by_recency);
		for (size_t i = 0; i < n && left > 0; i++)
			if (wish->type == NULL ||
			    strcmp(list[i].entity.type, wish->type) == 0) {
				list[i].chosen = true;
				left--;
			}
	}
	qsort(list, n, sizeof(*list), by_relevance);
}

/* ---- resolving ---- */

/* Ask for those that nothing is known of. */
static void
resolve(struct ctx_enrich *e, struct listed *list, size_t n)
{
	struct ctx_resolver_options o = {.exec = {.command = e->o.resolve,
					     .timeout_ms = e->o.exec_timeout_ms,
					     .last = e->o.last,
					     .arg = e->o.last_arg},
	    .tenant = e->tenant,
	    .now = e->o.now,
	    .ttl_ms = e->o.resolve_ttl_ms};
	struct ctx_candidate *ask = ctx_mem_new(n * sizeof(*ask));
	struct ctx_err err = CTX_ERR_INIT;
	size_t n_ask = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i].chosen && !ctx_entity_known(&list[i].entity, e->o.now))
			ask[n_ask++] = (struct ctx_candidate){
			    .type = list[i].entity.type, .name = list[i].entity.name};
	if (e->resolver == NULL)
		e->resolver = ctx_resolver_new(e->st, &o);
	if (ctx_resolver_ask(e->resolver, e->session->no, ask, n_ask, &err) < 0)
		ctx_enrich_warn(e, &err);
	n_ask = 0;
	for (size_t i = 0; i < n; i++)
		if (list[i].chosen && !ctx_entity_known(&list[i].entity, e->o.now))
			list[i].candidate = ask[n_ask++];
	free(ask);
}

/* ---- describing ---- */

/* Text of others on one line. */
static void
put_plain(struct ctx_buf *b, struct ctx_span s)
{
	for (size_t i = 0; i < s.n; i++)
		ctx_buf_addc(
		    b, (unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f ? ' ' : s.p[i]);
}

/* A value in few words: of an object the member that people read. */
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
		put_plain(b, ctx_json_text(v, &tmp));
	else if (ctx_json_type(v) == CTX_JSON_NUMBER || ctx_json_type(v) == CTX_JSON_BOOL)
		ctx_buf_addspan(b, v);
	else
		put = false;
	ctx_buf_release(&tmp);
	return put;
}

/* To so many bytes from the start. */
static void
cut(struct ctx_buf *b, size_t start, size_t max)
{
	if (b->n - start <= max)
		return;
	b->n = start + ctx_grapheme_before(b->p + start, b->n - start, max);
	ctx_buf_adds(b, "…");
}

static void
put_details(struct ctx_buf *b, struct ctx_span data)
{
	size_t start = b->n;
	struct ctx_buf key = CTX_BUF_INIT;
	struct ctx_json_iter it;
	const char *lead = "  Details: ";

	if (ctx_json_type(data) != CTX_JSON_OBJECT) {
		ctx_buf_adds(b, lead);
		if (put_value(b, data)) {
			cut(b, start, DETAILS_MAX);
			ctx_buf_addc(b, '\n');
		} else {
			b->p[b->n = start] = '\0';
		}
		return;
	}
	ctx_json_iter_init(&it, data);
	while (ctx_json_iter_next(&it) && b->n - start < DETAILS_MAX) {
		size_t before = b->n;
		ctx_buf_adds(b, lead);
		put_plain(b, ctx_json_text(it.key, &key));
		ctx_buf_adds(b, ": ");
		if (put_value(b, it.value) && b->n - start <= DETAILS_MAX + 100)
			lead = ", ";
		else
			b->p[b->n = before] = '\0';
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
put_relation(void *arg, struct ctx_span type, int64_t other, struct ctx_err *err)
{
	struct relations *r = arg;
	struct ctx_entity e;
	int rc;

	if (r->n >= 10)
		return 0;
	ctx_entity_init(&e);
	rc = ctx_entity_get(r->e->st, other, &e, err);
	if (rc == 1) {
		ctx_buf_adds(r->b, r->n++ == 0 ? "  Related: " : ", ");
		put_plain(r->b, type);
		ctx_buf_adds(r->b, ": ");
		put_plain(r->b, ctx_span_of(e.name));
	}
	ctx_entity_release(&e);
	return rc < 0 ? -1 : 0;
}

static int
put_relations(struct ctx_enrich *e, struct ctx_buf *b, const struct ctx_entity *entity,
    struct ctx_span resolved, struct ctx_err *err)
{
	struct relations r = {e, b, 0};
	struct ctx_json_iter it;

	if (entity->no > 0 &&
	    ctx_entity_relations(e->st, entity->no, put_relation, &r, err) < 0)
		return -1;
	ctx_json_iter_init(&it, ctx_json_get(resolved, "relations"));
	while (r.n < 10 && ctx_json_iter_next(&it)) {
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

/* The member of what the resolver says, where it is a text, or what is known without; owned. */
static char *
resolved_or(const struct listed *l, const char *member, const char *known)
{
	struct ctx_span v = ctx_json_get(ctx_buf_span(&l->candidate.record), member);
	struct ctx_buf text = CTX_BUF_INIT, tmp = CTX_BUF_INIT;

	if (ctx_json_type(v) == CTX_JSON_STRING)
		put_plain(&text, ctx_span_trim(ctx_json_text(v, &tmp)));
	cut(&text, 0, CTX_ENTITY_NAME_MAX);
	if (text.n == 0)
		ctx_buf_adds(&text, known);
	ctx_buf_release(&tmp);
	return ctx_buf_detach(&text);
}

/* One entity: type and name, id, how often and when last named, what is known of it. */
static int
describe(struct ctx_enrich *e, const struct listed *l, const struct enrich_part *part,
    struct ctx_err *err)
{
	struct ctx_buf *b = &e->entities;
	struct ctx_span resolved = ctx_buf_span(&l->candidate.record), v;
	char at[CTX_TIME_LEN + 1];
	bool holds;

	ctx_buf_adds(b, "- ");
	put_plain(b, ctx_span_of(part->type));
	ctx_buf_adds(b, ": ");
	put_plain(b, ctx_span_of(part->name));
	ctx_buf_addc(b, '\n');
	v = l->entity.id_json != NULL ? ctx_span_of(l->entity.id_json)
				      : ctx_json_get(resolved, "id");
	if (v.p != NULL && ctx_json_type(v) != CTX_JSON_NULL) {
		ctx_buf_adds(b, "  ID: ");
		put_value(b, v);
		ctx_buf_addc(b, '\n');
	}
	ctx_time_format(l->use.last_at, at);
	ctx_buf_addf(b, "  Mentioned %lld time%s\n  Last mentioned: %s\n",
	    (long long)l->use.mentions, l->use.mentions == 1 ? "" : "s", at);
	if (strcmp(part->name, l->entity.name) != 0) {
		ctx_buf_adds(b, "  Mentioned as: ");
		put_plain(b, ctx_span_of(l->entity.name));
		ctx_buf_addc(b, '\n');
	}
	if (l->entity.action != NULL) {
		ctx_buf_adds(b, "  Action: ");
		put_plain(b, ctx_span_of(l->entity.action));
		ctx_buf_addc(b, '\n');
	}
	holds = l->entity.data_json != NULL && ctx_entity_known(&l->entity, e->o.now);
	put_details(
	    b, holds ? ctx_span_of(l->entity.data_json) : ctx_json_get(resolved, "data"));
	return put_relations(e, b, &l->entity, resolved, err);
}

/* For the topic: what is named now and was named before. */
static void
note_subjects(struct ctx_enrich *e, const struct listed *list, size_t n)
{
	for (size_t i = 0; i < n && e->n_subjects < SUBJECTS; i++)
		if (list[i].chosen && list[i].active && list[i].use.mentions > 1) {
			struct ctx_buf name = CTX_BUF_INIT;
			put_plain(&name, ctx_span_of(list[i].entity.name));
			CTX_MEM_GROW(e->subjects, e->n_subjects, e->cap_subjects);
			e->subjects[e->n_subjects++] = (struct enrich_subject){
			    ctx_buf_detach(&name), list[i].salience};
		}
}

static int
describe_chosen(
    struct ctx_enrich *e, const struct listed *list, size_t n, struct ctx_err *err)
{
	struct enrich_part *part;
	bool others = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		others |= !list[i].chosen;
		if (!list[i].chosen)
			continue;
		CTX_MEM_GROW(e->parts, e->n_parts, e->cap_parts);
		part = &e->parts[e->n_parts];
		part->type = resolved_or(&list[i], "type", list[i].entity.type);
		part->name = resolved_or(&list[i], "name", list[i].entity.name);
		rc = describe(e, &list[i], part, err);
		part->end = e->entities.n;
		e->n_parts++;
	}
	if (others)
		ctx_enrich_pass(e, false,
		    ctx_span_of("other entities, less relevant than those that are "
				"asked for (--entities)"));
	note_subjects(e, list, n);
	return rc;
}

/* ---- */

static void
tracker_warn(void *arg, const char *text)
{
	struct ctx_enrich *e = arg;

	if (e->o.warn != NULL)
		e->o.warn(e->o.warn_arg, text);
}

/* A tracker with the names of the session's tenant, and the session up to date. */
static int
catch_up(struct ctx_enrich *e, struct ctx_err *err)
{
	const char *tenant = ctx_enrich_tenant(e);

	if (e->tenant == NULL || strcmp(e->tenant, tenant) != 0) {
		ctx_tracker_free(e->tracker);
		ctx_resolver_free(e->resolver);
		free(e->tenant);
		e->tracker = NULL;
		e->resolver = NULL;
		e->tenant = ctx_mem_str(tenant);
	}
	if (e->tracker == NULL &&
	    ctx_tracker_open(&e->tracker, e->st, tenant, tracker_warn, e, err) < 0)
		return -1;
	return ctx_tracker_catch_up(e->tracker, e->session, err);
}

int
ctx_enrich_find_entities(struct ctx_enrich *e, struct ctx_err *err)
{
	struct ctx_entity_use *uses = NULL;
	struct listed *list;
	size_t n_uses = 0, n = 0;
	int64_t look_at = LOOK_AT;
	int rc;

	if (e->o.n_entities == 0)
		return 0;
	for (size_t i = 0; i < e->o.n_entities; i++)
		if (e->o.entities[i].type != NULL)
			look_at = -1; /* one of a rare type may be long ago */
	rc = catch_up(e, err);
	if (rc == 0)
		rc = ctx_mention_uses(e->st, e->session, look_at, &uses, &n_uses, err);
	list = ctx_mem_new(n_uses * sizeof(*list));
	for (size_t i = 0; rc >= 0 && i < n_uses; i++) {
		list[n].use = uses[i];
		ctx_entity_init(&list[n].entity);
		rc = rate(e, &list[n], err);
		n += rc == 1;
	}
	if (rc >= 0 && n > 0)
		rc = rate_salience(e, list, n, err);
	if (rc >= 0 && n > 0) {
		choose(e, list, n);
		if (e->o.resolve != NULL)
			resolve(e, list, n);
		rc = describe_chosen(e, list, n, err);
	}
	for (size_t i = 0; i < n; i++) {
		ctx_entity_release(&list[i].entity);
		ctx_buf_release(&list[i].candidate.record);
	}
	free(list);
	free(uses);
	return rc < 0 ? -1 : 0;
}
