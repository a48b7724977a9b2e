#include "archive/s3_call.h"

#include <errno.h>
#include <md5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/types.h>
#include <time.h>

#include "archive/aws.h"
#include "archive/xml.h"
#include "base/base64.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"

#define MAX_ANSWER (16u * 1024 * 1024)
#define MAX_PAUSE 20000 /* longest pause in ms */

int64_t
ctx_s3_number(struct ctx_span s)
{
	int64_t v;

	return s.n > 0 && s.p[0] != '-' && ctx_json_int(s, &v) ? v : -1;
}

void
ctx_s3_query(struct ctx_s3_call *call, const char *name, const char *value)
{
	call->query[call->n_query++] = (struct ctx_sigv4_pair){name, value};
}

void
ctx_s3_header(struct ctx_s3_call *call, const char *name, const char *value)
{
	call->headers[call->n_headers++] = (struct ctx_sigv4_pair){name, value};
}

/* ---- opening ---- */

static bool
is_printable_s3_setting(const char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s <= ' ' || (unsigned char)*s >= 0x7f)
			return false;
	return true;
}

/* Parses [SCHEME://]HOST[:PORT][/PATH]. */
static int
set_endpoint(struct ctx_s3 *s3, const char *endpoint, struct ctx_err *err)
{
	const char *rest = strstr(endpoint, "://"), *slash;
	size_t scheme = rest == NULL ? 0 : (size_t)(rest - endpoint), n;

	/* not shown in the message: text before an '@' is a password */
	if (!is_printable_s3_setting(endpoint) || strpbrk(endpoint, "@?#\\\"") != NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "the endpoint contains a character that is not allowed, such as @, ? or a space");
	s3->tls = rest == NULL || (scheme == 5 && strncasecmp(endpoint, "https", 5) == 0);
	if (!s3->tls && !(scheme == 4 && strncasecmp(endpoint, "http", 4) == 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "endpoint '%s' must begin with https:// or http://", endpoint);
	rest = rest == NULL ? endpoint : rest + 3;
	slash = strchr(rest, '/');
	n = slash == NULL ? strlen(rest) : (size_t)(slash - rest);
	if (n == 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "endpoint '%s' has no host name", endpoint);
	s3->host = ctx_mem_dup(rest, n);
	free(s3->base_path);
	s3->base_path = ctx_mem_str(slash == NULL ? "" : slash);
	for (n = strlen(s3->base_path); n > 0 && s3->base_path[n - 1] == '/'; n--)
		s3->base_path[n - 1] = '\0';
	/* HTTP omits the scheme's default port from the Host header, which is signed */
	n = strlen(s3->host);
	if (n > 4 && strcmp(s3->host + n - 4, ":443") == 0 && s3->tls)
		s3->host[n - 4] = '\0';
	if (n > 3 && strcmp(s3->host + n - 3, ":80") == 0 && !s3->tls)
		s3->host[n - 3] = '\0';
	return 0;
}

static int
set_style(struct ctx_s3 *s3, const char *style, struct ctx_err *err)
{
	s3->path_style = s3->host != NULL || !ctx_aws_bucket_is_label(s3->bucket);
	if (style == NULL || strcmp(style, "auto") == 0)
		return 0;
	if (strcmp(style, "path") != 0 && strcmp(style, "virtual") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown addressing style '%s' (path, virtual or auto)", style);
	s3->path_style = strcmp(style, "path") == 0;
	if (!s3->path_style && strchr(s3->bucket, '_') != NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "bucket '%s' cannot be part of a host name (use path addressing)",
		    s3->bucket);
	return 0;
}

static int
set_credentials(struct ctx_s3 *s3, const struct ctx_s3_options *o, struct ctx_err *err)
{
	if (o->access_key == NULL || o->secret_key == NULL || o->access_key[0] == '\0' ||
	    o->secret_key[0] == '\0')
		return ctx_err_set(err, CTX_EUSAGE, "no credentials for object storage");
	if (!is_printable_s3_setting(o->access_key) ||
	    !is_printable_s3_setting(o->secret_key) ||
	    (o->session_token != NULL && !is_printable_s3_setting(o->session_token)))
		return ctx_err_set(err, CTX_EUSAGE,
		    "the credentials for object storage contain white space or control characters");
	s3->access_key = ctx_mem_str(o->access_key);
	s3->secret_key = ctx_mem_str(o->secret_key);
	if (o->session_token != NULL && o->session_token[0] != '\0')
		s3->session_token = ctx_mem_str(o->session_token);
	return 0;
}

static char *
make_prefix(const char *prefix)
{
	struct ctx_buf b = CTX_BUF_INIT;
	size_t n = prefix == NULL ? 0 : strlen(prefix);

	while (n > 0 && prefix[n - 1] == '/')
		n--;
	ctx_buf_add(&b, prefix, n);
	if (n > 0)
		ctx_buf_addc(&b, '/');
	return ctx_buf_detach(&b);
}

static void
close_s3(struct ctx_blobs *blobs)
{
	struct ctx_s3 *s3 = (struct ctx_s3 *)blobs;

	ctx_http_close(s3->http);
	free(s3->prefix);
	free(s3->bucket);
	free(s3->region);
	free(s3->host);
	free(s3->base_path);
	ctx_aws_wipe(&s3->access_key);
	ctx_aws_wipe(&s3->secret_key);
	ctx_aws_wipe(&s3->session_token);
	free(s3);
}

char *
ctx_s3_key(const struct ctx_s3 *s3, const char *name)
{
	struct ctx_buf key = CTX_BUF_INIT;

	ctx_buf_addf(&key, "%s%s", s3->prefix, name);
	return ctx_buf_detach(&key);
}

static void
address_s3(const struct ctx_blobs *blobs, const char *name, struct ctx_buf *out)
{
	const struct ctx_s3 *s3 = (const struct ctx_s3 *)blobs;

	ctx_buf_addf(out, "s3://%s/%s%s", s3->bucket, s3->prefix, name);
}

static const struct ctx_blob_ops s3_ops = {
    .close = close_s3,
    .address = address_s3,
    .put_open = ctx_s3_put_open,
    .put_write = ctx_s3_put_write,
    .puts_commit = ctx_s3_puts_commit,
    .put_abort = ctx_s3_put_abort,
    .get_open = ctx_s3_get_open,
    .get_read = ctx_s3_get_read,
    .get_close = ctx_s3_get_close,
    .exists = ctx_s3_exists,
    .list = ctx_s3_list,
    .remove = ctx_s3_delete,
    .sweep = ctx_s3_sweep,
};

int
ctx_blobs_open_s3(
    struct ctx_blobs **blobs, const struct ctx_s3_options *o, struct ctx_err *err)
{
	struct ctx_s3 *s3 = ctx_mem_new(sizeof(*s3));
	const char *region = o->region != NULL && o->region[0] ? o->region : "us-east-1";
	size_t region_ok = strspn(
	    region, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

	*blobs = NULL;
	s3->base.ops = &s3_ops;
	s3->prefix = make_prefix(o->prefix);
	s3->bucket = ctx_mem_str(o->bucket);
	s3->region = ctx_mem_str(region);
	s3->base_path = ctx_mem_str("");
	s3->tls = true;
	s3->attempts = o->attempts > 0 ? o->attempts : 5;
	s3->list_page = o->list_page;
	s3->pause_ms = o->pause_ms > 0 ? o->pause_ms : 200;
	if (region[region_ok] != '\0') {
		ctx_err_set(err, CTX_EUSAGE, "'%s' is not a valid region", region);
		goto fail;
	}
	if (o->endpoint != NULL && o->endpoint[0] &&
	    set_endpoint(s3, o->endpoint, err) < 0)
		goto fail;
	if (set_style(s3, o->addressing, err) < 0 || set_credentials(s3, o, err) < 0 ||
	    ctx_http_open(&s3->http, &o->http, err) < 0)
		goto fail;
	*blobs = &s3->base;
	return 0;
fail:
	close_s3(&s3->base);
	return -1;
}

/* ---- one request ---- */

/* All strings of one attempt. */
struct attempt {
	struct ctx_buf host, path, query, url, md5, authorization;
	struct ctx_buf lines[12];
	const char *headers[12];
	size_t n;
	char sha256[CTX_HASH_HEX + 1], time[CTX_SIGV4_TIME + 1];
};

static void
attempt_release(struct attempt *a)
{
	struct ctx_buf *all[] = {
	    &a->host, &a->path, &a->query, &a->url, &a->md5, &a->authorization};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ctx_buf_release(all[i]);
	for (size_t i = 0; i < a->n; i++) {
		/* one line contains the session token */
		explicit_bzero(a->lines[i].p, a->lines[i].n);
		ctx_buf_release(&a->lines[i]);
	}
}

static void
make_address(struct ctx_s3 *s3, const struct ctx_s3_call *call, struct attempt *a)
{
	if (!s3->path_style)
		ctx_buf_addf(&a->host, "%s.", s3->bucket);
	if (s3->host != NULL)
		ctx_buf_adds(&a->host, s3->host);
	else
		ctx_buf_addf(&a->host, "s3.%s.amazonaws.com%s", s3->region,
		    strncmp(s3->region, "cn-", 3) == 0 ? ".cn" : "");
	ctx_buf_adds(&a->path, s3->base_path);
	if (s3->path_style)
		ctx_buf_addf(&a->path, "/%s", s3->bucket);
	if (call->key != NULL || !s3->path_style) {
		ctx_buf_addc(&a->path, '/');
		ctx_sigv4_encode(
		    &a->path, ctx_span_of(call->key == NULL ? "" : call->key), true);
	}
	ctx_sigv4_query(&a->query, call->query, call->n_query);
	ctx_buf_addf(
	    &a->url, "%s://%s%s", s3->tls ? "https" : "http", a->host.p, a->path.p);
	if (a->query.n > 0)
		ctx_buf_addf(&a->url, "?%s", a->query.p);
}

static void
digest_body(struct attempt *a, const struct ctx_s3_call *call)
{
	uint8_t md5[MD5_DIGEST_LENGTH];
	MD5_CTX state;

	ctx_hash_sha256(call->body.p, call->body.n, a->sha256);
	MD5Init(&state);
	if (call->body.n > 0)
		MD5Update(&state, (const uint8_t *)call->body.p, call->body.n);
	MD5Final(md5, &state);
	ctx_base64_add(&a->md5, md5, sizeof(md5));
}

static void
sign_s3_call(struct ctx_s3 *s3, const struct ctx_s3_call *call, struct attempt *a)
{
	struct ctx_sigv4_pair h[10] = {{"host", a->host.p}, {"x-amz-date", a->time},
	    {"x-amz-content-sha256", a->sha256}};
	struct ctx_sigv4_key key = {s3->access_key, s3->secret_key, s3->region, "s3"};
	size_t n = 3;

	if (s3->session_token != NULL)
		h[n++] = (struct ctx_sigv4_pair){
		    "x-amz-security-token", s3->session_token};
	if (call->body.p != NULL)
		h[n++] = (struct ctx_sigv4_pair){"content-md5", a->md5.p};
	for (size_t i = 0; i < call->n_headers; i++)
		h[n++] = call->headers[i];
	struct ctx_sigv4_request r = {call->method, a->path.p,
	    a->query.n > 0 ? a->query.p : "", h, n, a->sha256, a->time};
	ctx_sigv4_sign(&a->authorization, &r, &key);
	h[n++] = (struct ctx_sigv4_pair){"authorization", a->authorization.p};
	for (size_t i = 0; i < n; i++) {
		ctx_buf_addf(&a->lines[i], "%s: %s", h[i].name, h[i].value);
		a->headers[i] = a->lines[i].p;
	}
	a->n = n;
}

static int
try_once(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    struct ctx_http_answer *answer, struct ctx_err *err)
{
	struct attempt a = {0};
	struct ctx_http_request r;
	int rc;

	make_address(s3, call, &a);
	digest_body(&a, call);
	ctx_sigv4_time(ctx_time_now(), a.time);
	sign_s3_call(s3, call, &a);
	r = (struct ctx_http_request){call->method, a.url.p, a.headers, a.n, call->body,
	    call->max_answer > 0 ? call->max_answer : MAX_ANSWER};
	rc = ctx_http_do(s3->http, &r, answer, err);
	attempt_release(&a);
	return rc;
}

/* ---- retries ---- */

static bool
worth_another(const struct ctx_s3_call *call, struct ctx_http_answer *answer)
{
	struct ctx_span body = ctx_buf_span(&answer->body), inner;
	int status = answer->status;

	if (status == 200 && call->fails_late && ctx_xml_next(&body, "Error", &inner))
		status = answer->status = 500;
	return status == 429 || (status >= 500 && status != 501) ||
	       (status == 400 && ctx_s3_is(answer, "RequestTimeout")) ||
	       (status == 409 && (ctx_s3_is(answer, "ConditionalRequestConflict") ||
				     ctx_s3_is(answer, "OperationAborted")));
}

/* Pauses a random time between 0 and a bound that doubles with each attempt, so that
 * clients which failed together do not retry together. A Retry-After header of the server
 * is a minimum. */
static void
pause_before(struct ctx_s3 *s3, int attempt, const struct ctx_http_answer *answer)
{
	struct ctx_span after = ctx_http_header(answer, "retry-after");
	int64_t bound = s3->pause_ms << (attempt < 16 ? attempt : 16), ms = 0;
	uint32_t random = 0;
	struct timespec t;

	bound = bound < MAX_PAUSE ? bound : MAX_PAUSE;
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		random = (uint32_t)ctx_time_monotonic() * 2654435761u;
	for (size_t i = 0;
	     i < after.n && after.p[i] >= '0' && after.p[i] <= '9' && ms < 100; i++)
		ms = ms * 10 + (after.p[i] - '0');
	ms = ms * 1000 + (int64_t)(random % (uint64_t)(bound + 1));
	ms = ms < MAX_PAUSE ? ms : MAX_PAUSE;
	t = (struct timespec){ms / 1000, ms % 1000 * 1000000};
	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

/* Amazon names the bucket's region if the request went to another one. Returns true if
 * the region was changed. */
static bool
follow_s3_bucket_region(struct ctx_s3 *s3, const struct ctx_http_answer *answer)
{
	struct ctx_span region = ctx_http_header(answer, "x-amz-bucket-region");

	if (s3->host != NULL || region.n == 0 || region.n > 40 ||
	    (answer->status != 301 && answer->status != 307 && answer->status != 400) ||
	    ctx_span_is(region, s3->region))
		return false;
	for (size_t i = 0; i < region.n; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789-", region.p[i]) == NULL)
			return false;
	free(s3->region);
	s3->region = ctx_span_dup(region);
	return true;
}

int
ctx_s3_do(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    struct ctx_http_answer *answer, struct ctx_err *err)
{
	bool again = false, looked = false;

	for (int attempt = 0;; attempt++) {
		struct ctx_err local = CTX_ERR_INIT;
		int rc = try_once(s3, call, answer, &local);
		bool more = rc < 0 ? answer->retry : worth_another(call, answer);

		if (rc == 0 && !looked && follow_s3_bucket_region(s3, answer)) {
			looked = true;
			continue;
		}
		if (!more || attempt + 1 >= s3->attempts) {
			answer->retry = again;
			if (rc < 0) {
				*err = local;
				return ctx_err_prefix(err, "%s s3://%s/%s", call->method,
				    s3->bucket, call->key == NULL ? "" : call->key);
			}
			return 0;
		}
		again = true;
		pause_before(s3, attempt, answer);
	}
}

/* ---- errors ---- */

bool
ctx_s3_is(const struct ctx_http_answer *answer, const char *code)
{
	char *got = ctx_xml_text(ctx_buf_span(&answer->body), "Code");
	bool same = got != NULL && strcmp(got, code) == 0;

	free(got);
	return same;
}

/* Returns true if text contains a credential: a server may return parts of the
 * request. */
static bool
tells_secrets(const struct ctx_s3 *s3, const char *text)
{
	return strstr(text, s3->secret_key) != NULL ||
	       strstr(text, s3->access_key) != NULL ||
	       strstr(text, "Signature=") != NULL ||
	       (s3->session_token != NULL && strstr(text, s3->session_token) != NULL);
}

int
ctx_s3_fail(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    const struct ctx_http_answer *answer, struct ctx_err *err)
{
	char *code = ctx_xml_text(ctx_buf_span(&answer->body), "Code");
	char *message = ctx_xml_text(ctx_buf_span(&answer->body), "Message");
	struct ctx_buf b = CTX_BUF_INIT;

	if (code != NULL && !tells_secrets(s3, code))
		ctx_buf_addf(&b, " %.100s", code);
	if (message != NULL && !tells_secrets(s3, message))
		ctx_buf_addf(&b, ": %.200s", message);
	ctx_err_set(err, CTX_EIO, "%s s3://%s/%s: status %d%s", call->method, s3->bucket,
	    call->key == NULL ? "" : call->key, answer->status, b.n > 0 ? b.p : "");
	free(code);
	free(message);
	ctx_buf_release(&b);
	return -1;
}
