/* Private to the engine on PostgreSQL: a query of full text, from FTS5's syntax to that of
 * tsquery. */
#ifndef CTX_STORE_ENGINE_PG_QUERY_H
#define CTX_STORE_ENGINE_PG_QUERY_H

#include "store/engine_sqlite_words.h"

struct ctx_pg_phrase {
	struct ctx_buf text; /* the phrase as a tsquery */
	char **words;
	size_t n, cap;
	bool prefix; /* the last word is the beginning of one */
	/* places of each word in the row at hand, ascending */
	struct ctx_pg_places {
		int *v;
		size_t n, cap;
	} * places;
};

struct ctx_pg_query {
	struct ctx_buf text; /* the query as a tsquery; empty: it matches nothing */
	struct ctx_pg_phrase *phrases;
	size_t n, cap;
	struct ctx_buf words, prefixes; /* of all phrases, separated by spaces */
};

/* Parses phrases, AND, OR, NOT, parentheses, + and *. CTX_EUSAGE for anything else. */
int ctx_pg_query_new(struct ctx_pg_query **out, struct ctx_word_list *words,
    const char *query, struct ctx_err *err);
void ctx_pg_query_free(struct ctx_pg_query *q);

/* Reads the positions of words in a row, written as "word 1,2,3;word 4". */
void ctx_pg_query_place(struct ctx_pg_query *q, struct ctx_span row);
/* Counts how often phrase i is in that row. */
size_t ctx_pg_query_count(const struct ctx_pg_query *q, size_t i);

/* Appends a word in quotes, as text vectors and queries write it. */
void ctx_pg_put_lexeme(struct ctx_buf *out, const char *word, size_t n);

#endif
