/* Worker processes that share the work of a command. Each has its own store and
 * connections. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

struct worker {
	pid_t pid;
	int fd;
	struct ctx_reader *reader;
	void *tag;
	bool busy;
};

struct cli_jobs {
	struct worker *workers;
	int n;
	cli_done_fn *done;
	void *arg;
};

static void
work_until_end(int fd, cli_work_fn *work, void *arg)
{
	struct ctx_reader *r = ctx_reader_new(fd, "jobs", CTX_READER_MAX);
	struct ctx_buf result = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span job;

	while (ctx_reader_next(r, &job, &err) == 1) {
		ctx_buf_reset(&result);
		work(arg, job, &result);
		ctx_buf_addc(&result, '\n');
		if (ctx_io_write(fd, result.p, result.n, "the result", &err) < 0)
			break;
	}
	_exit(0);
}

int
cli_jobs_start(struct cli_jobs **out, int n, cli_work_fn *work, cli_done_fn *done,
    void *arg, struct ctx_err *err)
{
	struct cli_jobs *j = ctx_mem_new(sizeof(*j));
	int pair[2];

	*out = j;
	j->done = done;
	j->arg = arg;
	j->workers = ctx_mem_new((size_t)n * sizeof(*j->workers));
	for (; j->n < n; j->n++) {
		struct worker *w = &j->workers[j->n];
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
			return ctx_err_sys(
			    err, CTX_EIO, errno, "cannot start a worker process");
		w->pid = fork();
		if (w->pid < 0) {
			close(pair[0]);
			close(pair[1]);
			return ctx_err_sys(
			    err, CTX_EIO, errno, "cannot start a worker process");
		}
		if (w->pid == 0) {
			for (int i = 0; i < j->n; i++)
				/* otherwise the other workers would never see end of
				 * file */
				close(j->workers[i].fd);
			close(pair[0]);
			work_until_end(pair[1], work, arg);
		}
		close(pair[1]);
		w->fd = pair[0];
		w->reader = ctx_reader_new(w->fd, "worker", CTX_READER_MAX);
	}
	return 0;
}

static int
finish_worker_job(struct cli_jobs *j, struct worker *w, struct ctx_err *err)
{
	struct ctx_span result = CTX_SPAN_NONE;
	struct ctx_err ignored = CTX_ERR_INIT;

	if (ctx_reader_next(w->reader, &result, &ignored) != 1)
		result = CTX_SPAN_NONE;
	w->busy = false;
	return j->done(j->arg, w->tag, result, err);
}

/* Waits until a worker has a result, and processes all results that are available. */
static int
collect_worker_results(struct cli_jobs *j, struct ctx_err *err)
{
	struct pollfd fds[64];
	int rc = 0;

	for (int i = 0; i < j->n; i++)
		fds[i] = (struct pollfd){
		    .fd = j->workers[i].busy ? j->workers[i].fd : -1, .events = POLLIN};
	if (poll(fds, (nfds_t)j->n, -1) < 0)
		return errno == EINTR ? 0
				      : ctx_err_sys(err, CTX_EIO, errno,
					    "cannot wait for worker processes");
	for (int i = 0; rc == 0 && i < j->n; i++)
		if (fds[i].fd >= 0 && fds[i].revents != 0)
			rc = finish_worker_job(j, &j->workers[i], err);
	return rc;
}

int
cli_jobs_put(struct cli_jobs *j, struct ctx_span job, void *tag, struct ctx_err *err)
{
	struct ctx_buf line = CTX_BUF_INIT;
	struct worker *w = NULL;
	int rc = 0;

	while (rc == 0 && w == NULL) {
		for (int i = 0; w == NULL && i < j->n; i++)
			if (!j->workers[i].busy)
				w = &j->workers[i];
		if (w == NULL)
			rc = collect_worker_results(j, err);
	}
	if (w == NULL) {
		struct ctx_err ignored = CTX_ERR_INIT;
		j->done(j->arg, tag, CTX_SPAN_NONE, &ignored);
		return -1;
	}
	w->tag = tag;
	w->busy = true;
	ctx_buf_addspan(&line, job);
	ctx_buf_addc(&line, '\n');
	rc = ctx_io_write(w->fd, line.p, line.n, "a worker", err);
	ctx_buf_release(&line);
	return rc;
}

int
cli_jobs_wait(struct cli_jobs *j, struct ctx_err *err)
{
	for (;;) {
		bool busy = false;
		for (int i = 0; i < j->n; i++)
			busy |= j->workers[i].busy;
		if (!busy)
			return 0;
		if (collect_worker_results(j, err) < 0)
			return -1;
	}
}

void
cli_jobs_end(struct cli_jobs *j)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	if (j == NULL)
		return;
	for (int i = 0; i < j->n; i++) {
		struct worker *w = &j->workers[i];
		close(w->fd);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		if (w->busy)
			j->done(j->arg, w->tag, CTX_SPAN_NONE, &ignored);
		ctx_reader_free(w->reader);
	}
	free(j->workers);
	free(j);
}
