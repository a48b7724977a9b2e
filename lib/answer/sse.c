/* Splits the input into server-sent events, or into the elements of an array. */
#include "answer/internal.h"

#include <string.h>

void
ctx_sse_release(struct ctx_sse *e)
{
	ctx_buf_release(&e->line);
	ctx_buf_release(&e->name);
	ctx_buf_release(&e->data);
}

static int
dispatch_sse_event(struct ctx_sse *e, ctx_sse_fn *fn, void *arg, struct ctx_err *err)
{
	int rc = 0;

	if (e->has_data)
		rc = fn(arg, ctx_buf_span(&e->name), ctx_buf_span(&e->data), err);
	ctx_buf_reset(&e->name);
	ctx_buf_reset(&e->data);
	e->has_data = false;
	return rc;
}

/* Returns the value of the field if the line begins with name, else an absent span. */
static struct ctx_span
get_sse_field(struct ctx_span line, const char *name)
{
	size_t n = strlen(name);

	if (line.n < n || memcmp(line.p, name, n) != 0 ||
	    (line.n > n && line.p[n] != ':'))
		return CTX_SPAN_NONE;
	if (line.n == n)
		return (struct ctx_span){line.p + n, 0};
	n++;
	if (line.n > n && line.p[n] == ' ')
		n++;
	return (struct ctx_span){line.p + n, line.n - n};
}

/* Returns whether the line begins like JSON or HTML, which is not part of an event
 * stream. */
static bool
begins_document(char c)
{
	return c == '{' || c == '[' || c == '<';
}

static int
take_line(struct ctx_sse *e, struct ctx_span line, ctx_sse_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_span v;

	if (line.n == 0)
		return dispatch_sse_event(e, fn, arg, err);
	v = get_sse_field(line, "data");
	if (v.p != NULL) {
		if (e->has_data)
			ctx_buf_addc(&e->data, '\n');
		ctx_buf_addspan(&e->data, v);
		e->has_data = true;
		return 0;
	}
	v = get_sse_field(line, "event");
	if (v.p != NULL) {
		ctx_buf_reset(&e->name);
		ctx_buf_addspan(&e->name, v);
		return 0;
	}
	/* llama.cpp's server sends this field; proxies write documents into a broken
	 * stream */
	v = get_sse_field(line, "error");
	if (v.p == NULL && begins_document(line.p[0]))
		v = line;
	if (v.p == NULL)
		return 0;
	if (dispatch_sse_event(e, fn, arg, err) < 0)
		return -1;
	return fn(arg, ctx_span_of("error"), v, err);
}

static int
end_sse_line(struct ctx_sse *e, struct ctx_span rest, ctx_sse_fn *fn, void *arg,
    struct ctx_err *err)
{
	int rc;

	if (e->line.n == 0)
		return take_line(e, rest, fn, arg, err);
	ctx_buf_addspan(&e->line, rest);
	rc = take_line(e, ctx_buf_span(&e->line), fn, arg, err);
	ctx_buf_reset(&e->line);
	return rc;
}

int
ctx_sse_feed(
    struct ctx_sse *e, struct ctx_span s, ctx_sse_fn *fn, void *arg, struct ctx_err *err)
{
	const char *p = s.p, *end = s.p + s.n, *cr = NULL, *lf = NULL;

	while (p < end) {
		const char *stop;
		if (e->cr && *p == '\n') {
			e->cr = false;
			p++;
			continue;
		}
		e->cr = false;
		/* each is searched only once, not for every line */
		if (cr == NULL || (cr < p && cr != end))
			cr = memchr(p, '\r', (size_t)(end - p));
		if (cr == NULL)
			cr = end;
		if (lf == NULL || (lf < p && lf != end))
			lf = memchr(p, '\n', (size_t)(end - p));
		if (lf == NULL)
			lf = end;
		stop = cr < lf ? cr : lf;
		if (stop == end) {
			ctx_buf_add(&e->line, p, (size_t)(end - p));
			break;
		}
		e->cr = *stop == '\r';
		if (end_sse_line(
			e, (struct ctx_span){p, (size_t)(stop - p)}, fn, arg, err) < 0)
			return -1;
		p = stop + 1;
	}
	return 0;
}

int
ctx_sse_finish(struct ctx_sse *e, ctx_sse_fn *fn, void *arg, struct ctx_err *err)
{
	static const char *const known[] = {"data", "event", "id", "retry", "error"};
	struct ctx_span line = ctx_buf_span(&e->line);
	bool whole = line.n == 0 || line.p[0] == ':' || begins_document(line.p[0]);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		whole |= get_sse_field(line, known[i]).p != NULL;
	if (!whole)
		return ctx_err_set(
		    err, CTX_EIO, "the stream is truncated in the middle of a line");
	if (line.n > 0 && end_sse_line(e, (struct ctx_span){"", 0}, fn, arg, err) < 0)
		return -1;
	return dispatch_sse_event(e, fn, arg, err);
}

/* Returns how many bytes of s belong to the element. *closed is set if the element ends
 * there. */
static size_t
scan_element(struct ctx_elements *e, struct ctx_span s, bool *closed)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (e->escape) {
			e->escape = false;
		} else if (e->string) {
			e->escape = c == '\\';
			e->string = c != '"';
		} else if (c == '"') {
			e->string = true;
		} else if (c == '{' || c == '[') {
			e->depth++;
		} else if ((c == '}' || c == ']') && --e->depth == 0) {
			*closed = true;
			return i + 1;
		}
	}
	return s.n;
}

/* Processes one byte between elements. */
static bool
scan_element_byte(struct ctx_elements *e, char c)
{
	if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
		return true;
	if (e->state == CTX_ELEMENTS_BEFORE && c == '[')
		e->state = CTX_ELEMENTS_FIRST;
	else if ((e->state == CTX_ELEMENTS_FIRST || e->state == CTX_ELEMENTS_AFTER) &&
		 c == ']')
		e->state = CTX_ELEMENTS_END;
	else if (e->state == CTX_ELEMENTS_AFTER && c == ',')
		e->state = CTX_ELEMENTS_NEXT;
	else if ((e->state == CTX_ELEMENTS_FIRST || e->state == CTX_ELEMENTS_NEXT) &&
		 c == '{')
		e->state = CTX_ELEMENTS_IN;
	else
		return false;
	return true;
}

int
ctx_elements_feed(struct ctx_elements *e, struct ctx_span s, ctx_sse_fn *fn, void *arg,
    struct ctx_err *err)
{
	while (s.n > 0) {
		size_t used = 1;
		bool closed = false;
		if (e->state != CTX_ELEMENTS_IN && !scan_element_byte(e, *s.p))
			return ctx_err_set(err, CTX_EIO,
			    "the answer is an array whose elements are not objects");
		if (e->state == CTX_ELEMENTS_IN) {
			used = scan_element(e, s, &closed);
			ctx_buf_add(&e->element, s.p, used);
		}
		if (closed) {
			e->state = CTX_ELEMENTS_AFTER;
			if (fn(arg, CTX_SPAN_NONE, ctx_buf_span(&e->element), err) < 0)
				return -1;
			ctx_buf_reset(&e->element);
		}
		s.p += used;
		s.n -= used;
	}
	return 0;
}

int
ctx_elements_finish(const struct ctx_elements *e, struct ctx_err *err)
{
	if (e->state == CTX_ELEMENTS_END)
		return 0;
	return ctx_err_set(err, CTX_EIO,
	    "the answer broke off before its end (its JSON array has no end)");
}
