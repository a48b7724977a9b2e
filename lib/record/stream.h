/* Collects the records of one window that is read from a pipe. A window is a session
 * record, messages, and a final request record. If the input has no session record, all
 * its messages up to the end of input form one list. */
#ifndef CTX_RECORD_STREAM_H
#define CTX_RECORD_STREAM_H

#include "base/arena.h"
#include "record/record.h"

struct ctx_stream {
	struct ctx_arena arena;
	/* in input order; spans are valid until ctx_stream_reset */
	struct ctx_record *records;
	size_t n, cap;
	/* number of records added, including records removed by ctx_stream_forget */
	int64_t seen;
	/* true: a session record was read, so the records form a window */
	bool window;
	/* index of the request record; n if there is no request record */
	size_t request;
};

#define CTX_STREAM_INIT                                 \
	{                                               \
		CTX_ARENA_INIT, NULL, 0, 0, 0, false, 0 \
	}

/* Adds a copy of one line. Returns 1 if the line completes a window, 0 if more lines are
 * needed, -1 with CTX_EINPUT on error. After 1, process the window, then call
 * ctx_stream_reset. A session record inside a window is an error, because it means that
 * the writer of the window stopped early. */
int ctx_stream_add(struct ctx_stream *s, struct ctx_span line, struct ctx_err *err);

/* Call at the end of input. Returns 1 if a list is complete, 0 if there are no records,
 * -1 with CTX_EINPUT if a window is incomplete. */
int ctx_stream_end(struct ctx_stream *s, struct ctx_err *err);

/* For a list: removes each record i for which gone[i] is true. Spans of the other records
 * become invalid; read them again from the records. */
void ctx_stream_forget(struct ctx_stream *s, const bool gone[]);

/* Makes the window begin a new run of requests instead of continuing one: removes the
 * mark "sent" (an earlier request contained the message) from the window's messages.
 * Additions (texts from ctx-enrich) keep the mark, because they stay in the window. Spans
 * of the changed records become invalid; read them again from the records. */
void ctx_stream_cut(struct ctx_stream *s);

void ctx_stream_reset(struct ctx_stream *s);
void ctx_stream_release(struct ctx_stream *s);

#endif
