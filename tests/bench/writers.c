/* usage: writers N SECONDS COMMAND [ARGUMENT]…
 * Runs N processes of the command at the same time, as fast as they can write. Each process
 * gets a message on its standard input, and the next message after it has acknowledged the
 * previous one by a line on its standard output. Prints, separated by tabs: messages per
 * second, the longest wait for an acknowledgement in milliseconds, and the number of
 * processes that failed. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WRITERS_MAX 64

static const char message[] =
    "{\"role\":\"user\",\"content\":\"the deployment of service 42 "
    "failed and was restarted after a timeout in region eu-west-1, please look at "
    "it\"}\n";

struct writer {
	pid_t pid;
	int to, from;
	double sent;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
start(struct writer *w, char **argv)
{
	int in[2], out[2];

	if (pipe(in) < 0 || pipe(out) < 0 || (w->pid = fork()) < 0) {
		perror("writers");
		exit(1);
	}
	if (w->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		for (int fd = 3; fd < 3 + 4 * WRITERS_MAX; fd++)
			close(fd);
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	w->to = in[1];
	w->from = out[0];
}

static void
send_one(struct writer *w)
{
	w->sent = now();
	if (write(w->to, message, sizeof(message) - 1) < 0)
		perror("writers");
}

/* Read an acknowledgement: is it whole? */
static int
acknowledged(struct writer *w)
{
	char buf[65536];
	ssize_t n = read(w->from, buf, sizeof(buf));

	if (n <= 0) {
		close(w->from);
		w->from = -1;
		return 0;
	}
	return memchr(buf, '\n', (size_t)n) != NULL;
}

int
main(int argc, char **argv)
{
	struct writer w[WRITERS_MAX];
	struct pollfd p[WRITERS_MAX];
	double begin, end, longest = 0;
	long done = 0;
	int n, failed = 0;

	if (argc < 4 || (n = atoi(argv[1])) < 1 || n > WRITERS_MAX) {
		fprintf(stderr, "usage: writers N SECONDS COMMAND [ARGUMENT]...\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < n; i++)
		start(&w[i], argv + 3);
	begin = now();
	end = begin + atof(argv[2]) * 1e3;
	for (int i = 0; i < n; i++)
		send_one(&w[i]);
	while (now() < end) {
		for (int i = 0; i < n; i++)
			p[i] = (struct pollfd){w[i].from, POLLIN, 0};
		if (poll(p, (nfds_t)n, 100) < 0)
			break;
		for (int i = 0; i < n; i++) {
			double waited = now() - w[i].sent;
			if (w[i].from >= 0 && waited > longest)
				longest = waited;
			if (p[i].revents == 0 || !acknowledged(&w[i]))
				continue;
			done++;
			send_one(&w[i]);
		}
	}
	begin = now() - begin;
	for (int i = 0; i < n; i++) {
		int status;
		close(w[i].to);
		if (waitpid(w[i].pid, &status, 0) < 0 || status != 0)
			failed++;
	}
	printf("%.0f\t%.1f\t%d\n", (double)done / begin * 1e3, longest, failed);
	return 0;
}
