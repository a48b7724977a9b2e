/* Memory: allocation that cannot fail. Out of memory ends the process here, in one
 * place, with a line on stderr and status 4: there is nothing else a filter could do. */
#ifndef CTX_BASE_MEM_H
#define CTX_BASE_MEM_H

#include <stddef.h>

/* Say so and end the process: for libraries that report it as an error of theirs. */
_Noreturn void ctx_mem_out(void);

/* Zero-filled; free() it. n may be 0. */
void *ctx_mem_new(size_t n) __attribute__((returns_nonnull));

/* realloc() to count * size bytes, overflow checked. */
void *ctx_mem_resize(void *p, size_t count, size_t size)
    __attribute__((returns_nonnull));

/* A copy of n bytes with a NUL behind it. */
char *ctx_mem_dup(const char *p, size_t n) __attribute__((returns_nonnull));

/* strdup(); NULL gives NULL. */
char *ctx_mem_str(const char *s);

/* Make room for one more element in an array of *cap elements that holds n: doubles. */
#define CTX_MEM_GROW(array, n, cap)                                                 \
	do {                                                                        \
		if ((n) == (cap)) {                                                 \
			(cap) = (cap) ? (cap)*2 : 16;                               \
			(array) = ctx_mem_resize((array), (cap), sizeof(*(array))); \
		}                                                                   \
	} while (0)

#endif
