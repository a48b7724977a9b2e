/* Inside of ctx-summarize: its state, and what the parts of the program do. */
#ifndef CTX_CMD_SUMMARIZE_H
#define CTX_CMD_SUMMARIZE_H

#include "cli.h"
#include "record/stream.h"
#include "window/summarize.h"

/* What one run of the program works with. */
struct summarizing {
	struct {
		struct cli_list session, require;
		struct ctx_summarize_options s;
		const char *threshold, *fraction, *format, *language;
		int64_t timeout;
		bool undo, keep_facts, no_keep_facts;
	} opt;
	struct ctx_store *store; /* once it is open */
};

/* Say what became of it: a warning where something was made in spite of it. */
void tell(const struct ctx_err *reason, bool made);

/* A window that passes, or one list of messages (summarize_window.c). */
int summarize_window(void *arg, struct ctx_stream *in, struct ctx_err *err);

#endif
