/* ctx-import: handles crashes. libjq aborts or crashes on some calls in a format's
 * program (a time in an impossible year, an empty match in non-ASCII text). Converted
 * records are then printed, and the record that caused the crash is reported; nothing
 * else can be rescued. */
#include "import.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

static volatile sig_atomic_t running;
static const char *file;
static int64_t line, no;

/* This function and the signal handler use only async-signal-safe functions (POSIX). */

static void
write_crash_bytes(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t did = write(fd, p, n);
		if (did <= 0)
			return;
		p += did;
		n -= (size_t)did;
	}
}

static void
write_crash_text(const char *s)
{
	for (size_t left = strlen(s), n; left > 0; s += n, left -= n) {
		uint32_t c = 0;
		bool text = (n = ctx_utf8_decode(s, left, &c)) > 0;
		n = text ? n : 1;
		text = text && c >= 0x20 && (c < 0x7f || c >= 0xa0);
		write_crash_bytes(STDERR_FILENO, text ? s : "?", text ? n : 1);
	}
}

static void
say_number(int64_t n)
{
	char text[24], *p = text + sizeof(text);

	*--p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	write_crash_text(p);
}

static void
handle_import_crash(int sig)
{
	struct ctx_span out = ctx_buf_span(&cli_out.buf);

	if (!running) { /* the crash is our own: use the default handling */
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	while (out.n > 0 && out.p[out.n - 1] != '\n')
		out.n--;
	write_crash_bytes(STDOUT_FILENO, out.p, out.n);
	write_crash_text("ctx-import: ");
	write_crash_text(file);
	if (line > 0) {
		write_crash_text(":");
		say_number(line);
	}
	if (no != line) {
		write_crash_text(": record ");
		say_number(no);
	}
	write_crash_text(": the format's jq program crashed, so the import stopped");
	write_crash_bytes(STDERR_FILENO, "\n", 1);
	_exit(3);
}

/* Uses a separate stack, because the process's stack may have overflowed. */
static void
catch_crashes(void)
{
	static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	static char stack[1 << 16];
	stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction act;

	memset(&act, 0, sizeof(act));
	act.sa_handler = handle_import_crash;
	act.sa_flags = sigaltstack(&own, NULL) == 0 ? SA_ONSTACK : 0;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &act, NULL);
}

void
guard(const char *name, int64_t at_line, int64_t at_no)
{
	static bool caught;

	if (!caught)
		catch_crashes();
	caught = true;
	file = name;
	line = at_line;
	no = at_no;
	running = 1;
}

void
guard_end(void)
{
	running = 0;
}
