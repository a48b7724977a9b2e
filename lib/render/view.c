#include "render/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "record/calls.h"
#include "render/internal.h"
#include "render/view_internal.h"

#define INDENT "    "  /* indent of texts; ctx's own remarks are indented less */
#define SYSTEM_LINES 4 /* lines shown of a system text */
#define USER_LINES 40  /* lines shown of a user's text, which may be a pasted file */
#define RESULT_LINES 8 /* lines shown of a result whose call is not in the session */
#define SPARE_LINES 3  /* text is not cut for up to this number of lines */

/* ---- reading ---- */

/* Assigns a result to the newest call with its id that has no result: later turns may use
 * an id again. */
static void
match_view_result(struct view *v, const struct ctx_part *p)
{
	struct ctx_span id = ctx_message_call_id(p->id, &v->ids);

	for (size_t i = v->n_calls; i-- > 0;)
		if (v->calls[i].result == NULL && ctx_span_eq(v->calls[i].id, id)) {
			v->calls[i].result = p;
			return;
		}
	CTX_MEM_GROW(v->strays, v->n_strays, v->cap_strays);
	v->strays[v->n_strays++] = p;
}

static int
read_view_message(struct view *v, size_t i, struct ctx_calls *calls, struct ctx_err *err)
{
	const struct ctx_page_message *pm = &v->page->messages[i];
	struct ctx_message *m = &v->messages[i];

	if (pm->message.p == NULL)
		return 0;
	if (ctx_message_parse(m, pm->message, err) < 0)
		return -1;
	if (!pm->partial)
		ctx_calls_add(calls, m, pm->seq);
	v->first_call[i] = v->n_calls;
	for (size_t k = 0; k < m->n; k++) {
		const struct ctx_part *p = &m->parts[k];
		if (p->type == CTX_PART_TOOL_CALL) {
			CTX_MEM_GROW(v->calls, v->n_calls, v->cap_calls);
			v->calls[v->n_calls++] = (struct view_call){.part = p,
			    .id = ctx_message_call_id(p->id, &v->ids),
			    .seq = v->page->messages[i].seq};
		} else if (p->type == CTX_PART_TOOL_RESULT) {
			match_view_result(v, p);
		}
	}
	return 0;
}

static int
read_view_messages(struct view *v, struct ctx_err *err)
{
	struct ctx_calls calls = CTX_CALLS_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < v->page->n; i++)
		rc = read_view_message(v, i, &calls, err);
	for (size_t i = 0, k = 0; k < calls.n && i < v->n_calls; i++)
		if (v->calls[i].seq == calls.v[k].seq &&
		    ctx_span_eq(v->calls[i].id, calls.v[k].key)) {
			v->calls[i].waits = true;
			k++;
		}
	ctx_calls_release(&calls);
	return rc;
}

static bool
is_stray_result(const struct view *v, const struct ctx_part *p)
{
	for (size_t i = 0; i < v->n_strays; i++)
		if (v->strays[i] == p)
			return true;
	return false;
}

static void
read_view_marks(struct view *v, const struct ctx_span *marks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct view_range r;
		if (!ctx_json_is(ctx_json_get(marks[i], "kind"), "hidden") ||
		    !ctx_json_int(ctx_json_get(marks[i], "first_seq"), &r.first) ||
		    !ctx_json_int(ctx_json_get(marks[i], "last_seq"), &r.last))
			continue;
		CTX_MEM_GROW(v->hidden, v->n_hidden, v->cap_hidden);
		v->hidden[v->n_hidden++] = r;
	}
}

static bool
is_hidden_seq(const struct view *v, int64_t seq)
{
	for (size_t i = 0; i < v->n_hidden; i++)
		if (seq >= v->hidden[i].first && seq <= v->hidden[i].last)
			return true;
	return false;
}

/* ---- texts ---- */

void
ctx_view_remark(struct view *v, struct ctx_span line, enum ctx_style style)
{
	const char *outer = v->flow.indent;

	ctx_flow_end_line(&v->flow);
	v->flow.indent = CTX_VIEW_REMARK;
	ctx_flow_raw_line(&v->flow, line, style);
	v->flow.indent = outer;
}

static void
put_remark(struct view *v, int64_t n, const char *what)
{
	struct ctx_buf line = CTX_BUF_INIT;

	ctx_buf_adds(&line, v->o->term->utf8 ? "… " : "... ");
	ctx_render_count(&line, n, what);
	ctx_view_remark(v, ctx_buf_span(&line), CTX_STYLE_DIM);
	ctx_buf_release(&line);
}

/* Prints the first lines of a text, which is Markdown if no style is given. Says how many
 * lines are left out. */
static void
put_view_text(
    struct view *v, struct ctx_span text, size_t lines, const enum ctx_style *style)
{
	size_t n, more;
	struct ctx_span first = text = ctx_span_trim(text);

	n = text.n > 0;
	lines = v->o->full ? SIZE_MAX : lines;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\n' && n++ == lines)
			first.n = i;
	more = n > lines && n - lines > SPARE_LINES ? n - lines : 0;
	text = more > 0 ? first : text;
	if (style == NULL) {
		ctx_flow_markdown(&v->flow, text);
	} else {
		ctx_flow_text(&v->flow, text, *style);
		ctx_flow_end_line(&v->flow);
	}
	if (more > 0)
		put_remark(v, (int64_t)more, "more line");
	v->cut_lines += (int64_t)more;
}

static int64_t
count_view_words(struct ctx_span s)
{
	int64_t n = 0;
	bool inside = false;

	for (size_t i = 0; i < s.n; i++) {
		bool space = s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\t';
		n += !space && !inside;
		inside = !space;
	}
	return n;
}

static void
put_thought(struct view *v, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT, line = CTX_BUF_INIT;
	int64_t words;

	ctx_render_thought(&text, p);
	words = count_view_words(ctx_buf_span(&text));
	if (v->o->full && words > 0) {
		ctx_view_remark(v, ctx_span_of("thought:"), CTX_STYLE_DIM);
		ctx_flow_text(
		    &v->flow, ctx_span_trim(ctx_buf_span(&text)), CTX_STYLE_DIM);
		ctx_flow_end_line(&v->flow);
	} else if (words > 0) {
		ctx_buf_adds(&line, "(thought: ");
		ctx_render_count(&line, words, "word");
		ctx_buf_addc(&line, ')');
		ctx_view_remark(v, ctx_buf_span(&line), CTX_STYLE_DIM);
		v->cut_thoughts++;
	}
	ctx_buf_release(&text);
	ctx_buf_release(&line);
}

static void
put_stray_result(struct view *v, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;
	enum ctx_style style = p->error ? CTX_STYLE_ERROR : CTX_STYLE_PLAIN;

	ctx_content_text(p->body, &text);
	put_view_text(v, ctx_buf_span(&text), RESULT_LINES, &style);
	ctx_buf_release(&text);
}

static void
put_other_part(struct view *v, const struct ctx_part *p)
{
	struct ctx_buf json = CTX_BUF_INIT, text = CTX_BUF_INIT, line = CTX_BUF_INIT;
	struct ctx_span type = ctx_json_get(p->raw, "type");
	struct ctx_span title = ctx_json_get(p->raw, "title");

	if (ctx_render_is_thinking(p)) {
		put_thought(v, p);
		return;
	}
	if (p->type != CTX_PART_IMAGE)
		ctx_render_stand_in(&json, p);
	if (ctx_render_has_text(p)) {
		put_view_text(
		    v, ctx_json_text(ctx_buf_span(&json), &text), USER_LINES, NULL);
	} else {
		ctx_buf_adds(&line, "[");
		ctx_term_clean_line(&line, v->o->term,
		    ctx_json_type(type) == CTX_JSON_STRING ? ctx_json_text(type, &text)
							   : ctx_span_of("image"));
		if (ctx_json_type(title) == CTX_JSON_STRING) {
			ctx_buf_addc(&line, ' ');
			ctx_term_clean_line(
			    &line, v->o->term, ctx_json_text(title, &text));
		}
		ctx_buf_addc(&line, ']');
		ctx_view_remark(v, ctx_buf_span(&line), CTX_STYLE_DIM);
	}
	ctx_buf_release(&json);
	ctx_buf_release(&text);
	ctx_buf_release(&line);
}

/* ---- messages ---- */

/* True if the message has lines of its own, not only results that are printed with their
 * calls. */
static bool
says_something(const struct view *v, const struct ctx_message *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type != CTX_PART_TOOL_RESULT ||
		    is_stray_result(v, &m->parts[i]))
			return true;
	return false;
}

static bool
only_calls(const struct ctx_message *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type != CTX_PART_TOOL_CALL &&
		    !(m->parts[i].type == CTX_PART_TEXT &&
			ctx_message_blank(m->parts[i].body)))
			return false;
	return m->n > 0;
}

/* Appends the time, and the date if it differs from that of the previous message. */
static void
put_view_time(struct view *v, struct ctx_buf *line, int64_t ms)
{
	struct ctx_buf time = CTX_BUF_INIT;

	if (ms == CTX_TIME_NONE)
		return;
	ctx_term_time(&time, ms);
	ctx_buf_adds(line, "  ");
	if (strncmp(v->day, time.p, 10) != 0)
		ctx_buf_addspan(line, ctx_buf_span(&time));
	else
		ctx_buf_adds(line, time.p + 11);
	snprintf(v->day, sizeof(v->day), "%.10s", time.p);
	ctx_buf_release(&time);
}

static void
put_view_header(
    struct view *v, const struct ctx_message *m, const struct ctx_page_message *pm)
{
	static const enum ctx_style styles[] = {CTX_STYLE_SYSTEM, CTX_STYLE_SYSTEM,
	    CTX_STYLE_USER, CTX_STYLE_ASSISTANT, CTX_STYLE_TOOL};
	struct ctx_buf *out = v->flow.out, text = CTX_BUF_INIT;
	enum ctx_role role = ctx_message_shown_role(m);

	ctx_term_style(out, v->o->term, styles[role]);
	ctx_buf_adds(out, ctx_role_name(role));
	if (m->name.p != NULL) {
		ctx_buf_addc(out, ' ');
		ctx_term_clean_line(out, v->o->term, ctx_json_text(m->name, &text));
	}
	ctx_term_style(out, v->o->term, CTX_STYLE_DIM);
	if (pm->seq > 0)
		ctx_buf_addf(out, "  #%" PRId64, pm->seq);
	put_view_time(v, out, pm->created_at);
	if (pm->seq > 0 && is_hidden_seq(v, pm->seq))
		ctx_buf_adds(out, "  hidden");
	ctx_term_style(out, v->o->term, CTX_STYLE_PLAIN);
	if (pm->partial) {
		ctx_buf_adds(out, "  ");
		ctx_term_style(out, v->o->term, CTX_STYLE_ERROR);
		ctx_buf_adds(out, "partial answer, never sent");
		ctx_term_style(out, v->o->term, CTX_STYLE_PLAIN);
	}
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&text);
}

static void
put_view_part(struct view *v, const struct ctx_message *m, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	switch (p->type) {
	case CTX_PART_TEXT:
		ctx_json_decode(p->body, &text);
		put_view_text(v, ctx_buf_span(&text),
		    m->role == CTX_ROLE_ASSISTANT ? SIZE_MAX
		    : m->role == CTX_ROLE_USER    ? USER_LINES
						  : SYSTEM_LINES,
		    NULL);
		break;
	case CTX_PART_TOOL_CALL:
		break;
	case CTX_PART_TOOL_RESULT:
		if (is_stray_result(v, p))
			put_stray_result(v, p);
		break;
	default:
		put_other_part(v, p);
		break;
	}
	ctx_buf_release(&text);
}

/* Prints "failed: what the provider said (3 times)" where the answer would be. */
static void
put_view_failure(struct view *v, const struct ctx_page_message *pm)
{
	struct ctx_buf line = CTX_BUF_INIT, text = CTX_BUF_INIT;

	ctx_buf_adds(&line, "failed: ");
	if (pm->failure.p != NULL)
		ctx_term_clean_line(&line, v->o->term, ctx_json_text(pm->failure, &text));
	else
		ctx_buf_adds(&line, "no answer came");
	if (pm->failures > 1)
		ctx_buf_addf(&line, " (%" PRId64 " times)", pm->failures);
	ctx_view_remark(v, ctx_buf_span(&line), CTX_STYLE_ERROR);
	ctx_buf_release(&line);
	ctx_buf_release(&text);
}

/* A message of only tool calls continues the list of calls above it; its first call shows
 * the number of the message. */
static void
put_view_message(struct view *v, size_t i)
{
	const struct ctx_message *m = &v->messages[i];
	const struct ctx_page_message *pm = &v->page->messages[i];
	size_t call = v->first_call[i];
	bool on = v->loop && m->role == CTX_ROLE_ASSISTANT && only_calls(m) &&
		  !pm->partial;
	int64_t number = on ? pm->seq : 0;

	if (pm->message.p == NULL) {
		ctx_buf_addc(v->flow.out, '\n');
		put_view_failure(v, pm);
		v->loop = false;
		return;
	}
	if (!says_something(v, m))
		return;
	if (!on) {
		ctx_buf_addc(v->flow.out, '\n');
		put_view_header(v, m, pm);
	}
	for (size_t k = 0; k < m->n; k++) {
		if (!on)
			put_view_part(v, m, &m->parts[k]);
		if (m->parts[k].type == CTX_PART_TOOL_CALL) {
			ctx_view_call(v, &v->calls[call++], number);
			number = 0;
		}
	}
	ctx_flow_end_line(&v->flow);
	if (pm->failures > 0)
		put_view_failure(v, pm);
	v->loop = m->n > 0 && ctx_message_count(m, CTX_PART_TOOL_CALL) > 0;
}

/* ---- the session ---- */

int
ctx_view_print(struct ctx_buf *out, const struct ctx_page *page,
    const struct ctx_span *marks, size_t n_marks, const struct ctx_view_options *o,
    struct ctx_err *err)
{
	struct view v = {.page = page, .o = o};
	size_t start = 0;
	int rc;

	ctx_flow_init(&v.flow, out, o->term, INDENT);
	v.messages = ctx_mem_new((page->n + 1) * sizeof(*v.messages));
	v.first_call = ctx_mem_new((page->n + 1) * sizeof(*v.first_call));
	rc = read_view_messages(&v, err);
	if (rc == 0) {
		read_view_marks(&v, marks, n_marks);
		ctx_view_title(&v);
		start = ctx_view_start(&v);
		if (start > 0) {
			ctx_buf_addc(out, '\n');
			put_remark(
			    &v, ctx_view_count_messages(&v, start), "earlier message");
		}
		for (size_t i = start; i < page->n; i++)
			put_view_message(&v, i);
		ctx_view_end(&v);
	}
	ctx_flow_release(&v.flow);
	for (size_t i = 0; i < page->n; i++)
		ctx_message_release(&v.messages[i]);
	free(v.messages);
	free(v.first_call);
	free(v.calls);
	free(v.strays);
	free(v.hidden);
	ctx_arena_release(&v.ids);
	return rc;
}
