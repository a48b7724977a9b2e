/* Streams of gzip data (RFC 1952) in bounded memory: a writer whose output depends only
 * on its input, and a reader that detects every kind of damage. */
#ifndef CTX_ARCHIVE_GZ_H
#define CTX_ARCHIVE_GZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_GZ_LEVEL 6

/* Receives compressed bytes; the function must consume all n bytes. Returns 0, or -1 with
 * err set. */
typedef int ctx_gz_sink(void *arg, const void *p, size_t n, struct ctx_err *err);

/* Supplies compressed bytes: fills p with up to n bytes. Returns the number of bytes (at
 * least 1), 0 at the end of the data, or -1 with err set. */
typedef long ctx_gz_source(void *arg, void *p, size_t n, struct ctx_err *err);

struct ctx_gz_writer;
struct ctx_gz_reader;

/* Creates a writer of one gzip member. threads: number of additional threads that
 * compress, 0 to 16; 0: the calling thread compresses. Never returns NULL: if threads
 * cannot be started, the writer works without them. The callback sink() is called only in
 * the thread that calls the functions below.
 *
 * With the same version of zlib, the output depends only on the bytes of the input, and
 * not on the number of threads or on how the input is split into calls: blocks have a
 * fixed size, and the header contains no name and no time. */
struct ctx_gz_writer *ctx_gz_writer_new(int threads, ctx_gz_sink *sink, void *arg);
int ctx_gz_write(struct ctx_gz_writer *w, const void *p, size_t n, struct ctx_err *err);
/* Ends the gzip member. ctx_gz_write must not be called after this function. */
int ctx_gz_finish(struct ctx_gz_writer *w, struct ctx_err *err);
void ctx_gz_writer_free(struct ctx_gz_writer *w);

/* Creates a reader of one or more gzip members. Other bytes after a member count as
 * damage. Never returns NULL. */
struct ctx_gz_reader *ctx_gz_reader_new(ctx_gz_source *source, void *arg);
void ctx_gz_reader_free(struct ctx_gz_reader *r);

/* Reads up to n decompressed bytes. Returns the number of bytes read; 0 at the end, if
 * the lengths and CRCs match; -1 on error. The error is CTX_EANSWER if the data is
 * damaged or truncated (the error message says which); otherwise it is the error of the
 * callback source() of ctx_gz_reader_new. */
long ctx_gz_read(struct ctx_gz_reader *r, void *p, size_t n, struct ctx_err *err);

/* Reads the next line, without its newline. The line is valid until the next call.
 * Returns 1 for a line, 0 at the end, -1 on error. In addition to the errors of
 * ctx_gz_read, fails with CTX_EANSWER if the line is longer than max bytes, or if the
 * last line has no newline, because such a line must have been truncated. */
int ctx_gz_line(
    struct ctx_gz_reader *r, size_t max, struct ctx_span *line, struct ctx_err *err);

#endif
