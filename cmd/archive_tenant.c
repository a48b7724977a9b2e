/* ctx-archive: determines the tenant of an archive. With --tenant, archives of other
 * tenants are treated as if they did not exist. */
#include "archive.h"

#include <string.h>

#include "archive/owned.h"

/* Returns whether the archive's name ends with the tenant (ctx_archive_name). */
static bool
is_named_own(const char *address)
{
	const char *slash = strrchr(address, '/');
	const char *name = slash != NULL ? slash + 1 : address, *at = strchr(name, '@');
	struct ctx_buf want = CTX_BUF_INIT;
	size_t n = strlen(name), tail;
	bool own;

	/* the part of the name after YYYY/MM/ for a session with the id "x" */
	ctx_archive_name(&want, 0, ctx_span_of("x"), cli_common.tenant);
	tail = want.n - strlen("1970/01/x");
	own = n > tail && memcmp(name + n - tail, want.p + want.n - tail, tail) == 0;
	if (*cli_common.tenant == '\0')
		own = own && at == NULL && strchr(name, '~') == NULL;
	else
		own = own && at == name + n - tail;
	ctx_buf_release(&want);
	return own;
}

bool
is_cut_name(const char *name)
{
	return strchr(name, '~') != NULL;
}

bool
may_be_own(const char *name)
{
	return cli_common.tenant == NULL || is_cut_name(name) || is_named_own(name);
}

int
is_own(struct ctx_source *source, const char *address, struct ctx_err *err)
{
	struct ctx_session of = CTX_SESSION_INIT;
	int rc;

	if (cli_common.tenant == NULL)
		return 1;
	rc = ctx_owned_session(source, &of, err);
	if (rc == 1)
		rc = strcmp(of.tenant_id != NULL ? of.tenant_id : "",
			 cli_common.tenant) == 0;
	else if (rc == 0)
		rc = is_named_own(address);
	ctx_session_release(&of);
	return rc;
}

int
check_own(struct ctx_source *source, const char *address, struct ctx_err *err)
{
	int rc = is_own(source, address, err);

	return rc != 0 ? (rc < 0 ? -1 : 0)
		       : ctx_err_set(err, CTX_EANSWER,
			     "%s: the archive does not belong to tenant '%s'", address,
			     cli_common.tenant);
}
