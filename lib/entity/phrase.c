#include "entity/phrase.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "recall/mode.h"
#include "words/stems.h"
#include "store/entity.h"

/* A known entity whose name consists of words. */
struct known {
	int64_t no;
	struct ctx_stems name, type; /* sorted */
	double score;
};

struct phrase {
	struct ctx_stems asked;
	struct known *list;
	size_t n, cap;
};

static int
add_phrase_name(void *arg, struct ctx_span name, struct ctx_span type, int64_t no)
{
	struct phrase *p = arg;
	struct known k = {no, CTX_STEMS_INIT, CTX_STEMS_INIT, 0};

	if (type.p == NULL || ctx_span_has_digit(name))
		return 0;
	ctx_stems_add(&k.name, name, false);
	ctx_stems_add(&k.type, type, true);
	ctx_stems_sort(&k.name);
	ctx_stems_sort(&k.type);
	CTX_MEM_GROW(p->list, p->n, p->cap);
	p->list[p->n++] = k;
	return 0;
}

/* Removes repeated words and words that are in other. w is sorted. */
static void
remove_shared_stems(struct ctx_stems *w, const struct ctx_stems *other)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		uint64_t word = w->list[i];
		if ((n == 0 || w->list[n - 1] != word) &&
		    ctx_stems_count(other, word) == 0)
			w->list[n++] = word;
	}
	w->n = n;
}

/* Removes words that ask for an action, unless no other words would be left. */
static void
reduce_verbs(struct ctx_stems *w)
{
	struct ctx_stems verbs = CTX_STEMS_INIT;
	size_t n, left = 0;
	const struct ctx_mode *modes = ctx_mode_builtin(&n);

	for (size_t i = 0; i < n; i++)
		ctx_stems_add(&verbs, modes[i].words, true);
	ctx_stems_sort(&verbs);
	for (size_t i = 0; i < w->n; i++)
		left += ctx_stems_count(&verbs, w->list[i]) == 0;
	if (left > 0)
		remove_shared_stems(w, &verbs);
	ctx_stems_release(&verbs);
}

static bool
names_type(const struct ctx_stems *asked, const struct ctx_stems *type)
{
	for (size_t i = 0; i < type->n; i++) {
		if (ctx_stems_count(asked, type->list[i]) == 0)
			return false;
	}
	return type->n > 0;
}

/* Scores the entities: a word that n names contain adds 1/n to each of them. */
static void
score_phrase_words(struct phrase *p, const struct ctx_stems *words)
{
	for (size_t i = 0; i < words->n; i++) {
		size_t with = 0;
		for (size_t k = 0; k < p->n; k++)
			with += ctx_stems_count(&p->list[k].name, words->list[i]) > 0;
		for (size_t k = 0; k < p->n; k++)
			if (ctx_stems_count(&p->list[k].name, words->list[i]) > 0)
				p->list[k].score += 1 / (double)with;
	}
}

static int
compare_phrase_scores(const void *pa, const void *pb)
{
	const struct known *a = pa, *b = pb;

	return a->score != b->score ? CTX_ORDER(b->score, a->score)
				    : CTX_ORDER(a->no, b->no);
}

static void
judge_phrase_matches(struct phrase *p)
{
	struct ctx_stems words = CTX_STEMS_INIT, types = CTX_STEMS_INIT;
	bool typed = false;

	for (size_t k = 0; k < p->n; k++) {
		const struct ctx_stems *type = &p->list[k].type;
		if (!names_type(&p->asked, type))
			continue;
		for (size_t i = 0; i < type->n; i++) {
			CTX_MEM_GROW(types.list, types.n, types.cap);
			types.list[types.n++] = type->list[i];
		}
	}
	ctx_stems_sort(&types);
	for (size_t i = 0; i < p->asked.n; i++) {
		CTX_MEM_GROW(words.list, words.n, words.cap);
		words.list[words.n++] = p->asked.list[i];
	}
	remove_shared_stems(&words, &types);
	reduce_verbs(&words);
	score_phrase_words(p, &words);
	for (size_t k = 0; k < p->n; k++)
		typed = typed ||
			(p->list[k].score > 0 && names_type(&p->asked, &p->list[k].type));
	for (size_t k = 0; typed && k < p->n; k++)
		if (!names_type(&p->asked, &p->list[k].type))
			p->list[k].score = 0;
	if (p->n > 0)
		qsort(p->list, p->n, sizeof(*p->list), compare_phrase_scores);
	ctx_stems_release(&words);
	ctx_stems_release(&types);
}

int
ctx_phrase_find(struct ctx_store *st, const char *tenant, const char *text, int64_t **nos,
    size_t *n, struct ctx_err *err)
{
	struct phrase p = {CTX_STEMS_INIT, NULL, 0, 0};
	int rc = ctx_entity_names(st, tenant, add_phrase_name, &p, err);

	*nos = NULL;
	*n = 0;
	if (rc == 0 && p.n > 0) {
		ctx_stems_add(&p.asked, ctx_span_of(text), false);
		ctx_stems_sort(&p.asked);
		judge_phrase_matches(&p);
		*nos = ctx_mem_resize(NULL, p.n, sizeof(**nos));
		while (*n < p.n && p.list[*n].score > 0 &&
		       p.list[*n].score >= p.list[0].score / 2) {
			(*nos)[*n] = p.list[*n].no;
			++*n;
		}
	}
	for (size_t i = 0; i < p.n; i++) {
		ctx_stems_release(&p.list[i].name);
		ctx_stems_release(&p.list[i].type);
	}
	free(p.list);
	ctx_stems_release(&p.asked);
	return rc < 0 ? -1 : 0;
}
