/* ctx-item: prints tools that have a schema as parameters, so that a model can call
 * them. */
#include "item.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "render/tools.h"

bool
item_wanted(struct item_work *itm, const struct ctx_definition *d, const char *name)
{
	if (itm->opt.type != NULL && strcmp(itm->opt.type, d->type) != 0)
		return false;
	if (itm->opt.server != NULL && strcmp(itm->opt.server, d->server_name) != 0)
		return false;
	if (name == NULL || strcmp(name, d->name) == 0)
		return true;
	/* server:tool */
	return strncmp(name, d->server_name, strlen(d->server_name)) == 0 &&
	       name[strlen(d->server_name)] == ':' &&
	       strcmp(name + strlen(d->server_name) + 1, d->name) == 0;
}

static bool
in_session(const struct ctx_session_item *items, size_t n, const struct ctx_definition *d)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(items[i].type, d->type) == 0 &&
		    strcmp(items[i].server_name, d->server_name) == 0 &&
		    strcmp(items[i].name, d->name) == 0)
			return true;
	return false;
}

/* Selects the tools that go into the session's requests: enabled ones only. */
static int
choose_item_tools(struct item_work *itm, struct ctx_definition **defs, size_t *n,
    bool **in, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	struct ctx_session_item *items = NULL;
	size_t n_items = 0;
	int rc;

	if (itm->opt.session == NULL) {
		rc = itm->opt.agent == NULL ? ctx_definition_list(itm->store, itm->tenant,
						  NULL, defs, n, err)
					    : ctx_definition_of(itm->store, itm->tenant,
						  itm->opt.agent, defs, n, err);
	} else {
		rc = item_open_session(itm, &s, err);
		if (rc == 0)
			rc = ctx_session_item_list(itm->store, &s, &items, &n_items, err);
		if (rc == 0)
			rc = ctx_definition_of(
			    itm->store, itm->tenant, s.agent, defs, n, err);
	}
	if (rc == 0)
		*in = ctx_mem_new(*n + 1);
	for (size_t i = 0; rc == 0 && i < *n; i++) {
		const struct ctx_definition *d = &(*defs)[i];
		(*in)[i] = d->enabled && strcmp(d->type, "tool") == 0 &&
			   d->schema_json != NULL && item_wanted(itm, d, NULL) &&
			   (itm->opt.session == NULL || in_session(items, n_items, d));
	}
	ctx_session_item_free(items, n_items);
	ctx_session_release(&s);
	return rc;
}

static int
print_item_tools(const struct ctx_definition *defs, const bool *in, size_t n,
    int provider, struct ctx_span params, struct ctx_err *err)
{
	struct ctx_render_tool *tools = ctx_mem_new((n + 1) * sizeof(*tools));
	char **names = ctx_mem_new((n + 1) * sizeof(*names));
	size_t k = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		if (in[i]) {
			struct ctx_buf name = CTX_BUF_INIT;
			ctx_definition_called(&name, &defs[i]);
			names[k] = ctx_buf_detach(&name);
			tools[k] = (struct ctx_render_tool){
			    names[k], defs[i].content, ctx_span_of(defs[i].schema_json)};
			k++;
		}
	if (k == 0)
		cli_note("no enabled tool has a schema");
	rc = ctx_render_tools(
	    &cli_out.buf, tools, k, (enum ctx_provider)provider, params, err);
	if (rc == 0)
		ctx_buf_addc(&cli_out.buf, '\n');
	for (size_t i = 0; i < k; i++)
		free(names[i]);
	free(names);
	free(tools);
	return rc;
}

int
item_tools(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct item_work *itm = arg;
	struct ctx_definition *defs = NULL;
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span params;
	bool *in = NULL;
	size_t n = 0;
	int provider, rc = -1;

	if (cli_no_operands(argc, argv, err) == 0 &&
	    cli_provider(&provider, true, err) == 0 &&
	    cli_read_params(itm->opt.params, &text, &params, err) == 0 &&
	    choose_item_tools(itm, &defs, &n, &in, err) == 0)
		rc = print_item_tools(defs, in, n, provider, params, err);
	ctx_definition_free(defs, n);
	free(in);
	ctx_buf_release(&text);
	return rc;
}
