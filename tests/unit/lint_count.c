/* A request costs no more, counted on its body, than its messages and params were counted
 * at: what selection made fit, fits. */
#include "test.h"
#include "random.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/time.h"
#include "json/json.h"
#include "lint/lint.h"
#include "render/render.h"

struct world {
	struct ctx_buf history;
	struct ctx_tokenizer *t;
	enum ctx_provider provider;
	unsigned ids;
};

static void
words(struct ctx_buf *b)
{
	static const char *const some[] = {"alpha", "be careful", "\\\"quoted\\\"",
	    "line\\nline", "12345", "caf\xc3\xa9", "{\\\"a\\\": 1}"};

	ctx_buf_addc(b, '"');
	for (unsigned n = 1 + random_below(5); n > 0; n--)
		ctx_buf_addf(b, "%s%s", some[random_below(7)], n > 1 ? " " : "");
	ctx_buf_addc(b, '"');
}

#define PNG                                                                        \
	"iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAADUlEQVR4nGNgQAUAAA4AAejT" \
	"YgQAAAAASUVORK5CYII="

/* 1600 x 1000: dear in Anthropic's shape. */
#define WIDE "iVBORw0KGgoAAAANSUhEUgAABkAAAAPoCAIAAAA="

/* In either shape, whatever the provider: each has a price of its own. */
static void
image(struct world *w)
{
	static const char *const some[] = {
	    "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,",
	    "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
	    "\"image/png\",\"data\":\""};
	static const char *const data[] = {PNG, WIDE};

	ctx_buf_addf(
	    &w->history, "%s%s\"}}", some[random_below(2)], data[random_below(2)]);
}

/* Documents of text, of pages, by their URL, and sound: a user's. */
static void
document(struct ctx_buf *b)
{
	static const char *const some[] = {
	    "{\"type\":\"document\",\"title\":\"t\",\"source\":{\"type\":\"text\","
	    "\"media_type\":\"text/plain\",\"data\":\"",
	    "{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":"
	    "\"application/pdf\",\"data\":\"",
	    "{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"https://",
	    "{\"type\":\"file\",\"file\":{\"filename\":\"f.pdf\",\"file_data\":"
	    "\"data:application/pdf;base64,",
	    "{\"type\":\"input_audio\",\"input_audio\":{\"format\":\"wav\",\"data\":\""};

	ctx_buf_adds(b, some[random_below(5)]);
	for (unsigned n = 1 + random_below(100); n > 0; n--)
		ctx_buf_adds(b, "L1BhZ2Vz");
	ctx_buf_adds(b, "\"}}");
}

/* A string, or a list of texts and images. */
static void
content(struct world *w, bool user)
{
	struct ctx_buf *b = &w->history;

	if (random_below(2)) {
		words(b);
		return;
	}
	ctx_buf_addc(b, '[');
	for (unsigned n = 1 + random_below(3); n > 0; n--) {
		if (random_below(5) == 0) {
			image(w);
		} else if (user && random_below(4) == 0) {
			document(b);
		} else {
			ctx_buf_adds(b, "{\"type\":\"text\",\"text\":");
			words(b);
			ctx_buf_addc(b, '}');
		}
		ctx_buf_adds(b, n > 1 ? "," : "");
	}
	ctx_buf_addc(b, ']');
}

static void
message(struct world *w, const char *role)
{
	ctx_buf_addf(&w->history, "{\"role\":\"%s\",\"content\":", role);
	if (strcmp(role, "user") == 0)
		content(w, true);
	else
		words(&w->history);
	ctx_buf_adds(&w->history, "},");
}

/* Parallel calls with their results, in OpenAI's shape. */
static void
openai_calls(struct world *w, unsigned n)
{
	static const char *const args[] = {
	    "{\\\"path\\\": \\\"a b\\\"}", "{}", "", "free\\ntext"};
	struct ctx_buf *b = &w->history;

	ctx_buf_adds(b, "{\"role\":\"assistant\",\"content\":");
	if (random_below(2))
		words(b);
	else
		ctx_buf_adds(b, "null");
	ctx_buf_adds(b, ",\"tool_calls\":[");
	for (unsigned i = 0; i < n; i++)
		ctx_buf_addf(b,
		    "%s{\"id\":\"c%u\",\"type\":\"function\",\"function\":{\"name\":"
		    "\"look\",\"arguments\":\"%s\"}}",
		    i > 0 ? "," : "", w->ids + i, args[random_below(4)]);
	ctx_buf_adds(b, "]},");
	for (unsigned i = 0; i < n; i++) {
		ctx_buf_addf(b,
		    "{\"role\":\"tool\",\"tool_call_id\":\"c%u\",\"content\":", w->ids++);
		content(w, false);
		ctx_buf_adds(b, "},");
	}
}

/* The same in Anthropic's. */
static void
anthropic_calls(struct world *w, unsigned n)
{
	struct ctx_buf *b = &w->history;

	ctx_buf_adds(b, "{\"role\":\"assistant\",\"content\":[");
	if (random_below(3) == 0)
		ctx_buf_adds(b, "{\"type\":\"thinking\",\"thinking\":\"hm\","
				"\"signature\":\"c2ln\"},");
	if (random_below(2)) {
		ctx_buf_adds(b, "{\"type\":\"text\",\"text\":");
		words(b);
		ctx_buf_adds(b, "},");
	}
	for (unsigned i = 0; i < n; i++)
		ctx_buf_addf(b,
		    "%s{\"type\":\"tool_use\",\"id\":\"c%u\",\"name\":\"look\",\"input\":"
		    "%s}",
		    i > 0 ? "," : "", w->ids + i,
		    random_below(2) ? "{}" : "{\"path\": 1.50}");
	ctx_buf_adds(b, "]},{\"role\":\"user\",\"content\":[");
	for (unsigned i = 0; i < n; i++) {
		ctx_buf_addf(b,
		    "%s{\"type\":\"tool_result\",\"tool_use_id\":\"c%u\",%s\"content\":",
		    i > 0 ? "," : "", w->ids++,
		    random_below(3) ? "" : "\"is_error\":true,");
		content(w, false);
		ctx_buf_addc(b, '}');
	}
	ctx_buf_adds(b, "]},");
}

static void
make_history(struct world *w)
{
	ctx_buf_reset(&w->history);
	w->ids = 0;
	ctx_buf_addc(&w->history, '[');
	message(w, random_below(2) ? "system" : "user");
	message(w, "user");
	for (unsigned n = random_below(6); n > 0; n--) {
		switch (random_below(4)) {
		case 0:
			openai_calls(w, 1 + random_below(5));
			break;
		case 1:
			anthropic_calls(w, 1 + random_below(5));
			break;
		default:
			message(w, random_below(2) ? "user" : "assistant");
		}
	}
	message(w, "user");
	w->history.n--;
	ctx_buf_addc(&w->history, ']');
}

/* What the body costs over what was counted before; 0 or less is right. */
static int64_t
excess(struct world *w, struct ctx_span params, struct ctx_buf *body)
{
	struct ctx_render_options o = {.provider = w->provider, .params = params};
	struct ctx_render_item items[96];
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int64_t sum = CTX_TOKENS_REPLY + ctx_render_params_tokens(w->t, params), got;
	size_t n = 0;

	CTX_JSON_EACH(it, ctx_buf_span(&w->history)) {
		items[n++] = (struct ctx_render_item){
		    .message = it.value, .seq = -1, .created_at = CTX_TIME_NONE};
		CHECK_INT(ctx_message_parse(&m, it.value, &err), 0);
		sum += ctx_tokens_sent(w->t, &m, w->provider);
	}
	ctx_message_release(&m);
	ctx_buf_reset(body);
	if (ctx_render_body(body, items, n, &o, &err) < 0) {
		printf("# %s\n", err.msg);
		return 1;
	}
	got = ctx_lint_body_tokens(ctx_buf_span(body), w->t, &err);
	return got < 0 ? 1 : got - sum;
}

static void
no_body_costs_more(void)
{
	static const char *const params[] = {"{}",
	    "{\"tools\":[{\"name\":\"look\",\"description\":\"looks\"}]}",
	    "{\"system\":\"be kind\"}", "{\"instructions\":\"be kind\"}",
	    "{\"systemInstruction\":{\"parts\":[{\"text\":\"be kind\"}]}}"};
	const char *runs = getenv("CTX_TEST_RUNS");
	int n = runs == NULL ? 1000 : atoi(runs), bad = 0;
	struct world w = {0};
	struct ctx_buf body = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	CHECK_INT(ctx_tokenizer_open(&w.t, "approx", NULL, &err), 0);
	for (int i = 1; i <= n && bad < 3; i++) {
		struct ctx_span p = ctx_span_of(params[i % 5]);
		int64_t over;
		random_state = 0x9e3779b97f4a7c15u * (uint64_t)i;
		w.provider = (enum ctx_provider)(i / 5 % CTX_PROVIDER_COUNT);
		make_history(&w);
		over = excess(&w, p, &body);
		if (over <= 0)
			continue;
		bad++;
		printf("# run %d for %s: %lld over\n# %s\n# %s\n", i,
		    ctx_provider_name(w.provider), (long long)over, w.history.p, body.p);
		CHECK(0 && "a body costs more than its messages");
	}
	ctx_tokenizer_close(w.t);
	ctx_buf_release(&w.history);
	ctx_buf_release(&body);
}

/* Where nothing is converted the two are one figure: many calls at once, in one message. */
static void
parallel_calls(void)
{
	struct world w = {0};
	struct ctx_buf body = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	CHECK_INT(ctx_tokenizer_open(&w.t, "approx", NULL, &err), 0);
	ctx_buf_adds(&w.history, "[{\"role\":\"user\",\"content\":\"look\"},"
				 "{\"role\":\"assistant\",\"content\":\"I look.\","
				 "\"tool_calls\":[");
	for (int i = 0; i < 20; i++)
		ctx_buf_addf(&w.history,
		    "%s{\"id\":\"c%d\",\"type\":\"function\",\"function\":{\"name\":"
		    "\"look\",\"arguments\":\"{\\\"n\\\":%d}\"}}",
		    i > 0 ? "," : "", i, i);
	ctx_buf_adds(&w.history, "]}");
	for (int i = 0; i < 20; i++)
		ctx_buf_addf(&w.history,
		    ",{\"role\":\"tool\",\"tool_call_id\":\"c%d\",\"content\":\"seen "
		    "%d\"}",
		    i, i);
	ctx_buf_addc(&w.history, ']');
	for (int p = 0; p < CTX_PROVIDER_COUNT; p++) {
		w.provider = (enum ctx_provider)p;
		if (w.provider == CTX_PROVIDER_OPENAI ||
		    w.provider == CTX_PROVIDER_RESPONSES)
			CHECK_INT(excess(&w, CTX_SPAN_NONE, &body), 0);
		else
			CHECK(excess(&w, CTX_SPAN_NONE, &body) <= 0);
	}
	ctx_tokenizer_close(w.t);
	ctx_buf_release(&w.history);
	ctx_buf_release(&body);
}

int
main(void)
{
	RUN(parallel_calls);
	RUN(no_body_costs_more);
	return TEST_END();
}
