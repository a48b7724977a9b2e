#include "summary/make.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/record.h"
#include "summary/internal.h"

#define FALLBACKS_MAX 8 /* largest number of fallbacks that are reported */
#define SHARE_MIN 256   /* smallest token limit of a piece's summary */

struct ctx_summary_maker {
	struct ctx_summary_make_options o;
	struct ctx_summary_input *in, *parts;
	struct ctx_buf records, part_records; /* NDJSON for exec */
	int64_t tokens, part_tokens;
	size_t n, pieces, n_fallbacks;
	struct ctx_buf fallbacks;
};

/* A summary to be made, of which input and of what length. */
struct task {
	struct ctx_summary_maker *mk;
	const struct ctx_summary_input *in;
	struct ctx_span text, records;
	struct ctx_span *required; /* the required texts that the input contains */
	size_t n_required;
	int64_t max, replaces;
	bool strict;
};

const char *
ctx_summary_method_name(enum ctx_summary_method m)
{
	static const char *const names[] = {"exec", "extractive", "truncation"};

	return names[m];
}

void
ctx_summary_made_release(struct ctx_summary_made *m)
{
	ctx_buf_release(&m->text);
	ctx_buf_release(&m->fallbacks);
	memset(m, 0, sizeof(*m));
}

/* ---- guards ---- */

static void
note_fallback(
    struct ctx_summary_maker *mk, enum ctx_summary_method method, const char *reason)
{
	if (mk->n_fallbacks++ < FALLBACKS_MAX)
		ctx_json_print(&mk->fallbacks, "{'method':%s,'reason':%s}",
		    ctx_summary_method_name(method), reason);
}

static bool
is_accepted_summary(
    const struct task *t, enum ctx_summary_method method, const struct ctx_buf *text)
{
	struct ctx_summary_guard g = {.tokenizer = t->mk->o.tokenizer,
	    .replaces = t->strict && t->max < t->replaces ? t->max : t->replaces,
	    .required = t->required,
	    .n_required = t->n_required};
	struct ctx_err why = CTX_ERR_INIT;

	if (ctx_summary_check(ctx_buf_span(text), &g, &why) == CTX_SUMMARY_GOOD)
		return true;
	note_fallback(t->mk, method, why.msg);
	return false;
}

/* ---- methods ---- */

static int64_t
count_summary_tokens(const struct task *t, const struct ctx_buf *b)
{
	return b->n == 0 ? 0 : ctx_tokens_text(t->mk->o.tokenizer, b->p, b->n);
}

/* Returns the tokens to reserve for the line that add_required adds. */
static int64_t
room_for_required(const struct task *t)
{
	struct ctx_buf line = CTX_BUF_INIT;
	int64_t tokens;

	for (size_t i = 0; i < t->n_required; i++) {
		ctx_buf_adds(&line, i == 0 ? "\n- " : "; ");
		ctx_buf_addspan(&line, t->required[i]);
	}
	tokens = count_summary_tokens(t, &line);
	ctx_buf_release(&line);
	return tokens;
}

/* Writes the built-in summary. Returns false if it fails. */
static bool
write_document(const struct task *t, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_summary_options o = {.tokenizer = t->mk->o.tokenizer,
	    .max_tokens = t->max - room_for_required(t),
	    .language = t->mk->o.language};

	return o.max_tokens <= 0 || ctx_summary_extract(out, t->in, &o, err) == 0;
}

static void
add_draft(const struct task *t, struct ctx_buf *input)
{
	struct ctx_buf draft = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;

	if (write_document(t, &draft, &ignored) && draft.n > 0 && t->mk->o.ndjson) {
		ctx_json_print(
		    input, "{'kind':'draft','text':%t}\n", ctx_buf_span(&draft));
	} else if (draft.n > 0) {
		ctx_buf_adds(input, "draft:\n");
		ctx_buf_addspan(input, ctx_buf_span(&draft));
		ctx_buf_addc(input, '\n');
	}
	ctx_buf_release(&draft);
}

static bool
try_exec(const struct task *t, struct ctx_buf *out)
{
	const struct ctx_summary_make_options *o = &t->mk->o;
	struct ctx_buf raw = CTX_BUF_INIT, input = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	bool ok = false;

	ctx_buf_addspan(&input, o->ndjson ? t->records : t->text);
	add_draft(t, &input);
	if (o->exec(o->arg, ctx_buf_span(&input), &raw, &err) < 0) {
		note_fallback(t->mk, CTX_SUMMARY_EXEC, err.msg);
	} else if (raw.n > 0 && memchr(raw.p, 0, raw.n) != NULL) {
		note_fallback(
		    t->mk, CTX_SUMMARY_EXEC, "the summary contains a NUL character");
	} else {
		ctx_buf_addspan(out, ctx_span_trim(ctx_buf_span(&raw)));
		ok = is_accepted_summary(t, CTX_SUMMARY_EXEC, out);
	}
	ctx_buf_release(&raw);
	ctx_buf_release(&input);
	return ok;
}

/* Adds a final line with the required texts that are missing. */
static void
add_required(const struct task *t, struct ctx_buf *text)
{
	const char *lead = "- ";

	for (size_t i = 0; i < t->n_required; i++) {
		if (ctx_summary_contains(ctx_buf_span(text), t->required[i]))
			continue;
		if (lead[0] == '-' && text->n > 0 && text->p[text->n - 1] != '\n')
			ctx_buf_addc(text, '\n');
		ctx_buf_adds(text, lead);
		ctx_buf_addspan(text, t->required[i]);
		lead = "; ";
	}
}

static bool
try_extractive(const struct task *t, struct ctx_buf *out)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (!write_document(t, out, &err)) {
		note_fallback(t->mk, CTX_SUMMARY_EXTRACTIVE, err.msg);
		return false;
	}
	add_required(t, out);
	return is_accepted_summary(t, CTX_SUMMARY_EXTRACTIVE, out);
}

static bool
try_truncation(const struct task *t, struct ctx_buf *out)
{
	int64_t max = t->max - room_for_required(t);

	if (max > 0)
		ctx_summary_truncate(out, t->in, t->mk->o.tokenizer, max);
	add_required(t, out);
	return is_accepted_summary(t, CTX_SUMMARY_TRUNCATION, out);
}

/* Tries the methods in turn. Returns false if no result passes the checks. */
static bool
run(const struct task *t, struct ctx_buf *out, enum ctx_summary_method *method)
{
	for (int m = t->mk->o.exec == NULL ? CTX_SUMMARY_EXTRACTIVE : CTX_SUMMARY_EXEC;
	     m <= CTX_SUMMARY_TRUNCATION; m++) {
		ctx_buf_reset(out);
		*method = (enum ctx_summary_method)m;
		if (m == CTX_SUMMARY_EXEC         ? try_exec(t, out)
		    : m == CTX_SUMMARY_EXTRACTIVE ? try_extractive(t, out)
						  : try_truncation(t, out))
			return true;
	}
	return false;
}

/* ---- summarizing in pieces ---- */

/* Prepares the task. t->text refers to *text, which the caller releases. */
static void
begin_task(struct task *t, struct ctx_buf *text)
{
	const struct ctx_summary_make_options *o = &t->mk->o;

	ctx_summary_input_text(t->in, text);
	t->text = ctx_buf_span(text);
	t->required = ctx_mem_new((o->n_required + 1) * sizeof(*t->required));
	for (size_t i = 0; i < o->n_required; i++) {
		struct ctx_span r = ctx_span_trim(o->required[i]);
		if (r.n > 0 && ctx_summary_contains(t->text, r))
			t->required[t->n_required++] = r;
	}
}

/* Summarizes the messages added so far, and starts the next piece. */
static void
end_piece(struct ctx_summary_maker *mk)
{
	int64_t pieces = (mk->o.total + mk->o.piece - 1) / mk->o.piece;
	struct task t = {.mk = mk,
	    .in = mk->in,
	    .replaces = mk->tokens,
	    .records = ctx_buf_span(&mk->records)};
	struct ctx_buf text = CTX_BUF_INIT, made = CTX_BUF_INIT;
	enum ctx_summary_method method;

	t.max = mk->o.piece / (pieces > 1 ? pieces : 2);
	t.max = t.max < SHARE_MIN ? SHARE_MIN : t.max;
	begin_task(&t, &text);
	if (run(&t, &made, &method)) {
		if (mk->parts == NULL)
			mk->parts = ctx_summary_input_new();
		ctx_summary_input_add_earlier(mk->parts, ctx_buf_span(&made));
		ctx_json_print(&mk->part_records,
		    "{'kind':'message','message_type':%s,"
		    "'message':{'role':'user','content':%t}}\n",
		    ctx_message_type_name(CTX_TYPE_SUMMARY), ctx_buf_span(&made));
		mk->part_tokens += count_summary_tokens(&t, &made);
	}
	mk->pieces++;
	mk->tokens = 0;
	mk->n = 0;
	ctx_summary_input_free(mk->in);
	mk->in = ctx_summary_input_new();
	ctx_buf_reset(&mk->records);
	ctx_buf_release(&text);
	ctx_buf_release(&made);
	free(t.required);
}

/* ---- the interface ---- */

struct ctx_summary_maker *
ctx_summary_maker_new(const struct ctx_summary_make_options *o)
{
	struct ctx_summary_maker *mk = ctx_mem_new(sizeof(*mk));

	mk->o = *o;
	mk->in = ctx_summary_input_new();
	return mk;
}

void
ctx_summary_maker_free(struct ctx_summary_maker *mk)
{
	if (mk == NULL)
		return;
	ctx_summary_input_free(mk->in);
	ctx_summary_input_free(mk->parts);
	ctx_buf_release(&mk->records);
	ctx_buf_release(&mk->part_records);
	ctx_buf_release(&mk->fallbacks);
	free(mk);
}

static void
add_maker_record(struct ctx_summary_maker *mk, struct ctx_span record, int64_t tokens)
{
	if (mk->o.exec != NULL && mk->o.ndjson) {
		ctx_buf_addspan(&mk->records, ctx_span_trim(record));
		ctx_buf_addc(&mk->records, '\n');
	}
	mk->tokens += tokens;
	mk->n++;
}

void
ctx_summary_maker_add(struct ctx_summary_maker *mk, const struct ctx_message *m,
    struct ctx_span record, int64_t tokens)
{
	if (mk->o.exec != NULL && mk->n > 0 && mk->tokens + tokens > mk->o.piece)
		end_piece(mk);
	ctx_summary_input_add_message(mk->in, m);
	add_maker_record(mk, record, tokens);
}

void
ctx_summary_maker_add_summary(struct ctx_summary_maker *mk, struct ctx_span text,
    struct ctx_span record, int64_t tokens)
{
	ctx_summary_input_add_earlier(mk->in, text);
	add_maker_record(mk, record, tokens);
}

int
ctx_summary_maker_end(struct ctx_summary_maker *mk, struct ctx_summary_made *out)
{
	struct task t = {.mk = mk,
	    .max = mk->o.max_tokens,
	    .replaces = mk->o.replaces,
	    .strict = mk->o.strict};
	struct ctx_buf text = CTX_BUF_INIT;
	bool ok;

	if (mk->pieces > 0 && mk->n > 0)
		end_piece(mk);
	out->pieces = mk->pieces > 0 ? mk->pieces : 1;
	t.in = mk->parts != NULL ? mk->parts : mk->in;
	t.records = ctx_buf_span(mk->parts != NULL ? &mk->part_records : &mk->records);
	if (t.max > t.replaces)
		t.max = t.replaces;
	begin_task(&t, &text);
	if (t.max <= 0)
		note_fallback(mk, CTX_SUMMARY_EXTRACTIVE,
		    "a summary would not be shorter than the messages");
	ok = t.max > 0 && run(&t, &out->text, &out->method);
	if (ok)
		out->facts = ctx_summary_facts_kept(t.text, ctx_buf_span(&out->text));
	ctx_buf_addspan(&out->fallbacks, ctx_buf_span(&mk->fallbacks));
	ctx_buf_release(&text);
	free(t.required);
	return ok ? 1 : 0;
}
