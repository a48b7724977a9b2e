#include "test.h"

#include <stdlib.h>

#include "recall/mode.h"
#include "recall/similar.h"
#include "words/stems.h"

static const char *const items[][2] = {
    {"invoice_rules",
	"Invoices above 1000 euros need a second approval. An invoice without an "
	"order number goes back to the supplier."},
    {"create_workflow",
	"Creates a new workflow from a description in plain words and validates "
	"it before it is saved."},
    {"search_workflows",
	"Finds workflows by name, by tag or by what they do. Returns at most 20."},
    {"style", "Answer in short sentences. No tables, no emoji, British spelling."},
    {"network",
	"Core switches are named sw-core-NN. VLAN 10 is for servers, VLAN 20 for phones. "
	"Every change of a switch port needs a ticket."},
    {"vacation",
	"Vacation days are requested two weeks ahead; the team lead approves them."},
};

#define N (sizeof(items) / sizeof(items[0]))

static struct ctx_similar *
build(void)
{
	struct ctx_similar *s = ctx_similar_new();

	for (size_t i = 0; i < N; i++)
		ctx_similar_add(s, ctx_span_of(items[i][0]), ctx_span_of(items[i][1]));
	return s;
}

static void
ranks(void)
{
	static const struct {
		const char *message;
		const char *first; /* NULL: nothing fits */
	} asked[] = {
	    {"Who has to approve the invoices of this supplier?", "invoice_rules"},
	    {"creating a workflow for onboarding", "create_workflow"},
	    {"Please find my workflows about taxes", "search_workflows"},
	    {"which VLAN do the phones use on this switch?", "network"},
	    {"can I take vacation next week", "vacation"},
	    {"searchWorkflow", "search_workflows"},
	    {"ÜBERSETZE das bitte", NULL},
	    {"the and of it please", NULL},
	    {"", NULL},
	};
	struct ctx_similar *s = build();
	double scores[N];

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		size_t best = 0;

		ctx_similar_score(s, ctx_span_of(asked[i].message), scores);
		for (size_t k = 0; k < N; k++) {
			CHECK(scores[k] >= 0 && scores[k] < 1);
			best = scores[k] > scores[best] ? k : best;
		}
		CHECK_STR(scores[best] > 0 ? items[best][0] : "",
		    asked[i].first == NULL ? "" : asked[i].first);
	}
	ctx_similar_free(s);
}

/* A message that is an item's own words is nearer than one that shares a word by chance. */
static void
scale(void)
{
	struct ctx_similar *s = build();
	double own[N], chance[N], again[N];

	ctx_similar_score(s, ctx_span_of("invoice approval without order number"), own);
	ctx_similar_score(s,
	    ctx_span_of(
		"my grandmother bakes bread, sings songs, paints in oil and keeps an "
		"invoice in a drawer"),
	    chance);
	CHECK(own[0] > 0.5);
	CHECK(chance[0] > 0 && chance[0] < 0.3);
	ctx_similar_score(
	    s, ctx_span_of("Invoice  APPROVAL: without (order) numbers!"), again);
	CHECK(memcmp(own, again, sizeof(own)) == 0);
	ctx_similar_free(s);
}

static void
empty_items(void)
{
	struct ctx_similar *s = ctx_similar_new();
	double score = -1;

	ctx_similar_score(s, ctx_span_of("x"), &score);
	CHECK(score == -1);
	ctx_similar_add(s, CTX_SPAN_NONE, CTX_SPAN_NONE);
	ctx_similar_score(s, ctx_span_of("x"), &score);
	CHECK(score == 0);
	ctx_similar_free(s);
}

/* All words of a row have one stem; the last one, behind a '|', has another. */
static void
stems(void)
{
	static const char *const rows[] = {"create creates created creating | creature",
	    "query queries QUERY | quest", "run runs running | rung",
	    "validate validation | value", "policy policies | polite",
	    "process processes processed | procure", "box boxes | boxer",
	    "status | state", "Maß MASS maß | mast", "Größe GRÖSSE | Gras"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ctx_stems w = CTX_STEMS_INIT;
		const char *bar = strchr(rows[i], '|');

		ctx_stems_add(
		    &w, (struct ctx_span){rows[i], (size_t)(bar - rows[i])}, false);
		for (size_t k = 1; k < w.n; k++)
			CHECK(w.list[k] == w.list[0] || !printf("# row: %s\n", rows[i]));
		ctx_stems_add(&w, ctx_span_of(bar), false);
		CHECK(w.list[w.n - 1] != w.list[0]);
		ctx_stems_release(&w);
	}
}

static void
infers(const char *message, const char *tools, const char *want)
{
	struct ctx_span list[16];
	size_t n_tools = 0, n;
	const struct ctx_mode *modes = ctx_mode_builtin(&n);
	char copy[400], *save = NULL, *name;
	int got;

	snprintf(copy, sizeof(copy), "%s", tools);
	for (name = strtok_r(copy, " ", &save); name != NULL;
	     name = strtok_r(NULL, " ", &save))
		list[n_tools++] = ctx_span_of(name);
	got = ctx_mode_infer(modes, n, ctx_span_of(message), list, n_tools);
	CHECK_STR(got < 0 ? "general" : modes[got].name.p, want);
}

static void
modes(void)
{
	infers("Create a workflow that mails me every Monday", "", "creation");
	infers("can you build me a new report?", "", "creation");
	infers("Find all switches in rack A12", "", "search");
	infers("where is the config of sw1?", "", "search");
	infers("Rename it and fix the typo", "", "modification");
	infers("update my task workflow", "", "modification");
	infers("Why did the deployment fail?", "", "analysis");
	infers("compare the two plans", "", "analysis");
	infers("good morning", "", "general");
	infers("", "", "general");
	/* tools decide where the words don't */
	infers("and the same for Berlin", "create_workflow", "creation");
	infers(
	    "and the same for Berlin", "list_items searchWorkflows getWeather", "search");
	infers("and the same for Berlin", "ping", "general");
	infers("delete it", "create_workflow create_workflow", "modification");
	/* only the last of them count */
	infers("next", "create_a x1 x2 x3 x4 x5", "general");
}

static void
own_modes(void)
{
	static const struct ctx_mode own[] = {
	    {{"cook", 4}, {"bake boil", 9}}, {{"sing", 4}, {"Lieder sing", 11}}};

	CHECK_INT(ctx_mode_infer(own, 2, ctx_span_of("LIEDER please"), NULL, 0), 1);
	CHECK_INT(
	    ctx_mode_infer(own, 2, ctx_span_of("baking, then singing"), NULL, 0), 0);
	CHECK_INT(
	    ctx_mode_infer(own, 2, ctx_span_of("sing, sing while you bake"), NULL, 0), 1);
	CHECK_INT(ctx_mode_infer(own, 0, ctx_span_of("sing"), NULL, 0), -1);
}

int
main(void)
{
	RUN(ranks);
	RUN(scale);
	RUN(empty_items);
	RUN(stems);
	RUN(modes);
	RUN(own_modes);
	return TEST_END();
}
