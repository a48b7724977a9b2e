/* Parses and opens destinations of archives ("DIR", "s3://BUCKET/PREFIX") and addresses
 * of single archives in them. */
#ifndef CTX_ARCHIVE_PLACE_H
#define CTX_ARCHIVE_PLACE_H

#include <stdbool.h>

#include "archive/archive.h"
#include "archive/blob.h"
#include "base/buf.h"
#include "base/err.h"

/* Returns the value of an environment variable; NULL if the variable is not set. */
typedef const char *ctx_place_env(const char *name);

bool ctx_place_is_remote(const char *address);

/* Checks a destination. Fails with CTX_EUSAGE if the destination is "", a URI other than
 * s3://, or a misspelled s3:// address. Without this check, a directory of that name
 * would be created by mistake. A user who wants such a directory can write "./s3:". */
int ctx_place_check(const char *destination, struct ctx_err *err);

/* Opens a destination that ctx_place_check accepts. If create is true, a missing
 * directory is created at once, and a missing bucket when something is first written to
 * it. Programs that call this function need libcurl.
 *
 * Settings of object storage are read from the environment (AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION,
 * AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_CA_BUNDLE), and from the files and the
 * profile that the environment names (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE,
 * AWS_PROFILE, HOME), as AWS's tools do. */
int ctx_place_open(struct ctx_blobs **blobs, const char *destination, ctx_place_env *env,
    bool create, struct ctx_err *err);

/* Like ctx_place_open, but for directories only. Programs that call this function need no
 * libcurl. */
int ctx_place_open_dir(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err);

/* Splits the address of an archive into two heap strings, which the caller frees: the
 * destination, and the archive's name in this destination (YYYY/MM/ID.ndjson.gz). Fails
 * with CTX_EINPUT if the address does not end in such a name. */
int ctx_place_split(
    const char *address, char **destination, char **name, struct ctx_err *err);

/* An archive to read: a blob (see archive/blob.h), or a file that the user names.
 * Zero-fill the struct first. */
struct ctx_source {
	struct ctx_blobs *blobs;
	const char *name; /* name of the archive's blob; set if "blobs" is not NULL */
	const char *path; /* path of the archive file; set if "blobs" is NULL */
	/* true: the archive is read from a file descriptor of the caller, the member
	 * "fd", starting at offset 0; ctx_source_close does not close this descriptor */
	bool held;
	struct ctx_blob_get *get;
	int fd;
};

/* Opens the archive. Returns 1 if the archive is open, 0 if the archive does not exist,
 * -1 on error. Then call ctx_source_read to read the compressed bytes. ctx_source_read is
 * a ctx_gz_source; its argument source points to the struct ctx_source. */
int ctx_source_open(struct ctx_source *s, struct ctx_err *err);
long ctx_source_read(void *source, void *p, size_t n, struct ctx_err *err);
void ctx_source_close(struct ctx_source *s);

/* Reads the whole archive, verifies it, and calls fn with each record, as
 * ctx_archive_verify does. Returns 1 if the archive is sound, with *info filled in unless
 * info is NULL; the caller releases *info. Returns 0 if the archive does not exist, -1 on
 * error. */
int ctx_source_records(struct ctx_source *s, ctx_archive_check *fn, void *arg,
    struct ctx_archive_info *info, struct ctx_err *err);

/* ---- archives in any number of directories and buckets ---- */

/* Opens a destination. The function is ctx_place_open_dir or, in a program that supports
 * object storage, a function that calls ctx_place_open. */
typedef int ctx_places_open_fn(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err);

/* Keeps the directory or bucket of the last archive open, because the next archive is
 * usually in the same directory or bucket. Initialize with {.open = FUNCTION}. */
struct ctx_places {
	ctx_places_open_fn *open;
	struct ctx_blobs *blobs;
	char *destination;
	char *name; /* name of the archive that ctx_places_find found last */
};

/* Opens the destination and stores it in p->blobs. Does nothing if this destination is
 * open already; otherwise first closes the destination that was open. */
int ctx_places_open(
    struct ctx_places *p, const char *destination, bool create, struct ctx_err *err);

/* Finds the archive at an address that a store has recorded. *source borrows from *p, and
 * is valid until the next call. If the address does not end like the name of an archive
 * (YYYY/MM/ID.ndjson.gz), it must be an absolute path. A missing directory is not an
 * error here; ctx_source_open then returns 0. Returns 0 or -1. */
int ctx_places_find(struct ctx_places *p, const char *address, struct ctx_source *source,
    struct ctx_err *err);

void ctx_places_close(struct ctx_places *p);

#endif
