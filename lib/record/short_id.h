/* Short ids: beginnings or endings of session ids that name one session each. */
#ifndef CTX_RECORD_SHORT_ID_H
#define CTX_RECORD_SHORT_ID_H

#include <stddef.h>

#include "base/buf.h"

/* All ids of a store. Zero-filled to start. */
struct ctx_short_ids {
	char **forward;  /* sorted by their beginnings; owned */
	char **backward; /* the same, sorted by their endings */
	size_t n, cap;
};

void ctx_short_ids_add(struct ctx_short_ids *ids, const char *id); /* copied */
void ctx_short_ids_sort(struct ctx_short_ids *ids);                /* after the last */

/* The part of id (borrowed) that a person types: of a UUID its ending, of eight characters or
 * as many as it takes that no other id begins or ends with it; other ids up to 20 bytes as
 * they are, longer ones by such a beginning. */
struct ctx_span ctx_short_id(const struct ctx_short_ids *ids, const char *id);

void ctx_short_ids_release(struct ctx_short_ids *ids);

#endif
