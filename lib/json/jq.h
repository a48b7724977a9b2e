/* Runs jq programs (with libjq) on JSON text. Values that a program outputs unchanged are
 * printed as the bytes that were read, including numbers that a double cannot represent,
 * duplicate keys, the order of keys, and escapes. */
#ifndef CTX_JSON_JQ_H
#define CTX_JSON_JQ_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_jq;

/* Compiles a program. name: the program's name in error messages. The program cannot read
 * files or the environment, import modules or print. Fails with CTX_EUSAGE if the program
 * does not compile. The caller frees *out with ctx_jq_close. */
int ctx_jq_open(
    struct ctx_jq **out, struct ctx_span program, const char *name, struct ctx_err *err);
void ctx_jq_close(struct ctx_jq *q);

/* A member of the object that the program gets as its input. */
struct ctx_jq_input {
	const char *key;
	struct ctx_span json; /* valid JSON; if absent, the member's value is null */
};

/* Called for each output of the program. json: the output as JSON on one line, valid
 * during the call only. Must return 0 to continue. To stop the program, the called
 * function sets err and returns -1. */
typedef int ctx_jq_output_fn(void *arg, struct ctx_span json, struct ctx_err *err);

/* Runs the program on one object. input: the n members of this object. Calls fn for each
 * output. If the program fails, this function fails with CTX_EINPUT and the program's
 * error message; fn has then been called for the outputs before the error. */
int ctx_jq_run(struct ctx_jq *q, const struct ctx_jq_input input[], size_t n,
    ctx_jq_output_fn *fn, void *arg, struct ctx_err *err);

#endif
