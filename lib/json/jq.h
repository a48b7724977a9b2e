/* Runs jq programs (libjq) over JSON text. The only code that uses libjq. Values that a
 * program passes on unchanged are printed as the bytes that were read, including numbers
 * that a double cannot hold, duplicate keys, key order and escapes. */
#ifndef CTX_JSON_JQ_H
#define CTX_JSON_JQ_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_jq;

/* Compiles a program; name is used in messages. The program cannot read files or the
 * environment, import modules or print. Fails with CTX_EUSAGE if it does not compile. */
int ctx_jq_open(
    struct ctx_jq **out, struct ctx_span program, const char *name, struct ctx_err *err);
void ctx_jq_close(struct ctx_jq *q);

/* A member of the object that the program gets as its input. */
struct ctx_jq_input {
	const char *key;
	struct ctx_span json; /* valid JSON; absent: null */
};

/* Called with each output value, as JSON on one line that is valid during the call only.
 * Returns 0, or -1 with err set to stop the program. */
typedef int ctx_jq_output_fn(void *arg, struct ctx_span json, struct ctx_err *err);

/* Runs the program on one input object. Calls fn for each output. If the program ends in
 * an error, fails with CTX_EINPUT and the program's message; outputs before the error
 * were already passed to fn. */
int ctx_jq_run(struct ctx_jq *q, const struct ctx_jq_input input[], size_t n,
    ctx_jq_output_fn *fn, void *arg, struct ctx_err *err);

#endif
