/* Byte-pair encoding against a plain implementation, on vocabularies made up at random. */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "tokens/split.h"
#include "tokens/tokens.h"

#define VOCABULARY 900
#define LONGEST 24

static unsigned long long state;

static unsigned
random_below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static struct token {
	char p[LONGEST];
	size_t n;
} vocabulary[VOCABULARY];

static int
rank(const char *p, size_t n)
{
	for (int i = 0; i < VOCABULARY; i++)
		if (vocabulary[i].n == n && memcmp(vocabulary[i].p, p, n) == 0)
			return i;
	return -1;
}

/* Bytes of few kinds, so that merges are many; borders of characters among them. */
static size_t
random_text(char *out, size_t max)
{
	static const char *const units[] = {"a", "b", "c", "ab", "\xc3\xa9", "\xc3\xa8",
	    "\xe4\xb8\xad", "\xe4\xb8\xae", "\xe4\xb9\x80", "\xf0\x9f\x98\x80", "d",
	    ("\xc3\xa9"
	     "a")};
	size_t n = 0, want = 1 + random_below((unsigned)max - 4);

	while (n < want) {
		const char *u = units[random_below(sizeof(units) / sizeof(units[0]))];
		memcpy(out + n, u, strlen(u));
		n += strlen(u);
	}
	return n;
}

static size_t
plain(const char *p, size_t n, uint32_t *ids)
{
	size_t start[4200], parts = n;

	if (rank(p, n) >= 0) {
		ids[0] = (uint32_t)rank(p, n);
		return 1;
	}
	for (size_t i = 0; i <= n; i++)
		start[i] = i;
	for (;;) {
		int best = -1;
		size_t at = 0;
		for (size_t i = 0; i + 1 < parts; i++) {
			int r = rank(p + start[i], start[i + 2] - start[i]);
			if (r >= 0 && (best < 0 || r < best)) {
				best = r;
				at = i;
			}
		}
		if (best < 0)
			break;
		memmove(
		    &start[at + 1], &start[at + 2], (parts - at - 1) * sizeof(start[0]));
		parts--;
	}
	for (size_t i = 0; i < parts; i++)
		ids[i] = (uint32_t)rank(p + start[i], start[i + 1] - start[i]);
	return parts;
}

/* Single bytes, then tokens that join two parts of what random text encodes to. With
 * loose, some that merging may never reach. */
static void
make_vocabulary(bool loose)
{
	char text[64];
	uint32_t ids[64];
	int n = 256;

	memset(vocabulary, 0, sizeof(vocabulary));
	for (int i = 0; i < 256; i++) {
		vocabulary[i].p[0] = (char)i;
		vocabulary[i].n = 1;
	}
	while (n < VOCABULARY) {
		size_t len = random_text(text, 60), parts, at = 0;
		struct token *t = &vocabulary[n];
		if (loose && random_below(4) == 0) {
			t->n = 2 + random_below(LONGEST - 2);
			t->n = t->n > len ? len : t->n;
			memcpy(t->p, text, t->n);
		} else {
			unsigned pick;
			parts = plain(text, len, ids);
			if (parts < 2)
				continue;
			pick = random_below((unsigned)parts - 1);
			for (unsigned i = 0; i < pick; i++)
				at += vocabulary[ids[i]].n;
			t->n = vocabulary[ids[pick]].n + vocabulary[ids[pick + 1]].n;
			if (t->n > LONGEST)
				continue;
			memcpy(t->p, text + at, t->n);
		}
		len = t->n;
		t->n = 0;
		if (len < 2 || rank(t->p, len) >= 0)
			continue;
		t->n = len;
		n++;
	}
}

static void
put_base64(struct ctx_buf *b, const char *text, size_t n)
{
	static const char alphabet[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)text;

	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)p[i] << 16 |
			     (i + 1 < n ? (unsigned)p[i + 1] << 8 : 0) |
			     (i + 2 < n ? p[i + 2] : 0u);
		ctx_buf_addc(b, alphabet[v >> 18]);
		ctx_buf_addc(b, alphabet[v >> 12 & 63]);
		ctx_buf_addc(b, i + 1 < n ? alphabet[v >> 6 & 63] : '=');
		ctx_buf_addc(b, i + 2 < n ? alphabet[v & 63] : '=');
	}
}

static struct ctx_tokenizer *
open_vocabulary(void)
{
	char path[] = "/tmp/ctx-unit-XXXXXX";
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tokenizer *t = NULL;

	close(mkstemp(path));
	for (int i = 0; i < VOCABULARY; i++) {
		put_base64(&b, vocabulary[i].p, vocabulary[i].n);
		ctx_buf_addf(&b, " %d\n", i);
	}
	CHECK(ctx_io_replace_file(path, b.p, b.n, &err) == 0);
	CHECK(ctx_tokenizer_open(&t, path, NULL, &err) == 0);
	unlink(path);
	ctx_buf_release(&b);
	return t;
}

static void
compare(struct ctx_tokenizer *t, const char *text, size_t n)
{
	uint32_t want[4200], *got;
	struct ctx_err err = CTX_ERR_INIT;
	size_t count, k = 0;

	CHECK(ctx_tokens_ids(t, text, n, &got, &count, &err) == 0);
	CHECK_INT(count, ctx_tokens_text(t, text, n));
	for (const char *p = text, *end = text + n; p < end;) {
		size_t len = ctx_split_o200k(p, end);
		k += plain(p, len, want + k);
		p += len;
	}
	CHECK_INT(count, k);
	CHECK(count == k && memcmp(got, want, k * sizeof(*want)) == 0);
	free(got);
}

static void
random_vocabularies(void)
{
	char text[800];

	for (int round = 0; round < 6; round++) {
		struct ctx_tokenizer *t;
		state = (unsigned)round;
		make_vocabulary(round % 2 == 1);
		t = open_vocabulary();
		if (t == NULL)
			return;
		for (int i = 0; i < 300; i++)
			compare(t, text, random_text(text, i % 20 == 0 ? 700 : 40));
		ctx_tokenizer_close(t);
	}
}

/* Quadratic time would take minutes here. */
static void
one_long_word(void)
{
	const size_t n = 2000000;
	char *text = ctx_mem_new(n);
	struct ctx_tokenizer *t;

	state = 1;
	make_vocabulary(false);
	t = open_vocabulary();
	memset(text, 'a', n);
	CHECK(ctx_tokens_text(t, text, n) < (int64_t)n);
	ctx_tokenizer_close(t);
	free(text);
}

static int
open_ranks(const char *ranks, struct ctx_err *err)
{
	char path[] = "/tmp/ctx-unit-XXXXXX";
	struct ctx_tokenizer *t;
	int rc;

	close(mkstemp(path));
	CHECK(ctx_io_replace_file(path, ranks, strlen(ranks), err) == 0);
	rc = ctx_tokenizer_open(&t, path, NULL, err);
	CHECK((t == NULL) == (rc < 0));
	ctx_tokenizer_close(t);
	unlink(path);
	return rc;
}

static void
bad_rank_files(void)
{
	static const char *const bad[] = {"", "YQ==\n", "YQ== x\n", "Y\xc3 1\n",
	    "YQ== 99999999\n", " 1\n", "YQ== 1\nYQ== 2\n", "{\"a\": 1}\n"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ctx_err err = CTX_ERR_INIT;
		CHECK(open_ranks(bad[i], &err) < 0);
		CHECK_INT(err.code, CTX_EINPUT);
	}
}

static void
names(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tokenizer *t;
	uint32_t *ids;
	size_t n;

	CHECK(ctx_tokenizer_open(&t, "nonesuch", NULL, &err) < 0);
	CHECK_INT(err.code, CTX_EUSAGE);
	CHECK(ctx_tokenizer_open(&t, "o200k_base", "/nonexistent", &err) < 0);
	CHECK_INT(err.code, CTX_EUSAGE);
	CHECK(strstr(err.msg, "make tokenizers") != NULL);
	CHECK(strstr(err.msg, "CTX_TOKENIZER_DIR") != NULL);
	CHECK(ctx_tokenizer_open(&t, "cl100k_base", NULL, &err) < 0);
	CHECK(ctx_tokenizer_open(&t, "chars4", NULL, &err) == 0);
	CHECK_INT(ctx_tokens_text(t,
		      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
		      "12345",
		      13),
	    2);
	CHECK_INT(ctx_tokens_text(t, "a", 1), 1);
	CHECK(ctx_tokens_ids(t, "a", 1, &ids, &n, &err) < 0);
	CHECK_INT(err.code, CTX_EUSAGE);
	ctx_tokenizer_close(t);
}

int
main(void)
{
	RUN(random_vocabularies);
	RUN(one_long_word);
	RUN(bad_rank_files);
	RUN(names);
	return TEST_END();
}
