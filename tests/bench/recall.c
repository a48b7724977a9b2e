/* usage: recall [--excerpts] [--selections] STORE DIR, recall --fit STORE DIR [DIR]
 * Measures how much of the evidence for questions about long conversations is found. The
 * store contains each conversation of DIR (ID.messages.ndjson) as the session ID. Each
 * question is used as the new message after the conversation. A turn has the number of
 * tokens in budget_tokens of its metadata, so that different methods can be compared. Prints
 * a table; with --selections, the selected turns; with --fit, weights that were fitted to
 * the evidence. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "recall/recall.h"
#include "recall_fit.h"

#include <stdio.h>

#define CATEGORIES 6 /* 1 multi-hop, 2 temporal, 3 open, 4 single-hop, 5 adversarial */
#define budgets fit_budgets
#define BUDGETS FIT_BUDGETS

static double found[BUDGETS][CATEGORIES];
static int asked[CATEGORIES];
static bool print_selections, fitting, excerpts;
static int set, conversations; /* of directories, of those in one */
static const char *command;    /* that makes vectors, or NULL */

static void
die(const struct ctx_err *err)
{
	fprintf(stderr, "recall: %s\n", err->msg);
	exit(1);
}

static int64_t
cost(void *arg CTX_UNUSED, const struct ctx_stored *m)
{
	int64_t tokens = 0;

	ctx_json_int(ctx_json_get(m->metadata, "budget_tokens"), &tokens);
	return tokens;
}

static double
share(const struct ctx_recall *r, struct ctx_span evidence)
{
	int n = 0, hits = 0;

	CTX_JSON_EACH(it, evidence) {
		n++;
		int64_t seq;
		ctx_json_int(it.value, &seq);
		for (size_t i = 0; i < r->n; i++)
			hits += r->turns[i].seq == seq;
	}
	return n == 0 ? 0 : (double)hits / n;
}

static void
print_selection(struct ctx_span id, int64_t budget, const struct ctx_recall *r)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_put_open(&b, '{');
	ctx_json_add_raw(&b, "id", id);
	ctx_json_add_int(&b, "budget", budget);
	ctx_json_put_key(&b, "seqs");
	ctx_json_put_open(&b, '[');
	for (size_t i = 0; i < r->n; i++)
		ctx_json_put_int(&b, r->turns[i].seq);
	ctx_json_put_close(&b, ']');
	ctx_json_put_close(&b, '}');
	puts(b.p);
	ctx_buf_release(&b);
}

static void
fit_question(struct ctx_store *st, const struct ctx_session *s, struct ctx_span query,
    struct ctx_span evidence)
{
	struct ctx_recall_options o = {.query = query, .cost = cost, .all = true};
	struct ctx_recall r = CTX_RECALL_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	bool *is_evidence;

	if (ctx_recall_select(&r, st, s, &o, &err) < 0)
		die(&err);
	is_evidence = ctx_mem_new(r.n + 1);
	CTX_JSON_EACH(it, evidence) {
		int64_t seq = 0;
		ctx_json_int(it.value, &seq);
		for (size_t i = 0; i < r.n; i++)
			is_evidence[i] |= r.turns[i].seq == seq;
	}
	fit_add(set, conversations, r.turns, r.n, query, is_evidence);
	free(is_evidence);
	ctx_recall_release(&r);
}

static void
embed_failed(void *arg CTX_UNUSED, const struct ctx_err *err)
{
	die(err);
}

static void
ask(struct ctx_store *st, struct ctx_embedder *embedder, const struct ctx_session *s,
    struct ctx_span line)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int64_t category = 0;

	ctx_json_int(ctx_json_get(line, "category"), &category);
	if (category < 1 || category >= CATEGORIES)
		return;
	asked[category]++;
	ctx_json_decode(ctx_json_get(line, "question"), &text);
	if (fitting && category < 5)
		fit_question(st, s, ctx_buf_span(&text), ctx_json_get(line, "evidence"));
	for (size_t b = 0; !fitting && b < BUDGETS; b++) {
		struct ctx_recall_options o = {.query = ctx_buf_span(&text),
		    .budget = budgets[b],
		    .cost = cost,
		    .whole = !excerpts,
		    .embedder = embedder,
		    .embed_failed = embed_failed};
		struct ctx_recall r = CTX_RECALL_INIT;
		if (ctx_recall_select(&r, st, s, &o, &err) < 0)
			die(&err);
		if (print_selections)
			print_selection(ctx_json_get(line, "id"), budgets[b], &r);
		found[b][category] += share(&r, ctx_json_get(line, "evidence"));
		ctx_recall_release(&r);
	}
	ctx_buf_release(&text);
}

static void
converse(struct ctx_store *st, const char *dir, const char *name, size_t id_length)
{
	struct ctx_exec_options exec = {.command = command, .timeout_ms = 600000};
	struct ctx_embedder *embedder = NULL;
	struct ctx_buf path = CTX_BUF_INIT, lines = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	char *id = ctx_mem_dup(name, id_length);

	ctx_buf_addf(&path, "%s/%s.questions.ndjson", dir, id);
	if (ctx_store_session_find(st, id, &s, &err) != 1 ||
	    ctx_io_read_file(path.p, &lines, (size_t)1 << 30, &err) < 0)
		die(&err);
	if (command != NULL)
		embedder = ctx_embedder_new(st, &exec, 0);
	for (char *line = strtok(lines.p, "\n"); line != NULL; line = strtok(NULL, "\n"))
		ask(st, embedder, &s, ctx_span_of(line));
	ctx_embedder_free(embedder);
	conversations++;
	ctx_session_release(&s);
	ctx_buf_release(&path);
	ctx_buf_release(&lines);
	free(id);
}

static void
converse_all(struct ctx_store *st, const char *path)
{
	struct dirent **list;
	/* sorted, so that the same conversations are left out of a fit everywhere */
	int n = scandir(path, &list, NULL, alphasort);

	if (n < 0) {
		perror(path);
		exit(1);
	}
	conversations = 0;
	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		const char *end = strstr(name, ".messages.ndjson");
		if (end != NULL)
			converse(st, path, name, (size_t)(end - name));
		free(list[i]);
	}
	free(list);
}

static void
print_table(void)
{
	int all = asked[1] + asked[2] + asked[3] + asked[4];

	printf(
	    "budget  cat1-4  multi  temporal  open  single  adversarial   questions\n");
	for (size_t b = 0; b < BUDGETS; b++) {
		double sum = found[b][1] + found[b][2] + found[b][3] + found[b][4];
		printf("%6d  %6.1f", (int)budgets[b], all > 0 ? 100 * sum / all : 0);
		for (int c = 1; c < CATEGORIES; c++)
			printf(" %6.1f", asked[c] > 0 ? 100 * found[b][c] / asked[c] : 0);
		printf("   %d\n", all + asked[5]);
	}
}

int
main(int argc, char **argv)
{
	struct ctx_store_options o = {.busy_ms = 10000};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_store *st;

	excerpts = argc > 1 && strcmp(argv[1], "--excerpts") == 0;
	argc -= excerpts;
	argv += excerpts;
	print_selections = argc > 1 && strcmp(argv[1], "--selections") == 0;
	fitting = argc > 1 && strcmp(argv[1], "--fit") == 0;
	argc -= print_selections || fitting;
	argv += print_selections || fitting;
	command = getenv("EMBED");
	if (argc < 3 || argc > 3 + fitting) {
		fprintf(stderr,
		    "usage: recall [--excerpts] [--selections] STORE DIR, recall --fit "
		    "STORE DIR [DIR]\n");
		return 2;
	}
	o.path = argv[1];
	if (ctx_store_open(&st, &o, &err) < 0)
		die(&err);
	for (; set < argc - 2; set++)
		converse_all(st, argv[set + 2]);
	ctx_store_close(st);
	if (fitting)
		fit_print();
	else if (!print_selections)
		print_table();
	return 0;
}
