/* Lists, deletes and tests objects. */
#include "archive/s3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/s3_call.h"
#include "archive/xml.h"
#include "base/mem.h"
#include "base/time.h"

static int64_t
xml_number(struct ctx_span doc, const char *tag)
{
	struct ctx_span inner;

	return ctx_xml_next(&doc, tag, &inner) ? ctx_s3_number(ctx_span_trim(inner)) : -1;
}

static int64_t
xml_time(struct ctx_span doc, const char *tag)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span inner;
	int64_t ms;

	if (!ctx_xml_next(&doc, tag, &inner) ||
	    ctx_time_parse(ctx_span_trim(inner), &ms, &err) < 0)
		return CTX_TIME_NONE;
	return ms;
}

int
ctx_s3_head(struct ctx_s3 *s3, const char *key, int64_t *size, struct ctx_err *err)
{
	struct ctx_s3_call call = {.method = "HEAD", .key = key};
	struct ctx_http_answer answer = {0};
	int rc = ctx_s3_do(s3, &call, &answer, err);

	if (rc == 0 && answer.status == 200) {
		rc = 1;
		if (size != NULL)
			*size = ctx_s3_number(ctx_http_header(&answer, "content-length"));
	} else if (rc == 0 && answer.status != 404) {
		rc = ctx_s3_fail(s3, &call, &answer, err);
	}
	ctx_http_answer_release(&answer);
	return rc;
}

/* Sends a DELETE request. It is not an error if the object does not exist. */
static int
delete_object(struct ctx_s3 *s3, const struct ctx_s3_call *call, struct ctx_err *err)
{
	struct ctx_http_answer answer = {0};
	int rc = ctx_s3_do(s3, call, &answer, err);

	if (rc == 0 && answer.status / 100 != 2 && answer.status != 404)
		rc = ctx_s3_fail(s3, call, &answer, err);
	ctx_http_answer_release(&answer);
	return rc;
}

int
ctx_s3_exists(
    struct ctx_blobs *blobs, const char *name, int64_t *size, struct ctx_err *err)
{
	struct ctx_s3 *s3 = (struct ctx_s3 *)blobs;
	char *key = ctx_s3_key(s3, name);
	int rc = ctx_s3_head(s3, key, size, err);

	free(key);
	return rc;
}

/* Servers answer differently if the bucket exists and we own it, so test whether we can
 * access it. */
static int
bucket_is_ours(struct ctx_s3 *s3, struct ctx_err *err)
{
	struct ctx_s3_call call = {.method = "HEAD"};
	struct ctx_http_answer answer = {0};
	int rc = ctx_s3_do(s3, &call, &answer, err);

	if (rc == 0 && answer.status != 200)
		rc = ctx_err_set(
		    err, CTX_EIO, "bucket '%s' belongs to another account", s3->bucket);
	ctx_http_answer_release(&answer);
	return rc;
}

int
ctx_s3_create_bucket(struct ctx_s3 *s3, struct ctx_err *err)
{
	struct ctx_s3_call call = {.method = "PUT"};
	struct ctx_http_answer answer = {0};
	struct ctx_buf body = CTX_BUF_INIT;
	int rc;

	/* Amazon requires the name of the region, except for this default one */
	if (strcmp(s3->region, "us-east-1") != 0)
		ctx_buf_addf(&body,
		    "<CreateBucketConfiguration "
		    "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><LocationConstraint>%s</LocationConstraint></CreateBucketConfiguration>",
		    s3->region);
	call.body = ctx_buf_span(&body);
	rc = ctx_s3_do(s3, &call, &answer, err);
	if (rc == 0 && answer.status == 409)
		rc = bucket_is_ours(s3, err);
	else if (rc == 0 && answer.status / 100 != 2)
		rc = ctx_s3_fail(s3, &call, &answer, err);
	ctx_http_answer_release(&answer);
	ctx_buf_release(&body);
	return rc;
}

/* ---- lists ---- */

/* Limits that detect a list that never ends: pages whose continuation marks repeat, many
 * pages or keys without a new largest key, or more pages or keys than any place has. */
#define PAGES_MOST 1000000
#define PAGES_IDLE 1000
#define KEYS_MOST 100000000
#define KEYS_IDLE 1000000

struct pages {
	/* mark of an earlier page, replaced at powers of 2; largest key so far */
	char *mark, *largest;
	size_t n, next, idle;
	size_t keys, idle_keys;
	bool grew;
};

static void
see_key(struct pages *p, const char *key)
{
	p->keys++;
	p->idle_keys++;
	if (p->largest != NULL && strcmp(key, p->largest) <= 0)
		return;
	free(p->largest);
	p->largest = ctx_mem_str(key);
	p->grew = true;
}

/* Checks progress after a page whose successor starts at mark. */
static int
end_page(struct ctx_s3 *s3, struct pages *p, const char *mark, struct ctx_err *err)
{
	p->idle = p->grew ? 0 : p->idle + 1;
	if (p->grew)
		p->idle_keys = 0;
	p->grew = false;
	if ((p->mark != NULL && strcmp(p->mark, mark) == 0) || p->idle > PAGES_IDLE ||
	    p->idle_keys > KEYS_IDLE || p->keys > KEYS_MOST || p->n++ > PAGES_MOST)
		return ctx_err_set(err, CTX_EIO,
		    "GET s3://%s/: the server's listing repeats itself", s3->bucket);
	if (p->n >= p->next) {
		free(p->mark);
		p->mark = ctx_mem_str(mark);
		p->next = 2 * p->n;
	}
	return 0;
}

static void
release_pages(struct pages *p)
{
	free(p->mark);
	free(p->largest);
}

static bool
has_prefix(const char *key, const char *prefix)
{
	/* not every server applies the prefix */
	return strncmp(key, prefix, strlen(prefix)) == 0;
}

struct object_list {
	struct ctx_s3 *s3;
	const char *prefix; /* prefix of the keys that are listed */
	ctx_blob_each *fn;
	void *arg;
	struct pages pages;
};

static int
each_object(struct ctx_span doc, struct object_list *l, struct ctx_err *err)
{
	size_t skip = strlen(l->s3->prefix);
	struct ctx_span inner;
	int rc = 0;

	while (rc == 0 && ctx_xml_next(&doc, "Contents", &inner)) {
		char *key = ctx_xml_text(inner, "Key");
		struct ctx_blob blob = {
		    NULL, xml_number(inner, "Size"), xml_time(inner, "LastModified")};

		if (key != NULL)
			see_key(&l->pages, key);
		if (key != NULL && has_prefix(key, l->prefix) &&
		    ctx_blob_name_ok(key + skip)) {
			blob.name = key + skip;
			rc = l->fn(l->arg, &blob, err);
		}
		free(key);
	}
	return rc < 0 ? -1 : 0;
}

static bool
is_page_truncated(struct ctx_span doc)
{
	struct ctx_span inner;

	if (!ctx_xml_next(&doc, "IsTruncated", &inner))
		return false;
	inner = ctx_span_trim(inner);
	return ctx_span_is(inner, "true") || ctx_span_is(inner, "1");
}

/* Returns the value that requests the next page, as a heap string; NULL after the last
 * page. */
static char *
next_page(struct ctx_span doc, const char *tag)
{
	return is_page_truncated(doc) ? ctx_xml_text(doc, tag) : NULL;
}

/* Rejects a response that is not a list, and a list that continues without saying where:
 * neither may pass as a complete list. */
static int
check_object_page(
    struct ctx_s3 *s3, struct ctx_span doc, const char *next, struct ctx_err *err)
{
	struct ctx_span rest = doc, inner;

	if (!ctx_xml_next(&rest, "ListBucketResult", &inner))
		return ctx_err_set(err, CTX_EIO,
		    "GET s3://%s/: the response is not a listing of objects", s3->bucket);
	if (next == NULL ? is_page_truncated(doc) : next[0] == '\0')
		return ctx_err_set(
		    err, CTX_EIO, "GET s3://%s/: the listing is truncated", s3->bucket);
	return 0;
}

int
ctx_s3_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_s3 *s3 = (struct ctx_s3 *)blobs;
	char page[16], *token = NULL, *start = ctx_s3_key(s3, prefix);
	struct object_list l = {.s3 = s3, .prefix = start, .fn = fn, .arg = arg};
	struct ctx_http_answer answer = {0};
	int rc;

	snprintf(page, sizeof(page), "%d", s3->list_page);
	do {
		struct ctx_s3_call call = {.method = "GET"};

		ctx_s3_query(&call, "list-type", "2");
		ctx_s3_query(&call, "prefix", start);
		if (s3->list_page > 0)
			ctx_s3_query(&call, "max-keys", page);
		if (token != NULL)
			ctx_s3_query(&call, "continuation-token", token);
		rc = ctx_s3_do(s3, &call, &answer, err);
		if (rc < 0 || answer.status == 404)
			break;
		if (answer.status != 200) {
			rc = ctx_s3_fail(s3, &call, &answer, err);
			break;
		}
		free(token);
		token = next_page(ctx_buf_span(&answer.body), "NextContinuationToken");
		rc = check_object_page(s3, ctx_buf_span(&answer.body), token, err);
		if (rc == 0)
			rc = each_object(ctx_buf_span(&answer.body), &l, err);
		if (rc == 0 && token != NULL)
			rc = end_page(s3, &l.pages, token, err);
	} while (rc == 0 && token != NULL);
	free(token);
	free(start);
	release_pages(&l.pages);
	ctx_http_answer_release(&answer);
	return rc;
}

/* ---- leftover uploads ---- */

int
ctx_s3_abort_upload(
    struct ctx_s3 *s3, const char *key, const char *upload, struct ctx_err *err)
{
	struct ctx_s3_call call = {.method = "DELETE", .key = key};

	ctx_s3_query(&call, "uploadId", upload);
	return delete_object(s3, &call, err);
}

struct upload_list {
	const char *prefix;
	int64_t before, *n;
	struct pages pages;
};

static int
abort_old(
    struct ctx_s3 *s3, struct ctx_span doc, struct upload_list *l, struct ctx_err *err)
{
	struct ctx_span inner;
	int rc = 0;

	while (rc == 0 && ctx_xml_next(&doc, "Upload", &inner)) {
		char *key = ctx_xml_text(inner, "Key"),
		     *id = ctx_xml_text(inner, "UploadId");
		int64_t began = xml_time(inner, "Initiated");

		if (key != NULL)
			see_key(&l->pages, key);
		if (key != NULL && id != NULL && began != CTX_TIME_NONE &&
		    began < l->before && has_prefix(key, l->prefix)) {
			rc = ctx_s3_abort_upload(s3, key, id, err);
			*l->n += rc == 0;
		}
		free(key);
		free(id);
	}
	return rc;
}

/* The uploads of one key can fill more than a page, so the mark is made of both
 * markers. */
static int
end_uploads(struct ctx_s3 *s3, struct pages *p, const char *key, const char *upload,
    struct ctx_err *err)
{
	struct ctx_buf mark = CTX_BUF_INIT;
	int rc;

	ctx_buf_addf(&mark, "%s\n%s", key, upload == NULL ? "" : upload);
	rc = end_page(s3, p, mark.p, err);
	ctx_buf_release(&mark);
	return rc;
}

/* Aborts the uploads of keys that start with prefix, if they are older than before. */
static int
sweep_uploads(struct ctx_s3 *s3, const char *prefix, int64_t before, int64_t *n,
    struct ctx_err *err)
{
	struct upload_list l = {.prefix = prefix, .before = before, .n = n};
	struct ctx_http_answer answer = {0};
	char *key = NULL, *upload = NULL;
	int rc;

	*n = 0;
	do {
		struct ctx_s3_call call = {.method = "GET"};

		ctx_s3_query(&call, "uploads", "");
		ctx_s3_query(&call, "prefix", prefix);
		if (key != NULL)
			ctx_s3_query(&call, "key-marker", key);
		if (upload != NULL)
			ctx_s3_query(&call, "upload-id-marker", upload);
		rc = ctx_s3_do(s3, &call, &answer, err);
		/* 403: we may write but not list; this must not fail a sweep */
		if (rc < 0 || answer.status == 404 || answer.status == 501 ||
		    answer.status == 403 || answer.status == 405)
			break;
		if (answer.status != 200) {
			rc = ctx_s3_fail(s3, &call, &answer, err);
			break;
		}
		free(key);
		free(upload);
		key = next_page(ctx_buf_span(&answer.body), "NextKeyMarker");
		upload = next_page(ctx_buf_span(&answer.body), "NextUploadIdMarker");
		rc = abort_old(s3, ctx_buf_span(&answer.body), &l, err);
		if (rc == 0 && key != NULL)
			rc = end_uploads(s3, &l.pages, key, upload, err);
	} while (rc == 0 && key != NULL && key[0] != '\0');
	free(key);
	free(upload);
	release_pages(&l.pages);
	ctx_http_answer_release(&answer);
	return rc;
}

int
ctx_s3_sweep(struct ctx_blobs *blobs, int64_t before, int64_t *n, struct ctx_err *err)
{
	struct ctx_s3 *s3 = (struct ctx_s3 *)blobs;

	return sweep_uploads(s3, s3->prefix, before, n, err);
}

int
ctx_s3_delete(
    struct ctx_blobs *blobs, const char *name, bool unfinished_only, struct ctx_err *err)
{
	struct ctx_s3 *s3 = (struct ctx_s3 *)blobs;
	char *key = ctx_s3_key(s3, name);
	struct ctx_s3_call call = {.method = "DELETE", .key = key};
	int rc = unfinished_only ? 0 : delete_object(s3, &call, err);
	int64_t uploads;

	if (rc == 0)
		rc = sweep_uploads(s3, key, INT64_MAX, &uploads, err);
	free(key);
	return rc;
}
