/* Loaded names and aliases, found in a text in one pass however many there are.
 *
 * A name is found where the folded text (words/fold.h) equals the folded name and the
 * match begins and ends between tokens, so that "core" is in "the Core-1" but not in
 * "score". Of names that begin at the same place the longest wins; the search goes on
 * behind it.
 *
 * The names lie in one block of bytes without pointers, built once, kept by the caller
 * and used in place: opening it looks at its first bytes only. It is a cache for the
 * machine that built it: another byte order, another version of the format or another
 * version of the Unicode tables is refused, and the block has to be built again. */
#ifndef CTX_ENTITY_GAZETTEER_H
#define CTX_ENTITY_GAZETTEER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "entity/mention.h"

#define CTX_GAZETTEER_NAME_MAX 512 /* longest folded name in bytes */
#define CTX_GAZETTEER_TOKENS_MAX 64

/* ---- build ---- */

struct ctx_gazetteer_builder;

struct ctx_gazetteer_builder *ctx_gazetteer_builder_new(void);
void ctx_gazetteer_builder_free(struct ctx_gazetteer_builder *b);

/* Adds a name (copied) for entity id (below 2^62); a name may stand for several entities.
 * Returns false when the name cannot be searched for: only white space, or longer than
 * the limits above. */
bool ctx_gazetteer_builder_add(
    struct ctx_gazetteer_builder *b, struct ctx_span name, uint64_t id);

/* Where a generated alias is searched for. ctx_gazetteer_find finds all of them. */
enum ctx_made {
	CTX_MADE_ANYWHERE,
	CTX_MADE_CAPITALS, /* only where all of it is in ASCII capitals */
	CTX_MADE_WHOLE,    /* in no text */
};

/* Adds a generated alias. Entities that have it as a given name take precedence. */
bool ctx_gazetteer_builder_add_made(struct ctx_gazetteer_builder *b,
    struct ctx_span alias, uint64_t id, enum ctx_made where);

/* Appends the finished block to out. The same names in the same order give the same
 * bytes. CTX_EUSAGE when there is more than 1 GiB of names. */
int ctx_gazetteer_build(
    struct ctx_gazetteer_builder *b, struct ctx_buf *out, struct ctx_err *err);

/* ---- use ---- */

/* An opened block, borrowed; it can be copied and need not be released. */
struct ctx_gazetteer {
	const char *p;
	size_t n;
	uint64_t seed;
	/* number of distinct folded names, and of (name, id) pairs */
	uint32_t names, ids;
	uint32_t filter_bits, first_bits, name_bits; /* log2 of table sizes */
	size_t filter, first, name, entry, id, text; /* offsets */
	size_t text_n;
};

/* Opens the block of n bytes at p, at any alignment. CTX_ESTORE when this program cannot
 * use it. Reading a damaged block gives undefined results but stays within its bounds. */
int ctx_gazetteer_open(
    struct ctx_gazetteer *g, const void *p, size_t n, struct ctx_err *err);

/* Compares all of it with its checksum. CTX_ESTORE when it is damaged. */
int ctx_gazetteer_verify(const struct ctx_gazetteer *g, struct ctx_err *err);

/* Appends a mention (source CTX_MENTION_NAME, folded name) for each name in the text and
 * each entity with that name, in order. */
void ctx_gazetteer_scan(
    const struct ctx_gazetteer *g, struct ctx_span text, struct ctx_mentions *out);

/* Finds the entities with exactly that name: copies at most max ids, ascending, and
 * returns how many there are. */
size_t ctx_gazetteer_find(
    const struct ctx_gazetteer *g, struct ctx_span name, uint64_t *ids, size_t max);

#endif
