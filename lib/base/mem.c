#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void
ctx_mem_out(void)
{
	static const char msg[] = "ctx: out of memory\n";

	if (write(STDERR_FILENO, msg, sizeof(msg) - 1) < 0) {
		/* there is no other place to report it */
	}
	_exit(4);
}

void *
ctx_mem_new(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	if (p == NULL)
		ctx_mem_out();
	return p;
}

void *
ctx_mem_resize(void *p, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		ctx_mem_out();
	p = realloc(p, count > 0 && size > 0 ? count * size : 1);
	if (p == NULL)
		ctx_mem_out();
	return p;
}

char *
ctx_mem_dup(const char *p, size_t n)
{
	char *s = ctx_mem_resize(NULL, n + 1, 1);

	if (n > 0)
		memcpy(s, p, n);
	s[n] = '\0';
	return s;
}

char *
ctx_mem_str(const char *s)
{
	return s == NULL ? NULL : ctx_mem_dup(s, strlen(s));
}
