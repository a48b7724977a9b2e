#include "summary/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
ctx_doc_init(struct ctx_doc *d, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, enum ctx_summary_language l)
{
	memset(d, 0, sizeof(*d));
	d->in = in;
	d->tokenizer = t;
	d->language = l;
	ctx_buf_reserve(&d->bytes, 1); /* so that bytes.p is not NULL */
	ctx_summary_cues_init(&d->cues);
	for (int s = 0; s < CTX_DOC_SECTIONS; s++) {
		const char *h = ctx_doc_heading(l, (enum ctx_doc_section)s);
		d->heading_tokens[s] = ctx_tokens_text(t, h, strlen(h)) + 2;
	}
}

void
ctx_doc_release(struct ctx_doc *d)
{
	ctx_buf_release(&d->bytes);
	ctx_buf_release(&d->scratch);
	ctx_buf_release(&d->sought);
	free(d->items);
	free(d->groups);
	free(d->facts);
	free(d->held);
	ctx_map_release(&d->by_fact);
	ctx_map_release(&d->by_word);
	ctx_map_release(&d->by_group);
	ctx_map_release(&d->by_item);
	ctx_map_release(&d->by_action);
	ctx_map_release(&d->cues.words);
}

/* Appends the facts of text to d->held, if the conversation contains them. Returns their
 * number. */
static uint32_t
hold_facts(struct ctx_doc *d, struct ctx_span text)
{
	struct ctx_facts f = CTX_FACTS_INIT;
	struct ctx_doc_fact *fact;
	uint32_t n = 0;

	ctx_summary_facts_scan(text, false, 0, &f);
	for (size_t i = 0; i < f.n; i++) {
		fact = ctx_doc_fact_find(
		    d, (struct ctx_span){text.p + f.v[i].offset, f.v[i].n});
		if (fact == NULL)
			continue;
		CTX_MEM_GROW(d->held, d->n_held, d->cap_held);
		d->held[d->n_held++] = (uint32_t)(fact - d->facts);
		n++;
	}
	ctx_facts_release(&f);
	return n;
}

static bool
is_prose(enum ctx_doc_section s)
{
	return s == CTX_DOC_REQUESTS || s == CTX_DOC_OUTCOMES || s == CTX_DOC_DECISIONS;
}

#define LINE_NUMBER 5  /* tokens of quotation marks and the number of a line */
#define WORDS_MIN 2.0f /* telling words below which a sentence is worth less */
#define TOLD_MIN 0.05f /* share of them that counts at least, if all sentences are kept */

/* Appends the words of a sentence to d->held, after its facts. A sentence with few of
 * both is worth less. */
static void
hold_words(struct ctx_doc *d, struct ctx_doc_item *it, struct ctx_span text)
{
	struct ctx_summary_words words;
	struct ctx_summary_word w;
	float told = (float)it->n_facts * CTX_DOC_WORD;
	size_t at;

	if (d->texts < 4)
		return;
	ctx_summary_words_init(&words, text, &d->scratch);
	while (ctx_summary_words_next(&words, &w)) {
		at = ctx_map_get(&d->by_word, w.hash, NULL, NULL);
		if (at == 0 || d->facts[at - 1].score <= 0)
			continue;
		CTX_MEM_GROW(d->held, d->n_held, d->cap_held);
		d->held[d->n_held++] = (uint32_t)at - 1;
		it->n_facts++;
		told += d->facts[at - 1].score;
	}
	told /= WORDS_MIN * CTX_DOC_WORD;
	told = d->keep_all && told < TOLD_MIN ? TOLD_MIN : told;
	it->base *= told < 1 ? told : 1;
}

uint32_t
ctx_doc_group(struct ctx_doc *d, enum ctx_doc_section s, uint32_t request,
    struct ctx_span subject, uint64_t key)
{
	size_t *at = key == 0 ? NULL : ctx_map_at(&d->by_group, key, NULL, NULL);
	struct ctx_doc_group *g;

	if (at != NULL && *at != 0)
		return (uint32_t)*at - 1;
	CTX_MEM_GROW(d->groups, d->n_groups, d->cap_groups);
	g = &d->groups[d->n_groups++];
	if (at != NULL)
		*at = d->n_groups;
	*g = (struct ctx_doc_group){
	    .section = s, .request = request, .subject = d->bytes.n};
	if (is_prose(s)) {
		g->date = d->date;
		g->n_date = d->n_date;
	}
	ctx_doc_add_line(&d->bytes, subject);
	g->n_subject = d->bytes.n - g->subject;
	subject = (struct ctx_span){d->bytes.p + g->subject, g->n_subject};
	g->tokens = 2;
	g->fact = (uint32_t)d->n_held;
	if (g->n_subject > 0) {
		g->tokens += ctx_tokens_text(d->tokenizer, subject.p, subject.n) + 1;
		g->n_facts = hold_facts(d, subject);
	}
	return (uint32_t)d->n_groups - 1;
}

#define DATE_MAX_BYTES 48
#define MARKED_MIN 3 /* smallest number of messages that end with the same mark */

struct ctx_span
ctx_doc_take_date(struct ctx_doc *d, struct ctx_span text)
{
	struct ctx_span all = ctx_span_trim(text), date;
	const char *end = all.n > 1 ? memchr(all.p, ']', all.n) : NULL;

	if (end == NULL || all.p[0] != '[' || !ctx_is_digit(all.p[1]) ||
	    end - all.p > DATE_MAX_BYTES)
		return text;
	date = (struct ctx_span){all.p + 1, (size_t)(end - all.p) - 1};
	for (size_t i = 0; i + 4 < date.n; i++)
		if (memcmp(date.p + i, " on ", 4) == 0) {
			date = ctx_span_from(date, i + 4);
			break;
		}
	d->date = d->bytes.n;
	ctx_doc_add_line(&d->bytes, date);
	d->n_date = d->bytes.n - d->date;
	return ctx_span_trim(
	    (struct ctx_span){end + 1, (size_t)(all.p + all.n - end - 1)});
}

/* Returns the mark at the end of the text: the longest part that begins with a space or
 * line break and contains no letter. Characters other than ASCII count as letters. */
static struct ctx_span
find_mark(struct ctx_span text)
{
	size_t i = text.n, at = text.n;

	for (; i > 0 && (unsigned char)text.p[i - 1] < 0x80 &&
	       !ctx_is_letter(text.p[i - 1]);
	     i--)
		if (text.p[i - 1] == ' ' || text.p[i - 1] == '\n')
			at = i - 1;
	return ctx_span_from(text, at);
}

/* Returns a hash of the mark that ignores its digits; 0 if the mark has fewer than three
 * other bytes. */
static uint64_t
hash_mark(struct ctx_span mark)
{
	uint64_t h = 61;
	size_t n = 0;

	mark = ctx_span_trim(mark);
	for (size_t i = 0; i < mark.n; i++)
		if (!ctx_is_digit(mark.p[i])) {
			h = ctx_summary_hash(h, mark.p + i, 1);
			n++;
		}
	return n < 3 ? 0 : h;
}

void
ctx_doc_find_mark(struct ctx_doc *d)
{
	uint32_t votes = 0, users = 0, marked = 0;
	uint64_t h;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < d->in->n; i++) {
			if (d->in->v[i].role != CTX_ROLE_USER ||
			    d->in->v[i].kind != CTX_PIECE_TEXT)
				continue;
			h = hash_mark(find_mark(ctx_summary_piece_text(d->in, i)));
			if (pass == 0 && h != 0) { /* majority vote */
				d->mark = votes == 0 ? h : d->mark;
				votes += h == d->mark ? 1 : UINT32_MAX;
			}
			users += pass == 0;
			marked += pass > 0 && h == d->mark;
		}
	if (marked < MARKED_MIN || marked * 3 < users)
		d->mark = 0;
}

struct ctx_span
ctx_doc_skip_mark(const struct ctx_doc *d, struct ctx_span text)
{
	struct ctx_span mark = find_mark(text);

	if (d->mark != 0 && hash_mark(mark) == d->mark)
		text.n -= mark.n;
	return text;
}

uint32_t
ctx_doc_subject(struct ctx_doc *d, struct ctx_span subject)
{
	return ctx_doc_group(
	    d, CTX_DOC_STATE, 0, subject, ctx_summary_hash(17, subject.p, subject.n));
}

uint32_t
ctx_doc_item(
    struct ctx_doc *d, uint32_t group, struct ctx_span text, uint64_t key, float base)
{
	struct ctx_doc_group *g = &d->groups[group];
	uint64_t pair[2] = {group, key};
	struct ctx_doc_item *it;
	struct ctx_span put;
	size_t *at = NULL;
	uint32_t i;

	if (key != 0)
		at = ctx_map_at(&d->by_item,
		    ctx_summary_hash(3, (const char *)pair, sizeof(pair)), NULL, NULL);
	if (at != NULL && *at != 0) {
		i = (uint32_t)*at - 1;
		it = &d->items[i];
		it->times++;
	} else {
		CTX_MEM_GROW(d->items, d->n, d->cap);
		i = (uint32_t)d->n++;
		it = &d->items[i];
		*it = (struct ctx_doc_item){.group = group, .times = 1, .share = 1};
		if (at != NULL)
			*at = i + 1;
		if (g->first == 0)
			g->first = i + 1;
		else
			d->items[g->last - 1].next_in_group = i + 1;
		g->last = i + 1;
	}
	it->base = base > it->base ? base : it->base;
	it->text = d->bytes.n;
	ctx_doc_add_line(&d->bytes, text);
	it->n = d->bytes.n - it->text;
	put = ctx_doc_item_text(d, it);
	it->fact = (uint32_t)d->n_held;
	it->tokens = put.n == 0 ? 1 : ctx_tokens_text(d->tokenizer, put.p, put.n) + 1;
	it->n_facts = hold_facts(d, put);
	if (is_prose(g->section))
		hold_words(d, it, put);
	return i;
}

uint32_t
ctx_doc_excerpt(struct ctx_doc *d, uint32_t group, struct ctx_span quoted, uint64_t key,
    enum ctx_excerpt kind, float base)
{
	uint32_t item = ctx_doc_item(d, group, quoted, key, base);

	d->items[item].excerpt = kind;
	d->items[item].rest = false;
	d->items[item].line = kind == CTX_EXCERPT_FILE ? d->file_line : 0;
	d->items[item].tokens += d->items[item].line > 0 ? LINE_NUMBER : 2;
	return item;
}

void
ctx_doc_forget_lines(struct ctx_doc *d, uint32_t group)
{
	for (uint32_t i = d->groups[group].first; i != 0;
	     i = d->items[i - 1].next_in_group)
		d->items[i - 1].line = 0;
}

void
ctx_doc_item_remove(struct ctx_doc *d, uint32_t group, uint64_t key)
{
	uint64_t pair[2] = {group, key};
	uint32_t from = d->groups[group].first, i;

	if (key != 0)
		from = (uint32_t)ctx_map_get(&d->by_item,
		    ctx_summary_hash(3, (const char *)pair, sizeof(pair)), NULL, NULL);
	for (i = from; i != 0; i = key != 0 ? 0 : d->items[i - 1].next_in_group) {
		if (key == 0 && d->items[i - 1].excerpt == CTX_NO_EXCERPT)
			continue;
		d->items[i - 1].base = 0;
		d->items[i - 1].n_facts = 0;
		d->items[i - 1].times = 0;
	}
}

void
ctx_doc_item_note(struct ctx_doc *d, uint32_t item, struct ctx_span note)
{
	struct ctx_doc_item *it = &d->items[item];
	struct ctx_span put;
	uint32_t had = it->n_facts, from = it->fact;

	it->note = d->bytes.n;
	ctx_doc_add_line(&d->bytes, note);
	it->n_note = d->bytes.n - it->note;
	it->tokens -= it->note_tokens;
	it->note_tokens = 0;
	if (it->n_note == 0)
		return;
	put = (struct ctx_span){d->bytes.p + it->note, it->n_note};
	it->note_tokens = ctx_tokens_text(d->tokenizer, put.p, put.n) + 1;
	it->tokens += it->note_tokens;
	it->fact = (uint32_t)d->n_held;
	for (uint32_t i = 0; i < had; i++) {
		CTX_MEM_GROW(d->held, d->n_held, d->cap_held);
		d->held[d->n_held] = d->held[from + i];
		d->n_held++;
	}
	it->n_facts = had + hold_facts(d, put);
}

struct ctx_span
ctx_doc_item_text(const struct ctx_doc *d, const struct ctx_doc_item *it)
{
	return (struct ctx_span){d->bytes.p + it->text, it->n};
}

/* ---- printing ---- */

/* True for text without a full stop, such as the item of a list. */
static bool
ends_in_word(struct ctx_span text)
{
	while (text.n > 0 && strchr("`\"')*", text.p[text.n - 1]) != NULL)
		text.n--;
	return text.n > 0 && (unsigned char)text.p[text.n - 1] < 0x80 &&
	       strchr(".!?:;,", text.p[text.n - 1]) == NULL;
}

static void
put_doc_item(const struct ctx_doc *d, const struct ctx_doc_item *it,
    const struct ctx_doc_item *before, struct ctx_buf *out)
{
	enum ctx_doc_section s = d->groups[it->group].section;
	bool prose = is_prose(s);

	if (before != NULL && prose)
		ctx_buf_adds(
		    out, it->gap || before->next_in_group != (uint32_t)(it - d->items) + 1
			     ? " … "
			 : ends_in_word(ctx_doc_item_text(d, before)) ? "; "
								      : " ");
	else if (before != NULL)
		ctx_buf_adds(
		    out, s == CTX_DOC_STATE || (it->verb == before->verb && it->verb != 0)
			     ? ", "
			     : "; ");
	if (it->verb != 0 && (before == NULL || before->verb != it->verb)) {
		ctx_buf_adds(out, ctx_doc_word(d->language, it->verb));
		if (it->n > 0)
			ctx_buf_addc(out, ' ');
	}
	ctx_buf_addspan(out, ctx_doc_item_text(d, it));
	if (it->times > 1 && s == CTX_DOC_ACTIONS)
		ctx_buf_addf(out, " (%u %s)", (unsigned)it->times,
		    ctx_doc_word(d->language, CTX_WORD_TIMES));
	if (it->n_note > 0) {
		ctx_buf_adds(out, ": ");
		ctx_buf_add(out, d->bytes.p + it->note, it->n_note);
	}
}

/* Prints an excerpt, or a record that belongs to another record, on an indented line. */
static void
put_part(const struct ctx_doc *d, const struct ctx_doc_item *it, struct ctx_buf *out)
{
	if (!it->kept || (!it->excerpt && !it->part))
		return;
	ctx_buf_adds(out, "  - ");
	if (it->line > 0)
		ctx_buf_addf(out, "%u: ", (unsigned)it->line);
	ctx_buf_addspan(out, ctx_doc_item_text(d, it));
	if (it->alike > 0)
		ctx_buf_addf(out, " (%u %s)", (unsigned)it->alike + 1,
		    ctx_doc_word(d->language, CTX_WORD_TIMES));
	ctx_buf_addc(out, '\n');
}

/* Returns the smallest line number after the given one of the group's excerpts, or
 * UINT32_MAX. */
static uint32_t
find_next_line(const struct ctx_doc *d, const struct ctx_doc_group *g, uint32_t line)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t i = g->first; i != 0; i = d->items[i - 1].next_in_group)
		if (d->items[i - 1].kept && d->items[i - 1].line > line &&
		    d->items[i - 1].line < next)
			next = d->items[i - 1].line;
	return next;
}

/* dated is true if the date of the group is to be printed. */
static void
put_group(const struct ctx_doc *d, const struct ctx_doc_group *g, bool dated,
    struct ctx_buf *out)
{
	const struct ctx_doc_item *before = NULL;

	if (g->request > 0)
		ctx_buf_addf(out, "%u. ", (unsigned)g->request);
	else
		ctx_buf_adds(out, "- ");
	if (g->n_subject > 0) {
		ctx_buf_add(out, d->bytes.p + g->subject, g->n_subject);
		ctx_buf_addc(out, ':');
	}
	if (dated) {
		ctx_buf_adds(out, g->n_subject > 0 ? " [" : "[");
		ctx_buf_add(out, d->bytes.p + g->date, g->n_date);
		ctx_buf_adds(out, g->n_subject > 0 ? "]" : "] ");
	}
	for (uint32_t i = g->first; i != 0; i = d->items[i - 1].next_in_group) {
		if (!d->items[i - 1].kept || d->items[i - 1].excerpt ||
		    d->items[i - 1].part)
			continue;
		if (before == NULL && g->n_subject > 0)
			ctx_buf_addc(out, ' ');
		put_doc_item(d, &d->items[i - 1], before, out);
		before = &d->items[i - 1];
	}
	ctx_buf_addc(out, '\n');
	for (uint32_t i = g->first; i != 0; i = d->items[i - 1].next_in_group)
		if (d->items[i - 1].line == 0)
			put_part(d, &d->items[i - 1], out);
	for (uint32_t line = 0; (line = find_next_line(d, g, line)) != UINT32_MAX;)
		for (uint32_t i = g->first; i != 0; i = d->items[i - 1].next_in_group)
			if (d->items[i - 1].line == line)
				put_part(d, &d->items[i - 1], out);
}

void
ctx_doc_print(const struct ctx_doc *d, struct ctx_buf *out)
{
	for (int s = 0; s < CTX_DOC_SECTIONS; s++) {
		bool any = false;
		size_t date = SIZE_MAX;
		for (size_t i = 0; i < d->n_groups; i++) {
			const struct ctx_doc_group *g = &d->groups[i];
			if ((int)g->section != s || !g->open)
				continue;
			if (!any)
				ctx_buf_addf(out, "## %s\n",
				    ctx_doc_heading(
					d->language, (enum ctx_doc_section)s));
			any = true;
			put_group(d, g, g->n_date > 0 && g->date != date, out);
			date = g->n_date > 0 ? g->date : date;
		}
	}
}
