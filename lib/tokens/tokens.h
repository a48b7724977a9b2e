/* Counts the tokens of texts, the tokens that providers charge for messages, and the
 * tokens of whole request bodies. */
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

/* maximum size of a rank file, in bytes */
#define CTX_TOKENS_RANKS_MAX ((size_t)256 << 20)

/* Opens a tokenizer by name:
 *   approx       an estimate without a vocabulary (the default)
 *   chars4       floor(code points / 4), at least 1
 *   cl100k_base, o200k_base   exact; uses dir/NAME.tbl, which `make tokenizers` builds.
 *                dir is the directory of tables, or NULL. If the table is missing, fails
 *                with CTX_EUSAGE and a message that says how to build the table.
 *   a path       of a rank file (.tiktoken) or a table. A rank file does not contain the
 *                pattern for splitting text: the pattern of cl100k_base is used if the
 *                name of the file begins with cl100k, otherwise that of o200k_base.
 * A suffix *FACTOR (0.1 to 10) multiplies every count except those of images and PDF
 * documents, whose prices are the providers' own, and rounds up. Fails with CTX_EUSAGE
 * for any other name, and with CTX_EINPUT or CTX_EIO for a file that is neither a rank
 * file nor a table. */
int ctx_tokenizer_open(
    struct ctx_tokenizer **out, const char *name, const char *dir, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *t);
const char *ctx_tokenizer_name(const struct ctx_tokenizer *t);

/* Returns the tokenizer's factor in thousandths; 1000 if the tokenizer has no factor. */
int64_t ctx_tokenizer_factor(const struct ctx_tokenizer *t);

/* name: the name of a tokenizer. Appends this name without the factor to *base. Returns
 * the factor in thousandths; 1000 if the name has no factor. */
int64_t ctx_tokenizer_split(struct ctx_buf *base, const char *name);

/* Changes the factor of tokenizer t. name: the tokenizer's name with the new factor, or
 * without a factor. Returns true if the tokenizer now has this name. If it is the name of
 * another tokenizer, changes nothing and returns false. */
bool ctx_tokenizer_rescale(struct ctx_tokenizer *t, const char *name);

/* Appends the name of a tokenizer, and the factor that converts the tokenizer's counts
 * into the model's counts, to *name. base: the tokenizer's name. The factor is the
 * learned factor in a calibration line for this model and tokenizer or, if there is no
 * such line, the model table's factor (ctx_model_factor). Appends no factor if the model
 * is unknown, or if the tokenizer's name cannot get a factor (ctx_tokenizer_is_scalable).
 * The arguments "calibration" and "models" are as for ctx_tokenizer_for_model. */
void ctx_tokenizer_scaled_name(struct ctx_buf *name, const char *base, const char *model,
    struct ctx_span calibration, struct ctx_span models);

/* Returns true if ctx_tokenizer_scaled_name can add a factor to the name. Returns false
 * if the name already has a factor or is a path. */
bool ctx_tokenizer_is_scalable(const char *name);

/* Appends the name of the tokenizer for a provider's model. calibration: output of
 * ctx-count --calibrate, or absent; models: the user's model table, or absent.
 *
 * A calibration line for the model gives the tokenizer and the factor. A line also
 * applies to models whose names begin with the line's model name (the longest name wins),
 * and a line for a name with a date also applies to the name without the date. If no line
 * applies, the tokenizer is the vocabulary that OpenAI's library tiktoken (model.py) uses
 * for the model. If tiktoken does not list the model, the tokenizer is the default
 * tokenizer with the model table's factor (ctx_model_factor).
 *
 * If a name that begins with "openai/" or "ft:" is not found, the name without this
 * prefix is looked up. */
void ctx_tokenizer_for_model(struct ctx_buf *name, const char *model,
    struct ctx_span calibration, struct ctx_span models);

/* Returns a string that identifies the tokenizer's data: if tokenizers of the same name
 * give different counts, their strings differ. The string is the SHA-256 of the rank file
 * in hexadecimal; for approx, the version of the weights; for chars4, "". The string is
 * valid until t is closed. */
struct ctx_span ctx_tokenizer_source(const struct ctx_tokenizer *t);

/* Returns the number of tokens of the n bytes of UTF-8 text at p. n must be less than 4
 * GiB. Text that looks like a special token counts as plain text. In text that is not
 * UTF-8, each maximal subpart of an invalid sequence (Unicode 16, section 3.9) counts as
 * one U+FFFD. */
int64_t ctx_tokens_text(struct ctx_tokenizer *t, const char *p, size_t n);

/* Multiplies n by the tokenizer's factor and rounds up. */
int64_t ctx_tokens_scale(const struct ctx_tokenizer *t, int64_t n);

/* Sets *ids to an array with the token ids of the n bytes of text at p, and *count to the
 * number of these ids. The caller frees the array; it is NULL if the text has no tokens.
 * Fails with CTX_EUSAGE if t has no vocabulary and only estimates counts. */
int ctx_tokens_ids(struct ctx_tokenizer *t, const char *p, size_t n, uint32_t **ids,
    size_t *count, struct ctx_err *err);

/* Returns the number of tokens of the decoded text of a JSON string. */
int64_t ctx_tokens_string(struct ctx_tokenizer *t, struct ctx_span string);

/* Returns the number of tokens that a message adds to a request. Counts texts, tool calls
 * with names and arguments, tool results, images (by their size in pixels, not by the
 * length of their base64), and the overhead of a message. Does not count the ids of calls
 * and results, because the model does not see them. For a message that defines a tool,
 * counts the definition as if it were in the tools of the request body. */
int64_t ctx_tokens_message(struct ctx_tokenizer *t, const struct ctx_message *m);

/* Returns the maximum number of tokens that the message can add to a request to the
 * provider (enum ctx_provider; -1: unknown). This is the result of ctx_tokens_message, or
 * more if an image has a higher price in the provider's format. */
int64_t ctx_tokens_sent(
    struct ctx_tokenizer *t, const struct ctx_message *m, int provider);

/* The constant and the functions below give the tokens of a request body that do not
 * belong to its messages. */
#define CTX_TOKENS_REPLY 3 /* tokens that a provider adds to begin the answer */

/* Returns the number of tokens of the tools in a request body. tools: the body's array of
 * tools. OpenAI's tools are counted as OpenAI's cookbook describes, including nested
 * properties. Other tools are counted as JSON text; the system prompt that Anthropic adds
 * for tools is counted too. Returns 0 if the argument is not an array or is empty. */
int64_t ctx_tokens_tools(struct ctx_tokenizer *t, struct ctx_span tools);

/* Returns the number of tokens of the system prompt that the provider adds to a request
 * that has tools; 0 if the provider adds no prompt. provider: value of enum
 * ctx_provider. */
int64_t ctx_tokens_tools_prompt(const struct ctx_tokenizer *t, int provider);

/* Returns the number of tokens of a request body (valid JSON) without its messages: the
 * tokens of the tools and of the system text. */
int64_t ctx_tokens_params(struct ctx_tokenizer *t, struct ctx_span body);

/* Returns the number of tokens of a JSON value that the model reads as text. The value is
 * not a message; for a message, use ctx_tokens_message. */
int64_t ctx_tokens_json(struct ctx_tokenizer *t, struct ctx_span json);

#endif
