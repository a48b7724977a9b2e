/* Searches bytes for removed texts. Each text is represented by short pieces of it,
 * called needles, which a rolling hash finds at any position. */
#ifndef CTX_ARCHIVE_NEEDLE_H
#define CTX_ARCHIVE_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* length of a needle in bytes; shorter texts cannot be searched for */
#define CTX_NEEDLE_BYTES 32

enum {
	/* the needle was found in bytes where no removed text should be */
	CTX_NEEDLE_FOUND = 1,
	CTX_NEEDLE_SHARED = 2, /* a text that was not removed contains the needle too */
};

struct ctx_needles;
struct ctx_needles *ctx_needles_new(void);
void ctx_needles_free(struct ctx_needles *n);

/* Adds needles of a text: one for each KiB, and the last 32 bytes. The first needle
 * starts at byte 26, because many messages begin alike. Memory is bounded: if there are
 * too many needles, only some of them, selected by hash, are searched for. needles is a
 * struct ctx_needles; its type is void, so that this function can be passed to the
 * store's functions that read texts. */
void ctx_needles_add(void *needles, struct ctx_span text);

/* Like ctx_needles_add, but for bytes that are not the text of a message. These bytes do
 * not increase the counters "texts" and "too_short" of struct ctx_needle_counts. */
void ctx_needles_add_bytes(void *needles, struct ctx_span bytes);

/* The state of a scan. The bytes are passed in several calls of ctx_needles_feed.
 * Zero-fill it before the scan. */
struct ctx_needle_scan {
	uint64_t hash;
	size_t at, filled;
	unsigned char last[CTX_NEEDLE_BYTES];
};
/* Scans the next size bytes at p. Each needle that ends in these bytes gets the flag
 * (CTX_NEEDLE_*). Returns true if a needle was found. */
bool ctx_needles_feed(struct ctx_needles *n, struct ctx_needle_scan *scan, const void *p,
    size_t size, int flag);
/* Removes this flag from all needles. */
void ctx_needles_unflag(struct ctx_needles *n, int flag);

struct ctx_needle_counts {
	/* texts: number of texts added with ctx_needles_add; too_short: number of these
	 * texts that are shorter than a needle */
	int64_t texts, too_short;
	int64_t needles;
	/* number of needles that were found, but that a remaining text contains too */
	int64_t shared;
	/* number of needles that were found, and that no remaining text contains */
	int64_t survivors;
};
/* Returns the number that ctx_needles_count stores in survivors, without counting
 * again. */
int64_t ctx_needles_survivors(const struct ctx_needles *n);
void ctx_needles_count(const struct ctx_needles *n, struct ctx_needle_counts *counts);

#endif
