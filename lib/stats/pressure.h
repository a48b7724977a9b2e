/* How full requests were, in figures and as a chart. */
#ifndef CTX_STATS_PRESSURE_H
#define CTX_STATS_PRESSURE_H

#include "store/store.h"

/* Tokens and budget of a request; -1: unknown. */
struct ctx_pressure {
	int64_t tokens, budget;
};

/* Reads them from the newest request of the session, -1 for both if there is none. budget is
 * used if its record has none. */
int ctx_pressure_last(struct ctx_store *st, const struct ctx_session *s, int64_t budget,
    struct ctx_pressure *p, struct ctx_err *err);

int ctx_pressure_percent(const struct ctx_pressure *p); /* -1 unknown */

/* Appends a title and a chart of ten lines: the tokens of the session's requests against
 * the budget (the given one, or the newest known). Returns 1, 0 when there is nothing to
 * draw, -1 on error. */
int ctx_pressure_plot(struct ctx_buf *out, struct ctx_store *st,
    const struct ctx_session *s, int64_t budget, struct ctx_err *err);

#endif
