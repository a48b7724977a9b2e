#include "record/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"

#define CHUNK ((size_t)256 << 10)
#define AHEAD ((size_t)4 << 20) /* bytes to read ahead */

struct ctx_reader {
	int fd;
	const char *name;
	size_t max, room; /* longest line, and additional bytes allowed for an envelope */
	char *buf;
	size_t cap, start, end; /* unread bytes are buf[start, end) */
	size_t seen;            /* number of unread bytes known to contain no newline */
	struct ctx_span raw;    /* the last line before trimming */
	int spill_fd;
	const char *spill_name;
	ctx_reader_before_fn *before_spill;
	void *before_arg;
	/* blank: number of blank lines skipped since the last returned line */
	long line, blank;
	bool eof, skipping; /* skipping: inside a line that is too long */
};

struct ctx_reader *
ctx_reader_new(int fd, const char *name, size_t max)
{
	struct ctx_reader *r = ctx_mem_new(sizeof(*r));

	r->fd = fd;
	r->name = name;
	r->max = max;
	r->spill_fd = -1;
	return r;
}

void
ctx_reader_free(struct ctx_reader *r)
{
	if (r == NULL)
		return;
	free(r->buf);
	free(r);
}

void
ctx_reader_allow(struct ctx_reader *r, size_t bytes)
{
	r->room = bytes;
}

/* Reads more bytes after those in the buffer. Returns the number of bytes, 0 at the end
 * of input, -1 on error. */
static long
fill_reader_buffer(struct ctx_reader *r, struct ctx_err *err)
{
	long got;

	if (r->buf != NULL && r->start > 0 && r->cap - r->end < CHUNK / 4) {
		memmove(r->buf, r->buf + r->start, r->end - r->start);
		r->end -= r->start;
		r->start = 0;
	}
	if (r->cap - r->end < CHUNK / 4) {
		r->cap = r->cap == 0 ? CHUNK : r->cap * 2;
		r->buf = ctx_mem_resize(r->buf, r->cap, 1);
	}
	got = ctx_io_read(r->fd, r->buf + r->end, r->cap - r->end);
	if (got < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot read %s", r->name);
	r->end += (size_t)got;
	r->eof = got == 0;
	return got;
}

/* Discards the buffer if the line is too long, writing it to the spill file if there is
 * one. */
static int
skip_long(struct ctx_reader *r, struct ctx_err *err)
{
	size_t have = r->end - r->start;

	if (have <= r->max + r->room)
		return 0;
	if (r->spill_fd >= 0 && !r->skipping && r->before_spill != NULL &&
	    r->before_spill(r->before_arg, err) < 0)
		return -1;
	if (r->spill_fd >= 0 &&
	    ctx_io_write(r->spill_fd, r->buf + r->start, have, r->spill_name, err) < 0)
		return -1;
	r->skipping = true;
	r->start = r->end = r->seen = 0;
	return 0;
}

/* Returns the next newline in the buffer, or NULL. */
static char *
find_newline(struct ctx_reader *r)
{
	char *nl = NULL;

	if (r->buf != NULL && r->end - r->start > r->seen)
		nl = memchr(
		    r->buf + r->start + r->seen, '\n', r->end - r->start - r->seen);
	if (nl == NULL)
		r->seen = r->end - r->start;
	return nl;
}

/* Reads one raw line, even if it is blank. Returns 1, 0 at the end of input, -1 on
 * error. */
static int
raw_line(struct ctx_reader *r, struct ctx_span *line, struct ctx_err *err)
{
	for (;;) {
		char *from = r->buf == NULL ? NULL : r->buf + r->start;
		char *nl = find_newline(r);
		size_t have = r->end - r->start;
		if (nl != NULL || (r->eof && (have > 0 || r->skipping))) {
			size_t n = nl != NULL ? (size_t)(nl - from) : have;
			r->start += n + (nl != NULL);
			r->seen = 0;
			r->line += 1 + r->blank;
			r->blank = 0;
			*line = (struct ctx_span){from, n};
			return 1;
		}
		if (r->eof)
			return 0;
		if (skip_long(r, err) < 0 || fill_reader_buffer(r, err) < 0)
			return -1;
	}
}

/* Removes a byte order mark from the first line. */
static struct ctx_span
without_mark(struct ctx_span line, long before)
{
	if (before == 0 && line.n >= 3 && memcmp(line.p, "\xef\xbb\xbf", 3) == 0) {
		line.p += 3;
		line.n -= 3;
	}
	return line;
}

int
ctx_reader_next(struct ctx_reader *r, struct ctx_span *line, struct ctx_err *err)
{
	int rc;

	while ((rc = raw_line(r, line, err)) == 1) {
		bool too_long = r->skipping || line->n > r->max + r->room;
		r->skipping = false;
		r->raw = *line;
		if (too_long)
			return ctx_err_set(err, CTX_EINPUT,
			    "the record is longer than %zu bytes (--max-record or CTX_MAX_RECORD changes the limit)",
			    r->max);
		r->raw = without_mark(*line, r->line - 1);
		*line = ctx_span_trim(r->raw);
		if (line->n > 0)
			return 1;
	}
	return rc;
}

void
ctx_reader_spill(struct ctx_reader *r, int fd, const char *name,
    ctx_reader_before_fn *before, void *arg)
{
	r->before_spill = before;
	r->before_arg = arg;
	r->spill_fd = fd;
	r->spill_name = name;
}

struct ctx_span
ctx_reader_raw(const struct ctx_reader *r)
{
	return r->raw;
}

long
ctx_reader_line(const struct ctx_reader *r)
{
	return r->line;
}

const char *
ctx_reader_name(const struct ctx_reader *r)
{
	return r->name;
}

/* True if the buffer contains a complete line that is not blank. Skips blank lines before
 * it. */
static bool
find_line(struct ctx_reader *r)
{
	char *nl;

	while ((nl = find_newline(r)) != NULL) {
		struct ctx_span line = {r->buf + r->start, 0};
		line.n = (size_t)(nl - line.p);
		if (r->skipping || line.n > r->max + r->room ||
		    ctx_span_trim(without_mark(line, r->line + r->blank)).n > 0)
			return true;
		r->start += line.n + 1;
		r->seen = 0;
		r->blank++;
	}
	return false;
}

bool
ctx_reader_ready(struct ctx_reader *r)
{
	struct ctx_err ignored;

	for (;;) {
		if (find_line(r) || r->eof)
			return true;
		/* ctx_reader_next calls before_spill before the first byte of the line is
		 * written. */
		if (r->spill_fd >= 0 && !r->skipping && r->end - r->start > r->max)
			return true;
		/* The next read reports the error. */
		if (skip_long(r, &ignored) < 0)
			return true;
		if (!ctx_io_ready(r->fd))
			return false;
		if (fill_reader_buffer(r, &ignored) < 0)
			return true;
	}
}

bool
ctx_reader_ended(struct ctx_reader *r)
{
	return ctx_reader_ready(r) && r->eof && r->start == r->end;
}

long
ctx_reader_left(struct ctx_reader *r)
{
	struct ctx_err ignored;
	long n = 0;

	while (!r->eof && r->end - r->start < AHEAD && ctx_io_ready(r->fd))
		if (fill_reader_buffer(r, &ignored) < 0)
			return -1;
	if (!r->eof)
		return -1;
	for (size_t at = r->start; at < r->end; n++) {
		const char *nl = memchr(r->buf + at, '\n', r->end - at);
		at = nl == NULL ? r->end : (size_t)(nl - r->buf) + 1;
	}
	return n;
}
