/* Random histories that can be sent: every body obeys its provider and says all that the
 * history says. Then the same with one result lost: every body is refused. */
#include "render_help.h"

struct history {
	struct ctx_buf lines;  /* items, as input_of reads them */
	struct ctx_buf said;   /* lines of "T text", "C name", "args", "R text" */
	struct ctx_buf system; /* "text\n" each */
	uint64_t seed;
	int texts, calls;
};

static unsigned
rnd(struct history *h, unsigned n)
{
	h->seed ^= h->seed << 13;
	h->seed ^= h->seed >> 7;
	h->seed ^= h->seed << 17;
	return (unsigned)(h->seed >> 11) % n;
}

/* A text that occurs once, told to the lists; or now and then a blank one. */
static void
put_text(struct history *h, bool may_be_blank, bool block)
{
	static const char *const odd[] = {
	    "", " \\\" ", " \\u00e9\xf0\x9f\x98\x80", " \\\\"};
	static const char *const plain[] = {
	    "", " \" ", " \xc3\xa9\xf0\x9f\x98\x80", " \\"};
	const char *before = block ? "{\"type\":\"text\",\"text\":\"" : "\"";
	const char *after = block ? "\"}" : "\"";

	if (may_be_blank && rnd(h, 8) == 0) {
		ctx_buf_addf(&h->lines, "%s%s%s", before, rnd(h, 2) ? "" : " \\n", after);
		return;
	}
	unsigned o = rnd(h, 4);
	ctx_buf_addf(&h->lines, "%stext%d.%s%s", before, h->texts, odd[o], after);
	ctx_buf_addf(&h->said, "T text%d.%s\n", h->texts++, plain[o]);
}

static void
put_user(struct history *h)
{
	ctx_buf_adds(&h->lines, "{\"role\":\"user\",\"content\":");
	if (rnd(h, 2)) {
		put_text(h, false, false);
	} else {
		ctx_buf_addc(&h->lines, '[');
		put_text(h, false, true);
		for (unsigned i = rnd(h, 3); i > 0; i--) {
			ctx_buf_addc(&h->lines, ',');
			if (rnd(h, 4) == 0)
				ctx_buf_adds(&h->lines,
				    rnd(h, 2) ? "{\"type\":\"image_url\",\"image_url\":{"
						"\"url\":"
						"\"data:image/png;base64,AAAA\"}}"
					      : "{\"type\":\"image\",\"source\":{"
						"\"type\":\"url\","
						"\"url\":\"https://h/i.png\"}}");
			else
				put_text(h, true, true);
		}
		ctx_buf_addc(&h->lines, ']');
	}
	ctx_buf_adds(&h->lines, "}\n");
}

static void
put_system(struct history *h)
{
	size_t mark = h->said.n;
	bool late = h->lines.n > 0; /* it stays where it is, and is said there */

	if (rnd(h, 6) != 0)
		return;
	ctx_buf_addf(&h->lines,
	    "{\"role\":\"%s\",\"content\":", rnd(h, 2) ? "system" : "developer");
	put_text(h, false, false);
	ctx_buf_add(&h->system, h->said.p + mark + 2, strcspn(h->said.p + mark, ".") - 1);
	ctx_buf_addc(&h->system, '\n');
	if (!late) {
		h->said.n = mark;
		h->said.p[mark] = '\0';
	}
	ctx_buf_adds(&h->lines, "}\n");
}

struct pending {
	char id[32];
	int result;
};

static void
put_call(struct history *h, struct pending *p, bool openai)
{
	static const char *const args[] = {"{}", "{\"n\":9007199254740993, \"x\":1.0}",
	    "{\"s\":\"a\\\"b\\u00e9\\n\",\"e\":1e5}",
	    "{\"a\":{\"b\":[1,2,{}]},\"a\":null}"};
	const char *a = args[rnd(h, 4)];

	/* ids come again, within a turn too */
	snprintf(
	    p->id, sizeof(p->id), "call_%u", rnd(h, 3) ? (unsigned)h->calls : rnd(h, 5));
	p->result = h->calls++;
	ctx_buf_addf(&h->said, "C fn%d\n%s\n", p->result % 3, a);
	if (openai) {
		ctx_buf_addf(&h->lines,
		    "{\"index\":0,\"id\":\"%s\",\"type\":\"function\",\"function\":{"
		    "\"name\":"
		    "\"fn%d\",\"arguments\":",
		    p->id, p->result % 3);
		if (strcmp(a, "{}") == 0 && rnd(h, 2))
			a = "";
		ctx_buf_addc(&h->lines, '"');
		ctx_json_escape(&h->lines, ctx_span_of(a));
		ctx_buf_adds(&h->lines, "\"}}");
	} else {
		ctx_buf_addf(&h->lines,
		    "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"fn%d\",\"input\":%"
		    "s}",
		    p->id, p->result % 3, a);
	}
}

static void
put_assistant(struct history *h, struct pending *p, unsigned calls)
{
	bool openai = rnd(h, 2);

	ctx_buf_adds(&h->lines, "{\"role\":\"assistant\",\"content\":");
	if (openai) {
		if (calls > 0 && rnd(h, 2))
			ctx_buf_adds(&h->lines, "null");
		else
			put_text(h, calls > 0, false);
		for (unsigned i = 0; i < calls; i++) {
			ctx_buf_adds(&h->lines, i == 0 ? ",\"tool_calls\":[" : ",");
			put_call(h, &p[i], true);
		}
		ctx_buf_adds(&h->lines, calls > 0 ? "]}\n" : "}\n");
		return;
	}
	ctx_buf_addc(&h->lines, '[');
	if (rnd(h, 3) == 0)
		ctx_buf_adds(&h->lines, "{\"type\":\"thinking\",\"thinking\":\"secret\","
					"\"signature\":\"s\"},");
	put_text(h, calls > 0, true);
	for (unsigned i = 0; i < calls; i++) {
		ctx_buf_addc(&h->lines, ',');
		put_call(h, &p[i], false);
	}
	ctx_buf_adds(&h->lines, "]}\n");
}

static void
put_result(struct history *h, const struct pending *p)
{
	bool empty = rnd(h, 6) == 0, error = rnd(h, 5) == 0;
	char text[32] = "";

	if (!empty)
		snprintf(text, sizeof(text), "result%d.", p->result);
	if (rnd(h, 2)) {
		error = false;
		ctx_buf_addf(&h->lines,
		    "{\"role\":\"tool\",\"tool_call_id\":\"%s\",\"content\":\"%s\"}\n",
		    p->id, text);
	} else {
		ctx_buf_addf(&h->lines,
		    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_"
		    "use_id\":"
		    "\"%s\",\"content\":",
		    p->id);
		if (rnd(h, 2))
			ctx_buf_addf(
			    &h->lines, "[{\"type\":\"text\",\"text\":\"%s\"}]", text);
		else
			ctx_buf_addf(&h->lines, "\"%s\"", text);
		ctx_buf_adds(&h->lines, error ? ",\"is_error\":true}" : "}");
		if (rnd(h, 4) == 0) {
			ctx_buf_addc(&h->lines, ',');
			put_text(h, true, true);
		}
		ctx_buf_adds(&h->lines, "]}\n");
	}
	/* an empty result that failed says "Error" to OpenAI: left out of the comparison */
	ctx_buf_addf(&h->said, "R %s\n", text);
}

static void
put_step(struct history *h)
{
	struct pending p[12];
	unsigned n = 0, messages = 1 + (rnd(h, 4) == 0);

	for (unsigned i = 0; i < messages; i++) {
		unsigned calls = 1 + rnd(h, 3);
		put_assistant(h, p + n, calls);
		n += calls;
	}
	/* results in any order but among equal ids */
	for (unsigned i = 0; i < n; i++) {
		unsigned k = rnd(h, n);
		bool same = false;
		for (unsigned j = 0; j < n; j++)
			for (unsigned l = 0; l < j; l++)
				same |= strcmp(p[j].id, p[l].id) == 0;
		if (!same) {
			struct pending t = p[i];
			p[i] = p[k];
			p[k] = t;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		if (rnd(h, 12) == 0)
			put_user(h);
		put_result(h, &p[i]);
		put_system(h);
	}
}

static void
make(struct history *h, uint64_t seed)
{
	unsigned turns;

	memset(h, 0, sizeof(*h));
	h->seed = seed * 0x9e3779b97f4a7c15u + 1;
	ctx_buf_adds(&h->lines, "");
	ctx_buf_adds(&h->said, "");
	ctx_buf_adds(&h->system, "");
	put_system(h);
	if (rnd(h, 3) == 0) {
		ctx_buf_adds(&h->lines, rnd(h, 2) ? "S " : "P ");
		put_user(h);
	}
	turns = 1 + rnd(h, 4);
	for (unsigned t = 0; t < turns; t++) {
		if (rnd(h, 3) == 0) {
			ctx_buf_adds(&h->lines, "V ");
			put_user(h);
		}
		put_user(h);
		for (unsigned s = rnd(h, 4); s > 0; s--)
			put_step(h);
		if (t + 1 < turns && rnd(h, 4) != 0)
			put_assistant(h, NULL, 0);
	}
	if (h->lines.p[h->lines.n - 2] == '}' && turns > 0 && rnd(h, 2))
		put_user(h);
}

static void
done(struct history *h)
{
	ctx_buf_release(&h->lines);
	ctx_buf_release(&h->said);
	ctx_buf_release(&h->system);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines sorted, so that only what is said counts, not where. */
static char *
sorted(const char *text)
{
	char *copy = ctx_mem_str(text), *save = NULL, **line = NULL;
	struct ctx_buf out = CTX_BUF_INIT;
	size_t n = 0, cap = 0;

	for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		CTX_MEM_GROW(line, n, cap);
		line[n++] = l;
	}
	if (n > 0)
		qsort(line, n, sizeof(*line), by_text);
	for (size_t i = 0; i < n; i++)
		ctx_buf_addf(
		    &out, "%s\n", strcmp(line[i], "R Error") == 0 ? "R " : line[i]);
	free(line);
	free(copy);
	return ctx_buf_detach(&out);
}

static void
check_history(struct history *h, enum ctx_provider p)
{
	char *body = body_of(h->lines.p, p, NULL), *again = body_of(h->lines.p, p, NULL);
	const char *why = check_body(body, p);
	char *got, *want, *s, *save = NULL;

	if (why != NULL) {
		printf(
		    "# %s: %s\n%s\n# %s\n", ctx_provider_name(p), why, h->lines.p, body);
		test_bad = 1;
	} else {
		char *said = saying(ctx_span_of(body)),
		     *system = ctx_mem_str(h->system.p);
		got = sorted(said);
		want = sorted(h->said.p);
		CHECK_STR(got, want);
		for (s = strtok_r(system, "\n", &save); s;
		     s = strtok_r(NULL, "\n", &save))
			CHECK(strstr(body, s) != NULL);
		CHECK(p == CTX_PROVIDER_ANTHROPIC || strstr(body, "secret") == NULL);
		free(said);
		free(system);
		free(got);
		free(want);
	}
	CHECK_STR(again, body);
	free(again);
	free(body);
}

static void
sendable(void)
{
	for (uint64_t seed = 1; seed <= 1500 && !test_bad; seed++) {
		struct history h;
		make(&h, seed);
		for (int p = 0; p < 3; p++)
			check_history(&h, (enum ctx_provider)p);
		done(&h);
	}
}

/* Without one of its results a history cannot be sent. */
static void
one_result_lost(void)
{
	int tried = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct history h;
		char *at, *end;
		make(&h, seed);
		at = strstr(h.lines.p, "{\"role\":\"tool\"");
		if (at != NULL) {
			end = strchr(at, '\n');
			memmove(at, end + 1, strlen(end + 1) + 1);
			for (int p = 0; p < 3; p++) {
				char *body = body_of(
				    h.lines.p, (enum ctx_provider)p, NULL);
				CHECK(strncmp(body, "E1 message ", 11) == 0);
				free(body);
			}
			tried++;
		}
		done(&h);
	}
	CHECK(tried > 100);
}

/* A body's messages, taken as a history, give the same body again: nothing drifts. */
static void
settles(void)
{
	for (uint64_t seed = 1; seed <= 500 && !test_bad; seed++) {
		static const enum ctx_provider two[] = {
		    CTX_PROVIDER_OPENAI, CTX_PROVIDER_ANTHROPIC};
		struct history h;
		make(&h, seed);
		for (int i = 0; i < 2; i++) {
			struct ctx_render_options o = options(two[i], NULL);
			char *body = body_of(h.lines.p, two[i], NULL), *again;
			struct input *in = ctx_mem_new(sizeof(*in));
			struct ctx_span system = get(ctx_span_of(body), "system");
			struct ctx_buf params = CTX_BUF_INIT;
			if (system.p != NULL) {
				ctx_buf_addf(&params, "{\"system\":%.*s}", (int)system.n,
				    system.p);
				o.params = ctx_buf_span(&params);
			}
			input_array(in, get(ctx_span_of(body), "messages"));
			again = body_with(in, &o);
			CHECK_STR(again, body);
			ctx_buf_release(&params);
			free(in);
			free(again);
			free(body);
		}
		done(&h);
	}
}

/* The next request begins with the bytes of the one before, so that a provider's prompt
 * cache keeps hitting: within a turn and from turn to turn. */
static void
prefix_stays(void)
{
	for (uint64_t seed = 1; seed <= 500 && !test_bad; seed++) {
		struct history h;
		make(&h, seed);
		for (int p = 0; p < 3; p++) {
			struct ctx_buf longer = CTX_BUF_INIT;
			char *one = body_of(h.lines.p, (enum ctx_provider)p, NULL), *two;
			ctx_buf_adds(&longer, h.lines.p);
			ctx_buf_adds(&longer,
			    "{\"role\":\"assistant\",\"content\":\"answer\"}\n"
			    "V {\"role\":\"user\",\"content\":\"addition\"}\n"
			    "{\"role\":\"user\",\"content\":\"next\"}\n");
			two = body_of(longer.p, (enum ctx_provider)p, NULL);
			CHECK(strlen(two) > strlen(one) &&
			      strncmp(one, two, strlen(one) - 2) == 0);
			free(one);
			free(two);
			ctx_buf_release(&longer);
		}
		done(&h);
	}
}

int
main(void)
{
	RUN(sendable);
	RUN(one_result_lost);
	RUN(settles);
	RUN(prefix_stays);
	return TEST_END();
}
