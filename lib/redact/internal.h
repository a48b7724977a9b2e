/* Shared by the files of this layer only. */
#ifndef CTX_REDACT_INTERNAL_H
#define CTX_REDACT_INTERNAL_H

#include <stdint.h>

#include "redact/redact.h"

/* ---- views: text as it was before it was escaped ----
 * Escapes of JSON (however often), percent-encoding and ANSI colours are undone, so that a
 * secret has one form; a position in the view has its place in the text. */

struct view_mark {
	size_t at, from; /* in the view, in the text */
	uint32_t n, len; /* bytes there: n is 0 for a colour, which the view leaves out */
};
struct view {
	struct ctx_buf text;
	struct view_mark *mark;
	size_t n, cap;
};
void ctx_redact_view(struct view *v, struct ctx_span text);
/* The bytes of the text that bytes from..to (to > from) of the view stand for. */
void ctx_redact_view_place(
    const struct view *v, size_t from, size_t to, size_t *begin, size_t *end);
/* Was a colour left out just before this byte of the view? */
bool ctx_redact_view_colour(const struct view *v, size_t at);
void ctx_redact_view_release(struct view *v);

/* ---- literals ---- */

struct literal {
	const char *text;
	size_t n;
	size_t rule, back;
};
/* An automaton that finds all of the literals in one pass, without regard to ASCII case. */
struct finder {
	uint8_t class[256];
	unsigned shift;   /* of a state's row */
	uint16_t *next;   /* rows; FINDER_HIT marks states in which literals end */
	int32_t *first;   /* of a state: the literal that ends in it, -1 */
	int32_t *same;    /* of a literal: the next that ends in the same state, -1 */
	uint16_t *suffix; /* of a state: the next shorter one with literals, 0 */
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
	void *code;   /* pcre2_code, compiled when it is first needed */
	size_t until; /* what it has looked at in this text */
	bool group, broken;
};

struct found {
	size_t from, to; /* in the view */
	size_t rule;
};

/* Is the secret one that looks like a secret? */
bool ctx_redact_value_ok(const struct rule *rule, struct ctx_span secret);
/* Is what begins at from in the middle of base64, or behind a word that says it is a hash or
 * a signature? */
bool ctx_redact_value_opaque(struct ctx_span text, size_t from, bool value);
/* May this member of an object hold no change? */
bool ctx_redact_member_opaque(struct ctx_span key, struct ctx_span object);

#endif
