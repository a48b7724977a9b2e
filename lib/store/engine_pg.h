/* Private to the engine for PostgreSQL (engine_pg*.c). Only these files call libpq. */
#ifndef CTX_STORE_ENGINE_PG_H
#define CTX_STORE_ENGINE_PG_H

#include <libpq-fe.h>

#include "store/engine_table.h"

#define CTX_PG_INT8 20
#define CTX_PG_TEXT 25
#define CTX_PG_BYTEA 17

/* A parameter of a statement, in PostgreSQL's binary format. */
struct ctx_pg_value {
	Oid type; /* OID of the type; 0: no value was bound */
	bool null;
	/* for a value that is not an integer: its bytes, borrowed */
	struct ctx_span bytes;
	char integer[8];
};

struct ctx_pg_stmt {
	struct ctx_stmt base;
	struct ctx_db *db;
	/* the next statement in the list of the connection's statements */
	struct ctx_pg_stmt *next;
	char *text; /* SQL in PostgreSQL's syntax */
	struct ctx_pg_value *values;
	int n_values;
	bool selects; /* true: the statement begins with SELECT */
	/* true: the statement can return many rows, so a cursor is used to read them */
	bool streams;
	/* true: inside a write transaction, the statement locks the rows it reads
	 * (CTX_STMT_LOCKED) */
	bool locks;
	/* true: the statement runs in a savepoint, because its failure must not end the
	 * transaction */
	bool recovers;
	/* true: the statement may be sent later, together with the next statement */
	bool waits;
	bool ran, done;
	/* rows: the rows that are being read; rest: the rows that were still unread when
	 * the statement's cursor had to be closed */
	PGresult *rows, *rest;
	int row;               /* index of the current row in "rows" */
	unsigned cursor;       /* number of the open cursor; 0: no cursor is open */
	int fetch;             /* number of rows to fetch next */
	struct ctx_buf column; /* NUL-terminated text of the column that was read last */
};

/* A statement that was run in the open write transaction. answer: a digest of the
 * statement's result. If the connection is lost, all these statements are run again on a
 * new connection; if all results are the same, the transaction continues. */
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
	/* words: SQLite's tokenizer; words_db: the SQLite database in memory that the
	 * tokenizer needs. Both are NULL until they are used for the first time. */
	struct ctx_word_list *words;
	struct ctx_db *words_db;
	/* a second connection, which holds the lock of a long task (ctx_store_task), or
	 * NULL */
	struct ctx_db *task;
	struct ctx_pg_stmt *statements;
	/* value to which the server's setting ctx.tenant was set in the open
	 * transaction */
	char *sent_tenant;
	char *message; /* server's message for the last failure */
	char state[6]; /* SQLSTATE of the last failure; "" if the connection was lost */
	bool lost;     /* true: the last failure was the loss of the connection */
	bool failed;   /* true: the open transaction must be rolled back */
	bool begun;    /* true: BEGIN was sent for the open transaction */
	/* true: the open transaction was begun only to keep cursors open for statements
	 * that were run outside a transaction */
	bool implicit;
	/* true: at least one statement was run in the open read transaction */
	bool read_something;
	unsigned cursors; /* number of open cursors */
	unsigned last_cursor;
	int64_t changes, total_changes;
	/* transaction id (xid) of the open write transaction, as text */
	char xid[24];
	struct ctx_pg_done *done;
	size_t n_done, cap_done, done_bytes;
	bool replayable;
	/* queued statements, to be sent together with the next statement */
	struct ctx_pg_done *later;
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

/* Connects to the server. If the server does not accept connections yet, tries again
 * until the deadline. deadline: a time on the clock of ctx_time_monotonic. Returns 0 or
 * -1. */
int ctx_pg_connect(struct ctx_db *db, int64_t deadline, struct ctx_err *err);
/* Records a failure. r: result of the statement that failed; NULL: the connection failed.
 * Returns -1. */
int ctx_pg_note(struct ctx_db *db, const PGresult *r);
/* Sets err from the recorded failure. doing: beginning of the error message, such as
 * "cannot write". Returns -1. */
int ctx_pg_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing);

/* ---- running statements (engine_pg_run.c) ---- */

/* Runs a statement. If it is the first statement of a transaction, BEGIN is run before
 * it. After a transient failure, the statement is repeated. Returns the statement's
 * result, which the caller clears, or NULL after recording the failure (ctx_pg_note). */
PGresult *ctx_pg_run(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n);
/* Like ctx_pg_run, but does not repeat the statement after a failure. */
PGresult *ctx_pg_run_once(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n);
/* Sends all statements of the text to the server in one message, and runs them inside the
 * open transaction. Returns 0 or -1. */
int ctx_pg_do_text(struct ctx_db *db, const char *text);
/* Runs the statements of the text one by one. The statements have no parameters and are
 * separated by semicolons; a statement or a comment must not contain a semicolon. Returns
 * 0 or -1. */
int ctx_pg_do_all(struct ctx_db *db, const char *text);
/* Like ctx_pg_run, but runs the statement in a savepoint, so that a failure does not end
 * the transaction. */
PGresult *ctx_pg_run_apart(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n);
/* Queues a statement, which is later sent together with the next statement. If the queue
 * is full, the queued statements are sent first. Returns 0, or -1 if sending failed. */
int ctx_pg_run_later(
    struct ctx_db *db, const char *text, const struct ctx_pg_value *values, int n);
/* Sends the queued statements and COMMIT. Does not retry after a failure. Returns 0 or
 * -1. */
int ctx_pg_send_commit(struct ctx_db *db);

/* Opens a cursor for a statement. Returns the cursor's first rows, or NULL after
 * recording the failure (ctx_pg_note). */
PGresult *ctx_pg_open_cursor(struct ctx_db *db, struct ctx_pg_stmt *q);
PGresult *ctx_pg_fetch(struct ctx_db *db, struct ctx_pg_stmt *q);
void ctx_pg_close_cursor(struct ctx_db *db, struct ctx_pg_stmt *q);
/* Ends the open transaction if it was begun only to keep cursors open (member "implicit"
 * of struct ctx_pg), and no cursor is open any more. */
void ctx_pg_end_implicit(struct ctx_db *db);
/* If the open transaction was begun only to keep cursors open (member "implicit" of
 * struct ctx_pg), reads the remaining rows of these cursors into memory, and ends the
 * transaction. Returns 0 or -1. */
int ctx_pg_drain_cursors(struct ctx_db *db);

/* Returns true if s is valid UTF-8 without NUL bytes. */
bool ctx_pg_takes_text(struct ctx_span s);

/* ---- transactions (engine_pg_transaction.c) ---- */

/* Records a statement that was run in the write transaction, for ctx_pg_redo. r: result
 * of the statement. */
void ctx_pg_remember(struct ctx_db *db, const char *text,
    const struct ctx_pg_value *values, int n, const PGresult *r);
/* Call this function after a transient failure. Runs the recorded statements of the write
 * transaction again. Returns 0 if all results are the same as before, and -1 if not. */
int ctx_pg_redo(struct ctx_db *db, int64_t deadline);
void ctx_pg_forget(struct ctx_pg *pg);
void ctx_pg_copy_done(
    struct ctx_pg_done *d, const char *text, const struct ctx_pg_value *values, int n);
void ctx_pg_release_done(struct ctx_pg_done *d);
/* Records a queued statement for ctx_pg_redo after the statement was run. r: result of
 * the statement. *d must not be used afterwards. */
void ctx_pg_note_done(struct ctx_pg *pg, struct ctx_pg_done *d, const PGresult *r);
/* Returns true if the recorded failure is transient, so that another attempt may
 * succeed. */
bool ctx_pg_is_passing(const struct ctx_pg *pg);

/* ---- full-text index (engine_pg_index.c) ---- */
void ctx_pg_index_close(struct ctx_pg *pg);

/* ---- schema (engine_pg_schema.c) ---- */
int ctx_pg_check_schema(
    struct ctx_db *db, const struct ctx_store_options *o, struct ctx_err *err);

/* ---- functions of ctx_engine_pg (struct ctx_engine, store/engine_table.h) ---- */

#define CTX_PG_FUNCTION(function, name) __typeof__(function) ctx_pg_##name;
CTX_ENGINE_FUNCTIONS(CTX_PG_FUNCTION)
int ctx_pg_scan(
    struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err);
int ctx_pg_task(struct ctx_db *db, const char *task, bool wait, struct ctx_err *err);

#endif
