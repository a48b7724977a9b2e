#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "base/time.h"
#include "base/utf8.h"
#include "entity/relevance.h"
#include "entity/scan.h"

/* "source:offset+len" of what stays. */
static void
resolved(const struct ctx_mention *in, size_t n, const char *want)
{
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	struct ctx_buf got = CTX_BUF_INIT;

	for (size_t i = 0; i < n; i++)
		ctx_mentions_add(&m, in[i].source, in[i].type, in[i].id, in[i].offset,
		    in[i].len, ctx_span_of("x"));
	ctx_mentions_resolve(&m);
	ctx_buf_adds(&got, "");
	for (size_t i = 0; i < m.n; i++)
		ctx_buf_addf(&got, "%s%c%d:%zu+%zu", i ? " " : "",
		    "npb"[m.list[i].source], (int)m.list[i].id, m.list[i].offset,
		    m.list[i].len);
	CHECK_STR(got.p, want);
	ctx_buf_release(&got);
	ctx_mentions_release(&m);
}

#define NAME(id, at, len)                                 \
	{                                                 \
		CTX_MENTION_NAME, NULL, id, at, len, 0, 0 \
	}
#define PATTERN(at, len)                                   \
	{                                                  \
		CTX_MENTION_PATTERN, "t", 0, at, len, 0, 0 \
	}
#define BUILTIN(type, at, len)                              \
	{                                                   \
		CTX_MENTION_BUILTIN, type, 0, at, len, 0, 0 \
	}
#define RESOLVED(want, ...)                                     \
	resolved((const struct ctx_mention[]){__VA_ARGS__},     \
	    sizeof((const struct ctx_mention[]){__VA_ARGS__}) / \
		sizeof(struct ctx_mention),                     \
	    want)

static void
overlaps(void)
{
	RESOLVED("b0:0+3 n1:3+4", NAME(1, 3, 4), BUILTIN("host", 0, 3));
	RESOLVED("b0:0+9", NAME(1, 0, 6), BUILTIN("prefix", 0, 9));
	RESOLVED("n1:0+6", PATTERN(0, 6), NAME(1, 0, 6), BUILTIN("host", 0, 6));
	RESOLVED("p0:0+6", BUILTIN("host", 0, 6), PATTERN(0, 6));
	RESOLVED("n1:0+6 n2:0+6", NAME(2, 0, 6), NAME(1, 0, 6));
	RESOLVED("n3:2+7", NAME(2, 0, 6), NAME(1, 0, 6), NAME(3, 2, 7));
	RESOLVED("p0:0+4", PATTERN(0, 4), PATTERN(2, 4));
	RESOLVED("b0:0+20 n1:3+4", NAME(1, 3, 4), BUILTIN("url", 0, 20));
	RESOLVED("b0:0+20 p0:16+4", PATTERN(16, 4), BUILTIN("path", 0, 20),
	    BUILTIN("host", 4, 5));
	RESOLVED("n1:0+5 b0:0+5", NAME(1, 0, 5), BUILTIN("email", 0, 5));
}

static void
context_of(const char *text, const char *mention, size_t side, const char *want)
{
	const char *p = strstr(text, mention);
	size_t from, to;
	char got[400];

	ctx_mention_context(
	    ctx_span_of(text), (size_t)(p - text), strlen(mention), side, &from, &to);
	snprintf(got, sizeof(got), "%.*s", (int)(to - from), text + from);
	CHECK_STR(got, want);
}

static void
contexts(void)
{
	context_of("we moved sw1 to rack four today", "sw1", 9, "we moved sw1 to rack");
	context_of("we moved sw1 to rack four today", "sw1", 8, "moved sw1 to rack");
	context_of("we moved sw1 to rack four today", "sw1", 3, "sw1 to");
	context_of("we moved sw1 to rack four today", "sw1", 0, "sw1");
	context_of("we moved sw1 to rack four today", "sw1", 100,
	    "we moved sw1 to rack four today");
	context_of("  sw1\n\n", "sw1", 5, "sw1");
	context_of("see (sw1), then", "sw1", 6, "see (sw1),");
	/* no space to cut at: between clusters */
	context_of("ee\xcc\x81"
		   "e\xcc\x81"
		   "sw1",
	    "sw1", 4, "e\xcc\x81sw1");
	context_of("sw1👨‍👩‍👧👨‍👩‍👧", "sw1", 20,
	    "sw1👨‍👩‍👧");
	context_of("私は東京に行く", "東京", 4, "は東京に");
}

/* Whatever the text: within bounds, no half character, no half cluster at either end. */
static void
contexts_of_random_text(void)
{
	static const char *const pieces[] = {"a", "é", "e\xcc\x81", " ", "\n", "東",
	    "👨‍👩‍👧", "🇩🇪", "\r\n", "ก\xe0\xb8\xb3", "b", "각",
	    "\xe1\x84\x80\xe1\x85\xa1", "-", "x", "\t"};
	uint64_t state = 99;

	for (int round = 0; round < 4000 && !test_bad; round++) {
		struct ctx_buf text = CTX_BUF_INIT;
		size_t cuts[64], n = 0, at, end, from, to, side;
		bool low = false, high = false;

		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		cuts[n++] = 0;
		for (uint64_t r = state >> 4; n < 16; r >>= 4) {
			ctx_buf_adds(&text, pieces[r & 15]);
			cuts[n++] = text.n;
		}
		at = cuts[state >> 60 & 7];
		end = cuts[(state >> 60 & 7) + 1 + (state >> 57 & 3)];
		side = state >> 33 & 31;
		ctx_mention_context(ctx_buf_span(&text), at, end - at, side, &from, &to);
		CHECK(from <= at && to >= end && at - from <= side && to - end <= side);
		/* pieces are clusters of their own, but for "\r\n" made of two */
		for (size_t i = 0; i < n; i++) {
			low = low || cuts[i] == from;
			high = high || cuts[i] == to;
		}
		CHECK(low && high);
		ctx_buf_release(&text);
	}
}

static void
relevance(void)
{
	const int64_t now = 1795819200000, day = 86400000;
	static const struct {
		const char *type;
		double days;
		uint64_t mentions, relations;
		double want;
	} rows[] = {
	    {"device", 0, 1, 0, 10 + 2 * 0.69314718056 + 3},
	    {"site", 1, 1, 0, 9 + 1.38629436112 + 2},
	    {"rack", 2.5, 3, 2, 7.5 + 2 * 1.38629436112 + 1 + 2},
	    {"ip_address", 10, 9, 0, 2 * 2.30258509299 + 1},
	    {"interface", 30, 0, 4, 2 + 1},
	    {"vlan", 9.5, 99, 1, 0.5 + 2 * 4.60517018599 + 0.5},
	    {"Device", -3, 0, 0, 10},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double got = ctx_entity_relevance(ctx_span_of(rows[i].type), now,
		    now - (int64_t)(rows[i].days * (double)day), rows[i].mentions,
		    rows[i].relations);
		if (fabs(got - rows[i].want) > 1e-9)
			printf(
			    "# row %zu: got %.12f, want %.12f\n", i, got, rows[i].want);
		CHECK(fabs(got - rows[i].want) <= 1e-9);
	}
	CHECK(ctx_entity_relevance(ctx_span_of("x"), now, CTX_TIME_NONE, 0, 0) == 0);
}

static void
all_sources(void)
{
	struct ctx_gazetteer_builder *b = ctx_gazetteer_builder_new();
	struct ctx_patterns *ps = ctx_patterns_new();
	struct ctx_buf block = CTX_BUF_INIT, got = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_gazetteer g;
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	struct ctx_scan t = {ctx_recognisers_new(), &g, 1, ps};

	ctx_gazetteer_builder_add(b, ctx_span_of("sw-core-01"), 5);
	ctx_gazetteer_builder_add(b, ctx_span_of("Netbox"), 6);
	CHECK(ctx_gazetteer_build(b, &block, &err) == 0);
	CHECK(ctx_gazetteer_open(&g, block.p, block.n, &err) == 0);
	CHECK(ctx_patterns_add(
		  ps, ctx_span_of("ticket"), ctx_span_of("[A-Z]+-\\d+"), &err) == 0);
	ctx_scan_text(
	    &t, ctx_span_of("OPS-7: SW-CORE-01 (10.0.0.1), https://netbox.lan/x"), &m);
	for (size_t i = 0; i < m.n; i++)
		ctx_buf_addf(&got, "%s%s:%zu", i ? " " : "",
		    m.list[i].type ? m.list[i].type : "name", m.list[i].offset);
	CHECK_STR(got.p, "ticket:0 name:7 ip_address:19 url:30 name:38");
	ctx_mentions_release(&m);
	ctx_recognisers_free(t.builtin);
	ctx_patterns_free(ps);
	ctx_gazetteer_builder_free(b);
	ctx_buf_release(&block);
	ctx_buf_release(&got);
}

int
main(void)
{
	RUN(overlaps);
	RUN(contexts);
	RUN(contexts_of_random_text);
	RUN(relevance);
	RUN(all_sources);
	return TEST_END();
}
