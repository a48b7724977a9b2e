/* Private to lib/recall: reads the candidate turns for a query from the store. */
#ifndef CTX_RECALL_LOAD_H
#define CTX_RECALL_LOAD_H

#include "recall/recall.h"
#include "record/message.h"

struct recall_loader {
	struct ctx_recall *r;
	struct ctx_store *st;
	const struct ctx_session *s; /* NULL: several sessions */
	const struct ctx_recall_options *o;
	struct ctx_message parsed;
	struct ctx_buf text, line;
	struct ctx_seq_range *hidden;
	size_t n_hidden, cap;
	int64_t last; /* seq of the newest candidate */
	bool gap;     /* messages are missing before the next turn */
};

/* Reads the candidates into l->r->turns: turns of the session l->s up to l->last, or of
 * all sessions that the options name. */
int ctx_recall_load(struct recall_loader *l, struct ctx_err *err);

#endif
