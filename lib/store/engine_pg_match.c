/* The engine for PostgreSQL: matching of full-text queries. A tsquery cannot express that
 * words are near each other in any order, or at the start of the text: it finds candidate
 * rows, and those are examined here. */
#include "store/engine_pg_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"

void
ctx_pg_put_lexeme(struct ctx_buf *out, const char *word, size_t n)
{
	ctx_buf_addc(out, '\'');
	for (size_t i = 0; i < n; i++) {
		if (word[i] == '\'' || word[i] == '\\')
			ctx_buf_addc(out, word[i]);
		ctx_buf_addc(out, word[i]);
	}
	ctx_buf_addc(out, '\'');
}

/* ---- writing a tsquery ---- */

/* Writes a condition that holds for all rows that match the node; nothing if no row can
 * match. Returns true if it holds only for these rows, false if also for others. */
static bool write_node(
    const struct ctx_pg_query *q, const struct ctx_pg_node *node, struct ctx_buf *out);

static bool
write_children(
    const struct ctx_pg_query *q, const struct ctx_pg_node *node, struct ctx_buf *out)
{
	static const char *const signs[] = {"&", "&", "|", "&!"};
	struct ctx_buf all = CTX_BUF_INIT, child = CTX_BUF_INIT;
	bool exact = true, never = false;

	for (size_t i = 0; i < node->n && !never; i++) {
		bool negated = node->type == CTX_PG_NODE_NOT && i > 0, is_exact;
		ctx_buf_reset(&child);
		is_exact = write_node(q, &node->children[i], &child);
		exact = exact && is_exact;
		never = child.n == 0 && !negated && node->type != CTX_PG_NODE_OR;
		if (child.n == 0 || (negated && !is_exact))
			continue;
		if (all.n > 0)
			ctx_buf_adds(&all, signs[node->type]);
		ctx_buf_addspan(&all, ctx_buf_span(&child));
	}
	if (!never && all.n > 0)
		ctx_buf_addf(out, "(%s)", all.p);
	ctx_buf_release(&all);
	ctx_buf_release(&child);
	return exact;
}

static bool
write_node(
    const struct ctx_pg_query *q, const struct ctx_pg_node *node, struct ctx_buf *out)
{
	if (node->never)
		return true;
	if (node->type != CTX_PG_NODE_NEAR)
		return write_children(q, node, out);
	ctx_buf_addc(out, '(');
	for (size_t i = 0; i < node->n_phrases; i++) {
		if (i > 0)
			ctx_buf_addc(out, '&');
		ctx_buf_addspan(out, ctx_buf_span(&q->phrases[node->first + i].text));
	}
	ctx_buf_addc(out, ')');
	return node->n_phrases == 1 && !node->at_start;
}

void
ctx_pg_query_write(struct ctx_pg_query *q)
{
	q->exact = write_node(q, &q->root, &q->text);
}

/* ---- positions of words in a row ---- */

static int
compare_places(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void
add_place(struct ctx_pg_places *to, int place)
{
	CTX_MEM_GROW(to->v, to->n, to->cap);
	to->v[to->n++] = place;
}

static void
add_places(struct ctx_pg_places *to, struct ctx_span list)
{
	const char *p = list.p, *end = list.p + list.n;

	while (p < end) {
		add_place(to, (int)strtol(p, NULL, 10));
		p = memchr(p, ',', (size_t)(end - p));
		p = p == NULL ? end : p + 1;
	}
}

/* Adds the positions of one word of the row to each word of the query that it matches. */
static void
place_word(struct ctx_pg_query *q, struct ctx_span word, struct ctx_span list)
{
	for (size_t i = 0; i < q->n; i++)
		for (size_t w = 0; w < q->phrases[i].n; w++) {
			struct ctx_pg_word *wanted = &q->phrases[i].words[w];
			size_t n = strlen(wanted->text);
			if ((wanted->prefix ? word.n >= n : word.n == n) &&
			    memcmp(word.p, wanted->text, n) == 0)
				add_places(&wanted->places, list);
		}
}

/* Sorts positions: the words that match a prefix come one after another. No position
 * occurs twice. */
static void
sort_places(struct ctx_pg_places *at)
{
	if (at->n > 1)
		qsort(at->v, at->n, sizeof(*at->v), compare_places);
}

static bool
has_place(const struct ctx_pg_places *at, int place)
{
	return at->n > 0 &&
	       bsearch(&place, at->v, at->n, sizeof(place), compare_places) != NULL;
}

static void
find_starts(struct ctx_pg_phrase *f)
{
	f->starts.n = 0;
	for (size_t at = 0; at < f->words[0].places.n; at++) {
		int start = f->words[0].places.v[at];
		size_t w = 1;
		while (w < f->n && has_place(&f->words[w].places, start + (int)w))
			w++;
		if (w == f->n)
			add_place(&f->starts, start);
	}
}

static void
place_row(struct ctx_pg_query *q, struct ctx_span row)
{
	const char *p = row.p, *end = row.p + row.n;

	for (size_t i = 0; i < q->n; i++)
		for (size_t w = 0; w < q->phrases[i].n; w++)
			q->phrases[i].words[w].places.n = 0;
	while (p != NULL && p < end) {
		const char *stop = memchr(p, ';', (size_t)(end - p));
		const char *space;
		stop = stop == NULL ? end : stop;
		space = memchr(p, ' ', (size_t)(stop - p));
		if (space != NULL)
			place_word(q, (struct ctx_span){p, (size_t)(space - p)},
			    (struct ctx_span){space + 1, (size_t)(stop - space - 1)});
		p = stop + 1;
	}
	for (size_t i = 0; i < q->n; i++) {
		for (size_t w = 0; w < q->phrases[i].n; w++)
			sort_places(&q->phrases[i].words[w].places);
		find_starts(&q->phrases[i]);
	}
}

/* ---- phrases near each other ---- */

/* Collects the starts of phrases that are part of a group of phrases near each other. */
struct near {
	const struct ctx_pg_node *node;
	struct ctx_pg_phrase *phrases;
	struct ctx_pg_places *kept; /* starts to keep, by phrase */
};

/* Returns the index of the first start that is not before place. */
static size_t
find_start(const struct ctx_pg_places *at, int64_t place)
{
	size_t i;

	CTX_BOUND(i, at->n, at->v[i] < place);
	return i;
}

static int64_t
earliest_start(const struct near *s, size_t i, int last)
{
	return last - (int64_t)s->phrases[i].n - s->node->distance;
}

/* Keeps the starts of the group whose last phrase starts at last: each other phrase must
 * end at most the node's distance before that. */
static void
keep_group(struct near *s, int last)
{
	for (size_t i = 0; i < s->node->n_phrases; i++) {
		const struct ctx_pg_places *at = &s->phrases[i].starts;
		size_t first = find_start(at, earliest_start(s, i, last));
		if (first == at->n || at->v[first] > last)
			return;
	}
	for (size_t i = 0; i < s->node->n_phrases; i++) {
		const struct ctx_pg_places *at = &s->phrases[i].starts;
		struct ctx_pg_places *kept = &s->kept[i];
		for (size_t k = find_start(at, earliest_start(s, i, last));
		     k < at->n && at->v[k] <= last; k++)
			if (kept->n == 0 || kept->v[kept->n - 1] < at->v[k])
				add_place(kept, at->v[k]);
	}
}

/* Removes the starts of phrases that are not near all other phrases of the node. */
static void
keep_near(struct ctx_pg_query *q, const struct ctx_pg_node *node)
{
	struct near s = {.node = node, .phrases = &q->phrases[node->first]};
	struct ctx_pg_places all = {.n = 0};

	s.kept = ctx_mem_new(node->n_phrases * sizeof(*s.kept));
	for (size_t i = 0; i < node->n_phrases; i++)
		for (size_t k = 0; k < s.phrases[i].starts.n; k++)
			add_place(&all, s.phrases[i].starts.v[k]);
	sort_places(&all);
	for (size_t k = 0; k < all.n; k++)
		if (k == 0 || all.v[k] != all.v[k - 1])
			keep_group(&s, all.v[k]);
	for (size_t i = 0; i < node->n_phrases; i++) {
		free(s.phrases[i].starts.v);
		s.phrases[i].starts = s.kept[i];
	}
	free(all.v);
	free(s.kept);
}

/* ---- matching the tree ---- */

static void
forget_starts(struct ctx_pg_query *q, const struct ctx_pg_node *node)
{
	for (size_t i = 0; i < node->n_phrases; i++)
		q->phrases[node->first + i].starts.n = 0;
	for (size_t i = 0; i < node->n; i++)
		forget_starts(q, &node->children[i]);
}

static bool
matches_near(struct ctx_pg_query *q, const struct ctx_pg_node *node)
{
	struct ctx_pg_places *starts = &q->phrases[node->first].starts;

	if (node->at_start)
		starts->n = starts->n > 0 && starts->v[0] == 1;
	if (node->n_phrases > 1)
		keep_near(q, node);
	for (size_t i = 0; i < node->n_phrases; i++)
		if (q->phrases[node->first + i].starts.n == 0)
			return false;
	return true;
}

/* Returns true if the row matches the node. If not, the starts of the node's phrases are
 * removed. */
static bool
matches_node(struct ctx_pg_query *q, const struct ctx_pg_node *node)
{
	bool match = !node->never, any = false;

	if (match && node->type == CTX_PG_NODE_NEAR)
		match = matches_near(q, node);
	for (size_t i = 0; match && i < node->n; i++) {
		bool child = matches_node(q, &node->children[i]);
		any = any || child;
		if (node->type == CTX_PG_NODE_AND || i == 0)
			match = child || node->type == CTX_PG_NODE_OR;
		else if (node->type == CTX_PG_NODE_NOT)
			match = !child;
	}
	if (node->type == CTX_PG_NODE_OR)
		match = match && any;
	if (!match)
		forget_starts(q, node);
	return match;
}

bool
ctx_pg_query_matches(struct ctx_pg_query *q, struct ctx_span row)
{
	place_row(q, row);
	return matches_node(q, &q->root);
}

size_t
ctx_pg_query_count(const struct ctx_pg_query *q, size_t i)
{
	return q->phrases[i].starts.n;
}
