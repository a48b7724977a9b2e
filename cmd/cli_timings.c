/* --verbose: prints the time that each phase of a run took. */
#include "cli.h"

#include "base/buf.h"
#include "base/time.h"

static struct {
	int64_t us, count;
} phases[CLI_PHASE_N];

static struct ctx_store_times store_times;
static int64_t started;

void
cli_timings_start(void)
{
	if (!cli_common.verbose)
		started = ctx_time_monotonic_us();
	cli_common.verbose = true;
}

int64_t
cli_phase_begin(void)
{
	return cli_common.verbose ? ctx_time_monotonic_us() : 0;
}

void
cli_phase_end(enum cli_phase phase, int64_t begun)
{
	if (!cli_common.verbose)
		return;
	phases[phase].us += ctx_time_monotonic_us() - begun;
	phases[phase].count++;
}

struct ctx_store_times *
cli_store_times(void)
{
	return cli_common.verbose ? &store_times : NULL;
}

static void
add_phase(struct ctx_buf *b, const char *name, int64_t us, int64_t count)
{
	if (count == 0)
		return;
	ctx_buf_addf(
	    b, "%lld.%03lld ms %s", (long long)us / 1000, (long long)us % 1000, name);
	if (count > 1)
		ctx_buf_addf(b, " (%lld)", (long long)count);
	ctx_buf_adds(b, ", ");
}

void
cli_timings_print(void)
{
	static const char *const names[CLI_PHASE_N] = {
	    "settings", "open", "input", "output"};
	struct ctx_buf b = CTX_BUF_INIT;
	int64_t total;

	if (!cli_common.verbose)
		return;
	total = ctx_time_monotonic_us() - started;
	for (int i = 0; i < CLI_PHASE_OUTPUT; i++)
		add_phase(&b, names[i], phases[i].us, phases[i].count);
	add_phase(&b, "wait", store_times.wait_us, store_times.begun);
	add_phase(&b, "commit", store_times.commit_us, store_times.committed);
	add_phase(&b, names[CLI_PHASE_OUTPUT], phases[CLI_PHASE_OUTPUT].us,
	    phases[CLI_PHASE_OUTPUT].count);
	if (store_times.recounted > 0)
		ctx_buf_addf(&b, "%lld message%s recounted, ",
		    (long long)store_times.recounted, CTX_PLURAL(store_times.recounted));
	add_phase(&b, "total", total, 1);
	cli_warn("%.*s", (int)b.n - 2, b.p);
	ctx_buf_release(&b);
}
