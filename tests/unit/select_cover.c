/* What a summary may cover, over random histories. */
#include "test.h"

#include <stdlib.h>

#include "base/mem.h"
#include "random.h"
#include "select/cover.h"

#define HISTORIES 20000
#define ITEMS_MAX 60

/* A history of turns with calls, results anywhere behind them or nowhere, pins, system
 * messages, additions. Messages live in the arena. */
static void
make(struct ctx_history *h, struct ctx_arena *arena)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	size_t n = random_below(ITEMS_MAX);
	unsigned calls = 0;

	for (size_t i = 0; i < n; i++) {
		struct ctx_item item = {.seq = (int64_t)i + 1,
		    .tokens = random_below(50),
		    .pinned = random_below(20) == 0,
		    .slot = CTX_SLOT_HISTORY};
		ctx_buf_reset(&b);
		switch (random_below(9)) {
		case 0:
			ctx_buf_adds(&b, "{\"role\":\"system\",\"content\":\"s\"}");
			break;
		case 1:
		case 2:
			ctx_buf_adds(&b, "{\"role\":\"user\",\"content\":\"u\"}");
			break;
		case 3:
			ctx_buf_addf(&b,
			    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"%u\"},"
			    "{\"id\":\"%u\"}]}",
			    calls, calls + 1);
			calls += 2;
			break;
		case 4:
		case 5:
		case 6:
			ctx_buf_addf(&b,
			    "{\"role\":\"tool\",\"tool_call_id\":\"%u\",\"content\":"
			    "\"r\"}",
			    calls == 0 ? 0 : random_below(calls + 1));
			break;
		case 7:
			ctx_buf_adds(&b, "{\"role\":\"assistant\",\"content\":\"a\"}");
			break;
		default:
			ctx_buf_adds(&b, "{\"role\":\"user\",\"content\":\"more\"}");
			item.seq = -1;
			item.slot = (enum ctx_slot)(1 + random_below(3));
		}
		item.message = ctx_arena_copy(arena, ctx_buf_span(&b));
		CHECK_INT(ctx_history_add(h, &item, &err), 0);
	}
	ctx_history_group(h);
	ctx_buf_release(&b);
}

static bool
is_system(const struct ctx_item *it)
{
	return it->role == CTX_ROLE_SYSTEM || it->role == CTX_ROLE_DEVELOPER;
}

static void
check(const struct ctx_history *h, const struct ctx_cover_options *o,
    const enum ctx_cover *how, size_t n)
{
	size_t current = ctx_history_current_turn(h), in = 0, first_out = h->n;
	bool opening = !o->continued, begun = false;

	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		bool history = it->slot == CTX_SLOT_HISTORY;
		bool summary = it->slot == CTX_SLOT_SUMMARY;
		in += how[i] == CTX_COVER_IN;
		opening = opening && (!history || is_system(it));
		/* never the current turn, never what must stay */
		if (how[i] == CTX_COVER_IN && !summary) {
			CHECK(i < current && !it->pinned);
			CHECK(it->slot != CTX_SLOT_PREFIX && !(history && opening));
		}
		if (n == 0)
			CHECK(how[i] != CTX_COVER_IN);
		/* whole groups */
		for (size_t k = 0; k < i; k++)
			if (h->items[k].group == it->group && how[k] != how[i])
				CHECK(
				    (how[k] == CTX_COVER_IN) == (how[i] == CTX_COVER_IN));
		/* the oldest */
		if (history && how[i] == CTX_COVER_OUT && first_out == h->n)
			first_out = i;
		if (history && first_out != h->n)
			CHECK(how[i] == CTX_COVER_OUT);
	}
	CHECK_INT(in, n);
	/* what is left of history begins with a turn where the whole did */
	for (size_t i = 0; n > 0 && i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		if (it->slot != CTX_SLOT_HISTORY || is_system(it))
			continue;
		begun = begun || it->starts_turn;
		if (!begun || how[i] == CTX_COVER_IN)
			continue;
		CHECK(it->starts_turn || (it->pinned || how[i] == CTX_COVER_STAYS));
		break;
	}
}

static void
check_amount(const struct ctx_history *h, const struct ctx_cover_options *o,
    const enum ctx_cover *how, size_t n)
{
	int64_t turns = 0, groups = 0;

	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		turns += it->starts_turn &&
			 (how[i] == CTX_COVER_IN || how[i] == CTX_COVER_STAYS);
		groups += it->slot == CTX_SLOT_HISTORY && it->group == i &&
			  how[i] == CTX_COVER_OUT;
	}
	if (o->keep_last >= 0) {
		CHECK(n == 0 || groups >= o->keep_last);
	} else {
		int64_t want = (int64_t)(o->fraction * (double)ctx_cover_turns(h));
		CHECK(turns <= (want < 1 ? 1 : want));
	}
}

static void
covers_whole_old_groups(void)
{
	size_t covered = 0;

	for (int i = 0; i < HISTORIES; i++) {
		struct ctx_history h = CTX_HISTORY_INIT;
		struct ctx_arena arena = CTX_ARENA_INIT;
		struct ctx_cover_options o = {.fraction = (1 + random_below(100)) / 100.0,
		    .keep_last = random_below(2) == 0 ? -1 : (int64_t)random_below(12),
		    .continued = random_below(4) == 0};
		enum ctx_cover how[ITEMS_MAX + 1];
		size_t n;
		make(&h, &arena);
		n = ctx_cover_plan(&h, &o, how);
		check(&h, &o, how, n);
		check_amount(&h, &o, how, n);
		covered += n > 0;
		ctx_history_release(&h);
		ctx_arena_release(&arena);
		if (test_bad)
			break;
	}
	CHECK(covered > HISTORIES / 4); /* else it says little */
}

int
main(void)
{
	RUN(covers_whole_old_groups);
	return TEST_END();
}
