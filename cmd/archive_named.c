/* ctx-archive: finds the archives that operands and sessions name. */
#include "archive.h"

#include <stdlib.h>

#include "store/purge.h"

static int
with_address(struct archiving *arc, const char *uri, const struct ctx_session *s,
    source_fn *fn, struct ctx_err *err)
{
	struct ctx_source src;

	return ctx_places_find(&arc->places, uri, &src, err) < 0
		   ? -1
		   : fn(arc, &src, uri, s, err);
}

/* Calls fn for the archive that an operand names: a URI, or any file. */
static int
with_operand(
    struct archiving *arc, const char *operand, source_fn *fn, struct ctx_err *err)
{
	struct ctx_source src = {.path = operand, .fd = -1};
	char *real;
	int rc;

	if (ctx_place_is_remote(operand))
		return with_address(arc, operand, NULL, fn, err);
	real = realpath(operand, NULL);
	rc = fn(arc, &src, real != NULL ? real : operand, NULL, err);
	free(real);
	return rc;
}

int
with_archive_of(struct archiving *arc, const struct ctx_session *s, source_fn *fn,
    kept_fn *kept, struct ctx_err *err)
{
	char *uri = ctx_archive_uri(s);
	int rc;

	if (s->status == CTX_STATUS_DELETED)
		rc = cli_deleted(s->session_id, err);
	else if (uri == NULL)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is not archived", s->session_id);
	else if (kept == NULL || (rc = kept(arc, s, uri, err)) == 0)
		rc = with_address(arc, uri, s, fn, err);
	free(uri);
	if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
		return refuse(arc, err);
	return rc < 0 ? -1 : 0;
}

struct listed_call {
	struct archiving *arc;
	source_fn *fn;
	kept_fn *kept; /* may be NULL */
};

/* Looks in CTX_ARCHIVE for the archive of a session that is not in the store. */
static int
look_in_place(
    const struct listed_call *call, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_err none = *err;
	int rc;

	err->code = CTX_OK;
	rc = with_missing(call->arc, listed, call->fn, err);
	return rc != 0 ? (rc < 0 ? -1 : 0)
		       : ctx_err_set(err, CTX_EANSWER,
			     "%s, and '%s' contains no archive of this session", none.msg,
			     call->arc->opt.to);
}

static int
with_listed(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	const struct listed_call *call = arg;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = cli_session_find(call->arc->store, listed->session_id, &s, err);

	if (rc == 0)
		rc = with_archive_of(call->arc, &s, call->fn, call->kept, err);
	else if (err->code == CTX_EANSWER && call->arc->opt.to != NULL)
		rc = look_in_place(call, listed, err);
	if (rc < 0 && err->code == CTX_EANSWER)
		rc = refuse(call->arc, err);
	ctx_session_release(&s);
	return rc;
}

int
with_named(struct archiving *arc, int argc, char **argv, source_fn *fn, kept_fn *kept,
    struct ctx_err *err)
{
	struct listed_call call = {arc, fn, kept};
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = with_operand(arc, argv[i], fn, err);
		if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
			rc = refuse(arc, err);
	}
	if (rc == 0 && (argc == 0 || arc->opt.session.n > 0))
		rc = cli_sessions(arc->store, &arc->opt.session, with_listed, &call, err);
	return rc;
}
