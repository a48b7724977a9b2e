/* Fuzz target for rendering. The first bytes choose the provider and how; the rest are
 * records of any kind, or choose a history of well-formed messages that need not go
 * together. What is sent, lint accepts; what is not, leaves nothing; and what people read
 * holds nothing that a terminal or a browser would take for more than text. */
#include "fuzz.h"

#include <string.h>

#include "../unit/lint_random.h"
#include "base/arena.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "lint/lint.h"
#include "record/record.h"
#include "render/html.h"
#include "render/render.h"

#define MAX_ITEMS 256

struct input {
	struct ctx_render_item item[MAX_ITEMS];
	struct ctx_span params;
	size_t n;
};

static void
add(struct input *in, const struct ctx_record *r)
{
	if (r->kind == CTX_KIND_MESSAGE && in->n < MAX_ITEMS)
		in->item[in->n++] = (struct ctx_render_item){
		    r->message, r->slot, r->seq, r->created_at, r->source};
	else if (r->kind == CTX_KIND_OTHER && ctx_json_get(r->line, "kind").p == NULL)
		in->params = r->line;
}

static void
read_records(struct input *in, struct ctx_span rest)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span value;
	struct ctx_record r;

	while (ctx_json_check_next(rest, &value, &rest, &err) == 0 && value.p != NULL)
		if (ctx_record_parse(&r, value, &err) == 0)
			add(in, &r);
}

static void
choose_history(struct input *in, struct ctx_buf *text)
{
	static void (*const kinds[])(struct ctx_buf *) = {
	    openai_message, anthropic_message, any_message};

	texts = 0;
	ctx_buf_adds(text, "{\"role\":\"user\",\"content\":\"begin\"}");
	for (unsigned n = random_below(16); n > 0; n--)
		kinds[random_below(3)](text);
	ctx_buf_adds(text, "{\"role\":\"user\",\"content\":\"end\"}");
	read_records(in, ctx_buf_span(text));
}

static void
show(void *arg, const struct ctx_lint_diagnostic *d)
{
	if (d->error)
		fprintf(stderr, "%s at %ld: %s\n%s\n", d->rule, d->index, d->text,
		    ((struct ctx_buf *)arg)->p);
}

static void
check_body(const struct input *in, const struct ctx_render_options *o)
{
	struct ctx_lint_options lint = CTX_LINT_OPTIONS_INIT;
	struct ctx_buf body = CTX_BUF_INIT, again = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	bool spaced;

	if (ctx_render_body(&body, in->item, in->n, o, &err) < 0) {
		MUST(body.n == 0 && err.msg[0] != '\0');
		MUST(err.code == CTX_EANSWER || err.code == CTX_EUSAGE ||
		     err.code == CTX_EINPUT);
	} else {
		MUST(ctx_render_body(&again, in->item, in->n, o, &err) == 0);
		MUST(ctx_span_eq(ctx_buf_span(&body), ctx_buf_span(&again)));
		MUST(memchr(body.p, '\n', body.n) == NULL);
		MUST(ctx_json_check(ctx_buf_span(&body), NULL, &spaced, &err) == 0);
		lint.rules = o->provider;
		/* to be kept may be what is not signed; parameters are the user's */
		if (!o->transcript && o->params.p == NULL &&
		    o->thinking != CTX_THINKING_KEEP)
			MUST(ctx_lint_body(
				 ctx_buf_span(&body), &lint, show, &body, &err) == 0);
	}
	ctx_buf_release(&body);
	ctx_buf_release(&again);
}

static void
check_text(
    const struct input *in, int (*render)(struct ctx_buf *,
				const struct ctx_render_item *, size_t, struct ctx_err *))
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	if (render(&b, in->item, in->n, &err) < 0)
		MUST(err.code == CTX_EINPUT && b.n == 0);
	MUST(ctx_utf8_valid(b.p, b.n) == b.n);
	for (size_t i = 0; i < b.n; i++)
		MUST(((unsigned char)b.p[i] >= 0x20 && b.p[i] != 0x7f) ||
		     b.p[i] == '\n' || b.p[i] == '\t');
	ctx_buf_release(&b);
}

static void
check_page(const struct input *in)
{
	static struct ctx_page_message m[MAX_ITEMS];
	struct ctx_page page = {ctx_span_of("{\"session_id\":\"s\"}"), m, in->n};
	struct ctx_html html = {0};
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	for (size_t i = 0; i < in->n; i++)
		m[i] = (struct ctx_page_message){in->item[i].message, in->item[i].seq,
		    in->item[i].created_at, -1, in->params};
	if (ctx_html_add(&html, &page, &err) < 0)
		MUST(err.code == CTX_EINPUT && html.body.n == 0);
	ctx_html_print(&html, &b);
	if (html.n > 0)
		MUST(strstr(b.p, "<zz") == NULL && strstr(b.p, "<script") == NULL);
	MUST(ctx_utf8_valid(b.p, b.n) == b.n);
	ctx_html_release(&html);
	ctx_buf_release(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct input in = {.n = 0};
	struct ctx_render_options o = {.provider = CTX_PROVIDER_OPENAI};
	struct ctx_buf text = CTX_BUF_INIT;

	if (n < 2)
		return 0;
	o.provider = (enum ctx_provider)(data[0] % CTX_PROVIDER_COUNT);
	o.thinking = (enum ctx_thinking)((data[0] >> 2 & 3) % 3);
	o.cut = data[0] & 16;
	o.transcript = data[0] & 32;
	fuzz_choose_by(data + 1, n - 1);
	if (data[0] & 64) {
		choose_history(&in, &text);
	} else {
		ctx_buf_add(&text, data + 1, n - 1);
		read_records(&in, ctx_buf_span(&text));
		check_text(&in, ctx_render_text);
		check_text(&in, ctx_render_markdown);
		check_page(&in);
	}
	o.params = in.params;
	check_body(&in, &o);
	ctx_buf_release(&text);
	return 0;
}
