/* Programs in jq (libjq 1.6), run over JSON text. The only place that knows libjq. What a
 * program passes on unchanged leaves as the bytes that came in: numbers that a double
 * cannot hold, duplicate keys, the order of keys and the spelling of escapes included. */
#ifndef CTX_JSON_JQ_H
#define CTX_JSON_JQ_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_jq;

/* Compile program, name stands in messages. It runs closed in: it sees no environment
 * and no file, imports nothing, prints nothing. CTX_EUSAGE when it does not compile. */
int ctx_jq_open(
    struct ctx_jq **out, struct ctx_span program, const char *name, struct ctx_err *err);
void ctx_jq_close(struct ctx_jq *q);

/* A member of the object that a program gets. */
struct ctx_jq_input {
	const char *key;
	struct ctx_span json; /* checked JSON; absent: null */
};

/* Called with each output, one line of JSON, borrowed for the call. Return -1 with err
 * set to stop. */
typedef int ctx_jq_output_fn(void *arg, struct ctx_span json, struct ctx_err *err);

/* Run over one input. CTX_EINPUT and the program's message when it ends in an error;
 * outputs before it were given already. */
int ctx_jq_run(struct ctx_jq *q, const struct ctx_jq_input input[], size_t n,
    ctx_jq_output_fn *fn, void *arg, struct ctx_err *err);

#endif
