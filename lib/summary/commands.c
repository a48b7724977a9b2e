/* Some agents have no tool calls: they write a command at the end of their text, in a
 * code fence or as a markup element, and a program answers in the user's name. Such a
 * conversation is converted to one with calls and results. */
#include "summary/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define COMMANDS_MIN 2
#define TAIL_LINES 4 /* lines of a prompt that follows each output */

struct command {
	size_t prose; /* number of bytes before the command */
	struct ctx_span name, body;
};

/* Finds "```bash\nls\n```" at the end of the text. */
static bool
find_fenced_command(struct ctx_span s, struct command *c)
{
	struct ctx_span rest = s, line, body = CTX_SPAN_NONE;
	bool open = false;

	if (s.n <= 6 || !ctx_span_ends(s, "```"))
		return false;
	while (ctx_summary_line(&rest, &line)) {
		if (!ctx_span_begins(line, "```"))
			continue;
		open = !open;
		if (open) {
			c->prose = (size_t)(line.p - s.p);
			body = rest;
		}
	}
	if (open || body.p == NULL || body.n < 4)
		return false;
	c->name = ctx_span_of("shell");
	c->body = ctx_span_trim((struct ctx_span){body.p, body.n - 3});
	return c->body.n > 0;
}

/* Finds "<execute_bash>ls</execute_bash>" at the end of the text. */
static bool
find_marked_command(struct ctx_span s, struct command *c)
{
	size_t n, name;

	if (s.n < 8 || s.p[s.n - 1] != '>')
		return false;
	for (n = 1; n < s.n && s.p[s.n - 1 - n] != '<';)
		n++;
	if (n + 1 >= s.n || s.p[s.n - n] != '/' || n < 3)
		return false;
	name = n - 2;
	for (size_t i = 0; i + name + 2 < s.n - n; i++) {
		if (s.p[i] != '<' || s.p[i + 1 + name] != '>' ||
		    memcmp(s.p + i + 1, s.p + s.n - name - 1, name) != 0)
			continue;
		c->prose = i;
		c->name = (struct ctx_span){s.p + i + 1, name};
		c->body = ctx_span_trim(
		    (struct ctx_span){s.p + i + name + 2, s.n - n - 1 - (i + name + 2)});
		return c->body.n > 0;
	}
	return false;
}

static bool
find_text_command(struct ctx_span text, struct command *c)
{
	text = ctx_span_trim(text);
	return find_fenced_command(text, c) || find_marked_command(text, c);
}

static struct ctx_span
find_last_line(struct ctx_span s)
{
	size_t at;

	s = ctx_span_trim(s);
	for (at = s.n; at > 0 && s.p[at - 1] != '\n';)
		at--;
	return ctx_span_from(s, at);
}

/* Returns the first word if its form suggests that a program wrote it: "<output>",
 * "OBSERVATION:". */
static struct ctx_span
find_first_mark(struct ctx_span s)
{
	size_t n = 0;

	s = ctx_span_trim(s);
	while (n < s.n && s.p[n] > ' ' && s.p[n] != '>' && s.p[n] != ':')
		n++;
	n += n < s.n && s.p[n] > ' ';
	return n > 1 && (s.p[0] == '<' || s.p[0] == '[' || s.p[n - 1] == ':')
		   ? (struct ctx_span){s.p, n}
		   : CTX_SPAN_NONE;
}

static bool
is_program_text(struct ctx_span text, struct ctx_span like)
{
	struct ctx_span mark = find_first_mark(text), last = find_last_line(text);

	return (mark.n > 0 && ctx_span_eq(mark, find_first_mark(like))) ||
	       (last.n > 0 && ctx_span_eq(last, find_last_line(like)));
}

/* Returns the length of text without the last lines that it has in common with like. */
static size_t
strip_prompt(struct ctx_span text, struct ctx_span like)
{
	struct ctx_span a, b;

	text = ctx_span_trim(text);
	like = ctx_span_trim(like);
	for (int i = 0; i < TAIL_LINES && text.n > 0 && like.n > 0; i++) {
		a = find_last_line(text);
		b = find_last_line(like);
		if (!ctx_span_eq(a, b))
			break;
		text = ctx_span_trim((struct ctx_span){text.p, text.n - a.n});
		like = ctx_span_trim((struct ctx_span){like.p, like.n - b.n});
	}
	return text.n;
}

/* Finds the user's pieces that answer a command directly before them. Most of them must
 * begin or end alike; otherwise people wrote them. Returns the index of the first one, or
 * 0; *second is the next one. */
static uint32_t
find_program_piece(const struct ctx_summary_input *in, uint32_t *second)
{
	uint32_t answers[64], n = 0, alike = 0, texts = 0, commands = 0;
	struct command c;

	for (uint32_t i = 0; i < in->n; i++) {
		bool user = in->v[i].role == CTX_ROLE_USER;
		if (in->v[i].kind == CTX_PIECE_CALL || in->v[i].kind == CTX_PIECE_RESULT)
			return 0;
		if (in->v[i].role == CTX_ROLE_ASSISTANT &&
		    in->v[i].kind == CTX_PIECE_TEXT) {
			texts++;
			commands += find_text_command(ctx_summary_piece_text(in, i), &c);
		}
		if (user && i > 0 && n < 64 && in->v[i - 1].role == CTX_ROLE_ASSISTANT &&
		    find_text_command(ctx_summary_piece_text(in, i - 1), &c))
			answers[n++] = i;
	}
	if (commands < COMMANDS_MIN || commands * 3 < texts * 2 || n < COMMANDS_MIN)
		return 0;
	for (uint32_t i = 1; i < n; i++)
		alike += is_program_text(ctx_summary_piece_text(in, answers[i]),
		    ctx_summary_piece_text(in, answers[0]));
	*second = answers[1];
	return alike * 2 >= n - 1 ? answers[0] : 0;
}

static void
add_text_command(struct ctx_summary_input *to, const struct command *c)
{
	struct ctx_buf args = CTX_BUF_INIT, line = CTX_BUF_INIT;
	struct ctx_summary_piece *p;

	ctx_json_print(&args, "{'command':%t}", c->body);
	ctx_buf_addspan(&line, c->name);
	ctx_buf_addf(&line, " %s", args.p);
	ctx_summary_input_add(
	    to, CTX_ROLE_ASSISTANT, ctx_span_of("calls"), ctx_buf_span(&line));
	p = &to->v[to->n - 1];
	p->kind = CTX_PIECE_CALL;
	p->n_name = c->name.n;
	p->json = true;
	ctx_buf_release(&args);
	ctx_buf_release(&line);
}

struct ctx_summary_input *
ctx_summary_input_commands(const struct ctx_summary_input *in)
{
	struct ctx_span like, text, none = ctx_span_of(" ");
	struct ctx_summary_input *to;
	uint32_t second = 0, program = find_program_piece(in, &second), call = 0;
	struct command c;

	if (program == 0)
		return NULL;
	like = ctx_summary_piece_text(in, program);
	to = ctx_summary_input_new();
	for (uint32_t i = 0; i < in->n; i++) {
		text = ctx_summary_piece_text(in, i);
		if (in->v[i].role == CTX_ROLE_ASSISTANT &&
		    in->v[i].kind == CTX_PIECE_TEXT && find_text_command(text, &c)) {
			text = ctx_span_trim(text);
			text.n = c.prose;
			ctx_summary_input_add(
			    to, CTX_ROLE_ASSISTANT, CTX_SPAN_NONE, text);
			add_text_command(to, &c);
			call = (uint32_t)to->n;
			continue;
		}
		if (in->v[i].role == CTX_ROLE_USER) {
			text = ctx_span_trim(text);
			text.n = strip_prompt(text,
			    i == program ? ctx_summary_piece_text(in, second) : like);
		}
		if (call > 0 && in->v[i].role == CTX_ROLE_USER &&
		    (i == program ||
			is_program_text(ctx_summary_piece_text(in, i), like))) {
			ctx_summary_input_add(
			    to, CTX_ROLE_TOOL, CTX_SPAN_NONE, text.n > 0 ? text : none);
			to->v[to->n - 1].kind = CTX_PIECE_RESULT;
			to->v[to->n - 1].call = call;
		} else if (text.n > 0) {
			ctx_summary_input_add(to, in->v[i].role, CTX_SPAN_NONE, text);
			to->v[to->n - 1].kind = in->v[i].kind;
		}
		call = 0;
	}
	return to;
}
