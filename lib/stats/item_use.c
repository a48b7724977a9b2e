#include "stats/item_use.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "stats/drawn.h"

struct use {
	struct ctx_item_use sum; /* owns its strings */
	double scores;
	int64_t scored;
};

struct uses {
	struct ctx_drawn_run *drawn;
	struct use *list;
	size_t n, cap;
	struct ctx_map places; /* index in list + 1, by type, server and name */
};

static int
compare_item_use_names(const void *pa, const void *pb)
{
	/* sum is the first member of struct use */
	const struct ctx_item_use *a = pa, *b = pb;
	int c = strcmp(a->type, b->type);

	if (c == 0)
		c = strcmp(a->server_name, b->server_name);
	return c != 0 ? c : strcmp(a->name, b->name);
}

static uint64_t
hash_item_use_name(const struct ctx_item_use *u)
{
	uint64_t h = ctx_hash_bytes(0, u->type, strlen(u->type));

	h = ctx_hash_bytes(h, u->server_name, strlen(u->server_name));
	return ctx_hash_bytes(h, u->name, strlen(u->name));
}

struct wanted_item {
	const struct uses *uses;
	const struct ctx_item_use *names;
};

static bool
is_wanted_item(const void *arg, size_t value)
{
	const struct wanted_item *w = arg;

	return compare_item_use_names(&w->uses->list[value - 1], w->names) == 0;
}

static void
free_names(struct ctx_item_use *u)
{
	free((char *)u->type);
	free((char *)u->server_name);
	free((char *)u->name);
}

/* Returns NULL if the source has no name. */
static struct use *
find_item_use(struct uses *u, struct ctx_span source)
{
	struct ctx_item_use names = {
	    .type = ctx_json_strdup(ctx_json_get(source, "type")),
	    .server_name = ctx_json_strdup(ctx_json_get(source, "server_name")),
	    .name = ctx_json_strdup(ctx_json_get(source, "name"))};
	size_t *place;

	if (names.server_name == NULL)
		names.server_name = ctx_mem_str("");
	if (names.type == NULL || names.name == NULL) {
		free_names(&names);
		return NULL;
	}
	place = ctx_map_at(&u->places, hash_item_use_name(&names), is_wanted_item,
	    &(struct wanted_item){u, &names});
	if (*place != 0) {
		free_names(&names);
		return &u->list[*place - 1];
	}
	CTX_MEM_GROW(u->list, u->n, u->cap);
	u->list[u->n] = (struct use){.sum = names};
	*place = ++u->n;
	return &u->list[u->n - 1];
}

static void
count_item_use(struct uses *u, struct ctx_span entry, enum ctx_drawn drawn)
{
	struct ctx_span source = ctx_json_get(entry, "source");
	struct ctx_span type = ctx_json_get(source, "type");
	struct ctx_span mode = ctx_json_get(source, "include_mode");
	struct use *one;
	int64_t tokens;
	double score;

	if (!CTX_JSON_IS_ANY(type, "rule", "reference", "tool", "prompt"))
		return;
	one = find_item_use(u, source);
	if (one == NULL)
		return;
	one->sum.requests++;
	one->sum.always += ctx_json_is(mode, "always");
	one->sum.manual += ctx_json_is(mode, "manual");
	one->sum.agent += ctx_json_is(mode, "agent");
	one->sum.answers += drawn != CTX_DRAWN_UNKNOWN;
	one->sum.drawn_on += drawn == CTX_DRAWN_YES;
	if (ctx_json_int(ctx_json_get(entry, "token_count"), &tokens))
		one->sum.tokens += tokens;
	if (ctx_json_double(ctx_json_get(source, "similarity_score"), &score)) {
		one->scores += score;
		one->scored++;
	}
}

static int
take_item_request(void *arg, const struct ctx_item_request *r, struct ctx_err *err)
{
	struct uses *u = arg;
	const enum ctx_drawn *drawn;
	size_t n, i = 0;

	if (ctx_drawn_judge(u->drawn, r, &drawn, &n, err) < 0)
		return -1;
	CTX_JSON_EACH_WHILE(i < n, it, ctx_json_get(r->record, "messages"))
		count_item_use(u, it.value, drawn[i++]);
	/* items that were chosen but already in an earlier request of the run: they cost
	 * no more tokens */
	CTX_JSON_EACH_WHILE(i < n, it, ctx_json_get(r->record, "in_view"))
		count_item_use(u, it.value, drawn[i++]);
	return 0;
}

int
ctx_item_uses(struct ctx_store *st, const struct ctx_session *s,
    int (*fn)(void *arg, const struct ctx_item_use *use, struct ctx_err *err), void *arg,
    struct ctx_err *err)
{
	struct uses u = {.drawn = ctx_drawn_new(st)};
	int rc = ctx_item_requests(st, s, take_item_request, &u, err);

	if (u.n > 1)
		qsort(u.list, u.n, sizeof(*u.list), compare_item_use_names);
	for (size_t i = 0; i < u.n; i++) {
		struct use *one = &u.list[i];
		if (one->scored > 0)
			one->sum.mean_score = one->scores / (double)one->scored;
		if (rc == 0)
			rc = fn(arg, &one->sum, err);
		free_names(&one->sum);
	}
	free(u.list);
	ctx_map_release(&u.places);
	ctx_drawn_free(u.drawn);
	return rc;
}
