/* The chain of methods, with outside summarisers that are functions. */
#include "test.h"

#include <stdlib.h>

#include "summary/make.h"

struct outside {
	const char *says; /* NULL: fails; "": echoes its input */
	int calls;
	struct ctx_buf seen;
};

static int
answer(void *arg, struct ctx_span input, struct ctx_buf *out, struct ctx_err *err)
{
	struct outside *o = arg;

	o->calls++;
	ctx_buf_reset(&o->seen);
	ctx_buf_addspan(&o->seen, input);
	if (o->says == NULL)
		return ctx_err_set(err, CTX_EIO, "it is out");
	if (o->says[0] == '\0')
		ctx_buf_addspan(out, input);
	else
		ctx_buf_adds(out, o->says);
	return 0;
}

static struct ctx_tokenizer *tokenizer;

/* n messages of about 30 tokens; returns the result of the end. */
static int
make(struct ctx_summary_make_options *m, int n, struct ctx_summary_made *made)
{
	struct ctx_summary_maker *mk;
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int rc;

	m->tokenizer = tokenizer;
	m->total = 30 * n;
	if (m->replaces == 0)
		m->replaces = m->total;
	if (m->piece == 0)
		m->piece = 100000;
	mk = ctx_summary_maker_new(m);
	for (int i = 0; i < n; i++) {
		struct ctx_buf b = CTX_BUF_INIT;
		ctx_buf_addf(&b,
		    "{\"role\":\"%s\",\"content\":\"We decided that worker %d listens on "
		    "port %d. The file is /etc/w/%d.conf, as ever.\"}",
		    i % 2 == 0 ? "user" : "assistant", i, 8000 + i, i);
		CHECK_INT(ctx_message_parse(&view, ctx_buf_span(&b), &err), 0);
		ctx_summary_maker_add(mk, &view, ctx_buf_span(&b), 30);
		ctx_buf_release(&b);
	}
	rc = ctx_summary_maker_end(mk, made);
	ctx_summary_maker_free(mk);
	ctx_message_release(&view);
	return rc;
}

static void
falls_back(void)
{
	static const struct {
		const char *says, *reason;
	} bad[] = {
	    {NULL, "it is out"}, {" \n", "empty"}, {"\xff", "UTF-8"}, {"", "replaces"}};
	struct ctx_summary_made made = {0};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct outside o = {.says = bad[i].says};
		struct ctx_summary_make_options m = {
		    .max_tokens = 100, .exec = answer, .arg = &o, .replaces = 200};
		CHECK_INT(make(&m, 20, &made), 1);
		CHECK_INT(made.method, CTX_SUMMARY_EXTRACTIVE);
		CHECK(made.fallbacks.n > 0 &&
		      strstr(made.fallbacks.p, bad[i].reason) != NULL);
		CHECK(ctx_tokens_text(tokenizer, made.text.p, made.text.n) <= 100);
		CHECK(made.facts.kept > 0 && made.facts.kept < made.facts.facts);
		ctx_summary_made_release(&made);
		ctx_buf_release(&o.seen);
	}
}

static void
gives_up(void)
{
	struct ctx_summary_made made = {0};
	struct ctx_summary_make_options m = {.max_tokens = 100, .replaces = -3};

	CHECK_INT(make(&m, 3, &made), 0);
	CHECK_INT(made.text.n, 0);
	CHECK(made.fallbacks.n > 0);
	ctx_summary_made_release(&made);
	/* required facts that alone are too long */
	struct ctx_span required[] = {ctx_span_of(
	    "We decided that worker 1 listens on port 8001. The file is /etc/w/1.conf")};
	struct ctx_summary_make_options r = {
	    .max_tokens = 10, .replaces = 12, .required = required, .n_required = 1};
	CHECK_INT(make(&r, 3, &made), 0);
	CHECK(strstr(made.fallbacks.p, "truncation") != NULL);
	ctx_summary_made_release(&made);
}

static void
keeps_what_is_required(void)
{
	struct ctx_span required[] = {ctx_span_of("8017"), ctx_span_of("/etc/w/3.conf"),
	    ctx_span_of("never said"), ctx_span_of(" ")};

	for (int64_t max = 20; max < 200; max += 7) {
		struct ctx_summary_made made = {0};
		struct ctx_summary_make_options m = {.max_tokens = max,
		    .strict = true,
		    .required = required,
		    .n_required = 4};
		CHECK_INT(make(&m, 20, &made), 1);
		if (made.text.n > 0)
			CHECK(strstr(made.text.p, "8017") != NULL &&
			      strstr(made.text.p, "/etc/w/3.conf") != NULL);
		CHECK(ctx_tokens_text(tokenizer, made.text.p, made.text.n) <= max);
		ctx_summary_made_release(&made);
	}
}

static void
outsiders_get_a_draft(void)
{
	struct outside o = {.says = "Workers have files such as /etc/w/0.conf."};
	struct ctx_summary_make_options m = {
	    .max_tokens = 100, .exec = answer, .arg = &o, .ndjson = true};
	struct ctx_summary_made made = {0};
	const char *draft;

	CHECK_INT(make(&m, 20, &made), 1);
	CHECK_INT(made.method, CTX_SUMMARY_EXEC);
	CHECK_STR(made.text.p, o.says);
	draft = strstr(o.seen.p, "{\"kind\":\"draft\",\"text\":\"## Requests\\n1. ");
	CHECK(draft != NULL && strchr(draft, '\n')[1] == '\0');
	ctx_summary_made_release(&made);
	m.ndjson = false;
	CHECK_INT(make(&m, 20, &made), 1);
	CHECK(strstr(o.seen.p, "\ndraft:\n## Requests\n1. ") != NULL);
	ctx_summary_made_release(&made);
	ctx_buf_release(&o.seen);
}

static void
works_in_pieces(void)
{
	struct outside o = {.says = "user: A piece of it."};
	struct ctx_summary_make_options m = {
	    .max_tokens = 100, .piece = 1000, .exec = answer, .arg = &o};
	struct ctx_summary_made made = {0};

	CHECK_INT(make(&m, 330, &made), 1); /* 33 to a piece */
	CHECK_INT(made.pieces, 10);
	CHECK_INT(o.calls, 11);
	CHECK_STR(made.text.p, "user: A piece of it.");
	CHECK(strstr(o.seen.p, "A piece of it.\nuser: A piece of it.") != NULL);
	ctx_summary_made_release(&made);
	ctx_buf_release(&o.seen);
	/* without it, all at once */
	m.exec = NULL;
	m.max_tokens = 400;
	CHECK_INT(make(&m, 330, &made), 1);
	CHECK_INT(made.pieces, 1);
	CHECK(strstr(made.text.p, "1. We decided that worker 0 listens") != NULL);
	CHECK(ctx_tokens_text(tokenizer, made.text.p, made.text.n) <= 400);
	ctx_summary_made_release(&made);
}

int
main(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	ctx_tokenizer_open(&tokenizer, "approx", NULL, &err);
	RUN(falls_back);
	RUN(gives_up);
	RUN(keeps_what_is_required);
	RUN(outsiders_get_a_draft);
	RUN(works_in_pieces);
	ctx_tokenizer_close(tokenizer);
	return TEST_END();
}
