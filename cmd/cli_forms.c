/* Finds options by name, and refuses options that a form of a command does not use,
 * rather than ignoring them. */
#include "cli_options.h"

#include <string.h>

const struct cli_option *
cli_option_row(const char *name)
{
	for (const struct cli_option *o = cli_option_table(); o->name != NULL; o++)
		if (strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

bool
cli_has_option(const char *name)
{
	return cli_option_row(name) != NULL;
}

static bool
is_option_listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = list; (p = strstr(p, name)) != NULL; p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == '\0' || p[n] == ' '))
			return true;
	return false;
}

int
cli_check_form(const char *form, const char *takes, struct ctx_err *err)
{
	static const char common[] = "store tenant busy-timeout sync quiet";

	for (const struct cli_option *o = cli_option_table(); o->name != NULL; o++)
		if (cli_flagged(o->value) && !is_option_listed(takes, o->name) &&
		    !is_option_listed(common, o->name))
			return ctx_err_set(err, CTX_EUSAGE, "--%s cannot be used with %s",
			    o->name, form);
	return 0;
}

int
cli_check_alone(const char *names, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int given = 0;

	for (const char *p = names; *p != '\0';) {
		size_t n = strcspn(p, " ");
		const char *rest = p + n + (p[n] == ' ');
		for (const struct cli_option *o = cli_option_table(); o->name != NULL;
		     o++)
			if (strlen(o->name) == n && strncmp(o->name, p, n) == 0)
				given += cli_flagged(o->value);
		ctx_buf_addf(&text, "%s--%.*s",
		    p == names      ? ""
		    : *rest == '\0' ? " and "
				    : ", ",
		    (int)n, p);
		p = rest;
	}
	if (given > 1)
		ctx_err_set(err, CTX_EUSAGE, "%s cannot be used together", text.p);
	ctx_buf_release(&text);
	return given > 1 ? -1 : 0;
}

int
cli_check_needs(const void *value, bool met, const char *what, struct ctx_err *err)
{
	if (!cli_flagged(value) || met)
		return 0;
	for (const struct cli_option *o = cli_option_table(); o->name != NULL; o++)
		if (o->value == value)
			return ctx_err_set(
			    err, CTX_EUSAGE, "--%s needs %s", o->name, what);
	return 0;
}
