/* Compares two requests, windows or transcripts, message by message. Pure: no store, no
 * I/O. */
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
	/* the system text of a body, if this text is not among the messages */
	CTX_DIFF_SYSTEM,
	CTX_DIFF_TOOL,  /* a tool definition of a body */
	CTX_DIFF_PARAM, /* another member of a body */
};

/* The parts of an input whose tokens are counted separately: a part for each component
 * of a request record (enum ctx_component), and one for the tool definitions of a
 * body. */
enum { CTX_DIFF_TOOLS = CTX_COMPONENTS, CTX_DIFF_PARTS };

/* One message, tool definition or other member of an input. Spans point into the arena
 * of the struct ctx_diff_side that contains the entry, or are absent. */
struct ctx_diff_entry {
	enum ctx_diff_type type;
	struct ctx_span json; /* the message or value, minified */
	/* JSON string: the record's id, or the name of a tool or member */
	struct ctx_span id;
	struct ctx_span source; /* plain text, such as "rule:refunds" */
	struct ctx_span words;  /* plain text: the beginning of the message */
	struct ctx_span role;   /* plain text */
	enum ctx_slot slot;
	/* position among the messages of the input, counted from 1; 0 if the entry is
	 * not a message */
	int64_t position;
	int64_t seq; /* sequence number; -1 if absent */
	int64_t tokens;
};

/* One of the two inputs to compare. Initialize with zeros. */
struct ctx_diff_side {
	struct ctx_arena arena;
	struct ctx_diff_entry *entries;
	size_t n, cap;
	int64_t messages;               /* number of entries of type CTX_DIFF_MESSAGE */
	int64_t tokens[CTX_DIFF_PARTS]; /* tokens of each part */
	int64_t total; /* tokens of the whole request, including CTX_TOKENS_REPLY */
};

/* Reads an input into *side. text: one window or transcript (records or bare messages, as
 * lines or as an array), or one request body. The token counts in the records are used if
 * they were made with the tokenizer t; otherwise the tokens are counted with t. Fails
 * with CTX_EINPUT if the text is something else, is empty, or contains several windows or
 * bodies. The caller may free the text after the call. */
int ctx_diff_read(struct ctx_diff_side *side, struct ctx_span text,
    struct ctx_tokenizer *t, struct ctx_err *err);
void ctx_diff_side_release(struct ctx_diff_side *side);

#define CTX_DIFF_NONE SIZE_MAX

/* A difference: a is an entry of input A, and b an entry of input B. If b is NULL, only
 * input A has the entry. If a is NULL, only input B has it. Otherwise the entry changed
 * from a to b. */
struct ctx_diff_change {
	const struct ctx_diff_entry *a, *b; /* borrowed from the inputs */
};
/* Returns "in", "out" or "changed". */
const char *ctx_diff_change_name(const struct ctx_diff_change *c);

struct ctx_diff {
	const struct ctx_diff_side *a, *b; /* borrowed */
	struct ctx_diff_change *changes;
	size_t n, cap;
};

/* Finds the differences between a and b, in the order of the inputs. Equal entries are
 * matched as a longest common subsequence (ctx_diff_match). An entry that only a has and
 * an entry that only b has are reported as one changed entry in two cases: they have the
 * same id; or at least one of them has no id, both have the same role, slot and source,
 * and both come at the same distance after the last pair of equal entries. */
void ctx_diff_compare(
    struct ctx_diff *d, const struct ctx_diff_side *a, const struct ctx_diff_side *b);
void ctx_diff_release(struct ctx_diff *d);

/* Finds a longest common subsequence of a and b: sets match[i] to the index in b of the
 * element paired with a[i], or to CTX_DIFF_NONE. All elements must be less than na + nb.
 * With n = na + nb, the time is O(n log n) and the memory O(n), because at most
 * CTX_DIFF_PLACES positions in b are tried for each element of a. If b contains an
 * element more often than that, the result can be shorter than a longest common
 * subsequence. */
#define CTX_DIFF_PLACES 32
void ctx_diff_match(
    const size_t *a, size_t na, const size_t *b, size_t nb, size_t *match);

/* ctx_diff_text appends the differences as text, one line for each, and the totals;
 * name_a and name_b are the names of the inputs. It appends nothing if there are no
 * differences. ctx_diff_ndjson appends the differences and totals as records. */
void ctx_diff_text(struct ctx_buf *out, const struct ctx_diff *d,
    const struct ctx_term *term, const char *name_a, const char *name_b);
void ctx_diff_ndjson(struct ctx_buf *out, const struct ctx_diff *d);

/* Appends an HTML page that is self-contained and works without scripts. The page has
 * the totals, and each difference with its whole text, in which the changed part is
 * highlighted. Appends a page even if there are no differences. */
void ctx_diff_html(struct ctx_buf *out, const struct ctx_diff *d, const char *name_a,
    const char *name_b);

/* Totals over all differences. in: number of entries that only input B has; out: number
 * of entries that only input A has; changed: number of changed entries. */
struct ctx_diff_sums {
	int64_t in, out, changed;
	int64_t in_tokens, out_tokens;
};
struct ctx_diff_sums ctx_diff_sum(const struct ctx_diff *d);
const char *ctx_diff_part_name(int part);

#endif
