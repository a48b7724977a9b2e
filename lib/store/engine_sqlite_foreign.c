/* The engine for SQLite: databases of other programs. */
#include "store/foreign.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "json/json.h"
#include "store/engine_sqlite.h"

#define WAIT_MS 5000
/* a table with this number of rows needs an index for finding rows */
#define ROWS_MANY 500
/* Limit on the instructions of SQLite's virtual machine for one row: a minimum, plus a
 * number per byte of the file, because reading a row may need a scan of all others. */
#define WORK_STEP 10000
#define WORK_LEAST 20000000
#define WORK_A_BYTE 4

struct ctx_foreign {
	sqlite3 *h;
	char *path;
	size_t max; /* longest value in bytes */
	/* instructions used for the current row, and their limit, in units of
	 * WORK_STEP */
	int64_t work, most;
};

static int
count_work(void *arg)
{
	struct ctx_foreign *f = arg;

	return ++f->work > f->most;
}

static void
limit_work(struct ctx_foreign *f)
{
	struct stat st;
	int64_t size = stat(f->path, &st) == 0 ? (int64_t)st.st_size : 0;

	f->most = (WORK_LEAST + WORK_A_BYTE * size) / WORK_STEP;
	sqlite3_progress_handler(f->h, WORK_STEP, count_work, f);
}

static int
fail_foreign(struct ctx_foreign *f, enum ctx_code code, struct ctx_err *err)
{
	return ctx_err_set(
	    err, code, "cannot read '%s': %s", f->path, sqlite3_errmsg(f->h));
}

/* Sets the options and limits that keep the file's schema and values from doing harm. */
static void
guard_foreign(struct ctx_foreign *f)
{
	sqlite3_busy_timeout(f->h, WAIT_MS);
	sqlite3_db_config(f->h, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(f->h, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(
	    f->h, SQLITE_LIMIT_LENGTH, f->max > INT32_MAX ? INT32_MAX : (int)f->max);
	sqlite3_limit(f->h, SQLITE_LIMIT_ATTACHED, 0);
	limit_work(f);
}

static int
begin_foreign(struct ctx_foreign *f)
{
	return ctx_foreign_add_functions(f->h, &f->max) == SQLITE_OK &&
		       sqlite3_exec(f->h, "PRAGMA query_only = 1; BEGIN", NULL, NULL,
			   NULL) == SQLITE_OK
		   ? 0
		   : -1;
}

int
ctx_foreign_open(
    struct ctx_foreign **out, const char *path, size_t max, struct ctx_err *err)
{
	struct ctx_foreign *f = ctx_mem_new(sizeof(*f));
	bool opened;

	*out = NULL;
	f->path = ctx_mem_str(path);
	f->max = max;
	opened = sqlite3_open_v2(path, &f->h, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK;
	if (opened)
		guard_foreign(f);
	if (!opened || begin_foreign(f) < 0) {
		fail_foreign(f, opened ? CTX_EINPUT : CTX_EIO, err);
		ctx_foreign_close(f);
		return -1;
	}
	*out = f;
	return 0;
}

void
ctx_foreign_close(struct ctx_foreign *f)
{
	if (f == NULL)
		return;
	sqlite3_close(f->h);
	free(f->path);
	free(f);
}

int
ctx_foreign_prepare(
    struct ctx_foreign *f, struct ctx_stmt **q, const char *sql, struct ctx_err *err)
{
	sqlite3_stmt *made = NULL;
	int rc;

	f->work = 0;
	rc = sqlite3_prepare_v2(f->h, sql, -1, &made, NULL);
	*q = ctx_sqlite_wrap(made);
	return rc == SQLITE_OK ? 0 : fail_foreign(f, CTX_EINPUT, err);
}

int
ctx_foreign_step(struct ctx_foreign *f, struct ctx_stmt *q, struct ctx_err *err)
{
	int step;

	f->work = 0;
	step = sqlite3_step(ctx_sqlite_stmt(q));
	if (step == SQLITE_ROW)
		return 1;
	if (step == SQLITE_DONE)
		return 0;
	if (step != SQLITE_INTERRUPT)
		return fail_foreign(f, CTX_EINPUT, err);
	/* the limit is halved each time, so that many such rows take no longer than
	 * two */
	f->most = f->most / 2 + 1;
	return ctx_err_set(
	    err, CTX_EINPUT, "cannot read '%s': reading one row takes too long", f->path);
}

/* ---- missing indexes ---- */

static const char lacks_index[] =
    "SELECT (SELECT count(*) FROM (SELECT 1 FROM \"%w\" LIMIT %d)) = %d "
    "AND NOT EXISTS ("
    "SELECT 1 "
    "FROM pragma_index_list(%Q) l "
    "JOIN pragma_index_info(l.name) i "
    "WHERE i.seqno = 0 AND i.name = %Q AND l.partial = 0)";

static bool
lacks_foreign_index(struct ctx_foreign *f, const char *table, const char *column)
{
	char *sql = sqlite3_mprintf(
	    lacks_index, table, ROWS_MANY, ROWS_MANY, table, column);
	sqlite3_stmt *q = NULL;
	bool lacks;

	f->work = 0;
	lacks = sqlite3_prepare_v2(f->h, sql, -1, &q, NULL) == SQLITE_OK &&
		sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int(q, 0) != 0;

	sqlite3_finalize(q);
	sqlite3_free(sql);
	return lacks;
}

/* Replaces the connection by one to a private copy of the database. */
static int
copy_foreign(struct ctx_foreign *f, struct ctx_err *err)
{
	sqlite3 *from = f->h, *copy = NULL;
	sqlite3_backup *b = NULL;

	if (sqlite3_open_v2(
		"", &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK)
		b = sqlite3_backup_init(copy, "main", from, "main");
	if (b != NULL)
		sqlite3_backup_step(b, -1);
	if (b == NULL || sqlite3_backup_finish(b) != SQLITE_OK) {
		ctx_err_set(err, CTX_EIO, "cannot copy '%s' to a temporary file: %s",
		    f->path, sqlite3_errmsg(copy));
		sqlite3_close(copy);
		return -1;
	}
	sqlite3_close(from);
	f->h = copy;
	guard_foreign(f);
	return 0;
}

int
ctx_foreign_index(struct ctx_foreign *f, const char *const names[], struct ctx_err *err)
{
	bool copied = false;
	int rc = 0;

	for (; *names != NULL && rc == 0; names++) {
		char *table = ctx_mem_str(*names), *column = strchr(table, '.');
		*column++ = '\0';
		if (ctx_foreign_has(f, *names) && lacks_foreign_index(f, table, column)) {
			char *sql = sqlite3_mprintf(
			    "CREATE INDEX \"ctx %w\" ON \"%w\" (\"%w\")", *names, table,
			    column);
			rc = copied ? 0 : copy_foreign(f, err);
			copied = true;
			f->work = 0;
			if (rc == 0)
				sqlite3_exec(f->h, sql, NULL, NULL, NULL);
			sqlite3_free(sql);
		}
		free(table);
	}
	if (rc == 0 && copied && begin_foreign(f) < 0)
		rc = fail_foreign(f, CTX_EINPUT, err);
	return rc;
}

static const char list_tables[] =
    "SELECT t.name, ("
    "SELECT json_group_array(c.name) "
    "FROM pragma_table_info(t.name) c) "
    "FROM sqlite_master t "
    "WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' "
    "LIMIT 1000";

int
ctx_foreign_tables(struct ctx_foreign *f, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_stmt *q;
	int rc = ctx_foreign_prepare(f, &q, list_tables, err);

	ctx_json_put_open(out, '{');
	ctx_json_add_open(out, "tables", '{');
	while (rc == 0 && (rc = ctx_foreign_step(f, q, err)) == 1) {
		ctx_json_put_string(out, ctx_stmt_span(q, 0));
		ctx_buf_addc(out, ':');
		ctx_buf_addspan(out, ctx_stmt_span(q, 1));
		rc = 0;
	}
	ctx_stmt_close(q);
	ctx_json_put_close(out, '}');
	ctx_json_put_close(out, '}');
	return rc;
}

bool
ctx_foreign_has(struct ctx_foreign *f, const char *name)
{
	char *table = ctx_mem_str(name), *column = strchr(table, '.');
	bool found;

	if (column != NULL)
		*column++ = '\0';
	found = sqlite3_table_column_metadata(
		    f->h, NULL, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
	free(table);
	return found;
}

static bool
skip_word(struct ctx_span *line, const char *word)
{
	size_t n = strlen(word);

	if (line->n < n || memcmp(line->p, word, n) != 0)
		return false;
	line->p += n;
	line->n -= n;
	return true;
}

/* Returns true unless line is a condition that forbids the statement after it. */
static bool
allows_statement(struct ctx_foreign *f, struct ctx_span line)
{
	bool with = skip_word(&line, "-- with "), allowed = true;

	if (!with && !skip_word(&line, "-- without "))
		return true;
	while (allowed && line.n > 0) {
		const char *space = memchr(line.p, ' ', line.n);
		size_t n = space == NULL ? line.n : (size_t)(space - line.p);
		if (n > 0) {
			char *word = ctx_span_dup((struct ctx_span){line.p, n});
			allowed = ctx_foreign_has(f, word) == with;
			free(word);
		}
		n += space != NULL;
		line.p += n;
		line.n -= n;
	}
	return allowed;
}

/* Skips the comments and blank lines before a statement. Returns false if one of them
 * forbids the statement. */
static bool
take_conditions(struct ctx_foreign *f, struct ctx_span *rest)
{
	bool allowed = true;

	for (;;) {
		const char *end;
		size_t n;
		*rest = ctx_span_trim(*rest);
		if (rest->n < 2 || memcmp(rest->p, "--", 2) != 0)
			return allowed;
		end = memchr(rest->p, '\n', rest->n);
		n = end == NULL ? rest->n : (size_t)(end - rest->p);
		allowed = allows_statement(f, (struct ctx_span){rest->p, n}) && allowed;
		rest->p += n;
		rest->n -= n;
	}
}

static int
run_statement(struct ctx_foreign *f, struct ctx_span *rest, ctx_foreign_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_sqlite_stmt q = {{.engine = &ctx_engine_sqlite}, NULL};
	const char *tail = NULL;
	int rc = 0, step = 1;

	f->work = 0;
	if (sqlite3_prepare_v2(f->h, rest->p, (int)rest->n, &q.h, &tail) != SQLITE_OK)
		return fail_foreign(f, CTX_EINPUT, err);
	rest->n -= (size_t)(tail - rest->p);
	rest->p = tail;
	if (q.h == NULL)
		return 0;
	if (!sqlite3_stmt_readonly(q.h))
		rc = ctx_err_set(
		    err, CTX_EUSAGE, "the SQL statement would change the database");
	while (rc == 0 && (step = ctx_foreign_step(f, &q.base, err)) > 0)
		rc = fn(arg, ctx_stmt_span(&q.base, 0), err);
	if (step < 0)
		rc = -1;
	sqlite3_finalize(q.h);
	return rc;
}

/* Skips a statement, which ends with a semicolon at the end of a line. */
static void
skip_statement(struct ctx_span *rest)
{
	while (
	    rest->n > 0 && (rest->p[0] != ';' || (rest->n > 1 && rest->p[1] != '\n'))) {
		rest->p++;
		rest->n--;
	}
	if (rest->n > 0) {
		rest->p++;
		rest->n--;
	}
}

int
ctx_foreign_run(struct ctx_foreign *f, struct ctx_span script, ctx_foreign_fn *fn,
    void *arg, struct ctx_err *err)
{
	int rc = 0;

	while (rc == 0) {
		bool allowed = take_conditions(f, &script);
		if (script.n == 0)
			break;
		if (allowed)
			rc = run_statement(f, &script, fn, arg, err);
		else
			skip_statement(&script);
	}
	return rc;
}
