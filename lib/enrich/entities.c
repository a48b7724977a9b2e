/* Selects and rates the entities of a session. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compare.h"
#include "base/mem.h"
#include "entity/relevance.h"
#include "enrich/listed.h"
#include "json/json.h"
#include "record/message.h"
#include "entity/load.h"

/* The most relevant entities are among the most recent and the most often mentioned ones,
 * so only this many of each are examined. */
#define LOOK_AT 256
#define SUBJECTS 3
#define RECENT_MESSAGES 64

/* ---- choosing ---- */

/* Returns whether a message of the window contains the name, ignoring the case of ASCII
 * letters. */
static bool
is_in_window(const struct ctx_enrich *e, struct ctx_span name)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	bool found = false;

	for (size_t i = 0; i < e->n_messages && !found; i++) {
		ctx_buf_reset(&text);
		if (ctx_message_parse(&m, e->messages[i].message, &ignored) < 0)
			continue;
		ctx_message_text(&m, &text);
		for (size_t k = 0; k + name.n <= text.n && !found; k++)
			found = strncasecmp(text.p + k, name.p, name.n) == 0;
	}
	ctx_buf_release(&text);
	ctx_message_release(&m);
	return found;
}

static int
compare_listed_relevance(const void *pa, const void *pb)
{
	const struct enrich_listed *a = pa, *b = pb;

	return a->active != b->active ? CTX_ORDER(b->active, a->active)
	       : a->active && a->salience != b->salience
		   ? CTX_ORDER(b->salience, a->salience)
	       : a->relevance != b->relevance ? CTX_ORDER(b->relevance, a->relevance)
	       : a->use.last_seq != b->use.last_seq
		   ? CTX_ORDER(b->use.last_seq, a->use.last_seq)
		   : CTX_ORDER(a->use.entity, b->use.entity);
}

static int
by_recency(const void *pa, const void *pb)
{
	const struct enrich_listed *a = pa, *b = pb;

	return a->chosen != b->chosen ? CTX_ORDER(b->chosen, a->chosen)
	       : a->use.last_seq != b->use.last_seq
		   ? CTX_ORDER(b->use.last_seq, a->use.last_seq)
		   : compare_listed_relevance(pa, pb);
}

static int
rate_listed_entity(struct ctx_enrich *e, struct enrich_listed *l, struct ctx_err *err)
{
	int rc = ctx_entity_of(e->st, l->use.entity, &l->entity, err);

	if (rc != 1)
		return rc;
	if (l->entity.no > 0 &&
	    ctx_entity_relation_count(e->st, l->entity.no, &l->relations, err) < 0)
		return -1;
	l->relevance = ctx_entity_relevance(ctx_span_of(l->entity.type), e->o.now,
	    l->use.last_at, (uint64_t)l->use.mentions, (uint64_t)l->relations);
	/* mentioned since the current turn began */
	l->active = e->messages[e->turn].seq > 0 &&
		    l->use.last_seq >= e->messages[e->turn].seq;
	return 1;
}

static int
by_entity(const void *pa, const void *pb)
{
	const struct enrich_listed *a = pa, *b = pb;

	return CTX_ORDER(a->use.entity, b->use.entity);
}

/* Adds the recency of a turn to each entity mentioned in message seq, once for each turn.
 * list is sorted by entity. */
static int
add_recency(struct ctx_enrich *e, struct enrich_listed *list, size_t n, int64_t seq,
    size_t age, struct ctx_err *err)
{
	struct ctx_mention_at *at = NULL;
	size_t n_at = 0;
	int rc = ctx_mention_get(e->st, e->session, seq, &at, &n_at, err);

	for (size_t i = 0; rc == 0 && i < n_at; i++) {
		struct enrich_listed key = {.use = {.entity = at[i].entity}};
		struct enrich_listed *l = bsearch(
		    &key, list, n, sizeof(*list), by_entity);
		if (l == NULL || (l->recent > 0 && l->last_age == age))
			continue;
		l->recent += ctx_enrich_recency(age);
		l->last_age = age;
	}
	free(at);
	return rc;
}

static int
rate_salience(
    struct ctx_enrich *e, struct enrich_listed *list, size_t n, struct ctx_err *err)
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

/* Returns whether the entity is worth a line: something is known about it, or a name in
 * the message refers to it without the window saying so. The number of mentions alone is
 * not useful to the model. */
static bool
is_telling(const struct ctx_enrich *e, const struct enrich_listed *l)
{
	struct ctx_span resolved = ctx_buf_span(&l->candidate.record);

	if (e->o.all_entities || l->relations > 0 || l->entity.id_json != NULL ||
	    l->entity.action != NULL || l->entity.data_json != NULL || resolved.n > 0)
		return true;
	return l->active && !is_in_window(e, ctx_span_of(l->entity.name));
}

/* Marks the entities that each wish of the options selects, in order: the most relevant
 * ones, or the most recent ones of a type. */
static void
choose_listed_entities(const struct ctx_enrich *e, struct enrich_listed *list, size_t n)
{
	for (size_t w = 0; w < e->o.n_entities; w++) {
		const struct ctx_enrich_entities *wish = &e->o.entities[w];
		int64_t left = wish->max;
		qsort(list, n, sizeof(*list),
		    wish->type == NULL ? compare_listed_relevance : by_recency);
		for (size_t i = 0; i < n && left > 0; i++)
			if (wish->type == NULL ||
			    strcmp(list[i].entity.type, wish->type) == 0) {
				list[i].chosen = e->o.resolve != NULL ||
						 is_telling(e, &list[i]);
				left -= list[i].chosen;
			}
	}
	qsort(list, n, sizeof(*list), compare_listed_relevance);
}

/* ---- resolving ---- */

/* Asks the resolver about the chosen entities that nothing is known about. */
static void
resolve_listed_entities(struct ctx_enrich *e, struct enrich_listed *list, size_t n)
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

/* ---- describing the chosen entities ---- */

/* Records candidates for the topic: entities mentioned now and also before. */
static void
note_subjects(struct ctx_enrich *e, const struct enrich_listed *list, size_t n)
{
	for (size_t i = 0; i < n && e->n_subjects < SUBJECTS; i++)
		if (list[i].active && list[i].use.mentions > 1) {
			struct ctx_buf name = CTX_BUF_INIT;
			ctx_enrich_put_plain(&name, ctx_span_of(list[i].entity.name));
			CTX_MEM_GROW(e->subjects, e->n_subjects, e->cap_subjects);
			e->subjects[e->n_subjects++] = (struct enrich_subject){
			    ctx_buf_detach(&name), list[i].salience};
		}
}

static void
pass_silent(struct ctx_enrich *e, size_t n)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_addf(&b,
	    "%zu entit%s, because no data about %s is stored (--entities TYPE:N also adds entities without data)",
	    n, n == 1 ? "y" : "ies", n == 1 ? "it" : "them");
	ctx_enrich_pass(e, false, ctx_buf_span(&b));
	ctx_buf_release(&b);
}

static int
describe_chosen(
    struct ctx_enrich *e, const struct enrich_listed *list, size_t n, struct ctx_err *err)
{
	struct enrich_part *part;
	bool others = false;
	size_t silent = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		bool telling = is_telling(e, &list[i]);
		others |= telling && !list[i].chosen;
		silent += !telling;
		if (!list[i].chosen || !telling)
			continue;
		CTX_MEM_GROW(e->parts, e->n_parts, e->cap_parts);
		part = &e->parts[e->n_parts];
		part->type = ctx_enrich_resolved_or(
		    &list[i], "type", list[i].entity.type);
		part->name = ctx_enrich_resolved_or(
		    &list[i], "name", list[i].entity.name);
		rc = ctx_enrich_describe(e, &list[i], part, err);
		part->end = e->entities.n;
		e->n_parts++;
	}
	if (others)
		ctx_enrich_pass(e, false,
		    ctx_span_of(
			"other entities, because --entities lists only the most relevant"));
	if (silent > 0)
		pass_silent(e, silent);
	note_subjects(e, list, n);
	return rc;
}

/* ---- the whole procedure ---- */

static void
tracker_warn(void *arg, const char *text)
{
	struct ctx_enrich *e = arg;

	if (e->o.warn != NULL)
		e->o.warn(e->o.warn_arg, text);
}

/* Opens a tracker for the session's tenant and updates the session's mentions. */
static int
catch_up_entity_tracker(struct ctx_enrich *e, struct ctx_err *err)
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
	struct enrich_listed *list;
	size_t n_uses = 0, n = 0;
	int64_t look_at = LOOK_AT;
	int rc;

	if (e->o.n_entities == 0)
		return 0;
	for (size_t i = 0; i < e->o.n_entities; i++)
		if (e->o.entities[i].type != NULL)
			/* the last mention of a rare type may be long ago */
			look_at = -1;
	rc = catch_up_entity_tracker(e, err);
	if (rc == 0)
		rc = ctx_mention_uses(e->st, e->session, look_at, &uses, &n_uses, err);
	list = ctx_mem_new(n_uses * sizeof(*list));
	for (size_t i = 0; rc >= 0 && i < n_uses; i++) {
		list[n].use = uses[i];
		list[n].entity = (struct ctx_entity)CTX_ENTITY_INIT;
		rc = rate_listed_entity(e, &list[n], err);
		n += rc == 1;
	}
	if (rc >= 0 && n > 0)
		rc = rate_salience(e, list, n, err);
	if (rc >= 0 && n > 0) {
		choose_listed_entities(e, list, n);
		if (e->o.resolve != NULL)
			resolve_listed_entities(e, list, n);
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
