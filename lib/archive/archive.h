/* The archive file: the records of one session, one JSON object per line, gzipped. The
 * last record, of kind "archive", counts the others and holds the SHA-256 of every byte
 * before it. A reader that reaches the end without an error has read exactly what was
 * written. */
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

/* The contents of an archive; complete at its end. */
struct ctx_archive_info {
	char *session_id; /* decoded; NULL if none was given */
	/* records by kind, without the closing record */
	int64_t counts[CTX_ARCHIVE_KINDS];
	int64_t records;               /* their sum */
	int64_t bytes;                 /* uncompressed, before the closing record */
	char sha256[CTX_HASH_HEX + 1]; /* of these bytes */
	int64_t file_bytes;            /* compressed size of the whole file */
	char file_sha256[CTX_HASH_HEX + 1];
	int64_t token_count; /* of the session; only from ctx_rewrite_archive */
};

void ctx_archive_info_release(struct ctx_archive_info *info);

struct ctx_archive_writer;

/* Creates a writer to sink; threads as in ctx_gz_writer_new. session_id may be NULL. */
struct ctx_archive_writer *ctx_archive_writer_new(
    const char *session_id, int threads, ctx_gz_sink *sink, void *arg);

/* Adds a record of the given kind: one line of valid JSON, with or without its newline. */
int ctx_archive_put(struct ctx_archive_writer *w, enum ctx_kind kind,
    struct ctx_span line, struct ctx_err *err);

/* Writes the closing record and ends the file. Fills in info, which the caller releases. */
int ctx_archive_finish(
    struct ctx_archive_writer *w, struct ctx_archive_info *info, struct ctx_err *err);

void ctx_archive_writer_free(struct ctx_archive_writer *w);

struct ctx_archive_reader;

/* Creates a reader from source. A line longer than max_line bytes is an error. */
struct ctx_archive_reader *ctx_archive_reader_new(
    size_t max_line, ctx_gz_source *source, void *arg);

/* Reads the next record, without the closing one; it is borrowed until the next call.
 * Returns 1 for a record; 0 at the end, when CRC, counts and digest match and nothing
 * follows; -1 on error: CTX_EANSWER when the file is damaged, truncated or not an
 * archive, CTX_EINPUT when its format is newer, or the error of the source. Trust the
 * records only after 0 was returned. */
int ctx_archive_next(
    struct ctx_archive_reader *r, struct ctx_record *record, struct ctx_err *err);

/* Valid after ctx_archive_next returned 0. Borrowed from the reader. */
const struct ctx_archive_info *ctx_archive_reader_info(
    const struct ctx_archive_reader *r);

void ctx_archive_reader_free(struct ctx_archive_reader *r);

/* Reads a whole archive. Returns 0 if it is sound, with info filled in; the caller
 * releases it. check (may be NULL) is called with each record and returns -1 with err set
 * to reject the archive. */
typedef int ctx_archive_check(
    void *arg, const struct ctx_record *record, struct ctx_err *err);
int ctx_archive_verify(size_t max_line, ctx_gz_source *source, void *arg,
    ctx_archive_check *check, void *check_arg, struct ctx_archive_info *info,
    struct ctx_err *err);

/* Appends the name of a session's archive: YYYY/MM/SESSION.ndjson.gz, with the year and
 * month of created_at (ms since the epoch, UTC) and the percent-encoded id (a leading dot
 * is encoded too); with a tenant (NULL or "": none) SESSION@TENANT. A name longer than
 * 200 bytes is cut and gets '~' and the start of its SHA-256; encoded ids contain neither
 * '~' nor '@'. The result always passes ctx_blob_name_ok. */
void ctx_archive_name(struct ctx_buf *out, int64_t created_at, struct ctx_span session_id,
    const char *tenant_id);

/* Decodes the ids in an archive's name; *tenant_id is NULL if there is none. Returns 1
 * with strings that the caller frees, or 0 if the name was cut. */
int ctx_archive_name_ids(const char *name, char **session_id, char **tenant_id);

#endif
