#include "tokens/calibrate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/request.h"
#include "tokens/tokens.h"

/* "safe" is the ratio that this share of the requests does not exceed. The target is 95
 * %; the difference is a margin for requests that are not in the calibration. */
#define SAFE_SHARE 0.97
#define FEW 5 /* fewer requests than this say little about the spread of ratios */
#define FEW_MARGIN 1.05

/* The tokens that one model reported, and our counts by one tokenizer. */
struct learned_model {
	char *name, *tokenizer;
	int64_t requests, requests_theirs;
	double requests_own;
	int64_t answers, answers_own, answers_theirs;
	double *ratios; /* ratio of each request */
	size_t n_ratios, cap_ratios;
};

/* The model of the answer at seq of the session. */
struct learned_answer {
	char *session_id, *model;
	int64_t seq;
};

struct ctx_calibration {
	char *tokenizer; /* may be NULL */
	struct learned_model *models;
	size_t n, cap;
	struct learned_answer *answers;
	size_t n_answers, cap_answers;
	long left;
};

struct ctx_calibration *
ctx_calibration_new(const char *tokenizer)
{
	struct ctx_calibration *c = ctx_mem_new(sizeof(*c));

	c->tokenizer = ctx_mem_str(tokenizer);
	return c;
}

void
ctx_calibration_free(struct ctx_calibration *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->models[i].name);
		free(c->models[i].tokenizer);
		free(c->models[i].ratios);
	}
	for (size_t i = 0; i < c->n_answers; i++) {
		free(c->answers[i].session_id);
		free(c->answers[i].model);
	}
	free(c->models);
	free(c->answers);
	free(c->tokenizer);
	free(c);
}

/* Returns the entry of the model. The pointer is valid until the next call. */
static struct learned_model *
find_learned_model(struct ctx_calibration *c, const char *name, const char *tokenizer)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->models[i].name, name) == 0 &&
		    strcmp(c->models[i].tokenizer, tokenizer) == 0)
			return &c->models[i];
	CTX_MEM_GROW(c->models, c->n, c->cap);
	c->models[c->n] = (struct learned_model){
	    .name = ctx_mem_str(name), .tokenizer = ctx_mem_str(tokenizer)};
	return &c->models[c->n++];
}

/* Returns the sum of the members that are present, or -1 if none is. */
static int64_t
sum_usage(struct ctx_span usage, const char *const keys[])
{
	int64_t sum = -1, v;

	for (; *keys != NULL; keys++)
		if (ctx_json_int(ctx_json_get(usage, *keys), &v) && v >= 0 &&
		    v <= CTX_RECORD_TOKENS_MAX)
			sum = (sum < 0 ? 0 : sum) + v;
	return sum;
}

void
ctx_calibration_answer(struct ctx_calibration *c, const struct ctx_record *r, int64_t own)
{
	static const char *const keys[] = {"completion_tokens", "output_tokens",
	    "candidatesTokenCount", "total_output_tokens", NULL};
	struct ctx_span model = ctx_json_get(r->metadata, "model");
	int64_t theirs = sum_usage(ctx_json_get(r->metadata, "usage"), keys);
	struct learned_answer *a;
	struct learned_model *m;

	if (model.p == NULL || c->tokenizer == NULL)
		return;
	CTX_MEM_GROW(c->answers, c->n_answers, c->cap_answers);
	a = &c->answers[c->n_answers++];
	*a = (struct learned_answer){
	    ctx_json_strdup(r->session_id), ctx_json_strdup(model), r->seq};
	if (a->model == NULL)
		a->model = ctx_mem_str("");
	if (theirs <= 0)
		return;
	m = find_learned_model(c, a->model, c->tokenizer);
	m->answers++;
	m->answers_theirs += theirs;
	m->answers_own += own;
}

/* Converts *own, which the tokenizer counted, to the factor of the calibration's tokenizer,
 * and sets base to the name under which it is filed. Returns false if the tokenizers differ
 * in more than the factor. */
static bool
restate_count(const struct ctx_calibration *c, const char *tokenizer, double *own,
    struct ctx_buf *base)
{
	struct ctx_buf wanted = CTX_BUF_INIT;
	int64_t factor = ctx_tokenizer_split(base, tokenizer), to = 1000;
	bool same = true;

	if (c->tokenizer != NULL) {
		to = ctx_tokenizer_split(&wanted, c->tokenizer);
		same = strcmp(wanted.p, base->p) == 0;
		ctx_buf_reset(base);
		ctx_buf_adds(base, c->tokenizer);
	}
	*own = *own * (double)to / (double)factor;
	ctx_buf_release(&wanted);
	return same;
}

/* Returns the model that answered, as a heap string; "" if unknown. It may be more
 * precise than the model in the request. */
static char *
choose_learned_name(const struct ctx_calibration *c, const struct ctx_request *q,
    struct ctx_span record, struct ctx_span model)
{
	char *name;

	for (size_t i = c->n_answers; i-- > 0;)
		if (c->answers[i].seq == q->response_seq &&
		    c->answers[i].session_id != NULL && q->session_id != NULL &&
		    strcmp(c->answers[i].session_id, q->session_id) == 0)
			return ctx_mem_str(c->answers[i].model);
	if (model.p == NULL)
		model = ctx_json_get(ctx_json_get(record, "params"), "model");
	name = ctx_json_strdup(model);
	return name == NULL ? ctx_mem_str("") : name;
}

int
ctx_calibration_request(struct ctx_calibration *c, struct ctx_span record,
    struct ctx_span model, struct ctx_err *err)
{
	/* of all providers; for those whose input excludes cached tokens, both */
	static const char *const keys[] = {"prompt_tokens", "input_tokens",
	    "cache_creation_input_tokens", "cache_read_input_tokens", "promptTokenCount",
	    "total_input_tokens", NULL};
	int64_t theirs = sum_usage(ctx_json_get(record, "usage"), keys), counted;
	struct ctx_buf base = CTX_BUF_INIT;
	struct ctx_span total = ctx_json_get(ctx_json_get(record, "tokens"), "total");
	struct ctx_request q = CTX_REQUEST_INIT;
	struct learned_model *m;
	double own;
	char *name;
	int rc = ctx_request_parse(&q, record, err);

	if (rc == 0 && theirs > 0 && q.tokenizer != NULL &&
	    ctx_json_int(total, &counted) && counted > 0 &&
	    counted <= CTX_RECORD_TOKENS_MAX) {
		own = (double)counted;
		if (!restate_count(c, q.tokenizer, &own, &base)) {
			c->left++;
		} else {
			name = choose_learned_name(c, &q, record, model);
			m = find_learned_model(c, name, base.p);
			free(name);
			m->requests++;
			m->requests_theirs += theirs;
			m->requests_own += own;
			CTX_MEM_GROW(m->ratios, m->n_ratios, m->cap_ratios);
			m->ratios[m->n_ratios++] = (double)theirs / own;
		}
	}
	ctx_buf_release(&base);
	ctx_request_release(&q);
	return rc;
}

long
ctx_calibration_left(const struct ctx_calibration *c)
{
	return c->left;
}

/* ---- output ---- */

static int
compare_ratios(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the factor that only few requests exceed. */
static double
compute_safe_factor(struct learned_model *m)
{
	size_t k = (size_t)((double)(m->n_ratios + 1) * SAFE_SHARE);
	double safe;

	qsort(m->ratios, m->n_ratios, sizeof(*m->ratios), compare_ratios);
	safe = m->ratios[k >= m->n_ratios ? m->n_ratios - 1 : k];
	return m->n_ratios < FEW ? safe * FEW_MARGIN : safe;
}

static void
put_calibration_side(
    struct ctx_buf *b, const char *name, int64_t n, int64_t own, int64_t theirs)
{
	ctx_json_print(b, "%s:{'n':%d,'counted':%d,'reported':%d", name, n, own, theirs);
	ctx_json_add_double(b, "factor", (double)theirs / (double)own, 4);
}

void
ctx_calibration_print(struct ctx_calibration *c, bool learned, struct ctx_buf *out)
{
	/* the last matching line applies, so the model with the most requests comes
	 * last */
	for (size_t i = 1; i < c->n; i++)
		for (size_t k = i; learned && k > 0 &&
				   c->models[k].requests < c->models[k - 1].requests;
		     k--) {
			struct learned_model t = c->models[k];
			c->models[k] = c->models[k - 1];
			c->models[k - 1] = t;
		}
	for (size_t i = 0; i < c->n; i++) {
		struct learned_model *m = &c->models[i];
		if (learned && *m->name == '\0')
			continue;
		ctx_json_print(out, "{'kind':'calibration','model':%s,'tokenizer':%s",
		    m->name, m->tokenizer);
		if (m->requests > 0) {
			put_calibration_side(out, "requests", m->requests,
			    (int64_t)(m->requests_own + .5), m->requests_theirs);
			ctx_json_add_double(out, "safe", compute_safe_factor(m), 4);
			ctx_json_put_close(out, '}');
		}
		if (m->answers > 0) {
			put_calibration_side(out, "answers", m->answers, m->answers_own,
			    m->answers_theirs);
			ctx_json_put_close(out, '}');
		}
		ctx_json_print(out, learned ? "'learned':true}\n" : "}\n");
	}
}
