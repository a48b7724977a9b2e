/* Checks the integrity of a store, and makes backups. */
#ifndef CTX_STORE_CHECK_H
#define CTX_STORE_CHECK_H

#include "store/store.h"

/* A problem that a check found, borrowed for the call. */
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

/* Called for each problem, outside any transaction. Returns -1 with err set to stop the
 * check. */
typedef int ctx_check_fn(void *arg, const struct ctx_finding *f, struct ctx_err *err);

/* Runs the database engine's own integrity check on the store and on the derived file.
 * Fails with CTX_ESTORE if a file cannot be read at all. */
int ctx_check_integrity(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Checks one session: checksums and numbering of its messages, counters, rows that refer
 * to its messages, JSON records, and the marks that say how far derived data is up to
 * date. The session is named by its number, because an id is unique only within a
 * tenant. */
int ctx_check_session(
    struct ctx_store *st, int64_t no, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Finds column values that ctx never writes: of a wrong type, out of range, or invalid
 * JSON. Reading such a row fails with CTX_ESTORE. */
int ctx_check_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Like ctx_check_columns, but for the derived file. Does nothing if there is no derived
 * file. Damage of the file itself is found by ctx_check_integrity. */
int ctx_check_derived_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Finds rows whose session does not exist, and texts of requests that do not match their
 * digests. */
int ctx_check_strays(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Copies the store, as of one moment, to the file path without blocking writers. The copy
 * is durable, and gets its name only when it is complete. An existing file is replaced,
 * together with its derived file, only if the file is an earlier backup: nothing was
 * written to the file since it was made, and the file is empty or has a session in common
 * with this store. Fails with CTX_EUSAGE if path is any other existing file, or a file of
 * this store. Fails with CTX_EIO if SQLite would read a log or journal that exists next
 * to path as part of the copy. */
int ctx_store_backup(struct ctx_store *st, const char *path, struct ctx_err *err);

#endif
