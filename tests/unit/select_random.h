/* Random histories: turns, calls and results in both formats (parallel, interleaved,
 * missing and duplicate), pins, empty contents, long results. */
#ifndef CTX_TEST_SELECT_RANDOM_H
#define CTX_TEST_SELECT_RANDOM_H

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "random.h"
#include "record/record.h"

#define MAX 40
struct entry {
	struct ctx_span json;
	enum ctx_slot slot;
	bool pinned;
	double score;
};

struct random_case {
	struct entry v[MAX];
	size_t n;
	int64_t budget;
};

static struct ctx_arena arena = CTX_ARENA_INIT;

/* true: results may be missing, repeated or late. false: a history begins with a user
 * message; the results of calls follow their calls directly, in any order, and only the
 * last calls may lack results. */
static bool random_faults = true;

/* ---- random messages ---- */

static void
put_text(struct ctx_buf *b)
{
	static const char *const words[] = {"the ", "network ", "is \\n", "größer ",
	    "👩‍👩‍👧 ", "42 ", "\\ud83d\\ude00", "x"};
	uint32_t n = random_below(12);

	if (random_below(12) == 0)
		n = 200 + random_below(600);
	if (random_below(10) == 0)
		n = 0;
	while (n-- > 0)
		ctx_buf_adds(b, words[random_below(8)]);
}

static void
put_call(struct ctx_buf *b, bool openai, uint32_t id)
{
	if (openai)
		ctx_buf_addf(b,
		    "{\"id\":\"c%u\",\"type\":\"function\",\"function\":{\"name\":\"f\","
		    "\"arguments\":\"{}\"}}",
		    id);
	else
		ctx_buf_addf(b,
		    "{\"type\":\"tool_use\",\"id\":\"c%u\",\"name\":\"f\",\"input\":{}}",
		    id);
}

/* ids of calls without a result; most of them get a result next */
struct ids {
	uint32_t open[64], next;
	size_t n;
};

static void
put_calls(struct ctx_buf *b, struct ids *ids)
{
	bool openai = random_below(2) == 0;
	uint32_t n = 1 + random_below(3);

	ctx_buf_adds(b, openai
			    ? "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
			    : "{\"role\":\"assistant\",\"content\":[");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = random_faults && random_below(20) == 0 ? random_below(8)
								     : ids->next++;
		if (i > 0)
			ctx_buf_addc(b, ',');
		put_call(b, openai, id);
		if (ids->n < 64)
			ids->open[ids->n++] = id;
	}
	ctx_buf_adds(b, "]}");
}

/* Returns the id of a call to answer, usually of a call without a result. */
static uint32_t
answered(struct ids *ids)
{
	uint32_t id = random_below(16);

	if (ids->n > 0 && (!random_faults || random_below(12) != 0)) {
		size_t i = random_below((uint32_t)ids->n);
		id = ids->open[i];
		if (!random_faults || random_below(30) != 0)
			ids->open[i] = ids->open[--ids->n];
	}
	return id;
}

static void
put_result(struct ctx_buf *b, struct ids *ids)
{
	if (random_below(2) == 0) {
		ctx_buf_addf(b,
		    "{\"role\":\"tool\",\"tool_call_id\":\"c%u\",\"content\":\"",
		    answered(ids));
		put_text(b);
		ctx_buf_adds(b, "\"}");
		return;
	}
	ctx_buf_adds(b, "{\"role\":\"user\",\"content\":[");
	do {
		ctx_buf_addf(b,
		    "%s{\"type\":\"tool_result\",\"tool_use_id\":\"c%u\",\"content\":\"",
		    b->p[b->n - 1] == '[' ? "" : ",", answered(ids));
		put_text(b);
		ctx_buf_adds(b, "\"}");
	} while (ids->n > 0 && random_below(2) == 0);
	ctx_buf_adds(b, "]}");
}

static void
put_message(struct ctx_buf *b, const char *role)
{
	ctx_buf_addf(b, "{\"role\":\"%s\",\"content\":\"", role);
	put_text(b);
	ctx_buf_adds(b, "\"}");
}

static void
make_entry(struct entry *e, struct ids *ids, bool additions)
{
	struct ctx_buf b = CTX_BUF_INIT;
	uint32_t kind = !random_faults && ids->next == 0 ? 2 : random_below(20);

	ids->next += ids->next == 0 ? 10 : 0;
	*e = (struct entry){.slot = CTX_SLOT_HISTORY, .pinned = random_below(25) == 0};
	if (ids->n > 0 && (!random_faults || kind < 12))
		put_result(&b, ids);
	else if (kind < 6)
		put_message(&b, "user");
	else if (kind < 10)
		put_calls(&b, ids);
	else if (kind < 14)
		put_message(&b, "assistant");
	else if (random_faults && kind < 15)
		put_result(&b, ids);
	else if (kind < 16)
		put_message(&b, random_below(2) == 0 ? "system" : "developer");
	else
		put_message(&b, "user");
	if (additions && kind >= 18) {
		e->slot = kind == 18 ? CTX_SLOT_VOLATILE
				     : (enum ctx_slot)(CTX_SLOT_PREFIX + random_below(3));
		e->score = random_below(100) / 100.0;
		e->pinned = false;
	}
	e->json = ctx_arena_copy(&arena, ctx_buf_span(&b));
	ctx_buf_release(&b);
}

static void
make_case(struct random_case *c, bool additions)
{
	struct ids ids = {.next = 0};

	ctx_arena_reset(&arena);
	c->n = random_below(MAX + 1);
	for (size_t i = 0; i < c->n; i++)
		make_entry(&c->v[i], &ids, additions);
	c->budget = random_below(random_below(3) == 0 ? 3000 : 300);
}

#endif
