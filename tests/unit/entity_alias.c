#include "test.h"

#include "entity/alias.h"
#include "entity/gazetteer.h"

static void
collect(void *arg, struct ctx_span alias, enum ctx_made where)
{
	struct ctx_buf *b = arg;

	ctx_buf_adds(b, b->n ? "|" : "");
	ctx_buf_addspan(b, alias);
	ctx_buf_adds(b, where == CTX_MADE_WHOLE      ? "!"
			: where == CTX_MADE_CAPITALS ? "^"
						     : "");
}

static void
expect(const char *name, const char *type, const char *want)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_adds(&b, "");
	ctx_alias_generate(ctx_span_of(name), ctx_span_of(type), collect, &b);
	CHECK_STR(b.p, want);
	ctx_buf_release(&b);
}

static void
known_aliases(void)
{
	expect("Task Management", "workflow",
	    "task-management|task_management|taskmanagement|task management workflow|"
	    "task managements|task workflow|my task");
	expect("invoiceApproval", NULL,
	    "invoice approval|invoice-approval|invoice_approval|invoice approvals");
	expect("The Weekly Sales Report", "workflow",
	    "weekly sales "
	    "report|weekly-sales-report|weekly_sales_report|weeklysalesreport|"
	    "weekly sales report workflow|weekly sales reports|weekly sales workflow|"
	    "my weekly sales|weekly sales|wsr^");
	expect("Access Policies", "power_port",
	    "access-policies|access_policies|accesspolicies|access policies power port|"
	    "access policy|access power port");
	expect("Automated Network Discovery", NULL,
	    "automated-network-discovery|automated_network_discovery|"
	    "automatednetworkdiscovery|automated network discoveries");
	expect("Backup", "workflow", "backup workflow");
	expect("Current Account", "workflow",
	    "current-account|current_account|currentaccount|current account workflow|"
	    "current accounts");
	expect("Main Street", "site",
	    "main-street|main_street|mainstreet|main street site|main streets");
	expect("feed-a", "power_feed", "feed!|feed power feed");
	expect("Übergabe Prozess", NULL,
	    "u\xcc\x88"
	    "bergabe-prozess|u\xcc\x88"
	    "bergabe_prozess|u\xcc\x88"
	    "bergabeprozess|u\xcc\x88"
	    "bergabe prozesses");
}

static void
no_aliases(void)
{
	static const char *const names[] = {"", " ", "sw-core-01", "10.0.0.1",
	    "/etc/hosts", "a@b.org", "a b c d e f g h i", "-", "the"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(names[i], NULL, "");
}

struct loader {
	struct ctx_gazetteer_builder *b;
	uint64_t id;
};

static void
load(void *arg, struct ctx_span alias, enum ctx_made where)
{
	struct loader *l = arg;

	ctx_gazetteer_builder_add_made(l->b, alias, l->id, where);
}

static void
alias_in_a_sentence(void)
{
	static const char *const names[] = {"Task Management", "Invoice Approval"};
	static const struct {
		const char *text;
		uint64_t id;
	} asked[] = {{"update my task workflow", 1}, {"Is the Task-Management done?", 1},
	    {"run invoice approvals", 2}, {"the task is late", 0}, {"open my task", 1},
	    {"multitask workflow", 0}};
	struct ctx_buf block = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	struct ctx_gazetteer g;
	struct loader l = {ctx_gazetteer_builder_new(), 0};

	for (size_t i = 0; i < 2; i++) {
		l.id = i + 1;
		ctx_gazetteer_builder_add(l.b, ctx_span_of(names[i]), l.id);
		ctx_alias_generate(
		    ctx_span_of(names[i]), ctx_span_of("workflow"), load, &l);
	}
	CHECK(ctx_gazetteer_build(l.b, &block, &err) == 0);
	CHECK(ctx_gazetteer_open(&g, block.p, block.n, &err) == 0);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		ctx_mentions_reset(&m);
		ctx_gazetteer_scan(&g, ctx_span_of(asked[i].text), &m);
		CHECK_INT(m.n == 1 ? m.list[0].id : 0, asked[i].id);
	}
	ctx_mentions_release(&m);
	ctx_gazetteer_builder_free(l.b);
	ctx_buf_release(&block);
}

/* Whatever the name: bounded, distinct, none the name itself. */
static void
any_name(void)
{
	static const char *const parts[] = {"a", "the", "Task", "management", "-", "_",
	    " ", "S", "é", "report", "ss", "policy", "1", ".", "workflow", "\xff"};
	uint64_t state = 7;

	for (int round = 0; round < 5000; round++) {
		struct ctx_buf name = CTX_BUF_INIT, out = CTX_BUF_INIT;
		size_t n, bars = 0;

		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		for (uint64_t r = state; r > 0xffffffff; r >>= 4)
			ctx_buf_adds(&name, parts[r & 15]);
		ctx_buf_adds(&out, "");
		n = ctx_alias_generate(
		    ctx_buf_span(&name), ctx_span_of("workflow"), collect, &out);
		for (size_t i = 0; i < out.n; i++)
			bars += out.p[i] == '|';
		CHECK(n <= CTX_ALIAS_MAX && (n == 0 ? out.n == 0 : bars == n - 1));
		ctx_buf_release(&name);
		ctx_buf_release(&out);
	}
}

int
main(void)
{
	RUN(known_aliases);
	RUN(no_aliases);
	RUN(alias_in_a_sentence);
	RUN(any_name);
	return TEST_END();
}
