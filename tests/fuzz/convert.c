/* Fuzz target for the way of an answer: read as one provider gave it, kept as a message,
 * its calls answered, and sent on to each provider. The first byte picks who gave it. An
 * answer of text can always be sent on; whatever is sent, lint accepts. */
#include "fuzz.h"

#include <string.h>

#include "answer/answer.h"
#include "base/time.h"
#include "json/json.h"
#include "lint/lint.h"
#include "record/message.h"
#include "render/render.h"

#define USER "{\"role\":\"user\",\"content\":\"go on\"}"
#define MAX_ITEMS 64

struct history {
	struct ctx_render_item item[MAX_ITEMS];
	struct ctx_buf result[MAX_ITEMS];
	size_t n, results;
};

static void
add(struct history *h, struct ctx_span message)
{
	h->item[h->n++] = (struct ctx_render_item){
	    .message = message, .seq = -1, .created_at = CTX_TIME_NONE};
}

static void
answer_calls(struct history *h, const struct ctx_message *m)
{
	for (size_t i = 0; i < m->n && h->results < MAX_ITEMS - 4; i++) {
		struct ctx_buf *b = &h->result[h->results];
		if (m->parts[i].type != CTX_PART_TOOL_CALL || m->parts[i].id.p == NULL)
			continue;
		ctx_buf_adds(b, "{\"role\":\"tool\",\"tool_call_id\":");
		ctx_buf_addspan(b, m->parts[i].id);
		ctx_buf_adds(b, ",\"content\":\"done\"}");
		add(h, ctx_buf_span(b));
		h->results++;
	}
}

static void
show(void *arg, const struct ctx_lint_diagnostic *d)
{
	if (d->error)
		fprintf(stderr, "%s at %ld: %s\n%s\n", d->rule, d->index, d->text,
		    ((struct ctx_buf *)arg)->p);
}

static void
send(const struct history *h, enum ctx_provider p, bool must)
{
	struct ctx_render_options o = {.provider = p};
	struct ctx_lint_options lint = CTX_LINT_OPTIONS_INIT;
	struct ctx_buf body = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	lint.rules = p;
	if (ctx_render_body(&body, h->item, h->n, &o, &err) < 0)
		MUST(!must && err.code == CTX_EANSWER);
	else
		MUST(ctx_lint_body(ctx_buf_span(&body), &lint, show, &body, &err) == 0);
	ctx_buf_release(&body);
}

static void
send_on(struct ctx_span answer)
{
	struct history h = {.n = 0};
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	bool must;

	MUST(ctx_message_parse(&m, answer, &err) == 0);
	must = ctx_message_count(&m, CTX_PART_TOOL_CALL) == 0 &&
	       ctx_message_count(&m, CTX_PART_TOOL_RESULT) == 0;
	add(&h, ctx_span_of(USER));
	add(&h, answer);
	answer_calls(&h, &m);
	add(&h, ctx_span_of(USER));
	for (int p = 0; p < CTX_PROVIDER_COUNT; p++)
		send(&h, (enum ctx_provider)p, must);
	for (size_t i = 0; i < h.results; i++)
		ctx_buf_release(&h.result[i]);
	ctx_message_release(&m);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx_answer_reader *r;
	struct ctx_answer answer = CTX_ANSWER_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	if (n < 2)
		return 0;
	r = ctx_answer_reader_new(
	    (enum ctx_provider)(data[0] % CTX_PROVIDER_COUNT), NULL, NULL);
	/* the byte that is not used here says how answer.c cuts: one corpus serves both */
	if (ctx_answer_feed(r, data + 2, n - 2, &err) == 0 &&
	    ctx_answer_finish(r, &answer, &err) == 0)
		send_on(ctx_buf_span(&answer.message));
	ctx_answer_release(&answer);
	ctx_answer_reader_free(r);
	return 0;
}
