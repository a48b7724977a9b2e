/* Counts the tokens of text, of messages as providers price them, and of whole bodies. */
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

/* File name extension of the tables of named vocabularies: NAME.tbl in the directory
 * of tables. */
#define CTX_TOKENIZER_TABLE ".tbl"

/* Largest rank file that is accepted, in bytes. */
#define CTX_TOKENS_RANKS_MAX ((size_t)256 << 20)

/* Opens a tokenizer by name:
 *   approx       an estimate without a vocabulary (the default)
 *   chars4       floor(code points / 4), at least 1
 *   cl100k_base, o200k_base   exact: dir/NAME.tbl, which `make tokenizers` builds; dir
 *                is the directory of tables, or NULL. If the table is missing,
 *                CTX_EUSAGE, and the message says how to build it.
 *   a path       of a rank file (.tiktoken) or a table. A rank file does not contain the
 *                pattern for splitting text: cl100k_base's is used if the name of the
 *                file begins with cl100k, else that of o200k_base.
 * A suffix *FACTOR (0.1 to 10) multiplies every count except those of images and PDF
 * documents, whose prices are the providers' own, and rounds up. CTX_EUSAGE for any other
 * name; CTX_EINPUT or CTX_EIO for a file that is neither. */
int ctx_tokenizer_open(
    struct ctx_tokenizer **out, const char *name, const char *dir, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *t);
const char *ctx_tokenizer_name(const struct ctx_tokenizer *t);

/* Returns the factor in thousandths; 1000: none. */
int64_t ctx_tokenizer_factor(const struct ctx_tokenizer *t);

/* Appends a tokenizer's name without its factor. Returns the factor in thousandths. */
int64_t ctx_tokenizer_split(struct ctx_buf *base, const char *name);

/* Renames the tokenizer and changes its factor, if name differs in nothing else from its
 * name. Returns false, without a change, if it does. */
bool ctx_tokenizer_rescale(struct ctx_tokenizer *t, const char *name);

/* Appends base (a tokenizer's name) with the factor that turns its counts into those of the
 * model: the learned factor of the calibration line for this tokenizer, or else the model
 * table's (ctx_model_factor). Appends base alone if the model is not known, or if base has a
 * factor or is a path. calibration and models: as for ctx_tokenizer_for_model. */
void ctx_tokenizer_scaled_name(struct ctx_buf *name, const char *base, const char *model,
    struct ctx_span calibration, struct ctx_span models);

/* True if ctx_tokenizer_scaled_name can add a factor to the name. */
bool ctx_tokenizer_is_scalable(const char *name);

/* Appends the name of the tokenizer for a provider's model. calibration is what
 * ctx-count --calibrate printed, or absent. Its line for the model, or for the longest
 * beginning of the model's name, gives the tokenizer and the factor. A line for a name with a
 * date also serves the name without it. If no line matches, the vocabulary is the one
 * that OpenAI's library names for the model (tiktoken, model.py), else the default
 * tokenizer times the model table's factor (ctx_model_factor). models is the user's
 * model table, or absent. A prefix "openai/" or "ft:" is ignored if the whole name is
 * unknown. */
void ctx_tokenizer_for_model(struct ctx_buf *name, const char *model,
    struct ctx_span calibration, struct ctx_span models);

/* Returns what counts depend on besides the name: the SHA-256 of the rank file in
 * hexadecimal, or the version of an estimate's weights. Lives as long as t. */
struct ctx_span ctx_tokenizer_source(const struct ctx_tokenizer *t);

/* Counts the tokens of UTF-8 text of less than 4 GiB. Text that looks like a special
 * token counts as plain text. In text that is not UTF-8, each maximal subpart of a bad
 * sequence (Unicode 16, section 3.9) counts as one U+FFFD. */
int64_t ctx_tokens_text(struct ctx_tokenizer *t, const char *p, size_t n);

/* Multiplies n by the tokenizer's factor and rounds up. */
int64_t ctx_tokens_scale(const struct ctx_tokenizer *t, int64_t n);

/* Sets *ids to the token ids, a heap array that the caller frees (NULL if there are
 * none). CTX_EUSAGE if t is an estimate. */
int ctx_tokens_ids(struct ctx_tokenizer *t, const char *p, size_t n, uint32_t **ids,
    size_t *count, struct ctx_err *err);

/* Tokens of the decoded text of a JSON string. */
int64_t ctx_tokens_string(struct ctx_tokenizer *t, struct ctx_span string);

/* Counts the tokens that a message adds to a request: texts, tool calls with names and
 * arguments, results, images (by their size, never by the length of their base64), and
 * the overhead of a message. Ids of calls and results are not counted, because they
 * never reach the model. An addition that brings a tool definition costs as much as
 * the definition in a body. */
int64_t ctx_tokens_message(struct ctx_tokenizer *t, const struct ctx_message *m);

/* Returns the most tokens that the message can add to a request to the provider (enum
 * ctx_provider; -1: unknown): as above, or more if an image is converted to the
 * provider's shape at another price. */
int64_t ctx_tokens_sent(
    struct ctx_tokenizer *t, const struct ctx_message *m, int provider);

/* Tokens of a body besides its messages. */
#define CTX_TOKENS_REPLY 3 /* the primer of the answer */

/* Counts the tools of a body, an array. OpenAI's are counted by the recipe of its
 * cookbook, nested properties included; others as their JSON, Anthropic's with the
 * system prompt that they add. Returns 0 if tools is not an array or is empty. */
int64_t ctx_tokens_tools(struct ctx_tokenizer *t, struct ctx_span tools);

/* Returns the extra tokens of the first tool, for a provider that adds a prompt for
 * tools. */
int64_t ctx_tokens_tools_prompt(const struct ctx_tokenizer *t, int provider);

/* Counts the tokens of the members of a body (checked JSON) other than its messages:
 * tools and system text. */
int64_t ctx_tokens_params(struct ctx_tokenizer *t, struct ctx_span body);

/* Counts the text of other JSON that a provider shows to the model. */
int64_t ctx_tokens_json(struct ctx_tokenizer *t, struct ctx_span json);

#endif
