/* Fuzz target for the readers of answers. The first byte picks the provider, the second
 * how the rest is cut into pieces. Whatever comes in: no cut changes what comes out, an
 * answer passes the checks of a message, and its text is what was given on the way. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/message.h"

struct result {
	int rc;
	struct ctx_answer answer;
	struct ctx_err err;
	struct ctx_buf text;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(int good)
{
	if (!good)
		abort();
}

static void
take_text(void *arg, struct ctx_span piece)
{
	require(ctx_utf8_valid(piece.p, piece.n) == piece.n);
	ctx_buf_addspan(arg, piece);
}

static struct result
read_pieces(enum ctx_provider p, const uint8_t *data, size_t size, unsigned cut)
{
	struct result res = {0, CTX_ANSWER_INIT, CTX_ERR_INIT, CTX_BUF_INIT};
	struct ctx_answer_reader *r = ctx_answer_reader_new(p, take_text, &res.text);

	for (unsigned seed = cut; size > 0 && res.rc == 0;) {
		size_t n = size;
		seed = seed * 1103515245u + 12345u;
		if (cut > 0)
			n = cut < 16 ? cut : 1 + (seed >> 16) % cut;
		n = n < size ? n : size;
		res.rc = ctx_answer_feed(r, data, n, &res.err);
		data += n;
		size -= n;
	}
	if (res.rc == 0)
		res.rc = ctx_answer_finish(r, &res.answer, &res.err);
	ctx_answer_reader_free(r);
	return res;
}

static void
release(struct result *r)
{
	ctx_answer_release(&r->answer);
	ctx_buf_release(&r->text);
}

static void
check_answer(const struct ctx_answer *a)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	bool spaced;

	require(ctx_json_check(ctx_buf_span(&a->message), NULL, &spaced, &err) == 0 &&
		!spaced);
	require(ctx_message_parse(&m, ctx_buf_span(&a->message), &err) == 0);
	require(m.role == CTX_ROLE_ASSISTANT);
	require(a->usage.n == 0 ||
		ctx_json_check(ctx_buf_span(&a->usage), NULL, NULL, &err) == 0);
	ctx_message_release(&m);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result whole, cut;
	enum ctx_provider p;

	if (size < 2)
		return 0;
	p = (enum ctx_provider)(data[0] % CTX_PROVIDER_COUNT);
	whole = read_pieces(p, data + 2, size - 2, 0);
	cut = read_pieces(p, data + 2, size - 2, data[1] | 1u);
	require(whole.rc == cut.rc);
	require(strcmp(whole.err.msg, cut.err.msg) == 0);
	require(ctx_span_eq(
	    ctx_buf_span(&whole.answer.message), ctx_buf_span(&cut.answer.message)));
	require(ctx_span_eq(ctx_buf_span(&whole.text), ctx_buf_span(&cut.text)));
	if (whole.rc == 0)
		check_answer(&whole.answer);
	else
		require(whole.err.code == CTX_EIO && whole.answer.message.p == NULL);
	release(&whole);
	release(&cut);
	return 0;
}
