#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "archive/gz.h"
#include "base/mem.h"

#define CHUNK 65536

struct ctx_gz_reader {
	ctx_gz_source *source;
	void *arg;
	z_stream z;
	bool inside;         /* inside a gzip member */
	bool ended;          /* the source is at its end */
	struct ctx_buf text; /* decompressed bytes that were not returned as lines yet */
	size_t at;           /* offset of the first such byte */
	unsigned char in[CHUNK];
};

struct ctx_gz_reader *
ctx_gz_reader_new(ctx_gz_source *source, void *arg)
{
	struct ctx_gz_reader *r = ctx_mem_resize(NULL, sizeof(*r), 1);

	memset(r, 0, offsetof(struct ctx_gz_reader, in));
	r->source = source;
	r->arg = arg;
	r->inside = true; /* a file has at least one member */
	if (inflateInit2(&r->z, 15 + 16) != Z_OK)
		ctx_mem_out();
	return r;
}

void
ctx_gz_reader_free(struct ctx_gz_reader *r)
{
	if (r == NULL)
		return;
	inflateEnd(&r->z);
	ctx_buf_release(&r->text);
	free(r);
}

/* Makes input available. Returns 1 if there is some, 0 at the end of the source, -1 on
 * error. */
static int
fill_gz_input(struct ctx_gz_reader *r, struct ctx_err *err)
{
	long n;

	if (r->z.avail_in > 0)
		return 1;
	if (r->ended)
		return 0;
	n = r->source(r->arg, r->in, sizeof(r->in), err);
	if (n < 0)
		return -1;
	r->ended = n == 0;
	r->z.next_in = r->in;
	r->z.avail_in = (uInt)n;
	return n > 0;
}

/* Starts the next member, if there is one. Returns 1, 0 at the end, -1 on error. */
static int
next_member(struct ctx_gz_reader *r, struct ctx_err *err)
{
	int rc = fill_gz_input(r, err);

	if (rc <= 0)
		return rc;
	if (r->z.next_in[0] != 0x1f)
		return ctx_err_set(err, CTX_EANSWER,
		    "damaged: extra bytes after the end of the compressed data");
	inflateReset(&r->z);
	r->inside = true;
	return 1;
}

long
ctx_gz_read(struct ctx_gz_reader *r, void *p, size_t n, struct ctx_err *err)
{
	size_t want = n < 1u << 30 ? n : 1u << 30;
	int rc;

	r->z.next_out = p;
	r->z.avail_out = (uInt)want;
	while (r->z.avail_out == want) {
		if (!r->inside) {
			rc = next_member(r, err);
			if (rc <= 0)
				return rc;
		}
		rc = fill_gz_input(r, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			return ctx_err_set(err, CTX_EANSWER, "truncated");
		rc = inflate(&r->z, Z_NO_FLUSH);
		if (rc == Z_STREAM_END)
			r->inside = false;
		else if (rc != Z_OK && rc != Z_BUF_ERROR)
			return ctx_err_set(err, CTX_EANSWER, "damaged: %s",
			    r->z.msg != NULL ? r->z.msg : "not in gzip format");
	}
	return (long)(want - r->z.avail_out);
}

/* Moves the unread bytes of r->text to its front, and appends more decompressed bytes. */
static long
decompress_gz_text(struct ctx_gz_reader *r, struct ctx_err *err)
{
	long n;

	if (r->at > 0) {
		memmove(r->text.p, r->text.p + r->at, r->text.n - r->at);
		r->text.n -= r->at;
		r->at = 0;
	}
	ctx_buf_reserve(&r->text, CHUNK);
	n = ctx_gz_read(r, r->text.p + r->text.n, CHUNK, err);
	if (n > 0)
		r->text.n += (size_t)n;
	return n;
}

int
ctx_gz_line(
    struct ctx_gz_reader *r, size_t max, struct ctx_span *line, struct ctx_err *err)
{
	size_t seen = 0; /* leading bytes that are known to have no newline */

	for (;;) {
		size_t have = r->text.n - r->at;
		const char *start = have > 0 ? r->text.p + r->at : NULL;
		const char *nl = NULL;
		long n;

		if (have > seen)
			nl = memchr(start + seen, '\n', have - seen);
		if ((nl != NULL ? (size_t)(nl - start) : have) > max)
			return ctx_err_set(err, CTX_EANSWER,
			    "damaged: a line is longer than %zu bytes", max);
		if (nl != NULL) {
			*line = (struct ctx_span){start, (size_t)(nl - start)};
			r->at += line->n + 1;
			return 1;
		}
		seen = have;
		n = decompress_gz_text(r, err);
		if (n < 0)
			return -1;
		if (n == 0 && have == 0)
			return 0;
		if (n == 0)
			return ctx_err_set(
			    err, CTX_EANSWER, "damaged: the last line is incomplete");
	}
}
