/* Random numbers for property tests. Each run gets the same numbers. */
#ifndef CTX_TEST_RANDOM_H
#define CTX_TEST_RANDOM_H

#include <stdint.h>

static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static inline uint32_t
random_next(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(z >> 32);
}

/* Returns a number from 0 to n - 1. */
static inline uint32_t
random_below(uint32_t n)
{
	return random_next() % n;
}

#endif
