/* Parses options, then the environment, then the configuration file. Prints the help. */
#include "cli_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "provider/server.h"

#ifndef CTX_VERSION
#error "CTX_VERSION is set by the Makefile"
#endif

static const struct cli_command *command;

#define MAX_OPTIONS 64

static bool flagged[MAX_OPTIONS];
/* for each option that was not set on the command line, the variable or file that set
 * it */
static const char *origins[MAX_OPTIONS];

bool
cli_flagged(const void *value)
{
	for (size_t i = 0; command->options[i].name != NULL; i++)
		if (command->options[i].value == value)
			return flagged[i];
	return false;
}

const struct cli_option *
cli_option_table(void)
{
	return command->options;
}

/* Returns the origin of the option whose name is at the beginning of text, or NULL. *n is
 * the length of that name in bytes. */
static const char *
find_origin(const char *text, size_t *n)
{
	*n = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
	for (size_t i = 0; command != NULL && command->options[i].name != NULL; i++)
		if (strlen(command->options[i].name) == *n &&
		    strncmp(command->options[i].name, text, *n) == 0)
			return origins[i];
	return NULL;
}

void
cli_name_origins(struct ctx_buf *out, const char *text)
{
	for (const char *p = text; *p != '\0';) {
		bool starts = p == text || p[-1] == ' ' || p[-1] == '(';
		const char *origin = NULL;
		size_t n;

		if (starts && strncmp(p, "--", 2) == 0)
			origin = find_origin(p + 2, &n);
		if (origin != NULL) {
			ctx_buf_adds(out, origin);
			p += 2 + n;
		} else {
			ctx_buf_addc(out, *p++);
		}
	}
}

const char *
cli_operand_hint(void)
{
	for (size_t i = 0; command->options[i].name != NULL; i++) {
		if (strcmp(command->options[i].name, "text") == 0 && flagged[i])
			return " (quote a text of several words)";
		if (strcmp(command->options[i].name, "session") == 0 && !flagged[i])
			return " (use -s SID to name a session)";
		if (strcmp(command->options[i].name, "id") == 0 && !flagged[i] &&
		    strcmp(command->options[i].arg, "SID") == 0)
			return " (use --id SID to name a session)";
	}
	return "";
}

/* Appends the text, with placeholders replaced by lists of names. */
static void
put_help_text(struct ctx_buf *b, const char *text)
{
	static const char names[] = CLI_PROVIDERS, servers[] = CLI_SERVERS;

	while (*text != '\0') {
		if (strncmp(text, names, sizeof(names) - 1) == 0) {
			text += sizeof(names) - 1;
			ctx_provider_names(b, *text == '\0' ? " or " : ", ");
		} else if (strncmp(text, servers, sizeof(servers) - 1) == 0) {
			text += sizeof(servers) - 1;
			ctx_server_names(b);
		} else {
			ctx_buf_addc(b, *text++);
		}
	}
}

static void
help_line(const struct cli_option *o)
{
	struct ctx_buf left = CTX_BUF_INIT;

	if (o->letter)
		ctx_buf_addf(&left, "  -%c, --%s", o->letter, o->name);
	else
		ctx_buf_addf(&left, "      --%s", o->name);
	if (o->arg != NULL)
		ctx_buf_addf(&left, " %s", o->arg);
	ctx_buf_addf(&cli_out.buf, "%-30s ", left.p);
	put_help_text(&cli_out.buf, o->help);
	if (o->env != NULL)
		ctx_buf_addf(&cli_out.buf, " [%s]", o->env);
	ctx_buf_addc(&cli_out.buf, '\n');
	ctx_buf_release(&left);
}

static void
put_usage_text(struct ctx_buf *b)
{
	const char *p = command->synopsis;

	for (const char *lead = "usage: "; *p; lead = "       ") {
		size_t n = strcspn(p, "\n");
		ctx_buf_addf(
		    b, "%s%s%s%.*s\n", lead, command->name, n > 0 ? " " : "", (int)n, p);
		p += n + (p[n] == '\n');
	}
}

static void
print_option_help(void)
{
	put_usage_text(&cli_out.buf);
	ctx_buf_addf(&cli_out.buf, "\n%s\n\n", command->about);
	for (const struct cli_option *o = command->options; o->name != NULL; o++)
		help_line(o);
	ctx_buf_addf(&cli_out.buf, "%-30s %s\n%-30s %s\n%-30s %s\n\nManual: %s(1)\n",
	    "  -v, --verbose", "print timings on stderr at the end", "  -h, --help",
	    "print this help", "  -V, --version", "print the version", command->name);
}

/* tables for getopt_long, derived from the command's table */
struct getopt_tables {
	struct option longs[MAX_OPTIONS + 4];
	char shorts[2 * MAX_OPTIONS + 9];
};

/* Fills t, which is all zero. */
static void
make_getopt_tables(struct getopt_tables *t)
{
	char *s = t->shorts;
	size_t i;

	if (command->stop_at_operand)
		*s++ = '+';
	*s++ = ':';
	for (i = 0; command->options[i].name != NULL; i++) {
		const struct cli_option *o = &command->options[i];
		t->longs[i] = (struct option){o->name,
		    o->arg != NULL ? required_argument : no_argument, NULL, 256 + (int)i};
		if (o->letter) {
			*s++ = o->letter;
			if (o->arg != NULL)
				*s++ = ':';
		}
	}
	t->longs[i] = (struct option){"help", no_argument, NULL, 'h'};
	t->longs[i + 1] = (struct option){"version", no_argument, NULL, 'V'};
	t->longs[i + 2] = (struct option){"verbose", no_argument, NULL, 'v'};
	memcpy(s, "hVv", 4);
}

static int
row_of(int c)
{
	if (c >= 256)
		return c - 256;
	for (int i = 0; command->options[i].name != NULL; i++)
		if (command->options[i].letter == c)
			return i;
	return -1;
}

/* Finds the command's option that is most similar to a mistyped one. */
static void
find_nearest(struct cli_nearest *near, const char *option)
{
	char name[64] = "";

	if (strncmp(option, "--", 2) == 0 && strlen(option) < sizeof(name))
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(option + 2, "="),
		    option + 2);
	cli_nearest_init(near, name);
	for (const struct cli_option *o = command->options;
	     *name != '\0' && o->name != NULL; o++)
		cli_nearest_try(near, o->name);
	near->word = NULL;
}

int
cli_options_parse(
    const struct cli_command *of, int argc, char **argv, struct ctx_err *err)
{
	struct getopt_tables t = {0};
	int c;

	command = of;
	make_getopt_tables(&t);
	opterr = 0;
	while ((c = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		const struct cli_option *o;
		int row;
		if (c == '?' || c == ':') {
			char letter[3] = {'-', (char)optopt, 0};
			struct cli_nearest near;
			const char *what = optind > 0 &&
						   strncmp(argv[optind - 1], "--", 2) == 0
					       ? argv[optind - 1]
					       : letter;
			if (c == '?' && optopt != 0 && strchr(what, '=') != NULL)
				return ctx_err_set(err, CTX_EUSAGE,
				    "option %.*s does not allow an argument",
				    (int)strcspn(what, "="), what);
			find_nearest(&near, what);
			if (c == '?' && near.name != NULL)
				return ctx_err_set(err, CTX_EUSAGE,
				    "unknown option '%s': did you mean --%s? (--help lists the options)",
				    what, near.name);
			return ctx_err_set(err, CTX_EUSAGE,
			    "%s '%s' (--help lists the options)",
			    c == ':' ? "missing argument after" : "unknown option", what);
		}
		if (c == 'h' || c == 'V') {
			if (c == 'h')
				print_option_help();
			else
				ctx_buf_addf(
				    &cli_out.buf, "%s %s\n", command->name, CTX_VERSION);
			return 1;
		}
		if (c == 'v') {
			cli_timings_start();
			continue;
		}
		row = row_of(c);
		o = &command->options[row];
		if (cli_value_set(o, o->arg == NULL ? "true" : optarg, err) < 0)
			return ctx_err_prefix(err, "--%s", o->name);
		flagged[row] = true;
	}
	return 0;
}

/* ---- settings ---- */

/* Sets the error for a path that cannot be read: CTX_EUSAGE if the path is wrong, CTX_EIO
 * if reading it failed. */
static int
cannot_read(const char *path, int why, struct ctx_err *err)
{
	bool wrong = why == ENOENT || why == ENOTDIR || why == ELOOP ||
		     why == ENAMETOOLONG;

	return ctx_err_sys(
	    err, wrong ? CTX_EUSAGE : CTX_EIO, why, "cannot read '%s'", path);
}

/* Decides whether a missing file is simply not there, or there is an error: a broken
 * symbolic link anywhere in the path is an error. A home directory that is not a
 * directory (/dev/null) is not. */
static int
check_absent(const char *path, size_t base, struct ctx_err *err)
{
	char *above = ctx_mem_str(path), *slash;
	struct stat st;
	int why = 0, rc = 0;

	while ((slash = strrchr(above, '/')) != NULL) {
		slash[slash == above] = '\0';
		why = lstat(above, &st) == 0 ? 0 : errno;
		if ((why != ENOENT && why != ENOTDIR) || slash == above)
			break;
	}
	if (slash == NULL) { /* nothing of a relative path exists */
		free(above);
		return 0;
	}
	if (why == 0 && stat(above, &st) < 0)
		why = errno;
	else if (why == 0 && !S_ISDIR(st.st_mode) && strlen(above) > base)
		why = ENOTDIR;
	if (why != 0)
		rc = cannot_read(path, why, err);
	free(above);
	return rc;
}

const char *
cli_config_place(struct ctx_buf *path, const char *name)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (base != NULL && base[0] == '/')
		ctx_buf_addf(path, "%s/ctx/%s", base, name);
	else if ((base = home) != NULL && home[0] != '\0')
		ctx_buf_addf(path, "%s/.config/ctx/%s", home, name);
	else
		return NULL;
	return base;
}

int
cli_config_path(struct ctx_buf *path, const char *name, struct ctx_err *err)
{
	const char *base = cli_config_place(path, name);
	struct stat st;
	int rc = 1;

	if (base == NULL)
		return 0;
	if (lstat(path->p, &st) == 0) {
		/* opening a FIFO would block until it has a writer */
		if (stat(path->p, &st) < 0 || !S_ISFIFO(st.st_mode))
			return 1;
		rc = ctx_err_set(err, CTX_EUSAGE, "'%s' is not a regular file", path->p);
	} else if (errno == ENOENT || errno == ENOTDIR)
		rc = check_absent(path->p, strlen(base), err);
	else
		rc = cannot_read(path->p, errno, err);
	ctx_buf_reset(path);
	return rc;
}

/* Writes the name of the configuration member that belongs to an option. */
static void
member_name(char name[64], const char *option)
{
	size_t i;

	for (i = 0; i < 63 && option[i]; i++)
		name[i] = option[i] == '-' ? '_' : option[i];
	name[i] = '\0';
}

/* Returns whether some command reads this member. A command only knows its own
 * options. */
static bool
is_member(struct ctx_span key)
{
	static const char *const names[] = {"budget", "busy_timeout", "cache",
	    "cache_ttl", "embed_exec", "exec", "exec_timeout", "fraction", "idle_note",
	    "import_dir", "keep_last", "language", "max_record", "max_turns", "messages",
	    "mode", "no_summary", "params", "provider", "redact", "redact_rules",
	    "reserve", "resolve_exec", "resolve_ttl", "rolling", "run", "server",
	    "stable", "store", "strategy", "sync", "tenant", "threshold", "to",
	    "tokenizer", "ttl", "turns", "warn", NULL};

	return ctx_json_is_any(key, names);
}

static void
warn_unknown(const char *path, struct ctx_span config)
{
	CTX_JSON_EACH(it, config)
		if (!is_member(it.key))
			cli_warn("%s: unknown member %.*s", path,
			    (int)(it.key.n > 130 ? 130 : it.key.n), it.key.p);
}

static int
read_config(struct ctx_buf *path, struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_span value = CTX_SPAN_NONE;
	int rc = cli_config_path(path, "config.json", err);

	if (rc == 1) {
		rc = 0;
		if (ctx_io_read_found(path->p, text, (size_t)1 << 20, err) < 0 ||
		    ctx_json_check(ctx_buf_span(text), &value, NULL, err) < 0) {
			err->code = CTX_EUSAGE;
			rc = ctx_err_prefix(err, "%s", path->p);
		} else if (ctx_json_type(value) != CTX_JSON_OBJECT) {
			rc = ctx_err_set(
			    err, CTX_EUSAGE, "%s: not a JSON object", path->p);
		}
	}
	return rc;
}

/* Returns whether the value has the option's type. A string is accepted for every type,
 * as in a variable. */
static bool
is_of_type(struct ctx_span v, const struct cli_option *o)
{
	switch (ctx_json_type(v)) {
	case CTX_JSON_STRING:
		return ctx_json_is_text(v);
	case CTX_JSON_BOOL:
		return o->type == CLI_FLAG;
	case CTX_JSON_NUMBER:
		return o->type == CLI_INT || o->type == CLI_COUNT ||
		       o->type == CLI_DURATION || o->type == CLI_TIMEOUT ||
		       o->type == CLI_LIFETIME ||
		       (o->arg != NULL && strcmp(o->arg, "SHARE") == 0);
	default:
		return false;
	}
}

/* Sets *text to the configuration member that belongs to the option; NULL if it is
 * absent. */
static int
config_text(char **text, const char *path, struct ctx_span config,
    const struct cli_option *o, struct ctx_err *err)
{
	static const char *const types[] = {[CLI_FLAG] = "true or false",
	    [CLI_STRING] = "a string",
	    [CLI_INT] = "a number",
	    [CLI_COUNT] = "a number",
	    [CLI_DURATION] = "a time",
	    [CLI_TIMEOUT] = "a time",
	    [CLI_LIFETIME] = "a time",
	    [CLI_LIST] = "a string"};
	char key[64];
	struct ctx_span v;

	*text = NULL;
	member_name(key, o->name);
	v = ctx_json_get(config, key);
	if (ctx_json_type(v) == CTX_JSON_NONE)
		return 0;
	if (!is_of_type(v, o))
		return ctx_err_set(err, CTX_EUSAGE, "%s: %s: not %s", path, key,
		    ctx_json_type(v) == CTX_JSON_STRING ? "a text without NUL characters"
							: types[o->type]);
	*text = ctx_json_type(v) == CTX_JSON_STRING ? ctx_json_strdup(v)
						    : ctx_span_dup(v);
	return 0;
}

int
cli_settings_apply(struct ctx_err *err)
{
	struct ctx_buf config = CTX_BUF_INIT, path = CTX_BUF_INIT;
	struct ctx_buf origin = CTX_BUF_INIT; /* the option's variable keeps the string */
	bool read = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && command->options[i].name != NULL; i++) {
		const struct cli_option *o = &command->options[i];
		const char *env = o->env == NULL ? NULL : getenv(o->env);
		char *text = NULL, key[64];
		if (o->env == NULL || flagged[i])
			continue;
		if (env != NULL && env[0] != '\0') {
			if (cli_value_set(o, env, err) < 0)
				rc = ctx_err_prefix(err, "%s", o->env);
			origins[i] = o->env;
			continue;
		}
		if (!read && read_config(&path, &config, err) < 0) {
			rc = -1;
			break;
		}
		read = true;
		rc = config_text(
		    &text, path.p, ctx_span_trim(ctx_buf_span(&config)), o, err);
		if (text == NULL)
			continue;
		member_name(key, o->name);
		ctx_buf_addf(&origin, "%s: %s", path.p, key);
		origins[i] = ctx_buf_detach(&origin);
		if (cli_value_set(o, text, err) < 0) {
			err->code = CTX_EUSAGE;
			rc = ctx_err_prefix(err, "%s", origins[i]);
		}
		/* options of these types keep the string */
		if (o->type != CLI_STRING && o->type != CLI_LIST)
			free(text);
	}
	/* if another program takes over, it prints the warnings */
	if (read && (cli_common.store == NULL || ctx_store_is_known(cli_common.store)))
		warn_unknown(path.p, ctx_span_trim(ctx_buf_span(&config)));
	ctx_buf_release(&config);
	ctx_buf_release(&path);
	return rc;
}
