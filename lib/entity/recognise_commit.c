/* Abbreviated names of git commits: only their surroundings tell them from other
 * hexadecimal digits. */
#include <string.h>

#include "entity/recogniser.h"

/* Words that announce a short commit. "index" is not among them: in a diff it precedes
 * blobs. */
static const char commit_words[] =
    "commit commits committed rev revision sha show checkout revert reverted reset "
    "pick picked merge merged at parent parents bisect bad good blame fixup squash "
    "cherry onto from head master main fixes reword edit drop";

/* True for "4f2a1b9 Fix the parser" at the start of a line, as git log --oneline prints
 * it, but not for a line of a hex dump. */
static bool
begins_log_line(struct ctx_span text, size_t at, size_t end)
{
	size_t i = end + 1, letters = 0;
	bool other = false;

	if ((at > 0 && text.p[at - 1] != '\n') || byte_at(text, end) != ' ')
		return false;
	/* (HEAD -> main) */
	if (byte_at(text, i) == '(' && (class_at(text, i + 1) & CHAR_ALPHA))
		i++;
	while (letters < 12 && class_at(text, i) & CHAR_ALPHA) {
		other = other || !(class_at(text, i) & CHAR_HEX);
		letters++;
		i++;
	}
	return letters >= 2 && other;
}

/* True for one end of a range 4f2a1b9..8e0c3d7, unless "index" precedes it: then it names
 * blobs. */
static bool
is_in_range(struct ctx_span text, size_t at, size_t end)
{
	size_t begin = at;

	if (at > 2 && text.p[at - 1] == '.' && text.p[at - 2] == '.') {
		begin = at - 2;
		while (class_before(text, begin) & CHAR_HEX && at - begin <= 42)
			begin--;
		if (at - begin < 9 || class_before(text, begin) & CHAR_WORD)
			return false;
	} else {
		size_t e = end + 2;
		if (byte_at(text, end) != '.' || byte_at(text, end + 1) != '.')
			return false;
		while (class_at(text, e) & CHAR_HEX && e - end <= 42)
			e++;
		if (e - end < 9 || class_at(text, e) & CHAR_WORD)
			return false;
	}
	return !ctx_recognise_after(text, begin, "index");
}

bool
ctx_finish_commit(struct ctx_span text, const size_t *group, struct ctx_hit *hit)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t at = group[0], end = group[1];
	size_t begin = ctx_recognise_word_before(text, at, word);

	if (ctx_recognise_in(word, commit_words)
		? class_before(text, begin) == CHAR_DASH && strcmp(word, "pick") != 0
		: !begins_log_line(text, at, end) && !is_in_range(text, at, end))
		return false;
	return set_written_hit(hit, hit->type, text, at, end);
}
