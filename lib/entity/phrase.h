/* Finds known entities whose names share words with a phrase. */
#ifndef CTX_ENTITY_PHRASE_H
#define CTX_ENTITY_PHRASE_H

#include "store/store.h"

/* Finds the entities of the tenant that text may refer to ("my onboarding workflow" for
 * Customer Onboarding). Sets *nos to an array of their numbers, best first, to be freed
 * by the caller, and *n to its length.
 *
 * Words are compared by their stems (words/stems.h). A shared word scores one, divided by
 * the number of names that contain the word. Words of an entity type are ignored, and so
 * are words that ask for an action (recall/mode.h) unless no other words are left. If the
 * text names the type of an entity that shares a word with it, only entities of such
 * types are returned. Entities with less than half of the best score and entities with a
 * digit in their names are left out. Aliases are not compared. */
int ctx_phrase_find(struct ctx_store *st, const char *tenant, const char *text,
    int64_t **nos, size_t *n, struct ctx_err *err);

#endif
