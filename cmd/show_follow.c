/* ctx-show --follow: prints records as they are stored. */
#include "show.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "store/purge.h"

#define LOOK_MS 200 /* time between two checks of the store */

/* Waits a moment. Returns false if the reader of stdout has gone. */
static bool
wait_for_change(void)
{
	struct pollfd out = {STDOUT_FILENO, 0, 0};

	return poll(&out, 1, LOOK_MS) <= 0 || (out.revents & (POLLERR | POLLNVAL)) == 0;
}

/* Prints new records. Records of an archived session were printed before, or are printed
 * when it is restored. */
static int
print_new_records(struct ctx_store *store, const struct ctx_session *s,
    struct ctx_export_after *after, ctx_export_fn *fn, void *arg, struct ctx_err *err)
{
	int rc = 0;

	if (!ctx_archive_cleaned(s))
		rc = ctx_store_export_after(store, s, after, fn, arg, err);
	if (rc < 0 && err->code == CTX_EMOVED) {
		*err = (struct ctx_err)CTX_ERR_INIT;
		rc = 0;
	}
	return rc;
}

/* Reads the session again. Fails with CTX_EANSWER if it was deleted. */
static int
look_again(struct ctx_store *store, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = ctx_store_session_get(store, s->no, &now, err);

	if (rc == 1 && now.status != CTX_STATUS_DELETED &&
	    strcmp(now.session_id, s->session_id) == 0) {
		ctx_session_release(s);
		*s = now;
		return 0;
	}
	if (rc >= 0)
		ctx_err_set(err, CTX_EANSWER, "session '%s' was deleted", s->session_id);
	ctx_session_release(&now);
	return -1;
}

int
show_follow(struct ctx_store *store, const char *session_id, ctx_export_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_export_after after = {0, 0, 0};
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = cli_session_open(store, session_id, &s, err);

	if (rc == 0)
		rc = ctx_store_export(store, &s, CTX_EXPORT_SESSION, fn, arg, err);
	while (rc == 0) {
		rc = print_new_records(store, &s, &after, fn, arg, err);
		if (rc == 0)
			rc = cli_flush(err);
		if (rc < 0 || !wait_for_change())
			break;
		rc = look_again(store, &s, err);
	}
	ctx_session_release(&s);
	return rc;
}
