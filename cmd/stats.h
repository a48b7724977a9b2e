/* Inside of ctx-stats: what the parts of the program share. */
#ifndef CTX_CMD_STATS_H
#define CTX_CMD_STATS_H

#include "cli.h"
#include "stats/figures.h"
#include "stats/pressure.h"
#include "store/stats.h"

/* How often items went into requests, and which never did: of sessions, or of the whole
 * store (stats_items.c). */
int stats_items(struct ctx_store *store, const struct cli_list *sessions,
    struct ctx_figures *figures, struct ctx_err *err);

/* What providers read from their prompt caches: of the sessions named, else of those that
 * which selects; by model, session or day, or NULL (stats_prompt.c). */
int stats_prompt_cache(struct ctx_store *store, struct ctx_session_filter *which,
    const struct cli_list *sessions, const char *by, struct ctx_figures *figures,
    struct ctx_err *err);

/* What answers cost, of the sessions named, else of those that the filter selects; by session,
 * day, model, tool or user, or NULL. Returns 1 if that is more than most (below 0: no limit),
 * 0, or -1 (stats_cost.c). The check is of options: other are those that --cost does not go
 * with, max is --max-cost, which becomes *most. */
int stats_check_cost(bool cost, const char *by, bool other, const char *max, double *most,
    struct ctx_err *err);
int stats_cost(struct ctx_store *store, struct ctx_stats_filter *filter,
    const struct cli_list *sessions, const char *by, double most, struct ctx_err *err);

/* Learns from the answered requests of the sessions that which selects how many tokens models
 * count, writes that to calibration.ndjson beside config.json, and prints it. CTX_EANSWER if
 * there was nothing to learn from (stats_calibrate.c). */
int stats_calibrate(
    struct ctx_store *store, struct ctx_session_filter *which, struct ctx_err *err);

/* Measures listing sessions and reading the one named, else the latest, and prints how long
 * that took. Nothing is written, so how long a commit takes is for the --verbose of who does
 * (stats_timings.c). */
int stats_timings(struct ctx_store *store, const struct cli_list *sessions,
    const char *user, double open_ms, struct ctx_figures *figures, struct ctx_err *err);

/* ---- how full a session is (stats_fullness.c) ---- */

/* What a session is looked at with. */
struct stats_view {
	struct ctx_store *store;
	struct ctx_tokenizer *tokenizer; /* of --tokenizer; NULL: those that counted */
	int64_t budget;                  /* tokens; -1: that of the last request */
	double threshold; /* share of the budget that compression waits for */
};

struct stats_fullness {
	struct ctx_pressure
	    p; /* of the last request or, without one, of what is visible */
	bool requested;
	int64_t turns;   /* -1: of a session that is in its archive alone */
	int64_t visible; /* tokens; -1: told with p, or not known */
	/* What the budget leaves, and whether that is less than all; -1: not looked at, or of
	 * a session that is in its archive alone. */
	int64_t window_budget, window_messages, window_tokens;
	bool is_crowded; /* what is visible is more than the threshold of it */
};

/* Measure all before any of it is told: a session may be archived meanwhile. window: look at
 * what is visible, and at what the budget leaves, too. */
int stats_measure(const struct stats_view *v, const struct ctx_session *s, bool window,
    struct stats_fullness *out, struct ctx_err *err);

void stats_add_pressure(struct ctx_figures *f, const struct stats_fullness *full);
void stats_add_fullness(struct ctx_figures *f, const struct stats_fullness *full);

#endif
