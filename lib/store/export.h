/* Exports a session as a stream of records. Archives consist of these records, and
 * ctx-show prints them. The same session always gives the same records in the same
 * order. */
#ifndef CTX_STORE_EXPORT_H
#define CTX_STORE_EXPORT_H

#include "base/hash.h"
#include "record/record.h"
#include "store/store.h"

enum {
	/* the session record, shares, items and links to entities */
	CTX_EXPORT_SESSION = 1,
	/* messages, hidden ranges and summaries */
	CTX_EXPORT_MESSAGES = 2,
	CTX_EXPORT_RECORDS = 4, /* the requests and events of the session */
	CTX_EXPORT_ALL = 7,
};

/* Called for each record. line: the record with its newline, borrowed for the call. No
 * statement or transaction is open during the call, so the function may be slow. To stop
 * the export, the function sets err and returns -1. */
typedef int ctx_export_fn(
    void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err);

/* Exports a session, or some parts of it. parts: the parts to export (CTX_EXPORT_*).
 * Messages are exported up to s->last_seq. The session is read in pages of bounded size
 * and can change between two pages; to detect this, compare the results of
 * ctx_store_stamp before and after the export. Fails with CTX_EMOVED or CTX_EANSWER if
 * the session left the store during the export (ctx_session_left); the records that were
 * already passed to fn are valid. */
int ctx_store_export(struct ctx_store *st, const struct ctx_session *s, int parts,
    ctx_export_fn *fn, void *arg, struct ctx_err *err);

/* The position at which an export continues an earlier export. */
struct ctx_export_after {
	/* numbers of the last message, request and event that were exported; 0: no
	 * message (or request, or event) was exported */
	int64_t message, request, event;
};
/* Continues an export: exports only the messages, requests and events (in this order)
 * with numbers greater than those in *after, and updates *after. Messages that are no
 * longer in the store are skipped. */
int ctx_store_export_after(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_export_after *after, ctx_export_fn *fn, void *arg, struct ctx_err *err);

/* Computes a digest of the session. The digest changes whenever an export of the session
 * would change. *s must have been read in the same transaction, or just before this
 * call. */
int ctx_store_stamp(struct ctx_store *st, const struct ctx_session *s,
    char stamp[CTX_HASH_HEX + 1], struct ctx_err *err);

#endif
