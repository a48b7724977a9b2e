/* Private to ctx-stats: functions that its files share. */
#ifndef CTX_CMD_STATS_H
#define CTX_CMD_STATS_H

#include "cli.h"
#include "stats/figures.h"
#include "stats/pressure.h"
#include "store/stats.h"

/* Prints how often each item was part of a request, and which items were never part of a
 * request. Covers the given sessions or, if the list is empty, the whole store
 * (stats_items.c). */
int stats_items(struct ctx_store *store, const struct cli_list *sessions,
    struct ctx_figures *figures, struct ctx_err *err);

/* Prints how many tokens providers read from their prompt caches. Covers the given
 * sessions or, if the list is empty, the sessions selected by *which (stats_prompt.c).
 * by: "model", "session" or "day", or NULL for a total. */
int stats_prompt_cache(struct ctx_store *store, struct ctx_session_filter *which,
    const struct cli_list *sessions, const char *by, struct ctx_figures *figures,
    struct ctx_err *err);

/* stats_check_cost checks the options of --cost. other: true if an option was given that
 * cannot be used with --cost; max: the argument of --max-cost, which is parsed into
 * *most. stats_cost prints the cost of answers for the given sessions or, if the list is
 * empty, for the sessions that the filter selects (stats_cost.c). by: "session", "day",
 * "model", "tool" or "user", or NULL for a total. most: the maximum cost in dollars;
 * negative: no limit. Returns 1 if there is a limit and the cost exceeds it or the price
 * of an answer is not known; 0 otherwise; -1 on error. */
int stats_check_cost(bool cost, const char *by, bool other, const char *max, double *most,
    struct ctx_err *err);
int stats_cost(struct ctx_store *store, struct ctx_stats_filter *filter,
    const struct cli_list *sessions, const char *by, double most, struct ctx_err *err);

/* Calibrates token estimates for each model. Uses the answered requests of the sessions
 * selected by *which. Writes the calibration to calibration.ndjson in the directory of
 * config.json, and prints it. Fails with CTX_EANSWER if the sessions have no such request
 * (stats_calibrate.c). */
int stats_calibrate(
    struct ctx_store *store, struct ctx_session_filter *which, struct ctx_err *err);

/* Measures how long it takes to list sessions, and to read one session: the given session
 * or, if the list is empty, the latest one. Prints these times. open_ms is the time in ms
 * that opening the store took. Does not write to the store, so commits are not measured
 * (stats_timings.c). */
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
	/* share of the budget above which the session counts as crowded */
	double threshold;
};

struct stats_fullness {
	/* tokens and budget of the session's last request or, if there is no request, of
	 * its visible messages */
	struct ctx_pressure p;
	bool requested;
	/* number of turns; -1: unknown, because the messages are only in the archive */
	int64_t turns;
	/* tokens of the visible messages; -1: unknown, or the same as p.tokens */
	int64_t visible;
	/* budget, number of messages and tokens of a window of this session; -1: not
	 * computed, or unknown because the messages are only in the archive */
	int64_t window_budget, window_messages, window_tokens;
	/* true: the tokens of the visible messages exceed the threshold */
	bool is_crowded;
};

/* Measures a session. If window is true, also counts the visible messages and the
 * messages that a window of the budget would contain. Measure all sessions before
 * printing any of them, because a session may be archived meanwhile. */
int stats_measure(const struct stats_view *v, const struct ctx_session *s, bool window,
    struct stats_fullness *out, struct ctx_err *err);

void stats_add_pressure(struct ctx_figures *f, const struct stats_fullness *full);
void stats_add_fullness(struct ctx_figures *f, const struct stats_fullness *full);

#endif
