/* Private to the statistics: SQL for the sessions that a filter selects. */
#ifndef CTX_STORE_STATS_SQL_H
#define CTX_STORE_STATS_SQL_H

#include "store/rows.h"
#include "store/stats.h"

/* The values of a statement made by ctx_stats_sql, as two arguments: the array and its
 * length. */
#define CTX_STATS_VALUES(st, f) \
	CTX_VALUES(ctx_str((st)->tenant), ctx_str((f)->user_id), ctx_int((f)->session_no))

/* FROM clause for a statement of ctx_stats_sql: the selected sessions s, joined with
 * their messages m. */
#define CTX_STATS_MESSAGES \
	"s JOIN message m ON m.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295) "

/* Returns SQL text for the query select, in which s is the table of the selected
 * sessions. The parameter ?1 is the tenant, ?2 is the user, and ?3 is the session. The
 * caller frees the text. */
char *ctx_stats_sql(
    const struct ctx_store *st, const struct ctx_stats_filter *f, const char *select);

/* Returns the token sum of a session: the sum in f->totals if the session is listed
 * there, otherwise the value of the argument stored. */
int64_t ctx_stats_tokens(
    const struct ctx_stats_filter *f, int64_t session_no, int64_t stored);

#endif
