/* Private to the store: the interface to the database engine, through which all SQL runs.
 * An engine is a table of functions (store/engine_table.h). The engine for SQLite is in
 * engine_sqlite*.c, the engine for PostgreSQL in engine_pg*.c. Parameters in SQL are ?1,
 * ?2, ... */
#ifndef CTX_STORE_ENGINE_H
#define CTX_STORE_ENGINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "store/purge.h"
#include "store/store.h"

struct ctx_connection;
struct ctx_stmt; /* a prepared SQL statement; each engine defines its own struct */
struct ctx_engine;

/* maximum number of prepared statements that are kept for reuse */
#define CTX_STMT_IDLE 128

/* An open database: an SQLite file or a PostgreSQL schema. */
struct ctx_db {
	const struct ctx_engine *engine;
	/* connection to the database; the type depends on the engine */
	struct ctx_connection *h;
	const struct ctx_db_kind *kind;
	/* a hash table of statements that ctx_stmt_free kept for reuse. A statement is at
	 * the index given by the hash of its SQL, or at one of the next indexes. */
	struct ctx_stmt *idle[CTX_STMT_IDLE];
	/* SQLite: the statement that tests whether the catalog tables (tables of items
	 * and entities) exist; NULL until the first test */
	struct ctx_stmt *catalog;
	/* path of the file; for a server, the address without the password. Used in error
	 * messages. */
	char *path;
	/* PostgreSQL: the address by which the database was opened, which can contain a
	 * password */
	char *address;
	int64_t busy_ms;
	int lock_fd; /* SQLite: lock file of the writers' queue; -1: not open yet */
	/* SQLite: inode number of the write-ahead log when this connection opened the
	 * log; 0: unknown */
	ino_t log;
	bool writing, reading;
	/* PostgreSQL: if true, each insertion is executed at once; if false, an insertion
	 * may be delayed, and a later statement returns the error if the insertion
	 * fails */
	bool asks_each;
	/* tenant to which all reads and writes are restricted, borrowed; NULL: no
	 * restriction */
	const char *tenant;
	/* true: the database is temporary, private to this process, and has no file
	 * name */
	bool scratch;
	/* true: the database was opened for reading only (by a URI, see
	 * ctx_db_open_uri) */
	bool read_only;
	bool empty_catalog; /* true: a schema with empty catalog tables is attached */
	/* true: this connection has already tried to create the missing write-ahead
	 * log */
	bool asked_for_log;
	/* true: when this connection opened the file, the file was a backup to which
	 * nothing had been written yet (see copy_id in struct ctx_db_kind) */
	bool was_copy;
	/* true: the catalog tables existed at the last test (ctx_db_follow_catalog) */
	bool saw_catalog;
	/* true: the last test for the catalog tables was in the read transaction that is
	 * open now */
	bool saw_read;
	/* true: the SQL function ctx_bm25 is registered (store/engine_sqlite_score.h) */
	bool scores;
	/* statistics to which the times and the number of operations are added; may be
	 * NULL */
	struct ctx_store_times *times;
	/* function that is called to report progress while the whole file is processed,
	 * with the arguments described in struct ctx_store_options; may be NULL */
	void (*progress)(int64_t more, const char *what, double part);
	int log_pages; /* number of pages in the write-ahead log after the last commit */
};

/* ---- databases ---- */

/* Describes a kind of database (the store or the derived file): how it is identified, and
 * its schema. */
struct ctx_db_kind {
	const char *what; /* name of the kind in error messages, such as "store" */
	int64_t application_id;
	/* application_id that a backup has until something is written to it; 0: this kind
	 * of database has no backups */
	int64_t copy_id;
	int64_t version;
	/* true: the database contains only derived data, so its file can be deleted */
	bool derived;
	int64_t oldest; /* the oldest version that can be upgraded */
	/* the oldest version that can be upgraded on a server. Older versions were used
	 * only in SQLite files. */
	int64_t oldest_served;
	/* the kind of database whose tables are in the same schema if the database is on
	 * a server; NULL: no such kind */
	const struct ctx_db_kind *beside;
	/* Upgrades a database of the given older version, inside a write transaction.
	 * NULL: no older version can be upgraded. A database of the version
	 * "oldest_served" or later can also be on a server, so the SQL that upgrades it
	 * must be valid in all engines. */
	int (*upgrade)(struct ctx_db *db, int64_t version, struct ctx_err *err);
	/* SQL that creates the tables of this version in an empty file */
	const char *schema;
	/* SQL with which ctx_db_make_catalog creates the catalog tables; NULL: this kind
	 * of database has no such tables */
	const char *catalog;
};

/* Returns true if the derived tables are in the same database as the tables of the store
 * (on a server), and false if they are in a separate file next to the store. */
bool ctx_db_is_whole(const struct ctx_db *db);

/* Opens the database at o->path. If the database does not exist and o->create is true,
 * creates a database of the given kind. Fails with CTX_ESTORE if an existing database is
 * of another kind, or has a version greater than kind->version. Call ctx_db_close even if
 * this function failed. */
int ctx_db_open(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err);
void ctx_db_close(struct ctx_db *db);

/* Sets the maximum time for which statements wait for other processes, in ms. */
void ctx_db_wait(struct ctx_db *db, int64_t ms);
/* Copies the write-ahead log into the database file, then truncates the log. Waits for
 * other processes for the time set with ctx_db_wait. SQLite only. */
void ctx_db_checkpoint(struct ctx_db *db);
/* Like ctx_db_checkpoint, but does nothing if another process is using the log. */
void ctx_db_empty_log(struct ctx_db *db);

/* Returns true if the catalog tables (tables of items and entities) existed when the last
 * statement ran. If they do not exist, statements see them as empty tables
 * (ctx_stmt_new). */
bool ctx_db_has_catalog(struct ctx_db *db);
/* Creates the catalog tables if they do not exist. Call inside a write transaction,
 * before rows are inserted into one of these tables. */
int ctx_db_make_catalog(struct ctx_db *db, struct ctx_err *err);

/* Fields of the header of an SQLite file (https://sqlite.org/fileformat2.html). */
#define CTX_DB_READ_VERSION 19 /* offset of the read format version, 1 byte */
/* the read format version that a file with a write-ahead log has */
#define CTX_DB_VERSION_LOG 2
#define CTX_DB_ID 68 /* offset of the application_id, 4 bytes, big-endian */
/* Reads n bytes of the file header into out. at: offset of the first byte in the file.
 * Reads the file directly, because reading the same value with SQL would make a short
 * command 5 % slower. Returns false if the file is too short. */
bool ctx_db_header(struct ctx_db *db, int64_t at, unsigned char *out, int n);

/* Returns the inode number of the write-ahead log, or 0 if there is no log. Sets *size to
 * the size of the log in bytes; size may be NULL. */
ino_t ctx_db_log(const struct ctx_db *db, off_t *size);

/* SQLite only. Enters the queue of writers and waits until this process is the first in
 * the queue. Fails with CTX_EBUSY if the wait would be longer than db->busy_ms. */
int ctx_db_queue_enter(struct ctx_db *db, struct ctx_err *err);
void ctx_db_queue_leave(struct ctx_db *db);
/* Takes an exclusive flock() on fd. Waits at most busy_ms. Returns 0, or -1 if the lock
 * was not taken. */
int ctx_db_wait_for_lock(int fd, int64_t busy_ms);

/* Transactions of one database. These functions correspond to ctx_store_begin and the
 * functions after it in store/store.h. */
int ctx_db_begin(struct ctx_db *db, struct ctx_err *err);
int ctx_db_commit(struct ctx_db *db, struct ctx_err *err);
void ctx_db_rollback(struct ctx_db *db);
int ctx_db_end(struct ctx_db *db, int rc, struct ctx_err *err);
int ctx_db_begin_read(struct ctx_db *db, struct ctx_err *err);
void ctx_db_end_read(struct ctx_db *db);

/* ---- information about a connection ---- */

/* Kinds of failures; ctx_db_failure returns the kind of the connection's last failure. */
enum ctx_db_failure {
	CTX_DB_OTHER,
	CTX_DB_DUPLICATE,  /* a unique constraint was violated */
	CTX_DB_CONSTRAINT, /* another constraint was violated */
	CTX_DB_BAD_SQL,    /* the SQL, or a full-text query in the SQL, was invalid */
	CTX_DB_CANNOT_OPEN,
};
enum ctx_db_failure ctx_db_failure(const struct ctx_db *db);

/* ctx_db_has_table returns true if the main schema has this table; ctx_db_has_column
 * returns true if the table, in any attached schema, has this column. */
bool ctx_db_has_table(const struct ctx_db *db, const char *table);
bool ctx_db_has_column(const struct ctx_db *db, const char *table, const char *column);

/* ctx_db_changes returns the number of rows that the last statement changed.
 * ctx_db_total_changes returns the number of rows that all statements on this connection
 * have changed so far. */
int64_t ctx_db_changes(const struct ctx_db *db);
int64_t ctx_db_total_changes(const struct ctx_db *db);

/* Returns the absolute path of the file, borrowed; "" if the database has no file. SQLite
 * only. */
const char *ctx_db_file(const struct ctx_db *db);
/* Returns true if the file was removed or renamed since it was opened; false for a
 * server. */
bool ctx_db_has_moved(const struct ctx_db *db);
/* Reads a number that identifies this database. A database that is created later at the
 * same path or address has another number. */
int ctx_db_incarnation(struct ctx_db *db, int64_t *number, struct ctx_err *err);

/* Sets *bytes to the size of the database in bytes, without its log. */
int ctx_db_size(struct ctx_db *db, int64_t *bytes, struct ctx_err *err);

typedef void ctx_db_damage_fn(void *arg, struct ctx_span text);
/* Runs SQLite's own integrity check, and calls fn with a description of each problem. The
 * text is borrowed for the call. A server is not checked. */
int ctx_db_check(struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err);

/* Appends the names of all columns, each as "table.column ", sorted by table. SQLite
 * only. */
int ctx_db_columns(struct ctx_db *db, struct ctx_buf *out, struct ctx_err *err);

/* Sets the size of the page cache, in KiB. CTX_DB_CACHE_LARGE is for work that reads and
 * writes rows all over the database; CTX_DB_CACHE_SMALL is for reading many rows once,
 * one after the other. A server has its own cache. */
#define CTX_DB_CACHE_LARGE 32768
#define CTX_DB_CACHE_SMALL 128
int ctx_db_cache(struct ctx_db *db, int kib, struct ctx_err *err);

/* Runs "PRAGMA name = value". SQLite only. */
int ctx_db_set(struct ctx_db *db, const char *name, int64_t value, struct ctx_err *err);

/* ---- other files ---- */

/* Opens an empty SQLite database in memory. path: name of the database in error messages.
 * Call ctx_db_close even if this function failed. */
int ctx_db_open_memory(struct ctx_db *db, const char *path, struct ctx_err *err);

/* Opens the file db->path for reading only. The file must be a copy of a database, and no
 * process may change it while it is open. */
int ctx_db_open_copy(struct ctx_db *db, struct ctx_err *err);

/* Writes a copy of the store, as of one moment, to the file at path. Does not block
 * writers. id: identity that the copy gets (store/owner.h). SQLite only. */
int ctx_db_backup(
    struct ctx_db *db, const char *path, const char *id, struct ctx_err *err);
/* Removes the files whose names consist of path and one of the endings. ends: the
 * endings, NULL-terminated. If err is NULL, failures are ignored. */
int ctx_db_remove_files(const char *path, const char *const ends[], struct ctx_err *err);

/* ---- statements ---- */

/* Returns a prepared statement for the SQL text. The caller passes the statement to
 * ctx_stmt_free or ctx_stmt_close. If ctx_stmt_free has kept a statement with the same
 * text, this statement is returned. Returns NULL on failure, and also if db is NULL
 * because opening the database failed. The caller need not check for NULL: with a NULL
 * statement, ctx_stmt_bind does nothing, and ctx_stmt_step returns -1. */
struct ctx_stmt *ctx_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err);

/* Resets the statement and keeps it for the next ctx_stmt_new with the same text, because
 * preparing a statement usually takes longer than running it. q may be NULL. */
void ctx_stmt_free(struct ctx_db *db, struct ctx_stmt *q);
/* Closes the statements that ctx_stmt_free kept. */
void ctx_stmt_forget_idle(struct ctx_db *db);

/* Steps to the next row. Returns 1 for a row, 0 at the end, -1 on error. */
int ctx_stmt_step(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);

/* Runs one or more statements without parameters and results. Returns 0 or -1. */
int ctx_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err);

/* Prefix for a result column whose name is not needed. Without this prefix, SQLite copies
 * the names of the column, its table and its database when it prepares the statement,
 * which takes longer than reading a row. */
#define CTX_STMT_BARE "+"

/* Marks a SELECT that finds rows by a key; write it after the word SELECT. If the engine
 * has row locks, and the SELECT runs inside a write transaction, the rows that it reads
 * are locked until the transaction ends. */
#define CTX_STMT_LOCKED "/* locked */ "

/* A value to bind. An absent text and CTX_TIME_NONE bind NULL. Texts are borrowed until
 * the statement is freed. */
struct ctx_value {
	enum { CTX_VALUE_INT, CTX_VALUE_TEXT, CTX_VALUE_BYTES } type;
	int64_t number;
	struct ctx_span span;
};

/* Binds n values to the parameters ?1, ?2, ... A value is ignored if the statement does
 * not contain the corresponding parameter. Callers rely on this: they leave conditions
 * that are not needed out of the SQL, because a condition that tests whether a parameter
 * is NULL would prevent the use of indexes. */
void ctx_stmt_bind(struct ctx_stmt *q, const struct ctx_value *values, size_t n);

/* These functions read a column of the current row. col: index of the column, from 0. For
 * a NULL value, ctx_stmt_span returns an absent span, and ctx_stmt_str returns NULL. */
struct ctx_span ctx_stmt_span(struct ctx_stmt *q, int col);
char *ctx_stmt_str(struct ctx_stmt *q, int col); /* the caller frees it */

/* These functions also read a column of the current row. col: index of the column, from
 * 0. ctx_stmt_type returns the type of the value; ctx_stmt_int64 returns an integer (0
 * for NULL); ctx_stmt_text returns NUL-terminated text (NULL for NULL); ctx_stmt_bytes
 * returns bytes (an absent span for NULL). Texts and bytes are borrowed until the next
 * step. */
enum ctx_column {
	CTX_COLUMN_NULL,
	CTX_COLUMN_INTEGER,
	CTX_COLUMN_REAL,
	CTX_COLUMN_TEXT,
	CTX_COLUMN_BLOB,
};
enum ctx_column ctx_stmt_type(struct ctx_stmt *q, int col);
int64_t ctx_stmt_int64(struct ctx_stmt *q, int col);
/* If the column's value is an integer, sets *v to the value and returns true; otherwise
 * returns false. */
bool ctx_stmt_whole(struct ctx_stmt *q, int col, int64_t *v);
const char *ctx_stmt_text(struct ctx_stmt *q, int col);
struct ctx_span ctx_stmt_bytes(struct ctx_stmt *q, int col);
int ctx_stmt_columns(struct ctx_stmt *q);
const char *ctx_stmt_column_name(struct ctx_stmt *q, int col);

/* ctx_stmt_reset makes the statement ready to run again; the bound values are kept.
 * ctx_stmt_close frees the statement. q may be NULL. */
void ctx_stmt_reset(struct ctx_stmt *q);
void ctx_stmt_close(struct ctx_stmt *q);

#endif
