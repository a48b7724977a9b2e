/* Private to lib/track: maps from a string or from a number to an index. */
#ifndef CTX_TRACK_MAP_H
#define CTX_TRACK_MAP_H

#include <stdint.h>

#include "base/buf.h"

/* Open addressing; keys are compared by a 64-bit hash and then by same(). */
struct ctx_map {
	struct ctx_map_slot {
		uint64_t hash;
		size_t value; /* + 1; 0: empty */
	} * slots;
	size_t n, bits;
};

#define CTX_MAP_INIT       \
	{                  \
		NULL, 0, 0 \
	}

uint64_t ctx_map_hash(uint64_t seed, const void *p, size_t n);

/* Returns the first value with that hash for which same() is true, or SIZE_MAX. */
size_t ctx_map_get(const struct ctx_map *m, uint64_t hash,
    bool (*same)(const void *arg, size_t value), const void *arg);
void ctx_map_add(struct ctx_map *m, uint64_t hash, size_t value);
void ctx_map_reset(struct ctx_map *m);
void ctx_map_release(struct ctx_map *m);

#endif
