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

/* A list of objects or of multipart uploads, which the server returns in pages. */
struct listing {
	struct ctx_s3 *s3;
	const char *prefix; /* prefix of the keys that are listed */
	/* called for each object; NULL: uploads are listed instead, and those that are
	 * older than the member before are aborted and counted in *n */
	ctx_blob_each *fn;
	void *arg;
	int64_t before, *n;
	char *next[2]; /* parameters that request the next page */
	/* mark of an earlier page, replaced at powers of 2; largest key so far */
	char *mark, *largest;
	size_t pages, next_mark, idle;
	size_t keys, idle_keys;
	bool grew;
};

/* Each of these arrays has the values for uploads, then those for objects. */
static const char *const next_names[2][2] = {
    {"key-marker", "upload-id-marker"}, {"continuation-token", NULL}};
static const char *const next_tags[2][2] = {
    {"NextKeyMarker", "NextUploadIdMarker"}, {"NextContinuationToken", NULL}};

static void
see_key(struct listing *l, const char *key)
{
	l->keys++;
	l->idle_keys++;
	if (l->largest != NULL && strcmp(key, l->largest) <= 0)
		return;
	free(l->largest);
	l->largest = ctx_mem_str(key);
	l->grew = true;
}

/* Checks that the listing makes progress, after a page that is not the last one. The
 * uploads of one key can fill several pages, so the mark contains both parameters. */
static int
end_page(struct listing *l, struct ctx_err *err)
{
	struct ctx_buf mark = CTX_BUF_INIT;
	int rc = 0;

	l->idle = l->grew ? 0 : l->idle + 1;
	if (l->grew)
		l->idle_keys = 0;
	l->grew = false;
	ctx_buf_addf(&mark, "%s\n%s", l->next[0], l->next[1] == NULL ? "" : l->next[1]);
	if ((l->mark != NULL && strcmp(l->mark, mark.p) == 0) || l->idle > PAGES_IDLE ||
	    l->idle_keys > KEYS_IDLE || l->keys > KEYS_MOST || l->pages++ > PAGES_MOST)
		rc = ctx_err_set(err, CTX_EIO,
		    "GET s3://%s/: the server returned a page of the listing twice",
		    l->s3->bucket);
	if (l->pages >= l->next_mark) {
		free(l->mark);
		l->mark = ctx_mem_str(mark.p);
		l->next_mark = 2 * l->pages;
	}
	ctx_buf_release(&mark);
	return rc;
}

static int
give_object(
    struct listing *l, struct ctx_span object, const char *key, struct ctx_err *err)
{
	struct ctx_blob blob = {key + strlen(l->s3->prefix), xml_number(object, "Size"),
	    xml_time(object, "LastModified")};

	return ctx_blob_name_ok(blob.name) ? l->fn(l->arg, &blob, err) : 0;
}

static int
abort_old(struct listing *l, struct ctx_span upload, const char *key, struct ctx_err *err)
{
	char *id = ctx_xml_text(upload, "UploadId");
	int64_t began = xml_time(upload, "Initiated");
	int rc = 0;

	if (id != NULL && began != CTX_TIME_NONE && began < l->before) {
		rc = ctx_s3_abort_upload(l->s3, key, id, err);
		*l->n += rc == 0;
	}
	free(id);
	return rc;
}

/* Handles the objects or uploads of a page. Not every server applies the prefix. */
static int
take_page(struct listing *l, struct ctx_span doc, struct ctx_err *err)
{
	struct ctx_span inner;
	int rc = 0;

	while (rc == 0 &&
	       ctx_xml_next(&doc, l->fn != NULL ? "Contents" : "Upload", &inner)) {
		char *key = ctx_xml_text(inner, "Key");

		if (key != NULL)
			see_key(l, key);
		if (key != NULL && strncmp(key, l->prefix, strlen(l->prefix)) == 0)
			rc = l->fn != NULL ? give_object(l, inner, key, err)
					   : abort_old(l, inner, key, err);
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

/* Rejects a response that is not a list of objects, and a list that continues but lacks
 * the position of the next page: neither may be taken for a complete list. */
static int
check_object_page(const struct listing *l, struct ctx_span doc, struct ctx_err *err)
{
	struct ctx_span rest = doc, inner;

	if (!ctx_xml_next(&rest, "ListBucketResult", &inner))
		return ctx_err_set(err, CTX_EIO,
		    "GET s3://%s/: the response is not a listing of objects",
		    l->s3->bucket);
	if (l->next[0] == NULL ? is_page_truncated(doc) : l->next[0][0] == '\0')
		return ctx_err_set(err, CTX_EIO,
		    "GET s3://%s/: the listing is incomplete, but does not name its next page",
		    l->s3->bucket);
	return 0;
}

/* Requests a page. Returns 1 with the page in *answer, 0 if there is nothing to list, -1
 * on error. */
static int
request_page(struct listing *l, struct ctx_http_answer *answer, struct ctx_err *err)
{
	struct ctx_s3_call call = {.method = "GET"};
	char page[16];

	ctx_s3_query(
	    &call, l->fn != NULL ? "list-type" : "uploads", l->fn != NULL ? "2" : "");
	ctx_s3_query(&call, "prefix", l->prefix);
	snprintf(page, sizeof(page), "%d", l->s3->list_page);
	if (l->fn != NULL && l->s3->list_page > 0)
		ctx_s3_query(&call, "max-keys", page);
	for (size_t i = 0; i < 2; i++)
		if (l->next[i] != NULL)
			ctx_s3_query(&call, next_names[l->fn != NULL][i], l->next[i]);
	if (ctx_s3_do(l->s3, &call, answer, err) < 0)
		return -1;
	/* 403: we may write but not list; this must not fail a sweep */
	if (answer->status == 404 ||
	    (l->fn == NULL && (answer->status == 501 || answer->status == 403 ||
				  answer->status == 405)))
		return 0;
	return answer->status == 200 ? 1 : ctx_s3_fail(l->s3, &call, answer, err);
}

static int
read_pages(struct listing *l, struct ctx_err *err)
{
	struct ctx_http_answer answer = {0};
	int rc;

	while ((rc = request_page(l, &answer, err)) == 1) {
		struct ctx_span doc = ctx_buf_span(&answer.body);
		bool more = is_page_truncated(doc);

		for (size_t i = 0; i < 2; i++) {
			const char *tag = next_tags[l->fn != NULL][i];
			free(l->next[i]);
			l->next[i] = more && tag != NULL ? ctx_xml_text(doc, tag) : NULL;
		}
		rc = l->fn != NULL ? check_object_page(l, doc, err) : 0;
		if (rc == 0)
			rc = take_page(l, doc, err);
		if (rc == 0 && l->next[0] != NULL)
			rc = end_page(l, err);
		if (rc < 0 || l->next[0] == NULL || l->next[0][0] == '\0')
			break;
	}
	free(l->next[0]);
	free(l->next[1]);
	free(l->mark);
	free(l->largest);
	ctx_http_answer_release(&answer);
	return rc;
}

int
ctx_s3_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_s3 *s3 = (struct ctx_s3 *)blobs;
	char *start = ctx_s3_key(s3, prefix);
	struct listing l = {.s3 = s3, .prefix = start, .fn = fn, .arg = arg};
	int rc = read_pages(&l, err);

	free(start);
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

/* Aborts the uploads of keys that start with prefix, if they are older than before. */
static int
sweep_uploads(struct ctx_s3 *s3, const char *prefix, int64_t before, int64_t *n,
    struct ctx_err *err)
{
	struct listing l = {.s3 = s3, .prefix = prefix, .before = before, .n = n};

	*n = 0;
	return read_pages(&l, err);
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
