/* Short ids. A short id is the beginning or the end of a session id. No other session id
 * begins or ends in the same way, so the short id identifies the session. */
#ifndef CTX_RECORD_SHORT_ID_H
#define CTX_RECORD_SHORT_ID_H

#include <stddef.h>

#include "base/buf.h"

/* All session ids of a store. Zero-fill it before the first use. */
struct ctx_short_ids {
	/* the ids, sorted by their characters from first to last; owned */
	char **forward;
	/* the same strings, sorted by their characters from last to first */
	char **backward;
	size_t n, cap;
};

void ctx_short_ids_add(struct ctx_short_ids *ids, const char *id); /* copies id */
/* Sorts the ids. Call once, after the last ctx_short_ids_add. */
void ctx_short_ids_sort(struct ctx_short_ids *ids);

/* Returns a short form of id that a person can type. The result is borrowed from id. It
 * is unique: no other id begins or ends with it. For a UUID, the result is the shortest
 * unique ending of at least eight characters. Any other id of up to 20 bytes is returned
 * whole. For a longer id, the result is the shortest unique beginning of at least 12
 * bytes; if this is longer than 20 bytes, the part after the last '~' is returned
 * instead, provided that it is unique and has at least four bytes. */
struct ctx_span ctx_short_id(const struct ctx_short_ids *ids, const char *id);

void ctx_short_ids_release(struct ctx_short_ids *ids);

#endif
