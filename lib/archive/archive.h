/* The format of an archive file: the records of one session, one JSON object per line,
 * gzipped. The last record, of kind "archive", is the closing record: it holds the number
 * of the other records, and the SHA-256 of all bytes before the closing record. A reader
 * that reaches the end of the file without an error has read exactly what was written. */
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

/* Maximum length of a line of an archive, in bytes. No record of a store is longer. */
#define CTX_ARCHIVE_LINE_MAX ((size_t)1 << 30)

/* Facts about an archive. They are complete after the archive was written, or read to its
 * end. */
struct ctx_archive_info {
	char *session_id; /* id of the session; NULL if the archive names no session */
	/* counts[k]: number of records of kind k (enum ctx_kind), without the closing
	 * record */
	int64_t counts[CTX_ARCHIVE_KINDS];
	int64_t records; /* sum of counts */
	/* number of uncompressed bytes of all records except the closing record */
	int64_t bytes;
	/* SHA-256 of the uncompressed bytes of all records except the closing record, in
	 * hexadecimal */
	char sha256[CTX_HASH_HEX + 1];
	int64_t file_bytes; /* size of the compressed file, in bytes */
	char file_sha256[CTX_HASH_HEX + 1];
	/* number of tokens of the session's messages; set only by ctx_rewrite_archive */
	int64_t token_count;
};

void ctx_archive_info_release(struct ctx_archive_info *info);

struct ctx_archive_writer;

/* Creates a writer that passes the compressed bytes to the callback sink(arg, ...).
 * threads: number of additional compression threads, as for ctx_gz_writer_new. session_id
 * may be NULL. */
struct ctx_archive_writer *ctx_archive_writer_new(
    const char *session_id, int threads, ctx_gz_sink *sink, void *arg);

/* Appends one record of the given kind. line: the record, one line of valid JSON, with or
 * without its newline. */
int ctx_archive_put(struct ctx_archive_writer *w, enum ctx_kind kind,
    struct ctx_span line, struct ctx_err *err);

/* Appends the closing record and ends the file. Fills in *info, which the caller
 * releases. */
int ctx_archive_finish(
    struct ctx_archive_writer *w, struct ctx_archive_info *info, struct ctx_err *err);

void ctx_archive_writer_free(struct ctx_archive_writer *w);

typedef int ctx_archive_check(
    void *arg, const struct ctx_record *record, struct ctx_err *err);
/* Reads a whole archive and verifies its CRC, its counts and its digest. The callback
 * source(arg, ...) returns the compressed bytes. The callback check(check_arg, ...) (may
 * be NULL) is called for each record except the closing record; to reject the archive,
 * check() sets err and returns -1. Do not rely on the records before this function has
 * returned 0.
 *
 * Returns 0 if the archive is sound and nothing follows the closing record. *info is then
 * filled in, and the caller releases it. Otherwise returns -1:
 * - CTX_EANSWER: the file is damaged, truncated or not an archive, or a line is longer
 * than max_line bytes.
 * - CTX_EINPUT: the format of the archive is newer than this program.
 * - Other errors are those of source() and check(). */
int ctx_archive_verify(size_t max_line, ctx_gz_source *source, void *arg,
    ctx_archive_check *check, void *check_arg, struct ctx_archive_info *info,
    struct ctx_err *err);

/* Compares the digest of the archive file (info->file_sha256) with the expected digest.
 * Fails with CTX_EANSWER if they differ. sha256: the expected digest; NULL: the function
 * does nothing. */
int ctx_archive_check_digest(
    const struct ctx_archive_info *info, const char *sha256, struct ctx_err *err);

/* Appends the file name of a session's archive: YYYY/MM/SESSION.ndjson.gz, or
 * YYYY/MM/SESSION@TENANT.ndjson.gz if tenant_id is neither NULL nor "". YYYY and MM are
 * the year and month of created_at (ms since the epoch) in UTC. Ids are percent-encoded,
 * including a leading dot; encoded ids contain neither '~' nor '@'. If the encoded ids
 * are longer than 200 bytes, the name is cut: it then ends with '~' and the first 32
 * digits of the SHA-256 of the full ids. The result always passes ctx_blob_name_ok. */
void ctx_archive_name(struct ctx_buf *out, int64_t created_at, struct ctx_span session_id,
    const char *tenant_id);

/* Decodes the session id and the tenant id in an archive's file name. Returns 1 with both
 * ids set (*tenant_id is NULL if the name has no tenant); the caller frees them. Returns
 * 0 if the name was cut. */
int ctx_archive_name_ids(const char *name, char **session_id, char **tenant_id);

#endif
