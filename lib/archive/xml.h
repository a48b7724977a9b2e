/* As much XML as S3 answers with: elements with text, no need of attributes. Pure, and
 * safe on any bytes. */
#ifndef CTX_ARCHIVE_XML_H
#define CTX_ARCHIVE_XML_H

#include <stdbool.h>

#include "base/buf.h"

/* Find the first element named tag in *doc, move *doc behind it, and give what is inside
 * it. A namespace prefix on the element's name is passed over. Elements of the same name
 * inside each other are not expected. */
bool ctx_xml_next(struct ctx_span *doc, const char *tag, struct ctx_span *inner);

/* Text of the first element named tag in doc, entities resolved, as a heap string; NULL
 * when there is none. */
char *ctx_xml_text(struct ctx_span doc, const char *tag) __attribute__((malloc));

#endif
