/* Token counts: of text, of messages as providers price them, of whole bodies. */
#ifndef CTX_TOKENS_TOKENS_H
#define CTX_TOKENS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/message.h"

struct ctx_tokenizer;

#define CTX_TOKENIZER_DEFAULT "approx"

/* Exact vocabularies that are known by name; their tables are NAME.tbl in a directory. */
#define CTX_TOKENIZER_TABLE ".tbl"

/* Bytes of a rank file that are accepted. */
#define CTX_TOKENS_RANKS_MAX ((size_t)256 << 20)

/* By name:
 *   approx       an estimate without a vocabulary (the default)
 *   chars4       floor(code points / 4), at least 1
 *   cl100k_base, o200k_base   exact: dir/NAME.tbl, which `make tokenizers` builds; dir
 *                is the directory of tables or NULL for none. CTX_EUSAGE, with what to
 *                do about it, when there is no such table.
 *   a path       of a rank file (.tiktoken) or of a table. A rank file says nothing of
 *                the pattern that text is split by: it is that of cl100k_base where the
 *                name of the file begins with cl100k, else that of o200k_base.
 * Behind each may stand *FACTOR (0.1 to 10), by which every count of text is multiplied.
 * Any other name is CTX_EUSAGE; a file that is neither CTX_EINPUT or CTX_EIO. */
int ctx_tokenizer_open(
    struct ctx_tokenizer **out, const char *name, const char *dir, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *t);
const char *ctx_tokenizer_name(const struct ctx_tokenizer *t);

/* Append the name of the tokenizer for a provider's model. calibration is what ctx-count
 * --calibrate printed, or absent: the line of the model or, where there is none, of the
 * longest name that the model's begins with, gives tokenizer and factor; a line of a name
 * with a date behind it serves the name without, too. Without one: the vocabulary that
 * OpenAI's library names for the model (tiktoken, model.py), else the default, multiplied by
 * the model table's factor (ctx_model_factor). models is the user's table of models, or
 * absent. "openai/" and "ft:" in front are ignored if the whole name is not known. */
void ctx_tokenizer_for_model(struct ctx_buf *name, const char *model,
    struct ctx_span calibration, struct ctx_span models);

/* What the counts depend on besides the name: the SHA-256 of the rank file, hexadecimal,
 * or, of an estimate that may be fitted anew, what its weights are. Lives as long as t. */
struct ctx_span ctx_tokenizer_source(const struct ctx_tokenizer *t);

/* Does it count by a vocabulary, rather than estimate? */
bool ctx_tokenizer_exact(const struct ctx_tokenizer *t);

/* Tokens of UTF-8 text of less than 4 GiB. Text that looks like a special token counts as
 * plain text. Where the text is not UTF-8, each maximal subpart of a bad sequence (Unicode
 * 16, section 3.9) counts as one U+FFFD. */
int64_t ctx_tokens_text(struct ctx_tokenizer *t, const char *p, size_t n);

/* The ids themselves, as a heap array that the caller frees (NULL when there are none).
 * CTX_EUSAGE when t is an estimate. */
int ctx_tokens_ids(struct ctx_tokenizer *t, const char *p, size_t n, uint32_t **ids,
    size_t *count, struct ctx_err *err);

/* Tokens of the decoded text of a JSON string. */
int64_t ctx_tokens_string(struct ctx_tokenizer *t, struct ctx_span string);

/* What one message adds to a request: its texts, tool calls with names and arguments,
 * results, images by rule (never by the length of their base64), and the overhead of a
 * message. Of calls and results, ids are not counted: they never reach the model. An
 * addition that brings a tool's definition costs what that does among the tools of a body. */
int64_t ctx_tokens_message(struct ctx_tokenizer *t, const struct ctx_message *m);

/* The most that it adds to a request to the provider (enum ctx_provider; -1: not known):
 * as above, or more where an image becomes one of the provider's shape, which has another
 * price. */
int64_t ctx_tokens_sent(
    struct ctx_tokenizer *t, const struct ctx_message *m, int provider);

/* What a body costs besides its messages. */
#define CTX_TOKENS_REPLY 3 /* the primer of the answer */

/* The tools of a body, an array: OpenAI's by the recipe of its cookbook, with nested
 * properties counted as well; those of others as their JSON, Anthropic's with the system
 * prompt that they bring. 0 when tools is no array or empty. */
int64_t ctx_tokens_tools(struct ctx_tokenizer *t, struct ctx_span tools);

/* What the first tool costs besides its definition, where tools bring a prompt along. */
int64_t ctx_tokens_tools_prompt(int provider);

/* What the members of a body (checked JSON) cost besides its messages: tools, and system
 * text of its own. */
int64_t ctx_tokens_params(struct ctx_tokenizer *t, struct ctx_span body);

/* Other JSON that a provider shows to the model: its text. */
int64_t ctx_tokens_json(struct ctx_tokenizer *t, struct ctx_span json);

#endif
