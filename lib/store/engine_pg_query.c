#include "store/engine_pg_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DEPTH_MAX 50
#define LEXEME_MAX 2000

void
ctx_pg_put_lexeme(struct ctx_buf *out, const char *word, size_t n)
{
	ctx_buf_addc(out, '\'');
	for (size_t i = 0; i < n; i++) {
		if (word[i] == '\'' || word[i] == '\\')
			ctx_buf_addc(out, word[i]);
		ctx_buf_addc(out, word[i]);
	}
	ctx_buf_addc(out, '\'');
}

/* ---- parsing ---- */

enum token {
	TOKEN_END,
	TOKEN_TEXT,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_PLUS,
	TOKEN_STAR,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_OTHER
};

struct parser {
	struct ctx_pg_query *q;
	struct ctx_word_list *words;
	const char *query, *p;
	enum token token;
	struct ctx_buf text; /* of a TOKEN_TEXT, without quotes */
	int depth;
	struct ctx_err *err;
};

static bool
is_bareword(unsigned char c)
{
	return c >= 0x80 || c == '_' || c == 26 || (c >= '0' && c <= '9') ||
	       (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static void
take_quoted(struct parser *s)
{
	s->token = TOKEN_OTHER;
	for (s->p++; *s->p != '\0'; s->p++) {
		if (*s->p == '"' && s->p[1] != '"')
			break;
		if (*s->p == '"')
			s->p++;
		ctx_buf_addc(&s->text, *s->p);
	}
	if (*s->p == '"') {
		s->p++;
		s->token = TOKEN_TEXT;
	}
}

static enum token
token_of_word(const struct ctx_buf *word)
{
	struct ctx_span w = ctx_buf_span(word);

	return ctx_span_is(w, "AND")    ? TOKEN_AND
	       : ctx_span_is(w, "OR")   ? TOKEN_OR
	       : ctx_span_is(w, "NOT")  ? TOKEN_NOT
	       : ctx_span_is(w, "NEAR") ? TOKEN_OTHER
					: TOKEN_TEXT;
}

static void
take_token(struct parser *s)
{
	static const char signs[] = "()+*";
	static const enum token tokens[] = {
	    TOKEN_OPEN, TOKEN_CLOSE, TOKEN_PLUS, TOKEN_STAR};
	const char *sign;

	ctx_buf_reset(&s->text);
	s->p += strspn(s->p, " \t\r\n");
	if (*s->p == '\0') {
		s->token = TOKEN_END;
	} else if (*s->p == '"') {
		take_quoted(s);
	} else if (is_bareword((unsigned char)*s->p)) {
		while (is_bareword((unsigned char)*s->p))
			ctx_buf_addc(&s->text, *s->p++);
		s->token = token_of_word(&s->text);
	} else {
		sign = strchr(signs, *s->p);
		s->token = sign == NULL ? TOKEN_OTHER : tokens[sign - signs];
		s->p++;
	}
}

static int
fail_parsing(struct parser *s)
{
	return ctx_err_set(s->err, CTX_EUSAGE,
	    "query '%s': fts5: syntax error near \"%.20s\"", s->query, s->p);
}

static int
add_phrase_word(void *arg, const char *word, size_t n)
{
	struct ctx_pg_phrase *f = arg;

	CTX_MEM_GROW(f->words, f->n, f->cap);
	f->words[f->n++] = ctx_mem_dup(word, n < LEXEME_MAX ? n : LEXEME_MAX);
	return 0;
}

static void
finish_phrase(struct ctx_pg_query *q, struct ctx_pg_phrase *f)
{
	f->places = ctx_mem_new((f->n + 1) * sizeof(*f->places));
	for (size_t i = 0; i < f->n; i++) {
		bool prefix = f->prefix && i + 1 == f->n;
		struct ctx_buf *list = prefix ? &q->prefixes : &q->words;
		if (i > 0)
			ctx_buf_adds(&f->text, "<->");
		ctx_pg_put_lexeme(&f->text, f->words[i], strlen(f->words[i]));
		if (prefix)
			ctx_buf_adds(&f->text, ":*");
		if (list->n > 0)
			ctx_buf_addc(list, ' ');
		ctx_buf_adds(list, f->words[i]);
	}
}

/* phrase: text (+ text)* [*]. Appends to out; nothing if the phrase has no words. */
static int
parse_phrase(struct parser *s, struct ctx_buf *out)
{
	struct ctx_pg_phrase *f;

	CTX_MEM_GROW(s->q->phrases, s->q->n, s->q->cap);
	f = &s->q->phrases[s->q->n++];
	*f = (struct ctx_pg_phrase){.n = 0};
	for (;;) {
		if (s->token != TOKEN_TEXT)
			return fail_parsing(s);
		if (ctx_word_list_each(
			s->words, ctx_buf_span(&s->text), add_phrase_word, f, s->err) < 0)
			return -1;
		take_token(s);
		if (s->token != TOKEN_PLUS)
			break;
		take_token(s);
	}
	f->prefix = s->token == TOKEN_STAR;
	if (f->prefix)
		take_token(s);
	finish_phrase(s->q, f);
	if (f->n > 0)
		ctx_buf_addspan(out, ctx_buf_span(&f->text));
	else
		s->q->n--, free(f->places);
	return 0;
}

static int parse_or(struct parser *s, struct ctx_buf *out);

static int
parse_primary(struct parser *s, struct ctx_buf *out)
{
	int rc;

	if (s->token != TOKEN_OPEN)
		return parse_phrase(s, out);
	if (++s->depth > DEPTH_MAX)
		return fail_parsing(s);
	take_token(s);
	rc = parse_or(s, out);
	s->depth--;
	if (rc < 0 || s->token != TOKEN_CLOSE)
		return rc < 0 ? -1 : fail_parsing(s);
	take_token(s);
	return 0;
}

/* Joins what two sides have become; a side without words says nothing. */
static void
join_sides(struct ctx_buf *left, struct ctx_buf *right, const char *sign)
{
	struct ctx_buf both = CTX_BUF_INIT;

	if (right->n > 0 && left->n > 0) {
		ctx_buf_addf(&both, "(%s)%s(%s)", left->p, sign, right->p);
		ctx_buf_reset(left);
		ctx_buf_addspan(left, ctx_buf_span(&both));
	} else if (right->n > 0) {
		ctx_buf_addspan(left, ctx_buf_span(right));
	}
	ctx_buf_release(&both);
}

typedef int parse_fn(struct parser *s, struct ctx_buf *out);

static int
parse_side(struct parser *s, parse_fn *parse, struct ctx_buf *out, const char *sign)
{
	struct ctx_buf right = CTX_BUF_INIT;
	int rc = parse(s, &right);

	if (rc == 0)
		join_sides(out, &right, sign);
	ctx_buf_release(&right);
	return rc;
}

/* Phrases one after another: all of them. */
static int
parse_row(struct parser *s, struct ctx_buf *out)
{
	int rc = parse_primary(s, out);

	while (rc == 0 && (s->token == TOKEN_TEXT || s->token == TOKEN_OPEN))
		rc = parse_side(s, parse_primary, out, "&");
	return rc;
}

static int
parse_not(struct parser *s, struct ctx_buf *out)
{
	int rc = parse_row(s, out);

	while (rc == 0 && s->token == TOKEN_NOT) {
		take_token(s);
		rc = parse_side(s, parse_row, out, "&!");
	}
	return rc;
}

static int
parse_and(struct parser *s, struct ctx_buf *out)
{
	int rc = parse_not(s, out);

	while (rc == 0 && s->token == TOKEN_AND) {
		take_token(s);
		rc = parse_side(s, parse_not, out, "&");
	}
	return rc;
}

static int
parse_or(struct parser *s, struct ctx_buf *out)
{
	int rc = parse_and(s, out);

	while (rc == 0 && s->token == TOKEN_OR) {
		take_token(s);
		rc = parse_side(s, parse_and, out, "|");
	}
	return rc;
}

int
ctx_pg_query_new(struct ctx_pg_query **out, struct ctx_word_list *words,
    const char *query, struct ctx_err *err)
{
	struct parser s = {.words = words, .query = query, .p = query, .err = err};
	int rc;

	s.q = *out = ctx_mem_new(sizeof(**out));
	take_token(&s);
	rc = s.token == TOKEN_END ? 0 : parse_or(&s, &s.q->text);
	if (rc == 0 && s.token != TOKEN_END)
		rc = fail_parsing(&s);
	ctx_buf_release(&s.text);
	/* as values they must not be absent */
	ctx_buf_adds(&s.q->text, "");
	ctx_buf_adds(&s.q->words, "");
	ctx_buf_adds(&s.q->prefixes, "");
	if (rc < 0) {
		ctx_pg_query_free(s.q);
		*out = NULL;
	}
	return rc;
}

void
ctx_pg_query_free(struct ctx_pg_query *q)
{
	if (q == NULL)
		return;
	for (size_t i = 0; i < q->n; i++) {
		struct ctx_pg_phrase *f = &q->phrases[i];
		for (size_t w = 0; w < f->n; w++) {
			free(f->words[w]);
			if (f->places != NULL)
				free(f->places[w].v);
		}
		free(f->words);
		free(f->places);
		ctx_buf_release(&f->text);
	}
	free(q->phrases);
	ctx_buf_release(&q->text);
	ctx_buf_release(&q->words);
	ctx_buf_release(&q->prefixes);
	free(q);
}

/* ---- where words are in a row ---- */

static int
compare_places(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void
add_places(struct ctx_pg_places *to, struct ctx_span list)
{
	const char *p = list.p, *end = list.p + list.n;

	while (p < end) {
		CTX_MEM_GROW(to->v, to->n, to->cap);
		to->v[to->n++] = (int)strtol(p, NULL, 10);
		p = memchr(p, ',', (size_t)(end - p));
		p = p == NULL ? end : p + 1;
	}
}

/* One word of the row with its places. */
static void
place_word(struct ctx_pg_query *q, struct ctx_span word, struct ctx_span list)
{
	for (size_t i = 0; i < q->n; i++) {
		struct ctx_pg_phrase *f = &q->phrases[i];
		for (size_t w = 0; w < f->n; w++) {
			size_t n = strlen(f->words[w]);
			bool prefix = f->prefix && w + 1 == f->n;
			if ((prefix ? word.n >= n : word.n == n) &&
			    memcmp(word.p, f->words[w], n) == 0)
				add_places(&f->places[w], list);
		}
	}
}

void
ctx_pg_query_place(struct ctx_pg_query *q, struct ctx_span row)
{
	const char *p = row.p, *end = row.p + row.n;

	for (size_t i = 0; i < q->n; i++)
		for (size_t w = 0; w < q->phrases[i].n; w++)
			q->phrases[i].places[w].n = 0;
	while (p != NULL && p < end) {
		const char *stop = memchr(p, ';', (size_t)(end - p));
		const char *space;
		stop = stop == NULL ? end : stop;
		space = memchr(p, ' ', (size_t)(stop - p));
		if (space != NULL)
			place_word(q, (struct ctx_span){p, (size_t)(space - p)},
			    (struct ctx_span){space + 1, (size_t)(stop - space - 1)});
		p = stop + 1;
	}
	for (size_t i = 0; i < q->n; i++)
		for (size_t w = 0; w < q->phrases[i].n; w++) {
			struct ctx_pg_places *at = &q->phrases[i].places[w];
			if (at->n > 1)
				qsort(at->v, at->n, sizeof(*at->v), compare_places);
		}
}

size_t
ctx_pg_query_count(const struct ctx_pg_query *q, size_t i)
{
	const struct ctx_pg_phrase *f = &q->phrases[i];
	size_t count = 0;

	for (size_t at = 0; at < f->places[0].n; at++) {
		size_t w = 1;
		for (; w < f->n; w++) {
			int want = f->places[0].v[at] + (int)w;
			if (f->places[w].n == 0 ||
			    bsearch(&want, f->places[w].v, f->places[w].n, sizeof(want),
				compare_places) == NULL)
				break;
		}
		count += w == f->n;
	}
	return count;
}
