#undef CTX_ANALYZER /* the functions are defined here, without the analyzers' macros */
#include "base/err.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Makes msg one line that cannot control a terminal: control characters (C1 too) and
 * invalid UTF-8 become \xNN. If the buffer ended inside a character, the rest of that
 * character is removed. */
static void
clean_error_message(char msg[CTX_ERR_SIZE])
{
	char old[CTX_ERR_SIZE], one[8];
	size_t n = strlen(msg), out = 0;

	memcpy(old, msg, n + 1);
	for (size_t i = 0, len; i < n; i += len) {
		uint32_t c = (unsigned char)old[i];
		size_t need = ctx_utf8_decode(old + i, n - i, &c);
		len = need == 0 ? 1 : need;
		if (need == 0 && n == CTX_ERR_SIZE - 1 && n - i < 4)
			break;
		if (need == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0))
			need = (size_t)snprintf(one, sizeof(one), "\\x%02x",
			    need == 0 ? (unsigned char)old[i] : (unsigned)c);
		else
			memcpy(one, old + i, need);
		if (out + need >= CTX_ERR_SIZE)
			break;
		memcpy(msg + out, one, need);
		out += need;
	}
	msg[out] = '\0';
}

/* Sets the message, with ": " and the text more after it unless more is NULL. */
static void __attribute__((format(printf, 2, 0)))
set_error_message(struct ctx_err *err, const char *fmt, va_list ap, const char *more)
{
	size_t n;

	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	n = strlen(err->msg);
	if (more != NULL)
		snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", more);
	clean_error_message(err->msg);
}

int
ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	err->code = code;
	va_start(ap, fmt);
	set_error_message(err, fmt, ap, NULL);
	va_end(ap);
	return -1;
}

int
ctx_err_sys(struct ctx_err *err, enum ctx_code code, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	err->code = code;
	va_start(ap, fmt);
	set_error_message(err, fmt, ap, strerror(errnum));
	va_end(ap);
	return -1;
}

int
ctx_err_prefix(struct ctx_err *err, const char *fmt, ...)
{
	char old[CTX_ERR_SIZE];
	va_list ap;

	if (err == NULL)
		return -1;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	set_error_message(err, fmt, ap, old);
	va_end(ap);
	return -1;
}
