/* Inside of ctx-append: options, what is open, and what the parts of the program do. */
#ifndef CTX_CMD_APPEND_H
#define CTX_CMD_APPEND_H

#include "answer/answer.h"
#include "cli.h"
#include "ingest/ingest.h"
#include "record/calls.h"
#include "record/request.h"

extern struct append_options {
	const char *session, *user, *agent, *role, *id, *type, *call, *metadata,
	    *question, *rejects, *request, *result, *print, *file;
	struct cli_list text, attach;
	int64_t if_seq, max_record, ttl;
	bool create, resume, raw, pin, atomic, keep_going, echo, error;
} opt;

extern struct ctx_store *store; /* once it is open */
extern struct ctx_ingest ingest;
extern struct cli_input input;

/* Print the records of what was committed. */
void acknowledge(void);
/* Print what waits for it. A reader that has gone is noted and changes nothing else. */
void print_pending(void);
/* --print text? */
bool append_prints_text(void);

/* With --resume: restore the session if it is archived. No transaction is open. */
int resume(const char *session_id, struct ctx_err *err);

/* The same of a session that a record names, unless it is *last (char **), the one before: one
 * that does not come back refuses its records. */
int resume_named(void *last, const char *session_id, struct ctx_err *err);

/* A session that is named and missing is an answer of its own, before anything is read. */
int check_session(struct ctx_err *err);

/* Store what waits, in a transaction of its own. 1: stopped at a bad record. */
int commit_batch(struct ctx_err *err);

/* The same inside a write transaction, which it ends. */
int apply_batch(struct ctx_err *err);

/* The next line of input into the batch: 1, 0 at the end, -1. */
int take_line(struct ctx_err *err);

/* A record that could not be applied, among the rejects: a ctx_ingest_reject_fn. */
int refuse_pending(void *arg, const struct ctx_pending *p, struct ctx_err *err);

/* All of the input in one transaction (append_atomic.c). */
int append_atomic(struct ctx_err *err);

/* Messages from the command line, or one from raw input (append_text.c). */
int check_text(struct ctx_err *err);
/* Is --metadata a JSON object? */
int check_metadata(struct ctx_err *err);
int append_text(struct ctx_err *err);
/* Add the question of a pair to the batch; request_id (or NULL) is that of its answer. */
int append_question(const char *request_id, struct ctx_err *err);
/* Reads the text of the only --text, of the file, or of raw input: checked UTF-8, without a newline at its
 * end. */
int append_read_text(struct ctx_buf *text, struct ctx_err *err);

/* Adds a message with this text to the batch: with call, the result of that call. from names
 * the text in errors. */
int append_add_text(struct ctx_span text, const char *from, const struct ctx_call *call,
    struct ctx_err *err);

/* The result of a call that waits (append_result.c). */
int check_result(int argc, char **argv, struct ctx_err *err);
int append_result(struct ctx_err *err);

/* The answer of a provider, maybe to a request (append_answer.c). */
int append_answer(struct ctx_err *err);

/* Give the calls of an answer the names that their tools have in the session: those that the
 * request record says were changed, and those of items (append_names.c). */
int append_restore_names(struct ctx_answer *a, enum ctx_provider provider,
    const struct ctx_request *r, struct ctx_err *err);

#endif
