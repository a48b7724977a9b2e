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
	/* the error of printing to stdout; set when the reader of stdout has gone */
	struct ctx_err lost;
	/* id of the last session that resume_named restored; may be NULL */
	char *last_resumed;
};

/* Checks that the options can be used together (append_options.c). Returns 1 if the input
 * is a provider's answer, 0 if it is not, -1 with CTX_EUSAGE. */
int append_check_options(
    struct appending *app, int argc, char **argv, struct ctx_err *err);

/* Prints the records of the messages that were committed. */
void acknowledge(struct appending *app);
/* Prints buffered output. If the reader of stdout has gone, only sets app->lost, so that
 * the command continues to store its input. */
void print_pending(struct appending *app);
/* Returns true if the value of --print is "text". */
bool append_prints_text(struct appending *app);

/* With --resume, restores the session if the session is archived. Must not be called
 * inside a transaction. */
int resume(struct appending *app, const char *session_id, struct ctx_err *err);

/* Like resume, for a session that an input record names. Does nothing if the last call
 * restored the same session. If the session cannot be restored, the input records for it
 * are refused. A ctx_append_session_fn; arg is a struct appending. */
int resume_named(void *arg, const char *session_id, struct ctx_err *err);
/* Makes resume_named forget which session it restored last. */
void forget_resumed(struct appending *app);

/* Fails with CTX_EANSWER if the session of --session does not exist. Called before any
 * input is read. */
int check_session(struct appending *app, struct ctx_err *err);

/* Stores the queued records in one transaction. Returns 0 if all were stored or refused,
 * 1 if storing stopped at an invalid record, -1 on error. */
int commit_batch(struct appending *app, struct ctx_err *err);

/* Like commit_batch, but must be called inside a write transaction. Ends this
 * transaction. */
int apply_batch(struct appending *app, struct ctx_err *err);

/* Reads the next line of input and queues it. Returns 1 for a line, 0 at the end of
 * input, -1 on error. */
int take_line(struct appending *app, struct ctx_err *err);

/* Writes a refused record to the rejects file. A ctx_append_reject_fn; arg is a struct
 * appending. */
int refuse_pending(void *arg, const struct ctx_pending *p, struct ctx_err *err);

/* Stores the whole input in one transaction (append_atomic.c). */
int append_atomic(struct appending *app, struct ctx_err *err);

/* check_text checks the messages given on the command line, or the one message from raw
 * input; append_text stores them (append_text.c). */
int check_text(struct appending *app, struct ctx_err *err);
/* Checks that --metadata is a JSON object. */
int check_metadata(struct appending *app, struct ctx_err *err);
int append_text(struct appending *app, struct ctx_err *err);
/* Queues the user's question given with --question; the caller stores the answer.
 * request_id is the id of the request that was answered; may be NULL. */
int append_question(struct appending *app, const char *request_id, struct ctx_err *err);
/* Reads the text of the message into *text: from the only --text option, from a file, or
 * from raw input. Removes a final newline. Fails if the text is not valid UTF-8. */
int append_read_text(struct appending *app, struct ctx_buf *text, struct ctx_err *err);

/* Queues a message with this text. If call is not NULL, the message is the result of that
 * tool call. from describes, for error messages, where the text came from. */
int append_add_text(struct appending *app, struct ctx_span text, const char *from,
    const struct ctx_call *call, struct ctx_err *err);

/* check_result checks the options for storing the result of a tool call that has no
 * result yet; append_result stores the result (append_result.c). */
int check_result(struct appending *app, int argc, char **argv, struct ctx_err *err);
int append_result(struct appending *app, struct ctx_err *err);

/* Stores a provider's answer, together with its request if there is one
 * (append_answer.c). */
int append_answer(struct appending *app, struct ctx_err *err);

/* The steps of append_answer, also used for each answer of a batch. append_see_tenant
 * restricts the store to the tenant of the request's session. append_store_answer stores
 * the answer with its request and prints the stored record. append_keep_failure stores
 * the request as failed, with the reason *why and the text received so far, *text. */
int append_see_tenant(
    struct appending *app, const struct ctx_request *r, struct ctx_err *err);
int append_store_answer(struct appending *app, struct ctx_answer *a, int provider,
    const char *name, struct ctx_request *r, struct ctx_err *err);
void append_keep_failure(
    struct appending *app, struct ctx_request *r, const char *why, struct ctx_buf *text);

/* append_batch stores the results of a provider's batch, each with its request;
 * append_check_batch checks that the options allow this (append_batch.c). */
int append_check_batch(struct appending *app, struct ctx_err *err);
int append_batch(struct appending *app, int argc, char **argv, struct ctx_err *err);

/* The tool calls in an answer have the tool names that were sent to the provider.
 * Replaces these names with the names that the tools have in the session: the original
 * name if the request record lists the tool as renamed, otherwise the name of one of the
 * session's items (append_names.c). */
int append_restore_names(struct appending *app, struct ctx_answer *a,
    enum ctx_provider provider, const struct ctx_request *r, struct ctx_err *err);

#endif
