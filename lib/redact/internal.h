/* Private to lib/redact. */
#ifndef CTX_REDACT_INTERNAL_H
#define CTX_REDACT_INTERNAL_H

#include <stdint.h>

#include "redact/redact.h"

/* ---- views: decoded texts ----
 *
 * A view is a copy of a text in which JSON escapes (nested to any depth) and
 * percent-encoding are decoded and ANSI color sequences are omitted. Rules search the
 * view instead of the text: the text can write the same secret in several ways, the view
 * in only one. Positions in the view can be converted to positions in the text. */

struct view_mark {
	size_t at, from; /* position in the view, and the same position in the text */
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
/* Sets *begin and *end to the byte range [*begin, *end) of the text that corresponds to
 * the byte range [from, to) of the view, which must not be empty. */
void ctx_redact_view_place(
    const struct view *v, size_t from, size_t to, size_t *begin, size_t *end);
/* Returns true if a color sequence was omitted directly before the byte of the view whose
 * position is at. */
bool ctx_redact_view_colour(const struct view *v, size_t at);
void ctx_redact_view_release(struct view *v);

/* ---- literals ---- */

struct literal {
	const char *text;
	size_t n;
	size_t rule, back;
};
/* An automaton that finds all literals of all rules in one pass over a text. The case of
 * ASCII letters is ignored. */
struct finder {
	uint8_t class[256];
	/* a state's row in the array next has 1 << shift entries */
	unsigned shift;
	/* transition rows, one for each state; an entry has the bit FINDER_HIT if a
	 * literal ends in its target state */
	uint16_t *next;
	/* for each state, the index of a literal that ends in it, or -1 */
	int32_t *first;
	/* for each literal, the index of another literal that ends in the same state, or
	 * -1 */
	int32_t *same;
	/* for each state, the state of its longest proper suffix in which a literal ends,
	 * or 0 */
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

/* secret is a text that the rule found. Returns true if this text looks like a real
 * secret, and false if it looks like a placeholder. */
bool ctx_redact_value_ok(const struct rule *rule, struct ctx_span secret);
/* from is the position in text at which a rule matched; value is true if this rule has
 * the check RULE_VALUE. Returns true if the position is inside base64 data, or follows a
 * word that names a hash or a signature. */
bool ctx_redact_value_opaque(struct ctx_span text, size_t from, bool value);
/* Returns true if the object's member with this key must not be changed, because its
 * value is an id, a digest, a signature or encoded data. */
bool ctx_redact_member_opaque(struct ctx_span key, struct ctx_span object);

#endif
