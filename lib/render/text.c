/* Prints messages for people, as plain text and Markdown. */

#include "base/buf.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/quote.h"
#include "render/internal.h"
#include "term/term.h"

static void
put_visible_string(struct ctx_buf *out, struct ctx_span string)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	ctx_visible_add(out, ctx_json_text(string, &tmp));
	ctx_buf_release(&tmp);
}

static void
write_text_name(struct ctx_buf *out, struct ctx_span string)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	size_t start = out->n;

	ctx_visible_add_line(out, ctx_json_text(string, &tmp));
	if (out->n == start)
		ctx_buf_addc(out, '?');
	ctx_buf_release(&tmp);
}

void
ctx_render_count(struct ctx_buf *out, int64_t n, const char *what)
{
	ctx_term_count(out, n);
	ctx_buf_addf(out, " %s%s", what, CTX_PLURAL(n));
}

struct ctx_span
ctx_render_title(struct ctx_span session)
{
	struct ctx_span title = ctx_json_get(session, "title");

	if (ctx_json_type(title) != CTX_JSON_STRING || title.n <= 2)
		return ctx_json_get(session, "session_id");
	return title;
}

static void
end_rendered_text_line(struct ctx_buf *out)
{
	if (out->n > 0 && out->p[out->n - 1] != '\n')
		ctx_buf_addc(out, '\n');
}

/* Appends a name, quoted if it could be mistaken for the text after it. */
static void
put_quoted_name(struct ctx_buf *out, struct ctx_span string)
{
	struct ctx_buf name = CTX_BUF_INIT;

	write_text_name(&name, string);
	if (ctx_quote_is_plain(ctx_buf_span(&name)))
		ctx_buf_addspan(out, ctx_buf_span(&name));
	else
		ctx_json_quote(out, ctx_buf_span(&name));
	ctx_buf_release(&name);
}

void
ctx_render_arguments(struct ctx_buf *out, const struct ctx_part *call)
{
	if (ctx_json_type(call->body) == CTX_JSON_STRING)
		ctx_json_decode(call->body, out);
	else
		ctx_buf_addspan(out, call->body);
}

/* Appends JSON on one line. Characters that are not visible are escaped as in JSON. */
static void
put_json_line(struct ctx_buf *out, struct ctx_span json)
{
	size_t n;

	for (size_t i = 0; i < json.n; i += n) {
		uint32_t c = 0;
		n = ctx_utf8_decode(json.p + i, json.n - i, &c);
		if (n == 0)
			n = 1;
		if (c < ' ')
			ctx_buf_addc(out, ' ');
		else if ((c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029)
			ctx_buf_addf(out, "\\u%04x", (unsigned)c);
		else
			ctx_buf_add(out, json.p + i, n);
	}
}

/* Appends the arguments as JSON, so that no part of them can be mistaken for the end of
 * the call. */
static void
put_call_arguments(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT, json = CTX_BUF_INIT;

	ctx_render_arguments(&text, p);
	if (ctx_json_check(ctx_buf_span(&text), NULL, NULL, NULL) < 0)
		ctx_json_quote(&json, ctx_buf_span(&text));
	else
		ctx_buf_addspan(&json, ctx_buf_span(&text));
	if (text.n > 0) {
		ctx_buf_addc(out, ' ');
		put_json_line(out, ctx_buf_span(&json));
	}
	ctx_buf_release(&text);
	ctx_buf_release(&json);
}

static size_t
longest_run(struct ctx_span s, char c)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < s.n; i++) {
		run = s.p[i] == c ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

static void
put_ticks(struct ctx_buf *out, size_t n)
{
	while (n-- > 0)
		ctx_buf_addc(out, '`');
}

/* Appends text in a code fence that is longer than any sequence of backticks in it
 * (CommonMark 4.5). */
static void
put_fenced(struct ctx_buf *out, const char *info, struct ctx_span text)
{
	size_t ticks = longest_run(text, '`') + 1;

	if (ticks < 3)
		ticks = 3;
	put_ticks(out, ticks);
	ctx_buf_addf(out, "%s\n", info);
	ctx_visible_add(out, text);
	if (text.n > 0)
		end_rendered_text_line(out);
	put_ticks(out, ticks);
	ctx_buf_addc(out, '\n');
}

/* Appends text as a code span (CommonMark 6.1). */
static void
put_code_text(struct ctx_buf *out, struct ctx_span text)
{
	size_t ticks = longest_run(text, '`') + 1;
	bool pad = ticks > 1;

	put_ticks(out, ticks);
	ctx_buf_adds(out, pad ? " " : "");
	ctx_visible_add_line(out, text);
	ctx_buf_adds(out, pad ? " " : "");
	put_ticks(out, ticks);
}

static void
put_code(struct ctx_buf *out, struct ctx_span string)
{
	struct ctx_buf name = CTX_BUF_INIT;

	write_text_name(&name, string);
	put_code_text(out, ctx_buf_span(&name));
	ctx_buf_release(&name);
}

/* Appends " (time, slot, source type)"; unknown parts are left out. */
static void
put_remarks(struct ctx_buf *out, const struct ctx_render_item *item)
{
	struct ctx_span type = ctx_json_get(item->source, "type");
	const char *sep = " (", *slot = ctx_slot_name(item->slot);

	if (item->created_at != CTX_TIME_NONE) {
		char time[CTX_TIME_LEN + 1];
		ctx_time_format(item->created_at, time);
		ctx_buf_addf(out, "%s%s", sep, time);
		sep = ", ";
	}
	if (slot != NULL) {
		ctx_buf_addf(out, "%s%s", sep, slot);
		sep = ", ";
	}
	if (ctx_json_type(type) == CTX_JSON_STRING &&
	    (slot == NULL || !ctx_json_is(type, slot))) {
		ctx_buf_adds(out, sep);
		write_text_name(out, type);
		sep = ", ";
	}
	if (*sep == ',')
		ctx_buf_addc(out, ')');
}

/* True for a call that a limit cut off (answer/cut.c); sets *name to the tool's name. */
static bool
find_cut_call(const struct ctx_part *p, struct ctx_span *name)
{
	struct ctx_span call;

	if (!ctx_json_has_type(p->raw, "cut_call"))
		return false;
	call = ctx_json_get(p->raw, "call");
	*name = ctx_json_get(call, "name");
	if (name->p == NULL)
		*name = ctx_json_get(ctx_json_get(call, "function"), "name");
	return true;
}

static void
write_text_stand_in(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_render_stand_in(&text, p);
	put_visible_string(out, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

bool
ctx_render_is_thinking(const struct ctx_part *p)
{
	return p->type == CTX_PART_THINKING ||
	       (p->type == CTX_PART_OTHER && ctx_render_is_reasoning(p));
}

static void put_block_quote(struct ctx_buf *out, struct ctx_span text);

static void
markdown_part(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span name;
	bool json;

	if (ctx_render_is_thinking(p))
		return;
	ctx_buf_addc(out, '\n');
	if (p->type == CTX_PART_TOOL_CALL) {
		ctx_render_arguments(&tmp, p);
		ctx_buf_adds(out, "**Call** ");
		put_code(out, p->name);
		if (p->id.p != NULL) {
			ctx_buf_addc(out, ' ');
			put_code(out, p->id);
		}
		ctx_buf_adds(out, "\n\n");
		json = tmp.n > 0 &&
		       ctx_json_check(ctx_buf_span(&tmp), NULL, NULL, NULL) == 0;
		put_fenced(out, json ? "json" : "", ctx_buf_span(&tmp));
	} else if (p->type == CTX_PART_TOOL_RESULT) {
		ctx_content_text(p->body, &tmp);
		ctx_buf_adds(out, p->error ? "**Error** " : "**Result** ");
		put_code(out, p->id);
		ctx_buf_adds(out, "\n\n");
		put_fenced(out, "", ctx_buf_span(&tmp));
	} else if (find_cut_call(p, &name)) {
		ctx_buf_adds(out, "**Call** ");
		put_code(out, name);
		ctx_buf_adds(out, ", cut off\n");
	} else if (p->type != CTX_PART_TEXT && !ctx_render_has_text(p)) {
		ctx_buf_adds(out, "**Part** ");
		write_text_stand_in(&tmp, p);
		put_code_text(out, ctx_buf_span(&tmp));
		ctx_buf_addc(out, '\n');
	} else {
		if (p->type == CTX_PART_TEXT)
			put_visible_string(&tmp, p->body);
		else
			write_text_stand_in(&tmp, p);
		put_block_quote(out, ctx_buf_span(&tmp));
		end_rendered_text_line(out);
	}
	ctx_buf_release(&tmp);
}

static void
put_markdown(struct ctx_buf *out, char c)
{
	if (c == '<')
		ctx_buf_adds(out, "&lt;");
	else
		ctx_buf_addc(out, c);
}

void
ctx_render_markdown_line(struct ctx_buf *out, struct ctx_span text)
{
	struct ctx_buf line = CTX_BUF_INIT;

	ctx_visible_add_line(&line, text);
	for (size_t i = 0; i < line.n; i++)
		put_markdown(out, line.p[i]);
	ctx_buf_release(&line);
}

/* Appends the text of a message in Markdown: a block quote with HTML escaped. A fence or
 * heading that starts inside the quote ends with it (CommonMark 5.1). */
static void
put_block_quote(struct ctx_buf *out, struct ctx_span text)
{
	bool begins = true;

	for (size_t i = 0; i < text.n; i++) {
		if (begins)
			ctx_buf_adds(out, text.p[i] == '\n' ? ">" : "> ");
		begins = text.p[i] == '\n';
		put_markdown(out, text.p[i]);
	}
}

typedef void put_message(
    struct ctx_buf *out, const struct ctx_message *m, const struct ctx_render_item *item);

static void
write_text_part(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf content = CTX_BUF_INIT, text = CTX_BUF_INIT;
	struct ctx_span name;

	if (p->type == CTX_PART_TOOL_CALL) {
		ctx_buf_adds(out, "[call ");
		put_quoted_name(out, p->name);
		put_call_arguments(out, p);
		ctx_buf_addc(out, ']');
	} else if (find_cut_call(p, &name)) {
		ctx_buf_adds(out, "[call ");
		put_quoted_name(out, name);
		ctx_buf_adds(out, ", cut off]");
	} else if (p->type == CTX_PART_TEXT) {
		put_visible_string(&text, p->body);
	} else if (p->type == CTX_PART_TOOL_RESULT) {
		ctx_buf_adds(out, p->error ? "[error] " : "");
		ctx_content_text(p->body, &content);
		ctx_visible_add(&text, ctx_buf_span(&content));
	} else if (p->type == CTX_PART_IMAGE) {
		ctx_buf_adds(out, "[image]");
	} else if (ctx_render_has_text(p)) {
		write_text_stand_in(&text, p);
	} else {
		write_text_stand_in(&content, p);
		ctx_visible_add_line(out, ctx_buf_span(&content));
	}
	ctx_quote_lines(out, ctx_buf_span(&text));
	end_rendered_text_line(out);
	ctx_buf_release(&content);
	ctx_buf_release(&text);
}

static void
text_message(
    struct ctx_buf *out, const struct ctx_message *m, const struct ctx_render_item *item)
{
	ctx_buf_adds(out, ctx_role_name(ctx_message_shown_role(m)));
	if (m->name.p != NULL) {
		ctx_buf_addc(out, ' ');
		put_quoted_name(out, m->name);
	}
	put_remarks(out, item);
	ctx_buf_adds(out, ":\n");
	for (size_t i = 0; i < m->n; i++)
		if (!ctx_render_is_thinking(&m->parts[i]))
			write_text_part(out, &m->parts[i]);
}

static void
markdown_message(
    struct ctx_buf *out, const struct ctx_message *m, const struct ctx_render_item *item)
{
	const char *role = ctx_role_name(ctx_message_shown_role(m));
	struct ctx_buf remarks = CTX_BUF_INIT;

	ctx_buf_adds(out, "## ");
	ctx_buf_addc(out, (char)(role[0] - 'a' + 'A'));
	ctx_buf_adds(out, role + 1);
	if (m->name.p != NULL) {
		ctx_buf_addc(out, ' ');
		put_code(out, m->name);
	}
	put_remarks(&remarks, item);
	ctx_render_markdown_line(out, ctx_buf_span(&remarks));
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&remarks);
	for (size_t i = 0; i < m->n; i++)
		markdown_part(out, &m->parts[i]);
}

static int
put_one(struct ctx_buf *out, const struct ctx_render_item *item, put_message *put,
    struct ctx_message *m, struct ctx_err *err)
{
	if (ctx_message_parse(m, item->message, err) < 0)
		return -1;
	if (out->n > 0)
		ctx_buf_addc(out, '\n');
	put(out, m, item);
	return 0;
}

static bool
is_system_text_role(enum ctx_role role)
{
	return role == CTX_ROLE_SYSTEM || role == CTX_ROLE_DEVELOPER;
}

/* Returns the index of the first item after the system messages that open the history. */
static size_t
find_opening(const struct ctx_render_item *items, size_t n, struct ctx_message *m)
{
	size_t i = 0;

	while (i < n && (items[i].slot != CTX_SLOT_HISTORY ||
			    (ctx_message_parse(m, items[i].message, NULL) == 0 &&
				is_system_text_role(m->role))))
		i++;
	return i;
}

/* Appends the items in the order of bodies, because these formats are sent to models too.
 * Volatile items stay before their user message. */
static int
write_text_items(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    put_message *put, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	size_t opening = find_opening(items, n, &m);
	int rc = 0;

	for (int place = 0; place < 4 && rc == 0; place++)
		for (size_t i = 0; i < n && rc == 0; i++) {
			enum ctx_slot slot = items[i].slot;
			int its = slot == CTX_SLOT_PREFIX                   ? 0
				  : slot == CTX_SLOT_SUMMARY                ? 2
				  : slot == CTX_SLOT_HISTORY && i < opening ? 1
									    : 3;
			if (its == place)
				rc = put_one(&text, &items[i], put, &m, err);
		}
	if (rc == 0)
		ctx_buf_addspan(out, ctx_buf_span(&text));
	ctx_message_release(&m);
	ctx_buf_release(&text);
	return rc;
}

int
ctx_render_text(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err)
{
	return write_text_items(out, items, n, text_message, err);
}

int
ctx_render_markdown(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err)
{
	return write_text_items(out, items, n, markdown_message, err);
}
