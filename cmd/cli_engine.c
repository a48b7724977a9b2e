/* Runs the program of the same name that contains the engine of the store. */
#include "cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli_options.h"

#ifndef CTX_LIBEXEC
#error "CTX_LIBEXEC is set by the Makefile"
#endif

/* Runs the program from a directory next to this program: in the build tree, or where it
 * is installed. Returns only if it is not there. */
static void
exec_beside(const char *beside, const char *name, char **argv)
{
	struct ctx_buf path = CTX_BUF_INIT;
	char self[4096];
	long n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0) {
		self[n] = '\0';
		*strrchr(self, '/') = '\0';
		ctx_buf_addf(&path, "%s/%s/%s", self, beside, name);
		execv(path.p, argv);
	}
	ctx_buf_release(&path);
}

int
cli_engine_hand_over(const char *name, char **argv, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int why;

	if (cli_common.store == NULL || ctx_store_is_known(cli_common.store))
		return 0;
	argv[0] = (char *)name;
	exec_beside("pg", name, argv);
	exec_beside("../libexec/ctx", name, argv);
	ctx_buf_addf(&path, CTX_LIBEXEC "/%s", name);
	execv(path.p, argv);
	why = errno;
	if (why == ENOENT)
		ctx_err_set(err, CTX_ESTORE,
		    "the commands for PostgreSQL are not installed (Debian: ctx-postgresql): '%s' does not exist",
		    path.p);
	else
		ctx_err_sys(err, CTX_EIO, why, "cannot run '%s'", path.p);
	ctx_buf_release(&path);
	return -1;
}
