/* Searches bytes for removed texts. A text is represented by short pieces of it
 * (needles), which a rolling hash finds at any position. */
#ifndef CTX_ARCHIVE_NEEDLE_H
#define CTX_ARCHIVE_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CTX_NEEDLE_BYTES 32 /* length of a needle; shorter texts cannot be searched for */

enum {
	CTX_NEEDLE_FOUND = 1,  /* found in a place that should not hold it */
	CTX_NEEDLE_SHARED = 2, /* a remaining text contains it too */
};

struct ctx_needles;
struct ctx_needles *ctx_needles_new(void);
void ctx_needles_free(struct ctx_needles *n);

/* Adds needles of a text: one after the usual beginning of a message, then one per
 * KiB, and its end. Memory is bounded: of very many needles a part, selected by hash,
 * is kept. */
void ctx_needles_add(struct ctx_needles *n, struct ctx_span text);

/* The same for bytes that are not a message text. They are not counted in texts and
 * too_short. */
void ctx_needles_add_bytes(struct ctx_needles *n, struct ctx_span bytes);

/* The state of a scan over bytes that arrive in pieces. Start zero-filled. */
struct ctx_needle_scan {
	uint64_t hash;
	size_t at, filled;
	unsigned char last[CTX_NEEDLE_BYTES];
};
/* Sets flag on the needles that end within these bytes. Returns whether there are any. */
bool ctx_needles_feed(struct ctx_needles *n, struct ctx_needle_scan *scan, const void *p,
    size_t size, int flag);
void ctx_needles_unflag(struct ctx_needles *n, int flag);

struct ctx_needle_counts {
	int64_t texts, too_short; /* texts added with ctx_needles_add */
	int64_t needles;
	int64_t shared;    /* found, and contained in a remaining text */
	int64_t survivors; /* found, and not contained in any remaining text */
};
/* The number of survivors, without counting them. */
int64_t ctx_needles_survivors(const struct ctx_needles *n);
void ctx_needles_count(const struct ctx_needles *n, struct ctx_needle_counts *counts);

#endif
