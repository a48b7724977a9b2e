/* Private to ctx-append: its state, and the functions that its files share. */
#ifndef CTX_CMD_APPEND_H
#define CTX_CMD_APPEND_H

#include "answer/answer.h"
#include "cli.h"
#include "append/append.h"
#include "record/calls.h"
#include "record/request.h"

/* The state of one run. */
struct appending {
	struct {
		const char *session, *user, *agent, *role, *id, *type, *call, *metadata,
		    *question, *rejects, *request, *result, *print, *file;
		struct cli_list text, attach;
		int64_t if_seq, max_record, ttl;
		bool create, resume, raw, pin, atomic, keep_going, echo, error, batch;
	} opt;
	struct ctx_store *store; /* once it is open */
	struct ctx_tokenizer *tokenizer;
	struct ctx_appender appender;
	struct cli_input input;
	int rejects_fd; /* or -1 */
	size_t rejected;
	struct ctx_err stop; /* why reading the input stopped before its end */
	struct ctx_err lost; /* set when the reader of the output has gone */
	char *last_resumed;  /* the session that resume_named restored last, or NULL */
};

/* Checks that the options fit together (append_options.c). Returns 1 if they describe a
 * provider's answer, 0 if something else, -1 with CTX_EUSAGE. */
int append_check_options(
    struct appending *app, int argc, char **argv, struct ctx_err *err);

/* Prints the records that were committed. */
void acknowledge(struct appending *app);
/* Prints buffered output. If the reader has gone, this is recorded and nothing else
 * changes. */
void print_pending(struct appending *app);
/* --print text? */
bool append_prints_text(struct appending *app);

/* With --resume: restores the session if it is archived. Must not be called inside a
 * transaction. */
int resume(struct appending *app, const char *session_id, struct ctx_err *err);

/* As resume, for a session named by a record, unless it was resumed last; records of a
 * session that cannot be restored are refused. It is a ctx_append_session_fn; arg is a
 * struct appending. */
int resume_named(void *arg, const char *session_id, struct ctx_err *err);
void forget_resumed(struct appending *app); /* Forgets which session was resumed last. */

/* Returns CTX_EANSWER for a named session that does not exist, before anything is read. */
int check_session(struct appending *app, struct ctx_err *err);

/* Stores the queued records in a transaction of its own. Returns 1 if it stopped at an
 * invalid record. */
int commit_batch(struct appending *app, struct ctx_err *err);

/* As commit_batch inside a write transaction, which it ends. */
int apply_batch(struct appending *app, struct ctx_err *err);

/* Reads the next line of input into the batch. Returns 1, 0 at the end, -1 on error. */
int take_line(struct appending *app, struct ctx_err *err);

/* Writes a refused record to the rejects; a ctx_append_reject_fn. */
int refuse_pending(void *arg, const struct ctx_pending *p, struct ctx_err *err);

/* Stores the whole input in one transaction (append_atomic.c). */
int append_atomic(struct appending *app, struct ctx_err *err);

/* Stores messages from the command line, or one from raw input (append_text.c). */
int check_text(struct appending *app, struct ctx_err *err);
/* Checks that --metadata is a JSON object. */
int check_metadata(struct appending *app, struct ctx_err *err);
int append_text(struct appending *app, struct ctx_err *err);
/* Adds the question of a pair to the batch; request_id (or NULL) is the id of its
 * answer's request. */
int append_question(struct appending *app, const char *request_id, struct ctx_err *err);
/* Reads the text of the only --text, of the file, or of raw input: valid UTF-8, without a
 * final newline. */
int append_read_text(struct appending *app, struct ctx_buf *text, struct ctx_err *err);

/* Adds a message with this text to the batch; with call, as the result of that call. from
 * names the text in errors. */
int append_add_text(struct appending *app, struct ctx_span text, const char *from,
    const struct ctx_call *call, struct ctx_err *err);

/* Stores the result of a waiting call (append_result.c). */
int check_result(struct appending *app, int argc, char **argv, struct ctx_err *err);
int append_result(struct appending *app, struct ctx_err *err);

/* Stores a provider's answer, to a request if one is given (append_answer.c). */
int append_answer(struct appending *app, struct ctx_err *err);

/* Its parts, for the answers of a batch: show the tenant of the request's session; store the
 * answer with its request, and print the record; store that there was none, and why. */
int append_see_tenant(
    struct appending *app, const struct ctx_request *r, struct ctx_err *err);
int append_store_answer(struct appending *app, struct ctx_answer *a, int provider,
    const char *name, struct ctx_request *r, struct ctx_err *err);
void append_keep_failure(
    struct appending *app, struct ctx_request *r, const char *why, struct ctx_buf *text);

/* The results of a batch, each to its request (append_batch.c). */
int append_check_batch(struct appending *app, struct ctx_err *err);
int append_batch(struct appending *app, int argc, char **argv, struct ctx_err *err);

/* Renames the calls of an answer to the names of their tools in the session: tools that
 * the request record lists as renamed, and tools of items (append_names.c). */
int append_restore_names(struct appending *app, struct ctx_answer *a,
    enum ctx_provider provider, const struct ctx_request *r, struct ctx_err *err);

#endif
