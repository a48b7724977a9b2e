#include "test.h"

#include <stdlib.h>
#include <zlib.h>

#include "archive/gz.h"
#include "base/mem.h"

/* A deterministic source of numbers. */
static uint32_t
next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static int
to_buf(void *arg, const void *p, size_t n, struct ctx_err *err)
{
	(void)err;
	ctx_buf_add(arg, p, n);
	return 0;
}

struct from {
	const char *p;
	size_t n, step;
};

static long
from_memory(void *arg, void *p, size_t n, struct ctx_err *err)
{
	struct from *f = arg;
	size_t take = n < f->n ? n : f->n;

	(void)err;
	take = take < f->step ? take : f->step;
	if (take > 0)
		memcpy(p, f->p, take);
	f->p += take;
	f->n -= take;
	return (long)take;
}

/* Words, so that matches reach far back. */
static void
make_text(struct ctx_buf *b, size_t n, uint32_t seed)
{
	while (b->n < n) {
		ctx_buf_addf(b, "word%u ", next(&seed) % 500);
		if (next(&seed) % 20 == 0)
			ctx_buf_addc(b, '\n');
	}
	b->n = n;
}

static void
compress_in(struct ctx_buf *out, const struct ctx_buf *in, int threads, size_t step)
{
	struct ctx_gz_writer *w = ctx_gz_writer_new(threads, to_buf, out);
	struct ctx_err err = CTX_ERR_INIT;

	for (size_t at = 0; at < in->n; at += step)
		CHECK(ctx_gz_write(w, in->p + at, in->n - at < step ? in->n - at : step,
			  &err) == 0);
	CHECK(ctx_gz_finish(w, &err) == 0);
	ctx_gz_writer_free(w);
}

/* Decompress all; 0 or -1. */
static int
expand(struct ctx_buf *out, const char *p, size_t n, size_t step, struct ctx_err *err)
{
	struct from f = {p, n, step};
	struct ctx_gz_reader *r = ctx_gz_reader_new(from_memory, &f);
	char piece[1000];
	long got;

	while ((got = ctx_gz_read(r, piece, sizeof(piece), err)) > 0)
		ctx_buf_add(out, piece, (size_t)got);
	ctx_gz_reader_free(r);
	return got < 0 ? -1 : 0;
}

/* zlib itself, as the judge of the format. */
static void
expand_by_zlib(struct ctx_buf *out, const struct ctx_buf *in)
{
	z_stream z = {0};

	CHECK(inflateInit2(&z, 31) == Z_OK);
	ctx_buf_reserve(out, 4u << 20);
	z.next_in = (unsigned char *)in->p;
	z.avail_in = (uInt)in->n;
	z.next_out = (unsigned char *)out->p;
	z.avail_out = (uInt)out->cap;
	CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
	CHECK_INT(z.avail_in, 0);
	out->n = z.total_out;
	inflateEnd(&z);
}

static void
round_trips(void)
{
	/* around the sizes of blocks and windows */
	static const size_t sizes[] = {
	    0, 1, 100, 32768, 65536, 524287, 524288, 524289, 1048576, 1600000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct ctx_buf text = CTX_BUF_INIT, gz = CTX_BUF_INIT,
			       back = CTX_BUF_INIT;
		struct ctx_err err = CTX_ERR_INIT;

		make_text(&text, sizes[i], 7);
		compress_in(&gz, &text, 0, 70000);
		CHECK(expand(&back, gz.p, gz.n, 5000, &err) == 0);
		CHECK(back.n == text.n &&
		      (text.n == 0 || memcmp(back.p, text.p, text.n) == 0));
		ctx_buf_reset(&back);
		expand_by_zlib(&back, &gz);
		CHECK(back.n == text.n &&
		      (text.n == 0 || memcmp(back.p, text.p, text.n) == 0));
		ctx_buf_release(&text);
		ctx_buf_release(&gz);
		ctx_buf_release(&back);
	}
}

static void
same_bytes_whoever_compresses(void)
{
	struct ctx_buf text = CTX_BUF_INIT, one = CTX_BUF_INIT;

	make_text(&text, 3000000, 3);
	compress_in(&one, &text, 0, text.n);
	CHECK(memcmp(one.p, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10) == 0);
	for (int threads = 0; threads <= 3; threads++)
		for (size_t step = 999; step < text.n; step *= 50) {
			struct ctx_buf other = CTX_BUF_INIT;

			compress_in(&other, &text, threads, step);
			CHECK(other.n == one.n && memcmp(other.p, one.p, one.n) == 0);
			ctx_buf_release(&other);
		}
	ctx_buf_release(&text);
	ctx_buf_release(&one);
}

/* Blocks and the shorter search must cost little: within 8 % of zlib's level 6,
 * on a text that is hard on short searches. */
static void
as_small_as_one_stream(void)
{
	struct ctx_buf text = CTX_BUF_INIT, gz = CTX_BUF_INIT;
	z_stream z = {0};
	char *out;

	make_text(&text, 3000000, 5);
	compress_in(&gz, &text, 0, text.n);
	CHECK(deflateInit2(&z, CTX_GZ_LEVEL, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) ==
	      Z_OK);
	z.avail_out = (uInt)deflateBound(&z, text.n);
	z.next_out = (unsigned char *)(out = malloc(z.avail_out));
	z.next_in = (unsigned char *)text.p;
	z.avail_in = (uInt)text.n;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	CHECK(gz.n < z.total_out + z.total_out * 8 / 100);
	deflateEnd(&z);
	free(out);
	ctx_buf_release(&text);
	ctx_buf_release(&gz);
}

static void
every_truncation_is_noticed(void)
{
	struct ctx_buf text = CTX_BUF_INIT, gz = CTX_BUF_INIT, back = CTX_BUF_INIT;

	make_text(&text, 3000, 11);
	compress_in(&gz, &text, 0, text.n);
	for (size_t n = 0; n < gz.n; n++) {
		struct ctx_err err = CTX_ERR_INIT;

		ctx_buf_reset(&back);
		CHECK(expand(&back, gz.p, n, 100, &err) == -1);
		CHECK_INT(err.code, CTX_EANSWER);
		CHECK_STR(err.msg, "truncated");
	}
	ctx_buf_release(&text);
	ctx_buf_release(&gz);
	ctx_buf_release(&back);
}

/* Or it harms nothing: flags, time and system in the header, and what pads the last byte of
 * the stream. */
static void
every_flipped_bit_is_noticed(void)
{
	int harmless = 0;
	struct ctx_buf text = CTX_BUF_INIT, gz = CTX_BUF_INIT, back = CTX_BUF_INIT;

	make_text(&text, 3000, 12);
	compress_in(&gz, &text, 0, text.n);
	for (size_t bit = 0; bit < gz.n * 8; bit++) {
		struct ctx_err err = CTX_ERR_INIT;
		int rc;

		gz.p[bit / 8] ^= (char)(1 << (bit % 8));
		ctx_buf_reset(&back);
		rc = expand(&back, gz.p, gz.n, 4096, &err);
		CHECK(rc == 0 || err.code == CTX_EANSWER);
		CHECK(rc == -1 ||
		      (back.n == text.n && memcmp(back.p, text.p, text.n) == 0));
		harmless += rc == 0;
		gz.p[bit / 8] ^= (char)(1 << (bit % 8));
	}
	CHECK(harmless <= 7 * 8 + 7);
	ctx_buf_release(&text);
	ctx_buf_release(&gz);
	ctx_buf_release(&back);
}

static void
members_and_trailing_bytes(void)
{
	struct ctx_buf text = CTX_BUF_INIT, gz = CTX_BUF_INIT, back = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	size_t one;

	make_text(&text, 2000, 1);
	compress_in(&gz, &text, 0, text.n);
	one = gz.n;
	compress_in(&gz, &text, 0, text.n);
	for (size_t step = 1; step < gz.n; step += 97) {
		ctx_buf_reset(&back);
		CHECK(expand(&back, gz.p, gz.n, step, &err) == 0);
		CHECK_INT(back.n, 2 * text.n);
	}
	CHECK(expand(&back, gz.p, one + 5, 100, &err) == -1);
	CHECK_STR(err.msg, "truncated");
	gz.n = one;
	ctx_buf_add(&gz, "\0\0\0", 3);
	CHECK(expand(&back, gz.p, gz.n, 100, &err) == -1);
	CHECK_STR(err.msg, "damaged: extra bytes after the end of the compressed data");
	CHECK(expand(&back, "{\"kind\":1}\n", 11, 100, &err) == -1);
	CHECK(strncmp(err.msg, "damaged: ", 9) == 0);
	ctx_buf_release(&text);
	ctx_buf_release(&gz);
	ctx_buf_release(&back);
}

/* Read lines of a text; joined by '|', ended by '.', or '!' for an error. */
static char *
lines(const char *s, size_t n, size_t max)
{
	struct ctx_buf text = CTX_BUF_INIT, gz = CTX_BUF_INIT, out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_gz_reader *r;
	struct ctx_span line;
	struct from f;
	int rc;

	ctx_buf_add(&text, s, n);
	compress_in(&gz, &text, 0, 1000);
	f = (struct from){gz.p, gz.n, 7};
	r = ctx_gz_reader_new(from_memory, &f);
	while ((rc = ctx_gz_line(r, max, &line, &err)) > 0) {
		ctx_buf_addspan(&out, line);
		ctx_buf_addc(&out, '|');
	}
	ctx_buf_addc(&out, rc < 0 ? '!' : '.');
	CHECK(rc < 0 || f.n == 0);
	ctx_gz_reader_free(r);
	ctx_buf_release(&text);
	ctx_buf_release(&gz);
	return ctx_buf_detach(&out);
}

static void
check_lines(const char *s, size_t max, const char *want)
{
	char *got = lines(s, strlen(s), max);

	CHECK_STR(got, want);
	free(got);
}

static void
line_splitting(void)
{
	struct ctx_buf longer = CTX_BUF_INIT;
	char *got;

	check_lines("", 10, ".");
	check_lines("a\n\nbc\n", 10, "a||bc|.");
	check_lines("a\nbc", 10, "a|!");
	check_lines("12345\n123456\n", 5, "12345|!");
	for (size_t i = 0; i < 300000; i++)
		ctx_buf_addc(&longer, (char)('a' + i % 26));
	ctx_buf_adds(&longer, "\nend\n");
	got = lines(longer.p, longer.n, 300000);
	CHECK_INT(strlen(got), 300000 + 6);
	CHECK_STR(got + 300000, "|end|.");
	free(got);
	got = lines(longer.p, longer.n, 299999);
	CHECK_STR(got, "!");
	free(got);
	ctx_buf_release(&longer);
}

static int
full(void *arg, const void *p, size_t n, struct ctx_err *err)
{
	size_t *room = arg;

	(void)p;
	if (n > *room)
		return ctx_err_set(err, CTX_EIO, "full");
	*room -= n;
	return 0;
}

/* An error of the sink comes out of write or finish, and stays. */
static void
errors_of_the_sink(void)
{
	struct ctx_buf text = CTX_BUF_INIT;

	make_text(&text, 2000000, 9);
	for (int threads = 0; threads < 3; threads++)
		for (size_t room = 0; room < 400000; room = room * 4 + 9) {
			struct ctx_err err = CTX_ERR_INIT;
			size_t left = room;
			struct ctx_gz_writer *w = ctx_gz_writer_new(threads, full, &left);
			int rc = ctx_gz_write(w, text.p, text.n, &err);

			if (rc == 0)
				rc = ctx_gz_finish(w, &err);
			CHECK(rc == -1);
			CHECK_STR(err.msg, "full");
			ctx_gz_writer_free(w);
		}
	ctx_buf_release(&text);
}

int
main(void)
{
	RUN(round_trips);
	RUN(same_bytes_whoever_compresses);
	RUN(as_small_as_one_stream);
	RUN(every_truncation_is_noticed);
	RUN(every_flipped_bit_is_noticed);
	RUN(members_and_trailing_bytes);
	RUN(line_splitting);
	RUN(errors_of_the_sink);
	return TEST_END();
}
