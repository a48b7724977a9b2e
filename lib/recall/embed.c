#include "recall/embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "store/derived.h"

/* Vectors stay valid: they depend only on the text and the command. */
#define KEEP_MS ((int64_t)30 * 24 * 3600 * 1000)
#define DIMENSIONS_MAX 65536
#define TEXT_MAX ((size_t)8 << 10)
#define BATCH_TEXTS 256
#define BATCH_BYTES ((size_t)512 << 10)

struct ctx_embedder {
	struct ctx_store *st;
	struct ctx_exec *exec;
	const char *command;
	int64_t timeout_ms, now;
};

struct ctx_embedder *
ctx_embedder_new(struct ctx_store *st, const struct ctx_exec_options *exec, int64_t now)
{
	struct ctx_embedder *e = ctx_mem_new(sizeof(*e));

	e->st = st;
	e->exec = ctx_exec_new(exec);
	e->command = exec->command;
	e->timeout_ms = exec->timeout_ms;
	e->now = now;
	return e;
}

void
ctx_embedder_free(struct ctx_embedder *e)
{
	if (e == NULL)
		return;
	ctx_exec_free(e->exec);
	free(e);
}

void
ctx_embed_release(struct ctx_embed_text *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].vector.v);
		list[i].vector = (struct ctx_vector){NULL, 0};
	}
}

double
ctx_vector_cosine(const struct ctx_vector *a, const struct ctx_vector *b)
{
	double dot = 0;

	if (a->n != b->n)
		return 0;
	for (size_t i = 0; i < a->n; i++)
		dot += (double)a->v[i] * (double)b->v[i];
	return dot > 0 ? (dot < 1 ? dot : 1) : 0;
}

/* ---- vectors as text and as bytes ---- */

static void
normalise_embed_vector(struct ctx_vector *v)
{
	double sum = 0;

	for (size_t i = 0; i < v->n; i++)
		sum += (double)v->v[i] * (double)v->v[i];
	for (size_t i = 0; i < v->n; i++)
		v->v[i] = sum > 0 ? (float)((double)v->v[i] / sqrt(sum)) : 0;
}

static int
parse_vector(struct ctx_span json, struct ctx_vector *out, struct ctx_err *err)
{
	size_t cap = 0;

	if (ctx_json_type(json) == CTX_JSON_OBJECT)
		json = ctx_json_get(json, "embedding");
	CTX_JSON_EACH(it, json) {
		double x;
		if (!ctx_json_double(it.value, &x) || out->n >= DIMENSIONS_MAX) {
			out->n = 0;
			break;
		}
		CTX_MEM_GROW(out->v, out->n, cap);
		out->v[out->n++] = (float)x;
	}
	if (out->n == 0)
		return ctx_err_set(
		    err, CTX_EIO, "the embedder's output contains no vector");
	normalise_embed_vector(out);
	return 0;
}

/* Four bytes a number, the lowest first. */
static void
pack_embed_vector(const struct ctx_vector *v, struct ctx_buf *out)
{
	for (size_t i = 0; i < v->n; i++) {
		uint32_t bits;
		memcpy(&bits, &v->v[i], sizeof(bits));
		for (int shift = 0; shift < 32; shift += 8)
			ctx_buf_addc(out, (char)(bits >> shift));
	}
}

static void
unpack_embed_vector(struct ctx_span bytes, struct ctx_vector *out)
{
	out->n = bytes.n / 4;
	out->v = ctx_mem_new(out->n * sizeof(*out->v));
	for (size_t i = 0; i < out->n; i++) {
		uint32_t bits = 0;
		for (size_t k = 4; k-- > 0;)
			bits = bits << 8 | (unsigned char)bytes.p[4 * i + k];
		memcpy(&out->v[i], &bits, sizeof(bits));
	}
}

/* ---- cached vectors ---- */

static struct ctx_span
cut_embed_text(struct ctx_span text)
{
	if (text.n > TEXT_MAX)
		text.n = ctx_utf8_valid(text.p, TEXT_MAX);
	return text;
}

static void
make_embed_key(
    const struct ctx_embedder *e, struct ctx_span text, char key[CTX_HASH_HEX + 1])
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_adds(&b, "float32 ");
	ctx_buf_add(&b, e->command, strlen(e->command) + 1);
	ctx_buf_addspan(&b, cut_embed_text(text));
	ctx_hash_sha256(b.p, b.n, key);
	ctx_buf_release(&b);
}

static int
look_up_embed_vectors(
    struct ctx_embedder *e, struct ctx_embed_text *list, size_t n, struct ctx_err *err)
{
	struct ctx_buf value = CTX_BUF_INIT;
	char key[CTX_HASH_HEX + 1];
	int64_t hits = 0;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < n; i++) {
		make_embed_key(e, list[i].text, key);
		ctx_buf_reset(&value);
		rc = ctx_cache_peek(e->st, "embed", key, e->now, &value, err);
		if (rc == 1) {
			unpack_embed_vector(ctx_buf_span(&value), &list[i].vector);
			hits++;
		}
	}
	ctx_buf_release(&value);
	return rc < 0 ? -1
		      : ctx_cache_count(e->st, "embed", hits, (int64_t)n - hits, err);
}

static int
cache_embed_vectors(struct ctx_embedder *e, struct ctx_embed_text *const batch[],
    size_t n, struct ctx_err *err)
{
	struct ctx_buf bytes = CTX_BUF_INIT;
	char key[CTX_HASH_HEX + 1];
	int rc = ctx_derived_begin(e->st, err);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		ctx_buf_reset(&bytes);
		pack_embed_vector(&batch[i]->vector, &bytes);
		make_embed_key(e, batch[i]->text, key);
		rc = ctx_cache_put(e->st, "embed", key, batch[i]->session_no, e->now,
		    KEEP_MS, ctx_buf_span(&bytes), err);
	}
	rc = ctx_derived_end(e->st, rc, err);
	ctx_buf_release(&bytes);
	return rc;
}

/* ---- vectors computed by the command ---- */

static int
take_lines(struct ctx_embed_text *const batch[], size_t n, struct ctx_span out,
    struct ctx_err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct ctx_span line = out, value;

		ctx_span_split(&out, '\n', &line);
		if (ctx_json_check(line, &value, NULL, err) < 0)
			return ctx_err_prefix(err, "output of the embedder");
		if (parse_vector(value, &batch[i]->vector, err) < 0)
			return -1;
	}
	return 0;
}

static int
ask_batch(struct ctx_embedder *e, struct ctx_embed_text *const batch[], size_t n,
    struct ctx_err *err)
{
	struct ctx_buf lines = CTX_BUF_INIT, out = CTX_BUF_INIT;
	int rc;

	for (size_t i = 0; i < n; i++)
		ctx_json_print(&lines, "{'text':%t}\n", cut_embed_text(batch[i]->text));
	rc = ctx_exec_ask(e->exec, ctx_buf_span(&lines), n, &out, err);
	if (rc == 0)
		rc = take_lines(batch, n, ctx_buf_span(&out), err);
	if (rc == 0)
		rc = cache_embed_vectors(e, batch, n, err);
	ctx_buf_release(&lines);
	ctx_buf_release(&out);
	return rc;
}

int
ctx_embedder_ask(
    struct ctx_embedder *e, struct ctx_embed_text *list, size_t n, struct ctx_err *err)
{
	struct ctx_embed_text *batch[BATCH_TEXTS];
	int64_t deadline = ctx_time_monotonic() + e->timeout_ms;
	int rc = look_up_embed_vectors(e, list, n, err);

	for (size_t i = 0, asked = 0; rc == 0 && i < n; asked++) {
		size_t bytes = 0, size = 0;
		for (; i < n && size < BATCH_TEXTS && bytes < BATCH_BYTES; i++)
			if (list[i].vector.n == 0) {
				batch[size++] = &list[i];
				bytes += cut_embed_text(list[i].text).n;
			}
		if (size == 0)
			break;
		if (asked > 0 && ctx_time_monotonic() >= deadline)
			return 1;
		rc = ask_batch(e, batch, size, err);
	}
	return rc;
}
