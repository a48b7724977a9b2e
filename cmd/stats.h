/* Inside of ctx-stats: what the parts of the program share. */
#ifndef CTX_CMD_STATS_H
#define CTX_CMD_STATS_H

#include "cli.h"
#include "stats/figures.h"
#include "stats/pressure.h"
#include "store/stats.h"

/* Prints how often items were part of requests, and which items never were, for the
 * sessions given or the whole store (stats_items.c). */
int stats_items(struct ctx_store *store, const struct cli_list *sessions,
    struct ctx_figures *figures, struct ctx_err *err);

/* Prints how much providers read from their prompt caches, for the sessions given or,
 * if none are, for those that the filter which selects. by is "model", "session",
 * "day" or NULL for a total (stats_prompt.c). */
int stats_prompt_cache(struct ctx_store *store, struct ctx_session_filter *which,
    const struct cli_list *sessions, const char *by, struct ctx_figures *figures,
    struct ctx_err *err);

/* stats_cost prints the cost of answers, for the sessions given or, if none are, for
 * those that the filter selects. by is "session", "day", "model", "tool", "user" or
 * NULL for a total. Returns 1 if the cost exceeds most (negative: no limit), 0 if not,
 * -1 on error (stats_cost.c). stats_check_cost checks options: other is true if an
 * option is set that cannot be used with --cost; max is the value of --max-cost, which
 * is parsed into *most. */
int stats_check_cost(bool cost, const char *by, bool other, const char *max, double *most,
    struct ctx_err *err);
int stats_cost(struct ctx_store *store, struct ctx_stats_filter *filter,
    const struct cli_list *sessions, const char *by, double most, struct ctx_err *err);

/* Calibrates token estimates per model from the answered requests of the selected
 * sessions. Writes the result to calibration.ndjson beside config.json, and prints it.
 * CTX_EANSWER if there is no such request (stats_calibrate.c). */
int stats_calibrate(
    struct ctx_store *store, struct ctx_session_filter *which, struct ctx_err *err);

/* Measures how long it takes to list sessions and to read the given one, else the
 * latest, and prints the times. Writes nothing, so commits are not measured
 * (stats_timings.c). */
int stats_timings(struct ctx_store *store, const struct cli_list *sessions,
    const char *user, double open_ms, struct ctx_figures *figures, struct ctx_err *err);

/* ---- how full a session is (stats_fullness.c) ---- */

/* Parameters for measuring a session. */
struct stats_view {
	struct ctx_store *store;
	struct ctx_tokenizer *tokenizer; /* of --tokenizer; NULL: the messages' own */
	int64_t budget;                  /* tokens; -1: the last request's budget */
	double threshold; /* share of the budget above which compression is needed */
};

struct stats_fullness {
	struct ctx_pressure
	    p; /* of the last request or, if there is none, of the visible messages */
	bool requested;
	int64_t turns;   /* -1: the messages are only in the archive */
	int64_t visible; /* tokens; -1: given by p, or unknown */
	/* a window of the budget; -1: not computed, or the messages are only in the
	 * archive */
	int64_t window_budget, window_messages, window_tokens;
	bool is_crowded; /* the visible messages exceed the threshold */
};

/* Measures a session. Call for all sessions before printing any: a session may be
 * archived meanwhile. With window, also counts the visible messages and those in a
 * window of the budget. */
int stats_measure(const struct stats_view *v, const struct ctx_session *s, bool window,
    struct stats_fullness *out, struct ctx_err *err);

void stats_add_pressure(struct ctx_figures *f, const struct stats_fullness *full);
void stats_add_fullness(struct ctx_figures *f, const struct stats_fullness *full);

#endif
