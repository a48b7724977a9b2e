#include "summary/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* What a fact is worth where a rare term is worth about a tenth. */
static const float fact_weight[CTX_FACT_KINDS] = {
    [CTX_FACT_NUMBER] = 1.0f,
    [CTX_FACT_PATH] = 1.6f,
    [CTX_FACT_IDENTIFIER] = 1.2f,
    [CTX_FACT_URL] = 1.6f,
    [CTX_FACT_NAME] = 1.2f,
    [CTX_FACT_ERROR] = 2.0f,
    [CTX_FACT_DECISION] = 2.0f,
};
#define TERM_WEIGHT 0.2f

/* People say what matters; tools say a lot. */
static const float role_factor[] = {
    [CTX_ROLE_SYSTEM] = 1.0f,
    [CTX_ROLE_DEVELOPER] = 1.0f,
    [CTX_ROLE_USER] = 1.6f,
    [CTX_ROLE_ASSISTANT] = 1.2f,
    [CTX_ROLE_TOOL] = 0.7f,
};
#define FIRST_FACTOR 1.15f /* first sentence of a message */
#define LAST_FACTOR 1.05f  /* last one */
#define QUESTION_FACTOR 1.1f
#define LONE_FACTOR 0.25f   /* a line that is one number or one name */
#define CUE_FACTOR 1.2f     /* an error or a decision */
#define OPENING_FACTOR 1.3f /* in the first user message: the task itself */

static uint32_t *
slot(const struct ctx_model *m, uint64_t key)
{
	size_t i = (size_t)key & (m->n_slots - 1);

	while (m->slots[i] != 0 && m->c[m->slots[i] - 1].key != key)
		i = (i + 1) & (m->n_slots - 1);
	return &m->slots[i];
}

static void
grow_slots(struct ctx_model *m)
{
	if ((m->n_c + 1) * 2 <= m->n_slots)
		return;
	free(m->slots);
	m->n_slots = m->n_slots ? m->n_slots * 2 : 1024;
	m->slots = ctx_mem_new(m->n_slots * sizeof(*m->slots));
	for (size_t i = 0; i < m->n_c; i++)
		*slot(m, m->c[i].key) = (uint32_t)i + 1;
}

/* The sentence at the end of m->s holds the concept. Returns the concept when that is
 * news, else NULL. */
static struct ctx_concept *
hold(struct ctx_model *m, uint64_t key, unsigned char kind)
{
	struct ctx_concept *c;
	uint32_t *at;

	grow_slots(m);
	at = slot(m, key);
	if (*at == 0) {
		CTX_MEM_GROW(m->c, m->n_c, m->cap_c);
		m->c[m->n_c] = (struct ctx_concept){.key = key, .kind = kind};
		*at = (uint32_t)++m->n_c;
	}
	c = &m->c[*at - 1];
	if (c->last == m->n)
		return NULL;
	c->last = (uint32_t)m->n;
	c->sentences++;
	CTX_MEM_GROW(m->held, m->n_held, m->cap_held);
	m->held[m->n_held++] = *at - 1;
	m->s[m->n - 1].n++;
	return c;
}

static void
hold_fact(struct ctx_model *m, enum ctx_fact_kind kind, struct ctx_span text)
{
	struct ctx_concept *c = hold(
	    m, ctx_summary_hash(1 + kind, text.p, text.n), (unsigned char)(1 + kind));

	if (c == NULL || c->sentences > 1)
		return;
	c->text = (size_t)(text.p - m->in->bytes.p);
	c->n = text.n;
	c->sentence = (uint32_t)m->n - 1;
}

struct reader {
	struct ctx_buf scratch;
	struct ctx_summary_cues cues;
	struct ctx_facts facts;
};

static void
read_sentence(struct ctx_model *m, struct reader *r, struct ctx_span text, bool fresh)
{
	struct ctx_summary_words words;
	struct ctx_summary_word w;
	int cue = 0;

	ctx_summary_words_init(&words, text, &r->scratch);
	while (ctx_summary_words_next(&words, &w)) {
		cue |= ctx_summary_cue(&r->cues, text, &w);
		if (!w.number)
			hold(m, w.hash, 0);
	}
	r->facts.n = 0;
	ctx_summary_facts_scan(text, fresh, 0, &r->facts);
	for (size_t i = 0; i < r->facts.n; i++) {
		struct ctx_fact *f = &r->facts.v[i];
		hold_fact(m, f->kind, (struct ctx_span){text.p + f->offset, f->n});
	}
	if (cue != 0)
		hold_fact(
		    m, cue & CTX_CUE_ERROR ? CTX_FACT_ERROR : CTX_FACT_DECISION, text);
	if (m->s[m->n - 1].n < 2)
		m->s[m->n - 1].factor *= LONE_FACTOR;
	m->s[m->n - 1].cue = cue != 0;
	m->s[m->n - 1].question = ctx_summary_asks(text);
}

static void
read_piece(struct ctx_model *m, struct reader *r, uint32_t piece)
{
	struct ctx_span label = ctx_summary_piece_label(m->in, piece), text;
	struct ctx_summary_sentences it;
	struct ctx_sentence *s;
	size_t first = m->n;

	m->label_tokens[piece] = ctx_tokens_text(m->tokenizer, label.p, label.n) + 2;
	m->tokens += m->label_tokens[piece];
	ctx_summary_sentences_init(&it, ctx_summary_piece_text(m->in, piece));
	while (ctx_summary_sentences_next(&it, &text)) {
		CTX_MEM_GROW(m->s, m->n, m->cap);
		s = &m->s[m->n++];
		*s = (struct ctx_sentence){
		    .text = text, .piece = piece, .line = (uint32_t)it.line};
		s->concept = (uint32_t)m->n_held;
		s->tokens = ctx_tokens_text(m->tokenizer, text.p, text.n) + 1;
		s->factor = role_factor[m->in->v[piece].role];
		m->tokens += s->tokens;
		read_sentence(m, r, text, it.fresh);
	}
	if (m->n > first) {
		m->s[first].factor *= FIRST_FACTOR;
		m->s[m->n - 1].factor *= LAST_FACTOR;
	}
}

/* Terms that are in many sentences carry no meaning (in any language), ones seen once
 * little; facts count more when they come back. */
static void
weigh(struct ctx_model *m)
{
	float n = (float)m->n + 1, df, recurs;
	uint32_t opening = UINT32_MAX;

	for (size_t i = 0; i < m->n_c; i++) {
		df = (float)m->c[i].sentences;
		recurs = log2f(1 + (df < 15 ? df : 15));
		if (m->c[i].kind == 0)
			m->c[i].weight = TERM_WEIGHT * 0.25f * recurs * logf(n / df) /
					 logf(n);
		else
			m->c[i].weight = fact_weight[m->c[i].kind - 1] *
					 (0.75f + 0.25f * recurs);
	}
	for (size_t i = 0; i < m->n; i++) {
		if (opening == UINT32_MAX &&
		    m->in->v[m->s[i].piece].role == CTX_ROLE_USER)
			opening = m->s[i].piece;
		if (m->s[i].piece == opening)
			m->s[i].factor *= OPENING_FACTOR;
		if (m->s[i].question)
			m->s[i].factor *= QUESTION_FACTOR;
		if (m->s[i].cue)
			m->s[i].factor *= CUE_FACTOR;
	}
}

void
ctx_model_init(
    struct ctx_model *m, const struct ctx_summary_input *in, struct ctx_tokenizer *t)
{
	struct reader r = {CTX_BUF_INIT, {.n = 0}, CTX_FACTS_INIT};

	memset(m, 0, sizeof(*m));
	m->in = in;
	m->tokenizer = t;
	m->label_tokens = ctx_mem_new(in->n * sizeof(*m->label_tokens));
	ctx_summary_cues_init(&r.cues);
	for (size_t i = 0; i < in->n; i++)
		read_piece(m, &r, (uint32_t)i);
	weigh(m);
	ctx_buf_release(&r.scratch);
	ctx_facts_release(&r.facts);
}

void
ctx_model_release(struct ctx_model *m)
{
	free(m->s);
	free(m->held);
	free(m->c);
	free(m->slots);
	free(m->label_tokens);
}
