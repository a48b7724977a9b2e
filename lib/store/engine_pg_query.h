/* Private to the engine on PostgreSQL: a query of full text in FTS5's syntax
 * (https://sqlite.org/fts5.html#full_text_query_syntax), as a tsquery and as a tree. */
#ifndef CTX_STORE_ENGINE_PG_QUERY_H
#define CTX_STORE_ENGINE_PG_QUERY_H

#include "store/engine_sqlite_words.h"

/* Places of a word or of a phrase in the row at hand, ascending. */
struct ctx_pg_places {
	int *v;
	size_t n, cap;
};

struct ctx_pg_word {
	char *text;
	bool prefix; /* the beginning of a word */
	struct ctx_pg_places places;
};

struct ctx_pg_phrase {
	struct ctx_buf text; /* as a tsquery */
	struct ctx_pg_word *words;
	size_t n, cap;
	struct ctx_pg_places starts;
};

enum ctx_pg_node_type {
	CTX_PG_NODE_NEAR, /* phrases near each other, or one phrase */
	CTX_PG_NODE_AND,
	CTX_PG_NODE_OR,
	CTX_PG_NODE_NOT, /* the first child and none of the others */
};

struct ctx_pg_node {
	enum ctx_pg_node_type type;
	bool never; /* no row matches */
	bool empty; /* without words: left out of a row of phrases */
	/* NEAR: the phrases phrases[first], …, and the most words between them */
	size_t first, n_phrases;
	int64_t distance;
	bool at_start; /* of the text */
	struct ctx_pg_node *children;
	size_t n, cap;
};

struct ctx_pg_query {
	/* As a tsquery; empty: no row matches. Where exact is not set, rows that match it
	 * need ctx_pg_query_matches. */
	struct ctx_buf text;
	bool exact;
	struct ctx_pg_node root;
	struct ctx_pg_phrase *phrases;
	size_t n, cap;
	struct ctx_buf words, prefixes; /* of all phrases, separated by spaces */
};

/* CTX_EUSAGE if the query is invalid. */
int ctx_pg_query_new(struct ctx_pg_query **out, struct ctx_word_list *words,
    const char *query, struct ctx_err *err);
void ctx_pg_query_free(struct ctx_pg_query *q);

/* Writes the text of a query that was parsed. */
void ctx_pg_query_write(struct ctx_pg_query *q);

/* Does a row match that has the words in these places: "word 1,2,3;word 4"? */
bool ctx_pg_query_matches(struct ctx_pg_query *q, struct ctx_span row);
/* Returns how often phrase i is in that row, as far as the match rests on it. */
size_t ctx_pg_query_count(const struct ctx_pg_query *q, size_t i);

/* Appends a word in quotes, as text vectors and queries write it. */
void ctx_pg_put_lexeme(struct ctx_buf *out, const char *word, size_t n);

#endif
