/* A hash table from keys to numbers: the one that every layer uses. */
#ifndef CTX_BASE_MAP_H
#define CTX_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys are kept by the caller; the table holds their hashes (ctx_hash_bytes). Values are
 * not 0: usually the index of the key in an array, plus one. Zero-filled to start. */
struct ctx_map {
	struct ctx_map_slot {
		uint64_t hash;
		size_t value; /* 0: the slot is free */
	} * slots;
	size_t n, size;
};

/* Returns true if arg, the key that is looked for, is the key of value. */
typedef bool ctx_map_same(const void *arg, size_t value);

/* Returns the value of the key, or 0 if there is none. With same NULL the hash itself is
 * the key. */
size_t ctx_map_get(
    const struct ctx_map *m, uint64_t hash, ctx_map_same *same, const void *arg);

/* Returns the place of the key's value, which holds 0 if the key is new; the caller sets
 * it before the next call. */
size_t *ctx_map_at(struct ctx_map *m, uint64_t hash, ctx_map_same *same, const void *arg);

/* Removes all keys and keeps the memory. */
void ctx_map_reset(struct ctx_map *m);
void ctx_map_release(struct ctx_map *m);

#endif
