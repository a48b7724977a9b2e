#include "render/html.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "render/internal.h"
#include "term/term.h"

void
ctx_render_html_string(struct ctx_buf *out, struct ctx_span json)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	ctx_term_html(out, ctx_json_text(json, &tmp));
	ctx_buf_release(&tmp);
}

void
ctx_render_html_time(struct ctx_buf *out, int64_t ms)
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
	ctx_buf_adds(out, "<pre>\n"); /* HTML ignores the first newline */
	ctx_term_html(out, text);
	ctx_buf_adds(out, "</pre>\n");
}

/* ---- parts of a message ---- */

static bool
is_html_code_fence(struct ctx_span line)
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
	ctx_term_html(out, s);
	ctx_buf_adds(out, "</div>\n");
}

/* Appends text unchanged, except that fenced code is set as code. */
static void
put_prose(struct ctx_buf *out, struct ctx_span s)
{
	const char *end = s.p + s.n, *start = s.p, *p = s.p;
	bool code = false;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *next = nl == NULL ? end : nl + 1;
		if (is_html_code_fence((struct ctx_span){p, (size_t)(next - p)})) {
			put_piece(
			    out, (struct ctx_span){start, (size_t)(p - start)}, code);
			code = !code;
			start = next;
		}
		p = next;
	}
	put_piece(out, (struct ctx_span){start, (size_t)(end - start)}, code);
}

/* Appends the first line, so that a folded part can be recognized. */
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
	ctx_term_html(out, (struct ctx_span){s.p, n});
	ctx_buf_adds(out, n < s.n ? " …</code>" : "</code>");
}

/* Appends the rest of a folded part: the end of its summary, and the text, as code or as
 * prose. */
static void
put_folded_text(struct ctx_buf *out, struct ctx_span text, bool code)
{
	put_gist(out, text);
	ctx_buf_adds(out, "</summary>\n");
	if (text.n > 0 && code)
		put_pre(out, text);
	else if (text.n > 0)
		put_prose(out, text);
}

static void
write_html_call(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf args = CTX_BUF_INIT;

	ctx_render_arguments(&args, p);
	ctx_buf_adds(out, "<details><summary>Call <code>");
	ctx_render_html_string(out, p->name);
	ctx_buf_adds(out, "</code>");
	put_folded_text(out, ctx_buf_span(&args), true);
	ctx_buf_adds(out, "</details>\n");
	ctx_buf_release(&args);
}

static void put_image(struct ctx_buf *out, const struct ctx_part *p);

static void
write_html_result(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_content_text(p->body, &text);
	ctx_buf_adds(out, p->error ? "<details class=\"bad\"><summary>Error"
				   : "<details><summary>Result");
	if (text.n == 0)
		ctx_buf_adds(out, " (empty)");
	put_folded_text(out, ctx_buf_span(&text), true);
	ctx_message_parse_content(&m, p->body);
	for (size_t i = 0; i < m.n; i++)
		if (m.parts[i].type == CTX_PART_IMAGE)
			put_image(out, &m.parts[i]);
	ctx_buf_adds(out, "</details>\n");
	ctx_message_release(&m);
	ctx_buf_release(&text);
}

static bool
is_plain_html_name(struct ctx_span s, const char *more)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum((unsigned char)s.p[i]) &&
		    (s.p[i] == '\0' || strchr(more, s.p[i]) == NULL))
			return false;
	return s.n > 0;
}

/* Shows only images that are embedded in the message and whose types cannot run
 * scripts. */
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
	if (shown && is_plain_html_name(m.data, "+/=")) {
		ctx_buf_addf(out, "<p><img alt=\"image\" src=\"data:%.*s;base64,",
		    (int)m.mime.n, m.mime.p);
		ctx_buf_addspan(out, m.data);
		ctx_buf_adds(out, "\"></p>\n");
	} else {
		ctx_buf_adds(out, "<p class=\"facts\">[image");
		if (m.kind == MEDIA_URL) {
			ctx_buf_addc(out, ' ');
			ctx_term_html(out, m.data);
		}
		ctx_buf_adds(out, "]</p>\n");
	}
	ctx_render_media_release(&m);
}

void
ctx_render_thought(struct ctx_buf *text, const struct ctx_part *p)
{
	static const char *const keys[] = {"thinking", "text"};
	struct ctx_span v[2];

	ctx_json_get_all(p->raw, keys, v, 2);
	for (int i = 0; i < 2; i++)
		if (ctx_json_type(v[i]) == CTX_JSON_STRING)
			ctx_json_decode(v[i], text);
	CTX_JSON_EACH(it, ctx_json_get(p->raw, "summary")) {
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

	ctx_render_thought(&text, p);
	ctx_buf_adds(out, "<details><summary>Thinking");
	put_folded_text(out, ctx_buf_span(&text), false);
	ctx_buf_adds(out, "</details>\n");
	ctx_buf_release(&text);
}

static void
write_html_other_part(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	if (ctx_render_is_reasoning(p)) {
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
write_html_part(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	switch (p->type) {
	case CTX_PART_TEXT:
		ctx_json_decode(p->body, &text);
		put_prose(out, ctx_buf_span(&text));
		break;
	case CTX_PART_TOOL_CALL:
		write_html_call(out, p);
		break;
	case CTX_PART_TOOL_RESULT:
		write_html_result(out, p);
		break;
	case CTX_PART_IMAGE:
		put_image(out, p);
		break;
	case CTX_PART_THINKING:
		put_thinking(out, p);
		break;
	case CTX_PART_OTHER:
		write_html_other_part(out, p);
		break;
	}
	ctx_buf_release(&text);
}

void
ctx_render_html_message(struct ctx_buf *out, const char *prefix,
    const struct ctx_message *m, const struct ctx_page_message *pm)
{
	bool tool = ctx_message_count(m, CTX_PART_TOOL_RESULT) > 0;
	const char *role = tool ? "tool" : ctx_role_name(m->role);

	ctx_buf_addf(out, "<article class=\"%s%s\"", role, pm->partial ? " partial" : "");
	if (pm->seq >= 0)
		ctx_buf_addf(out, " id=\"%sm%" PRId64 "\"", prefix, pm->seq);
	ctx_buf_addf(out, "><header><b>%s</b>", role);
	if (m->name.p != NULL) {
		ctx_buf_adds(out, "<span>");
		ctx_render_html_string(out, m->name);
		ctx_buf_adds(out, "</span>");
	}
	ctx_render_html_time(out, pm->created_at);
	if (pm->tokens >= 0) {
		ctx_buf_adds(out, "<span>");
		ctx_render_count(out, pm->tokens, "token");
		ctx_buf_adds(out, "</span>");
	}
	if (pm->partial)
		ctx_buf_adds(out, "<span>partial answer, never sent</span>");
	ctx_buf_adds(out, "</header>\n");
	for (size_t i = 0; i < m->n; i++)
		write_html_part(out, &m->parts[i]);
	if (pm->request.p != NULL)
		ctx_render_html_context(out, pm->request);
	ctx_buf_adds(out, "</article>\n");
}
