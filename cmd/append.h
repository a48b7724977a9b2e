/* Private to ctx-append: its state, and the functions that its files share. */
#ifndef CTX_CMD_APPEND_H
#define CTX_CMD_APPEND_H

#include "answer/answer.h"
#include "cli.h"
#include "append/append.h"
#include "record/calls.h"
#include "record/request.h"

/* The state of one run of the program. */
struct appending {
	struct {
		const char *session, *user, *agent, *role, *id, *type, *call, *metadata,
		    *question, *rejects, *request, *result, *print, *file;
		struct cli_list text, attach;
		int64_t if_seq, max_record, ttl;
		bool create, resume, raw, pin, atomic, keep_going, echo, error, batch;
	} opt;
	struct ctx_store *store; /* NULL until it is opened */
	struct ctx_tokenizer *tokenizer;
	struct ctx_appender appender;
	struct cli_input input;
	int rejects_fd; /* -1: no rejects file */
	size_t rejected;
	struct ctx_err stop; /* why reading of the input stopped before its end */
	struct ctx_err lost; /* set when the reader of stdout has gone */
	/* id of the session that resume_named restored last; may be NULL */
	char *last_resumed;
};

/* Checks that the options can be used together (append_options.c). Returns 1 if the input
 * is a provider's answer, 0 if it is not, -1 with CTX_EUSAGE. */
int append_check_options(
    struct appending *app, int argc, char **argv, struct ctx_err *err);

/* Prints the records of committed messages. */
void acknowledge(struct appending *app);
/* Prints buffered output. If the reader has gone, this is noted in app->lost, and storing
 * continues. */
void print_pending(struct appending *app);
/* Returns whether --print is "text". */
bool append_prints_text(struct appending *app);

/* With --resume, restores the session if it is archived. Must not be called inside a
 * transaction. */
int resume(struct appending *app, const char *session_id, struct ctx_err *err);

/* Like resume, for a session named by a record; skipped if the session was the last one
 * restored. Records of a session that cannot be restored are refused. A
 * ctx_append_session_fn; arg is a struct appending. */
int resume_named(void *arg, const char *session_id, struct ctx_err *err);
void forget_resumed(struct appending *app); /* forgets the session restored last */

/* Fails with CTX_EANSWER if the session of --session does not exist. Called before any
 * input is read. */
int check_session(struct appending *app, struct ctx_err *err);

/* Stores the queued records in one transaction. Returns 0, 1 if it stopped at an invalid
 * record, -1 on error. */
int commit_batch(struct appending *app, struct ctx_err *err);

/* Like commit_batch, but is called inside a write transaction, which it ends. */
int apply_batch(struct appending *app, struct ctx_err *err);

/* Reads the next line of input and queues it. Returns 1, 0 at the end, -1 on error. */
int take_line(struct appending *app, struct ctx_err *err);

/* Writes a refused record to the rejects file. A ctx_append_reject_fn. */
int refuse_pending(void *arg, const struct ctx_pending *p, struct ctx_err *err);

/* Stores the whole input in one transaction (append_atomic.c). */
int append_atomic(struct appending *app, struct ctx_err *err);

/* Check and store messages from the command line, or one message of raw input
 * (append_text.c). */
int check_text(struct appending *app, struct ctx_err *err);
/* Checks that --metadata is a JSON object. */
int check_metadata(struct appending *app, struct ctx_err *err);
int append_text(struct appending *app, struct ctx_err *err);
/* Queues the question of a question-and-answer pair. request_id is the id of the answer's
 * request; may be NULL. */
int append_question(struct appending *app, const char *request_id, struct ctx_err *err);
/* Reads the text of the single --text, of a file, or of raw input: valid UTF-8, without
 * its final newline. */
int append_read_text(struct appending *app, struct ctx_buf *text, struct ctx_err *err);

/* Queues a message with this text; if call is not NULL, as the result of that call. from
 * names the text's origin in error messages. */
int append_add_text(struct appending *app, struct ctx_span text, const char *from,
    const struct ctx_call *call, struct ctx_err *err);

/* Check and store the result of a tool call that waits for it (append_result.c). */
int check_result(struct appending *app, int argc, char **argv, struct ctx_err *err);
int append_result(struct appending *app, struct ctx_err *err);

/* Stores a provider's answer, together with its request if there is one
 * (append_answer.c). */
int append_answer(struct appending *app, struct ctx_err *err);

/* The steps of append_answer, also used for the answers of a batch: restrict the store to
 * the tenant of the request's session; store the answer with its request and print the
 * record; store that the request failed, and why. */
int append_see_tenant(
    struct appending *app, const struct ctx_request *r, struct ctx_err *err);
int append_store_answer(struct appending *app, struct ctx_answer *a, int provider,
    const char *name, struct ctx_request *r, struct ctx_err *err);
void append_keep_failure(
    struct appending *app, struct ctx_request *r, const char *why, struct ctx_buf *text);

/* Store the results of a provider's batch, each with its request (append_batch.c). */
int append_check_batch(struct appending *app, struct ctx_err *err);
int append_batch(struct appending *app, int argc, char **argv, struct ctx_err *err);

/* Renames the calls of an answer to the names that the tools have in the session: undoes
 * the renamings listed in the request record, and uses the names of items
 * (append_names.c). */
int append_restore_names(struct appending *app, struct ctx_answer *a,
    enum ctx_provider provider, const struct ctx_request *r, struct ctx_err *err);

#endif
