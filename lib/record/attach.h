/* Files as parts of a message. */
#ifndef CTX_RECORD_ATTACH_H
#define CTX_RECORD_ATTACH_H

#include "base/buf.h"
#include "base/err.h"

#define CTX_ATTACH_IMAGE_MAX ((size_t)5 << 20) /* bytes; what Anthropic takes */
#define CTX_ATTACH_DOCUMENT_MAX \
	((size_t)23 << 20) /* a body with its base64 is below 32 MB */

/* Appends the block of a file whose bytes are given, by what they are: an image (PNG, JPEG,
 * GIF, WebP), or a document (PDF, UTF-8 text). name is its title. CTX_EINPUT for another
 * type, an empty file, or one that is too large, with the limit in the message. */
int ctx_attach_add(
    struct ctx_buf *out, struct ctx_span bytes, const char *name, struct ctx_err *err);

#endif
