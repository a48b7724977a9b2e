/* Rows taken out of the index leave it as if they had never been in: the words with their
 * places are those of an index that was made without them, and FTS5 finds it sound. */
#include <sqlite3.h>

#include "base/mem.h"
#include "store/derived.h"
#include "store/engine_sqlite_erase.h"
#include "store/row.h"
#include "store_help.h"
#include "test.h"

#define SESSIONS 40

static struct ctx_db *db;
static struct ctx_err err = CTX_ERR_INIT;

/* Numbers of their own for each text. */
struct rnd {
	uint64_t state;
};

static uint32_t
rnd_below(struct rnd *r, uint32_t n)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(z >> 32) % n;
}

struct shape {
	int messages; /* of a session, at most */
	int words;    /* of a message, at most */
	int common;   /* words that are in many */
	int rare;
	int flushes; /* transactions that add rows: segments */
	bool small;  /* pages, so that there are many */
};

static void
must(int rc)
{
	store_must(rc, &err);
}

static void
run_sql(const char *sql)
{
	must(ctx_stmt_exec(db, sql, &err));
}

/* The same text for the same numbers. */
static void
make_text(struct ctx_buf *b, const struct shape *s, int session, int message)
{
	struct rnd r = {(uint64_t)(session * 1000 + message + 1)};
	uint32_t n = rnd_below(&r, (uint32_t)s->words + 1);

	ctx_buf_reset(b);
	for (uint32_t i = 0; i < n; i++)
		if (rnd_below(&r, 3) > 0)
			ctx_buf_addf(b, "common%u ", rnd_below(&r, (uint32_t)s->common));
		else
			ctx_buf_addf(
			    b, "r%x ", rnd_below(&r, (uint32_t)s->rare) * 2654435761U);
	ctx_buf_addf(b, "only%dx%d", session, message);
}

static int
count_messages(const struct shape *s, int session)
{
	return 1 + session * 7 % s->messages;
}

static void
add_text(const char *table, int session, int message, const struct ctx_buf *text)
{
	struct ctx_buf sql = CTX_BUF_INIT;

	ctx_buf_addf(&sql, "INSERT INTO %s (rowid, text) VALUES (?1, ?2)", table);
	must(ctx_stmt_do(db, sql.p,
	    CTX_VALUES(
		ctx_int(ctx_row_id(session, message)), ctx_text(ctx_buf_span(text))),
	    &err));
	ctx_buf_release(&sql);
}

static void
fill(const char *table, const struct shape *s, const bool gone[])
{
	struct ctx_buf text = CTX_BUF_INIT;

	for (int f = 0; f < s->flushes; f++) {
		run_sql("BEGIN");
		for (int i = 1 + f; i <= SESSIONS; i += s->flushes)
			for (int m = 1; m <= count_messages(s, i) && !gone[i]; m++) {
				make_text(&text, s, i, m);
				add_text(table, i, m, &text);
			}
		run_sql("COMMIT");
	}
	ctx_buf_release(&text);
}

/* 1 it was done; 0 the index was not as expected. */
static int
cut(const struct shape *s, const bool now[])
{
	struct ctx_word_list *words = ctx_word_list_new(db, &err);
	struct ctx_buf text = CTX_BUF_INIT;
	int64_t list[SESSIONS];
	size_t n = 0;
	int rc;

	for (int i = 1; i <= SESSIONS; i++) {
		if (!now[i])
			continue;
		list[n++] = i;
		for (int m = 1; m <= count_messages(s, i); m++) {
			make_text(&text, s, i, m);
			must(ctx_word_list_add(words, i, ctx_buf_span(&text), &err));
		}
	}
	run_sql("BEGIN IMMEDIATE");
	rc = ctx_fulltext_cut(db, list, n, words, n % 2 == 0, &err);
	must(rc);
	run_sql("COMMIT");
	ctx_word_list_free(words);
	ctx_buf_release(&text);
	return rc;
}

static int64_t
number(const char *sql)
{
	int64_t v = -1;

	must(ctx_stmt_number(db, sql, &v, &err));
	return v;
}

static void
check_index(const struct shape *s, const bool gone[])
{
	run_sql("INSERT INTO fulltext (fulltext) VALUES ('integrity-check')");
	run_sql("DROP TABLE IF EXISTS fresh; "
		"CREATE VIRTUAL TABLE fresh USING fts5(text, content = '', tokenize = "
		"\"porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'\")");
	fill("fresh", s, gone);
	CHECK(number("SELECT count(*) FROM (SELECT term, doc, offset FROM mine "
		     "EXCEPT SELECT term, doc, offset FROM its)") == 0);
	CHECK(number("SELECT count(*) FROM (SELECT term, doc, offset FROM its "
		     "EXCEPT SELECT term, doc, offset FROM mine)") == 0);
	CHECK(number("SELECT count(*) FROM (SELECT id, sz FROM fulltext_docsize "
		     "EXCEPT SELECT id, sz FROM fresh_docsize)") == 0);
	CHECK(number("SELECT count(*) FROM fresh_docsize") == 0 ||
	      number("SELECT (SELECT hex(block) FROM fulltext_data WHERE id = 1) = "
		     "(SELECT hex(block) FROM fresh_data WHERE id = 1)") == 1);
	for (int i = 1; i <= SESSIONS; i += 3) {
		char sql[256];
		snprintf(sql, sizeof(sql),
		    "SELECT (SELECT group_concat(rowid) FROM fulltext WHERE fulltext MATCH "
		    "'common1' AND rowid BETWEEN %lld AND %lld) IS (SELECT "
		    "group_concat(rowid) FROM fresh WHERE fresh MATCH 'common1' AND rowid "
		    "BETWEEN %lld AND %lld)",
		    (long long)i << 32, (long long)(i + 2) << 32, (long long)i << 32,
		    (long long)(i + 2) << 32);
		CHECK(number(sql) == 1);
	}
	CHECK(number(
		  "SELECT (SELECT group_concat(rowid) FROM (SELECT rowid FROM fulltext "
		  "WHERE fulltext MATCH 'common0 AND common1' ORDER BY rowid DESC)) IS "
		  "(SELECT group_concat(rowid) FROM (SELECT rowid FROM fresh WHERE fresh "
		  "MATCH 'common0 AND common1' ORDER BY rowid DESC))") == 1);
}

static void
cut_and_check(const struct shape *s, uint32_t seed, bool optimize)
{
	struct ctx_store *st = store_open();
	struct rnd r = {seed};
	bool gone[SESSIONS + 1] = {false}, now[SESSIONS + 1];

	db = ctx_store_derived(st, &err);
	must(db == NULL ? -1 : 0);
	run_sql(
	    "CREATE VIRTUAL TABLE temp.mine USING fts5vocab(main, fulltext, instance); "
	    "CREATE VIRTUAL TABLE temp.its USING fts5vocab(main, fresh, instance)");
	if (s->small)
		run_sql("INSERT INTO fulltext (fulltext, rank) VALUES ('pgsz', 64)");
	fill("fulltext", s, gone);
	if (optimize)
		run_sql("INSERT INTO fulltext (fulltext) VALUES ('optimize')");
	for (int round = 0; round < 4; round++) {
		uint32_t some = round == 3 ? 1 : 2 + rnd_below(&r, 8);
		for (int i = 1; i <= SESSIONS; i++) {
			now[i] = !gone[i] && rnd_below(&r, some) == 0;
			gone[i] |= now[i];
		}
		CHECK(cut(s, now) == 1);
		check_index(s, gone);
		if (round == 1) { /* FTS5 goes on with what is left */
			struct ctx_buf text = CTX_BUF_INIT;
			make_text(&text, s, 1, 1);
			for (int i = 1; i <= SESSIONS; i++)
				if (gone[i] && rnd_below(&r, 2) == 0) {
					gone[i] = false;
					for (int m = 1; m <= count_messages(s, i); m++) {
						make_text(&text, s, i, m);
						add_text("fulltext", i, m, &text);
					}
				}
			ctx_buf_release(&text);
			check_index(s, gone);
		}
	}
	ctx_store_close(st);
	store_remove();
}

static void
rows_are_cut(void)
{
	static const struct shape shapes[] = {
	    {3, 10, 5, 50, 1, false}, {3, 10, 5, 50, 7, true},
	    {40, 30, 3, 3000, 6, false}, {50, 100, 2, 100, 2, false},
	    {30, 60, 2, 100, 2, true}, {4, 3000, 2, 40, 3, false},
	    {9, 300, 2, 40, 2, true}, /* lists longer than pages */
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (uint32_t seed = 1; seed <= 2; seed++)
			cut_and_check(&shapes[i], seed + (uint32_t)i * 10, seed % 2 == 0);
}

int
main(void)
{
	RUN(rows_are_cut);
	return TEST_END();
}
