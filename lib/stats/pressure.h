/* How full requests were, and a picture of that. */
#ifndef CTX_STATS_PRESSURE_H
#define CTX_STATS_PRESSURE_H

#include "store/store.h"

/* Of a request: its tokens and its budget, -1 unknown. */
struct ctx_pressure {
	int64_t tokens, budget;
};

/* From a request record; budget: where it has none of its own. */
void ctx_pressure_read(struct ctx_pressure *p, struct ctx_span record, int64_t budget);

/* Of the newest request of a session; all unknown without one. */
int ctx_pressure_last(struct ctx_store *st, const struct ctx_session *s, int64_t budget,
    struct ctx_pressure *p, struct ctx_err *err);

int ctx_pressure_percent(const struct ctx_pressure *p); /* -1 unknown */

/* Append a title and a chart of ten lines of the tokens of its requests, without any of
 * its turns, against the budget: the newest budget known, or the given one. 1; 0 when there
 * is nothing to draw; -1. */
int ctx_pressure_plot(struct ctx_buf *out, struct ctx_store *st,
    const struct ctx_session *s, int64_t budget, struct ctx_err *err);

#endif
