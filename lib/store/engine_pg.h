/* Private to the engine on PostgreSQL (engine_pg*.c), the only files that call libpq. */
#ifndef CTX_STORE_ENGINE_PG_H
#define CTX_STORE_ENGINE_PG_H

#include <libpq-fe.h>

#include "store/engine_table.h"

#define CTX_PG_INT8 20
#define CTX_PG_TEXT 25
#define CTX_PG_BYTEA 17

/* A value to send, in PostgreSQL's binary format. */
struct ctx_pg_value {
	Oid type; /* 0: not bound */
	bool null;
	struct ctx_span bytes; /* borrowed, but for integers */
	char integer[8];
};

struct ctx_pg_stmt {
	struct ctx_stmt base;
	struct ctx_db *db;
	struct ctx_pg_stmt *next; /* of the connection's statements */
	char *sql;                /* as given */
	char *text;               /* as PostgreSQL takes it */
	struct ctx_pg_value *values;
	int n_values;
	bool streams;  /* may yield many rows: read through a cursor */
	bool locks;    /* locks the rows that it reads inside a write transaction */
	bool recovers; /* its failure must not end the transaction */
	bool waits;    /* its failure may be told with that of a later statement */
	bool ran, done;
	PGresult *rows, *rest; /* rest: what was left in a cursor that had to be closed */
	int row;               /* current one in rows */
	unsigned cursor;       /* number of the open cursor; 0: none */
	int fetch;             /* how many rows to fetch next */
	struct ctx_buf column; /* text of the last column that was read, NUL-terminated */
};

/* A statement of the write transaction that is open, and a digest of what it returned: run
 * again on a new connection with the same answers, the transaction means the same. */
struct ctx_pg_done {
	char *text;
	struct ctx_pg_value *values;
	int n_values;
	size_t bytes;
	uint64_t answer;
};

struct ctx_word_list;
struct ctx_pg {
	PGconn *c;
	char *address;
	struct ctx_word_list *words; /* SQLite's tokenizer, or NULL */
	struct ctx_db *words_db;
	struct ctx_db *task; /* a connection that holds the lock of a task, or NULL */
	struct ctx_pg_stmt *statements;
	char *sent_tenant;   /* of the transaction that is open */
	char *message;       /* of the last failure */
	char state[6];       /* its SQLSTATE; "" if the connection was lost */
	bool lost;           /* the last failure was a lost connection */
	bool failed;         /* the transaction that is open must be rolled back */
	bool begun;          /* BEGIN was sent */
	bool implicit;       /* begun for the cursors of single statements */
	bool read_something; /* in the read snapshot that is open */
	unsigned cursors;    /* open ones */
	unsigned last_cursor;
	int64_t changes, total_changes;
	char xid[24]; /* of the write transaction that is open */
	struct ctx_pg_done *done;
	size_t n_done, cap_done, done_bytes;
	bool replayable;
	struct ctx_pg_done *later; /* to be sent with the next statement */
	size_t n_later, cap_later, later_bytes;
};

static inline struct ctx_pg *
ctx_pg(const struct ctx_db *db)
{
	return (struct ctx_pg *)db->h;
}

static inline struct ctx_pg_stmt *
ctx_pg_stmt(struct ctx_stmt *q)
{
	return (struct ctx_pg_stmt *)q;
}

/* ---- connections (engine_pg_connect.c) ---- */

/* Connects, and waits at most until the deadline (ctx_time_monotonic) for a server that is
 * not there yet. Returns 0 or -1. */
int ctx_pg_connect(struct ctx_db *db, int64_t deadline, struct ctx_err *err);
/* Records the failure of r, or with NULL that of the connection. Returns -1. */
int ctx_pg_note(struct ctx_db *db, const PGresult *r);

/* ---- running (engine_pg_run.c) ---- */

/* Runs a statement, and BEGIN before the first one of a transaction. Returns its result,
 * which the caller clears, or NULL after recording the failure. */
PGresult *ctx_pg_run(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n);
/* Runs a statement without repeating it after a lost connection. */
PGresult *ctx_pg_run_once(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n);
/* Runs text of many statements in one message, inside the transaction that has begun.
 * Returns 0 or -1. */
int ctx_pg_do_text(struct ctx_db *db, const char *text);
/* Runs statements without values, separated by semicolons, one by one. Returns 0 or -1. */
int ctx_pg_do_all(struct ctx_db *db, const char *text);
/* Runs a statement inside a savepoint, so that its failure does not end the transaction. */
PGresult *ctx_pg_run_apart(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n);
/* Keeps a statement to be sent with the next one. */
int ctx_pg_run_later(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n);
/* Sends the statements that were kept; with commit, COMMIT after them. Returns 0 or -1. */
int ctx_pg_send_later(struct ctx_db *db, bool commit);

/* Opens a cursor for a statement and fetches its first rows. */
PGresult *ctx_pg_open_cursor(struct ctx_db *db, struct ctx_pg_stmt *q);
PGresult *ctx_pg_fetch(struct ctx_db *db, struct ctx_pg_stmt *q);
void ctx_pg_close_cursor(struct ctx_db *db, struct ctx_pg_stmt *q);
/* Ends the transaction that was begun for cursors of single statements, if all are closed. */
void ctx_pg_end_implicit(struct ctx_db *db);
/* Reads the rest of these cursors into memory, and ends their transaction. */
int ctx_pg_drain_cursors(struct ctx_db *db);

void ctx_pg_put_int(struct ctx_pg_value *v, int64_t number);
/* Is it UTF-8 without NUL? */
bool ctx_pg_takes_text(struct ctx_span s);

/* ---- transactions (engine_pg_transaction.c) ---- */

/* Remembers a statement that was run in a write transaction. */
void ctx_pg_remember(struct ctx_db *db, const char *text,
    const struct ctx_pg_value *values, int n, const PGresult *r);
/* After a passing failure: runs the statements of the transaction again. Returns 0 if each
 * answered as before, else -1. */
int ctx_pg_redo(struct ctx_db *db, int64_t deadline);
void ctx_pg_forget(struct ctx_pg *pg);
void ctx_pg_copy_done(
    struct ctx_pg_done *d, const char *text, const struct ctx_pg_value *values, int n);
void ctx_pg_release_done(struct ctx_pg_done *d);
/* Moves a statement that was kept for later to those that were run. */
void ctx_pg_note_done(struct ctx_pg *pg, struct ctx_pg_done *d, const PGresult *r);
/* Returns whether the recorded failure is a passing one: another attempt may succeed. */
bool ctx_pg_is_passing(const struct ctx_pg *pg);

/* ---- the index of words (engine_pg_index.c) ---- */
void ctx_pg_index_close(struct ctx_pg *pg);

/* ---- the schema (engine_pg_schema.c) ---- */
int ctx_pg_check_schema(
    struct ctx_db *db, const struct ctx_store_options *o, struct ctx_err *err);

/* ---- the functions of the table (store/engine_table.h) ---- */
int ctx_pg_open_db(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err);
void ctx_pg_close(struct ctx_db *db);
void ctx_pg_wait(struct ctx_db *db, int64_t ms);
bool ctx_pg_has_catalog(struct ctx_db *db);
int ctx_pg_make_catalog(struct ctx_db *db, struct ctx_err *err);
int ctx_pg_begin(struct ctx_db *db, struct ctx_err *err);
int ctx_pg_commit(struct ctx_db *db, struct ctx_err *err);
void ctx_pg_rollback(struct ctx_db *db);
int ctx_pg_begin_read(struct ctx_db *db, struct ctx_err *err);
void ctx_pg_end_read(struct ctx_db *db);
enum ctx_db_failure ctx_pg_failure(const struct ctx_db *db);
const char *ctx_pg_message(const struct ctx_db *db);
bool ctx_pg_has_table(const struct ctx_db *db, const char *table);
bool ctx_pg_has_column(const struct ctx_db *db, const char *table, const char *column);
int64_t ctx_pg_changes(const struct ctx_db *db);
int64_t ctx_pg_total_changes(const struct ctx_db *db);
const char *ctx_pg_address(const struct ctx_db *db);
const char *ctx_pg_file(const struct ctx_db *db);
bool ctx_pg_has_moved(const struct ctx_db *db);
int ctx_pg_incarnation(struct ctx_db *db, int64_t *number, struct ctx_err *err);
int ctx_pg_backup(struct ctx_db *db, const char *path, ctx_db_mark_fn *mark, void *arg,
    struct ctx_err *err);
int ctx_pg_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing);
struct ctx_stmt *ctx_pg_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err);
void ctx_pg_stmt_free(struct ctx_db *db, struct ctx_stmt *q);
void ctx_pg_stmt_forget_idle(struct ctx_db *db);
struct ctx_stmt *ctx_pg_stmt_kept(
    struct ctx_db *db, enum ctx_stmt_id which, const char *sql, struct ctx_err *err);
int ctx_pg_stmt_step(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);
int ctx_pg_stmt_run(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);
int ctx_pg_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err);
void ctx_pg_stmt_bind_span(struct ctx_stmt *q, int at, struct ctx_span s);
void ctx_pg_stmt_bind_int(struct ctx_stmt *q, int at, int64_t v);
struct ctx_span ctx_pg_stmt_span(struct ctx_stmt *q, int col);
int64_t ctx_pg_stmt_int(struct ctx_stmt *q, int col);
void ctx_pg_stmt_bind_int64(struct ctx_stmt *q, int at, int64_t v);
void ctx_pg_stmt_bind_bytes(struct ctx_stmt *q, int at, struct ctx_span bytes);
void ctx_pg_stmt_bind_column(struct ctx_stmt *q, int at, struct ctx_stmt *from, int col);
enum ctx_column ctx_pg_stmt_type(struct ctx_stmt *q, int col);
int64_t ctx_pg_stmt_int64(struct ctx_stmt *q, int col);
double ctx_pg_stmt_double(struct ctx_stmt *q, int col);
const char *ctx_pg_stmt_text(struct ctx_stmt *q, int col);
struct ctx_span ctx_pg_stmt_bytes(struct ctx_stmt *q, int col);
int ctx_pg_stmt_columns(struct ctx_stmt *q);
const char *ctx_pg_stmt_column_name(struct ctx_stmt *q, int col);
void ctx_pg_stmt_reset(struct ctx_stmt *q);
void ctx_pg_stmt_close(struct ctx_stmt *q);
int ctx_pg_task(struct ctx_db *db, const char *task, bool wait, struct ctx_err *err);
int ctx_pg_size(struct ctx_db *db, int64_t *bytes, struct ctx_err *err);
int ctx_pg_check(struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err);
int ctx_pg_columns(struct ctx_db *db, struct ctx_buf *out, struct ctx_err *err);
int ctx_pg_keep_pages(struct ctx_db *db, struct ctx_err *err);
int ctx_pg_scan(
    struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err);
int ctx_pg_index_add(
    struct ctx_db *db, int64_t id, struct ctx_span text, struct ctx_err *err);
int ctx_pg_index_clear(struct ctx_db *db, struct ctx_err *err);
int ctx_pg_index_erase(struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows, int64_t *erased, struct ctx_err *err);
int ctx_pg_index_scrub(struct ctx_db *db, bool again, struct ctx_err *err);
int ctx_pg_index_search(struct ctx_db *db, const struct ctx_index_query *query,
    ctx_index_hit_fn *fn, void *arg, struct ctx_err *err);
int ctx_pg_index_count(struct ctx_db *db, const struct ctx_index_query *query,
    int64_t max, int64_t *n, struct ctx_err *err);

#endif
