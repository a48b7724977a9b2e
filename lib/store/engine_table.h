/* Private to the engines: the table of functions that each engine provides. */
#ifndef CTX_STORE_ENGINE_TABLE_H
#define CTX_STORE_ENGINE_TABLE_H

#include "store/fulltext_index.h"

/* Resets a statement and removes the values bound to it. Returns false if the statement
 * must not be used again. */
typedef bool ctx_stmt_clear_fn(struct ctx_stmt *q);

/* The functions that each engine provides. Each row is ROW(FUNCTION, NAME). NAME is a
 * member of struct ctx_engine, which ctx_sqlite_NAME and ctx_pg_NAME implement. FUNCTION
 * gives the type of the member: it is a public function (see store/engine.h and
 * store/fulltext_index.h) or a function type. A public function does the checks that are
 * the same for all engines (engine.c), and then calls the member. */
#define CTX_ENGINE_FUNCTIONS(ROW)                   \
	ROW(ctx_db_open, open_db)                   \
	ROW(ctx_db_close, close)                    \
	ROW(ctx_db_wait, wait)                      \
	ROW(ctx_db_begin, begin)                    \
	ROW(ctx_db_commit, commit)                  \
	ROW(ctx_db_rollback, rollback)              \
	ROW(ctx_db_begin_read, begin_read)          \
	ROW(ctx_db_end_read, end_read)              \
	ROW(ctx_db_failure, failure)                \
	ROW(ctx_db_has_table, has_table)            \
	ROW(ctx_db_has_column, has_column)          \
	ROW(ctx_db_changes, changes)                \
	ROW(ctx_db_total_changes, total_changes)    \
	ROW(ctx_db_incarnation, incarnation)        \
	ROW(ctx_db_size, size)                      \
	ROW(ctx_stmt_new, stmt_new)                 \
	ROW(ctx_stmt_clear_fn, stmt_clear)          \
	ROW(ctx_stmt_step, stmt_step)               \
	ROW(ctx_stmt_exec, stmt_exec)               \
	ROW(ctx_stmt_bind, stmt_bind)               \
	ROW(ctx_stmt_span, stmt_span)               \
	ROW(ctx_stmt_type, stmt_type)               \
	ROW(ctx_stmt_int64, stmt_int64)             \
	ROW(ctx_stmt_whole, stmt_whole)             \
	ROW(ctx_stmt_bytes, stmt_bytes)             \
	ROW(ctx_stmt_columns, stmt_columns)         \
	ROW(ctx_stmt_column_name, stmt_column_name) \
	ROW(ctx_stmt_reset, stmt_reset)             \
	ROW(ctx_stmt_close, stmt_close)             \
	ROW(ctx_index_add_fn, index_add)            \
	ROW(ctx_index_clear_fn, index_clear)        \
	ROW(ctx_index_erase_fn, index_erase)        \
	ROW(ctx_index_search_fn, index_search)      \
	ROW(ctx_index_count_fn, index_count)

#define CTX_ENGINE_MEMBER(function, name) __typeof__(function) *(name);
struct ctx_engine {
	CTX_ENGINE_FUNCTIONS(CTX_ENGINE_MEMBER)
	/* These two members are NULL in engines without a server. scan: calls fn with all
	 * texts and bytes in all tables. task: takes the lock of the long task with this
	 * name, and holds the lock until the database is closed. If wait is true, waits
	 * up to db->busy_ms for the lock. Returns 1 if the lock was taken, 0 if another
	 * process has the lock, -1 on error. */
	int (*scan)(
	    struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err);
	int (*task)(struct ctx_db *db, const char *task, bool wait, struct ctx_err *err);
};

/* The part of a statement that is common to all engines. Each engine has a larger struct,
 * which begins with this struct. */
struct ctx_stmt {
	const struct ctx_engine *engine;
	/* the SQL text, by which ctx_stmt_new finds an idle statement to use again */
	char *sql;
	unsigned place; /* index of this statement in the array of idle statements */
};

/* SQLite: decides whether statements use the catalog tables of the store or the empty
 * catalog tables. They use those of the store if it has them. Does nothing if no empty
 * tables are attached. */
void ctx_db_follow_catalog(struct ctx_db *db);

extern const struct ctx_engine ctx_engine_sqlite;
/* The address of this object is NULL in programs that are not linked with the engine for
 * PostgreSQL. */
extern const struct ctx_engine ctx_engine_pg __attribute__((weak));

#endif
