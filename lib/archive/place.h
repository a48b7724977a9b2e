/* Destinations of archives ("DIR", "s3://BUCKET/PREFIX"), and the addresses of archives
 * in them. */
#ifndef CTX_ARCHIVE_PLACE_H
#define CTX_ARCHIVE_PLACE_H

#include <stdbool.h>

#include "archive/blob.h"
#include "base/buf.h"
#include "base/err.h"

/* Reads an environment variable; NULL if it is not set. */
typedef const char *ctx_place_env(const char *name);

bool ctx_place_is_remote(const char *address);

/* CTX_EUSAGE for a destination that looks like another URI or a misspelt s3:// address,
 * and would create a directory by mistake; a directory of such a name can be written
 * "./s3:". */
int ctx_place_check(const char *destination, struct ctx_err *err);

/* Opens a destination that ctx_place_check accepts. With create, a directory is created,
 * and a bucket when it is first written to. Settings of object storage come from the
 * environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION,
 * AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_CA_BUNDLE) and from the
 * files and the profile that it names (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE,
 * AWS_PROFILE, HOME), as in AWS's tools. Callers need libcurl. */
int ctx_place_open(struct ctx_blobs **blobs, const char *destination, ctx_place_env *env,
    bool create, struct ctx_err *err);

/* As ctx_place_open for directories only, without libcurl. */
int ctx_place_open_dir(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err);

/* Splits the address of an archive into its destination and its name there
 * (YYYY/MM/ID.ndjson.gz), both heap strings. CTX_EINPUT when it is not such an
 * address. */
int ctx_place_split(
    const char *address, char **destination, char **name, struct ctx_err *err);

/* One archive: in a place, or in any file that a user names. Start zero-filled. */
struct ctx_source {
	struct ctx_blobs *blobs;
	const char *name; /* in blobs */
	const char *path; /* when blobs is NULL */
	bool held;        /* fd belongs to the caller and is read from its start */
	struct ctx_blob_get *get;
	int fd;
};

/* Opens the archive for ctx_source_read, a ctx_gz_source whose arg is the source. Returns
 * 1, 0 if it does not exist, -1 on error. */
int ctx_source_open(struct ctx_source *s, struct ctx_err *err);
long ctx_source_read(void *source, void *p, size_t n, struct ctx_err *err);
void ctx_source_close(struct ctx_source *s);

#endif
