/* Counts the tokens of texts, of messages as providers charge them, and of whole
 * bodies. */
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

/* File name extension of vocabulary tables: NAME.tbl in the directory of tables. */
#define CTX_TOKENIZER_TABLE ".tbl"

/* largest accepted rank file, in bytes */
#define CTX_TOKENS_RANKS_MAX ((size_t)256 << 20)

/* Opens a tokenizer by name:
 *   approx       an estimate without a vocabulary (the default)
 *   chars4       floor(code points / 4), at least 1
 *   cl100k_base, o200k_base   exact; uses dir/NAME.tbl, which `make tokenizers` builds.
 *                dir is the directory of tables, or NULL. If the table is missing, fails
 *                with CTX_EUSAGE and a message that says how to build it.
 *   a path       of a rank file (.tiktoken) or a table. A rank file does not contain the
 *                pattern for splitting text: cl100k_base's is used if the name of the
 *                file begins with cl100k, otherwise that of o200k_base.
 * A suffix *FACTOR (0.1 to 10) multiplies every count except those of images and PDF
 * documents, whose prices are the providers' own, and rounds up. Fails with CTX_EUSAGE for
 * any other name, with CTX_EINPUT or CTX_EIO for a file that is neither of these. */
int ctx_tokenizer_open(
    struct ctx_tokenizer **out, const char *name, const char *dir, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *t);
const char *ctx_tokenizer_name(const struct ctx_tokenizer *t);

/* Returns the tokenizer's factor in thousandths; 1000 if it has none. */
int64_t ctx_tokenizer_factor(const struct ctx_tokenizer *t);

/* Appends the tokenizer name without its factor to base. Returns the factor in
 * thousandths; 1000 if the name has none. */
int64_t ctx_tokenizer_split(struct ctx_buf *base, const char *name);

/* Changes the factor of the tokenizer to the factor in name (none, if name has no
 * factor), and its name to name. Returns false, and changes nothing, if name without its
 * factor is the name of another tokenizer. */
bool ctx_tokenizer_rescale(struct ctx_tokenizer *t, const char *name);

/* Appends base, the name of a tokenizer, and the factor that converts its counts into those
 * of the model: the learned factor of a calibration line for this tokenizer, otherwise the
 * model table's (ctx_model_factor). No factor is appended if the model is not known, or if
 * base is not scalable. calibration and models are as for ctx_tokenizer_for_model. */
void ctx_tokenizer_scaled_name(struct ctx_buf *name, const char *base, const char *model,
    struct ctx_span calibration, struct ctx_span models);

/* Returns whether ctx_tokenizer_scaled_name can add a factor to the name: not if it has one
 * already or is a path. */
bool ctx_tokenizer_is_scalable(const char *name);

/* Appends the name of the tokenizer for a provider's model. calibration is the output of
 * ctx-count --calibrate, or absent. Its line for the model, or for the longest prefix of
 * the model's name, gives the tokenizer and the factor; a line for a name with a date
 * also applies to the name without it. If no line matches, the vocabulary is the one that
 * OpenAI's library names for the model (tiktoken, model.py), otherwise the default
 * tokenizer times the model table's factor (ctx_model_factor). models is the user's model
 * table, or absent. A prefix "openai/" or "ft:" is ignored if the whole name is
 * unknown. */
void ctx_tokenizer_for_model(struct ctx_buf *name, const char *model,
    struct ctx_span calibration, struct ctx_span models);

/* Returns a string that changes whenever the same name would give other counts: the
 * SHA-256 of the rank file in hexadecimal, or the version of an estimate's weights. Valid
 * until t is closed. */
struct ctx_span ctx_tokenizer_source(const struct ctx_tokenizer *t);

/* Returns the tokens of UTF-8 text of less than 4 GiB. Text that looks like a special
 * token counts as plain text. In text that is not UTF-8, each maximal subpart of an
 * invalid sequence (Unicode 16, section 3.9) counts as one U+FFFD. */
int64_t ctx_tokens_text(struct ctx_tokenizer *t, const char *p, size_t n);

/* Multiplies n by the tokenizer's factor and rounds up. */
int64_t ctx_tokens_scale(const struct ctx_tokenizer *t, int64_t n);

/* Sets *ids to the token ids, a heap array that the caller frees (NULL if there are
 * none). Fails with CTX_EUSAGE if t is an estimate. */
int ctx_tokens_ids(struct ctx_tokenizer *t, const char *p, size_t n, uint32_t **ids,
    size_t *count, struct ctx_err *err);

/* Returns the tokens of the decoded text of a JSON string. */
int64_t ctx_tokens_string(struct ctx_tokenizer *t, struct ctx_span string);

/* Returns the tokens that a message adds to a request: texts, tool calls with names and
 * arguments, results, images (by their size, not by the length of their base64), and the
 * overhead of a message. Ids of calls and results are not counted, because the model does
 * not see them. An addition that defines a tool costs as much as the definition in a
 * body. */
int64_t ctx_tokens_message(struct ctx_tokenizer *t, const struct ctx_message *m);

/* Returns the most tokens that the message can add to a request to the provider (enum
 * ctx_provider; -1: unknown): as ctx_tokens_message, or more if an image has a higher
 * price in the provider's format. */
int64_t ctx_tokens_sent(
    struct ctx_tokenizer *t, const struct ctx_message *m, int provider);

/* The tokens of a body besides its messages. */
#define CTX_TOKENS_REPLY 3 /* tokens that a provider adds to begin the answer */

/* Returns the tokens of the tools of a body, an array. OpenAI's tools are counted as its
 * cookbook describes, including nested properties; other tools as their JSON, and
 * Anthropic's with the system prompt that they cause. Returns 0 if tools is not an array
 * or is empty. */
int64_t ctx_tokens_tools(struct ctx_tokenizer *t, struct ctx_span tools);

/* Returns the tokens of the system prompt that the provider adds as soon as a request has
 * a tool; 0 if it adds none. */
int64_t ctx_tokens_tools_prompt(const struct ctx_tokenizer *t, int provider);

/* Returns the tokens of the members of a body (checked JSON) other than its messages:
 * tools and system text. */
int64_t ctx_tokens_params(struct ctx_tokenizer *t, struct ctx_span body);

/* Returns the number of tokens of a JSON value other than a message that the model reads
 * as text. */
int64_t ctx_tokens_json(struct ctx_tokenizer *t, struct ctx_span json);

#endif
