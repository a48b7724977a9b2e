/* Collects the records of one window that is read from a pipe. A window consists of a
 * session record, messages, and a final request record. Input without a session record is
 * a plain list: all messages up to the end of input. */
#ifndef CTX_RECORD_STREAM_H
#define CTX_RECORD_STREAM_H

#include "base/arena.h"
#include "record/record.h"

struct ctx_stream {
	struct ctx_arena arena;
	/* the records, in the order of the input; their spans are valid until
	 * ctx_stream_reset */
	struct ctx_record *records;
	size_t n, cap;
	/* number of records added, including records removed by ctx_stream_forget */
	int64_t seen;
	/* true: a session record was read, so the records form a window */
	bool window;
	/* index of the request record, or n (the number of records) if there is no
	 * request record */
	size_t request;
};

#define CTX_STREAM_INIT                                 \
	{                                               \
		CTX_ARENA_INIT, NULL, 0, 0, 0, false, 0 \
	}

/* Adds a copy of one line. Returns 1 if the line completes a window, 0 if more lines are
 * needed, -1 with CTX_EINPUT on error. If the result is 1, process the window, then call
 * ctx_stream_reset. A session record inside a window is an error, because it means that
 * the writer of the window stopped early. */
int ctx_stream_add(struct ctx_stream *s, struct ctx_span line, struct ctx_err *err);

/* Call at the end of input. Returns 1 if there are records of a plain list, which is now
 * complete; 0 if there are no records; -1 with CTX_EINPUT if a window is incomplete. */
int ctx_stream_end(struct ctx_stream *s, struct ctx_err *err);

/* Removes each record i for which gone[i] is true. Call this only for input without a
 * session record. The spans in the remaining records move: spans that were copied from
 * s->records before the call are invalid. */
void ctx_stream_forget(struct ctx_stream *s, const bool gone[]);

/* Makes the window the beginning of a new run of requests. To do this, removes the mark
 * "sent" from the window's messages; the mark says that an earlier request contained the
 * message. Additions (texts from ctx-enrich) keep the mark, because they stay in the
 * window. The spans in the changed records move: spans that were copied from s->records
 * before the call are invalid. */
void ctx_stream_cut(struct ctx_stream *s);

void ctx_stream_reset(struct ctx_stream *s);
void ctx_stream_release(struct ctx_stream *s);

#endif
