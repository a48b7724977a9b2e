/* AWS's shared credentials and config files (INI with profiles), and s3:// addresses.
 * Pure functions. */
#ifndef CTX_ARCHIVE_AWS_H
#define CTX_ARCHIVE_AWS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Heap strings or NULL. The first three are secrets, which never appear in messages. */
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

/* Fills in the members that are NULL from the text of a file. A profile is named [NAME]
 * in the credentials file and [profile NAME] or [default] in the config file. The three
 * parts of a credential are taken together or not at all, so that a token is never
 * combined with another key. An endpoint may be in the profile or under "s3 =" in the
 * profile's services section. Invalid lines are ignored, as AWS's tools do. Returns
 * whether the profile exists. */
bool ctx_aws_parse(
    struct ctx_aws *aws, struct ctx_span text, const char *profile, bool config_file);

/* Splits s3://BUCKET/KEY into heap strings; *key may be empty. CTX_EUSAGE when the
 * address or the bucket's name is invalid. */
int ctx_aws_uri(const char *uri, char **bucket, char **key, struct ctx_err *err);

/* True if the bucket's name can be part of a host name under TLS: lower-case letters,
 * digits and hyphens only. A dot would not match the certificate. */
bool ctx_aws_bucket_is_label(const char *bucket);

#endif
