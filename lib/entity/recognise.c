#include "entity/recognise.h"

#include <string.h>

#include "entity/recogniser.h"

struct scan {
	struct ctx_span text;
	struct ctx_mentions *out;
	struct ctx_buf best, tmp;
	size_t best_end;
	const char *best_type;
	/* end of the last VLAN, rack, …, after which a list of them may continue */
	size_t list_end;
	const char *list_type;
};

/* Tries a recognizer. The longest hit is kept; of hits of the same length the first
 * one. */
static void
try_recogniser(struct scan *s, ctx_recognise_fn *fn, size_t at, size_t end)
{
	struct ctx_hit hit = {NULL, 0, &s->tmp};
	struct ctx_buf swap;

	ctx_buf_reset(&s->tmp);
	if (!fn(s->text, at, end, &hit) || hit.end <= s->best_end)
		return;
	s->best_end = hit.end;
	s->best_type = hit.type;
	swap = s->best;
	s->best = s->tmp;
	s->tmp = swap;
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

static void
try_numeric(struct scan *s, size_t at, size_t end, unsigned flags)
{
	unsigned c = class_at(s->text, at);

	if (flags & CHAR_DOT && c & CHAR_DIGIT)
		try_recogniser(s, ctx_recognise_ipv4, at, end);
	if (flags & CHAR_COLON && c & (CHAR_HEX | CHAR_COLON))
		try_recogniser(s, ctx_recognise_ipv6, at, end);
	if (c & CHAR_HEX) {
		if (flags & (CHAR_COLON | CHAR_DASH | CHAR_DOT))
			try_recogniser(s, ctx_recognise_mac, at, end);
		if (flags & CHAR_DASH)
			try_recogniser(s, ctx_recognise_uuid, at, end);
		try_recogniser(s, ctx_recognise_commit, at, end);
	}
}

/* Returns the end of a mention that starts at byte at, or 0. */
static size_t
find_mention_end(struct scan *s, size_t at, size_t end, unsigned flags, bool first)
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
	if (flags & (CHAR_DIGIT | CHAR_COLON))
		try_numeric(s, at, end, flags);
	if (c & CHAR_ALNUM)
		try_recogniser(s, ctx_recognise_interface, at, end);
	if (c & CHAR_ALPHA)
		try_recogniser(s, ctx_recognise_keyword, at, end);
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

	/* A character that a backslash escapes is not part of the word: \n10.0.0.1 in
	 * quoted output. */
	if (at > 0 && s->text.p[at - 1] == '\\' && strchr("nrt", s->text.p[at]) != NULL)
		start = ++at;
	while (at < end) {
		bool first = at == start;

		hit = first || is_edge(s->text, at)
			  ? find_mention_end(s, at, end, flags, first)
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
ctx_recognise_scan(struct ctx_span text, struct ctx_mentions *out)
{
	struct scan s = {.text = text, .out = out};
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
