/* Fuzz target of summaries (libFuzzer). The first bytes choose budget, language and
 * tokenizer; the rest is text, cut into messages at NUL bytes. Aborts where a promise of
 * summary.h is broken. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "json/json.h"
#include "summary/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool ok)
{
	if (!ok)
		abort();
}

static void
try_facts(struct ctx_span text)
{
	struct ctx_facts f = CTX_FACTS_INIT;
	struct ctx_fact_share s = ctx_summary_facts_kept(text, text);

	ctx_summary_facts(text, &f);
	for (size_t i = 0; i < f.n; i++)
		must(f.v[i].n > 0 && f.v[i].offset + f.v[i].n <= text.n);
	must(s.kept <= s.facts && s.facts <= f.n);
	ctx_facts_release(&f);
}

/* A call with the text as its arguments, and as its result. */
static void
add_exchange(struct ctx_summary_input *in, struct ctx_span text)
{
	static const char *const names[] = {
	    "Bash", "Read", "apply_patch", "TodoWrite", "x"};
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	ctx_buf_addf(&b,
	    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"1\","
	    "\"type\":\"function\",\"function\":{\"name\":\"%s\"",
	    names[text.n % 5]);
	ctx_json_add_string(&b, "arguments", text);
	ctx_buf_adds(&b, "}}]}");
	if (ctx_message_parse(&m, ctx_buf_span(&b), &err) == 0)
		ctx_summary_input_add_message(in, &m);
	ctx_buf_reset(&b);
	ctx_buf_adds(&b, "{\"role\":\"tool\",\"tool_call_id\":\"1\"");
	ctx_json_add_string(&b, "content", text);
	ctx_buf_addc(&b, '}');
	if (ctx_message_parse(&m, ctx_buf_span(&b), &err) == 0)
		ctx_summary_input_add_message(in, &m);
	ctx_message_release(&m);
	ctx_buf_release(&b);
}

static void
try_extract(struct ctx_span text, struct ctx_tokenizer *t, int64_t max, unsigned language)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	struct ctx_summary_options o = {
	    t, max, (enum ctx_summary_language)(language % CTX_SUMMARY_LANGUAGES)};
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	const char *nul;

	for (int role = 0; text.n > 0; role++) {
		nul = memchr(text.p, '\0', text.n);
		size_t n = nul ? (size_t)(nul - text.p) : text.n;
		if (role % 7 == 6)
			ctx_summary_input_add_earlier(in, (struct ctx_span){text.p, n});
		else if (role % 7 == 5)
			add_exchange(in, (struct ctx_span){text.p, n});
		else
			ctx_summary_input_add(in, (enum ctx_role)(role % 5),
			    CTX_SPAN_NONE, (struct ctx_span){text.p, n});
		n += nul != NULL;
		text.p += n;
		text.n -= n;
	}
	must(ctx_summary_extract(&out, in, &o, &err) == 0);
	must(out.n == 0 || ctx_tokens_text(t, out.p, out.n) <= max);
	must(ctx_utf8_valid(out.p, out.n) == out.n);
	ctx_buf_reset(&out);
	ctx_summary_truncate(&out, in, t, max);
	must(out.n == 0 || ctx_tokens_text(t, out.p, out.n) <= max);
	must(ctx_utf8_valid(out.p, out.n) == out.n);
	ctx_buf_release(&out);
	ctx_summary_input_free(in);
}

static void
try_condense(struct ctx_span text, struct ctx_tokenizer *t, int64_t max)
{
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	enum ctx_output_type type;
	bool cut = ctx_summary_condense(&out, text, t, max, &type);

	must(out.n == 0 || ctx_tokens_text(t, out.p, out.n) <= max);
	must(ctx_utf8_valid(out.p, out.n) == out.n);
	must(cut || ctx_span_eq(ctx_buf_span(&out), text) || text.n == 0);
	must(type != CTX_OUTPUT_JSON || ctx_json_check(text, NULL, NULL, &err) == 0);
	ctx_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctx_summary_guard g = {NULL, 100, NULL, 0};
	struct ctx_tokenizer *t;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span text;
	int64_t max;

	if (size < 4)
		return 0;
	/* A copy, so that a read behind the end is seen. */
	char *copy = malloc(size - 3);
	memcpy(copy, data + 3, size - 3);
	text = (struct ctx_span){copy, size - 3};
	max = 1 + data[0] + (data[1] & 3) * 256;
	must(ctx_tokenizer_open(&t, data[1] & 4 ? "chars4" : "approx", NULL, &err) == 0);
	g.tokenizer = t;
	if (ctx_summary_check(text, &g, &err) == CTX_SUMMARY_GOOD)
		must(ctx_utf8_valid(text.p, text.n) == text.n);
	try_facts(text);
	try_extract(text, t, max, data[2]);
	text.n = ctx_utf8_valid(text.p, text.n);
	try_condense(text, t, max);
	ctx_tokenizer_close(t);
	free(copy);
	return 0;
}
