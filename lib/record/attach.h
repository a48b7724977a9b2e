/* Turns files into parts of a message. */
#ifndef CTX_RECORD_ATTACH_H
#define CTX_RECORD_ATTACH_H

#include "base/buf.h"
#include "base/err.h"

/* maximum size of an image in bytes (Anthropic's limit) */
#define CTX_ATTACH_IMAGE_MAX ((size_t)5 << 20)
/* maximum size of a document in bytes, chosen so that its base64 text fits into 32 MB */
#define CTX_ATTACH_DOCUMENT_MAX ((size_t)23 << 20)

/* Appends a content block, in Anthropic's format, for a file with these bytes. The type
 * is detected from the bytes: an image (PNG, JPEG, GIF, WebP) or a document (PDF, UTF-8
 * text). name: the file's name, which becomes the title of a document. Returns -1 with
 * CTX_EINPUT if the type is not supported, or if the file is empty or too large; the
 * error text gives the limit. */
int ctx_attach_add(
    struct ctx_buf *out, struct ctx_span bytes, const char *name, struct ctx_err *err);

#endif
