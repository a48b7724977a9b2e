/* Fuzz target for words and recall: text with a NUL in it is turns of a conversation and a
 * question, the last. */
#include "fuzz.h"

#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "recall/recall.h"
#include "words/words.h"

#define MAX_TURNS 64

static void
fold(struct ctx_span raw)
{
	struct ctx_buf once = CTX_BUF_INIT;
	size_t n;

	ctx_words_fold(raw, &once);
	n = ctx_words_stem(once.p, once.n);
	MUST(n <= once.n && (n > 0 || once.n == 0));
	ctx_buf_release(&once);
}

/* Words lie in the text, one behind the other but for pairs, and are well formed. */
static void
walk(struct ctx_span text)
{
	struct ctx_words w;
	const char *before = text.p;

	ctx_words_init(&w, text);
	while (ctx_words_next(&w)) {
		MUST(w.raw.n > 0 && w.raw.p >= before);
		MUST(w.raw.p + w.raw.n <= text.p + text.n);
		MUST(ctx_utf8_valid(w.raw.p, w.raw.n) == w.raw.n);
		before = w.pair ? w.raw.p + 1 : w.raw.p + w.raw.n;
		fold(w.raw);
	}
}

static bool
same_folded(struct ctx_span a, struct ctx_span b)
{
	struct ctx_buf x = CTX_BUF_INIT, y = CTX_BUF_INIT;
	bool same;

	ctx_words_fold(a, &x);
	ctx_words_fold(b, &y);
	same = ctx_span_eq(ctx_buf_span(&x), ctx_buf_span(&y));
	ctx_buf_release(&x);
	ctx_buf_release(&y);
	return same;
}

static void
space(struct ctx_span text)
{
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_words w, spaced;

	ctx_words_space(text, &out);
	/* the words stay, some of them folded; pairs stand alone, and their last character no longer again */
	ctx_words_init(&w, text);
	ctx_words_init(&spaced, ctx_buf_span(&out));
	while (ctx_words_next(&w)) {
		if (w.pair)
			continue;
		do
			MUST(ctx_words_next(&spaced));
		while (spaced.pair);
		MUST(same_folded(w.raw, spaced.raw));
	}
	ctx_buf_release(&out);
}

static void
snippet(struct ctx_span text, struct ctx_span query, size_t max)
{
	struct ctx_buf out = CTX_BUF_INIT;

	ctx_words_snippet(text, query, max, &out);
	MUST(out.n <= max + 2 * strlen("…"));
	MUST(ctx_utf8_valid(out.p, out.n) == out.n);
	for (size_t i = 0; i < out.n; i++)
		MUST((unsigned char)out.p[i] >= 0x20 && out.p[i] != 0x7f);
	ctx_buf_release(&out);
}

static void
recall(struct ctx_recall_turn *turns, size_t n, struct ctx_span query, int64_t budget)
{
	int64_t used, sum = 0;

	ctx_recall_rank(turns, n, query);
	for (size_t i = 0; i < n; i++)
		MUST(turns[i].sitting <= i && turns[i].score == turns[i].score);
	used = ctx_recall_fill(turns, n, budget, 3);
	MUST(used <= budget);
	for (size_t i = 0; i < n; i++)
		if (turns[i].keep) {
			MUST(turns[i].score > CTX_RECALL_NOTHING);
			sum += turns[i].cost;
		}
	MUST(sum <= used);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct ctx_recall_turn turns[MAX_TURNS];
	static const char *const speakers[] = {"user", "assistant", "Caroline Smith", ""};
	struct ctx_span text, query = {NULL, 0};
	size_t count = 0, size;
	char *copy;

	if (n < 3)
		return 0;
	size = n - 2;
	copy = malloc(size); /* so that reading past the end is seen */
	memcpy(copy, data + 2, size);
	text = (struct ctx_span){copy, size};
	walk(text);
	space(text);
	while (text.n > 0 && count < MAX_TURNS) {
		const char *nul = memchr(text.p, '\0', text.n);
		size_t len = nul != NULL ? (size_t)(nul - text.p) : text.n;
		query = (struct ctx_span){text.p, len};
		turns[count] = (struct ctx_recall_turn){.seq = (int64_t)count + 1,
		    .gap = data[1] >> (count & 7) & 1,
		    .created_at = (int64_t)count * (data[1] * INT64_C(100000)),
		    .speaker = ctx_span_of(speakers[(data[0] + count) & 3]),
		    .text = query,
		    .cost = (int64_t)len};
		count++;
		len += nul != NULL;
		text.p += len;
		text.n -= len;
	}
	snippet((struct ctx_span){copy, size}, query, 8 + data[0]);
	recall(turns, count, query, data[0] * 2);
	free(copy);
	return 0;
}
