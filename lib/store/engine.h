/* Private to the store: the database engine. All of the store speaks to it through these
 * functions; what they are made of is in engine_sqlite*.c, the only files that call SQLite.
 * Another engine has to provide them, for SQL with ?1, ?2, … as parameters. */
#ifndef CTX_STORE_ENGINE_H
#define CTX_STORE_ENGINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "store/store.h"

struct ctx_connection;
struct ctx_stmt; /* a prepared statement */

/* Statements that stay prepared while the store is open. */
enum ctx_stmt_id {
	CTX_STMT_SESSION_FIND,     /* of the tenant that is shown */
	CTX_STMT_SESSION_FIND_ANY, /* of all tenants */
	CTX_STMT_SESSION_COUNT,
	CTX_STMT_APPEND,
	CTX_STMT_PIN,
	CTX_STMT_MESSAGE_FIND,
	CTX_STMT_HOLDS,
	CTX_STMT_CATALOG,
	CTX_STMT_ENTITY_PUT, /* from here to ENTITY_RELATED: on tables of the catalog */
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
	struct ctx_connection *h; /* the engine's own */
	const struct ctx_db_kind *kind;
	struct ctx_stmt *kept[CTX_STMT_N];
	struct ctx_stmt *idle[CTX_STMT_IDLE]; /* by a hash of their text */
	char *path;
	int64_t busy_ms;
	int lock_fd; /* side file that writers queue on; -1 not opened */
	ino_t log;   /* the write-ahead log's file, when it was opened; 0: unknown */
	bool writing, reading;
	bool scratch;       /* without a name: nobody else has it */
	bool read_only;     /* opened by URI, for reading */
	bool empty_catalog; /* is attached */
	bool asked_for_log; /* to be used, where none was */
	bool was_copy;      /* until something is written: has the kind's copy_id */
	bool saw_catalog;   /* in the store, when a statement was asked for last */
	bool scores;        /* it knows ctx_bm25() (store/fulltext_score.h) */
	struct ctx_store_times *times; /* or NULL */
	int log_pages; /* in the write-ahead log after the last commit; 0: none */
};

/* ---- a file ---- */

/* What a file of ours must be. */
struct ctx_db_kind {
	const char *what; /* "store", for messages */
	int64_t application_id;
	int64_t copy_id; /* the same of a copy that was not written to yet; 0: none */
	int64_t version;
	bool derived;       /* an older version is none of ours, either */
	const char *schema; /* SQL that makes version from nothing, ids included */
	const char
	    *catalog; /* the same of tables that ctx_db_make_catalog makes; or NULL */
};

/* Open, create with create; CTX_ESTORE for what is no file of that kind or too new. */
int ctx_db_open(struct ctx_db *db, const struct ctx_db_kind *kind,
    const struct ctx_store_options *o, struct ctx_err *err);
void ctx_db_close(struct ctx_db *db);

/* How long SQLite waits for other processes from now on. */
void ctx_db_wait(struct ctx_db *db, int64_t ms);
/* Copy the log into the file and cut it off, waiting for others as usual. */
void ctx_db_checkpoint(struct ctx_db *db);
/* Copy the log into the file and cut it off, if nobody is in the way. */
void ctx_db_empty_log(struct ctx_db *db);

/* Is the catalog there? Without it statements find its tables empty (ctx_stmt_new). As of
 * when SQLite looked last, which it does with each statement on the store. */
bool ctx_db_has_catalog(struct ctx_db *db);
/* In a write transaction, before something is inserted: make it unless it is there. */
int ctx_db_make_catalog(struct ctx_db *db, struct ctx_err *err);
/* Bytes of the file's header (https://sqlite.org/fileformat2.html), without SQL, which would
 * take a twentieth of the time of a short command. false: not there. */
#define CTX_DB_READ_VERSION 19 /* a byte */
#define CTX_DB_VERSION_LOG 2   /* there is, or will be, a write-ahead log */
#define CTX_DB_ID 68           /* 4 bytes, big-endian */
int64_t ctx_db_id(const unsigned char id[4]);
bool ctx_db_header(struct ctx_db *db, int64_t at, unsigned char *out, int n);

/* Which file the write-ahead log is, 0: there is none; its bytes into *size, unless NULL. */
ino_t ctx_db_log(const struct ctx_db *db, off_t *size);

/* The queue of writers: CTX_EBUSY when its turn does not come. */
int ctx_db_queue_enter(struct ctx_db *db, struct ctx_err *err);
void ctx_db_queue_leave(struct ctx_db *db);
/* flock() that gives up after busy_ms: 0, or -1. */
int ctx_db_wait_for_lock(int fd, int64_t busy_ms);

/* Transactions, as ctx_store_begin and the like. */
int ctx_db_begin(struct ctx_db *db, struct ctx_err *err);
int ctx_db_commit(struct ctx_db *db, struct ctx_err *err);
void ctx_db_rollback(struct ctx_db *db);
int ctx_db_begin_read(struct ctx_db *db, struct ctx_err *err);
void ctx_db_end_read(struct ctx_db *db);

/* ---- what a connection can tell ---- */

/* What the last call that failed has met. */
enum ctx_db_failure {
	CTX_DB_OTHER,
	CTX_DB_DUPLICATE,  /* another row has what must be unique */
	CTX_DB_CONSTRAINT, /* any other constraint */
	CTX_DB_BAD_SQL,    /* or a bad full-text query */
	CTX_DB_CANNOT_OPEN,
};
enum ctx_db_failure ctx_db_failure(const struct ctx_db *db);
/* The engine's words for it, borrowed until the next call. */
const char *ctx_db_message(const struct ctx_db *db);

/* Does the store's own schema have the table; the column, in any schema? */
bool ctx_db_has_table(const struct ctx_db *db, const char *table);
bool ctx_db_has_column(const struct ctx_db *db, const char *table, const char *column);

/* Rows changed by the last statement; by all so far. */
int64_t ctx_db_changes(const struct ctx_db *db);
int64_t ctx_db_total_changes(const struct ctx_db *db);

/* The file's absolute path, borrowed; "" if it has none. */
const char *ctx_db_file(const struct ctx_db *db);
/* Was the file removed or renamed since it was opened? */
bool ctx_db_has_moved(const struct ctx_db *db);

/* Drop the pages held in memory, which were changed in the file. */
void ctx_db_forget_pages(struct ctx_db *db);

/* Let SQL call fn, with arg, as a function of two integers; replaces one of that name. */
typedef int64_t ctx_db_fn(void *arg, int64_t a, int64_t b);
void ctx_db_function(struct ctx_db *db, const char *name, ctx_db_fn *fn, void *arg);

/* ---- other files ---- */

/* An empty database in memory, to look at what a schema makes. db holds nothing but a path for
 * errors; close it whether or not it was opened. */
int ctx_db_open_memory(struct ctx_db *db, struct ctx_err *err);
void ctx_db_close_memory(struct ctx_db *db);

/* Open db->path, a copy that nobody changes, for reading. */
int ctx_db_open_copy(struct ctx_db *db, struct ctx_err *err);

/* Write a copy of the database to path, as of one moment, without making writers wait. mark is
 * called with the copy before it is closed. */
typedef int ctx_db_mark_fn(void *arg, struct ctx_db *copy, struct ctx_err *err);
int ctx_db_backup(struct ctx_db *db, const char *path, ctx_db_mark_fn *mark, void *arg,
    struct ctx_err *err);

/* ---- statements ---- */

/* Fill in err from the connection's last error. Returns -1. */
int ctx_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing);

/* A statement of this text, prepared unless ctx_stmt_free has kept one; NULL on failure. The
 * caller gives it to ctx_stmt_free or ctx_stmt_close. */
struct ctx_stmt *ctx_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err);

/* Reset the statement and keep it for the next ctx_stmt_new with its text: preparing takes
 * longer than most statements run. NULL does nothing. */
void ctx_stmt_free(struct ctx_db *db, struct ctx_stmt *q);

/* Finalize the statements that ctx_stmt_free has kept: before the database is closed. */
void ctx_stmt_forget_idle(struct ctx_db *db);

/* The kept statement, prepared on first use, reset and unbound. */
struct ctx_stmt *ctx_stmt_kept(
    struct ctx_db *db, enum ctx_stmt_id which, const char *sql, struct ctx_err *err);

/* Step: 1 row, 0 done, -1. */
int ctx_stmt_step(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);

/* Run an INSERT of one row to its end and reset it; its integer key into *key, unless NULL. */
int ctx_stmt_insert(
    struct ctx_db *db, struct ctx_stmt *q, int64_t *key, struct ctx_err *err);

/* Step to the end and reset; for statements that return no rows. */
int ctx_stmt_run(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);

/* Run SQL text of one or more statements without results. */
int ctx_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err);

/* Before the name of a column that a statement yields: only its value is wanted. Where
 * SQLite keeps column metadata, preparing would copy five names for each plain column,
 * which costs more than reading one. */
#define CTX_STMT_BARE "+"

/* Binding: an absent text or CTX_TIME_NONE binds NULL. Text is borrowed until reset. A
 * parameter that is not in the statement is passed over: conditions that are not wanted are
 * left out of the SQL, where a test for NULL would keep indexes from being used. */
void ctx_stmt_bind_span(struct ctx_stmt *q, int at, struct ctx_span s);
void ctx_stmt_bind_str(struct ctx_stmt *q, int at, const char *s);
void ctx_stmt_bind_int(struct ctx_stmt *q, int at, int64_t v);

/* Columns: NULL reads as an absent span, a NULL string, CTX_TIME_NONE. */
struct ctx_span ctx_stmt_span(struct ctx_stmt *q, int col);
char *ctx_stmt_str(struct ctx_stmt *q, int col); /* owned */
int64_t ctx_stmt_int(struct ctx_stmt *q, int col);

/* What ctx_stmt_bind_int does, and every number as it is. */
void ctx_stmt_bind_int64(struct ctx_stmt *q, int at, int64_t v);
/* Bytes, borrowed until reset: an absent span binds NULL. */
void ctx_stmt_bind_bytes(struct ctx_stmt *q, int at, struct ctx_span bytes);
/* The value of another statement's column. */
void ctx_stmt_bind_column(struct ctx_stmt *q, int at, struct ctx_stmt *from, int col);

/* Columns as they are: an integer (NULL reads as 0), a real number, text that ends with NUL
 * (NULL reads as NULL), bytes (absent if there are none); borrowed until the next step. */
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

/* Make the statement ready to run again, its bindings kept; end it. NULL does nothing. */
void ctx_stmt_reset(struct ctx_stmt *q);
void ctx_stmt_close(struct ctx_stmt *q);

#endif
