/* Private to the engines: the table of functions that each engine provides. A member NAME
 * implements ctx_db_NAME of store/engine.h, a member stmt_NAME implements ctx_stmt_NAME
 * of store/engine.h, and a member index_NAME implements ctx_index_NAME of
 * store/fulltext_index.h. */
#ifndef CTX_STORE_ENGINE_TABLE_H
#define CTX_STORE_ENGINE_TABLE_H

#include "store/fulltext_index.h"

struct ctx_engine {
	const char *name;
	/* called when only the members engine, kind and lock_fd of *db are set */
	int (*open)(struct ctx_db *db, const struct ctx_db_kind *kind,
	    const struct ctx_store_options *o, struct ctx_err *err);
	void (*close)(struct ctx_db *db);
	void (*wait)(struct ctx_db *db, int64_t ms);
	bool (*has_catalog)(struct ctx_db *db);
	int (*make_catalog)(struct ctx_db *db, struct ctx_err *err);
	int (*begin)(struct ctx_db *db, struct ctx_err *err);
	int (*commit)(struct ctx_db *db, struct ctx_err *err);
	void (*rollback)(struct ctx_db *db);
	int (*begin_read)(struct ctx_db *db, struct ctx_err *err);
	void (*end_read)(struct ctx_db *db);
	enum ctx_db_failure (*failure)(const struct ctx_db *db);
	const char *(*message)(const struct ctx_db *db);
	bool (*has_table)(const struct ctx_db *db, const char *table);
	bool (*has_column)(
	    const struct ctx_db *db, const char *table, const char *column);
	int64_t (*changes)(const struct ctx_db *db);
	int64_t (*total_changes)(const struct ctx_db *db);
	const char *(*address)(const struct ctx_db *db);
	const char *(*file)(const struct ctx_db *db);
	bool (*has_moved)(const struct ctx_db *db);
	int (*incarnation)(struct ctx_db *db, int64_t *number, struct ctx_err *err);
	int (*backup)(struct ctx_db *db, const char *path, ctx_db_mark_fn *mark,
	    void *arg, struct ctx_err *err);
	int (*task)(struct ctx_db *db, const char *task, bool wait, struct ctx_err *err);
	int (*size)(struct ctx_db *db, int64_t *bytes, struct ctx_err *err);
	int (*check)(
	    struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err);
	int (*columns)(struct ctx_db *db, struct ctx_buf *out, struct ctx_err *err);
	int (*cache)(struct ctx_db *db, int kib, struct ctx_err *err);
	int (*stmt_fail)(struct ctx_db *db, struct ctx_err *err, const char *doing);
	struct ctx_stmt *(*stmt_new)(
	    struct ctx_db *db, const char *sql, struct ctx_err *err);
	void (*stmt_free)(struct ctx_db *db, struct ctx_stmt *q);
	void (*stmt_forget_idle)(struct ctx_db *db);
	struct ctx_stmt *(*stmt_kept)(struct ctx_db *db, enum ctx_stmt_id which,
	    const char *sql, struct ctx_err *err);
	int (*stmt_step)(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);
	int (*stmt_run)(struct ctx_db *db, struct ctx_stmt *q, struct ctx_err *err);
	int (*stmt_exec)(struct ctx_db *db, const char *sql, struct ctx_err *err);
	void (*stmt_bind_span)(struct ctx_stmt *q, int at, struct ctx_span s);
	void (*stmt_bind_int)(struct ctx_stmt *q, int at, int64_t v);
	struct ctx_span (*stmt_span)(struct ctx_stmt *q, int col);
	int64_t (*stmt_int)(struct ctx_stmt *q, int col);
	void (*stmt_bind_int64)(struct ctx_stmt *q, int at, int64_t v);
	void (*stmt_bind_bytes)(struct ctx_stmt *q, int at, struct ctx_span bytes);
	void (*stmt_bind_column)(
	    struct ctx_stmt *q, int at, struct ctx_stmt *from, int col);
	enum ctx_column (*stmt_type)(struct ctx_stmt *q, int col);
	int64_t (*stmt_int64)(struct ctx_stmt *q, int col);
	bool (*stmt_whole)(struct ctx_stmt *q, int col, int64_t *v);
	double (*stmt_double)(struct ctx_stmt *q, int col);
	const char *(*stmt_text)(struct ctx_stmt *q, int col);
	struct ctx_span (*stmt_bytes)(struct ctx_stmt *q, int col);
	int (*stmt_columns)(struct ctx_stmt *q);
	const char *(*stmt_column_name)(struct ctx_stmt *q, int col);
	void (*stmt_reset)(struct ctx_stmt *q);
	void (*stmt_close)(struct ctx_stmt *q);
	/* implements ctx_db_scan; NULL in engines without a server */
	int (*scan)(
	    struct ctx_db *db, ctx_store_bytes_fn *fn, void *arg, struct ctx_err *err);
	int (*index_add)(
	    struct ctx_db *db, int64_t id, struct ctx_span text, struct ctx_err *err);
	int (*index_clear)(struct ctx_db *db, struct ctx_err *err);
	int (*index_erase)(struct ctx_db *db, const int64_t *sessions, size_t n,
	    const struct ctx_index_rows *rows, int64_t *erased, struct ctx_err *err);
	int (*index_scrub)(struct ctx_db *db, bool again, struct ctx_err *err);
	int (*index_search)(struct ctx_db *db, const struct ctx_index_query *query,
	    ctx_index_hit_fn *fn, void *arg, struct ctx_err *err);
	int (*index_count)(struct ctx_db *db, const struct ctx_index_query *query,
	    int64_t max, int64_t *n, struct ctx_err *err);
};

/* The beginning of a statement, common to all engines; each engine has a larger struct
 * that begins with this one. */
struct ctx_stmt {
	const struct ctx_engine *engine;
};

extern const struct ctx_engine ctx_engine_sqlite;
/* The address of this object is NULL in programs that are not linked with the engine for
 * PostgreSQL. */
extern const struct ctx_engine ctx_engine_pg __attribute__((weak));

#endif
