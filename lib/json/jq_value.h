/* Private to lib/json: converts JSON text to libjq values and back. Values that a program
 * outputs unchanged are printed with their original bytes. */
#ifndef CTX_JSON_JQ_VALUE_H
#define CTX_JSON_JQ_VALUE_H

#include <jv.h>
#include <stddef.h>

#include "base/buf.h"

/* The values that ctx_jq_values_read has read, with their original texts. */
struct ctx_jq_known;
struct ctx_jq_values {
	struct ctx_jq_known *known;
	size_t n, cap;
	/* Hash table of the values above. The hash of a value is that of its address or,
	 * for a number, of its bits. A slot contains the index of a value plus 1; 0: the
	 * slot is free. */
	size_t *slot;
	size_t mask;
	struct ctx_buf tmp;
};

void ctx_jq_values_init(struct ctx_jq_values *q);
void ctx_jq_values_release(struct ctx_jq_values *q);

/* Converts valid JSON to a libjq value. The memory of the JSON text must stay valid until
 * ctx_jq_values_forget or ctx_jq_values_release is called. */
jv ctx_jq_values_read(struct ctx_jq_values *q, struct ctx_span json);

/* Appends the value v as JSON on one line, and frees v. depth: maximum number of nested
 * arrays and objects. Returns -1 if v is nested deeper. */
int ctx_jq_values_write(struct ctx_jq_values *q, struct ctx_buf *b, jv v, int depth);

void ctx_jq_values_forget(struct ctx_jq_values *q);

#endif
