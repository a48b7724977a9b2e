/* Reads an answer in a test: feeds it in pieces, and collects all results. */
#ifndef CTX_TEST_ANSWER_READ_H
#define CTX_TEST_ANSWER_READ_H

#include "test.h"

#include <stdlib.h>

#include "answer/answer.h"
#include "base/io.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/message.h"

struct got {
	int rc;
	struct ctx_answer a;
	struct ctx_err err;
	struct ctx_buf text;
	bool torn; /* true: a piece of the text was not well-formed UTF-8 */
};

static void
got_text(void *arg, struct ctx_span piece)
{
	struct got *g = arg;

	g->torn |= ctx_utf8_valid(piece.p, piece.n) != piece.n;
	ctx_buf_addspan(&g->text, piece);
}

/* Feeds s in pieces of at most max bytes. If seed is 0, all pieces except the last one
 * have max bytes; otherwise they have random sizes. Each piece is allocated separately,
 * so that a sanitizer finds a read past its end. */
static struct got
read_cut(enum ctx_provider p, struct ctx_span s, size_t max, unsigned seed)
{
	struct got g = {0, CTX_ANSWER_INIT, CTX_ERR_INIT, CTX_BUF_INIT, false};
	struct ctx_answer_reader *r = ctx_answer_reader_new(p, got_text, &g);

	while (s.n > 0 && g.rc == 0) {
		size_t n = max;
		char *piece;
		if (seed != 0) {
			seed = seed * 1103515245u + 12345u;
			n = 1 + (seed >> 16) % max;
		}
		n = n < s.n ? n : s.n;
		piece = malloc(n);
		memcpy(piece, s.p, n);
		g.rc = ctx_answer_feed(r, piece, n, &g.err);
		free(piece);
		s.p += n;
		s.n -= n;
	}
	if (g.rc == 0)
		g.rc = ctx_answer_finish(r, &g.a, &g.err);
	ctx_answer_reader_free(r);
	return g;
}

static struct got
read_all(enum ctx_provider p, const char *s)
{
	return read_cut(p, ctx_span_of(s), strlen(s) + 1, 0);
}

static void
got_free(struct got *g)
{
	ctx_answer_release(&g->a);
	ctx_buf_release(&g->text);
}

static inline const char *
str(const struct ctx_buf *b)
{
	return b->n == 0 ? "" : b->p;
}

static inline const char *
name(const char *s)
{
	return s == NULL ? "(null)" : s;
}

/* Checks that the answer s gives this message, and that its pieces form this text. */
static inline void
check_answer(enum ctx_provider p, const char *s, const char *message, const char *text)
{
	struct got g = read_all(p, s);

	CHECK_STR(g.err.msg, "");
	CHECK_STR(str(&g.a.message), message);
	CHECK_STR(str(&g.text), text);
	got_free(&g);
}

/* Checks that the answer s is an error whose message contains want, and that no message
 * is returned. */
static inline void
check_error(enum ctx_provider p, const char *s, const char *want)
{
	struct got g = read_all(p, s);

	CHECK_INT(g.rc, -1);
	CHECK_INT(g.err.code, CTX_EIO);
	if (strstr(g.err.msg, want) == NULL)
		CHECK_STR(g.err.msg, want);
	CHECK_INT(g.a.message.n, 0);
	got_free(&g);
}

#endif
