/* What of a page holds no row: a removed text is there, one that stays is not. */
#define _GNU_SOURCE
#include "store/page_free.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "test.h"

#define PAGE 512

static struct ctx_buf found;

static void
note(void *arg, struct ctx_span part)
{
	(void)arg;
	ctx_buf_addspan(&found, part);
}

static bool
finds(const char *text)
{
	return memmem(found.p, found.n, text, strlen(text)) != NULL;
}

static void
read_free(const char *path)
{
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	CHECK(ctx_io_read_file(path, &file, (size_t)1 << 20, &err) == 0);
	ctx_buf_reset(&found);
	for (size_t at = 0; at + PAGE <= file.n; at += PAGE)
		ctx_page_free((struct ctx_span){file.p + at, PAGE},
		    (int64_t)(at / PAGE) + 1, note, NULL);
	ctx_buf_release(&file);
}

static void
removed_rows_are_found(void)
{
	static const char make[] =
	    "PRAGMA page_size = 512; PRAGMA secure_delete = OFF; CREATE TABLE t (id "
	    "INTEGER PRIMARY KEY, a TEXT); CREATE INDEX i ON t (a);"
	    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
	    "300) "
	    "INSERT INTO t SELECT i, 'row number ' || i || ' of some' FROM n";
	static const int removed[] = {70, 150, 151};
	char path[] = "/tmp/ctx-page-XXXXXX", text[64];
	sqlite3 *h;

	close(mkstemp(path));
	CHECK(sqlite3_open(path, &h) == SQLITE_OK);
	CHECK(sqlite3_exec(h, make, NULL, NULL, NULL) == SQLITE_OK);
	CHECK(sqlite3_exec(h, "DELETE FROM t WHERE id IN (70, 150, 151)", NULL, NULL,
		  NULL) == SQLITE_OK);
	CHECK(sqlite3_close(h) == SQLITE_OK);
	read_free(path);
	/* the beginning of a removed row is overwritten by a link */
	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "number %d of some", removed[i]);
		CHECK(finds(text));
	}
	unlink(path);
	ctx_buf_release(&found);
}

static void
live_rows_are_not(void)
{
	char path[] = "/tmp/ctx-page-XXXXXX";
	sqlite3 *h;

	close(mkstemp(path));
	CHECK(sqlite3_open(path, &h) == SQLITE_OK);
	CHECK(
	    sqlite3_exec(h,
		"PRAGMA page_size = 512; CREATE TABLE t (a TEXT);"
		"INSERT INTO t VALUES ('a text that stays'), ('another text that stays')",
		NULL, NULL, NULL) == SQLITE_OK);
	CHECK(sqlite3_close(h) == SQLITE_OK);
	read_free(path);
	CHECK(found.n > 0);
	CHECK(!finds("a text that stays"));
	unlink(path);
	ctx_buf_release(&found);
}

/* Headers that say what cannot be are no reason to read beyond the page. */
static void
damaged_pages_are_taken_whole(void)
{
	unsigned char page[PAGE];
	uint32_t seed = 1;

	for (int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < PAGE; i++)
			page[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >>
						  24);
		page[0] = (unsigned char[]){2, 5, 10, 13}[round % 4];
		if (round % 2 == 0)
			page[3] = page[5] = page[1] = (unsigned char)(page[1] & 1);
		ctx_buf_reset(&found);
		ctx_page_free((struct ctx_span){(char *)page, PAGE}, 2, note, NULL);
		CHECK(found.n <= PAGE);
	}
	memset(page, 7, PAGE);
	ctx_buf_reset(&found);
	ctx_page_free((struct ctx_span){(char *)page, PAGE}, 2, note, NULL);
	CHECK(found.n == PAGE);
	ctx_buf_release(&found);
}

int
main(void)
{
	RUN(removed_rows_are_found);
	RUN(live_rows_are_not);
	RUN(damaged_pages_are_taken_whole);
	return TEST_END();
}
