/* Finds known entities by a phrase that shares words with their names. */
#ifndef CTX_ENTITY_PHRASE_H
#define CTX_ENTITY_PHRASE_H

#include "store/store.h"

/* Finds the entities of the tenant that text may mean ("my onboarding workflow" for Customer
 * Onboarding). *nos receives their numbers, best first, and *n how many; the caller frees
 * *nos. Words compare by their stems (words/stems.h). A word counts one, divided by the
 * number of names that have it. The type of an entity, and a word that asks for something
 * to be done (recall/mode.h), count only if no other word is left. If the text names the
 * type of an entity that shares a word with it, only entities of that type are returned.
 * An entity that reaches less than half of the best score is left out, and so is one with a
 * digit in its name. Aliases are not compared. */
int ctx_phrase_find(struct ctx_store *st, const char *tenant, const char *text,
    int64_t **nos, size_t *n, struct ctx_err *err);

#endif
