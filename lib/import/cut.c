/* Finds where one value of a file ends and the next begins. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "import/import.h"
#include "json/json.h"

#define CHUNK ((size_t)64 << 10)
#define LIST_LINE ((size_t)1 << 20) /* limit for a first line that is an array */
/* maximum number of lines that are not values, before the first line that is one */
#define ODD_LINES 8

struct ctx_cut {
	int fd;
	char *name;
	size_t max;
	struct ctx_buf buf; /* input that was read */
	int64_t before;     /* bytes of the file before the buffer */
	size_t at; /* position in the buffer: everything before it was returned */
	/* position in the buffer up to which line ends were counted in line */
	size_t counted;
	/* from 0: line at counted; line where the last value began */
	int64_t line, begin;
	bool marked, begun, lines, array, ended, text;
	struct ctx_buf string; /* a line of text as a JSON string */
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
	ctx_buf_release(&c->string);
	free(c->name);
	free(c);
}

/* Updates c->line to the line at c->at. */
static void
count_lines(struct ctx_cut *c)
{
	const char *p = c->buf.p + c->counted, *end = c->buf.p + c->at;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		c->line++;
		p++;
	}
	c->counted = c->at;
}

int64_t
ctx_cut_line(const struct ctx_cut *c)
{
	return c->begin + 1;
}

void
ctx_cut_continue(struct ctx_cut *c, int64_t offset, int64_t line)
{
	c->before = offset;
	c->line = line;
}

int64_t
ctx_cut_offset(const struct ctx_cut *c)
{
	return c->lines ? c->before + (int64_t)c->at : -1;
}

bool
ctx_cut_is_partial(const struct ctx_cut *c)
{
	return c->ended && c->at == c->buf.n;
}

/* Reads more input into the buffer. Returns 1, 0 at the end, -1 on error. */
static int
fill_cut_buffer(struct ctx_cut *c, struct ctx_err *err)
{
	long n;

	if (c->ended)
		return 0;
	if (c->at > 0 && c->at >= c->buf.n / 2) {
		count_lines(c);
		c->before += (int64_t)c->at;
		memmove(c->buf.p, c->buf.p + c->at, c->buf.n - c->at);
		c->buf.n -= c->at;
		c->at = c->counted = 0;
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
is_cut_space(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

/* Skips white space, and commas inside an array. Returns 1 and the next character, 0 at
 * the end, -1 on error. */
static int
skip_cut_space(struct ctx_cut *c, char *ch, struct ctx_err *err)
{
	for (;;) {
		while (c->at < c->buf.n && (is_cut_space(c->buf.p[c->at]) ||
					       (c->array && c->buf.p[c->at] == ',')))
			c->at++;
		if (c->at < c->buf.n) {
			*ch = c->buf.p[c->at];
			return 1;
		}
		int rc = fill_cut_buffer(c, err);
		if (rc <= 0)
			return rc;
	}
}

/* Skips NUL bytes, which a crash of the machine can leave in place of text. */
static int
skip_cut_padding(struct ctx_cut *c, struct ctx_err *err)
{
	size_t n = 0;
	int rc = 1;

	while (rc == 1) {
		for (; c->at < c->buf.n && c->buf.p[c->at] == '\0'; c->at++)
			n++;
		if (c->at < c->buf.n)
			break;
		if ((rc = fill_cut_buffer(c, err)) < 0)
			return -1;
	}
	return ctx_err_set(err, CTX_EINPUT, "%zu NUL bytes", n);
}

/* Returns the length of the line at c->at, without its end. *whole is set if the whole
 * line was read. */
static int
measure_cut_line(
    struct ctx_cut *c, size_t limit, size_t *n, bool *whole, struct ctx_err *err)
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
		if ((rc = fill_cut_buffer(c, err)) < 0)
			return -1;
	}
}

/* Removes NUL bytes and white space at the end of the line. */
static struct ctx_span
trim_cut_padding(struct ctx_span line)
{
	size_t n = line.n;

	while (n > 0 && (line.p[n - 1] == '\0' || is_cut_space(line.p[n - 1])))
		n--;
	return (struct ctx_span){line.p, n};
}

static bool
is_value(struct ctx_span line)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	return ctx_json_check(trim_cut_padding(line), NULL, NULL, &ignored) == 0;
}

/* Returns whether the line at c->at, which is not a value, precedes lines that are
 * values. It is not the beginning of a value that continues on the next line, because an
 * object cannot continue with '{' after the end of this line. */
static bool
is_odd_line(const struct ctx_cut *c, size_t n)
{
	const char *p = c->buf.p + c->at, *end = c->buf.p + c->buf.n;

	for (int i = 0; i < ODD_LINES; i++) {
		struct ctx_span this = trim_cut_padding((struct ctx_span){p, n});
		const char *next = p + n + 1, *stop;
		if (this.n == 0 || strchr(":[,{", this.p[this.n - 1]) != NULL ||
		    next >= end || *next != '{')
			return false;
		stop = memchr(next, '\n', (size_t)(end - next));
		if (stop == NULL && !c->ended)
			return false;
		n = (size_t)((stop == NULL ? end : stop) - next);
		if (is_value((struct ctx_span){next, n}))
			return true;
		p = next;
	}
	return false;
}

/* Decides whether the input has one value on each line: its first line is a value, and
 * not the only one. Returns 0; 1 if the first line is neither a value nor the beginning
 * of one, with its length in *n; -1 on error. */
static int
begin_cut_input(struct ctx_cut *c, char first, size_t *n, struct ctx_err *err)
{
	bool whole;

	/* a long file may be a single array on one line */
	if (measure_cut_line(c, first == '[' ? LIST_LINE : c->max, n, &whole, err) < 0)
		return -1;
	if (whole && is_value((struct ctx_span){c->buf.p + c->at, *n})) {
		/* if the first line is an array, it is either everything or the first of
		 * many */
		size_t next = c->at + *n;
		while (next < c->buf.n && is_cut_space(c->buf.p[next]))
			next++;
		c->lines = first != '[' || (next < c->buf.n && c->buf.p[next] == '[');
	} else if (whole && strchr("[]{\"", first) == NULL) {
		return 1;
	} else if (whole && first == '{') {
		if (c->buf.n - c->at < *n + CHUNK && fill_cut_buffer(c, err) < 0)
			return -1;
		c->lines = is_odd_line(c, *n);
	}
	c->begun = true;
	return 0;
}

/* Finds the length of the value at c->at by its brackets. Returns 0; 1 if the value is
 * longer than max, with the length of its rest after c->at in *n; -1 on error. */
static int
measure_cut_value(struct ctx_cut *c, size_t *n, struct ctx_err *err)
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
			int rc = fill_cut_buffer(c, err);
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
			   (is_cut_space(ch) || ch == ',' || ch == '\0')) {
			break;
		}
	}
	*n = i;
	return longer;
}

/* Skips the rest of a line that is too long. */
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
		rc = fill_cut_buffer(c, err);
	}
	return rc;
}

/* Finds the beginning of the next value. Returns 1 and its first character, 0 at the end,
 * -1 on error. */
static int
find_cut_value(struct ctx_cut *c, char *ch, struct ctx_err *err)
{
	int rc;

	while ((rc = skip_cut_space(c, ch, err)) == 1) {
		if (c->lines || (*ch != '[' && *ch != ']') || (c->array && *ch == '['))
			break;
		c->array = *ch == '[';
		c->at++;
	}
	count_lines(c);
	c->begin = c->line;
	return rc;
}

/* Finds the length of the item at c->at. Returns 0; 1 if it was longer than max, and was
 * skipped; -1 on error. */
static int
measure_cut_item(struct ctx_cut *c, size_t *n, struct ctx_err *err)
{
	bool whole;
	int rc;

	if (!c->lines) {
		rc = measure_cut_value(c, n, err);
		if (rc == 1)
			c->at += *n;
		return rc;
	}
	rc = measure_cut_line(c, c->max, n, &whole, err);
	if (rc == 0 && *n > c->max)
		return drop_line(c, err) < 0 ? -1 : 1;
	return rc;
}

static int
skip_mark(struct ctx_cut *c, struct ctx_err *err)
{
	int rc = 1;

	while (rc == 1 && c->buf.n < 3)
		rc = fill_cut_buffer(c, err);
	if (c->buf.n >= 3 && memcmp(c->buf.p, "\xef\xbb\xbf", 3) == 0)
		c->at = 3;
	c->marked = true;
	return rc < 0 ? -1 : 0;
}

void
ctx_cut_text(struct ctx_cut *c)
{
	c->text = true;
}

static int
next_text_line(struct ctx_cut *c, struct ctx_span *out, struct ctx_err *err)
{
	bool whole;
	size_t n;

	count_lines(c);
	c->begin = c->line;
	if (measure_cut_line(c, c->max, &n, &whole, err) < 0)
		return -1;
	if (n == 0 && c->at == c->buf.n)
		return 0;
	if (n > c->max)
		return drop_line(c, err) < 0
			   ? -1
			   : ctx_err_set(err, CTX_EINPUT,
				 "the value is longer than %zu bytes (--max-record)",
				 c->max);
	ctx_buf_reset(&c->string);
	ctx_json_put_string(&c->string, (struct ctx_span){c->buf.p + c->at, n});
	*out = ctx_buf_span(&c->string);
	c->at += n;
	c->at += c->at < c->buf.n;
	return 1;
}

int
ctx_cut_next(struct ctx_cut *c, struct ctx_span *out, struct ctx_err *err)
{
	struct ctx_span text;
	size_t n = 0;
	char ch;
	int odd = 0, rc;

	if (!c->marked && skip_mark(c, err) < 0)
		return -1;
	if (c->text)
		return next_text_line(c, out, err);
	if (!c->begun) {
		if ((rc = skip_cut_space(c, &ch, err)) <= 0)
			return rc;
		if (ch != '\0' && (odd = begin_cut_input(c, ch, &n, err)) < 0)
			return -1;
	}
	if ((rc = find_cut_value(c, &ch, err)) <= 0)
		return rc;
	if (ch == '\0')
		return skip_cut_padding(c, err);
	if (odd == 0 && (rc = measure_cut_item(c, &n, err)) < 0)
		return -1;
	if (odd == 0 && rc == 1)
		return ctx_err_set(err, CTX_EINPUT,
		    "the value is longer than %zu bytes (--max-record)", c->max);
	text = trim_cut_padding((struct ctx_span){c->buf.p + c->at, n});
	c->at += text.n;
	if (ctx_json_check(text, out, NULL, err) < 0)
		return -1;
	return 1;
}
