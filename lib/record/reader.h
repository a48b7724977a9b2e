/* Reads lines of NDJSON from a file descriptor. */
#ifndef CTX_RECORD_READER_H
#define CTX_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* default length limit of a record, in bytes */
#define CTX_READER_MAX ((size_t)64 << 20)
/* largest envelope that the store puts around a message */
#define CTX_READER_ENVELOPE ((size_t)64 << 10)

struct ctx_reader;

/* Creates a reader of fd, which stays open and belongs to the caller. name ("stdin", a
 * path) is used in messages and borrowed, even after the reader is freed. Lines longer
 * than max bytes are refused. */
struct ctx_reader *ctx_reader_new(int fd, const char *name, size_t max);
void ctx_reader_free(struct ctx_reader *r);

/* Allows lines to be longer by this number of bytes, since a message stored within max
 * comes back in an envelope. */
void ctx_reader_allow(struct ctx_reader *r, size_t bytes);

/* Reads the next line that is not blank, without its newline. Returns 1; 0 at the end of
 * input; -1 with CTX_EIO (read error) or CTX_EINPUT (line too long; it is skipped and
 * reading can continue). The line is borrowed until the next call. A byte order mark at
 * the start of the input is skipped. */
int ctx_reader_next(struct ctx_reader *r, struct ctx_span *line, struct ctx_err *err);

/* ctx_reader_raw returns the current line with its surrounding white space or, of a line
 * that was too long, its end. ctx_reader_spill writes the skipped start of such lines to
 * fd; name is borrowed. before (may be NULL) is called with arg before the first byte of a
 * line is written; if it fails, reading fails. */
typedef int ctx_reader_before_fn(void *arg, struct ctx_err *err);
struct ctx_span ctx_reader_raw(const struct ctx_reader *r);
void ctx_reader_spill(struct ctx_reader *r, int fd, const char *name,
    ctx_reader_before_fn *before, void *arg);

/* Number of the line returned last, from 1. */
long ctx_reader_line(const struct ctx_reader *r);
const char *ctx_reader_name(const struct ctx_reader *r);

/* True if ctx_reader_next would return now, without waiting for more input. May read
 * ahead, which invalidates the borrowed line. */
bool ctx_reader_ready(struct ctx_reader *r);

/* Reads what is there without waiting, up to a few megabytes. Returns the number of lines
 * that are left, or -1 if the end of input has not come yet. Invalidates the borrowed line. */
long ctx_reader_left(struct ctx_reader *r);

/* True if the end of input is known without waiting. May read ahead, as ctx_reader_ready. */
bool ctx_reader_ended(struct ctx_reader *r);

#endif
