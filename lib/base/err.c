#undef CTX_ANALYZER /* the functions themselves are here */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
clean(char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c < 0x20 || c == 0x7f)
			*s = '?';
		/* U+0080..U+009F: C1 controls, which some terminals obey */
		else if (c == 0xc2 && (unsigned char)s[1] >= 0x80 &&
			 (unsigned char)s[1] < 0xa0)
			s[0] = s[1] = '?';
	}
}

int
ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	clean(err->msg);
	return -1;
}

int
ctx_err_sys(struct ctx_err *err, enum ctx_code code, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	n = strlen(err->msg);
	snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", strerror(errnum));
	clean(err->msg);
	return -1;
}

int
ctx_err_prefix(struct ctx_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;
	size_t n;

	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	n = strlen(err->msg);
	snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", old);
	clean(err->msg);
	return -1;
}
