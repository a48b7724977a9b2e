/* ctx-render: decides which reasoning a request of a run sends back, and its cache
 * key. */
#include "render_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "model/model.h"
#include "provider/provider.h"
#include "render/bound.h"

#define KEY_MAX 64 /* maximum length in bytes of a cache key */

struct facts {
	bool checked;     /* the model verifies the text before its reasoning */
	bool keyed;       /* the model accepts a prompt cache key */
	bool takes_tools; /* the model accepts tools among the messages */
	bool openai;      /* one of OpenAI's own models, as far as the table says */
	bool breakpoints; /* the model accepts prompt cache breakpoints */
	bool inside;      /* the model accepts system messages among the others */
};

/* Reads the facts about the model. An unknown model may verify the text before reasoning.
 * Only OpenAI's own models are known to accept a cache key. */
static int
read_facts(const struct ctx_render_options *how, struct facts *f, struct ctx_err *err)
{
	struct ctx_buf models = CTX_BUF_INIT, name = CTX_BUF_INIT;
	struct ctx_span model = ctx_json_text(ctx_json_get(how->params, "model"), &name);
	const struct ctx_provider_facts *facts = ctx_provider_facts(how->provider);
	struct ctx_model m;
	int rc = cli_models_read("models.ndjson", &models, err);

	f->checked = facts->checks_reasoning;
	f->keyed = facts->cache_key;
	f->takes_tools = f->openai = f->breakpoints = f->inside = false;
	if (rc == 0 && model.p != NULL &&
	    ctx_model_find(&m, model, ctx_buf_span(&models))) {
		f->checked &= CTX_JSON_IS_ANY(m.reasoning, "checked", "silent");
		f->takes_tools = facts->late_tools == CTX_LATE_TOOLS_ITEM &&
				 ctx_json_is(m.reasoning, "silent") &&
				 !m.unsure[CTX_MODEL_REASONING];
		/* a slash shows a router's name */
		f->openai = facts->cache_key && ctx_json_is(m.provider, "openai") &&
			    m.server.p == NULL && memchr(model.p, '/', model.n) == NULL;
		f->inside = m.system_inside == CTX_MODEL_YES &&
			    !m.unsure[CTX_MODEL_SYSTEM_INSIDE];
		f->breakpoints = f->openai && !m.unsure[CTX_MODEL_CACHE] &&
				 ctx_json_is(m.cache, "implicit+marks");
		f->keyed &= ctx_json_is(m.provider, "openai") &&
			    !m.unsure[CTX_MODEL_CACHE] &&
			    CTX_JSON_IS_ANY(m.cache, "implicit", "implicit+marks");
	} else {
		f->keyed = false;
	}
	ctx_buf_release(&models);
	ctx_buf_release(&name);
	return rc;
}

/* Returns the cache key: the session where the run began, so that its forks read the same
 * cache. */
static char *
make_run_cache_key(struct ctx_span run)
{
	char *key = ctx_json_strdup(ctx_json_get(run, "session")), *hash;

	if (key == NULL || strlen(key) <= KEY_MAX)
		return key;
	hash = ctx_mem_new(CTX_HASH_HEX + 1);
	ctx_hash_sha256(key, strlen(key), hash);
	free(key);
	return hash;
}

/* Decides which reasoning is sent back. At the beginning of a run, that is the reasoning
 * of the current tool loop; but if the model verifies the text before it, only reasoning
 * that was made in this run. */
static void
choose_reasoning(struct render_run *r, struct ctx_render_options *how,
    const struct ctx_request *q, bool checked)
{
	struct ctx_span run = ctx_span_of(q->run_json);
	int64_t broken;

	if (!ctx_json_int(ctx_json_get(run, "reasoning_after"), &how->reasoning_after))
		how->reasoning_after = checked || r->turn < 0 ? q->for_seq : r->turn;
	broken = ctx_bound_find(r->items, r->n, how, run, r->digest);
	for (size_t i = 0; !checked && i < r->n; i++)
		r->items[i].unbound = false;
	if (!checked || r->replay || broken <= how->reasoning_after)
		return;
	how->reasoning_after = broken;
	cli_warn(
	    "messages before message %lld have changed, so the reasoning of answers up to this message is not sent (did ctx-window read the same --params?)",
	    (long long)broken);
}

/* Sets *may to whether tools can be added among the messages. */
static int
may_add_tools(const struct render_run *r, const struct ctx_render_options *how,
    bool front, bool *may, struct ctx_err *err)
{
	enum ctx_late_tools late = ctx_provider_facts(how->provider)->late_tools;
	struct facts f;
	int rc = read_facts(how, &f, err);

	*may = late == CTX_LATE_TOOLS_SYSTEM ? r->headers && how->system_inside && front
					     : f.takes_tools;
	return rc;
}

int
render_run_tools(struct render_run *r, const struct ctx_render_options *how,
    const struct ctx_request *q, bool waits[], struct ctx_err *err)
{
	enum ctx_bound_tool *tools = ctx_mem_new((r->n + 1) * sizeof(*tools));
	struct ctx_span given = ctx_json_get(how->params, "tools");
	enum ctx_late_tools late = ctx_provider_facts(how->provider)->late_tools;
	bool keeps = late != CTX_LATE_TOOLS_SYSTEM || how->system_inside;
	bool front = ctx_json_first(given).p != NULL, may;
	int rc;

	ctx_bound_tools(tools, r->items, r->n, ctx_span_of(q->run_json), given);
	for (size_t i = 0; i < r->n; i++)
		front |= tools[i] == CTX_BOUND_FRONT;
	rc = may_add_tools(r, how, front, &may, err);
	for (size_t i = 0; rc == 0 && i < r->n; i++) {
		r->items[i].late = tools[i] == CTX_BOUND_LATE &&
				   (may || r->replay || (keeps && r->items[i].sent));
		waits[i] = tools[i] != CTX_BOUND_NONE && tools[i] != CTX_BOUND_FRONT &&
			   !r->items[i].late;
	}
	free(tools);
	return rc;
}

/* Decides whether a breakpoint ends the system text, so that the next run reads what this
 * run cached. The format of the system text, a string or parts, stays the same throughout
 * a run if another of OpenAI's models takes over; other servers may not accept parts. */
static void
choose_breakpoint(const struct render_run *r, struct ctx_render_options *how,
    const struct ctx_request *q, const struct facts *f)
{
	struct ctx_span before = ctx_json_get(ctx_span_of(q->run_json), "breakpoint");
	bool own = f->openai && how->server == NULL;
	struct ctx_span options = ctx_json_get(how->params, "prompt_cache_options");

	if (r->replay) {
		how->breakpoint = ctx_json_is(before, "sent");
		how->system_parts = how->breakpoint || ctx_json_is(before, "parts");
		return;
	}
	/* unless the user places all breakpoints explicitly */
	how->breakpoint = own && f->breakpoints && r->cache &&
			  !ctx_json_is(ctx_json_get(options, "mode"), "explicit");
	how->system_parts = ctx_request_continues(q) ? own && before.p != NULL
						     : how->breakpoint;
	how->breakpoint &= how->system_parts;
}

/* Returns the value to record for the next request of the run; NULL if the run's system
 * text is a string. */
static const char *
name_breakpoint(const struct ctx_render_options *how, const struct ctx_request *q)
{
	struct ctx_span before = ctx_json_get(ctx_span_of(q->run_json), "breakpoint");

	if (how->breakpoint)
		return "sent";
	if (how->system_parts)
		return "parts";
	return before.p != NULL ? "text" : NULL;
}

/* Decides whether rules and instructions are system messages: if the first request of the
 * run is to a model that accepts them among the messages. Other models get them as user
 * messages. */
static void
choose_rules(struct ctx_render_options *how, const struct ctx_request *q, bool replay,
    const struct facts *f)
{
	struct ctx_span before = ctx_json_get(ctx_span_of(q->run_json), "rules");

	how->rules_inside = replay ? ctx_json_is(before, "system")
				   : (f->openai ? f->inside && how->server == NULL
						: how->system_inside) &&
					 (!ctx_request_continues(q) || before.p != NULL);
}

int
render_run_choose(struct render_run *r, struct ctx_render_options *how,
    const struct ctx_request *q, struct ctx_err *err)
{
	struct ctx_span run = ctx_span_of(q->run_json);
	struct facts f;

	if (read_facts(how, &f, err) < 0)
		return -1;
	choose_rules(how, q, r->replay, &f);
	ctx_bound_rules(r->items, r->n, how);
	choose_reasoning(r, how, q, f.checked);
	choose_breakpoint(r, how, q, &f);
	if (r->replay)
		r->cache_key = ctx_json_strdup(ctx_json_get(run, "cache_key"));
	else if (f.keyed && r->cache &&
		 ctx_json_get(how->params, "prompt_cache_key").p == NULL)
		r->cache_key = make_run_cache_key(run);
	how->cache_key = r->cache_key;
	return 0;
}

int
render_run_strip(struct ctx_render_options *how, struct ctx_err *err)
{
	struct facts f;

	if (how->thinking != CTX_THINKING_AUTO)
		return 0;
	if (read_facts(how, &f, err) < 0)
		return -1;
	if (f.checked)
		how->thinking = CTX_THINKING_STRIP;
	return 0;
}

/* Returns whether the answer was omitted when the request was first sent. */
static bool
was_withheld(struct ctx_span omitted, int64_t seq)
{
	int64_t at;

	CTX_JSON_EACH(it, omitted)
		if (ctx_json_has_type(it.value, "answer") &&
		    ctx_json_int(ctx_json_get(it.value, "seq"), &at) && at == seq)
			return true;
	return false;
}

void
render_run_ending(struct ctx_render_item *item, bool replay, struct ctx_span omitted)
{
	const char *name;
	enum ctx_next next = ctx_answer_next(item->metadata, &name);

	item->paused = next == CTX_NEXT_RESUME;
	if (next == CTX_NEXT_WITHHOLD && (!replay || was_withheld(omitted, item->seq)))
		item->withheld = name;
}

void
render_run_note(const struct render_run *r, const struct ctx_render_options *how,
    struct ctx_request *q)
{
	struct ctx_span rules = ctx_json_get(ctx_span_of(q->run_json), "rules");
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_put_open(&b, '{');
	CTX_JSON_EACH(it, ctx_span_of(q->run_json)) {
		if (CTX_JSON_IS_ANY(it.key, "reasoning_after", "digest", "cache_key",
			"breakpoint", "rules"))
			continue;
		ctx_json_put_member(&b, it.key, it.value);
	}
	ctx_json_print(&b,
	    "'reasoning_after':%d,'digest':%s,'cache_key':%s,'breakpoint':%s,'rules':%s}",
	    how->reasoning_after, r->digest, r->cache_key, name_breakpoint(how, q),
	    how->rules_inside ? "system"
	    : rules.p != NULL ? "text"
			      : NULL);
	free(q->run_json);
	q->run_json = ctx_buf_detach(&b);
}
