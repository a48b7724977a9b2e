/* Private to lib/words: sets of Unicode general categories, with a bit for each
 * category. */
#ifndef CTX_WORDS_CATEGORY_H
#define CTX_WORDS_CATEGORY_H

#include <stdint.h>
#include <utf8proc.h>

#define CTX_CATEGORY(name) (UINT32_C(1) << UTF8PROC_CATEGORY_##name)
#define CTX_CATEGORIES_LETTER                                                        \
	(CTX_CATEGORY(LU) | CTX_CATEGORY(LL) | CTX_CATEGORY(LT) | CTX_CATEGORY(LM) | \
	    CTX_CATEGORY(LO))
#define CTX_CATEGORIES_MARK (CTX_CATEGORY(MN) | CTX_CATEGORY(MC) | CTX_CATEGORY(ME))
#define CTX_CATEGORIES_NUMBER (CTX_CATEGORY(ND) | CTX_CATEGORY(NL) | CTX_CATEGORY(NO))
#define CTX_CATEGORIES_SPACE (CTX_CATEGORY(ZS) | CTX_CATEGORY(ZL) | CTX_CATEGORY(ZP))

#endif
