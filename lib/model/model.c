#include "model/model.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "model/row.h"

#define MIN_FACTOR 0.1
#define MAX_FACTOR 10.0

static const char builtin_table[] = {
#include "model/models.ndjson.inc"
};

static const char *const fact_names[CTX_MODEL_FACTS] = {"tokens", "window", "output",
    "cache", "reasoning", "system_inside", "sampling", "prefill", "forced_tools",
    "thinking", "tools"};

static struct ctx_span
get_builtin(void)
{
	return (struct ctx_span){builtin_table, sizeof(builtin_table) - 1};
}

/* Returns the next line of an NDJSON text, skipping blank lines; false at the end. */
static bool
take_model_row(struct ctx_span *text, struct ctx_span *row)
{
	while (ctx_span_split(text, '\n', row))
		if (strspn(row->p, " \t\r") < row->n)
			return true;
	return false;
}

static bool
match_row(struct ctx_span row, const char *name)
{
	struct ctx_buf pattern = CTX_BUF_INIT;
	bool found = false;

	CTX_JSON_EACH_WHILE(!found, it, ctx_json_get(row, "models")) {
		pattern.n = 0;
		ctx_json_decode(it.value, &pattern);
		ctx_buf_addc(&pattern, '\0');
		found = fnmatch(pattern.p, name, 0) == 0;
	}
	ctx_buf_release(&pattern);
	return found;
}

static bool
find_model_row(struct ctx_span *row, const char *name, const struct ctx_span tables[2],
    ctx_model_row_fn *accepts, const void *arg)
{
	struct ctx_span texts[] = {tables[0], tables[1]};

	for (size_t i = 0; i < 2; i++)
		while (texts[i].p != NULL && take_model_row(&texts[i], row))
			if (match_row(*row, name) &&
			    (accepts == NULL || accepts(arg, *row)))
				return true;
	return false;
}

static enum ctx_model_takes
read_takes(struct ctx_span value)
{
	if (ctx_json_is(value, "effort none"))
		return CTX_MODEL_EFFORT_NONE;
	if (ctx_json_type(value) == CTX_JSON_BOOL)
		return ctx_json_true(value) ? CTX_MODEL_YES : CTX_MODEL_NO;
	return CTX_MODEL_UNKNOWN;
}

static int64_t
read_tokens(struct ctx_span value)
{
	int64_t v;

	return ctx_json_int(value, &v) && v > 0 ? v : -1;
}

static double
read_factor(struct ctx_span value)
{
	double v;

	return ctx_json_double(value, &v) && v >= MIN_FACTOR && v <= MAX_FACTOR ? v : 1;
}

static void
read_unsure(struct ctx_model *m, struct ctx_span names)
{
	CTX_JSON_EACH(it, names)
		for (size_t i = 0; i < CTX_MODEL_FACTS; i++)
			if (ctx_json_is(it.value, fact_names[i]))
				m->unsure[i] = true;
}

static void
read_model_row(struct ctx_model *m, struct ctx_span row)
{
	struct ctx_span tokens = ctx_json_get(row, "tokens");

	*m = (struct ctx_model){.row = row};
	m->provider = ctx_json_get(row, "provider");
	m->server = ctx_json_get(row, "server");
	m->prose = read_factor(ctx_json_get(tokens, "prose"));
	m->code = read_factor(ctx_json_get(tokens, "code"));
	m->window = read_tokens(ctx_json_get(row, "window"));
	m->output = read_tokens(ctx_json_get(row, "output"));
	m->cache = ctx_json_get(ctx_json_get(row, "cache"), "style");
	m->reasoning = ctx_json_get(row, "reasoning");
	m->thinking = ctx_json_get(row, "thinking");
	m->system_inside = read_takes(ctx_json_get(row, "system_inside"));
	m->sampling = read_takes(ctx_json_get(row, "sampling"));
	m->prefill = read_takes(ctx_json_get(row, "prefill"));
	m->forced_tools = read_takes(ctx_json_get(row, "forced_tools"));
	m->tools = ctx_json_is(ctx_json_get(row, "tools"), "responses")
		       ? CTX_MODEL_NO
		       : read_takes(ctx_json_get(row, "tools"));
	read_unsure(m, ctx_json_get(row, "unsure"));
}

/* Returns the name without a router's prefix: "openrouter/anthropic/claude-x",
 * "us.anthropic.claude-x", "ft:gpt-4o:org", "models/x". */
static const char *
skip_prefix(const char *name)
{
	static const char *const parts[] = {"anthropic.", "ft:", NULL};
	const char *slash = strrchr(name, '/');

	if (slash != NULL)
		name = slash + 1;
	for (size_t i = 0; parts[i] != NULL; i++) {
		const char *at = strstr(name, parts[i]);
		if (at != NULL)
			name = at + strlen(parts[i]);
	}
	return name;
}

bool
ctx_model_row_find(struct ctx_span *row, struct ctx_span name, struct ctx_span user,
    struct ctx_span builtin, ctx_model_row_fn *accepts, const void *arg)
{
	const struct ctx_span tables[2] = {user, builtin};
	char *text = ctx_span_dup(name);
	bool found = find_model_row(row, text, tables, accepts, arg) ||
		     find_model_row(row, skip_prefix(text), tables, accepts, arg);

	free(text);
	return found;
}

bool
ctx_model_find(struct ctx_model *out, struct ctx_span name, struct ctx_span user)
{
	struct ctx_span row;

	if (!ctx_model_row_find(&row, name, user, get_builtin(), NULL, NULL))
		return false;
	read_model_row(out, row);
	return true;
}

static int
check_row(struct ctx_span row, struct ctx_err *err)
{
	enum { MODELS, TOKENS, CACHE, THINKING, N };
	static const char *const keys[N] = {"models", "tokens", "cache", "thinking"};
	static const enum ctx_json_type types[N] = {
	    CTX_JSON_ARRAY, CTX_JSON_OBJECT, CTX_JSON_OBJECT, CTX_JSON_ARRAY};
	struct ctx_span value, v[N];

	if (ctx_json_check(row, &value, NULL, err) < 0)
		return -1;
	if (ctx_json_type(value) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EINPUT, "not a JSON object");
	ctx_json_get_all(value, keys, v, N);
	for (size_t i = 0; i < N; i++)
		if (v[i].p != NULL && ctx_json_type(v[i]) != types[i])
			return ctx_err_set(err, CTX_EINPUT, "\"%s\" must be an %s",
			    keys[i], types[i] == CTX_JSON_ARRAY ? "array" : "object");
	CTX_JSON_EACH(it, v[MODELS])
		if (!ctx_json_is_text(it.value))
			return ctx_err_set(
			    err, CTX_EINPUT, "an element of \"models\" is not a string");
	if (ctx_json_first(v[MODELS]).p == NULL)
		return ctx_err_set(
		    err, CTX_EINPUT, "\"models\" (an array of name patterns) is missing");
	return 0;
}

int
ctx_models_check(struct ctx_span user, struct ctx_err *err)
{
	struct ctx_span row;

	for (size_t line = 1; ctx_span_split(&user, '\n', &row); line++)
		if (strspn(row.p, " \t\r") < row.n && check_row(row, err) < 0)
			return ctx_err_prefix(err, "line %zu", line);
	return 0;
}

void
ctx_models_print(struct ctx_buf *out, struct ctx_span user)
{
	struct ctx_span texts[] = {user, get_builtin()}, row;

	for (size_t i = 0; i < 2; i++)
		while (texts[i].p != NULL && take_model_row(&texts[i], &row)) {
			ctx_json_minify(row, out);
			ctx_buf_addc(out, '\n');
		}
}

int64_t
ctx_model_room(const struct ctx_model *m)
{
	if (m->window < 0)
		return -1;
	return m->output > 0 && m->output < m->window ? m->window - m->output : m->window;
}

double
ctx_model_factor(const struct ctx_model *m)
{
	return m->code > m->prose ? m->code : m->prose;
}

bool
ctx_model_thinks(const struct ctx_model *m, const char *form)
{
	CTX_JSON_EACH(it, m->thinking)
		if (ctx_json_is(it.value, form))
			return true;
	return false;
}
