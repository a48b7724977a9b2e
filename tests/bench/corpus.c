/* usage: corpus SEED MESSAGES [SESSIONS [OPEN]]
 * Generates chat messages from a seed: one bare message on each line, 343 bytes on average,
 * in complete turns of questions, answers, tool calls and results, with escapes and Unicode.
 * In addition, one of LARGE_EVERY messages is a tool result of 105 KB. With SESSIONS, prints
 * message records of this number of sessions; a session gets up to eight consecutive
 * messages at a time. With OPEN, only OPEN sessions get messages at the same time; the next
 * sessions begin when these sessions are complete. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_EVERY 10000
#define LARGE_BYTES 105000

static uint64_t state;

static uint64_t
next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static unsigned
below(unsigned n)
{
	return (unsigned)((next() >> 24) % n);
}

static const char *const words[] = {"the", "deployment", "of", "service", "failed", "and",
    "was", "restarted", "after", "timeout", "in", "region", "eu-west-1", "please", "look",
    "at", "latency", "because", "users", "see", "errors", "on", "checkout", "with",
    "status", "503", "while", "database", "replica", "lags", "behind", "primary", "by",
    "42", "seconds", "we", "should", "drain", "node", "before", "upgrading", "kernel",
    "for", "security", "fixes", "caf\xc3\xa9", "na\xc3\xafve", "\xe6\xbc\xa2\xe5\xad\x97",
    "\xf0\x9f\x9a\x80", "r\\u00e9sum\\u00e9", "\\ud83d\\ude80", "\\\"quoted\\\"",
    "C:\\\\logs", "a\\/b", "\\n\\n", "\\tindented", "`code`", "{x: 1}", "10.0.0.7",
    "0x7ffe"};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

static char line[LARGE_BYTES + 4096];
static size_t n;

static void
put(const char *s)
{
	size_t len = strlen(s);

	memcpy(line + n, s, len);
	n += len;
}

static void
put_words(size_t bytes)
{
	size_t end = n + bytes;

	while (n < end) {
		put(words[below(N_WORDS)]);
		line[n++] = ' ';
	}
}

/* Without what would have to be escaped once more inside a string of a string. */
static void
put_plain_words(size_t bytes)
{
	size_t end = n + bytes;

	while (n < end) {
		const char *word = words[below(N_WORDS)];
		if (strchr(word, '\\') != NULL)
			continue;
		put(word);
		line[n++] = ' ';
	}
}

static void
put_id(uint64_t call)
{
	n += (size_t)sprintf(
	    line + n, "\"call_%016" PRIx64 "\"", call * UINT64_C(0x9e3779b97f4a7c15));
}

enum shape { USER, CALL, RESULT, ANSWER };

static void
put_message(enum shape shape, uint64_t call, int large)
{
	switch (shape) {
	case USER:
		put("{\"role\":\"user\",\"content\":\"");
		put_words(40 + below(430));
		put("\"}");
		break;
	case CALL:
		put("{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":");
		put_id(call);
		put(",\"type\":\"function\",\"function\":{\"name\":\"read_file\","
		    "\"arguments\":"
		    "\"{\\\"path\\\":\\\"");
		put_plain_words(30 + below(130));
		put("\\\"}\"}}]}");
		break;
	case RESULT:
		put("{\"role\":\"tool\",\"tool_call_id\":");
		put_id(call);
		put(",\"content\":\"");
		put_words(large ? LARGE_BYTES : 120 + below(560));
		put("\"}");
		break;
	case ANSWER:
		put("{\"role\":\"assistant\",\"content\":\"");
		put_words(60 + below(560));
		put("\"}");
		break;
	}
}

/* Returns the session of message i. open sessions get messages at the same time, turn
 * messages in all, in groups of eight. */
static uint64_t
session_of(uint64_t i, uint64_t turn, uint64_t open)
{
	return i / turn * open + i % turn / 8 % open;
}

int
main(int argc, char **argv)
{
	uint64_t total, sessions, open, turn, call = 0;
	enum shape shape = USER;

	if (argc < 3) {
		fprintf(stderr, "usage: corpus SEED MESSAGES [SESSIONS [OPEN]]\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	total = strtoull(argv[2], NULL, 10);
	sessions = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	open = argc > 4 ? strtoull(argv[4], NULL, 10) : sessions;
	turn = argc > 4 && total >= sessions ? total / sessions * open : total;
	for (uint64_t i = 0, large = 0; i < total; i++) {
		large += i % LARGE_EVERY == LARGE_EVERY / 2;
		n = 0;
		if (sessions > 0)
			n += (size_t)sprintf(line,
			    "{\"kind\":\"message\",\"session_id\":\"s%" PRIu64
			    "\",\"message\":",
			    session_of(i, turn, open));
		put_message(shape, call, shape == RESULT && large > 0);
		if (sessions > 0)
			put("}");
		put("\n");
		fwrite(line, 1, n, stdout);
		if (shape == RESULT && large > 0)
			large--;
		if (shape == USER || shape == RESULT)
			shape = below(3) == 0 ? CALL : ANSWER;
		else
			shape = shape == CALL ? RESULT : USER;
		call += shape == CALL;
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
