#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "import/internal.h"
#include "json/json.h"

struct wanted_name {
	const struct import_names *names;
	struct ctx_span name;
};

static bool
is_wanted_name(const void *arg, size_t value)
{
	const struct wanted_name *w = arg;
	const struct import_name *v = &w->names->v[value - 1];

	return v->n == w->name.n && memcmp(v->name, w->name.p, v->n) == 0;
}

int64_t
ctx_import_names_count(struct import_names *names, struct ctx_span name)
{
	struct wanted_name w = {names, name};
	size_t *place = ctx_map_at(
	    &names->places, ctx_hash_bytes(0, name.p, name.n), is_wanted_name, &w);

	if (*place == 0) {
		CTX_MEM_GROW(names->v, names->n, names->cap);
		names->v[names->n++] = (struct import_name){
		    ctx_mem_dup(name.p, name.n), name.n, 0};
		*place = names->n;
	}
	return ++names->v[*place - 1].count;
}

bool
ctx_import_names_has(struct import_names *names, struct ctx_span name)
{
	struct wanted_name w = {names, name};

	return ctx_map_get(&names->places, ctx_hash_bytes(0, name.p, name.n),
		   is_wanted_name, &w) != 0;
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
	ctx_map_release(&names->places);
	memset(names, 0, sizeof(*names));
}

/* Gives messages other ids than those of the source. */

#define KEPT 100 /* bytes kept of an id that is too long; a hash of the id follows them */

void
ctx_import_rename(
    struct ctx_buf *b, struct ctx_span record, struct ctx_span id, int64_t n)
{
	struct ctx_buf name = CTX_BUF_INIT, json = CTX_BUF_INIT;
	char hash[CTX_HASH_HEX + 1];

	if (id.n > IMPORT_ID_MAX) {
		ctx_hash_sha256(id.p, id.n, hash);
		ctx_buf_add(&name, id.p, ctx_utf8_valid(id.p, KEPT));
		ctx_buf_addf(&name, "-%.16s", hash);
	} else {
		ctx_buf_addspan(&name, id);
	}
	if (n > 1)
		ctx_buf_addf(&name, "#%lld", (long long)n);
	ctx_json_put_string(&json, ctx_buf_span(&name));
	ctx_json_put_changed(b, record, "id", ctx_buf_span(&json));
	ctx_buf_release(&json);
	ctx_buf_release(&name);
}
