/* An entity of a session on its way into the list that the model reads. */
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
	double recent;   /* of the turns that name it, … */
	size_t last_age; /* … of which this was counted last */
	bool active, chosen;
};

/* Append text of others on one line. */
void ctx_enrich_put_plain(struct ctx_buf *b, struct ctx_span s);

/* The member of what the resolver says, where it is a text, or what is known without; owned. */
char *ctx_enrich_resolved_or(
    const struct enrich_listed *l, const char *member, const char *known);

/* Append to e->entities: type and name, id, how often and when last named, what is known. */
int ctx_enrich_describe(struct ctx_enrich *e, const struct enrich_listed *l,
    const struct enrich_part *part, struct ctx_err *err);

#endif
