#include "store/engine_sqlite_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/engine_sqlite.h"

/* Words of the index begin with it: other ones would be of prefix indexes. */
#define MAIN_INDEX '0'
#define SLOTS_LEAST 1024
#define WORD_MAX 32768 /* bytes; FTS5 cuts longer ones */

struct ctx_word_list {
	fts5_tokenizer tokenizer;
	Fts5Tokenizer *open;
	struct ctx_buf text;
	struct ctx_word *words;
	size_t n, cap;
	int64_t session_no;
	size_t first;  /* word of the session */
	size_t *slots; /* its words by hash: index + 1 */
	size_t n_slots;
};

struct ctx_word_list *
ctx_word_list_new(struct ctx_db *db, struct ctx_err *err)
{
	static const char *const args[] = {
	    "unicode61", "remove_diacritics", "2", "categories", "L* N* Co M*"};
	struct ctx_word_list *l;
	fts5_api *api = NULL;
	void *context = NULL;
	struct ctx_stmt *q = ctx_stmt_new(db, "SELECT fts5(?1)", err);
	int rc;

	if (q == NULL)
		return NULL;
	sqlite3_bind_pointer(ctx_sqlite_stmt(q), 1, &api, "fts5_api_ptr", NULL);
	rc = ctx_stmt_step(db, q, err);
	ctx_stmt_close(q);
	if (rc < 0)
		return NULL;
	l = ctx_mem_new(sizeof(*l));
	if (api == NULL ||
	    api->xFindTokenizer(api, "porter", &context, &l->tokenizer) != SQLITE_OK ||
	    l->tokenizer.xCreate(context, (const char **)args,
		sizeof(args) / sizeof(args[0]), &l->open) != SQLITE_OK) {
		ctx_err_set(err, CTX_ESTORE, "'%s': no tokenizer", db->path);
		free(l);
		return NULL;
	}
	l->n_slots = SLOTS_LEAST;
	l->slots = ctx_mem_new(l->n_slots * sizeof(*l->slots));
	return l;
}

void
ctx_word_list_free(struct ctx_word_list *l)
{
	if (l == NULL)
		return;
	l->tokenizer.xDelete(l->open);
	ctx_buf_release(&l->text);
	free(l->words);
	free(l->slots);
	free(l);
}

static size_t
hash_word(const char *p, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 29);
}

/* The slot of the word, or a free one. */
static size_t *
find_word_slot(struct ctx_word_list *l, const char *p, size_t n)
{
	size_t i = hash_word(p, n) & (l->n_slots - 1);

	for (; l->slots[i] != 0; i = (i + 1) & (l->n_slots - 1)) {
		const struct ctx_word *w = &l->words[l->slots[i] - 1];
		if (w->n == n + 1 && memcmp(l->text.p + w->at + 1, p, n) == 0)
			break;
	}
	return &l->slots[i];
}

static void
forget_slots(struct ctx_word_list *l, size_t n_slots)
{
	free(l->slots);
	l->n_slots = n_slots;
	l->slots = ctx_mem_new(n_slots * sizeof(*l->slots));
}

static int
add_word(void *arg, int flags, const char *p, int n, int start, int end)
{
	struct ctx_word_list *l = arg;
	size_t *slot;

	if (n > WORD_MAX)
		n = WORD_MAX;
	slot = find_word_slot(l, p, (size_t)n);
	(void)flags;
	(void)start;
	(void)end;
	if (*slot != 0)
		return SQLITE_OK;
	CTX_MEM_GROW(l->words, l->n, l->cap);
	l->words[l->n] = (struct ctx_word){l->text.n, (size_t)n + 1, l->session_no};
	ctx_buf_addc(&l->text, MAIN_INDEX);
	ctx_buf_add(&l->text, p, (size_t)n);
	*slot = ++l->n;
	if ((l->n - l->first) * 2 < l->n_slots)
		return SQLITE_OK;
	forget_slots(l, l->n_slots * 2);
	for (size_t i = l->first; i < l->n; i++)
		*find_word_slot(
		    l, l->text.p + l->words[i].at + 1, l->words[i].n - 1) = i + 1;
	return SQLITE_OK;
}

int
ctx_word_list_add(struct ctx_word_list *l, int64_t session_no, struct ctx_span text,
    struct ctx_err *err)
{
	if (session_no != l->session_no) {
		l->session_no = session_no;
		l->first = l->n;
		forget_slots(l, l->n_slots);
	}
	if (text.n > 0 && l->tokenizer.xTokenize(l->open, l, FTS5_TOKENIZE_DOCUMENT,
			      text.p, (int)text.n, add_word) != SQLITE_OK)
		return ctx_err_set(err, CTX_ESTORE, "cannot find the words of a text");
	return 0;
}

struct word_call {
	ctx_word_fn *fn;
	void *arg;
};

static int
pass_word(void *arg, int flags, const char *p, int n, int start, int end)
{
	const struct word_call *call = arg;

	(void)flags;
	(void)start;
	(void)end;
	return call->fn(call->arg, p, (size_t)n) == 0 ? SQLITE_OK : SQLITE_ABORT;
}

int
ctx_word_list_each(struct ctx_word_list *l, struct ctx_span text, ctx_word_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct word_call call = {fn, arg};

	if (text.n > 0 && l->tokenizer.xTokenize(l->open, &call, FTS5_TOKENIZE_DOCUMENT,
			      text.p, (int)text.n, pass_word) != SQLITE_OK)
		return ctx_err_set(err, CTX_ESTORE, "cannot find the words of a text");
	return 0;
}

/* ---- sorting ---- */

/* No state for qsort's comparison: words carry where the text is while they are sorted. */
struct sorted_word {
	const char *text;
	struct ctx_word word;
};

static int
compare_words(const void *a, const void *b)
{
	const struct sorted_word *x = a, *y = b;
	size_t n = x->word.n < y->word.n ? x->word.n : y->word.n;
	int order = memcmp(x->text + x->word.at, y->text + y->word.at, n);

	if (order == 0 && x->word.n != y->word.n)
		order = x->word.n < y->word.n ? -1 : 1;
	if (order == 0 && x->word.session_no != y->word.session_no)
		order = x->word.session_no < y->word.session_no ? -1 : 1;
	return order;
}

const struct ctx_word *
ctx_word_list_sort(struct ctx_word_list *l, size_t *n, const char **text)
{
	struct sorted_word *sorted = ctx_mem_new((l->n + 1) * sizeof(*sorted));

	for (size_t i = 0; i < l->n; i++)
		sorted[i] = (struct sorted_word){l->text.p, l->words[i]};
	qsort(sorted, l->n, sizeof(*sorted), compare_words);
	for (size_t i = 0; i < l->n; i++)
		l->words[i] = sorted[i].word;
	free(sorted);
	*n = l->n;
	*text = l->text.p;
	return l->words;
}
