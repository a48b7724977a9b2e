/* Searches bytes for texts that were removed. Short pieces of each text, called needles,
 * are searched for with a rolling hash. */
#ifndef CTX_ARCHIVE_NEEDLE_H
#define CTX_ARCHIVE_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* length of a needle in bytes; texts that are shorter cannot be searched for */
#define CTX_NEEDLE_BYTES 32

enum {
	/* flag of a needle: the needle was found in bytes that should not contain removed
	 * texts */
	CTX_NEEDLE_FOUND = 1,
	/* flag of a needle: a text that was not removed contains the needle too */
	CTX_NEEDLE_SHARED = 2,
};

struct ctx_needles;
struct ctx_needles *ctx_needles_new(void);
void ctx_needles_free(struct ctx_needles *n);

/* Adds needles of a text: 32 bytes of each KiB, and the last 32 bytes. The first needle
 * begins at byte 26, because many messages begin with the same bytes. If there are too
 * many needles, a subset is kept, so that memory is bounded. needles points to a struct
 * ctx_needles; its type is void * because functions of the store take this function as a
 * callback. */
void ctx_needles_add(void *needles, struct ctx_span text);

/* Like ctx_needles_add, but for bytes that are not the text of a message. The members
 * "texts" and "too_short" of struct ctx_needle_counts do not count these bytes. */
void ctx_needles_add_bytes(void *needles, struct ctx_span bytes);

/* The state of a scan. The bytes are passed in several calls of ctx_needles_feed.
 * Zero-fill the struct before the scan. */
struct ctx_needle_scan {
	uint64_t hash;
	size_t at, filled;
	unsigned char last[CTX_NEEDLE_BYTES];
};
/* Searches the next bytes of the scan: size bytes at p. Sets a flag on each needle that
 * ends in these bytes. flag: CTX_NEEDLE_FOUND, CTX_NEEDLE_SHARED or 0. Returns true if a
 * needle was found. */
bool ctx_needles_feed(struct ctx_needles *n, struct ctx_needle_scan *scan, const void *p,
    size_t size, int flag);
/* Removes the flag (CTX_NEEDLE_*) from all needles. */
void ctx_needles_unflag(struct ctx_needles *n, int flag);

struct ctx_needle_counts {
	/* texts: how many texts were added with ctx_needles_add; too_short: how many of
	 * these texts are shorter than a needle */
	int64_t texts, too_short;
	int64_t needles;
	/* number of needles that were found, and also occur in a text that was not
	 * removed */
	int64_t shared;
	/* number of needles that were found, and occur only in removed texts */
	int64_t survivors;
};
/* Returns the number of survivors (see struct ctx_needle_counts), faster than
 * ctx_needles_count. */
int64_t ctx_needles_survivors(const struct ctx_needles *n);
void ctx_needles_count(const struct ctx_needles *n, struct ctx_needle_counts *counts);

#endif
