/* Open addressing with linear probing; at most half of the slots are used. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAP_FIRST_SIZE 64

/* Returns the slot of the key, or the free slot where the key belongs. */
static struct ctx_map_slot *
find_map_slot(const struct ctx_map *m, uint64_t hash, ctx_map_same *same, const void *arg)
{
	size_t i = (size_t)hash & (m->size - 1);

	for (; m->slots[i].value != 0; i = (i + 1) & (m->size - 1))
		if (m->slots[i].hash == hash &&
		    (same == NULL || same(arg, m->slots[i].value)))
			break;
	return &m->slots[i];
}

static void
grow_map(struct ctx_map *m)
{
	struct ctx_map old = *m;

	m->size = old.size == 0 ? MAP_FIRST_SIZE : old.size * 2;
	m->slots = ctx_mem_new(m->size * sizeof(*m->slots));
	for (size_t i = 0; i < old.size; i++) {
		size_t at = (size_t)old.slots[i].hash & (m->size - 1);
		if (old.slots[i].value == 0)
			continue;
		while (m->slots[at].value != 0)
			at = (at + 1) & (m->size - 1);
		m->slots[at] = old.slots[i];
	}
	free(old.slots);
}

size_t
ctx_map_get(const struct ctx_map *m, uint64_t hash, ctx_map_same *same, const void *arg)
{
	return m->size == 0 ? 0 : find_map_slot(m, hash, same, arg)->value;
}

size_t *
ctx_map_at(struct ctx_map *m, uint64_t hash, ctx_map_same *same, const void *arg)
{
	struct ctx_map_slot *slot;

	if (2 * (m->n + 1) > m->size)
		grow_map(m);
	slot = find_map_slot(m, hash, same, arg);
	if (slot->value == 0) {
		slot->hash = hash;
		m->n++;
	}
	return &slot->value;
}

void
ctx_map_reset(struct ctx_map *m)
{
	if (m->slots != NULL)
		memset(m->slots, 0, m->size * sizeof(*m->slots));
	m->n = 0;
}

void
ctx_map_release(struct ctx_map *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}
