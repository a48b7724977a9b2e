/* Round trips between the shapes: what a body says survives, and after one conversion
 * nothing changes any more. Small cases here; real transcripts from the files that
 * CTX_TEST_TRANSCRIPTS names, separated by colons: JSON lines of objects with "messages",
 * of bare messages, or of objects with a "message" (coding agents' logs). */
#include "render_help.h"

/* Messages of a body as a history of their own; system holds the message made of
 * Anthropic's system text. */
static struct input *
messages_of(const char *body, struct ctx_buf *system)
{
	struct input *in = ctx_mem_new(sizeof(*in));
	struct ctx_span text = get(ctx_span_of(body), "system");

	ctx_buf_reset(system);
	if (text.p != NULL) {
		ctx_buf_adds(system, "{\"role\":\"system\",\"content\":");
		ctx_buf_addspan(system, text);
		ctx_buf_addc(system, '}');
		add_line(in, ctx_buf_span(system));
	}
	input_array(in, get(ctx_span_of(body), "messages"));
	return in;
}

static char *
render(const struct input *in, enum ctx_provider p)
{
	struct ctx_render_options o = options(p, NULL);

	o.thinking = CTX_THINKING_STRIP;
	return body_with(in, &o);
}

/* start → a → b → a' → b': all say the same, and a' is a, b' is b once both shapes have
 * been gone through. */
static void
there_and_back(const struct input *in, enum ctx_provider p, enum ctx_provider q)
{
	struct ctx_buf system = CTX_BUF_INIT;
	char *body[5], *said[5];
	const char *why;

	for (int i = 0; i < 5; i++) {
		enum ctx_provider now = i % 2 == 0 ? p : q;
		struct input *from = i == 0 ? NULL : messages_of(body[i - 1], &system);
		body[i] = render(i == 0 ? in : from, now);
		free(from);
		why = check_body(body[i], now);
		if (why != NULL)
			printf("# step %d, %s: %s\n", i, ctx_provider_name(now), why);
		CHECK(why == NULL);
		said[i] = saying(ctx_span_of(body[i]));
		if (i > 0)
			CHECK_STR(said[i], said[0]);
	}
	CHECK_STR(body[3], body[1]);
	CHECK_STR(body[4], body[2]);
	for (int i = 0; i < 5; i++) {
		free(body[i]);
		free(said[i]);
	}
	ctx_buf_release(&system);
}

static void
all_ways(const struct input *in)
{
	char *openai, *gemini, *a, *b;

	there_and_back(in, CTX_PROVIDER_OPENAI, CTX_PROVIDER_ANTHROPIC);
	there_and_back(in, CTX_PROVIDER_ANTHROPIC, CTX_PROVIDER_OPENAI);
	openai = render(in, CTX_PROVIDER_ANTHROPIC);
	gemini = render(in, CTX_PROVIDER_GEMINI);
	CHECK(check_body(gemini, CTX_PROVIDER_GEMINI) == NULL);
	a = saying(ctx_span_of(openai));
	b = saying(ctx_span_of(gemini));
	CHECK_STR(b, a);
	free(a);
	free(b);
	free(openai);
	free(gemini);
}

static void
small(void)
{
	struct input *in = input_of(
	    "{\"role\":\"user\",\"content\":\"u\"}\n"
	    "{\"role\":\"assistant\",\"content\":\"look\",\"tool_calls\":[{"
	    "\"id\":\"a\",\"type\":"
	    "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{"
	    "\\\"x\\\": 1.0}\"}},"
	    "{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"g\","
	    "\"arguments\":"
	    "\"{}\"}}]}\n"
	    "{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":\"\"}\n"
	    "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"1\\n2\"}\n"
	    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
	    "\"\\ud83d\\ude00\"},"
	    "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{"
	    "\"k\":1e400}}]}\n"
	    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_"
	    "use_id\":\"c\","
	    "\"content\":[{\"type\":\"text\",\"text\":\"r\"}]},{\"type\":"
	    "\"text\",\"text\":"
	    "\"more\"}]}\n");

	all_ways(in);
	free(in);
}

static struct ctx_buf
slurp(const char *path)
{
	struct ctx_buf b = CTX_BUF_INIT;
	FILE *f = fopen(path, "rb");
	char part[65536];
	size_t n;

	if (f == NULL) {
		printf("# cannot open %s\n", path);
		test_bad = 1;
		return b;
	}
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		ctx_buf_add(&b, part, n);
	fclose(f);
	return b;
}

static void
try(struct input *in, int *count)
{
	static const char go_on[] = "{\"role\":\"user\",\"content\":\"go on\"}";
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	if (in->n > 0 && ctx_message_parse(&m, in->item[in->n - 1].message, &err) == 0 &&
	    m.role == CTX_ROLE_ASSISTANT)
		add_line(in, ctx_span_of(go_on));
	ctx_message_release(&m);
	if (in->n > 0) {
		all_ways(in);
		++*count;
	}
	in->n = 0;
}

static void
transcript(const char *path, int *count)
{
	struct ctx_buf file = slurp(path);
	struct input *in = ctx_mem_new(sizeof(*in));
	struct ctx_err err = CTX_ERR_INIT;
	const char *p = file.p, *end = file.p + file.n;

	while (p != NULL && p < end && in->n < MAX_ITEMS - 1) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct ctx_span line = {p, (size_t)((nl != NULL ? nl : end) - p)}, v;
		p = nl != NULL ? nl + 1 : end;
		if (ctx_json_check(line, &v, NULL, &err) < 0)
			continue;
		if (get(v, "messages").p != NULL) {
			input_array(in, get(v, "messages"));
			try(in, count);
		} else if (get(v, "role").p != NULL) {
			add_line(in, v);
		} else if (get(get(v, "message"), "role").p != NULL) {
			add_line(in, get(v, "message"));
		}
	}
	try(in, count);
	free(in);
	ctx_buf_release(&file);
}

static void
real(void)
{
	char *list = ctx_mem_str(getenv("CTX_TEST_TRANSCRIPTS")), *save = NULL;
	int count = 0;

	for (char *s = list != NULL ? strtok_r(list, ":", &save) : NULL; s != NULL;
	     s = strtok_r(NULL, ":", &save))
		transcript(s, &count);
	printf("# %d real transcripts\n", count);
	free(list);
}

int
main(void)
{
	RUN(small);
	if (getenv("CTX_TEST_TRANSCRIPTS") != NULL)
		RUN(real);
	return TEST_END();
}
