/* Private to the store: statements over sqlite3. */
#ifndef CTX_STORE_STMT_H
#define CTX_STORE_STMT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <sys/types.h>

#include "store/store.h"

/* Statements that stay prepared while the store is open. */
enum ctx_stmt {
	CTX_STMT_SESSION_FIND,
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

/* One SQLite file with its writers' queue. */
struct ctx_db {
	sqlite3 *h;
	const struct ctx_db_kind *kind;
	sqlite3_stmt *kept[CTX_STMT_N];
	sqlite3_stmt *idle[CTX_STMT_IDLE]; /* by a hash of their text */
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

struct ctx_store {
	struct ctx_db db;
	struct ctx_db *derived; /* opened on first use; NULL before */
	bool lent[CTX_STMT_N];  /* kept statements that a cursor reads from */
	void (*progress)(int64_t more, const char *what, double part); /* or NULL */
	char *tenant;
	char **tokenizers; /* by number; [0] and [1] are the built-in ones */
	size_t n_tokenizers;
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

/* Open db->path for reading by its URI with the parameter behind; SQLite's code. */
int ctx_db_open_uri(struct ctx_db *db, const char *parameter);

/* How long SQLite waits for other processes from now on. */
void ctx_db_wait(struct ctx_db *db, int64_t ms);
/* Copy the log into the file and cut it off, if nobody is in the way. */
void ctx_db_empty_log(struct ctx_db *db);

/* Is the catalog there? Without it statements find its tables empty (ctx_stmt_new). As of
 * when SQLite looked last, which it does with each statement on the store. */
bool ctx_db_has_catalog(struct ctx_db *db);
/* In a write transaction, before something is inserted: make it unless it is there. */
int ctx_db_make_catalog(struct ctx_db *db, struct ctx_err *err);
/* Let its tables be found, and empty, until it is made. SQLite's code. */
int ctx_db_attach_empty_catalog(struct ctx_db *db);

/* Bytes of the file's header (https://sqlite.org/fileformat2.html), without SQL, which would
 * take a twentieth of the time of a short command. false: not there. */
#define CTX_DB_READ_VERSION 19 /* a byte */
#define CTX_DB_VERSION_LOG 2   /* there is, or will be, a write-ahead log */
#define CTX_DB_ID 68           /* 4 bytes, big-endian */
int64_t ctx_db_id(const unsigned char id[4]);
bool ctx_db_header(struct ctx_db *db, int64_t at, unsigned char *out, int n);

/* Which file the write-ahead log is, 0: there is none; its bytes into *size, unless NULL. */
ino_t ctx_db_log(const struct ctx_db *db, off_t *size);

/* SQLite's hook behind a commit, arg is the struct ctx_db. */
int ctx_db_after_commit(void *arg, sqlite3 *h, const char *schema, int log_pages);

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

/* The file of derived tables beside the store, "PATH-derived", made when it is missing
 * and made anew when it is damaged or of another version: nothing in it is the only copy.
 * NULL on failure. It belongs to the store. */
struct ctx_db *ctx_store_derived(struct ctx_store *st, struct ctx_err *err);

/* Give the database, a copy of a store, an identity of its own (store/owner.h). Returns 0, or
 * -1 with SQLite's error in h. */
int ctx_owner_mark_copy(sqlite3 *h, const char *id);

/* ---- statements ---- */

/* Fill in err from the connection's last error. Returns -1. */
int ctx_stmt_fail(struct ctx_db *db, struct ctx_err *err, const char *doing);

/* A statement of this text, prepared unless ctx_stmt_free has kept one; NULL on failure. The
 * caller gives it to ctx_stmt_free or sqlite3_finalize. */
sqlite3_stmt *ctx_stmt_new(struct ctx_db *db, const char *sql, struct ctx_err *err);

/* Reset the statement and keep it for the next ctx_stmt_new with its text: preparing takes
 * longer than most statements run. NULL does nothing. */
void ctx_stmt_free(struct ctx_db *db, sqlite3_stmt *q);

/* Finalize the statements that ctx_stmt_free has kept: before the database is closed. */
void ctx_stmt_forget_idle(struct ctx_db *db);

/* Prepare with the ids of the session's rows first to last as ?1 and ?2. */
sqlite3_stmt *ctx_stmt_range(struct ctx_store *st, const char *sql,
    const struct ctx_session *s, int64_t first, int64_t last, struct ctx_err *err);

/* The kept statement, prepared on first use, reset and unbound. */
sqlite3_stmt *ctx_stmt_kept(
    struct ctx_db *db, enum ctx_stmt which, const char *sql, struct ctx_err *err);

/* Step: 1 row, 0 done, -1. */
int ctx_stmt_step(struct ctx_db *db, sqlite3_stmt *q, struct ctx_err *err);

/* Step to the end and reset; for statements that return no rows. */
int ctx_stmt_run(struct ctx_db *db, sqlite3_stmt *q, struct ctx_err *err);

/* Run SQL text of one or more statements without results. */
int ctx_stmt_exec(struct ctx_db *db, const char *sql, struct ctx_err *err);

/* Before the name of a column that a statement yields: only its value is wanted. Where
 * SQLite keeps column metadata, preparing would copy five names for each plain column,
 * which costs more than reading one. */
#define CTX_STMT_BARE "+"

/* Binding: an absent text or CTX_TIME_NONE binds NULL. Text is borrowed until reset. */
void ctx_stmt_bind_span(sqlite3_stmt *q, int at, struct ctx_span s);
void ctx_stmt_bind_str(sqlite3_stmt *q, int at, const char *s);
void ctx_stmt_bind_int(sqlite3_stmt *q, int at, int64_t v);

/* Columns: NULL reads as an absent span, a NULL string, CTX_TIME_NONE. */
struct ctx_span ctx_stmt_span(sqlite3_stmt *q, int col);
char *ctx_stmt_str(sqlite3_stmt *q, int col); /* owned */
int64_t ctx_stmt_int(sqlite3_stmt *q, int col);

/* SQL that holds for sessions not deleted, and not archived and cleaned up. */
#define CTX_SESSION_HAS_BODIES                                         \
	"(status = 0 OR (status = 1 AND instr(coalesce(archive, ''), " \
	"'\"cleaned\":true') = 0))"

/* Before a statement on marks: the kinds that there are, each found by the primary key, so
 * that the marks of one session are found without reading all. */
#define CTX_WITH_MARK_KINDS                                                     \
	"WITH RECURSIVE kinds (kind) AS (SELECT min(kind) FROM mark UNION ALL " \
	"SELECT (SELECT min(m.kind) FROM mark m WHERE m.kind > kinds.kind) "    \
	"FROM kinds WHERE kinds.kind IS NOT NULL) "

/* id of a session's row, and back */
static inline int64_t
ctx_row_id(int64_t no, int64_t seq)
{
	return (int64_t)((uint64_t)no << 32 | (uint64_t)seq);
}

static inline int64_t
ctx_row_seq(int64_t id)
{
	return id & CTX_SEQ_MAX;
}

#endif
