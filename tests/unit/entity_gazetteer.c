#include "test.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "words/fold.h"
#include "entity/gazetteer.h"

/* Build from a NULL-terminated list; the id of each is its place from 1. */
static struct ctx_buf
build(const char *const names[])
{
	struct ctx_gazetteer_builder *b = ctx_gazetteer_builder_new();
	struct ctx_buf block = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	for (uint64_t i = 0; names[i] != NULL; i++)
		ctx_gazetteer_builder_add(b, ctx_span_of(names[i]), i + 1);
	CHECK(ctx_gazetteer_build(b, &block, &err) == 0);
	ctx_gazetteer_builder_free(b);
	return block;
}

/* "id:offset+len …" of what the gazetteer finds. */
static void
found(const struct ctx_buf *block, struct ctx_span text, struct ctx_buf *out)
{
	struct ctx_gazetteer g;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_mentions m = CTX_MENTIONS_INIT;

	ctx_buf_reset(out);
	ctx_buf_adds(out, "");
	if (ctx_gazetteer_open(&g, block->p, block->n, &err) < 0 ||
	    ctx_gazetteer_verify(&g, &err) < 0) {
		ctx_buf_adds(out, err.msg);
		return;
	}
	ctx_gazetteer_scan(&g, text, &m);
	for (size_t i = 0; i < m.n; i++)
		ctx_buf_addf(out, "%s%d:%zu+%zu", i ? " " : "", (int)m.list[i].id,
		    m.list[i].offset, m.list[i].len);
	ctx_mentions_release(&m);
}

static void
expect(const char *const names[], const char *text, const char *want)
{
	struct ctx_buf block = build(names), got = CTX_BUF_INIT;

	found(&block, ctx_span_of(text), &got);
	CHECK_STR(got.p, want);
	ctx_buf_release(&block);
	ctx_buf_release(&got);
}

/* Initials count in capitals, other short aliases in no text; all as a whole name. What
 * does not count hides no shorter name and no other one. */
static void
where_aliases_count(void)
{
	struct ctx_gazetteer_builder *b = ctx_gazetteer_builder_new();
	struct ctx_buf block = CTX_BUF_INIT, got = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_gazetteer g;
	uint64_t ids[2];

	ctx_gazetteer_builder_add_made(b, ctx_span_of("feed"), 1, CTX_MADE_WHOLE);
	ctx_gazetteer_builder_add_made(b, ctx_span_of("str"), 2, CTX_MADE_CAPITALS);
	ctx_gazetteer_builder_add_made(b, ctx_span_of("new york"), 3, CTX_MADE_WHOLE);
	ctx_gazetteer_builder_add(b, ctx_span_of("New"), 4);
	CHECK(ctx_gazetteer_build(b, &block, &err) == 0);
	found(&block, ctx_span_of("feed str Str STR FEED new york"), &got);
	CHECK_STR(got.p, "2:13+3 4:22+3");
	CHECK(ctx_gazetteer_open(&g, block.p, block.n, &err) == 0);
	CHECK_INT(ctx_gazetteer_find(&g, ctx_span_of("Feed"), ids, 2), 1);
	CHECK_INT(ids[0], 1);
	CHECK_INT(ctx_gazetteer_find(&g, ctx_span_of("str"), ids, 2), 1);
	CHECK_INT(ids[0], 2);
	ctx_gazetteer_builder_free(b);
	ctx_buf_release(&block);
	ctx_buf_release(&got);
}

/* An alias that was made yields to a name and to no other made alias, in either order. */
static void
made_aliases(void)
{
	for (int order = 0; order < 2; order++) {
		struct ctx_gazetteer_builder *b = ctx_gazetteer_builder_new();
		struct ctx_buf block = CTX_BUF_INIT, got = CTX_BUF_INIT;
		struct ctx_err err = CTX_ERR_INIT;

		if (order == 0)
			ctx_gazetteer_builder_add(b, ctx_span_of("York"), 2);
		ctx_gazetteer_builder_add(b, ctx_span_of("New York"), 1);
		ctx_gazetteer_builder_add_made(
		    b, ctx_span_of("york"), 1, CTX_MADE_ANYWHERE);
		ctx_gazetteer_builder_add_made(
		    b, ctx_span_of("tm"), 1, CTX_MADE_ANYWHERE);
		ctx_gazetteer_builder_add_made(
		    b, ctx_span_of("tm"), 3, CTX_MADE_ANYWHERE);
		if (order == 1)
			ctx_gazetteer_builder_add(b, ctx_span_of("York"), 2);
		CHECK(ctx_gazetteer_build(b, &block, &err) == 0);
		found(&block, ctx_span_of("York, New York, TM"), &got);
		CHECK_STR(got.p, "2:0+4 1:6+8 1:16+2 3:16+2");
		ctx_gazetteer_builder_free(b);
		ctx_buf_release(&block);
		ctx_buf_release(&got);
	}
}

static void
known_answers(void)
{
	const char *const names[] = {"core", "Core Switch 1", "sw-core-01",
	    "Task Management", "Straße", "東京", "CAFÉ", "C++", "10.0.0.1", "ΣΊΣΥΦΟΣ",
	    "core", NULL};

	expect(names, "", "");
	expect(names, "score cores core_x core", "1:19+4 11:19+4");
	expect(names, "the CORE  switch\n1!", "2:4+14");
	expect(names, "Core switch 12", "1:0+4 11:0+4");
	expect(names, "(SW-CORE-01)", "3:1+10");
	expect(names, "SW-CORE-011", "1:3+4 11:3+4");
	expect(names, "our task\tmanagement.", "4:4+15");
	expect(names, "STRASSE strasse straße", "5:0+7 5:8+7 5:16+7");
	expect(names, "私は東京に行く", "6:6+6");
	expect(names, "cafe\xcc\x81 caf\xc3\xa9 cafe", "7:0+6 7:7+5");
	expect(names, "in C++ or c++17", "8:3+3 8:10+3");
	expect(names, "10.0.0.1 10.0.0.10 110.0.0.1", "9:0+8");
	expect(names, "σίσυφος σίσυφοσ", "10:0+14 10:15+14");
	expect(names, "core\xcc\x81", "");
}

static void
refused_names(void)
{
	struct ctx_gazetteer_builder *b = ctx_gazetteer_builder_new();
	char longer[CTX_GAZETTEER_NAME_MAX + 2];

	memset(longer, 'a', sizeof(longer));
	CHECK(!ctx_gazetteer_builder_add(b, ctx_span_of(""), 1));
	CHECK(!ctx_gazetteer_builder_add(b, ctx_span_of(" \t\xe3\x80\x80"), 1));
	CHECK(
	    !ctx_gazetteer_builder_add(b, (struct ctx_span){longer, sizeof(longer)}, 1));
	CHECK(ctx_gazetteer_builder_add(
	    b, (struct ctx_span){longer, CTX_GAZETTEER_NAME_MAX}, 1));
	memset(longer, '-', sizeof(longer));
	CHECK(ctx_gazetteer_builder_add(
	    b, (struct ctx_span){longer, CTX_GAZETTEER_TOKENS_MAX}, 1));
	CHECK(!ctx_gazetteer_builder_add(
	    b, (struct ctx_span){longer, CTX_GAZETTEER_TOKENS_MAX + 1}, 1));
	ctx_gazetteer_builder_free(b);
}

static void
find_by_alias(void)
{
	const char *const names[] = {"Core Switch", "edge", "core  SWITCH", NULL};
	struct ctx_buf block = build(names);
	struct ctx_gazetteer g;
	struct ctx_err err = CTX_ERR_INIT;
	uint64_t ids[4];

	CHECK(ctx_gazetteer_open(&g, block.p, block.n, &err) == 0);
	CHECK_INT(ctx_gazetteer_find(&g, ctx_span_of(" CORE switch\n"), ids, 4), 2);
	CHECK_INT(ids[0], 1);
	CHECK_INT(ids[1], 3);
	CHECK_INT(ctx_gazetteer_find(&g, ctx_span_of("core switch"), ids, 1), 2);
	CHECK_INT(ctx_gazetteer_find(&g, ctx_span_of("core"), ids, 4), 0);
	CHECK_INT(ctx_gazetteer_find(&g, ctx_span_of(""), ids, 4), 0);
	ctx_buf_release(&block);
}

static void
damaged_blocks(void)
{
	const char *const names[] = {"alpha", "beta gamma", "delta", NULL};
	struct ctx_buf block = build(names);
	struct ctx_gazetteer g;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_mentions m = CTX_MENTIONS_INIT;

	for (size_t i = 0; i < block.n; i++)
		CHECK(ctx_gazetteer_open(&g, block.p, i, &err) < 0);
	for (size_t i = 0; i < block.n; i++) {
		block.p[i] = (char)(block.p[i] ^ 0xff);
		if (ctx_gazetteer_open(&g, block.p, block.n, &err) == 0) {
			CHECK(ctx_gazetteer_verify(&g, &err) < 0);
			ctx_gazetteer_scan(&g, ctx_span_of("alpha Beta Gamma delta"), &m);
		}
		block.p[i] = (char)(block.p[i] ^ 0xff);
	}
	CHECK(ctx_gazetteer_open(&g, block.p, block.n, &err) == 0);
	CHECK(ctx_gazetteer_verify(&g, &err) == 0);
	ctx_mentions_release(&m);
	ctx_buf_release(&block);
}

/* ---- against a naive matcher that shares no code with the library ---- */

/* Pieces that meet every rule: case pairs, expanding folds, marks, unspaced scripts. */
static const char *const pieces[] = {"a", "A", "b", "B", " ", " ", "\n", "-", ".", "1",
    "_", "\xc3\x9f", "ss", "SS", "\xc3\x89", "E\xcc\x81", "e\xcc\x81", "\xce\xa3",
    "\xcf\x82", "\xcf\x83", "\xe6\x9d\xb1", "\xe4\xba\xac", "\xef\xac\x81", "fi",
    "\xc4\xb0", "i\xcc\x87", "\xe2\x84\xaa", "k", "\xcc\xa3", "\xe3\x80\x80",
    "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8", "\xe0\xb8\x81", "!", "\xf0\x9f\x98\x80"};

static unsigned
roll(uint64_t *state, unsigned n)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(*state >> 33) % n;
}

static void
random_text(uint64_t *state, unsigned max, struct ctx_buf *out)
{
	ctx_buf_reset(out);
	ctx_buf_adds(out, "");
	for (unsigned n = roll(state, max + 1); n > 0; n--)
		ctx_buf_adds(out,
		    pieces[roll(state, (unsigned)(sizeof(pieces) / sizeof(pieces[0])))]);
}

static bool
is_mark(uint32_t c)
{
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);

	return k == UTF8PROC_CATEGORY_MN || k == UTF8PROC_CATEGORY_MC;
}

static bool
is_blank(uint32_t c)
{
	return c == ' ' || c == '\n' || c == 0x3000;
}

static bool
joins(uint32_t c) /* part of a word of more than one character? */
{
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);

	return c == '_' || is_mark(c) ||
	       (k <= UTF8PROC_CATEGORY_LO && k != UTF8PROC_CATEGORY_CN && c != 0x6771 &&
		   c != 0x4eac && c != 0xe01) ||
	       k == UTF8PROC_CATEGORY_ND;
}

/* May a name begin or end at byte i? */
static bool
edge_at(const struct ctx_buf *t, size_t i)
{
	uint32_t before, after, base;
	size_t k = i;

	if (i == 0 || i == t->n)
		return true;
	if (((unsigned char)t->p[i] & 0xc0) == 0x80)
		return false;
	ctx_utf8_decode(t->p + i, t->n - i, &after);
	do
		for (k--; ((unsigned char)t->p[k] & 0xc0) == 0x80; k--)
			;
	while (ctx_utf8_decode(t->p + k, t->n - k, &base) > 0 && is_mark(base) && k > 0);
	for (k = i - 1; ((unsigned char)t->p[k] & 0xc0) == 0x80; k--)
		;
	ctx_utf8_decode(t->p + k, t->n - k, &before);
	if (is_blank(before) || is_blank(after))
		return is_blank(before) != is_blank(after);
	if (is_mark(after))
		return false;
	/* a mark behind white space begins a word */
	return !((joins(base) || is_blank(base)) && joins(before) && joins(after));
}

static char *
naive_fold(const char *p, size_t n)
{
	utf8proc_uint8_t *out = NULL;
	char *s, *w;

	utf8proc_map((const utf8proc_uint8_t *)p, (utf8proc_ssize_t)n, &out,
	    UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD);
	s = w = ctx_mem_dup((char *)out, strlen((char *)out));
	for (const char *r = (char *)out; *r != '\0';) {
		bool blank = *r == ' ' || *r == '\n';
		if (blank || strncmp(r, "\xe3\x80\x80", 3) == 0) {
			r += blank ? 1 : 3;
			if (w > s && w[-1] != ' ')
				*w++ = ' ';
			continue;
		}
		*w++ = *r++;
	}
	while (w > s && w[-1] == ' ')
		w--;
	*w = '\0';
	free(out);
	return s;
}

#define NAMES 12

static void
naive(char *const folded[], const struct ctx_buf *t, struct ctx_buf *out)
{
	ctx_buf_reset(out);
	ctx_buf_adds(out, "");
	for (size_t i = 0; i < t->n;) {
		uint32_t c;
		size_t best = 0, step = ctx_utf8_decode(t->p + i, t->n - i, &c);

		for (size_t j = t->n; edge_at(t, i) && !is_blank(c) && j > i && best == 0;
		     j--) {
			char *s;
			bool blank_end = t->p[j - 1] == ' ' || t->p[j - 1] == '\n' ||
					 (j >= 3 && memcmp(t->p + j - 3, "\xe3\x80\x80",
							3) == 0);
			if (!edge_at(t, j) || blank_end)
				continue;
			s = naive_fold(t->p + i, j - i);
			for (int k = 0; k < NAMES; k++) {
				if (folded[k][0] == '\0' || strcmp(folded[k], s) != 0)
					continue;
				best = j;
				ctx_buf_addf(out, "%s%d:%zu+%zu", out->n ? " " : "",
				    k + 1, i, j - i);
			}
			free(s);
		}
		i = best ? best : i + step;
	}
}

static bool
starts_with_mark(const struct ctx_buf *b)
{
	uint32_t c;
	struct ctx_span s = ctx_fold_trim(ctx_buf_span(b));

	return ctx_utf8_decode(s.p, s.n, &c) > 0 && is_mark(c);
}

static void
random_names_against_naive(void)
{
	uint64_t state = 20240515;
	struct ctx_buf text = CTX_BUF_INIT, name = CTX_BUF_INIT, want = CTX_BUF_INIT;
	struct ctx_buf got = CTX_BUF_INIT;
	size_t hits = 0;

	for (int round = 0; round < 3000 && !test_bad; round++) {
		struct ctx_gazetteer_builder *b = ctx_gazetteer_builder_new();
		struct ctx_buf block = CTX_BUF_INIT;
		struct ctx_err err = CTX_ERR_INIT;
		char *folded[NAMES];

		for (int i = 0; i < NAMES; i++) {
			do
				random_text(&state, 4, &name);
			while (starts_with_mark(&name));
			folded[i] = naive_fold(name.p, name.n);
			ctx_gazetteer_builder_add(
			    b, ctx_buf_span(&name), (uint64_t)i + 1);
		}
		CHECK(ctx_gazetteer_build(b, &block, &err) == 0);
		random_text(&state, 40, &text);
		found(&block, ctx_buf_span(&text), &got);
		naive(folded, &text, &want);
		if (strcmp(got.p, want.p) != 0) {
			printf("# text: %s\n", text.p);
			for (int i = 0; i < NAMES; i++)
				printf("# name %d: %s\n", i + 1, folded[i]);
		}
		CHECK_STR(got.p, want.p);
		hits += want.n > 0;
		for (int i = 0; i < NAMES; i++)
			free(folded[i]);
		ctx_gazetteer_builder_free(b);
		ctx_buf_release(&block);
	}
	CHECK(hits > 1000);
	ctx_buf_release(&text);
	ctx_buf_release(&name);
	ctx_buf_release(&want);
	ctx_buf_release(&got);
}

int
main(void)
{
	RUN(known_answers);
	RUN(made_aliases);
	RUN(where_aliases_count);
	RUN(refused_names);
	RUN(find_by_alias);
	RUN(damaged_blocks);
	RUN(random_names_against_naive);
	return TEST_END();
}
