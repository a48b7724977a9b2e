/* The engine for PostgreSQL: the full-text index. It is a tsvector column with the words
 * that SQLite's tokenizer finds, so that a search finds the same messages on both
 * engines. */
#include "store/engine_pg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/engine_pg_query.h"
#include "store/engine_sqlite_words.h"
#include "store/row.h"

#define K1 1.2
#define B 0.75

/* PostgreSQL's limits, with some margin: the last position in a tsvector, its size in
 * bytes, and the length of a word. */
#define PLACE_MAX 16383
#define VECTOR_BYTES 900000
#define LEXEME_MAX 2000
/* From this number of rows on, the number of rows and their mean length are estimated. */
#define ROWS_COUNTED 200000

/* ---- words ---- */

static struct ctx_word_list *
words_of(struct ctx_db *db, struct ctx_err *err)
{
	struct ctx_pg *pg = ctx_pg(db);

	if (pg->words != NULL)
		return pg->words;
	pg->words_db = ctx_mem_new(sizeof(*pg->words_db));
	if (ctx_db_open_memory(pg->words_db, "words", err) == 0)
		pg->words = ctx_word_list_new(pg->words_db, err);
	return pg->words;
}

void
ctx_pg_index_close(struct ctx_pg *pg)
{
	ctx_word_list_free(pg->words);
	if (pg->words_db != NULL)
		ctx_db_close(pg->words_db);
	free(pg->words_db);
}

struct vector {
	struct ctx_buf text;
	int64_t n; /* number of words */
	size_t bytes;
};

static int
add_vector_word(void *arg, const char *word, size_t n)
{
	struct vector *v = arg;

	v->n++;
	if (v->bytes > VECTOR_BYTES)
		return 0;
	if (n > LEXEME_MAX)
		n = LEXEME_MAX;
	ctx_pg_put_lexeme(&v->text, word, n);
	ctx_buf_addf(&v->text, ":%d ", (int)(v->n < PLACE_MAX ? v->n : PLACE_MAX));
	v->bytes += n + 6;
	return 0;
}

int
ctx_pg_index_add(struct ctx_db *db, int64_t id, struct ctx_span text, struct ctx_err *err)
{
	struct ctx_word_list *words = words_of(db, err);
	struct vector v = {.n = 0};
	int rc = -1;

	if (words != NULL &&
	    ctx_word_list_each(words, text, add_vector_word, &v, err) == 0)
		rc = ctx_stmt_do(db,
		    "INSERT INTO fulltext (id, size, words) "
		    "VALUES (?1, ?2, ?3::tsvector) "
		    "ON CONFLICT (id) "
		    "DO UPDATE SET size = excluded.size, words = excluded.words",
		    CTX_VALUES(ctx_int(id), ctx_int(v.n),
			ctx_text(
			    v.text.p == NULL ? ctx_span_of("") : ctx_buf_span(&v.text))),
		    err);
	ctx_buf_release(&v.text);
	return rc;
}

int
ctx_pg_index_clear(struct ctx_db *db, struct ctx_err *err)
{
	return ctx_stmt_exec(db, "DELETE FROM fulltext", err);
}

int
ctx_pg_index_erase(struct ctx_db *db, const int64_t *sessions, size_t n,
    const struct ctx_index_rows *rows CTX_UNUSED, int64_t *erased, struct ctx_err *err)
{
	*erased = 0;
	for (size_t i = 0; i < n;) {
		struct ctx_session_run run = ctx_session_run_take(sessions, n, &i);
		int gone = ctx_stmt_change(db,
		    "DELETE FROM fulltext WHERE id BETWEEN ?1 AND ?2",
		    CTX_VALUES(CTX_RUN_ROWS(run)), err);
		if (gone < 0)
			return -1;
		*erased += gone;
	}
	return 1;
}

/* ---- search ---- */

struct pg_search {
	struct ctx_db *db;
	struct ctx_pg_query *query;
	double mean_length, *rarity;
	ctx_index_hit_fn *fn;
	void *arg;
};

/* Determines the number of rows and the mean number of words of a row. */
static int
read_index_sizes(struct ctx_db *db, double *rows, double *mean, struct ctx_err *err)
{
	int64_t about = 0, exact[2] = {0, 0};
	int rc = ctx_stmt_number(db,
	    "SELECT greatest(reltuples, 0)::bigint "
	    "FROM pg_class "
	    "WHERE oid = 'fulltext'::regclass",
	    &about, err);

	if (rc == 0)
		rc = ctx_stmt_ints(db,
		    about < ROWS_COUNTED
			? "SELECT count(*), coalesce(sum(size), 0)::bigint FROM fulltext"
			: "SELECT count(*), coalesce(sum(size), 0)::bigint "
			  "FROM fulltext TABLESAMPLE SYSTEM (1)",
		    NULL, 0, exact, 2, err);
	*rows = about < ROWS_COUNTED ? (double)exact[0] : (double)about;
	*mean = exact[0] > 0 ? (double)exact[1] / (double)exact[0] : 1;
	return rc < 0 ? -1 : 0;
}

static int
read_rarities(struct pg_search *s, double rows, struct ctx_err *err)
{
	for (size_t i = 0; i < s->query->n; i++) {
		int64_t with = 0;
		if (ctx_stmt_ints(s->db,
			"SELECT count(*) FROM fulltext WHERE words @@ ?1::tsquery",
			CTX_VALUES(ctx_text(ctx_buf_span(&s->query->phrases[i].text))),
			&with, 1, err) < 0)
			return -1;
		s->rarity[i] = log((rows - (double)with + 0.5) / ((double)with + 0.5));
		if (s->rarity[i] <= 0)
			s->rarity[i] = 1e-6;
	}
	return 0;
}

static int
score_row(struct pg_search *s, struct ctx_stmt *q, struct ctx_err *err)
{
	double length = (double)ctx_stmt_int64(q, 1), sum = 0;
	double norm = K1 * (1 - B + B * length / s->mean_length);

	if (!ctx_pg_query_matches(s->query, ctx_stmt_span(q, 2)) && !s->query->exact)
		return 0;
	for (size_t i = 0; i < s->query->n; i++) {
		double n = (double)ctx_pg_query_count(s->query, i);
		if (n > 0)
			sum += s->rarity[i] * (n * (K1 + 1) / (n + norm));
	}
	return s->fn(s->arg, ctx_stmt_int64(q, 0), sum, err);
}

/* Starts to read the rows that the tsquery finds: their id, their number of words, and the
 * positions of the query's words. */
static struct ctx_row
find_rows(struct ctx_db *db, const struct ctx_index_query *query,
    const struct ctx_pg_query *parsed, struct ctx_err *err)
{
	static const char sql[] =
	    "SELECT id, size, ("
	    "SELECT string_agg(u.lexeme || ' ' || array_to_string(u.positions, ','), ';') "
	    "FROM unnest(f.words) u "
	    "WHERE u.lexeme = ANY (string_to_array(?4, ' ')) "
	    "OR u.lexeme ^@ ANY (string_to_array(?5, ' '))) "
	    "FROM fulltext f "
	    "WHERE words @@ ?1::tsquery AND id BETWEEN ?2 AND ?3 "
	    "ORDER BY id";

	return ctx_rows(db, "fulltext", sql,
	    CTX_VALUES(ctx_text(ctx_buf_span(&parsed->text)), ctx_int(query->first_id),
		ctx_int(query->last_id), ctx_text(ctx_buf_span(&parsed->words)),
		ctx_text(ctx_buf_span(&parsed->prefixes))),
	    err);
}

int
ctx_pg_index_search(struct ctx_db *db, const struct ctx_index_query *query,
    ctx_index_hit_fn *fn, void *arg, struct ctx_err *err)
{
	struct pg_search s = {.db = db, .fn = fn, .arg = arg};
	struct ctx_word_list *words = words_of(db, err);
	double rows;
	int rc = -1;

	if (words == NULL || ctx_pg_query_new(&s.query, words, query->query, err) < 0)
		return -1;
	s.rarity = ctx_mem_new((s.query->n + 1) * sizeof(*s.rarity));
	if (s.query->text.n == 0)
		rc = 0;
	else if (read_index_sizes(db, &rows, &s.mean_length, err) == 0 &&
		 read_rarities(&s, rows, err) == 0) {
		struct ctx_row r = find_rows(db, query, s.query, err);
		while (ctx_rows_next(&r))
			r.rc = score_row(&s, r.q, err);
		rc = ctx_rows_end(&r);
	}
	free(s.rarity);
	ctx_pg_query_free(s.query);
	return rc;
}

static int
count_found_rows(struct ctx_db *db, const struct ctx_index_query *query,
    const struct ctx_pg_query *parsed, int64_t max, int64_t *n, struct ctx_err *err)
{
	return ctx_stmt_ints(db,
	    "SELECT count(*) "
	    "FROM ("
	    "SELECT 1 "
	    "FROM fulltext "
	    "WHERE words @@ ?1::tsquery AND id BETWEEN ?2 AND ?3 "
	    "LIMIT ?4) AS found",
	    CTX_VALUES(ctx_text(ctx_buf_span(&parsed->text)), ctx_int(query->first_id),
		ctx_int(query->last_id), ctx_int(max)),
	    n, 1, err);
}

int
ctx_pg_index_count(struct ctx_db *db, const struct ctx_index_query *query, int64_t max,
    int64_t *n, struct ctx_err *err)
{
	struct ctx_word_list *words = words_of(db, err);
	struct ctx_pg_query *parsed;
	int rc = 0;

	*n = 0;
	if (words == NULL || ctx_pg_query_new(&parsed, words, query->query, err) < 0)
		return -1;
	if (parsed->text.n > 0 && parsed->exact)
		rc = count_found_rows(db, query, parsed, max, n, err);
	else if (parsed->text.n > 0) {
		struct ctx_row r = find_rows(db, query, parsed, err);
		while (*n < max && ctx_rows_next(&r))
			*n += ctx_pg_query_matches(parsed, ctx_stmt_span(r.q, 2));
		rc = ctx_rows_end(&r);
	}
	ctx_pg_query_free(parsed);
	return rc < 0 ? -1 : 0;
}
