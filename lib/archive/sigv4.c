#include "archive/sigv4.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"

static void
compute_hmac_sha256(const uint8_t *key, size_t key_n, const char *text, size_t n,
    uint8_t out[CTX_HASH_RAW])
{
	uint8_t block[64] = {0}, inner[CTX_HASH_RAW];
	struct ctx_sha256 s;

	if (key_n > sizeof(block)) {
		ctx_sha256_start(&s);
		ctx_sha256_add(&s, key, key_n);
		ctx_sha256_end(&s, block);
	} else {
		memcpy(block, key, key_n);
	}
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36;
	ctx_sha256_start(&s);
	ctx_sha256_add(&s, block, sizeof(block));
	ctx_sha256_add(&s, text, n);
	ctx_sha256_end(&s, inner);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36 ^ 0x5c;
	ctx_sha256_start(&s);
	ctx_sha256_add(&s, block, sizeof(block));
	ctx_sha256_add(&s, inner, sizeof(inner));
	ctx_sha256_end(&s, out);
	explicit_bzero(block, sizeof(block));
}

void
ctx_sigv4_encode(struct ctx_buf *out, struct ctx_span text, bool slash)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		    (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
		    c == '~' || (c == '/' && slash)) {
			ctx_buf_addc(out, (char)c);
		} else {
			ctx_buf_addc(out, '%');
			ctx_buf_addc(out, hex[c >> 4]);
			ctx_buf_addc(out, hex[c & 15]);
		}
	}
}

static int
by_name_and_value(const void *a, const void *b)
{
	const struct ctx_sigv4_pair *x = a, *y = b;
	int d = strcmp(x->name, y->name);

	return d != 0 ? d : strcmp(x->value, y->value);
}

static char *
encode_sigv4_text(const char *s)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_sigv4_encode(&b, ctx_span_of(s), false);
	return ctx_buf_detach(&b);
}

void
ctx_sigv4_query(struct ctx_buf *out, const struct ctx_sigv4_pair *pairs, size_t n)
{
	struct ctx_sigv4_pair *e = ctx_mem_new(n * sizeof(*e));

	for (size_t i = 0; i < n; i++)
		e[i] = (struct ctx_sigv4_pair){
		    encode_sigv4_text(pairs[i].name), encode_sigv4_text(pairs[i].value)};
	if (n > 0)
		qsort(e, n, sizeof(*e), by_name_and_value);
	for (size_t i = 0; i < n; i++) {
		ctx_buf_addf(out, "%s%s=%s", i > 0 ? "&" : "", e[i].name, e[i].value);
		free((char *)e[i].name);
		free((char *)e[i].value);
	}
	free(e);
}

void
ctx_sigv4_time(int64_t ms, char out[CTX_SIGV4_TIME + 1])
{
	char full[CTX_TIME_LEN + 1]; /* such as 2015-08-30T12:36:00.000Z */
	size_t n = 0;

	ctx_time_format(ms, full);
	for (size_t i = 0; i < 19; i++)
		if (full[i] != '-' && full[i] != ':')
			out[n++] = full[i];
	out[n++] = 'Z';
	out[n] = '\0';
}

/* Trims the value, and replaces each run of spaces inside it by one space. */
static void
add_header_value(struct ctx_buf *out, const char *value)
{
	struct ctx_span v = ctx_span_trim(ctx_span_of(value));

	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] != ' ' || v.p[i - 1] != ' ')
			ctx_buf_addc(out, v.p[i]);
}

/* Appends the text that is hashed and signed to out, and the names of the headers in it,
 * separated by ";", to names. */
static void
write_canonical_request(
    struct ctx_buf *out, const struct ctx_sigv4_request *r, struct ctx_buf *names)
{
	struct ctx_sigv4_pair *h = ctx_mem_new(r->n_headers * sizeof(*h));

	for (size_t i = 0; i < r->n_headers; i++)
		h[i] = r->headers[i];
	if (r->n_headers > 0)
		qsort(h, r->n_headers, sizeof(*h), by_name_and_value);
	ctx_buf_addf(out, "%s\n%s\n%s\n", r->method, r->path, r->query);
	for (size_t i = 0; i < r->n_headers; i++) {
		ctx_buf_addf(out, "%s:", h[i].name);
		add_header_value(out, h[i].value);
		ctx_buf_addc(out, '\n');
		ctx_buf_addf(names, "%s%s", i > 0 ? ";" : "", h[i].name);
	}
	ctx_buf_addc(out, '\n');
	ctx_buf_addspan(out, ctx_buf_span(names));
	ctx_buf_addf(out, "\n%s", r->payload_sha256);
	free(h);
}

static void
signing_key(const struct ctx_sigv4_key *key, const char *time, uint8_t k[CTX_HASH_RAW])
{
	struct ctx_buf secret = CTX_BUF_INIT;

	ctx_buf_adds(&secret, "AWS4");
	ctx_buf_adds(&secret, key->secret);
	compute_hmac_sha256((const uint8_t *)secret.p, secret.n, time, 8, k);
	compute_hmac_sha256(k, CTX_HASH_RAW, key->region, strlen(key->region), k);
	compute_hmac_sha256(k, CTX_HASH_RAW, key->service, strlen(key->service), k);
	compute_hmac_sha256(k, CTX_HASH_RAW, "aws4_request", 12, k);
	explicit_bzero(secret.p, secret.n);
	ctx_buf_release(&secret);
}

void
ctx_sigv4_sign(struct ctx_buf *out, const struct ctx_sigv4_request *request,
    const struct ctx_sigv4_key *key)
{
	struct ctx_buf text = CTX_BUF_INIT, names = CTX_BUF_INIT, scope = CTX_BUF_INIT;
	char hex[CTX_HASH_HEX + 1];
	uint8_t k[CTX_HASH_RAW];

	write_canonical_request(&text, request, &names);
	ctx_hash_sha256(text.p, text.n, hex);
	ctx_buf_addf(
	    &scope, "%.8s/%s/%s/aws4_request", request->time, key->region, key->service);
	ctx_buf_reset(&text);
	ctx_buf_addf(&text, "AWS4-HMAC-SHA256\n%s\n%s\n%s", request->time, scope.p, hex);
	signing_key(key, request->time, k);
	compute_hmac_sha256(k, sizeof(k), text.p, text.n, k);
	ctx_hash_hex(k, sizeof(k), hex);
	ctx_buf_addf(out,
	    "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s",
	    key->access, scope.p, names.p, hex);
	explicit_bzero(k, sizeof(k));
	ctx_buf_release(&text);
	ctx_buf_release(&names);
	ctx_buf_release(&scope);
}
