/* Reads windows from a pipe. A window is a session record, messages, and a final request
 * record. Messages without a session record form one list up to the end of input. */
#ifndef CTX_RECORD_STREAM_H
#define CTX_RECORD_STREAM_H

#include "base/arena.h"
#include "record/record.h"

struct ctx_stream {
	struct ctx_arena arena;
	/* in input order; spans are valid until ctx_stream_reset */
	struct ctx_record *records;
	size_t n, cap;
	int64_t seen;   /* number of records added, including forgotten ones */
	bool window;    /* a session record was read, so the records form a window */
	size_t request; /* index of the request record; equals n if there is none */
};

#define CTX_STREAM_INIT                                 \
	{                                               \
		CTX_ARENA_INIT, NULL, 0, 0, 0, false, 0 \
	}

/* Adds one line, which is copied. Returns 1 if it completes a window (process it, then
 * call ctx_stream_reset), 0 if more lines are needed, -1 with CTX_EINPUT on error. A
 * session record inside an incomplete window is an error: the writer of that window
 * stopped early. */
int ctx_stream_add(struct ctx_stream *s, struct ctx_span line, struct ctx_err *err);

/* Call at the end of input. Returns 1 if a list is complete, 0 if there are no records,
 * -1 with CTX_EINPUT if a window is incomplete. */
int ctx_stream_end(struct ctx_stream *s, struct ctx_err *err);

/* Removes every record i of a list for which gone[i] is true. Spans of the other records
 * become invalid: read them again from the records. */
void ctx_stream_forget(struct ctx_stream *s, const bool gone[]);

/* Ends the run that the window continues: removes the mark "sent" from its messages.
 * Additions keep it, because they are still in view. Spans of the changed records become
 * invalid: read them again from the records. */
void ctx_stream_cut(struct ctx_stream *s);

void ctx_stream_reset(struct ctx_stream *s);
void ctx_stream_release(struct ctx_stream *s);

#endif
