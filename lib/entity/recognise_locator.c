/* URLs (RFC 3986), e-mail addresses (RFC 5321, the usual subset) and file paths. */
#include <string.h>

#include "base/utf8.h"
#include "entity/recogniser.h"

#define SCHEME_MAX 20
#define LOCAL_MAX 64 /* RFC 5321 */
#define PATH_LEN_MAX 4096

/* ---- URLs ---- */

/* True for an ASCII character that may be in a URL. Where the URL ends is decided
 * later. */
static bool
in_url(unsigned char c)
{
	return c > ' ' && c < 0x7f && strchr("\"<>\\^`{}|'", c) == NULL;
}

/* Returns the length of a non-ASCII letter that may be in a path; 0 for punctuation of
 * other scripts. */
static size_t
high_char(struct ctx_span text, size_t i)
{
	uint32_t c = 0;
	size_t n = ctx_utf8_decode(text.p + i, text.n - i, &c);

	if (n < 2 || c < 0xc0 || (c >= 0x2000 && c < 0x2070) ||
	    (c >= 0x2500 && c < 0x2c00) || (c >= 0x3000 && c < 0x3040) ||
	    (c >= 0xff00 && c < 0xff66) || c >= 0x1f000)
		return 0;
	return n;
}

/* The same for a host name (RFC 3987). "example.com" may adjoin text in a script without
 * spaces. In such a script only characters that begin a label, or that another label
 * follows, belong to the host. */
static size_t
host_char(struct ctx_span text, size_t at)
{
	size_t n = high_char(text, at), i = at, more;
	uint32_t c = 0;

	if (n == 0 || !(class_before(text, at) & CHAR_ALNUM) ||
	    (ctx_utf8_decode(text.p + at, text.n - at, &c) > 0 && c < 0x0e00))
		return n;
	while (i < text.n && (unsigned char)text.p[i] >= 0x80 &&
	       (more = high_char(text, i)) > 0)
		i += more;
	return byte_at(text, i) == '.' && i + 1 < text.n &&
		       (class_at(text, i + 1) & CHAR_ALNUM || high_char(text, i + 1) > 0)
		   ? n
		   : 0;
}

static size_t
find_url_mention_end(struct ctx_span text, size_t at)
{
	size_t end = at;
	bool path = false;
	int round = 0, square = 0;

	while (end < text.n) {
		unsigned char c = (unsigned char)text.p[end];
		size_t n = c < 0x80 ? in_url(c)
			   : path   ? high_char(text, end)
				    : host_char(text, end);

		if (n == 0)
			break;
		path = path || c == '/';
		round += c == '(' ? 1 : c == ')' ? -1 : 0;
		square += c == '[' ? 1 : c == ']' ? -1 : 0;
		/* A bracket that is closed but was not opened belongs to the surrounding
		 * text. */
		if (round < 0 || square < 0)
			break;
		end += n;
	}
	while (end > at && strchr(".,;:!?*_$&", text.p[end - 1]) != NULL)
		end--;
	return end;
}

static void
put_url(struct ctx_span text, size_t at, size_t rest, size_t end, struct ctx_buf *out)
{
	size_t host = rest, host_end = rest;

	while (host_end < end && strchr("/?#", text.p[host_end]) == NULL)
		host_end++;
	for (size_t i = rest; i < host_end; i++) {
		if (text.p[i] == '@')
			host = i + 1; /* skip user and password */
	}
	ctx_recognise_lower(text, at, rest, out);
	ctx_recognise_lower(text, host, host_end, out);
	ctx_buf_add(out, text.p + host_end, end - host_end);
}

bool
ctx_recognise_url(
    struct ctx_span text, size_t at, size_t run_end CTX_UNUSED, struct ctx_hit *hit)
{
	size_t i = at, end;

	while (i - at <= SCHEME_MAX &&
	       (class_at(text, i) & (CHAR_ALNUM | CHAR_DASH) || byte_at(text, i) == '+'))
		i++;
	if (i - at < 2 || i - at > SCHEME_MAX || text.n - i < 4 ||
	    memcmp(text.p + i, "://", 3) != 0 || class_before(text, at) & CHAR_OTHER)
		return false;
	i += 3;
	if (!(class_at(text, i) & (CHAR_WORD | CHAR_SLASH) || byte_at(text, i) == '[' ||
		(i < text.n && (unsigned char)text.p[i] >= 0x80 &&
		    high_char(text, i) > 0)))
		return false;
	end = find_url_mention_end(text, i);
	if (end == i)
		return false;
	put_url(text, at, i, end, hit->name);
	return set_hit(hit, "url", end);
}

/* ---- email addresses ---- */

#define DOMAIN_LEN_MAX 253

/* Returns the end of a domain with non-ASCII letters (RFC 6531), or at if there is
 * none. */
static size_t
international_end(struct ctx_span text, size_t at)
{
	size_t end = at, label = at, n;
	bool high = false;

	while (end < text.n && end - at <= DOMAIN_LEN_MAX) {
		if (class_at(text, end) & (CHAR_ALNUM | CHAR_DASH)) {
			end++;
		} else if ((unsigned char)text.p[end] >= 0x80 &&
			   (n = host_char(text, end)) > 0) {
			high = true;
			end += n;
		} else if (text.p[end] == '.' && end > label &&
			   class_at(text, end + 1) & (CHAR_ALNUM | CHAR_HIGH)) {
			label = ++end;
		} else {
			break;
		}
	}
	return high && label > at && end - label >= 2 && end - at <= DOMAIN_LEN_MAX ? end
										    : at;
}

bool
ctx_recognise_email(struct ctx_span text, size_t at, size_t run_end, struct ctx_hit *hit)
{
	static const char files[] =
	    "png jpg jpeg gif svg webp ico pdf js ts jsx tsx css json html htm md py go rs "
	    "sh so txt xml yaml yml service socket timer mount target";
	char word[RECOGNISE_WORD_MAX + 1];
	size_t i = at, end, last;
	unsigned labels;

	if (class_before(text, at) &
	    (CHAR_DOT | CHAR_DASH | CHAR_OTHER | CHAR_SLASH | CHAR_AT))
		return false;
	while (i < run_end && i - at <= LOCAL_MAX &&
	       (class_at(text, i) & (CHAR_ALNUM | CHAR_DOT | CHAR_DASH | CHAR_LINE) ||
		   text.p[i] == '+' || text.p[i] == '%'))
		i++;
	if (i == at || i - at > LOCAL_MAX || byte_at(text, i) != '@' ||
	    text.p[i - 1] == '.')
		return false;
	end = international_end(text, i + 1);
	if (end > i + 1)
		return set_written_hit(hit, "email", text, at, end);
	end = ctx_recognise_domain(text, i + 1, true, &labels);
	if (end == i + 1 || end > run_end)
		return false;
	for (last = end; class_before(text, last) & CHAR_ALPHA;)
		last--;
	if (end - last < 2 || text.p[last - 1] != '.')
		return false;
	ctx_recognise_word(text, last, word);
	/* icon@2x.png, unit@name.service, git@host:path */
	if (ctx_recognise_in(word, files) ||
	    goes_on(text, end, CHAR_WORD | CHAR_AT, CHAR_COLON | CHAR_SLASH | CHAR_DASH,
		CHAR_WORD))
		return false;
	return set_written_hit(hit, "email", text, at, end);
}

/* ---- paths ---- */

/* First components of absolute paths that are directories, not routes of a web
 * service. */
static const char roots[] =
    "bin boot dev etc home lib lib64 media mnt opt proc root run sbin snap srv sys "
    "tmp usr var nix users volumes applications library system private workspace "
    "workspaces data app work config build repo src code project projects testbed "
    "sdcard export scratch flash bootflash";

/* File name extensions. */
static const char endings[] =
    "a adoc asc avi awk bak bash bat bin bmp bz2 c cc cer cfg clj cmake cmd conf "
    "config cpp crt cs csproj css csv cxx dart db deb diff dll doc docx dockerfile "
    "ejs el env erb erl ex exe exs fish gemspec gif go gradle graphql gz h hcl "
    "heex hh hpp hs htm html hxx ico img ini ipynb iso jar java jpeg jpg js json "
    "jsonl jsx key kt kts less lock log lua m map markdown md mdx mjs mk mkv ml "
    "mli mod mov mp3 mp4 nix o odt orig out parquet patch pcap pdf pem php pid pl "
    "pm png ppt pptx properties proto ps1 pub py pyc pyi pyx r rb rej rpm rs rst "
    "sass scala scss sh so sock sql sqlite sqlite3 sum svelte svg swift tar tcl "
    "tex tf tfvars tgz tmp toml trace ts tsv tsx ttf txt vb vim vue war wasm wav "
    "webm webp whl woff woff2 xls xlsx xml xz yaml yml zig zip zsh zst";

static bool
known_ending(struct ctx_span text, size_t at, size_t end)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t dot = end, n;

	while (dot > at && class_before(text, dot) & CHAR_ALNUM)
		dot--;
	n = end - dot;
	if (dot == at || text.p[dot - 1] != '.' || n == 0 || n > RECOGNISE_WORD_MAX ||
	    dot - 1 == at)
		return false;
	for (size_t i = 0; i < n; i++)
		word[i] = (char)(class_at(text, dot + i) & CHAR_UPPER
				     ? text.p[dot + i] | 32
				     : text.p[dot + i]);
	word[n] = '\0';
	return ctx_recognise_in(word, endings);
}

static bool
in_path(struct ctx_span text, size_t i, char sep)
{
	unsigned c = class_at(text, i);

	return c & (CHAR_WORD | CHAR_DOT | CHAR_DASH | CHAR_AT | CHAR_OTHER) ||
	       byte_at(text, i) == sep || (unsigned char)byte_at(text, i) >= 0xc0;
}

/* Returns the end of the path at byte at. Sets *parts to the number of components and
 * *last to the start of the last one. */
static size_t
path_end(struct ctx_span text, size_t at, char sep, unsigned *parts, size_t *last)
{
	size_t end = at;

	*parts = 0;
	*last = at;
	while (end - at <= PATH_LEN_MAX && end < text.n && in_path(text, end, sep)) {
		if ((unsigned char)text.p[end] >= 0x80) {
			size_t n = high_char(text, end);
			if (n == 0)
				break;
			end += n;
			continue;
		}
		end++;
	}
	if (end - at > PATH_LEN_MAX)
		return at;
	/* a pattern or a template, not a file name */
	if (end < text.n && strchr("*?{$", text.p[end]) != NULL)
		return at;
	while (end > at && strchr(".-+%", text.p[end - 1]) != NULL)
		end--;
	for (size_t i = at; i < end; i++) {
		if (text.p[i] != sep)
			continue;
		if (i + 1 < end && text.p[i + 1] != sep) {
			*last = i + 1;
			++*parts;
		}
	}
	*parts += end > at && text.p[at] != sep;
	return end;
}

static bool
recognise_windows_path(struct ctx_span text, size_t at, struct ctx_hit *hit)
{
	char sep = byte_at(text, at + 2);
	unsigned parts;
	size_t end, last;

	if ((sep != '\\' && sep != '/') || class_before(text, at) & CHAR_WORD ||
	    !(class_at(text, at + 3) & (CHAR_WORD | CHAR_DOT) ||
		byte_at(text, at + 3) == sep))
		return false;
	end = path_end(text, at + 2, sep, &parts, &last);
	if (parts == 0 || end < at + 4 || (sep == '/' && byte_at(text, at + 3) == '/'))
		return false;
	return set_written_hit(hit, "path", text, at, end);
}

/* True if the path, which begins with '/', is in a file system. */
static bool
is_absolute(struct ctx_span text, size_t at, size_t end, size_t last)
{
	char word[RECOGNISE_WORD_MAX + 1];
	size_t first_end = ctx_recognise_word(text, at + 1, word);

	if (byte_at(text, first_end) == '6' && strcmp(word, "lib") == 0)
		first_end += 2;
	if (ctx_recognise_in(word, roots) &&
	    (first_end == end || text.p[first_end] == '/'))
		return first_end < end ||
		       !ctx_recognise_in(word,
			   "app data config build code project projects system work export library users");
	return last > at + 1 && known_ending(text, last, end);
}

bool
ctx_recognise_path(
    struct ctx_span text, size_t at, size_t run_end CTX_UNUSED, struct ctx_hit *hit)
{
	char c = text.p[at], b = at > 0 ? text.p[at - 1] : ' ';
	size_t end, last, lead = ctx_span_begins_any(rest_at(text, at), "~/|./|../");
	unsigned parts;

	if (class_at(text, at) & CHAR_ALPHA && byte_at(text, at + 1) == ':')
		return recognise_windows_path(text, at, hit);
	/* A closing tag, or the rest of $HOME/…, ${X}/…, f(x)/… or %s/…, whose start is
	 * unknown. */
	if (strchr("<$})]*%", b) != NULL ||
	    class_before(text, at) & (CHAR_WORD | CHAR_SLASH))
		return false;
	end = path_end(text, at, '/', &parts, &last);
	if (end == at || parts == 0)
		return false;
	if (c == '/'   ? byte_at(text, at + 1) == '/' || !is_absolute(text, at, end, last)
	    : lead > 0 ? end <= at + lead
		       : c == '~' || parts < 2 || text.p[end - 1] == '/' ||
			     !known_ending(text, last, end))
		return false;
	if (byte_at(text, end) == '(') /* a function call */
		return false;
	return set_written_hit(
	    hit, "path", text, c == '.' && lead == 2 ? at + 2 : at, end);
}
