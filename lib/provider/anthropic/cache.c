#include "provider/anthropic/cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define MARKS_MAX 4
#define LOOKBACK 18 /* blocks; the provider looks back 20, the mark included */

/* A block that can be marked, or the string that stands for one. */
struct block {
	struct ctx_span json;
	bool user; /* of a user message */
	bool can;  /* takes a mark */
};

struct blocks {
	struct block *v;
	size_t n, cap;
	int marks; /* the user's own */
};

static void
add_cache_block(struct blocks *b, struct ctx_span json, bool user)
{
	struct ctx_span type = ctx_json_get(json, "type");
	bool text = ctx_json_type(json) == CTX_JSON_STRING || ctx_json_is(type, "text");

	CTX_MEM_GROW(b->v, b->n, b->cap);
	b->v[b->n++] = (struct block){json, user,
	    ctx_json_get(json, "cache_control").p == NULL &&
		(text || ctx_json_is(type, "image") || ctx_json_is(type, "document") ||
		    ctx_json_is(type, "tool_use") || ctx_json_is(type, "tool_result"))};
	b->marks += ctx_json_get(json, "cache_control").p != NULL;
}

static void
add_cache_content(struct blocks *b, struct ctx_span content, bool user)
{
	struct ctx_json_iter it;

	if (ctx_json_type(content) == CTX_JSON_STRING) {
		add_cache_block(b, content, user);
		return;
	}
	ctx_json_iter_init(&it, content);
	while (ctx_json_iter_next(&it))
		add_cache_block(b, it.value, user);
}

/* The last block before index end that is the user's (or any one) and takes a mark; SIZE_MAX:
 * there is none. */
static size_t
find_last_cache_block(const struct blocks *b, size_t end, bool user)
{
	while (end-- > 0)
		if (b->v[end].can && (!user || b->v[end].user))
			return end;
	return SIZE_MAX;
}

/* Where the request before this one ended: the last block before the newest answer. */
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

/* In order of their worth. */
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
	if (ctx_json_type(block) == CTX_JSON_STRING) {
		ctx_buf_adds(out, "[{\"type\":\"text\",\"text\":");
		ctx_buf_addspan(out, block);
	} else {
		ctx_buf_addspan(out, (struct ctx_span){block.p, block.n - 1});
	}
	ctx_buf_adds(out, ",\"cache_control\":{\"type\":\"ephemeral\"");
	if (strcmp(ttl, "5m") != 0)
		ctx_json_add_str(out, "ttl", ttl);
	ctx_buf_adds(out, "}}");
	if (ctx_json_type(block) == CTX_JSON_STRING)
		ctx_buf_addc(out, ']');
}

static void
read_body(struct ctx_span body, struct blocks *front, struct blocks *rest)
{
	struct ctx_json_iter it;

	ctx_json_iter_init(&it, ctx_json_get(body, "tools"));
	while (ctx_json_iter_next(&it)) {
		add_cache_block(front, it.value, false);
		front->v[front->n - 1].can = ctx_json_get(it.value, "cache_control").p ==
						 NULL &&
					     !ctx_json_true(
						 ctx_json_get(it.value, "defer_loading"));
	}
	add_cache_content(front, ctx_json_get(body, "system"), false);
	ctx_json_iter_init(&it, ctx_json_get(body, "messages"));
	while (ctx_json_iter_next(&it)) {
		size_t first = rest->n;
		add_cache_content(rest, ctx_json_get(it.value, "content"),
		    !ctx_json_is(ctx_json_get(it.value, "role"), "assistant"));
		if (ctx_json_get(it.value, "clear_at").p != NULL)
			for (; first < rest->n; first++)
				rest->v[first].can = false;
	}
}

void
ctx_cache_mark(struct ctx_buf *out, struct ctx_span body, const char *ttl)
{
	struct blocks front = {0}, rest = {0};
	struct marks m = {.n = 0};
	const char *at = body.p;

	read_body(body, &front, &rest);
	m.room = MARKS_MAX - front.marks - rest.marks -
		 (ctx_json_get(body, "cache_control").p != NULL);
	choose_marks(&m, &front, &rest);
	qsort(m.v, m.n, sizeof(m.v[0]), compare_cache_span_places);
	for (size_t i = 0; i < m.n; i++) {
		ctx_buf_add(out, at, (size_t)(m.v[i].p - at));
		put_marked(out, m.v[i], ttl);
		at = m.v[i].p + m.v[i].n;
	}
	ctx_buf_add(out, at, (size_t)(body.p + body.n - at));
	free(front.v);
	free(rest.v);
}

/* ---- too many ---- */

struct found {
	const char **messages, **front; /* where the values of marks are */
	size_t n_messages, cap_messages, n_front, cap_front;
};

static void
find_marks(struct found *f, struct ctx_span value, bool messages)
{
	struct ctx_json_iter it;

	ctx_json_iter_init(&it, value);
	while (ctx_json_iter_next(&it)) {
		if (it.object && ctx_json_is(it.key, "input"))
			continue; /* arguments are not ours */
		if (!it.object || !ctx_json_is(it.key, "cache_control")) {
			find_marks(f, it.value, messages);
		} else if (messages) {
			CTX_MEM_GROW(f->messages, f->n_messages, f->cap_messages);
			f->messages[f->n_messages++] = it.value.p;
		} else {
			CTX_MEM_GROW(f->front, f->n_front, f->cap_front);
			f->front[f->n_front++] = it.value.p;
		}
	}
}

static bool
is_dropped(const struct found *f, const char *value, size_t drop)
{
	for (size_t i = 0; i < f->n_messages && i < drop; i++)
		if (f->messages[i] == value)
			return true;
	for (size_t i = 0; f->n_messages + i < drop; i++)
		if (f->front[i] == value)
			return true;
	return false;
}

static void
copy_without(
    struct ctx_buf *out, struct ctx_span value, const struct found *f, size_t drop)
{
	struct ctx_json_iter it;
	enum ctx_json_type type = ctx_json_type(value);

	if (type != CTX_JSON_OBJECT && type != CTX_JSON_ARRAY) {
		ctx_buf_addspan(out, value);
		return;
	}
	ctx_json_put_open(out, type == CTX_JSON_OBJECT ? '{' : '[');
	ctx_json_iter_init(&it, value);
	while (ctx_json_iter_next(&it)) {
		if (it.object && is_dropped(f, it.value.p, drop))
			continue;
		if (out->p[out->n - 1] != '{' && out->p[out->n - 1] != '[')
			ctx_buf_addc(out, ',');
		if (it.object) {
			ctx_buf_addspan(out, it.key);
			ctx_buf_addc(out, ':');
		}
		copy_without(out, it.value, f, drop);
	}
	ctx_json_put_close(out, type == CTX_JSON_OBJECT ? '}' : ']');
}

void
ctx_cache_thin(struct ctx_buf *out, struct ctx_span body)
{
	struct ctx_json_iter it;
	struct found f = {0};
	size_t n;

	ctx_json_iter_init(&it, body);
	while (ctx_json_iter_next(&it))
		if (ctx_json_is(it.key, "tools") || ctx_json_is(it.key, "system") ||
		    ctx_json_is(it.key, "messages"))
			find_marks(&f, it.value, ctx_json_is(it.key, "messages"));
	n = f.n_messages + f.n_front + (ctx_json_get(body, "cache_control").p != NULL);
	if (n <= MARKS_MAX)
		ctx_buf_addspan(out, body);
	else
		copy_without(out, body, &f, n - MARKS_MAX);
	free(f.messages);
	free(f.front);
}
