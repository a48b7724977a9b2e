/* Everything of a session as a stream of records: what ctx-show prints and an archive
 * holds. The same session gives the same records in the same order. */
#ifndef CTX_STORE_EXPORT_H
#define CTX_STORE_EXPORT_H

#include "base/hash.h"
#include "record/record.h"
#include "store/store.h"

enum {
	CTX_EXPORT_SESSION = 1,  /* its record, with whom it is shared, its items */
	CTX_EXPORT_MESSAGES = 2, /* and what hides them: ranges, summaries */
	CTX_EXPORT_RECORDS = 4,  /* requests and events */
	CTX_EXPORT_ALL = 7,
};

/* Called per record, with its newline; line is borrowed for the call. No statement and no
 * transaction is open then, so it may take its time. Return -1 with err set to stop. */
typedef int ctx_export_fn(
    void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err);

/* Session, shares, items, messages up to s->last_seq, hidden ranges, summaries, requests,
 * events. Read in pages of bounded size: who needs one state of it all compares stamps.
 * CTX_EMOVED or CTX_EANSWER when what is asked for left the store meanwhile
 * (ctx_session_left); what was handed on until then is right. */
int ctx_store_export(struct ctx_store *st, const struct ctx_session *s, int parts,
    ctx_export_fn *fn, void *arg, struct ctx_err *err);

/* Only what came after the numbers of the last message, request and event that were printed,
 * which are brought up to date: messages, then requests, then events. What left the store is
 * passed over. */
struct ctx_export_after {
	int64_t message, request, event; /* 0: none yet */
};
int ctx_store_export_after(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_export_after *after, ctx_export_fn *fn, void *arg, struct ctx_err *err);

/* A digest that changes with whatever an export of the session would show. *s must have
 * been read in the same transaction, or just before. */
int ctx_store_stamp(struct ctx_store *st, const struct ctx_session *s,
    char stamp[CTX_HASH_HEX + 1], struct ctx_err *err);

#endif
