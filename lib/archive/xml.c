#include "archive/xml.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* Returns true if the tag whose '<' is before p has this name; *stop is set to the end of
 * the tag's name. The search ends at the next '<', so that all searches together read a
 * document once. */
static bool
tag_at(
    const char *p, const char *limit, const char *name, bool closing, const char **stop)
{
	const char *q, *colon;
	size_t n = strlen(name);

	if (closing && (p == limit || *p++ != '/'))
		return false;
	q = p;
	while (q < limit && (*q == '\0' || !strchr(" \t\r\n/<>", *q)))
		q++;
	colon = memchr(p, ':', (size_t)(q - p));
	if (colon != NULL)
		p = colon + 1;
	*stop = q;
	return (size_t)(q - p) == n && memcmp(p, name, n) == 0;
}

/* Returns the '<' of the next tag with this name, with *end set to after its '>'; NULL if
 * there is none. */
static const char *
find_tag(const char *p, const char *limit, const char *name, bool closing,
    const char **end, bool *empty)
{
	const char *stop, *gt;

	while (p < limit && (p = memchr(p, '<', (size_t)(limit - p))) != NULL) {
		if (tag_at(p + 1, limit, name, closing, &stop)) {
			gt = memchr(stop, '>', (size_t)(limit - stop));
			if (gt == NULL)
				return NULL; /* then no other tag has an end either */
			*empty = gt > stop && gt[-1] == '/';
			*end = gt + 1;
			return p;
		}
		p++;
	}
	return NULL;
}

bool
ctx_xml_next(struct ctx_span *doc, const char *tag, struct ctx_span *inner)
{
	const char *limit, *start, *stop, *behind;
	bool empty;

	if (doc->n == 0)
		return false;
	limit = doc->p + doc->n;
	if (find_tag(doc->p, limit, tag, false, &start, &empty) == NULL)
		return false;
	if (empty) {
		*inner = (struct ctx_span){start, 0};
		behind = start;
	} else {
		stop = find_tag(start, limit, tag, true, &behind, &empty);
		if (stop == NULL)
			return false;
		*inner = (struct ctx_span){start, (size_t)(stop - start)};
	}
	*doc = (struct ctx_span){behind, (size_t)(limit - behind)};
	return true;
}

/* Returns the code point of "#NN" or "#xHH"; 0 if it is not one. */
static uint32_t
parse_xml_code_point(struct ctx_span s)
{
	bool hex = s.n > 2 && (s.p[1] == 'x' || s.p[1] == 'X');
	uint32_t v = 0;

	for (size_t i = hex ? 2 : 1; i < s.n; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *d = s.p[i] == '\0' ? NULL : strchr(digits, s.p[i] | 0x20);
		uint32_t base = hex ? 16 : 10;

		if (d == NULL || (uint32_t)(d - digits) >= base)
			return 0;
		v = v * base + (uint32_t)(d - digits);
		if (v > 0x10ffff)
			return 0;
	}
	return v >= 0xd800 && v < 0xe000 ? 0 : v;
}

static size_t
decode_xml_entity(struct ctx_span s, char out[4])
{
	static const struct {
		const char *name;
		char c;
	} named[] = {
	    {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
	uint32_t cp;

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (ctx_span_is(s, named[i].name)) {
			out[0] = named[i].c;
			return 1;
		}
	if (s.n < 2 || s.p[0] != '#' || (cp = parse_xml_code_point(s)) == 0)
		return 0;
	return ctx_utf8_encode(cp, out);
}

/* Appends text with its entities decoded. */
static void
decode_xml_entities(struct ctx_buf *out, struct ctx_span text)
{
	for (size_t i = 0; i < text.n; i++) {
		size_t left = text.n - i - 1, n = 0;
		const char *semi = NULL;
		char c[4];

		if (text.p[i] == '&')
			semi = memchr(text.p + i + 1, ';', left < 10 ? left : 10);
		if (semi != NULL) {
			struct ctx_span s = {
			    text.p + i + 1, (size_t)(semi - text.p) - i - 1};

			n = decode_xml_entity(s, c);
			if (n > 0) {
				ctx_buf_add(out, c, n);
				i += s.n + 1;
				continue;
			}
		}
		ctx_buf_addc(out, text.p[i]);
	}
}

char *
ctx_xml_text(struct ctx_span doc, const char *tag)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_span inner;

	if (!ctx_xml_next(&doc, tag, &inner))
		return NULL;
	decode_xml_entities(&b, inner);
	return ctx_buf_detach(&b);
}
