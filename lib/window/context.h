/* Prints, for people, the texts that were added to a request besides the conversation
 * (additions): rules, references, notes, older messages. */
#ifndef CTX_WINDOW_CONTEXT_H
#define CTX_WINDOW_CONTEXT_H

#include "base/buf.h"

/* Remembers, for each addition of a run, the first request that contained it.
 * ctx_context_print fills it in, so print the records of a run oldest first. Zero-fill it
 * before the first use. */
struct ctx_context_log {
	struct ctx_context_seen *list;
	size_t n, cap;
};
void ctx_context_log_release(struct ctx_context_log *log);

/* Appends a description of a request record: the run and the request's position in it,
 * and why that run began; then the additions by kind, each with its include mode
 * ([Always], [Manual], [Agent - 0.87]); then a line that counts the additions by mode. An
 * addition that an earlier request of the run contained is marked "since" that request.
 * Appends "No context data available" if the record is absent, "No additions" if the
 * request had none. log may be NULL. */
void ctx_context_print(
    struct ctx_buf *out, struct ctx_span record, struct ctx_context_log *log);

#endif
