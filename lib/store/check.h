/* Checks the integrity of a store. */
#ifndef CTX_STORE_CHECK_H
#define CTX_STORE_CHECK_H

#include "store/store.h"

/* A problem that a check found. Borrowed for the call. */
struct ctx_finding {
	/* the check that found it: integrity, checksum, sequence, counter, reference,
	 * record, mark, cleanup */
	const char *check;
	const char *session_id; /* NULL: of no session */
	int64_t seq;            /* sequence number of the message concerned; 0: none */
	const char *message;    /* for people */
};

/* Called for each problem, outside any transaction. Returns -1 with err set to stop the
 * check. */
typedef int ctx_check_fn(void *arg, const struct ctx_finding *f, struct ctx_err *err);

/* Runs the engine's own integrity check on the store and on the derived file. CTX_ESTORE when
 * a file cannot be read at all. */
int ctx_check_integrity(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Checks one session, named by its number because several tenants can use the same id:
 * message checksums and numbering, counters, rows that refer to its messages, JSON
 * records, and marks of derived data. */
int ctx_check_session(
    struct ctx_store *st, int64_t no, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Finds column values that ctx never writes: a wrong type, out of range, or invalid JSON.
 * Readers of such a row fail with CTX_ESTORE. */
int ctx_check_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* The same for the derived file; does nothing if there is none. ctx_check_integrity
 * finds damage of the file itself. */
int ctx_check_derived_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Finds rows whose session does not exist, and checks the shared texts of requests and
 * items against their digests. */
int ctx_check_strays(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Copies the store, as of one moment, to path without blocking writers. The copy is
 * durable, and gets its final name only when it is complete. An existing file is
 * replaced, together with its derived file, only if it is an unmodified earlier backup
 * that is empty or shares a session with this store. CTX_EUSAGE if path is any other
 * existing file or one of the store's own files. CTX_EIO if a log or journal next to
 * path would be read as part of the copy. */
int ctx_store_backup(struct ctx_store *st, const char *path, struct ctx_err *err);

#endif
