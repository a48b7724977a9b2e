/* Parameters that a model or an API refuses. The rules of each API find them; they are
 * reported as diagnostics, or repaired in the parameters of a request that is being
 * made. */
#include "lint/params.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

struct ctx_span
ctx_lint_param(const struct lint_params *p, const char *name)
{
	return ctx_json_find(p->body, name);
}

bool
ctx_lint_unusual(const struct lint_params *p, const char *name, double usual)
{
	struct ctx_span value = ctx_lint_param(p, name);
	double v;

	return value.p != NULL && !(ctx_json_double(value, &v) && v == usual);
}

struct lint_flaw *
ctx_lint_flaw(struct lint_params *p, const char *rule, bool error, const char *key,
    const char *fmt, ...)
{
	struct lint_flaw *f;
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	CTX_MEM_GROW(p->flaws, p->n, p->cap);
	f = &p->flaws[p->n++];
	*f = (struct lint_flaw){
	    .rule = rule, .error = error, .text = ctx_mem_str(text), .key = key};
	return f;
}

void
ctx_lint_flaw_names(struct lint_params *p, const char *rule, bool error,
    const char *const names[], const char *text)
{
	for (; *names != NULL; names++)
		if (ctx_lint_param(p, *names).p != NULL)
			ctx_lint_flaw(p, rule, error, *names, "\"%s\" %s", *names, text);
}

void
ctx_lint_flaw_drop(struct lint_flaw *f)
{
	f->fixable = true;
}

void
ctx_lint_flaw_rename(
    const struct lint_params *p, struct lint_flaw *f, const char *to, char *value)
{
	bool taken = strcmp(to, f->key) != 0 && ctx_lint_param(p, to).p != NULL;

	if (taken)
		free(value);
	f->to = taken ? NULL : to;
	f->value = taken ? NULL : value;
	f->fixable = true;
}

/* Finds the flaws of a body, or of parameters alone. models is the user's own model
 * table, or absent. */
static void
check_lint_params(struct lint_params *p, struct ctx_span body, enum ctx_provider rules,
    struct ctx_span models)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span name;

	*p = (struct lint_params){.body = body, .rules = rules};
	name = ctx_json_text(ctx_json_get(body, "model"), &tmp);
	p->known = name.p != NULL && ctx_model_find(&p->m, name, models);
	p->official = p->known && ctx_json_is(p->m.provider, "openai") &&
		      p->m.server.p == NULL;
	ctx_buf_release(&tmp);
	ctx_lint_kind(rules)->params(p);
	ctx_lint_params_tools(p);
	ctx_lint_params_members(p);
}

static void
release_lint_params(struct lint_params *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->flaws[i].text);
		free(p->flaws[i].value);
	}
	free(p->flaws);
}

/* ---- diagnostics ---- */

void
ctx_lint_model(struct lint_doc *d, const struct ctx_lint_options *o)
{
	struct lint_params p;

	if (!o->check_model || d->form != LINT_BODY)
		return;
	check_lint_params(&p, d->body, d->rules, o->models);
	if (ctx_lint_kind(d->rules)->required != NULL)
		ctx_lint_kind(d->rules)->required(d, &p);
	if (p.known) {
		d->inside = p.m.system_inside;
		d->prefill = p.m.prefill == CTX_MODEL_YES;
		d->inside_unsure = p.m.unsure[CTX_MODEL_SYSTEM_INSIDE];
	}
	for (size_t i = 0; i < p.n; i++)
		ctx_lint_note(d, p.flaws[i].rule, p.flaws[i].error, LINT_NO_ITEM, "%s",
		    p.flaws[i].text);
	release_lint_params(&p);
}

/* ---- repair ---- */

static const struct lint_flaw *
find_flaw(const struct lint_params *p, struct ctx_span key)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->flaws[i].fixable && ctx_json_is(key, p->flaws[i].key))
			return &p->flaws[i];
	return NULL;
}

static void
put_mended(const struct lint_params *p, struct ctx_buf *out)
{
	ctx_json_put_open(out, '{');
	CTX_JSON_EACH(it, p->body) {
		const struct lint_flaw *f = find_flaw(p, it.key);
		if (f != NULL && f->to == NULL)
			continue;
		if (f == NULL)
			ctx_json_put_name(out, it.key);
		else
			ctx_json_put_key(out, f->to);
		if (f != NULL && f->value != NULL)
			ctx_buf_adds(out, f->value);
		else
			ctx_buf_addspan(out, it.value);
	}
	ctx_json_put_close(out, '}');
}

static int
report_flaws(const struct lint_params *p, bool fixable, ctx_lint_sink *sink, void *arg)
{
	int n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct lint_flaw *f = &p->flaws[i];
		struct ctx_lint_diagnostic d = {
		    f->rule, ctx_provider_name(p->rules), f->error, 1, -1, f->text};
		if (f->fixable != fixable)
			continue;
		n += f->error;
		if (sink != NULL)
			sink(arg, &d);
	}
	return n;
}

int
ctx_lint_params_fix(struct ctx_span params, enum ctx_provider rules,
    struct ctx_span models, struct ctx_buf *out, ctx_lint_sink *fixed,
    ctx_lint_sink *left, void *arg)
{
	struct lint_params p;
	struct ctx_buf body = CTX_BUF_INIT, next = CTX_BUF_INIT;
	bool again = true;
	int errors = 0;

	ctx_buf_addspan(&body, params);
	/* A member may have two flaws; each pass repairs the first one. */
	for (int pass = 0; again && pass < 8; pass++) {
		again = false;
		check_lint_params(&p, ctx_buf_span(&body), rules, models);
		for (size_t i = 0; i < p.n; i++)
			again |= p.flaws[i].fixable;
		errors = report_flaws(&p, again, again ? fixed : left, arg);
		ctx_buf_reset(&next);
		put_mended(&p, &next);
		release_lint_params(&p);
		if (again) {
			ctx_buf_reset(&body);
			ctx_buf_addspan(&body, ctx_buf_span(&next));
		}
	}
	ctx_buf_addspan(out, ctx_buf_span(&body));
	ctx_buf_release(&body);
	ctx_buf_release(&next);
	return errors;
}
