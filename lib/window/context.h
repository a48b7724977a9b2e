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

/* Appends a description of a request. record: the request record. The description has
 * three parts: the run, the position of the request in the run, and why the run began;
 * the additions by kind, each with its include mode ([Always], [Manual], [Agent - 0.87]);
 * and a line that counts the additions, such as "3 rules (1 agent, 2 always)". If an
 * earlier request of the run contained an addition, "since" and that request follow the
 * addition; log may be NULL, and "since" is then left out.
 *
 * Appends "No context data available" if the record is absent, and "No additions" if the
 * request had no additions. */
void ctx_context_print(
    struct ctx_buf *out, struct ctx_span record, struct ctx_context_log *log);

#endif
