/* Runs jq programs (libjq) over JSON text. The only code that uses libjq. Values that a
 * program passes on unchanged are printed as the bytes that were read, including numbers
 * that a double cannot hold, duplicate keys, key order and escapes. */
#ifndef CTX_JSON_JQ_H
#define CTX_JSON_JQ_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_jq;

/* Compiles a program; name is used in messages. The program cannot read the environment
 * or files, import modules or print. CTX_EUSAGE when it does not compile. */
int ctx_jq_open(
    struct ctx_jq **out, struct ctx_span program, const char *name, struct ctx_err *err);
void ctx_jq_close(struct ctx_jq *q);

/* A member of the object that is the program's input. */
struct ctx_jq_input {
	const char *key;
	struct ctx_span json; /* checked JSON; absent: null */
};

/* Called with each output, one line of JSON, borrowed for the call. Returns -1 with err
 * set to stop. */
typedef int ctx_jq_output_fn(void *arg, struct ctx_span json, struct ctx_err *err);

/* Runs the program over one input. CTX_EINPUT with the program's message when it ends in
 * an error; fn has got the outputs before that. */
int ctx_jq_run(struct ctx_jq *q, const struct ctx_jq_input input[], size_t n,
    ctx_jq_output_fn *fn, void *arg, struct ctx_err *err);

#endif
