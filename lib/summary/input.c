#include "summary/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

struct ctx_summary_input *
ctx_summary_input_new(void)
{
	return ctx_mem_new(sizeof(struct ctx_summary_input));
}

void
ctx_summary_input_free(struct ctx_summary_input *in)
{
	if (in == NULL)
		return;
	ctx_buf_release(&in->bytes);
	free(in->v);
	ctx_map_release(&in->calls);
	free(in);
}

struct ctx_span
ctx_summary_piece_text(const struct ctx_summary_input *in, size_t i)
{
	return (struct ctx_span){in->bytes.p + in->v[i].text, in->v[i].n};
}

struct ctx_span
ctx_summary_piece_label(const struct ctx_summary_input *in, size_t i)
{
	return (struct ctx_span){in->bytes.p + in->v[i].label, in->v[i].n_label};
}

static void
add_utf8(struct ctx_buf *b, struct ctx_span text)
{
	size_t n;

	while (text.n > 0) {
		n = ctx_utf8_valid(text.p, text.n);
		ctx_buf_add(b, text.p, n);
		if (n < text.n) {
			ctx_buf_adds(b, "\xef\xbf\xbd");
			n++;
		}
		text.p += n;
		text.n -= n;
	}
}

void
ctx_summary_input_add(struct ctx_summary_input *in, enum ctx_role role,
    struct ctx_span name, struct ctx_span text)
{
	struct ctx_summary_piece *p;

	if (text.n == 0)
		return;
	CTX_MEM_GROW(in->v, in->n, in->cap);
	p = &in->v[in->n++];
	*p = (struct ctx_summary_piece){.role = role};
	p->label = in->bytes.n;
	ctx_buf_adds(&in->bytes, ctx_role_name(role));
	if (name.n > 0) {
		ctx_buf_addc(&in->bytes, ' ');
		/* A name is one line, so that it cannot imitate another label. */
		size_t at = in->bytes.n;
		add_utf8(&in->bytes, name);
		for (; at < in->bytes.n; at++)
			if ((unsigned char)in->bytes.p[at] < ' ')
				in->bytes.p[at] = ' ';
	}
	p->n_label = in->bytes.n - p->label;
	p->text = in->bytes.n;
	add_utf8(&in->bytes, text);
	p->n = in->bytes.n - p->text;
}

struct ctx_span
ctx_summary_piece_body(const struct ctx_summary_input *in, size_t i)
{
	struct ctx_span text = ctx_summary_piece_text(in, i);
	size_t skip = in->v[i].kind == CTX_PIECE_CALL ? in->v[i].n_name + 1 : 0;

	return ctx_span_from(text, skip);
}

struct ctx_span
ctx_summary_piece_json(const struct ctx_summary_input *in, size_t i)
{
	return in->v[i].json ? ctx_span_trim(ctx_summary_piece_body(in, i))
			     : CTX_SPAN_NONE;
}

struct ctx_span
ctx_summary_piece_name(const struct ctx_summary_input *in, size_t i)
{
	if (in->v[i].kind == CTX_PIECE_RESULT && in->v[i].call > 0)
		i = in->v[i].call - 1;
	return (struct ctx_span){in->bytes.p + in->v[i].text, in->v[i].n_name};
}

static void
add_call_piece(
    struct ctx_summary_input *in, const struct ctx_part *part, struct ctx_buf *tmp)
{
	struct ctx_buf name = CTX_BUF_INIT, line = CTX_BUF_INIT, id = CTX_BUF_INIT;
	struct ctx_span n = ctx_json_text(part->name, &name);
	struct ctx_span args = part->body, i = ctx_json_text(part->id, &id);
	struct ctx_summary_piece *p;

	ctx_buf_addspan(&line, n.n > 0 ? n : ctx_span_of("call"));
	ctx_buf_addc(&line, ' ');
	if (ctx_json_type(args) == CTX_JSON_STRING)
		ctx_buf_addspan(&line, ctx_json_text(args, tmp));
	else if (args.p != NULL)
		ctx_json_minify(args, &line);
	ctx_summary_input_add(
	    in, CTX_ROLE_ASSISTANT, ctx_span_of("calls"), ctx_buf_span(&line));
	p = &in->v[in->n - 1];
	p->kind = CTX_PIECE_CALL;
	p->n_name = n.n > 0 ? n.n : 4;
	p->json = ctx_summary_is_json(ctx_summary_piece_body(in, in->n - 1));
	if (i.p != NULL)
		*ctx_map_at(&in->calls, ctx_hash_bytes(0, i.p, i.n), NULL, NULL) = in->n;
	ctx_buf_release(&name);
	ctx_buf_release(&line);
	ctx_buf_release(&id);
}

static void
add_result_piece(
    struct ctx_summary_input *in, const struct ctx_part *part, struct ctx_span name)
{
	struct ctx_buf id = CTX_BUF_INIT, text = CTX_BUF_INIT, tool = CTX_BUF_INIT;
	struct ctx_span i = ctx_json_text(part->id, &id);
	struct ctx_summary_piece *p;
	uint32_t call = 0;

	if (i.p != NULL)
		call = (uint32_t)ctx_map_get(
		    &in->calls, ctx_hash_bytes(0, i.p, i.n), NULL, NULL);
	/* The name is copied, because adding to the input may move its bytes. */
	if (call > 0) {
		ctx_buf_addspan(&tool, ctx_summary_piece_name(in, call - 1));
		name = ctx_buf_span(&tool);
	}
	ctx_content_text(part->body, &text);
	if (text.n == 0)
		ctx_buf_addc(&text, ' '); /* an empty result is a result too */
	ctx_summary_input_add(in, CTX_ROLE_TOOL, name, ctx_buf_span(&text));
	p = &in->v[in->n - 1];
	p->kind = CTX_PIECE_RESULT;
	p->call = call;
	p->error = part->error;
	p->json = ctx_summary_is_json(ctx_buf_span(&text));
	ctx_buf_release(&id);
	ctx_buf_release(&text);
	ctx_buf_release(&tool);
}

void
ctx_summary_input_add_earlier(struct ctx_summary_input *in, struct ctx_span text)
{
	if (text.n == 0)
		return;
	ctx_summary_input_add(in, CTX_ROLE_ASSISTANT, ctx_span_of("summary"), text);
	in->v[in->n - 1].kind = CTX_PIECE_EARLIER;
}

void
ctx_summary_input_add_message(struct ctx_summary_input *in, const struct ctx_message *m)
{
	struct ctx_buf tmp = CTX_BUF_INIT, name = CTX_BUF_INIT;
	struct ctx_span who = ctx_json_text(m->name, &name);

	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *part = &m->parts[i];
		if (part->type == CTX_PART_TEXT)
			ctx_summary_input_add(
			    in, m->role, who, ctx_json_text(part->body, &tmp));
		else if (part->type == CTX_PART_TOOL_CALL)
			add_call_piece(in, part, &tmp);
		else if (part->type == CTX_PART_TOOL_RESULT)
			add_result_piece(in, part, who);
	}
	ctx_buf_release(&tmp);
	ctx_buf_release(&name);
}

void
ctx_summary_input_text(const struct ctx_summary_input *in, struct ctx_buf *out)
{
	struct ctx_span last = CTX_SPAN_NONE, label;

	for (size_t i = 0; i < in->n; i++) {
		label = ctx_summary_piece_label(in, i);
		if (last.p == NULL || !ctx_span_eq(last, label)) {
			ctx_buf_addspan(out, label);
			ctx_buf_adds(out, ": ");
		}
		last = label;
		ctx_buf_addspan(out, ctx_summary_piece_text(in, i));
		ctx_buf_addc(out, '\n');
	}
}
