#include "entity/alias.h"

#include <string.h>

#include "words/fold.h"

#define WORDS_MAX 8

struct words {
	struct ctx_span list[WORDS_MAX];
	size_t n;
};

struct maker {
	struct ctx_buf all; /* the aliases made so far, each followed by a newline */
	struct ctx_span name;
	size_t n;
	void (*add)(void *arg, struct ctx_span alias, enum ctx_made where);
	void *arg;
};

static const char stop_words[] =
    "a|an|the|of|for|and|or|to|in|on|at|by|with|my|our|your|its|is|it|as|be|do|if|no|"
    "so|up|us|we|am|are|was|not|but|all|any|can|has|had|her|him|his|how|may|new|now|"
    "old|one|out|own|put|say|see|she|too|two|use|way|who|why|yes|you|get|let|did|got|"
    "few|end|set|try|run|add|ask|app|api";

/* Last words that only say what kind of thing the entity is. */
static const char kind_words[] =
    "management|manager|system|process|workflow|service|pipeline|project|tracker|"
    "tracking|tool|app|application|automation|flow|job|task|handler|processing|"
    "module|platform|program|procedure|plan|list|report";

/* First words that, followed by a type, are an instruction or fit any entity: "update
 * workflow", "new workflow", "the main site". */
static const char vague_words[] =
    "active|actual|backup|bad|basic|best|big|build|central|change|check|close|common|"
    "copy|create|current|custom|default|delete|different|edit|entire|existing|extra|"
    "find|first|free|full|general|global|good|great|important|large|last|late|list|"
    "little|local|long|main|major|make|minor|move|next|normal|only|open|other|"
    "previous|primary|private|public|quick|real|remote|remove|rename|right|same|"
    "second|secondary|send|short|show|simple|single|small|smart|special|standard|"
    "start|stop|sub|super|test|third|total|update|upper|usual|view|whole|wrong";

static bool
is_joint(char c)
{
	return strchr(" \t\n\r-_/.", c) != NULL;
}

/* Appends a copy of name with a space wherever a lower-case ASCII letter is followed by a
 * capital one. */
static void
split_camel(struct ctx_span name, struct ctx_buf *out)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (i > 0 && ctx_is_upper(c) && ctx_is_lower(name.p[i - 1]))
			ctx_buf_addc(out, ' ');
		ctx_buf_addc(out, c);
	}
}

/* Returns false if the name has no words or too many. */
static bool
split_words(struct ctx_span folded, struct words *w)
{
	size_t i = 0;

	w->n = 0;
	while (i < folded.n) {
		size_t from = i;

		while (i < folded.n && !is_joint(folded.p[i]))
			i++;
		if (i > from && w->n == WORDS_MAX)
			return false;
		if (i > from)
			w->list[w->n++] = (struct ctx_span){folded.p + from, i - from};
		i++;
	}
	while (w->n > 1 && ctx_span_is_any(w->list[w->n - 1], stop_words))
		w->n--;
	while (w->n > 1 && ctx_span_is_any(w->list[0], stop_words)) {
		w->n--;
		memmove(w->list, w->list + 1, w->n * sizeof(w->list[0]));
	}
	return w->n > 0;
}

static bool
is_identifier(struct ctx_span name)
{
	bool mark = false;

	for (size_t i = 0; i < name.n; i++) {
		if (strchr(" \t\n", name.p[i]) != NULL)
			return false;
		mark |= strchr("0123456789/\\:@", name.p[i]) != NULL;
	}
	return mark;
}

static bool
has_line(const struct ctx_buf *all, struct ctx_span line)
{
	struct ctx_span rest = ctx_buf_span(all), one;

	while (ctx_span_split(&rest, '\n', &one))
		if (ctx_span_eq(one, line))
			return true;
	return false;
}

static void
add_made_alias(struct maker *m, const struct ctx_buf *alias, enum ctx_made where)
{
	struct ctx_span s = ctx_buf_span(alias);

	if (m->n == CTX_ALIAS_MAX || s.n < 3 || ctx_span_eq(s, m->name) ||
	    has_line(&m->all, s))
		return;
	ctx_buf_addspan(&m->all, s);
	ctx_buf_addc(&m->all, '\n');
	m->n++;
	m->add(m->arg, s, where);
}

/* Adds an alias: before, the first n words joined by joint, then a space and after. */
static void
make_joined(struct maker *m, const char *before, const struct words *w, size_t n,
    const char *joint, struct ctx_span after)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_adds(&b, before);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			ctx_buf_adds(&b, joint);
		ctx_buf_addspan(&b, w->list[i]);
	}
	if (after.n > 0) {
		ctx_buf_addc(&b, ' ');
		ctx_buf_addspan(&b, after);
	}
	add_made_alias(m, &b,
	    n == 1 && *before == '\0' && after.n == 0 ? CTX_MADE_WHOLE
						      : CTX_MADE_ANYWHERE);
	ctx_buf_release(&b);
}

/* Adds the alias with the last word in its other number: report, reports; entry, entries.
 * For English only; a wrong form does no harm. */
static void
make_other_number(struct maker *m, const struct words *w)
{
	struct ctx_span last = w->list[w->n - 1];
	struct ctx_buf b = CTX_BUF_INIT;
	char end = last.p[last.n - 1];

	if (w->n < 2 || last.n < 3 || (unsigned char)end >= 0x80)
		return;
	for (size_t i = 0; i + 1 < w->n; i++) {
		ctx_buf_addspan(&b, w->list[i]);
		ctx_buf_addc(&b, ' ');
	}
	ctx_buf_addspan(&b, last);
	if (end == 's' && last.p[last.n - 2] != 's') {
		b.n -= 1;
		if (last.n > 4 && memcmp(last.p + last.n - 3, "ie", 2) == 0) {
			b.n -= 2;
			ctx_buf_addc(&b, 'y');
		}
	} else if (end == 'y' && strchr("aeou", last.p[last.n - 2]) == NULL) {
		b.n -= 1;
		ctx_buf_adds(&b, "ies");
	} else {
		ctx_buf_adds(&b, end == 's' || end == 'x' ? "es" : "s");
	}
	add_made_alias(m, &b, CTX_MADE_ANYWHERE);
	ctx_buf_release(&b);
}

static void
make_initials(struct maker *m, const struct words *w)
{
	struct ctx_buf b = CTX_BUF_INIT;

	for (size_t i = 0; i < w->n; i++) {
		if ((unsigned char)w->list[i].p[0] >= 0x80)
			b.n = 0;
		else
			ctx_buf_add(&b, w->list[i].p, 1);
	}
	if (w->n >= 3 && b.n == w->n && !ctx_span_is_any(ctx_buf_span(&b), stop_words))
		add_made_alias(m, &b, CTX_MADE_CAPITALS);
	ctx_buf_release(&b);
}

static void
make_head(struct maker *m, const struct words *w, struct ctx_span type)
{
	struct ctx_span last = w->list[w->n - 1];
	size_t n = w->n - 1;

	if (w->n < 2)
		return;
	if (type.n > 0 && (n > 1 || (!ctx_span_is_any(w->list[0], vague_words) &&
					!ctx_span_is_any(w->list[0], stop_words))))
		make_joined(m, "", w, n, " ", type);
	if (!ctx_span_is_any(last, kind_words) && !ctx_span_eq(last, type))
		return;
	make_joined(m, "my ", w, n, " ", CTX_SPAN_NONE);
	if (n >= 2)
		make_joined(m, "", w, n, " ", CTX_SPAN_NONE);
}

size_t
ctx_alias_generate(struct ctx_span name, struct ctx_span type,
    void (*add)(void *arg, struct ctx_span alias, enum ctx_made where), void *arg)
{
	struct ctx_buf camel = CTX_BUF_INIT, folded = CTX_BUF_INIT, whole = CTX_BUF_INIT;
	struct ctx_buf kind = CTX_BUF_INIT;
	struct maker m = {CTX_BUF_INIT, {NULL, 0}, 0, add, arg};
	struct words w;

	name = ctx_fold_trim(name);
	if (name.n == 0 || name.n > CTX_ALIAS_NAME_MAX || is_identifier(name))
		return 0;
	split_camel(name, &camel);
	ctx_fold_text(ctx_buf_span(&camel), &folded);
	ctx_fold_text(name, &whole);
	ctx_fold_text(type, &kind);
	for (size_t i = 0; i < kind.n; i++)
		kind.p[i] = kind.p[i] == '_' ? ' ' : kind.p[i];
	m.name = ctx_buf_span(&whole);
	if (split_words(ctx_buf_span(&folded), &w)) {
		struct ctx_span last = w.list[w.n - 1], t = ctx_buf_span(&kind);

		make_joined(&m, "", &w, w.n, " ", CTX_SPAN_NONE);
		make_joined(&m, "", &w, w.n, "-", CTX_SPAN_NONE);
		make_joined(&m, "", &w, w.n, "_", CTX_SPAN_NONE);
		if (w.n == 2 || w.n == 3)
			make_joined(&m, "", &w, w.n, "", CTX_SPAN_NONE);
		if (t.n > 0 && !ctx_span_eq(last, t))
			make_joined(&m, "", &w, w.n, " ", t);
		make_other_number(&m, &w);
		make_head(&m, &w, t);
		make_initials(&m, &w);
	}
	ctx_buf_release(&m.all);
	ctx_buf_release(&camel);
	ctx_buf_release(&folded);
	ctx_buf_release(&whole);
	ctx_buf_release(&kind);
	return m.n;
}
