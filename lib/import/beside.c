/* Reads accompanying files: some tools keep a session in several files. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/utf8.h"
#include "import/internal.h"
#include "json/json.h"

#define FILES_MAX 100000 /* maximum number of files that one pattern may match */
#define LISTS_MAX 8

struct beside_list {
	struct ctx_span name;
	struct ctx_buf values; /* a JSON array of {path, value} */
};

struct beside {
	struct beside_list lists[LISTS_MAX];
	size_t n;
	struct ctx_span source, value;
	size_t left; /* bytes that may still be read */
};

static void
add_beside_literal(struct ctx_buf *pattern, struct ctx_span text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (strchr("*?[]\\", text.p[i]) != NULL)
			ctx_buf_addc(pattern, '\\');
		ctx_buf_addc(pattern, text.p[i]);
	}
}

/* Appends the path and the value of a file: its JSON verbatim, or other text as a
 * string. */
static void
read_beside_file(struct beside *b, const char *path, struct ctx_buf *out)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_span value;

	if (ctx_io_read_file(path, &text, b->left, &ignored) == 0) {
		b->left -= text.n;
		ctx_json_print(out, "{'path':%s,'value':", path);
		if (ctx_json_check(ctx_buf_span(&text), &value, NULL, &ignored) == 0)
			ctx_json_put_raw(out, value);
		else if (ctx_utf8_valid(text.p, text.n) == text.n)
			ctx_json_put_string(out, ctx_buf_span(&text));
		else
			ctx_buf_adds(out, "null");
		ctx_json_put_close(out, '}');
	}
	ctx_buf_release(&text);
}

static void
read_beside_matches(struct beside *b, const char *pattern, struct ctx_buf *out)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc && i < FILES_MAX; i++)
		read_beside_file(b, found.gl_pathv[i], out);
	globfree(&found);
}

static void expand_beside(struct beside *b, const struct ctx_buf *head,
    struct ctx_span rest, struct ctx_buf *out);

/* Continues the expansion of a pattern with text in place of an expression in braces;
 * text must be the name of a file. */
static void
expand_beside_with(struct beside *b, const struct ctx_buf *head, struct ctx_span text,
    struct ctx_span rest, struct ctx_buf *out)
{
	struct ctx_buf pattern = CTX_BUF_INIT;

	if (text.n == 0 || text.n > 255 || text.p[0] == '.' ||
	    memchr(text.p, '/', text.n) != NULL || memchr(text.p, '\0', text.n) != NULL)
		return;
	ctx_buf_addspan(&pattern, ctx_buf_span(head));
	add_beside_literal(&pattern, text);
	expand_beside(b, &pattern, rest, out);
	ctx_buf_release(&pattern);
}

static void
expand_beside_member(struct beside *b, const struct ctx_buf *head, struct ctx_span value,
    struct ctx_span key, struct ctx_span rest, struct ctx_buf *out)
{
	char *name = ctx_span_dup(key);
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(ctx_json_get(value, name), &tmp);

	if (text.p != NULL)
		expand_beside_with(b, head, text, rest, out);
	ctx_buf_release(&tmp);
	free(name);
}

/* Expands {LIST.MEMBER}: the member of each value in a list that was read before. */
static void
expand_beside_list(struct beside *b, const struct ctx_buf *head, struct ctx_span key,
    const char *dot, struct ctx_span rest, struct ctx_buf *out)
{
	struct ctx_span member = {dot + 1, (size_t)(key.p + key.n - dot - 1)};

	for (size_t i = 0; i < b->n; i++) {
		struct ctx_span name = b->lists[i].name;
		if (name.n != (size_t)(dot - key.p) || memcmp(key.p, name.p, name.n) != 0)
			continue;
		CTX_JSON_EACH(it, ctx_buf_span(&b->lists[i].values))
			expand_beside_member(
			    b, head, ctx_json_get(it.value, "value"), member, rest, out);
	}
}

/* Expands a pattern. head is the part already expanded, rest what follows it. */
static void
expand_beside(struct beside *b, const struct ctx_buf *head, struct ctx_span rest,
    struct ctx_buf *out)
{
	const char *open = memchr(rest.p, '{', rest.n);
	const char *close = memchr(rest.p, '}', rest.n);
	struct ctx_buf pattern = CTX_BUF_INIT;
	const char *dot;
	struct ctx_span key;

	ctx_buf_addspan(&pattern, ctx_buf_span(head));
	if (open == NULL || close == NULL || close < open) {
		ctx_buf_addspan(&pattern, rest);
		read_beside_matches(b, pattern.p, out);
		ctx_buf_release(&pattern);
		return;
	}
	ctx_buf_add(&pattern, rest.p, (size_t)(open - rest.p));
	key = (struct ctx_span){open + 1, (size_t)(close - open - 1)};
	rest = (struct ctx_span){close + 1, (size_t)(rest.p + rest.n - close - 1)};
	dot = memchr(key.p, '.', key.n);
	if (ctx_span_is(key, "name"))
		expand_beside_with(b, &pattern, b->source, rest, out);
	else if (dot == NULL)
		expand_beside_member(b, &pattern, b->value, key, rest, out);
	else
		expand_beside_list(b, &pattern, key, dot, rest, out);
	ctx_buf_release(&pattern);
}

static struct ctx_span
take_beside_word(struct ctx_span *text)
{
	struct ctx_span word = ctx_span_trim(*text);
	const char *space = memchr(word.p, ' ', word.n);
	size_t n = space == NULL ? word.n : (size_t)(space - word.p);

	*text = (struct ctx_span){word.p + n, word.n - n};
	word.n = n;
	return word;
}

void
ctx_import_beside(struct ctx_buf *out, struct ctx_span program, const char *path,
    const char *source, struct ctx_span value, size_t max)
{
	struct beside b = {.source = ctx_span_of(source), .value = value, .left = max};
	struct ctx_buf dir = CTX_BUF_INIT;
	const char *slash = strrchr(path, '/');
	struct ctx_span note, word;

	if (ctx_json_type(value) == CTX_JSON_ARRAY) /* the value is a whole file */
		b.value = ctx_json_first(value);
	if (slash != NULL)
		add_beside_literal(
		    &dir, (struct ctx_span){path, (size_t)(slash - path) + 1});
	while (b.n < LISTS_MAX && ctx_import_note(&program, "beside", &note)) {
		struct beside_list *l = &b.lists[b.n];
		l->name = take_beside_word(&note);
		ctx_json_put_open(&l->values, '[');
		while ((word = take_beside_word(&note)).n > 0)
			expand_beside(&b, &dir, word, &l->values);
		ctx_json_put_close(&l->values, ']');
		b.n++;
	}
	ctx_json_put_open(out, '{');
	for (size_t i = 0; i < b.n; i++) {
		ctx_json_put_string(out, b.lists[i].name);
		ctx_buf_addc(out, ':');
		ctx_buf_addspan(out, ctx_buf_span(&b.lists[i].values));
		ctx_buf_release(&b.lists[i].values);
	}
	ctx_json_put_close(out, '}');
	ctx_buf_release(&dir);
}
