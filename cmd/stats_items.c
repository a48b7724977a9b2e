/* ctx-stats: prints how items were used. */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "stats/item_use.h"
#include "store/item.h"
#include "store/stats.h"

/* an item that no answer used is reported after this many answers */
#define ANSWERS_MIN 5

/* An item that was sent. */
struct used {
	char *type, *server, *name;
};

struct report {
	struct ctx_figures *figures;
	struct used *used;
	size_t n, cap;
	bool sent; /* there were requests in which items could have been sent */
	struct ctx_definition *defs; /* definitions that could be removed */
	size_t n_defs;
};

static bool
was_used(const struct report *r, const char *type, const char *server, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->used[i].type, type) == 0 &&
		    strcmp(r->used[i].server, server) == 0 &&
		    strcmp(r->used[i].name, name) == 0)
			return true;
	return false;
}

static void
open_item(const struct report *r, const char *type, const char *server, const char *name)
{
	ctx_figures_begin(r->figures, NULL, NULL, CTX_SPAN_NONE);
	ctx_json_print(
	    &cli_out.buf, "'type':%s,'server_name':%s,'name':%s", type, server, name);
}

static bool
can_go(const struct report *r, const struct ctx_item_use *use)
{
	for (size_t i = 0; i < r->n_defs; i++) {
		const struct ctx_definition *d = &r->defs[i];
		if (d->enabled && strcmp(d->type, use->type) == 0 &&
		    strcmp(d->server_name, use->server_name) == 0 &&
		    strcmp(d->name, use->name) == 0)
			return true;
	}
	return false;
}

static int
print_used(void *arg, const struct ctx_item_use *use, struct ctx_err *err)
{
	struct report *r = arg;

	open_item(r, use->type, use->server_name, use->name);
	ctx_json_print(&cli_out.buf, "'requests':%d,'always':%d,'manual':%d,'agent':%d",
	    use->requests, use->always, use->manual, use->agent);
	if (use->agent > 0)
		ctx_json_add_double(&cli_out.buf, "mean_score", use->mean_score, 2);
	ctx_json_print(&cli_out.buf, "'tokens':%d,'answers':%d,'drawn_on':%d",
	    use->tokens, use->answers, use->drawn_on);
	/* A prompt module shapes the agent's behavior whether answers repeat it or not,
	 * so it is never counted as unused. */
	if (use->answers >= ANSWERS_MIN && use->drawn_on == 0 &&
	    strcmp(use->type, "prompt") != 0 && can_go(r, use))
		ctx_json_add_str(&cli_out.buf, "suggestion", "remove");
	ctx_figures_end(r->figures);
	CTX_MEM_GROW(r->used, r->n, r->cap);
	r->used[r->n++] = (struct used){ctx_mem_str(use->type),
	    ctx_mem_str(use->server_name), ctx_mem_str(use->name)};
	return cli_flush_some(err);
}

/* Prints an item that is defined but was never sent, so that it can be removed. */
static int
print_unused(struct report *r, const char *type, const char *server, const char *name,
    struct ctx_err *err)
{
	static const char *const sent[] = {"rule", "reference", "tool", "prompt"};
	bool item = false;

	for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++)
		item |= strcmp(type, sent[i]) == 0;
	server = server == NULL ? "" : server;
	if (!item || was_used(r, type, server, name))
		return 0;
	open_item(r, type, server, name);
	ctx_json_add_int(&cli_out.buf, "requests", 0);
	if (r->sent)
		ctx_json_add_str(&cli_out.buf, "suggestion", "remove");
	ctx_figures_end(r->figures);
	/* several agents may define the same item */
	CTX_MEM_GROW(r->used, r->n, r->cap);
	r->used[r->n++] = (struct used){
	    ctx_mem_str(type), ctx_mem_str(server), ctx_mem_str(name)};
	return cli_flush_some(err);
}

static int
unused_of_store(struct report *r, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->n_defs; i++)
		if (r->defs[i].enabled)
			rc = print_unused(r, r->defs[i].type, r->defs[i].server_name,
			    r->defs[i].name, err);
	return rc;
}

static int
unused_of_session(struct ctx_store *store, const struct ctx_session *s, struct report *r,
    struct ctx_err *err)
{
	struct ctx_session_item *items = NULL;
	size_t n = 0;
	int rc = ctx_session_item_list(store, s, &items, &n, err);

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = print_unused(
		    r, items[i].type, items[i].server_name, items[i].name, err);
	ctx_session_item_free(items, n);
	return rc;
}

/* Reads the definitions of all agents or, for a session, those of its agent. */
static int
read_definitions(struct ctx_store *store, const struct ctx_session *s, struct report *r,
    struct ctx_err *err)
{
	const char *tenant = cli_common.tenant == NULL ? "" : cli_common.tenant;

	if (s == NULL)
		return ctx_definition_list(
		    store, tenant, NULL, &r->defs, &r->n_defs, err);
	return ctx_definition_of(store, s->tenant_id == NULL ? "" : s->tenant_id,
	    s->agent, &r->defs, &r->n_defs, err);
}

/* s may be NULL: report on the whole store. */
static int
report_item_use(struct ctx_store *store, const struct ctx_session *s,
    struct ctx_figures *figures, struct ctx_err *err)
{
	struct ctx_stats_filter filter = {0};
	struct ctx_stats t;
	struct report r = {.figures = figures};
	int rc;

	filter.session_no = s == NULL ? 0 : s->no;
	rc = ctx_stats_read(store, &filter, &t, err);
	r.sent = rc == 0 && t.requests > 0;
	if (rc == 0)
		rc = read_definitions(store, s, &r, err);
	if (rc == 0)
		rc = ctx_item_uses(store, s, print_used, &r, err);
	if (rc == 0)
		rc = s == NULL ? unused_of_store(&r, err)
			       : unused_of_session(store, s, &r, err);
	ctx_definition_free(r.defs, r.n_defs);
	for (size_t i = 0; i < r.n; i++) {
		free(r.used[i].type);
		free(r.used[i].server);
		free(r.used[i].name);
	}
	free(r.used);
	return rc;
}

static struct ctx_store *items_store;

static int
report_named(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	return report_item_use(items_store, s, arg, err);
}

int
stats_items(struct ctx_store *store, const struct cli_list *sessions,
    struct ctx_figures *figures, struct ctx_err *err)
{
	items_store = store;
	return sessions->n == 0 ? report_item_use(store, NULL, figures, err)
				: cli_named_sessions(
				      store, sessions, false, report_named, figures, err);
}
