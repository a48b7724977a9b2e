/* Similarity by vectors from a command. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "enrich/internal.h"
#include "json/json.h"
#include "store/derived.h"

/* Vectors hold for good: they depend on nothing but the text and the command. */
#define EMBED_TTL ((int64_t)30 * 24 * 3600 * 1000)
#define DIMENSIONS_MAX 65536

struct vector {
	double *v;
	size_t n;
};

static int
parse_vector(struct ctx_span json, struct vector *out, struct ctx_err *err)
{
	struct ctx_json_iter it;
	size_t cap = 0;

	if (ctx_json_type(json) == CTX_JSON_OBJECT)
		json = ctx_json_get(json, "embedding");
	ctx_json_iter_init(&it, json);
	while (ctx_json_iter_next(&it)) {
		double x;
		if (!ctx_json_double(it.value, &x) || out->n >= DIMENSIONS_MAX)
			return ctx_err_set(
			    err, CTX_EIO, "the embedder's answer holds no vector");
		CTX_MEM_GROW(out->v, out->n, cap);
		out->v[out->n++] = x;
	}
	if (out->n == 0)
		return ctx_err_set(err, CTX_EIO, "the embedder's answer holds no vector");
	return 0;
}

/* 0…1; opposite directions count as nothing shared. */
static double
cosine(const struct vector *a, const struct vector *b)
{
	double dot = 0, aa = 0, bb = 0, c;

	if (a->n != b->n)
		return 0;
	for (size_t i = 0; i < a->n; i++) {
		dot += a->v[i] * b->v[i];
		aa += a->v[i] * a->v[i];
		bb += b->v[i] * b->v[i];
	}
	c = aa > 0 && bb > 0 ? dot / (sqrt(aa) * sqrt(bb)) : 0;
	return c > 0 ? (c < 1 ? c : 1) : 0;
}

static void
key_of(const struct ctx_enrich *e, const struct ctx_buf *text, char key[CTX_HASH_HEX + 1])
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_add(&b, e->o.embed, strlen(e->o.embed) + 1);
	ctx_buf_addspan(&b, ctx_buf_span(text));
	ctx_hash_sha256(b.p, b.n, key);
	ctx_buf_release(&b);
}

static int
look_up(struct ctx_enrich *e, const struct ctx_buf *text, struct vector *v,
    struct ctx_err *err)
{
	struct ctx_buf value = CTX_BUF_INIT;
	char key[CTX_HASH_HEX + 1];
	int rc;

	key_of(e, text, key);
	rc = ctx_cache_get(e->st, "embed", key, e->o.now, &value, err);
	if (rc == 1 && parse_vector(ctx_buf_span(&value), v, err) < 0)
		rc = -1;
	ctx_buf_release(&value);
	return rc < 0 ? -1 : 0;
}

static int
take_line(struct ctx_enrich *e, struct ctx_span *rest, const struct ctx_buf *text,
    int64_t session_no, struct vector *v, struct ctx_err *err)
{
	const char *nl = rest->n == 0 ? NULL : memchr(rest->p, '\n', rest->n);
	struct ctx_span line = {rest->p, nl == NULL ? rest->n : (size_t)(nl - rest->p)},
			value;
	char key[CTX_HASH_HEX + 1];

	if (ctx_json_check(line, &value, NULL, err) < 0)
		return ctx_err_prefix(err, "answer of the embedder");
	rest->p += line.n + (nl != NULL);
	rest->n -= line.n + (nl != NULL);
	if (parse_vector(value, v, err) < 0)
		return -1;
	key_of(e, text, key);
	return ctx_cache_put(
	    e->st, "embed", key, session_no, e->o.now, EMBED_TTL, value, err);
}

/* The vectors that the cache lacks. The last text is the query: it is the session's. */
static int
ask(struct ctx_enrich *e, const struct ctx_buf *texts, struct vector *vectors, size_t n,
    struct ctx_err *err)
{
	struct ctx_buf lines = CTX_BUF_INIT, out = CTX_BUF_INIT;
	struct ctx_span rest;
	size_t asked = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		if (vectors[i].n == 0) {
			ctx_json_put_open(&lines, '{');
			ctx_json_add_string(&lines, "text", ctx_buf_span(&texts[i]));
			ctx_json_put_close(&lines, '}');
			ctx_buf_addc(&lines, '\n');
			asked++;
		}
	rc = ctx_exec_ask(e->embedder, ctx_buf_span(&lines), asked, &out, err);
	rest = ctx_buf_span(&out);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (vectors[i].n == 0)
			rc = take_line(e, &rest, &texts[i],
			    i == n - 1 && e->session != NULL ? e->session->no : 0,
			    &vectors[i], err);
	ctx_buf_release(&lines);
	ctx_buf_release(&out);
	return rc;
}

int
ctx_enrich_embed(struct ctx_enrich *e, const struct enrich_text *texts, size_t n,
    double scores[], struct ctx_err *err)
{
	struct ctx_buf *all = ctx_mem_new((n + 1) * sizeof(*all));
	struct vector *vectors = ctx_mem_new((n + 1) * sizeof(*vectors));
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		ctx_buf_addspan(&all[i], texts[i].name);
		ctx_buf_addc(&all[i], '\n');
		ctx_buf_addspan(&all[i], texts[i].text);
	}
	ctx_buf_addspan(&all[n], ctx_buf_span(&e->query));
	for (size_t i = 0; rc == 0 && i <= n; i++)
		rc = look_up(e, &all[i], &vectors[i], err);
	if (rc == 0)
		rc = ask(e, all, vectors, n + 1, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		scores[i] = cosine(&vectors[i], &vectors[n]);
	for (size_t i = 0; i <= n; i++) {
		ctx_buf_release(&all[i]);
		free(vectors[i].v);
	}
	free(all);
	free(vectors);
	return rc;
}
