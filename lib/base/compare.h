/* Comparison functions for qsort() and bsearch(), and a binary search. */
#ifndef CTX_BASE_COMPARE_H
#define CTX_BASE_COMPARE_H

/* Compares two numbers, as such a function does. */
#define CTX_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* The functions compare elements of type int64_t, uint64_t and char *, in this order. */
int ctx_compare_int64(const void *a, const void *b);
int ctx_compare_uint64(const void *a, const void *b);
int ctx_compare_strings(const void *a, const void *b);

/* Sets the variable i to the number of leading elements of an array of n elements for which
 * before, an expression in i, is true. It must be false for all elements after these. */
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
