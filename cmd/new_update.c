/* ctx-new --update: changes the values of a session. */
#include "new.h"

#include <stddef.h>

#include "base/time.h"
#include "json/json.h"
#include "record/record.h"
#include "store/item.h"

static const struct {
	const char *name;
	size_t value; /* offset of the option's value in struct new_options */
} changes[] = {
    {"title", offsetof(struct new_options, title)},
    {"topic", offsetof(struct new_options, topic)},
    {"agent", offsetof(struct new_options, agent)},
    {"ttl", offsetof(struct new_options, ttl)},
    {"metadata", offsetof(struct new_options, metadata)},
    {"preferences", offsetof(struct new_options, preferences)},
    {"share", offsetof(struct new_options, share)},
    {"unshare", offsetof(struct new_options, unshare)},
};

#define N_CHANGES (sizeof(changes) / sizeof(changes[0]))

static bool
is_changed(const struct new_options *opt, size_t i)
{
	return cli_flagged((const char *)opt + changes[i].value);
}

int
check_update(struct new_options *opt, struct ctx_err *err)
{
	const struct {
		const char *name;
		const void *value;
	} of_creation[] = {
	    {"user", &opt->user},
	    {"caller", &opt->caller},
	    {"account", &opt->account},
	    {"hold", &opt->hold},
	    {"fork", &opt->fork},
	    {"set-preferences", &opt->set_preferences},
	};

	if (opt->id == NULL)
		return ctx_err_set(err, CTX_EUSAGE, "--update needs --id SID");
	for (size_t i = 0; i < sizeof(of_creation) / sizeof(of_creation[0]); i++)
		if (cli_flagged(of_creation[i].value))
			return ctx_err_set(err, CTX_EUSAGE,
			    "--update cannot be used with --%s", of_creation[i].name);
	for (size_t i = 0; i < N_CHANGES; i++)
		if (is_changed(opt, i))
			return 0;
	return ctx_err_set(err, CTX_EUSAGE,
	    "--update needs a change (--title, --topic, --agent, --ttl, --metadata, --preferences, --share, --unshare)");
}

static int
check_updatable_session(const struct ctx_session *s, struct ctx_err *err)
{
	if (s->status == CTX_STATUS_DELETED)
		return cli_deleted(s->session_id, err);
	if (s->status == CTX_STATUS_ARCHIVED)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is archived (ctx-archive --restore restores it)",
		    s->session_id);
	return 0;
}

static void
apply_ttl(struct new_options *opt, struct ctx_session *s)
{
	int64_t from = s->created_at;

	if (s->last_message_at != CTX_TIME_NONE && s->last_message_at > from)
		from = s->last_message_at;
	s->ttl_ms = opt->ttl;
	s->expires_at = opt->ttl == CTX_TIME_NONE ? CTX_TIME_NONE : from + opt->ttl;
}

static int
add_update_event(const struct new_options *opt, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf event = CTX_BUF_INIT;
	int rc;

	ctx_event_open(&event, s->session_id, s->updated_at, "update");
	ctx_json_add_open(&event, "members", '[');
	for (size_t i = 0; i < N_CHANGES; i++)
		if (is_changed(opt, i))
			ctx_json_put_string(&event, ctx_span_of(changes[i].name));
	ctx_buf_adds(&event, "]}");
	rc = ctx_store_event_add(st, s, s->updated_at, ctx_buf_span(&event), NULL, err);
	ctx_buf_release(&event);
	return rc;
}

int
update(struct new_options *opt, struct ctx_store *st, struct ctx_session *s,
    struct ctx_err *err)
{
	if (cli_session_find(st, opt->id, s, err) < 0 ||
	    check_updatable_session(s, err) < 0 || apply_texts(opt, s, err) < 0)
		return -1;
	if (cli_flagged(&opt->ttl))
		apply_ttl(opt, s);
	s->updated_at = cli_now();
	if (ctx_store_session_update(st, s, err) < 0)
		return -1;
	if (cli_flagged(&opt->agent) &&
	    (ctx_session_item_begin(st, s, s->updated_at, err) < 0 ||
		cli_warn_agent(st, s->tenant_id, s->agent, err) < 0))
		return -1;
	for (size_t i = 0; i < opt->share.n; i++)
		if (ctx_store_session_share(st, s, opt->share.v[i], err) < 0)
			return -1;
	for (size_t i = 0; i < opt->unshare.n; i++)
		if (ctx_store_session_unshare(st, s, opt->unshare.v[i], err) < 0)
			return -1;
	return add_update_event(opt, st, s, err);
}
