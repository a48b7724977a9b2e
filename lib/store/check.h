/* Is the store what it says it is? */
#ifndef CTX_STORE_CHECK_H
#define CTX_STORE_CHECK_H

#include "store/store.h"

/* Something that should not be. Borrowed for the call. */
struct ctx_finding {
	const char *check;      /* which check found it: integrity, checksum, sequence,
				   * counter, reference, record, mark, cleanup */
	const char *session_id; /* NULL: of no session */
	int64_t seq;            /* of a message; 0: of none */
	const char *message;    /* for people */
};

/* Return -1 with err set to stop. No transaction is open when it is called. */
typedef int ctx_check_fn(void *arg, const struct ctx_finding *f, struct ctx_err *err);

/* SQLite's own check of both files. CTX_ESTORE when one can't even be read so far. */
int ctx_check_integrity(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* The session with this number, by which those that share an id are told apart: checksums
 * and numbering of its messages, its counters against them, what refers to its messages,
 * whether its records are JSON, marks of derived data. */
int ctx_check_session(
    struct ctx_store *st, int64_t no, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Values that no column of ours holds: of another type, out of range, no JSON. Reading such a
 * row is CTX_ESTORE. */
int ctx_check_columns(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* Rows that belong to no session, and the texts that requests and items share against their
 * digests. */
int ctx_check_strays(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err);

/* A copy of the store as it is at one moment, at path: durable, and under its name only
 * when it is whole. Writers go on meanwhile. What is there is replaced, with what is derived
 * beside it, when it is such a copy, nobody wrote to it, and it has no sessions or one in
 * common with the store. CTX_EUSAGE for anything else, and for names that belong to the store;
 * CTX_EIO when what lies beside path would be taken for a part of the copy. */
int ctx_store_backup(struct ctx_store *st, const char *path, struct ctx_err *err);

#endif
