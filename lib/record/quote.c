#include "record/quote.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "record/message.h"

/* Headings that ctx prints. A line of a message must not look like one of them, or like
 * the start of a message, a call, or another part. */

static const char *const sections[] = {"Conversation so far:", "Current user message:",
    "Done since then:", "Entities in this conversation:",
    "Said earlier in this conversation:", "Summary of the earlier conversation:"};

bool
ctx_quote_is_plain(struct ctx_span name)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];
		if (c <= ' ' || c == '"' || strchr("()[]{}<>,:;", c) != NULL)
			return false;
	}
	return name.n > 0;
}

/* True for "[call …", "[error]…", a line like "[image]", or the time before a
 * quotation. */
static bool
is_bracketed(struct ctx_span line)
{
	if (ctx_span_begins(line, "[call ") || ctx_span_begins(line, "[error]"))
		return true;
	if (line.n <= 2 || line.p[0] != '[' || line.p[line.n - 1] != ']')
		return false;
	return (line.p[1] >= 'A' && line.p[1] <= 'z') ||
	       (line.n > 5 && strspn(line.p + 1, "0123456789") == 4 && line.p[5] == '-');
}

static bool
begins_with(struct ctx_span line, const char *word)
{
	size_t n = strlen(word);

	return line.n >= n && strncasecmp(line.p, word, n) == 0;
}

/* True for "user:" in any case, or "user NAME (time):". */
static bool
is_header(struct ctx_span line)
{
	for (int role = CTX_ROLE_SYSTEM; role <= CTX_ROLE_TOOL; role++) {
		const char *name = ctx_role_name((enum ctx_role)role);
		size_t n = strlen(name);
		if (begins_with(line, name) && line.n > n &&
		    (line.p[n] == ':' || (line.p[n] == ' ' && line.p[line.n - 1] == ':' &&
					     memcmp(line.p, name, n) == 0)))
			return true;
	}
	return false;
}

static bool
is_speaker(struct ctx_span line, const struct ctx_span *speakers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct ctx_span name = speakers[i];
		if (name.n > 0 && line.n > name.n &&
		    memcmp(line.p, name.p, name.n) == 0 &&
		    (line.p[name.n] == ':' || line.p[name.n] == ' '))
			return true;
	}
	return false;
}

static bool
is_structural(struct ctx_span line, const struct ctx_span *speakers, size_t n)
{
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (begins_with(line, sections[i]))
			return true;
	return is_bracketed(line) || is_header(line) || is_speaker(line, speakers, n) ||
	       ctx_span_eq(line, ctx_span_of("…"));
}

/* Skips invisible characters: a line that starts with them looks like the rest of the
 * line. */
static struct ctx_span
skip_unseen(struct ctx_span line)
{
	uint32_t c;
	size_t n;

	while ((n = ctx_utf8_decode(line.p, line.n, &c)) > 0 &&
	       (c == 0xad || c == 0x34f || c == 0x61c || c == 0x115f || c == 0x1160 ||
		   (c >= 0x180b && c <= 0x180f) || (c >= 0x200b && c <= 0x200f) ||
		   (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
		   c == 0x3164 || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff ||
		   c == 0xffa0 || (c >= 0xe0000 && c <= 0xe0fff))) {
		line.p += n;
		line.n -= n;
	}
	return line;
}

/* Sets *n to the length of the first line. Returns the length of the line break after it,
 * or 0 at the end of the text. All of Unicode's line breaks count, because any of them
 * may be shown as a new line. */
static size_t
find_line(struct ctx_span text, size_t *n)
{
	for (*n = 0; *n < text.n;) {
		uint32_t c = 0;
		size_t len = ctx_utf8_decode(text.p + *n, text.n - *n, &c);
		if (len == 0)
			len = 1;
		else if ((c >= '\n' && c <= '\r') || c == 0x85 || c == 0x2028 ||
			 c == 0x2029)
			return len;
		*n += len;
	}
	return 0;
}

static void
quote_text(struct ctx_buf *out, struct ctx_span text, bool inside,
    const struct ctx_span *speakers, size_t n)
{
	for (; text.n > 0; inside = false) {
		struct ctx_span line = text, shown;
		size_t end = find_line(text, &line.n);

		shown = skip_unseen(line);
		if (!inside && shown.n > 0 && ctx_span_trim(shown).p == shown.p &&
		    is_structural(ctx_span_trim(shown), speakers, n))
			ctx_buf_adds(out, "  ");
		ctx_buf_add(out, line.p, line.n + end);
		text.p += line.n + end;
		text.n -= line.n + end;
	}
}

void
ctx_quote_lines(struct ctx_buf *out, struct ctx_span text)
{
	quote_text(out, text, false, NULL, 0);
}

void
ctx_quote_after(
    struct ctx_buf *out, struct ctx_span text, const struct ctx_span *speakers, size_t n)
{
	quote_text(out, text, true, speakers, n);
}

void
ctx_quote_block(struct ctx_buf *out, struct ctx_span text)
{
	static const char end[] = "</quote";
	struct ctx_span rest = ctx_span_trim(text);

	ctx_buf_adds(out, "<quote>\n");
	for (; rest.n > 0; rest.p++, rest.n--)
		if (*rest.p == '<' && begins_with(rest, end))
			ctx_buf_adds(out, "&lt;");
		else
			ctx_buf_addc(out, *rest.p);
	ctx_buf_addf(out, "\n%s>", end);
}
