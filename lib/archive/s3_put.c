/* Writes objects. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/s3_call.h"
#include "archive/xml.h"
#include "base/mem.h"

#define MAX_PARTS 10000

struct s3_put {
	struct ctx_blob_put base;
	struct ctx_s3 *s3;
	char *key;
	bool exclusive;
	struct ctx_buf body; /* the part that is being filled */
	int64_t total;       /* bytes written so far */
	char *upload; /* id of the multipart upload; NULL while one request is enough */
	char **etags;
	size_t n_parts, cap;
};

int
ctx_s3_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err CTX_UNUSED)
{
	struct s3_put *p = ctx_mem_new(sizeof(*p));

	p->base.ops = blobs->ops;
	p->s3 = (struct ctx_s3 *)blobs;
	p->key = ctx_s3_key(p->s3, name);
	p->exclusive = exclusive;
	*put = &p->base;
	return 0;
}

static void
free_s3_put(struct s3_put *put)
{
	for (size_t i = 0; i < put->n_parts; i++)
		free(put->etags[i]);
	free(put->etags);
	free(put->upload);
	free(put->key);
	ctx_buf_release(&put->body);
	free(put);
}

void
ctx_s3_put_abort(struct ctx_blob_put *blob_put)
{
	struct s3_put *put = (struct s3_put *)blob_put;
	struct ctx_err err = CTX_ERR_INIT;

	if (put->upload != NULL)
		ctx_s3_abort_upload(put->s3, put->key, put->upload, &err);
	free_s3_put(put);
}

/* Sends a request that writes. If the bucket is missing, it is created and the request is
 * sent again. */
static int
write_call(struct s3_put *put, const struct ctx_s3_call *call,
    struct ctx_http_answer *answer, struct ctx_err *err)
{
	if (ctx_s3_do(put->s3, call, answer, err) < 0)
		return -1;
	if (answer->status != 404 || !ctx_s3_is(answer, "NoSuchBucket"))
		return 0;
	if (ctx_s3_create_bucket(put->s3, err) < 0)
		return -1;
	return ctx_s3_do(put->s3, call, answer, err);
}

static int
begin_upload(struct s3_put *put, struct ctx_err *err)
{
	struct ctx_s3_call call = {.method = "POST", .key = put->key};
	struct ctx_http_answer answer = {0};
	int rc;

	ctx_s3_query(&call, "uploads", "");
	ctx_s3_header(&call, "content-type", "application/gzip");
	rc = write_call(put, &call, &answer, err);
	if (rc == 0 && answer.status == 200)
		put->upload = ctx_xml_text(ctx_buf_span(&answer.body), "UploadId");
	if (rc == 0 && put->upload == NULL)
		rc = ctx_s3_fail(put->s3, &call, &answer, err);
	ctx_http_answer_release(&answer);
	return rc;
}

static int
send_part(struct s3_put *put, struct ctx_err *err)
{
	struct ctx_s3_call call = {
	    .method = "PUT", .key = put->key, .body = ctx_buf_span(&put->body)};
	struct ctx_http_answer answer = {0};
	struct ctx_span etag = CTX_SPAN_NONE;
	char number[24];
	int rc;

	if (put->n_parts == MAX_PARTS)
		return ctx_err_set(err, CTX_EIO,
		    "s3://%s/%s: the file is larger than the maximum size of an S3 object",
		    put->s3->bucket, put->key);
	if (put->upload == NULL && begin_upload(put, err) < 0)
		return -1;
	snprintf(number, sizeof(number), "%zu", put->n_parts + 1);
	ctx_s3_query(&call, "partNumber", number);
	ctx_s3_query(&call, "uploadId", put->upload);
	rc = ctx_s3_do(put->s3, &call, &answer, err);
	if (rc == 0 && answer.status == 200)
		etag = ctx_http_header(&answer, "etag");
	if (rc == 0 && etag.n == 0)
		rc = ctx_s3_fail(put->s3, &call, &answer, err);
	if (rc == 0) {
		CTX_MEM_GROW(put->etags, put->n_parts, put->cap);
		put->etags[put->n_parts++] = ctx_span_dup(etag);
		ctx_buf_reset(&put->body);
	}
	ctx_http_answer_release(&answer);
	return rc;
}

int
ctx_s3_put_write(
    struct ctx_blob_put *blob_put, const void *p, size_t n, struct ctx_err *err)
{
	struct s3_put *put = (struct s3_put *)blob_put;
	const char *s = p;

	while (n > 0) {
		/* The size of a part doubles after each 1000 parts: 10000 parts can
		 * contain the 5 TiB that an object may have, while parts of ordinary
		 * objects stay small. */
		size_t room = ((size_t)CTX_S3_PART << put->n_parts / 1000) - put->body.n;
		size_t take = n < room ? n : room;

		/* send the part only now: data that ends exactly here fits into one
		 * request */
		if (room == 0) {
			if (send_part(put, err) < 0)
				return -1;
			continue;
		}
		ctx_buf_add(&put->body, s, take);
		put->total += (int64_t)take;
		s += take;
		n -= take;
	}
	return 0;
}

/* The server refused the object because it exists. If the request was sent more than
 * once, the object may be ours, from an attempt whose response was lost; its size tells.
 * Returns 0 if it is ours, 1 if not, -1 on error. */
static int
is_ours(struct s3_put *put, bool again, struct ctx_err *err)
{
	int64_t size = -1;
	int rc;

	if (!again)
		return 1;
	rc = ctx_s3_head(put->s3, put->key, &size, err);
	if (rc < 0)
		return -1;
	return rc == 1 && size == put->total ? 0 : 1;
}

static int
finish_call(struct s3_put *put, struct ctx_s3_call *call, struct ctx_err *err)
{
	struct ctx_http_answer answer = {0};
	size_t plain = call->n_headers;
	int rc;

	if (put->exclusive)
		ctx_s3_header(call, "if-none-match", "*");
	rc = write_call(put, call, &answer, err);
	if (rc == 0 && put->exclusive && answer.status == 501) {
		rc = ctx_s3_head(put->s3, put->key, NULL, err);
		if (rc != 0)
			goto done;
		call->n_headers = plain;
		rc = write_call(put, call, &answer, err);
	}
	if (rc < 0)
		goto done;
	if (answer.status == 412)
		rc = is_ours(put, answer.retry, err);
	else if (answer.status == 404 && ctx_s3_is(&answer, "NoSuchUpload"))
		/* an earlier attempt, perhaps one by libcurl, may have completed the
		 * upload */
		rc = is_ours(put, true, err) == 0
			 ? 0
			 : ctx_s3_fail(put->s3, call, &answer, err);
	else if (answer.status / 100 != 2)
		rc = ctx_s3_fail(put->s3, call, &answer, err);
done:
	ctx_http_answer_release(&answer);
	return rc;
}

static int
finish_upload(struct s3_put *put, struct ctx_err *err)
{
	struct ctx_s3_call call = {.method = "POST", .key = put->key, .fails_late = true};
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	ctx_buf_adds(&b,
	    "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
	for (size_t i = 0; i < put->n_parts; i++) {
		ctx_buf_addf(&b, "<Part><PartNumber>%zu</PartNumber><ETag>", i + 1);
		for (const char *c = put->etags[i]; *c != '\0'; c++)
			if (*c != '<' && *c != '&')
				ctx_buf_addc(&b, *c);
		ctx_buf_adds(&b, "</ETag></Part>");
	}
	ctx_buf_adds(&b, "</CompleteMultipartUpload>");
	ctx_s3_query(&call, "uploadId", put->upload);
	ctx_s3_header(&call, "content-type", "application/xml");
	call.body = ctx_buf_span(&b);
	rc = finish_call(put, &call, err);
	ctx_buf_release(&b);
	return rc;
}

static int
put_whole(struct s3_put *put, struct ctx_err *err)
{
	struct ctx_s3_call call = {.method = "PUT", .key = put->key};

	ctx_buf_reserve(&put->body, 1);
	call.body = ctx_buf_span(&put->body);
	ctx_s3_header(&call, "content-type", "application/gzip");
	return finish_call(put, &call, err);
}

void
ctx_s3_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[])
{
	for (size_t i = 0; i < n; i++) {
		struct s3_put *put = (struct s3_put *)puts[i];

		if (put->upload == NULL)
			done[i].rc = put_whole(put, &done[i].err);
		else if (put->body.n > 0 && send_part(put, &done[i].err) < 0)
			done[i].rc = -1;
		else
			done[i].rc = finish_upload(put, &done[i].err);
		if (done[i].rc == 0)
			free_s3_put(put);
		else
			ctx_s3_put_abort(puts[i]);
	}
}
