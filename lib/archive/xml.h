/* Reads the XML of S3's responses: elements with text. Attributes are ignored. Pure
 * functions, safe on any bytes. */
#ifndef CTX_ARCHIVE_XML_H
#define CTX_ARCHIVE_XML_H

#include <stdbool.h>

#include "base/buf.h"

/* Finds the first element with this tag in *doc; a namespace prefix of the tag is
 * ignored. Sets *inner to the content of the element, and moves the start of *doc to the
 * end of the element. Returns false if there is no such element. An element must not
 * contain another element with the same tag. */
bool ctx_xml_next(struct ctx_span *doc, const char *tag, struct ctx_span *inner);

/* Returns the text of the first element with this tag in doc, with entities decoded, as a
 * heap string that the caller frees; NULL if there is no such element. */
char *ctx_xml_text(struct ctx_span doc, const char *tag) __attribute__((malloc));

#endif
