#include "entity/change.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "words/fold.h"
#include "store/link.h"
#include "entity/load.h"

/* Checks a text that is to be given to an entity, by the rules of ctx_loader_add. */
static int
check_new(const char *text, const char *what, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	size_t n = strlen(text);
	bool fine = n <= CTX_ENTITY_NAME_MAX && ctx_utf8_valid(text, n) == n;

	if (fine)
		ctx_fold_text(ctx_span_of(text), &key);
	fine &= key.n > 0;
	ctx_buf_release(&key);
	return fine ? 0
		    : ctx_err_set(err, CTX_EUSAGE, "%s must be text of 1 to %d bytes",
			  what, CTX_ENTITY_NAME_MAX);
}

int
ctx_change_relate(struct ctx_store *st, const char *tenant, struct ctx_named from,
    const char *relation, struct ctx_named to, bool remove, int64_t *no,
    struct ctx_err *err)
{
	int64_t other = 0;
	int rc;

	if (!remove && check_new(relation, "a relation", err) < 0)
		return -1;
	rc = ctx_store_begin(st, err);
	if (rc == 0)
		rc = ctx_entity_named(st, tenant, from.type, from.name, no, err);
	if (rc == 0)
		rc = ctx_entity_named(st, tenant, to.type, to.name, &other, err);
	if (rc == 0 && (remove ? ctx_entity_unrelate : ctx_entity_relate)(
			   st, *no, relation, other, err) < 0)
		rc = -1;
	return ctx_store_end(st, rc, err);
}

static int
change_alias(struct ctx_store *st, int64_t no, struct ctx_span key, const char *alias,
    bool remove, struct ctx_err *err)
{
	int rc;

	if (!remove)
		return check_new(alias, "an alias", err) < 0 ||
			       ctx_entity_alias(st, no, key, ctx_span_of(alias), err) < 0
			   ? -1
			   : 0;
	rc = ctx_entity_unalias(st, no, key, err);
	if (rc == 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "'%s' is not an alias of the entity", alias);
	return rc < 0 ? -1 : 0;
}

int
ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, bool remove, int64_t *no, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int rc = ctx_store_begin(st, err);

	if (rc == 0)
		rc = ctx_entity_named(st, tenant, who.type, who.name, no, err);
	for (int i = 0; rc == 0 && i < n; i++) {
		ctx_buf_reset(&key);
		ctx_fold_text(ctx_span_of(aliases[i]), &key);
		rc = change_alias(st, *no, ctx_buf_span(&key), aliases[i], remove, err);
	}
	ctx_buf_release(&key);
	return ctx_store_end(st, rc, err);
}

int
ctx_change_merge(struct ctx_store *st, const char *tenant, struct ctx_named from,
    struct ctx_named into, int64_t *no, struct ctx_err *err)
{
	int64_t other = 0;
	int rc = ctx_store_begin(st, err);

	if (rc == 0)
		rc = ctx_entity_named(st, tenant, from.type, from.name, &other, err);
	if (rc == 0)
		rc = ctx_entity_named(st, tenant, into.type, into.name, no, err);
	if (rc == 0 && other == *no)
		rc = ctx_err_set(err, CTX_EANSWER, "'%s' and '%s' are the same entity",
		    from.name, into.name);
	if (rc == 0)
		rc = ctx_entity_merge(st, other, *no, err);
	return ctx_store_end(st, rc, err);
}

/* Creates an entity that was not loaded before, from its name and type. */
static int
make_entity(struct ctx_store *st, const char *tenant, struct ctx_named who, int64_t now,
    int64_t *no, struct ctx_err *err)
{
	struct ctx_entity e = CTX_ENTITY_INIT;
	struct ctx_buf key = CTX_BUF_INIT;
	int rc = check_new(who.name, "a name", err);

	if (rc == 0)
		rc = check_new(who.type, "a type", err);
	if (rc == 0) {
		ctx_fold_text(ctx_span_of(who.name), &key);
		e.type = ctx_mem_str(who.type);
		e.name = ctx_mem_str(who.name);
		e.updated_at = now;
		rc = ctx_entity_put(st, tenant, &e, ctx_buf_span(&key), err);
		*no = e.no;
	}
	ctx_buf_release(&key);
	ctx_entity_release(&e);
	return rc < 0 ? -1 : 0;
}

static int
change_link(struct ctx_store *st, const struct ctx_session *s, int64_t no,
    const char *action, int64_t now, struct ctx_err *err)
{
	struct ctx_link l = {.entity = no, .seq = s->last_seq, .at = now};

	if (action == NULL)
		return ctx_link_remove(st, s, no, err) < 0 ? -1 : 0;
	memcpy(l.action, action, strlen(action) + 1);
	return ctx_link_put(st, s, &l, err);
}

int
ctx_change_link(struct ctx_store *st, const char *tenant, const struct ctx_session *s,
    struct ctx_named who, const char *action, int64_t now, int64_t *no,
    struct ctx_err *err)
{
	struct ctx_session current = CTX_SESSION_INIT;
	int rc;

	if (action != NULL && check_new(action, "an action", err) < 0)
		return -1;
	if (action != NULL && strlen(action) > CTX_ACTION_MAX)
		return ctx_err_set(err, CTX_EUSAGE,
		    "an action must have at most %d bytes", CTX_ACTION_MAX);
	rc = ctx_store_begin(st, err);
	if (rc == 0)
		rc = ctx_store_session_get(st, s->no, &current, err);
	if (rc == 0)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' was purged", s->session_id);
	if (rc > 0)
		rc = ctx_entity_named(st, tenant, who.type, who.name, no, err);
	if (rc < 0 && err->code == CTX_EANSWER && *no == 0 && who.type != NULL &&
	    action != NULL && current.no != 0) {
		*err = (struct ctx_err)CTX_ERR_INIT;
		rc = make_entity(st, tenant, who, now, no, err);
	}
	if (rc == 0)
		rc = change_link(st, &current, *no, action, now, err);
	ctx_session_release(&current);
	return ctx_store_end(st, rc, err);
}
