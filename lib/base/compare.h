/* Comparison functions for qsort() and bsearch(), and a binary search. */
#ifndef CTX_BASE_COMPARE_H
#define CTX_BASE_COMPARE_H

/* The elements are of type int64_t, uint64_t and char *, respectively. */
int ctx_compare_int64(const void *a, const void *b);
int ctx_compare_uint64(const void *a, const void *b);
int ctx_compare_strings(const void *a, const void *b);

/* Binary search in an array of n elements. before is an expression in the variable i; it
 * must be true for the first elements of the array, and false for all others. Sets i to
 * the number of elements for which it is true. */
#define CTX_BOUND(i, n, before)                                   \
	do {                                                      \
		size_t ctx_low = 0, ctx_high = (n);               \
		while (ctx_low < ctx_high) {                      \
			(i) = ctx_low + (ctx_high - ctx_low) / 2; \
			if (before)                               \
				ctx_low = (i) + 1;                \
			else                                      \
				ctx_high = (i);                   \
		}                                                 \
		(i) = ctx_low;                                    \
	} while (0)

#endif
