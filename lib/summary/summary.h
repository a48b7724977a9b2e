/* Summaries: fewer words in place of a list of messages, keeping what matters. Pure: no
 * store, no I/O, no model; the same input gives the same bytes. Text is UTF-8 in any
 * script; words and graphemes follow Unicode (UAX #29) by libunistring, sentences the
 * same annex with its Sentence_Terminal property. Out of memory ends the process
 * (base/mem.h); there are no other errors. */
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

/* Adds a piece of a message as plain text. name is the speaker's or tool's, plain text,
 * or absent. Bytes that are not UTF-8 become U+FFFD. Empty text adds nothing. */
void ctx_summary_input_add(struct ctx_summary_input *in, enum ctx_role role,
    struct ctx_span name, struct ctx_span text);

/* Adds a message: its texts, its tool calls (each as one line of JSON arguments), its
 * tool results (under the tool's name if the call was added before), but no thinking and
 * no images. Copies what it needs of m. */
void ctx_summary_input_add_message(
    struct ctx_summary_input *in, const struct ctx_message *m);

/* Adds an earlier summary; the lines of a document keep their sections. */
void ctx_summary_input_add_earlier(struct ctx_summary_input *in, struct ctx_span text);

/* Appends the input as plain text: "role: text" or "role name: text", each followed by a
 * newline, without repeating a label. Summaries are compared with this text. */
void ctx_summary_input_text(const struct ctx_summary_input *in, struct ctx_buf *out);

/* ---- facts ---- */

enum ctx_fact_kind {
	CTX_FACT_NUMBER,     /* amounts, dates, times, versions; digits of any script */
	CTX_FACT_PATH,       /* paths, and file names with an extension */
	CTX_FACT_IDENTIFIER, /* snake_case, camelCase, A1B2, CONST, --flag, `code` */
	CTX_FACT_URL,
	CTX_FACT_NAME,     /* capitalised words that do not start a sentence */
	CTX_FACT_ERROR,    /* a sentence or line that reports a failure */
	CTX_FACT_DECISION, /* a sentence that states a decision */
	CTX_FACT_KINDS,
};

/* n bytes at offset, in bytes, within the text. */
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

/* Appends every fact of the text ordered by offset, including repeated ones. An error
 * or decision sentence precedes the facts inside it and is at most
 * CTX_FACT_SENTENCE_MAX bytes long (cut between graphemes). Never fails; bytes that
 * are not UTF-8 end a fact. */
#define CTX_FACT_SENTENCE_MAX 240
void ctx_summary_facts(struct ctx_span text, struct ctx_facts *out);

const char *ctx_fact_kind_name(enum ctx_fact_kind kind); /* "number", "path", … */

/* Counts the distinct facts of text (by kind and bytes), and how many of them candidate
 * contains verbatim, not inside a longer ASCII word. */
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

/* Finds a language by its code: "en", "de", "es", "zh"; -1 if unknown. */
int ctx_summary_language_find(const char *code);

struct ctx_summary_options {
	struct ctx_tokenizer *tokenizer;
	/* size limit of the whole summary, counted by that tokenizer; never exceeded */
	int64_t max_tokens;
	enum ctx_summary_language language; /* of headings and verbs */
};

/* Appends a summary: a document of sections "## …" whose lines start with "- " or, if
 * they belong to a request of the user, with its number, "3. ". Sections: what the user
 * asked, what was done, what came out, what was decided, the state of things, and what is
 * open; empty sections are left out. Output of tools is in “quotation marks” or
 * backticks. System messages are not included. The last line has no newline. Appends
 * nothing when nothing fits. CTX_EUSAGE when max_tokens is not positive. */
int ctx_summary_extract(struct ctx_buf *out, const struct ctx_summary_input *in,
    const struct ctx_summary_options *o, struct ctx_err *err);

/* ---- guards ---- */

enum ctx_summary_verdict {
	CTX_SUMMARY_GOOD,
	CTX_SUMMARY_NOT_UTF8,
	/* nothing visible: only white space, controls, format characters */
	CTX_SUMMARY_EMPTY,
	CTX_SUMMARY_TOO_LONG,
	CTX_SUMMARY_MISSES, /* a required fact is missing */
};

struct ctx_summary_guard {
	struct ctx_tokenizer *tokenizer;
	int64_t replaces; /* tokens of what it replaces; a summary must not be longer */
	const struct ctx_span
	    *required; /* plain texts, compared as in ctx_summary_facts_kept */
	size_t n_required;
};

/* Checks whether this text may replace the messages. Any result except CTX_SUMMARY_GOOD
 * comes with a reason in *why (code CTX_EANSWER); the checks run in the order of the
 * enum. */
enum ctx_summary_verdict ctx_summary_check(
    struct ctx_span candidate, const struct ctx_summary_guard *g, struct ctx_err *why);

/* The last fallback: appends the start and the end of the input's text, at most
 * max_tokens, with a marker between that says how much is missing; the whole text if it
 * fits. */
void ctx_summary_truncate(struct ctx_buf *out, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, int64_t max_tokens);

/* ---- cutting ---- */

/* Returns the last grapheme boundary at or before byte k of text, at most n. */
size_t ctx_summary_boundary(struct ctx_span text, size_t k);

/* Returns the length in bytes of a prefix or a suffix of text that ends between graphemes
 * and has at most max_tokens tokens: the longest one, as far as token counts grow with
 * length. Reads little more of the text than the result. */
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

/* Detects the type of an output. JSON: one object or array. Diff: file headers and hunks
 * of the unified or git format. Log: most lines start with a time or level, or a long
 * text has error lines. */
enum ctx_output_type ctx_summary_detect(struct ctx_span text);

/* Appends text (well-formed UTF-8), condensed to at most max_tokens tokens; unchanged
 * if it fits. JSON stays JSON: keys, array sizes and first elements are kept, long
 * strings are cut. A log keeps its first and last lines, its error lines and counts; a
 * diff the list of files with the numbers of added and removed lines; other text its
 * start and end. A marker such as "[… N lines, M bytes left out]" says what was
 * removed, unless max_tokens is too small for it. *type (may be NULL) is set to the
 * detected type. Returns true if anything was removed. Condensing the result again to
 * the same size changes nothing. */
bool ctx_summary_condense(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens, enum ctx_output_type *type);

#endif
