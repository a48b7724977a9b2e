/* Private to lib/json: converts JSON text to libjq values and back. Values that a program
 * passes through unchanged are printed with their original bytes. */
#ifndef CTX_JSON_JQ_VALUE_H
#define CTX_JSON_JQ_VALUE_H

#include <jv.h>
#include <stddef.h>

#include "base/buf.h"

/* The values that were read, each with its original text. */
struct ctx_jq_known;
struct ctx_jq_values {
	struct ctx_jq_known *known;
	size_t n, cap;
	size_t *slot; /* hash table from addresses and doubles to index + 1 */
	size_t mask;
	struct ctx_buf tmp;
};

void ctx_jq_values_init(struct ctx_jq_values *q);
void ctx_jq_values_release(struct ctx_jq_values *q);

/* Converts valid JSON to a value. The text must stay valid until
 * ctx_jq_values_release. */
jv ctx_jq_values_read(struct ctx_jq_values *q, struct ctx_span json);

/* Appends v as JSON on one line and consumes v. Returns -1 if v is nested deeper than
 * depth. */
int ctx_jq_values_write(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth);

void ctx_jq_values_forget(struct ctx_jq_values *q);

#endif
