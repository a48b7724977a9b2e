/* Numbers ids. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

struct lint_ids {
	struct ctx_span *texts; /* plain text, owned */
	size_t n, cap;
	struct ctx_map numbers; /* number plus one */
	struct ctx_buf tmp;
};

struct lint_ids *
ctx_lint_ids_new(void)
{
	return ctx_mem_new(sizeof(struct lint_ids));
}

void
ctx_lint_ids_free(struct lint_ids *ids)
{
	if (ids == NULL)
		return;
	for (size_t i = 0; i < ids->n; i++)
		free((char *)ids->texts[i].p);
	free(ids->texts);
	ctx_map_release(&ids->numbers);
	ctx_buf_release(&ids->tmp);
	free(ids);
}

struct wanted_id {
	const struct lint_ids *ids;
	struct ctx_span text;
};

static bool
is_wanted_id(const void *arg, size_t value)
{
	const struct wanted_id *w = arg;

	return ctx_span_eq(w->ids->texts[value - 1], w->text);
}

int
ctx_lint_ids_add(struct lint_ids *ids, struct ctx_span key)
{
	struct ctx_span s = ctx_json_text(key, &ids->tmp);
	struct wanted_id w = {ids, s};
	size_t *number;

	if (s.p == NULL || s.n == 0) /* an empty id does not identify a call */
		return -1;
	number = ctx_map_at(&ids->numbers, ctx_hash_bytes(0, s.p, s.n), is_wanted_id, &w);
	if (*number == 0) {
		CTX_MEM_GROW(ids->texts, ids->n, ids->cap);
		ids->texts[ids->n++] = (struct ctx_span){ctx_mem_dup(s.p, s.n), s.n};
		*number = ids->n;
	}
	return (int)*number - 1;
}

bool
ctx_lint_ids_has(struct lint_ids *ids, struct ctx_span text)
{
	struct wanted_id w = {ids, text};

	return ctx_map_get(&ids->numbers, ctx_hash_bytes(0, text.p, text.n), is_wanted_id,
		   &w) != 0;
}

size_t
ctx_lint_ids_count(const struct lint_ids *ids)
{
	return ids->n;
}
