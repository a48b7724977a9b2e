/* Private to lib/redact. */
#ifndef CTX_REDACT_INTERNAL_H
#define CTX_REDACT_INTERNAL_H

#include <stdint.h>

#include "redact/redact.h"

/* ---- views: decoded texts ----
 *
 * A view is a copy of a text in which JSON escapes (nested to any depth) and
 * percent-encoding are decoded and ANSI color sequences are omitted. Rules search the
 * view instead of the text, because the same secret can be encoded in several ways in a
 * text, but is always the same in a view. Positions in the view can be converted to
 * positions in the text. */

struct view_mark {
	/* at: position in the view; from: the same position in the text */
	size_t at, from;
	/* n: length in bytes in the view; len: length in bytes in the text. A color
	 * sequence, which the view omits, has n = 0. */
	uint32_t n, len;
};
struct view {
	struct ctx_buf text;
	struct view_mark *mark;
	size_t n, cap;
};
void ctx_redact_view(struct view *v, struct ctx_span text);
/* Converts a byte range of the view, [from, to), to the byte range [*begin, *end) of the
 * text. The range must not be empty. */
void ctx_redact_view_place(
    const struct view *v, size_t from, size_t to, size_t *begin, size_t *end);
/* Returns true if a color sequence was omitted directly before the byte of the view at
 * the position "at". */
bool ctx_redact_view_colour(const struct view *v, size_t at);
void ctx_redact_view_release(struct view *v);

/* ---- literals ---- */

struct literal {
	const char *text;
	size_t n;
	size_t rule, back;
};
/* An Aho-Corasick automaton that finds all literals of all rules in one pass over a text.
 * The case of ASCII letters is ignored. */
struct finder {
	uint8_t class[256];
	/* base-2 logarithm of the number of entries in a row of the transition table */
	unsigned shift;
	/* transition table of the automaton, with one row for each state. An entry is the
	 * number of the next state, combined with the bit FINDER_HIT if a literal ends at
	 * the next state or at a suffix of the next state. */
	uint16_t *next;
	/* for each state of the automaton: index of a literal that ends at this state, or
	 * -1 */
	int32_t *first;
	/* for each literal: index of another literal that ends at the same state of the
	 * automaton, or -1 */
	int32_t *same;
	/* for each state of the automaton: the state of its longest proper suffix at
	 * which a literal ends, or 0 */
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
	void *code;   /* the compiled pattern (pcre2_code); NULL until its first use */
	size_t until; /* the rule has searched the current text up to this position */
	bool group, broken;
};

struct found {
	size_t from, to; /* byte range in the view */
	size_t rule;
};

/* Checks a text that the rule found (secret). Returns true if the text looks like a real
 * secret, and false if it looks like something else, such as a placeholder. */
bool ctx_redact_value_ok(const struct rule *rule, struct ctx_span secret);
/* Returns true if a match is probably not a secret, because it is inside base64 data, or
 * follows a word that names a hash or a signature. from: position of the match in the
 * text; value: true if the rule that matched has the check RULE_VALUE. */
bool ctx_redact_value_opaque(struct ctx_span text, size_t from, bool value);
/* Returns true if the object's member with this key must not be changed, because the
 * member's value is an id, a digest, a signature or encoded data. */
bool ctx_redact_member_opaque(struct ctx_span key, struct ctx_span object);

#endif
