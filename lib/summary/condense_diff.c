#include "summary/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct file {
	struct ctx_span name;
	size_t added, removed;
	const char *note;
};

struct diff {
	struct file *v;
	size_t n, cap;
	size_t added, removed, hunks, lines;
	unsigned long old_left, new_left; /* remaining lines of the hunk */
	struct ctx_span preamble;
	bool git; /* the current file began with "diff --git" */
};

/* Returns the name after "+++ " or "--- ", without a/ or b/ and without a time after a
 * tab. */
static struct ctx_span
name_of(struct ctx_span line)
{
	struct ctx_span s = {line.p + 4, line.n - 4};
	const char *tab = memchr(s.p, '\t', s.n);

	if (tab != NULL)
		s.n = (size_t)(tab - s.p);
	if (s.n > 2 && (s.p[0] == 'a' || s.p[0] == 'b') && s.p[1] == '/') {
		s.p += 2;
		s.n -= 2;
	}
	return s;
}

static struct file *
new_file(struct diff *d, struct ctx_span name)
{
	CTX_MEM_GROW(d->v, d->n, d->cap);
	d->v[d->n] = (struct file){.name = name};
	return &d->v[d->n++];
}

/* Returns the new name from "diff --git a/old b/new". */
static struct ctx_span
git_name(struct ctx_span line)
{
	for (size_t i = line.n; i-- > 3;)
		if (memcmp(line.p + i - 3, " b/", 3) == 0)
			return ctx_span_from(line, i);
	return ctx_span_from(line, 11);
}

static unsigned long
parse_diff_number(const char **p, const char *end)
{
	unsigned long n = 0;

	for (; *p < end && ctx_is_digit(**p); ++*p)
		n = n < 100000000 ? n * 10 + (unsigned long)(**p - '0') : n;
	return n;
}

/* Reads "@@ -start,lines +start,lines @@"; a missing number of lines means 1. */
static void
read_hunk(struct diff *d, struct ctx_span line)
{
	const char *p = line.p + 4, *end = line.p + line.n;

	d->hunks++;
	d->old_left = d->new_left = 1;
	parse_diff_number(&p, end);
	if (p < end && *p == ',' && (p++, true))
		d->old_left = parse_diff_number(&p, end);
	while (p < end && (*p == ' ' || *p == '+'))
		p++;
	parse_diff_number(&p, end);
	if (p < end && *p == ',' && (p++, true))
		d->new_left = parse_diff_number(&p, end);
}

static bool
in_hunk(struct diff *d, struct ctx_span line)
{
	char c = line.n > 0 ? line.p[0] : ' ';

	if ((d->old_left == 0 && d->new_left == 0) || d->n == 0)
		return false;
	if (c == '+') {
		d->v[d->n - 1].added++;
		d->added++;
	} else if (c == '-') {
		d->v[d->n - 1].removed++;
		d->removed++;
	} else if (c != ' ' && c != '\\') {
		d->old_left = d->new_left = 0; /* the hunk is incomplete */
		return false;
	}
	if (c != '+' && c != '\\' && d->old_left > 0)
		d->old_left--;
	if (c != '-' && c != '\\' && d->new_left > 0)
		d->new_left--;
	return true;
}

static void
read_header(struct diff *d, struct ctx_span line, struct ctx_span last)
{
	struct file *f = d->n > 0 ? &d->v[d->n - 1] : NULL;

	if (ctx_span_begins(line, "diff --git ")) {
		new_file(d, git_name(line));
		d->git = true;
	} else if (ctx_span_begins(line, "+++ ") && last.p != NULL &&
		   ctx_span_begins(last, "--- ")) {
		if (!d->git || f == NULL)
			f = new_file(d, CTX_SPAN_NONE);
		f->name = ctx_span_begins(line, "+++ /dev/null") ? name_of(last)
								 : name_of(line);
		f->note = ctx_span_begins(line, "+++ /dev/null")   ? " (deleted)"
			  : ctx_span_begins(last, "--- /dev/null") ? " (new)"
								   : f->note;
		d->git = false;
	} else if (ctx_span_begins(line, "@@ -")) {
		read_hunk(d, line);
	} else if (f != NULL && ctx_span_begins(line, "Binary files ")) {
		f->note = " (binary)";
	} else if (f != NULL && ctx_span_begins(line, "rename from ")) {
		f->note = " (renamed)";
	}
}

static void
read_diff(struct diff *d, struct ctx_span text)
{
	struct ctx_span line, last = CTX_SPAN_NONE, rest = text;

	while (ctx_summary_line(&rest, &line)) {
		d->lines++;
		if (in_hunk(d, line))
			continue;
		read_header(d, line, last);
		if (d->n == 0 && !ctx_span_begins(line, "--- "))
			d->preamble = (struct ctx_span){
			    text.p, (size_t)(rest.p - text.p)};
		last = line;
	}
}

static void
print_files(const struct diff *d, size_t n, struct ctx_buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct file *f = &d->v[i];
		ctx_buf_addspan(out, f->name);
		ctx_buf_addf(
		    out, " +%zu -%zu%s\n", f->added, f->removed, f->note ? f->note : "");
	}
	if (n < d->n)
		ctx_buf_addf(out, "[… %zu of %zu files not listed]\n", d->n - n, d->n);
	ctx_buf_addf(out,
	    "[… diff of %zu files, +%zu -%zu, %zu hunks, %zu lines left out]", d->n,
	    d->added, d->removed, d->hunks, d->lines);
}

bool
ctx_summary_condense_diff(
    struct ctx_buf *out, struct ctx_span text, struct ctx_tokenizer *t, int64_t max)
{
	struct diff d = {.n = 0};
	struct ctx_buf b = CTX_BUF_INIT;
	size_t files, low = 0, high;
	bool fits = false;

	read_diff(&d, text);
	ctx_summary_condense_text(&b, ctx_span_trim(d.preamble), t, max / 4);
	if (b.n > 0)
		ctx_buf_addc(&b, '\n');
	/* Lists as many files as fit. The preamble is left out if there is no room for it
	 * beside the marker. */
	for (int with = 1; with >= 0 && !fits; with--) {
		size_t from = with ? b.n : 0;
		for (low = 0, high = d.n + 1, files = d.n; low < high;
		     files = low + (high - low) / 2) {
			ctx_buf_cut(&b, from);
			print_files(&d, files, &b);
			if (ctx_tokens_text(t, b.p, b.n) <= max)
				low = files + 1;
			else
				high = files;
		}
		fits = low > 0;
		if (fits) {
			ctx_buf_cut(&b, from);
			print_files(&d, low - 1, &b);
			ctx_buf_add(out, b.p, b.n);
		}
	}
	ctx_buf_release(&b);
	free(d.v);
	return fits;
}
