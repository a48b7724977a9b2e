/* Private to lib/redact. */
#ifndef CTX_REDACT_INTERNAL_H
#define CTX_REDACT_INTERNAL_H

#include <stdint.h>

#include "redact/redact.h"

/* ---- views: text with its escapes undone ---- A view is the text without JSON escapes
 * (nested to any depth), percent-encoding and ANSI colors, so that a secret has one form
 * only. Positions in the view map to positions in the text. */

struct view_mark {
	size_t at, from; /* position in the view; position in the text */
	/* lengths in the view and in the text, in bytes; n is 0 for a color sequence,
	 * which the view omits */
	uint32_t n, len;
};
struct view {
	struct ctx_buf text;
	struct view_mark *mark;
	size_t n, cap;
};
void ctx_redact_view(struct view *v, struct ctx_span text);
/* Computes the byte range of the text that corresponds to bytes from..to of the view, to
 * > from. */
void ctx_redact_view_place(
    const struct view *v, size_t from, size_t to, size_t *begin, size_t *end);
/* Returns true if a color sequence was omitted directly before this byte of the view. */
bool ctx_redact_view_colour(const struct view *v, size_t at);
void ctx_redact_view_release(struct view *v);

/* ---- literals ---- */

struct literal {
	const char *text;
	size_t n;
	size_t rule, back;
};
/* An automaton that finds all literals in one pass, ignoring the case of ASCII
 * letters. */
struct finder {
	uint8_t class[256];
	unsigned shift; /* log2 of the length of a state's row */
	/* transition rows, one for each state; FINDER_HIT marks a target state that ends
	 * a literal */
	uint16_t *next;
	int32_t *first; /* for each state, a literal that ends there, or -1 */
	/* for each literal, another one that ends in the same state, or -1 */
	int32_t *same;
	/* for each state, the longest proper suffix that is a state with literals, or
	 * 0 */
	uint16_t *suffix;
	size_t states;
};
#define FINDER_HIT 0x8000u
void ctx_redact_finder_build(struct finder *f, const struct literal *list, size_t n);
void ctx_redact_finder_release(struct finder *f);

/* ---- rules ---- */

enum rule_check { RULE_FORM, RULE_VALUE, RULE_PLACEHOLDER };

struct rule {
	char *name, *pattern;
	double entropy;
	enum rule_check check;
	void *code;   /* pcre2_code, compiled at first use */
	size_t until; /* the rule has searched the current text up to this position */
	bool group, broken;
};

struct found {
	size_t from, to; /* byte range in the view */
	size_t rule;
};

/* Returns true if the value looks like a real secret rather than a placeholder. */
bool ctx_redact_value_ok(const struct rule *rule, struct ctx_span secret);
/* Returns true if position from is inside base64 data, or follows a word that announces a
 * hash or a signature. */
bool ctx_redact_value_opaque(struct ctx_span text, size_t from, bool value);
/* Returns true if the object's member with this key must not be changed, because it holds
 * an id, a digest, a signature or data. */
bool ctx_redact_member_opaque(struct ctx_span key, struct ctx_span object);

#endif
