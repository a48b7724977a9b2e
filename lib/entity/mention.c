#include "entity/mention.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/utf8.h"

void
ctx_mentions_release(struct ctx_mentions *m)
{
	free(m->list);
	m->list = NULL;
	m->n = m->cap = 0;
	ctx_buf_release(&m->names);
}

void
ctx_mentions_reset(struct ctx_mentions *m)
{
	m->n = 0;
	ctx_buf_reset(&m->names);
}

void
ctx_mentions_add(struct ctx_mentions *m, enum ctx_mention_source source, const char *type,
    uint64_t id, size_t offset, size_t len, struct ctx_span name)
{
	CTX_MEM_GROW(m->list, m->n, m->cap);
	m->list[m->n++] = (struct ctx_mention){
	    source, type, id, offset, len, m->names.n, name.n};
	ctx_buf_addspan(&m->names, name);
}

struct ctx_span
ctx_mentions_name(const struct ctx_mentions *m, size_t i)
{
	return (struct ctx_span){
	    m->names.p == NULL ? "" : m->names.p + m->list[i].name, m->list[i].name_len};
}

static bool
is_container_mention(const struct ctx_mention *m)
{
	return m->source == CTX_MENTION_BUILTIN &&
	       ctx_span_is_any(ctx_span_of(m->type), "url|path|email");
}

/* True if a is kept when a and b overlap. */
static bool
is_winning_mention(const struct ctx_mention *a, const struct ctx_mention *b)
{
	if (a->len != b->len)
		return a->len > b->len;
	if (a->source != b->source)
		return a->source < b->source;
	return a->offset <= b->offset;
}

/* Names are appended in the order found, so the last key makes the order well-defined. */
static int
by_offset(const void *pa, const void *pb)
{
	const struct ctx_mention *a = pa, *b = pb;

	return a->offset != b->offset   ? CTX_ORDER(a->offset, b->offset)
	       : a->len != b->len       ? CTX_ORDER(b->len, a->len)
	       : a->source != b->source ? CTX_ORDER(a->source, b->source)
	       : a->id != b->id         ? CTX_ORDER(a->id, b->id)
					: CTX_ORDER(a->name, b->name);
}

static bool
has_mention_overlap(const struct ctx_mention *a, const struct ctx_mention *b)
{
	return a->offset < b->offset + b->len && b->offset < a->offset + a->len;
}

/* True if both are the same loaded name, but of different entities. */
static bool
is_twin_mention(const struct ctx_mention *a, const struct ctx_mention *b)
{
	return a->source == CTX_MENTION_NAME && b->source == CTX_MENTION_NAME &&
	       a->offset == b->offset && a->len == b->len && a->id != b->id;
}

/* Removes the overlapping mentions that lose, in place; the mentions are sorted by
 * offset. Kept mentions do not overlap, except twins, so only the last kept one can
 * overlap the next. */
static size_t
resolve_layer(struct ctx_mention *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct ctx_mention x = list[i];

		if (kept > 0 && has_mention_overlap(&list[kept - 1], &x) &&
		    !is_twin_mention(&list[kept - 1], &x)) {
			size_t from = list[kept - 1].offset;

			if (is_winning_mention(&list[kept - 1], &x))
				continue;
			while (kept > 0 && list[kept - 1].offset == from)
				kept--;
		}
		list[kept++] = x;
	}
	return kept;
}

static bool
inside_any(const struct ctx_mention *c, size_t n, const struct ctx_mention *x, size_t *at)
{
	while (*at < n && c[*at].offset + c[*at].len <= x->offset)
		++*at;
	return *at < n && c[*at].offset < x->offset + x->len;
}

void
ctx_mentions_resolve(struct ctx_mentions *m)
{
	struct ctx_mention *outer;
	size_t n_outer = 0, n_inner = 0, at = 0, n = 0;

	if (m->n < 2)
		return;
	qsort(m->list, m->n, sizeof(*m->list), by_offset);
	outer = ctx_mem_resize(NULL, m->n, sizeof(*outer));
	for (size_t i = 0; i < m->n; i++) {
		if (is_container_mention(&m->list[i]))
			outer[n_outer++] = m->list[i];
		else
			m->list[n_inner++] = m->list[i];
	}
	n_outer = resolve_layer(outer, n_outer);
	n_inner = resolve_layer(m->list, n_inner);
	for (size_t i = 0; i < n_inner; i++) {
		if (m->list[i].source != CTX_MENTION_BUILTIN ||
		    !inside_any(outer, n_outer, &m->list[i], &at))
			m->list[n++] = m->list[i];
	}
	m->list = ctx_mem_resize(m->list, n + n_outer, sizeof(*m->list));
	m->cap = n + n_outer;
	memcpy(m->list + n, outer, n_outer * sizeof(*outer));
	m->n = n + n_outer;
	qsort(m->list, m->n, sizeof(*m->list), by_offset);
	free(outer);
}

static bool
is_context_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns true if the text may be cut at i: at white space that no combining mark
 * follows. */
static bool
is_context_gap(struct ctx_span text, size_t i)
{
	if (i == 0 || i == text.n)
		return true;
	return (is_context_space(text.p[i - 1]) || is_context_space(text.p[i])) &&
	       ctx_grapheme_before(text.p, text.n, i) == i;
}

/* Returns a position in [low, high] where the text may be cut: the first one if forward
 * is true, otherwise the last. A cut between words is preferred to one between grapheme
 * clusters. Returns fallback if there is neither. */
static size_t
find_context_cut(
    struct ctx_span text, size_t low, size_t high, bool forward, size_t fallback)
{
	for (size_t n = 0; n <= high - low; n++)
		if (is_context_gap(text, forward ? low + n : high - n))
			return forward ? low + n : high - n;
	if (forward)
		low = ctx_grapheme_after(text.p, text.n, low);
	else
		high = ctx_grapheme_before(text.p, text.n, high);
	return low > high ? fallback : forward ? low : high;
}

void
ctx_mention_context(struct ctx_span text, size_t offset, size_t len, size_t side,
    size_t *start, size_t *end)
{
	size_t last = offset + len, low = offset > side ? offset - side : 0;
	size_t high = text.n - last > side ? last + side : text.n;

	*start = low == 0 ? 0 : find_context_cut(text, low, offset, true, offset);
	*end = high == text.n ? text.n : find_context_cut(text, last, high, false, last);
	while (*start < offset && is_context_space(text.p[*start]))
		++*start;
	while (*end > last && is_context_space(text.p[*end - 1]))
		--*end;
}
