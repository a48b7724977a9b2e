#include "test.h"

#include "base/buf.h"
#include "tokens/split.h"

/* The pieces with a '|' behind each. */
static const char *
pieces(size_t (*split)(const char *, const char *), const char *text)
{
	static char out[400];
	const char *p = text, *end = text + strlen(text);
	size_t n = 0;

	while (p < end) {
		size_t len = split(p, end);
		memcpy(out + n, p, len);
		n += len;
		out[n++] = '|';
		p += len;
	}
	out[n] = '\0';
	return out;
}

#define CL100K(text, want) CHECK_STR(pieces(ctx_split_cl100k, text), want)
#define O200K(text, want) CHECK_STR(pieces(ctx_split_o200k, text), want)

static void
words(void)
{
	CL100K("Hello, new world", "Hello|,| new| world|");
	CL100K("HTTPServer getNames", "HTTPServer| getNames|");
	O200K("HTTPServer getNames", "HTTPServer| get|Names|");
	O200K("ABC ABc aBC", "ABC| ABc| a|BC|");
	O200K("(x).y\tz", "(x|).|y|\tz|");
	CL100K("averyverylongwordofmorethanthirtytwoletters1",
	    "averyverylongwordofmorethanthirtytwoletters|1|");
}

static void
contractions(void)
{
	CL100K("don't DON'T he'll", "don|'t| DON|'T| he|'ll|");
	O200K("don't DON'T he'll", "don't| DON'T| he'll|");
	O200K("x'y '", "x|'y| '|");
	CL100K("it'\xc5\xbf", "it|'\xc5\xbf|"); /* long s folds to s */
	O200K("it'\xc5\xbfx", "it'\xc5\xbf|x|");
}

static void
numbers(void)
{
	O200K("1234567", "123|456|7|");
	O200K("a12 3", "a|12| |3|");
	CL100K("\xd9\xa1\xd9\xa2\xd9\xa3\xd9\xa4", "\xd9\xa1\xd9\xa2\xd9\xa3|\xd9\xa4|");
}

static void
blanks(void)
{
	O200K("a  b", "a| | b|");
	O200K("a   ", "a|   |");
	O200K("a \n \n b", "a| \n \n| b|");
	O200K("\r\n\r\nx", "\r\n\r\n|x|");
	O200K("\t\tx", "\t|\tx|");
	O200K("\xc2\xa0!", "\xc2\xa0|!|");
	CL100K("\xe3\x80\x80\xe3\x80\x80", "\xe3\x80\x80\xe3\x80\x80|");
}

static void
symbols(void)
{
	CL100K("a //\n\nb", "a| //\n\n|b|");
	CL100K("!\n/b", "!\n|/b|");
	O200K("!\n/b", "!\n/|b|");
	O200K("{\"a\": [1]}", "{\"|a|\":| [|1|]}|");
	O200K("\xf0\x9f\x98\x80\xf0\x9f\x91\x8d ok",
	    "\xf0\x9f\x98\x80\xf0\x9f\x91\x8d| ok|");
}

/* Marks are letters to o200k_base and symbols to cl100k_base; before a word they are
 * the one character that may stand there, too. */
static void
marks(void)
{
	O200K("e\xcc\x81t", "e\xcc\x81t|");
	CL100K("e\xcc\x81t", "e|\xcc\x81t|");
	O200K("\xcc\x81"
	      "AB",
	    "\xcc\x81|AB|");
	O200K("\xcc\x81"
	      "ab",
	    "\xcc\x81"
	    "ab|");
	O200K(" \xcc\x81", " \xcc\x81|");
	CL100K(" \xcc\x81", " \xcc\x81|");
	/* Lo is of both sets: what precedes capitals ends there. */
	O200K("\xe4\xb8\xad"
	      "AB",
	    "\xe4\xb8\xad|AB|");
	O200K("A\xe4\xb8\xad"
	      "b",
	    "A\xe4\xb8\xad"
	    "b|");
}

int
main(void)
{
	RUN(words);
	RUN(contractions);
	RUN(numbers);
	RUN(blanks);
	RUN(symbols);
	RUN(marks);
	return TEST_END();
}
