/* Private to ctx-summarize: its state, and the functions that its files share. */
#ifndef CTX_CMD_SUMMARIZE_H
#define CTX_CMD_SUMMARIZE_H

#include "cli.h"
#include "record/stream.h"
#include "window/summarize.h"

/* The state of one run of the program. */
struct summarizing {
	struct {
		struct cli_list session, require;
		struct ctx_summarize_options s;
		const char *threshold, *fraction, *format, *language;
		const char *provider, *request, *headers, *instructions;
		int64_t timeout;
		bool undo, keep_facts, no_keep_facts;
	} opt;
	struct ctx_store *store; /* NULL until it is opened */
};

/* Prints reason->msg on stderr; prints nothing if the message is empty. With made =
 * false, the message says why no summary was made. With made = true, the message is a
 * warning about a summary that was made. */
void tell(const struct ctx_err *reason, bool made);

/* Summarizes one window or list of messages from stdin or a file (summarize_window.c).
 * arg points to a struct summarizing. */
int summarize_window(void *arg, struct ctx_stream *in, struct ctx_err *err);

/* Prints a compaction request for the provider, or stores the provider's answer to a
 * compaction request (summarize_provider.c). argv has the argc operands. */
int summarize_by_provider(
    struct summarizing *sum, int argc, char **argv, struct ctx_err *err);

#endif
