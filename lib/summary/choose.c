/* Chooses the items of the document that are printed: those that tell the most for their
 * tokens. */
#include "summary/doc.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* An item is worth the facts that no chosen item contains yet, plus its base worth. Items
 * wait in buckets by worth per token. The worth of an item can only fall, so it moves
 * down by a few buckets at most. */
#define BUCKETS 256
#define PER_OCTAVE 8
#define NONE UINT32_MAX
#define SENTENCE 8.0f /* tokens from which an item has its full base worth */
/* factor for a fact that is printed already, in the record that it is about */
#define AGAIN 0.08f
#define WHOLE 0.4f     /* the same factor for elements of lists */
#define SUBJECT 0.3f   /* the same factor for the name of the record */
#define PASSED_BY 0.3f /* factor for a record that only results mention */
#define ORPHAN 0.3f    /* factor for an outcome of a request that is left out */
#define ROUNDS 8
#define TOKENS_MAX 1000000000

static float
worth_of_facts(const struct ctx_doc *d, uint32_t from, uint32_t n, float again)
{
	float sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct ctx_doc_fact *f = &d->facts[d->held[from + i]];
		sum += f->covered ? again * f->score : f->score;
	}
	return sum;
}

/* True if people or calls mention the subject of a record, or the record has no name. */
static bool
is_taken_up(const struct ctx_doc *d, const struct ctx_doc_group *g)
{
	for (uint32_t i = 0; i < g->n_facts; i++)
		if (d->facts[d->held[g->fact + i]].said & (CTX_SAID_USER | CTX_SAID_CALL))
			return true;
	return g->n_facts == 0;
}

/* True for an outcome of which the request is left out. */
static bool
is_orphan(const struct ctx_doc *d, const struct ctx_doc_group *g)
{
	size_t at;

	if (!d->ranked || d->talk || g->section != CTX_DOC_OUTCOMES || g->request == 0)
		return false;
	at = ctx_map_get(&d->by_group,
	    ctx_summary_hash(1, (const char *)&g->request, sizeof(g->request)), NULL,
	    NULL);
	return at != 0 && !d->groups[at - 1].open;
}

static float
worth_of(const struct ctx_doc *d, const struct ctx_doc_item *it)
{
	const struct ctx_doc_group *g = &d->groups[it->group];
	bool record = g->section == CTX_DOC_STATE && !it->excerpt;
	float share = (float)it->tokens / SENTENCE, worth;

	worth = worth_of_facts(d, it->fact, it->n_facts,
		    it->whole ? WHOLE
		    : record  ? AGAIN
			      : 0) +
		(g->open ? 0
			 : worth_of_facts(d, g->fact, g->n_facts, record ? SUBJECT : 0));
	worth = worth * it->share + it->base * (share < 1 ? share : 1);
	if (is_orphan(d, g))
		worth *= ORPHAN;
	return record && !is_taken_up(d, g) ? worth * PASSED_BY : worth;
}

struct choice {
	struct ctx_doc *d;
	int64_t left;
	int64_t excerpts; /* tokens left for quotations, a third of all */
	int64_t code;     /* tokens left for lines of files, an eighth of all */
	bool headed[CTX_DOC_SECTIONS];
	uint32_t head[BUCKETS];
};

static int64_t
price_doc_item(const struct choice *c, const struct ctx_doc_item *it)
{
	const struct ctx_doc_group *g = &c->d->groups[it->group];

	return it->tokens + (g->open ? 0 : g->tokens + 1) +
	       (c->headed[g->section] ? 0 : c->d->heading_tokens[g->section]);
}

static void
cover_facts(struct ctx_doc *d, uint32_t from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		d->facts[d->held[from + i]].covered = true;
}

static void
take_item(struct choice *c, struct ctx_doc_item *it)
{
	struct ctx_doc_group *g = &c->d->groups[it->group];

	c->left -= price_doc_item(c, it);
	c->excerpts -= it->excerpt != CTX_NO_EXCERPT ? it->tokens : 0;
	c->code -= it->excerpt == CTX_EXCERPT_FILE ? it->tokens : 0;
	it->kept = true;
	g->open = true;
	c->headed[g->section] = true;
	cover_facts(c->d, it->fact, it->n_facts);
	cover_facts(c->d, g->fact, g->n_facts);
}

static int
bucket_of(const struct choice *c, const struct ctx_doc_item *it)
{
	float worth = worth_of(c->d, it);
	/* The heading is not counted: it is needed once, and must not prevent the start
	 * of a section. */
	int64_t price = it->tokens + (c->d->groups[it->group].open
					     ? 0
					     : c->d->groups[it->group].tokens);
	int b;

	if (worth <= 0)
		return -1;
	b = BUCKETS / 2 + (int)floorf(PER_OCTAVE * log2f(worth / (float)price));
	return b < 0 ? 0 : b >= BUCKETS ? BUCKETS - 1 : b;
}

static void
push_item(struct choice *c, uint32_t i)
{
	int b = bucket_of(c, &c->d->items[i]);

	if (b < 0 || c->d->items[i].kept || c->d->items[i].times == 0)
		return;
	c->d->items[i].next = c->head[b];
	c->head[b] = i;
}

/* Returns the most valuable item of a request, plus one. */
static uint32_t
find_main_item(const struct ctx_doc *d, const struct ctx_doc_group *g)
{
	uint32_t best = g->first;

	for (uint32_t i = g->first; i != 0; i = d->items[i - 1].next_in_group)
		if (worth_of(d, &d->items[i - 1]) > worth_of(d, &d->items[best - 1]))
			best = i;
	return best;
}

/* Takes the main sentences of the first and of the last request, within a third of the
 * tokens. */
static void
take_frame(struct choice *c)
{
	struct ctx_doc *d = c->d;
	uint32_t ends[2] = {0, 0};
	int64_t keep = c->left - c->left / 3;

	for (uint32_t i = 0; i < d->n_groups; i++) {
		if (d->groups[i].section != CTX_DOC_REQUESTS || d->groups[i].first == 0)
			continue;
		ends[0] = i + 1;
		ends[1] = ends[1] == 0 ? i + 1 : ends[1];
	}
	for (int i = 0; i < 2 && ends[i] != 0; i++) {
		uint32_t item = find_main_item(d, &d->groups[ends[i] - 1]);
		if (!d->items[item - 1].kept &&
		    price_doc_item(c, &d->items[item - 1]) <= c->left - keep)
			take_item(c, &d->items[item - 1]);
	}
}

static bool
has_room(const struct choice *c, const struct ctx_doc_item *it)
{
	return price_doc_item(c, it) <= c->left &&
	       (it->excerpt == CTX_NO_EXCERPT || it->tokens <= c->excerpts) &&
	       (it->excerpt != CTX_EXCERPT_FILE || it->tokens <= c->code);
}

static void
choose_items(struct ctx_doc *d, int64_t max)
{
	struct choice c = {.d = d, .left = max, .excerpts = max / 3, .code = max / 8};
	uint32_t i;
	int now;

	for (size_t j = 0; j < d->n_facts; j++)
		d->facts[j].covered = false;
	for (size_t j = 0; j < d->n; j++)
		d->items[j].kept = false;
	for (size_t j = 0; j < d->n_groups; j++)
		d->groups[j].open = false;
	for (size_t j = 0; j < BUCKETS; j++)
		c.head[j] = NONE;
	take_frame(&c);
	d->ranked = false;
	for (size_t j = d->n; j-- > 0;)
		push_item(&c, (uint32_t)j);
	d->ranked = true;
	for (int b = BUCKETS - 1; b >= 0 && c.left > 0; b--) {
		while ((i = c.head[b]) != NONE) {
			struct ctx_doc_item *it = &d->items[i];
			c.head[b] = it->next;
			now = bucket_of(&c, it);
			/* A group that was opened meanwhile makes its items cheaper; they
			 * are not moved up for that. */
			if (now < b)
				push_item(&c, i);
			else if (has_room(&c, it))
				take_item(&c, it);
		}
	}
}

/* The tokens of the parts do not add up to those of the whole: prints, counts, and
 * corrects the limit. */
static void
fit_document(struct ctx_doc *d, int64_t max, struct ctx_buf *best)
{
	struct ctx_buf out = CTX_BUF_INIT, swap;
	int64_t limit = max, low = 0, high = 0, had = 0, tokens;

	for (int round = 0; round < ROUNDS && limit > 0; round++) {
		choose_items(d, limit);
		ctx_buf_reset(&out);
		ctx_doc_print(d, &out);
		tokens = out.n == 0 ? 0 : ctx_tokens_text(d->tokenizer, out.p, out.n);
		if (tokens <= max) {
			low = limit;
			if (tokens > had) {
				had = tokens;
				swap = *best;
				*best = out;
				out = swap;
			}
			if (tokens * 50 >= max * 49)
				break;
			limit = tokens > 0 ? limit * max / tokens : limit * 2;
			limit = limit < TOKENS_MAX ? limit : TOKENS_MAX;
		} else {
			high = limit;
			limit = limit * max / tokens;
			limit -= limit == high;
		}
		if (high > 0 && (limit >= high || limit <= low))
			limit = (low + high) / 2;
		if ((high > 0 && high - low < 2) || limit == low)
			break;
	}
	ctx_buf_release(&out);
}

int
ctx_summary_extract(struct ctx_buf *out, const struct ctx_summary_input *in,
    const struct ctx_summary_options *o, struct ctx_err *err)
{
	struct ctx_buf best = CTX_BUF_INIT;
	struct ctx_summary_input *commands;
	struct ctx_doc d;

	if (o->max_tokens < 1)
		return ctx_err_set(err, CTX_EUSAGE, "a summary needs at least one token");
	commands = ctx_summary_input_commands(in);
	ctx_doc_init(&d, commands != NULL ? commands : in, o->tokenizer, o->language);
	ctx_doc_rank(&d);
	ctx_doc_build(&d);
	fit_document(&d, o->max_tokens < TOKENS_MAX ? o->max_tokens : TOKENS_MAX, &best);
	if (best.n > 0)
		ctx_buf_add(out, best.p, best.n - 1); /* without the last newline */
	ctx_buf_release(&best);
	ctx_doc_release(&d);
	ctx_summary_input_free(commands);
	return 0;
}
