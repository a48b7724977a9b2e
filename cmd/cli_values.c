/* Parses the arguments of options: numbers, times, text. */
#include "cli_options.h"

#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"

void
cli_list_add(struct cli_list *list, const char *s)
{
	CTX_MEM_GROW(list->v, list->n, list->cap);
	list->v[list->n++] = s;
}

int
cli_parse_int(int64_t *out, const char *s, struct ctx_err *err)
{
	struct ctx_span v = ctx_span_of(s);

	if (v.n == 0 || s[strspn(s, "0123456789")] != '\0')
		return ctx_err_set(err, CTX_EUSAGE, "'%s' is not a whole number", s);
	if (!ctx_json_int(v, out))
		return ctx_err_set(err, CTX_EUSAGE, "'%s' is more than %lld", s,
		    (long long)CTX_JSON_INT_MAX);
	return 0;
}

static int
set_bool(bool *out, const char *s, struct ctx_err *err)
{
	*out = strcmp(s, "1") == 0 || strcmp(s, "true") == 0;
	if (!*out && strcmp(s, "0") != 0 && strcmp(s, "false") != 0 && *s != '\0')
		return ctx_err_set(err, CTX_EUSAGE, "'%s' is not true or false", s);
	return 0;
}

/* Parses a time to live, which must not be 0: the session would expire immediately. */
static int
parse_lifetime(int64_t *out, const char *s, struct ctx_err *err)
{
	if (strcmp(s, "none") == 0) {
		*out = CTX_TIME_NONE;
		return 0;
	}
	if (ctx_time_parse_duration(ctx_span_of(s), out, err) < 0)
		return -1;
	if (*out == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "'%s' is not a time to live (a duration such as 90d, or none)", s);
	return 0;
}

static int
parse_count(int64_t *out, const char *s, int64_t least, struct ctx_err *err)
{
	if (cli_parse_int(out, s, err) < 0)
		return -1;
	if (*out < least)
		return ctx_err_set(
		    err, CTX_EUSAGE, "'%s' is less than %lld", s, (long long)least);
	return 0;
}

static int
parse_period(int64_t *out, const char *s, int64_t least, struct ctx_err *err)
{
	if (ctx_time_parse_duration(ctx_span_of(s), out, err) < 0)
		return -1;
	if (*out < least)
		return ctx_err_set(
		    err, CTX_EUSAGE, "the duration '%s' must not be zero", s);
	return 0;
}

/* Returns whether the argument becomes part of a record and so must be UTF-8. Files,
 * commands and ids to look up can be any bytes; --text and --question have their own
 * checks. */
static bool
is_record_text(const struct cli_option *o)
{
	static const char *const kinds[] = {"TEXT", "NAME", "REASON", "ACTION", "TYPE"};

	if (o->arg == NULL || strcmp(o->name, "text") == 0 ||
	    strcmp(o->name, "question") == 0 || strcmp(o->name, "tokenizer") == 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(o->arg, kinds[i]) == 0)
			return true;
	return false;
}

/* Returns whether the argument is an empty command, which turns off a setting. */
static bool
is_no_command(const struct cli_option *o, const char *s)
{
	return *s == '\0' && o->arg != NULL &&
	       (strcmp(o->arg, "CMD") == 0 || strcmp(o->arg, "COMMAND") == 0);
}

int
cli_value_set(const struct cli_option *o, const char *s, struct ctx_err *err)
{
	if (is_record_text(o) && ctx_utf8_valid(s, strlen(s)) != strlen(s))
		return ctx_err_set(err, CTX_EUSAGE, "not valid UTF-8");
	switch (o->type) {
	case CLI_FLAG:
		return set_bool(o->value, s, err);
	case CLI_STRING:
		*(const char **)o->value = is_no_command(o, s) ? NULL : s;
		return 0;
	case CLI_INT:
	case CLI_COUNT:
		return parse_count(o->value, s, o->type == CLI_COUNT ? 1 : 0, err);
	case CLI_DURATION:
	case CLI_TIMEOUT:
		return parse_period(o->value, s, o->type == CLI_TIMEOUT ? 1 : 0, err);
	case CLI_LIFETIME:
		return parse_lifetime(o->value, s, err);
	case CLI_LIST:
		cli_list_add(o->value, s);
		return 0;
	}
	return 0;
}
