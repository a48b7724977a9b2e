/* Opens the objects that most commands use: the store, a session, a tokenizer, files of
 * settings. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/id.h"
#include "base/io.h"
#include "cli_options.h"
#include "json/json.h"
#include "model/model.h"
#include "provider/provider.h"
#include "store/item.h"

#define MODELS_MAX ((size_t)1 << 20)

static int
sync_mode(enum ctx_sync *out, struct ctx_err *err)
{
	static const char *const names[] = {"full", "normal", "off"};

	*out = CTX_SYNC_FULL;
	if (cli_common.sync == NULL)
		return 0;
	for (int i = 0; i < 3; i++)
		if (strcmp(cli_common.sync, names[i]) == 0) {
			*out = (enum ctx_sync)i;
			return 0;
		}
	return ctx_err_set(
	    err, CTX_EUSAGE, "--sync: '%s' is not full, normal or off", cli_common.sync);
}

int
cli_check_sync(struct ctx_err *err)
{
	enum ctx_sync ignored;

	return cli_flagged(&cli_common.sync) ? sync_mode(&ignored, err) : 0;
}

int
cli_data_path(struct ctx_buf *path, const char *name, struct ctx_err *err)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data != NULL && data[0] == '/')
		ctx_buf_addf(path, "%s/ctx%s", data, name);
	else if (home != NULL && home[0] != '\0')
		ctx_buf_addf(path, "%s/.local/share/ctx%s", home, name);
	else
		return ctx_err_set(
		    err, CTX_EUSAGE, "no store: set CTX_STORE or HOME, or use --store");
	return 0;
}

int
cli_store_path(struct ctx_buf *path, struct ctx_err *err)
{
	if (cli_common.store == NULL)
		return cli_data_path(path, "/ctx.db", err);
	ctx_buf_adds(path, cli_common.store);
	return 0;
}

/* Returns whether the store's file does not exist. A store on a server is checked when it
 * is opened. */
static bool
is_file_absent(const char *path)
{
	return !ctx_store_is_remote(path) && access(path, F_OK) < 0 && errno == ENOENT;
}

/* The heap that malloc reserves when a process starts. */
#define FIRST_HEAP ((intptr_t)128 << 10)

/* Has the kernel provide the first heap at once. Opening a store uses all of it, and pages
 * that the process touches one by one take twice as long. */
static void
prepare_heap(void)
{
#ifdef MADV_POPULATE_WRITE
	char *end = sbrk(0);

	end -= (uintptr_t)end % (uintptr_t)sysconf(_SC_PAGESIZE);
	madvise(end - FIRST_HEAP, (size_t)FIRST_HEAP, MADV_POPULATE_WRITE);
#endif
}

int
cli_store_open(struct ctx_store **out, int how, struct ctx_err *err)
{
	struct ctx_store_options o = {.tenant = cli_common.tenant,
	    .busy_ms = cli_common.busy_timeout,
	    .create = (how & CLI_CREATE) != 0,
	    .bulk = (how & CLI_BULK) != 0,
	    .snapshot = (how & CLI_SNAPSHOT) != 0,
	    .times = cli_store_times(),
	    .progress = cli_progress_store};
	struct ctx_buf path = CTX_BUF_INIT;
	bool absent = false;
	int rc = -1;

	*out = NULL;
	prepare_heap();
	if (sync_mode(&o.sync, err) == 0 && cli_store_path(&path, err) == 0) {
		int64_t begun = cli_phase_begin();
		o.path = path.p;
		o.absent = &absent;
		if ((how & CLI_IF_ANY) != 0 && is_file_absent(path.p))
			rc = 0;
		else
			rc = ctx_store_open(out, &o, err);
		if (rc < 0 && absent && (how & CLI_IF_ANY) != 0) {
			*err = (struct ctx_err)CTX_ERR_INIT;
			rc = 0;
		}
		if (rc == 0 && *out != NULL && (how & (CLI_CREATE | CLI_EXACT)) == 0 &&
		    cli_complete_sessions(*out, err) < 0) {
			ctx_store_close(*out);
			*out = NULL;
			rc = -1;
		}
		cli_phase_end(CLI_PHASE_OPEN, begun);
	}
	ctx_buf_release(&path);
	return rc;
}

int
cli_store_exists(struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	struct ctx_store *st = NULL;
	int rc = cli_store_path(&path, err);

	if (rc == 0 && ctx_store_is_remote(path.p)) {
		rc = cli_store_open(&st, CLI_EXACT | CLI_IF_ANY, err);
		rc = rc < 0 ? -1 : st != NULL;
		ctx_store_close(st);
	} else if (rc == 0) {
		rc = !is_file_absent(path.p);
	}
	ctx_buf_release(&path);
	return rc;
}

int
cli_see_tenant(struct ctx_store *st, const char *tenant, struct ctx_err *err)
{
	if (tenant != NULL && cli_common.tenant != NULL &&
	    strcmp(tenant, cli_common.tenant) != 0)
		return ctx_err_set(err, CTX_EINPUT,
		    *tenant == '\0'
			? "the session has no tenant, but the tenant '%s' was requested"
			: "the session belongs to a tenant other than '%s'",
		    cli_common.tenant);
	if (st != NULL)
		ctx_store_set_tenant(st, tenant != NULL ? tenant : cli_common.tenant);
	return 0;
}

int
cli_check_id(const char *id, const char *what, struct ctx_err *err)
{
	if (ctx_id_check(ctx_span_of(id), what, err) == 0)
		return 0;
	err->code = CTX_EUSAGE;
	return -1;
}

int
cli_check_tenant(struct ctx_err *err)
{
	const char *tenant = cli_common.tenant;

	return tenant == NULL || *tenant == '\0' ? 0
						 : cli_check_id(tenant, "tenant", err);
}

int
cli_models_read(const char *name, struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = cli_config_path(&path, name, err);

	if (rc == 1) {
		rc = ctx_io_read_found(path.p, text, MODELS_MAX, err);
		if (rc == 0 && ctx_models_check(ctx_buf_span(text), err) < 0)
			rc = ctx_err_prefix(err, "%s", path.p);
	}
	ctx_buf_release(&path);
	return rc;
}

int
cli_session_find(struct ctx_store *st, const char *session_id, struct ctx_session *out,
    struct ctx_err *err)
{
	int rc = ctx_store_session_find(st, session_id, out, err);

	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER, "no session '%s'", session_id);
	return rc < 0 ? -1 : 0;
}

int
cli_session_open(struct ctx_store *st, const char *session_id, struct ctx_session *out,
    struct ctx_err *err)
{
	if (cli_session_find(st, session_id, out, err) < 0)
		return -1;
	return out->status == CTX_STATUS_DELETED ? cli_deleted(session_id, err) : 0;
}

int
cli_parse_share(const char *name, const char *s, double *out, struct ctx_err *err)
{
	struct ctx_span v = CTX_SPAN_NONE;

	if (s == NULL)
		return 0;
	if (ctx_json_check(ctx_span_of(s), &v, NULL, NULL) < 0 ||
	    !ctx_json_double(v, out) || !(*out > 0 && *out <= 1))
		return ctx_err_set(err, CTX_EUSAGE,
		    "%s: '%s' is not a number above 0 and up to 1", name, s);
	return 0;
}

int
cli_warn_agent(
    struct ctx_store *st, const char *tenant, const char *agent, struct ctx_err *err)
{
	struct ctx_definition *defs = NULL;
	size_t n = 0;

	if (agent == NULL || *agent == '\0')
		return 0;
	if (ctx_definition_list(st, tenant == NULL ? "" : tenant, agent, &defs, &n, err) <
	    0)
		return -1;
	if (n == 0)
		cli_warn(
		    "agent '%s' has no items (ctx-item define --agent %s)", agent, agent);
	ctx_definition_free(defs, n);
	return 0;
}

int
cli_deleted(const char *session_id, struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EANSWER,
	    "session '%s' is deleted (ctx-delete --restore restores it)", session_id);
}

int
cli_unknown_provider(const char *name, const char *more, struct ctx_err *err)
{
	struct ctx_buf names = CTX_BUF_INIT;

	ctx_provider_names(&names, " or ");
	ctx_err_set(err, CTX_EUSAGE, "unknown provider '%s' (%s%s)", name, names.p, more);
	ctx_buf_release(&names);
	return -1;
}

static int
fail_without_provider(struct ctx_err *err)
{
	struct ctx_buf names = CTX_BUF_INIT;

	ctx_provider_names(&names, " or ");
	ctx_err_set(
	    err, CTX_EUSAGE, "no provider given: use -p or CTX_PROVIDER (%s)", names.p);
	ctx_buf_release(&names);
	return -1;
}

int
cli_provider(int *out, bool required, struct ctx_err *err)
{
	*out = -1;
	if (cli_common.provider == NULL) {
		if (required)
			return fail_without_provider(err);
		return 0;
	}
	*out = ctx_provider_parse(cli_common.provider);
	if (*out < 0)
		return cli_unknown_provider(cli_common.provider, "", err);
	return 0;
}

#define PARAMS_MAX ((size_t)16 << 20)
#define REQUEST_MAX ((size_t)64 << 20)

/* "… at byte 26" of a file becomes "FILE:2: … at byte 9", of its line. */
static int
name_params_line(const char *path, struct ctx_span text, struct ctx_err *err)
{
	struct ctx_err was = *err;
	char *at = strstr(was.msg, " at byte ");
	size_t byte = at == NULL ? 0 : strtoul(at + strlen(" at byte "), NULL, 10);
	size_t line = 1, begin = 0;

	if (byte == 0)
		return ctx_err_prefix(err, "%s", path);
	while (text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]) != NULL)
		text.n--;
	if (byte > text.n + 1) /* the end is missing */
		byte = text.n + 1;
	for (size_t i = 0; i + 1 < byte; i++)
		if (text.p[i] == '\n') {
			line++;
			begin = i + 1;
		}
	*at = '\0';
	return ctx_err_set(
	    err, CTX_EINPUT, "%s:%zu: %s at byte %zu", path, line, was.msg, byte - begin);
}

int
cli_read_params(
    const char *path, struct ctx_buf *text, struct ctx_span *params, struct ctx_err *err)
{
	*params = CTX_SPAN_NONE;
	if (path == NULL)
		return 0;
	if (ctx_io_read_file(path, text, PARAMS_MAX, err) < 0)
		return -1;
	if (ctx_json_check(ctx_buf_span(text), params, NULL, err) < 0)
		return name_params_line(path, ctx_buf_span(text), err);
	if (ctx_json_type(*params) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EINPUT, "%s: not a JSON object", path);
	return 0;
}

int
cli_read_request(const char *path, struct ctx_request *r, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_record rec;
	int rc = ctx_io_read_file(path, &text, REQUEST_MAX, err);

	if (rc == 0 && text.n == 0)
		rc = ctx_err_set(err, CTX_EINPUT,
		    "%s: the file is empty, but must contain a request record (ctx-render --request writes it)",
		    path);
	if (rc == 0 &&
	    (ctx_record_parse(&rec, ctx_buf_span(&text), err) < 0 ||
		(rec.kind != CTX_KIND_REQUEST &&
		    ctx_err_set(err, CTX_EINPUT, "not a request record") < 0) ||
		ctx_request_parse(r, rec.line, err) < 0))
		rc = ctx_err_prefix(err, "%s", path);
	ctx_buf_release(&text);
	return rc;
}

int
cli_write_headers(
    const char *path, struct ctx_span body, int provider, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	ctx_provider_headers(&b, body, (enum ctx_provider)provider);
	rc = ctx_io_replace_file(path, b.p, b.n, err);
	ctx_buf_release(&b);
	return rc;
}
