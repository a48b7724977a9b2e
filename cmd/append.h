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
	int rejects_fd; /* descriptor of the rejects file; -1: no rejects file */
	size_t rejected;
	struct ctx_err stop; /* the error that ended the reading of the input */
	/* why printing to stdout failed; lost.code is CTX_OK if printing has not
	 * failed */
	struct ctx_err lost;
	/* id of the session for which resume_named was last called; may be NULL */
	char *last_resumed;
};

/* Checks that the options can be used together (append_options.c). Returns 1 if the input
 * is a provider's answer, 0 if it is not, -1 with CTX_EUSAGE. */
int append_check_options(
    struct appending *app, int argc, char **argv, struct ctx_err *err);

/* Prints the records of the messages that were committed. */
void acknowledge(struct appending *app);
/* Prints buffered output. If printing fails, for example because the reader of stdout has
 * gone, the function only sets app->lost, so that the command continues to store its
 * input. */
void print_pending(struct appending *app);
/* Returns true if the value of --print is "text". */
bool append_prints_text(struct appending *app);

/* With --resume, restores the session if the session is archived. Must not be called
 * inside a transaction. */
int resume(struct appending *app, const char *session_id, struct ctx_err *err);

/* With --resume, restores the session that an input record names, if the session is
 * archived. Does nothing if the previous call was for the same session, or if the session
 * cannot be restored; records for such a session are refused later. This is a
 * ctx_append_session_fn; arg points to a struct appending. */
int resume_named(void *arg, const char *session_id, struct ctx_err *err);
/* Makes the next call of resume_named check the session that it gets, even if the
 * previous call was for the same session. */
void forget_resumed(struct appending *app);

/* Prepares the session of --session before any input is read: with --resume, restores the
 * session if it is archived. Fails with CTX_EANSWER if the session does not exist and
 * --create is not given. */
int check_session(struct appending *app, struct ctx_err *err);

/* Stores the queued records in one transaction. Returns 0 if all records were stored or
 * skipped, 1 if storing stopped at a refused record, -1 on error. */
int commit_batch(struct appending *app, struct ctx_err *err);

/* Like commit_batch, but must be called inside a write transaction, which this function
 * ends. */
int apply_batch(struct appending *app, struct ctx_err *err);

/* Reads the next line of input and queues it. Returns 1 for a line, 0 at the end of
 * input, -1 if reading must stop; app->stop is then the reason. */
int take_line(struct appending *app, struct ctx_err *err);

/* Prints why a record is refused. With --keep-going, also writes the record to the
 * rejects file, and returns 0 so that the run continues. This is a ctx_append_reject_fn;
 * arg points to a struct appending. */
int refuse_pending(void *arg, const struct ctx_pending *p, struct ctx_err *err);

/* Stores the whole input in one transaction (append_atomic.c). */
int append_atomic(struct appending *app, struct ctx_err *err);

/* Store messages whose texts are on the command line (--text) or are the whole input
 * (--raw). check_text checks the options; append_text stores the messages
 * (append_text.c). */
int check_text(struct appending *app, struct ctx_err *err);
/* Checks that --metadata is a JSON object. */
int check_metadata(struct appending *app, struct ctx_err *err);
int append_text(struct appending *app, struct ctx_err *err);
/* Queues a user message with the text of --question; the caller stores the answer to this
 * message. request_id: id of the request that was answered, from which the id of the
 * message is derived; may be NULL. */
int append_question(struct appending *app, const char *request_id, struct ctx_err *err);
/* Reads the text of one message into *text: the argument of --text or, without --text,
 * the contents of the input file or of stdin, without a final newline. Fails with
 * CTX_EINPUT if the text is not valid UTF-8 or contains a NUL byte. */
int append_read_text(struct appending *app, struct ctx_buf *text, struct ctx_err *err);

/* Queues a message with this text. If call is not NULL, the message is the result of this
 * tool call. from: the source of the text, such as "--text" or "stdin", for error
 * messages. */
int append_add_text(struct appending *app, struct ctx_span text, const char *from,
    const struct ctx_call *call, struct ctx_err *err);

/* check_result checks the options for storing the result of a tool call that has no
 * result yet; append_result stores the result (append_result.c). */
int check_result(struct appending *app, int argc, char **argv, struct ctx_err *err);
int append_result(struct appending *app, struct ctx_err *err);

/* Stores a provider's answer, together with its request if there is one
 * (append_answer.c). */
int append_answer(struct appending *app, struct ctx_err *err);

/* The steps of append_answer, which are also used for each answer of a batch:
 * - append_see_tenant restricts the store to the tenant of the request's session.
 * - append_store_answer stores the answer with its request, and prints the stored record.
 * - append_keep_failure stores the request with the status "failed"; why: the reason;
 * text: the part of the answer that was received. */
int append_see_tenant(
    struct appending *app, const struct ctx_request *r, struct ctx_err *err);
int append_store_answer(struct appending *app, struct ctx_answer *a, int provider,
    const char *name, struct ctx_request *r, struct ctx_err *err);
void append_keep_failure(
    struct appending *app, struct ctx_request *r, const char *why, struct ctx_buf *text);

/* append_batch stores the results of a provider's batch, each with its request.
 * append_check_batch checks the options used with --batch (append_batch.c). */
int append_check_batch(struct appending *app, struct ctx_err *err);
int append_batch(struct appending *app, int argc, char **argv, struct ctx_err *err);

/* Replaces the tool names in an answer with the names that the tools have in the session,
 * because some tools are renamed for the provider. A tool's name in the session is read
 * from the request record. If the record does not list the tool, the name is that of the
 * tool definition that would be renamed in this way (append_names.c). */
int append_restore_names(struct appending *app, struct ctx_answer *a,
    enum ctx_provider provider, const struct ctx_request *r, struct ctx_err *err);

#endif
