/* The engine for PostgreSQL: connections, and the reasons of failures. */
#include "store/engine_pg.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/time.h"

/* Returns true for failures of the connection or the server, not of the statement: class
 * 08, and the codes of a shutdown. */
static bool
is_state_of_loss(const char *state)
{
	return strncmp(state, "08", 2) == 0 || strncmp(state, "57P0", 4) == 0;
}

int
ctx_pg_note(struct ctx_db *db, const PGresult *r)
{
	struct ctx_pg *pg = ctx_pg(db);
	const char *state = r == NULL ? NULL : PQresultErrorField(r, PG_DIAG_SQLSTATE);
	const char *text = r == NULL ? NULL
				     : PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
	struct ctx_span line;
	const char *end;

	if (text == NULL)
		text = PQerrorMessage(pg->c);
	end = strchr(text, '\n');
	line = ctx_span_trim(
	    (struct ctx_span){text, end == NULL ? strlen(text) : (size_t)(end - text)});
	free(pg->message);
	pg->message = ctx_mem_dup(line.p == NULL ? "" : line.p, line.n);
	memset(pg->state, 0, sizeof(pg->state));
	if (state != NULL)
		memcpy(pg->state, state, strnlen(state, 5));
	pg->lost = PQstatus(pg->c) != CONNECTION_OK || is_state_of_loss(pg->state);
	return -1;
}

bool
ctx_pg_is_passing(const struct ctx_pg *pg)
{
	return pg->lost || strcmp(pg->state, "40001") == 0 ||
	       strcmp(pg->state, "40P01") == 0;
}

/* Returns the address without parts that can contain a password, for messages. */
static char *
shown_address(const char *address)
{
	PQconninfoOption *options = PQconninfoParse(address, NULL), *o;
	struct ctx_buf b = CTX_BUF_INIT;
	const char *host = "", *port = "", *name = "", *service = "";

	for (o = options; o != NULL && o->keyword != NULL; o++) {
		const char *v = o->val == NULL ? "" : o->val;
		if (strcmp(o->keyword, "host") == 0 && *v != '/')
			host = v;
		else if (strcmp(o->keyword, "port") == 0)
			port = v;
		else if (strcmp(o->keyword, "dbname") == 0)
			name = v;
		else if (strcmp(o->keyword, "service") == 0)
			service = v;
	}
	ctx_buf_addf(&b, "postgresql://%s%s%s/%s%s%s", host, *port == '\0' ? "" : ":",
	    port, name, *service == '\0' ? "" : "?service=", service);
	PQconninfoFree(options);
	return ctx_buf_detach(&b);
}

static void
ignore_notice(void *arg CTX_UNUSED, const PGresult *r CTX_UNUSED)
{
}

/* No session settings are made except the encoding, which connection poolers preserve. */
static PGconn *
connect_once(const struct ctx_db *db)
{
	const char *const keys[] = {
	    "dbname", "client_encoding", "fallback_application_name", NULL};
	const char *const values[] = {db->address, "UTF8", "ctx", NULL};

	return PQconnectdbParams(keys, values, 1);
}

/* Returns true if nothing listens, or if the server is starting, stopping, or has too
 * many connections. */
static bool
may_come_back(const struct ctx_pg *pg)
{
	static const char *const passing[] = {"the database system is",
	    "Connection refused", "No such file or directory", "too many clients",
	    "terminating connection", "server closed the connection",
	    "remaining connection slots", "Connection reset", "timeout expired",
	    "pgbouncer cannot connect"};

	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		if (strstr(PQerrorMessage(pg->c), passing[i]) != NULL)
			return true;
	return false;
}

int
ctx_pg_connect(struct ctx_db *db, int64_t deadline, struct ctx_err *err)
{
	struct ctx_pg *pg = ctx_pg(db);
	struct timespec pause = {0, 20000000};
	bool waits;

	for (;;) {
		PQfinish(pg->c);
		pg->c = connect_once(db);
		if (PQstatus(pg->c) == CONNECTION_OK)
			break;
		waits = may_come_back(pg);
		if (!waits || ctx_time_monotonic() >= deadline) {
			ctx_pg_note(db, NULL);
			pg->lost = true;
			return ctx_err_set(err, waits ? CTX_EIO : CTX_ESTORE,
			    "%s '%s': cannot connect: %s",
			    db->kind == NULL ? "store" : db->kind->what, db->path,
			    pg->message);
		}
		nanosleep(&pause, NULL);
	}
	PQsetNoticeReceiver(pg->c, ignore_notice, NULL);
	pg->begun = pg->implicit = pg->failed = pg->lost = false;
	pg->cursors = 0;
	for (struct ctx_pg_stmt *q = pg->statements; q != NULL; q = q->next)
		q->cursor = 0;
	return 0;
}

int
ctx_pg_open_db(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err)
{
	struct ctx_pg *pg = ctx_mem_new(sizeof(*pg));
	PQconninfoOption *options;
	char *why = NULL;

	db->h = (struct ctx_connection *)pg;
	db->path = shown_address(o->path);
	db->busy_ms = o->busy_ms;
	db->tenant = o->tenant;
	db->address = ctx_mem_str(o->path);
	pg->message = ctx_mem_str("");
	options = PQconninfoParse(o->path, &why);
	if (options == NULL)
		ctx_err_set(err, CTX_EUSAGE,
		    "store: not a valid address of a PostgreSQL server: %.200s",
		    why == NULL ? "" : why);
	PQfreemem(why);
	PQconninfoFree(options);
	if (options == NULL ||
	    ctx_pg_connect(db, ctx_time_monotonic() + o->busy_ms, err) < 0 ||
	    (!kind->derived && ctx_pg_check_schema(db, o, err) < 0))
		return -1;
	db->times = o->times;
	return o->snapshot ? ctx_db_begin_read(db, err) : 0;
}

void
ctx_pg_close(struct ctx_db *db)
{
	struct ctx_pg *pg = ctx_pg(db);

	if (pg->task != NULL)
		ctx_db_close(pg->task);
	free(pg->task);
	ctx_pg_index_close(pg);
	PQfinish(pg->c);
	ctx_pg_forget(pg);
	free(pg->done);
	free(pg->later);
	free(pg->message);
	free(pg->sent_tenant);
	free(pg);
	free(db->address);
}

/* ---- failures ---- */

static enum ctx_code
code_of_state(const struct ctx_pg *pg)
{
	const char *s = pg->state;

	if (strcmp(s, "55P03") == 0 || strncmp(s, "40", 2) == 0 ||
	    strcmp(s, "53300") == 0 || strcmp(s, "57014") == 0)
		return CTX_EBUSY;
	if (pg->lost || strncmp(s, "53", 2) == 0 || strncmp(s, "58", 2) == 0 ||
	    strcmp(s, "25006") == 0 || strcmp(s, "42501") == 0)
		return CTX_EIO;
	return CTX_ESTORE;
}

int
ctx_pg_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing)
{
	struct ctx_pg *pg = ctx_pg(db);
	enum ctx_code code = code_of_state(pg);

	if (code == CTX_EBUSY)
		return ctx_err_set(err, code, "store '%s' is busy, try again", db->path);
	return ctx_err_set(err, code, "store '%s': %s: %s", db->path, doing, pg->message);
}

enum ctx_db_failure
ctx_pg_failure(const struct ctx_db *db)
{
	const struct ctx_pg *pg = ctx_pg(db);

	if (pg->lost || pg->c == NULL)
		return CTX_DB_CANNOT_OPEN;
	if (strcmp(pg->state, "23505") == 0)
		return CTX_DB_DUPLICATE;
	if (strncmp(pg->state, "23", 2) == 0)
		return CTX_DB_CONSTRAINT;
	if (strncmp(pg->state, "42", 2) == 0)
		return CTX_DB_BAD_SQL;
	return CTX_DB_OTHER;
}
