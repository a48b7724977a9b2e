/* usage: race ROUNDS [NAME COMMAND]…
 * Runs all commands ROUNDS times. The order changes from round to round, so that no command
 * always runs after the same other command. Prints for each command, separated by tabs:
 * NAME, median wall time, median of user and system time together (both in milliseconds),
 * and peak memory (MiB). A COMMAND consists of words; a word with spaces is quoted by '…'.
 * "<FILE" names the standard input, which is otherwise empty. If NAME begins with "!",
 * COMMAND is run before the next command and not measured. Output goes to /dev/null. If a
 * command fails, race ends. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 64

extern char **environ;

struct runner {
	const char *name;
	char *words[WORDS_MAX + 1];
	const char *input;
	double *wall, *cpu;
	long peak;
};

static void
die(const char *what, const char *name)
{
	fprintf(stderr, "race: %s: %s\n", what, name);
	exit(1);
}

static void
split(struct runner *r, char *p)
{
	size_t n = 0;

	r->input = "/dev/null";
	while (*p != '\0') {
		char quote = ' ', *word;
		if (*p == ' ') {
			p++;
			continue;
		}
		if (*p == '\'')
			quote = *p++;
		word = p;
		while (*p != '\0' && *p != quote)
			p++;
		if (*p != '\0')
			*p++ = '\0';
		if (quote == ' ' && *word == '<')
			r->input = word + 1;
		else if (n < WORDS_MAX)
			r->words[n++] = word;
		else
			die("too many words", r->name);
	}
	if (n == 0)
		die("empty command", r->name);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double
ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static void
run(struct runner *r, int round)
{
	posix_spawn_file_actions_t files;
	struct rusage used;
	double start;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, r->input, O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	start = now();
	if (posix_spawnp(&pid, r->words[0], &files, NULL, r->words, environ) != 0 ||
	    wait4(pid, &status, 0, &used) < 0)
		die("cannot run", r->words[0]);
	r->wall[round] = now() - start;
	r->cpu[round] = ms(used.ru_utime) + ms(used.ru_stime);
	if (used.ru_maxrss > r->peak)
		r->peak = used.ru_maxrss;
	if (status != 0)
		die("failed", r->name);
	posix_spawn_file_actions_destroy(&files);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_value);
	return n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Shuffles the n numbers in order. */
static void
shuffle(int *order, int n)
{
	static uint32_t state = 1;

	for (int i = n; i > 1; i--) {
		int other, kept = order[i - 1];
		state = state * 1664525 + 1013904223;
		other = (int)((uint64_t)state * (uint64_t)i >> 32);
		order[i - 1] = order[other];
		order[other] = kept;
	}
}

/* Runs a measured command, and before it the unmeasured commands that precede it. */
static void
run_with_untimed(struct runner *list, int timed, int round)
{
	int first = timed;

	while (first > 0 && list[first - 1].name[0] == '!')
		first--;
	for (int i = first; i <= timed; i++)
		run(&list[i], round);
}

int
main(int argc, char **argv)
{
	struct runner *list;
	int rounds, n = (argc - 2) / 2, n_timed = 0, *order;

	if (argc < 4 || argc % 2 != 0 || (rounds = atoi(argv[1])) < 1) {
		fprintf(stderr, "usage: race ROUNDS [NAME COMMAND]...\n");
		return 2;
	}
	list = calloc((size_t)n, sizeof(*list));
	order = calloc((size_t)n, sizeof(*order));
	for (int i = 0; i < n; i++) {
		list[i].name = argv[2 + 2 * i];
		list[i].wall = calloc((size_t)rounds, sizeof(double));
		list[i].cpu = calloc((size_t)rounds, sizeof(double));
		split(&list[i], argv[3 + 2 * i]);
		if (list[i].name[0] != '!')
			order[n_timed++] = i;
	}
	for (int round = 0; round < rounds; round++) {
		shuffle(order, n_timed);
		for (int i = 0; i < n_timed; i++)
			run_with_untimed(list, order[i], round);
	}
	for (int i = 0; i < n; i++)
		if (list[i].name[0] != '!')
			printf("%s\t%.3f\t%.3f\t%.1f\n", list[i].name,
			    median(list[i].wall, rounds), median(list[i].cpu, rounds),
			    (double)list[i].peak / 1024);
	return 0;
}
