#include "tokens/tokens.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"
#include "tokens/approx.h"
#include "tokens/bpe.h"
#include "tokens/split.h"
#include "tokens/table.h"

enum method { APPROX, CHARS4, EXACT };

/* A cache of counts of pieces that are not tokens, because names in code and keys in JSON
 * are frequently repeated. */
#define MEMO 4096
#define MEMO_LONGEST 24

struct memo {
	uint64_t key[3]; /* the piece's first, second and last eight bytes */
	uint32_t len, count;
};

struct ctx_tokenizer {
	enum method method;
	char *name;
	int64_t factor; /* factor for every count of text, in thousandths */
	struct ctx_table table;
	struct ctx_bpe bpe;
	struct memo *memo;    /* MEMO entries */
	struct ctx_buf text;  /* working space for decoded strings */
	struct ctx_buf clean; /* working space for text that is not UTF-8 */
};

/* ---- open ---- */

static int
open_named_tokenizer(
    struct ctx_tokenizer *t, const char *name, const char *dir, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc;

	ctx_buf_addf(&path, "%s/%s" CTX_TOKENIZER_TABLE, dir != NULL ? dir : "", name);
	if (dir == NULL || access(path.p, F_OK) != 0)
		rc = ctx_err_set(err, CTX_EUSAGE,
		    "no table of tokenizer '%s'%s%s: build it with 'make tokenizers' and set CTX_TOKENIZER_DIR to its directory, or use the estimate 'approx'",
		    name, dir != NULL ? " in " : "", dir != NULL ? dir : "");
	else
		rc = ctx_table_map(&t->table, path.p, err);
	ctx_buf_release(&path);
	return rc;
}

static int
open_path(struct ctx_tokenizer *t, const char *name, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, table = CTX_BUF_INIT;
	uint64_t magic = 0;
	int rc = -1;

	if (access(name, F_OK) != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown tokenizer '%s' (approx, chars4, cl100k_base, o200k_base, auto:MODEL or a rank file)",
		    name);
	if (ctx_io_read_file(name, &text, CTX_TOKENS_RANKS_MAX, err) < 0)
		goto done;
	if (text.n >= sizeof(magic))
		memcpy(&magic, text.p, sizeof(magic));
	if (magic == CTX_TABLE_MAGIC)
		rc = ctx_table_map(&t->table, name, err);
	else if (ctx_table_build(
		     &table, ctx_buf_span(&text), ctx_split_of_path(name), err) < 0)
		rc = ctx_err_prefix(err, "'%s' is not a rank file", name);
	else {
		size_t n = table.n;
		rc = ctx_table_adopt(&t->table, ctx_buf_detach(&table), n, err);
	}
done:
	ctx_buf_release(&text);
	ctx_buf_release(&table);
	return rc;
}

/* Removes a factor from the end of a name. Returns false if the factor is out of
 * range. */
static bool
take_factor(char *name, int64_t *factor)
{
	char *star = strrchr(name, '*'), *end;
	double v;

	*factor = 1000;
	if (star == NULL)
		return true;
	v = strtod(star + 1, &end);
	if (end == star + 1 || *end != '\0')
		return true; /* the '*' is part of a path */
	*star = '\0';
	*factor = v >= 0.1 && v <= 10 ? (int64_t)(v * 1000 + .5) : 0;
	return *factor > 0;
}

int
ctx_tokenizer_open(
    struct ctx_tokenizer **out, const char *name, const char *dir, struct ctx_err *err)
{
	struct ctx_tokenizer *t = ctx_mem_new(sizeof(*t));
	char *base = ctx_mem_str(name);
	int rc = 0;

	t->name = ctx_mem_str(name);
	t->method = EXACT;
	if (!take_factor(base, &t->factor))
		rc = ctx_err_set(err, CTX_EUSAGE,
		    "tokenizer '%s': the factor must be between 0.1 and 10", name);
	else if (strcmp(base, "approx") == 0)
		t->method = APPROX;
	else if (strcmp(base, "chars4") == 0)
		t->method = CHARS4;
	else if (strcmp(base, "cl100k_base") == 0 || strcmp(base, "o200k_base") == 0)
		rc = open_named_tokenizer(t, base, dir, err);
	else
		rc = open_path(t, base, err);
	free(base);
	if (rc < 0) {
		ctx_tokenizer_close(t);
		t = NULL;
	}
	*out = t;
	return rc;
}

void
ctx_tokenizer_close(struct ctx_tokenizer *t)
{
	if (t == NULL)
		return;
	ctx_table_release(&t->table);
	ctx_bpe_release(&t->bpe);
	free(t->memo);
	ctx_buf_release(&t->text);
	ctx_buf_release(&t->clean);
	free(t->name);
	free(t);
}

const char *
ctx_tokenizer_name(const struct ctx_tokenizer *t)
{
	return t->name;
}

int64_t
ctx_tokenizer_factor(const struct ctx_tokenizer *t)
{
	return t->factor;
}

int64_t
ctx_tokenizer_split(struct ctx_buf *base, const char *name)
{
	char *copy = ctx_mem_str(name);
	int64_t factor;

	if (!take_factor(copy, &factor))
		factor = 1000;
	ctx_buf_adds(base, copy);
	free(copy);
	return factor;
}

bool
ctx_tokenizer_rescale(struct ctx_tokenizer *t, const char *name)
{
	struct ctx_buf own = CTX_BUF_INIT, other = CTX_BUF_INIT;
	int64_t factor;
	bool same;

	ctx_tokenizer_split(&own, t->name);
	factor = ctx_tokenizer_split(&other, name);
	same = strcmp(own.p, other.p) == 0;
	if (same) {
		char *renamed = ctx_mem_str(name);
		free(t->name);
		t->name = renamed;
		t->factor = factor;
	}
	ctx_buf_release(&own);
	ctx_buf_release(&other);
	return same;
}

struct ctx_span
ctx_tokenizer_source(const struct ctx_tokenizer *t)
{
	switch (t->method) {
	case EXACT:
		return (struct ctx_span){
		    t->table.head->source, sizeof(t->table.head->source)};
	case APPROX:
		return ctx_span_of(CTX_APPROX_FIT);
	default:
		return ctx_span_of("");
	}
}

/* ---- text ---- */

/* Returns the length of the maximal subpart of an invalid sequence at p: the longest
 * prefix of a well-formed character that is present, or one byte. */
static size_t
bad_length(const char *text, size_t n)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf;
	size_t want = p[0] < 0xc2   ? 1
		      : p[0] < 0xe0 ? 2
		      : p[0] < 0xf0 ? 3
		      : p[0] < 0xf5 ? 4
				    : 1;
	size_t i = 1;

	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	for (; i < want && i < n && p[i] >= low && p[i] <= high; i++) {
		low = 0x80;
		high = 0xbf;
	}
	return i;
}

/* Returns the text if it is UTF-8, else a copy with U+FFFD in place of invalid bytes. */
static struct ctx_span
clean_utf8_text(struct ctx_tokenizer *t, const char *p, size_t n)
{
	size_t ok = ctx_utf8_valid(p, n);

	if (ok == n)
		return (struct ctx_span){p, n};
	ctx_buf_reset(&t->clean);
	for (;;) {
		ctx_buf_add(&t->clean, p, ok);
		if (ok == n)
			return ctx_buf_span(&t->clean);
		p += ok;
		n -= ok;
		ok = bad_length(p, n);
		ctx_buf_adds(&t->clean, "\xef\xbf\xbd");
		p += ok;
		n -= ok;
		ok = ctx_utf8_valid(p, n);
	}
}

/* Returns the tokens of a piece that is not a token. room is the number of bytes that may
 * be read at p. */
static size_t
count_merged_tokens(struct ctx_tokenizer *t, const char *p, size_t len, size_t room)
{
	uint64_t a, b = 0, c = 0;
	struct memo *m;

	if (len > MEMO_LONGEST)
		return ctx_bpe_piece(&t->table, &t->bpe, p, len, NULL);
	a = ctx_table_key(p, len < 8 ? len : 8, room >= 8);
	if (len > 16)
		b = ctx_table_load(p + 8);
	if (len > 8)
		c = ctx_table_load(p + len - 8);
	if (t->memo == NULL)
		t->memo = ctx_mem_new(MEMO * sizeof(*t->memo));
	m = &t->memo[ctx_table_mix(a ^ ctx_table_mix(b ^ ctx_table_mix(c))) % MEMO];
	if (m->key[0] != a || m->key[1] != b || m->key[2] != c || m->len != len)
		*m = (struct memo){{a, b, c}, (uint32_t)len,
		    (uint32_t)ctx_bpe_piece(&t->table, &t->bpe, p, len, NULL)};
	return m->count;
}

/* Returns the tokens of well-formed text. If ids is not NULL, the token ids are written
 * there; it needs room for n ids. */
static size_t
encode_exact_tokens(struct ctx_tokenizer *t, const char *p, size_t n, uint32_t *ids)
{
	const struct ctx_table *table = &t->table;
	const char *end = p + n;
	size_t (*split)(const char *,
	    const char *) = table->head->split == CTX_SPLIT_CL100K ? ctx_split_cl100k
								   : ctx_split_o200k;
	size_t count = 0, len;

	for (; p < end; p += len) {
		uint32_t id;
		len = split(p, end);
		id = ctx_table_find(table, p, len, (size_t)(end - p));
		if (id == CTX_TABLE_NONE)
			count += ids == NULL
				     ? count_merged_tokens(t, p, len, (size_t)(end - p))
				     : ctx_bpe_piece(
					   &t->table, &t->bpe, p, len, ids + count);
		else if (ids != NULL)
			ids[count++] = id;
		else
			count++;
	}
	return count;
}

static int64_t
count_text_tokens(struct ctx_tokenizer *t, const char *p, size_t n)
{
	struct ctx_span text;
	int64_t chars;

	if (t->method == CHARS4) {
		chars = (int64_t)ctx_utf8_length(p, n);
		return chars < 4 ? 1 : chars / 4;
	}
	text = clean_utf8_text(t, p, n);
	return t->method == APPROX
		   ? ctx_approx_text(text.p, text.n)
		   : (int64_t)encode_exact_tokens(t, text.p, text.n, NULL);
}

int64_t
ctx_tokens_scale(const struct ctx_tokenizer *t, int64_t n)
{
	return (n * t->factor + 999) / 1000;
}

int64_t
ctx_tokens_text(struct ctx_tokenizer *t, const char *p, size_t n)
{
	return ctx_tokens_scale(t, count_text_tokens(t, p, n));
}

int
ctx_tokens_ids(struct ctx_tokenizer *t, const char *p, size_t n, uint32_t **ids,
    size_t *count, struct ctx_err *err)
{
	struct ctx_span text;

	*ids = NULL;
	*count = 0;
	if (t->method != EXACT)
		return ctx_err_set(err, CTX_EUSAGE,
		    "tokenizer '%s' only estimates counts and has no token ids (use o200k_base or cl100k_base)",
		    t->name);
	if (n == 0)
		return 0;
	text = clean_utf8_text(t, p, n);
	*ids = ctx_mem_resize(NULL, text.n, sizeof(**ids));
	*count = encode_exact_tokens(t, text.p, text.n, *ids);
	return 0;
}

int64_t
ctx_tokens_string(struct ctx_tokenizer *t, struct ctx_span string)
{
	struct ctx_span text = ctx_json_text(string, &t->text);

	return text.p == NULL ? 0 : ctx_tokens_text(t, text.p, text.n);
}

int64_t
ctx_tokens_json(struct ctx_tokenizer *t, struct ctx_span json)
{
	return json.n == 0 ? 0 : ctx_tokens_text(t, json.p, json.n);
}
