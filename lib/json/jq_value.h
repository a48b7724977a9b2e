/* Private to JSON: converts text to values of libjq and back, so that values that a
 * program passes on unchanged are printed as they were read. */
#ifndef CTX_JSON_JQ_VALUE_H
#define CTX_JSON_JQ_VALUE_H

#include <jv.h>
#include <stddef.h>

#include "base/buf.h"

/* Values that were read, with the text that each was read from. */
struct ctx_jq_known;
struct ctx_jq_values {
	struct ctx_jq_known *known;
	size_t n, cap;
	size_t *slot; /* hash table of addresses and of doubles; holds index + 1 */
	size_t mask;
	struct ctx_buf tmp;
};

void ctx_jq_values_init(struct ctx_jq_values *q);
void ctx_jq_values_release(struct ctx_jq_values *q);

/* Converts valid JSON to a value. The bytes must stay until the values are released. */
jv ctx_jq_values_read(struct ctx_jq_values *q, struct ctx_span json);

/* Appends v as JSON on one line; consumes v. Returns -1 if its containers are nested
 * deeper than depth. */
int ctx_jq_values_write(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth);

void ctx_jq_values_forget(struct ctx_jq_values *q);

#endif
