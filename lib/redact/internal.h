/* Private to lib/redact. */
#ifndef CTX_REDACT_INTERNAL_H
#define CTX_REDACT_INTERNAL_H

#include <stdint.h>

#include "redact/redact.h"

/* ---- views: text with its escapes undone ---- JSON escapes (nested any number of
 * times), percent-encoding and ANSI colours are undone, so that a secret has one form.
 * Positions in the view map to positions in the text. */

struct view_mark {
	size_t at, from; /* position in the view, position in the text */
	/* lengths in the view and in the text; n is 0 for a colour, which the view
	 * omits */
	uint32_t n, len;
};
struct view {
	struct ctx_buf text;
	struct view_mark *mark;
	size_t n, cap;
};
void ctx_redact_view(struct view *v, struct ctx_span text);
/* Computes the range of the text that bytes from..to of the view (to > from) stand for. */
void ctx_redact_view_place(
    const struct view *v, size_t from, size_t to, size_t *begin, size_t *end);
/* True if a colour was omitted directly before this byte of the view. */
bool ctx_redact_view_colour(const struct view *v, size_t at);
void ctx_redact_view_release(struct view *v);

/* ---- literals ---- */

struct literal {
	const char *text;
	size_t n;
	size_t rule, back;
};
/* An automaton that finds all literals in one pass, ignoring ASCII case. */
struct finder {
	uint8_t class[256];
	unsigned shift; /* of a state's row */
	uint16_t *next; /* rows; FINDER_HIT marks states in which literals end */
	int32_t *first; /* for each state, the literal that ends in it, or -1 */
	/* for each literal, the next one that ends in the same state, or -1 */
	int32_t *same;
	/* for each state, the longest shorter state with literals, or 0 */
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
	void *code;   /* pcre2_code, compiled on first use */
	size_t until; /* position in this text up to which the rule has searched */
	bool group, broken;
};

struct found {
	size_t from, to; /* in the view */
	size_t rule;
};

/* True if the value looks like a real secret. */
bool ctx_redact_value_ok(const struct rule *rule, struct ctx_span secret);
/* True if from is inside base64 data, or follows a word that marks a hash or a signature. */
bool ctx_redact_value_opaque(struct ctx_span text, size_t from, bool value);
/* True if this member of an object must not be changed. */
bool ctx_redact_member_opaque(struct ctx_span key, struct ctx_span object);

#endif
