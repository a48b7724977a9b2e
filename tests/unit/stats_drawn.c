/* What tells that an answer drew on an item: marks of texts, and names of called tools. */
#include "stats/drawn.h"
#include "stats/marks.h"

#include "test.h"

static struct ctx_marks
marks_of(const char *text)
{
	struct ctx_marks m = CTX_MARKS_INIT;

	ctx_marks_add(&m, ctx_span_of(text));
	ctx_marks_settle(&m);
	return m;
}

static int
specials(const char *text)
{
	struct ctx_marks m = marks_of(text);
	int n = 0;

	for (size_t i = 0; i < m.n; i++)
		n += ctx_mark_special(m.list[i]);
	ctx_marks_release(&m);
	return n;
}

/* How many marks of a are in b, and have to be. */
static int
shared(const char *a, const char *b)
{
	struct ctx_marks x = marks_of(a), y = marks_of(b);
	int n = 0;

	for (size_t i = 0; i < x.n; i++)
		for (size_t k = 0; k < y.n; k++)
			n += x.list[i] == y.list[k];
	ctx_marks_release(&x);
	ctx_marks_release(&y);
	return n;
}

static void
test_special(void)
{
	static const char *const one[] = {"8443", "localhost:8443", "(v1.25)",
	    "user_name", "getName", "/etc", "`~/notes`", "src/lib/base", "main.c",
	    "\"config.yaml\".", "example.com", "ann@work", "C\\Temp", "2026-01-02",
	    "RFC-3339,"};
	static const char *const none[] = {"", "and/or", "e.g. this", "i.e.", "10:30",
	    "3 of 12", "well-known", "Stop.Now", "...", "_", "--- ***", "a.b", "DON'T",
	    "item #1", "\xc3\xa9t\xc3\xa9"};

	for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++) {
		if (specials(one[i]) != 1)
			printf("# %s\n", one[i]);
		CHECK_INT(specials(one[i]), 1);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		if (specials(none[i]) != 0)
			printf("# %s\n", none[i]);
		CHECK_INT(specials(none[i]), 0);
	}
}

static void
test_words(void)
{
	/* whatever the ending and the case; what any text has counts for nothing */
	CHECK_INT(shared("Freight leaves the harbour", "HARBOURS leave freights"), 3);
	CHECK_INT(shared("Always answer the user's question with this tool first",
		      "Always answer the user's question with this tool first"),
	    0);
	CHECK_INT(
	    shared("rules, users, answers, used", "rules, users, answers, used"), 0);
	CHECK_INT(shared("freight freight freight", "freight"), 1);
	CHECK_INT(shared("at 8443", "port 8443!"), 2); /* a word, and special */
	CHECK(shared("\xe6\xb8\xaf\xe5\x8f\xa3\xe4\xbb\xa3\xe7\x90\x86",
		  "\xe7\x9a\x84\xe6\xb8\xaf\xe5\x8f\xa3\xe4\xbb\xa3\xe7\x90\x86\xe6\x98"
		  "\xaf") >= 3);
	CHECK_INT(shared("\xff\xfe\x80", "\xff"), 0);
}

static bool
calls(const char *called, const char *server, const char *name)
{
	return ctx_drawn_calls(
	    ctx_span_of(called), ctx_span_of(server), ctx_span_of(name));
}

static void
test_calls(void)
{
	static const char *const yes[] = {"read", "fs_read", "fs__read", "fs.read",
	    "fs:read", "fs-read", "fs/read", "mcp__fs__read", "plugin:fs:read"};
	static const char *const no[] = {"", "rea", "reads", "bread", "web_read",
	    "fsread", "xfs_read", "read_fs", "_", "READ"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		CHECK(calls(yes[i], "fs", "read"));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		CHECK(!calls(no[i], "fs", "read"));
	CHECK(calls("my_server__list_files", "my.server", "list files"));
	CHECK(calls("list_files", "my.server", "list-files"));
	CHECK(!calls("other_read", "", "read"));
	CHECK(!calls("fs_", "fs", "***"));
}

int
main(void)
{
	RUN(test_special);
	RUN(test_words);
	RUN(test_calls);
	return TEST_END();
}
