/* Summaries: from a list of messages to fewer words that keep what matters. Pure: no
 * store, no I/O, no model. The same input gives the same bytes. Text is UTF-8 in any
 * script; words and graphemes follow Unicode (UAX #29) by libunistring, sentences the
 * same annex with its Sentence_Terminal property. Out of memory ends the process
 * (base/mem.h); nothing else here can. */
#ifndef CTX_SUMMARY_SUMMARY_H
#define CTX_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/message.h"
#include "tokens/tokens.h"

/* ---- input ---- */

/* The messages to summarise, oldest first. Keeps copies. */
struct ctx_summary_input;
struct ctx_summary_input *ctx_summary_input_new(void);
void ctx_summary_input_free(struct ctx_summary_input *in); /* NULL is fine */

/* Add a piece of a message as plain text. name is that of the speaker or tool, plain
 * text, or absent. Bytes that are not UTF-8 become U+FFFD. Text of no bytes adds
 * nothing. */
void ctx_summary_input_add(struct ctx_summary_input *in, enum ctx_role role,
    struct ctx_span name, struct ctx_span text);

/* Add a message: its texts; its tool calls, each as one line of JSON arguments; its tool
 * results, under the name of the tool where the call came before. No thinking, no
 * images. m is not needed afterwards. */
void ctx_summary_input_add_message(
    struct ctx_summary_input *in, const struct ctx_message *m);

/* Add a summary made before: the lines of a document keep their sections. */
void ctx_summary_input_add_earlier(struct ctx_summary_input *in, struct ctx_span text);

/* Append the input as plain text: "role: text" or "role name: text", a newline behind
 * each, the label left out where it repeats. It is what summaries are compared with. */
void ctx_summary_input_text(const struct ctx_summary_input *in, struct ctx_buf *out);

/* ---- facts ---- */

enum ctx_fact_kind {
	CTX_FACT_NUMBER,     /* amounts, dates, times, versions; digits of any script */
	CTX_FACT_PATH,       /* paths, and file names with an extension */
	CTX_FACT_IDENTIFIER, /* snake_case, camelCase, A1B2, CONST, --flag, `code` */
	CTX_FACT_URL,
	CTX_FACT_NAME,     /* capitalised words that begin no sentence */
	CTX_FACT_ERROR,    /* a sentence or line that reports a failure */
	CTX_FACT_DECISION, /* a sentence that settles something */
	CTX_FACT_KINDS,
};

/* n bytes at offset bytes into the text. */
struct ctx_fact {
	enum ctx_fact_kind kind;
	size_t offset, n;
};

struct ctx_facts {
	struct ctx_fact *v;
	size_t n, cap;
};

#define CTX_FACTS_INIT     \
	{                  \
		NULL, 0, 0 \
	}

void ctx_facts_release(struct ctx_facts *f);

/* Append every fact of the text in order of offset, repeated ones too; a sentence that
 * is an error or a decision comes before the facts inside it, and is at most
 * CTX_FACT_SENTENCE_MAX bytes long (cut between graphemes). Never fails; bytes that are
 * not UTF-8 end a fact. */
#define CTX_FACT_SENTENCE_MAX 240
void ctx_summary_facts(struct ctx_span text, struct ctx_facts *out);

const char *ctx_fact_kind_name(enum ctx_fact_kind kind); /* "number", "path", … */

/* Distinct facts of text (by kind and bytes), and how many of them stand verbatim in
 * candidate, not inside a longer ASCII word. */
struct ctx_fact_share {
	size_t facts, kept;
};
struct ctx_fact_share ctx_summary_facts_kept(
    struct ctx_span text, struct ctx_span candidate);

/* ---- the document ---- */

enum ctx_summary_language {
	CTX_SUMMARY_EN,
	CTX_SUMMARY_DE,
	CTX_SUMMARY_ES,
	CTX_SUMMARY_ZH,
	CTX_SUMMARY_LANGUAGES,
};

/* By its code: "en", "de", "es", "zh"; -1 if it is none of these. */
int ctx_summary_language_find(const char *code);

struct ctx_summary_options {
	struct ctx_tokenizer *tokenizer;
	int64_t max_tokens; /* of the whole summary by that tokenizer; never exceeded */
	enum ctx_summary_language language; /* of headings and verbs */
};

/* Append a summary: a document of sections "## …", each of lines that begin with "- " or,
 * where they belong to a request of the user, with its number, "3. ". The sections tell
 * what the user asked, what was done, what came out, what was decided, the state of
 * things, and what is open; those without lines are left out. What a tool printed stands
 * in “quotation marks” or between backticks. System messages are not told. The last line has
 * no newline. Appends nothing when nothing fits. CTX_EUSAGE when max_tokens is below 1. Time n log n in the input. */
int ctx_summary_extract(struct ctx_buf *out, const struct ctx_summary_input *in,
    const struct ctx_summary_options *o, struct ctx_err *err);

/* ---- guards ---- */

enum ctx_summary_verdict {
	CTX_SUMMARY_GOOD,
	CTX_SUMMARY_NOT_UTF8,
	CTX_SUMMARY_EMPTY, /* nothing visible: white space, controls, format characters */
	CTX_SUMMARY_TOO_LONG,
	CTX_SUMMARY_MISSES, /* a required fact is missing */
};

const char *ctx_summary_verdict_name(enum ctx_summary_verdict v); /* "good", "empty", … */

struct ctx_summary_guard {
	struct ctx_tokenizer *tokenizer;
	int64_t replaces; /* tokens of what it replaces; more is too long */
	const struct ctx_span
	    *required; /* plain text; as ctx_summary_facts_kept keeps it */
	size_t n_required;
};

/* May this text stand in place of what it replaces? Anything but CTX_SUMMARY_GOOD comes
 * with a reason in *why (code CTX_EANSWER), checked in the order of the enum. */
enum ctx_summary_verdict ctx_summary_check(
    struct ctx_span candidate, const struct ctx_summary_guard *g, struct ctx_err *why);

/* The last fallback: append beginning and end of the input's text with a marker of how
 * much is gone between, at most max_tokens; whole when it fits. */
void ctx_summary_truncate(struct ctx_buf *out, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, int64_t max_tokens);

/* ---- cutting ---- */

/* The last boundary between graphemes at or before byte k of text; n at most. */
size_t ctx_summary_boundary(struct ctx_span text, size_t k);

/* Bytes of a prefix, or of a suffix, of text that ends between graphemes and has at most
 * max_tokens tokens: the longest one as far as counts grow with length. Looks at no more
 * of the text than a small multiple of the result. */
size_t ctx_summary_head(
    struct ctx_span text, struct ctx_tokenizer *t, int64_t max_tokens);
size_t ctx_summary_tail(
    struct ctx_span text, struct ctx_tokenizer *t, int64_t max_tokens);

/* ---- tool outputs ---- */

enum ctx_output_type {
	CTX_OUTPUT_TEXT,
	CTX_OUTPUT_JSON,
	CTX_OUTPUT_LOG,
	CTX_OUTPUT_DIFF,
};

const char *ctx_output_type_name(enum ctx_output_type type);

/* What does the text look like? JSON: one value, an object or array. Diff: file headers
 * and hunks of unified or git format. Log: most lines begin with a time or level, or a
 * long text has error lines. */
enum ctx_output_type ctx_summary_detect(struct ctx_span text);

/* Append text, well-formed UTF-8, in at most max_tokens tokens. Unchanged when it fits.
 * JSON stays JSON: keys, sizes of arrays, first elements, long strings cut. Of logs first
 * and last lines, error lines, counts; of diffs the files with lines added and removed;
 * of other text head and tail. A marker "[… N lines, M bytes left out]" or the like says
 * what is gone; it is missing only when max_tokens is too small for one. *type, when not
 * NULL, is what it was taken for. Returns whether anything was left out. Condensing
 * the result again at the same target gives the same bytes. */
bool ctx_summary_condense(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens, enum ctx_output_type *type);

#endif
