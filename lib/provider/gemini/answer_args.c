/* Reads arguments of a Gemini function call that arrive in parts (partialArgs): each part
 * names its value by a JSON path such as "$.rows[0].name" (Google GenAI SDK,
 * PartialArg). */
#include "answer/internal.h"

#include <string.h>

#define PATH_DEPTH 64

static struct ctx_node *
enter_member(struct ctx_node *n, struct ctx_span name)
{
	struct ctx_buf key = CTX_BUF_INIT;
	struct ctx_node *kid;

	ctx_node_become(n, CTX_NODE_OBJECT);
	ctx_json_put_string(&key, name);
	kid = ctx_node_member(n, ctx_buf_span(&key));
	ctx_buf_release(&key);
	return kid;
}

static struct ctx_node *
enter_element(struct ctx_node *n, size_t index)
{
	ctx_node_become(n, CTX_NODE_LIST);
	while (n->n <= index && n->n < CTX_NODE_KIDS)
		ctx_node_add(n, CTX_SPAN_NONE);
	return index < n->n ? &n->kids[index] : ctx_node_add(n, CTX_SPAN_NONE);
}

static struct ctx_node *
fail_path(struct ctx_span path, struct ctx_err *err)
{
	ctx_err_set(err, CTX_EIO,
	    "a streamed part of a function call's arguments has an invalid path: %.*s",
	    (int)(path.n < 80 ? path.n : 80), path.p);
	return NULL;
}

/* Follows one step of the path, beginning at offset *at: ".name", "['name']" or "[0]".
 * Returns the node, creating it if missing, and sets *at after the step. */
static struct ctx_node *
take_path_step(struct ctx_node *n, struct ctx_span path, size_t *at, struct ctx_err *err)
{
	const char *p = path.p + *at, *end = path.p + path.n, *stop;
	size_t index = 0;

	if (*p == '.') {
		for (stop = ++p; stop < end && *stop != '.' && *stop != '['; stop++)
			;
		*at = (size_t)(stop - path.p);
		return stop == p
			   ? fail_path(path, err)
			   : enter_member(n, (struct ctx_span){p, (size_t)(stop - p)});
	}
	if (*p != '[' || ++p == end)
		return fail_path(path, err);
	if (*p == '\'' || *p == '"') {
		stop = memchr(p + 1, *p, (size_t)(end - p - 1));
		if (stop == NULL || stop + 1 == end || stop[1] != ']')
			return fail_path(path, err);
		*at = (size_t)(stop + 2 - path.p);
		return enter_member(n, (struct ctx_span){p + 1, (size_t)(stop - p - 1)});
	}
	for (stop = p; stop < end && *stop >= '0' && *stop <= '9'; stop++)
		index = index < CTX_NODE_KIDS ? index * 10 + (size_t)(*stop - '0')
					      : index;
	if (stop == p || stop == end || *stop != ']')
		return fail_path(path, err);
	*at = (size_t)(stop + 1 - path.p);
	return enter_element(n, index);
}

static struct ctx_node *
find_path(struct ctx_node *n, struct ctx_span path, struct ctx_err *err)
{
	size_t at = 1, depth = 0;

	if (path.n < 2 || path.p[0] != '$')
		return fail_path(path, err);
	while (n != NULL && at < path.n)
		n = ++depth > PATH_DEPTH ? fail_path(path, err)
					 : take_path_step(n, path, &at, err);
	return n;
}

static int
add_arg(struct ctx_answer_reader *r, struct ctx_node *input, struct ctx_span arg,
    struct ctx_err *err)
{
	enum { PATH, STRING, NUMBER, BOOL, NIL, MORE, N };
	static const char *const keys[N] = {"jsonPath", "stringValue", "numberValue",
	    "boolValue", "nullValue", "willContinue"};
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span v[N];
	struct ctx_node *n;

	ctx_json_get_all(arg, keys, v, N);
	n = find_path(input, ctx_json_text(v[PATH], &tmp), err);
	ctx_buf_release(&tmp);
	if (n == NULL)
		return -1;
	if (ctx_json_type(v[STRING]) == CTX_JSON_STRING) {
		if (n->tag == 0)
			ctx_answer_set(r, n, v[STRING]);
		else
			ctx_node_extend(n, ctx_answer_inside(r, v[STRING]));
	} else if (ctx_json_type(v[NUMBER]) == CTX_JSON_NUMBER) {
		ctx_answer_set(r, n, v[NUMBER]);
	} else if (ctx_json_type(v[BOOL]) == CTX_JSON_BOOL) {
		ctx_answer_set(r, n, v[BOOL]);
	} else if (n->tag == 0 || v[NIL].p != NULL) {
		ctx_node_set(n, ctx_span_of("null"));
	}
	n->tag = ctx_json_true(v[MORE]);
	return 0;
}

int
ctx_answer_add_args(struct ctx_answer_reader *r, struct ctx_node *input,
    struct ctx_span parts, struct ctx_err *err)
{
	if (ctx_json_type(parts) != CTX_JSON_ARRAY)
		return 0;
	CTX_JSON_EACH(it, parts)
		if (add_arg(r, input, it.value, err) < 0)
			return -1;
	return 0;
}
