/* Texts that are kept by content: as long as something refers to them, and no longer. */
#include "store/content.h"

#include "random.h"
#include "store/item.h"
#include "store/purge.h"
#include "store_help.h"
#include "test.h"

#define SESSIONS 6
#define TEXTS 9
#define ITEMS 5

static struct ctx_store *st;

/* The model: what refers to which text. */
static struct {
	bool there;
	struct ctx_session s;
	int requests[TEXTS]; /* of the session, with this text */
} sessions[SESSIONS];
static int items[ITEMS]; /* 1 + its text; 0: not defined */
static int made;         /* requests */

static void
text_of(struct ctx_buf *b, int n)
{
	ctx_buf_reset(b);
	ctx_buf_addf(b, "{\"role\":\"system\",\"content\":\"text number %d\"}", n);
}

static bool
is_kept(int n)
{
	struct ctx_buf text = CTX_BUF_INIT, got = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	char sha[CTX_HASH_HEX + 1];
	int rc;

	text_of(&text, n);
	ctx_hash_sha256(text.p, text.n, sha);
	rc = ctx_content_get(st, ctx_span_of(sha), &got, &err);
	store_must(rc, &err);
	CHECK(rc == 0 || ctx_span_eq(ctx_buf_span(&got), ctx_buf_span(&text)));
	ctx_buf_release(&text);
	ctx_buf_release(&got);
	return rc == 1;
}

static bool
is_used(int n, int but)
{
	for (int i = 0; i < SESSIONS; i++)
		if (i != but && sessions[i].there && sessions[i].requests[n] > 0)
			return true;
	for (int i = 0; i < ITEMS; i++)
		if (items[i] == n + 1)
			return true;
	return false;
}

static void
add_request(int i, int n)
{
	struct ctx_buf text = CTX_BUF_INIT, record = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	char sha[CTX_HASH_HEX + 1], id[32];

	if (!sessions[i].there) {
		snprintf(id, sizeof(id), "s%d", i);
		store_session(st, &sessions[i].s, id);
		sessions[i].there = true;
	}
	text_of(&text, n);
	ctx_hash_sha256(text.p, text.n, sha);
	snprintf(id, sizeof(id), "r%d", made++);
	ctx_buf_addf(&record,
	    "{\"kind\":\"request\",\"request_id\":\"%s\",\"messages\":[{\"first_seq\":1,"
	    "\"last_seq\":2},{\"sha256\":\"%s\"",
	    id, sha);
	/* one that is known already may come without its text */
	if (!is_kept(n) || random_below(4) > 0)
		ctx_buf_addf(&record, ",\"message\":%s", text.p);
	ctx_buf_adds(&record, "}]}");
	store_must(ctx_store_request_put(st, &sessions[i].s, ctx_span_of(id), 1, 0, 0,
		       ctx_buf_span(&record), &err),
	    &err);
	sessions[i].requests[n]++;
	ctx_buf_release(&text);
	ctx_buf_release(&record);
}

static void
erase_session(int i)
{
	struct ctx_removed removed = {0};
	struct ctx_err err = CTX_ERR_INIT;
	int64_t kept = 0, dropped = 0;

	if (!sessions[i].there)
		return;
	for (int n = 0; n < TEXTS; n++)
		if (sessions[i].requests[n] > 0)
			*(is_used(n, i) ? &kept : &dropped) += 1;
	store_must(ctx_store_erase(st, &sessions[i].s, &removed, &err), &err);
	store_must(ctx_store_forget(st, &sessions[i].s, &err), &err);
	CHECK_INT(removed.additions, dropped);
	CHECK_INT(removed.additions_kept, kept);
	ctx_session_release(&sessions[i].s);
	memset(&sessions[i], 0, sizeof(sessions[i]));
}

static void
define(int i, int n)
{
	struct ctx_definition d;
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	char name[32];
	int rc;

	snprintf(name, sizeof(name), "item%d", i);
	text_of(&text, n < 0 ? 0 : n);
	ctx_definition_init(&d);
	d.agent = "";
	d.type = "rule";
	d.server_name = "";
	d.name = name;
	d.content = text.p;
	rc = n < 0 ? ctx_definition_remove(st, "", &d, &err)
		   : ctx_definition_put(st, "", &d, &err);
	store_must(rc, &err);
	CHECK_INT(rc, n < 0 ? items[i] != 0 : items[i] == 0);
	items[i] = n + 1;
	ctx_buf_release(&text);
}

static void
texts_stay_as_long_as_they_are_used(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	for (int step = 0; step < 3000; step++) {
		int n = (int)random_below(TEXTS);
		store_must(ctx_store_begin(st, &err), &err);
		switch (random_below(5)) {
		case 0:
			erase_session((int)random_below(SESSIONS));
			break;
		case 1:
			define((int)random_below(ITEMS), n);
			break;
		case 2:
			define((int)random_below(ITEMS), -1);
			break;
		default:
			add_request((int)random_below(SESSIONS), n);
		}
		store_must(ctx_store_commit(st, &err), &err);
		for (n = 0; n < TEXTS; n++)
			if (is_kept(n) != is_used(n, -1)) {
				printf("# step %d, text %d\n", step, n);
				CHECK(is_kept(n) == is_used(n, -1));
				return;
			}
	}
}

int
main(void)
{
	st = store_open();
	RUN(texts_stay_as_long_as_they_are_used);
	for (int i = 0; i < SESSIONS; i++)
		if (sessions[i].there)
			ctx_session_release(&sessions[i].s);
	ctx_store_close(st);
	store_remove();
	return TEST_END();
}
