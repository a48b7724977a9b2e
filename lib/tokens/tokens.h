/* Token counts: of text, of messages as providers price them, of whole bodies. */
#ifndef CTX_TOKENS_TOKENS_H
#define CTX_TOKENS_TOKENS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/message.h"

struct ctx_tokenizer;

/* Built-in names: "approx" (an estimate by class of character, the default) and
 * "chars4" (floor(code points / 4), at least 1). Any other name is CTX_EUSAGE. */
int ctx_tokenizer_open(struct ctx_tokenizer **out, const char *name, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *t);
const char *ctx_tokenizer_name(const struct ctx_tokenizer *t);

/* Tokens of UTF-8 text. Text that looks like a special token counts as plain text. */
int64_t ctx_tokens_text(struct ctx_tokenizer *t, const char *p, size_t n);

/* Tokens of the decoded text of a JSON string. */
int64_t ctx_tokens_string(struct ctx_tokenizer *t, struct ctx_span string);

/* What one message adds to a request: its texts, tool calls with names and arguments,
 * results, images by rule (never by the length of their base64), and the overhead of a
 * message. Of calls and results, ids are not counted: they never reach the model. */
int64_t ctx_tokens_message(struct ctx_tokenizer *t, const struct ctx_message *m);

/* What a body costs besides its messages. */
#define CTX_TOKENS_REPLY 3   /* the primer of the answer */

/* Tool definitions and other JSON that a provider shows to the model: its text. */
int64_t ctx_tokens_json(struct ctx_tokenizer *t, struct ctx_span json);

#endif
