#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "diff/diff.h"

/* ---- equal entries ---- */

/* The distinct contents of both sides' entries, each by its first entry. */
struct contents {
	struct ctx_map map;
	const struct ctx_diff_entry **v;
	size_t n, cap;
};

struct contents_key {
	const struct contents *contents;
	const struct ctx_diff_entry *entry;
};

static bool
is_same_content(const struct ctx_diff_entry *a, const struct ctx_diff_entry *b)
{
	return a->type == b->type && ctx_span_eq(a->json, b->json) &&
	       (a->type == CTX_DIFF_MESSAGE || ctx_span_eq(a->id, b->id));
}

static bool
has_content(const void *arg, size_t value)
{
	const struct contents_key *key = arg;

	return is_same_content(key->entry, key->contents->v[value - 1]);
}

/* Numbers the contents of a side's entries from 0; equal contents have the same
 * number. */
static size_t *
number_contents(struct contents *c, const struct ctx_diff_side *side)
{
	size_t *numbers = ctx_mem_new(side->n * sizeof(*numbers));

	for (size_t i = 0; i < side->n; i++) {
		const struct ctx_diff_entry *e = &side->entries[i];
		struct contents_key key = {c, e};
		size_t *at = ctx_map_at(&c->map,
		    ctx_hash_bytes(e->type, e->json.p, e->json.n), has_content, &key);
		if (*at == 0) {
			CTX_MEM_GROW(c->v, c->n, c->cap);
			c->v[c->n++] = e;
			*at = c->n;
		}
		numbers[i] = *at - 1;
	}
	return numbers;
}

static void
match_entries(const struct ctx_diff *d, size_t *match)
{
	struct contents c = {0};
	size_t *a = number_contents(&c, d->a), *b = number_contents(&c, d->b);

	ctx_diff_match(a, d->a->n, b, d->b->n, match);
	free(a);
	free(b);
	free(c.v);
	ctx_map_release(&c.map);
}

/* ---- changed entries ---- */

/* For each entry of a side, the index of its counterpart on the other side. */
struct pairing {
	const struct ctx_diff *d;
	size_t *a, *b;
	const struct ctx_diff_entry *sought;
};

static bool
has_entry_id(const void *arg, size_t value)
{
	const struct pairing *p = arg;
	const struct ctx_diff_entry *e = &p->d->a->entries[value - 1];

	return e->type == p->sought->type && ctx_span_eq(e->id, p->sought->id);
}

static void
pair_by_id(struct pairing *p)
{
	struct ctx_map map = {0};

	for (size_t i = 0; i < p->d->a->n; i++) {
		p->sought = &p->d->a->entries[i];
		if (p->a[i] == CTX_DIFF_NONE && p->sought->id.p != NULL)
			*ctx_map_at(&map,
			    ctx_hash_bytes(0, p->sought->id.p, p->sought->id.n),
			    has_entry_id, p) = i + 1;
	}
	for (size_t i = 0; i < p->d->b->n; i++) {
		size_t found;
		p->sought = &p->d->b->entries[i];
		if (p->b[i] != CTX_DIFF_NONE || p->sought->id.p == NULL)
			continue;
		found = ctx_map_get(&map,
		    ctx_hash_bytes(0, p->sought->id.p, p->sought->id.n), has_entry_id, p);
		/* the last condition: an entry with the same content has moved, not
		 * changed */
		if (found == 0 || p->a[found - 1] != CTX_DIFF_NONE ||
		    is_same_content(p->sought, &p->d->a->entries[found - 1]))
			continue;
		p->a[found - 1] = i;
		p->b[i] = found - 1;
	}
	ctx_map_release(&map);
}

static bool
is_changed_place(const struct ctx_diff_entry *a, const struct ctx_diff_entry *b)
{
	return a->type == b->type && a->slot == b->slot &&
	       (a->id.p == NULL || b->id.p == NULL) && ctx_span_eq(a->role, b->role) &&
	       ctx_span_eq(a->source, b->source) && !is_same_content(a, b);
}

/* Pairs the entries between two equal ones by position: the first of each side, the
 * second, and so on. */
static void
pair_by_place(struct pairing *p, const size_t *match)
{
	size_t a = 0, b = 0;

	while (a < p->d->a->n && b < p->d->b->n) {
		size_t end = a, end_b;
		while (end < p->d->a->n && match[end] == CTX_DIFF_NONE)
			end++;
		end_b = end < p->d->a->n ? match[end] : p->d->b->n;
		for (; a < end && b < end_b; a++, b++)
			if (p->a[a] == CTX_DIFF_NONE && p->b[b] == CTX_DIFF_NONE &&
			    is_changed_place(
				&p->d->a->entries[a], &p->d->b->entries[b])) {
				p->a[a] = b;
				p->b[b] = a;
			}
		a = end + 1;
		b = end_b + 1;
	}
}

static void
add_change(struct ctx_diff *d, size_t a, size_t b)
{
	CTX_MEM_GROW(d->changes, d->n, d->cap);
	d->changes[d->n++] = (struct ctx_diff_change){
	    a == CTX_DIFF_NONE ? NULL : &d->a->entries[a],
	    b == CTX_DIFF_NONE ? NULL : &d->b->entries[b]};
}

/* Lists the removed entries from *a on, up to entry end, to an entry with a counterpart
 * in b from limit on, or to an equal entry. */
static void
list_removed(struct ctx_diff *d, const struct pairing *p, size_t *a, size_t end,
    size_t limit, const size_t *match)
{
	for (; *a < end && match[*a] == CTX_DIFF_NONE; (*a)++) {
		if (p->a[*a] == CTX_DIFF_NONE)
			add_change(d, *a, CTX_DIFF_NONE);
		else if (p->a[*a] >= limit)
			return;
	}
}

/* Lists the changes in the order of b. Removed entries come before those that were added
 * at the same place. */
static void
list_changes(struct ctx_diff *d, const struct pairing *p, const size_t *match)
{
	size_t a = 0;

	for (size_t b = 0; b < d->b->n; b++) {
		size_t other = p->b[b];
		if (other != CTX_DIFF_NONE && match[other] == b) {
			list_removed(d, p, &a, other, SIZE_MAX, match);
			a = other + 1;
			continue;
		}
		list_removed(
		    d, p, &a, other == CTX_DIFF_NONE ? d->a->n : other, b, match);
		add_change(d, other, b);
	}
	list_removed(d, p, &a, d->a->n, SIZE_MAX, match);
}

void
ctx_diff_compare(
    struct ctx_diff *d, const struct ctx_diff_side *a, const struct ctx_diff_side *b)
{
	size_t *match = ctx_mem_new(a->n * sizeof(*match));
	struct pairing p = {d, ctx_mem_new(a->n * sizeof(size_t)),
	    ctx_mem_new(b->n * sizeof(size_t)), NULL};

	*d = (struct ctx_diff){.a = a, .b = b};
	match_entries(d, match);
	for (size_t i = 0; i < b->n; i++)
		p.b[i] = CTX_DIFF_NONE;
	for (size_t i = 0; i < a->n; i++) {
		p.a[i] = match[i];
		if (match[i] != CTX_DIFF_NONE)
			p.b[match[i]] = i;
	}
	pair_by_id(&p);
	pair_by_place(&p, match);
	list_changes(d, &p, match);
	free(match);
	free(p.a);
	free(p.b);
}

void
ctx_diff_release(struct ctx_diff *d)
{
	free(d->changes);
	memset(d, 0, sizeof(*d));
}
