/* Memory allocation that does not return on failure: if memory runs out, the process
 * prints a line on stderr and exits with status 4. */
#ifndef CTX_BASE_MEM_H
#define CTX_BASE_MEM_H

#include <stddef.h>

/* Prints a message that memory ran out, and exits. Call this if a library function
 * reports that it could not allocate memory. */
_Noreturn void ctx_mem_out(void);

/* Returns n zero bytes; the caller frees them with free(). n may be 0. */
void *ctx_mem_new(size_t n) __attribute__((returns_nonnull));

/* Like realloc(p, count * size), but treats an overflow of this product as lack of
 * memory. */
void *ctx_mem_resize(void *p, size_t count, size_t size) __attribute__((returns_nonnull));

/* Returns a heap copy of n bytes, with a NUL byte after them. */
char *ctx_mem_dup(const char *p, size_t n) __attribute__((returns_nonnull));

/* Like strdup(), but returns NULL if s is NULL. */
char *ctx_mem_str(const char *s);

/* Doubles the capacity of an array if the array is full. n is the number of elements in
 * the array; cap is its capacity in elements. */
#define CTX_MEM_GROW(array, n, cap)                                                 \
	do {                                                                        \
		if ((n) == (cap)) {                                                 \
			(cap) = (cap) ? (cap)*2 : 16;                               \
			(array) = ctx_mem_resize((array), (cap), sizeof(*(array))); \
		}                                                                   \
	} while (0)

#endif
