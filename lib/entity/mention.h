/* Mentions: the places where a text names an entity. Texts are expected to be well-formed
 * UTF-8; other bytes count as symbols and never as part of a word. Offsets and lengths
 * are in bytes. */
#ifndef CTX_ENTITY_MENTION_H
#define CTX_ENTITY_MENTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* How a mention was found. If mentions overlap, an earlier value takes precedence over a
 * later one (see ctx_mentions_resolve). */
enum ctx_mention_source {
	CTX_MENTION_NAME,    /* a loaded name or alias */
	CTX_MENTION_PATTERN, /* a pattern that the user defined */
	CTX_MENTION_BUILTIN,
};

struct ctx_mention {
	enum ctx_mention_source source;
	/* type of the entity, such as "ip_address"; NULL for a loaded name, because the
	 * id below then identifies the entity */
	const char *type;
	/* id of the entity that has the loaded name; 0 if the mention is not a loaded
	 * name */
	uint64_t id;
	/* the place of the mention: the bytes text[offset .. offset + len) */
	size_t offset, len;
	/* the normalized name is bytes [name, name + name_len) of ctx_mentions.names */
	size_t name, name_len;
};

/* A list of mentions. Initialize it with CTX_MENTIONS_INIT and release it with
 * ctx_mentions_release. */
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
/* Empties the list but keeps its memory. */
void ctx_mentions_reset(struct ctx_mentions *m);

/* Appends a mention to the list. name: the normalized name, which is copied. */
void ctx_mentions_add(struct ctx_mentions *m, enum ctx_mention_source source,
    const char *type, uint64_t id, size_t offset, size_t len, struct ctx_span name);

/* Returns the normalized name of m->list[i], valid until m changes. */
struct ctx_span ctx_mentions_name(const struct ctx_mentions *m, size_t i);

/* Sorts the mentions by offset and removes overlaps, from left to right. If two mentions
 * share bytes, the longer one is kept. If both have the same length, the one whose
 * source comes first in enum ctx_mention_source is kept; if both have the same source,
 * the one with the lower offset.
 *
 * There are two exceptions. If several entities have one loaded name, a mention of each
 * of them is kept. A loaded name or a pattern's match inside a URL, path or e-mail
 * address is kept as well as the URL, path or address, because a link to a thing also
 * mentions the thing. */
void ctx_mentions_resolve(struct ctx_mentions *m);

/* Finds the context of the mention text[offset .. offset + len): sets *start and *end so
 * that text[*start .. *end) is the mention with the text around it. side: the maximum
 * number of bytes before the mention, and also the maximum number after it. The context
 * has no white space at its ends. It is cut between words if possible, and never inside a
 * grapheme cluster (UAX #29). */
void ctx_mention_context(struct ctx_span text, size_t offset, size_t len, size_t side,
    size_t *start, size_t *end);

#endif
