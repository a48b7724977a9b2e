/* Fuzz target for counting. The first byte picks: text to count, a rank file to build a
 * table of, or damage to do to a table. Whatever comes in: pieces cover the text, ids
 * and count agree, and no table is read beyond its end. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "tokens/approx.h"
#include "tokens/bpe.h"
#include "tokens/split.h"
#include "tokens/table.h"
#include "tokens/tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(int good)
{
	if (!good)
		abort();
}

static void
count(const struct ctx_table *t, const char *p, size_t n)
{
	struct ctx_bpe bpe = {NULL, 0};
	uint32_t *ids = ctx_mem_resize(NULL, n + 1, sizeof(*ids));

	for (const char *end = p + n; p < end;) {
		size_t len = ctx_split_o200k(p, end);
		require(len > 0 && len <= (size_t)(end - p));
		require(ctx_split_cl100k(p, end) <= (size_t)(end - p));
		(void)ctx_table_find(t, p, len, (size_t)(end - p));
		require(ctx_bpe_piece(t, &bpe, p, len, NULL) ==
			ctx_bpe_piece(t, &bpe, p, len, ids));
		p += len;
	}
	ctx_bpe_release(&bpe);
	free(ids);
}

/* The table of all bytes and of the pairs of them that the text begins with. */
static struct ctx_buf
small_table(const char *p, size_t n)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct ctx_buf ranks = CTX_BUF_INIT, table = CTX_BUF_INIT, pair = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	for (unsigned i = 0; i < 256; i++)
		ctx_buf_addf(
		    &ranks, "%c%c== %u\n", digits[i >> 2], digits[i << 4 & 63], i);
	for (unsigned i = 0; i < 40 && i + 1 < n; i += 2) {
		unsigned v = (unsigned)(uint8_t)p[i] << 8 | (uint8_t)p[i + 1];
		ctx_buf_reset(&pair);
		ctx_buf_addf(&pair, "%c%c%c= ", digits[v >> 10], digits[v >> 4 & 63],
		    digits[v << 2 & 63]);
		if (strstr(ranks.p, pair.p) == NULL)
			ctx_buf_addf(&ranks, "%s%u\n", pair.p, 256 + i);
	}
	require(
	    ctx_table_build(&table, ctx_buf_span(&ranks), CTX_SPLIT_O200K, &err) == 0);
	ctx_buf_release(&pair);
	ctx_buf_release(&ranks);
	return table;
}

static void
count_text(const char *p, size_t n)
{
	struct ctx_buf table = small_table(p, n);
	struct ctx_table t = CTX_TABLE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	size_t size = table.n;

	require(ctx_table_adopt(&t, ctx_buf_detach(&table), size, &err) == 0);
	n = ctx_utf8_valid(p, n);
	count(&t, p, n);
	require(ctx_approx_text(p, n) <= (int64_t)n);
	ctx_table_release(&t);
}

/* Each five bytes say where to write what. */
static void
damage(const char *p, size_t n)
{
	static const char text[] =
	    "some words, 123 \xe4\xb8\xad\xe6\x96\x87 {\"and\": null}\n";
	struct ctx_buf table = small_table(text, sizeof(text) - 1);
	struct ctx_table t = CTX_TABLE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	size_t size = table.n;

	for (size_t i = 0; i + 5 <= n; i += 5) {
		uint32_t at;
		memcpy(&at, p + i, sizeof(at));
		table.p[at % (i % 2 == 0 ? 400 : size)] = p[i + 4];
	}
	if (ctx_table_adopt(&t, ctx_buf_detach(&table), size, &err) == 0)
		count(&t, text, sizeof(text) - 1);
	ctx_table_release(&t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctx_buf table = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	/* A copy of its own, so that reading beyond its end is seen. */
	char *p;

	if (size < 2)
		return 0;
	p = ctx_mem_dup((const char *)data + 1, --size);
	p = ctx_mem_resize(p, size, 1);
	if (data[0] % 4 == 0)
		(void)ctx_table_build(
		    &table, (struct ctx_span){p, size}, CTX_SPLIT_CL100K, &err);
	else if (data[0] % 4 == 1)
		damage(p, size);
	else
		count_text(p, size);
	ctx_buf_release(&table);
	free(p);
	return 0;
}
