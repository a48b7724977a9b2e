/* Private to lib/json: converts JSON text to libjq values and back. Values that a program
 * outputs unchanged are printed with their original bytes. */
#ifndef CTX_JSON_JQ_VALUE_H
#define CTX_JSON_JQ_VALUE_H

#include <jv.h>
#include <stddef.h>

#include "base/buf.h"

/* All values that were read, with their original texts. */
struct ctx_jq_known;
struct ctx_jq_values {
	struct ctx_jq_known *known;
	size_t n, cap;
	/* hash table; maps the address of a value, or a double, to the value's index in
	 * the array known, plus 1 */
	size_t *slot;
	size_t mask;
	struct ctx_buf tmp;
};

void ctx_jq_values_init(struct ctx_jq_values *q);
void ctx_jq_values_release(struct ctx_jq_values *q);

/* Converts valid JSON to a libjq value. The memory of the JSON text must stay valid until
 * ctx_jq_values_forget or ctx_jq_values_release is called. */
jv ctx_jq_values_read(struct ctx_jq_values *q, struct ctx_span json);

/* Appends v as JSON on one line and consumes v. Returns -1 if v is nested deeper than
 * depth. */
int ctx_jq_values_write(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth);

void ctx_jq_values_forget(struct ctx_jq_values *q);

#endif
