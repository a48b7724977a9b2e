/* What stands around the messages of a transcript: its title, its start and its last line. */
#include <inttypes.h>

#include "json/json.h"
#include "render/internal.h"
#include "render/view_internal.h"

static int64_t
count_view_failures(const struct view *v)
{
	int64_t n = 0;

	for (size_t i = 0; i < v->page->n; i++)
		n += v->page->messages[i].failures;
	return n;
}

static void
put_title_count(struct ctx_buf *out, const char *dot, int64_t n, const char *what)
{
	ctx_buf_adds(out, dot);
	ctx_render_count(out, n, what);
}

void
ctx_view_title(struct view *v)
{
	static const char *const keys[] = {
	    "title", "session_id", "message_count", "token_count", "status", "user_id"};
	struct ctx_span m[6];
	struct ctx_buf *out = v->flow.out, text = CTX_BUF_INIT;
	const char *dot = v->o->term->utf8 ? " · " : ", ";
	int64_t n;

	ctx_json_get_all(v->page->session, keys, m, 6);
	if (ctx_json_type(m[0]) == CTX_JSON_STRING && m[0].n > 2) {
		ctx_term_style(out, v->o->term, CTX_STYLE_BOLD);
		ctx_term_clean_line(out, v->o->term, ctx_json_text(m[0], &text));
		ctx_term_style(out, v->o->term, CTX_STYLE_PLAIN);
		ctx_buf_addc(out, '\n');
	}
	ctx_term_style(out, v->o->term, CTX_STYLE_DIM);
	ctx_term_clean_line(out, v->o->term, ctx_json_text(m[1], &text));
	if (ctx_json_int(m[2], &n))
		put_title_count(out, dot, n, "message");
	if (ctx_json_int(m[3], &n))
		put_title_count(out, dot, n, "token");
	if ((n = count_view_failures(v)) > 0)
		put_title_count(out, dot, n, "failed request");
	for (size_t i = ctx_json_is(m[4], "active") ? 5 : 4; i < 6; i++) {
		if (ctx_json_type(m[i]) != CTX_JSON_STRING)
			continue;
		ctx_buf_adds(out, dot);
		ctx_term_clean_line(out, v->o->term, ctx_json_text(m[i], &text));
	}
	ctx_term_style(out, v->o->term, CTX_STYLE_PLAIN);
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&text);
}

size_t
ctx_view_start(const struct view *v)
{
	int64_t turns = 0;

	for (size_t i = v->page->n; v->o->turns > 0 && i-- > 0;)
		if (ctx_message_starts_turn(&v->messages[i]) && ++turns == v->o->turns)
			return i;
	return 0;
}

int64_t
ctx_view_count_messages(const struct view *v, size_t start)
{
	int64_t n = 0;

	for (size_t i = 0; i < start; i++)
		n += v->page->messages[i].failures == 0;
	return n;
}

void
ctx_view_end(struct view *v)
{
	const struct {
		int64_t n;
		const char *what;
	} cut[] = {{v->cut_results, "result"}, {v->cut_lines, "line"},
	    {v->cut_thoughts, "thought"}};
	struct ctx_buf *out = v->flow.out;
	bool first = true;

	for (size_t i = 0; i < 3; i++) {
		if (cut[i].n == 0)
			continue;
		if (first) {
			ctx_buf_addc(out, '\n');
			ctx_term_style(out, v->o->term, CTX_STYLE_DIM);
		}
		ctx_buf_adds(out, first ? "Not shown in full: " : ", ");
		first = false;
		ctx_render_count(out, cut[i].n, cut[i].what);
	}
	if (first)
		return;
	ctx_buf_adds(out, " (--full shows everything)");
	ctx_term_style(out, v->o->term, CTX_STYLE_PLAIN);
	ctx_buf_addc(out, '\n');
}
