/* Private to the statistics: statements on the sessions that count. */
#ifndef CTX_STORE_STATS_SQL_H
#define CTX_STORE_STATS_SQL_H

#include "store/rows.h"
#include "store/stats.h"

/* The values of a statement made by ctx_stats_sql, as two arguments. */
#define CTX_STATS_VALUES(st, f) \
	CTX_VALUES(ctx_str((st)->tenant), ctx_str((f)->user_id), ctx_int((f)->session_no))

/* For FROM: the sessions that count, s, with their messages, m. */
#define CTX_STATS_MESSAGES \
	"s JOIN message m ON m.id BETWEEN (s.no << 32) AND (s.no << 32 | 4294967295) "

/* Returns a statement on s, the sessions that count: ?1 tenant, ?2 user, ?3 session. The
 * caller frees it. */
char *ctx_stats_sql(
    const struct ctx_store *st, const struct ctx_stats_filter *f, const char *select);

/* Returns the tokens of a session: those of the filter, or as stored. */
int64_t ctx_stats_tokens(
    const struct ctx_stats_filter *f, int64_t session_no, int64_t stored);

#endif
