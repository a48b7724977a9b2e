/* From the pieces of the conversation to the lines of the document: what people said. */
#include "summary/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Worth of what is said, where a fact that will be needed is worth one to four. */
#define FIRST_REQUEST 3.0f
#define LAST_REQUEST 4.0f
#define REQUEST 0.6f
#define REQUEST_REST 0.7f /* sentences after the first */
#define CONCLUSION 0.25f  /* of an answer that ends a request */
#define LAST_CONCLUSION 1.5f
#define REMARK 0.03f  /* of an answer that calls follow */
#define REMARK_MIN 16 /* bytes: "Certainly!" tells nothing */
#define DECISION 1.5f
#define LATER 0.8f   /* each sentence of an answer, to the one before */
#define NESTED 0.1f  /* items of a list inside a list */
#define SETTLED 0.8f /* an answer's sentence that decides something */
#define OPEN 2.5f
#define COURTESY_MAX 160 /* bytes; a longer sentence says something else too */

/* Notes that programs write in the user's name are markup or in brackets. */
static bool
is_note(struct ctx_span text)
{
	text = ctx_span_trim(text);
	return text.n == 0 || text.p[0] == '<' || text.p[0] == '[' ||
	       (text.n > 6 && memcmp(text.p, "Caveat", 6) == 0);
}

static bool
is_users(const struct ctx_doc *d, uint32_t i)
{
	const struct ctx_summary_piece *p = &d->in->v[i];

	return p->kind == CTX_PIECE_TEXT && p->role == CTX_ROLE_USER &&
	       !is_note(ctx_summary_piece_text(d->in, i));
}

/* Offers and thanks at the end of answers, which say nothing about the work. */
static bool
is_courtesy(struct ctx_span s)
{
	static const char *const phrases[] = {"feel free to", "let me know",
	    "happy to help", "glad to help", "more questions", "further questions",
	    "other questions", "further assistance", "further help", "anything else",
	    "can help you with", "how can I help", "is there anything", "You're welcome",
	    "stehe ich gerne", "weitere Fragen", "gerne weiter", "no dude en",
	    "más preguntas", "puedo ayudarte", "puedo ayudarle", "还有其他问题",
	    "随时告诉我"};

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		if (s.n < COURTESY_MAX &&
		    ctx_summary_contains(s, ctx_span_of(phrases[i])))
			return true;
	return false;
}

/* Returns the length of the number of a list's item, "2. " or "2) "; 0 if there is none. */
static size_t
measure_item_number(struct ctx_span s)
{
	size_t n = 0;

	while (n < s.n && n < 3 && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n > 0 && n + 1 < s.n && (s.p[n] == '.' || s.p[n] == ')') &&
		       s.p[n + 1] == ' '
		   ? n + 2
		   : 0;
}

/* The sentence without the marks of a list or of emphasis; empty if only marks. */
static struct ctx_span
clean_sentence(struct ctx_span s, struct ctx_buf *tmp)
{
	size_t at = 0;

	while (at < s.n && strchr("-*#>| \t+", s.p[at]) != NULL && s.p[at] != '\0')
		at++;
	at += measure_item_number((struct ctx_span){s.p + at, s.n - at});
	ctx_buf_reset(tmp);
	for (; at < s.n; at++) {
		if (at + 1 < s.n && s.p[at] == '*' && s.p[at + 1] == '*')
			at++;
		else
			ctx_buf_addc(tmp, s.p[at]);
	}
	while (tmp->n > 0 && (tmp->p[tmp->n - 1] == '*' || tmp->p[tmp->n - 1] == '|'))
		tmp->n--;
	return ctx_span_trim(ctx_buf_span(tmp));
}

/* Sentences of prose: no code between fences, nothing that is cut inside a word. */
struct prose {
	struct ctx_summary_sentences it;
	struct ctx_buf tmp;
	bool fenced, gap, inside;
	bool nested; /* the sentence is an item of a list inside a list */
};

static bool
next_sentence(struct prose *p, struct ctx_span *out)
{
	struct ctx_span s;
	size_t end;
	bool whole;

	while (ctx_summary_sentences_next(&p->it, &s)) {
		whole = !p->inside;
		end = (size_t)(s.p + s.n - p->it.text.p);
		p->inside = ctx_summary_inside_word(p->it.text, end);
		if (s.n >= 3 && memcmp(s.p, "```", 3) == 0) {
			p->fenced = !p->fenced;
			p->gap = true;
			continue;
		}
		p->nested = s.p > p->it.text.p + 2 && s.p[-1] == ' ' && s.p[-2] == ' ' &&
			    (s.p[0] == '-' || s.p[0] == '*');
		*out = clean_sentence(s, &p->tmp);
		if (!p->fenced && whole && !p->inside && out->n > 0)
			return true;
		p->gap = true;
	}
	return false;
}

static bool
has_cue(struct ctx_doc *d, struct ctx_span s)
{
	struct ctx_summary_words words;
	struct ctx_summary_word w;
	bool cue = false;

	ctx_summary_words_init(&words, s, &d->scratch);
	while (ctx_summary_words_next(&words, &w))
		cue |= (ctx_summary_cue(&d->cues, s, &w) & CTX_CUE_DECISION) != 0;
	return cue && !ctx_summary_asks(s);
}

static void
add_request_prose(struct ctx_doc *d, uint32_t piece, uint32_t request, bool last)
{
	struct prose p = {.gap = false};
	uint32_t group, item;
	struct ctx_span s;
	bool first = true;
	float base;

	group = ctx_doc_group(d, CTX_DOC_REQUESTS, request, CTX_SPAN_NONE,
	    ctx_summary_hash(1, (const char *)&request, sizeof(request)));
	ctx_summary_sentences_init(&p.it, ctx_summary_piece_text(d->in, piece));
	while (next_sentence(&p, &s)) {
		base = last ? LAST_REQUEST : request == 1 ? FIRST_REQUEST : REQUEST;
		if (!first && has_cue(d, s)) {
			uint32_t g = ctx_doc_group(
			    d, CTX_DOC_DECISIONS, request, CTX_SPAN_NONE, 0);
			ctx_doc_item(d, g, s, 0, DECISION);
			p.gap = true;
			continue;
		}
		item = ctx_doc_item(d, group, s, 0, first ? base : base * REQUEST_REST);
		d->items[item].gap = p.gap;
		p.gap = first = false;
	}
	ctx_buf_release(&p.tmp);
}

/* kind of answer: a remark before calls, the end of a request, the end of all. */
static void
add_answer(struct ctx_doc *d, uint32_t piece, uint32_t request, float base, bool asks)
{
	struct prose p = {.gap = false};
	struct ctx_buf question = CTX_BUF_INIT;
	uint32_t group = ctx_doc_group(d, CTX_DOC_OUTCOMES, request, CTX_SPAN_NONE, 0);
	struct ctx_span s;
	uint32_t item;

	ctx_summary_sentences_init(&p.it, ctx_summary_piece_text(d->in, piece));
	while (next_sentence(&p, &s)) {
		if (ctx_summary_asks(s)) {
			ctx_buf_reset(&question);
			ctx_buf_addspan(&question, s);
		}
		if (ctx_summary_asks(s) || (p.nested && !asks) || s.n < REMARK_MIN ||
		    is_courtesy(s)) {
			p.gap = true;
			continue;
		}
		item = ctx_doc_item(d, group, s, 0,
		    p.nested        ? base * NESTED
		    : has_cue(d, s) ? base + SETTLED
				    : base);
		d->items[item].gap = p.gap;
		p.gap = false;
		base *= p.nested ? 1 : LATER;
	}
	if (asks && question.n > 0) {
		group = ctx_doc_group(d, CTX_DOC_OPEN, 0,
		    ctx_span_of(ctx_doc_word(d->language, CTX_WORD_QUESTION)), 0);
		ctx_doc_item(d, group, ctx_buf_span(&question), 0, OPEN);
	}
	ctx_buf_release(&question);
	ctx_buf_release(&p.tmp);
}

/* What follows an answer: 0 nothing, 1 the user, 2 calls or further text. */
static int
find_following_role(const struct ctx_doc *d, uint32_t i)
{
	for (i++; i < d->in->n; i++) {
		if (is_users(d, i))
			return 1;
		if (d->in->v[i].role == CTX_ROLE_ASSISTANT)
			return 2;
	}
	return 0;
}

static void
put_action(const struct ctx_doc *d, const struct ctx_doc_item *it, struct ctx_buf *b)
{
	if (it->verb != CTX_TOOL_OTHER)
		ctx_buf_adds(b, ctx_doc_word(d->language, it->verb));
	if (it->verb != CTX_TOOL_OTHER && it->n > 0)
		ctx_buf_addc(b, ' ');
	ctx_buf_addspan(b, ctx_doc_item_text(d, it));
}

/* Calls without results, and the last result if it is a failure. */
static void
add_open(struct ctx_doc *d, const uint32_t *item_of, const bool *answered, uint32_t last)
{
	struct ctx_buf b = CTX_BUF_INIT;
	uint32_t todo = UINT32_MAX, failed = UINT32_MAX, group;

	for (uint32_t i = 0; i < d->in->n; i++) {
		const struct ctx_summary_piece *p = &d->in->v[i];
		if (p->kind == CTX_PIECE_RESULT && i >= last)
			failed = p->error ? i : UINT32_MAX;
		if (p->kind != CTX_PIECE_CALL)
			continue;
		if (ctx_tool_find(ctx_summary_piece_name(d->in, i),
			ctx_summary_piece_json(d->in, i)) == CTX_TOOL_TODO)
			todo = i;
		if (answered[i] || item_of[i] == 0)
			continue;
		ctx_buf_reset(&b);
		put_action(d, &d->items[item_of[i] - 1], &b);
		group = ctx_doc_group(d, CTX_DOC_OPEN, 0,
		    ctx_span_of(ctx_doc_word(d->language, CTX_WORD_WAITS)), 7);
		ctx_doc_item(d, group, ctx_buf_span(&b), 0, OPEN);
	}
	if (failed != UINT32_MAX) {
		ctx_buf_reset(&b);
		ctx_doc_add_quoted(&b, ctx_summary_piece_text(d->in, failed), 200);
		group = ctx_doc_group(d, CTX_DOC_OPEN, 0,
		    ctx_span_of(ctx_doc_word(d->language, CTX_WORD_ERROR)), 0);
		ctx_doc_item(d, group, ctx_buf_span(&b), 0, OPEN);
	}
	if (todo != UINT32_MAX)
		ctx_doc_add_todo(d, ctx_summary_piece_json(d->in, todo));
	ctx_buf_release(&b);
}

static float
worth_of_answer(int next)
{
	return next == 0 ? LAST_CONCLUSION : next == 1 ? CONCLUSION : REMARK;
}

void
ctx_doc_build(struct ctx_doc *d)
{
	uint32_t *item_of = ctx_mem_new((d->in->n + 1) * sizeof(*item_of)), last = 0;
	bool *answered = ctx_mem_new((d->in->n + 1) * sizeof(*answered));
	bool asking = false;
	int next;

	ctx_doc_find_root(d);
	for (uint32_t i = 0; i < d->in->n; i++)
		if (is_users(d, i))
			last = i;
	for (uint32_t i = 0; i < d->in->n; i++) {
		const struct ctx_summary_piece *p = &d->in->v[i];
		if (p->kind == CTX_PIECE_EARLIER) {
			ctx_doc_add_earlier(d, ctx_summary_piece_text(d->in, i));
		} else if (p->kind == CTX_PIECE_CALL) {
			ctx_doc_add_call(d, i, item_of);
		} else if (p->kind == CTX_PIECE_RESULT) {
			if (p->call > 0)
				answered[p->call - 1] = true;
			ctx_doc_add_result(d, i, item_of);
		} else if (is_users(d, i)) {
			d->requests += !asking;
			add_request_prose(d, i, d->requests, i == last);
		} else if (p->role == CTX_ROLE_ASSISTANT) {
			next = find_following_role(d, i);
			add_answer(d, i, d->requests, worth_of_answer(next), next == 0);
		}
		asking = is_users(d, i);
	}
	add_open(d, item_of, answered, last);
	free(item_of);
	free(answered);
}
