#include "archive/http.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
ctx_http_answer_release(struct ctx_http_answer *a)
{
	ctx_buf_release(&a->headers);
	ctx_buf_release(&a->body);
}

struct ctx_span
ctx_http_header(const struct ctx_http_answer *a, const char *name)
{
	struct ctx_span rest = ctx_buf_span(&a->headers), line, key;

	while (ctx_span_split(&rest, '\n', &line))
		if (ctx_span_split(&line, ':', &key) && ctx_span_is(key, name))
			return ctx_span_trim(line);
	return CTX_SPAN_NONE;
}

#ifdef CTX_WITHOUT_CURL

int
ctx_http_open(struct ctx_http **http, const struct ctx_http_options *options CTX_UNUSED,
    struct ctx_err *err)
{
	*http = NULL;
	return ctx_err_set(
	    err, CTX_EIO, "built without libcurl: object storage is not supported");
}

void
ctx_http_close(struct ctx_http *http CTX_UNUSED)
{
}

int
ctx_http_do(struct ctx_http *http CTX_UNUSED,
    const struct ctx_http_request *request CTX_UNUSED, struct ctx_http_answer *answer,
    struct ctx_err *err)
{
	answer->retry = false;
	return ctx_err_set(
	    err, CTX_EIO, "built without libcurl: object storage is not supported");
}

#else

#include <curl/curl.h>
#include <signal.h>
#include <time.h>

struct ctx_http {
	CURL *curl;
	char *ca_bundle;
	int64_t connect_ms, stall_s;
	char why[CURL_ERROR_SIZE];
};

/* limit on all headers of a transfer, those of interim responses included */
#define HEADERS_MOST ((size_t)1 << 20)
#define BYTES_LEAST 500L /* bytes per second below which a transfer counts as stalled */

/* State of one transfer for libcurl's callbacks. */
struct transfer {
	struct ctx_span body;
	size_t sent;
	struct ctx_http_answer *answer;
	size_t max_answer, heads; /* heads: bytes of headers received */
	bool too_long;
};

int
ctx_http_open(
    struct ctx_http **http, const struct ctx_http_options *options, struct ctx_err *err)
{
	struct ctx_http *h;

	*http = NULL;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return ctx_err_set(err, CTX_EIO, "cannot start libcurl");
	h = ctx_mem_new(sizeof(*h));
	h->curl = curl_easy_init();
	if (h->curl == NULL) {
		free(h);
		return ctx_err_set(err, CTX_EIO, "cannot start libcurl");
	}
	h->ca_bundle = ctx_mem_str(options->ca_bundle);
	h->connect_ms = options->connect_ms > 0 ? options->connect_ms : 10000;
	h->stall_s = options->stall_s > 0 ? options->stall_s : 60;
	*http = h;
	return 0;
}

void
ctx_http_close(struct ctx_http *http)
{
	if (http == NULL)
		return;
	curl_easy_cleanup(http->curl);
	curl_global_cleanup();
	free(http->ca_bundle);
	free(http);
}

static size_t
send_body(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	size_t left = t->body.n - t->sent, take = size * n < left ? size * n : left;

	if (take > 0)
		memcpy(p, t->body.p + t->sent, take);
	t->sent += take;
	return take;
}

/* libcurl sends the body again if a kept connection turns out to be closed. */
static int
rewind_body(void *arg, curl_off_t offset, int origin)
{
	struct transfer *t = arg;

	if (origin != SEEK_SET || offset < 0 || (size_t)offset > t->body.n)
		return CURL_SEEKFUNC_FAIL;
	t->sent = (size_t)offset;
	return CURL_SEEKFUNC_OK;
}

static size_t
take_body(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;

	if (t->answer->body.n + size * n > t->max_answer) {
		t->too_long = true;
		return 0;
	}
	ctx_buf_add(&t->answer->body, p, size * n);
	return size * n;
}

static size_t
take_header(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	struct ctx_buf *headers = &t->answer->headers;
	struct ctx_span line = ctx_span_trim((struct ctx_span){p, size * n});
	const char *colon = line.n > 0 ? memchr(line.p, ':', line.n) : NULL;

	t->heads += size * n;
	if (t->heads > HEADERS_MOST) {
		t->too_long = true;
		return 0;
	}
	if (line.n > 5 && memcmp(line.p, "HTTP/", 5) == 0) {
		/* the headers so far were those of an interim response */
		ctx_buf_reset(headers);
	} else if (colon != NULL && headers->n + line.n < 65536) {
		for (const char *c = line.p; c < line.p + line.n; c++)
			ctx_buf_addc(headers,
			    c < colon && *c >= 'A' && *c <= 'Z' ? (char)(*c | 0x20) : *c);
		ctx_buf_addc(headers, '\n');
	}
	return size * n;
}

static struct curl_slist *
make_headers(const struct ctx_http_request *r)
{
	/* suppresses the headers that libcurl would add */
	static const char *const none[] = {
	    "Expect:", "Accept:", "Content-Type:", "User-Agent:"};
	struct curl_slist *list = NULL, *longer;

	for (size_t i = 0; i < r->n_headers + sizeof(none) / sizeof(none[0]); i++) {
		longer = curl_slist_append(
		    list, i < r->n_headers ? r->headers[i] : none[i - r->n_headers]);
		if (longer == NULL) {
			curl_slist_free_all(list);
			return NULL;
		}
		list = longer;
	}
	return list;
}

static void
set_transport(struct ctx_http *h, const char *url)
{
	CURL *c = h->curl;

	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)h->connect_ms);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, BYTES_LEAST);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)h->stall_s);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, h->why);
	if (h->ca_bundle != NULL)
		curl_easy_setopt(c, CURLOPT_CAINFO, h->ca_bundle);
}

static void
set_request(CURL *c, const struct ctx_http_request *r, struct transfer *t)
{
	if (strcmp(r->method, "HEAD") == 0) {
		curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
	} else if (strcmp(r->method, "PUT") == 0 || strcmp(r->method, "POST") == 0) {
		curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)t->body.n);
		curl_easy_setopt(c, CURLOPT_READFUNCTION, send_body);
		curl_easy_setopt(c, CURLOPT_READDATA, t);
		curl_easy_setopt(c, CURLOPT_SEEKFUNCTION, rewind_body);
		curl_easy_setopt(c, CURLOPT_SEEKDATA, t);
		curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, r->method);
	} else if (strcmp(r->method, "GET") != 0) {
		curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, r->method);
	}
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
}

static bool
is_transient_curl_error(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
	case CURLE_WEIRD_SERVER_REPLY:
		return true;
	default:
		return false;
	}
}

/* If a server closes the connection during a TLS write, SIGPIPE is raised, and libcurl
 * leaves its handling to us. Only the mask of this thread is changed, and a SIGPIPE that
 * was pending before stays pending. */
static CURLcode
perform_http_request(CURL *curl)
{
	static const struct timespec now = {0, 0};
	sigset_t pipe_only, pending, old;
	bool was_pending;
	CURLcode code;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
	code = curl_easy_perform(curl);
	if (!was_pending)
		sigtimedwait(&pipe_only, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return code;
}

int
ctx_http_do(struct ctx_http *http, const struct ctx_http_request *request,
    struct ctx_http_answer *answer, struct ctx_err *err)
{
	struct transfer t = {
	    .body = request->body, .answer = answer, .max_answer = request->max_answer};
	struct curl_slist *headers = make_headers(request);
	long status = 0;
	CURLcode code;

	answer->status = 0;
	answer->retry = false;
	ctx_buf_reset(&answer->headers);
	ctx_buf_reset(&answer->body);
	if (headers == NULL)
		return ctx_err_set(err, CTX_EIO, "cannot create an HTTP request");
	curl_easy_reset(http->curl); /* resets the options and keeps the connections */
	http->why[0] = '\0';
	set_transport(http, request->url);
	set_request(http->curl, request, &t);
	curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, headers);
	code = perform_http_request(http->curl);
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	if (t.too_long)
		return ctx_err_set(err, CTX_EIO,
		    "the server's response is longer than %zu bytes",
		    request->max_answer);
	if (code != CURLE_OK) {
		answer->retry = is_transient_curl_error(code);
		return ctx_err_set(err, CTX_EIO, "%s",
		    http->why[0] != '\0' ? http->why : curl_easy_strerror(code));
	}
	answer->status = (int)status;
	return 0;
}

#endif
