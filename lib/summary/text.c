/* Sentences and words. The character properties come from libunistring. It has the word
 * boundaries of UAX #29 and Sentence_Terminal in about 100 KB of static tables; ICU maps
 * 30 MB, and utf8proc has neither words nor sentences. */
#include "summary/internal.h"

#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uniwbrk.h>

#include "base/hash.h"
#include "base/utf8.h"

/* Sentences longer than CLAUSE_MAX bytes are cut into clauses of at least CLAUSE_MIN
 * bytes. */
#define CLAUSE_MIN 60
#define CLAUSE_MAX 240

uint64_t
ctx_summary_hash(uint64_t seed, const char *p, size_t n)
{
	uint64_t h = ctx_hash_bytes(seed, p, n);

	return h ? h : 1;
}

/* Decodes the character at i. A byte that is not UTF-8 is one character, U+FFFD. */
static size_t
decode_text_char(struct ctx_span s, size_t i, uint32_t *cp)
{
	size_t n = ctx_utf8_decode(s.p + i, s.n - i, cp);

	if (n == 0) {
		*cp = 0xfffd;
		return 1;
	}
	return n;
}

static bool
is_newline(uint32_t c)
{
	return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

static bool
is_text_space(uint32_t c)
{
	return c == ' ' || c == '\t' || is_newline(c) ||
	       (c >= 0x80 && uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Z));
}

static bool
is_terminal(uint32_t c)
{
	return c < 0x80 ? c == '.' || c == '!' || c == '?'
			: uc_is_property_sentence_terminal(c);
}

static bool
is_close(uint32_t c)
{
	if (c < 0x80)
		return strchr("\"')]}*_`", (int)c) != NULL && c != 0;
	return uc_is_general_category_withtable(
	    c, UC_CATEGORY_MASK_Pe | UC_CATEGORY_MASK_Pf | UC_CATEGORY_MASK_Pi);
}

/* True if a full stop does not end a sentence: after an initial, an abbreviation, or the
 * number of a list item. word is the text before it, back to white space. */
static bool
is_abbreviation(struct ctx_span word, bool first)
{
	size_t letters = 0;

	while (letters < word.n &&
	       (letters % 2 ? word.p[letters] == '.' : ctx_is_letter(word.p[letters])))
		letters++;
	if (letters % 2 && letters == word.n)
		return true;
	return ctx_span_is_any(word,
		   "Mr|Mrs|Ms|Dr|St|vs|etc|cf|Fig|fig|approx|resp|bzw|z.B|Sr|Sra|Prof") ||
	       (first && word.n > 0 && ctx_span_digits(word) == word.n);
}

/* Returns the end of the sentence that the terminal of n bytes at i ends, or 0 if it ends
 * none. ASCII terminals also occur in paths, numbers and code, so white space must follow
 * them; UAX #29 does not require that. */
static size_t
terminal_end(struct ctx_span s, size_t start, size_t i, size_t n, uint32_t c)
{
	size_t end = i + n, after, word = i;
	uint32_t d = 0;

	while (end < s.n &&
	       (n = decode_text_char(s, end, &d), is_terminal(d) || is_close(d)))
		end += n;
	if (end == s.n || c >= 0x80 || is_newline(d))
		return end;
	if (!is_text_space(d))
		return 0;
	for (after = end;
	     after < s.n && (n = decode_text_char(s, after, &d), is_text_space(d));
	     after += n)
		if (is_newline(d))
			return end;
	if (strchr(",;:-", (int)(d & 0x7f)) != NULL && d < 0x80)
		return 0;
	if (c != '.')
		return end;
	while (word > start && !is_text_space((unsigned char)s.p[word - 1]))
		word--;
	if (is_abbreviation((struct ctx_span){s.p + word, i - word}, word == start))
		return 0;
	return uc_is_general_category_withtable(d, UC_CATEGORY_MASK_Ll) ? 0 : end;
}

void
ctx_summary_sentences_init(struct ctx_summary_sentences *s, struct ctx_span text)
{
	*s = (struct ctx_summary_sentences){.text = text};
}

static bool
ends_clause(uint32_t c)
{
	return c < 0x80 ? strchr(",;:}])", (int)c) != NULL && c != 0
			: uc_is_property_terminal_punctuation(c);
}

/* Returns the end of the sentence, or of the clause, that begins at start. */
static size_t
find_sentence_end(struct ctx_span s, size_t start, bool *whole)
{
	size_t clause = 0, space = 0, n, end;
	struct ctx_span rest;
	uint32_t c, prev = 0;

	*whole = true;
	for (size_t i = start; i < s.n; i += n, prev = c) {
		n = decode_text_char(s, i, &c);
		if (is_newline(c))
			return i;
		if (i - start >= CLAUSE_MIN) {
			if (ends_clause(prev) &&
			    (is_text_space(c) || prev >= 0x80 || c == '"'))
				clause = i;
			if (is_text_space(c))
				space = i;
		}
		if (i + n - start > CLAUSE_MAX) {
			*whole = false;
			/* Measured from start, so that a very long grapheme is not
			 * scanned again for each clause. */
			rest = ctx_span_from(s, start);
			end = clause > 0 ? clause : space;
			if (end == 0)
				end = start +
				      ctx_grapheme_before(rest.p, rest.n, i - start);
			return end > start ? end : i + n;
		}
		if (is_terminal(c) && (end = terminal_end(s, start, i, n, c)) > 0)
			return end;
	}
	return s.n;
}

bool
ctx_summary_sentences_next(struct ctx_summary_sentences *s, struct ctx_span *out)
{
	size_t end, n;
	uint32_t c;
	bool whole;

	for (; s->at < s->text.n &&
	       (n = decode_text_char(s->text, s->at, &c), is_text_space(c));
	     s->at += n) {
		s->line += c == '\n';
		if (is_newline(c))
			s->in_sentence = false;
	}
	if (s->at >= s->text.n)
		return false;
	end = find_sentence_end(s->text, s->at, &whole);
	*out = (struct ctx_span){s->text.p + s->at, end - s->at};
	*out = ctx_span_trim(*out);
	s->fresh = !s->in_sentence;
	s->in_sentence = !whole;
	s->at = end;
	return true;
}

bool
ctx_summary_asks(struct ctx_span sentence)
{
	uint32_t c;

	for (size_t i = 0; i < sentence.n; i += decode_text_char(sentence, i, &c)) {
		decode_text_char(sentence, i, &c);
		if (c == 0x37e || c == 0x55e || c == 0x61f || c == 0x1367 ||
		    c == 0x2047 || c == 0xff1f || c == 0xfe56)
			return true;
		if (c == '?' &&
		    (i + 1 == sentence.n || strchr(" \"')*", sentence.p[i + 1])))
			return true;
	}
	return false;
}

void
ctx_summary_words_init(
    struct ctx_summary_words *w, struct ctx_span text, struct ctx_buf *scratch)
{
	ctx_buf_reset(scratch);
	ctx_buf_reserve(scratch, text.n + 1);
	*w = (struct ctx_summary_words){.text = text, .breaks = scratch->p};
	if (text.n > 0)
		u8_wordbreaks((const uint8_t *)text.p, text.n, w->breaks);
}

/* Hashes the lower-case form of a word. Sets *chars to its number of characters. */
static uint64_t
fold_hash(struct ctx_span word, size_t *chars)
{
	char utf8[4];
	uint64_t h = 0;
	uint32_t c;

	*chars = 0;
	for (size_t i = 0; i < word.n; ++*chars) {
		i += decode_text_char(word, i, &c);
		c = c < 0x80 ? (ctx_is_upper((char)c) ? c | 0x20 : c) : uc_tolower(c);
		h = ctx_summary_hash(h, utf8, ctx_utf8_encode(c, utf8));
	}
	return h;
}

bool
ctx_summary_words_next(struct ctx_summary_words *w, struct ctx_summary_word *out)
{
	size_t start, chars;
	uint64_t before;
	uint32_t c;

	while (w->at < w->text.n) {
		start = w->at++;
		while (w->at < w->text.n && !w->breaks[w->at])
			w->at++;
		decode_text_char(w->text, start, &c);
		before = w->letter;
		w->letter = 0;
		if (!uc_is_general_category_withtable(
			c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N))
			continue;
		*out = (struct ctx_summary_word){.offset = start, .n = w->at - start};
		out->number = uc_is_general_category_withtable(c, UC_CATEGORY_MASK_N);
		out->hash = fold_hash(
		    (struct ctx_span){w->text.p + start, out->n}, &chars);
		if (chars > 1 || out->number)
			return true;
		if (c < 0x80)
			continue;
		w->letter = out->hash;
		if (before == 0)
			continue;
		out->hash = ctx_summary_hash(before, (const char *)&w->letter, 8);
		return true;
	}
	return false;
}

static int64_t
count_cut_tokens(struct ctx_span text, struct ctx_tokenizer *t, bool tail, size_t n)
{
	return n == 0 ? 0 : ctx_tokens_text(t, tail ? text.p + text.n - n : text.p, n);
}

/* Returns the length of the longest prefix or suffix of at most n bytes that ends between
 * graphemes. */
static size_t
align_cut_length(struct ctx_span text, bool tail, size_t n)
{
	return tail && n < text.n
		   ? text.n - ctx_grapheme_after(text.p, text.n, text.n - n)
		   : ctx_grapheme_before(text.p, text.n, n);
}

static size_t
find_cut_length(struct ctx_span text, struct ctx_tokenizer *t, int64_t max, bool tail)
{
	size_t low = 0, high = 64, mid;

	if (max <= 0 || text.n == 0)
		return 0;
	while (high < text.n && count_cut_tokens(text, t, tail,
				    align_cut_length(text, tail, high)) <= max) {
		low = align_cut_length(text, tail, high);
		high *= 2;
	}
	if (high >= text.n) {
		high = text.n;
		if (count_cut_tokens(text, t, tail, text.n) <= max)
			return text.n;
	}
	while (high - low > 1) {
		mid = align_cut_length(text, tail, low + (high - low) / 2);
		if (mid > low && count_cut_tokens(text, t, tail, mid) <= max)
			low = mid;
		else
			high = low + (high - low) / 2;
	}
	return low;
}

size_t
ctx_summary_head(struct ctx_span text, struct ctx_tokenizer *t, int64_t max_tokens)
{
	return find_cut_length(text, t, max_tokens, false);
}

size_t
ctx_summary_tail(struct ctx_span text, struct ctx_tokenizer *t, int64_t max_tokens)
{
	return find_cut_length(text, t, max_tokens, true);
}
