/* Turns files into parts of a message. */
#ifndef CTX_RECORD_ATTACH_H
#define CTX_RECORD_ATTACH_H

#include "base/buf.h"
#include "base/err.h"

/* largest image in bytes, the limit of Anthropic */
#define CTX_ATTACH_IMAGE_MAX ((size_t)5 << 20)
#define CTX_ATTACH_DOCUMENT_MAX \
	((size_t)23 << 20) /* largest document in bytes; its base64 fits into 32 MB */

/* Appends a content block, in Anthropic's format, for a file with these bytes. The type is
 * detected from the bytes: an image (PNG, JPEG, GIF, WebP) or a document (PDF, UTF-8 text).
 * name becomes the title of a document. Returns -1 with CTX_EINPUT if the type is not
 * supported, the file is empty, or it is too large; the error text gives the limit. */
int ctx_attach_add(
    struct ctx_buf *out, struct ctx_span bytes, const char *name, struct ctx_err *err);

#endif
