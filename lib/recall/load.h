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
	int64_t last;  /* sequence number of the newest candidate turn */
	int64_t reach; /* number of messages to read on either side of each match */
	bool gap;      /* true: messages are missing before the next turn */
};

/* Reads the candidate turns into l->r->turns: the turns of the session l->s up to the
 * sequence number l->last or, if l->s is NULL, the turns of all sessions that the options
 * select. */
int ctx_recall_load(struct recall_loader *l, struct ctx_err *err);

#endif
