/* Progress of long work, on stderr. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/time.h"
#include "term/term.h"

#define FIRST_MS 1000 /* work that is over before has no line */
#define NEXT_MS 200   /* between two lines */
#define WIPE "\r\033[K"

static struct {
	const char *what;     /* NULL: nothing is under way */
	int64_t done, total;  /* total < 0: not known */
	int64_t begun, shown; /* ms; shown 0: no line yet */
	bool visible;         /* the line is there now */
} progress;

/* How long work takes before it has a line; below 0: it has none. */
static int64_t
find_delay(void)
{
	const char *set = getenv("CTX_PROGRESS");
	struct ctx_err ignored;
	int64_t ms;

	if (cli_common.quiet || !isatty(STDERR_FILENO))
		return -1;
	if (set == NULL || *set == '\0')
		return FIRST_MS;
	if (ctx_time_parse_duration(ctx_span_of(set), &ms, &ignored) < 0)
		return -1;
	return ms;
}

static void
put_span(struct ctx_buf *line, int64_t s)
{
	if (s < 90)
		ctx_buf_addf(line, "%lld s", (long long)s);
	else if (s < 5400)
		ctx_buf_addf(line, "%lld min", (long long)((s + 30) / 60));
	else
		ctx_buf_addf(line, "%.1f h", (double)s / 3600);
}

static void
show_progress(int64_t now)
{
	struct ctx_buf line = CTX_BUF_INIT;
	struct ctx_err ignored;
	int64_t ms = now - progress.begun;
	double rate = ms > 0 ? (double)progress.done * 1000 / (double)ms : 0;

	ctx_buf_addf(&line, "%s%s: ", WIPE, cli_program());
	ctx_term_count(&line, progress.done);
	if (progress.total >= 0) {
		ctx_buf_adds(&line, " of ");
		ctx_term_count(&line, progress.total);
	}
	ctx_buf_addf(&line, " %s", progress.what);
	if (rate >= 1) {
		ctx_buf_adds(&line, ", ");
		ctx_term_count(&line, (int64_t)rate);
		ctx_buf_adds(&line, "/s");
	}
	if (progress.total > progress.done && rate > 0) {
		ctx_buf_adds(&line, ", ");
		put_span(&line,
		    (int64_t)((double)(progress.total - progress.done) / rate) + 1);
		ctx_buf_adds(&line, " left");
	}
	ctx_io_write(STDERR_FILENO, line.p, line.n, "stderr", &ignored);
	ctx_buf_release(&line);
	progress.shown = now;
	progress.visible = true;
}

void
cli_progress_begin(int64_t total, const char *what)
{
	cli_progress_end();
	progress.what = what;
	progress.total = total;
	progress.begun = ctx_time_monotonic();
}

void
cli_progress(int64_t more, const char *what)
{
	static int64_t delay = INT64_MIN;
	int64_t now;

	if (delay == INT64_MIN)
		delay = find_delay();
	if (delay < 0)
		return;
	if (progress.what == NULL || strcmp(progress.what, what) != 0)
		cli_progress_begin(-1, what);
	progress.done += more;
	now = ctx_time_monotonic();
	if (now - progress.begun >= delay &&
	    (progress.shown == 0 || now - progress.shown >= NEXT_MS))
		show_progress(now);
}

void
cli_progress_wipe(void)
{
	struct ctx_err ignored;

	if (progress.visible)
		ctx_io_write(STDERR_FILENO, WIPE, sizeof(WIPE) - 1, "stderr", &ignored);
	progress.visible = false;
}

void
cli_progress_end(void)
{
	cli_progress_wipe();
	memset(&progress, 0, sizeof(progress));
	progress.total = -1;
}
