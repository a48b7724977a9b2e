/* Splits files so that memory use depends on the longest transcript, not on the file. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "lint.h"
#include "lint/lint.h"

#define PART_MAX ((size_t)1 << 30) /* maximum length in bytes of one part */

struct lint_parts {
	int fd;
	const char *name;
	struct ctx_buf text;
	size_t given, seen; /* of text: bytes returned to the caller; lines examined */
	size_t lines;       /* number of lines before text */
	bool ended, some;   /* some: a part was returned */
	bool whole;         /* does not have one record on each line, so is never split */
	bool alone;         /* the previous line was a body, or began one */
};

struct lint_parts *
lint_parts_open(const char *path, struct ctx_err *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct lint_parts *p;

	if (fd < 0) {
		ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
		return NULL;
	}
	p = ctx_mem_new(sizeof(*p));
	p->fd = fd;
	p->name = standard ? "stdin" : path;
	return p;
}

void
lint_parts_close(struct lint_parts *p)
{
	if (p == NULL)
		return;
	if (p->fd != STDIN_FILENO)
		close(p->fd);
	ctx_buf_release(&p->text);
	free(p);
}

/* Returns whether the text before the line ends here. */
static bool
begins_part(struct lint_parts *p, struct ctx_span line)
{
	static const char record[] = "{\"kind\":\"message\"";
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span value;
	bool body, was = p->alone;

	p->alone = false;
	if (line.n >= sizeof(record) && memcmp(line.p, record, sizeof(record) - 1) == 0)
		return was;
	if (ctx_json_check(line, &value, NULL, &err) < 0 || !ctx_lint_begins(value))
		return was;
	body = ctx_json_get(value, "kind").p == NULL;
	p->alone = body;
	return true;
}

/* Examines the lines that were read. Returns the length of the text that ends before one
 * of them, or 0. */
static size_t
find_lint_part_end(struct lint_parts *p)
{
	while (!p->whole && p->seen < p->text.n) {
		const char *from = p->text.p + p->seen;
		const char *nl = memchr(from, '\n', p->text.n - p->seen);
		size_t at = p->seen, n;
		struct ctx_span line;

		if (nl == NULL && !p->ended)
			return 0;
		n = nl == NULL ? p->text.n - at : (size_t)(nl - from) + 1;
		line = ctx_span_trim((struct ctx_span){from, n});
		p->seen += n;
		if (line.n == 0)
			continue;
		p->whole = line.p[0] != '{' || line.p[line.n - 1] != '}';
		if (!p->whole && begins_part(p, line) && at > 0) {
			p->seen = at;
			return at;
		}
	}
	return 0;
}

static int
read_more(struct lint_parts *p, struct ctx_err *err)
{
	long r;

	if (p->text.n > PART_MAX)
		return ctx_err_set(err, CTX_EINPUT,
		    "%s: larger than %zu bytes, the maximum size of a transcript or request body",
		    p->name, PART_MAX);
	ctx_buf_reserve(&p->text, 65536);
	r = ctx_io_read(p->fd, p->text.p + p->text.n, p->text.cap - p->text.n - 1);
	if (r < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot read %s", p->name);
	p->text.n += (size_t)r;
	p->text.p[p->text.n] = '\0';
	p->ended = r == 0;
	return 0;
}

/* Removes the part that was returned. */
static void
drop_given(struct lint_parts *p)
{
	const char *at = p->text.p, *end = at + p->given;

	if (p->given == 0)
		return;
	while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		p->lines++;
		at++;
	}
	memmove(p->text.p, p->text.p + p->given, p->text.n - p->given + 1);
	p->text.n -= p->given;
	p->seen -= p->given < p->seen ? p->given : p->seen;
	p->given = 0;
}

int
lint_parts_next(
    struct lint_parts *p, struct ctx_span *text, size_t *before, struct ctx_err *err)
{
	size_t n;

	drop_given(p);
	while ((n = find_lint_part_end(p)) == 0 && !p->ended)
		if (read_more(p, err) < 0)
			return -1;
	if (n == 0 && p->text.n == 0 && p->some)
		return 0;
	p->given = n > 0 ? n : p->text.n;
	p->some = true;
	*before = p->lines;
	*text = (struct ctx_span){p->text.p, p->given};
	return 1;
}
