#include "new.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/record.h"
#include "store/item.h"
#include "store/link.h"

static struct new_options options_given = {.ttl = CTX_TIME_NONE};

static struct cli_option options[] = {
    {"user", 'u', "ID", "user to whom the session belongs", CLI_STRING,
	&options_given.user, NULL},
    {"id", 0, "SID", "session id (default: a new UUIDv7)", CLI_STRING, &options_given.id,
	NULL},
    {"title", 0, "TEXT", "title", CLI_STRING, &options_given.title, NULL},
    {"topic", 0, "TEXT", "topic", CLI_STRING, &options_given.topic, NULL},
    {"agent", 0, "NAME", "agent that uses the session", CLI_STRING, &options_given.agent,
	NULL},
    {"caller", 0, "ID", "caller_id of the session", CLI_STRING, &options_given.caller,
	NULL},
    {"account", 0, "ID", "account_id of the session", CLI_STRING, &options_given.account,
	NULL},
    {"ttl", 0, "TIME", "time to live after the session's last message", CLI_LIFETIME,
	&options_given.ttl, "CTX_TTL"},
    {"metadata", 0, "JSON", "metadata of the session, a JSON object", CLI_STRING,
	&options_given.metadata, NULL},
    {"preferences", 0, "JSON", "preferences of the session, a JSON object", CLI_STRING,
	&options_given.preferences, NULL},
    {"set-preferences", 0, "JSON",
	"with -u: only store preferences for the user's later sessions", CLI_STRING,
	&options_given.set_preferences, NULL},
    {"share", 0, "USER", "share the session with this user, too (repeatable)", CLI_LIST,
	&options_given.share, NULL},
    {"unshare", 0, "USER",
	"with --update: stop sharing the session with this user (repeatable)", CLI_LIST,
	&options_given.unshare, NULL},
    {"hold", 0, "REASON", "put the session on hold: refuse its deletion", CLI_STRING,
	&options_given.hold, NULL},
    {"fork", 0, "SID[@SEQ]", "start with a copy of this session, up to message SEQ",
	CLI_STRING, &options_given.fork, NULL},
    {"update", 0, NULL,
	"change the existing session that --id names, instead of creating a session",
	CLI_FLAG, &options_given.update, NULL},
    {"ids", '1', NULL, "print only the session id", CLI_FLAG, &options_given.ids, NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

static int
check_object(const char *json, const char *what, char **out, struct ctx_err *err)
{
	struct ctx_span v;

	if (json == NULL)
		return 0;
	if (ctx_json_check(ctx_span_of(json), &v, NULL, err) < 0) {
		err->code = CTX_EUSAGE;
		return ctx_err_prefix(err, "--%s", what);
	}
	if (ctx_json_type(v) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EUSAGE, "--%s: not a JSON object", what);
	free(*out);
	*out = ctx_span_dup(v);
	return 0;
}

static int
check_text(const char *text, const char *what, char **out, struct ctx_err *err)
{
	if (text == NULL)
		return 0;
	if (cli_check_id(text, what, err) < 0)
		return -1;
	free(*out);
	*out = ctx_mem_str(text);
	return 0;
}

/* Like check_text, for text of any length. */
static int
check_prose(const char *text, const char *what, char **out, struct ctx_err *err)
{
	struct ctx_span s = ctx_span_of(text);

	if (text == NULL)
		return 0;
	if (ctx_utf8_valid(s.p, s.n) != s.n)
		return ctx_err_set(err, CTX_EUSAGE, "--%s: not valid UTF-8", what);
	free(*out);
	*out = ctx_mem_str(text);
	return 0;
}

/* With --update, an empty text removes the existing one: then frees *out and returns
 * true. */
static bool
takes_away(struct new_options *opt, const char *text, char **out)
{
	if (!opt->update || text == NULL || *text != '\0')
		return false;
	free(*out);
	*out = NULL;
	return true;
}

int
apply_texts(struct new_options *opt, struct ctx_session *s, struct ctx_err *err)
{
	if ((!takes_away(opt, opt->agent, &s->agent) &&
		check_text(opt->agent, "agent", &s->agent, err) < 0) ||
	    (!takes_away(opt, opt->title, &s->title) &&
		check_prose(opt->title, "title", &s->title, err) < 0) ||
	    (!takes_away(opt, opt->topic, &s->topic) &&
		check_prose(opt->topic, "topic", &s->topic, err) < 0) ||
	    check_object(opt->metadata, "metadata", &s->metadata_json, err) < 0 ||
	    check_object(opt->preferences, "preferences", &s->preferences_json, err) < 0)
		return -1;
	for (size_t i = 0; i < opt->share.n; i++)
		if (cli_check_id(opt->share.v[i], "user", err) < 0)
			return ctx_err_prefix(err, "--share");
	return 0;
}

/* Sets the values of a new session from the options, replacing those in s. */
static int
apply_options(struct new_options *opt, struct ctx_session *s, struct ctx_err *err)
{
	if (check_text(opt->user, "user", &s->user_id, err) < 0 ||
	    check_text(opt->id, "session id", &s->session_id, err) < 0 ||
	    check_text(opt->caller, "caller", &s->caller_id, err) < 0 ||
	    check_text(opt->account, "account", &s->account_id, err) < 0 ||
	    (opt->hold != NULL && *opt->hold == '\0' &&
		ctx_err_set(err, CTX_EUSAGE, "--hold: the reason must not be empty") <
		    0) ||
	    check_prose(opt->hold, "hold", &s->hold, err) < 0 ||
	    apply_texts(opt, s, err) < 0)
		return -1;
	/* a setting applies only to sessions without a value of their own */
	if (cli_flagged(&opt->ttl) || s->ttl_ms == CTX_TIME_NONE)
		s->ttl_ms = opt->ttl;
	return 0;
}

/* Checks the options before a store is created. */
static int
check_options(struct new_options *opt, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc;

	if (opt->update) /* existing sessions are found by any id */
		rc = check_update(opt, err) < 0 ? -1 : apply_texts(opt, &s, err);
	else
		rc = apply_options(opt, &s, err);
	ctx_session_release(&s);
	if (rc == 0 && opt->unshare.n > 0 && !opt->update)
		rc = ctx_err_set(err, CTX_EUSAGE, "--unshare needs --update");
	if (rc == 0 && opt->set_preferences != NULL && opt->user == NULL)
		rc = ctx_err_set(err, CTX_EUSAGE, "--set-preferences needs -u USER");
	return rc == 0 ? cli_check_tenant(err) : rc;
}

/* Sets the values that a new session still lacks. */
static int
complete_new_session(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err)
{
	int64_t now = cli_now();

	if (s->session_id == NULL) {
		s->session_id = ctx_mem_new(CTX_ID_UUID + 1);
		if (ctx_id_new(now, s->session_id, err) < 0)
			return -1;
	}
	if (s->created_at == CTX_TIME_NONE)
		s->created_at = now;
	s->updated_at = now;
	if (s->ttl_ms != CTX_TIME_NONE && s->expires_at == CTX_TIME_NONE)
		s->expires_at = s->created_at + s->ttl_ms;
	if (s->user_id != NULL && s->preferences_json == NULL &&
	    ctx_store_preferences_find(st, s->user_id, &s->preferences_json, err) < 0)
		return -1;
	return 0;
}

static void
print_new_session(struct new_options *opt, const struct ctx_session *s)
{
	if (opt->ids)
		ctx_buf_addf(&cli_out.buf, "%s\n", s->session_id);
	else
		ctx_session_print(&cli_out.buf, s);
}

/* Parses SID@SEQ. An id may contain '@' itself, so only digits after the last '@'
 * count. */
static int
find_parent(struct new_options *opt, struct ctx_store *st, struct ctx_session *parent,
    int64_t *seq, struct ctx_err *err)
{
	const char *at = strrchr(opt->fork, '@');
	char *sid = ctx_mem_str(opt->fork);
	int rc;

	*seq = -1;
	if (at != NULL && at[1] != '\0' && ctx_json_int(ctx_span_of(at + 1), seq) &&
	    *seq >= 0)
		sid[at - opt->fork] = '\0';
	rc = cli_session_open(st, sid, parent, err);
	free(sid);
	if (rc == 0 && parent->status == CTX_STATUS_ARCHIVED)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is archived: restore the session first (ctx-archive --restore)",
		    parent->session_id);
	if (rc == 0 && *seq > parent->last_seq)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' has no message %lld",
		    parent->session_id, (long long)*seq);
	if (rc == 0 && *seq < 0)
		*seq = parent->last_seq;
	return rc;
}

static void
inherit_parent_session(
    struct ctx_session *s, const struct ctx_session *parent, int64_t seq)
{
	s->parent_session_id = ctx_mem_str(parent->session_id);
	s->parent_seq = seq;
	s->user_id = ctx_mem_str(parent->user_id);
	s->caller_id = ctx_mem_str(parent->caller_id);
	s->account_id = ctx_mem_str(parent->account_id);
	s->tenant_id = ctx_mem_str(parent->tenant_id);
	s->agent = ctx_mem_str(parent->agent);
	s->title = ctx_mem_str(parent->title);
	s->topic = ctx_mem_str(parent->topic);
	s->preferences_json = ctx_mem_str(parent->preferences_json);
	s->metadata_json = ctx_mem_str(parent->metadata_json);
	s->ttl_ms = parent->ttl_ms;
}

static int
create_new_session(struct new_options *opt, struct ctx_store *st, struct ctx_session *s,
    const struct ctx_session *parent, struct ctx_err *err)
{
	int rc = ctx_session_check(s, err);

	if (rc == 0)
		rc = complete_new_session(st, s, err);
	if (rc == 0)
		rc = ctx_store_session_create(st, s, err);
	if (rc == 0 && parent != NULL) {
		rc = ctx_store_copy(st, parent, s->parent_seq, s, err);
		if (rc == 0)
			rc = ctx_store_requests_copy(st, parent, s->parent_seq, s, err);
		if (rc == 0)
			rc = ctx_link_copy(st, parent, s->parent_seq, s, err);
		if (rc == 0)
			rc = ctx_store_session_count(st, s, s->updated_at, err);
	}
	/* a fork has the items of its parent; other sessions get the agent's default
	 * items */
	if (rc == 0)
		rc = parent != NULL ? ctx_session_item_copy(st, parent, s, err)
				    : ctx_session_item_begin(st, s, s->updated_at, err);
	for (size_t i = 0; rc == 0 && i < opt->share.n; i++)
		rc = ctx_store_session_share(st, s, opt->share.v[i], err);
	if (rc == 0 && opt->agent != NULL)
		rc = cli_warn_agent(st, s->tenant_id, s->agent, err);
	return rc;
}

static int
create_one(struct new_options *opt, struct ctx_store *st, struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_session parent = CTX_SESSION_INIT;
	int64_t seq = 0;
	int rc = 0;

	if (opt->fork != NULL) {
		rc = find_parent(opt, st, &parent, &seq, err);
		if (rc == 0)
			inherit_parent_session(s, &parent, seq);
	}
	if (rc == 0)
		rc = apply_options(opt, s, err);
	if (rc == 0)
		rc = create_new_session(
		    opt, st, s, opt->fork != NULL ? &parent : NULL, err);
	ctx_session_release(&parent);
	return rc;
}

/* Stores one session, which fn creates or changes. */
static int
store_new_session(struct new_options *opt, struct ctx_store *st,
    int (*fn)(struct new_options *opt, struct ctx_store *st, struct ctx_session *s,
	struct ctx_err *err),
    struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_begin(st, err);

	if (rc == 0)
		rc = fn(opt, st, &s, err);
	rc = ctx_store_end(st, rc, err);
	if (rc == 0)
		print_new_session(opt, &s);
	ctx_session_release(&s);
	return rc;
}

static int
create_from_record(
    void *arg, struct ctx_store *st, struct ctx_span line, struct ctx_err *err)
{
	struct new_options *opt = arg;
	struct ctx_session s = CTX_SESSION_INIT;
	struct ctx_record r;
	int rc = ctx_record_parse(&r, line, err);

	if (rc == 0 && r.kind != CTX_KIND_SESSION) {
		ctx_buf_addspan(&cli_out.buf, r.line);
		ctx_buf_addc(&cli_out.buf, '\n');
		return 0;
	}
	if (rc == 0)
		rc = ctx_session_parse(&s, r.line, err);
	if (rc == 0)
		rc = cli_see_tenant(st, s.tenant_id, err);
	if (rc == 0) {
		ctx_session_forget_state(&s);
		rc = apply_options(opt, &s, err);
	}
	if (rc == 0)
		rc = create_new_session(opt, st, &s, NULL, err);
	if (rc == 0)
		print_new_session(opt, &s);
	ctx_session_release(&s);
	return rc;
}

static int
create_from_input(struct new_options *opt, struct ctx_store *st, struct ctx_err *err)
{
	struct cli_input in;
	int rc;

	cli_input_open(&in, 0, NULL);
	rc = cli_input_store(st, &in, create_from_record, opt, err);
	cli_input_close(&in);
	return rc;
}

static int
set_preferences(struct new_options *opt, struct ctx_store *st, struct ctx_err *err)
{
	char *json = NULL;
	int rc = check_object(opt->set_preferences, "set-preferences", &json, err);

	if (rc == 0)
		rc = ctx_store_begin(st, err);
	if (rc == 0)
		rc = ctx_store_preferences_set(st, opt->user, json, err);
	rc = ctx_store_end(st, rc, err);
	free(json);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct new_options *opt = &options_given;
	bool from_input = argc == 1 && strcmp(argv[0], "-") == 0 && !opt->update;
	struct ctx_store *st;
	int rc;

	if (!from_input && cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (opt->set_preferences != NULL && !opt->update &&
	    cli_check_form("--set-preferences", "user set-preferences", err) < 0)
		return -1;
	if (from_input && opt->fork != NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--fork cannot be used with records on standard input");
	if (check_options(opt, err) < 0 ||
	    cli_store_open(&st, opt->update ? 0 : CLI_CREATE, err) < 0)
		return -1;
	if (opt->update)
		rc = store_new_session(opt, st, update, err);
	else if (opt->set_preferences != NULL)
		rc = set_preferences(opt, st, err);
	else if (from_input)
		rc = create_from_input(opt, st, err);
	else
		rc = store_new_session(opt, st, create_one, err);
	ctx_store_close(st);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-new",
    .synopsis = "[-1] [-u USER] [--id SID] [--fork SID[@SEQ]] [OPTION ...]\n"
		"[-1] [OPTION ...] -\n"
		"[-1] --update --id SID [OPTION ...]\n"
		"-u USER --set-preferences JSON",
    .about =
	"Creates a session or, with -, one for each session record in the input, and prints it; --update changes a session.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
