/* Reads the words of a conversation; each distinct word is processed only once. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "recall/internal.h"
#include "words/words.h"

#define TEXT_MAX ((size_t)64 << 10) /* bytes of a turn that are read */

/* ---- a table of byte strings, numbered in the order of insertion ---- */

/* Most words have at most eight bytes. Such a word equals a key if their heads and
 * lengths are equal, without a look at the key's bytes elsewhere in memory. */
struct slot {
	uint64_t head;
	uint32_t n;  /* length of the key in bytes */
	uint32_t no; /* number + 1; 0: the slot is free */
};

struct table {
	struct ctx_span *keys;
	size_t n, cap;
	struct slot *slots;
	size_t mask;
};

static inline uint64_t
read_four(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Packs the first and the last four bytes of a key, or all bytes of a shorter one. Keys
 * of the same length up to eight have different heads. */
static inline uint64_t
read_head(struct ctx_span key)
{
	const unsigned char *p = (const unsigned char *)key.p;

	if (key.n >= 4)
		return read_four(key.p) << 32 | read_four(key.p + key.n - 4);
	if (key.n == 0)
		return 0;
	return (uint64_t)p[0] << 16 | (uint64_t)p[key.n / 2] << 8 | p[key.n - 1];
}

static size_t
hash_key(struct ctx_span key, uint64_t head)
{
	uint64_t h = head ^ key.n;

	if (key.n > sizeof(head))
		h ^= ctx_hash_bytes(0, key.p + 4, key.n - sizeof(head));
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h ^ h >> 32);
}

static void
grow_slots(struct table *t)
{
	size_t size = t->mask == 0 ? 4096 : (t->mask + 1) * 2;

	free(t->slots);
	t->slots = ctx_mem_new(size * sizeof(*t->slots));
	t->mask = size - 1;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t head = read_head(t->keys[i]);
		size_t at = hash_key(t->keys[i], head) & t->mask;
		while (t->slots[at].no != 0)
			at = (at + 1) & t->mask;
		t->slots[at] = (struct slot){
		    head, (uint32_t)t->keys[i].n, (uint32_t)i + 1};
	}
}

/* Returns the number of the key. *fresh is set if the key was added: its bytes must then
 * stay valid, or be replaced in keys by a copy. */
static uint32_t
intern_key(struct table *t, struct ctx_span key, bool *fresh)
{
	uint64_t head = read_head(key);
	size_t at;

	if (t->n * 3 >= t->mask * 2)
		grow_slots(t);
	at = hash_key(key, head) & t->mask;
	for (; t->slots[at].no != 0; at = (at + 1) & t->mask) {
		const struct slot *s = &t->slots[at];
		if (s->head == head && s->n == key.n &&
		    (key.n <= sizeof(head) ||
			memcmp(t->keys[s->no - 1].p, key.p, key.n) == 0)) {
			*fresh = false;
			return s->no - 1;
		}
	}
	CTX_MEM_GROW(t->keys, t->n, t->cap);
	t->keys[t->n++] = key;
	t->slots[at] = (struct slot){head, (uint32_t)key.n, (uint32_t)t->n};
	*fresh = true;
	return (uint32_t)t->n - 1;
}

static void
release_table(struct table *t)
{
	free(t->keys);
	free(t->slots);
}

/* ---- reading ---- */

/* A distinct spelling of a word. */
struct spelling {
	uint32_t stem;
	unsigned kinds;
	uint32_t grams, n_grams; /* range in reader.grams */
	char head, tail[2];      /* first and last bytes of the folded word */
};

struct reader {
	struct recall_text *t;
	struct table words, stems;
	struct ctx_arena arena;
	struct spelling *spellings;
	size_t cap_spellings;
	uint8_t *grams; /* four-character sequences of the query, found in spellings */
	size_t n_grams, cap_grams;
	/* bit set of hashes of the query's four-character sequences */
	uint8_t maybe[8192];
	const struct recall_query *q;
	struct ctx_buf folded;
};

static size_t
gram_bit(uint32_t gram)
{
	return (gram * 2654435761U) >> 16;
}

static int
find_gram(const struct reader *r, uint32_t gram)
{
	size_t bit = gram_bit(gram), lo = 0, hi = r->q->n_grams;

	if (!(r->maybe[bit / 8] >> bit % 8 & 1))
		return -1;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->q->grams[mid] == gram)
			return (int)mid;
		if (r->q->grams[mid] < gram)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

/* Finds the query's four-character sequences in " word ". */
static void
note_grams(struct reader *r, struct spelling *s, struct ctx_span folded)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_addc(&b, ' ');
	ctx_buf_addspan(&b, folded);
	ctx_buf_addc(&b, ' ');
	s->grams = (uint32_t)r->n_grams;
	for (size_t i = 0; i + 4 <= b.n; i++) {
		int g = find_gram(r, ctx_recall_gram(b.p + i));
		if (g < 0)
			continue;
		CTX_MEM_GROW(r->grams, r->n_grams, r->cap_grams);
		r->grams[r->n_grams++] = (uint8_t)g;
	}
	s->n_grams = (uint32_t)r->n_grams - s->grams;
	ctx_buf_release(&b);
}

static const struct spelling *
look_up_word(struct reader *r, struct ctx_span raw)
{
	bool fresh;
	uint32_t no = intern_key(&r->words, raw, &fresh);
	struct spelling *s;
	struct ctx_span f;

	if (!fresh)
		return &r->spellings[no];
	r->words.keys[no] = ctx_arena_copy(&r->arena, raw); /* close to each other */
	CTX_MEM_GROW(r->spellings, no, r->cap_spellings);
	s = &r->spellings[no];
	memset(s, 0, sizeof(*s));
	ctx_buf_reset(&r->folded);
	ctx_words_fold(raw, &r->folded);
	f = ctx_buf_span(&r->folded);
	s->kinds = f.n == 0 ? RECALL_STOP : ctx_recall_word_kinds(f);
	if (s->kinds & RECALL_STOP)
		return s;
	s->head = f.p[0];
	s->tail[0] = f.n > 1 ? f.p[f.n - 2] : '\0';
	s->tail[1] = f.p[f.n - 1];
	note_grams(r, s, f);
	f.n = ctx_words_stem(r->folded.p, r->folded.n);
	s->stem = intern_key(&r->stems, f, &fresh);
	if (fresh)
		r->stems.keys[s->stem] = ctx_arena_copy(&r->arena, f);
	return s;
}

static void
count_gram(struct reader *r, size_t passage, int gram)
{
	uint8_t *tf = r->t->gram_tf + passage * r->q->n_grams;

	if (gram >= 0 && tf[gram] < UINT8_MAX)
		tf[gram]++;
}

/* Counts the two four-character sequences that cross the space between two words. */
static void
count_across(struct reader *r, size_t passage, const struct spelling *a,
    const struct spelling *b, char second)
{
	char gram[4] = {a->tail[0], a->tail[1], ' ', b->head};

	if (a->tail[0] != '\0')
		count_gram(r, passage, find_gram(r, ctx_recall_gram(gram)));
	if (second == '\0')
		return;
	gram[0] = a->tail[1];
	gram[1] = ' ';
	gram[2] = b->head;
	gram[3] = second;
	count_gram(r, passage, find_gram(r, ctx_recall_gram(gram)));
}

static void
add_passage(struct recall_text *t, uint32_t from, uint32_t to, size_t n_grams)
{
	size_t before = t->cap_passages;

	CTX_MEM_GROW(t->passages, t->n_passages, t->cap_passages);
	if (t->cap_passages != before)
		t->gram_tf = ctx_mem_resize(
		    t->gram_tf, t->cap_passages + 1, n_grams > 0 ? n_grams : 1);
	memset(t->gram_tf + t->n_passages * n_grams, 0, n_grams);
	t->passages[t->n_passages++] = (struct recall_passage){
	    .from = from, .to = to, .word = (uint32_t)t->n_words};
}

static void
read_passage(struct reader *r, struct recall_turn_words *m, struct ctx_span text)
{
	struct recall_text *t = r->t;
	size_t at = t->n_passages - 1;
	const struct spelling *s, *last = NULL;
	struct spelling before;
	struct ctx_words w;

	ctx_words_init(&w, text);
	while (ctx_words_next(&w)) {
		if (w.emoji)
			continue;
		s = look_up_word(r, w.raw);
		t->passages[at].length++;
		m->kinds |= s->kinds;
		if (m->length++ == 0)
			m->first_kinds = s->kinds;
		if (s->kinds & RECALL_STOP)
			continue;
		for (uint32_t g = 0; g < s->n_grams; g++)
			count_gram(r, at, r->grams[s->grams + g]);
		if (last != NULL)
			count_across(r, at, &before, s,
			    w.raw.n > 1 && (unsigned char)w.raw.p[1] < 0x80
				? (char)(w.raw.p[1] | 0x20)
				: '\0');
		before = *s;
		last = &before;
		CTX_MEM_GROW(t->words, t->n_words, t->cap_words);
		t->words[t->n_words++] = s->stem;
	}
	t->passages[at].n = (uint32_t)t->n_words - t->passages[at].word;
}

static void
read_recall_turn(struct reader *r, struct recall_turn_words *m, struct ctx_span text)
{
	if (text.n > TEXT_MAX)
		text.n = TEXT_MAX;
	m->asks = text.n > 0 && memchr(text.p, '?', text.n) != NULL;
	m->ends_asking = text.n > 0 && text.p[text.n - 1] == '?';
	m->passage = r->t->n_passages;
	for (size_t from = 0, to; from < text.n || from == 0; from = to) {
		to = ctx_recall_cut(text, from);
		add_passage(r->t, (uint32_t)from, (uint32_t)to, r->q->n_grams);
		read_passage(r, m, (struct ctx_span){text.p + from, to - from});
		if (to == 0)
			break;
	}
	m->n_passages = r->t->n_passages - m->passage;
}

/* Counts the turns and passages that contain each stem. */
static void
count_stems(struct recall_text *t, size_t n)
{
	uint32_t *last = ctx_mem_new((t->n_stems + 1) * sizeof(*last));

	t->with = ctx_mem_new((t->n_stems + 1) * sizeof(*t->with));
	for (size_t i = 0; i < n; i++)
		for (size_t p = 0; p < t->m[i].n_passages; p++) {
			const struct recall_passage
			    *a = &t->passages[t->m[i].passage + p];
			for (uint32_t w = a->word; w < a->word + a->n; w++) {
				uint32_t s = t->words[w];
				t->with[s] += last[s] != i + 1;
				last[s] = (uint32_t)i + 1;
			}
		}
	free(last);
}

void
ctx_recall_read(struct recall_text *t, const struct ctx_recall_turn *turns, size_t n,
    const struct recall_query *q)
{
	struct reader r = {.t = t, .q = q, .arena = CTX_ARENA_INIT};
	bool fresh;

	memset(t, 0, sizeof(*t));
	t->m = ctx_mem_new((n + 1) * sizeof(*t->m));
	for (size_t g = 0; g < q->n_grams; g++) {
		size_t bit = gram_bit(q->grams[g]);
		r.maybe[bit / 8] |= (uint8_t)(1U << bit % 8);
	}
	for (size_t k = 0; k < q->n; k++) /* term k of the query is stem k */
		intern_key(
		    &r.stems, (struct ctx_span){q->terms[k].text, q->terms[k].n}, &fresh);
	for (size_t i = 0; i < n; i++)
		read_recall_turn(&r, &t->m[i], turns[i].text);
	t->n_stems = r.stems.n;
	count_stems(t, n);
	release_table(&r.words);
	release_table(&r.stems);
	ctx_arena_release(&r.arena);
	ctx_buf_release(&r.folded);
	free(r.spellings);
	free(r.grams);
}

void
ctx_recall_text_release(struct recall_text *t)
{
	free(t->m);
	free(t->passages);
	free(t->words);
	free(t->with);
	free(t->gram_tf);
}
