/* Prints, for people to read, which texts a request contained besides the conversation:
 * rules, references, notes, older messages. These texts are called additions. */
#ifndef CTX_WINDOW_CONTEXT_H
#define CTX_WINDOW_CONTEXT_H

#include "base/buf.h"

/* For each addition, stores which request of the run contained it first. Zero-fill the
 * log before the first use. ctx_context_print adds each printed request to the log;
 * therefore print the records of a run oldest first. */
struct ctx_context_log {
	struct ctx_context_seen *list;
	size_t n, cap;
};
void ctx_context_log_release(struct ctx_context_log *log);

/* Appends a description of record, a request record: first the run, the request's
 * position in the run, and why the run began; then the additions by kind, each with its
 * include mode ([Always], [Manual], [Agent - 0.87]); then a line with the number of
 * additions of each mode. An addition that an earlier request of the run contained is
 * marked with "since" and that request. Appends "No context data available" if the record
 * is absent, and "No additions" if the request had no additions. log may be NULL. */
void ctx_context_print(
    struct ctx_buf *out, struct ctx_span record, struct ctx_context_log *log);

#endif
