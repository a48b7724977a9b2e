/* gzip (RFC 1952) as a stream in bounded memory: a writer whose output depends on its
 * input alone, and a reader that notices every kind of damage. */
#ifndef CTX_ARCHIVE_GZ_H
#define CTX_ARCHIVE_GZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_GZ_LEVEL 6

/* Takes all n bytes, or returns -1 and sets err. */
typedef int ctx_gz_sink(void *arg, const void *p, size_t n, struct ctx_err *err);

/* Fills p with 1 to n bytes and returns how many; 0 at the end; -1 and err. */
typedef long ctx_gz_source(void *arg, void *p, size_t n, struct ctx_err *err);

struct ctx_gz_writer;
struct ctx_gz_reader;

/* A writer of one gzip member: no name, no time, operating system "unknown", and blocks
 * that depend on nothing but their place, so that the same bytes in always give the same
 * bytes out (of one version of zlib), however they are cut and whoever compresses them.
 * threads (0 to 16) is how many threads compress beside the caller's; with 0 it does so
 * itself. sink is only called from the functions below, in the caller's thread. Never
 * NULL: a thread that can't be started is done without. */
struct ctx_gz_writer *ctx_gz_writer_new(int threads, ctx_gz_sink *sink, void *arg);
int ctx_gz_write(struct ctx_gz_writer *w, const void *p, size_t n, struct ctx_err *err);
/* The end of the member. Nothing may be written afterwards. */
int ctx_gz_finish(struct ctx_gz_writer *w, struct ctx_err *err);
void ctx_gz_writer_free(struct ctx_gz_writer *w);

/* A reader of one or more members, one behind the other; anything else behind a member is
 * damage. Never NULL. */
struct ctx_gz_reader *ctx_gz_reader_new(ctx_gz_source *source, void *arg);
void ctx_gz_reader_free(struct ctx_gz_reader *r);

/* Up to n decompressed bytes; 0 at the end, which is only reached when lengths and CRCs
 * agreed; -1: damage (CTX_EANSWER; the message tells truncation from other damage), or
 * the error of the source. */
long ctx_gz_read(struct ctx_gz_reader *r, void *p, size_t n, struct ctx_err *err);

/* The next line without its newline, at most max bytes long (CTX_EANSWER when longer); it
 * is valid until the next call. 1: a line; 0: the end; -1 as above. Bytes behind the last
 * newline are an error: a line that ends early is a line that was cut. */
int ctx_gz_line(
    struct ctx_gz_reader *r, size_t max, struct ctx_span *line, struct ctx_err *err);

/* Compressed bytes taken from the source so far. */
uint64_t ctx_gz_taken(const struct ctx_gz_reader *r);

#endif
