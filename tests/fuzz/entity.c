/* Fuzz target of entity tracking: the input is lines of names and patterns, an empty
 * line, and a text. Checks what must hold whatever the bytes are. Built with
 * -fsanitize=fuzzer, or with its own main that reads files (for the corpus and for
 * other fuzzers) with -DFUZZ_MAIN. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "entity/alias.h"
#include "entity/scan.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
require(int holds)
{
	if (!holds)
		abort();
}

static void
add_alias(void *b, struct ctx_span alias, enum ctx_made where)
{
	require(alias.n >= 3);
	ctx_gazetteer_builder_add_made(b, alias, 2, where);
}

/* Reads the names at the head of the input; returns the text behind them. */
static struct ctx_span
read_head(struct ctx_span in, struct ctx_gazetteer_builder *b, struct ctx_patterns *ps)
{
	struct ctx_err err = CTX_ERR_INIT;

	while (in.n > 0) {
		const char *nl = memchr(in.p, '\n', in.n);
		size_t n = nl == NULL ? in.n : (size_t)(nl - in.p);
		struct ctx_span line = {in.p, n};

		in.p += nl == NULL ? n : n + 1;
		in.n -= nl == NULL ? n : n + 1;
		if (n == 0)
			break;
		if (line.p[0] == '/') {
			line.p++;
			line.n--;
			ctx_patterns_add(ps, ctx_span_of("p"), line, &err);
		} else {
			ctx_gazetteer_builder_add(b, line, 1);
			ctx_alias_generate(line, ctx_span_of("workflow"), add_alias, b);
		}
	}
	return in;
}

static void
check(const struct ctx_mentions *m, struct ctx_span text)
{
	size_t before = 0, from, to;

	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_mention *x = &m->list[i];

		require(x->len > 0 && x->offset >= before && x->offset <= text.n &&
			x->len <= text.n - x->offset);
		before = x->offset;
		require(ctx_mentions_name(m, i).n > 0);
		ctx_mention_context(text, x->offset, x->len, 40, &from, &to);
		require(from <= x->offset && to >= x->offset + x->len && to <= text.n &&
			x->offset - from <= 40 && to - x->offset - x->len <= 40);
	}
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct ctx_gazetteer_builder *b = ctx_gazetteer_builder_new();
	struct ctx_patterns *ps = ctx_patterns_new();
	struct ctx_buf block = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	struct ctx_gazetteer g;
	struct ctx_scan t = {ctx_recognisers_new(), &g, 1, ps};
	struct ctx_span text = read_head(
	    (struct ctx_span){(const char *)data, size}, b, ps);
	char *copy = malloc(text.n); /* so that a byte too far is seen */

	if (text.n > 0)
		memcpy(copy, text.p, text.n);
	text.p = copy;
	require(ctx_gazetteer_build(b, &block, &err) == 0);
	require(ctx_gazetteer_open(&g, block.p, block.n, &err) == 0);
	ctx_scan_text(&t, text, &m);
	check(&m, text);
	/* a damaged block may find anything but harms nobody */
	if (size > 8) {
		size_t at = 96 + (data[0] | (size_t)data[1] << 8) % (block.n - 96);
		block.p[at] = (char)(block.p[at] ^ data[2]);
		ctx_gazetteer_scan(&g, text, &m);
	}
	ctx_mentions_release(&m);
	ctx_recognisers_free(t.builtin);
	ctx_patterns_free(ps);
	ctx_gazetteer_builder_free(b);
	ctx_buf_release(&block);
	free(copy);
	return 0;
}

#ifdef FUZZ_MAIN
int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct ctx_buf in = CTX_BUF_INIT;
		struct ctx_err err = CTX_ERR_INIT;

		if (ctx_io_read_file(argv[i], &in, SIZE_MAX / 2, &err) < 0) {
			fprintf(stderr, "entity: %s\n", err.msg);
			return 4;
		}
		LLVMFuzzerTestOneInput((const unsigned char *)in.p, in.n);
		ctx_buf_release(&in);
	}
	return 0;
}
#endif
