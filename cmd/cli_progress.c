/* Shows the progress of long work on stderr. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/time.h"
#include "term/term.h"

#define FIRST_MS 1000 /* shorter work shows no progress line */
#define NEXT_MS 200   /* time between two updates of the line */
#define INNER_MS 1000 /* other work must have paused for this long */
#define WIPE "\r\033[K"

/* The input files: the number of the current one, and its descriptor. argc is 0 if there
 * are none. */
struct files {
	int argc, at, fd;
	char **argv;
};

static struct {
	const char *what;    /* NULL: no work is in progress */
	int64_t done, total; /* total < 0: unknown */
	double part;         /* share of the work that is done; < 0: unknown */
	struct files files;
	int64_t begun, counted, shown; /* in ms; shown is 0 before the first line */
	bool visible;                  /* the line is on the screen now */
} progress = {.total = -1, .part = -1};

static bool with_quiet;

void
cli_progress_with_quiet(void)
{
	with_quiet = true;
}

/* Returns how long work must take before the line is shown, in ms; < 0: never. */
static int64_t
find_delay(void)
{
	const char *set = getenv("CTX_PROGRESS");
	int64_t ms;

	if ((cli_common.quiet && !with_quiet) || !isatty(STDERR_FILENO))
		return -1;
	if (set == NULL || *set == '\0')
		return FIRST_MS;
	if (ctx_time_parse_duration(ctx_span_of(set), &ms, NULL) < 0)
		return -1;
	return ms;
}

/* Returns the share of the files that was read, from 0 to 1; -1 if some are not regular
 * files. */
static double
find_part_read(const struct files *f)
{
	int64_t total = 0, done = 0;
	struct stat st;

	for (int i = 0; i < f->argc; i++) {
		bool std = strcmp(f->argv[i], "-") == 0;
		if ((std ? fstat(STDIN_FILENO, &st) : stat(f->argv[i], &st)) < 0 ||
		    !S_ISREG(st.st_mode))
			return -1;
		total += st.st_size;
		done += i < f->at ? st.st_size : 0;
	}
	done += lseek(f->fd, 0, SEEK_CUR);
	return total > 0 ? (double)done / (double)total : -1;
}

static void
write_time_left(struct ctx_buf *line, int64_t s)
{
	if (s < 90)
		ctx_buf_addf(line, "%lld s", (long long)s);
	else if (s < 5400)
		ctx_buf_addf(line, "%lld min", (long long)((s + 30) / 60));
	else
		ctx_buf_addf(line, "%.1f h", (double)s / 3600);
}

/* Appends the unit, such as "sessions" or, for one item, "session". The noun is the first
 * word of progress.what. */
static void
write_unit(struct ctx_buf *line, bool one)
{
	size_t noun = strcspn(progress.what, " ");

	ctx_buf_addc(line, ' ');
	ctx_buf_add(line, progress.what,
	    one && noun > 1 && progress.what[noun - 1] == 's' ? noun - 1 : noun);
	ctx_buf_adds(line, progress.what + noun);
}

static void
show_progress(int64_t now)
{
	struct ctx_buf line = CTX_BUF_INIT;
	int64_t ms = now - progress.begun;
	double rate = ms > 0 ? (double)progress.done * 1000 / (double)ms : 0;
	double part = progress.total > 0 ? (double)progress.done / (double)progress.total
					 : progress.part;

	if (progress.files.argc > 0) {
		part = find_part_read(&progress.files);
		if (part < 0) /* input from a pipe: its writer shows progress */
			return;
	}
	ctx_buf_addf(&line, "%s%s: ", WIPE, cli_program());
	ctx_term_count(&line, progress.done);
	if (progress.total >= 0) {
		ctx_buf_adds(&line, " of ");
		ctx_term_count(&line, progress.total);
	}
	write_unit(&line, progress.done == 1 && progress.total < 0);
	if (progress.total < 0 && part >= 0)
		ctx_buf_addf(&line, ", %d %%", (int)(part * 100));
	if (rate >= 1) {
		ctx_buf_adds(&line, ", ");
		ctx_term_count(&line, (int64_t)rate);
		ctx_buf_adds(&line, "/s");
	}
	if (part > 0 && part < 1) {
		ctx_buf_adds(&line, ", ");
		write_time_left(
		    &line, (int64_t)((double)ms * (1 - part) / part / 1000) + 1);
		ctx_buf_adds(&line, " left");
	}
	ctx_io_write(STDERR_FILENO, line.p, line.n, "stderr", NULL);
	ctx_buf_release(&line);
	progress.shown = now;
	progress.visible = true;
}

static int64_t
read_delay(void)
{
	static int64_t delay = INT64_MIN;

	if (delay == INT64_MIN)
		delay = find_delay();
	return delay;
}

bool
cli_progress_wanted(void)
{
	return read_delay() >= 0;
}

void
cli_progress_begin(int64_t total, const char *what)
{
	cli_progress_end();
	progress.what = what;
	progress.total = total;
	progress.begun = progress.counted = ctx_time_monotonic();
}

void
cli_progress_part(double part)
{
	progress.part = part;
}

void
cli_progress_files(int argc, char **argv, int at, int fd)
{
	progress.files = (struct files){argc, at, fd, argv};
}

/* Returns whether other work is in progress, which this work is part of and must not
 * interrupt. */
static bool
is_other_work(const char *what, int64_t now)
{
	return progress.what != NULL && strcmp(progress.what, what) != 0 &&
	       now - progress.counted < INNER_MS;
}

void
cli_progress(int64_t more, const char *what)
{
	struct files files = progress.files;
	double part = progress.part;
	int64_t delay = read_delay(), now;

	if (delay < 0)
		return;
	now = ctx_time_monotonic();
	if (is_other_work(what, now))
		return;
	if (progress.what == NULL || strcmp(progress.what, what) != 0) {
		cli_progress_begin(-1, what);
		progress.files = files;
		progress.part = part;
	}
	progress.done += more;
	progress.counted = now;
	if (now - progress.begun >= delay &&
	    (progress.shown == 0 || now - progress.shown >= NEXT_MS))
		show_progress(now);
}

void
cli_progress_store(int64_t more, const char *what, double part)
{
	if (progress.what == NULL || strcmp(progress.what, what) == 0)
		cli_progress_part(part);
	cli_progress(more, what);
}

void
cli_progress_line(void)
{
	if (progress.files.argc > 0 && read_delay() >= 0)
		cli_progress(1, "lines");
}

void
cli_progress_wipe(void)
{
	if (progress.visible)
		ctx_io_write(STDERR_FILENO, WIPE, sizeof(WIPE) - 1, "stderr", NULL);
	progress.visible = false;
}

void
cli_progress_end(void)
{
	cli_progress_wipe();
	memset(&progress, 0, sizeof(progress));
	progress.total = -1;
	progress.part = -1;
}
