/* Short ids. A short id is the beginning or the end of a session id, and identifies only
 * this session. */
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

/* Returns a short form of id, which a person can type to name the session. The result is
 * a part of id, borrowed; no other id begins or ends with it. For a UUID, the result is
 * its shortest such ending of at least eight characters. Other ids of up to 20 bytes are
 * returned whole. For a longer id, the result is its shortest such beginning; if that is
 * longer than 20 bytes, the name after the last '~' of id is preferred. */
struct ctx_span ctx_short_id(const struct ctx_short_ids *ids, const char *id);

void ctx_short_ids_release(struct ctx_short_ids *ids);

#endif
