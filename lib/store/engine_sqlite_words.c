#include "store/engine_sqlite_words.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "store/engine_sqlite.h"

/* FTS5 stores words of the main index with this prefix; others are for prefix indexes. */
#define MAIN_INDEX '0'
#define RECENT 2048    /* a power of two */
#define WORD_MAX 32768 /* longest word in bytes; FTS5 truncates longer ones */

/* A word as the index has it. */
struct term {
	size_t at, n;       /* in the list's text */
	int64_t session_no; /* that had it last */
	size_t n_sessions;
};

/* What texts have between characters that end words: the tokenizer is asked once for each. */
struct spelling {
	size_t first, n; /* its terms, in the list of those found */
};

struct ctx_word_list {
	fts5_tokenizer tokenizer;
	Fts5Tokenizer *open;
	struct ctx_buf text;
	struct term *terms;
	size_t n, cap;
	struct spelling *spellings;
	size_t n_spellings, spellings_cap;
	size_t *found; /* terms that the tokenizer found */
	size_t n_found, found_cap;
	struct ctx_map of_term, of_spelling; /* index + 1 */
	struct use {
		size_t term;
		int64_t session_no;
	} * uses; /* in the order of the sessions */
	size_t n_uses, uses_cap;
	struct ctx_word *sorted;
	int64_t *sessions; /* of the sorted words */
	int64_t session_no;
	unsigned char folded[256]; /* by byte, see fold_byte */
	/* spellings that sessions used lately, by hash: most are repeated, and have then
	 * nothing to add */
	uint64_t recent[RECENT];
};

/* The lower case of an ASCII letter or digit; 0 for other ASCII characters, which end words
 * whatever is around them; other bytes as they are. */
static unsigned char
fold_byte(unsigned char c)
{
	if ((unsigned char)((c | 0x20) - 'a') < 26)
		return c | 0x20;
	return (unsigned char)(c - '0') < 10 || c >= 0x80 ? c : 0;
}

struct ctx_word_list *
ctx_word_list_new(struct ctx_db *db, struct ctx_err *err)
{
	static const char *const args[] = {
	    "unicode61", "remove_diacritics", "2", "categories", "L* N* Co M*"};
	struct ctx_word_list *l;
	fts5_api *api;
	void *context = NULL;

	if (ctx_sqlite_fts5(db, &api, err) < 0)
		return NULL;
	l = ctx_mem_new(sizeof(*l));
	if (api->xFindTokenizer(api, "porter", &context, &l->tokenizer) != SQLITE_OK ||
	    l->tokenizer.xCreate(context, (const char **)args,
		sizeof(args) / sizeof(args[0]), &l->open) != SQLITE_OK) {
		ctx_err_set(err, CTX_ESTORE, "'%s': no tokenizer", db->path);
		free(l);
		return NULL;
	}
	for (unsigned c = 0; c < sizeof(l->folded); c++)
		l->folded[c] = fold_byte((unsigned char)c);
	return l;
}

void
ctx_word_list_free(struct ctx_word_list *l)
{
	if (l == NULL)
		return;
	l->tokenizer.xDelete(l->open);
	ctx_buf_release(&l->text);
	free(l->terms);
	free(l->spellings);
	free(l->found);
	free(l->uses);
	free(l->sorted);
	free(l->sessions);
	ctx_map_release(&l->of_term);
	ctx_map_release(&l->of_spelling);
	free(l);
}

/* ---- adding ---- */

struct wanted_word {
	const struct ctx_word_list *list;
	struct ctx_span text;
};

static bool
is_wanted_term(const void *arg, size_t value)
{
	const struct wanted_word *wanted = arg;
	const struct term *t = &wanted->list->terms[value - 1];

	return ctx_span_eq(
	    wanted->text, (struct ctx_span){wanted->list->text.p + t->at + 1, t->n - 1});
}

static void
use_term(struct ctx_word_list *l, size_t term)
{
	struct term *t = &l->terms[term];

	if (t->n_sessions > 0 && t->session_no == l->session_no)
		return;
	t->session_no = l->session_no;
	t->n_sessions++;
	CTX_MEM_GROW(l->uses, l->n_uses, l->uses_cap);
	l->uses[l->n_uses++] = (struct use){term, l->session_no};
}

/* For the tokenizer: a word as the index has it. */
static int
take_word_term(void *arg, int flags CTX_UNUSED, const char *p, int n,
    int start CTX_UNUSED, int end CTX_UNUSED)
{
	struct ctx_word_list *l = arg;
	struct wanted_word word = {l, {p, (size_t)(n > WORD_MAX ? WORD_MAX : n)}};
	size_t *value = ctx_map_at(&l->of_term,
	    ctx_hash_bytes(0, word.text.p, word.text.n), is_wanted_term, &word);

	if (*value == 0) {
		CTX_MEM_GROW(l->terms, l->n, l->cap);
		l->terms[l->n] = (struct term){l->text.n, word.text.n + 1, 0, 0};
		ctx_buf_addc(&l->text, MAIN_INDEX);
		ctx_buf_addspan(&l->text, word.text);
		*value = ++l->n;
	}
	CTX_MEM_GROW(l->found, l->n_found, l->found_cap);
	l->found[l->n_found++] = *value - 1;
	return SQLITE_OK;
}

/* Adds the words of the n bytes at p, none of which ends words. Two spellings with the same
 * hash would be taken for one: then words are missed, and whoever looks for them notices. */
static int
add_spelling(struct ctx_word_list *l, const char *p, size_t n, uint64_t hash)
{
	uint64_t key = ctx_hash_end(hash),
		 use = key + (uint64_t)l->session_no * UINT64_C(0x9e3779b97f4a7c15);
	size_t *value;
	struct spelling *s;

	if (l->recent[key % RECENT] == use)
		return 0;
	l->recent[key % RECENT] = use;
	value = ctx_map_at(&l->of_spelling, key, NULL, NULL);
	if (*value == 0) {
		CTX_MEM_GROW(l->spellings, l->n_spellings, l->spellings_cap);
		s = &l->spellings[l->n_spellings];
		s->first = l->n_found;
		*value = ++l->n_spellings;
		if (l->tokenizer.xTokenize(l->open, l, FTS5_TOKENIZE_DOCUMENT, p, (int)n,
			take_word_term) != SQLITE_OK)
			return -1;
		s->n = l->n_found - s->first;
	}
	s = &l->spellings[*value - 1];
	for (size_t i = 0; i < s->n; i++)
		use_term(l, l->found[s->first + i]);
	return 0;
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Sets the highest bit of each of the eight ASCII characters that is from first to last. */
static uint64_t
find_ascii_range(uint64_t eight, unsigned first, unsigned last)
{
	return (eight + EACH(0x80 - first)) & ~(eight + EACH(0x7f - last)) & EACH(0x80);
}

/* Of the eight bytes at p, returns those before the first that ends a word, in lower case,
 * and their number: 8 if none does. Little-endian, so that the first byte is the lowest. */
static uint64_t
take_word_bytes(const char *p, size_t *n)
{
	uint64_t eight, ascii, ends;

	memcpy(&eight, p, sizeof(eight));
	eight = le64toh(eight);
	ascii = eight & EACH(0x7f);
	ends = ~(find_ascii_range(ascii | EACH(0x20), 'a', 'z') |
		   find_ascii_range(ascii, '0', '9') | eight) &
	       EACH(0x80);
	*n = ends == 0 ? 8 : (size_t)__builtin_ctzll(ends) / 8;
	if (*n == 0)
		return 0;
	/* in other bytes the bit tells characters apart */
	eight |= EACH(0x20) & ~((eight & EACH(0x80)) >> 2);
	return eight & (~UINT64_C(0) >> (64 - 8 * *n));
}

/* Finds the end of the bytes at p that end no words, and hashes them without regard to the
 * case of ASCII letters. */
static const char *
hash_spelling(
    const struct ctx_word_list *l, const char *p, const char *end, uint64_t *hash)
{
	uint64_t bytes = 0, h = CTX_HASH_START;
	size_t n = 8;

	for (; n == 8 && end - p >= 8; p += n) {
		bytes = take_word_bytes(p, &n);
		h = (h ^ bytes ^ n) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	for (; n == 8 && p < end && l->folded[(unsigned char)*p] != 0; p++)
		h = ctx_hash_add(h, l->folded[(unsigned char)*p]);
	*hash = h;
	return p;
}

int
ctx_word_list_add(struct ctx_word_list *l, int64_t session_no, struct ctx_span text,
    struct ctx_err *err)
{
	const char *p = text.p, *end = text.p + text.n, *begin;
	uint64_t hash;

	l->session_no = session_no;
	while (p < end) {
		begin = p;
		p = hash_spelling(l, p, end, &hash);
		if (p > begin && add_spelling(l, begin, (size_t)(p - begin), hash) < 0)
			return ctx_err_set(
			    err, CTX_ESTORE, "cannot split a text into words");
		p += p < end;
	}
	return 0;
}

struct word_call {
	ctx_word_fn *fn;
	void *arg;
};

static int
pass_word(void *arg, int flags CTX_UNUSED, const char *p, int n, int start CTX_UNUSED,
    int end CTX_UNUSED)
{
	const struct word_call *call = arg;

	return call->fn(call->arg, p, (size_t)n) == 0 ? SQLITE_OK : SQLITE_ABORT;
}

int
ctx_word_list_each(struct ctx_word_list *l, struct ctx_span text, ctx_word_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct word_call call = {fn, arg};

	if (text.n > 0 && l->tokenizer.xTokenize(l->open, &call, FTS5_TOKENIZE_DOCUMENT,
			      text.p, (int)text.n, pass_word) != SQLITE_OK)
		return ctx_err_set(err, CTX_ESTORE, "cannot split a text into words");
	return 0;
}

/* ---- sorting ---- */

int
ctx_word_compare(struct ctx_span a, struct ctx_span b)
{
	int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return order != 0 ? order : a.n < b.n ? -1 : a.n > b.n;
}

static int
compare_words(const void *a, const void *b)
{
	const struct ctx_word *x = a, *y = b;

	return ctx_word_compare(x->text, y->text);
}

/* Gives each word its part of the list of sessions. */
static void
list_sessions(struct ctx_word_list *l)
{
	size_t *at = ctx_mem_new((l->n + 1) * sizeof(*at)), next = 0;

	l->sessions = ctx_mem_new((l->n_uses + 1) * sizeof(*l->sessions));
	for (size_t i = 0; i < l->n; i++) {
		at[i] = next;
		next += l->terms[i].n_sessions;
	}
	for (size_t i = 0; i < l->n; i++)
		l->sorted[i] = (struct ctx_word){
		    {l->text.p + l->terms[i].at, l->terms[i].n}, l->sessions + at[i],
		    l->terms[i].n_sessions};
	for (size_t i = 0; i < l->n_uses; i++)
		l->sessions[at[l->uses[i].term]++] = l->uses[i].session_no;
	free(at);
}

const struct ctx_word *
ctx_word_list_sort(struct ctx_word_list *l, size_t *n)
{
	l->sorted = ctx_mem_new((l->n + 1) * sizeof(*l->sorted));
	list_sessions(l);
	qsort(l->sorted, l->n, sizeof(*l->sorted), compare_words);
	*n = l->n;
	return l->sorted;
}
