/* ctx-stats --timings: measures how long listing and reading take. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "stats.h"

#define TIMED_MESSAGES 20 /* the default size of a window */

struct latest_session {
	int64_t sessions, messages;
	int64_t at; /* time of its last message */
	char *id;
};

static int
take_latest(void *arg, const struct ctx_session *s, struct ctx_err *err CTX_UNUSED)
{
	struct latest_session *latest = arg;

	if (latest->sessions++ == 0 || s->last_message_at > latest->at) {
		free(latest->id);
		latest->id = ctx_mem_str(s->session_id);
		latest->at = s->last_message_at;
	}
	return 0;
}

/* Reads the latest messages backward, as a window of the session does. */
static int
read_latest(struct latest_session *latest, struct ctx_store *store,
    const char *session_id, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	struct ctx_cursor *c = NULL;
	struct ctx_stored m;
	int rc = cli_session_open(store, session_id, &s, err);

	if (rc == 0)
		c = ctx_cursor_open(store, &s, 1, CTX_SEQ_MAX, true, err);
	while (rc == 0 && latest->messages < TIMED_MESSAGES &&
	       (rc = ctx_cursor_next(c, &m, err)) == 1) {
		latest->messages++;
		rc = 0;
	}
	ctx_cursor_close(c);
	ctx_session_release(&s);
	return rc;
}

static double
count_ms(int64_t begun)
{
	return (double)(ctx_time_monotonic_us() - begun) / 1000;
}

int
stats_timings(struct ctx_store *store, const struct cli_list *sessions, const char *user,
    double open_ms, struct ctx_figures *figures, struct ctx_err *err)
{
	struct latest_session latest = {0};
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	const char *id = sessions->n > 0 ? sessions->v[0] : NULL;
	double list_ms, read_ms;
	int64_t begun = ctx_time_monotonic_us();
	int rc;

	f.user_id = user;
	rc = cli_each_session(store, &f, take_latest, &latest, err);
	list_ms = count_ms(begun);
	begun = ctx_time_monotonic_us();
	if (id == NULL)
		id = latest.id;
	if (rc == 0 && id != NULL)
		rc = read_latest(&latest, store, id, err);
	read_ms = count_ms(begun);
	if (rc == 0) {
		ctx_figures_begin(figures, NULL, NULL, CTX_SPAN_NONE);
		ctx_json_add_double(&cli_out.buf, "open_ms", open_ms, 3);
		ctx_json_add_double(&cli_out.buf, "list_ms", list_ms, 3);
		ctx_json_add_int(&cli_out.buf, "sessions", latest.sessions);
		if (id != NULL) {
			ctx_json_add_double(&cli_out.buf, "read_ms", read_ms, 3);
			ctx_json_print(&cli_out.buf, "'messages':%d,'session_id':%s",
			    latest.messages, id);
		}
		ctx_figures_end(figures);
	}
	free(latest.id);
	return rc;
}
