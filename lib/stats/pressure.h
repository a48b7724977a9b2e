/* Reports the pressure of requests, as figures and as a chart. The pressure of a request
 * is the part of the token budget that the request uses. */
#ifndef CTX_STATS_PRESSURE_H
#define CTX_STATS_PRESSURE_H

#include "store/store.h"

/* Number of tokens and token budget of a request. Each member is -1 if unknown. */
struct ctx_pressure {
	int64_t tokens, budget;
};

/* Sets *p to the tokens and the budget of the session's newest request, or to -1 and -1
 * if the session has no request. If the request record has no budget, sets p->budget to
 * the argument "budget". Returns 0, or -1 on error. */
int ctx_pressure_last(struct ctx_store *st, const struct ctx_session *s, int64_t budget,
    struct ctx_pressure *p, struct ctx_err *err);

/* Returns p->tokens in percent of p->budget, or -1 if the tokens or the budget are
 * unknown. */
int ctx_pressure_percent(const struct ctx_pressure *p);

/* Appends a title and a ten-line chart that compares the tokens of the session's requests
 * with the token budget. If no requests are stored, the chart shows the tokens of the
 * session's turns. The token budget is the first of these that is known: (1) the budget
 * in the newest request record, (2) the argument "budget", if positive, (3) the newest
 * budget in any request record. Returns 1 if a chart was appended, 0 if there is nothing
 * to draw, -1 on error. */
int ctx_pressure_plot(struct ctx_buf *out, struct ctx_store *st,
    const struct ctx_session *s, int64_t budget, struct ctx_err *err);

#endif
