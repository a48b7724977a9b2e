/* Finds passages and messages that repeat what is quoted already. For example, each draft
 * of a letter contains most paragraphs of the draft before. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
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
		h = ctx_hash_add(h, (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c));
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
			out[n++] = (before * 31 + last) * 31 + h + 1;
		before = last;
		last = h;
	}
	return n;
}

/* Returns the slot of a hash, or the free slot for it. */
static size_t
find_sequence(const struct recall_quoted *q, uint64_t hash)
{
	size_t at = (hash ^ hash >> 29) & q->mask;

	while (q->slots[at] != 0 && q->slots[at] != hash)
		at = (at + 1) & q->mask;
	return at;
}

static void
grow_sequences(struct recall_quoted *q)
{
	struct recall_quoted old = *q;

	q->mask = old.slots == NULL ? 4095 : old.mask * 2 + 1;
	q->slots = ctx_mem_new((q->mask + 1) * sizeof(*q->slots));
	for (size_t i = 0; old.slots != NULL && i <= old.mask; i++)
		if (old.slots[i] != 0)
			q->slots[find_sequence(q, old.slots[i])] = old.slots[i];
	free(old.slots);
}

static void
make_room(struct recall_quoted *q, size_t n)
{
	while (q->slots == NULL || (q->n + n) * 2 > q->mask)
		grow_sequences(q);
}

bool
ctx_recall_quote_message_once(struct recall_quoted *q, const struct ctx_recall_turn *t)
{
	uint64_t list[SEQUENCES_MAX], h = CTX_HASH_START;
	size_t at;

	if (list_sequences(t->text, list) < SEQUENCES_MIN)
		return true;
	for (int i = 0; i < 64; i += 8)
		h = ctx_hash_add(h, (unsigned char)((uint64_t)t->session_no >> i));
	for (size_t i = 0; i < t->speaker.n; i++)
		h = ctx_hash_add(h, (unsigned char)t->speaker.p[i]);
	h = ctx_hash_add(h, 0);
	for (size_t i = 0; i < t->text.n; i++)
		h = ctx_hash_add(h, (unsigned char)t->text.p[i]);
	h = ctx_hash_end(h) | 1; /* 0 is a free slot */
	make_room(q, 1);
	at = find_sequence(q, h);
	if (q->slots[at] == h)
		return false;
	q->slots[at] = h;
	q->n++;
	return true;
}

bool
ctx_recall_quote_once(struct recall_quoted *q, struct ctx_span text)
{
	uint64_t list[SEQUENCES_MAX];
	size_t n = list_sequences(text, list), seen = 0;

	make_room(q, n);
	for (size_t i = 0; i < n; i++)
		seen += q->slots[find_sequence(q, list[i])] != 0;
	if (n >= SEQUENCES_MIN && (double)seen > REPEATED * (double)n)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t at = find_sequence(q, list[i]);
		q->n += q->slots[at] == 0;
		q->slots[at] = list[i];
	}
	return true;
}

void
ctx_recall_quoted_release(struct recall_quoted *q)
{
	free(q->slots);
}
