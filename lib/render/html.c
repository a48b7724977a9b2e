#include "render/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "render/internal.h"

#define FEW 24 /* bars that the chart has room for at least, so that none is a wall */

static const char css[] = {
#include "render/page.css.inc"
};

/* Text made harmless: markup escaped, controls that HTML has no place for replaced. */
static void
put_text(struct ctx_buf *out, struct ctx_span s)
{
	size_t i = 0;

	while (i < s.n) {
		uint32_t c = 0;
		size_t len = ctx_utf8_decode(s.p + i, s.n - i, &c);
		if (len == 0 || c == 0x7f || (c >= 0x80 && c < 0xa0) ||
		    (c < 0x20 && c != '\n' && c != '\t' && c != '\r'))
			ctx_buf_adds(out, "\xef\xbf\xbd");
		else if (c == '<')
			ctx_buf_adds(out, "&lt;");
		else if (c == '>')
			ctx_buf_adds(out, "&gt;");
		else if (c == '&')
			ctx_buf_adds(out, "&amp;");
		else if (c == '"')
			ctx_buf_adds(out, "&quot;");
		else if (c == '\'')
			ctx_buf_adds(out, "&#39;");
		else if (c != '\r')
			ctx_buf_add(out, s.p + i, len);
		i += len == 0 ? 1 : len;
	}
}

void
ctx_render_html_string(struct ctx_buf *out, struct ctx_span json)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	put_text(out, ctx_json_text(json, &tmp));
	ctx_buf_release(&tmp);
}

/* 12345 as 12,345 */
void
ctx_render_html_count(struct ctx_buf *out, int64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRId64, v);

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
			ctx_buf_addc(out, ',');
		ctx_buf_addc(out, digits[i]);
	}
}

static void
put_time(struct ctx_buf *out, int64_t ms)
{
	char time[CTX_TIME_LEN + 1];

	if (ms == CTX_TIME_NONE)
		return;
	ctx_time_format(ms, time);
	ctx_buf_addf(
	    out, "<time datetime=\"%s\">%.10s %.5s</time>", time, time, time + 11);
}

static void
put_pre(struct ctx_buf *out, struct ctx_span text)
{
	ctx_buf_adds(out, "<pre>\n"); /* HTML drops one newline here */
	put_text(out, text);
	ctx_buf_adds(out, "</pre>\n");
}

/* ---- parts of a message ---- */

static bool
fence(struct ctx_span line)
{
	return line.n >= 3 && memcmp(line.p, "```", 3) == 0;
}

static void
put_piece(struct ctx_buf *out, struct ctx_span s, bool code)
{
	while (!code && s.n > 0 && s.p[0] == '\n') {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && s.p[s.n - 1] == '\n')
		s.n--;
	if (s.n == 0)
		return;
	if (code) {
		put_pre(out, s);
		return;
	}
	ctx_buf_adds(out, "<div class=\"text\">");
	put_text(out, s);
	ctx_buf_adds(out, "</div>\n");
}

/* Text as it is, but for fenced code. */
static void
put_prose(struct ctx_buf *out, struct ctx_span s)
{
	const char *end = s.p + s.n, *start = s.p, *p = s.p;
	bool code = false;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *next = nl == NULL ? end : nl + 1;
		if (fence((struct ctx_span){p, (size_t)(next - p)})) {
			put_piece(
			    out, (struct ctx_span){start, (size_t)(p - start)}, code);
			code = !code;
			start = next;
		}
		p = next;
	}
	put_piece(out, (struct ctx_span){start, (size_t)(end - start)}, code);
}

static void
put_fold(struct ctx_buf *out, const char *what, bool bad)
{
	ctx_buf_addf(out, "<details%s><summary>%s", bad ? " class=\"bad\"" : "", what);
}

/* " — first line", so that what is folded can be told apart. */
static void
put_gist(struct ctx_buf *out, struct ctx_span s)
{
	size_t n = 0, chars = 0;

	s = ctx_span_trim(s);
	while (n < s.n && s.p[n] != '\n' && chars < 90) {
		size_t len = ctx_utf8_decode(s.p + n, s.n - n, NULL);
		n += len == 0 ? 1 : len;
		chars++;
	}
	if (n == 0)
		return;
	ctx_buf_adds(out, " <code>");
	put_text(out, (struct ctx_span){s.p, n});
	ctx_buf_adds(out, n < s.n ? " …</code>" : "</code>");
}

static void
put_call(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf args = CTX_BUF_INIT;

	if (ctx_json_type(p->body) == CTX_JSON_STRING)
		ctx_json_decode(p->body, &args);
	else
		ctx_buf_addspan(&args, p->body);
	put_fold(out, "Call <code>", false);
	ctx_render_html_string(out, p->name);
	ctx_buf_adds(out, "</code>");
	if (args.n > 0) {
		put_gist(out, ctx_buf_span(&args));
		ctx_buf_adds(out, "</summary>\n");
		put_pre(out, ctx_buf_span(&args));
	} else {
		ctx_buf_adds(out, "</summary>\n");
	}
	ctx_buf_adds(out, "</details>\n");
	ctx_buf_release(&args);
}

static void put_image(struct ctx_buf *out, const struct ctx_part *p);

static void
put_result(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_content_text(p->body, &text);
	put_fold(out, p->error ? "Error" : "Result", p->error);
	if (text.n == 0)
		ctx_buf_adds(out, " (empty)");
	put_gist(out, ctx_buf_span(&text));
	ctx_buf_adds(out, "</summary>\n");
	if (text.n > 0)
		put_pre(out, ctx_buf_span(&text));
	ctx_message_parse_content(&m, p->body);
	for (size_t i = 0; i < m.n; i++)
		if (m.parts[i].type == CTX_PART_IMAGE)
			put_image(out, &m.parts[i]);
	ctx_buf_adds(out, "</details>\n");
	ctx_message_release(&m);
	ctx_buf_release(&text);
}

static bool
plain(struct ctx_span s, const char *more)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c >= '0' && c <= '9') || (c != '\0' && strchr(more, c) != NULL)))
			return false;
	}
	return s.n > 0;
}

/* Only pictures that are here, of types that cannot run anything. */
static void
put_image(struct ctx_buf *out, const struct ctx_part *p)
{
	static const char *const types[] = {
	    "image/png", "image/jpeg", "image/gif", "image/webp"};
	struct render_media m;
	bool shown = false;

	ctx_render_media_of(&m, p);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		shown |= m.kind == MEDIA_BASE64 && ctx_span_is(m.mime, types[i]);
	if (shown && plain(m.data, "+/=")) {
		ctx_buf_addf(out, "<p><img alt=\"image\" src=\"data:%.*s;base64,",
		    (int)m.mime.n, m.mime.p);
		ctx_buf_addspan(out, m.data);
		ctx_buf_adds(out, "\"></p>\n");
	} else {
		ctx_buf_adds(out, "<p class=\"facts\">[image");
		if (m.kind == MEDIA_URL) {
			ctx_buf_addc(out, ' ');
			put_text(out, m.data);
		}
		ctx_buf_adds(out, "]</p>\n");
	}
	ctx_render_media_release(&m);
}

/* What a model thought, as far as it can be read. */
static void
thought(const struct ctx_part *p, struct ctx_buf *text)
{
	static const char *const keys[] = {"thinking", "text"};
	struct ctx_span v[2];
	struct ctx_json_iter it;

	ctx_json_get_all(p->raw, keys, v, 2);
	for (int i = 0; i < 2; i++)
		if (ctx_json_type(v[i]) == CTX_JSON_STRING)
			ctx_json_decode(v[i], text);
	ctx_json_iter_init(&it, ctx_json_get(p->raw, "summary"));
	while (ctx_json_iter_next(&it)) {
		struct ctx_span s = ctx_json_get(it.value, "text");
		if (ctx_json_type(s) != CTX_JSON_STRING)
			continue;
		if (text->n > 0)
			ctx_buf_addc(text, '\n');
		ctx_json_decode(s, text);
	}
}

static void
put_thinking(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	thought(p, &text);
	put_fold(out, "Thinking", false);
	put_gist(out, ctx_buf_span(&text));
	ctx_buf_adds(out, "</summary>\n");
	if (text.n > 0)
		put_prose(out, ctx_buf_span(&text));
	ctx_buf_adds(out, "</details>\n");
	ctx_buf_release(&text);
}

static void
put_other(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;
	enum ctx_render_shape shape = ctx_render_shape(p);

	if (shape == SHAPE_GEMINI_THOUGHT || shape == SHAPE_RESPONSES_REASONING) {
		put_thinking(out, p);
		return;
	}
	ctx_render_stand_in(&text, p);
	ctx_buf_adds(out, "<div class=\"text\">");
	ctx_render_html_string(out, ctx_buf_span(&text));
	ctx_buf_adds(out, "</div>\n");
	ctx_buf_release(&text);
}

static void
put_part(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	switch (p->type) {
	case CTX_PART_TEXT:
		ctx_json_decode(p->body, &text);
		put_prose(out, ctx_buf_span(&text));
		break;
	case CTX_PART_TOOL_CALL:
		put_call(out, p);
		break;
	case CTX_PART_TOOL_RESULT:
		put_result(out, p);
		break;
	case CTX_PART_IMAGE:
		put_image(out, p);
		break;
	case CTX_PART_THINKING:
		put_thinking(out, p);
		break;
	case CTX_PART_OTHER:
		put_other(out, p);
		break;
	}
	ctx_buf_release(&text);
}

static void
put_message(
    struct ctx_buf *out, const struct ctx_message *m, const struct ctx_page_message *pm)
{
	bool tool = ctx_message_count(m, CTX_PART_TOOL_RESULT) > 0;
	const char *role = tool ? "tool" : ctx_role_name(m->role);

	ctx_buf_addf(out, "<article class=\"%s\"", role);
	if (pm->seq >= 0)
		ctx_buf_addf(out, " id=\"m%" PRId64 "\"", pm->seq);
	ctx_buf_addf(out, "><header><b>%s</b>", role);
	if (m->name.p != NULL) {
		ctx_buf_adds(out, "<span>");
		ctx_render_html_string(out, m->name);
		ctx_buf_adds(out, "</span>");
	}
	put_time(out, pm->created_at);
	if (pm->tokens >= 0) {
		ctx_buf_adds(out, "<span>");
		ctx_render_html_count(out, pm->tokens);
		ctx_buf_adds(out, " tokens</span>");
	}
	ctx_buf_adds(out, "</header>\n");
	for (size_t i = 0; i < m->n; i++)
		put_part(out, &m->parts[i]);
	if (pm->request.p != NULL)
		ctx_render_html_context(out, pm->request);
	ctx_buf_adds(out, "</article>\n");
}

/* ---- the page ---- */

/* A turn: messages first to last of the page, and their tokens. */
struct turn {
	size_t first;
	int64_t tokens;
};

struct page {
	const struct ctx_page *in;
	struct ctx_message *msgs;
	struct turn *turns;
	size_t n, cap;
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
			/* what stands before the first user message belongs to its turn */
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

/* A bar a turn; where there are very many, a bar for several. */
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
	ctx_render_html_count(out, most);
	ctx_buf_addf(out,
	    "</figcaption>\n<svg viewBox=\"0 0 %zu 100\" preserveAspectRatio=\"none\" "
	    "role=\"img\" aria-label=\"Tokens per turn\">",
	    (bars < FEW ? FEW : bars) * 10);
	for (size_t b = 0; b < bars; b++) {
		int64_t sum = 0;
		double height;
		for (size_t k = b * each; k < (b + 1) * each && k < p->n; k++)
			sum += p->turns[k].tokens;
		height = 1 + 99.0 * (double)sum / (double)most;
		ctx_buf_addf(out,
		    "<a href=\"#t%zu\"><rect x=\"%zu\" y=\"%.1f\" width=\"8\" "
		    "height=\"%.1f\">"
		    "<title>Turn %zu: ",
		    b * each + 1, b * 10 + 1, 100 - height, height, b * each + 1);
		ctx_render_html_count(out, sum);
		ctx_buf_adds(out, " tokens</title></rect></a>");
	}
	ctx_buf_adds(out, "</svg></figure>\n");
}

static void
put_fact(struct ctx_buf *out, struct ctx_span session, const char *key, const char *unit)
{
	struct ctx_span v = ctx_json_get(session, key);
	int64_t n;

	if (ctx_json_int(v, &n)) {
		ctx_buf_adds(out, "<span>");
		ctx_render_html_count(out, n);
	} else if (ctx_json_type(v) == CTX_JSON_STRING && v.n > 2) {
		ctx_buf_adds(out, "<span>");
		ctx_render_html_string(out, v);
	} else {
		return;
	}
	ctx_buf_addf(out, "%s</span>", unit);
}

static void
put_head(struct ctx_buf *out, const struct page *p)
{
	struct ctx_span s = p->in->session, title = ctx_json_get(s, "title");
	int64_t ms;
	struct ctx_err ignored;
	struct ctx_buf tmp = CTX_BUF_INIT;

	if (ctx_json_type(title) != CTX_JSON_STRING || title.n <= 2)
		title = ctx_json_get(s, "session_id");
	ctx_buf_adds(out,
	    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<title>");
	ctx_render_html_string(out, title);
	ctx_buf_adds(out, "</title>\n<style>\n");
	ctx_buf_adds(out, css);
	ctx_buf_adds(out, "</style></head>\n<body><main>\n<h1>");
	ctx_render_html_string(out, title);
	ctx_buf_adds(out, "</h1>\n<p class=\"facts\">");
	if (!ctx_json_is(title, "") && ctx_json_get(s, "title").p != NULL)
		put_fact(out, s, "session_id", "");
	put_fact(out, s, "user_id", "");
	put_fact(out, s, "agent", "");
	if (ctx_time_parse(
		ctx_json_text(ctx_json_get(s, "created_at"), &tmp), &ms, &ignored) == 0) {
		ctx_buf_adds(out, "<span>");
		put_time(out, ms);
		ctx_buf_adds(out, "</span>");
	}
	put_fact(out, s, "message_count", " messages");
	put_fact(out, s, "tool_call_count", " tool calls");
	put_fact(out, s, "token_count", " tokens");
	ctx_buf_adds(out, "</p>\n");
	ctx_buf_release(&tmp);
}

static void
put_turns(struct ctx_buf *out, const struct page *p)
{
	for (size_t t = 0; t < p->n; t++) {
		size_t end = t + 1 < p->n ? p->turns[t + 1].first : p->in->n;
		ctx_buf_addf(out, "<section id=\"t%zu\"><h2><span>Turn %zu</span><span>",
		    t + 1, t + 1);
		ctx_render_html_count(out, p->turns[t].tokens);
		ctx_buf_adds(out, " tokens</span></h2>\n");
		for (size_t i = p->turns[t].first; i < end; i++)
			put_message(out, &p->msgs[i], &p->in->messages[i]);
		ctx_buf_adds(out, "</section>\n");
	}
}

int
ctx_render_html(struct ctx_buf *out, const struct ctx_page *in, struct ctx_err *err)
{
	struct page p = {in, NULL, NULL, 0, 0};
	int rc = find_turns(&p, err);

	if (rc == 0) {
		put_head(out, &p);
		put_chart(out, &p);
		put_turns(out, &p);
		ctx_buf_adds(out, "</main></body></html>\n");
	}
	for (size_t i = 0; i < in->n; i++)
		ctx_message_release(&p.msgs[i]);
	free(p.msgs);
	free(p.turns);
	return rc;
}
