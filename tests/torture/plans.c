/* Preloaded into a dynamically linked program (LD_PRELOAD), writes to the file PLANS_LOG how
 * SQLite runs each statement that the program prepares: a line "name<TAB>step<TAB>SQL" for
 * each step of its plan, where name is "read" or "write". White space in the SQL is one
 * space. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int prepare_fn(sqlite3 *h, const char *sql, int n, unsigned flags,
    sqlite3_stmt **q, const char **tail);

static int
prepare(sqlite3 *h, const char *sql, int n, unsigned flags, sqlite3_stmt **q,
    const char **tail)
{
	static prepare_fn *real;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
	return real(h, sql, n, flags, q, tail);
}

static void
put_squeezed(FILE *out, const char *p)
{
	bool space = false;

	for (; *p != '\0'; p++) {
		if (strchr(" \t\n", *p) != NULL) {
			space = true;
			continue;
		}
		if (space)
			fputc(' ', out);
		space = false;
		fputc(*p, out);
	}
}

/* One write a statement: several processes share the file. */
static void
log_plan(sqlite3 *h, sqlite3_stmt *q)
{
	const char *path = getenv("PLANS_LOG");
	char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sqlite3_sql(q)),
	     *text = NULL;
	sqlite3_stmt *plan = NULL;
	size_t n = 0;
	FILE *out;
	int fd;

	if (path == NULL || sqlite3_stmt_isexplain(q) ||
	    prepare(h, sql, -1, 0, &plan, NULL) != SQLITE_OK) {
		sqlite3_free(sql);
		return;
	}
	out = open_memstream(&text, &n);
	while (out != NULL && sqlite3_step(plan) == SQLITE_ROW) {
		fprintf(out, "%s\t%s\t", sqlite3_stmt_readonly(q) ? "read" : "write",
		    (const char *)sqlite3_column_text(plan, 3));
		put_squeezed(out, sqlite3_sql(q));
		fputc('\n', out);
	}
	sqlite3_finalize(plan);
	sqlite3_free(sql);
	if (out == NULL)
		return;
	fclose(out);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (n > 0 && (fd < 0 || write(fd, text, n) != (ssize_t)n))
		abort();
	if (fd >= 0)
		close(fd);
	free(text);
}

int
sqlite3_prepare_v3(sqlite3 *h, const char *sql, int n, unsigned flags, sqlite3_stmt **q,
    const char **tail)
{
	int rc = prepare(h, sql, n, flags, q, tail);

	if (rc == SQLITE_OK && *q != NULL)
		log_plan(h, *q);
	return rc;
}

int
sqlite3_prepare_v2(
    sqlite3 *h, const char *sql, int n, sqlite3_stmt **q, const char **tail)
{
	return sqlite3_prepare_v3(h, sql, n, 0, q, tail);
}
