#include "tokens/approx.h"

#include "base/compare.h"
#include "tokens/split.h"
#include "tokens/weights.h"

enum ctx_approx_script
ctx_approx_script_of(uint32_t cp)
{
	static const struct {
		uint32_t end; /* first code point after the range */
		unsigned char script;
	} ranges[] = {{0xa0, CTX_SCRIPT_OTHER}, {0xc0, CTX_SCRIPT_PUNCTUATION},
	    {0x250, CTX_SCRIPT_LATIN}, {0x300, CTX_SCRIPT_IPA},
	    {0x370, CTX_SCRIPT_JOINER}, {0x400, CTX_SCRIPT_GREEK},
	    {0x530, CTX_SCRIPT_CYRILLIC}, {0x590, CTX_SCRIPT_ARMENIAN},
	    {0x600, CTX_SCRIPT_HEBREW}, {0x700, CTX_SCRIPT_ARABIC},
	    {0x750, CTX_SCRIPT_OTHER}, {0x780, CTX_SCRIPT_ARABIC},
	    {0x900, CTX_SCRIPT_OTHER}, {0x980, CTX_SCRIPT_DEVANAGARI},
	    {0xa00, CTX_SCRIPT_BENGALI}, {0xa80, CTX_SCRIPT_GURMUKHI},
	    {0xb00, CTX_SCRIPT_GUJARATI}, {0xb80, CTX_SCRIPT_OTHER},
	    {0xc00, CTX_SCRIPT_TAMIL}, {0xc80, CTX_SCRIPT_TELUGU},
	    {0xd00, CTX_SCRIPT_KANNADA}, {0xd80, CTX_SCRIPT_MALAYALAM},
	    {0xe00, CTX_SCRIPT_SINHALA}, {0xe80, CTX_SCRIPT_THAI},
	    {0xf00, CTX_SCRIPT_OTHER}, {0x1000, CTX_SCRIPT_TIBETAN},
	    {0x10a0, CTX_SCRIPT_MYANMAR}, {0x1100, CTX_SCRIPT_GEORGIAN},
	    {0x1200, CTX_SCRIPT_HANGUL}, {0x13a0, CTX_SCRIPT_ETHIOPIC},
	    {0x1780, CTX_SCRIPT_OTHER}, {0x1800, CTX_SCRIPT_KHMER},
	    {0x1e00, CTX_SCRIPT_OTHER}, {0x1ea0, CTX_SCRIPT_LATIN},
	    {0x1f00, CTX_SCRIPT_VIETNAMESE}, {0x2000, CTX_SCRIPT_GREEK},
	    {0x200b, CTX_SCRIPT_PUNCTUATION}, {0x2010, CTX_SCRIPT_JOINER},
	    {0x2100, CTX_SCRIPT_PUNCTUATION}, {0x2600, CTX_SCRIPT_DRAWING},
	    {0x2800, CTX_SCRIPT_PICTURE}, {0x2b00, CTX_SCRIPT_DRAWING},
	    {0x2c00, CTX_SCRIPT_PICTURE}, {0x3000, CTX_SCRIPT_OTHER},
	    {0x3040, CTX_SCRIPT_CJK_PUNCTUATION}, {0x30a0, CTX_SCRIPT_HIRAGANA},
	    {0x3100, CTX_SCRIPT_KATAKANA}, {0x3130, CTX_SCRIPT_OTHER},
	    {0x3190, CTX_SCRIPT_HANGUL}, {0x3400, CTX_SCRIPT_OTHER},
	    {0xa000, CTX_SCRIPT_HAN}, {0xac00, CTX_SCRIPT_OTHER},
	    {0xd800, CTX_SCRIPT_HANGUL}, {0xf900, CTX_SCRIPT_OTHER},
	    {0xfb00, CTX_SCRIPT_HAN}, {0xfb50, CTX_SCRIPT_OTHER},
	    {0xfe00, CTX_SCRIPT_ARABIC}, {0xfe10, CTX_SCRIPT_JOINER},
	    {0xfe70, CTX_SCRIPT_CJK_PUNCTUATION}, {0xff00, CTX_SCRIPT_ARABIC},
	    {0xfff0, CTX_SCRIPT_WIDE_FORM}, {0x10000, CTX_SCRIPT_OTHER},
	    {0x1f000, CTX_SCRIPT_ASTRAL}, {0x1fb00, CTX_SCRIPT_PICTURE},
	    {UINT32_MAX, CTX_SCRIPT_ASTRAL}};
	size_t i;

	if (cp >= 0x3400 && cp < 0xa000)
		return CTX_SCRIPT_HAN;
	CTX_BOUND(i, sizeof(ranges) / sizeof(ranges[0]) - 1, ranges[i].end <= cp);
	return (enum ctx_approx_script)ranges[i].script;
}

static inline void
add_weight(void *sum, unsigned term, unsigned count)
{
	*(int64_t *)sum += (int64_t)ctx_approx_weights[term] * count;
}

int64_t
ctx_approx_text(const char *p, size_t n)
{
	const char *end = p + n;
	int64_t sum = 0;
	unsigned near = 0;
	size_t len;

	for (; p < end; p += len) {
		int64_t piece = 0;
		len = ctx_split_o200k(p, end);
		ctx_approx_piece(p, len, &near, add_weight, &piece);
		/* a piece has at least one token, and at most one for each byte */
		if (piece > (int64_t)len * CTX_APPROX_UNIT)
			piece = (int64_t)len * CTX_APPROX_UNIT;
		sum += piece < CTX_APPROX_UNIT ? CTX_APPROX_UNIT : piece;
	}
	return (sum + CTX_APPROX_UNIT / 2) / CTX_APPROX_UNIT;
}
