/* Private to lib/enrich: the entities from which the entity list is made. */
#ifndef CTX_ENRICH_LISTED_H
#define CTX_ENRICH_LISTED_H

#include "enrich/internal.h"
#include "store/mention.h"

struct enrich_listed {
	struct ctx_entity_use use;
	struct ctx_entity entity;
	struct ctx_candidate candidate;
	double relevance, salience;
	int64_t relations;
	/* sum of the weights (ctx_enrich_recency) of the turns that mention the entity */
	double recent;
	/* age in turns of the turn whose weight was added to the sum above last; 0: the
	 * current turn */
	size_t last_age;
	bool active, chosen;
};

/* Appends untrusted text on one line, so that no part of the text can be mistaken for
 * another line of the list. */
void ctx_enrich_put_plain(struct ctx_buf *b, struct ctx_span s);

/* Returns the text of a member of the record that the resolver gave for the entity.
 * member: name of the member; known: the text to return if the record has no such text.
 * Returns a copy, which the caller frees. */
char *ctx_enrich_resolved_or(
    const struct enrich_listed *l, const char *member, const char *known);

/* Appends the description of an entity to e->entities: type, name, id, number of
 * mentions, time of the last mention, and data. */
int ctx_enrich_describe(struct ctx_enrich *e, const struct enrich_listed *l,
    const struct enrich_part *part, struct ctx_err *err);

#endif
