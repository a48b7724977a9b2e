#include "render/html.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "render/internal.h"
#include "term/term.h"

/* minimum number of bars in the chart's width, so that a few bars are not too wide */
#define FEW 24

static const char css[] = {
#include "render/page.css.inc"
};

/* A turn: the index of its first message on the page, and its tokens. */
struct turn {
	size_t first;
	int64_t tokens;
};

struct page {
	const struct ctx_page *in;
	struct ctx_message *msgs;
	struct turn *turns;
	size_t n, cap;
	char prefix[32]; /* put before the ids of the turns */
};

static int
find_turns(struct page *p, struct ctx_err *err)
{
	bool begun = false;

	p->msgs = ctx_mem_new(p->in->n * sizeof(*p->msgs));
	for (size_t i = 0; i < p->in->n; i++) {
		if (ctx_message_parse(&p->msgs[i], p->in->messages[i].message, err) < 0)
			return -1;
		if (p->n == 0 || ctx_message_starts_turn(&p->msgs[i])) {
			/* Messages before the first user message belong to its turn. */
			if (p->n == 0 || begun) {
				CTX_MEM_GROW(p->turns, p->n, p->cap);
				p->turns[p->n++] = (struct turn){i, 0};
			}
			begun |= ctx_message_starts_turn(&p->msgs[i]);
		}
		if (p->in->messages[i].tokens > 0)
			p->turns[p->n - 1].tokens += p->in->messages[i].tokens;
	}
	return 0;
}

/* Prints one bar per turn or, if there are very many turns, one bar for several. */
static void
put_chart(struct ctx_buf *out, const struct page *p)
{
	size_t each = (p->n + 199) / 200, bars = each > 0 ? (p->n + each - 1) / each : 0;
	int64_t most = 1;

	if (bars < 2)
		return;
	for (size_t i = 0; i < p->n; i += each) {
		int64_t sum = 0;
		for (size_t k = i; k < i + each && k < p->n; k++)
			sum += p->turns[k].tokens;
		most = sum > most ? sum : most;
	}
	ctx_buf_adds(out, "<figure><figcaption>Tokens per ");
	ctx_buf_adds(out, each > 1 ? "group of turns" : "turn");
	ctx_buf_adds(out, ", at most ");
	ctx_term_count(out, most);
	ctx_buf_addf(out,
	    "</figcaption>\n"
	    "<svg viewBox=\"0 0 %zu 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Tokens per turn\">",
	    (bars < FEW ? FEW : bars) * 10);
	for (size_t b = 0; b < bars; b++) {
		int64_t sum = 0;
		double height;
		for (size_t k = b * each; k < (b + 1) * each && k < p->n; k++)
			sum += p->turns[k].tokens;
		height = 1 + 99.0 * (double)sum / (double)most;
		ctx_buf_addf(out,
		    "<a href=\"#%st%zu\"><rect x=\"%zu\" y=\"%.1f\" width=\"8\" height=\"%.1f\"><title>Turn %zu: ",
		    p->prefix, b * each + 1, b * 10 + 1, 100 - height, height,
		    b * each + 1);
		ctx_render_count(out, sum, "token");
		ctx_buf_adds(out, "</title></rect></a>");
	}
	ctx_buf_adds(out, "</svg></figure>\n");
}

/* Appends a member of the session. unit is the singular of what a number counts, or
 * NULL. */
static void
put_fact(struct ctx_buf *out, struct ctx_span session, const char *key, const char *unit)
{
	struct ctx_span v = ctx_json_get(session, key);
	int64_t n = 0;

	if (ctx_json_int(v, &n)) {
		ctx_buf_adds(out, "<span>");
		ctx_term_count(out, n);
	} else if (ctx_json_type(v) == CTX_JSON_STRING && v.n > 2) {
		ctx_buf_adds(out, "<span>");
		ctx_render_html_string(out, v);
	} else {
		return;
	}
	if (unit != NULL)
		ctx_buf_addf(out, " %s%s", unit, CTX_PLURAL(n));
	ctx_buf_adds(out, "</span>");
}

static void
put_session_head(struct ctx_html *h, const struct page *p)
{
	struct ctx_buf *out = &h->body;
	struct ctx_span s = p->in->session, title = ctx_render_title(s);
	int64_t ms;
	struct ctx_buf tmp = CTX_BUF_INIT;

	if (h->n == 0)
		ctx_render_html_string(&h->title, title);
	ctx_buf_addf(&h->toc, "<li><a href=\"#s%zu\">", h->n + 1);
	ctx_render_html_string(&h->toc, title);
	ctx_buf_adds(&h->toc, "</a></li>\n");
	ctx_buf_addf(out, "<h1 id=\"s%zu\">", h->n + 1);
	ctx_render_html_string(out, title);
	ctx_buf_adds(out, "</h1>\n<p class=\"facts\">");
	if (!ctx_json_is(title, "") && ctx_json_get(s, "title").p != NULL)
		put_fact(out, s, "session_id", NULL);
	put_fact(out, s, "user_id", NULL);
	put_fact(out, s, "agent", NULL);
	if (ctx_time_parse(
		ctx_json_text(ctx_json_get(s, "created_at"), &tmp), &ms, NULL) == 0) {
		ctx_buf_adds(out, "<span>");
		ctx_render_html_time(out, ms);
		ctx_buf_adds(out, "</span>");
	}
	put_fact(out, s, "message_count", "message");
	put_fact(out, s, "tool_call_count", "tool call");
	put_fact(out, s, "token_count", "token");
	ctx_buf_adds(out, "</p>\n");
	ctx_buf_release(&tmp);
}

static void
put_turns(struct ctx_buf *out, const struct page *p)
{
	for (size_t t = 0; t < p->n; t++) {
		size_t end = t + 1 < p->n ? p->turns[t + 1].first : p->in->n;
		ctx_buf_addf(out,
		    "<section id=\"%st%zu\"><h2><span>Turn %zu</span><span>", p->prefix,
		    t + 1, t + 1);
		ctx_render_count(out, p->turns[t].tokens, "token");
		ctx_buf_adds(out, "</span></h2>\n");
		for (size_t i = p->turns[t].first; i < end; i++)
			ctx_render_html_message(
			    out, p->prefix, &p->msgs[i], &p->in->messages[i]);
		ctx_buf_adds(out, "</section>\n");
	}
}

int
ctx_html_add(struct ctx_html *h, const struct ctx_page *in, struct ctx_err *err)
{
	struct page p = {.in = in};
	int rc = find_turns(&p, err);

	if (h->n > 0)
		snprintf(p.prefix, sizeof(p.prefix), "s%zu-", h->n + 1);
	if (rc == 0) {
		put_session_head(h, &p);
		put_chart(&h->body, &p);
		put_turns(&h->body, &p);
		h->n++;
	}
	for (size_t i = 0; i < in->n; i++)
		ctx_message_release(&p.msgs[i]);
	free(p.msgs);
	free(p.turns);
	return rc;
}

void
ctx_html_print(const struct ctx_html *h, struct ctx_buf *out)
{
	ctx_buf_adds(out,
	    "<!DOCTYPE html>\n"
	    "<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<title>");
	if (h->n == 1)
		ctx_buf_addspan(out, ctx_buf_span(&h->title));
	else
		ctx_buf_addf(out, "%zu sessions", h->n);
	ctx_buf_adds(out, "</title>\n<style>\n");
	ctx_buf_adds(out, css);
	ctx_buf_adds(out, "</style></head>\n<body><main>\n");
	if (h->n > 1) {
		ctx_buf_adds(out, "<nav><ol>\n");
		ctx_buf_addspan(out, ctx_buf_span(&h->toc));
		ctx_buf_adds(out, "</ol></nav>\n");
	}
	ctx_buf_addspan(out, ctx_buf_span(&h->body));
	ctx_buf_adds(out, "</main></body></html>\n");
}

void
ctx_html_release(struct ctx_html *h)
{
	ctx_buf_release(&h->toc);
	ctx_buf_release(&h->body);
	ctx_buf_release(&h->title);
	h->n = 0;
}
