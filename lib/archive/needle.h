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
	CTX_NEEDLE_FOUND = 1,  /* found where no removed text should be */
	CTX_NEEDLE_SHARED = 2, /* a text that was not removed contains it too */
};

struct ctx_needles;
struct ctx_needles *ctx_needles_new(void);
void ctx_needles_free(struct ctx_needles *n);

/* Adds needles of a text: from byte 26 on, after the usual beginning of a message, one
 * per KiB, and the last 32 bytes. Memory is bounded: if there are too many needles, only
 * a part of them, selected by hash, is kept. */
void ctx_needles_add(struct ctx_needles *n, struct ctx_span text);

/* As ctx_needles_add, for bytes that are not the text of a message. The counts texts and
 * too_short do not include them. */
void ctx_needles_add_bytes(struct ctx_needles *n, struct ctx_span bytes);

/* The state of a scan over bytes that are passed in pieces. Zero-fill it before the
 * scan. */
struct ctx_needle_scan {
	uint64_t hash;
	size_t at, filled;
	unsigned char last[CTX_NEEDLE_BYTES];
};
/* Scans the next bytes and sets flag on each needle that ends within them. Returns true
 * if there was any. */
bool ctx_needles_feed(struct ctx_needles *n, struct ctx_needle_scan *scan, const void *p,
    size_t size, int flag);
void ctx_needles_unflag(struct ctx_needles *n, int flag);

struct ctx_needle_counts {
	/* texts added with ctx_needles_add, and those of them that are too short for a
	 * needle */
	int64_t texts, too_short;
	int64_t needles;
	int64_t shared;    /* needles found, and contained in a remaining text */
	int64_t survivors; /* needles found, and not contained in any remaining text */
};
/* Returns the number of survivors, as ctx_needles_count computes it, at no cost. */
int64_t ctx_needles_survivors(const struct ctx_needles *n);
void ctx_needles_count(const struct ctx_needles *n, struct ctx_needle_counts *counts);

#endif
