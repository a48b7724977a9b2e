/* Numbers for ids. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

struct lint_ids {
	struct ctx_span *texts; /* plain, owned */
	size_t n, cap;
	int *slots; /* number + 1, 0 free */
	size_t n_slots;
	struct ctx_buf tmp;
};

struct lint_ids *
ctx_lint_ids_new(void)
{
	struct lint_ids *ids = ctx_mem_new(sizeof(*ids));

	ids->n_slots = 64;
	ids->slots = ctx_mem_new(ids->n_slots * sizeof(*ids->slots));
	return ids;
}

void
ctx_lint_ids_free(struct lint_ids *ids)
{
	if (ids == NULL)
		return;
	for (size_t i = 0; i < ids->n; i++)
		free((char *)ids->texts[i].p);
	free(ids->texts);
	free(ids->slots);
	ctx_buf_release(&ids->tmp);
	free(ids);
}

/* FNV-1a, finished so that the low bits depend on all of it. */
static size_t
hash_lint_id(struct ctx_span s)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return (size_t)(h ^ h >> 32);
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t
find_lint_id_slot(const struct lint_ids *ids, struct ctx_span s)
{
	size_t at = hash_lint_id(s) & (ids->n_slots - 1);

	while (ids->slots[at] != 0 && !ctx_span_eq(ids->texts[ids->slots[at] - 1], s))
		at = (at + 1) & (ids->n_slots - 1);
	return at;
}

static void
grow_lint_ids(struct lint_ids *ids)
{
	free(ids->slots);
	ids->n_slots *= 2;
	ids->slots = ctx_mem_new(ids->n_slots * sizeof(*ids->slots));
	for (size_t i = 0; i < ids->n; i++)
		ids->slots[find_lint_id_slot(ids, ids->texts[i])] = (int)i + 1;
}

int
ctx_lint_ids_add(struct lint_ids *ids, struct ctx_span key)
{
	struct ctx_span s = ctx_json_text(key, &ids->tmp);
	size_t at;

	if (s.p == NULL || s.n == 0) /* an empty id names nothing */
		return -1;
	at = find_lint_id_slot(ids, s);
	if (ids->slots[at] != 0)
		return ids->slots[at] - 1;
	if (2 * (ids->n + 1) > ids->n_slots) {
		grow_lint_ids(ids);
		at = find_lint_id_slot(ids, s);
	}
	CTX_MEM_GROW(ids->texts, ids->n, ids->cap);
	ids->texts[ids->n] = (struct ctx_span){ctx_mem_dup(s.p, s.n), s.n};
	ids->slots[at] = (int)++ids->n;
	return (int)ids->n - 1;
}

bool
ctx_lint_ids_has(struct lint_ids *ids, struct ctx_span text)
{
	return ids->slots[find_lint_id_slot(ids, text)] != 0;
}

size_t
ctx_lint_ids_count(const struct lint_ids *ids)
{
	return ids->n;
}
