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
/* Sorts the ids. Call once, after the last call of ctx_short_ids_add. */
void ctx_short_ids_sort(struct ctx_short_ids *ids);

/* Returns the short id for a session id, for people to type. The result is a part of the
 * string id. No other session id in *ids begins or ends with the result. There are three
 * cases. A UUID is shortened to its shortest unique ending of at least eight characters.
 * Any other id of up to 20 bytes is returned whole. A longer id is shortened to its
 * shortest unique beginning of at least 12 bytes; if this beginning is longer than 20
 * bytes, and the part after the last '~' is unique and has at least four bytes, the
 * result is the part after the last '~'. */
struct ctx_span ctx_short_id(const struct ctx_short_ids *ids, const char *id);

void ctx_short_ids_release(struct ctx_short_ids *ids);

#endif
