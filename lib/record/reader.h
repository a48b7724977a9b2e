/* Reads the lines of an NDJSON stream from a file descriptor. */
#ifndef CTX_RECORD_READER_H
#define CTX_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* default maximum length of a line (one record) in bytes */
#define CTX_READER_MAX ((size_t)64 << 20)
/* maximum length in bytes of the envelope of a message record, that is, of all members
 * except the message */
#define CTX_READER_ENVELOPE ((size_t)64 << 10)

struct ctx_reader;

/* Creates a reader for fd. The reader does not close fd. name: "stdin" or a path, for
 * error messages; borrowed, so it must stay valid as long as the reader or a result of
 * ctx_reader_name is used. Lines longer than max bytes are refused. */
struct ctx_reader *ctx_reader_new(int fd, const char *name, size_t max);
void ctx_reader_free(struct ctx_reader *r);

/* Increases the maximum length of a line by this number of bytes. Call this before
 * reading records that ctx printed: the message in a record may have the maximum length,
 * and the envelope around the message needs additional bytes. */
void ctx_reader_allow(struct ctx_reader *r, size_t bytes);

/* Reads the next line that is not blank. Sets *line to the line without the white space
 * around it, borrowed until the next call. Returns 1 if there is a line, 0 at the end of
 * input, -1 on error. The error is CTX_EIO if reading fails, or CTX_EINPUT if the line is
 * too long; the next call then returns the line after the long one. A byte order mark at
 * the start of the input is skipped. */
int ctx_reader_next(struct ctx_reader *r, struct ctx_span *line, struct ctx_err *err);

/* ctx_reader_raw returns the line that was read last, including the white space around
 * it. If the line was too long to be kept in memory, returns only its end.
 *
 * ctx_reader_spill makes the reader write the beginning of each line that is too long to
 * fd; otherwise the beginning is lost. name: the name of fd in error messages, borrowed;
 * before: called when the reader is about to write to fd for a new line; may be NULL. If
 * this call fails, reading fails. */
typedef int ctx_reader_before_fn(void *arg, struct ctx_err *err);
struct ctx_span ctx_reader_raw(const struct ctx_reader *r);
void ctx_reader_spill(struct ctx_reader *r, int fd, const char *name,
    ctx_reader_before_fn *before, void *arg);

/* Returns the number, counted from 1, of the line that was returned last. */
long ctx_reader_line(const struct ctx_reader *r);
const char *ctx_reader_name(const struct ctx_reader *r);

/* Returns true if ctx_reader_next would return without waiting for input. May read ahead,
 * which invalidates the borrowed line. */
bool ctx_reader_ready(struct ctx_reader *r);

/* Reads ahead all input that is available without waiting, up to a few megabytes. If the
 * end of input is reached, returns the number of lines that are left, including blank
 * lines. Returns -1 if the end is not reached or reading fails. Invalidates the borrowed
 * line. */
long ctx_reader_left(struct ctx_reader *r);

/* Returns true if the input has ended and no line is left. Returns false if this cannot
 * be decided without waiting. May read ahead, which invalidates the borrowed line. */
bool ctx_reader_ended(struct ctx_reader *r);

#endif
