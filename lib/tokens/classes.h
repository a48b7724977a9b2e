/* Character classes used by the patterns that split text into pieces. The data is in
 * classes.c, which the build generates from classes.runs. */
#ifndef CTX_TOKENS_CLASSES_H
#define CTX_TOKENS_CLASSES_H

#include <stddef.h>
#include <stdint.h>

enum ctx_class {
	CTX_CLASS_OTHER,
	CTX_CLASS_UPPER, /* Unicode categories Lu and Lt */
	CTX_CLASS_LOWER, /* Unicode category Ll */
	/* Unicode categories Lm and Lo; the patterns that split text treat these letters
	 * both as upper case and as lower case */
	CTX_CLASS_BOTH,
	CTX_CLASS_MARK,    /* Unicode category M (Mn, Mc, Me) */
	CTX_CLASS_NUMBER,  /* Unicode category N (Nd, Nl, No) */
	CTX_CLASS_SPACE,   /* Unicode property White_Space, except \r and \n */
	CTX_CLASS_NEWLINE, /* \r, \n */
};

#define CTX_CLASS_INDEX 7172
#define CTX_CLASS_BLOCK 128

extern const unsigned char ctx_class_index[]; /* CTX_CLASS_INDEX entries */
extern const unsigned char ctx_class_block[][CTX_CLASS_BLOCK];

/* Returns the code point of the character at p, in well-formed UTF-8. Sets *len to the
 * character's length in bytes. */
static inline uint32_t
ctx_class_decode(const unsigned char *p, size_t *len)
{
	if (p[0] < 0x80) {
		*len = 1;
		return p[0];
	}
	if (p[0] < 0xe0) {
		*len = 2;
		return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
	}
	if (p[0] < 0xf0) {
		*len = 3;
		return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 |
		       (p[2] & 0x3f);
	}
	*len = 4;
	return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 |
	       (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
}

static inline enum ctx_class
ctx_class_of(uint32_t cp)
{
	uint32_t i = cp / CTX_CLASS_BLOCK;

	if (i >= CTX_CLASS_INDEX)
		return CTX_CLASS_OTHER;
	return (enum ctx_class)ctx_class_block[ctx_class_index[i]][cp % CTX_CLASS_BLOCK];
}

/* Returns the class of the character at p, in well-formed UTF-8. Sets *len to the
 * character's length in bytes. */
static inline enum ctx_class
ctx_class_at(const unsigned char *p, size_t *len)
{
	if (p[0] < 0x80) {
		*len = 1;
		return (enum ctx_class)ctx_class_block[0][p[0]];
	}
	return ctx_class_of(ctx_class_decode(p, len));
}

#endif
