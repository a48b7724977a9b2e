#include "store/check.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"
#include "base/time.h"
#include "store/stmt.h"

#define TIME_BYTES 64

static void
put_task_path(struct ctx_buf *path, const struct ctx_store *st, const char *task)
{
	ctx_buf_addf(path, "%s-last-%s", st->db.path, task);
}

void
ctx_store_task_done(struct ctx_store *st, const char *task, int64_t now)
{
	struct ctx_buf path = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	char text[CTX_TIME_LEN + 1];
	int fd;

	put_task_path(&path, st, task);
	ctx_time_format(now, text);
	fd = ctx_io_open_beside(path.p, st->db.path);
	if (fd >= 0 && ftruncate(fd, 0) == 0)
		ctx_io_write(fd, text, CTX_TIME_LEN, path.p, &ignored);
	if (fd >= 0)
		close(fd);
	ctx_buf_release(&path);
}

int64_t
ctx_store_task_time(struct ctx_store *st, const char *task)
{
	struct ctx_buf path = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	char text[TIME_BYTES] = "";
	int64_t at;
	long n = -1;
	int fd;

	put_task_path(&path, st, task);
	fd = open(path.p, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		n = ctx_io_read(fd, text, sizeof(text));
		close(fd);
	}
	ctx_buf_release(&path);
	if (n <= 0 || ctx_time_parse(ctx_span_trim((struct ctx_span){text, (size_t)n}),
			  &at, &ignored) < 0)
		return -1;
	return at / 1000;
}
