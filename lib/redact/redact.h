/* Finds credentials in records by their format and replaces them. The formats are rules,
 * read from text (default.rules; ctx-redact(1) describes the syntax). */
#ifndef CTX_REDACT_REDACT_H
#define CTX_REDACT_REDACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_redact;

/* Returns a redactor with the built-in rules. */
struct ctx_redact *ctx_redact_new(void);
void ctx_redact_free(struct ctx_redact *r);

/* Adds rules in the syntax of ctx-redact(1). Call before the first text. A rule replaces
 * an existing rule of the same name. Fails with CTX_EINPUT, naming the line, if the rules
 * are invalid. */
int ctx_redact_add(struct ctx_redact *r, struct ctx_span rules, struct ctx_err *err);

struct ctx_redact_finding {
	const char *rule;
	/* path of the string within its record, for example message.content[0].text */
	struct ctx_span path;
	/* byte offset and length of the secret in the line or text */
	size_t offset, n;
	char hash[17]; /* first 16 hexadecimal digits of the secret's SHA-256 */
};

/* Called for each secret, in order. f is valid during the call only. */
typedef void ctx_redact_fn(void *arg, const struct ctx_redact_finding *f);

/* Appends text to out with each secret replaced by "[REDACTED:RULE]". Returns the number
 * of secrets; if it is 0, nothing is appended. fn may be NULL. */
size_t ctx_redact_text(struct ctx_redact *r, struct ctx_span text, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg);

/* Like ctx_redact_text, for valid JSON. Changes strings only, and leaves ids, signatures,
 * encrypted reasoning, digests and image data unchanged. */
size_t ctx_redact_json(struct ctx_redact *r, struct ctx_span json, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg);

#endif
