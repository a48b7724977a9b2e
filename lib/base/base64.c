#include "base/base64.h"

void
ctx_base64_add(struct ctx_buf *out, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16;

		v |= i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0;
		v |= i + 2 < n ? (uint32_t)p[i + 2] : 0;
		ctx_buf_addc(out, digits[v >> 18]);
		ctx_buf_addc(out, digits[v >> 12 & 63]);
		ctx_buf_addc(out, i + 1 < n ? digits[v >> 6 & 63] : '=');
		ctx_buf_addc(out, i + 2 < n ? digits[v & 63] : '=');
	}
}
