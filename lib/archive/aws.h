/* Parses the shared credentials and config files of AWS's tools (INI files with
 * profiles), and s3:// addresses. Pure functions. */
#ifndef CTX_ARCHIVE_AWS_H
#define CTX_ARCHIVE_AWS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Settings of object storage. Strings are on the heap; NULL: not set. The values of
 * access_key, secret_key and session_token are secrets: they must never appear in error
 * messages. */
struct ctx_aws {
	char *access_key, *secret_key, *session_token;
	char *region, *endpoint, *ca_bundle;
	/* where requests name the bucket: "path" (in the URL's path), "virtual" (in the
	 * host name) or "auto" (see archive/s3.h) */
	char *addressing;
};

#define CTX_AWS_INIT                                     \
	{                                                \
		NULL, NULL, NULL, NULL, NULL, NULL, NULL \
	}

/* Overwrites a secret, frees it, and sets *s to NULL. */
void ctx_aws_wipe(char **s);
/* Overwrites the secrets, then frees all strings. */
void ctx_aws_release(struct ctx_aws *aws);

/* Reads the settings of a profile, and sets the members of *aws that are still NULL.
 * Returns true if the profile exists. text: the contents of a config file (config_file =
 * true) or of a credentials file. The section of a profile is [profile NAME] or [default]
 * in a config file, and [NAME] in a credentials file.
 *
 * The access key, secret key and session token are set together or not at all, so that a
 * token is never combined with another key. The endpoint is read from the profile, or
 * from "s3 =" in the services section that the profile names. Invalid lines are ignored,
 * as AWS's tools do. */
bool ctx_aws_parse(
    struct ctx_aws *aws, struct ctx_span text, const char *profile, bool config_file);

/* Splits s3://BUCKET/KEY into two heap strings, which the caller frees. *key may be "".
 * Fails with CTX_EUSAGE if the address or the name of the bucket is invalid. */
int ctx_aws_uri(const char *uri, char **bucket, char **key, struct ctx_err *err);

/* Returns true if the bucket's name can be part of a host name under TLS: it has only
 * lower-case letters, digits and hyphens. A name with a dot would not match the server's
 * certificate. */
bool ctx_aws_bucket_is_label(const char *bucket);

#endif
