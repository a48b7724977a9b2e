#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "diff/diff.h"
#include "json/json.h"

#define WORDS_COLUMNS 60 /* columns of text if the output is not a terminal */
#define COLUMNS_BEFORE 34
#define EXCERPT_BEFORE 20 /* bytes shown before a difference */
#define EXCERPT_BYTES 240

/* Returns the entry that is shown for the change: that of the second input if it has
 * one. */
static const struct ctx_diff_entry *
find_shown_entry(const struct ctx_diff_change *c)
{
	return c->b != NULL ? c->b : c->a;
}

const char *
ctx_diff_change_name(const struct ctx_diff_change *c)
{
	return c->a == NULL ? "in" : c->b == NULL ? "out" : "changed";
}

/* ---- totals ---- */

struct ctx_diff_sums
ctx_diff_sum(const struct ctx_diff *d)
{
	struct ctx_diff_sums s = {0};

	for (size_t i = 0; i < d->n; i++) {
		const struct ctx_diff_change *c = &d->changes[i];
		if (c->a == NULL) {
			s.in++;
			s.in_tokens += c->b->tokens;
		} else if (c->b == NULL) {
			s.out++;
			s.out_tokens += c->a->tokens;
		} else {
			s.changed++;
		}
	}
	return s;
}

/* Totals of the additions with one slot and source. */
struct addition_sum {
	enum ctx_slot slot;
	struct ctx_span source;
	int64_t tokens[2], count[2]; /* in the first and in the second input */
};

static int
compare_addition_sums(const void *a, const void *b)
{
	const struct addition_sum *x = a, *y = b;
	size_t n = x->source.n < y->source.n ? x->source.n : y->source.n;
	int order = (x->slot > y->slot) - (x->slot < y->slot);

	if (order == 0 && n > 0)
		order = memcmp(x->source.p, y->source.p, n);
	return order != 0 ? order
			  : (x->source.n > y->source.n) - (x->source.n < y->source.n);
}

/* Returns a heap array. */
static struct addition_sum *
sum_additions(const struct ctx_diff *d, size_t *n)
{
	const struct ctx_diff_side *sides[] = {d->a, d->b};
	struct addition_sum *v = ctx_mem_new((d->a->n + d->b->n) * sizeof(*v));
	size_t all = 0;

	*n = 0;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < sides[s]->n; i++) {
			const struct ctx_diff_entry *e = &sides[s]->entries[i];
			if (e->slot == CTX_SLOT_HISTORY)
				continue;
			v[all].slot = e->slot;
			v[all].source = e->source;
			v[all].tokens[s] = e->tokens;
			v[all++].count[s] = 1;
		}
	if (all > 1)
		qsort(v, all, sizeof(*v), compare_addition_sums);
	for (size_t i = 0; i < all; i++) {
		if (*n == 0 || compare_addition_sums(&v[*n - 1], &v[i]) != 0) {
			v[(*n)++] = v[i];
			continue;
		}
		for (int s = 0; s < 2; s++) {
			v[*n - 1].tokens[s] += v[i].tokens[s];
			v[*n - 1].count[s] += v[i].count[s];
		}
	}
	return v;
}

const char *
ctx_diff_part_name(int part)
{
	return part == CTX_DIFF_TOOLS ? "tools"
				      : ctx_component_name((enum ctx_component)part);
}

/* ---- text ---- */

/* Appends text, padded to at least this many columns. */
static void
put_column(struct ctx_buf *out, struct ctx_span text, size_t columns)
{
	size_t width = ctx_term_width(text);

	ctx_buf_addspan(out, text);
	ctx_term_pad(out, width < columns ? columns - width : 0);
	ctx_buf_addc(out, ' ');
}

/* Appends the text around the first differing byte, if both begin alike. */
static void
put_difference(struct ctx_buf *out, struct ctx_span a, struct ctx_span b)
{
	size_t at = 0, end;

	while (at < a.n && at < b.n && a.p[at] == b.p[at])
		at++;
	at = at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0;
	while (at > 0 && at < b.n && (b.p[at] & 0xc0) == 0x80)
		at--;
	end = b.n - at > EXCERPT_BYTES ? at + EXCERPT_BYTES : b.n;
	while (end < b.n && (b.p[end] & 0xc0) == 0x80)
		end--;
	ctx_buf_adds(out, "... ");
	ctx_buf_add(out, b.p + at, end - at);
}

/* Returns whether a message begins with text that looks like the line of an addition. */
static bool
looks_added(struct ctx_span text)
{
	text = ctx_span_trim(text);
	for (int slot = CTX_SLOT_PREFIX; slot <= CTX_SLOT_VOLATILE; slot++) {
		const char *name = ctx_slot_name((enum ctx_slot)slot);
		size_t n = name == NULL ? 0 : strlen(name);
		if (n > 0 && text.n > n && text.p[0] == '[' &&
		    memcmp(text.p + 1, name, n) == 0)
			return true;
	}
	return false;
}

static void
put_words(
    struct ctx_buf *out, const struct ctx_term *term, const struct ctx_diff_change *c)
{
	const struct ctx_diff_entry *a = c->a, *e = find_shown_entry(c);
	struct ctx_buf text = CTX_BUF_INIT, line = CTX_BUF_INIT;
	size_t columns = term->columns > COLUMNS_BEFORE + 10
			     ? (size_t)term->columns - COLUMNS_BEFORE
			     : WORDS_COLUMNS;

	if (e->slot != CTX_SLOT_HISTORY) {
		ctx_buf_addf(&text, "[%s ", ctx_slot_name(e->slot));
		ctx_buf_addspan(&text, e->source);
		ctx_buf_adds(&text, "] ");
	}
	if (a != NULL && a != e && ctx_span_eq(a->words, e->words))
		put_difference(&text, a->json, e->json);
	else
		ctx_buf_addspan(&text, e->words);
	if (e->slot == CTX_SLOT_HISTORY && looks_added(ctx_buf_span(&text)))
		ctx_buf_adds(&line, "  ");
	ctx_term_clean_line(&line, term, ctx_buf_span(&text));
	if (line.n > 0)
		ctx_term_put_cut(out, term, ctx_buf_span(&line), columns);
	ctx_buf_release(&text);
	ctx_buf_release(&line);
}

/* Appends "seq 12", or the position "#3" for a message without a sequence number. */
static void
put_place(struct ctx_buf *out, const struct ctx_diff_entry *e)
{
	char text[32] = "";

	if (e->seq >= 0)
		snprintf(text, sizeof(text), "seq %lld", (long long)e->seq);
	else if (e->position > 0)
		snprintf(text, sizeof(text), "#%lld", (long long)e->position);
	put_column(out, ctx_span_of(text), 7);
}

static void
put_change_line(
    struct ctx_buf *out, const struct ctx_diff_change *c, const struct ctx_term *term)
{
	const struct ctx_diff_entry *a = c->a, *b = c->b, *e = find_shown_entry(c);
	char tokens[48];

	ctx_term_style(out, term,
	    a == NULL   ? CTX_STYLE_ADDED
	    : b == NULL ? CTX_STYLE_ERROR
			: CTX_STYLE_TOOL);
	ctx_buf_adds(out, a == NULL ? "+ " : b == NULL ? "- " : "~ ");
	put_column(out, e->role, 9);
	put_place(out, e);
	if (a != NULL && b != NULL && a->tokens != b->tokens)
		snprintf(tokens, sizeof(tokens), "%lld -> %lld", (long long)a->tokens,
		    (long long)b->tokens);
	else
		snprintf(tokens, sizeof(tokens), "%lld", (long long)e->tokens);
	put_column(out, ctx_span_of(tokens), 12);
	put_words(out, term, c);
	while (out->n > 0 && out->p[out->n - 1] == ' ')
		out->n--;
	ctx_term_style(out, term, CTX_STYLE_PLAIN);
	ctx_buf_addc(out, '\n');
}

static void
put_side_line(struct ctx_buf *out, const char *mark, const char *name,
    const struct ctx_diff_side *side, const struct ctx_term *term)
{
	ctx_buf_addf(out, "%s ", mark);
	ctx_term_clean_line(out, term, ctx_span_of(name));
	ctx_buf_addf(out, ": %lld message%s, %lld token%s\n", (long long)side->messages,
	    CTX_PLURAL(side->messages), (long long)side->total, CTX_PLURAL(side->total));
}

static void
put_token_row(struct ctx_buf *out, struct ctx_span name, int64_t before, int64_t after)
{
	if (before == 0 && after == 0)
		return;
	ctx_buf_adds(out, "  ");
	put_column(out, name, 26);
	ctx_buf_addf(out,
	    before == after ? "%9lld %9lld %9lld\n" : "%9lld %9lld %+9lld\n",
	    (long long)before, (long long)after, (long long)(after - before));
}

static void
put_additions(struct ctx_buf *out, const struct ctx_diff *d, const struct ctx_term *term)
{
	struct ctx_buf text = CTX_BUF_INIT, line = CTX_BUF_INIT;
	size_t n;
	struct addition_sum *v = sum_additions(d, &n);

	if (n > 0)
		ctx_buf_adds(out,
		    "\nadditions, in tokens:           before     after    change\n");
	for (size_t i = 0; i < n; i++) {
		ctx_buf_reset(&text);
		ctx_buf_reset(&line);
		ctx_buf_addf(&text, "%s ", ctx_slot_name(v[i].slot));
		ctx_buf_addspan(&text, v[i].source);
		ctx_term_clean_line(&line, term, ctx_buf_span(&text));
		put_token_row(out, ctx_buf_span(&line), v[i].tokens[0], v[i].tokens[1]);
	}
	free(v);
	ctx_buf_release(&text);
	ctx_buf_release(&line);
}

void
ctx_diff_text(struct ctx_buf *out, const struct ctx_diff *d, const struct ctx_term *term,
    const char *name_a, const char *name_b)
{
	struct ctx_diff_sums s = ctx_diff_sum(d);

	if (d->n == 0)
		return;
	put_side_line(out, "---", name_a, d->a, term);
	put_side_line(out, "+++", name_b, d->b, term);
	for (size_t i = 0; i < d->n; i++)
		put_change_line(out, &d->changes[i], term);
	ctx_buf_addf(out,
	    "\n%lld added (%lld token%s), %lld removed (%lld token%s), %lld changed\n",
	    (long long)s.in, (long long)s.in_tokens, CTX_PLURAL(s.in_tokens),
	    (long long)s.out, (long long)s.out_tokens, CTX_PLURAL(s.out_tokens),
	    (long long)s.changed);
	put_additions(out, d, term);
	ctx_buf_adds(
	    out, "\ntokens:                         before     after    change\n");
	for (int i = 0; i < CTX_DIFF_PARTS; i++)
		put_token_row(out, ctx_span_of(ctx_diff_part_name(i)), d->a->tokens[i],
		    d->b->tokens[i]);
	put_token_row(out, ctx_span_of("total"), d->a->total, d->b->total);
}

/* ---- records ---- */

static void
add_entry_members(struct ctx_buf *out, const struct ctx_diff_entry *e)
{
	static const char *const types[] = {"message", "system", "tool", "param"};

	ctx_json_print(out, "'type':%s,'id':%j", types[e->type], e->id);
	if (e->seq >= 0)
		ctx_json_add_int(out, "seq", e->seq);
	if (e->type == CTX_DIFF_MESSAGE)
		ctx_json_add_string(out, "role", e->role);
	ctx_json_print(out, "'slot':%s,'source':%t", ctx_slot_name(e->slot), e->source);
}

static void
put_change_record(struct ctx_buf *out, const struct ctx_diff_change *c)
{
	const struct ctx_diff_entry *a = c->a, *b = c->b;

	ctx_json_print(out, "{'kind':'diff','change':%s", ctx_diff_change_name(c));
	add_entry_members(out, find_shown_entry(c));
	if (a != NULL && a->position > 0)
		ctx_json_add_int(out, "position_before", a->position);
	if (b != NULL && b->position > 0)
		ctx_json_add_int(out, "position_after", b->position);
	if (a != NULL)
		ctx_json_add_int(out, "tokens_before", a->tokens);
	if (b != NULL)
		ctx_json_add_int(out, "tokens_after", b->tokens);
	ctx_json_print(out, "'before':%j,'after':%j", a != NULL ? a->json : CTX_SPAN_NONE,
	    b != NULL ? b->json : CTX_SPAN_NONE);
	ctx_json_print(out, "}\n");
}

static void
add_side_tokens(struct ctx_buf *out, const char *key, const struct ctx_diff_side *side)
{
	ctx_json_add_open(out, key, '{');
	for (int i = 0; i < CTX_DIFF_PARTS; i++)
		ctx_json_add_int(out, ctx_diff_part_name(i), side->tokens[i]);
	ctx_json_print(out, "'total':%d}", side->total);
}

static void
add_addition_sums(struct ctx_buf *out, const struct ctx_diff *d)
{
	size_t n;
	struct addition_sum *v = sum_additions(d, &n);

	ctx_json_add_open(out, "additions", '[');
	for (size_t i = 0; i < n; i++)
		ctx_json_print(out,
		    "{'slot':%s,'source':%t,'count_before':%d,'count_after':%d,'tokens_before':%d,'tokens_after':%d}",
		    ctx_slot_name(v[i].slot), v[i].source, v[i].count[0], v[i].count[1],
		    v[i].tokens[0], v[i].tokens[1]);
	ctx_json_put_close(out, ']');
	free(v);
}

void
ctx_diff_ndjson(struct ctx_buf *out, const struct ctx_diff *d)
{
	struct ctx_diff_sums s = ctx_diff_sum(d);

	for (size_t i = 0; i < d->n; i++)
		put_change_record(out, &d->changes[i]);
	ctx_json_print(out,
	    "{'kind':'diff','change':'total','in':%d,'out':%d,'changed':%d,'messages_before':%d,'messages_after':%d",
	    s.in, s.out, s.changed, d->a->messages, d->b->messages);
	add_addition_sums(out, d);
	add_side_tokens(out, "tokens_before", d->a);
	add_side_tokens(out, "tokens_after", d->b);
	ctx_json_print(out, "}\n");
}
