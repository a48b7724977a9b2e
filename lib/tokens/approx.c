#include "tokens/approx.h"

#include <stdbool.h>

#include "base/utf8.h"

enum class {
	LOWER,
	UPPER,
	DIGIT,
	SPACE,
	NEWLINE,
	TAB,
	PUNCT,
	LATIN,
	TWO_BYTE,
	KANA,
	HANGUL,
	HAN,
	THREE_BYTE,
	ASTRAL,
	N_CLASSES
};

/* Thousandths of a token per character, fitted against o200k_base. */
static const int weight[N_CLASSES] = {
    63, 260, 715, 131, 802, 339, 509, 780, 276, 779, 699, 819, 748, 1736};
#define WORD_START_WEIGHT 652

static enum class class_of(uint32_t c) {
	if (c < 0x80) return c >= 'a' && c <= 'z' ? LOWER
	: c >= 'A' && c <= 'Z'			  ? UPPER
	: c >= '0' && c <= '9'			  ? DIGIT
	: c == ' '				  ? SPACE
	: c == '\n'				  ? NEWLINE
	: c == '\t'				  ? TAB
						  : PUNCT;
	if (c < 0x800) return c < 0x250 ? LATIN : TWO_BYTE;
	if (c >= 0x10000) return ASTRAL;
	if (c >= 0x3040 && c < 0x3100) return KANA;
	if (c >= 0xac00 && c < 0xd7b0) return HANGUL;
	if (c >= 0x3400 && c < 0xa000) return HAN;
	return THREE_BYTE;
}

int64_t
ctx_approx_text(const char *p, size_t n)
{
	int64_t sum = 0;
	enum class prev = SPACE;

	for (size_t i = 0; i < n;) {
		uint32_t cp;
		size_t len = ctx_utf8_decode(p + i, n - i, &cp);
		enum class c = len == 0 ? PUNCT : class_of(cp);
		bool letter = c <= UPPER || c == LATIN;
		bool inside = prev <= UPPER || prev == LATIN;
		sum += weight[c] + (letter && !inside ? WORD_START_WEIGHT : 0);
		prev = c;
		i += len == 0 ? 1 : len;
	}
	return n == 0 ? 0 : sum < 1000 ? 1 : (sum + 500) / 1000;
}
