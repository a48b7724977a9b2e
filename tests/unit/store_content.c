/* Texts that are kept by content: each session has its own, and they go with it. */
#include "store/content.h"

#include "random.h"
#include "store/purge.h"
#include "store_help.h"
#include "test.h"

#define SESSIONS 6
#define TEXTS 9

static struct ctx_store *st;

/* The model: what refers to which text. */
static struct {
	bool there;
	struct ctx_session s;
	int requests[TEXTS]; /* of the session, with this text */
} sessions[SESSIONS];
static int made; /* requests */

static void
text_of(struct ctx_buf *b, int n)
{
	ctx_buf_reset(b);
	ctx_buf_addf(b, "{\"role\":\"system\",\"content\":\"text number %d\"}", n);
}

static bool
is_kept(int i, int n)
{
	struct ctx_buf text = CTX_BUF_INIT, got = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	char sha[CTX_HASH_HEX + 1];
	int rc;

	text_of(&text, n);
	ctx_hash_sha256(text.p, text.n, sha);
	rc = ctx_content_get(st, sessions[i].s.no, ctx_span_of(sha), &got, &err);
	store_must(rc, &err);
	CHECK(rc == 0 || ctx_span_eq(ctx_buf_span(&got), ctx_buf_span(&text)));
	ctx_buf_release(&text);
	ctx_buf_release(&got);
	return rc == 1;
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
	if (!is_kept(i, n) || random_below(4) > 0)
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
	int64_t dropped = 0;

	if (!sessions[i].there)
		return;
	for (int n = 0; n < TEXTS; n++)
		dropped += sessions[i].requests[n] > 0;
	store_must(ctx_store_erase(st, &sessions[i].s.no, 1, &removed, &err), &err);
	store_must(ctx_store_forget(st, &sessions[i].s.no, 1, &err), &err);
	CHECK_INT(removed.additions, dropped);
	ctx_session_release(&sessions[i].s);
	memset(&sessions[i], 0, sizeof(sessions[i]));
}

static void
texts_stay_as_long_as_their_session(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	for (int step = 0; step < 1500; step++) {
		store_must(ctx_store_begin(st, &err), &err);
		if (random_below(4) == 0)
			erase_session((int)random_below(SESSIONS));
		else
			add_request(
			    (int)random_below(SESSIONS), (int)random_below(TEXTS));
		store_must(ctx_store_commit(st, &err), &err);
		for (int i = 0; i < SESSIONS * TEXTS; i++) {
			int n = i % TEXTS, of = i / TEXTS;
			bool used = sessions[of].there && sessions[of].requests[n] > 0;
			if (is_kept(of, n) != used) {
				printf("# step %d, session %d, text %d\n", step, of, n);
				CHECK(is_kept(of, n) == used);
				return;
			}
		}
	}
}

int
main(void)
{
	st = store_open();
	RUN(texts_stay_as_long_as_their_session);
	for (int i = 0; i < SESSIONS; i++)
		if (sessions[i].there)
			ctx_session_release(&sessions[i].s);
	ctx_store_close(st);
	store_remove();
	return TEST_END();
}
