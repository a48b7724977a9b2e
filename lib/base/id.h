/* Identifiers. */
#ifndef CTX_BASE_ID_H
#define CTX_BASE_ID_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_ID_MAX 128 /* bytes in an id that a user gives */
#define CTX_ID_UUID 36 /* characters of a UUID */

/* A UUIDv7 (RFC 9562) of the instant now, in lower case. */
int ctx_id_new(int64_t now, char out[CTX_ID_UUID + 1], struct ctx_err *err);

/* Refuse ids that are empty, longer than CTX_ID_MAX, not UTF-8 or that hold control
 * characters; what names the id in the message ("session id"). */
int ctx_id_check(struct ctx_span id, const char *what, struct ctx_err *err);

#endif
