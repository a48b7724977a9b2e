/* Builds a table from a rank file. */
#include "tokens/table.h"

#include <stdlib.h>

#include "base/base64.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"

/* maximum length in bytes of a token; the longest of o200k_base has 128 */
#define TOKEN_MAX 1024

struct token {
	uint32_t text, len, id; /* text: offset in build.bytes */
};

struct build {
	struct ctx_buf bytes; /* the bytes of all tokens */
	struct token *tokens;
	size_t n, cap;
	struct ctx_table_head head;
	/* the sections; text is bytes.p */
#define DATA(type, name) type *name;
	CTX_TABLE_SECTIONS(DATA)
	/* table of the tokens above, for lookups while building */
	struct ctx_table table;
};

/* ---- reading ---- */

/* Decodes base64 up to a space. Returns the number of bytes read, or 0 if it is
 * malformed. */
static size_t
decode_token_base64(const char *p, size_t n, struct ctx_buf *out)
{
	uint32_t bits = 0;
	size_t i, have = 0;

	for (i = 0; i < n && ctx_base64_value(p[i]) >= 0; i++) {
		bits = bits << 6 | (uint32_t)ctx_base64_value(p[i]);
		if ((have += 6) >= 8)
			ctx_buf_addc(out, (char)(bits >> (have -= 8)));
	}
	while (i < n && p[i] == '=')
		i++;
	return i < n && p[i] == ' ' ? i : 0;
}

static int
read_token(struct build *b, const char *p, size_t n, struct ctx_err *err)
{
	struct token *t;
	size_t before = b->bytes.n, i = decode_token_base64(p, n, &b->bytes),
	       len = b->bytes.n - before;
	uint32_t id = 0;
	size_t digits = 0;

	for (i++; i < n && p[i] >= '0' && p[i] <= '9' && digits < 8; i++, digits++)
		id = id * 10 + (uint32_t)(p[i] - '0');
	if (len == 0 || len > TOKEN_MAX || digits == 0 || i != n ||
	    id >= CTX_TABLE_MAX_ID - 1 || b->bytes.n > UINT32_MAX)
		return ctx_err_set(err, CTX_EINPUT,
		    "line %zu is not a token followed by its rank", b->n + 1);
	CTX_MEM_GROW(b->tokens, b->n, b->cap);
	t = &b->tokens[b->n++];
	*t = (struct token){(uint32_t)before, (uint32_t)len, id};
	if (len > b->head.max_token)
		b->head.max_token = (uint32_t)len;
	if (len == 1)
		b->head.byte[(unsigned char)b->bytes.p[before]] = id;
	return 0;
}

static int
read_ranks(struct build *b, struct ctx_span text, struct ctx_err *err)
{
	struct ctx_span line;

	memset(b->head.byte, 0xff, sizeof(b->head.byte));
	while (ctx_span_split(&text, '\n', &line)) {
		line.n -= line.n > 0 && line.p[line.n - 1] == '\r';
		if (line.n > 0 && read_token(b, line.p, line.n, err) < 0)
			return -1;
	}
	for (int i = 0; i < 256; i++)
		if (b->head.byte[i] == CTX_TABLE_NONE)
			return ctx_err_set(
			    err, CTX_EINPUT, "no token for byte 0x%02x", i);
	return 0;
}

/* ---- tokens ---- */

/* Returns the number of slots for n entries: three of five slots are used. */
static uint64_t
count_table_slots(uint64_t n)
{
	return n * 5 / 3 + 1;
}

static void
make_sections(struct build *b)
{
	struct ctx_table_head *h = &b->head;

	for (size_t i = 0; i < b->n; i++) {
		h->small.n += b->tokens[i].len <= 8;
		h->middle.n += b->tokens[i].len > 8 && b->tokens[i].len <= 16;
		h->large.n += b->tokens[i].len > 16;
	}
	h->small.n = count_table_slots(h->small.n);
	h->middle.n = count_table_slots(h->middle.n);
	h->large.n = count_table_slots(h->large.n);
	h->pairs.n = count_table_slots(b->n);
	h->filter.n = 1 << CTX_TABLE_FILTER_BITS >> 3;
	h->chars.n = CTX_TABLE_CHARS;
	h->text.n = b->bytes.n;
	b->small = ctx_mem_new(h->small.n * sizeof(*b->small));
	b->middle = ctx_mem_new(h->middle.n * sizeof(*b->middle));
	b->large = ctx_mem_new(h->large.n * sizeof(*b->large));
	b->pairs = ctx_mem_new(h->pairs.n * sizeof(*b->pairs));
	b->filter = ctx_mem_new(h->filter.n);
	b->chars = ctx_mem_new(h->chars.n * sizeof(*b->chars));
	b->text = b->bytes.p;
	b->table.head = h;
#define USE(type, name) b->table.name = b->name;
	CTX_TABLE_SECTIONS(USE)
	memset(b->pairs, 0xff, h->pairs.n * sizeof(*b->pairs));
	memset(b->chars, 0xff, h->chars.n * sizeof(*b->chars));
}

static void
note_hash(struct build *b, uint64_t hash)
{
	uint64_t bit = hash >> (64 - CTX_TABLE_FILTER_BITS);

	b->filter[bit >> 3] |= (unsigned char)(1 << (bit & 7));
}

static void
add_small(struct build *b, const struct token *t)
{
	uint64_t key = ctx_table_key(b->bytes.p + t->text, t->len, false),
		 n = b->head.small.n;
	uint64_t i = ctx_table_slot(ctx_table_mix(key), n);

	while (b->small[i].len != 0)
		i = i + 1 < n ? i + 1 : 0;
	b->small[i] = (struct ctx_table_small){key, t->len, t->id};
}

static void
add_middle(struct build *b, const struct token *t)
{
	const char *p = b->bytes.p + t->text;
	uint64_t first = ctx_table_load(p), last = ctx_table_load(p + t->len - 8);
	uint64_t n = b->head.middle.n, hash = ctx_table_hash_middle(first, last);
	uint64_t i = ctx_table_slot(hash, n);

	note_hash(b, hash);
	while (b->middle[i].len != 0)
		i = i + 1 < n ? i + 1 : 0;
	b->middle[i] = (struct ctx_table_middle){{first, last}, t->len, t->id};
}

static void
add_large(struct build *b, const struct token *t)
{
	uint64_t hash = ctx_table_hash_large(b->bytes.p + t->text, t->len);
	uint64_t n = b->head.large.n, i = ctx_table_slot(hash, n);

	note_hash(b, hash);
	while (b->large[i].len != 0)
		i = i + 1 < n ? i + 1 : 0;
	b->large[i] = (struct ctx_table_large){
	    (uint32_t)(hash >> 32), t->text, t->len, t->id};
}

static int
add_table_tokens(struct build *b, struct ctx_err *err)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct token *t = &b->tokens[i];
		if (ctx_table_find(&b->table, b->bytes.p + t->text, t->len, t->len) !=
		    CTX_TABLE_NONE)
			return ctx_err_set(
			    err, CTX_EINPUT, "line %zu repeats a token", i + 1);
		if (t->len <= 8)
			add_small(b, t);
		else if (t->len <= 16)
			add_middle(b, t);
		else
			add_large(b, t);
	}
	return 0;
}

/* ---- pairs ---- Merging by rank always makes a token from the same two parts: as long
 * as nothing is merged across the ends of a stretch of bytes, the order of merges inside
 * does not depend on the bytes outside. So one pair for each token is enough: the last
 * pair when the token's own bytes are merged. */

static uint32_t
find_token_rank(const struct build *b, const char *p, size_t len)
{
	return ctx_table_find(&b->table, p, len, len);
}

/* Returns the length of the left part of that pair, or 0 if merging does not make the
 * token. */
static size_t
last_split(const struct build *b, const char *p, size_t len)
{
	uint32_t ranks[TOKEN_MAX];
	size_t start[TOKEN_MAX + 1], n = len;

	for (size_t i = 0; i <= len; i++)
		start[i] = i;
	for (size_t i = 0; i + 1 < len; i++)
		ranks[i] = find_token_rank(b, p + i, 2);
	while (n > 2) {
		size_t at = 0;
		for (size_t i = 1; i + 1 < n; i++)
			if (ranks[i] < ranks[at])
				at = i;
		if (ranks[at] == CTX_TABLE_NONE)
			return 0;
		memmove(&start[at + 1], &start[at + 2], (n - at - 1) * sizeof(start[0]));
		memmove(&ranks[at], &ranks[at + 1], (n - at - 2) * sizeof(ranks[0]));
		n--;
		if (at + 1 < n)
			ranks[at] = find_token_rank(
			    b, p + start[at], start[at + 2] - start[at]);
		if (at > 0)
			ranks[at - 1] = find_token_rank(
			    b, p + start[at - 1], start[at + 1] - start[at - 1]);
	}
	return start[1];
}

static void
add_pair(struct build *b, uint32_t left, uint32_t right, uint32_t merged)
{
	uint64_t key = (uint64_t)left << 21 | right, n = b->head.pairs.n;
	uint64_t hash = ctx_table_mix(key), i = ctx_table_slot(hash, n);

	note_hash(b, hash);
	while (b->pairs[i] != CTX_TABLE_NO_PAIR)
		i = i + 1 < n ? i + 1 : 0;
	b->pairs[i] = key << 21 | merged;
}

/* Records the borders between characters inside a token that begins or ends within a
 * character. */
static void
note_borders(struct build *b, const char *p, size_t len)
{
	const unsigned char *u = (const unsigned char *)p;

	if (ctx_utf8_valid(p, len) == len)
		return;
	for (size_t i = 1; i < len; i++)
		if ((u[i] & 0xc0) != 0x80) /* not a continuation byte */
			b->head.straddled[u[i - 1] << 5 | u[i] >> 3] |=
			    (unsigned char)(1 << (u[i] & 7));
}

static void
add_pairs(struct build *b)
{
	bool whole = true;

	for (size_t i = 0; i < b->n; i++) {
		const struct token *t = &b->tokens[i];
		const char *p = b->bytes.p + t->text;
		size_t left = t->len > 1 ? last_split(b, p, t->len) : 0;
		uint32_t cp;
		note_borders(b, p, t->len);
		if (left > 0)
			add_pair(b, find_token_rank(b, p, left),
			    find_token_rank(b, p + left, t->len - left), t->id);
		if (ctx_utf8_decode(p, t->len, &cp) != t->len)
			continue;
		whole = whole && (left > 0 || t->len == 1);
		if (cp < CTX_TABLE_CHARS)
			b->chars[cp] = t->id;
	}
	/* a character is a token that merging does not make, so always start from
	 * bytes */
	if (!whole)
		memset(b->head.straddled, 0xff, sizeof(b->head.straddled));
}

/* ---- writing ---- */

static void
place_table_section(struct build *b, struct ctx_table_section *s, size_t slot)
{
	s->offset = b->head.size;
	b->head.size += (s->n * slot + 7) / 8 * 8;
}

static void
append_padded_section(struct ctx_buf *out, const void *p, size_t n)
{
	static const char zeros[8];

	ctx_buf_add(out, p, n);
	ctx_buf_add(out, zeros, (8 - n % 8) % 8);
}

static void
write_table(struct build *b, struct ctx_buf *out)
{
	struct ctx_table_head *h = &b->head;

	h->magic = CTX_TABLE_MAGIC;
	h->size = sizeof(*h);
#define PLACE(type, name) place_table_section(b, &h->name, sizeof(type));
	CTX_TABLE_SECTIONS(PLACE)
	ctx_buf_reserve(out, h->size);
	append_padded_section(out, h, sizeof(*h));
#define APPEND(type, name) append_padded_section(out, b->name, h->name.n * sizeof(type));
	CTX_TABLE_SECTIONS(APPEND)
}

int
ctx_table_build(
    struct ctx_buf *out, struct ctx_span text, enum ctx_split split, struct ctx_err *err)
{
	struct build *b = ctx_mem_new(sizeof(*b));
	char digest[CTX_HASH_HEX + 1];
	int rc = -1;

	if (read_ranks(b, text, err) < 0)
		goto done;
	b->head.split = split;
	ctx_hash_sha256(text.p, text.n, digest);
	memcpy(b->head.source, digest, sizeof(b->head.source));
	make_sections(b);
	if (add_table_tokens(b, err) < 0)
		goto done;
	add_pairs(b);
	write_table(b, out);
	rc = 0;
done:
	ctx_buf_release(&b->bytes);
	free(b->tokens);
	free(b->small);
	free(b->middle);
	free(b->large);
	free(b->pairs);
	free(b->filter);
	free(b->chars);
	free(b);
	return rc;
}
