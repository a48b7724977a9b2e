/* Private to the engine for PostgreSQL: parses a full-text query in FTS5's syntax
 * (https://sqlite.org/fts5.html#full_text_query_syntax) into a tree, and writes the tree
 * as a tsquery. */
#ifndef CTX_STORE_ENGINE_PG_QUERY_H
#define CTX_STORE_ENGINE_PG_QUERY_H

#include "store/engine_sqlite_words.h"

/* Positions, counted in words, in the row that is being examined, in ascending order: the
 * positions of a word, or the positions at which a phrase begins. */
struct ctx_pg_places {
	int *v;
	size_t n, cap;
};

struct ctx_pg_word {
	char *text;
	bool prefix; /* true: "text" is only the beginning of a word */
	struct ctx_pg_places places;
};

struct ctx_pg_phrase {
	struct ctx_buf text; /* the phrase as a tsquery */
	struct ctx_pg_word *words;
	size_t n, cap;
	struct ctx_pg_places starts;
};

enum ctx_pg_node_type {
	CTX_PG_NODE_NEAR, /* one phrase, or several phrases near each other */
	CTX_PG_NODE_AND,
	CTX_PG_NODE_OR,
	CTX_PG_NODE_NOT, /* rows that match the first child and no other child */
};

struct ctx_pg_node {
	enum ctx_pg_node_type type;
	bool never; /* true: the node matches no row */
	/* true: the node contains no words, so the node's parent ignores it */
	bool empty;
	/* For a NEAR node. first: index of the node's first phrase in
	 * ctx_pg_query.phrases; n_phrases: number of phrases; distance: maximum number of
	 * words between two phrases */
	size_t first, n_phrases;
	int64_t distance;
	bool at_start; /* true: the phrase must be at the start of the text */
	struct ctx_pg_node *children;
	size_t n, cap;
};

struct ctx_pg_query {
	/* The query as a tsquery; empty if no row can match. If exact is false, the
	 * tsquery also finds rows that do not match; each row must then be tested with
	 * ctx_pg_query_matches. */
	struct ctx_buf text;
	bool exact;
	struct ctx_pg_node root;
	struct ctx_pg_phrase *phrases;
	size_t n, cap;
	/* Words of all phrases, separated by spaces. words: the complete words; prefixes:
	 * the beginnings of words, which the query marks with '*'. */
	struct ctx_buf words, prefixes;
};

/* Parses a query. words: word list that has the tokenizer. Fails with CTX_EUSAGE if the
 * query is invalid. The caller frees *out. */
int ctx_pg_query_new(struct ctx_pg_query **out, struct ctx_word_list *words,
    const char *query, struct ctx_err *err);
void ctx_pg_query_free(struct ctx_pg_query *q);

/* Computes q->text and q->exact from the parsed query, q->root. */
void ctx_pg_query_write(struct ctx_pg_query *q);

/* Returns true if a row matches the query. row: the words of the row with their
 * positions, in the form "word 1,2,3;word 4". */
bool ctx_pg_query_matches(struct ctx_pg_query *q, struct ctx_span row);
/* Returns how often phrase i occurs in the row that was last passed to
 * ctx_pg_query_matches. Counts only occurrences that belong to the match. */
size_t ctx_pg_query_count(const struct ctx_pg_query *q, size_t i);

/* Appends a word in quotes, in the syntax of tsvector and tsquery. */
void ctx_pg_put_lexeme(struct ctx_buf *out, const char *word, size_t n);

#endif
