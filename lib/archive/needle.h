/* Looking for removed texts in bytes: a set of short pieces of them (needles), found by a
 * rolling hash wherever they stand. */
#ifndef CTX_ARCHIVE_NEEDLE_H
#define CTX_ARCHIVE_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CTX_NEEDLE_BYTES 32 /* of one piece; shorter texts can't be told from others */

enum {
	CTX_NEEDLE_FOUND = 1,  /* it stands where it should not */
	CTX_NEEDLE_SHARED = 2, /* a text that stays has it too */
};

struct ctx_needles;
struct ctx_needles *ctx_needles_new(void);
void ctx_needles_free(struct ctx_needles *n);

/* Add pieces of a text: behind the usual beginning of a message, then one every KiB, and
 * its end. Memory is bounded: of very many pieces a part, chosen by their hashes, stays. */
void ctx_needles_add(struct ctx_needles *n, struct ctx_span text);

/* The same of bytes that are no text of its own; they do not count as one. */
void ctx_needles_add_bytes(struct ctx_needles *n, struct ctx_span bytes);

/* Bytes that come in pieces. Start zero-filled. */
struct ctx_needle_scan {
	uint64_t hash;
	size_t at, filled;
	unsigned char last[CTX_NEEDLE_BYTES];
};
/* Flag the needles that end in these bytes. Returns whether there are any. */
bool ctx_needles_feed(struct ctx_needles *n, struct ctx_needle_scan *scan, const void *p,
    size_t size, int flag);
void ctx_needles_unflag(struct ctx_needles *n, int flag);

struct ctx_needle_counts {
	int64_t texts, too_short; /* that were added */
	int64_t needles;
	int64_t shared;    /* found, and in a text that stays */
	int64_t survivors; /* found, and in no text that stays */
};
/* survivors alone, at once. */
int64_t ctx_needles_survivors(const struct ctx_needles *n);
void ctx_needles_count(const struct ctx_needles *n, struct ctx_needle_counts *counts);

#endif
