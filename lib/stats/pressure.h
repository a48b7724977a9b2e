/* Reports how full requests were, as figures and as a chart. */
#ifndef CTX_STATS_PRESSURE_H
#define CTX_STATS_PRESSURE_H

#include "store/store.h"

/* Tokens and token budget of a request; -1 if unknown. */
struct ctx_pressure {
	int64_t tokens, budget;
};

/* Reads the tokens and budget of the session's newest request; both are -1 if the session
 * has no request. If the request record has no budget, the argument budget is used. */
int ctx_pressure_last(struct ctx_store *st, const struct ctx_session *s, int64_t budget,
    struct ctx_pressure *p, struct ctx_err *err);

/* Percent of the budget used; -1 if unknown. */
int ctx_pressure_percent(const struct ctx_pressure *p);

/* Appends a title and a ten-line chart that compares the session's requests, in tokens,
 * with the budget (the argument, or else the newest known). Returns 1, or 0 if there is
 * nothing to draw, or -1 on error. */
int ctx_pressure_plot(struct ctx_buf *out, struct ctx_store *st,
    const struct ctx_session *s, int64_t budget, struct ctx_err *err);

#endif
