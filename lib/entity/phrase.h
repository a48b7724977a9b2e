/* Finds known entities whose names share words with a phrase. */
#ifndef CTX_ENTITY_PHRASE_H
#define CTX_ENTITY_PHRASE_H

#include "store/store.h"

/* Finds the tenant's entities to which a text may refer. For example, the text "my
 * onboarding workflow" may refer to the entity Customer Onboarding. Sets *nos to an array
 * of the numbers of these entities, best first, and *n to its length. The caller frees
 * the array. Returns 0, or -1 on error.
 *
 * Words are compared by their stems (words/stems.h). The score of an entity is the sum
 * over the words that the entity's name and the text have in common: each word counts 1,
 * divided by the number of names that contain the word. Words that name an entity type,
 * such as "workflow", are ignored. So are words that ask for an action (recall/mode.h),
 * if other words remain. If the text names the types of some of the entities found, only
 * entities of these types are returned. Entities with less than half of the best score
 * and entities with a digit in their names are left out. Aliases are not compared. */
int ctx_phrase_find(struct ctx_store *st, const char *tenant, const char *text,
    int64_t **nos, size_t *n, struct ctx_err *err);

#endif
