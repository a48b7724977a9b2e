/* Checks the integrity of a store, and makes backups. */
#ifndef CTX_STORE_CHECK_H
#define CTX_STORE_CHECK_H

#include "store/store.h"

/* A problem that a check found. Valid only during the call of ctx_check_fn. */
struct ctx_finding {
	/* name of the check that found the problem: integrity, checksum, sequence,
	 * counter, reference, record, mark, cleanup */
	const char *check;
	const char *session_id; /* NULL: the problem is not about one session */
	/* sequence number of the damaged message; 0: the problem is not about one
	 * message */
	int64_t seq;
	const char *message; /* text that describes the problem to a person */
};

/* Called for each problem, outside any transaction. To stop the check, the function sets
 * err and returns -1. */
typedef int ctx_check_fn(void *arg, const struct ctx_finding *f, struct ctx_err *err);

/* Runs the database engine's own integrity check on the store and on the derived file.
 * Fails with CTX_ESTORE if a file cannot be read at all. */
int ctx_check_integrity(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Checks one session: the checksums and the numbering of its messages, its counters, rows
 * that refer to its messages, JSON records, and the marks that say how far derived data
 * is up to date. no: number of the session. (A session id would be ambiguous, because a
 * session id is unique only within a tenant.) */
int ctx_check_session(
    struct ctx_store *st, int64_t no, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Finds column values that ctx never writes: values of a wrong type, values out of range,
 * and invalid JSON. When ctx reads a row with such a value, it fails with CTX_ESTORE. */
int ctx_check_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Like ctx_check_columns, but for the derived file. Does nothing if there is no derived
 * file. ctx_check_integrity finds damage of the file itself. */
int ctx_check_derived_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Finds rows whose session does not exist. Also finds texts of requests that are stored
 * under a digest other than their SHA-256. */
int ctx_check_strays(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Copies the store, as of one moment, to the file at path, without blocking writers. The
 * copy is durable, and gets its name only when it is complete.
 *
 * An existing file at path is replaced, together with its derived file, if it is an
 * earlier backup that was not changed since, and if this backup has no sessions or has a
 * session in common with this store. Fails with CTX_EUSAGE if path is any other existing
 * file, or a file of this store. Fails with CTX_EIO if there is a log or journal next to
 * path, because SQLite would read it as part of the copy. */
int ctx_store_backup(struct ctx_store *st, const char *path, struct ctx_err *err);

/* ---- the times of the last check and the last backup ----
 *
 * They are in small files next to the store, because a backup and a read-only check must
 * not change the store. */

/* Records in a file that the task ("check" or "backup") has succeeded. now: the current
 * time in ms since the epoch. Ignores errors. */
void ctx_store_task_done(struct ctx_store *st, const char *task, int64_t now);

/* Returns the time at which the task ("check" or "backup") last succeeded, in seconds
 * since the epoch; -1 if this time is unknown. */
int64_t ctx_store_task_time(struct ctx_store *st, const char *task);

#endif
