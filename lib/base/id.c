#include "base/id.h"

#include <errno.h>
#include <sys/random.h>

#include "base/utf8.h"

int
ctx_id_new(int64_t now, char out[CTX_ID_UUID + 1], struct ctx_err *err)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char u[16];
	char *p = out;

	if (getrandom(u, sizeof(u), 0) != (ssize_t)sizeof(u))
		return ctx_err_sys(err, CTX_EIO, errno, "cannot read random bytes");
	for (int i = 0; i < 6; i++)
		u[i] = (unsigned char)((uint64_t)now >> (40 - 8 * i));
	u[6] = 0x70 | (u[6] & 0x0f);
	u[8] = 0x80 | (u[8] & 0x3f);
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = hex[u[i] >> 4];
		*p++ = hex[u[i] & 15];
	}
	*p = '\0';
	return 0;
}

int
ctx_id_check(struct ctx_span id, const char *what, struct ctx_err *err)
{
	uint32_t cp;
	size_t len;

	if (id.n == 0)
		return ctx_err_set(err, CTX_EINPUT, "%s is empty", what);
	if (id.n > CTX_ID_MAX)
		return ctx_err_set(
		    err, CTX_EINPUT, "%s is longer than %d bytes", what, CTX_ID_MAX);
	for (size_t i = 0; i < id.n; i += len) {
		len = ctx_utf8_decode(id.p + i, id.n - i, &cp);
		if (len == 0)
			return ctx_err_set(
			    err, CTX_EINPUT, "%s is not valid UTF-8", what);
		if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			return ctx_err_set(
			    err, CTX_EINPUT, "%s contains a control character", what);
	}
	return 0;
}
