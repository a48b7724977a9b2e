/* Stores archives in S3 or a compatible service (Amazon S3 API Reference). Requests are
 * signed by archive/sigv4 and sent by archive/http. A request is repeated if the status
 * is 429 or 5xx except 501, or if the connection broke or timed out; never after 403 or
 * 404. Before a request is repeated, there is a random pause; its upper limit grows with
 * each attempt. Each body is sent with its signed SHA-256 and a Content-MD5, so that the
 * server rejects a damaged body. Error messages name the object, the status and the
 * server's error code, never a credential.
 *
 * Objects are read in ranges: memory stays bounded, a slow reader keeps no connection
 * open, and after a broken connection only one range is read again. Reading fails if the
 * object changes between two ranges. The first write creates a missing bucket; reads
 * treat a missing bucket as empty. If the server does not support uploads on the
 * condition that the object does not exist (status 501), a separate request before the
 * upload checks this; then two concurrent writers of the same new object can both
 * succeed. */
#ifndef CTX_ARCHIVE_S3_H
#define CTX_ARCHIVE_S3_H

#include <stdint.h>

#include "archive/blob.h"
#include "archive/http.h"

/* Settings of a place. Strings are copied. 0 and NULL select the default. */
struct ctx_s3_options {
	const char *bucket;
	/* The keys of the place's blobs begin with this prefix, to which a '/' is appended
	 * if it does not end with '/'. NULL and "" mean all keys. */
	const char *prefix;
	const char *region; /* default: us-east-1 */
	/* [https://]HOST[:PORT][/PATH], or http://... for a connection without TLS;
	 * default: Amazon's endpoint for the region */
	const char *endpoint;
	/* how the bucket is addressed: in the "path", in the host name ("virtual"), or
	 * "auto" (the default), which means path if an endpoint is given or if the
	 * bucket's name cannot be part of a host name */
	const char *addressing;
	const char *access_key, *secret_key; /* both are required */
	const char *session_token;
	struct ctx_http_options http;
	int attempts; /* maximum number of times that a request is sent; default: 5 */
	/* upper bound of the first pause in ms, doubled after each attempt; default:
	 * 200 */
	int64_t pause_ms;
	/* maximum number of keys in a response to a list request; default: the server's
	 * choice */
	int list_page;
};

/* Opens the place without sending a request. Fails with CTX_EUSAGE if options are
 * invalid. Only one thread at a time may use it. This function has a separate source
 * file, so that programs that do not call it need no libcurl. */
int ctx_blobs_open_s3(
    struct ctx_blobs **blobs, const struct ctx_s3_options *options, struct ctx_err *err);

#endif
