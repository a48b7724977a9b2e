/* Private to ctx-stats: functions that its files share. */
#ifndef CTX_CMD_STATS_H
#define CTX_CMD_STATS_H

#include "cli.h"
#include "stats/figures.h"
#include "stats/pressure.h"
#include "store/stats.h"

/* Prints in how many requests each item (a rule, reference, tool or prompt module) was
 * included, and which items were never included. Covers the given sessions or, if the
 * list is empty, the whole store (stats_items.c). */
int stats_items(struct ctx_store *store, const struct cli_list *sessions,
    struct ctx_figures *figures, struct ctx_err *err);

/* Prints how many tokens providers read from their prompt caches. Covers the given
 * sessions or, if the list is empty, the sessions selected by *which (stats_prompt.c).
 * by: "model", "session" or "day", or NULL for a total. */
int stats_prompt_cache(struct ctx_store *store, struct ctx_session_filter *which,
    const struct cli_list *sessions, const char *by, struct ctx_figures *figures,
    struct ctx_err *err);

/* stats_check_cost checks the options used with --cost. cost: true if --cost was given;
 * other: true if an option was given that cannot be used with --cost; max: the argument
 * of --max-cost, or NULL. If max is not NULL, sets *most to its value.
 *
 * stats_cost prints the cost of the answers in the given sessions or, if the list is
 * empty, in the sessions that the filter selects (stats_cost.c). by: "session", "day",
 * "model", "tool" or "user", or NULL for a total. most: maximum cost in dollars;
 * negative: no maximum. Returns 0 on success, -1 on error. With a maximum, returns 1 if
 * the cost is greater or if the price of an answer is unknown. */
int stats_check_cost(bool cost, const char *by, bool other, const char *max, double *most,
    struct ctx_err *err);
int stats_cost(struct ctx_store *store, struct ctx_stats_filter *filter,
    const struct cli_list *sessions, const char *by, double most, struct ctx_err *err);

/* Calibrates token estimates for each model with the answered requests of the sessions
 * selected by *which. Writes the calibration to calibration.ndjson in the directory of
 * config.json, and prints it. Fails with CTX_EANSWER if these sessions have no answered
 * request (stats_calibrate.c). */
int stats_calibrate(
    struct ctx_store *store, struct ctx_session_filter *which, struct ctx_err *err);

/* Prints how long three steps take: opening the store (open_ms, in ms), listing the
 * sessions of the user, and reading the newest messages of one session. open_ms: how long
 * opening the store took, in ms. The session is the given one or, if the list is empty,
 * the session with the newest message. Does not write to the store (stats_timings.c). */
int stats_timings(struct ctx_store *store, const struct cli_list *sessions,
    const char *user, double open_ms, struct ctx_figures *figures, struct ctx_err *err);

/* ---- how full a session is (stats_fullness.c) ---- */

/* Parameters for measuring a session. */
struct stats_view {
	struct ctx_store *store;
	/* the tokenizer of --tokenizer; NULL: use the stored counts */
	struct ctx_tokenizer *tokenizer;
	/* budget in tokens; -1: use the budget of the session's last request */
	int64_t budget;
	/* share of the budget, from 0 to 1, above which the session counts as crowded
	 * (see the member "is_crowded" of struct stats_fullness) */
	double threshold;
};

struct stats_fullness {
	/* tokens and budget of the session's last request; without a request: the tokens
	 * of the visible messages, and the budget of struct stats_view */
	struct ctx_pressure p;
	bool requested;
	/* number of turns; -1: not counted, or unknown because the messages are only in
	 * the archive */
	int64_t turns;
	/* tokens of the visible messages; -1: not counted, or counted in p.tokens because
	 * the session has no request */
	int64_t visible;
	/* the budget of a window of this session, and the number of messages and of
	 * tokens in that window; -1: not computed */
	int64_t window_budget, window_messages, window_tokens;
	/* true: the visible messages have more tokens than threshold * budget */
	bool is_crowded;
};

/* Measures how much of its token budget a session uses. If window is true, also counts
 * the turns and the tokens of the visible messages, and determines what ctx-window would
 * print with this budget. If the session is archived or restored meanwhile, measures the
 * session again. */
int stats_measure(const struct stats_view *v, const struct ctx_session *s, bool window,
    struct stats_fullness *out, struct ctx_err *err);

void stats_add_pressure(struct ctx_figures *f, const struct stats_fullness *full);
void stats_add_fullness(struct ctx_figures *f, const struct stats_fullness *full);

#endif
