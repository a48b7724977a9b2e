/* Ids of the two vocabularies against those of the reference (tokens_ids.ndjson, made by
 * tests/bench/tokens/oracle.js --fixture). Needs their tables: make tokenizers. */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "tokens/tokens.h"

static const char *dir;
static struct ctx_buf fixture;

static void
check_line(struct ctx_tokenizer *t, struct ctx_span line)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	uint32_t *ids;
	size_t n, i = 0;
	int64_t want;

	ctx_json_decode(ctx_json_get(line, "text"), &text);
	CHECK(ctx_tokens_ids(t, text.p, text.n, &ids, &n, &err) == 0);
	CHECK_INT(ctx_tokens_text(t, text.p, text.n), n);
	CTX_JSON_EACH(it, ctx_json_get(line, ctx_tokenizer_name(t)))
		if (i++ < n && ctx_json_int(it.value, &want))
			CHECK_INT(ids[i - 1], want);
	CHECK_INT(n, i);
	free(ids);
	ctx_buf_release(&text);
}

static void
check_all(const char *name)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tokenizer *t;
	int lines = 0;

	CHECK(ctx_tokenizer_open(&t, name, dir, &err) == 0);
	if (t == NULL)
		return;
	for (char *p = fixture.p, *nl; (nl = strchr(p, '\n')) != NULL;
	     p = nl + 1, lines++)
		check_line(t, (struct ctx_span){p, (size_t)(nl - p)});
	CHECK_INT(lines, 400);
	ctx_tokenizer_close(t);
}

static void
cl100k_base(void)
{
	check_all("cl100k_base");
}

static void
o200k_base(void)
{
	check_all("o200k_base");
}

static void
same(struct ctx_tokenizer *t, const char *bad, const char *good)
{
	struct ctx_err err = CTX_ERR_INIT;
	uint32_t *a, *b;
	size_t n, m;

	CHECK(ctx_tokens_ids(t, bad, strlen(bad), &a, &n, &err) == 0);
	CHECK(ctx_tokens_ids(t, good, strlen(good), &b, &m, &err) == 0);
	CHECK(n == m && memcmp(a, b, n * sizeof(*a)) == 0);
	free(a);
	free(b);
}

/* Unicode 16, section 3.9, tables 3-8 to 3-11: one U+FFFD for each maximal subpart. */
static void
not_utf8(void)
{
#define R "\xef\xbf\xbd"
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tokenizer *t;

	CHECK(ctx_tokenizer_open(&t, "o200k_base", dir, &err) == 0);
	if (t == NULL)
		return;
	same(t,
	    "\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
	    "A",
	    R R R R R R R R "A");
	same(t,
	    "\xed\xa0\x80\xed\xbf\xbf\xed\xaf"
	    "A",
	    R R R R R R R R "A");
	same(t,
	    "\xf4\x91\x92\x93\xff"
	    "A\x80\xbf"
	    "B",
	    R R R R R "A" R R "B");
	same(t,
	    "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
	    "A",
	    R R R R "A");
	same(t, "word \xe4\xb8", "word " R);
	ctx_tokenizer_close(t);
}

/* A table that was cut short, or is another file, is refused and not read beyond. */
static void
bad_tables(void)
{
	struct ctx_buf path = CTX_BUF_INIT, table = CTX_BUF_INIT;
	char copy[] = "/tmp/ctx-unit-XXXXXX";
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tokenizer *t;

	ctx_buf_addf(&path, "%s/o200k_base.tbl", dir);
	CHECK(ctx_io_read_file(path.p, &table, CTX_TOKENS_RANKS_MAX, &err) == 0);
	close(mkstemp(copy));
	for (size_t n = 0; n < table.n; n = n * 3 + 1) {
		CHECK(ctx_io_replace_file(copy, table.p, n, &err) == 0);
		CHECK(ctx_tokenizer_open(&t, copy, NULL, &err) < 0);
	}
	CHECK(ctx_io_replace_file(copy, table.p, table.n, &err) == 0);
	CHECK(ctx_tokenizer_open(&t, copy, NULL, &err) == 0);
	CHECK_INT(ctx_tokens_text(t, "hello world", 11), 2);
	ctx_tokenizer_close(t);
	unlink(copy);
	ctx_buf_release(&path);
	ctx_buf_release(&table);
}

int
main(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	dir = getenv("CTX_TOKENIZER_DIR");
	if (dir == NULL)
		dir = "build/tokenizers";
	if (access(dir, F_OK) != 0) {
		printf("1..0 # SKIP no tables: make tokenizers\n");
		return 0;
	}
	if (ctx_io_read_file("tests/unit/tokens_ids.ndjson", &fixture, 1 << 24, &err) <
	    0) {
		printf("Bail out! %s\n", err.msg);
		return 1;
	}
	RUN(cl100k_base);
	RUN(o200k_base);
	RUN(not_utf8);
	RUN(bad_tables);
	ctx_buf_release(&fixture);
	return TEST_END();
}
