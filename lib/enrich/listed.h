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
	/* how many turns ago the turn was whose weight was last added to the member
	 * recent; 0: the current turn */
	size_t last_age;
	bool active, chosen;
};

/* Appends untrusted text on one line, so that no part of the text can be mistaken for
 * another line of the list. */
void ctx_enrich_put_plain(struct ctx_buf *b, struct ctx_span s);

/* Returns the text of this member in the resolver's record of the entity or, if there is
 * no such text, a copy of the string known. The caller frees the result. */
char *ctx_enrich_resolved_or(
    const struct enrich_listed *l, const char *member, const char *known);

/* Appends the description of an entity to e->entities: type, name, id, number of
 * mentions, time of the last mention, and data. */
int ctx_enrich_describe(struct ctx_enrich *e, const struct enrich_listed *l,
    const struct enrich_part *part, struct ctx_err *err);

#endif
