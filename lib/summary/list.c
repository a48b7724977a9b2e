#include "summary/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Tokens of the heading of one kind's line. */
#define HEADING 3
/* Errors and decisions are long: this share of the list, and those not longer than that,
 * before other facts, the rest after them. */
#define SENTENCES_SHARE 4
#define SENTENCE_TOKENS 32

struct item {
	uint32_t concept;
	struct ctx_span text;
	int64_t tokens;
	float density;
	bool listed;
};

static int
by_density(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->density != y->density)
		return x->density < y->density ? 1 : -1;
	return x->concept < y->concept ? -1 : x->concept > y->concept;
}

static bool
is_sentence(const struct ctx_concept *c)
{
	return c->kind == 1 + CTX_FACT_ERROR || c->kind == 1 + CTX_FACT_DECISION;
}

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* What counts or measures: a unit, or a plural. Other words tell nothing of the number. */
static bool
is_unit(struct ctx_span word)
{
	static const char units[] =
	    " ms us ns sec min mins hrs day hour week month year kb mb "
	    "gb tb kib mib gib px pt em rem mm cm km kg lb mg "
	    "eur usd euro dollar percent people ",
			  others[] = " always across perhaps besides towards afterwards "
				     "whereas does goes ";
	char key[16] = " ";

	if (word.n + 3 > sizeof(key))
		return false;
	memcpy(key + 1, word.p, word.n);
	key[word.n + 1] = ' ';
	if (strstr(units, key) != NULL)
		return true;
	return word.n > 3 && word.p[word.n - 1] == 's' &&
	       strchr("suia", word.p[word.n - 2]) == NULL && strstr(others, key) == NULL;
}

/* A number says little alone: take the word behind it, as in "23 tests". */
static struct ctx_span
with_unit(struct ctx_span sentence, struct ctx_span number)
{
	const char *end = sentence.p + sentence.n, *p = number.p + number.n, *q = p + 1;

	if (p + 3 > end || *p != ' ')
		return number;
	while (q < end && is_lower(*q))
		q++;
	if (q - p < 3 || q - p > 12 || (q < end && (unsigned char)*q >= 0x80) ||
	    !is_unit((struct ctx_span){p + 1, (size_t)(q - p - 1)}))
		return number;
	return (struct ctx_span){number.p, (size_t)(q - number.p)};
}

static size_t
collect(struct ctx_model *m, struct item *items)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_c; i++) {
		struct ctx_concept *c = &m->c[i];
		struct item *it = &items[n];
		if (c->kind == 0 || c->covered)
			continue;
		it->concept = (uint32_t)i;
		it->listed = false;
		it->text = (struct ctx_span){m->in->bytes.p + c->text, c->n};
		if (c->kind == 1 + CTX_FACT_NUMBER)
			it->text = with_unit(m->s[c->sentence].text, it->text);
		it->tokens = ctx_tokens_text(m->tokenizer, it->text.p, it->text.n) + 1;
		it->density = c->weight / (float)it->tokens;
		n++;
	}
	return n;
}

static void
print_kind(struct ctx_model *m, const struct item *items, size_t n, int kind,
    struct ctx_buf *out)
{
	static const char *const heading[CTX_FACT_KINDS] = {"numbers:", "paths:",
	    "identifiers:", "urls:", "names:", "errors:", "decisions:"};
	bool spaced = kind != CTX_FACT_PATH && kind != CTX_FACT_IDENTIFIER &&
		      kind != CTX_FACT_URL;
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		if (!items[i].listed || m->c[items[i].concept].kind != kind + 1)
			continue;
		if (first)
			ctx_buf_adds(out, heading[kind]);
		else if (spaced)
			ctx_buf_addc(out, kind >= CTX_FACT_ERROR ? ';' : ',');
		ctx_buf_addc(out, ' ');
		ctx_buf_addspan(out, items[i].text);
		first = false;
	}
	if (!first)
		ctx_buf_addc(out, '\n');
}

static int
by_concept(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->concept < y->concept ? -1 : x->concept > y->concept;
}

void
ctx_model_list(struct ctx_model *m, int64_t max, struct ctx_buf *out)
{
	static const enum ctx_fact_kind order[] = {CTX_FACT_DECISION, CTX_FACT_ERROR,
	    CTX_FACT_PATH, CTX_FACT_URL, CTX_FACT_IDENTIFIER, CTX_FACT_NAME,
	    CTX_FACT_NUMBER};
	struct item *items = ctx_mem_resize(NULL, m->n_c + 1, sizeof(*items));
	size_t n = collect(m, items);
	bool seen[CTX_FACT_KINDS] = {false};
	int64_t sentences = max / SENTENCES_SHARE, cost;

	qsort(items, n, sizeof(*items), by_density);
	for (int pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < n; i++) {
			struct ctx_concept *c = &m->c[items[i].concept];
			cost = items[i].tokens + (seen[c->kind - 1] ? 0 : HEADING);
			if (is_sentence(c) == (pass == 1) || cost > max ||
			    items[i].listed)
				continue;
			if (pass == 0 &&
			    (cost > sentences || items[i].tokens > SENTENCE_TOKENS))
				continue;
			sentences -= cost;
			max -= cost;
			seen[c->kind - 1] = items[i].listed = c->covered = true;
		}
	}
	qsort(items, n, sizeof(*items), by_concept);
	for (size_t i = 0; i < CTX_FACT_KINDS; i++)
		print_kind(m, items, n, (int)order[i], out);
	free(items);
}

#define ROUNDS 6

/* Tokens of parts do not add up to those of the whole: correct the limit by the ratio. 0:
 * good enough. */
static int64_t
next_limit(int64_t limit, int64_t tokens, int64_t max)
{
	double ratio = (double)max / (double)(tokens > 0 ? tokens : 1);

	if (tokens <= 0 || (tokens <= max && tokens * 50 >= max * 49))
		return 0;
	if (ratio > 2)
		ratio = 2;
	return (int64_t)((double)limit * ratio * (tokens > max ? 0.98 : 1));
}

void
ctx_summary_list_facts(struct ctx_buf *out, const struct ctx_summary_input *in,
    struct ctx_span text, struct ctx_tokenizer *t, int64_t max_tokens)
{
	struct ctx_buf list = CTX_BUF_INIT, best = CTX_BUF_INIT;
	int64_t tokens, most = 0, max = max_tokens;
	struct ctx_model m;

	ctx_model_init(&m, in, t);
	for (size_t i = 0; i < m.n_c; i++) {
		struct ctx_concept *c = &m.c[i];
		if (c->kind != 0)
			c->covered = ctx_summary_contains(
			    text, (struct ctx_span){in->bytes.p + c->text, c->n});
	}
	for (int round = 0; max > 0 && round < ROUNDS; round++) {
		struct ctx_model again = m;
		again.c = ctx_mem_resize(NULL, m.n_c + 1, sizeof(*m.c));
		if (m.n_c > 0)
			memcpy(again.c, m.c, m.n_c * sizeof(*m.c));
		ctx_buf_reset(&list);
		ctx_model_list(&again, max, &list);
		free(again.c);
		tokens = list.n == 0 ? 0 : ctx_tokens_text(t, list.p, list.n);
		if (tokens <= max_tokens && tokens > most) {
			struct ctx_buf swap = best;
			best = list;
			list = swap;
			most = tokens;
		}
		max = next_limit(max, tokens, max_tokens);
	}
	ctx_buf_addspan(out, ctx_buf_span(&best));
	ctx_buf_release(&best);
	ctx_buf_release(&list);
	ctx_model_release(&m);
}
