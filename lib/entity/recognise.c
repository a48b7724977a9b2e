#define PCRE2_CODE_UNIT_WIDTH 8
#include "entity/recognise.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "entity/recogniser.h"

#define GROUPS 4 /* the match, and at most three groups */

typedef int match_fn(const pcre2_code *, PCRE2_SPTR, PCRE2_SIZE, PCRE2_SIZE, uint32_t,
    pcre2_match_data *, pcre2_match_context *);

struct ctx_recognisers {
	struct {
		pcre2_code *code; /* NULL: the form was not tried yet */
		match_fn *match;
	} forms[CTX_FORMS_MAX]; /* in the order of ctx_forms */
	/* for each byte the set of the forms that can start with it: 1 << index */
	uint32_t starting[256];
	pcre2_match_data *match;
};

struct scan {
	struct ctx_recognisers *r;
	struct ctx_span text;
	struct ctx_mentions *out;
	struct ctx_buf best, tmp;
	size_t best_end;
	const char *best_type;
	/* end of the last VLAN, rack, …, after which a list of them may continue */
	size_t list_end;
	const char *list_type;
};

struct ctx_recognisers *
ctx_recognisers_new(void)
{
	struct ctx_recognisers *r = ctx_mem_new(sizeof(*r));

	memset(r->starting, 0xff, sizeof(r->starting));
	r->match = pcre2_match_data_create(GROUPS, NULL);
	if (r->match == NULL)
		ctx_mem_out();
	return r;
}

void
ctx_recognisers_free(struct ctx_recognisers *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < ctx_n_forms; i++)
		pcre2_code_free(r->forms[i].code);
	pcre2_match_data_free(r->match);
	free(r);
}

static void
compile_form(struct ctx_recognisers *r, size_t index)
{
	const uint8_t *starts = NULL; /* the set of first bytes, */
	uint32_t one = 0, first = 0;  /* or one letter, perhaps in both cases */
	int code = 0;
	PCRE2_SIZE where = 0;
	pcre2_code *c = pcre2_compile((PCRE2_SPTR)ctx_forms[index].pattern,
	    PCRE2_ZERO_TERMINATED, PCRE2_ANCHORED, &code, &where, NULL);

	if (c == NULL)
		ctx_mem_out();
	r->forms[index].code = c;
	r->forms[index].match = pcre2_jit_compile(c, PCRE2_JIT_COMPLETE) == 0
				    ? pcre2_jit_match
				    : pcre2_match;
	pcre2_pattern_info(c, PCRE2_INFO_FIRSTBITMAP, &starts);
	pcre2_pattern_info(c, PCRE2_INFO_FIRSTCODETYPE, &one);
	pcre2_pattern_info(c, PCRE2_INFO_FIRSTCODEUNIT, &first);
	for (uint32_t i = 0; i < 256; i++)
		if (one == 1 ? (i | 32) != (first | 32)
			     : starts != NULL && !(starts[i / 8] & 1 << i % 8))
			r->starting[i] &= ~((uint32_t)1 << index);
}

/* Keeps s->tmp with the hit's name if the hit is longer than the best one. */
static void
keep_longest(struct scan *s, const struct ctx_hit *hit)
{
	struct ctx_buf swap = s->best;

	if (hit->end <= s->best_end)
		return;
	s->best_end = hit->end;
	s->best_type = hit->type;
	s->best = s->tmp;
	s->tmp = swap;
}

/* Tries a recognizer. The longest hit is kept; of hits of the same length the first
 * one. */
static void
try_recogniser(struct scan *s, ctx_recognise_fn *fn, size_t at, size_t end)
{
	struct ctx_hit hit = {NULL, 0, &s->tmp};

	ctx_buf_reset(&s->tmp);
	if (fn(s->text, at, end, &hit))
		keep_longest(s, &hit);
}

/* Tries the form with this index, as try_recogniser does. */
static void
try_form(struct scan *s, size_t index, size_t at)
{
	const struct ctx_form *f = &ctx_forms[index];
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(s->r->match);
	size_t group[2 * GROUPS];
	struct ctx_hit hit = {f->type, 0, &s->tmp};
	int n;

	if (s->r->forms[index].code == NULL)
		compile_form(s->r, index);
	n = s->r->forms[index].match(s->r->forms[index].code, (PCRE2_SPTR)s->text.p,
	    s->text.n, at, 0, s->r->match, NULL);
	if (n < 0 ||
	    (f->not_after != NULL && ctx_recognise_after(s->text, at, f->not_after)))
		return;
	for (int i = 0; i < 2 * GROUPS; i++)
		group[i] = i < 2 * n ? found[i] : SIZE_MAX;
	ctx_buf_reset(&s->tmp);
	hit.end = group[1];
	if (f->finish == NULL)
		ctx_buf_add(&s->tmp, s->text.p + group[2], group[3] - group[2]);
	if (f->finish == NULL || f->finish(s->text, group, &hit))
		keep_longest(s, &hit);
}

static size_t
take_best_mention(struct scan *s, size_t at)
{
	ctx_mentions_add(s->out, CTX_MENTION_BUILTIN, s->best_type, 0, at,
	    s->best_end - at, ctx_buf_span(&s->best));
	if (ctx_recognise_in(s->best_type, "vlan rack site vrf")) {
		s->list_end = s->best_end;
		s->list_type = s->best_type;
	}
	return s->best_end;
}

static bool
is_vlan(struct scan *s, size_t at)
{
	uint32_t v;
	size_t end = ctx_recognise_number(s->text, at, 4, false, &v);

	if (end == at || v < 1 || v > 4094 ||
	    goes_on(
		s->text, end, CHAR_WORD | CHAR_SLASH | CHAR_COLON, CHAR_DOT, CHAR_WORD))
		return false;
	ctx_buf_reset(&s->best);
	ctx_buf_addi(&s->best, v);
	s->best_end = end;
	return true;
}

/* True if a list such as "vlans 10, 20 and 30-40" or "racks R1 and R2" continues at byte
 * at. */
static bool
in_list(struct scan *s, size_t at)
{
	struct ctx_hit hit = {NULL, 0, &s->best};

	if (s->list_end == 0 || at - s->list_end > 6 ||
	    !ctx_span_is_any((struct ctx_span){s->text.p + s->list_end, at - s->list_end},
		",|, |-| and | or |, and | to "))
		return false;
	s->best_type = s->list_type;
	if (strcmp(s->list_type, "vlan") == 0)
		return class_at(s->text, at) & CHAR_DIGIT && is_vlan(s, at);
	ctx_buf_reset(&s->best);
	if (!ctx_recognise_listed(s->text, at, s->list_type, &hit))
		return false;
	s->best_end = hit.end;
	return true;
}

/* Returns the end of a mention that starts at byte at, or 0. */
static size_t
find_mention_end(
    struct scan *s, size_t at, size_t end, unsigned flags, uint32_t forms, bool first)
{
	unsigned c = class_at(s->text, at);

	s->best_end = 0;
	if (c & CHAR_ALNUM && in_list(s, at))
		return take_best_mention(s, at);
	if (flags & CHAR_SLASH && flags & CHAR_COLON && c & CHAR_ALPHA)
		try_recogniser(s, ctx_recognise_url, at, end);
	if (flags & CHAR_AT && c & CHAR_ALNUM)
		try_recogniser(s, ctx_recognise_email, at, end);
	if ((flags & CHAR_SLASH && (first || byte_at(s->text, at - 1) == ':')) ||
	    (c & CHAR_ALPHA && byte_at(s->text, at + 1) == ':'))
		try_recogniser(s, ctx_recognise_path, at, end);
	for (forms &= s->r->starting[(unsigned char)s->text.p[at]]; forms != 0;
	     forms &= forms - 1)
		try_form(s, (size_t)__builtin_ctz(forms), at);
	if (c & CHAR_ALNUM && flags & (CHAR_DOT | CHAR_DIGIT))
		try_recogniser(s, ctx_recognise_host, at, end);
	return s->best_end > 0 ? take_best_mention(s, at) : 0;
}

/* True if a mention may start at byte at: at the start of a word, and at the '/' of a
 * path or the "::" of an address that do not follow a word. */
static bool
is_edge(struct ctx_span text, size_t at)
{
	unsigned c = class_at(text, at), b = class_before(text, at);

	if (c & CHAR_WORD)
		return !(b & CHAR_WORD);
	return (c & (CHAR_COLON | CHAR_SLASH) && !(b & CHAR_WORD) && b != c) ||
	       (c & CHAR_SLASH && b & CHAR_COLON);
}

/* Finds all mentions that start in one run of bytes. Returns where to continue. */
static size_t
scan_run(struct scan *s, size_t at, size_t end, unsigned flags)
{
	size_t start = at, hit;
	uint32_t forms = 0;

	/* A character that a backslash escapes is not part of the word: \n10.0.0.1 in
	 * quoted output. */
	if (at > 0 && s->text.p[at - 1] == '\\' && strchr("nrt", s->text.p[at]) != NULL)
		start = ++at;
	if (byte_at(s->text, end) == ' ')
		flags |= class_at(s->text, end + 1) & CHAR_DIGIT; /* Ethernet 0/1 */
	for (size_t i = 0; i < ctx_n_forms; i++)
		if (ctx_forms[i].run == 0 || ctx_forms[i].run & flags)
			forms |= (uint32_t)1 << i;
	while (at < end) {
		bool first = at == start;

		hit = first || is_edge(s->text, at)
			  ? find_mention_end(s, at, end, flags, forms, first)
			  : 0;
		at = hit > 0 ? hit : at + 1;
	}
	return at;
}

/* True for a word of letters only that may announce an entity after it. */
static bool
is_announcing_word(struct ctx_span text, size_t at, size_t end)
{
	char c = byte_at(text, end), first = (char)(text.p[at] | 32);

	if (end - at < 2 || end - at > RECOGNISE_WORD_MAX || c == '\0')
		return false;
	if ((c == ' ' || c == '\t') && class_at(text, end + 1) & CHAR_DIGIT)
		return true;
	return first == 'v' || first == 'a' || first == 'r' || first == 's' ||
	       first == 'h' || first == 'd' || first == 'b';
}

void
ctx_recognise_scan(
    struct ctx_recognisers *r, struct ctx_span text, struct ctx_mentions *out)
{
	struct scan s = {.r = r, .text = text, .out = out};
	size_t i = 0;

	while (i < text.n) {
		size_t start = i;
		unsigned c, flags = 0;

		while (i < text.n &&
		       (c = ctx_recognise_class[(unsigned char)text.p[i]]) != 0) {
			flags |= c;
			i++;
		}
		if (i == start) {
			for (i++;
			     i < text.n && ((unsigned char)text.p[i] & 0xc0) == 0x80;)
				i++;
			continue;
		}
		if (flags & ~(unsigned)(CHAR_ALPHA | CHAR_HEX)
			? !(flags == CHAR_HIGH)
			: is_announcing_word(text, start, i))
			i = scan_run(&s, start, i, flags);
	}
	ctx_buf_release(&s.best);
	ctx_buf_release(&s.tmp);
}
