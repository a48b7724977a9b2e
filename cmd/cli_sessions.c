/* Completes abbreviated session ids, and remembers sessions that were processed. */
#include "cli_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/mem.h"

#define SHOWN 8 /* maximum number of candidates in an error message */

/* Sets the error that several sessions match the abbreviation. */
static int
refuse_part(const char *part, char *ids[], int n, struct ctx_err *err)
{
	struct ctx_buf list = CTX_BUF_INIT;
	int rc;

	for (int i = 0; i < n && i < SHOWN; i++)
		ctx_buf_addf(&list, "%s%s", i > 0 ? ", " : "", ids[i]);
	rc = ctx_err_set(err, CTX_EANSWER, "several sessions match '%s': %s%s", part,
	    list.p, n > SHOWN ? ", ..." : "");
	ctx_buf_release(&list);
	return rc;
}

/* Replaces *id, unless it is the id of a session, by the only session id that begins or
 * ends with it. */
static int
complete_id(struct ctx_store *st, const char **id, struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	char *ids[SHOWN + 1];
	int n, found, rc = 0;

	if (*id == NULL || strlen(*id) < 4)
		return 0;
	found = ctx_store_session_find(st, *id, &s, &ignored);
	ctx_session_release(&s);
	if (found != 0)
		return 0; /* it is a session's id, or its user will report the error */
	n = ctx_store_session_part(st, *id, ids, SHOWN + 1, err);
	if (n < 0)
		return -1;
	if (n == 1) {
		*id = ids[0];
		return 0;
	}
	if (n > 1)
		rc = refuse_part(*id, ids, n, err);
	while (n > 0)
		free(ids[--n]);
	return rc;
}

int
cli_complete_sessions(struct ctx_store *st, struct ctx_err *err)
{
	const struct cli_option *o = cli_option_row("session");
	struct cli_list *list;
	int rc = 0;

	if (o == NULL)
		return 0;
	if (o->type == CLI_STRING)
		return complete_id(st, (const char **)o->value, err);
	list = o->value;
	for (size_t i = 0; rc == 0 && i < list->n; i++)
		rc = complete_id(st, &list->v[i], err);
	return rc;
}

const char *
cli_session_default(void)
{
	const char *id = getenv("CTX_SESSION");

	return id != NULL && *id != '\0' ? id : NULL;
}

void
cli_sessions_default(struct cli_list *list)
{
	struct stat st;

	if (list->n == 0 && cli_session_default() != NULL &&
	    fstat(STDIN_FILENO, &st) == 0 && S_ISCHR(st.st_mode))
		cli_list_add(list, cli_session_default());
}

/* ---- sessions that were processed ---- */

static struct {
	int64_t *no; /* sorted; most lists are in ascending order */
	size_t n, cap;
} taken;

static size_t
find_taken(int64_t no)
{
	size_t i;

	CTX_BOUND(i, taken.n, taken.no[i] < no);
	return i;
}

bool
cli_sessions_has(const struct ctx_session *s)
{
	size_t i = find_taken(s->no);

	return i < taken.n && taken.no[i] == s->no;
}

void
cli_sessions_add(const struct ctx_session *s)
{
	size_t i = find_taken(s->no);

	CTX_MEM_GROW(taken.no, taken.n, taken.cap);
	memmove(taken.no + i + 1, taken.no + i, (taken.n++ - i) * sizeof(*taken.no));
	taken.no[i] = s->no;
}

int
cli_skip_missing(
    struct ctx_store *st, const char *session_id, int64_t *skipped, struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	int found;
	bool missing;

	if (st == NULL || err->code != CTX_EANSWER)
		return -1;
	found = ctx_store_session_find(st, session_id, &s, &ignored);
	missing = found == 0 || (found == 1 && s.status == CTX_STATUS_DELETED);
	ctx_session_release(&s);
	if (!missing)
		return -1;
	cli_error(err);
	*err = (struct ctx_err)CTX_ERR_INIT;
	(*skipped)++;
	return 0;
}
