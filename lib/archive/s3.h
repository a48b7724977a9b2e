/* Stores archives in S3 or a compatible service (Amazon S3 API Reference).
 *
 * Sending: a request is signed by archive/sigv4 and sent by archive/http. If the
 * connection breaks or times out, or if the status is 429 or 5xx (except 501), the
 * request is sent again after a random pause, whose upper limit grows with each attempt.
 * Each body is sent with its signed SHA-256 and a Content-MD5, so that the server rejects
 * a damaged body. Error messages contain the object, the status and the server's error
 * code, never a credential.
 *
 * Reading: objects are read in ranges, so that memory is bounded, a slow reader keeps no
 * connection open, and after a broken connection only one range is read again. Reading
 * fails if the object changes between two ranges. A missing bucket is treated as empty.
 *
 * Writing: the first write creates a missing bucket. Uploads that must not replace an
 * object send a condition for this. If the server does not support the condition (status
 * 501), a separate request checks before the upload whether the object exists; two
 * concurrent writers of the same new object can then both succeed. */
#ifndef CTX_ARCHIVE_S3_H
#define CTX_ARCHIVE_S3_H

#include <stdint.h>

#include "archive/blob.h"
#include "archive/http.h"

/* Settings for storage in a bucket. Strings are copied. 0 and NULL select the default. */
struct ctx_s3_options {
	const char *bucket;
	/* All keys begin with this prefix. A '/' is appended to it if it does not end
	 * with '/'. NULL and "" mean no prefix. */
	const char *prefix;
	const char *region; /* default: us-east-1 */
	/* [https://]HOST[:PORT][/PATH], or http://... for a connection without TLS;
	 * default: Amazon's endpoint for the region */
	const char *endpoint;
	/* Where requests name the bucket: "path" (in the URL's path), "virtual" (in the
	 * host name) or "auto" (default). "auto" means "path" if an endpoint is given or
	 * if the bucket's name cannot be part of a host name, and "virtual" otherwise */
	const char *addressing;
	const char *access_key, *secret_key; /* both are required */
	const char *session_token;
	struct ctx_http_options http;
	int attempts; /* maximum number of times that a request is sent; default: 5 */
	/* maximum pause before the second attempt, in ms; doubled for each further
	 * attempt; default: 200 */
	int64_t pause_ms;
	/* maximum number of keys in a response to a list request; default: the server's
	 * choice */
	int list_page;
};

/* Prepares access to the bucket without sending a request. Fails with CTX_EUSAGE if an
 * option is invalid. Only one thread at a time may use *blobs. This function has its own
 * source file, so that programs which do not call it need no libcurl. */
int ctx_blobs_open_s3(
    struct ctx_blobs **blobs, const struct ctx_s3_options *options, struct ctx_err *err);

#endif
