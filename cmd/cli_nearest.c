/* Finds the name that is most similar to a mistyped word, for "did you mean". */
#include "cli.h"

#include <string.h>

#define WORD_MAX 48

static size_t
find_least_distance(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Returns the number of edits between two words: insertions, deletions, replacements, and
 * swaps of adjacent letters. Returns WORD_MAX if a word is too long. */
static size_t
count_edits(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	size_t rows[3][WORD_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];

	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_MAX;
	for (size_t k = 0; k <= m; k++)
		last[k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t *spare = before;
		row[0] = i;
		for (size_t k = 1; k <= m; k++) {
			row[k] = find_least_distance(last[k] + 1, row[k - 1] + 1,
			    last[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1] && before[k - 2] + 1 < row[k])
				row[k] = before[k - 2] + 1;
		}
		before = last;
		last = row;
		row = spare;
	}
	return last[m];
}

void
cli_nearest_init(struct cli_nearest *n, const char *word)
{
	*n = (struct cli_nearest){.word = word, .edits = strlen(word) / 3 + 1};
}

void
cli_nearest_try(struct cli_nearest *n, const char *name)
{
	size_t len = strlen(n->word);
	size_t edits = count_edits(n->word, name);

	/* a prefix of a name counts as similar */
	if (len >= 3 && strncmp(n->word, name, len) == 0)
		edits = 1;
	if (edits < n->edits || (edits == n->edits && n->name == NULL && len > 2)) {
		n->edits = edits;
		n->name = name;
	}
}
