#include "summary/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unictype.h>
#include <uniwbrk.h>

#include "base/mem.h"
#include "base/utf8.h"

#define URL_MAX 2048

void
ctx_facts_release(struct ctx_facts *f)
{
	free(f->v);
	*f = (struct ctx_facts)CTX_FACTS_INIT;
}

static void
add_text_fact(struct ctx_facts *f, enum ctx_fact_kind kind, size_t offset, size_t n)
{
	CTX_MEM_GROW(f->v, f->n, f->cap);
	f->v[f->n++] = (struct ctx_fact){kind, offset, n};
}

/* ---- chunks: character runs that can be a fact ---- */

enum fact_class { DELIMITER, JOINER, LETTER, DIGIT };

static enum fact_class
classify_fact_byte(char c)
{
	if (ctx_is_digit(c))
		return DIGIT;
	if (ctx_is_letter(c) || c == '_')
		return LETTER;
	return c != '\0' && strchr("-./:@#$%+~\\", c) ? JOINER : DELIMITER;
}

/* Returns the class of the character at i; *n is set to its length in bytes. */
static enum fact_class
classify_fact_character(struct ctx_span s, size_t i, size_t *n)
{
	uint32_t c;

	*n = 1;
	if ((unsigned char)s.p[i] < 0x80)
		return classify_fact_byte(s.p[i]);
	if ((*n = ctx_utf8_decode(s.p + i, s.n - i, &c)) == 0) {
		*n = 1;
		return DELIMITER;
	}
	switch (uc_wordbreak_property(c)) {
	case WBP_ALETTER:
	case WBP_HL:
	case WBP_EXTEND:
		return LETTER;
	case WBP_NUMERIC:
		return DIGIT;
	default:
		return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Sc)
			   ? JOINER
			   : DELIMITER;
	}
}

/* Returns the end of the chunk at i. A comma or an apostrophe joins only digits; a colon
 * joins digits, "::", and the drive of a path. */
static size_t
chunk_end(struct ctx_span s, size_t i)
{
	size_t n, start = i;

	for (; i < s.n; i += n) {
		char c = s.p[i], next = i + 1 < s.n ? s.p[i + 1] : ' ';
		bool digits = i > start && ctx_is_digit(s.p[i - 1]) && ctx_is_digit(next);
		if ((c == ',' || c == '\'') && digits) {
			n = 1;
			continue;
		}
		if (classify_fact_character(s, i, &n) == DELIMITER)
			break;
		if (c != ':' || digits || next == ':' || (i > start && s.p[i - 1] == ':'))
			continue;
		if (i - start == 1 && ctx_is_letter(s.p[start]) && next == '\\')
			continue;
		break;
	}
	return i;
}

/* What a chunk contains. */
struct shape {
	size_t letters, lower, upper, digits, slashes, dots, underscores, humps;
	bool other; /* an @, a ::, or a leading $ or -- */
};

static struct shape
measure_fact_shape(struct ctx_span s)
{
	struct shape f = {0};
	enum fact_class k;
	size_t n;

	for (size_t i = 0; i < s.n; i += n) {
		char c = s.p[i];
		k = classify_fact_character(s, i, &n);
		f.letters += k == LETTER && c != '_';
		f.digits += k == DIGIT;
		f.lower += ctx_is_lower(c);
		f.upper += ctx_is_upper(c);
		f.underscores += c == '_';
		f.slashes += c == '/' || c == '\\';
		f.dots += c == '.';
		f.humps += i > 0 && ctx_is_upper(c) && ctx_is_lower(s.p[i - 1]);
		f.other |= c == '@' && i > 0;
		f.other |= c == ':' && i + 1 < s.n && s.p[i + 1] == ':';
	}
	if (s.n > 2 && f.letters > 0)
		f.other |= s.p[0] == '$' || (s.p[0] == '-' && s.p[1] == '-');
	return f;
}

static struct ctx_span
trim_chunk(struct ctx_span s)
{
	while (s.n > 0 && strchr(".:-+@#$~\\%", s.p[s.n - 1])) {
		if (s.p[s.n - 1] == '%' && s.n > 1 && ctx_is_digit(s.p[s.n - 2]))
			break;
		s.n--;
	}
	while (s.n > 0 && strchr(".:-+@%~#\\", s.p[0])) {
		char next = s.n > 1 ? s.p[1] : ' ';
		if ((s.p[0] == '.' &&
			(next == '/' || next == '.' || ctx_is_letter(next))) ||
		    (s.p[0] == '~' && next == '/') ||
		    (s.p[0] == '#' && ctx_is_digit(next)) ||
		    (s.p[0] == '-' && next == '-' && s.n > 2 && ctx_is_letter(s.p[2])) ||
		    ((s.p[0] == '-' || s.p[0] == '+') && ctx_is_digit(next)))
			break;
		s.p++;
		s.n--;
	}
	return s;
}

static bool
has_extension(struct ctx_span s)
{
	static const char known[] =
	    " c h cc cpp hpp cs py pyc rb rs go js jsx ts tsx mjs java kt swift php pl sh "
	    "bash zsh sql md txt rst csv tsv json jsonl ndjson yaml yml toml ini cfg conf "
	    "xml html htm css scss log lock pdf png jpg jpeg gif svg gz zip tar db ex exs "
	    "erl lua vue proto env pcap so o a exe dll bin traj patch diff tex ";
	char ext[10] = " ";
	size_t dot = s.n, n;

	while (dot > 0 && s.p[dot - 1] != '.' && s.n - dot < 7)
		dot--;
	n = s.n - dot;
	if (dot < 2 || n == 0 || n > 7 || s.p[dot - 1] != '.')
		return false;
	for (size_t i = 0; i < n; i++)
		ext[1 + i] = (char)(ctx_is_letter(s.p[dot + i]) ? s.p[dot + i] | 0x20
								: s.p[dot + i]);
	ext[n + 1] = ' ';
	return strstr(known, ext) != NULL;
}

static bool
is_path(struct ctx_span s, const struct shape *f)
{
	bool rooted = s.p[0] == '/' || s.p[0] == '~' || (s.n > 1 && s.p[0] == '.') ||
		      (s.n > 2 && s.p[1] == ':');

	if (f->letters == 0)
		return false;
	if (has_extension(s))
		return true;
	if (f->slashes == 0)
		return s.p[0] == '.' && f->letters > 2;
	return (rooted && s.n > 2) || f->slashes > 1 || f->underscores > 0 || f->dots > 0;
}

/* True if the surrounding bytes show that a chunk is not a path: "</div>" is a tag,
 * ".map(" a method call. */
static bool
only_looks_like_path(struct ctx_span s, size_t at, size_t end)
{
	struct ctx_span chunk = {s.p + at, end - at};

	if (chunk.n > 1 && chunk.p[0] == '/' && at > 0 && s.p[at - 1] == '<')
		return memchr(chunk.p + 1, '/', chunk.n - 1) == NULL;
	return chunk.n > 1 && chunk.p[0] == '.' && ctx_is_letter(chunk.p[1]) &&
	       end < s.n && s.p[end] == '(';
}

/* Returns the kind of fact, or -1 if it is not one. quoted: it is alone between
 * backticks, or precedes "(". */
static int
classify_fact(struct ctx_span s, bool quoted)
{
	struct shape f;

	if (s.n == 0)
		return -1;
	f = measure_fact_shape(s);
	if (is_path(s, &f))
		return CTX_FACT_PATH;
	if (f.digits > 0 && f.letters == 0 && f.underscores == 0)
		return CTX_FACT_NUMBER;
	if (f.digits > 0 && f.letters <= 3 && !f.upper && ctx_is_digit(s.p[0]) &&
	    f.dots < 2)
		return CTX_FACT_NUMBER;
	if (f.letters == 0 || f.slashes > 0)
		return -1;
	if (f.digits > 0 || f.humps > 0 || f.other || quoted ||
	    (f.underscores > 0 && s.n > 2))
		return CTX_FACT_IDENTIFIER;
	if (f.upper > 1 && f.upper == f.letters)
		return CTX_FACT_IDENTIFIER;
	if (f.dots > 0 && s.n > 4)
		return CTX_FACT_IDENTIFIER;
	return -1;
}

/* Returns the end of the URL whose "://" is at colon, or 0. */
static size_t
find_url_end(struct ctx_span s, size_t start, size_t colon)
{
	size_t end = colon + 3, from = colon;

	while (from > start && ctx_is_letter(s.p[from - 1]))
		from--;
	if (from == colon || colon + 3 > s.n || memcmp(s.p + colon, "://", 3) != 0)
		return 0;
	while (end < s.n && end - colon < URL_MAX && (unsigned char)s.p[end] > ' ' &&
	       (unsigned char)s.p[end] < 0x7f && !strchr("\"'<>`{}|\\^[]()", s.p[end]))
		end++;
	while (end > colon + 3 && strchr(".,;:!?*", s.p[end - 1]))
		end--;
	return end > colon + 3 ? end : 0;
}

/* True for a capitalized word that otherwise consists of letters and '-'. */
static bool
is_capitalised_word(struct ctx_span s)
{
	uint32_t c;
	size_t n = ctx_utf8_decode(s.p, s.n, &c), k;

	if (n == 0 || n == s.n ||
	    !uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Lu))
		return false;
	for (size_t i = n; i < s.n; i += k)
		if (classify_fact_character(s, i, &k) != LETTER && s.p[i] != '-')
			return false;
	return true;
}

/* True for a word in capitals next to another one, which is emphasis and not a name. */
static bool
is_shouted_word(struct ctx_span s, size_t at, size_t end)
{
	for (size_t i = at; i < end; i++)
		if (!ctx_is_upper(s.p[i]))
			return false;
	return (end + 2 < s.n && s.p[end] == ' ' && ctx_is_upper(s.p[end + 1]) &&
		   ctx_is_upper(s.p[end + 2])) ||
	       (at > 2 && s.p[at - 1] == ' ' && ctx_is_upper(s.p[at - 2]) &&
		   ctx_is_upper(s.p[at - 3]));
}

/* True if a viewer has put the number that ends at end before the line. */
static bool
numbers_line(struct ctx_span s, size_t end)
{
	struct ctx_span rest = {s.p + end, s.n - end};

	return ctx_span_begins_any(rest, "→|\t") > 0 || ctx_span_begins(rest, " | ");
}

/* True at the start of a sentence or the like, where a capital does not indicate a
 * name. */
static bool
at_beginning(struct ctx_span s, size_t at, bool fresh)
{
	while (at > 0 && s.p[at - 1] == ' ')
		at--;
	return at == 0 ? fresh
		       : s.p[at - 1] != '\0' && strchr(".:!?\"'(*#>-`[{/|", s.p[at - 1]);
}

/* Returns the end of the name whose first word ends at end: further capitalized words
 * follow single spaces. */
static size_t
find_name_end(struct ctx_span s, size_t end)
{
	size_t n;
	struct ctx_span word;

	while (end + 1 < s.n && s.p[end] == ' ') {
		n = chunk_end(s, end + 1);
		word = trim_chunk((struct ctx_span){s.p + end + 1, n - end - 1});
		if (word.n == 0 || !is_capitalised_word(word))
			break;
		end = (size_t)(word.p - s.p) + word.n;
		if (end < n)
			break;
	}
	return end;
}

void
ctx_summary_facts_scan(struct ctx_span s, bool fresh, size_t base, struct ctx_facts *out)
{
	struct ctx_span chunk;
	size_t end, n, at;
	bool quoted;
	int kind;

	for (size_t i = 0; i < s.n; i = end) {
		if (classify_fact_character(s, i, &n) == DELIMITER) {
			end = i + n;
			continue;
		}
		end = chunk_end(s, i);
		if (end == i) {
			end++;
			continue;
		}
		if (end < s.n && s.p[end] == ':' && (n = find_url_end(s, i, end)) > 0) {
			for (at = end; at > i && ctx_is_letter(s.p[at - 1]); at--)
				;
			add_text_fact(out, CTX_FACT_URL, base + at, n - at);
			end = n;
			continue;
		}
		chunk = trim_chunk((struct ctx_span){s.p + i, end - i});
		at = (size_t)(chunk.p - s.p);
		n = at + chunk.n;
		quoted = chunk.n > 2 && n < s.n &&
			 (s.p[n] == '(' ||
			     (at > 0 && s.p[at - 1] == '`' && s.p[n] == '`'));
		kind = classify_fact(chunk, quoted);
		if (kind == CTX_FACT_IDENTIFIER && is_shouted_word(s, at, n))
			continue;
		if (kind == CTX_FACT_PATH && only_looks_like_path(s, at, n))
			continue;
		if (kind == CTX_FACT_NUMBER && at == 0 && numbers_line(s, n))
			continue;
		if (kind >= 0) {
			add_text_fact(out, (enum ctx_fact_kind)kind, base + at, chunk.n);
		} else if (chunk.n > 1 && is_capitalised_word(chunk) &&
			   !at_beginning(s, at, fresh)) {
			if (n == end)
				end = n = find_name_end(s, n);
			add_text_fact(out, CTX_FACT_NAME, base + at, n - at);
		}
	}
}

/* ---- sentences that are facts ---- */

void
ctx_summary_cues_init(struct ctx_summary_cues *c)
{
	static const char *const words[] = {
	    "error errors exception exceptions failed failure failures fails fatal panic "
	    "traceback denied refused undefined segfault timeout invalid unable cannot "
	    "crash crashed abort aborted fehler fehlgeschlagen erreur échec échoué fallo "
	    "falló errore fallito erro falha ошибка ошибки сбой 错误 錯誤 失败 失敗 异常 エラー 例外 오류 "
	    "실패 خطأ فشل त्रुटि विफल",
	    "decided decide decision decisions agreed chose chosen choose settled "
	    "confirmed must concluded resolved approved rejected prefer "
	    "entschieden beschlossen vereinbart décidé convenu choisi decidido acordado "
	    "elegido deciso scelto decidimos решили решено решил договорились 决定 決定 同意 必须 "
	    "必須 確定 确定 決め 합의 결정했습니다 결정했다 قررنا قرر اتفقنا يجب फैसला निर्णय तय",
	    /* rules: only as the first word */
	    "always never don't remember rule jamais toujours nie immer nunca siempre"};
	struct ctx_buf scratch = CTX_BUF_INIT;
	struct ctx_summary_words it;
	struct ctx_summary_word w;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < 3; i++) {
		ctx_summary_words_init(&it, ctx_span_of(words[i]), &scratch);
		while (ctx_summary_words_next(&it, &w)) {
			size_t *class = ctx_map_at(&c->words, w.hash, NULL, NULL);
			*class = *class == 0 ? i + 1 : *class;
		}
	}
	ctx_buf_release(&scratch);
}

/* True after "can", "to" and the like, where a decision is still to be made. */
static bool
follows_open_word(struct ctx_span text, size_t at)
{
	return ctx_span_ends_any((struct ctx_span){text.p, at},
		   "can |to |could |should |me |help |would |might |everything ") > 0;
}

int
ctx_summary_cue(const struct ctx_summary_cues *c, struct ctx_span text,
    const struct ctx_summary_word *w)
{
	struct ctx_span word = {text.p + w->offset, w->n};
	struct ctx_span behind = {word.p + word.n, text.n - w->offset - w->n};
	size_t class, n = ctx_span_ends_any(word, "Error|Exception");

	if (n > 0 && n < word.n)
		return CTX_CUE_ERROR;
	class = ctx_map_get(&c->words, w->hash, NULL, NULL);
	if (class < 2)
		return class == 1 ? CTX_CUE_ERROR : 0;
	/* "It must have been …" is a guess, "must-have" a noun, "Must be nice" a remark. */
	if (word.n == 4 && ctx_span_begins((struct ctx_span){word.p + 1, 3}, "ust") &&
	    (ctx_span_begins_any(behind, " have | be |-|'") > 0 || w->offset < 2))
		return 0;
	/* "Don't worry" is no rule, and "can decide" not yet a decision. */
	if (class == 3 && ctx_span_begins_any(behind, " worry| give up| be ") > 0)
		return 0;
	if (class == 2 && follows_open_word(text, w->offset))
		return 0;
	return class == 2 || w->offset < 2 ? CTX_CUE_DECISION : 0;
}

void
ctx_summary_facts(struct ctx_span text, struct ctx_facts *out)
{
	struct ctx_buf scratch = CTX_BUF_INIT;
	struct ctx_summary_sentences it;
	struct ctx_summary_words words;
	struct ctx_summary_word w;
	struct ctx_summary_cues cues;
	struct ctx_span s;
	int cue;

	ctx_summary_cues_init(&cues);
	ctx_summary_sentences_init(&it, text);
	while (ctx_summary_sentences_next(&it, &s)) {
		cue = 0;
		ctx_summary_words_init(&words, s, &scratch);
		while (ctx_summary_words_next(&words, &w))
			cue |= ctx_summary_cue(&cues, s, &w);
		if (cue != 0)
			add_text_fact(out,
			    cue & CTX_CUE_ERROR ? CTX_FACT_ERROR : CTX_FACT_DECISION,
			    (size_t)(s.p - text.p),
			    ctx_grapheme_before(s.p, s.n, CTX_FACT_SENTENCE_MAX));
		ctx_summary_facts_scan(s, it.fresh, (size_t)(s.p - text.p), out);
	}
	ctx_buf_release(&scratch);
	ctx_map_release(&cues.words);
}
