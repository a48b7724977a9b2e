/* ctx-stats: reports how full a session is, and what a window of a budget would
 * contain. */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "stats/visible_tokens.h"
#include "store/purge.h"
#include "store/stats.h"
#include "window/window.h"

/* Makes t count as the session's last request was counted, in the tokens of its model.
 * Returns 1 if that changes its counts, 0 if not, -1 on error. */
static int
follow_last_request(const struct stats_view *v, const struct ctx_session *s,
    struct ctx_tokenizer *t, struct ctx_err *err)
{
	char *record = NULL, *name, *before = ctx_mem_str(ctx_tokenizer_name(t));
	int rc = ctx_stats_last_request(v->store, s, &record, err);

	if (rc == 1) {
		name = ctx_json_strdup(ctx_json_get(ctx_span_of(record), "tokenizer"));
		rc = name != NULL && ctx_tokenizer_rescale(t, name) &&
		     strcmp(name, before) != 0;
		free(name);
	}
	free(record);
	free(before);
	return rc;
}

/* Opens the tokenizer of --tokenizer or, without it, the one that counted the newest
 * message, in the tokens of the last request's model. Returns 1 if its counts differ from
 * the stored counts, 0 if not, -1 on error. */
static int
open_tokenizer(const struct stats_view *v, const struct ctx_session *s,
    struct ctx_tokenizer **own, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	const char *given = cli_common.tokenizer;
	int rc;

	*own = NULL;
	if (v->tokenizer != NULL)
		return 1;
	c = ctx_cursor_open(v->store, s, 1, s->last_seq, true, err);
	rc = ctx_cursor_next(c, &m, err);
	if (rc == 1)
		cli_common.tokenizer = m.tokenizer;
	if (rc >= 0)
		rc = cli_tokenizer_open(own, err);
	cli_common.tokenizer = given;
	ctx_cursor_close(c);
	return rc < 0 ? -1 : follow_last_request(v, s, *own, err);
}

static int
visible_tokens(const struct stats_view *v, const struct ctx_session *s, bool requested,
    int64_t *tokens, struct ctx_err *err)
{
	struct ctx_tokenizer *own = NULL, *t = v->tokenizer;
	int rc = v->tokenizer != NULL;

	if (!ctx_archive_cleaned(s) && (s->summary != 0 || requested))
		rc = open_tokenizer(v, s, &own, err);
	if (rc >= 0)
		rc = ctx_visible_tokens(
		    v->store, s, own != NULL ? own : t, rc == 1, tokens, err);
	ctx_tokenizer_close(own);
	return rc;
}

static void
measure_window(const struct ctx_window *w, struct stats_fullness *out)
{
	out->window_messages = out->window_tokens = 0;
	for (size_t i = 0; i < w->history.n; i++)
		if (w->history.items[i].keep) {
			out->window_messages++;
			out->window_tokens += w->history.items[i].tokens;
		}
}

/* Selects messages as ctx-window does when only a budget is given. */
static int
look_at_window(const struct stats_view *v, const struct ctx_session *s, int64_t budget,
    struct stats_fullness *out, struct ctx_err *err)
{
	struct ctx_window_options o = {.max_messages = -1,
	    .max_turns = -1,
	    .budget = budget,
	    .reserve = budget / 8,
	    .since = CTX_TIME_NONE,
	    .until = -1,
	    .now = cli_now()};
	struct ctx_tokenizer *own = NULL;
	struct ctx_window w = CTX_WINDOW_INIT;
	int rc;

	if (ctx_archive_cleaned(s))
		return 0;
	out->window_budget = budget;
	rc = open_tokenizer(v, s, &own, err) < 0 ? -1 : 0;
	if (rc == 0)
		rc = cli_session_find(v->store, s->session_id, &w.session, err);
	if (rc == 0 && ctx_archive_cleaned(&w.session))
		rc = ctx_session_left_error(s, CTX_LEFT_MESSAGES, err);
	if (rc == 0)
		rc = ctx_window_load(
		    &w, v->store, &o, own != NULL ? own : v->tokenizer, err);
	if (rc == 0)
		measure_window(&w, out);
	ctx_window_release(&w);
	ctx_tokenizer_close(own);
	return rc;
}

static int
count_turn(void *arg, int64_t seq CTX_UNUSED, int64_t tokens CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	int64_t *turns = arg;

	++*turns;
	return 0;
}

/* Counts the turns of a session. Fails with CTX_EANSWER if its messages were moved to an
 * archive meanwhile. */
static int
count_turns(const struct stats_view *v, const struct ctx_session *s, int64_t *turns,
    struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;
	int rc;

	if (ctx_archive_cleaned(s))
		return 0;
	*turns = 0;
	rc = ctx_stats_turns(v->store, s, count_turn, turns, err);
	if (rc == 0)
		rc = cli_session_find(v->store, s->session_id, &now, err);
	if (rc == 0 && ctx_archive_cleaned(&now))
		rc = ctx_session_left_error(s, CTX_LEFT_MESSAGES, err);
	ctx_session_release(&now);
	return rc;
}

static int
measure_window_fullness(const struct stats_view *v, const struct ctx_session *s,
    bool window, struct stats_fullness *out, struct ctx_err *err)
{
	int64_t budget = v->budget, visible;

	*out = (struct stats_fullness){.turns = -1,
	    .visible = -1,
	    .window_budget = -1,
	    .window_messages = -1,
	    .window_tokens = -1};
	if (ctx_pressure_last(v->store, s, budget, &out->p, err) < 0 ||
	    (window && count_turns(v, s, &out->turns, err) < 0))
		return -1;
	out->requested = out->p.tokens >= 0;
	if (!out->requested)
		out->p.budget = budget;
	if ((!out->requested || window) &&
	    visible_tokens(v, s, out->requested,
		out->requested ? &out->visible : &out->p.tokens, err) < 0)
		return -1;
	if (budget < 0)
		budget = out->p.budget;
	if (!window || budget < 0)
		return 0;
	visible = out->requested ? out->visible : out->p.tokens;
	out->is_crowded = (double)visible > v->threshold * (double)budget;
	return look_at_window(v, s, budget, out, err);
}

int
stats_measure(const struct stats_view *v, const struct ctx_session *s, bool window,
    struct stats_fullness *out, struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = measure_window_fullness(v, s, window, out, err);

	while (rc < 0 && ctx_session_moved(v->store, s, &now, err))
		rc = measure_window_fullness(v, &now, window, out, err);
	ctx_session_release(&now);
	return rc;
}

/* ---- printing ---- */

void
stats_add_pressure(struct ctx_figures *f, const struct stats_fullness *full)
{
	int percent = ctx_pressure_percent(&full->p);

	ctx_figures_add(f, full->requested ? "last_request_tokens" : "visible_tokens",
	    full->p.tokens);
	ctx_figures_add(f, "budget", full->p.budget);
	ctx_figures_add(f, "percent_used", percent);
	if (percent >= 0)
		ctx_json_add_str(
		    f->out, "percent_of", full->requested ? "request" : "session");
}

void
stats_add_fullness(struct ctx_figures *f, const struct stats_fullness *full)
{
	ctx_figures_add(f, "visible_tokens", full->visible);
	stats_add_pressure(f, full);
	ctx_figures_add(f, "window_budget", full->window_budget);
	ctx_figures_add(f, "window_messages", full->window_messages);
	ctx_figures_add(f, "window_tokens", full->window_tokens);
	if (full->window_budget >= 0)
		ctx_json_add_bool(f->out, "compression_needed", full->is_crowded);
}
