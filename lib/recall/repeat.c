/* Finds passages and messages that repeat what is quoted already. For example, each draft
 * of a letter contains most paragraphs of the draft before. */
#include "base/hash.h"
#include "recall/internal.h"
#include "words/words.h"

/* Passages are compared by their sequences of three words. A passage repeats others if
 * they contain more than this share of its sequences. */
#define REPEATED 0.6
#define SEQUENCES_MIN 8 /* a shorter passage is never a repetition */
#define SEQUENCES_MAX 512

static uint64_t
hash_lower_case(struct ctx_span word)
{
	uint64_t h = CTX_HASH_START;

	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];
		h = ctx_hash_add(h, (unsigned char)(ctx_is_upper(c) ? c | 0x20 : c));
	}
	return ctx_hash_end(h);
}

/* Stores the hashes of the sequences of three words. Returns their number. */
static size_t
list_sequences(struct ctx_span text, uint64_t out[SEQUENCES_MAX])
{
	uint64_t before = 0, last = 0;
	struct ctx_words w;
	size_t words = 0, n = 0;

	ctx_words_init(&w, text);
	while (n < SEQUENCES_MAX && ctx_words_next(&w)) {
		uint64_t h = hash_lower_case(w.raw);
		if (++words > 2)
			out[n++] = (before * 31 + last) * 31 + h;
		before = last;
		last = h;
	}
	return n;
}

bool
ctx_recall_quote_message_once(struct ctx_map *quoted, const struct ctx_recall_turn *t)
{
	uint64_t list[SEQUENCES_MAX], h;
	size_t *at;

	if (list_sequences(t->text, list) < SEQUENCES_MIN)
		return true;
	h = ctx_hash_bytes((uint64_t)t->session_no, t->speaker.p, t->speaker.n);
	h = ctx_hash_bytes(h, t->text.p, t->text.n);
	at = ctx_map_at(quoted, h, NULL, NULL);
	return (*at)++ == 0;
}

bool
ctx_recall_quote_once(struct ctx_map *quoted, struct ctx_span text)
{
	uint64_t list[SEQUENCES_MAX];
	size_t n = list_sequences(text, list), seen = 0;

	for (size_t i = 0; i < n; i++)
		seen += ctx_map_get(quoted, list[i], NULL, NULL) != 0;
	if (n >= SEQUENCES_MIN && (double)seen > REPEATED * (double)n)
		return false;
	for (size_t i = 0; i < n; i++)
		*ctx_map_at(quoted, list[i], NULL, NULL) = 1;
	return true;
}
