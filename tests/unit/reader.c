/* Lines from a pipe whose writer pauses: what is ready can be had without waiting. */
#include "test.h"

#include <unistd.h>

#include "record/reader.h"

static int to;
static struct ctx_reader *reader;
static struct ctx_err err;

static void
start(size_t max)
{
	int fd[2];

	if (pipe(fd) < 0)
		return;
	to = fd[1];
	reader = ctx_reader_new(fd[0], "in", max);
}

static void
put(const char *s)
{
	CHECK(write(to, s, strlen(s)) == (ssize_t)strlen(s));
}

/* "NUMBER LINE" where a line is ready, "wait" where none is, else the error. */
static const char *
next(void)
{
	static char text[1200];
	struct ctx_span line = CTX_SPAN_NONE;

	if (!ctx_reader_ready(reader))
		return "wait";
	switch (ctx_reader_next(reader, &line, &err)) {
	case 0:
		return "end";
	case 1:
		snprintf(text, sizeof(text), "%ld %.*s", ctx_reader_line(reader),
		    (int)line.n, line.p);
		break;
	default:
		snprintf(text, sizeof(text), "%ld! %s", ctx_reader_line(reader), err.msg);
	}
	return text;
}

static void
finish(void)
{
	close(to);
	CHECK_STR(next(), "end");
	CHECK(ctx_reader_ended(reader));
	ctx_reader_free(reader);
}

static void
blank_lines(void)
{
	start(100);
	CHECK_STR(next(), "wait");
	put("\xef\xbb\xbf \n");
	CHECK_STR(next(), "wait");
	put("one\n\n \t\r\n");
	CHECK_STR(next(), "2 one");
	CHECK_STR(next(), "wait");
	CHECK_INT(ctx_reader_line(reader), 2);
	put("\ntwo");
	CHECK_STR(next(), "wait");
	put(" \nthree\n");
	CHECK_STR(next(), "6 two");
	CHECK_STR(next(), "7 three");
	put("\n ");
	CHECK_STR(next(), "wait");
	finish();
}

static void
long_lines(void)
{
	static const char why[] =
	    "2! the record is longer than 4 bytes (--max-record or CTX_MAX_RECORD changes the limit)";

	start(4);
	put("four\nfives");
	CHECK_STR(next(), "1 four");
	CHECK_STR(next(), "wait");
	put(" and more");
	CHECK_STR(next(), "wait");
	put("\nx\n");
	CHECK_STR(next(), why);
	CHECK_STR(next(), "3 x");
	put("12345\n\n");
	CHECK_STR(next(),
	    "4! the record is longer than 4 bytes (--max-record or CTX_MAX_RECORD changes the limit)");
	CHECK_STR(next(), "wait");
	finish();
}

int
main(void)
{
	RUN(blank_lines);
	RUN(long_lines);
	return TEST_END();
}
