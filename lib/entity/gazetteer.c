#include "entity/gazetteer.h"

#include <utf8proc.h>

#include "base/hash.h"
#include "words/fold.h"
#include "entity/gazetteer_block.h"

#define RING CTX_GAZETTEER_TOKENS_MAX /* must be a power of two */

uint64_t
ctx_gazetteer_unicode(void)
{
	const char *s = utf8proc_unicode_version();

	return ctx_hash_crc32(s, strlen(s));
}

static int
set_gazetteer_error(struct ctx_err *err, const char *why)
{
	return ctx_err_set(err, CTX_ESTORE, "index of names: %s", why);
}

int
ctx_gazetteer_open(struct ctx_gazetteer *g, const void *p, size_t n, struct ctx_err *err)
{
	uint64_t h[BLOCK_FIELDS], end = sizeof(h);

	if (n < sizeof(h))
		return set_gazetteer_error(err, "too short");
	memcpy(h, p, sizeof(h));
	if (h[BLOCK_MAGIC_FIELD] != BLOCK_MAGIC ||
	    h[BLOCK_UNICODE] != ctx_gazetteer_unicode())
		return set_gazetteer_error(err, "from another version of ctx");
	if (h[BLOCK_HEADER_CRC] != ctx_hash_crc32(h, sizeof(h) - sizeof(h[0])) ||
	    h[BLOCK_SIZE] != n || h[BLOCK_NAMES] >= INT32_MAX ||
	    h[BLOCK_IDS] > INT32_MAX || h[BLOCK_TEXT] > INT32_MAX ||
	    h[BLOCK_FILTER_BITS] < 6 || h[BLOCK_FILTER_BITS] > 40 ||
	    h[BLOCK_FIRST_BITS] > 32 || h[BLOCK_NAME_BITS] > 32)
		return set_gazetteer_error(err, "damaged");
	*g = (struct ctx_gazetteer){.p = p,
	    .n = n,
	    .seed = h[BLOCK_SEED],
	    .names = (uint32_t)h[BLOCK_NAMES],
	    .ids = (uint32_t)h[BLOCK_IDS],
	    .filter_bits = (uint32_t)h[BLOCK_FILTER_BITS],
	    .first_bits = (uint32_t)h[BLOCK_FIRST_BITS],
	    .name_bits = (uint32_t)h[BLOCK_NAME_BITS],
	    .text_n = h[BLOCK_TEXT]};
	g->filter = end;
	g->first = end += UINT64_C(1) << g->filter_bits >> 3;
	g->name = end += UINT64_C(16) << g->first_bits;
	g->entry = end += UINT64_C(8) << g->name_bits;
	g->id = end += UINT64_C(8) * (g->names + UINT64_C(1));
	g->text = end += UINT64_C(8) * g->ids;
	return end + g->text_n == n ? 0 : set_gazetteer_error(err, "damaged");
}

int
ctx_gazetteer_verify(const struct ctx_gazetteer *g, struct ctx_err *err)
{
	size_t header = BLOCK_FIELDS * sizeof(uint64_t);

	if (block_u64(g->p + BLOCK_CRC * sizeof(uint64_t)) !=
	    ctx_hash_crc32(g->p + header, g->n - header))
		return set_gazetteer_error(err, "damaged");
	return 0;
}

/* Returns the set of lengths, in tokens, of the names that begin with this token: bit k
 * for k + 1. */
static uint64_t
lengths_of(const struct ctx_gazetteer *g, uint64_t token)
{
	uint64_t mask = (UINT64_C(1) << g->first_bits) - 1, hash = token ? token : 1;
	uint64_t bit = block_slot(hash, g->filter_bits),
		 at = block_slot(hash, g->first_bits);

	if (((unsigned char)g->p[g->filter + (bit >> 3)] >> (bit & 7) & 1) == 0)
		return 0;
	for (uint64_t i = 0; i <= mask; i++, at = (at + 1) & mask) {
		const char *slot = g->p + g->first + at * 16;
		uint64_t key = block_u64(slot);

		if (key == hash)
			return block_u64(slot + 8);
		if (key == 0)
			break;
	}
	return 0;
}

struct entry {
	struct ctx_span text;
	uint32_t id, ids;
};

/* Returns the entry of name number i, or an empty entry if the block is damaged. */
static struct entry
get_gazetteer_entry(const struct ctx_gazetteer *g, uint32_t i)
{
	struct entry e = {{"", 0}, 0, 0};
	const char *p = g->p + g->entry + (size_t)i * 8;
	uint32_t from, to, id, end;

	if (i >= g->names)
		return e;
	from = block_u32(p), id = block_u32(p + 4);
	to = block_u32(p + 8), end = block_u32(p + 12);
	if (from <= to && to <= g->text_n && id <= end && end <= g->ids)
		e = (struct entry){{g->p + g->text + from, to - from}, id, end - id};
	return e;
}

/* Looks up the name that consists of n tokens from the given first one on. Returns false
 * if there is no such name. The tokens are folded only if a hash matches. */
static bool
look_up_gazetteer_name(const struct ctx_gazetteer *g, uint64_t hash, struct ctx_span text,
    const struct ctx_token *tokens, size_t first, size_t n, struct ctx_buf *folded,
    struct entry *found)
{
	uint64_t mask = (UINT64_C(1) << g->name_bits) - 1,
		 at = block_slot(hash, g->name_bits);
	bool ready = false;

	for (uint64_t i = 0; i <= mask; i++, at = (at + 1) & mask) {
		const char *slot = g->p + g->name + at * 8;
		uint32_t number = block_u32(slot + 4);

		if (number == 0)
			return false;
		if (block_u32(slot) != (uint32_t)hash)
			continue;
		if (!ready) {
			ctx_buf_reset(folded);
			for (size_t k = first; k < first + n; k++)
				ctx_fold_add(text, &tokens[k % RING], folded);
			ready = true;
		}
		*found = get_gazetteer_entry(g, number - 1);
		if (found->text.n > 0 && ctx_span_eq(found->text, ctx_buf_span(folded)))
			return true;
	}
	return false;
}

/* Reads the tokens of a text when they are needed, and keeps the last RING of them. */
struct reader {
	struct ctx_span text;
	struct ctx_token tokens[RING];
	size_t n, at; /* tokens read, bytes read */
	uint64_t seed;
	struct ctx_buf tmp;
};

static bool
read_to(struct reader *r, size_t i)
{
	while (r->n <= i && r->at < r->text.n) {
		r->tokens[r->n % RING] = ctx_fold_token(r->text, r->at, r->seed, &r->tmp);
		r->at = r->tokens[r->n % RING].end;
		r->n++;
	}
	return i < r->n;
}

static uint64_t
id_of(const struct ctx_gazetteer *g, const struct entry *e, uint32_t k)
{
	return block_u64(g->p + g->id + (size_t)(e->id + k) * 8) & BLOCK_ID;
}

static bool
is_capitals(struct ctx_span s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!ctx_is_upper(s.p[i]))
			return false;
	}
	return true;
}

/* True if the name, as written in the text, means entity number k of its entities. */
static bool
is_spelling_of_entity(const struct ctx_gazetteer *g, const struct entry *e, uint32_t k,
    struct ctx_span written)
{
	uint64_t where = block_u64(g->p + g->id + (size_t)(e->id + k) * 8) >> BLOCK_WHERE;

	return where == CTX_MADE_ANYWHERE ||
	       (where == CTX_MADE_CAPITALS && is_capitals(written));
}

static bool
counts_any(const struct ctx_gazetteer *g, const struct entry *e, struct ctx_span written)
{
	for (uint32_t k = 0; k < e->ids; k++) {
		if (is_spelling_of_entity(g, e, k, written))
			return true;
	}
	return false;
}

static struct ctx_span
written_at(const struct reader *r, size_t i, size_t n)
{
	size_t from = r->tokens[i % RING].offset;

	return (struct ctx_span){
	    r->text.p + from, r->tokens[(i + n - 1) % RING].end - from};
}

/* Finds the longest name that begins at token i. Returns its number of tokens, or 0. */
static size_t
match_at(const struct ctx_gazetteer *g, struct reader *r, size_t i, uint64_t lengths,
    struct ctx_buf *folded, struct entry *found)
{
	uint64_t hashes[RING], h = 0;
	size_t n = 0;

	while (lengths >> n != 0 && read_to(r, i + n)) {
		h = block_hash(h, r->tokens[(i + n) % RING].hash);
		hashes[n++] = h;
		if (n == RING)
			break;
	}
	for (; n > 0; n--) {
		if ((lengths >> (n - 1) & 1) != 0 &&
		    look_up_gazetteer_name(
			g, hashes[n - 1], r->text, r->tokens, i, n, folded, found) &&
		    counts_any(g, found, written_at(r, i, n)))
			return n;
	}
	return 0;
}

void
ctx_gazetteer_scan(
    const struct ctx_gazetteer *g, struct ctx_span text, struct ctx_mentions *out)
{
	struct reader r = {.text = text, .seed = g->seed};
	struct ctx_buf folded = CTX_BUF_INIT;
	struct entry e;

	for (size_t i = 0; g->names > 0 && read_to(&r, i);) {
		const struct ctx_token *t = &r.tokens[i % RING];
		uint64_t lengths = t->space ? 0 : lengths_of(g, t->hash);
		struct ctx_span written;
		size_t n = lengths == 0 ? 0 : match_at(g, &r, i, lengths, &folded, &e);

		if (n > 0) {
			written = written_at(&r, i, n);
			for (uint32_t k = 0; k < e.ids; k++)
				if (is_spelling_of_entity(g, &e, k, written))
					ctx_mentions_add(out, CTX_MENTION_NAME, NULL,
					    id_of(g, &e, k), (size_t)(written.p - text.p),
					    written.n, e.text);
		}
		i += n > 0 ? n : 1;
	}
	ctx_buf_release(&r.tmp);
	ctx_buf_release(&folded);
}

size_t
ctx_gazetteer_find(
    const struct ctx_gazetteer *g, struct ctx_span name, uint64_t *ids, size_t max)
{
	struct reader r = {.text = ctx_fold_trim(name), .seed = g->seed};
	struct ctx_buf folded = CTX_BUF_INIT;
	struct entry e = {{NULL, 0}, 0, 0};
	uint64_t h = 0;
	size_t n = 0;

	for (; n < RING && read_to(&r, n); n++)
		h = block_hash(h, r.tokens[n % RING].hash);
	if (n == 0 || r.at < r.text.n || g->names == 0 ||
	    !look_up_gazetteer_name(g, h, r.text, r.tokens, 0, n, &folded, &e))
		e.ids = 0;
	for (uint32_t k = 0; k < e.ids && k < max; k++)
		ids[k] = id_of(g, &e, k);
	ctx_buf_release(&r.tmp);
	ctx_buf_release(&folded);
	return e.ids;
}
