/* What of a page holds no row: a removed text is there, one that stays is not. */
#define _GNU_SOURCE
#include "store/engine_sqlite_page.h"

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

/* ---- overflow pages ---- */

static int
read_file_page(void *arg, int64_t number, char *page)
{
	const struct ctx_buf *file = arg;

	if (number < 1 || (size_t)number * PAGE > file->n)
		return -1;
	memcpy(page, file->p + (number - 1) * PAGE, PAGE);
	return 0;
}

/* Of overflow pages and pointer maps, what no row has; of all other pages nothing. */
static void
read_overflow(const char *path)
{
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_page_file f = {
	    .page = PAGE, .usable = PAGE, .read = read_file_page, .arg = &file};

	CHECK(ctx_io_read_file(path, &file, (size_t)1 << 24, &err) == 0);
	f.has_map = file.p[52] != 0 || file.p[53] != 0 || file.p[54] != 0 ||
		    file.p[55] != 0;
	ctx_buf_reset(&found);
	for (size_t at = 0; at + PAGE <= file.n; at += PAGE) {
		struct ctx_span page = {file.p + at, PAGE};
		int64_t number = (int64_t)(at / PAGE) + 1;
		size_t live = ctx_page_overflow(&f, page, number);
		CHECK(live <= PAGE);
		if (live == 0)
			ctx_page_free(page, number, note, NULL);
		else
			note(NULL, (struct ctx_span){page.p + live, PAGE - live});
	}
	ctx_page_file_release(&f);
	ctx_buf_release(&file);
}

/* Rows of every length from a cell to many pages, in a table, an index and a table without
 * rowids: none of their bytes counts as free, and all bytes of removed ones do. */
static void
long_rows_are_in_use(void)
{
	static const char make[] =
	    "PRAGMA page_size = 512; PRAGMA auto_vacuum = INCREMENTAL;"
	    "PRAGMA secure_delete = ON;" /* no copies of rows that were moved */
	    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);"
	    "CREATE TABLE w (a TEXT PRIMARY KEY) WITHOUT ROWID;"
	    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) "
	    "INSERT INTO t SELECT i, replace(hex(zeroblob(i * 3)), '00', "
	    "CASE WHEN i % 5 = 0 THEN 'gone' ELSE 'stay' END) FROM n;"
	    "INSERT INTO w SELECT 'key ' || id || a FROM t WHERE id % 3 = 0;"
	    "CREATE INDEX i ON t (a); VACUUM;";
	char path[] = "/tmp/ctx-page-XXXXXX";
	sqlite3 *h;

	close(mkstemp(path));
	CHECK(sqlite3_open(path, &h) == SQLITE_OK);
	CHECK(sqlite3_exec(h, make, NULL, NULL, NULL) == SQLITE_OK);
	read_overflow(path);
	CHECK(!finds("staystay"));
	CHECK(!finds("gonegone"));
	CHECK(
	    sqlite3_exec(h, "PRAGMA secure_delete = OFF; DELETE FROM t WHERE id % 5 = 0;",
		NULL, NULL, NULL) == SQLITE_OK);
	read_overflow(path);
	CHECK(finds("gonegone"));
	CHECK(sqlite3_close(h) == SQLITE_OK);
	unlink(path);
	ctx_buf_release(&found);
}

/* Maps that say what cannot be are no reason to read beyond a page, or for ever. */
static void
damaged_maps_are_survived(void)
{
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_page_file f = {.page = PAGE,
	    .usable = PAGE,
	    .has_map = true,
	    .read = read_file_page,
	    .arg = &file};
	uint32_t seed = 1;

	ctx_buf_reserve(&file, (size_t)8 * PAGE);
	file.n = (size_t)8 * PAGE;
	for (int round = 0; round < 3000; round++) {
		for (size_t i = 0; i < file.n; i++)
			file.p[i] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
		for (size_t i = 0; i < 6; i++) { /* chains, of these pages */
			char *entry = file.p + PAGE + 5 * i;
			entry[0] = (char)(3 + (seed >> (8 + i)) % 2);
			entry[1] = entry[2] = entry[3] = 0;
			entry[4] = (char)(1 + (seed >> (10 + 2 * i)) % 8);
			memset(file.p + (2 + i) * PAGE, round % 2 == 0 ? 0 : 13, 4);
		}
		f.map_number = 0;
		for (int64_t number = 2; number <= 8; number++)
			CHECK(ctx_page_overflow(&f,
				  (struct ctx_span){file.p + (number - 1) * PAGE, PAGE},
				  number) <= PAGE);
	}
	ctx_page_file_release(&f);
	ctx_buf_release(&file);
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
	RUN(long_rows_are_in_use);
	RUN(damaged_maps_are_survived);
	return TEST_END();
}
