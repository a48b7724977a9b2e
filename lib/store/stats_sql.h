/* Private to the statistics: SQL for the sessions that a filter selects. */
#ifndef CTX_STORE_STATS_SQL_H
#define CTX_STORE_STATS_SQL_H

#include "store/row.h"
#include "store/stats.h"

/* FROM clause for ctx_stats_rows: the selected sessions (s), joined with their messages
 * (m). */
#define CTX_STATS_MESSAGES \
	"s JOIN message m ON m.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295) "

/* Starts to read the rows of a query. select: the text of the query, in which "s" is the
 * table of the selected sessions; table: see ctx_rows. */
struct ctx_row ctx_stats_rows(struct ctx_store *st, const struct ctx_stats_filter *f,
    const char *table, const char *select, struct ctx_err *err);

/* Returns the token sum of a session: the sum in f->totals or, if f->totals does not
 * contain the session, the value of the argument "stored". */
int64_t ctx_stats_tokens(
    const struct ctx_stats_filter *f, int64_t session_no, int64_t stored);

#endif
