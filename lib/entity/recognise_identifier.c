/* UUIDs (RFC 9562) and git commits. */
#include <string.h>

#include "entity/recogniser.h"

bool
ctx_recognise_uuid(
    struct ctx_span text, size_t at, size_t run_end CTX_UNUSED, struct ctx_hit *hit)
{
	static const char shape[] = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";
	size_t end = at + sizeof(shape) - 1;

	if (class_before(text, at) & CHAR_DASH ||
	    !ctx_span_begins_like(rest_at(text, at), shape) ||
	    goes_on(text, end, CHAR_WORD, CHAR_DASH, CHAR_WORD))
		return false;
	ctx_recognise_lower(text, at, end, hit->name);
	return set_hit(hit, "uuid", end);
}

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

static bool
is_announced(struct ctx_span text, size_t at, size_t end)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t begin = ctx_recognise_word_before(text, at, word);

	if (ctx_recognise_in(word, commit_words))
		return class_before(text, begin) != CHAR_DASH ||
		       strcmp(word, "pick") == 0;
	return begins_log_line(text, at, end) || is_in_range(text, at, end);
}

bool
ctx_recognise_commit(struct ctx_span text, size_t at, size_t run_end, struct ctx_hit *hit)
{
	size_t end = at;
	unsigned all;

	while (end < run_end && end - at <= 40 && class_at(text, end) & CHAR_HEX)
		end++;
	all = classes_of(text, at, end);
	if (end - at < 7 || end - at > 40 || all & CHAR_UPPER || !(all & CHAR_DIGIT) ||
	    !(all & CHAR_LOWER) ||
	    class_before(text, at) & (CHAR_DASH | CHAR_OTHER | CHAR_SLASH) ||
	    goes_on(text, end, CHAR_WORD | CHAR_DASH | CHAR_SLASH | CHAR_AT, CHAR_DOT,
		CHAR_WORD))
		return false;
	if (end - at < 40 ? !is_announced(text, at, end)
			  : class_before(text, at) & CHAR_COLON ||
				ctx_recognise_after(text, at,
				    "md hash digest checksum shasum etag integrity"))
		return false;
	return set_written_hit(hit, "commit", text, at, end);
}
