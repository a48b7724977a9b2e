#include "tokens/table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

static const void *
find_table_section(
    const struct ctx_table_head *h, const struct ctx_table_section *s, size_t slot)
{
	if (s->offset % 8 != 0 || s->offset < sizeof(*h) || s->offset > h->size ||
	    s->n > (h->size - s->offset) / slot || s->n > UINT32_MAX)
		return NULL;
	return (const char *)h + s->offset;
}

/* Checks the size bytes at p and uses them as a table. Returns false if they are not a
 * table. */
static bool
use_table_data(struct ctx_table *t, const void *p, size_t size)
{
	const struct ctx_table_head *h = p;

	if (size < sizeof(*h) || h->magic != CTX_TABLE_MAGIC || h->size != size ||
	    h->split > CTX_SPLIT_O200K)
		return false;
	t->head = h;
#define FIND(type, name)                                         \
	t->name = find_table_section(h, &h->name, sizeof(type)); \
	if (t->name == NULL)                                     \
		return false;
	CTX_TABLE_SECTIONS(FIND)
	return h->filter.n == 1 << CTX_TABLE_FILTER_BITS >> 3 &&
	       h->chars.n == CTX_TABLE_CHARS;
}

int
ctx_table_map(struct ctx_table *t, const char *path, struct ctx_err *err)
{
	struct stat st;
	void *p = MAP_FAILED;
	int fd = ctx_io_open_found(path), saved;

	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	saved = errno;
	close(fd);
	if (p == MAP_FAILED)
		return ctx_err_sys(err, CTX_EIO, saved, "cannot map '%s'", path);
	t->mapped = (size_t)st.st_size;
	if (use_table_data(t, p, t->mapped))
		return 0;
	munmap(p, t->mapped);
	*t = (struct ctx_table)CTX_TABLE_INIT;
	return ctx_err_set(err, CTX_EIO,
	    "'%s' is not a tokenizer table for this version and machine", path);
}

int
ctx_table_adopt(struct ctx_table *t, char *p, size_t n, struct ctx_err *err)
{
	if (use_table_data(t, p, n))
		return 0;
	*t = (struct ctx_table)CTX_TABLE_INIT;
	free(p);
	return ctx_err_set(err, CTX_EINPUT, "no tokenizer table");
}

void
ctx_table_release(struct ctx_table *t)
{
	void *p = (void *)t->head;

	if (t->mapped > 0)
		munmap(p, t->mapped);
	else
		free(p);
	*t = (struct ctx_table)CTX_TABLE_INIT;
}

uint64_t
ctx_table_hash_large(const char *p, size_t len)
{
	uint64_t h = len, w;

	for (; len >= 8; p += 8, len -= 8)
		h = ctx_table_mix(h ^ ctx_table_load(p)) + 1;
	/* len is at least 16, so this reads the token's last bytes, not bytes after it */
	w = ctx_table_load(p + len - 8);
	return ctx_table_mix(h ^ w);
}

static uint32_t
find_middle(const struct ctx_table *t, const char *p, size_t len)
{
	uint64_t a = ctx_table_load(p), b = ctx_table_load(p + len - 8);
	uint64_t n = t->head->middle.n, hash = ctx_table_hash_middle(a, b);
	uint64_t i = ctx_table_slot(hash, n);

	if (!ctx_table_may_have(t, hash))
		return CTX_TABLE_NONE;
	for (uint64_t tries = 0; tries < n; tries++) {
		const struct ctx_table_middle *s = &t->middle[i];
		if (s->key[0] == a && s->key[1] == b && s->len == len)
			return s->id;
		if (s->len == 0)
			break;
		i = i + 1 == n ? 0 : i + 1;
	}
	return CTX_TABLE_NONE;
}

uint32_t
ctx_table_find_long(const struct ctx_table *t, const char *p, size_t len)
{
	uint64_t hash, n = t->head->large.n, i;

	if (len <= 16)
		return find_middle(t, p, len);
	if (len > t->head->max_token)
		return CTX_TABLE_NONE;
	hash = ctx_table_hash_large(p, len);
	if (!ctx_table_may_have(t, hash))
		return CTX_TABLE_NONE;
	i = ctx_table_slot(hash, n);
	for (uint64_t tries = 0; tries < n; tries++) {
		const struct ctx_table_large *s = &t->large[i];
		if (s->len == 0)
			break;
		if (s->hash == (uint32_t)(hash >> 32) && s->len == len &&
		    s->text + (uint64_t)len <= t->head->text.n &&
		    memcmp(t->text + s->text, p, len) == 0)
			return s->id;
		i = i + 1 == n ? 0 : i + 1;
	}
	return CTX_TABLE_NONE;
}
