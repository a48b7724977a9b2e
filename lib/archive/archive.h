/* The archive file: the records of one session, one JSON object a line, gzipped, closed by
 * a record of kind "archive" that counts them and holds the SHA-256 of every byte before
 * it. What a reader got to the end of without an error is what a writer put in. */
#ifndef CTX_ARCHIVE_ARCHIVE_H
#define CTX_ARCHIVE_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "archive/gz.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "record/record.h"

#define CTX_ARCHIVE_FORMAT 1
#define CTX_ARCHIVE_KINDS (CTX_KIND_OTHER + 1)

/* What an archive holds, known at its end. */
struct ctx_archive_info {
	char *session_id;                  /* plain text; NULL when none was given */
	int64_t counts[CTX_ARCHIVE_KINDS]; /* records by kind, the closing one left out */
	int64_t records;                   /* their sum */
	int64_t bytes;                     /* uncompressed, before the closing record */
	char sha256[CTX_HASH_HEX + 1];     /* of these bytes */
	int64_t file_bytes;                /* compressed, all of the file */
	char file_sha256[CTX_HASH_HEX + 1];
};

void ctx_archive_info_release(struct ctx_archive_info *info);

struct ctx_archive_writer;

/* A writer to sink; threads as in ctx_gz_writer_new. session_id may be NULL. */
struct ctx_archive_writer *ctx_archive_writer_new(
    const char *session_id, int threads, ctx_gz_sink *sink, void *arg);

/* Add one record, with or without the newline behind it. line is one line of checked JSON
 * and kind is its kind. */
int ctx_archive_put(struct ctx_archive_writer *w, enum ctx_kind kind,
    struct ctx_span line, struct ctx_err *err);

/* Write the closing record and the end of the file. info is filled in; release it. */
int ctx_archive_finish(
    struct ctx_archive_writer *w, struct ctx_archive_info *info, struct ctx_err *err);

void ctx_archive_writer_free(struct ctx_archive_writer *w);

struct ctx_archive_reader;

/* A reader from source. A line longer than max_line bytes is an error. */
struct ctx_archive_reader *ctx_archive_reader_new(
    size_t max_line, ctx_gz_source *source, void *arg);

/* The next record, the closing one left out; it borrows from the reader until the next
 * call. 1: a record. 0: the end; CRC, counts and digest have been compared and agree, and
 * nothing stands behind. -1: CTX_EANSWER when the archive is damaged, truncated or none,
 * CTX_EINPUT when it is of a newer format, or the error of the source. Nothing that was
 * read counts before 0 was returned. */
int ctx_archive_next(
    struct ctx_archive_reader *r, struct ctx_record *record, struct ctx_err *err);

/* After ctx_archive_next returned 0. Borrowed from the reader. */
const struct ctx_archive_info *ctx_archive_reader_info(
    const struct ctx_archive_reader *r);

void ctx_archive_reader_free(struct ctx_archive_reader *r);

/* Read the whole archive; 0 when it is sound. info is filled in then; release it. check
 * (NULL: none) is called with each record, and may find that it is not (-1). */
typedef int ctx_archive_check(
    void *arg, const struct ctx_record *record, struct ctx_err *err);
int ctx_archive_verify(size_t max_line, ctx_gz_source *source, void *arg,
    ctx_archive_check *check, void *check_arg, struct ctx_archive_info *info,
    struct ctx_err *err);

/* Where the archive of a session is kept: append YYYY/MM/SESSION.ndjson.gz with the year
 * and month of created_at (milliseconds since the epoch, UTC) and the id percent-encoded,
 * a leading dot too; with a tenant (NULL, "": none) SESSION@TENANT. What would make a name
 * of more than 200 bytes is cut and gets '~' and the start of its SHA-256; no encoded id
 * holds a '~' or '@' else. The result passes ctx_blob_name_ok whatever bytes it holds. */
void ctx_archive_name(struct ctx_buf *out, int64_t created_at, struct ctx_span session_id,
    const char *tenant_id);

/* The ids in a name, decoded; *tenant_id is NULL where there is none. Returns 1 with heap
 * strings, 0 if the name was cut, and tells of nothing. */
int ctx_archive_name_ids(const char *name, char **session_id, char **tenant_id);

#endif
