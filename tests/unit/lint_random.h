/* Random messages for the tests of lint, malformed in many ways. */
#ifndef LINT_RANDOM_H
#define LINT_RANDOM_H

#include <stdint.h>

#include "base/buf.h"

#ifdef CTX_FUZZ_H
#define dice random_below
#else
static uint64_t state;

static unsigned
dice(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 11) % n);
}
#endif

static void
id(struct ctx_buf *b)
{
	if (dice(40) == 0)
		ctx_buf_adds(b, "null");
	else
		ctx_buf_addf(b, "\"c%u\"", dice(12));
}

static const char *
gap(void)
{
	static const char *const gaps[] = {"", "", "", " ", "\n  ", "\t"};

	return gaps[dice(6)];
}

static int texts;

static void
say(struct ctx_buf *b)
{
	static const char *const blanks[] = {"", " ", "\\n\\t"};

	if (dice(8) == 0)
		ctx_buf_addf(b, "\"%s\"", blanks[dice(3)]);
	else
		ctx_buf_addf(b, "\"said %d.%s\"", texts++, dice(5) == 0 ? " " : "");
}

/* Appends content that no provider accepts. */
static void
say_badly(struct ctx_buf *b)
{
	static const char *const open[] = {
	    "[", "[5, ", "{\"type\":\"text\",\"text\":", "{\"text\":", "5"};
	static const char *const close[] = {"]", "]", "}", "}", ""};
	unsigned i = dice(5);

	ctx_buf_adds(b, open[i]);
	if (i < 4)
		say(b);
	ctx_buf_adds(b, close[i]);
}

static void
block(struct ctx_buf *b)
{
	switch (dice(6)) {
	case 0:
		ctx_buf_adds(b, "{\"type\":\"tool_use\",\"id\":");
		id(b);
		ctx_buf_adds(b, ",\"name\":\"f\",\"input\":{}}");
		break;
	case 1:
	case 2:
		ctx_buf_adds(b, "{\"type\":\"tool_result\",\"tool_use_id\":");
		id(b);
		ctx_buf_adds(
		    b, dice(6) == 0 ? ",\"content\":[]}" : ",\"content\":\"r\"}");
		break;
	case 3:
		ctx_buf_adds(b, "{\"type\":\"thinking\",\"thinking\":\"t\"");
		ctx_buf_adds(b, dice(2) ? ",\"signature\":\"s\"}" : "}");
		break;
	default:
		ctx_buf_adds(b, "{\"type\":\"text\",\"text\":");
		say(b);
		ctx_buf_adds(b, "}");
	}
}

static void
list(struct ctx_buf *b, void (*one)(struct ctx_buf *), unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ctx_buf_adds(b, i > 0 ? "," : "");
		ctx_buf_adds(b, gap());
		one(b);
		ctx_buf_adds(b, gap());
	}
}

static void
call(struct ctx_buf *b)
{
	ctx_buf_adds(b, "{\"id\":");
	id(b);
	ctx_buf_adds(b,
	    ",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}");
}

static void
openai_message(struct ctx_buf *b)
{
	static const char *const roles[] = {
	    "user", "user", "user", "assistant", "system"};
	unsigned kind = dice(10);

	if (kind < 3) {
		ctx_buf_adds(b, "{\"role\":\"assistant\",\"content\":");
		if (dice(2))
			say(b);
		else
			ctx_buf_adds(b, "null");
		ctx_buf_adds(b, ",\"tool_calls\":[");
		list(b, call, dice(4));
		ctx_buf_adds(b, "]}");
	} else if (kind < 6) {
		ctx_buf_adds(b, "{\"role\":\"tool\",\"tool_call_id\":");
		id(b);
		ctx_buf_adds(b, ",\"content\":\"r\"}");
	} else {
		ctx_buf_addf(b, "{\"role\":\"%s\",\"content\":", roles[dice(5)]);
		if (dice(12) == 0)
			say_badly(b);
		else
			say(b);
		ctx_buf_adds(b, "}");
	}
}

static void
anthropic_message(struct ctx_buf *b)
{
	static const char *const roles[] = {"user", "user", "user", "assistant",
	    "assistant", "assistant", "assistant", "system"};

	ctx_buf_addf(b, "{\"role\":\"%s\",\"content\":", roles[dice(8)]);
	if (dice(16) == 0) {
		say_badly(b);
	} else if (dice(4) == 0) {
		say(b);
	} else {
		ctx_buf_adds(b, "[");
		list(b, block, dice(5));
		ctx_buf_adds(b, "]");
	}
	ctx_buf_adds(b, "}");
}

static void
any_message(struct ctx_buf *b)
{
	if (dice(2))
		openai_message(b);
	else
		anthropic_message(b);
}

#endif
