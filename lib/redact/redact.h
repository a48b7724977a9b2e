/* Finds credentials in records by their format and replaces them. The formats are data
 * (default.rules, ctx-redact(1)). */
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

/* Adds rules in the syntax of ctx-redact(1); call before the first text. A rule
 * replaces an existing rule of the same name. CTX_EINPUT, naming the line, if the text
 * is invalid. */
int ctx_redact_add(struct ctx_redact *r, struct ctx_span rules, struct ctx_err *err);

struct ctx_redact_finding {
	const char *rule;
	/* path of the string within its record: message.content[0].text */
	struct ctx_span path;
	/* position and length of the secret in the line or text, bytes */
	size_t offset, n;
	char hash[17]; /* the first 16 digits of the SHA-256 of the secret */
};

/* Called for each secret, in order; borrowed for the call. */
typedef void ctx_redact_fn(void *arg, const struct ctx_redact_finding *f);

/* Appends to out the text with each secret replaced by "[REDACTED:RULE]", and returns the
 * number of secrets; if there are none, appends nothing. fn may be NULL. */
size_t ctx_redact_text(struct ctx_redact *r, struct ctx_span text, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg);

/* As ctx_redact_text for valid JSON. Only strings are changed, except ids, signatures,
 * encrypted reasoning, digests and image data. */
size_t ctx_redact_json(struct ctx_redact *r, struct ctx_span json, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg);

#endif
