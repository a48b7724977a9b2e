/* The harness of the unit tests. A test is a function; the main() of a test program has a
 * RUN(test) for each test. Prints TAP. The exit status is 1 if a check failed. */
#ifndef CTX_TEST_H
#define CTX_TEST_H

#include <stdio.h>
#include <string.h>

static int test_count, test_failed, test_bad;

#define CHECK(cond)                                                         \
	do {                                                                \
		if (!(cond)) {                                              \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			test_bad = 1;                                       \
		}                                                           \
	} while (0)

/* Compares two texts; if they differ, prints both. */
#define CHECK_STR(got, want)                                                            \
	do {                                                                            \
		const char *g_ = (got), *w_ = (want);                                   \
		if (strcmp(g_, w_) != 0) {                                              \
			printf("# %s:%d: got  %s\n# want %s\n", __FILE__, __LINE__, g_, \
			    w_);                                                        \
			test_bad = 1;                                                   \
		}                                                                       \
	} while (0)

#define CHECK_INT(got, want)                                                             \
	do {                                                                             \
		long long g_ = (long long)(got), w_ = (long long)(want);                 \
		if (g_ != w_) {                                                          \
			printf("# %s:%d: %s: got %lld, want %lld\n", __FILE__, __LINE__, \
			    #got, g_, w_);                                               \
			test_bad = 1;                                                    \
		}                                                                        \
	} while (0)

#define RUN(test)                                                                      \
	do {                                                                           \
		test_bad = 0;                                                          \
		test();                                                                \
		test_failed += test_bad;                                               \
		printf("%sok %d - %s\n", test_bad ? "not " : "", ++test_count, #test); \
	} while (0)

#define TEST_END() (printf("1..%d\n", test_count), fflush(stdout), test_failed != 0)

#endif
