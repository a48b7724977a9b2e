/* Finds all mentions of entities in a text. */
#ifndef CTX_ENTITY_SCAN_H
#define CTX_ENTITY_SCAN_H

#include "entity/gazetteer.h"
#include "entity/pattern.h"
#include "entity/recognise.h"

/* The entities to search for: entities that are recognized by their form (builtin), names
 * (gazetteers), and the user's patterns. Each member may be NULL or 0. There can be
 * several gazetteers, so that a small gazetteer of new names can supplement a large
 * one. */
struct ctx_scan {
	struct ctx_recognisers *builtin;
	const struct ctx_gazetteer *gazetteers;
	size_t n_gazetteers;
	struct ctx_patterns *patterns;
};

/* Replaces the content of *m with the mentions in the text, sorted and without overlaps
 * (see ctx_mentions_resolve). Equal input gives equal output. */
void ctx_scan_text(
    const struct ctx_scan *t, struct ctx_span text, struct ctx_mentions *m);

#endif
