/* Short ids: beginnings or endings of session ids that identify one session each. */
#ifndef CTX_RECORD_SHORT_ID_H
#define CTX_RECORD_SHORT_ID_H

#include <stddef.h>

#include "base/buf.h"

/* All session ids of a store. Zero-fill it before the first use. */
struct ctx_short_ids {
	char **forward;  /* the ids sorted from their beginning; owned */
	char **backward; /* the same strings, sorted from their ending */
	size_t n, cap;
};

void ctx_short_ids_add(struct ctx_short_ids *ids, const char *id); /* copies id */
/* call once after the last ctx_short_ids_add */
void ctx_short_ids_sort(struct ctx_short_ids *ids);

/* Returns the part of id (borrowed) that a person types to name the session. For a UUID
 * this is an ending of at least eight characters, as long as needed so that no other id
 * begins or ends with it. Other ids of up to 20 bytes are returned whole. For a longer id
 * it is a beginning that is unique in the same way, or the name after its last '~' if
 * that is unique. */
struct ctx_span ctx_short_id(const struct ctx_short_ids *ids, const char *id);

void ctx_short_ids_release(struct ctx_short_ids *ids);

#endif
