/* A window reads only the end of a session. What it keeps must be what selection keeps of
 * the whole session. */
#include "window/window.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "append/append.h"
#include "select_random.h"
#include "test.h"

#define ROUNDS 400
#define POLICIES 6

static struct ctx_store *store;
static struct ctx_tokenizer *tokenizer;

/* ctx_appender refuses nothing of a random history. */
static int
reject(void *arg, const struct ctx_pending *p, struct ctx_err *err)
{
	(void)arg;
	(void)p;
	(void)err;
	return -1;
}

static int
fill_session(const struct random_case *c, const char *sid, struct ctx_err *err)
{
	struct ctx_append_options o = {.session = sid,
	    .create = true,
	    .if_seq = -1,
	    .now = 1000,
	    .ttl_ms = CTX_TIME_NONE};
	struct ctx_buf out = CTX_BUF_INIT, line = CTX_BUF_INIT;
	struct ctx_appender in;
	int rc = 0;

	ctx_append_init(&in, &o, tokenizer);
	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		ctx_buf_reset(&line);
		ctx_buf_addf(&line, "{\"kind\":\"message\",\"pinned\":%s,\"message\":",
		    c->v[i].pinned ? "true" : "false");
		ctx_buf_addspan(&line, c->v[i].json);
		ctx_buf_addc(&line, '}');
		rc = ctx_append_add(&in, ctx_buf_span(&line), "case", (long)i + 1, err);
	}
	if (rc == 0)
		rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = ctx_append_apply(&in, store, &out, reject, NULL, err);
	if (rc == 0)
		rc = ctx_append_finish(&in, store, err);
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_append_release(&in);
	ctx_buf_release(&out);
	ctx_buf_release(&line);
	return rc;
}

/* Selection over everything, with the limits that the window applies. */
static int
select_all(struct ctx_history *h, const struct random_case *c,
    const struct ctx_window_options *o, struct ctx_err *err)
{
	struct ctx_policy p;

	ctx_policy_init(&p);
	p.max_messages = o->max_messages;
	p.max_turns = o->max_turns;
	if (o->budget >= 0) {
		p.budget = o->budget - o->reserve - CTX_TOKENS_REPLY;
		p.budget = p.budget < 0 ? 0 : p.budget;
		p.cut_base = o->budget;
	}
	for (size_t i = 0; i < c->n; i++) {
		struct ctx_item item = {.message = c->v[i].json,
		    .seq = (int64_t)i + 1,
		    .created_at = 1000,
		    .slot = CTX_SLOT_HISTORY,
		    .pinned = c->v[i].pinned};
		if (ctx_message_parse(&h->scratch, item.message, err) < 0)
			return -1;
		item.tokens = ctx_tokens_message(tokenizer, &h->scratch);
		if (ctx_history_add(h, &item, err) < 0)
			return -1;
	}
	ctx_history_group(h);
	return ctx_select(h, &p, err);
}

static void
print_seqs(const char *name, const struct ctx_history *h)
{
	printf("# %s:", name);
	for (size_t i = 0; i < h->n; i++)
		if (h->items[i].keep)
			printf(" %lld", (long long)h->items[i].seq);
	printf("\n");
}

/* Are the same messages kept? */
static bool
same_kept(const struct ctx_history *a, const struct ctx_history *b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a->n && !a->items[i].keep)
			i++;
		while (k < b->n && !b->items[k].keep)
			k++;
		if (i == a->n || k == b->n)
			return i == a->n && k == b->n;
		if (a->items[i++].seq != b->items[k++].seq)
			return false;
	}
}

static void
report(const struct random_case *c, const struct ctx_window_options *o,
    const struct ctx_history *got, const struct ctx_history *want)
{
	printf("# messages %lld, turns %lld, budget %lld\n", (long long)o->max_messages,
	    (long long)o->max_turns, (long long)o->budget);
	print_seqs("window", got);
	print_seqs("whole", want);
	for (size_t i = 0; i < c->n; i++)
		printf("# %zu {\"kind\":\"message\",\"pinned\":%s,\"message\":%.*s}\n",
		    i + 1, c->v[i].pinned ? "true" : "false",
		    (int)(c->v[i].json.n > 200 ? 200 : c->v[i].json.n), c->v[i].json.p);
	test_bad = 1;
}

static void
check_window(
    const struct random_case *c, const char *sid, const struct ctx_window_options *o)
{
	struct ctx_history whole = CTX_HISTORY_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_window w = CTX_WINDOW_INIT;

	CHECK_INT(ctx_store_session_find(store, sid, &w.session, &err), 1);
	CHECK_INT(ctx_window_load(&w, store, o, tokenizer, &err), 0);
	/* where selection refuses, the window keeps what must stay: nothing to compare */
	if (select_all(&whole, c, o, &err) == 0 && !same_kept(&w.history, &whole))
		report(c, o, &w.history, &whole);
	ctx_window_release(&w);
	ctx_history_release(&whole);
}

static struct ctx_window_options
random_options(void)
{
	struct ctx_window_options o = {.max_messages = -1,
	    .max_turns = -1,
	    .budget = -1,
	    .until = -1,
	    .since = CTX_TIME_NONE,
	    .now = 2000};

	switch (random_below(3)) {
	case 0:
		o.max_messages = random_below(20);
		break;
	case 1:
		o.max_turns = random_below(6);
		break;
	default:
		o.budget = random_below(600);
		o.reserve = o.budget / 8;
	}
	return o;
}

static void
windows_of_random_sessions(void)
{
	struct random_case c;
	struct ctx_err err = CTX_ERR_INIT;
	char sid[32];

	random_faults =
	    false; /* the count of messages that are never sent is not the same */
	for (int i = 0; i < ROUNDS && !test_bad; i++) {
		make_case(&c, false);
		if (c.n == 0)
			continue;
		snprintf(sid, sizeof(sid), "s%d", i);
		CHECK_INT(fill_session(&c, sid, &err), 0);
		for (int k = 0; k < POLICIES && !test_bad; k++) {
			struct ctx_window_options o = random_options();
			check_window(&c, sid, &o);
		}
	}
}

int
main(void)
{
	char dir[] = "/tmp/ctx-window-XXXXXX", path[64], command[80];
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_store_options o = {
	    .path = path, .busy_ms = 1000, .create = true, .sync = CTX_SYNC_OFF};

	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/ctx.db", dir);
	if (ctx_tokenizer_open(&tokenizer, "approx", NULL, &err) < 0 ||
	    ctx_store_open(&store, &o, &err) < 0) {
		printf("# %s\n", err.msg);
		return 1;
	}
	RUN(windows_of_random_sessions);
	ctx_store_close(store);
	ctx_tokenizer_close(tokenizer);
	ctx_arena_release(&arena);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK_INT(system(command), 0);
	return TEST_END();
}
