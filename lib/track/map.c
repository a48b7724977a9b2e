#include "track/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint64_t
ctx_map_hash(uint64_t seed, const void *p, size_t n)
{
	const unsigned char *c = p;
	uint64_t h = seed ^ UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ c[i]) * UINT64_C(0x100000001b3);
	h ^= h >> 32;
	return h * UINT64_C(0x9e3779b97f4a7c15);
}

size_t
ctx_map_get(const struct ctx_map *m, uint64_t hash,
    bool (*same)(const void *arg, size_t value), const void *arg)
{
	size_t mask = ((size_t)1 << m->bits) - 1;

	if (m->slots == NULL)
		return SIZE_MAX;
	for (size_t i = hash >> 20 & mask; m->slots[i].value != 0; i = (i + 1) & mask)
		if (m->slots[i].hash == hash && same(arg, m->slots[i].value - 1))
			return m->slots[i].value - 1;
	return SIZE_MAX;
}

static void
insert_map_slot(struct ctx_map *m, uint64_t hash, size_t value)
{
	size_t mask = ((size_t)1 << m->bits) - 1, i = hash >> 20 & mask;

	while (m->slots[i].value != 0)
		i = (i + 1) & mask;
	m->slots[i] = (struct ctx_map_slot){hash, value + 1};
}

void
ctx_map_add(struct ctx_map *m, uint64_t hash, size_t value)
{
	if (m->slots == NULL || 2 * m->n >= (size_t)1 << m->bits) {
		struct ctx_map old = *m;
		m->bits = old.slots == NULL ? 6 : old.bits + 1;
		m->slots = ctx_mem_new(((size_t)1 << m->bits) * sizeof(*m->slots));
		for (size_t i = 0; old.slots != NULL && i < (size_t)1 << old.bits; i++)
			if (old.slots[i].value != 0)
				insert_map_slot(
				    m, old.slots[i].hash, old.slots[i].value - 1);
		free(old.slots);
	}
	insert_map_slot(m, hash, value);
	m->n++;
}

void
ctx_map_reset(struct ctx_map *m)
{
	if (m->slots != NULL)
		memset(m->slots, 0, ((size_t)1 << m->bits) * sizeof(*m->slots));
	m->n = 0;
}

void
ctx_map_release(struct ctx_map *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}
