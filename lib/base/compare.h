/* Comparison functions for qsort() and bsearch(), and a binary search. */
#ifndef CTX_BASE_COMPARE_H
#define CTX_BASE_COMPARE_H

/* Compares two numbers. The result is -1 if a < b, 0 if a == b, and 1 if a > b. */
#define CTX_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Comparison functions for arrays of int64_t, of uint64_t and of char *, respectively. */
int ctx_compare_int64(const void *a, const void *b);
int ctx_compare_uint64(const void *a, const void *b);
int ctx_compare_strings(const void *a, const void *b);

/* Binary search in an array of n elements. before: an expression that tests the element
 * with index i; it must be true for the first elements of the array, and false for all
 * elements after them. Sets i to the number of elements for which the expression is
 * true. */
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
