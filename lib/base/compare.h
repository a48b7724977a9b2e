/* Comparison functions for qsort() and bsearch(). */
#ifndef CTX_BASE_COMPARE_H
#define CTX_BASE_COMPARE_H

/* The functions compare elements of type int64_t, uint64_t and char *, in this order. */
int ctx_compare_int64(const void *a, const void *b);
int ctx_compare_uint64(const void *a, const void *b);
int ctx_compare_strings(const void *a, const void *b);

#endif
