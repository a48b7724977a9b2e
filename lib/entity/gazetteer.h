/* Finds loaded names and aliases in a text. The text is read only once, however many
 * names there are.
 *
 * A name is found where the folded text (words/fold.h) equals the folded name, if the
 * match begins and ends between tokens: "core" is found in "the Core-1", but not in
 * "score". If several names begin at the same place, only the longest one is found, and
 * the search continues after this name.
 *
 * The names are stored in a block: a sequence of bytes without pointers. The caller
 * builds a block once and stores it. The block is then used in place: opening it reads
 * only its first bytes. A block is a cache for the machine that built it. A block with
 * another byte order, another version of the format, or another version of the Unicode
 * tables is refused and must be built again. */
#ifndef CTX_ENTITY_GAZETTEER_H
#define CTX_ENTITY_GAZETTEER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "entity/mention.h"

#define CTX_GAZETTEER_NAME_MAX 512 /* length of the longest folded name in bytes */
#define CTX_GAZETTEER_TOKENS_MAX 64

/* ---- build ---- */

struct ctx_gazetteer_builder;

struct ctx_gazetteer_builder *ctx_gazetteer_builder_new(void);
void ctx_gazetteer_builder_free(struct ctx_gazetteer_builder *b);

/* Adds a copy of a name of the entity with this id. The id must be below 2^62. Several
 * entities may have the same name. Returns false if the name cannot be searched for,
 * because it is only white space or exceeds the limits above. */
bool ctx_gazetteer_builder_add(
    struct ctx_gazetteer_builder *b, struct ctx_span name, uint64_t id);

/* Says where in a text a generated alias is found. The function ctx_gazetteer_find, which
 * looks up a single name, ignores this: it finds an entity by any generated alias. */
enum ctx_made {
	CTX_MADE_ANYWHERE,
	/* The alias is found only where the text has it in ASCII capitals. */
	CTX_MADE_CAPITALS,
	/* The alias is not found in texts, but only by ctx_gazetteer_find. */
	CTX_MADE_WHOLE,
};

/* Adds a generated alias of the entity with this id. where: the places where the alias is
 * found. The alias is ignored if ctx_gazetteer_builder_add adds the same text as a
 * name. */
bool ctx_gazetteer_builder_add_made(struct ctx_gazetteer_builder *b,
    struct ctx_span alias, uint64_t id, enum ctx_made where);

/* Appends the finished block to out. The same names in the same order give the same
 * bytes. Returns -1 with CTX_EUSAGE if the names exceed 1 GiB. */
int ctx_gazetteer_build(
    struct ctx_gazetteer_builder *b, struct ctx_buf *out, struct ctx_err *err);

/* ---- use ---- */

/* An opened block. The struct borrows the caller's bytes, can be copied, and need not be
 * released. */
struct ctx_gazetteer {
	const char *p;
	size_t n;
	uint64_t seed;
	/* names: number of distinct folded names; ids: number of (name, id) pairs */
	uint32_t names, ids;
	/* base-2 logarithms of the sizes of the tables "filter" (in bits), "first" and
	 * "name" (in slots) */
	uint32_t filter_bits, first_bits, name_bits;
	/* offsets of the tables in the block */
	size_t filter, first, name, entry, id, text;
	size_t text_n;
};

/* Opens the block of n bytes at p; p need not be aligned. Returns -1 with CTX_ESTORE if
 * this program cannot use the block. A damaged block may give wrong results, but is
 * never read outside its bounds. */
int ctx_gazetteer_open(
    struct ctx_gazetteer *g, const void *p, size_t n, struct ctx_err *err);

/* Checks the whole block against its checksum. Returns -1 with CTX_ESTORE if the block is
 * damaged. */
int ctx_gazetteer_verify(const struct ctx_gazetteer *g, struct ctx_err *err);

/* Finds names in the text and appends the mentions to out, in the order of the text. For
 * each place where a name is found, appends one mention (source CTX_MENTION_NAME, with
 * the folded name) for each entity that has this name. */
void ctx_gazetteer_scan(
    const struct ctx_gazetteer *g, struct ctx_span text, struct ctx_mentions *out);

/* Finds the entities that have exactly this name (after folding). ids: receives the ids
 * of these entities in ascending order, but at most max ids. Returns the number of
 * entities with this name, which may be greater than max. */
size_t ctx_gazetteer_find(
    const struct ctx_gazetteer *g, struct ctx_span name, uint64_t *ids, size_t max);

#endif
