/* Benchmark of summaries. usage: summary NAME FILE…
 *
 * Each FILE is a conversation, one message a line. For 10, 20 and 40 % of a conversation's
 * tokens (tokenizer "approx"), prints the share of its distinct facts that are kept by
 *   newest      the end of the text: cutting the oldest
 *   first-last  the first and last sentence of every message, then the second and the last
 *               but one, …, newest message first, until the budget is used
 *   sentences   the extractive summary without a list of facts
 *   summary     the same with it
 * and how many times more the summary keeps than the better of the first two, and how many
 * times a summary that kept all would: there is no doubling of more than half. Facts are
 * pooled over the files of a NAME. Files of less than 400 tokens are left out: 10 % of
 * these is no summary.
 *
 * What a fact is, is defined here by regular expressions, not by the library's scanner: a
 * number (but no line number before an arrow, as file viewers print them), path, URL,
 * identifier or name (capitalised words within a sentence). It is kept when it stands in
 * the result verbatim between characters that are not of words, wherever that is: the
 * same rule for all. The text is what the library would summarise: texts, calls with
 * arguments, tool results. With SUMMARY_SHOW in the environment, prints the summaries. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "summary/internal.h"

#define MIN_TOKENS 400
#define FACT_MAX 200

static const char *const patterns[] = {
    "[a-z]+://[^\\s\"'<>)\\]}`|]*[\\w/]",
    "(?<![\\w/.~])(?:~|\\.{1,2})?(?:/[\\w.@+-]*\\w){2,}",
    "(?<![\\w/.~-])[\\w.-]+(?:/[\\w.-]*\\w)+(?<=\\.\\w|\\.\\w\\w|\\.\\w{3}|\\.\\w{4})",
    "(?<![\\w/"
    ".-])[\\w-]+\\.(?:c|h|py|js|ts|tsx|rs|go|ex|exs|heex|rb|java|sh|md|txt|json|jsonl|"
    "ya?ml|toml|html|css|sql|lock|log|cfg|pcap)(?!\\w)",
    "(?<![\\w.,/-])[-+$]?\\d+(?:[.,:/-]\\d+)*%?(?![\\w/]|\xe2\x86\x92)",
    "(?<![\\w/.-])[A-Za-z]+(?:_[A-Za-z0-9]+)+(?![\\w/.])",
    "(?<![\\w/.-])[A-Za-z]*[a-z][A-Z][A-Za-z0-9]+(?![\\w/.])",
    "(?<![\\w/.-])(?=[A-Za-z]*\\d)(?=\\d*[A-Za-z])[A-Za-z0-9]{4,}(?![\\w/.])",
    "(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*(?!\\w)",
};
#define N_PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

enum method { NEWEST, FIRST_LAST, SENTENCES, SUMMARY, METHODS };
static const double fractions[] = {0.1, 0.2, 0.4};
#define FRACTIONS 3

/* A set of short strings. */
struct set {
	struct entry {
		char *p;
		size_t n;
		bool kept;
	} * v;
	size_t n, cap;
	bool length[FACT_MAX + 1];
};

static struct entry *
find(struct set *s, const char *p, size_t n)
{
	size_t i = (size_t)ctx_summary_hash(7, p, n) & (s->cap - 1);

	while (s->v[i].p != NULL && (s->v[i].n != n || memcmp(s->v[i].p, p, n) != 0))
		i = (i + 1) & (s->cap - 1);
	return &s->v[i];
}

static void
insert(struct set *s, const char *p, size_t n)
{
	struct entry *e;

	if (s->n * 2 >= s->cap) {
		struct set bigger = {.cap = s->cap ? s->cap * 2 : 1024};
		bigger.v = ctx_mem_new(bigger.cap * sizeof(*bigger.v));
		for (size_t i = 0; i < s->cap; i++)
			if (s->v[i].p != NULL)
				*find(&bigger, s->v[i].p, s->v[i].n) = s->v[i];
		free(s->v);
		s->v = bigger.v;
		s->cap = bigger.cap;
	}
	e = find(s, p, n);
	if (e->p != NULL)
		return;
	*e = (struct entry){ctx_mem_dup(p, n), n, false};
	s->length[n] = true;
	s->n++;
}

static void
release(struct set *s)
{
	for (size_t i = 0; i < s->cap; i++)
		free(s->v[i].p);
	free(s->v);
}

static void
collect(struct set *s, pcre2_code *const code[], struct ctx_span text)
{
	pcre2_match_data *match = pcre2_match_data_create(4, NULL);
	PCRE2_SIZE *at = pcre2_get_ovector_pointer(match), from;

	for (size_t i = 0; i < N_PATTERNS; i++) {
		for (from = 0; from < text.n; from = at[1]) {
			if (pcre2_match(code[i], (PCRE2_SPTR)text.p, text.n, from,
				PCRE2_NO_UTF_CHECK, match, NULL) < 1)
				break;
			if (at[1] - at[0] <= FACT_MAX)
				insert(s, text.p + at[0], at[1] - at[0]);
		}
	}
	pcre2_match_data_free(match);
}

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t
count_kept(struct set *s, struct ctx_span text)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->cap; i++)
		s->v[i].kept = false;
	for (size_t i = 0; i < text.n; i++) {
		if (i > 0 && is_word(text.p[i - 1]) && is_word(text.p[i]))
			continue;
		for (size_t n = 1; n <= FACT_MAX && i + n <= text.n; n++) {
			struct entry *e;
			if (!s->length[n] || (i + n < text.n && is_word(text.p[i + n]) &&
						 is_word(text.p[i + n - 1])))
				continue;
			e = find(s, text.p + i, n);
			kept += e->p != NULL && !e->kept;
			e->kept = e->p != NULL;
		}
	}
	return kept;
}

/* ---- the two to beat ---- */

struct sentence {
	struct ctx_span text;
	size_t piece, rank, order;
};

static int
by_rank(const void *a, const void *b)
{
	const struct sentence *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->order > y->order ? -1 : x->order < y->order;
}

static int
by_order(const void *a, const void *b)
{
	const struct sentence *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static void
first_last(struct ctx_buf *out, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, int64_t max)
{
	struct ctx_summary_sentences it;
	struct sentence *v = NULL;
	struct ctx_span text;
	size_t n = 0, cap = 0, first, used = 0;
	int64_t cost;

	for (size_t i = 0; i < in->n; i++) {
		first = n;
		ctx_summary_sentences_init(&it, ctx_summary_piece_text(in, i));
		while (ctx_summary_sentences_next(&it, &text)) {
			CTX_MEM_GROW(v, n, cap);
			v[n] = (struct sentence){text, i, n - first, n};
			n++;
		}
		for (size_t j = first; j < n; j++)
			if (n - 1 - j < v[j].rank)
				v[j].rank = n - 1 - j;
	}
	if (n > 0)
		qsort(v, n, sizeof(*v), by_rank);
	for (size_t i = 0; i < n; i++) {
		cost = ctx_tokens_text(t, v[i].text.p, v[i].text.n) + 1;
		if (cost > max)
			continue;
		max -= cost;
		v[used++] = v[i];
	}
	if (used > 0)
		qsort(v, used, sizeof(*v), by_order);
	for (size_t i = 0; i < used; i++) {
		ctx_buf_addspan(out, v[i].text);
		ctx_buf_addc(out, '\n');
	}
	free(v);
}

/* ---- running ---- */

struct totals {
	size_t files, facts, kept[FRACTIONS][METHODS];
	int64_t tokens, used[FRACTIONS][METHODS];
	int64_t bytes, ms;
};

static void
die(const struct ctx_err *err)
{
	fprintf(stderr, "summary: %s\n", err->msg);
	exit(1);
}

static void
read_messages(struct ctx_summary_input *in, const char *path)
{
	struct ctx_buf file = CTX_BUF_INIT;
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span rest, value;

	if (ctx_io_read_file(path, &file, SIZE_MAX / 2, &err) < 0)
		die(&err);
	for (rest = ctx_buf_span(&file); rest.n > 0;) {
		if (ctx_json_check_next(rest, &value, &rest, &err) < 0)
			die(&err);
		if (value.n > 0 && ctx_message_parse(&m, value, &err) < 0)
			die(&err);
		if (value.n > 0)
			ctx_summary_input_add_message(in, &m);
	}
	ctx_message_release(&m);
	ctx_buf_release(&file);
}

static void
run(struct totals *sum, enum method method, size_t f, struct set *facts,
    struct ctx_span text, const struct ctx_summary_input *in, struct ctx_tokenizer *t,
    int64_t max)
{
	struct ctx_summary_options o = {
	    t, max, method == SUMMARY ? CTX_SUMMARY_FACTS : 0};
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int64_t start = ctx_time_monotonic(), used;
	size_t n;

	if (method == NEWEST) {
		n = ctx_summary_tail(text, t, max);
		ctx_buf_add(&out, text.p + text.n - n, n);
	} else if (method == FIRST_LAST) {
		first_last(&out, in, t, max);
	} else if (ctx_summary_extract(&out, in, &o, NULL, &err) < 0) {
		die(&err);
	}
	if (method == SUMMARY) {
		sum->ms += ctx_time_monotonic() - start;
		sum->bytes += (int64_t)text.n;
	}
	used = ctx_tokens_text(t, out.p, out.n);
	if (used > max + max / 50 + 2 || (method >= SENTENCES && used > max)) {
		ctx_err_set(&err, CTX_EANSWER, "method %d uses %lld of %lld tokens",
		    method, (long long)used, (long long)max);
		die(&err);
	}
	sum->used[f][method] += used;
	sum->kept[f][method] += count_kept(facts, ctx_buf_span(&out));
	if (getenv("SUMMARY_SHOW") != NULL && method >= SENTENCES)
		printf("---- %g\n%s\n", fractions[f], out.p);
	ctx_buf_release(&out);
}

static void
measure(struct totals *sum, const char *path, pcre2_code *const code[],
    struct ctx_tokenizer *t)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	struct ctx_buf text = CTX_BUF_INIT;
	struct set facts = {.n = 0};
	int64_t tokens;

	read_messages(in, path);
	ctx_summary_input_text(in, &text);
	tokens = text.n == 0 ? 0 : ctx_tokens_text(t, text.p, text.n);
	if (tokens >= MIN_TOKENS) {
		collect(&facts, code, ctx_buf_span(&text));
		sum->files++;
		sum->facts += facts.n;
		sum->tokens += tokens;
		for (size_t f = 0; f < FRACTIONS && facts.n > 0; f++)
			for (int m = 0; m < METHODS; m++)
				run(sum, (enum method)m, f, &facts, ctx_buf_span(&text),
				    in, t, (int64_t)((double)tokens * fractions[f]));
	}
	release(&facts);
	ctx_buf_release(&text);
	ctx_summary_input_free(in);
}

static void
print(const char *name, const struct totals *s)
{
	if (s->files == 0) {
		printf("%s: no conversation is long enough\n", name);
		return;
	}
	printf("%s: %zu conversations, %lld tokens, %zu facts; %.1f MB/s\n", name,
	    s->files, (long long)s->tokens, s->facts,
	    (double)s->bytes / 1000 / (double)(s->ms > 0 ? s->ms : 1));
	printf("  tokens   newest  first-last  sentences  summary    gain  at most\n");
	for (size_t f = 0; f < FRACTIONS; f++) {
		const size_t *k = s->kept[f];
		double all = (double)(s->facts ? s->facts : 1) / 100;
		size_t best = k[NEWEST] > k[FIRST_LAST] ? k[NEWEST] : k[FIRST_LAST];
		printf("  %4.0f %%  %5.1f %%     %5.1f %%    %5.1f %%  %5.1f %%  x %.2f  "
		       " x %.2f\n",
		    fractions[f] * 100, (double)k[NEWEST] / all,
		    (double)k[FIRST_LAST] / all, (double)k[SENTENCES] / all,
		    (double)k[SUMMARY] / all,
		    (double)k[SUMMARY] / (double)(best ? best : 1),
		    (double)s->facts / (double)(best ? best : 1));
	}
}

int
main(int argc, char **argv)
{
	pcre2_code *code[N_PATTERNS];
	struct totals sum = {0};
	struct ctx_tokenizer *t;
	struct ctx_err err = CTX_ERR_INIT;
	PCRE2_SIZE at;
	int number;

	if (argc < 3) {
		fprintf(stderr, "usage: summary NAME FILE...\n");
		return 2;
	}
	if (ctx_tokenizer_open(&t, "approx", NULL, &err) < 0)
		die(&err);
	for (size_t i = 0; i < N_PATTERNS; i++) {
		code[i] = pcre2_compile((PCRE2_SPTR)patterns[i], PCRE2_ZERO_TERMINATED,
		    PCRE2_UTF, &number, &at, NULL);
		if (code[i] == NULL) {
			fprintf(
			    stderr, "summary: bad pattern %zu at %zu\n", i, (size_t)at);
			return 1;
		}
		pcre2_jit_compile(code[i], PCRE2_JIT_COMPLETE);
	}
	for (int i = 2; i < argc; i++)
		measure(&sum, argv[i], code, t);
	print(argv[1], &sum);
	for (size_t i = 0; i < N_PATTERNS; i++)
		pcre2_code_free(code[i]);
	ctx_tokenizer_close(t);
	return fflush(stdout) != 0;
}
