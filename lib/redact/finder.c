/* The Aho-Corasick automaton of the literals, as a table. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "redact/internal.h"

static unsigned char
fold_case(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* Maps bytes to classes. Bytes that occur in no literal are class 0. */
static unsigned
make_classes(struct finder *f, const struct literal *list, size_t n)
{
	unsigned classes = 1, shift = 0;

	memset(f->class, 0, sizeof(f->class));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < list[i].n; k++) {
			unsigned char c = fold_case(list[i].text[k]);
			if (f->class[c] == 0)
				f->class[c] = (uint8_t)classes++;
		}
	}
	for (int c = 'A'; c <= 'Z'; c++)
		f->class[c] = f->class[c | 0x20];
	while (1u << shift < classes)
		shift++;
	return shift;
}

static void
add_finder_literal(struct finder *f, const struct literal *list, size_t i)
{
	size_t s = 0;

	for (size_t k = 0; k < list[i].n; k++) {
		uint16_t *to =
		    &f->next[(s << f->shift) + f->class[(unsigned char)list[i].text[k]]];
		if (*to == 0)
			*to = (uint16_t)f->states++;
		s = *to;
	}
	f->same[i] = f->first[s];
	f->first[s] = (int32_t)i;
}

/* Adds the missing transitions, breadth first: where a state has none, it takes that of
 * its longest suffix. */
static void
link_states(struct finder *f)
{
	size_t row = (size_t)1 << f->shift, done = 0, n = 0;
	uint16_t *queue = ctx_mem_new(f->states * sizeof(*queue));
	uint16_t *fail = ctx_mem_new(f->states * sizeof(*fail));

	for (size_t c = 0; c < row; c++)
		if (f->next[c] != 0)
			queue[n++] = f->next[c];
	while (done < n) {
		size_t s = queue[done++];
		f->suffix[s] = f->first[fail[s]] >= 0 ? fail[s] : f->suffix[fail[s]];
		for (size_t c = 0; c < row; c++) {
			uint16_t *to = &f->next[(s << f->shift) + c];
			uint16_t other = f->next[((size_t)fail[s] << f->shift) + c];
			if (*to == 0) {
				*to = other;
			} else {
				fail[*to] = other;
				queue[n++] = *to;
			}
		}
	}
	free(queue);
	free(fail);
}

void
ctx_redact_finder_build(struct finder *f, const struct literal *list, size_t n)
{
	size_t most = 1, cells;

	for (size_t i = 0; i < n; i++)
		most += list[i].n;
	f->shift = make_classes(f, list, n);
	f->states = 1;
	f->next = ctx_mem_new((most << f->shift) * sizeof(*f->next));
	f->first = ctx_mem_resize(NULL, most, sizeof(*f->first));
	memset(f->first, 0xff, most * sizeof(*f->first));
	f->same = ctx_mem_new((n + 1) * sizeof(*f->same));
	f->suffix = ctx_mem_new(most * sizeof(*f->suffix));
	for (size_t i = 0; i < n; i++)
		add_finder_literal(f, list, i);
	link_states(f);
	cells = f->states << f->shift;
	for (size_t i = 0; i < cells; i++)
		if (f->first[f->next[i]] >= 0 || f->suffix[f->next[i]] != 0)
			f->next[i] |= FINDER_HIT;
}

void
ctx_redact_finder_release(struct finder *f)
{
	free(f->next);
	free(f->first);
	free(f->same);
	free(f->suffix);
	memset(f, 0, sizeof(*f));
}
