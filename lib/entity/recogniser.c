#include "entity/recogniser.h"

#include <string.h>

#define DG (CHAR_DIGIT | CHAR_HEX)
#define LH (CHAR_LOWER | CHAR_HEX)
#define UH (CHAR_UPPER | CHAR_HEX)
#define LO CHAR_LOWER
#define UP CHAR_UPPER
#define DT CHAR_DOT
#define CL CHAR_COLON
#define SL CHAR_SLASH
#define AT CHAR_AT
#define DS CHAR_DASH
#define US CHAR_LINE
#define OT CHAR_OTHER
#define XX CHAR_HIGH

/* clang-format off */
const uint16_t ctx_recognise_class[256] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, OT, 0, 0, 0, 0, 0, OT, 0, DS, DT, SL,
	DG, DG, DG, DG, DG, DG, DG, DG, DG, DG, CL, 0, 0, 0, 0, 0,
	AT, UH, UH, UH, UH, UH, UH, UP, UP, UP, UP, UP, UP, UP, UP, UP,
	UP, UP, UP, UP, UP, UP, UP, UP, UP, UP, UP, 0, 0, 0, 0, US,
	0, LH, LH, LH, LH, LH, LH, LO, LO, LO, LO, LO, LO, LO, LO, LO,
	LO, LO, LO, LO, LO, LO, LO, LO, LO, LO, LO, 0, 0, 0, OT, 0,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	0, 0, 0, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX, XX,
	XX, XX, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
/* clang-format on */

size_t
ctx_recognise_number(
    struct ctx_span text, size_t at, unsigned max_digits, bool zeros, uint32_t *v)
{
	uint64_t value = 0;
	size_t i = at;

	while (class_at(text, i) & CHAR_DIGIT && i - at <= max_digits)
		value = value * 10 + (uint64_t)(text.p[i++] - '0');
	if (i == at || i - at > max_digits || value > UINT32_MAX ||
	    (!zeros && i - at > 1 && text.p[at] == '0'))
		return at;
	*v = (uint32_t)value;
	return i;
}

size_t
ctx_recognise_word_before(
    struct ctx_span text, size_t at, char out[RECOGNISE_WORD_MAX + 1])
{
	size_t end, low = at > 8 ? at - 8 : 0;
	bool mark = false;

	out[0] = '\0';
	while (at > low) {
		char c = text.p[at - 1];
		bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';

		if (!blank && (mark || strchr(":=#(\"'`[", c) == NULL))
			break;
		mark = mark || !blank;
		at--;
	}
	end = at;
	while (class_before(text, at) & CHAR_ALPHA && end - at <= RECOGNISE_WORD_MAX)
		at--;
	if (end - at > RECOGNISE_WORD_MAX)
		return end;
	for (size_t i = at; i < end; i++)
		out[i - at] = (char)(text.p[i] | 32);
	out[end - at] = '\0';
	return at;
}

size_t
ctx_recognise_word(struct ctx_span text, size_t at, char out[RECOGNISE_WORD_MAX + 1])
{
	size_t i = at;

	while (i - at <= RECOGNISE_WORD_MAX && class_at(text, i) & CHAR_ALPHA)
		i++;
	out[0] = '\0';
	if (i - at > RECOGNISE_WORD_MAX)
		return i;
	for (size_t k = at; k < i; k++)
		out[k - at] = (char)(text.p[k] | 32);
	out[i - at] = '\0';
	return i;
}

bool
ctx_recognise_in(const char *word, const char *list)
{
	size_t n = strlen(word);

	for (const char *p = list; n > 0 && (p = strstr(p, word)) != NULL; p++) {
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	}
	return false;
}

bool
ctx_recognise_after(struct ctx_span text, size_t at, const char *list)
{
	char word[RECOGNISE_WORD_MAX + 1];

	ctx_recognise_word_before(text, at, word);
	return ctx_recognise_in(word, list);
}

void
ctx_recognise_lower(struct ctx_span text, size_t at, size_t end, struct ctx_buf *out)
{
	for (; at < end; at++) {
		char c = text.p[at];
		ctx_buf_addc(out, ctx_is_upper(c) ? (char)(c | 32) : c);
	}
}

bool
ctx_finish_lower(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	ctx_recognise_lower(text, group[0], group[1], hit->name);
	return true;
}
