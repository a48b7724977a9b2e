/* Checking: rules add notes, and notes become diagnostics in the order of the text. */
#include "lint/lint.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"
#include "lint/doc.h"

void
ctx_lint_note(
    struct lint_doc *d, const char *rule, bool error, size_t item, const char *fmt, ...)
{
	struct lint_note *n;
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	CTX_MEM_GROW(d->notes, d->n_notes, d->cap_notes);
	n = &d->notes[d->n_notes];
	*n = (struct lint_note){rule, error, item, d->n_notes, ctx_mem_str(text)};
	d->n_notes++;
}

int
ctx_lint_key_len(struct ctx_span key)
{
	if (ctx_json_type(key) != CTX_JSON_STRING)
		return 12;
	return key.n <= 80 ? (int)key.n : (int)ctx_utf8_valid(key.p, 80);
}

const char *
ctx_lint_key_text(struct ctx_span key)
{
	return ctx_json_type(key) == CTX_JSON_STRING ? key.p : "(without id)";
}

bool
ctx_lint_same(struct ctx_span a, struct ctx_span b)
{
	struct ctx_buf x = CTX_BUF_INIT, y = CTX_BUF_INIT;
	bool same = ctx_span_eq(ctx_json_text(a, &x), ctx_json_text(b, &y));

	ctx_buf_release(&x);
	ctx_buf_release(&y);
	return same;
}

const struct lint_part *
ctx_lint_first_part(
    const struct lint_doc *d, const struct lint_item *it, enum lint_part_type type)
{
	LINT_EACH_PART(p, d, it)
		if (p->type == type)
			return p;
	return NULL;
}

void
ctx_lint_unique(struct lint_doc *d, const char *rule)
{
	bool *seen = ctx_mem_new(d->n_ids * sizeof(*seen));

	LINT_EACH_ITEM(i, d)
		LINT_EACH_PART(p, d, &d->items[i]) {
			if (p->type != LINT_CALL)
				continue;
			if (p->id < 0)
				ctx_lint_note(d, rule, true, i, "a call has no id");
			else if (seen[p->id])
				ctx_lint_note(d, rule, true, i,
				    "the call id %.*s is already used by an earlier call",
				    LINT_KEY(p));
			if (p->id >= 0)
				seen[p->id] = true;
		}
	free(seen);
}

bool
ctx_lint_in_turn(const struct lint_doc *d, const struct lint_item *it)
{
	return !it->skip && (d->request || it->role != LINT_SYSTEM);
}

struct lint_turn *
ctx_lint_turns(const struct lint_doc *d, size_t *n)
{
	struct lint_turn *turns = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < d->n; i++) {
		bool assistant = d->items[i].role == LINT_ASSISTANT;
		if (!ctx_lint_in_turn(d, &d->items[i]))
			continue;
		if (d->merged && *n > 0 && turns[*n - 1].assistant == assistant) {
			turns[*n - 1].end = i + 1;
			continue;
		}
		CTX_MEM_GROW(turns, *n, cap);
		turns[(*n)++] = (struct lint_turn){assistant, i, i + 1};
	}
	return turns;
}

/* ---- diagnostics ---- */

struct report {
	struct ctx_span text;
	ctx_lint_sink *sink;
	void *arg;
	const char *at; /* line is the line of at */
	size_t line;
	int errors;
};

static void
report_lint_diagnostic(
    struct report *r, const struct ctx_lint_diagnostic *d, const char *at)
{
	struct ctx_lint_diagnostic out = *d;

	while (r->at < at) {
		const char *q = memchr(r->at, '\n', (size_t)(at - r->at));
		if (q == NULL)
			break;
		r->line++;
		r->at = q + 1;
	}
	out.line = r->line;
	r->errors += out.error && r->errors < INT_MAX;
	if (r->sink != NULL)
		r->sink(r->arg, &out);
}

static int
by_item(const void *a, const void *b)
{
	const struct lint_note *x = a, *y = b;
	/* notes about the whole document come first */
	size_t i = x->item + 1, k = y->item + 1;

	if (i != k)
		return i < k ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void
report_doc(struct report *r, struct lint_doc *d)
{
	if (d->n_notes > 0)
		qsort(d->notes, d->n_notes, sizeof(*d->notes), by_item);
	for (size_t i = 0; i < d->n_notes; i++) {
		const struct lint_note *n = &d->notes[i];
		const struct lint_item *it = n->item == LINT_NO_ITEM ? NULL
								     : &d->items[n->item];
		bool all = strncmp(n->rule, "all-", 4) == 0;
		struct ctx_lint_diagnostic out = {n->rule,
		    all ? "all" : ctx_provider_name(d->rules), n->error, 0,
		    it == NULL ? -1 : it->index, n->text};
		report_lint_diagnostic(r, &out,
		    it != NULL          ? it->value.p
		    : d->body.p != NULL ? d->body.p
					: d->text.p);
	}
}

void
ctx_lint_rules_check(struct lint_doc *d)
{
	/* A body whose input is a text has no messages to check. */
	if (d->form == LINT_BODY && d->array.p == NULL)
		return;
	ctx_lint_content(d);
	ctx_lint_limits(d);
	ctx_lint_kind(d->rules)->check(d);
}

/* Parses text. If that fails, replaces the bytes that are not UTF-8 and parses the
 * result, which is then in clean. */
static int
open_text(struct lint_file *f, struct ctx_span text, const struct ctx_lint_options *o,
    struct ctx_buf *clean, struct report *r, struct ctx_err *err)
{
	struct ctx_err first = CTX_ERR_INIT;
	struct report places = *r;
	size_t *at, n;

	if (text.p == NULL)
		text = ctx_span_of("");
	if (ctx_lint_file_parse(f, text, o, &first) == 0) {
		r->text = text;
		r->at = text.p;
		return 0;
	}
	n = ctx_lint_clean_text(text, clean, &at);
	if (n == 0 || ctx_lint_file_parse(f, ctx_buf_span(clean), o, err) < 0) {
		free(at);
		*err = n == 0 ? first : *err;
		return -1;
	}
	places.at = text.p;
	for (size_t i = 0; i < n; i++) {
		struct ctx_lint_diagnostic d = {"all-utf8", "all", true, 0, -1,
		    "the text contains invalid UTF-8 or an unpaired surrogate"};
		report_lint_diagnostic(&places, &d, text.p + at[i]);
	}
	free(at);
	*r = places;
	r->text = ctx_buf_span(clean);
	r->at = r->text.p;
	r->line = 1;
	return 0;
}

static void
count_doc(const struct lint_doc *d, struct ctx_lint_counts *counts)
{
	counts->bodies += d->form == LINT_BODY;
	for (size_t i = 0; d->form != LINT_BODY && i < d->n; i++)
		counts->messages += d->items[i].message.p != NULL;
}

static void
check_doc(struct report *r, struct lint_doc *d, const struct ctx_lint_options *o)
{
	if (o->counts != NULL)
		count_doc(d, o->counts);
	ctx_lint_budget(d, o);
	ctx_lint_model(d, o);
	ctx_lint_rules_check(d);
	report_doc(r, d);
}

static int
check_lint_text(struct ctx_span text, const struct ctx_lint_options *o, bool body,
    ctx_lint_sink *sink, void *arg, struct ctx_err *err)
{
	struct report r = {text, sink, arg, text.p, 1, 0};
	struct ctx_buf clean = CTX_BUF_INIT;
	struct lint_file f = {0};
	int errors = -1;

	if (open_text(&f, text, o, &clean, &r, err) < 0)
		goto done;
	if (body && (f.n != 1 || f.docs[0].form != LINT_BODY)) {
		ctx_err_set(err, CTX_EINPUT, "not a request body");
		goto done;
	}
	for (size_t i = 0; i < f.n; i++)
		check_doc(&r, &f.docs[i], o);
	errors = r.errors;
done:
	ctx_lint_file_release(&f);
	ctx_buf_release(&clean);
	return errors;
}

int
ctx_lint_check(struct ctx_span text, const struct ctx_lint_options *o,
    ctx_lint_sink *sink, void *arg, struct ctx_err *err)
{
	return check_lint_text(text, o, false, sink, arg, err);
}

int
ctx_lint_body(struct ctx_span body, const struct ctx_lint_options *o, ctx_lint_sink *sink,
    void *arg, struct ctx_err *err)
{
	return check_lint_text(body, o, true, sink, arg, err);
}

int
ctx_lint_repair(struct ctx_span text, const struct ctx_lint_options *o,
    struct ctx_buf *out, ctx_lint_sink *sink, void *arg, struct ctx_err *err)
{
	struct report r = {text, sink, arg, text.p, 1, 0};
	struct ctx_buf clean = CTX_BUF_INIT;
	struct lint_file f = {0};
	size_t from = out->n;
	int errors = -1;

	if (open_text(&f, text, o, &clean, &r, err) < 0)
		goto done;
	for (size_t i = 0; i < f.n; i++) {
		check_doc(&r, &f.docs[i], o);
		ctx_lint_doc_repair(&f.docs[i]);
		ctx_lint_doc_print(&f.docs[i], out);
	}
	if (f.n == 0)
		ctx_buf_addspan(out, r.text);
	errors = 0;
	if (r.errors > 0 && out->n > from)
		errors = check_lint_text((struct ctx_span){out->p + from, out->n - from},
		    o, false, NULL, NULL, err);
done:
	ctx_lint_file_release(&f);
	ctx_buf_release(&clean);
	return errors;
}
