/* Private to the store: the database engine. The store uses the database only through
 * these functions. An engine is a table of them (store/engine_table.h): SQLite's is in
 * engine_sqlite*.c, PostgreSQL's in engine_pg*.c. SQL has ?1, ?2, … as parameters. */
#ifndef CTX_STORE_ENGINE_H
#define CTX_STORE_ENGINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "store/purge.h"
#include "store/store.h"

struct ctx_connection;
struct ctx_stmt; /* a prepared statement */
struct ctx_engine;

/* Statements that stay prepared while the store is open. */
enum ctx_stmt_id {
	CTX_STMT_SESSION_FIND,     /* in the tenant that the store is restricted to */
	CTX_STMT_SESSION_FIND_ANY, /* in all tenants */
	CTX_STMT_SESSION_COUNT,
	CTX_STMT_APPEND,
	CTX_STMT_PIN,
	CTX_STMT_MESSAGE_FIND,
	CTX_STMT_HOLDS,
	CTX_STMT_CATALOG,
	CTX_STMT_ENTITY_PUT, /* from here to ENTITY_RELATED: use catalog tables */
	CTX_STMT_ENTITY_GET,
	CTX_STMT_ENTITY_ALIAS,
	CTX_STMT_ENTITY_FIND,
	CTX_STMT_ENTITY_BUMP,
	CTX_STMT_ENTITY_RELATED,
	CTX_STMT_SEEN_ADD,
	CTX_STMT_SEEN_FIND,
	CTX_STMT_SEEN_GET,
	CTX_STMT_MENTION_ADD,
	CTX_STMT_MENTION_COUNT,
	CTX_STMT_MENTION_GET,
	CTX_STMT_CACHE_GET,
	CTX_STMT_RECOUNT_GET,
	CTX_STMT_READ_UP,
	CTX_STMT_READ_DOWN,
	CTX_STMT_N,
};

/* Prepared statements that wait to be used again. */
#define CTX_STMT_IDLE 64

/* One file with its writers' queue. */
struct ctx_db {
	const struct ctx_engine *engine;
	struct ctx_connection *h; /* the engine's own */
	const struct ctx_db_kind *kind;
	struct ctx_stmt *kept[CTX_STMT_N];
	struct ctx_stmt *idle[CTX_STMT_IDLE]; /* by a hash of their text */
	char *path;                           /* for messages, and of a file */
	int64_t busy_ms;
	int lock_fd; /* lock file for the queue of writers; -1: not opened */
	ino_t log;   /* inode of the write-ahead log when it was opened; 0: unknown */
	bool writing, reading;
	bool asks_each;     /* each insertion must report its own failure at once */
	const char *tenant; /* that the store is restricted to, borrowed; NULL: none */
	bool scratch;       /* a private temporary database without a name */
	bool read_only;     /* opened by URI, for reading */
	bool empty_catalog; /* the empty catalog is attached */
	/* asked to create a write-ahead log, because there was none */
	bool asked_for_log;
	bool was_copy;    /* a backup copy (copy_id) that was not written to yet */
	bool saw_catalog; /* the catalog existed when a statement was last requested */
	bool saw_read;    /* saw_catalog was set within the open read snapshot */
	bool scores;      /* ctx_bm25() is registered (store/engine_sqlite_score.h) */
	struct ctx_store_times *times; /* or NULL */
	/* of long work on the whole file; as in struct ctx_store_options, or NULL */
	void (*progress)(int64_t more, const char *what, double part);
	int log_pages; /* in the write-ahead log after the last commit; 0: none */
};

/* ---- a file ---- */

/* Identification and schema of a kind of database file. */
struct ctx_db_kind {
	const char *what; /* "store", for messages */
	int64_t application_id;
	/* application_id of a copy that was not written to yet; 0: none */
	int64_t copy_id;
	int64_t version;
	bool derived;   /* of derived data: nothing is lost with the file */
	int64_t oldest; /* an older version than this one is rejected */
	/* On a server: no older version was ever there, so it is rejected. */
	int64_t oldest_served;
	/* On a server: the kind of the tables that are in the same database, or NULL. */
	const struct ctx_db_kind *beside;
	/* Upgrades a database of an older version, inside a write transaction; NULL: there is
	 * no older version. From oldest_served on it uses SQL that all engines share. */
	int (*upgrade)(struct ctx_db *db, int64_t version, struct ctx_err *err);
	/* SQL that creates this version in an empty file, ids included */
	const char *schema;
	const char
	    *catalog; /* SQL that creates the tables of ctx_db_make_catalog; or NULL */
};

/* Returns whether path is the address of a PostgreSQL database, not the path of a file. */
bool ctx_db_is_remote(const char *path);
/* Returns whether this program is linked with the engine on PostgreSQL. */
bool ctx_db_has_pg(void);
/* Returns whether the derived tables are in the store's database, not in a file beside it. */
bool ctx_db_is_whole(const struct ctx_db *db);

/* Opens the file, or creates it if o->create is set. CTX_ESTORE if the file is not of
 * this kind or is of a newer version. */
int ctx_db_open(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err);
void ctx_db_close(struct ctx_db *db);

/* Sets how long SQLite waits for other processes, in ms. */
void ctx_db_wait(struct ctx_db *db, int64_t ms);
/* Copies the write-ahead log into the database file, then truncates the log. Waits for other
 * processes as usual. */
void ctx_db_checkpoint(struct ctx_db *db);
/* The same, but does nothing if another process uses the log. */
void ctx_db_empty_log(struct ctx_db *db);

/* True if the catalog tables exist; if not, statements see them as empty tables
 * (ctx_stmt_new). The answer is as of the last statement run on the store. */
bool ctx_db_has_catalog(struct ctx_db *db);
/* Creates the catalog tables if they do not exist. Call inside a write transaction,
 * before inserting into them. */
int ctx_db_make_catalog(struct ctx_db *db, struct ctx_err *err);
/* Reads n bytes of the file header at offset at (https://sqlite.org/fileformat2.html).
 * Returns false if there are none. Does not use SQL, which would take a twentieth of
 * the time of a short command. */
#define CTX_DB_READ_VERSION 19 /* a byte */
#define CTX_DB_VERSION_LOG 2   /* the file uses a write-ahead log */
#define CTX_DB_ID 68           /* 4 bytes, big-endian */
int64_t ctx_db_id(const unsigned char id[4]);
bool ctx_db_header(struct ctx_db *db, int64_t at, unsigned char *out, int n);

/* Returns the inode of the write-ahead log, 0 if there is none. Sets *size (may be
 * NULL) to its size in bytes. */
ino_t ctx_db_log(const struct ctx_db *db, off_t *size);

/* Enters the queue of writers and waits for its turn. CTX_EBUSY if that takes too
 * long. */
int ctx_db_queue_enter(struct ctx_db *db, struct ctx_err *err);
void ctx_db_queue_leave(struct ctx_db *db);
/* flock() that gives up after busy_ms. Returns 0 or -1. */
int ctx_db_wait_for_lock(int fd, int64_t busy_ms);

/* Transactions, as ctx_store_begin and the like. */
int ctx_db_begin(struct ctx_db *db, struct ctx_err *err);
int ctx_db_commit(struct ctx_db *db, struct ctx_err *err);
void ctx_db_rollback(struct ctx_db *db);
int ctx_db_begin_read(struct ctx_db *db, struct ctx_err *err);
void ctx_db_end_read(struct ctx_db *db);

/* ---- what a connection can tell ---- */

/* The kind of the last failure. */
enum ctx_db_failure {
	CTX_DB_OTHER,
	CTX_DB_DUPLICATE,  /* violates a unique constraint */
	CTX_DB_CONSTRAINT, /* violates another constraint */
	CTX_DB_BAD_SQL,    /* bad SQL, or a bad full-text query */
	CTX_DB_CANNOT_OPEN,
};
enum ctx_db_failure ctx_db_failure(const struct ctx_db *db);
/* The engine's message for the last failure, borrowed until the next call. */
const char *ctx_db_message(const struct ctx_db *db);

/* Tests whether the store's own schema has the table, or any schema the column. */
bool ctx_db_has_table(const struct ctx_db *db, const char *table);
bool ctx_db_has_column(const struct ctx_db *db, const char *table, const char *column);

/* Number of rows changed by the last statement, and by all statements so far. */
int64_t ctx_db_changes(const struct ctx_db *db);
int64_t ctx_db_total_changes(const struct ctx_db *db);

/* Returns the path or address that the database was opened by, borrowed; it can hold a
 * password. */
const char *ctx_db_address(const struct ctx_db *db);

/* Returns the file's absolute path, borrowed; "" if it has none. */
const char *ctx_db_file(const struct ctx_db *db);
/* True if the file was removed or renamed since it was opened. */
bool ctx_db_has_moved(const struct ctx_db *db);
/* Does what ctx_store_bytes does, on a server. */
int ctx_db_scan(
    struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err);
/* Reads a number that a database made anew in the same place does not have. */
int ctx_db_incarnation(struct ctx_db *db, int64_t *number, struct ctx_err *err);

/* Drops cached pages after the file was changed without SQLite. */
void ctx_db_forget_pages(struct ctx_db *db);

/* Takes the lock of a long task until the database is closed. Returns 1, 0 if another process
 * has it, -1 on error. With wait it waits up to busy_ms. */
int ctx_db_task(struct ctx_db *db, const char *task, bool wait, struct ctx_err *err);

/* Sets *bytes to the size of the database without its log. */
int ctx_db_size(struct ctx_db *db, int64_t *bytes, struct ctx_err *err);

/* Runs the engine's own check of the database, and calls fn for each damage that it names.
 * The text is borrowed for the call. */
typedef void ctx_db_damage_fn(void *arg, struct ctx_span text);
int ctx_db_check(struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err);

/* Appends the names of all columns as "table.column ", sorted by table. */
int ctx_db_columns(struct ctx_db *db, struct ctx_buf *out, struct ctx_err *err);

/* Keeps more of the database in memory, for work that touches rows all over it. */
int ctx_db_keep_pages(struct ctx_db *db, struct ctx_err *err);

/* ---- other files ---- */

/* Opens an empty database in memory, to inspect what a schema creates. db needs only a
 * path for error messages. Close it even if opening failed. */
int ctx_db_open_memory(struct ctx_db *db, struct ctx_err *err);
void ctx_db_close_memory(struct ctx_db *db);

/* Opens db->path for reading; it must be a copy that nobody changes. */
int ctx_db_open_copy(struct ctx_db *db, struct ctx_err *err);

/* Writes a copy of the database, as of one moment, to path without blocking writers.
 * mark is called with the copy before it is closed. */
typedef int ctx_db_mark_fn(void *arg, struct ctx_db *copy, struct ctx_err *err);
int ctx_db_backup(struct ctx_db *db, const char *path, ctx_db_mark_fn *mark, void *arg,
    struct ctx_err *err);

/* ---- statements ---- */

/* Fills in err from the connection's last error. Returns -1. */
int ctx_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing);

/* Returns a prepared statement for the SQL text, reusing one kept by ctx_stmt_free;
 * NULL on failure. The caller passes it to ctx_stmt_free or ctx_stmt_close. */
struct ctx_stmt *ctx_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err);

/* Resets the statement and keeps it for the next ctx_stmt_new with the same text,
 * because preparing takes longer than most statements run. NULL is allowed. */
void ctx_stmt_free(struct ctx_db *db, struct ctx_stmt *q);

/* Finalizes the statements kept by ctx_stmt_free. Call before the database is closed. */
void ctx_stmt_forget_idle(struct ctx_db *db);

/* Returns the statement that stays prepared while the store is open, reset and
 * unbound. It is prepared on first use. */
struct ctx_stmt *ctx_stmt_kept(
    struct ctx_db *db, enum ctx_stmt_id which, const char *sql, struct ctx_err *err);

/* Steps the statement. Returns 1 for a row, 0 at the end, -1 on error. */
int ctx_stmt_step(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);

/* Runs a statement that returns no rows, and resets it. */
int ctx_stmt_run(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);

/* Runs SQL text of one or more statements without results. */
int ctx_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err);

/* Prefix for a result column of which only the value is needed. It saves SQLite from
 * copying five names for each plain column while preparing, which costs more than
 * reading a row. */
#define CTX_STMT_BARE "+"

/* At the start of a statement that reads rows by a key: inside a write transaction these rows
 * are locked until it ends, if the engine has row locks. */
#define CTX_STMT_LOCKED "/* locked */ "

/* Binding. An absent text or CTX_TIME_NONE binds NULL. Text is borrowed until reset.
 * Parameters that do not occur in the statement are ignored: unwanted conditions are
 * left out of the SQL, because a test for NULL would prevent the use of indexes. */
void ctx_stmt_bind_span(struct ctx_stmt *q, int at, struct ctx_span s);
void ctx_stmt_bind_str(struct ctx_stmt *q, int at, const char *s);
void ctx_stmt_bind_int(struct ctx_stmt *q, int at, int64_t v);

/* Columns: NULL reads as an absent span, a NULL string, CTX_TIME_NONE. */
struct ctx_span ctx_stmt_span(struct ctx_stmt *q, int col);
char *ctx_stmt_str(struct ctx_stmt *q, int col); /* owned */
int64_t ctx_stmt_int(struct ctx_stmt *q, int col);

/* Binds any number; CTX_TIME_NONE is not special here. */
void ctx_stmt_bind_int64(struct ctx_stmt *q, int at, int64_t v);
/* Binds bytes, borrowed until reset; an absent span binds NULL. */
void ctx_stmt_bind_bytes(struct ctx_stmt *q, int at, struct ctx_span bytes);
/* Binds the value of another statement's column. */
void ctx_stmt_bind_column(struct ctx_stmt *q, int at, struct ctx_stmt *from, int col);

/* Raw column values: an integer (NULL reads as 0), a real number, NUL-terminated text
 * (NULL reads as NULL), bytes (absent if there are none). Borrowed until the next
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
double ctx_stmt_double(struct ctx_stmt *q, int col);
const char *ctx_stmt_text(struct ctx_stmt *q, int col);
struct ctx_span ctx_stmt_bytes(struct ctx_stmt *q, int col);
int ctx_stmt_columns(struct ctx_stmt *q);
const char *ctx_stmt_column_name(struct ctx_stmt *q, int col);

/* ctx_stmt_reset makes the statement ready to run again and keeps its bindings;
 * ctx_stmt_close frees it. NULL is allowed. */
void ctx_stmt_reset(struct ctx_stmt *q);
void ctx_stmt_close(struct ctx_stmt *q);

#endif
