/* Mentions: where a text names an entity. All texts of this layer are well-formed UTF-8;
 * other bytes are taken as symbols and never as part of a word. Offsets and lengths are
 * bytes of the text. */
#ifndef CTX_ENTITY_MENTION_H
#define CTX_ENTITY_MENTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* What found the mention, in order of precedence. */
enum ctx_mention_source {
	CTX_MENTION_NAME,    /* a loaded name or alias */
	CTX_MENTION_PATTERN, /* a pattern of the user */
	CTX_MENTION_BUILTIN,
};

struct ctx_mention {
	enum ctx_mention_source source;
	const char *type;      /* "ip_address", …; NULL for a loaded name, see id */
	uint64_t id;           /* id of a loaded name, else 0 */
	size_t offset, len;    /* the name as written is text[offset .. offset + len) */
	size_t name, name_len; /* position of the normalised name in the list's names */
};

/* Start with CTX_MENTIONS_INIT, end with ctx_mentions_release. */
struct ctx_mentions {
	struct ctx_mention *list;
	size_t n, cap;
	struct ctx_buf names;
};

#define CTX_MENTIONS_INIT                \
	{                                \
		NULL, 0, 0, CTX_BUF_INIT \
	}

void ctx_mentions_release(struct ctx_mentions *m);
void ctx_mentions_reset(struct ctx_mentions *m); /* empty, memory kept */

/* Appends a mention; name is copied. */
void ctx_mentions_add(struct ctx_mentions *m, enum ctx_mention_source source,
    const char *type, uint64_t id, size_t offset, size_t len, struct ctx_span name);

/* Returns the normalised name of m->list[i]; valid until m changes. */
struct ctx_span ctx_mentions_name(const struct ctx_mentions *m, size_t i);

/* Sorts by offset and removes overlaps, from left to right: of two mentions that share
 * bytes the longer one is kept; of equally long ones the source that comes first in the
 * enum, then the leftmost. Two exceptions: one loaded name may stand for several
 * entities, and a loaded name or a pattern's match inside a URL, path or e-mail address
 * is kept beside it, because a link to a thing mentions the thing. */
void ctx_mentions_resolve(struct ctx_mentions *m);

/* Finds the words around text[offset .. offset + len): the widest range [*start, *end)
 * with at most side bytes on either side, without white space at its ends, cut between
 * words if possible, and never inside a grapheme cluster (UAX #29). */
void ctx_mention_context(struct ctx_span text, size_t offset, size_t len, size_t side,
    size_t *start, size_t *end);

#endif
