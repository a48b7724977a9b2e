/* What S3 clients find in files and arguments: the shared credentials and config files
 * of AWS (INI with profiles), and s3:// addresses. Pure. */
#ifndef CTX_ARCHIVE_AWS_H
#define CTX_ARCHIVE_AWS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Heap strings or NULL. The first three are secrets: they never enter a message. */
struct ctx_aws {
	char *access_key, *secret_key, *session_token;
	char *region, *endpoint, *ca_bundle;
	char *addressing; /* "path", "virtual" or "auto" */
};

#define CTX_AWS_INIT                                     \
	{                                                \
		NULL, NULL, NULL, NULL, NULL, NULL, NULL \
	}

/* Wipes the secrets before it frees them. */
void ctx_aws_release(struct ctx_aws *aws);

/* Fill the members that are NULL from the text of a file. In the credentials file a
 * profile is [NAME]; in the config file it is [profile NAME], and [default]. The three
 * parts of a credential are taken together or not at all, so that a token never joins a
 * key that it isn't for. An endpoint may stand in the profile, or under "s3 =" in the
 * profile's services section. Lines that make no sense are passed over, as AWS's tools do.
 * Returns whether the profile was there. */
bool ctx_aws_parse(
    struct ctx_aws *aws, struct ctx_span text, const char *profile, bool config_file);

/* One value: of key in [section], or of key indented under "parent =" when parent is not
 * NULL; the first one wins. Absent when there is none. Borrows from text. */
struct ctx_span ctx_aws_ini_get(
    struct ctx_span text, const char *section, const char *parent, const char *key);

/* Split s3://BUCKET/KEY. Heap strings; *key may come out empty. CTX_EUSAGE when it is no
 * such address or the bucket's name can't be one. */
int ctx_aws_uri(const char *uri, char **bucket, char **key, struct ctx_err *err);

/* May the bucket's name stand in front of a host's name under TLS: lower-case letters,
 * digits and hyphens only (a dot would not match the certificate)? */
bool ctx_aws_bucket_is_label(const char *bucket);

#endif
