/* Secrets in records: finds credentials by their form and replaces them. The formats are
 * data (default.rules, ctx-redact(1)). */
#ifndef CTX_REDACT_REDACT_H
#define CTX_REDACT_REDACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_redact;

/* The built-in rules. */
struct ctx_redact *ctx_redact_new(void);
void ctx_redact_free(struct ctx_redact *r);

/* Adds rules in the syntax of ctx-redact(1), before the first text; one of a name that is
 * there replaces it. CTX_EINPUT, with the line, for text that is not such rules. */
int ctx_redact_add(struct ctx_redact *r, struct ctx_span rules, struct ctx_err *err);

struct ctx_redact_finding {
	const char *rule;
	struct ctx_span path; /* of the string in its record: message.content[0].text */
	size_t offset, n;     /* of the secret in the line or text, bytes */
	char hash[17];        /* the first 16 digits of the SHA-256 of the secret */
};

/* Called for each secret, in order. Borrowed for the call. */
typedef void ctx_redact_fn(void *arg, const struct ctx_redact_finding *f);

/* Appends the text with each secret replaced by "[REDACTED:RULE]" to out and returns how many
 * there were; with none, appends nothing. fn may be NULL. */
size_t ctx_redact_text(struct ctx_redact *r, struct ctx_span text, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg);

/* The same of a JSON value that was checked. Only strings are changed, and none that is an
 * id, a signature, encrypted reasoning, a digest or the data of an image. */
size_t ctx_redact_json(struct ctx_redact *r, struct ctx_span json, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg);

#endif
