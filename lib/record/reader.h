/* Lines of NDJSON from a descriptor. */
#ifndef CTX_RECORD_READER_H
#define CTX_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_READER_MAX ((size_t)64 << 20)      /* default for the longest record, bytes */
#define CTX_READER_ENVELOPE ((size_t)64 << 10) /* what the store may put around one */

struct ctx_reader;

/* Reads fd, which stays the caller's. name stands in messages ("stdin", a path); it is
 * borrowed, and may be named after the reader is gone. Lines longer than max bytes are
 * refused. */
struct ctx_reader *ctx_reader_new(int fd, const char *name, size_t max);
void ctx_reader_free(struct ctx_reader *r);

/* Lines may be longer by so many bytes: what was stored within max comes back in an
 * envelope. */
void ctx_reader_allow(struct ctx_reader *r, size_t bytes);

/* The next line that is not blank, without its end: 1; 0 at the end of input; -1 with
 * CTX_EIO (read error) or CTX_EINPUT (line too long: it is skipped whole and reading can
 * go on). The line is borrowed until the next call. A byte order mark at the start of
 * the input is skipped. */
int ctx_reader_next(struct ctx_reader *r, struct ctx_span *line, struct ctx_err *err);

/* The same line with the white space around it; of one that was too long, its end. Write
 * what comes before that end to fd, whose name is borrowed, as it is skipped; before the
 * first of a line is written, call before (NULL: nothing), whose failure fails the
 * reading. */
typedef int ctx_reader_before_fn(struct ctx_err *err);
struct ctx_span ctx_reader_raw(const struct ctx_reader *r);
void ctx_reader_spill(
    struct ctx_reader *r, int fd, const char *name, ctx_reader_before_fn *before);

/* Number of the line that was last returned, from 1. */
long ctx_reader_line(const struct ctx_reader *r);
const char *ctx_reader_name(const struct ctx_reader *r);

/* Could ctx_reader_next return now, without waiting for more input? May read ahead, so
 * the borrowed line is gone afterwards. */
bool ctx_reader_ready(struct ctx_reader *r);

/* Is it known, without waiting, that no more lines will come? As above. */
bool ctx_reader_ended(struct ctx_reader *r);

#endif
