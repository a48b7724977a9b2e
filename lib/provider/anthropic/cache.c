#include "provider/anthropic/internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define MARKS_MAX 4
/* Maximum distance between marks in blocks. The provider looks back 20 blocks, including the
 * marked one. */
#define LOOKBACK 18

/* A content block that may get a cache mark, or the string that replaces a list with one
 * text block. */
struct block {
	struct ctx_span json;
	bool user; /* part of a user message */
	bool can;  /* may get a mark */
};

struct blocks {
	struct block *v;
	size_t n, cap;
	int marks; /* number of marks that the user set */
};

static void
add_cache_block(struct blocks *b, struct ctx_span json, bool user)
{
	struct ctx_span type = ctx_json_get(json, "type");
	bool text = ctx_json_type(json) == CTX_JSON_STRING || ctx_json_is(type, "text");

	CTX_MEM_GROW(b->v, b->n, b->cap);
	b->v[b->n++] = (struct block){json, user,
	    ctx_json_get(json, "cache_control").p == NULL &&
		(text || CTX_JSON_IS_ANY(
			     type, "image", "document", "tool_use", "tool_result"))};
	b->marks += ctx_json_get(json, "cache_control").p != NULL;
}

static void
add_cache_content(struct blocks *b, struct ctx_span content, bool user)
{
	if (ctx_json_type(content) == CTX_JSON_STRING) {
		add_cache_block(b, content, user);
		return;
	}
	CTX_JSON_EACH(it, content)
		add_cache_block(b, it.value, user);
}

/* Returns the index of the last block before index end that may get a mark (if user is
 * set: the last such block of a user message), SIZE_MAX if no block qualifies. */
static size_t
find_last_cache_block(const struct blocks *b, size_t end, bool user)
{
	while (end-- > 0)
		if (b->v[end].can && (!user || b->v[end].user))
			return end;
	return SIZE_MAX;
}

/* Returns the block where the previous request ended: the last block before the newest
 * answer. */
static size_t
find_previous(const struct blocks *b)
{
	size_t i = b->n;

	while (i > 0 && b->v[i - 1].user)
		i--;
	while (i > 0 && !b->v[i - 1].user)
		i--;
	return find_last_cache_block(b, i, true);
}

static int
compare_cache_span_places(const void *a, const void *b)
{
	const char *x = ((const struct ctx_span *)a)->p,
		   *y = ((const struct ctx_span *)b)->p;

	return (x > y) - (x < y);
}

struct marks {
	struct ctx_span v[MARKS_MAX];
	size_t n;
	int room;
};

static void
take_mark(struct marks *m, const struct blocks *b, size_t i)
{
	if (i == SIZE_MAX || m->room <= 0)
		return;
	for (size_t k = 0; k < m->n; k++)
		if (m->v[k].p == b->v[i].json.p)
			return;
	m->v[m->n++] = b->v[i].json;
	m->room--;
}

/* Chooses the marks, the most useful first, because the number of marks is limited. */
static void
choose_marks(struct marks *m, const struct blocks *front, const struct blocks *rest)
{
	size_t previous = find_previous(rest),
	       end = find_last_cache_block(rest, rest->n, false);

	take_mark(m, rest, end);
	take_mark(m, rest, previous);
	take_mark(m, front, find_last_cache_block(front, front->n, false));
	if (end != SIZE_MAX && previous != SIZE_MAX && end - previous > LOOKBACK)
		take_mark(
		    m, rest, find_last_cache_block(rest, previous + LOOKBACK + 1, false));
}

static void
put_marked(struct ctx_buf *out, struct ctx_span block, const char *ttl)
{
	bool string = ctx_json_type(block) == CTX_JSON_STRING;

	if (string)
		ctx_buf_adds(out, "[{\"type\":\"text\",\"text\":");
	else
		block.n--; /* without its closing brace */
	ctx_buf_addspan(out, block);
	ctx_buf_addc(out, ',');
	ctx_json_print(out,
	    string ? "'cache_control':{'type':'ephemeral','ttl':%s}}]"
		   : "'cache_control':{'type':'ephemeral','ttl':%s}}",
	    strcmp(ttl, "5m") == 0 ? NULL : ttl);
}

static void
read_body(struct ctx_span body, struct blocks *front, struct blocks *rest)
{
	CTX_JSON_EACH(it, ctx_json_get(body, "tools")) {
		add_cache_block(front, it.value, false);
		front->v[front->n - 1].can = ctx_json_get(it.value, "cache_control").p ==
						 NULL &&
					     !ctx_json_true(
						 ctx_json_get(it.value, "defer_loading"));
	}
	add_cache_content(front, ctx_json_get(body, "system"), false);
	CTX_JSON_EACH(it, ctx_json_get(body, "messages")) {
		size_t first = rest->n;
		add_cache_content(rest, ctx_json_get(it.value, "content"),
		    !ctx_json_is(ctx_json_get(it.value, "role"), "assistant"));
		if (ctx_json_get(it.value, "clear_at").p != NULL)
			for (; first < rest->n; first++)
				rest->v[first].can = false;
	}
}

/* ---- marks that must not be sent ---- */

/* A cache mark that the user set. */
struct found_mark {
	const char *at; /* the mark's value in the body */
	bool hour;      /* its lifetime is one hour */
	bool drop;
};

struct found {
	struct found_mark *v;
	/* n_front: those in tools and system text, which precede the messages */
	size_t n, cap, n_front;
};

bool
ctx_anthropic_takes_no_mark(struct ctx_span block)
{
	struct ctx_span type = ctx_json_get(block, "type");

	return CTX_JSON_IS_ANY(type, "thinking", "redacted_thinking") ||
	       (ctx_json_is(type, "text") &&
		   ctx_json_is(ctx_json_get(block, "text"), "")) ||
	       ctx_json_true(ctx_json_get(block, "defer_loading"));
}

/* True if the mark has a lifetime of one hour. */
static bool
is_hour(struct ctx_span mark)
{
	return ctx_json_is(ctx_json_get(mark, "ttl"), "1h");
}

static void
find_marks(struct found *f, struct ctx_span value)
{
	bool refused = ctx_anthropic_takes_no_mark(value);

	CTX_JSON_EACH(it, value) {
		if (it.object && ctx_json_is(it.key, "input"))
			continue; /* arguments may have a member of this name */
		if (!it.object || !ctx_json_is(it.key, "cache_control")) {
			find_marks(f, it.value);
			continue;
		}
		CTX_MEM_GROW(f->v, f->n, f->cap);
		f->v[f->n++] = (struct found_mark){
		    it.value.p, is_hour(it.value), refused};
	}
}

/* Finds all marks, in the order in which the provider reads them. */
static void
find_all_marks(struct found *f, struct ctx_span body)
{
	find_marks(f, ctx_json_get(body, "tools"));
	find_marks(f, ctx_json_get(body, "system"));
	f->n_front = f->n;
	find_marks(f, ctx_json_get(body, "messages"));
}

/* Drops marks from index first to before last, oldest first, until no more than "most"
 * are left. left: the number of marks now. Returns the number left. */
static size_t
drop_marks(struct found *f, size_t first, size_t last, size_t left, size_t most)
{
	for (size_t i = first; i < last && left > most; i++) {
		left -= !f->v[i].drop;
		f->v[i].drop = true;
	}
	return left;
}

/* Chooses the marks to drop: a mark of one hour must precede those of five minutes, and a
 * request may have four marks. top: the mark of the body itself, which counts as the last
 * one, or absent. True if any mark is to be dropped. */
static bool
choose_dropped(struct found *f, struct ctx_span top)
{
	size_t most = MARKS_MAX - (top.p != NULL);
	bool minutes = false, any = false;
	size_t left = 0;

	for (size_t i = 0; i < f->n; i++) {
		f->v[i].drop |= f->v[i].hour ? minutes : is_hour(top);
		minutes |= !f->v[i].drop && !f->v[i].hour;
		left += !f->v[i].drop;
	}
	left = drop_marks(f, f->n_front, f->n, left, most);
	drop_marks(f, 0, f->n_front, left, most);
	for (size_t i = 0; i < f->n; i++)
		any |= f->v[i].drop;
	return any;
}

static bool
is_dropped(const struct found *f, const char *value)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].at == value)
			return f->v[i].drop;
	return false;
}

static void
copy_without(struct ctx_buf *out, struct ctx_span value, const struct found *f)
{
	enum ctx_json_type type = ctx_json_type(value);

	if (type != CTX_JSON_OBJECT && type != CTX_JSON_ARRAY) {
		ctx_buf_addspan(out, value);
		return;
	}
	ctx_json_put_open(out, type == CTX_JSON_OBJECT ? '{' : '[');
	CTX_JSON_EACH(it, value) {
		if (it.object && is_dropped(f, it.value.p))
			continue;
		if (out->p[out->n - 1] != '{' && out->p[out->n - 1] != '[')
			ctx_buf_addc(out, ',');
		if (it.object) {
			ctx_buf_addspan(out, it.key);
			ctx_buf_addc(out, ':');
		}
		copy_without(out, it.value, f);
	}
	ctx_json_put_close(out, type == CTX_JSON_OBJECT ? '}' : ']');
}

void
ctx_cache_thin(struct ctx_buf *out, struct ctx_span body)
{
	struct found f = {0};

	find_all_marks(&f, body);
	if (choose_dropped(&f, ctx_json_get(body, "cache_control")))
		copy_without(out, body, &f);
	else
		ctx_buf_addspan(out, body);
	free(f.v);
}

/* ---- marks that ctx adds ---- */

/* Returns the lifetime for a new mark at this place: ttl, unless the user's marks before
 * or after it allow only the other lifetime. */
static const char *
choose_ttl(const struct found *f, const char *place, const char *ttl)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].at > place ? f->v[i].hour : !f->v[i].hour)
			return f->v[i].at > place ? "1h" : "5m";
	return ttl;
}

void
ctx_cache_mark(struct ctx_buf *out, struct ctx_span body, const char *ttl)
{
	struct blocks front = {0}, rest = {0};
	struct marks m = {.n = 0};
	struct found f = {0};
	struct ctx_span top = ctx_json_get(body, "cache_control");
	const char *at = body.p;

	if (top.p != NULL)
		ttl = is_hour(top) ? "1h" : "5m";
	find_all_marks(&f, body);
	read_body(body, &front, &rest);
	m.room = MARKS_MAX - front.marks - rest.marks - (top.p != NULL);
	choose_marks(&m, &front, &rest);
	qsort(m.v, m.n, sizeof(m.v[0]), compare_cache_span_places);
	for (size_t i = 0; i < m.n; i++) {
		ctx_buf_add(out, at, (size_t)(m.v[i].p - at));
		put_marked(out, m.v[i], choose_ttl(&f, m.v[i].p, ttl));
		at = m.v[i].p + m.v[i].n;
	}
	ctx_buf_add(out, at, (size_t)(body.p + body.n - at));
	free(front.v);
	free(rest.v);
	free(f.v);
}
