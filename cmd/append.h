/* Inside of ctx-append: options, what is open, and what the parts of the program do. */
#ifndef CTX_CMD_APPEND_H
#define CTX_CMD_APPEND_H

#include "cli.h"
#include "ingest/ingest.h"

extern struct append_options {
	const char *session, *user, *text, *role, *id, *type, *metadata, *rejects,
	    *request;
	int64_t if_seq, max_record, ttl;
	bool create, resume, raw, pin, atomic, keep_going, echo;
} opt;

extern struct ctx_store *store; /* once it is open */
extern struct ctx_ingest ingest;

/* Print the records of what was committed. */
void acknowledge(void);

/* With --resume: restore the session if it is archived. No transaction is open. */
int resume(const char *session_id, struct ctx_err *err);

/* A session that is named and missing is an answer of its own, before anything is read. */
int check_session(struct ctx_err *err);

/* Store what waits, in a transaction of its own. 1: stopped at a bad record. */
int commit_batch(struct ctx_err *err);

/* One message from the command line or from raw input (append_text.c). */
int check_metadata(struct ctx_err *err);
int append_text(struct ctx_err *err);

/* The answer of a provider, maybe to a request (append_answer.c). */
int append_answer(struct ctx_err *err);

#endif
