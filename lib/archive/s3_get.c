/* Reads objects. */
#include <stdlib.h>
#include <string.h>

#include "archive/s3_call.h"
#include "base/mem.h"

struct s3_get {
	struct ctx_blob_get base;
	struct ctx_s3 *s3;
	char *key, *etag;
	int64_t size, at; /* at: bytes of the object received so far */
	struct ctx_http_answer answer;
	size_t used; /* bytes of the response body returned so far */
};

/* Returns the number after the '/' in "bytes 0-99/1234"; -1 if there is none. */
static int64_t
parse_content_range_total(struct ctx_span range)
{
	const char *slash = range.n > 0 ? memchr(range.p, '/', range.n) : NULL;

	return slash == NULL ? -1
			     : ctx_s3_number((struct ctx_span){
				   slash + 1, (size_t)(range.p + range.n - slash - 1)});
}

static int
check_version(struct s3_get *g, struct ctx_err *err)
{
	struct ctx_span etag = ctx_http_header(&g->answer, "etag");

	if (g->etag == NULL)
		g->etag = ctx_span_dup(etag.p == NULL ? ctx_span_of("") : etag);
	else if (!ctx_span_is(etag.p == NULL ? ctx_span_of("") : etag, g->etag))
		return ctx_err_set(err, CTX_EIO,
		    "s3://%s/%s was changed while it was read", g->s3->bucket, g->key);
	return 0;
}

/* Checks that the response is the requested range. */
static int
check_piece(
    struct s3_get *g, const struct ctx_s3_call *call, int64_t want, struct ctx_err *err)
{
	int64_t total;

	if (g->answer.status == 206)
		total = parse_content_range_total(
		    ctx_http_header(&g->answer, "content-range"));
	else if (g->answer.status == 200 && g->at == 0)
		/* the server does not support ranges */
		total = (int64_t)g->answer.body.n;
	else if (g->answer.status == 416 && g->at == 0) {
		ctx_buf_reset(&g->answer.body);
		total = 0; /* an empty object has no ranges */
	} else
		return ctx_s3_fail(g->s3, call, &g->answer, err);
	if (g->size < 0)
		g->size = total;
	if (total < 0 || total != g->size ||
	    (int64_t)g->answer.body.n != (want < total - g->at ? want : total - g->at))
		return ctx_err_set(err, CTX_EIO,
		    "GET s3://%s/%s: the response has the wrong length", g->s3->bucket,
		    g->key);
	g->at += (int64_t)g->answer.body.n;
	g->used = 0;
	return check_version(g, err);
}

/* Reads the next range. Returns 1 if read, 0 if there is no such object, -1 on error. */
static int
next_piece(struct s3_get *g, struct ctx_err *err)
{
	struct ctx_s3_call call = {
	    .method = "GET", .key = g->key, .max_answer = CTX_S3_PART};
	struct ctx_buf range = CTX_BUF_INIT;
	int rc;

	ctx_buf_addf(&range, "bytes=%lld-%lld", (long long)g->at,
	    (long long)g->at + CTX_S3_PART - 1);
	ctx_s3_header(&call, "range", range.p);
	rc = ctx_s3_do(g->s3, &call, &g->answer, err);
	ctx_buf_release(&range);
	if (rc < 0)
		return -1;
	if (g->answer.status == 404 && g->at == 0)
		return 0;
	return check_piece(g, &call, CTX_S3_PART, err) < 0 ? -1 : 1;
}

int
ctx_s3_get_open(struct ctx_blobs *blobs, const char *name, struct ctx_blob_get **get,
    struct ctx_err *err)
{
	struct s3_get *g = ctx_mem_new(sizeof(*g));
	int rc;

	g->base.ops = blobs->ops;
	g->s3 = (struct ctx_s3 *)blobs;
	g->key = ctx_s3_key(g->s3, name);
	g->size = -1;
	rc = next_piece(g, err);
	if (rc > 0)
		*get = &g->base;
	else
		ctx_s3_get_close(&g->base);
	return rc;
}

long
ctx_s3_get_read(struct ctx_blob_get *get, void *p, size_t n, struct ctx_err *err)
{
	struct s3_get *g = (struct s3_get *)get;
	size_t have = g->answer.body.n - g->used;

	if (have == 0 && g->at >= g->size)
		return 0;
	if (have == 0) {
		if (next_piece(g, err) < 0)
			return -1;
		have = g->answer.body.n;
	}
	n = n < have ? n : have;
	memcpy(p, g->answer.body.p + g->used, n);
	g->used += n;
	return (long)n;
}

void
ctx_s3_get_close(struct ctx_blob_get *get)
{
	struct s3_get *g = (struct s3_get *)get;

	free(g->key);
	free(g->etag);
	ctx_http_answer_release(&g->answer);
	free(g);
}
