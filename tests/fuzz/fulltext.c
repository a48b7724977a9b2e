/* Fuzz target for searching: whatever people type makes a query that FTS5 takes, and a
 * message is found by its own text, by all its words and by any of them. */
#include "fuzz.h"

#include <string.h>

#include "../unit/store_help.h"
#include "store/fulltext.h"
#include "words/words.h"

static struct ctx_store *store;
static struct ctx_session session;

static void
close_store(void)
{
	ctx_store_close(store);
	ctx_session_release(&session);
	store_remove();
}

static void
open_store(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	store = store_open();
	MUST(ctx_store_begin(store, &err) == 0);
	store_session(store, &session, "s");
	MUST(ctx_store_commit(store, &err) == 0);
	atexit(close_store);
}

static int64_t
matches(struct ctx_span typed, bool any)
{
	struct ctx_buf query = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int64_t n = -1;

	ctx_fulltext_query(&query, typed, any);
	if (query.n > 0)
		MUST(
		    ctx_fulltext_count(store, &session, query.p, 1000000, &n, &err) == 0);
	ctx_buf_release(&query);
	return n;
}

static void
append(const char *text)
{
	struct ctx_err err = CTX_ERR_INIT;

	MUST(ctx_store_begin(store, &err) == 0);
	store_say(store, &session, CTX_ROLE_USER, NULL, text, 0);
	MUST(ctx_store_session_count(store, &session, 0, &err) == 0);
	MUST(ctx_store_session_update(store, &session, &err) == 0);
	MUST(ctx_store_commit(store, &err) == 0);
	MUST(ctx_fulltext_catch_up(store, &session, &err) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx_span typed = {(const char *)data + 1, n - 1};
	int64_t all, any;
	char *text;

	if (store == NULL)
		open_store();
	if (n < 1)
		return 0;
	all = matches(typed, false);
	any = matches(typed, true);
	MUST((all < 0) == (any < 0) && all <= any);
	if (data[0] % 8 != 0 || all < 0 || session.last_seq > 2000)
		return 0;
	/* appending costs a thousand times as much */
	text = ctx_mem_dup(typed.p, typed.n);
	append(text);
	if (strlen(text) == typed.n) {
		MUST(matches(typed, false) == all + 1);
		MUST(matches(typed, true) == any + 1);
	}
	free(text);
	return 0;
}
