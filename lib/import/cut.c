/* Where one value of a file ends and the next begins. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "import/import.h"
#include "json/json.h"

#define CHUNK ((size_t)64 << 10)
#define LIST_LINE ((size_t)1 << 20) /* a first line that is a list may be so long */

struct ctx_cut {
	int fd;
	char *name;
	size_t max;
	struct ctx_buf buf; /* what was read */
	size_t at;          /* of it, what was given out */
	bool begun, lines, array, ended;
};

struct ctx_cut *
ctx_cut_new(int fd, const char *name, size_t max)
{
	struct ctx_cut *c = ctx_mem_new(sizeof(*c));

	c->fd = fd;
	c->name = ctx_mem_str(name);
	c->max = max;
	return c;
}

void
ctx_cut_free(struct ctx_cut *c)
{
	if (c == NULL)
		return;
	ctx_buf_release(&c->buf);
	free(c->name);
	free(c);
}

/* More input behind what is there: 1, 0 at the end, -1. */
static int
fill(struct ctx_cut *c, struct ctx_err *err)
{
	long n;

	if (c->ended)
		return 0;
	if (c->at > 0 && c->at >= c->buf.n / 2) {
		memmove(c->buf.p, c->buf.p + c->at, c->buf.n - c->at);
		c->buf.n -= c->at;
		c->at = 0;
	}
	ctx_buf_reserve(&c->buf, CHUNK);
	n = ctx_io_read(c->fd, c->buf.p + c->buf.n, CHUNK);
	if (n < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot read %s", c->name);
	c->ended = n == 0;
	c->buf.n += (size_t)n;
	return n > 0;
}

static bool
is_space(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

/* Skip white space, and commas inside an array: the first other character, 0 at the end,
 * -1. */
static int
skip(struct ctx_cut *c, struct ctx_err *err)
{
	for (;;) {
		while (c->at < c->buf.n && (is_space(c->buf.p[c->at]) ||
					       (c->array && c->buf.p[c->at] == ',')))
			c->at++;
		if (c->at < c->buf.n)
			return (unsigned char)c->buf.p[c->at];
		int rc = fill(c, err);
		if (rc <= 0)
			return rc;
	}
}

/* Length of the line at c->at, without its end; *whole when its end was seen. */
static int
line(struct ctx_cut *c, size_t limit, size_t *n, bool *whole, struct ctx_err *err)
{
	size_t seen = 0;
	int rc = 1;

	for (;;) {
		size_t have = c->buf.n - c->at;
		char *end = have > seen
				? memchr(c->buf.p + c->at + seen, '\n', have - seen)
				: NULL;
		*whole = end != NULL || rc == 0;
		*n = end != NULL ? (size_t)(end - (c->buf.p + c->at)) : have;
		if (*whole || have > limit)
			return 0;
		seen = have;
		if ((rc = fill(c, err)) < 0)
			return -1;
	}
}

/* One value a line, when the first line is one and does not hold all there is. */
static int
begin(struct ctx_cut *c, struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	size_t n;
	bool whole;
	int first;

	while (c->buf.n < 3 && fill(c, err) > 0)
		;
	if (c->buf.n >= 3 && memcmp(c->buf.p, "\xef\xbb\xbf", 3) == 0)
		c->at = 3;
	first = skip(c, err);
	/* an array on one line may be all of a long file */
	if (first < 0 || line(c, first == '[' ? LIST_LINE : c->max, &n, &whole, err) < 0)
		return -1;
	c->begun = true;
	if (first == 0 || !whole ||
	    ctx_json_check((struct ctx_span){c->buf.p + c->at, n}, NULL, NULL, &ignored) <
		0)
		return 0;
	if (first == '[') {
		/* an array in the first line: the whole, or the first of many */
		size_t next = c->at + n;
		while (next < c->buf.n && is_space(c->buf.p[next]))
			next++;
		c->lines = next < c->buf.n && c->buf.p[next] == '[';
	} else {
		c->lines = true;
	}
	return 0;
}

/* Length of the value at c->at, by its brackets. 1: it was longer than max, and *n is what
 * is left of it behind c->at. */
static int
value(struct ctx_cut *c, size_t *n, struct ctx_err *err)
{
	size_t depth = 0, i = 0;
	bool string = false, escape = false, more = true;
	int longer = 0;

	for (;; i++) {
		char ch;
		if (i > c->max) {
			c->at += i;
			i = 0;
			longer = 1;
		}
		if (c->at + i == c->buf.n) {
			int rc = fill(c, err);
			if (rc < 0)
				return -1;
			more = rc > 0;
		}
		if (!more)
			break;
		ch = c->buf.p[c->at + i];
		if (escape) {
			escape = false;
		} else if (string) {
			escape = ch == '\\';
			string = ch != '"';
		} else if (ch == '"') {
			string = true;
		} else if (ch == '{' || ch == '[') {
			depth++;
		} else if (ch == '}' || ch == ']') {
			if (depth <= 1) {
				i += depth == 1 || i == 0;
				break;
			}
			depth--;
		} else if (depth == 0 && (i > 0 || longer) &&
			   (is_space(ch) || ch == ',')) {
			break;
		}
	}
	*n = i;
	return longer;
}

/* Drop the rest of a line that is too long. */
static int
drop_line(struct ctx_cut *c, struct ctx_err *err)
{
	char *end;
	int rc = 1;

	while (rc == 1) {
		end = memchr(c->buf.p + c->at, '\n', c->buf.n - c->at);
		if (end != NULL) {
			c->at = (size_t)(end - c->buf.p);
			return 0;
		}
		c->at = c->buf.n;
		rc = fill(c, err);
	}
	return rc;
}

int
ctx_cut_next(struct ctx_cut *c, struct ctx_span *out, struct ctx_err *err)
{
	struct ctx_span text;
	size_t n;
	bool whole;
	int ch, rc;

	if (!c->begun && begin(c, err) < 0)
		return -1;
	for (;;) {
		if ((ch = skip(c, err)) <= 0)
			return ch;
		if (c->lines || (ch != '[' && ch != ']') || (c->array && ch == '['))
			break;
		c->array = ch == '[';
		c->at++;
	}
	rc = c->lines ? line(c, c->max, &n, &whole, err) : value(c, &n, err);
	if (rc == 0 && n > c->max)
		rc = drop_line(c, err) < 0 ? -1 : 1;
	else if (rc == 1)
		c->at += n;
	if (rc < 0)
		return -1;
	if (rc == 1)
		return ctx_err_set(err, CTX_EINPUT, "longer than %zu bytes", c->max);
	text = (struct ctx_span){c->buf.p + c->at, n};
	c->at += n;
	if (ctx_json_check(text, out, NULL, err) < 0)
		return -1;
	return 1;
}
