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

/* Runs SQLite's own integrity check on the store and on the derived file. CTX_ESTORE when
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

/* The same for the derived file; nothing if there is none. Damage of the file itself is what
 * ctx_check_integrity finds. */
int ctx_check_derived_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Finds rows that belong to no session, and checks the shared texts of requests and items
 * against their digests. */
int ctx_check_strays(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Copies the store, as it is at one moment, to path. The copy is durable, and has its
 * final name only when it is complete; writers are not blocked. An existing file is
 * replaced, together with its derived file, only if it is an earlier backup that nobody
 * has written to and that either has no sessions or shares one with this store.
 * CTX_EUSAGE for any other existing file and for the store's own file names; CTX_EIO when
 * a file beside path would be taken for a part of the copy. */
int ctx_store_backup(struct ctx_store *st, const char *path, struct ctx_err *err);

#endif
