/* What a budget leaves of a session. */
#include "stats.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "stats/visible.h"
#include "store/purge.h"
#include "window/window.h"

/* The tokenizer of the option or, without, the one that counted the newest message. */
static int
open_tokenizer(const struct stats_view *v, const struct ctx_session *s,
    struct ctx_tokenizer **own, struct ctx_err *err)
{
	struct ctx_cursor *c = NULL;
	struct ctx_stored m = {0};
	const char *given = cli_common.tokenizer;
	int rc;

	*own = NULL;
	if (v->tokenizer != NULL)
		return 0;
	rc = ctx_cursor_open(&c, v->store, s, 1, s->last_seq, true, err);
	if (rc == 0)
		rc = ctx_cursor_next(c, &m, err);
	if (rc == 1)
		cli_common.tokenizer = m.tokenizer;
	if (rc >= 0)
		rc = cli_tokenizer_open(own, err);
	cli_common.tokenizer = given;
	ctx_cursor_close(c);
	return rc;
}

int
stats_visible(const struct stats_view *v, const struct ctx_session *s, int64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_tokenizer *own = NULL, *t = v->tokenizer;
	int rc = 0;

	if (s->summary != 0 && !ctx_archive_cleaned(s))
		rc = open_tokenizer(v, s, &own, err);
	if (rc == 0)
		rc = ctx_visible_tokens(v->store, s, own != NULL ? own : t,
		    v->tokenizer != NULL, tokens, err);
	ctx_tokenizer_close(own);
	return rc;
}

/* Was anything left out for want of room? */
static bool
is_short(const struct ctx_request *r)
{
	struct ctx_buf list = CTX_BUF_INIT;
	struct ctx_json_iter it;
	bool found = false;

	ctx_buf_addf(
	    &list, "[%.*s]", (int)r->dropped.n, r->dropped.n > 0 ? r->dropped.p : "");
	ctx_json_iter_init(&it, ctx_buf_span(&list));
	while (!found && ctx_json_iter_next(&it))
		found = ctx_json_is(
		    ctx_json_get(it.value, "reason"), ctx_reason_name(CTX_REASON_BUDGET));
	ctx_buf_release(&list);
	return found;
}

static void
measure(const struct ctx_window *w, int64_t budget, struct stats_window *out)
{
	*out = (struct stats_window){.budget = budget};
	for (size_t i = 0; i < w->history.n; i++)
		if (w->history.items[i].keep) {
			out->messages++;
			out->tokens += w->history.items[i].tokens;
		}
	out->is_short = is_short(&w->request) || out->tokens + CTX_TOKENS_REPLY > budget;
}

int
stats_window(const struct stats_view *v, const struct ctx_session *s, int64_t budget,
    struct stats_window *out, struct ctx_err *err)
{
	/* as ctx-window chooses when it is told no more than the budget */
	struct ctx_window_options o = {.max_messages = -1,
	    .max_turns = -1,
	    .budget = budget,
	    .reserve = budget / 8,
	    .since = CTX_TIME_NONE,
	    .until = -1,
	    .now = cli_now()};
	struct ctx_tokenizer *own = NULL;
	struct ctx_window w;
	int rc;

	out->budget = -1;
	if (ctx_archive_cleaned(s))
		return 0;
	ctx_window_init(&w);
	rc = open_tokenizer(v, s, &own, err);
	if (rc == 0)
		rc = cli_session_find(v->store, s->session_id, &w.session, err);
	if (rc == 0 && ctx_archive_cleaned(&w.session))
		rc = ctx_session_left_error(s, CTX_LEFT_MESSAGES, err);
	if (rc == 0)
		rc = ctx_window_load(
		    &w, v->store, &o, own != NULL ? own : v->tokenizer, err);
	if (rc == 0)
		measure(&w, budget, out);
	ctx_window_release(&w);
	ctx_tokenizer_close(own);
	return rc;
}
