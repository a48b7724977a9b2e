/* Prints differences as an HTML page. */
#include <string.h>

#include "base/buf.h"
#include "diff/diff.h"
#include "record/message.h"

static const char css[] = {
#include "diff/diff.css.inc"
};

/* Returns whether the byte is the first of a character. */
static bool
begins_character(char c)
{
	return (c & 0xc0) != 0x80;
}

/* Returns the text to show: the words of a message that contains nothing else, otherwise
 * its JSON. */
static void
read_diff_text(struct ctx_buf *out, const struct ctx_diff_entry *e)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;

	if (e->type == CTX_DIFF_MESSAGE &&
	    ctx_message_parse(&m, e->json, &ignored) == 0 && m.n > 0 &&
	    ctx_message_count(&m, CTX_PART_TEXT) == m.n)
		ctx_message_text(&m, out);
	if (out->n == 0)
		ctx_buf_addspan(out, e->json);
	ctx_message_release(&m);
}

/* Finds where two texts begin to differ, and how many bytes at their ends are equal. */
static void
find_changed_part(struct ctx_span a, struct ctx_span b, size_t *first, size_t *same_end)
{
	size_t least = a.n < b.n ? a.n : b.n, at = 0, end = 0;

	while (at < least && a.p[at] == b.p[at])
		at++;
	while (at > 0 &&
	       (at < a.n ? !begins_character(a.p[at]) : !begins_character(b.p[at])))
		at--;
	while (end < least - at && a.p[a.n - 1 - end] == b.p[b.n - 1 - end])
		end++;
	while (end > 0 && !begins_character(a.p[a.n - end]))
		end--;
	*first = at;
	*same_end = end;
}

/* Prints one side. The part between the equal beginning and the equal end is marked with
 * the tag. */
static void
put_html_side(struct ctx_buf *out, const char *class, struct ctx_span text, size_t first,
    size_t same_end, const char *tag)
{
	ctx_buf_addf(out, "<pre class=\"%s\">", class);
	ctx_term_html(out, (struct ctx_span){text.p, first});
	if (tag != NULL)
		ctx_buf_addf(out, "<%s>", tag);
	ctx_term_html(out, (struct ctx_span){text.p + first, text.n - first - same_end});
	if (tag != NULL)
		ctx_buf_addf(out, "</%s>", tag);
	ctx_term_html(out, (struct ctx_span){text.p + text.n - same_end, same_end});
	ctx_buf_adds(out, "</pre>\n");
}

static void
put_html_texts(struct ctx_buf *out, const struct ctx_diff_change *c)
{
	struct ctx_buf before = CTX_BUF_INIT, after = CTX_BUF_INIT;
	size_t first = 0, same_end = 0;
	bool both = c->a != NULL && c->b != NULL;

	if (c->a != NULL)
		read_diff_text(&before, c->a);
	if (c->b != NULL)
		read_diff_text(&after, c->b);
	/* the difference may not be in the words: show the JSON */
	if (both && ctx_span_eq(ctx_buf_span(&before), ctx_buf_span(&after))) {
		ctx_buf_reset(&before);
		ctx_buf_reset(&after);
		ctx_buf_addspan(&before, c->a->json);
		ctx_buf_addspan(&after, c->b->json);
	}
	if (both)
		find_changed_part(
		    ctx_buf_span(&before), ctx_buf_span(&after), &first, &same_end);
	if (c->a != NULL)
		put_html_side(out, "out", ctx_buf_span(&before), first, same_end,
		    both ? "del" : NULL);
	if (c->b != NULL)
		put_html_side(out, "in", ctx_buf_span(&after), first, same_end,
		    both ? "ins" : NULL);
	ctx_buf_release(&before);
	ctx_buf_release(&after);
}

static void
put_html_tokens(struct ctx_buf *out, const struct ctx_diff_change *c, int64_t tokens)
{
	ctx_buf_adds(out, "</span><span>");
	if (c->a != NULL && c->b != NULL && c->a->tokens != tokens)
		ctx_buf_addf(out, "%lld → ", (long long)c->a->tokens);
	ctx_buf_addf(
	    out, "%lld token%s</span></header>\n", (long long)tokens, CTX_PLURAL(tokens));
}

static void
put_html_change_heading(struct ctx_buf *out, const struct ctx_diff_change *c)
{
	const struct ctx_diff_entry *e = c->b != NULL ? c->b : c->a;

	ctx_buf_addf(out, "<header><b>%s</b><span>", ctx_diff_change_name(c));
	ctx_term_html(out, e->role);
	if (e->seq >= 0)
		ctx_buf_addf(out, "</span><span>message %lld", (long long)e->seq);
	else if (e->position > 0)
		ctx_buf_addf(out, "</span><span>#%lld", (long long)e->position);
	if (e->slot != CTX_SLOT_HISTORY) {
		ctx_buf_addf(out, "</span><span>%s ", ctx_slot_name(e->slot));
		ctx_term_html(out, e->source);
	}
	put_html_tokens(out, c, e->tokens);
}

static void
put_html_token_row(struct ctx_buf *out, const char *name, int64_t before, int64_t after)
{
	if (before != 0 || after != 0)
		ctx_buf_addf(out,
		    "<tr><th>%s</th><td>%lld</td><td>%lld</td><td>%+lld</td></tr>\n",
		    name, (long long)before, (long long)after,
		    (long long)(after - before));
}

static void
put_html_figures(struct ctx_buf *out, const struct ctx_diff *d)
{
	ctx_buf_adds(out, "<table><tr><th>tokens</th><th>before</th><th>after</th>"
			  "<th>change</th></tr>\n");
	for (int i = 0; i < CTX_DIFF_PARTS; i++)
		put_html_token_row(
		    out, ctx_diff_part_name(i), d->a->tokens[i], d->b->tokens[i]);
	put_html_token_row(out, "total", d->a->total, d->b->total);
	ctx_buf_adds(out, "</table>\n");
}

static void
put_diff_page_head(
    struct ctx_buf *out, const struct ctx_diff *d, const char *name_a, const char *name_b)
{
	struct ctx_diff_sums s = ctx_diff_sum(d);
	struct ctx_buf title = CTX_BUF_INIT;

	ctx_term_html(&title, ctx_span_of(name_a));
	ctx_buf_adds(&title, " → ");
	ctx_term_html(&title, ctx_span_of(name_b));
	ctx_buf_adds(out,
	    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, "
	    "initial-scale=1\">\n<title>");
	ctx_buf_addspan(out, ctx_buf_span(&title));
	ctx_buf_addf(
	    out, "</title>\n<style>\n%s</style></head>\n<body><main>\n<h1>", css);
	ctx_buf_addspan(out, ctx_buf_span(&title));
	if (d->n == 0)
		ctx_buf_adds(out, "</h1>\n<p>Nothing differs.</p>\n");
	else
		ctx_buf_addf(out,
		    "</h1>\n<p>%lld in (%lld tokens), %lld out (%lld tokens), "
		    "%lld changed.</p>\n",
		    (long long)s.in, (long long)s.in_tokens, (long long)s.out,
		    (long long)s.out_tokens, (long long)s.changed);
	ctx_buf_release(&title);
}

void
ctx_diff_html(
    struct ctx_buf *out, const struct ctx_diff *d, const char *name_a, const char *name_b)
{
	put_diff_page_head(out, d, name_a, name_b);
	put_html_figures(out, d);
	for (size_t i = 0; i < d->n; i++) {
		ctx_buf_adds(out, "<article>\n");
		put_html_change_heading(out, &d->changes[i]);
		put_html_texts(out, &d->changes[i]);
		ctx_buf_adds(out, "</article>\n");
	}
	ctx_buf_adds(out, "</main></body></html>\n");
}
