/* Ids of sessions, messages and other records. */
#ifndef CTX_BASE_ID_H
#define CTX_BASE_ID_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_ID_MAX 128 /* maximum length in bytes of an id chosen by a user */
#define CTX_ID_UUID 36 /* number of characters of a UUID */

/* Writes a new UUIDv7 (RFC 9562) in lower case to out. now: the current time in ms since
 * the epoch. */
int ctx_id_new(int64_t now, char out[CTX_ID_UUID + 1], struct ctx_err *err);

/* Fails with CTX_EINPUT if id is empty, is longer than CTX_ID_MAX bytes, is not UTF-8, or
 * contains control characters. what: the word for the id in the error message, for
 * example "session id". */
int ctx_id_check(struct ctx_span id, const char *what, struct ctx_err *err);

#endif
