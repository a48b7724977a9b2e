/* Estimates which facts will be needed: what requests, calls and answers mention comes up
 * again; what only a result mentioned seldom does. */
#include "summary/doc.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define SAID_ID 1.2f
static const float kind_weight[CTX_FACT_KINDS] = {
    [CTX_FACT_NUMBER] = 0.7f,
    [CTX_FACT_PATH] = 1.0f,
    [CTX_FACT_IDENTIFIER] = 1.0f,
    [CTX_FACT_URL] = 0.8f,
    [CTX_FACT_NAME] = 0.15f,
};

/* Returns the key of a fact. An amount is the same with and without "$" and ",". */
static uint64_t
fact_key(struct ctx_span text)
{
	char plain[64];
	size_t n = 0;

	while (text.n > 0 && (text.p[0] == '$' || text.p[0] == '#' || text.p[0] == '+')) {
		text.p++;
		text.n--;
	}
	if (text.n == 0 || text.n >= sizeof(plain) || !ctx_is_digit(text.p[0]))
		return ctx_summary_hash(11, text.p, text.n);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != ',')
			plain[n++] = text.p[i];
	if (n > 3 && memcmp(plain + n - 3, ".00", 3) == 0)
		n -= 3;
	else if (n > 2 && memcmp(plain + n - 2, ".0", 2) == 0)
		n -= 2;
	return ctx_summary_hash(11, plain, n);
}

struct ctx_doc_fact *
ctx_doc_fact_find(struct ctx_doc *d, struct ctx_span text)
{
	size_t *at = ctx_map_at(&d->by_fact, fact_key(text), NULL, NULL);

	return *at == 0 ? NULL : &d->facts[*at - 1];
}

bool
ctx_doc_names(struct ctx_doc *d, struct ctx_span text, bool identifier, unsigned said)
{
	struct ctx_facts f = CTX_FACTS_INIT;
	const struct ctx_doc_fact *fact;
	bool found = false;

	ctx_summary_facts_scan(text, false, 0, &f);
	for (size_t i = 0; i < f.n && !found; i++) {
		fact = ctx_doc_fact_find(
		    d, (struct ctx_span){text.p + f.v[i].offset, f.v[i].n});
		found = fact != NULL && (fact->said & said) == said &&
			(!identifier || fact->kind == CTX_FACT_IDENTIFIER);
	}
	ctx_facts_release(&f);
	return found;
}

/* True for small numbers and times of day, which are common and identify nothing. */
static bool
is_small(struct ctx_span text)
{
	size_t digits = 0;

	for (size_t i = 0; i < text.n; i++)
		digits += ctx_is_digit(text.p[i]);
	return (digits < 3 && text.p[0] != '$') ||
	       (text.n < 9 && memchr(text.p, ':', text.n) != NULL);
}

struct noter {
	struct ctx_doc *d;
	struct ctx_facts facts;
	struct ctx_map arguments; /* names of the arguments of calls */
	uint32_t piece;
	unsigned said;
};

/* Notes that the piece contains a fact or a word, which the map has under this key. */
static struct ctx_doc_fact *
note_fact(struct noter *r, struct ctx_map *map, uint64_t key, enum ctx_fact_kind kind)
{
	size_t *at = ctx_map_at(map, key, NULL, NULL);
	struct ctx_doc_fact *f;

	if (*at == 0) {
		CTX_MEM_GROW(r->d->facts, r->d->n_facts, r->d->cap_facts);
		r->d->facts[r->d->n_facts++] = (struct ctx_doc_fact){
		    .kind = kind, .first = r->piece};
		*at = r->d->n_facts;
	}
	f = &r->d->facts[*at - 1];
	if (f->pieces == 0 || f->last != r->piece)
		f->pieces++;
	f->last = r->piece;
	return f;
}

static void
note_text(struct noter *r, struct ctx_span text)
{
	struct ctx_summary_sentences it;
	struct ctx_span s, fact;

	ctx_summary_sentences_init(&it, text);
	while (ctx_summary_sentences_next(&it, &s)) {
		r->facts.n = 0;
		ctx_summary_facts_scan(s, it.fresh, 0, &r->facts);
		for (size_t i = 0; i < r->facts.n; i++) {
			enum ctx_fact_kind kind = r->facts.v[i].kind;
			struct ctx_doc_fact *f;
			fact = (struct ctx_span){
			    s.p + r->facts.v[i].offset, r->facts.v[i].n};
			if (kind == CTX_FACT_NUMBER && is_small(fact))
				continue;
			f = note_fact(r, &r->d->by_fact, fact_key(fact), kind);
			f->said |= r->said;
		}
	}
}

/* Counts the words that people use. They distinguish sentences with content from "Here is
 * my code". */
static void
note_words(struct noter *r, struct ctx_span text)
{
	struct ctx_summary_words it;
	struct ctx_summary_word w;

	r->d->texts++;
	ctx_summary_words_init(&it, text, &r->d->scratch);
	while (ctx_summary_words_next(&it, &w))
		if (!w.number)
			note_fact(r, &r->d->by_word, w.hash, CTX_FACT_KINDS);
}

/* Returns the CTX_SAID_ bits for the values of JSON members with this key. CTX_SAID_ID: the
 * key is that of an id, or a call has an argument of this name, so that later calls may
 * need the value. CTX_SAID_NAMED: the key is that of an id. */
static unsigned
classify_key(const struct noter *r, struct ctx_span key)
{
	size_t n = ctx_span_ends_any(key, "_id|Id|_number|_key");

	if (ctx_span_is_any(key, "id|uuid") || (n > 0 && n < key.n))
		return CTX_SAID_ID | CTX_SAID_NAMED;
	return ctx_map_get(&r->arguments, ctx_summary_hash(53, key.p, key.n), NULL, NULL)
		   ? CTX_SAID_ID
		   : 0;
}

/* Collects the names of arguments. */
static void
note_arguments(struct noter *r, struct ctx_span value)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span key;

	if (ctx_json_type(value) != CTX_JSON_OBJECT &&
	    ctx_json_type(value) != CTX_JSON_ARRAY)
		return;
	CTX_JSON_EACH(it, value) {
		if (it.object) {
			key = ctx_json_text(it.key, &tmp);
			*ctx_map_at(&r->arguments, ctx_summary_hash(53, key.p, key.n),
			    NULL, NULL) = 1;
		}
		note_arguments(r, it.value);
	}
	ctx_buf_release(&tmp);
}

/* Only values are counted: keys do not name things. */
static void
note_json(struct noter *r, struct ctx_span value)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	switch (ctx_json_type(value)) {
	case CTX_JSON_STRING:
		note_text(r, ctx_json_text(value, &tmp));
		break;
	case CTX_JSON_NUMBER:
		note_text(r, value);
		break;
	default:
		CTX_JSON_EACH(it, value) {
			unsigned said = r->said;
			if (it.object && (said & CTX_SAID_RESULT)) {
				r->said &= ~(unsigned)(CTX_SAID_ID | CTX_SAID_NAMED);
				r->said |= classify_key(r, ctx_json_text(it.key, &tmp));
			}
			note_json(r, it.value);
			r->said = said;
		}
		break;
	}
	ctx_buf_release(&tmp);
}

static void
note_piece(struct noter *r, uint32_t i)
{
	const struct ctx_summary_piece *p = &r->d->in->v[i];
	struct ctx_span json;

	r->piece = i;
	r->said = p->kind == CTX_PIECE_CALL       ? CTX_SAID_CALL
		  : p->kind == CTX_PIECE_RESULT   ? CTX_SAID_RESULT
		  : p->role == CTX_ROLE_USER      ? CTX_SAID_USER
		  : p->role == CTX_ROLE_ASSISTANT ? CTX_SAID_ASSISTANT
						  : CTX_SAID_RESULT;
	if (p->kind == CTX_PIECE_CALL &&
	    !ctx_tool_looks_up(ctx_summary_piece_name(r->d->in, i))) {
		r->said |= CTX_SAID_EFFECT;
		r->d->last_effect = i;
	}
	if (p->role == CTX_ROLE_SYSTEM || p->role == CTX_ROLE_DEVELOPER)
		return;
	json = ctx_summary_piece_json(r->d->in, i);
	if (json.p != NULL)
		note_json(r, json);
	else
		note_text(r, ctx_summary_piece_body(r->d->in, i));
	if (p->kind == CTX_PIECE_TEXT && r->said != CTX_SAID_RESULT)
		note_words(r, ctx_summary_piece_text(r->d->in, i));
}

/* A word in every other message scores nothing; a word that occurs only once scores
 * half. */
static float
score_word(const struct ctx_doc *d, const struct ctx_doc_fact *f)
{
	float all = log2f((float)d->texts), share = log2f((float)f->pieces);

	if (all < 2 || all - share <= 1)
		return 0;
	return CTX_DOC_WORD * (all - share - 1) / (all - 1) * (f->pieces > 1 ? 1 : 0.5f);
}

/* Estimates how likely a fact is to be mentioned again: a logistic function fitted to
 * conversations of a service and of coding agents. */
static float
score_fact(const struct ctx_doc *d, const struct ctx_doc_fact *f)
{
	float pieces = (float)f->pieces, age, z;

	age = 1 - (float)(f->last + 1) / (float)d->in->n;
	z = -1.4f + 0.9f * log2f(pieces < 8 ? pieces : 8) -
	    2.0f * (age < 0.5f ? age : 0.5f);
	z += f->said & CTX_SAID_USER ? 0.7f : 0;
	z += f->said & CTX_SAID_CALL ? 0.5f : 0;
	z += f->said & CTX_SAID_ASSISTANT ? 0.5f : 0;
	z += f->said & CTX_SAID_ID ? SAID_ID : 0;
	return kind_weight[f->kind] / (1 + expf(-z));
}

void
ctx_doc_rank(struct ctx_doc *d)
{
	struct noter r = {.d = d, .facts = CTX_FACTS_INIT};

	for (size_t i = 0; i < d->in->n; i++)
		if (d->in->v[i].kind == CTX_PIECE_CALL)
			note_arguments(&r, ctx_summary_piece_json(d->in, i));
	for (size_t i = 0; i < d->in->n; i++)
		note_piece(&r, (uint32_t)i);
	for (size_t i = 0; i < d->n_facts; i++)
		d->facts[i].score = d->facts[i].kind == CTX_FACT_KINDS
					? score_word(d, &d->facts[i])
					: score_fact(d, &d->facts[i]);
	ctx_facts_release(&r.facts);
	ctx_map_release(&r.arguments);
}
