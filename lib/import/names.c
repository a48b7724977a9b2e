#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "import/internal.h"
#include "json/json.h"

static size_t
hash_import_name(struct ctx_span s)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return (size_t)(h ^ h >> 32);
}

static size_t *
find_import_name_slot(struct import_names *names, struct ctx_span s)
{
	size_t i = hash_import_name(s) & names->mask;

	for (; names->slot[i] != 0; i = (i + 1) & names->mask) {
		const struct import_name *v = &names->v[names->slot[i] - 1];
		if (v->n == s.n && memcmp(v->name, s.p, s.n) == 0)
			break;
	}
	return &names->slot[i];
}

static void
grow_import_names(struct import_names *names)
{
	free(names->slot);
	names->mask = names->mask == 0 ? 63 : 2 * names->mask + 1;
	names->slot = ctx_mem_new((names->mask + 1) * sizeof(*names->slot));
	for (size_t i = 0; i < names->n; i++)
		*find_import_name_slot(
		    names, (struct ctx_span){names->v[i].name, names->v[i].n}) = i + 1;
}

int64_t
ctx_import_names_count(struct import_names *names, struct ctx_span name)
{
	size_t *slot;

	if (2 * names->n >= names->mask)
		grow_import_names(names);
	slot = find_import_name_slot(names, name);
	if (*slot == 0) {
		CTX_MEM_GROW(names->v, names->n, names->cap);
		names->v[names->n++] = (struct import_name){
		    ctx_mem_dup(name.p, name.n), name.n, 0};
		*slot = names->n;
	}
	return ++names->v[*slot - 1].count;
}

bool
ctx_import_names_has(struct import_names *names, struct ctx_span name)
{
	return names->n > 0 && *find_import_name_slot(names, name) != 0;
}

void
ctx_import_names_print(const struct import_names *names, struct ctx_buf *out)
{
	ctx_json_put_open(out, '{');
	for (size_t i = 0; i < names->n; i++) {
		ctx_json_put_string(
		    out, (struct ctx_span){names->v[i].name, names->v[i].n});
		ctx_buf_addc(out, ':');
		ctx_buf_addi(out, names->v[i].count);
	}
	ctx_json_put_close(out, '}');
}

void
ctx_import_names_release(struct import_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i].name);
	free(names->v);
	free(names->slot);
	memset(names, 0, sizeof(*names));
}
