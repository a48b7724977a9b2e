/* Summaries: shorter texts that replace a list of messages and keep the important facts.
 * These functions use no store, no I/O and no model; the same input gives the same bytes.
 * Text is UTF-8 in any script. Words, graphemes and sentences are found by the rules of
 * UAX #29. libunistring finds the words and graphemes; sentence ends are found with the
 * property Sentence_Terminal. If memory runs out, the process ends (base/mem.h). */
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

/* The messages to summarize, oldest first. The input has its own copies of the
 * messages. */
struct ctx_summary_input;
struct ctx_summary_input *ctx_summary_input_new(void);
void ctx_summary_input_free(struct ctx_summary_input *in); /* in may be NULL */

/* Adds plain text as one piece of a message. name: the name of the speaker or tool as
 * plain text, or absent. Each byte that is not UTF-8 becomes U+FFFD. Empty text adds
 * nothing. */
void ctx_summary_input_add(struct ctx_summary_input *in, enum ctx_role role,
    struct ctx_span name, struct ctx_span text);

/* Adds the texts, tool calls and tool results of a message. The arguments of a call are
 * added as one line of JSON. A result is labeled with the tool's name if the call was
 * added before. Thinking and images are left out. *m is not used after this function
 * returns. */
void ctx_summary_input_add_message(
    struct ctx_summary_input *in, const struct ctx_message *m);

/* Adds an earlier summary. If the text is a document in the format of
 * ctx_summary_extract, the lines of the document stay in their sections. */
void ctx_summary_input_add_earlier(struct ctx_summary_input *in, struct ctx_span text);

/* Appends the input as plain text: each piece as "role: text" or "role name: text",
 * followed by a newline. The label before the colon is omitted if it equals the label of
 * the previous piece. ctx_summary_facts_kept compares summaries with this text. */
void ctx_summary_input_text(const struct ctx_summary_input *in, struct ctx_buf *out);

/* ---- facts ---- */

enum ctx_fact_kind {
	/* amounts, dates, times and versions, written in digits of any script */
	CTX_FACT_NUMBER,
	CTX_FACT_PATH,       /* paths, and file names with an extension */
	CTX_FACT_IDENTIFIER, /* snake_case, camelCase, A1B2, CONST, --flag, `code` */
	CTX_FACT_URL,
	CTX_FACT_NAME,     /* capitalized words that do not start a sentence */
	CTX_FACT_ERROR,    /* a sentence or line that reports a failure */
	CTX_FACT_DECISION, /* a sentence that states a decision */
	CTX_FACT_KINDS,
};

/* A fact: a part of a text that a summary should keep. kind: the kind of fact; offset and
 * n: the position and the length of the part in the text, in bytes. */
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

/* maximum length in bytes of a fact that is a sentence (an error or a decision) */
#define CTX_FACT_SENTENCE_MAX 240
/* Appends all facts of the text to *out, ordered by offset. A fact that occurs twice is
 * appended twice. A sentence that is an error or a decision comes before the facts inside
 * the sentence; a sentence longer than CTX_FACT_SENTENCE_MAX bytes is cut between
 * graphemes. A byte that is not UTF-8 ends a fact. */
void ctx_summary_facts(struct ctx_span text, struct ctx_facts *out);

struct ctx_fact_share {
	size_t facts, kept;
};
/* Compares a text with its summary. candidate: the summary. Returns two numbers: "facts",
 * the number of different facts in the text (facts with the same kind and the same bytes
 * count once), and "kept", the number of these facts that the summary contains verbatim.
 * Places inside a longer ASCII word do not count. */
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

/* Returns the language with this code ("en", "de", "es", "zh"), or -1 if the code is
 * unknown. */
int ctx_summary_language_find(const char *code);

struct ctx_summary_options {
	struct ctx_tokenizer *tokenizer;
	/* maximum number of tokens of the whole summary, counted with this tokenizer;
	 * never exceeded */
	int64_t max_tokens;
	enum ctx_summary_language language; /* language of headings and verbs */
};

/* Appends a summary of the input: a document of sections with headings "## …". The
 * sections are: the user's requests, actions, outcomes, decisions, the present state, and
 * open tasks; empty sections are left out. A line starts with "- " or, if it belongs to a
 * request of the user, with the number of that request ("3. "). Output of tools is in
 * “quotation marks” or backticks. System messages are ignored. The last line has no
 * newline. Appends nothing if max_tokens is too small for any line. Returns -1 with
 * CTX_EUSAGE if max_tokens is not positive. */
int ctx_summary_extract(struct ctx_buf *out, const struct ctx_summary_input *in,
    const struct ctx_summary_options *o, struct ctx_err *err);

/* ---- guards ---- */

enum ctx_summary_verdict {
	CTX_SUMMARY_GOOD,
	CTX_SUMMARY_NOT_UTF8,
	/* the text has only white space, control and format characters */
	CTX_SUMMARY_EMPTY,
	CTX_SUMMARY_TOO_LONG,
	CTX_SUMMARY_MISSES, /* a required fact is missing */
};

struct ctx_summary_guard {
	struct ctx_tokenizer *tokenizer;
	/* number of tokens of the messages that the summary replaces; the summary must
	 * not have more tokens than this */
	int64_t replaces;
	/* plain texts that the summary must contain verbatim (compared as in
	 * ctx_summary_facts_kept) */
	const struct ctx_span *required;
	size_t n_required;
};

/* Checks whether a new summary may replace the messages. candidate: the text of the
 * summary. The checks run in the order of enum ctx_summary_verdict, and the first failure
 * is returned. On failure, sets *why to the reason (with the code CTX_EANSWER). */
enum ctx_summary_verdict ctx_summary_check(
    struct ctx_span candidate, const struct ctx_summary_guard *g, struct ctx_err *why);

/* Makes a summary by truncation, when all other methods have failed. Appends the start
 * and the end of the input's text, with a marker between them that says how much is
 * missing, or the whole text if it fits. Appends at most max_tokens tokens. */
void ctx_summary_truncate(struct ctx_buf *out, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, int64_t max_tokens);

/* ---- cutting ---- */

/* ctx_summary_head returns the length in bytes of the longest prefix of the text that has
 * at most max_tokens tokens and is cut between graphemes; ctx_summary_tail does the same
 * for the longest suffix. Both functions assume that token counts grow with length, and
 * read only a little more of the text than the prefix or suffix. */
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

/* Detects the type of a tool's output. JSON is one object or array. A diff has file
 * headers and hunks in the unified or git format. In a log, most lines start with a time
 * or a log level, or the text is long and has error lines. */
enum ctx_output_type ctx_summary_detect(struct ctx_span text);

/* Appends a text (well-formed UTF-8), condensed to at most max_tokens tokens, or
 * unchanged if it has no more than that. JSON remains JSON: keys, array sizes and first
 * elements are kept, and long strings are cut. A log keeps its first and last lines, its
 * error lines, and counts. A diff keeps the list of files with the numbers of added and
 * removed lines. Other text keeps its start and its end. A marker such as "[… N lines, M
 * bytes left out]" says how much was removed, unless max_tokens is too small for the
 * marker. Sets *type (type may be NULL) to the detected type. Returns true if anything
 * was removed. Condensing the result again to the same size changes nothing. */
bool ctx_summary_condense(struct ctx_buf *out, struct ctx_span text,
    struct ctx_tokenizer *t, int64_t max_tokens, enum ctx_output_type *type);

#endif
