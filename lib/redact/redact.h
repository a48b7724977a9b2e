/* Finds secrets in records by their format, and replaces them. Rules in the syntax of
 * ctx-redact(1) define the formats; the built-in rules are in default.rules. */
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

/* Adds rules. rules: a text with one or more rules in the syntax of ctx-redact(1). Call
 * before the first call of ctx_redact_text or ctx_redact_json. A new rule replaces an
 * existing rule of the same name. If a rule is invalid, fails with CTX_EINPUT; the error
 * message contains the number of the rule's line. */
int ctx_redact_add(struct ctx_redact *r, struct ctx_span rules, struct ctx_err *err);

struct ctx_redact_finding {
	const char *rule;
	/* path of the string within its record, for example message.content[0].text */
	struct ctx_span path;
	/* position and length of the secret in the JSON line or text, in bytes */
	size_t offset, n;
	char hash[17]; /* first 16 hexadecimal digits of the secret's SHA-256 */
};

/* Called for each secret found, in the order of the text. *f is valid during the call
 * only. */
typedef void ctx_redact_fn(void *arg, const struct ctx_redact_finding *f);

/* Appends a copy of the text to *out, with "[REDACTED:RULE]" (RULE: the rule's name) in
 * place of each secret. Calls fn (may be NULL) for each secret. Returns the number of
 * secrets. If the text has no secrets, appends nothing and returns 0. */
size_t ctx_redact_text(struct ctx_redact *r, struct ctx_span text, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg);

/* Like ctx_redact_text, for valid JSON. Replaces secrets in strings only. Ids,
 * signatures, encrypted reasoning, digests and image data are not changed. */
size_t ctx_redact_json(struct ctx_redact *r, struct ctx_span json, struct ctx_buf *out,
    ctx_redact_fn *fn, void *arg);

#endif
