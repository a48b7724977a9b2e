/* A set of session ids. It contains the sessions whose session record was refused. */
#ifndef CTX_APPEND_REFUSED_H
#define CTX_APPEND_REFUSED_H

#include <stdbool.h>

/* The set. A zero-filled struct is an empty set. */
struct ctx_refused {
	void *root; /* tree of strings for tsearch(3) */
};

void ctx_refused_add(struct ctx_refused *r, const char *session_id);
void ctx_refused_remove(struct ctx_refused *r, const char *session_id);
bool ctx_refused_has(const struct ctx_refused *r, const char *session_id);
void ctx_refused_release(struct ctx_refused *r);

#endif
