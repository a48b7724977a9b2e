/* ctx NAME … runs ctx-NAME …, as git does. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/mem.h"

static struct cli_option options[] = {CLI_END};

/* Returns the directory from which this program was run. The other commands are there. */
static char *
own_directory(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	while (n > 0 && path[n - 1] != '/')
		n--;
	return n <= 0 ? NULL : ctx_mem_dup(path, (size_t)n);
}

/* {"ctx-append", "append messages to sessions"}, … */
static const struct {
	const char *name, *what;
} purposes[] = {
#include "commands.inc"
};

/* Returns the purpose of the command, or NULL if it is not part of this suite. */
static const char *
find_command_purpose(const char *name)
{
	for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
		if (strcmp(purposes[i].name + 4, name) == 0)
			return purposes[i].what;
	return NULL;
}

static int
print_commands(void)
{
	char *dir = own_directory(), **names = NULL;
	size_t n = 0, cap = 0;
	DIR *d = dir == NULL ? NULL : opendir(dir);
	struct dirent *e;

	ctx_buf_adds(&cli_out.buf, "usage: ctx COMMAND [ARGUMENT ...]\n"
				   "       ctx help [COMMAND]\n"
				   "\n"
				   "Keeps the context of LLM conversations. Commands:\n");
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "ctx-", 4) != 0 || strchr(e->d_name, '.') != NULL)
			continue;
		CTX_MEM_GROW(names, n, cap);
		names[n++] = ctx_mem_str(e->d_name + 4);
	}
	if (n > 0)
		qsort(names, n, sizeof(*names), ctx_compare_strings);
	for (size_t i = 0; i < n; i++) {
		const char *what = find_command_purpose(names[i]);
		if (what == NULL)
			ctx_buf_addf(&cli_out.buf, "  %s\n", names[i]);
		else
			ctx_buf_addf(&cli_out.buf, "  %-10s %s\n", names[i], what);
		free(names[i]);
	}
	ctx_buf_adds(&cli_out.buf, "\nManual: ctx(7)\n");
	free(names);
	free(dir);
	if (d != NULL)
		closedir(d);
	return 0;
}

/* Returns arguments for a command that must print its timings. argv[0] is its name. */
static char **
with_verbose(char **argv)
{
	static char verbose[] = "--verbose";
	char **with;
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	with = ctx_mem_new((n + 2) * sizeof(*with));
	with[0] = argv[0];
	with[1] = verbose;
	for (size_t i = 1; i < n; i++)
		with[i + 1] = argv[i];
	return with;
}

/* Replaces this process by ctx-NAME, from this program's directory or else from the PATH.
 * The command's name is the first argument, because one file may contain several
 * commands. */
static int
exec_suite_command(const char *name, char **argv, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	char *dir = own_directory(), **given = argv;
	bool plain;

	if (strncmp(name, "ctx-", 4) == 0)
		name += 4;
	plain = *name != '\0' && strchr(name, '/') == NULL;

	if (cli_common.verbose)
		argv = with_verbose(argv);
	if (plain && dir != NULL) {
		ctx_buf_addf(&path, "%sctx-%s", dir, name);
		argv[0] = path.p;
		execv(path.p, argv);
	}
	if (plain) {
		ctx_buf_reset(&path);
		ctx_buf_addf(&path, "ctx-%s", name);
		argv[0] = path.p;
		execvp(path.p, argv);
	}
	free(dir);
	ctx_buf_release(&path);
	if (argv != given)
		free(argv);
	if (!plain || errno == ENOENT) {
		struct cli_nearest near;
		cli_nearest_init(&near, name);
		for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
			cli_nearest_try(&near, purposes[i].name + 4);
		if (near.name != NULL)
			return ctx_err_set(err, CTX_EUSAGE,
			    "no command '%s': did you mean %s? (ctx help lists the commands)",
			    name, near.name);
		return ctx_err_set(err, CTX_EUSAGE,
		    "no command '%s' (ctx help lists the commands)", name);
	}
	return ctx_err_sys(err, CTX_EIO, errno, "cannot run 'ctx-%s'", name);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	char *help[3] = {NULL, "--help", NULL};

	if (argc == 0) {
		print_commands();
		return ctx_err_set(err, CTX_EUSAGE, "no command given");
	}
	if (strcmp(argv[0], "help") != 0)
		return exec_suite_command(argv[0], argv, err);
	if (argc == 1)
		return print_commands();
	help[0] = argv[1];
	return exec_suite_command(argv[1], help, err);
}

static const struct cli_command command = {
    .name = "ctx",
    .synopsis = "COMMAND [ARGUMENT ...]\nhelp [COMMAND]",
    .about =
	"Runs a command of the suite: ctx window … runs ctx-window …\nctx help lists the commands.",
    .options = options,
    .run = run,
    .stop_at_operand = true,
};

CLI_MAIN(command)
