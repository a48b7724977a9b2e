/* Finds known entities by a phrase that shares words with their names. */
#ifndef CTX_TRACK_PHRASE_H
#define CTX_TRACK_PHRASE_H

#include "store/store.h"

/* Numbers of the entities of the tenant that the phrase may mean ("my onboarding
 * workflow" for Customer Onboarding), best first; *nos is owned by the caller. Words
 * compare as in similar/similar.h. Each word counts one, divided by the number of names
 * that have it. It does not count when it is the type of an entity or asks for something
 * to be done (similar/mode.h) and others are left. Where the phrase has the type of some that share a word,
 * only those remain, and none that reaches less than half of the best. Names with a digit
 * are taken for identifiers and not compared. Given aliases are not looked at. */
int ctx_phrase_find(struct ctx_store *st, const char *tenant, const char *text,
    int64_t **nos, size_t *n, struct ctx_err *err);

#endif
