/* ctx-entity: prints what is known about entities. */
#include "entity.h"

#include <stdlib.h>
#include <string.h>

#include "entity/phrase.h"
#include "entity/load.h"
#include "entity/session.h"

#define PAGE 256

/* Prints the record of an entity if it has the type of --type. Returns 1, 0 if not, -1 on
 * error. */
static int
put_entity(struct entity_work *ent, int64_t no, const struct ctx_session *s,
    const struct ctx_entity_use *use, struct ctx_err *err)
{
	struct ctx_entity e = CTX_ENTITY_INIT;
	int rc = ctx_entity_of(ent->store, no, &e, err);

	if (rc == 1 && ent->opt.type != NULL && strcmp(ent->opt.type, e.type) != 0)
		rc = 0;
	if (rc == 1 && ctx_entity_print(&cli_out.buf, ent->store, &e,
			   s == NULL ? NULL : s->session_id, use, cli_now(), err) < 0)
		rc = -1;
	ent->answered |= rc == 1;
	ctx_entity_release(&e);
	return rc;
}

int
print_entity(struct entity_work *ent, int64_t no, const struct ctx_session *s,
    const struct ctx_entity_use *use, struct ctx_err *err)
{
	return put_entity(ent, no, s, use, err) < 0 ? -1 : cli_flush_some(err);
}

/* Like put_entity, and adds the mentions between two messages to the record. */
static int
put_mentions(struct entity_work *ent, int64_t no, const struct ctx_session *s,
    const struct ctx_entity_use *use, int64_t first, int64_t last, struct ctx_err *err)
{
	struct ctx_entity_use within = *use;
	int rc = put_entity(ent, no, s, use, err);

	if (rc != 1)
		return rc;
	within.first_seq = first;
	within.last_seq = last;
	cli_out.buf.n -= 2; /* remove "}\n" to add members to the record */
	rc = ctx_entity_print_mentions(
	    &cli_out.buf, ent->store, s, &within, ent->opt.max, err);
	ctx_buf_adds(&cli_out.buf, "}\n");
	return rc < 0 || cli_flush_some(err) < 0 ? -1 : 1;
}

/* ---- list ---- */

static bool
is_before(const struct ctx_mention_at *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (list[k].entity == list[i].entity)
			return true;
	return false;
}

/* Prints the entities of one message, in the order of the text. */
static int
list_message(struct entity_work *ent, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_entity_use use = {0};
	struct ctx_mention_at *list = NULL;
	size_t n = 0;
	int rc;

	if (ent->opt.seq < 1 || ent->opt.seq > s->last_seq)
		return ctx_err_set(err, CTX_EANSWER, "session '%s' has no message %lld",
		    s->session_id, (long long)ent->opt.seq);
	rc = ctx_mention_get(ent->store, s, ent->opt.seq, &list, &n, err);
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		if (is_before(list, i))
			continue;
		rc = ctx_mention_use(ent->store, s, list[i].entity, &use, err);
		if (rc == 1)
			rc = put_mentions(ent, list[i].entity, s, &use, ent->opt.seq,
			    ent->opt.seq, err);
	}
	free(list);
	return rc < 0 ? -1 : 0;
}

int
list_session(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	struct ctx_entity_use *uses = NULL;
	struct ctx_session s = CTX_SESSION_INIT;
	int64_t left = ent->opt.max;
	size_t n = 0;
	int rc = open_session(ent, listed->session_id, &s, err);

	if (rc == 0 && ent->opt.seq >= 0) {
		rc = list_message(ent, &s, err);
		ctx_session_release(&s);
		return rc;
	}
	if (rc == 0)
		rc = ctx_entity_uses_ranked(ent->store, &s, cli_now(), &uses, &n, err);
	for (size_t i = 0; rc == 0 && i < n && left != 0; i++) {
		int put = put_entity(ent, uses[i].entity, &s, &uses[i], err);
		left -= put == 1;
		rc = put < 0 ? -1 : cli_flush_some(err);
	}
	free(uses);
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

static int
list_known(struct entity_work *ent, struct ctx_err *err)
{
	static struct ctx_entity page[PAGE];
	int64_t after = 0, left = ent->opt.max;
	int n = PAGE, rc = 0;

	for (int i = 0; i < PAGE; i++)
		page[i] = (struct ctx_entity)CTX_ENTITY_INIT;
	while (rc == 0 && n == PAGE && left != 0) {
		n = ctx_entity_list(
		    ent->store, ent->tenant, ent->opt.type, after, page, PAGE, err);
		for (int i = 0; i < n && rc == 0; i++) {
			after = page[i].no;
			if (left != 0)
				rc = ctx_entity_print(&cli_out.buf, ent->store, &page[i],
				    NULL, NULL, cli_now(), err);
			left -= left > 0;
			ctx_entity_release(&page[i]);
		}
		if (n < 0)
			rc = -1;
		if (rc == 0)
			rc = cli_flush_some(err);
	}
	return rc;
}

int
list(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = arg;

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	return ent->opt.session.n > 0
		   ? cli_sessions(ent->store, &ent->opt.session, list_session, ent, err)
		   : list_known(ent, err);
}

/* ---- find ---- */

/* Updates the mentions of a session, so that no entity is missed. */
static int
update_tenant_tracker(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	const char *of = s->tenant_id == NULL ? "" : s->tenant_id;

	return strcmp(of, ent->tenant) == 0 ? ctx_tracker_catch_up(ent->tracker, s, err)
					    : 0;
}

static int
catch_up_all(struct entity_work *ent, struct ctx_err *err)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;

	f.status[CTX_STATUS_ACTIVE] = f.status[CTX_STATUS_ARCHIVED] = true;
	return cli_each_session(ent->store, &f, update_tenant_tracker, ent, err);
}

static bool
first_time(struct entity_work *ent, int64_t session_no)
{
	size_t at = (size_t)session_no / 8;
	char bit = (char)(1 << session_no % 8);
	bool first;

	while (ent->printed.n <= at)
		ctx_buf_addc(&ent->printed, 0);
	first = (ent->printed.p[at] & bit) == 0;
	ent->printed.p[at] = (char)(ent->printed.p[at] | bit);
	return first;
}

static int
print_sessions(struct entity_work *ent, int64_t entity, struct ctx_err *err)
{
	int64_t page[PAGE], after = 0;
	struct ctx_session s = CTX_SESSION_INIT;
	int n = PAGE, rc = 0;

	while (rc >= 0 && n == PAGE) {
		n = ctx_mention_sessions(ent->store, entity, after, page, PAGE, err);
		for (int i = 0; i < n && rc >= 0; i++) {
			after = page[i];
			if (!first_time(ent, after))
				continue;
			rc = ctx_store_session_numbered(ent->store, after, &s, err);
			if (rc == 1) {
				ctx_session_print(&cli_out.buf, &s);
				ent->answered = true;
				rc = cli_flush_some(err);
			}
			ctx_session_release(&s);
		}
	}
	return rc < 0 || n < 0 ? -1 : 0;
}

static int
has_type(struct entity_work *ent, int64_t no, struct ctx_err *err)
{
	struct ctx_entity e = CTX_ENTITY_INIT;
	int rc;

	if (ent->opt.type == NULL)
		return 1;
	rc = ctx_entity_of(ent->store, no, &e, err);
	if (rc == 1)
		rc = strcmp(ent->opt.type, e.type) == 0;
	ctx_entity_release(&e);
	return rc;
}

/* Returns 1 if a session that may be seen mentions the entity, 0 if none does, -1 on
 * error. */
static int
is_in_sight(struct entity_work *ent, int64_t no, struct ctx_err *err)
{
	int64_t page[PAGE], after = 0;
	struct ctx_session s = CTX_SESSION_INIT;
	int n = PAGE, rc = 0;

	while (rc == 0 && n == PAGE) {
		n = ctx_mention_sessions(ent->store, no, after, page, PAGE, err);
		for (int i = 0; i < n && rc == 0; i++) {
			after = page[i];
			rc = ctx_store_session_numbered(ent->store, after, &s, err);
			ctx_session_release(&s);
		}
	}
	return n < 0 ? -1 : rc;
}

/* Prints an entity if it matches the options. Returns 1, 0 if it does not match, -1 on
 * error. */
static int
print_found_entity(
    struct entity_work *ent, int64_t no, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_entity_use use = {0};
	int rc;

	if (ent->opt.sessions) {
		rc = has_type(ent, no, err);
		return rc == 1 && print_sessions(ent, no, err) < 0 ? -1 : rc;
	}
	if (s->no == 0) {
		rc = no > 0 ? 1 : is_in_sight(ent, no, err);
		return rc == 1 ? put_entity(ent, no, NULL, NULL, err) : rc;
	}
	rc = ctx_mention_use(ent->store, s, no, &use, err);
	return rc == 1 ? put_entity(ent, no, s, &use, err) : rc;
}

/* Prints at most opt.max of the entities. */
static int
print_all_found(struct entity_work *ent, const int64_t *nos, size_t n,
    const struct ctx_session *s, struct ctx_err *err)
{
	int64_t left = ent->opt.max;

	for (size_t i = 0; i < n && left != 0; i++) {
		int rc = print_found_entity(ent, nos[i], s, err);
		left -= rc == 1;
		if (rc < 0 || cli_flush_some(err) < 0)
			return -1;
	}
	return 0;
}

/* Opens the tracker; if a session is named, for that session, which is stored in s.
 * Otherwise s->no is 0. */
static int
open_named_tracker(struct entity_work *ent, struct ctx_session *s, struct ctx_err *err)
{
	ctx_session_init(s);
	return ent->opt.session.n > 0 ? open_session(ent, ent->opt.session.v[0], s, err)
				      : open_tracker(ent, err);
}

/* Prints the entities with the name or with the name in theirs; if there are none, those
 * that the name may refer to. */
static int
find_named(struct entity_work *ent, const char *name, const struct ctx_session *s,
    struct ctx_err *err)
{
	int64_t *nos = NULL;
	size_t n = 0;
	int rc = ctx_tracker_named(ent->tracker, name, &nos, &n, err);

	if (rc == 0)
		rc = print_all_found(ent, nos, n, s, err);
	free(nos);
	nos = NULL;
	if (rc == 0 && !ent->answered)
		rc = ctx_phrase_find(ent->store, ent->tenant, name, &nos, &n, err);
	if (rc == 0 && !ent->answered)
		rc = print_all_found(ent, nos, n, s, err);
	free(nos);
	return rc;
}

int
find(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	struct ctx_session s;
	bool any = false;
	int rc;

	if (argc == 0 || ent->opt.session.n > 1)
		return ctx_err_set(
		    err, CTX_EUSAGE, "find needs a name and accepts at most one -s SID");
	rc = open_named_tracker(ent, &s, err);
	if (rc == 0 && ent->opt.sessions)
		rc = catch_up_all(ent, err);
	for (int i = 0; rc == 0 && i < argc; i++) {
		ent->answered = false;
		rc = find_named(ent, argv[i], &s, err);
		if (rc == 0 && !ent->answered && argc > 1)
			cli_warn("no entity has the name '%s'", argv[i]);
		any |= ent->answered;
	}
	ctx_buf_release(&ent->printed);
	if (rc == 0 && !any)
		rc = ctx_err_set(err, CTX_EANSWER, "no entity has %s '%s'%s",
		    argc > 1 ? "the names" : "the name", argv[0],
		    argc > 1 ? " and others" : "");
	ctx_session_release(&s);
	return rc;
}

/* ---- show ---- */

/* Prints the record of an entity in a session, with its mentions. */
static int
show_in(
    struct entity_work *ent, const struct ctx_session *s, int64_t no, struct ctx_err *err)
{
	struct ctx_entity_use use = {0};
	int rc = ctx_mention_use(ent->store, s, no, &use, err);

	if (rc == 1)
		rc = put_mentions(ent, no, s, &use, use.first_seq, use.last_seq, err);
	return rc < 0 ? -1 : 0;
}

int
show(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	struct ctx_session s;
	int64_t *nos = NULL;
	size_t n = 0;
	int rc;

	if (argc != 1 || ent->opt.session.n != 1)
		return ctx_err_set(err, CTX_EUSAGE, "show needs -s SID and a name");
	rc = open_named_tracker(ent, &s, err);
	if (rc == 0)
		rc = ctx_tracker_named(ent->tracker, argv[0], &nos, &n, err);
	if (rc == 0 && n == 0)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "no entity has the name '%s'", argv[0]);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = show_in(ent, &s, nos[i], err);
	if (rc == 0 && !ent->answered)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' does not mention '%s'",
		    s.session_id, argv[0]);
	free(nos);
	ctx_session_release(&s);
	return rc;
}
