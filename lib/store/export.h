/* Writes everything of a session as a stream of records: what ctx-show prints and an
 * archive holds. The same session gives the same records in the same order. */
#ifndef CTX_STORE_EXPORT_H
#define CTX_STORE_EXPORT_H

#include "base/hash.h"
#include "record/record.h"
#include "store/store.h"

enum {
	CTX_EXPORT_SESSION = 1, /* the session record, its shares, its items */
	/* and what hides messages: hidden ranges and summaries */
	CTX_EXPORT_MESSAGES = 2,
	CTX_EXPORT_RECORDS = 4, /* requests and events */
	CTX_EXPORT_ALL = 7,
};

/* Called for each record, including its newline; line is borrowed for the call. No
 * statement or transaction is open, so the callback may be slow. Returns -1 with err set
 * to stop. */
typedef int ctx_export_fn(
    void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err);

/* Exports the session, shares, items, messages up to s->last_seq, hidden ranges,
 * summaries, requests and events. It reads pages of bounded size, so the session can
 * change meanwhile; compare stamps before and after to detect that. CTX_EMOVED or
 * CTX_EANSWER if the session left the store during the export (ctx_session_left); the
 * records passed to fn until then are valid. */
int ctx_store_export(struct ctx_store *st, const struct ctx_session *s, int parts,
    ctx_export_fn *fn, void *arg, struct ctx_err *err);

/* Exports only what follows the numbers in *after, which are updated: messages, then
 * requests, then events. Messages that left the store are skipped. */
struct ctx_export_after {
	int64_t message, request, event; /* the last one exported; 0: none */
};
int ctx_store_export_after(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_export_after *after, ctx_export_fn *fn, void *arg, struct ctx_err *err);

/* Computes a digest that changes whenever an export of the session would. *s must have
 * been read in the same transaction or just before. */
int ctx_store_stamp(struct ctx_store *st, const struct ctx_session *s,
    char stamp[CTX_HASH_HEX + 1], struct ctx_err *err);

#endif
