/* Output for people: see cli_term.h. */
#include "cli_term.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80
#define COLUMNS_MAX 1000
#define PAGER_DEFAULT "if command -v less >/dev/null; then exec less; else exec cat; fi"

struct cli_term_options cli_term_options = {.color = "auto"};

/* Returns the value of a variable, or NULL if it is unset or empty. */
static const char *
find_variable(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : NULL;
}

/* Returns whether the locale is UTF-8, judging by its name, because a static program may
 * not have the locale's tables. */
static bool
is_utf8_locale(void)
{
	const char *locale = find_variable("LC_ALL");

	if (locale == NULL)
		locale = find_variable("LC_CTYPE");
	if (locale == NULL)
		locale = find_variable("LANG");
	if (locale == NULL || (locale = strchr(locale, '.')) == NULL)
		return false;
	return strncasecmp(locale, ".utf-8", 6) == 0 ||
	       strncasecmp(locale, ".utf8", 5) == 0;
}

static int
find_columns(void)
{
	const char *set = find_variable("COLUMNS");
	struct winsize size;
	long n = set == NULL ? 0 : strtol(set, NULL, 10);

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		n = size.ws_col;
	return n <= 0 ? COLUMNS_DEFAULT : n > COLUMNS_MAX ? COLUMNS_MAX : (int)n;
}

int
cli_term_open(struct ctx_term *term, struct ctx_err *err)
{
	const char *color = cli_term_options.color, *type = find_variable("TERM");
	bool terminal = isatty(STDOUT_FILENO);

	tzset();
	term->many_colours = type != NULL && strstr(type, "256color") != NULL;
	term->now = cli_now();
	term->columns = terminal ? find_columns() : 0;
	term->utf8 = !terminal || is_utf8_locale();
	if (strcmp(color, "always") == 0)
		term->colour = true;
	else if (strcmp(color, "never") == 0)
		term->colour = false;
	else if (strcmp(color, "auto") == 0)
		term->colour = terminal && find_variable("NO_COLOR") == NULL &&
			       type != NULL && strcmp(type, "dumb") != 0;
	else
		return ctx_err_set(
		    err, CTX_EUSAGE, "--color: '%s' is not auto, always or never", color);
	return 0;
}

static void
take_short_id(void *arg, const char *session_id)
{
	ctx_short_ids_add(arg, session_id);
}

int
cli_term_short_ids(struct ctx_store *st, struct ctx_short_ids *ids, struct ctx_err *err)
{
	int rc = ctx_store_session_ids(st, take_short_id, ids, err);

	ctx_short_ids_sort(ids);
	return rc;
}

/* ---- the pager ---- */

static pid_t pager; /* 0: no pager runs */

static void
wait_for_pager(void)
{
	while (pager > 0 && waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
}

static void
run_pager(const char *command, int in)
{
	dup2(in, STDIN_FILENO);
	close(in);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Starts the pager. If that fails, output goes to the terminal directly. */
static void
start_pager(void)
{
	const char *command = find_variable("CTX_PAGER");
	int ends[2];

	if (command == NULL)
		command = find_variable("PAGER");
	if (command == NULL)
		command = PAGER_DEFAULT;
	if (strcmp(command, "cat") == 0 || pipe(ends) < 0)
		return;
	pager = fork();
	if (pager == 0) {
		close(ends[1]);
		run_pager(command, ends[0]);
	}
	close(ends[0]);
	if (pager > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
		signal(SIGINT, SIG_IGN); /* Ctrl-C is for the pager */
		cli_out.close = wait_for_pager;
	}
	close(ends[1]);
}

void
cli_term_page(void)
{
	if (!cli_term_options.no_pager && isatty(STDOUT_FILENO))
		cli_out.open = start_pager;
}
