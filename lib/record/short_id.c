#include "record/short_id.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/utf8.h"

#define SHORTEST 8 /* characters kept of a UUID */
#define WHOLE_MAX 20
#define LONG_SHORTEST 12
#define PART_SHORTEST 4 /* shortest part of an id that commands accept */

void
ctx_short_ids_add(struct ctx_short_ids *ids, const char *id)
{
	CTX_MEM_GROW(ids->forward, ids->n, ids->cap);
	ids->forward[ids->n++] = ctx_mem_str(id);
}

static int
compare_endings(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t i = strlen(x), k = strlen(y);

	while (i > 0 && k > 0) {
		unsigned char c = (unsigned char)x[--i], d = (unsigned char)y[--k];
		if (c != d)
			return c < d ? -1 : 1;
	}
	return (i > 0) - (k > 0);
}

void
ctx_short_ids_sort(struct ctx_short_ids *ids)
{
	size_t n = 0;

	if (ids->n == 0)
		return;
	qsort(ids->forward, ids->n, sizeof(*ids->forward), ctx_compare_strings);
	for (size_t i = 0; i < ids->n; i++) { /* several tenants may have the same id */
		if (n > 0 && strcmp(ids->forward[n - 1], ids->forward[i]) == 0)
			free(ids->forward[i]);
		else
			ids->forward[n++] = ids->forward[i];
	}
	ids->n = n;
	ids->backward = ctx_mem_resize(ids->backward, n, sizeof(*ids->backward));
	memcpy(ids->backward, ids->forward, n * sizeof(*ids->backward));
	qsort(ids->backward, n, sizeof(*ids->backward), compare_endings);
}

static bool
ends_with(const char *id, const char *part, size_t n)
{
	size_t len = strlen(id);

	return len >= n && memcmp(id + len - n, part, n) == 0;
}

/* True if part, with which id begins or ends, also begins another id. Ids with the same
 * beginning are adjacent; a binary search finds the first one. */
static bool
begins_another(
    const struct ctx_short_ids *ids, const char *id, const char *part, size_t n)
{
	size_t i;

	CTX_BOUND(i, ids->n, strncmp(ids->forward[i], part, n) < 0);
	for (; i < ids->n && strncmp(ids->forward[i], part, n) == 0; i++)
		if (strcmp(ids->forward[i], id) != 0)
			return true;
	return false;
}

static bool
ends_another(const struct ctx_short_ids *ids, const char *id, const char *part, size_t n)
{
	char *ending = ctx_mem_dup(part, n);
	size_t i;

	CTX_BOUND(i, ids->n, compare_endings(&ids->backward[i], &ending) < 0);
	free(ending);
	for (; i < ids->n && ends_with(ids->backward[i], part, n); i++)
		if (strcmp(ids->backward[i], id) != 0)
			return true;
	return false;
}

static bool
is_unique(const struct ctx_short_ids *ids, const char *id, const char *part, size_t n)
{
	return !begins_another(ids, id, part, n) && !ends_another(ids, id, part, n);
}

static bool
is_uuid(const char *id)
{
	size_t n = strlen(id);

	return n == CTX_ID_UUID && strspn(id, "0123456789abcdef-") == n && id[8] == '-' &&
	       id[13] == '-' && id[18] == '-' && id[23] == '-';
}

/* Returns a unique beginning of a long id, or the name after its last '~': sub-agents and
 * branches have the id of their session, '~', and a name. */
static struct ctx_span
shorten_long_id(const struct ctx_short_ids *ids, const char *id, size_t n)
{
	const char *name = strrchr(id, '~');
	size_t k = LONG_SHORTEST;

	while (k < n && !(ctx_utf8_valid(id, k) == k && is_unique(ids, id, id, k)))
		k++;
	if (k > WHOLE_MAX && name != NULL && strlen(name + 1) >= PART_SHORTEST &&
	    is_unique(ids, id, name + 1, strlen(name + 1)))
		return ctx_span_of(name + 1);
	return (struct ctx_span){id, k};
}

struct ctx_span
ctx_short_id(const struct ctx_short_ids *ids, const char *id)
{
	size_t n = strlen(id);

	if (is_uuid(id)) {
		for (size_t k = SHORTEST; k < n; k++)
			if (is_unique(ids, id, id + n - k, k))
				return (struct ctx_span){id + n - k, k};
	} else if (n > WHOLE_MAX) {
		return shorten_long_id(ids, id, n);
	}
	return ctx_span_of(id);
}

void
ctx_short_ids_release(struct ctx_short_ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		free(ids->forward[i]);
	free(ids->forward);
	free(ids->backward);
	memset(ids, 0, sizeof(*ids));
}
