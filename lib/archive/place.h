/* Where archives are: destinations ("DIR", "s3://BUCKET/PREFIX") and the addresses of
 * archives in them. */
#ifndef CTX_ARCHIVE_PLACE_H
#define CTX_ARCHIVE_PLACE_H

#include <stdbool.h>

#include "archive/blob.h"
#include "base/buf.h"
#include "base/err.h"

/* Looks up a setting of the environment; NULL when it isn't set. */
typedef const char *ctx_place_env(const char *name);

bool ctx_place_is_remote(const char *address);

/* CTX_EUSAGE for a destination that is neither: one that is spelt as another URI, or nearly
 * as one of object storage, and would be a directory by mistake ("./s3:" is one). */
int ctx_place_check(const char *destination, struct ctx_err *err);

/* Open a destination that ctx_place_check lets pass. With create a directory is made, and so is a bucket when it is first
 * written to. Settings of object storage come from the environment (AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION,
 * AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_CA_BUNDLE) and from the files and the profile
 * that it names (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, AWS_PROFILE, HOME), as AWS's
 * tools have it. Programs that call it need libcurl. */
int ctx_place_open(struct ctx_blobs **blobs, const char *destination, ctx_place_env *env,
    bool create, struct ctx_err *err);

/* The same for directories alone, without libcurl. */
int ctx_place_open_dir(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err);

/* Split the address of an archive that stands in a store into its destination and its
 * name there (YYYY/MM/ID.ndjson.gz). Heap strings. CTX_EINPUT when it is none. */
int ctx_place_split(
    const char *address, char **destination, char **name, struct ctx_err *err);

/* One archive: in a place, or any file that a user names. Start zero-filled. */
struct ctx_source {
	struct ctx_blobs *blobs;
	const char *name; /* in blobs */
	const char *path; /* when blobs is NULL */
	bool held;        /* fd is the caller's, a file that is read from its beginning */
	struct ctx_blob_get *get;
	int fd;
};

/* 1: open for ctx_source_read (a ctx_gz_source; arg is the source); 0: there is none. */
int ctx_source_open(struct ctx_source *s, struct ctx_err *err);
long ctx_source_read(void *source, void *p, size_t n, struct ctx_err *err);
void ctx_source_close(struct ctx_source *s);

#endif
