/* Prints a tool call and its result on one line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "record/quote.h"
#include "render/internal.h"
#include "render/view_internal.h"

#define UNBOUND 160 /* columns if the width is unknown */

/* Appends a string without quotes, unless it could be mistaken for the text after it. */
static void
write_view_value(struct ctx_buf *out, struct ctx_span string)
{
	static const char *const marks[] = {", ", ")", "\xe2\x86\x92", "->"};
	struct ctx_buf text = CTX_BUF_INIT;
	bool plain;

	ctx_json_decode(string, &text);
	plain = text.n > 0 && text.p[0] != '"' && memchr(text.p, '\0', text.n) == NULL;
	for (size_t i = 0; plain && i < sizeof(marks) / sizeof(marks[0]); i++)
		plain = strstr(text.p, marks[i]) == NULL;
	ctx_buf_addspan(out, plain ? ctx_buf_span(&text) : string);
	ctx_buf_release(&text);
}

static void
write_view_name(struct ctx_buf *out, struct ctx_span string)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span s = ctx_json_text(string, &text);

	ctx_buf_addspan(out, ctx_quote_is_plain(s) ? s : string);
	ctx_buf_release(&text);
}

/* Appends the members of an object as "key: value, key: value". Most strings are
 * unquoted; other values are JSON. */
static void
write_view_members(struct ctx_buf *out, struct ctx_span object)
{
	bool first = true;

	CTX_JSON_EACH(it, object) {
		ctx_buf_adds(out, first ? "" : ", ");
		first = false;
		write_view_name(out, it.key);
		ctx_buf_adds(out, ": ");
		if (ctx_json_type(it.value) == CTX_JSON_STRING)
			write_view_value(out, it.value);
		else
			ctx_json_minify(it.value, out);
	}
}

/* Appends a call's arguments for people. */
static void
add_view_arguments(struct ctx_buf *out, const struct ctx_part *call)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span v = call->body;

	if (ctx_json_type(v) == CTX_JSON_STRING) {
		ctx_json_decode(v, &text);
		if (call->custom ||
		    ctx_json_check(ctx_buf_span(&text), &v, NULL, NULL) < 0)
			v = CTX_SPAN_NONE;
	}
	if (ctx_json_type(v) == CTX_JSON_OBJECT)
		write_view_members(out, v);
	else if (v.p != NULL && text.n == 0)
		ctx_buf_addspan(out, v);
	else
		ctx_buf_addspan(out, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

/* Returns the first line of the trimmed text. Sets *more to the number of lines after
 * it. */
static struct ctx_span
find_gist(struct ctx_span text, size_t *more)
{
	struct ctx_span rest = ctx_span_trim(text), first = rest;

	*more = ctx_span_count(rest, '\n');
	ctx_span_split(&rest, '\n', &first);
	return first;
}

/* Appends text, with control characters made visible, in at most this number of columns.
 * Returns the columns used. */
static size_t
put_clean_cut(struct view *v, struct ctx_span text, size_t columns, enum ctx_style style)
{
	struct ctx_buf *out = v->flow.out, line = CTX_BUF_INIT;
	size_t used;

	ctx_term_clean_line(&line, v->o->term, text);
	ctx_term_style(out, v->o->term, style);
	used = ctx_term_put_cut(out, v->o->term, ctx_buf_span(&line), columns);
	ctx_term_style(out, v->o->term, CTX_STYLE_PLAIN);
	ctx_buf_release(&line);
	return used;
}

static const char *
name_missing_result(const struct view_call *c)
{
	return c->waits ? "no result yet"
			: "no result: the conversation continued without a result";
}

static void
put_outcome(struct view *v, const struct view_call *c, size_t columns)
{
	const struct ctx_part *result = c->result;
	const struct ctx_term *t = v->o->term;
	struct ctx_buf text = CTX_BUF_INIT, rest = CTX_BUF_INIT;
	enum ctx_style style = result != NULL && result->error ? CTX_STYLE_ERROR
							       : CTX_STYLE_PLAIN;
	struct ctx_span gist;
	size_t more = 0, tail;

	if (result == NULL) {
		ctx_buf_adds(&text, name_missing_result(c));
		style = CTX_STYLE_DIM;
	} else {
		ctx_content_text(result->body, &text);
	}
	gist = find_gist(ctx_buf_span(&text), &more);
	if (gist.n == 0) {
		gist = ctx_span_of("(empty)");
		style = CTX_STYLE_DIM;
	}
	if (more > 0) {
		ctx_buf_addf(&rest, " +%zu line%s", more, more == 1 ? "" : "s");
		v->cut_results++;
	}
	tail = ctx_term_width(ctx_buf_span(&rest));
	tail = put_clean_cut(v, gist, columns > tail ? columns - tail : 0, style);
	if (more > 0 && tail > 0) {
		ctx_term_style(v->flow.out, t, CTX_STYLE_DIM);
		ctx_buf_addspan(v->flow.out, ctx_buf_span(&rest));
		ctx_term_style(v->flow.out, t, CTX_STYLE_PLAIN);
	} else if (more == 0 && tail < ctx_term_width(gist)) {
		v->cut_results++;
	}
	ctx_buf_release(&text);
	ctx_buf_release(&rest);
}

/* Starts the line of a call. Returns the columns used so far. */
static size_t
begin_call(struct view *v, const struct view_call *c, int64_t number)
{
	const struct ctx_term *t = v->o->term;
	bool failed = c->result != NULL && c->result->error;
	char shown[32] = "";

	if (number > 0)
		snprintf(shown, sizeof(shown), "#%" PRId64 " ", number);
	ctx_buf_adds(v->flow.out, CTX_VIEW_REMARK);
	ctx_term_style(v->flow.out, t, failed ? CTX_STYLE_ERROR : CTX_STYLE_TOOL);
	ctx_buf_adds(v->flow.out, t->utf8 ? "▸ " : "> ");
	ctx_term_style(v->flow.out, t, CTX_STYLE_DIM);
	ctx_buf_adds(v->flow.out, shown);
	ctx_term_style(v->flow.out, t, CTX_STYLE_PLAIN);
	return strlen(CTX_VIEW_REMARK) + 2 + strlen(shown);
}

/* The call gets the columns it needs, at most two thirds; the result gets the rest. */
static void
put_call_line(struct view *v, const struct view_call *c, int64_t number)
{
	const struct ctx_term *t = v->o->term;
	const char *arrow = t->utf8 ? " → " : " -> ";
	struct ctx_buf *out = v->flow.out, name = CTX_BUF_INIT, args = CTX_BUF_INIT;
	size_t begun = begin_call(v, c, number);
	size_t columns = t->columns > 0 ? (size_t)t->columns : UNBOUND, room;

	columns = columns > begun + 30 ? columns - begun : 30;
	room = columns * 2 / 3;
	write_view_name(&name, c->part->name);
	add_view_arguments(&args, c->part);
	{
		size_t used = put_clean_cut(v, ctx_buf_span(&name), room, CTX_STYLE_TOOL);
		columns -= used;
		room -= used;
	}
	if (args.n > 0 && room > 6) {
		size_t used;
		ctx_buf_addc(out, '(');
		used = put_clean_cut(v, ctx_buf_span(&args), room - 2, CTX_STYLE_PLAIN);
		ctx_buf_addc(out, ')');
		columns -= used + 2;
	}
	ctx_buf_adds(out, arrow);
	columns -= ctx_term_width(ctx_span_of(arrow));
	put_outcome(v, c, columns);
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&name);
	ctx_buf_release(&args);
}

/* Prints the call in full: the arguments unchanged, then the result. */
static void
put_call_whole(struct view *v, const struct view_call *c, int64_t number)
{
	static const char deeper[] = "      ";
	struct ctx_flow *f = &v->flow;
	struct ctx_buf text = CTX_BUF_INIT;
	const char *outer = f->indent;
	bool failed = c->result != NULL && c->result->error;

	begin_call(v, c, number);
	ctx_term_style(f->out, v->o->term, CTX_STYLE_TOOL);
	ctx_term_clean_line(f->out, v->o->term, ctx_json_text(c->part->name, &text));
	ctx_term_style(f->out, v->o->term, CTX_STYLE_PLAIN);
	ctx_buf_addc(f->out, '\n');
	f->indent = deeper;
	ctx_buf_reset(&text);
	ctx_render_arguments(&text, c->part);
	ctx_flow_text(f, ctx_buf_span(&text), CTX_STYLE_PLAIN);
	ctx_flow_end_line(f);
	ctx_buf_reset(&text);
	if (c->result != NULL)
		ctx_content_text(c->result->body, &text);
	else
		ctx_buf_adds(&text, name_missing_result(c));
	ctx_view_remark(v, ctx_span_of(failed ? "error:" : "result:"),
	    failed ? CTX_STYLE_ERROR : CTX_STYLE_DIM);
	ctx_flow_text(f, ctx_buf_span(&text), CTX_STYLE_PLAIN);
	ctx_flow_end_line(f);
	f->indent = outer;
	ctx_buf_release(&text);
}

void
ctx_view_call(struct view *v, const struct view_call *c, int64_t number)
{
	ctx_flow_end_line(&v->flow);
	if (v->o->full)
		put_call_whole(v, c, number);
	else
		put_call_line(v, c, number);
}
