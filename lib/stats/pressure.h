/* Reports how full requests were, as figures and as a chart. */
#ifndef CTX_STATS_PRESSURE_H
#define CTX_STATS_PRESSURE_H

#include "store/store.h"

/* Tokens and token budget of a request; -1 if unknown. */
struct ctx_pressure {
	int64_t tokens, budget;
};

/* Sets *p to the tokens and the budget of the session's newest request. Both are -1 if
 * the session has no request. If the request record has no budget, p->budget is the
 * argument budget. */
int ctx_pressure_last(struct ctx_store *st, const struct ctx_session *s, int64_t budget,
    struct ctx_pressure *p, struct ctx_err *err);

/* Returns how much of the budget the tokens use, in percent, or -1 if this is unknown. */
int ctx_pressure_percent(const struct ctx_pressure *p);

/* Appends a title and a ten-line chart that compares the tokens of the session's requests
 * with the budget, which is the argument budget or else the newest budget in a request
 * record. Returns 1 if a chart was appended, 0 if there is nothing to draw, -1 on
 * error. */
int ctx_pressure_plot(struct ctx_buf *out, struct ctx_store *st,
    const struct ctx_session *s, int64_t budget, struct ctx_err *err);

#endif
