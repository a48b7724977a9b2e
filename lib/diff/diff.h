/* Compares two requests, windows or transcripts message by message. Pure: no store, no I/O. */
#ifndef CTX_DIFF_DIFF_H
#define CTX_DIFF_DIFF_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "record/record.h"
#include "select/account.h"
#include "term/term.h"
#include "tokens/tokens.h"

enum ctx_diff_type {
	CTX_DIFF_MESSAGE,
	CTX_DIFF_SYSTEM, /* system text beside the messages of a body */
	CTX_DIFF_TOOL,   /* a tool definition of a body */
	CTX_DIFF_PARAM,  /* another member of a body */
};

/* The parts that tokens are counted by: those of a request record, and tools of a body. */
enum { CTX_DIFF_TOOLS = CTX_COMPONENTS, CTX_DIFF_PARTS };

/* One message, definition or member. Spans point into the arena of its side, or are absent. */
struct ctx_diff_entry {
	enum ctx_diff_type type;
	struct ctx_span json; /* the message or value, minified */
	struct ctx_span id; /* JSON string: of the record; the name of a tool or member */
	struct ctx_span source; /* text: "rule:refunds" */
	struct ctx_span words;  /* text: how it begins */
	struct ctx_span role;   /* text */
	enum ctx_slot slot;
	int64_t position; /* among the messages, from 1; 0 for other types */
	int64_t seq;      /* -1: absent */
	int64_t tokens;
};

/* One input. Zero-filled to start. */
struct ctx_diff_side {
	struct ctx_arena arena;
	struct ctx_diff_entry *entries;
	size_t n, cap;
	int64_t messages;               /* entries of that type */
	int64_t tokens[CTX_DIFF_PARTS]; /* by part */
	int64_t total;                  /* with the start of the answer */
};

/* Reads records and bare messages (one window or transcript), an array of them, or one
 * request body. Counts of records are used where the tokenizer is t's. CTX_EINPUT for other
 * or no input, and for several windows or bodies. text is no longer needed afterwards. */
int ctx_diff_read(struct ctx_diff_side *side, struct ctx_span text,
    struct ctx_tokenizer *t, struct ctx_err *err);
void ctx_diff_side_release(struct ctx_diff_side *side);

#define CTX_DIFF_NONE SIZE_MAX

/* A difference: an entry of A that went out (b is CTX_DIFF_NONE), one of B that came in (a is
 * CTX_DIFF_NONE), or one that changed. */
struct ctx_diff_change {
	size_t a, b; /* indexes of entries */
};

struct ctx_diff {
	const struct ctx_diff_side *a, *b; /* borrowed */
	struct ctx_diff_change *changes;
	size_t n, cap;
};

/* Finds the differences, in the order of the inputs. Equal entries are a longest common
 * subsequence (ctx_diff_match). An unmatched entry of each side is a change if both have
 * the same record id or, where one of them has none, if both are as far behind an equal
 * entry and have the same role, slot and source. */
void ctx_diff_compare(
    struct ctx_diff *d, const struct ctx_diff_side *a, const struct ctx_diff_side *b);
void ctx_diff_release(struct ctx_diff *d);

/* Sets match[i] to the index of the element of b that is paired with a[i] in a longest
 * common subsequence, or to CTX_DIFF_NONE. Elements are numbers below na + nb. Of an
 * element that b holds more than CTX_DIFF_PLACES times only so many places are tried, those
 * of about the same rank, so that time is O(n log n) and memory O(n); the subsequence may
 * be shorter then. */
#define CTX_DIFF_PLACES 32
void ctx_diff_match(
    const size_t *a, size_t na, const size_t *b, size_t nb, size_t *match);

/* Append the differences and the figures as text, one line a message, or as records. Text is
 * empty if nothing differs. name_a and name_b name the inputs. */
void ctx_diff_text(struct ctx_buf *out, const struct ctx_diff *d,
    const struct ctx_term *term, const char *name_a, const char *name_b);
void ctx_diff_ndjson(struct ctx_buf *out, const struct ctx_diff *d);

/* Appends a page of HTML that is self-contained and works without scripts, also if nothing
 * differs: each difference with its whole text, the changed part of it marked, and figures. */
void ctx_diff_html(struct ctx_buf *out, const struct ctx_diff *d, const char *name_a,
    const char *name_b);

/* Figures for printers. */
struct ctx_diff_sums {
	int64_t in, out, changed;
	int64_t in_tokens, out_tokens;
};
struct ctx_diff_sums ctx_diff_sum(const struct ctx_diff *d);
const char *ctx_diff_part_name(int part);

#endif
