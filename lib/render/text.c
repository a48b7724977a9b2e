/* For people: plain text and Markdown. */
#include <string.h>

#include "base/time.h"
#include "base/visible.h"
#include "json/json.h"
#include "render/internal.h"

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

static void
end_rendered_text_line(struct ctx_buf *out)
{
	if (out->n > 0 && out->p[out->n - 1] != '\n')
		ctx_buf_addc(out, '\n');
}

/* The arguments of a call as people read them: the text of a string, or JSON. */
static void
write_text_call_arguments(const struct ctx_part *p, struct ctx_buf *out)
{
	if (ctx_json_type(p->body) == CTX_JSON_STRING)
		ctx_json_decode(p->body, out);
	else if (p->body.p != NULL)
		ctx_buf_addspan(out, p->body);
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

/* A fence longer than any run of backticks in the text (CommonMark 4.5). */
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

/* A code span (CommonMark 6.1). */
static void
put_code(struct ctx_buf *out, struct ctx_span string)
{
	struct ctx_buf name = CTX_BUF_INIT;
	size_t ticks;
	bool pad;

	write_text_name(&name, string);
	ticks = longest_run(ctx_buf_span(&name), '`') + 1;
	pad = ticks > 1;
	put_ticks(out, ticks);
	ctx_buf_adds(out, pad ? " " : "");
	ctx_buf_addspan(out, ctx_buf_span(&name));
	ctx_buf_adds(out, pad ? " " : "");
	put_ticks(out, ticks);
	ctx_buf_release(&name);
}

/* " (time, slot, kind of source)", what is known of them. */
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

/* A call that a limit cut off (answer/cut.c). */
static bool
write_text_cut_call(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_span call, name;

	if (!ctx_json_is(ctx_json_get(p->raw, "type"), "cut_call"))
		return false;
	call = ctx_json_get(p->raw, "call");
	name = ctx_json_get(call, "name");
	if (name.p == NULL)
		name = ctx_json_get(ctx_json_get(call, "function"), "name");
	ctx_buf_adds(out, "[call ");
	write_text_name(out, name);
	ctx_buf_adds(out, ", cut off]");
	return true;
}

static void
write_text_other_part(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	if (p->type == CTX_PART_IMAGE)
		ctx_buf_adds(out, "[image]");
	else if (!write_text_cut_call(out, p))
		ctx_render_stand_in(&text, p);
	if (text.n > 0)
		put_visible_string(out, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

bool
ctx_render_is_thinking(const struct ctx_part *p)
{
	return p->type == CTX_PART_THINKING ||
	       (p->type == CTX_PART_OTHER && ctx_render_is_reasoning(p));
}

static void
text_part(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	switch (p->type) {
	case CTX_PART_TEXT:
		put_visible_string(out, p->body);
		break;
	case CTX_PART_TOOL_CALL:
		write_text_call_arguments(p, &tmp);
		ctx_buf_adds(out, "[call ");
		write_text_name(out, p->name);
		if (tmp.n > 0)
			ctx_buf_addc(out, ' ');
		ctx_visible_add(out, ctx_buf_span(&tmp));
		ctx_buf_addc(out, ']');
		break;
	case CTX_PART_TOOL_RESULT:
		ctx_content_text(p->body, &tmp);
		ctx_buf_adds(out, p->error ? "[error] " : "");
		ctx_visible_add(out, ctx_buf_span(&tmp));
		break;
	case CTX_PART_THINKING:
		break;
	case CTX_PART_IMAGE:
	case CTX_PART_OTHER:
		write_text_other_part(out, p);
		break;
	}
	ctx_buf_release(&tmp);
}

static void put_block_quote(struct ctx_buf *out, struct ctx_span text);

static void
markdown_part(struct ctx_buf *out, const struct ctx_part *p)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf tmp = CTX_BUF_INIT;
	bool json;

	if (ctx_render_is_thinking(p))
		return;
	ctx_buf_addc(out, '\n');
	if (p->type == CTX_PART_TOOL_CALL) {
		write_text_call_arguments(p, &tmp);
		ctx_buf_adds(out, "**Call** ");
		put_code(out, p->name);
		if (p->id.p != NULL) {
			ctx_buf_addc(out, ' ');
			put_code(out, p->id);
		}
		ctx_buf_adds(out, "\n\n");
		json = tmp.n > 0 &&
		       ctx_json_check(ctx_buf_span(&tmp), NULL, NULL, &err) == 0;
		put_fenced(out, json ? "json" : "", ctx_buf_span(&tmp));
	} else if (p->type == CTX_PART_TOOL_RESULT) {
		ctx_content_text(p->body, &tmp);
		ctx_buf_adds(out, p->error ? "**Error** " : "**Result** ");
		put_code(out, p->id);
		ctx_buf_adds(out, "\n\n");
		put_fenced(out, "", ctx_buf_span(&tmp));
	} else {
		text_part(&tmp, p);
		put_block_quote(out, ctx_buf_span(&tmp));
		end_rendered_text_line(out);
	}
	ctx_buf_release(&tmp);
}

/* ---- what could pass for structure ----
 * No line of a message may look like one that begins a message or a section. */

static const char *const sections[] = {
    "Conversation so far:", "Current user message:", "Done since then:"};

static bool
is_structural(struct ctx_span line)
{
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (line.n >= strlen(sections[i]) &&
		    memcmp(line.p, sections[i], strlen(sections[i])) == 0)
			return true;
	for (int role = CTX_ROLE_SYSTEM; role <= CTX_ROLE_TOOL; role++) {
		const char *name = ctx_role_name((enum ctx_role)role);
		size_t n = strlen(name);
		if (line.n > n && memcmp(line.p, name, n) == 0 &&
		    (line.p[n] == ':' || (line.p[n] == ' ' && line.p[line.n - 1] == ':')))
			return true;
	}
	return false;
}

/* Lines of the text are indented where they would pass for structure. */
void
ctx_render_quote(struct ctx_buf *out, struct ctx_span text)
{
	while (text.n > 0) {
		const char *end = memchr(text.p, '\n', text.n);
		struct ctx_span line = {
		    text.p, end != NULL ? (size_t)(end - text.p) : text.n};
		struct ctx_span shown = ctx_span_trim(line);
		if (is_structural(shown) && line.p == shown.p)
			ctx_buf_adds(out, "  ");
		ctx_buf_addspan(out, line);
		text.p += line.n + (end != NULL);
		text.n -= line.n + (end != NULL);
		if (end != NULL)
			ctx_buf_addc(out, '\n');
	}
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

/* The text of a message in Markdown: a block quote, without HTML. What it begins, such as a
 * fence or a heading, ends with it (CommonMark 5.1). */
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
text_message(
    struct ctx_buf *out, const struct ctx_message *m, const struct ctx_render_item *item)
{
	ctx_buf_adds(out, ctx_role_name(ctx_message_shown_role(m)));
	if (m->name.p != NULL) {
		ctx_buf_addc(out, ' ');
		write_text_name(out, m->name);
	}
	put_remarks(out, item);
	ctx_buf_adds(out, ":\n");
	for (size_t i = 0; i < m->n; i++) {
		struct ctx_buf text = CTX_BUF_INIT;
		if (ctx_render_is_thinking(&m->parts[i]))
			continue;
		text_part(&text, &m->parts[i]);
		ctx_render_quote(out, ctx_buf_span(&text));
		end_rendered_text_line(out);
		ctx_buf_release(&text);
	}
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

/* The item that ends the system messages that open the history. */
static size_t
find_opening(const struct ctx_render_item *items, size_t n, struct ctx_message *m)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	size_t i = 0;

	while (i < n && (items[i].slot != CTX_SLOT_HISTORY ||
			    (ctx_message_parse(m, items[i].message, &ignored) == 0 &&
				is_system_text_role(m->role))))
		i++;
	return i;
}

/* The order of bodies: models are sent these formats, too. Volatile items stay where they
 * are, before their user message. */
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
