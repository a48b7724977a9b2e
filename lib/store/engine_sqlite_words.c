#include "store/engine_sqlite_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "store/engine_sqlite.h"

/* FTS5 stores words of the main index with this prefix; others are for prefix indexes. */
#define MAIN_INDEX '0'
#define WORD_MAX 32768 /* longest word in bytes; FTS5 truncates longer ones */

struct ctx_word_list {
	fts5_tokenizer tokenizer;
	Fts5Tokenizer *open;
	struct ctx_buf text;
	struct ctx_word *words;
	size_t n, cap;
	int64_t session_no;
	struct ctx_map of_session; /* words of the current session: index + 1 */
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
	ctx_map_release(&l->of_session);
	free(l);
}

struct wanted_word {
	const struct ctx_word_list *list;
	struct ctx_span text;
};

static bool
is_wanted_word(const void *arg, size_t value)
{
	const struct wanted_word *wanted = arg;
	const struct ctx_word *w = &wanted->list->words[value - 1];

	return ctx_span_eq(
	    wanted->text, (struct ctx_span){wanted->list->text.p + w->at + 1, w->n - 1});
}

static int
add_word(void *arg, int flags, const char *p, int n, int start, int end)
{
	struct ctx_word_list *l = arg;
	struct wanted_word word = {l, {p, (size_t)(n > WORD_MAX ? WORD_MAX : n)}};
	size_t *value = ctx_map_at(&l->of_session,
	    ctx_hash_bytes(0, word.text.p, word.text.n), is_wanted_word, &word);

	(void)flags;
	(void)start;
	(void)end;
	if (*value != 0)
		return SQLITE_OK;
	CTX_MEM_GROW(l->words, l->n, l->cap);
	l->words[l->n] = (struct ctx_word){l->text.n, word.text.n + 1, l->session_no};
	ctx_buf_addc(&l->text, MAIN_INDEX);
	ctx_buf_addspan(&l->text, word.text);
	*value = ++l->n;
	return SQLITE_OK;
}

int
ctx_word_list_add(struct ctx_word_list *l, int64_t session_no, struct ctx_span text,
    struct ctx_err *err)
{
	if (session_no != l->session_no) {
		l->session_no = session_no;
		ctx_map_reset(&l->of_session);
	}
	if (text.n > 0 && l->tokenizer.xTokenize(l->open, l, FTS5_TOKENIZE_DOCUMENT,
			      text.p, (int)text.n, add_word) != SQLITE_OK)
		return ctx_err_set(err, CTX_ESTORE, "cannot split a text into words");
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
		return ctx_err_set(err, CTX_ESTORE, "cannot split a text into words");
	return 0;
}

/* ---- sorting ---- */

/* qsort's comparison function gets no context, so each element carries a pointer to the
 * text. */
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
