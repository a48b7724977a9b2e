/* gzip (RFC 1952) as a stream in bounded memory: a writer whose output depends only on
 * its input, and a reader that detects every kind of damage. */
#ifndef CTX_ARCHIVE_GZ_H
#define CTX_ARCHIVE_GZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_GZ_LEVEL 6

/* Consumes all n bytes. Returns 0, or -1 with err set. */
typedef int ctx_gz_sink(void *arg, const void *p, size_t n, struct ctx_err *err);

/* Fills p with up to n bytes. Returns their number (at least 1), 0 at the end, -1 with
 * err set. */
typedef long ctx_gz_source(void *arg, void *p, size_t n, struct ctx_err *err);

struct ctx_gz_writer;
struct ctx_gz_reader;

/* Creates a writer of one gzip member. Its output is the same for the same input and
 * version of zlib, however the input is cut and whoever compresses it: the header has no
 * name and no time, and blocks depend only on their position. threads (0 to 16) is the
 * number of additional threads that compress; with 0 the caller's thread does. sink is
 * called in the caller's thread only, from the functions below. Never returns NULL:
 * threads that cannot be started are not used. */
struct ctx_gz_writer *ctx_gz_writer_new(int threads, ctx_gz_sink *sink, void *arg);
int ctx_gz_write(struct ctx_gz_writer *w, const void *p, size_t n, struct ctx_err *err);
/* Ends the member. Nothing may be written after it. */
int ctx_gz_finish(struct ctx_gz_writer *w, struct ctx_err *err);
void ctx_gz_writer_free(struct ctx_gz_writer *w);

/* Creates a reader of one or more gzip members; anything else after a member is damage.
 * Never returns NULL. */
struct ctx_gz_reader *ctx_gz_reader_new(ctx_gz_source *source, void *arg);
void ctx_gz_reader_free(struct ctx_gz_reader *r);

/* Reads up to n decompressed bytes. Returns their number; 0 at the end, if lengths and
 * CRCs match; -1 on damage (CTX_EANSWER; the message tells truncation from other damage)
 * or with the error of the source. */
long ctx_gz_read(struct ctx_gz_reader *r, void *p, size_t n, struct ctx_err *err);

/* Reads the next line without its newline, at most max bytes (CTX_EANSWER if longer),
 * valid until the next call. Returns 1, 0 at the end, or -1 as ctx_gz_read. Bytes after
 * the last newline are an error, because they are a truncated line. */
int ctx_gz_line(
    struct ctx_gz_reader *r, size_t max, struct ctx_span *line, struct ctx_err *err);

/* Number of compressed bytes read from the source. */
uint64_t ctx_gz_taken(const struct ctx_gz_reader *r);

#endif
