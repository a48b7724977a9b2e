#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "entity/fold.h"
#include "entity/relevance.h"
#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "store/fulltext.h"
#include "track/load.h"
#include "track/resolve.h"
#include "track/track.h"

#define BATCH 1000 /* records in one transaction */
#define PAGE 256
#define CONTEXT 60 /* bytes on either side of a mention */

static struct {
	struct cli_list session;
	const char *type, *target_type, *resolve;
	int64_t max, timeout, ttl;
	bool remove, sessions, rebuild;
} opt = {.max = -1, .timeout = 30000, .ttl = CTX_RESOLVE_TTL};

static struct cli_option options[] = {
    {"session", 's', "SID", "of this session (repeatable)", CLI_LIST, &opt.session, NULL},
    {"type", 0, "TYPE", "only of this type", CLI_STRING, &opt.type, NULL},
    {"target-type", 0, "TYPE", "relate, merge: type of the second entity", CLI_STRING,
	&opt.target_type, NULL},
    {"max", 'n', "N", "list, find, show: at most N", CLI_INT, &opt.max, NULL},
    {"sessions", 0, NULL, "find: print the sessions that mention it", CLI_FLAG,
	&opt.sessions, NULL},
    {"remove", 0, NULL, "load, relate: take patterns or relations away", CLI_FLAG,
	&opt.remove, NULL},
    {"rebuild", 0, NULL, "track: forget what was found and begin anew", CLI_FLAG,
	&opt.rebuild, NULL},
    {"resolve-exec", 0, "CMD", "resolve: a shell command that knows entities", CLI_STRING,
	&opt.resolve, "CTX_RESOLVE_EXEC"},
    {"exec-timeout", 0, "TIME", "how long it may take (default 30s)", CLI_DURATION,
	&opt.timeout, "CTX_EXEC_TIMEOUT"},
    {"resolve-ttl", 0, "TIME", "how long its answers hold (default 1h)", CLI_DURATION,
	&opt.ttl, "CTX_RESOLVE_TTL"},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static struct ctx_tracker *tracker;
static const char *tenant = "";
static bool answered; /* something was printed */

static void
warn(void *arg, const char *text)
{
	(void)arg;
	cli_warn("%s", text);
}

static int
open_tracker(struct ctx_err *err)
{
	return tracker != NULL
		   ? 0
		   : ctx_tracker_open(&tracker, store, tenant, warn, NULL, err);
}

/* The session, caught up. */
static int
open_session(const char *session_id, struct ctx_session *s, struct ctx_err *err)
{
	int rc = cli_session_find(store, session_id, s, err);

	if (rc == 0 && s->status == CTX_STATUS_DELETED)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' is deleted", session_id);
	if (rc == 0 && s->tenant_id != NULL && strcmp(s->tenant_id, tenant) != 0) {
		ctx_tracker_free(tracker);
		tracker = NULL;
		tenant = ctx_mem_str(s->tenant_id); /* lives as long as the process */
	}
	if (rc == 0)
		rc = open_tracker(err);
	return rc == 0 ? ctx_tracker_catch_up(tracker, s, err) : rc;
}

static int
print_entity(int64_t no, const struct ctx_session *s, const struct ctx_entity_use *use,
    struct ctx_err *err)
{
	struct ctx_entity e;
	int rc;

	ctx_entity_init(&e);
	rc = ctx_entity_of(store, no, &e, err);
	if (rc == 1 && (opt.type == NULL || strcmp(opt.type, e.type) == 0)) {
		rc = ctx_entity_print(&cli_out.buf, store, &e,
		    s == NULL ? NULL : s->session_id, use, cli_now(), err);
		answered = true;
		if (rc == 0)
			rc = cli_flush_some(err);
	}
	ctx_entity_release(&e);
	return rc < 0 ? -1 : 0;
}

/* ---- load ---- */

static struct cli_input input;

/* A batch of records, read before the transaction begins. */
struct batch {
	struct ctx_buf text;
	struct {
		size_t at, n;
		long line;
	} list[BATCH];
	size_t n;
};

static int
remove_pattern(struct ctx_span record, struct ctx_err *err)
{
	struct ctx_buf type = CTX_BUF_INIT, pattern = CTX_BUF_INIT;
	int rc = -1;

	if (ctx_json_type(ctx_json_get(record, "type")) == CTX_JSON_STRING &&
	    ctx_json_type(ctx_json_get(record, "pattern")) == CTX_JSON_STRING) {
		ctx_json_decode(ctx_json_get(record, "type"), &type);
		ctx_json_decode(ctx_json_get(record, "pattern"), &pattern);
		rc = ctx_entity_pattern_remove(
		    store, tenant, ctx_buf_span(&type), ctx_buf_span(&pattern), err);
	} else {
		ctx_err_set(
		    err, CTX_EINPUT, "--remove takes records with type and pattern");
	}
	ctx_buf_release(&type);
	ctx_buf_release(&pattern);
	return rc < 0 ? -1 : 0;
}

static int
load_record(struct ctx_loader *l, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_record r;
	int64_t no;

	if (ctx_record_parse(&r, line, err) < 0)
		return -1;
	if (r.kind != CTX_KIND_ENTITY && r.kind != CTX_KIND_OTHER)
		return 0;
	if (opt.remove)
		return remove_pattern(r.line, err);
	if (ctx_loader_add(l, r.line, &no, err) < 0)
		return -1;
	if (cli_common.quiet || no == 0)
		return 0;
	return print_entity(no, NULL, NULL, err);
}

/* What stands before a bad record stays. */
static int
load_batch(struct ctx_loader *l, const struct batch *b, struct ctx_err *err)
{
	struct ctx_err bad = CTX_ERR_INIT;
	int rc = ctx_store_begin(store, err);

	for (size_t i = 0; rc == 0 && bad.code == CTX_OK && i < b->n; i++) {
		struct ctx_span line = {b->text.p + b->list[i].at, b->list[i].n};
		if (load_record(l, line, &bad) < 0) {
			if (bad.code != CTX_EINPUT)
				rc = -1;
			else
				ctx_err_prefix(&bad, "%s:%ld",
				    ctx_reader_name(input.reader), b->list[i].line);
		}
	}
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	if (rc == 0)
		rc = cli_flush(err);
	if (rc == 0 && bad.code == CTX_OK)
		return 0;
	if (bad.code != CTX_OK)
		*err = bad;
	return -1;
}

static int
finish_load(struct ctx_loader *l, struct ctx_err *err)
{
	struct ctx_buf first = CTX_BUF_INIT;
	size_t missing = 0;
	int rc = ctx_store_begin(store, err);

	if (rc == 0)
		rc = ctx_loader_finish(l, &missing, &first, err);
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	if (rc == 0 && missing > 0)
		cli_warn("%zu relations lead to no single known entity, the first to "
			 "'%s': left out",
		    missing, first.p);
	ctx_buf_release(&first);
	return rc;
}

static int
load(int argc, char **argv, struct ctx_err *err)
{
	static struct batch b;
	struct ctx_loader *l = ctx_loader_new(store, tenant, cli_now());
	struct ctx_span line;
	int rc = 1;

	cli_input_open(&input, argc, argv);
	while (rc == 1) {
		b.n = 0;
		ctx_buf_reset(&b.text);
		while (b.n < BATCH && b.text.n < (size_t)1 << 20 &&
		       (rc = cli_input_next(&input, &line, err)) == 1) {
			b.list[b.n].at = b.text.n;
			b.list[b.n].n = line.n;
			b.list[b.n++].line = ctx_reader_line(input.reader);
			ctx_buf_addspan(&b.text, line);
			if (!ctx_reader_ready(input.reader))
				break;
		}
		if (rc < 0 && err->code != CTX_EIO)
			cli_input_blame(&input, err);
		if (b.n > 0 && rc >= 0 && load_batch(l, &b, err) < 0)
			rc = -1;
	}
	if (rc == 0)
		rc = finish_load(l, err);
	ctx_buf_release(&b.text);
	cli_input_close(&input);
	ctx_loader_free(l);
	return rc;
}

/* ---- list ---- */

struct ranked {
	struct ctx_entity_use use;
	double relevance;
};

static int
by_relevance(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->relevance != b->relevance)
		return a->relevance > b->relevance ? -1 : 1;
	if (a->use.last_seq != b->use.last_seq)
		return a->use.last_seq > b->use.last_seq ? -1 : 1;
	return a->use.first_seq < b->use.first_seq ? -1
						   : a->use.first_seq > b->use.first_seq;
}

static int
rank(struct ranked *r, struct ctx_err *err)
{
	struct ctx_entity e;
	int64_t relations = 0;
	int rc;

	ctx_entity_init(&e);
	rc = ctx_entity_of(store, r->use.entity, &e, err);
	if (rc == 1 && e.no > 0)
		rc = ctx_entity_relation_count(store, e.no, &relations, err) < 0 ? -1 : 1;
	if (rc == 1)
		r->relevance = ctx_entity_relevance(ctx_span_of(e.type), cli_now(),
		    r->use.last_at, (uint64_t)r->use.mentions, (uint64_t)relations);
	ctx_entity_release(&e);
	return rc < 0 ? -1 : 0;
}

static int
list_session(const char *session_id, struct ctx_err *err)
{
	struct ctx_entity_use *uses = NULL;
	struct ranked *list;
	struct ctx_session s;
	size_t n = 0;
	int64_t left = opt.max;
	int rc;

	ctx_session_init(&s);
	rc = open_session(session_id, &s, err);
	if (rc == 0)
		rc = ctx_mention_uses(store, &s, -1, &uses, &n, err);
	list = ctx_mem_new(n * sizeof(*list));
	for (size_t i = 0; rc == 0 && i < n; i++) {
		list[i].use = uses[i];
		rc = rank(&list[i], err);
	}
	if (rc == 0)
		qsort(list, n, sizeof(*list), by_relevance);
	for (size_t i = 0; rc == 0 && i < n && left != 0; i++) {
		size_t before = cli_out.buf.n;
		rc = print_entity(list[i].use.entity, &s, &list[i].use, err);
		left -= cli_out.buf.n != before;
	}
	free(list);
	free(uses);
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

static int
list_known(struct ctx_err *err)
{
	static struct ctx_entity page[PAGE];
	int64_t after = 0, left = opt.max;
	int n = PAGE, rc = 0;

	for (int i = 0; i < PAGE; i++)
		ctx_entity_init(&page[i]);
	while (rc == 0 && n == PAGE && left != 0) {
		n = ctx_entity_list(store, tenant, opt.type, after, page, PAGE, err);
		for (int i = 0; i < n && rc == 0; i++) {
			after = page[i].no;
			if (left-- != 0)
				rc = ctx_entity_print(&cli_out.buf, store, &page[i], NULL,
				    NULL, cli_now(), err);
			ctx_entity_release(&page[i]);
		}
		if (n < 0)
			rc = -1;
		if (rc == 0)
			rc = cli_flush_some(err);
	}
	return rc;
}

static int
list(int argc, char **argv, struct ctx_err *err)
{
	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	return opt.session.n > 0 ? cli_sessions(&opt.session, list_session, err)
				 : list_known(err);
}

/* ---- find ---- */

/* Every session up to date, so that none is missed. */
static int
catch_up_all(struct ctx_err *err)
{
	static struct ctx_session page[PAGE];
	struct ctx_session_filter f;
	int n = PAGE, rc = 0;

	ctx_session_filter_init(&f);
	for (int i = 0; i < PAGE; i++)
		ctx_session_init(&page[i]);
	f.status[CTX_STATUS_ACTIVE] = f.status[CTX_STATUS_ARCHIVED] = true;
	while (rc == 0 && n == PAGE) {
		n = ctx_store_session_list(store, &f, page, PAGE, err);
		for (int i = 0; i < n; i++) {
			const char *of = page[i].tenant_id == NULL ? ""
								   : page[i].tenant_id;
			f.after_no = page[i].no;
			if (rc == 0 && strcmp(of, tenant) == 0)
				rc = ctx_tracker_catch_up(tracker, &page[i], err);
			ctx_session_release(&page[i]);
		}
		if (n < 0)
			rc = -1;
	}
	return rc;
}

static int
print_session(int64_t no, struct ctx_err *err)
{
	struct ctx_session_filter f;
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	ctx_session_filter_init(&f);
	f.status[CTX_STATUS_ACTIVE] = f.status[CTX_STATUS_ARCHIVED] = true;
	f.after_no = no - 1;
	rc = ctx_store_session_list(store, &f, &s, 1, err);
	if (rc == 1 && s.no == no) {
		ctx_session_print(&cli_out.buf, &s);
		answered = true;
		rc = cli_flush_some(err);
	}
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

static int
print_sessions(int64_t no, struct ctx_err *err)
{
	int64_t page[PAGE], after = 0;
	int n = PAGE, rc = 0;

	while (rc == 0 && n == PAGE) {
		n = ctx_mention_sessions(store, no, after, page, PAGE, err);
		for (int i = 0; i < n && rc == 0; i++) {
			after = page[i];
			rc = print_session(after, err);
		}
		if (n < 0)
			rc = -1;
	}
	return rc;
}

static int
print_found(int64_t no, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_entity_use use;
	int rc;

	if (opt.sessions)
		return print_sessions(no, err);
	if (s->no == 0)
		return no > 0 ? print_entity(no, NULL, NULL, err) : 0;
	rc = ctx_mention_use(store, s, no, &use, err);
	return rc == 1 ? print_entity(no, s, &use, err) : rc;
}

static int
find(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_session s;
	int64_t *nos = NULL;
	size_t n = 0;
	int rc;

	if (argc == 0 || opt.session.n > 1)
		return ctx_err_set(
		    err, CTX_EUSAGE, "find: a name, and at most one session");
	ctx_session_init(&s);
	rc = opt.session.n > 0 ? open_session(opt.session.v[0], &s, err)
			       : open_tracker(err);
	if (rc == 0 && opt.sessions)
		rc = catch_up_all(err);
	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = ctx_tracker_named(tracker, argv[i], &nos, &n, err);
		for (size_t k = 0;
		     rc == 0 && k < n && (opt.max < 0 || k < (size_t)opt.max); k++)
			rc = print_found(nos[k], &s, err);
		free(nos);
	}
	if (rc == 0 && !answered)
		rc = ctx_err_set(err, CTX_EANSWER, "nothing is known by that name");
	ctx_session_release(&s);
	return rc;
}

/* ---- show ---- */

/* The text of a message, or what is kept of it behind an archive: 1, 0, -1. */
static int
text_of(const struct ctx_session *s, int64_t seq, struct ctx_buf *text,
    int64_t *created_at, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_cursor *c = NULL;
	struct ctx_err ignored;
	struct ctx_stored stored;
	int rc, role;

	rc = ctx_cursor_open(&c, store, s, seq, seq, false, err);
	if (rc == 0)
		rc = ctx_cursor_next(c, &stored, err);
	if (rc == 1) {
		*created_at = stored.created_at;
		if (ctx_message_parse(&m, stored.message, &ignored) == 0)
			ctx_message_text(&m, text);
	} else if (rc == 0) {
		rc = ctx_fulltext_kept(store, s->no, seq, text, &role, created_at, err);
	}
	ctx_cursor_close(c);
	ctx_message_release(&m);
	return rc;
}

static int
show_mentions(const struct ctx_session *s, int64_t no, int64_t seq, int64_t *left,
    struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, *b = &cli_out.buf;
	struct ctx_mention_at *list;
	int64_t created_at = CTX_TIME_NONE;
	size_t n, from, to;
	int rc = ctx_mention_get(store, s, seq, &list, &n, err);

	if (rc == 0)
		rc = text_of(s, seq, &text, &created_at, err);
	for (size_t i = 0; rc == 1 && i < n && *left != 0; i++) {
		size_t at = (size_t)list[i].offset, len = (size_t)list[i].len;
		if (list[i].entity != no || at + len > text.n)
			continue;
		ctx_mention_context(ctx_buf_span(&text), at, len, CONTEXT, &from, &to);
		ctx_json_put_open(b, '{');
		ctx_json_add_int(b, "seq", seq);
		ctx_json_add_time(b, "created_at", created_at);
		ctx_json_add_int(b, "offset", list[i].offset);
		ctx_json_add_string(b, "text", (struct ctx_span){text.p + at, len});
		ctx_json_add_string(
		    b, "context", (struct ctx_span){text.p + from, to - from});
		ctx_json_put_close(b, '}');
		--*left;
	}
	free(list);
	ctx_buf_release(&text);
	return rc < 0 ? -1 : 0;
}

/* The record of an entity in a session, with its mentions. */
static int
show_in(const struct ctx_session *s, int64_t no, struct ctx_err *err)
{
	struct ctx_entity_use use;
	int64_t left = opt.max, seq;
	int rc = ctx_mention_use(store, s, no, &use, err);

	if (rc != 1)
		return rc;
	rc = print_entity(no, s, &use, err);
	if (rc < 0 || cli_out.buf.n < 2)
		return rc;
	cli_out.buf.n -= 2; /* open the record again */
	ctx_json_put_key(&cli_out.buf, "mentions");
	ctx_json_put_open(&cli_out.buf, '[');
	for (seq = use.first_seq; rc == 0 && seq <= use.last_seq && left != 0; seq++) {
		rc = ctx_mention_next(store, s, &seq, err);
		if (rc != 1 || seq > use.last_seq)
			break;
		rc = show_mentions(s, no, seq, &left, err);
	}
	ctx_json_put_close(&cli_out.buf, ']');
	ctx_buf_adds(&cli_out.buf, "}\n");
	return rc < 0 ? -1 : 0;
}

static int
show(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_session s;
	int64_t *nos = NULL;
	size_t n = 0;
	int rc;

	if (argc != 1 || opt.session.n != 1)
		return ctx_err_set(err, CTX_EUSAGE, "show: -s SID and a name");
	ctx_session_init(&s);
	rc = open_session(opt.session.v[0], &s, err);
	if (rc == 0)
		rc = ctx_tracker_named(tracker, argv[0], &nos, &n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = show_in(&s, nos[i], err);
	if (rc == 0 && !answered)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' does not mention '%s'",
		    s.session_id, argv[0]);
	free(nos);
	ctx_session_release(&s);
	return rc;
}

/* ---- relate, alias, merge ---- */

static int
commit_and_print(int rc, int64_t no, struct ctx_err *err)
{
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	opt.type = NULL;
	return rc == 0 && !cli_common.quiet ? print_entity(no, NULL, NULL, err) : rc;
}

static int
relate(int argc, char **argv, struct ctx_err *err)
{
	int64_t from = 0, to = 0;
	int rc;

	if (argc != 3)
		return ctx_err_set(
		    err, CTX_EUSAGE, "relate: a name, a relation and another name");
	rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = ctx_entity_named(store, tenant, opt.type, argv[0], &from, err);
	if (rc == 0)
		rc = ctx_entity_named(store, tenant, opt.target_type, argv[2], &to, err);
	if (rc == 0)
		rc = (opt.remove ? ctx_entity_unrelate : ctx_entity_relate)(
			 store, from, argv[1], to, err) < 0
			 ? -1
			 : 0;
	return commit_and_print(rc, from, err);
}

static int
alias(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int64_t no = 0;
	int rc;

	if (argc < 2)
		return ctx_err_set(
		    err, CTX_EUSAGE, "alias: a name, and other names for it");
	rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = ctx_entity_named(store, tenant, opt.type, argv[0], &no, err);
	for (int i = 1; rc == 0 && i < argc; i++) {
		ctx_buf_reset(&key);
		ctx_fold_text(ctx_span_of(argv[i]), &key);
		if (key.n == 0)
			rc = ctx_err_set(err, CTX_EUSAGE, "an empty alias");
		else if (ctx_entity_alias(store, no, ctx_buf_span(&key),
			     ctx_span_of(argv[i]), err) < 0)
			rc = -1;
	}
	ctx_buf_release(&key);
	return commit_and_print(rc, no, err);
}

static int
merge(int argc, char **argv, struct ctx_err *err)
{
	int64_t from = 0, into = 0;
	int rc;

	if (argc != 2)
		return ctx_err_set(
		    err, CTX_EUSAGE, "merge: the name to give up, and the one to keep");
	rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = ctx_entity_named(store, tenant, opt.type, argv[0], &from, err);
	if (rc == 0)
		rc = ctx_entity_named(
		    store, tenant, opt.target_type, argv[1], &into, err);
	if (rc == 0 && from == into)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "'%s' and '%s' are one entity", argv[0], argv[1]);
	if (rc == 0)
		rc = ctx_entity_merge(store, from, into, err);
	return commit_and_print(rc, into, err);
}

/* ---- resolve ---- */

static struct ctx_resolver *resolver;

static int
print_resolved(struct ctx_candidate *list, size_t n, struct ctx_err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct ctx_span record = ctx_buf_span(&list[i].record);
		struct ctx_json_iter it;
		if (record.n == 0)
			continue;
		ctx_buf_adds(&cli_out.buf, "{\"kind\":\"entity\"");
		if (ctx_json_get(record, "type").p == NULL)
			ctx_json_add_str(&cli_out.buf, "type", list[i].type);
		ctx_json_iter_init(&it, record);
		while (ctx_json_iter_next(&it))
			if (!ctx_json_is(it.key, "kind")) {
				ctx_buf_addc(&cli_out.buf, ',');
				ctx_buf_addspan(&cli_out.buf, it.key);
				ctx_buf_addc(&cli_out.buf, ':');
				ctx_buf_addspan(&cli_out.buf, it.value);
			}
		ctx_buf_adds(&cli_out.buf, "}\n");
	}
	return cli_flush(err);
}

/* What a session mentions and nobody has loaded with data. */
static int
resolve_session(const char *session_id, struct ctx_err *err)
{
	struct ctx_entity_use *uses = NULL;
	struct ctx_candidate *list = NULL;
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_session s;
	struct ctx_entity e;
	size_t n_uses = 0, n = 0;
	int rc;

	ctx_session_init(&s);
	ctx_entity_init(&e);
	rc = open_session(session_id, &s, err);
	if (rc == 0)
		rc = ctx_mention_uses(store, &s, -1, &uses, &n_uses, err);
	list = ctx_mem_new(n_uses * sizeof(*list));
	for (size_t i = 0; rc >= 0 && i < n_uses; i++) {
		rc = ctx_entity_of(store, uses[i].entity, &e, err);
		if (rc == 1 && (opt.type == NULL || strcmp(opt.type, e.type) == 0) &&
		    (e.data_json == NULL || (e.data_expires_at != CTX_TIME_NONE &&
						e.data_expires_at <= cli_now())))
			list[n++] = (struct ctx_candidate){
			    .type = ctx_mem_str(e.type), .name = ctx_mem_str(e.name)};
	}
	if (rc >= 0 && ctx_resolver_ask(resolver, s.no, list, n, &why) < 0)
		cli_warn("%s", why.msg);
	if (rc >= 0)
		rc = print_resolved(list, n, err);
	for (size_t i = 0; i < n; i++) {
		free((char *)list[i].type);
		free((char *)list[i].name);
		ctx_buf_release(&list[i].record);
	}
	free(list);
	free(uses);
	ctx_entity_release(&e);
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

static int
resolve(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_resolver_options o = {
	    .exec = {.command = opt.resolve, .timeout_ms = opt.timeout},
	    .tenant = tenant,
	    .now = cli_now(),
	    .ttl_ms = opt.ttl};
	int rc;

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (opt.resolve == NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "resolve: by which command? (--resolve-exec CMD)");
	resolver = ctx_resolver_new(store, &o);
	rc = cli_sessions(&opt.session, resolve_session, err);
	ctx_resolver_free(resolver);
	return rc;
}

/* ---- track ---- */

static int
track_session(const char *session_id, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = open_session(session_id, &s, err);
	if (rc == 0 && opt.rebuild)
		rc = ctx_tracker_rebuild(tracker, &s, err);
	ctx_session_release(&s);
	return rc == 0 && !cli_common.quiet ? list_session(session_id, err) : rc;
}

static int
track(int argc, char **argv, struct ctx_err *err)
{
	return cli_no_operands(argc, argv, err) < 0
		   ? -1
		   : cli_sessions(&opt.session, track_session, err);
}

/* ---- */

static int
run(int argc, char **argv, struct ctx_err *err)
{
	static const struct cli_action actions[] = {{"load", load}, {"list", list},
	    {"find", find}, {"show", show}, {"relate", relate}, {"alias", alias},
	    {"merge", merge}, {"resolve", resolve}, {"track", track}, {NULL, NULL}};
	const struct cli_action *action = cli_action(actions, argc, argv, err);
	int rc;

	if (action == NULL)
		return -1;
	if (cli_common.tenant != NULL)
		tenant = cli_common.tenant;
	if (cli_store_open(&store, action->fn == load, false, err) < 0)
		return -1;
	rc = action->fn(argc - 1, argv + 1, err);
	if (rc == 0)
		rc = cli_flush(err);
	ctx_tracker_free(tracker);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-entity",
    .synopsis =
	"load [--remove] [FILE ...]\nlist [-s SID] [--type TYPE] [-n N]\n"
	"find [--type TYPE] [-s SID | --sessions] NAME ...\nshow -s SID NAME\n"
	"relate [--remove] NAME RELATION NAME\nalias NAME ALIAS ...\nmerge NAME INTO\n"
	"resolve [-s SID] --resolve-exec CMD\ntrack [-s SID] [--rebuild]",
    .about = "Loads the names of things, finds them in sessions, and tells what is known "
	     "of them.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
