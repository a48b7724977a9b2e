/* For the fuzz targets: a check that is compiled in every build, and choices that are
 * taken from the input. These choices replace the random numbers of the property tests
 * (tests/unit/random.h). */
#ifndef CTX_FUZZ_H
#define CTX_FUZZ_H

#define CTX_TEST_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(cond)                                                                 \
	do {                                                                       \
		if (!(cond)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                                   \
		}                                                                  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const uint8_t *fuzz_bytes;
static size_t fuzz_left;
/* state of the generator that makes the choices after the end of the input, so that loops
 * end */
static uint32_t fuzz_after;

static inline void
fuzz_choose_by(const uint8_t *data, size_t n)
{
	fuzz_bytes = data;
	fuzz_left = n;
	fuzz_after = 1;
}

/* Returns a number from 0 to n - 1. */
static inline uint32_t
random_below(uint32_t n)
{
	uint32_t v = 0;

	if (fuzz_left == 0) {
		fuzz_after = fuzz_after * 1103515245u + 12345u;
		return (fuzz_after >> 8) % n;
	}
	for (uint32_t top = n - 1; top > 0 && fuzz_left > 0; top >>= 8, fuzz_left--)
		v = v << 8 | *fuzz_bytes++;
	return v % n;
}

#endif
