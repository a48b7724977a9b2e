/* Reads a window from a pipe: a session record, messages, and the request record that
 * ends it. Messages without a session record are one list, up to the end of input. */
#ifndef CTX_RECORD_STREAM_H
#define CTX_RECORD_STREAM_H

#include "base/arena.h"
#include "record/record.h"

struct ctx_stream {
	struct ctx_arena arena;
	struct ctx_record *records; /* in order; spans are valid until the reset */
	size_t n, cap;
	int64_t seen;   /* number of records added, including forgotten ones */
	bool window;    /* a session record was read */
	size_t request; /* index of the request record; n if none */
};

#define CTX_STREAM_INIT                                 \
	{                                               \
		CTX_ARENA_INIT, NULL, 0, 0, 0, false, 0 \
	}

/* Adds one line (copied). Returns 1 when a window is complete: use it, then reset; 0 to
 * continue; -1 with CTX_EINPUT. A session record inside an unfinished window means that
 * its writer stopped early. */
int ctx_stream_add(struct ctx_stream *s, struct ctx_span line, struct ctx_err *err);

/* Call at the end of input. Returns 1 when a list is complete, 0 when nothing is left, -1
 * when a window is incomplete. */
int ctx_stream_end(struct ctx_stream *s, struct ctx_err *err);

/* Removes the records with gone[i] from a list. Moves the spans of the others. */
void ctx_stream_forget(struct ctx_stream *s, const bool gone[]);

/* Ends the run that the window continues: takes the mark sent from its messages. Additions
 * keep it: they are still in view. Moves the spans of these records. */
void ctx_stream_cut(struct ctx_stream *s);

void ctx_stream_reset(struct ctx_stream *s);
void ctx_stream_release(struct ctx_stream *s);

#endif
