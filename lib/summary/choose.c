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
/* the bucket of items that are worth a sixteenth per token */
#define LITTLE (BUCKETS / 2 - 4 * PER_OCTAVE)
#define NONE UINT32_MAX
#define SENTENCE 8.0f /* tokens from which an item has its full base worth */
/* factor for a fact that is printed already, in the record that it is about */
#define AGAIN 0.08f
#define WHOLE 0.4f /* the same factor for elements of lists */
#define BARE 0.1f /* base worth of a member that tells something, and factor for others */
#define SUBJECT 0.6f /* the same factor for the name of the record */
/* factors for a record by who mentions it: the assistant; only calls that look it up;
 * only results */
#define TAKEN_UP 1.5f
#define MENTIONED 0.8f
#define LOOKED_UP 1.0f
#define PASSED_BY 0.1f
#define OFFERED 0.05f
#define ORPHAN 0.3f /* factor for an outcome of a request that is left out */
/* maximum number of tokens beyond half of all, and at most a fifth of all, for records
 * that are chosen before items that are worth LITTLE */
#define RECORDS 40
#define FRAME 2 /* share of the tokens for the first and the last request: a half */
#define FRAME_WORTH \
	0.15f  /* base worth that a request needs to be the first or the last */
#define MAIN 6 /* share of the tokens for main sentences: a sixth */
#define ANSWER_WORTH 0.8f /* base worth of a sentence that ends a request */
#define ROOM 10 /* share of the tokens that is worth filling with other lines: a tenth */
#define ROUNDS 8
#define TOKENS_MAX 1000000000

static float
worth_of_facts(const struct ctx_doc *d, uint32_t from, uint32_t n, float again)
{
	float sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct ctx_doc_fact *f = &d->facts[d->held[from + i]];
		sum += !f->covered ? f->score : f->described ? 0 : again * f->score;
	}
	return sum;
}

/* Returns a factor for the worth of a record: less if no person mentions its subject, and
 * calls only look it up. */
static float
weigh_record(const struct ctx_doc *d, const struct ctx_doc_group *g)
{
	unsigned said = 0;
	uint32_t last = 0;

	for (uint32_t i = 0; i < g->n_facts; i++) {
		const struct ctx_doc_fact *f = &d->facts[d->held[g->fact + i]];
		said |= f->said;
		last = f->last > last ? f->last : last;
	}
	if (g->n_facts == 0 || (said & (CTX_SAID_USER | CTX_SAID_EFFECT)))
		return TAKEN_UP;
	if (said & CTX_SAID_CALL)
		return said & CTX_SAID_ASSISTANT ? TAKEN_UP : LOOKED_UP;
	/* what was offered before the last change was not chosen */
	return last < d->last_effect       ? OFFERED
	       : said & CTX_SAID_ASSISTANT ? MENTIONED
					   : PASSED_BY;
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

static bool
is_record(const struct ctx_doc *d, const struct ctx_doc_item *it)
{
	return d->groups[it->group].section == CTX_DOC_STATE && !it->excerpt;
}

static float
worth_of(const struct ctx_doc *d, const struct ctx_doc_item *it)
{
	const struct ctx_doc_group *g = &d->groups[it->group];
	bool record = is_record(d, it);
	float share = (float)it->tokens / SENTENCE, worth;

	worth = worth_of_facts(d, it->fact, it->n_facts,
	    it->whole ? WHOLE
	    : record  ? AGAIN
		      : 0);
	/* A subject is worth less with a member that says nothing. */
	if (!g->open)
		worth += worth_of_facts(d, g->fact, g->n_facts, record ? SUBJECT : 0) *
			 (record && it->n_facts == 0 && it->base < BARE ? BARE : 1);
	if (it->rest)
		worth = 0;
	worth = worth * it->share + it->base * (share < 1 ? share : 1);
	if (is_orphan(d, g))
		worth *= ORPHAN;
	return record ? worth * weigh_record(d, g) : worth;
}

struct choice {
	struct ctx_doc *d;
	int64_t all, left;
	int64_t excerpts; /* tokens left for quotations, a third of all */
	int64_t code;     /* tokens left for lines of files, an eighth of all */
	/* tokens left for records: half of all tokens and up to RECORDS more; further
	 * records are chosen after the items that are worth more than LITTLE */
	int64_t records;
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
	c->records -= is_record(c->d, it) ? price_doc_item(c, it) : 0;
	it->kept = true;
	g->open = true;
	c->headed[g->section] = true;
	cover_facts(c->d, it->fact, it->n_facts);
	if (it->part)
		c->d->facts[c->d->held[it->fact]].described = true;
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

/* Puts the item into its bucket, or into the bucket max if its own is higher. Returns the
 * bucket, or -1 if the item is worthless. */
static int
push_item(struct choice *c, uint32_t i, int max)
{
	struct ctx_doc_item *it = &c->d->items[i];
	int b = bucket_of(c, it);

	it->bucket = -1;
	if (b < 0 || it->kept || it->times == 0 || (it->rest && !c->d->spacious))
		return -1;
	b = b < max ? b : max;
	it->bucket = b;
	it->next = c->head[b];
	it->prev = NONE;
	if (it->next != NONE)
		c->d->items[it->next].prev = i;
	c->head[b] = i;
	return b;
}

/* Takes the item out of its bucket. */
static void
pull_item(struct choice *c, uint32_t i)
{
	struct ctx_doc_item *it = &c->d->items[i];

	if (it->prev == NONE)
		c->head[it->bucket] = it->next;
	else
		c->d->items[it->prev].next = it->next;
	if (it->next != NONE)
		c->d->items[it->next].prev = it->prev;
	it->bucket = -1;
}

static float
base_of(const struct ctx_doc *d CTX_UNUSED, const struct ctx_doc_item *it)
{
	return it->base;
}

/* Returns the item of the group that is worth the most, plus one. */
static uint32_t
find_main_item(const struct ctx_doc *d, const struct ctx_doc_group *g,
    float (*worth)(const struct ctx_doc *d, const struct ctx_doc_item *it))
{
	uint32_t best = g->first;

	for (uint32_t i = g->first; i != 0; i = d->items[i - 1].next_in_group)
		if (worth(d, &d->items[i - 1]) > worth(d, &d->items[best - 1]))
			best = i;
	return best;
}

/* Takes the main sentences of the first and of the last request, within half of the
 * tokens. Requests that only name a thing do not count. */
static void
take_frame(struct choice *c)
{
	struct ctx_doc *d = c->d;
	uint32_t ends[2] = {0, 0};
	int64_t keep = c->left / FRAME;

	for (uint32_t i = 0; i < d->n_groups; i++) {
		if (d->groups[i].section != CTX_DOC_REQUESTS || d->groups[i].first == 0 ||
		    d->items[find_main_item(d, &d->groups[i], worth_of) - 1].base <
			FRAME_WORTH)
			continue;
		ends[0] = i + 1;
		ends[1] = ends[1] == 0 ? i + 1 : ends[1];
	}
	for (int i = 0; i < 2 && ends[i] != 0; i++) {
		uint32_t item = find_main_item(d, &d->groups[ends[i] - 1], worth_of);
		if (!d->items[item - 1].kept &&
		    price_doc_item(c, &d->items[item - 1]) <= c->left - keep)
			take_item(c, &d->items[item - 1]);
	}
}

/* Takes the main sentence of each group of the section, if all of them fit into a sixth
 * of the tokens. Sentences with a base worth below least are ignored. */
static void
take_main_sentences(struct choice *c, enum ctx_doc_section section, float least)
{
	struct ctx_doc *d = c->d;
	int64_t price = 0;

	for (int take = 0; take < 2 && price <= c->all / MAIN; take++)
		for (size_t i = 0; i < d->n_groups; i++) {
			uint32_t item = find_main_item(d, &d->groups[i], base_of);
			if (d->groups[i].section != section || item == 0 ||
			    d->items[item - 1].base < least || d->items[item - 1].kept)
				continue;
			if (take > 0 && price_doc_item(c, &d->items[item - 1]) <= c->left)
				take_item(c, &d->items[item - 1]);
			else
				price += price_doc_item(c, &d->items[item - 1]);
		}
}

static bool
has_room(const struct choice *c, const struct ctx_doc_item *it)
{
	return price_doc_item(c, it) <= c->left &&
	       (it->excerpt == CTX_NO_EXCERPT || it->tokens <= c->excerpts) &&
	       (it->excerpt != CTX_EXCERPT_FILE || it->tokens <= c->code);
}

/* The items of a group that has been opened cost less: moves them up from bucket b and the
 * ones below. Returns the highest bucket that has items now. */
static int
lift_items(struct choice *c, uint32_t group, int b)
{
	struct ctx_doc *d = c->d;
	int top = b, now;

	for (uint32_t i = d->groups[group].first; i != 0;
	     i = d->items[i - 1].next_in_group) {
		if (d->items[i - 1].bucket < 0)
			continue;
		pull_item(c, i - 1);
		now = push_item(c, i - 1, BUCKETS - 1);
		top = now > top ? now : top;
	}
	return top;
}

static void
choose_items(struct ctx_doc *d, int64_t max)
{
	struct choice c = {.d = d,
	    .all = max,
	    .left = max,
	    .excerpts = max / 3,
	    .code = max / 8,
	    .records = max / 2 + (max / 5 < RECORDS ? max / 5 : RECORDS)};
	uint32_t i;
	int now;

	for (size_t j = 0; j < d->n_facts; j++)
		d->facts[j].covered = d->facts[j].described = false;
	for (size_t j = 0; j < d->n; j++)
		d->items[j].kept = false;
	for (size_t j = 0; j < d->n_groups; j++)
		d->groups[j].open = false;
	for (size_t j = 0; j < BUCKETS; j++)
		c.head[j] = NONE;
	take_frame(&c);
	if (d->tools) {
		take_main_sentences(&c, CTX_DOC_REQUESTS, FRAME_WORTH);
		take_main_sentences(&c, CTX_DOC_OUTCOMES, ANSWER_WORTH);
	}
	d->ranked = false;
	for (size_t j = d->n; j-- > 0;)
		push_item(&c, (uint32_t)j, BUCKETS - 1);
	d->ranked = true;
	for (int b = BUCKETS - 1; b >= 0 && c.left > 0; b--) {
		while ((i = c.head[b]) != NONE) {
			struct ctx_doc_item *it = &d->items[i];
			bool open = d->groups[it->group].open;
			pull_item(&c, i);
			now = bucket_of(&c, it);
			if (now < b) {
				push_item(&c, i, BUCKETS - 1);
			} else if (b > LITTLE && is_record(d, it) &&
				   price_doc_item(&c, it) > c.records) {
				push_item(&c, i, LITTLE);
			} else if (has_room(&c, it)) {
				take_item(&c, it);
				if (!open)
					b = lift_items(&c, it->group, b);
			}
		}
	}
}

/* The tokens of the parts do not add up to those of the whole: prints, counts, and
 * corrects the limit. Returns the tokens of the best document. */
static int64_t
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
	return had;
}

int
ctx_summary_extract(struct ctx_buf *out, const struct ctx_summary_input *in,
    const struct ctx_summary_options *o, struct ctx_err *err)
{
	struct ctx_buf best = CTX_BUF_INIT;
	struct ctx_summary_input *commands;
	struct ctx_doc d;
	int64_t max;

	if (o->max_tokens < 1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "the maximum size of a summary must be at least one token");
	commands = ctx_summary_input_commands(in);
	for (int keep_all = 0; keep_all < 2 && best.n == 0; keep_all++) {
		ctx_doc_init(
		    &d, commands != NULL ? commands : in, o->tokenizer, o->language);
		d.keep_all = keep_all > 0;
		ctx_doc_rank(&d);
		ctx_doc_build(&d);
		max = o->max_tokens < TOKENS_MAX ? o->max_tokens : TOKENS_MAX;
		if (fit_document(&d, max, &best) < max - max / ROOM) {
			d.spacious = true;
			fit_document(&d, max, &best);
		}
		ctx_doc_release(&d);
	}
	if (best.n > 0)
		ctx_buf_add(out, best.p, best.n - 1); /* without the last newline */
	ctx_buf_release(&best);
	ctx_summary_input_free(commands);
	return 0;
}
