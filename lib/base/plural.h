/* Plural forms in messages for people. */
#ifndef CTX_BASE_PLURAL_H
#define CTX_BASE_PLURAL_H

/* The plural ending of a regular English noun after the number n: "s", or "" if n is
 * 1. */
#define CTX_PLURAL(n) ((n) == 1 ? "" : "s")
/* The singular form (one) or the plural form (many) for the number n, as in
 * CTX_PLURAL_OF(n, "is", "are"). */
#define CTX_PLURAL_OF(n, one, many) ((n) == 1 ? (one) : (many))

#endif
