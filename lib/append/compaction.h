/* Stores what a provider's compaction returned: a summary that windows show in place of
 * the messages it stands for. */
#ifndef CTX_APPEND_COMPACTION_H
#define CTX_APPEND_COMPACTION_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

struct ctx_compaction {
	struct ctx_span message; /* with the provider's blocks: valid JSON */
	/* the message that the request was for: the compaction stands for all up to the last
	 * answer before it */
	int64_t for_seq;
	const char *request_id; /* NULL: unknown */
	const char *model;      /* NULL: unknown */
	struct ctx_span usage;  /* as the provider sent it, or absent */
	int64_t now;            /* ms */
};

/* Stores the summary and its event, and selects it. Call inside a write transaction.
 * Appends the records of both to out (may be NULL). CTX_EANSWER if the message holds no
 * compaction, if there was no answer yet, or if a summary in use covers as much
 * already. */
int ctx_append_compaction(struct ctx_store *st, struct ctx_session *s,
    const struct ctx_compaction *c, struct ctx_buf *out, struct ctx_err *err);

#endif
