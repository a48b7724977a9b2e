#include "render_params.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "lint/lint.h"

/* ---- --fix ---- */

static void
note_fixed(void *arg CTX_UNUSED, const struct ctx_lint_diagnostic *d)
{
	cli_note("fixed: %s [%s]", d->text, d->rule);
}

static void
warn_left(void *arg CTX_UNUSED, const struct ctx_lint_diagnostic *d)
{
	cli_warn("not fixed: %s [%s]", d->text, d->rule);
}

int
render_params_fix(
    struct ctx_render_options *how, struct ctx_buf *text, struct ctx_err *err)
{
	int left;
	struct ctx_buf models = CTX_BUF_INIT;

	if (how->params.p == NULL)
		return 0;
	if (cli_models_read("models.ndjson", &models, err) < 0)
		return -1;
	left = ctx_lint_params_fix(how->params, how->provider, ctx_buf_span(&models),
	    text, note_fixed, warn_left, NULL);
	ctx_buf_release(&models);
	how->params = ctx_buf_span(text);
	if (left > 0)
		return ctx_err_set(err, CTX_EANSWER,
		    "--fix cannot correct %s of the parameters without changing the request's meaning",
		    left == 1 ? "one" : "some");
	return 0;
}

/* ---- the model ---- */

int
render_params_model(const struct ctx_render_options *how, struct ctx_buf *models,
    struct ctx_model *m, struct ctx_err *err)
{
	struct ctx_buf name = CTX_BUF_INIT;
	struct ctx_span model = ctx_json_text(ctx_json_get(how->params, "model"), &name);
	int rc = model.p == NULL ? 0 : cli_models_read("models.ndjson", models, err);

	if (rc == 0 && model.p != NULL)
		rc = ctx_model_find(m, model, ctx_buf_span(models)) ? 1 : 0;
	ctx_buf_release(&name);
	return rc;
}

/* Finds the server that the model table names for the model, unless a router's prefix
 * hides the server. */
static int
find_model_server(const struct ctx_render_options *how, const struct ctx_server **server,
    struct ctx_err *err)
{
	struct ctx_buf models = CTX_BUF_INIT;
	struct ctx_span name = ctx_json_get(how->params, "model");
	struct ctx_model m;
	int rc = render_params_model(how, &models, &m, err);
	char *text = rc == 1 ? ctx_json_strdup(m.server) : NULL;

	if (rc == 1 && memchr(name.p, '/', name.n) == NULL)
		*server = ctx_server_find(text);
	if (*server != NULL && (*server)->provider != how->provider)
		*server = NULL;
	free(text);
	ctx_buf_release(&models);
	return rc < 0 ? -1 : 0;
}

int
render_params_unknown(const char *server, struct ctx_err *err)
{
	struct ctx_buf names = CTX_BUF_INIT;

	ctx_server_names(&names);
	ctx_err_set(err, CTX_EUSAGE, "unknown server '%s' (%s)", server, names.p);
	ctx_buf_release(&names);
	return -1;
}

int
render_params_server(struct ctx_render_options *how, const char *name, bool given,
    bool replay, const char *sent, struct ctx_err *err)
{
	/* requests rendered before servers were recorded */
	static const struct ctx_server old = {.name = "", .nine_ids = true};
	int rc = 0;

	how->server = ctx_server_find(replay ? sent : name);
	if (how->server == NULL && (replay ? sent : name) == NULL) {
		rc = find_model_server(how, &how->server, err);
		if (replay)
			how->server = how->server != NULL && how->server->nine_ids ? &old
										   : NULL;
	} else if (how->server == NULL) {
		rc = render_params_unknown(replay ? sent : name, err);
	} else if (how->server->provider != how->provider && !replay && !given) {
		how->server = NULL; /* the default server has another API */
	} else if (how->server->provider != how->provider) {
		rc = ctx_err_set(err, CTX_EUSAGE,
		    "server '%s' uses the API of %s, not of %s", how->server->name,
		    ctx_provider_name(how->server->provider),
		    ctx_provider_name(how->provider));
	}
	return rc;
}

int
render_params_facts(struct ctx_render_options *how, struct ctx_err *err)
{
	struct ctx_buf models = CTX_BUF_INIT;
	struct ctx_model m;
	int rc = render_params_model(how, &models, &m, err);

	how->system_inside = rc == 1 &&
			     ctx_provider_facts(how->provider)->system_inside &&
			     m.system_inside == CTX_MODEL_YES &&
			     !m.unsure[CTX_MODEL_SYSTEM_INSIDE];
	ctx_buf_release(&models);
	return rc < 0 ? -1 : 0;
}

/* ---- required members ---- */

static int
refuse_foreign_member(
    const struct ctx_render_options *how, const char *file, struct ctx_err *err)
{
	const char *provider = ctx_provider_name(how->provider);
	const char *name = how->params.p == NULL
			       ? NULL
			       : ctx_lint_params_foreign(how->params, how->provider);

	if (name == NULL)
		return 0;
	return ctx_err_set(err, CTX_EANSWER,
	    "%s: \"%s\" belongs to an API other than %s (%s)", file, name, provider,
	    ctx_provider_facts(how->provider)->system[0] == NULL
		? "put the text into a system message with ctx-window --system FILE"
		: "--fix converts a text");
}

int
render_params_check(
    const struct ctx_render_options *how, const char *file, struct ctx_err *err)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(how->provider);
	const char *const *names = facts->required;
	bool stored = facts->stored != NULL &&
		      ctx_json_get(how->params, facts->stored).p != NULL;
	struct ctx_buf missing = CTX_BUF_INIT;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; !stored && names[i] != NULL; i++) {
		struct ctx_span v = ctx_json_get(how->params, names[i]);

		if (v.p == NULL || ctx_json_type(v) == CTX_JSON_NULL)
			ctx_buf_addf(&missing, "%s%s", n++ == 0 ? "" : " and ", names[i]);
	}
	if (n > 0 && file != NULL)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "the parameters have no %s, which %s requires: put %s into %s",
		    missing.p, ctx_provider_name(how->provider), n > 1 ? "them" : "it",
		    file);
	else if (n > 0 && facts->bare_note)
		cli_note("the body has no %s, which %s requires (--params FILE)",
		    missing.p, ctx_provider_name(how->provider));
	ctx_buf_release(&missing);
	return rc < 0 || file == NULL ? rc : refuse_foreign_member(how, file, err);
}
