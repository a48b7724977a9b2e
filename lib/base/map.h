/* A hash table from keys to nonzero numbers. */
#ifndef CTX_BASE_MAP_H
#define CTX_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The table does not store the keys, only their hashes (ctx_hash_bytes) and values.
 * Usually the caller keeps the keys in an array, and the value of a key is its index in
 * this array plus one. A zero-filled struct is an empty table. */
struct ctx_map {
	struct ctx_map_slot {
		uint64_t hash;
		size_t value; /* 0: the slot is free */
	} * slots;
	size_t n, size;
};

/* Compares the key being looked up with a key in the table, and returns true if the keys
 * are equal. arg: describes the key being looked up; value: value of the key in the
 * table. */
typedef bool ctx_map_same(const void *arg, size_t value);

/* Returns the value of the key, or 0 if the key is not in the table. same: compares two
 * keys; NULL: keys are equal if their hashes are equal. */
size_t ctx_map_get(
    const struct ctx_map *m, uint64_t hash, ctx_map_same *same, const void *arg);

/* Returns a pointer to the value of the key. If the key is not in the table, adds the key
 * with the value 0; the caller must then change the value before the next call. */
size_t *ctx_map_at(struct ctx_map *m, uint64_t hash, ctx_map_same *same, const void *arg);

/* Removes all keys but keeps the memory. */
void ctx_map_reset(struct ctx_map *m);
void ctx_map_release(struct ctx_map *m);

#endif
