#include "recall/mode.h"

#include <stdint.h>

#include "words/stems.h"

#define MODE(name, words)                        \
	{                                        \
		{name, sizeof(name) - 1},        \
		{                                \
			words, sizeof(words) - 1 \
		}                                \
	}

const struct ctx_mode *
ctx_mode_builtin(size_t *n)
{
	static const struct ctx_mode modes[] = {
	    MODE("creation",
		"create make build add new generate write design draft compose implement setup start provision deploy"),
	    MODE("search",
		"find search look list show get where which locate fetch query browse display lookup retrieve"),
	    MODE("modification",
		"update change modify edit fix rename remove delete replace adjust move set "
		"correct extend refactor convert disable enable improve rewrite revert"),
	    MODE("analysis",
		"analyse analyze why explain compare review summarise summarize evaluate "
		"diagnose investigate assess inspect debug understand measure report "
		"statistics trend performance"),
	};

	*n = sizeof(modes) / sizeof(modes[0]);
	return modes;
}

struct tally {
	/* points; position of the first word of the message that indicates the mode */
	size_t points, first;
};

static struct tally
count_mode_matches(const struct ctx_mode *mode, const struct ctx_stems *message,
    size_t first_any, const struct ctx_span tools[], size_t n_tools)
{
	struct ctx_stems w = CTX_STEMS_INIT;
	struct tally t = {0, SIZE_MAX};

	ctx_stems_add(&w, mode->words, true);
	ctx_stems_sort(&w);
	for (size_t i = 0; i < message->n; i++) {
		if (ctx_stems_count(&w, message->list[i]) == 0)
			continue;
		t.points += i == first_any ? 3 : 2;
		t.first = t.first == SIZE_MAX ? i : t.first;
	}
	for (size_t i = n_tools > CTX_MODE_TOOLS ? n_tools - CTX_MODE_TOOLS : 0;
	     i < n_tools; i++) {
		struct ctx_stems tool = CTX_STEMS_INIT;
		size_t hits = 0;

		ctx_stems_add(&tool, tools[i], true);
		for (size_t k = 0; k < tool.n; k++)
			hits += ctx_stems_count(&w, tool.list[k]);
		t.points += hits > 0;
		ctx_stems_release(&tool);
	}
	ctx_stems_release(&w);
	return t;
}

int
ctx_mode_infer(const struct ctx_mode modes[], size_t n, struct ctx_span message,
    const struct ctx_span tools[], size_t n_tools)
{
	struct ctx_stems w = CTX_STEMS_INIT;
	struct tally best = {0, SIZE_MAX};
	size_t first = SIZE_MAX;
	int found = -1;

	ctx_stems_add(&w, message, true);
	for (size_t i = 0; i < n; i++) {
		struct tally t = count_mode_matches(&modes[i], &w, SIZE_MAX, NULL, 0);
		first = t.first < first ? t.first : first;
	}
	for (size_t i = 0; i < n; i++) {
		struct tally t = count_mode_matches(&modes[i], &w, first, tools, n_tools);

		if (t.points > best.points ||
		    (t.points == best.points && t.points > 0 && t.first < best.first)) {
			best = t;
			found = (int)i;
		}
	}
	ctx_stems_release(&w);
	return found;
}
