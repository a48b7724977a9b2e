/* A window on its way through a pipe: a session record, messages, and the request record
 * that ends it. Lines without a session record before them are one list, up to the end
 * of input. */
#ifndef CTX_RECORD_STREAM_H
#define CTX_RECORD_STREAM_H

#include "base/arena.h"
#include "record/record.h"

struct ctx_stream {
	struct ctx_arena arena;
	struct ctx_record *records; /* in order; spans live until the reset */
	size_t n, cap;
	int64_t seen;   /* records added, forgotten ones too */
	bool window;    /* a session record was met */
	size_t request; /* index of the request record; n: none */
};

#define CTX_STREAM_INIT                                 \
	{                                               \
		CTX_ARENA_INIT, NULL, 0, 0, 0, false, 0 \
	}

/* Take one line (copied). 1: a window is complete, use it and reset; 0: go on; -1:
 * CTX_EINPUT. A session record inside an unfinished window means that its writer
 * stopped early. */
int ctx_stream_add(struct ctx_stream *s, struct ctx_span line, struct ctx_err *err);

/* The input has ended: 1 when a list is there to use, 0 when nothing is left, -1 when a
 * window lacks its end. */
int ctx_stream_end(struct ctx_stream *s, struct ctx_err *err);

/* Forget records of a list: those with gone[i]. Spans of the others move. */
void ctx_stream_forget(struct ctx_stream *s, const bool gone[]);

void ctx_stream_reset(struct ctx_stream *s);
void ctx_stream_release(struct ctx_stream *s);

#endif
