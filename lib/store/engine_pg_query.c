/* The engine for PostgreSQL: parses full-text queries. */
#include "store/engine_pg_query.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

#define DEPTH_MAX 50
#define LEXEME_MAX 2000
#define DISTANCE 10 /* default distance of NEAR */

/* ---- tokens ---- */

enum token {
	TOKEN_END,
	TOKEN_TEXT,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_SIGN, /* a character, given by sign */
	TOKEN_OPEN_QUOTE,
};

struct parser {
	struct ctx_pg_query *q;
	struct ctx_word_list *words;
	const char *query, *p;
	const char *at; /* start of the token in the query */
	enum token token;
	char sign;
	struct ctx_buf text; /* text of a TOKEN_TEXT, without quotes */
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
	s->token = TOKEN_OPEN_QUOTE;
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

	return ctx_span_is(w, "AND")   ? TOKEN_AND
	       : ctx_span_is(w, "OR")  ? TOKEN_OR
	       : ctx_span_is(w, "NOT") ? TOKEN_NOT
				       : TOKEN_TEXT;
}

static void
take_token(struct parser *s)
{
	ctx_buf_reset(&s->text);
	s->sign = '\0';
	s->p += strspn(s->p, " \t\r\n");
	s->at = s->p;
	if (*s->p == '\0') {
		s->token = TOKEN_END;
	} else if (*s->p == '"') {
		take_quoted(s);
	} else if (is_bareword((unsigned char)*s->p)) {
		while (is_bareword((unsigned char)*s->p))
			ctx_buf_addc(&s->text, *s->p++);
		s->token = token_of_word(&s->text);
	} else {
		s->token = TOKEN_SIGN;
		s->sign = *s->p++;
	}
}

static bool
is_sign(const struct parser *s, char sign)
{
	return s->token == TOKEN_SIGN && s->sign == sign;
}

/* Returns true if the token is a text and the next character after it is sign. */
static bool
is_text_before(const struct parser *s, char sign)
{
	return s->token == TOKEN_TEXT && s->p[strspn(s->p, " \t\r\n")] == sign;
}

static int
fail_parsing(struct parser *s)
{
	if (s->token == TOKEN_OPEN_QUOTE)
		return ctx_err_set(
		    s->err, CTX_EUSAGE, "query '%s': unterminated string", s->query);
	return ctx_err_set(s->err, CTX_EUSAGE,
	    "query '%s': fts5: syntax error near \"%.*s\"", s->query, (int)(s->p - s->at),
	    s->at);
}

static int
take_sign(struct parser *s, char sign)
{
	if (!is_sign(s, sign))
		return fail_parsing(s);
	take_token(s);
	return 0;
}

/* ---- phrases ---- */

static int
add_phrase_word(void *arg, const char *word, size_t n)
{
	struct ctx_pg_phrase *f = arg;

	CTX_MEM_GROW(f->words, f->n, f->cap);
	f->words[f->n++] = (struct ctx_pg_word){
	    .text = ctx_mem_dup(word, n < LEXEME_MAX ? n : LEXEME_MAX)};
	return 0;
}

static void
finish_phrase(struct ctx_pg_query *q, struct ctx_pg_phrase *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct ctx_pg_word *w = &f->words[i];
		struct ctx_buf *list = w->prefix ? &q->prefixes : &q->words;
		if (i > 0)
			ctx_buf_adds(&f->text, "<->");
		ctx_pg_put_lexeme(&f->text, w->text, strlen(w->text));
		if (w->prefix)
			ctx_buf_adds(&f->text, ":*");
		if (list->n > 0)
			ctx_buf_addc(list, ' ');
		ctx_buf_adds(list, w->text);
	}
}

/* phrase: text [*] (+ text [*])*. A phrase without words is ignored. */
static int
parse_phrase(struct parser *s)
{
	struct ctx_pg_phrase f = {.n = 0};
	bool more = true;
	int rc = 0;

	while (rc == 0 && more) {
		rc = s->token != TOKEN_TEXT
			 ? fail_parsing(s)
			 : ctx_word_list_each(s->words, ctx_buf_span(&s->text),
			       add_phrase_word, &f, s->err);
		if (rc < 0)
			break;
		take_token(s);
		if (f.n > 0)
			f.words[f.n - 1].prefix = is_sign(s, '*');
		if (is_sign(s, '*'))
			take_token(s);
		more = is_sign(s, '+');
		if (more)
			take_token(s);
	}
	if (f.n > 0) {
		finish_phrase(s->q, &f);
		CTX_MEM_GROW(s->q->phrases, s->q->n, s->q->cap);
		s->q->phrases[s->q->n++] = f;
	}
	return rc;
}

/* ---- expressions ---- */

static int
parse_distance(struct parser *s, struct ctx_pg_node *node)
{
	const char *p = s->text.p;

	if (s->token != TOKEN_TEXT)
		return fail_parsing(s);
	/* distances above the length of any text are equivalent */
	node->distance = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		if (node->distance < INT32_MAX / 10)
			node->distance = node->distance * 10 + *p - '0';
	if (p == s->text.p || *p != '\0')
		return ctx_err_set(s->err, CTX_EUSAGE,
		    "query '%s': expected integer, got \"%s\"", s->query, s->text.p);
	take_token(s);
	return 0;
}

/* near: phrase | ^ phrase | NEAR ( phrase… [, distance] ) */
static int
parse_near(struct parser *s, struct ctx_pg_node *node)
{
	int rc = 0;

	*node = (struct ctx_pg_node){
	    .type = CTX_PG_NODE_NEAR, .first = s->q->n, .distance = DISTANCE};
	if (is_text_before(s, '(') && *s->at != '"') {
		if (!ctx_span_is(ctx_buf_span(&s->text), "NEAR"))
			return fail_parsing(s);
		take_token(s);
		take_token(s);
		do
			rc = parse_phrase(s);
		while (rc == 0 && s->token == TOKEN_TEXT);
		if (rc == 0 && is_sign(s, ',')) {
			take_token(s);
			rc = parse_distance(s, node);
		}
		if (rc == 0)
			rc = take_sign(s, ')');
	} else {
		node->at_start = is_sign(s, '^');
		if (node->at_start)
			take_token(s);
		rc = parse_phrase(s);
	}
	node->n_phrases = s->q->n - node->first;
	node->never = node->empty = node->n_phrases == 0;
	return rc;
}

static int
check_column(struct parser *s, bool *found)
{
	if (s->token != TOKEN_TEXT)
		return fail_parsing(s);
	if (strcasecmp(s->text.p == NULL ? "" : s->text.p, "text") != 0)
		return ctx_err_set(s->err, CTX_EUSAGE, "query '%s': no such column: %s",
		    s->query, s->text.p == NULL ? "" : s->text.p);
	*found = true;
	take_token(s);
	return 0;
}

/* columns: [-] (text | { text... }) :  The only column is "text". */
static int
parse_columns(struct parser *s, bool *has_text)
{
	bool without = is_sign(s, '-'), found = false;
	int rc = 0;

	if (without)
		take_token(s);
	if (is_sign(s, '{')) {
		take_token(s);
		do
			rc = check_column(s, &found);
		while (rc == 0 && s->token == TOKEN_TEXT);
		if (rc == 0)
			rc = take_sign(s, '}');
	} else {
		rc = check_column(s, &found);
	}
	if (rc == 0)
		rc = take_sign(s, ':');
	*has_text = found != without;
	return rc;
}

static bool
are_columns(const struct parser *s)
{
	return is_sign(s, '-') || is_sign(s, '{') || is_text_before(s, ':');
}

static struct ctx_pg_node *
add_child(struct ctx_pg_node *node, const struct ctx_pg_node *child)
{
	CTX_MEM_GROW(node->children, node->n, node->cap);
	node->children[node->n] = *child;
	return &node->children[node->n++];
}

static int parse_or(struct parser *s, struct ctx_pg_node *node);

/* primary: [columns] (near | "(" expression ")"). *group: whether it is in
 * parentheses. */
static int
parse_primary(struct parser *s, struct ctx_pg_node *node, bool *group)
{
	bool searched = true;
	int rc = are_columns(s) ? parse_columns(s, &searched) : 0;

	if (rc < 0)
		return -1;
	*group = is_sign(s, '(');
	if (!*group) {
		rc = parse_near(s, node);
	} else if (++s->depth > DEPTH_MAX) {
		rc = fail_parsing(s);
	} else {
		take_token(s);
		rc = parse_or(s, node);
		s->depth--;
		if (rc == 0)
			rc = take_sign(s, ')');
	}
	if (!searched)
		node->never = true;
	return rc;
}

static bool
is_primary(const struct parser *s)
{
	return s->token == TOKEN_TEXT || is_sign(s, '^') || are_columns(s);
}

/* Phrases one after another: all that have words must match. */
static int
parse_row(struct parser *s, struct ctx_pg_node *node)
{
	struct ctx_pg_node row = {.type = CTX_PG_NODE_AND}, *child;
	bool group = false;
	int rc = parse_primary(s, node, &group);

	if (rc < 0 || group || !is_primary(s))
		return rc;
	if (!node->empty)
		add_child(&row, node);
	while (rc == 0 && is_primary(s)) {
		child = add_child(&row, &(struct ctx_pg_node){.n = 0});
		rc = parse_primary(s, child, &group);
		if (rc == 0 && group)
			rc = fail_parsing(s);
		if (child->empty)
			row.n--;
	}
	row.never = row.empty = row.n == 0;
	*node = row;
	return rc;
}

/* side (sign side)*. A single side is returned without a parent node. */
static int
parse_sides(struct parser *s, struct ctx_pg_node *node, enum token sign,
    enum ctx_pg_node_type type, int (*side)(struct parser *s, struct ctx_pg_node *node))
{
	struct ctx_pg_node all = {.type = type};
	int rc = side(s, node);

	if (rc < 0 || s->token != sign)
		return rc;
	add_child(&all, node);
	while (rc == 0 && s->token == sign) {
		take_token(s);
		rc = side(s, add_child(&all, &(struct ctx_pg_node){.n = 0}));
	}
	*node = all;
	return rc;
}

static int
parse_not(struct parser *s, struct ctx_pg_node *node)
{
	return parse_sides(s, node, TOKEN_NOT, CTX_PG_NODE_NOT, parse_row);
}

static int
parse_and(struct parser *s, struct ctx_pg_node *node)
{
	return parse_sides(s, node, TOKEN_AND, CTX_PG_NODE_AND, parse_not);
}

static int
parse_or(struct parser *s, struct ctx_pg_node *node)
{
	return parse_sides(s, node, TOKEN_OR, CTX_PG_NODE_OR, parse_and);
}

/* ---- queries ---- */

int
ctx_pg_query_new(struct ctx_pg_query **out, struct ctx_word_list *words,
    const char *query, struct ctx_err *err)
{
	struct parser s = {.words = words, .query = query, .p = query, .err = err};
	struct ctx_pg_query *q = *out = ctx_mem_new(sizeof(**out));
	int rc;

	s.q = q;
	take_token(&s);
	q->root.never = s.token == TOKEN_END;
	rc = q->root.never ? 0 : parse_or(&s, &q->root);
	if (rc == 0 && s.token != TOKEN_END)
		rc = fail_parsing(&s);
	ctx_buf_release(&s.text);
	/* empty, not absent: an absent span would bind NULL */
	ctx_buf_adds(&q->text, "");
	ctx_buf_adds(&q->words, "");
	ctx_buf_adds(&q->prefixes, "");
	if (rc == 0)
		ctx_pg_query_write(q);
	if (rc < 0) {
		ctx_pg_query_free(q);
		*out = NULL;
	}
	return rc;
}

static void
free_children(struct ctx_pg_node *node)
{
	for (size_t i = 0; i < node->n; i++)
		free_children(&node->children[i]);
	free(node->children);
}

void
ctx_pg_query_free(struct ctx_pg_query *q)
{
	if (q == NULL)
		return;
	for (size_t i = 0; i < q->n; i++) {
		struct ctx_pg_phrase *f = &q->phrases[i];
		for (size_t w = 0; w < f->n; w++) {
			free(f->words[w].text);
			free(f->words[w].places.v);
		}
		free(f->words);
		free(f->starts.v);
		ctx_buf_release(&f->text);
	}
	free(q->phrases);
	free_children(&q->root);
	ctx_buf_release(&q->text);
	ctx_buf_release(&q->words);
	ctx_buf_release(&q->prefixes);
	free(q);
}
