/* Private to JSON: text to the values of libjq and back, so that what a program passes on
 * unchanged is printed as it was read. */
#ifndef CTX_JSON_JQ_VALUE_H
#define CTX_JSON_JQ_VALUE_H

#include <jv.h>
#include <stddef.h>

#include "base/buf.h"

/* The values that were read and whose text is remembered. */
struct ctx_jq_known;
struct ctx_jq_values {
	struct ctx_jq_known *known;
	size_t n, cap;
	size_t *slot; /* hash of addresses and of doubles: index + 1 */
	size_t mask;
	struct ctx_buf tmp;
};

void ctx_jq_values_init(struct ctx_jq_values *q);
void ctx_jq_values_release(struct ctx_jq_values *q);

/* The value of checked JSON, whose bytes must stay until the values are forgotten. */
jv ctx_jq_values_read(struct ctx_jq_values *q, struct ctx_span json);

/* Append v, which is consumed, as JSON on one line. -1: its containers are more than depth
 * inside each other. */
int ctx_jq_values_write(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth);

void ctx_jq_values_forget(struct ctx_jq_values *q);

#endif
