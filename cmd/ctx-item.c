#include "item.h"

#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/record.h"

static struct item_work item_work = {.tenant = ""};

static struct cli_option options[] = {
    {"session", 's', "SID",
	"the session (ctx-item list: '-' means the sessions that the input records name)",
	CLI_STRING, &item_work.opt.session, NULL},
    {"agent", 0, "NAME", "agent to which the definitions belong", CLI_STRING,
	&item_work.opt.agent, NULL},
    {"type", 0, "TYPE",
	"type of the items: rule, reference, tool, server, prompt or mode", CLI_STRING,
	&item_work.opt.type, NULL},
    {"server", 0, "NAME", "server of a tool", CLI_STRING, &item_work.opt.server, NULL},
    {"remove", 0, NULL, "ctx-item define: remove definitions instead of storing them",
	CLI_FLAG, &item_work.opt.remove, NULL},
    CLI_PROVIDER_OPTION,
    {"params", 0, "FILE",
	"ctx-item tools: add the tools to the request parameters in FILE, and print the result",
	CLI_STRING, &item_work.opt.params, NULL},
    {"quiet", 'q', NULL, "do not print records", CLI_FLAG, &cli_common.quiet, NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

/* Returns NULL for an empty text, for members that are left out if empty. */
static const char *
or_null(const char *text)
{
	return *text == '\0' ? NULL : text;
}

static void
print_definition(const struct ctx_definition *d)
{
	struct ctx_buf *b = &cli_out.buf;

	ctx_json_print(b, "{'kind':'item','agent':%s,'type':%s,'server_name':%s",
	    or_null(d->agent), d->type, or_null(d->server_name));
	ctx_json_print(b,
	    "'name':%s,'include':%s,'enabled':%b,'modes':%j,'content':%s,'schema':%j}\n",
	    d->name, d->include, d->enabled, ctx_span_of(d->modes_json), d->content,
	    ctx_span_of(d->schema_json));
}

/* ---- define ---- */

enum {
	AGENT,
	TYPE,
	SERVER,
	NAME,
	INCLUDE,
	ENABLED,
	MODES,
	CONTENT,
	SCHEMA,
	WORDS,
	N_KEYS
};
static const char *const keys[N_KEYS] = {"agent", "type", "server_name", "name",
    "include", "enabled", "modes", "content", "schema", "words"};

static const char *const types[] = {
    "rule", "reference", "tool", "server", "prompt", "mode", NULL};

static int
check_members(struct ctx_span v[N_KEYS], struct ctx_err *err)
{
	static const enum ctx_json_type want[N_KEYS] = {CTX_JSON_STRING, CTX_JSON_STRING,
	    CTX_JSON_STRING, CTX_JSON_STRING, CTX_JSON_STRING, CTX_JSON_BOOL,
	    CTX_JSON_ARRAY, CTX_JSON_STRING, CTX_JSON_OBJECT, CTX_JSON_STRING};

	for (int i = 0; i < N_KEYS; i++) {
		if (ctx_json_type(v[i]) == CTX_JSON_NULL)
			v[i] = CTX_SPAN_NONE;
		if (v[i].p != NULL && ctx_json_type(v[i]) != want[i])
			return ctx_err_set(
			    err, CTX_EINPUT, "%s has a value of the wrong type", keys[i]);
		if (ctx_json_type(v[i]) == CTX_JSON_STRING && !ctx_json_is_text(v[i]))
			return ctx_err_set(err, CTX_EINPUT,
			    "%s must be a string without NUL characters", keys[i]);
	}
	if (!ctx_json_is_any(v[TYPE], types))
		return ctx_err_set(err, CTX_EINPUT,
		    "type must be rule, reference, tool, server, prompt or mode");
	if (v[INCLUDE].p != NULL &&
	    !CTX_JSON_IS_ANY(v[INCLUDE], "always", "manual", "agent"))
		return ctx_err_set(
		    err, CTX_EINPUT, "include must be 'always', 'manual' or 'agent'");
	if (ctx_json_is(v[TYPE], "tool") && v[SERVER].p == NULL)
		return ctx_err_set(err, CTX_EINPUT, "a tool needs a server_name");
	return 0;
}

static int
text_member(char **out, struct ctx_span json, const char *what, struct ctx_err *err)
{
	*out = ctx_json_strdup(json);
	if (*out == NULL)
		return ctx_err_set(err, CTX_EINPUT, "%s is missing", what);
	return ctx_id_check(ctx_span_of(*out), what, err);
}

static int
parse_item_definition(struct item_work *itm, struct ctx_definition *d,
    struct ctx_span record, struct ctx_err *err)
{
	struct ctx_span v[N_KEYS];
	struct ctx_buf flat = CTX_BUF_INIT;

	ctx_json_get_all(record, keys, v, N_KEYS);
	if (check_members(v, err) < 0 || text_member(&d->name, v[NAME], "name", err) < 0)
		return -1;
	d->type = ctx_json_strdup(v[TYPE]);
	d->agent = v[AGENT].p != NULL
		       ? ctx_json_strdup(v[AGENT])
		       : ctx_mem_str(itm->opt.agent == NULL ? "" : itm->opt.agent);
	if (d->agent[0] != '\0' && !itm->opt.remove &&
	    ctx_id_check(ctx_span_of(d->agent), "agent", err) < 0)
		return -1;
	if (!ctx_json_is(v[TYPE], "tool"))
		d->server_name = ctx_mem_str("");
	else if (text_member(&d->server_name, v[SERVER], "server_name", err) < 0)
		return -1;
	d->include = ctx_json_strdup(v[INCLUDE]);
	d->enabled = v[ENABLED].p == NULL || ctx_json_true(v[ENABLED]);
	d->content = ctx_json_strdup(v[CONTENT].p != NULL ? v[CONTENT] : v[WORDS]);
	if (v[MODES].p != NULL) {
		ctx_json_minify(v[MODES], &flat);
		d->modes_json = ctx_buf_detach(&flat);
	}
	if (v[SCHEMA].p != NULL) {
		ctx_json_minify(v[SCHEMA], &flat);
		d->schema_json = ctx_buf_detach(&flat);
	}
	d->updated_at = cli_now();
	if (!itm->opt.remove && d->content == NULL && d->schema_json == NULL &&
	    strcmp(d->type, "server") != 0)
		return ctx_err_set(err, CTX_EINPUT, "content is missing");
	return 0;
}

static int
define_record(void *arg, struct ctx_store *st, struct ctx_span line, struct ctx_err *err)
{
	struct item_work *itm = arg;
	struct ctx_definition d = CTX_DEFINITION_INIT;
	struct ctx_record r;
	int rc;

	if (ctx_record_parse(&r, line, err) < 0)
		return -1;
	if (r.kind != CTX_KIND_ITEM && !r.kindless)
		return 0;
	rc = parse_item_definition(itm, &d, r.line, err);
	if (rc == 0)
		rc = itm->opt.remove ? ctx_definition_remove(st, itm->tenant, &d, err)
				     : ctx_definition_put(st, itm->tenant, &d, err);
	if (rc >= 0 && !cli_common.quiet && !itm->opt.remove)
		print_definition(&d);
	ctx_definition_release(&d);
	return rc < 0 ? -1 : 0;
}

static int
define_items(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct item_work *itm = arg;
	struct cli_input in;
	int rc;

	cli_input_open(&in, argc, argv);
	rc = cli_input_store(itm->store, &in, define_record, itm, err);
	cli_input_close(&in);
	return rc;
}

/* ---- printing definitions ---- */

int
item_open_session(struct item_work *itm, struct ctx_session *s, struct ctx_err *err)
{
	int rc = cli_session_open(itm->store, itm->opt.session, s, err);

	if (rc == 0 && s->tenant_id != NULL)
		itm->tenant = ctx_mem_str(s->tenant_id); /* freed when the process ends */
	return rc;
}

static int
list_session_items(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	struct item_work *itm = arg;
	struct ctx_session_item *items = NULL;
	size_t n = 0;
	int rc = ctx_session_item_list(itm->store, s, &items, &n, err);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct ctx_definition d = {.type = items[i].type,
		    .name = items[i].name,
		    .server_name = items[i].server_name};
		if (item_wanted(itm, &d, NULL))
			ctx_json_print(&cli_out.buf,
			    "{'kind':'item','session_id':%s,'type':%s,'server_name':%s,'name':%s,'include_mode':%s,'added_at':%m}\n",
			    s->session_id, d.type, or_null(d.server_name), d.name,
			    items[i].include_mode, items[i].added_at);
	}
	ctx_session_item_free(items, n);
	return rc < 0 ? -1 : cli_flush(err);
}

static int
print_definitions(struct item_work *itm, const char *name, struct ctx_err *err)
{
	struct ctx_definition *defs;
	size_t n, found = 0;

	if (ctx_definition_list(itm->store, itm->tenant, itm->opt.agent, &defs, &n, err) <
	    0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (item_wanted(itm, &defs[i], name)) {
			print_definition(&defs[i]);
			found++;
		}
	ctx_definition_free(defs, n);
	if (name != NULL && found == 0)
		return ctx_err_set(err, CTX_EANSWER, "no item '%s' is defined", name);
	return 0;
}

static int
print_item_list(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct item_work *itm = arg;
	struct cli_list sessions = {.v = &itm->opt.session, .n = 1};

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	return itm->opt.session != NULL ? cli_named_sessions(itm->store, &sessions, true,
					      list_session_items, itm, err)
					: print_definitions(itm, NULL, err);
}

static int
show_item_definition(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct item_work *itm = arg;

	if (argc != 1)
		return ctx_err_set(err, CTX_EUSAGE, "show needs exactly one name");
	return print_definitions(itm, argv[0], err);
}

/* ---- items of a session ---- */

/* Appends "server:name" if the definition is a tool of a server, for the message that
 * several items have the name. */
static void
note_server(struct ctx_buf *servers, const struct ctx_definition *d)
{
	if (strcmp(d->type, "tool") == 0 && d->server_name != NULL &&
	    *d->server_name != '\0')
		ctx_buf_addf(servers, "%s%s:%s", servers->n > 0 ? ", " : "",
		    d->server_name, d->name);
}

static int
tell_several(const char *name, struct ctx_buf *servers, struct ctx_err *err)
{
	bool tools = servers->n > 0 && strchr(servers->p, ',') != NULL;

	ctx_err_set(err, CTX_EANSWER, "several items have the name '%s': %s%s", name,
	    tools ? "name the server too: " : "use --type", tools ? servers->p : "");
	ctx_buf_release(servers);
	return -1;
}

/* Returns the name of the type, a constant string, or NULL if it is unknown. */
static const char *
find_type_name(const char *type)
{
	size_t i = 0;

	while (types[i] != NULL && strcmp(types[i], type) != 0)
		i++;
	return types[i];
}

static int
find_one(struct item_work *itm, const struct ctx_session *s, const char *name,
    struct ctx_session_item *item, struct ctx_err *err)
{
	struct ctx_definition *defs;
	struct ctx_buf servers = CTX_BUF_INIT;
	size_t n, found = 0;
	/* type of a definition with this name that cannot be added to a session */
	const char *other = NULL;
	bool enabled = true;

	if (ctx_definition_of(itm->store, itm->tenant, s->agent, &defs, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		bool fits = strcmp(defs[i].type, "rule") == 0 ||
			    strcmp(defs[i].type, "reference") == 0 ||
			    strcmp(defs[i].type, "tool") == 0;
		if (!item_wanted(itm, &defs[i], name))
			continue;
		if (!fits) {
			other = find_type_name(defs[i].type);
			continue;
		}
		note_server(&servers, &defs[i]);
		if (found++ == 0) {
			*item = (struct ctx_session_item){ctx_mem_str(defs[i].type),
			    ctx_mem_str(defs[i].server_name), ctx_mem_str(defs[i].name),
			    ctx_mem_str("manual"), cli_now()};
			enabled = defs[i].enabled;
		}
	}
	ctx_definition_free(defs, n);
	if (found == 0 && other != NULL)
		return ctx_err_set(err, CTX_EANSWER,
		    "'%s' is a %s: this kind of item cannot be limited to one session",
		    name, other);
	if (found == 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "no item '%s' is defined for this session", name);
	if (found > 1)
		return tell_several(name, &servers, err);
	ctx_buf_release(&servers);
	if (!enabled)
		cli_warn(
		    "%s '%s' is disabled: requests include it only after it is enabled",
		    item->type, name);
	return 0;
}

/* Finds the item in the session. An item that is no longer defined can be removed too. */
static int
find_in_session(struct item_work *itm, const struct ctx_session *s, const char *name,
    struct ctx_session_item *item, struct ctx_err *err)
{
	struct ctx_session_item *items;
	struct ctx_buf servers = CTX_BUF_INIT;
	size_t n, found = 0;

	if (ctx_session_item_list(itm->store, s, &items, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct ctx_definition d = {.type = items[i].type,
		    .name = items[i].name,
		    .server_name = items[i].server_name};
		if (!item_wanted(itm, &d, name))
			continue;
		note_server(&servers, &d);
		if (found++ == 0)
			*item = (struct ctx_session_item){ctx_mem_str(d.type),
			    ctx_mem_str(d.server_name), ctx_mem_str(d.name), NULL, 0};
	}
	ctx_session_item_free(items, n);
	if (found == 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "item '%s' is not in the session", name);
	if (found > 1)
		return tell_several(name, &servers, err);
	ctx_buf_release(&servers);
	return 0;
}

static int
change_session_items(
    struct item_work *itm, int argc, char **argv, bool add, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	if (argc == 0 || itm->opt.session == NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "this command needs -s SID and the names of items");
	ctx_session_init(&s);
	rc = item_open_session(itm, &s, err);
	if (rc == 0)
		rc = ctx_store_begin(itm->store, err);
	for (int i = 0; rc == 0 && i < argc; i++) {
		struct ctx_session_item *item = ctx_mem_new(sizeof(*item));
		rc = (add ? find_one : find_in_session)(itm, &s, argv[i], item, err);
		if (rc == 0)
			rc = (add ? ctx_session_item_add : ctx_session_item_remove)(
				 itm->store, &s, item, err) < 0
				 ? -1
				 : 0;
		ctx_session_item_free(item, 1);
	}
	rc = ctx_store_end(itm->store, rc, err);
	if (rc == 0 && !cli_common.quiet)
		rc = list_session_items(itm, &s, err);
	ctx_session_release(&s);
	return rc;
}

static int
add_session_items(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct item_work *itm = arg;

	return change_session_items(itm, argc, argv, true, err);
}

static int
remove_item(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct item_work *itm = arg;

	return change_session_items(itm, argc, argv, false, err);
}

/* ---- main ---- */

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct item_work *itm = &item_work;
	static const struct cli_action actions[] = {{"define", define_items},
	    {"list", print_item_list}, {"show", show_item_definition},
	    {"add", add_session_items}, {"remove", remove_item}, {"tools", item_tools},
	    {NULL, NULL}};
	static const char *const takes[] = {"agent remove", "session agent type server",
	    "agent type server", "session type server", "session type server",
	    "session agent server provider params"};
	const struct cli_action *action = cli_action(actions, argc, argv, err);
	int rc;

	if (action == NULL)
		return -1;
	if (cli_common.tenant != NULL)
		itm->tenant = cli_common.tenant;
	if (cli_check_alone("session agent", err) < 0 ||
	    cli_check_form(action->name, takes[action - actions], err) < 0)
		return -1;
	if (itm->opt.type != NULL && find_type_name(itm->opt.type) == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--type: '%s' is not rule, reference, tool, server, prompt or mode",
		    itm->opt.type);
	if (action->fn == define_items && !itm->opt.remove &&
	    (cli_check_tenant(err) < 0 ||
		(itm->opt.agent != NULL && *itm->opt.agent != '\0' &&
		    cli_check_id(itm->opt.agent, "agent", err) < 0)))
		return -1;
	if (cli_store_open(
		&itm->store, action->fn == define_items ? CLI_CREATE : 0, err) < 0)
		return -1;
	rc = action->fn(itm, argc - 1, argv + 1, err);
	if (rc == 0)
		rc = cli_flush(err);
	ctx_store_close(itm->store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-item",
    .synopsis =
	"define [--agent NAME] [--remove] [FILE ...]\n"
	"list [--agent NAME | -s SID] [--type TYPE]\n"
	"show [--agent NAME] [--type TYPE] NAME\n"
	"add -s SID [--type TYPE] NAME ...\n"
	"remove -s SID [--type TYPE] NAME ...\n"
	"tools [-p PROVIDER] [--agent NAME | -s SID] [--server NAME] [--params FILE]",
    .about =
	"Defines rules, references, tools and prompt modules, and adds them to sessions.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
