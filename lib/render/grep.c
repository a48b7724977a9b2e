#include "render/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "words/words.h"

#define HITS_MAX 10000
#define ROOM_MIN 30 /* smallest number of columns for the text of a line */

struct grep_line {
	struct ctx_span text;
	size_t terms; /* number of different query words in the line */
};

struct grep {
	const struct ctx_grep_message *m;
	const struct ctx_grep_options *o;
	struct grep_line *lines;
	size_t n, cap;
	struct ctx_words_found *found;
	size_t n_found;
};

static void
split_lines(struct grep *g, struct ctx_span text)
{
	struct ctx_span line;

	while (ctx_span_split(&text, '\n', &line)) {
		CTX_MEM_GROW(g->lines, g->n, g->cap);
		g->lines[g->n++] = (struct grep_line){line, 0};
	}
}

static size_t
count_terms(const struct ctx_words_found *found, size_t n)
{
	uint64_t set = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		set |= UINT64_C(1) << (found[i].term & 63);
	for (; set != 0; set &= set - 1)
		count++;
	return count;
}

/* Counts the query words of each line. Returns the largest count. */
static size_t
judge_lines(struct grep *g)
{
	size_t best = 0, hit = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct ctx_span s = g->lines[i].text;
		size_t end = (size_t)(s.p + s.n - g->m->text.p), from = hit;
		while (hit < g->n_found && g->found[hit].start < end)
			hit++;
		g->lines[i].terms = count_terms(g->found + from, hit - from);
		if (g->lines[i].terms > best)
			best = g->lines[i].terms;
	}
	return best;
}

/* Appends a line with the words of the query highlighted. */
static void
put_marked(struct ctx_buf *out, const struct grep *g, struct ctx_span line)
{
	size_t at = 0, n = g->o->term->colour
			       ? ctx_words_find(line, g->o->query, g->found, HITS_MAX)
			       : 0;

	for (size_t i = 0; i < n; i++) {
		ctx_buf_add(out, line.p + at, g->found[i].start - at);
		ctx_term_style(out, g->o->term, CTX_STYLE_MATCH);
		ctx_buf_add(
		    out, line.p + g->found[i].start, g->found[i].end - g->found[i].start);
		ctx_term_style(out, g->o->term, CTX_STYLE_PLAIN);
		at = g->found[i].end;
	}
	ctx_buf_add(out, line.p + at, line.n - at);
}

/* A line that is too wide is cut to the part with the most query words. */
static void
put_grep_text(
    struct ctx_buf *out, const struct grep *g, struct ctx_span text, size_t used)
{
	struct ctx_buf clean = CTX_BUF_INIT, part = CTX_BUF_INIT, cut = CTX_BUF_INIT;
	size_t columns = (size_t)g->o->term->columns, room;

	ctx_term_clean_line(&clean, g->o->term, text);
	room = columns > used + ROOM_MIN ? columns - used : ROOM_MIN;
	if (columns == 0 || ctx_term_width(ctx_buf_span(&clean)) <= room) {
		put_marked(out, g, ctx_buf_span(&clean));
	} else {
		ctx_words_snippet(ctx_buf_span(&clean), g->o->query, room - 2, &part);
		ctx_buf_reset(&clean);
		ctx_term_clean_line(&clean, g->o->term, ctx_buf_span(&part));
		ctx_term_put_cut(&cut, g->o->term, ctx_buf_span(&clean), room);
		put_marked(out, g, ctx_buf_span(&cut));
	}
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&clean);
	ctx_buf_release(&part);
	ctx_buf_release(&cut);
}

/* An id that could be mistaken for other fields of the line is quoted. */
static void
put_grep_id(struct ctx_buf *out, const struct grep *g)
{
	struct ctx_buf id = CTX_BUF_INIT;
	struct ctx_span s = ctx_span_of(g->m->session_id);

	if (strchr(g->m->session_id, ':') != NULL || g->m->session_id[0] == '"') {
		ctx_json_put_string(&id, s);
		s = ctx_buf_span(&id);
	}
	ctx_term_clean_line(out, g->o->term, s);
	ctx_buf_release(&id);
}

static void
put_grep_line(struct ctx_buf *out, const struct grep *g, struct ctx_span text, bool match)
{
	static const enum ctx_style styles[] = {CTX_STYLE_SYSTEM, CTX_STYLE_SYSTEM,
	    CTX_STYLE_USER, CTX_STYLE_ASSISTANT, CTX_STYLE_TOOL};
	const struct ctx_term *t = g->o->term;
	const char *role = ctx_role_name(g->m->role);
	char mark = match ? ':' : '-';
	size_t digits;

	if (t->columns == 0) {
		put_grep_id(out, g);
		ctx_buf_addc(out, mark);
	}
	ctx_term_style(out, t, CTX_STYLE_DIM);
	digits = out->n;
	ctx_buf_addi(out, g->m->seq);
	digits = out->n - digits;
	ctx_term_style(out, t, CTX_STYLE_PLAIN);
	ctx_buf_addc(out, t->columns == 0 ? mark : ' ');
	ctx_term_style(out, t, styles[g->m->role]);
	ctx_buf_adds(out, role);
	ctx_term_style(out, t, CTX_STYLE_PLAIN);
	ctx_buf_addc(out, mark);
	ctx_buf_addc(out, ' ');
	put_grep_text(out, g, text, digits + strlen(role) + 3);
}

static bool
is_near_match(const struct grep *g, size_t i, size_t best)
{
	size_t from = i > g->o->context ? i - g->o->context : 0;

	for (size_t k = from; k < g->n && k <= i + g->o->context; k++)
		if (g->lines[k].terms == best)
			return true;
	return false;
}

void
ctx_grep_print(struct ctx_buf *out, const struct ctx_grep_message *m,
    const struct ctx_grep_options *o)
{
	struct grep g = {.m = m, .o = o};
	size_t best, before = SIZE_MAX;

	g.found = ctx_mem_new(HITS_MAX * sizeof(*g.found));
	g.n_found = ctx_words_find(m->text, o->query, g.found, HITS_MAX);
	split_lines(&g, m->text);
	best = judge_lines(&g);
	for (size_t i = 0; i < g.n; i++) {
		if (best == 0 ? i > 0 : !is_near_match(&g, i, best))
			continue;
		if (before != SIZE_MAX && i > before + 1 && o->context > 0)
			ctx_buf_adds(out, "--\n");
		put_grep_line(
		    out, &g, g.lines[i].text, best == 0 || g.lines[i].terms == best);
		before = i;
	}
	free(g.lines);
	free(g.found);
}
