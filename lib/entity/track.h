/* Everything that finds mentions, over one text. */
#ifndef CTX_ENTITY_TRACK_H
#define CTX_ENTITY_TRACK_H

#include "entity/gazetteer.h"
#include "entity/pattern.h"

/* What to look for; all of it optional. Several gazetteers serve a large one with a
 * small one of later names beside it. */
struct ctx_track {
	bool builtin;
	const struct ctx_gazetteer *gazetteers;
	size_t n_gazetteers;
	struct ctx_patterns *patterns;
};

/* Replace what m holds by the mentions in text, sorted, overlaps resolved
 * (ctx_mentions_resolve). Equal input gives equal output. */
void ctx_track_text(
    const struct ctx_track *t, struct ctx_span text, struct ctx_mentions *m);

#endif
