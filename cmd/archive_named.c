/* ctx-archive: the archives that operands and sessions name. */
#include "archive.h"

#include <stdlib.h>

#include "store/purge.h"

static int
with_address(
    const char *uri, const struct ctx_session *s, source_fn *fn, struct ctx_err *err)
{
	struct ctx_source src;

	return ctx_places_find(&places, uri, &src, err) < 0 ? -1 : fn(&src, uri, s, err);
}

/* An operand: a URI, or any file. */
static int
with_operand(const char *operand, source_fn *fn, struct ctx_err *err)
{
	struct ctx_source src = {.path = operand, .fd = -1};
	char *real;
	int rc;

	if (ctx_place_is_remote(operand))
		return with_address(operand, NULL, fn, err);
	real = realpath(operand, NULL);
	rc = fn(&src, real != NULL ? real : operand, NULL, err);
	free(real);
	return rc;
}

int
with_archive_of(
    const struct ctx_session *s, source_fn *fn, kept_fn *kept, struct ctx_err *err)
{
	char *uri = ctx_archive_uri(s);
	int rc;

	if (s->status == CTX_STATUS_DELETED)
		rc = cli_deleted(s->session_id, err);
	else if (uri == NULL)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is not archived", s->session_id);
	else if (kept == NULL || (rc = kept(s, uri, err)) == 0)
		rc = with_address(uri, s, fn, err);
	free(uri);
	if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
		return refuse(err);
	return rc < 0 ? -1 : 0;
}

static source_fn *session_source;
static kept_fn *session_kept; /* or NULL */

static int
with_listed(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	(void)arg;
	ctx_session_init(&s);
	rc = cli_session_find(store, listed->session_id, &s, err);
	if (rc == 0)
		rc = with_archive_of(&s, session_source, session_kept, err);
	else if (err->code == CTX_EANSWER)
		rc = refuse(err);
	ctx_session_release(&s);
	return rc;
}

int
with_named(int argc, char **argv, source_fn *fn, kept_fn *kept, struct ctx_err *err)
{
	int rc = 0;

	session_source = fn;
	session_kept = kept;
	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = with_operand(argv[i], fn, err);
		if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
			rc = refuse(err);
	}
	if (rc == 0 && (argc == 0 || opt.session.n > 0))
		rc = cli_sessions(&opt.session, with_listed, NULL, err);
	return rc;
}
