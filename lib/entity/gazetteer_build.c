#include "entity/gazetteer.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "words/fold.h"
#include "entity/gazetteer_block.h"

#define SEED UINT64_C(0x243f6a8885a308d3)

struct name {
	uint64_t hash, first; /* hash of all tokens, hash of the first token */
	uint32_t text, len;   /* offset and length of its folded text */
	uint32_t tokens, ids; /* numbers of tokens and of ids */
};

struct pair {
	uint32_t name;
	bool made; /* the name is a generated alias */
	enum ctx_made where;
	uint64_t id;
};

struct ctx_gazetteer_builder {
	struct name *names;
	size_t n, cap;
	struct pair *pairs;
	size_t n_pairs, cap_pairs;
	struct ctx_map numbers; /* maps the hash of a name to its number plus one */
	struct ctx_buf text, tmp;
	bool too_much;
};

struct ctx_gazetteer_builder *
ctx_gazetteer_builder_new(void)
{
	return ctx_mem_new(sizeof(struct ctx_gazetteer_builder));
}

void
ctx_gazetteer_builder_free(struct ctx_gazetteer_builder *b)
{
	if (b == NULL)
		return;
	free(b->names);
	free(b->pairs);
	ctx_map_release(&b->numbers);
	ctx_buf_release(&b->text);
	ctx_buf_release(&b->tmp);
	free(b);
}

struct wanted_text {
	const struct ctx_gazetteer_builder *b;
	const struct name *x;
};

static bool
is_wanted_text(const void *arg, size_t value)
{
	const struct wanted_text *w = arg;
	const struct name *y = &w->b->names[value - 1];

	return y->len == w->x->len &&
	       memcmp(w->b->text.p + y->text, w->b->text.p + w->x->text, y->len) == 0;
}

/* Finds or adds the name whose folded text is at the end of b->text. Returns its number,
 * from 0. */
static uint32_t
intern_gazetteer_name(struct ctx_gazetteer_builder *b, const struct name *x)
{
	struct wanted_text w = {b, x};
	size_t *number = ctx_map_at(&b->numbers, x->hash, is_wanted_text, &w);

	if (*number != 0) {
		b->text.n = x->text;
	} else {
		CTX_MEM_GROW(b->names, b->n, b->cap);
		b->names[b->n++] = *x;
		*number = b->n;
	}
	return (uint32_t)*number - 1;
}

static bool
append_gazetteer_name(struct ctx_gazetteer_builder *b, struct ctx_span name, uint64_t id,
    bool made, enum ctx_made where)
{
	struct name x = {0};
	size_t begin = b->text.n;

	if (begin > INT32_MAX / 2 || b->n_pairs >= INT32_MAX) {
		b->too_much = true;
		return false;
	}
	name = ctx_fold_trim(name);
	for (size_t at = 0; at < name.n && x.tokens <= CTX_GAZETTEER_TOKENS_MAX;) {
		struct ctx_token t = ctx_fold_token(name, at, SEED, &b->tmp);

		ctx_fold_add(name, &t, &b->text);
		x.first = x.tokens == 0 ? t.hash : x.first;
		x.hash = block_hash(x.hash, t.hash);
		x.tokens++;
		at = t.end;
	}
	x.text = (uint32_t)begin;
	x.len = (uint32_t)(b->text.n - begin);
	if (x.tokens == 0 || x.tokens > CTX_GAZETTEER_TOKENS_MAX ||
	    x.len > CTX_GAZETTEER_NAME_MAX) {
		b->text.n = begin;
		return false;
	}
	CTX_MEM_GROW(b->pairs, b->n_pairs, b->cap_pairs);
	b->pairs[b->n_pairs].name = intern_gazetteer_name(b, &x);
	b->pairs[b->n_pairs].made = made;
	b->pairs[b->n_pairs].where = where;
	b->pairs[b->n_pairs++].id = id;
	return true;
}

bool
ctx_gazetteer_builder_add(
    struct ctx_gazetteer_builder *b, struct ctx_span name, uint64_t id)
{
	return append_gazetteer_name(b, name, id, false, CTX_MADE_ANYWHERE);
}

bool
ctx_gazetteer_builder_add_made(struct ctx_gazetteer_builder *b, struct ctx_span alias,
    uint64_t id, enum ctx_made where)
{
	return append_gazetteer_name(b, alias, id, true, where);
}

static int
by_name_and_id(const void *pa, const void *pb)
{
	const struct pair *a = pa, *b = pb;

	return a->name != b->name   ? CTX_ORDER(a->name, b->name)
	       : a->made != b->made ? CTX_ORDER(a->made, b->made)
	       : a->id != b->id     ? CTX_ORDER(a->id, b->id)
				    : CTX_ORDER(a->where, b->where);
}

/* Sorts the pairs. Removes duplicates, and generated aliases that are a given name of an
 * entity. Counts the ids of each name. */
static void
sort_pairs(struct ctx_gazetteer_builder *b)
{
	size_t n = 0;

	if (b->n_pairs > 0)
		qsort(b->pairs, b->n_pairs, sizeof(*b->pairs), by_name_and_id);
	for (size_t i = 0; i < b->n; i++)
		b->names[i].ids = 0;
	for (size_t i = 0; i < b->n_pairs; i++) {
		const struct pair *x = &b->pairs[i];
		const struct pair *before = n > 0 ? &b->pairs[n - 1] : NULL;
		if (before != NULL && before->name == x->name &&
		    (before->made != x->made || before->id == x->id))
			continue;
		b->pairs[n++] = b->pairs[i];
		b->names[b->pairs[i].name].ids++;
	}
	b->n_pairs = n;
}

static uint32_t
bits_for(size_t n)
{
	uint32_t bits = 0;

	while ((UINT64_C(1) << bits) < n)
		bits++;
	return bits;
}

/* Writes one name into the filter and into the table of first tokens. */
static void
put_first(
    char *filter, uint32_t filter_bits, char *first, uint32_t bits, const struct name *x)
{
	uint64_t hash = x->first ? x->first : 1, mask = (UINT64_C(1) << bits) - 1;
	uint64_t bit = block_slot(hash, filter_bits), at = block_slot(hash, bits),
		 lengths;

	filter[bit >> 3] = (char)(filter[bit >> 3] | 1 << (bit & 7));
	while (block_u64(first + at * 16) != 0 && block_u64(first + at * 16) != hash)
		at = (at + 1) & mask;
	lengths = block_u64(first + at * 16 + 8) | UINT64_C(1) << (x->tokens - 1);
	memcpy(first + at * 16, &hash, 8);
	memcpy(first + at * 16 + 8, &lengths, 8);
}

static void
put_gazetteer_name_slot(char *table, uint32_t bits, uint64_t hash, uint32_t number)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1, at = block_slot(hash, bits);
	uint32_t part = (uint32_t)hash;

	while (block_u32(table + at * 8 + 4) != 0)
		at = (at + 1) & mask;
	memcpy(table + at * 8, &part, 4);
	memcpy(table + at * 8 + 4, &number, 4);
}

static size_t
count_first(const struct ctx_gazetteer_builder *b)
{
	struct ctx_map seen = {NULL, 0, 0};
	size_t n;

	for (size_t i = 0; i < b->n; i++)
		*ctx_map_at(&seen, b->names[i].first, NULL, NULL) = 1;
	n = seen.n;
	ctx_map_release(&seen);
	return n;
}

/* Fills the tables that follow the header of the block; p is the end of the header. */
static void
put_tables(struct ctx_gazetteer_builder *b, char *p, const uint64_t h[BLOCK_FIELDS])
{
	char *first = p + (UINT64_C(1) << h[BLOCK_FILTER_BITS] >> 3);
	char *name = first + (UINT64_C(16) << h[BLOCK_FIRST_BITS]);
	char *entry = name + (UINT64_C(8) << h[BLOCK_NAME_BITS]);
	char *id = entry + 8 * (b->n + 1);
	uint32_t ids = 0, end = (uint32_t)b->text.n;

	for (size_t i = 0; i < b->n; i++) {
		struct name *x = &b->names[i];
		put_first(p, (uint32_t)h[BLOCK_FILTER_BITS], first,
		    (uint32_t)h[BLOCK_FIRST_BITS], x);
		put_gazetteer_name_slot(
		    name, (uint32_t)h[BLOCK_NAME_BITS], x->hash, (uint32_t)i + 1);
		memcpy(entry + i * 8, &x->text, 4);
		memcpy(entry + i * 8 + 4, &ids, 4);
		ids += x->ids;
	}
	memcpy(entry + b->n * 8, &end, 4);
	memcpy(entry + b->n * 8 + 4, &ids, 4);
	for (size_t i = 0; i < b->n_pairs; i++) {
		uint64_t pair = b->pairs[i].id | (uint64_t)b->pairs[i].where
						     << BLOCK_WHERE;
		memcpy(id + i * 8, &pair, 8);
	}
	if (b->text.n > 0)
		memcpy(id + b->n_pairs * 8, b->text.p, b->text.n);
}

int
ctx_gazetteer_build(
    struct ctx_gazetteer_builder *b, struct ctx_buf *out, struct ctx_err *err)
{
	uint64_t h[BLOCK_FIELDS] = {0};
	size_t header = sizeof(h), firsts = count_first(b);
	char *p;

	if (b->too_much)
		return ctx_err_set(err, CTX_EUSAGE, "too many names");
	sort_pairs(b);
	h[BLOCK_MAGIC_FIELD] = BLOCK_MAGIC;
	h[BLOCK_UNICODE] = ctx_gazetteer_unicode();
	h[BLOCK_SEED] = SEED;
	h[BLOCK_NAMES] = b->n;
	h[BLOCK_IDS] = b->n_pairs;
	h[BLOCK_TEXT] = b->text.n;
	h[BLOCK_FILTER_BITS] = bits_for(firsts * 12) < 6 ? 6 : bits_for(firsts * 12);
	h[BLOCK_FIRST_BITS] = bits_for(firsts + firsts / 2 + 1);
	h[BLOCK_NAME_BITS] = bits_for(b->n + b->n / 2 + 1);
	h[BLOCK_SIZE] = header + (UINT64_C(1) << h[BLOCK_FILTER_BITS] >> 3) +
			(UINT64_C(16) << h[BLOCK_FIRST_BITS]) +
			(UINT64_C(8) << h[BLOCK_NAME_BITS]) + 8 * (b->n + 1) +
			8 * b->n_pairs + b->text.n;
	ctx_buf_reserve(out, h[BLOCK_SIZE]);
	p = out->p + out->n;
	memset(p, 0, h[BLOCK_SIZE]);
	put_tables(b, p + header, h);
	h[BLOCK_CRC] = ctx_hash_crc32(p + header, h[BLOCK_SIZE] - header);
	h[BLOCK_HEADER_CRC] = ctx_hash_crc32(h, sizeof(h) - sizeof(h[0]));
	memcpy(p, h, sizeof(h));
	out->n += h[BLOCK_SIZE];
	out->p[out->n] = '\0';
	return 0;
}
