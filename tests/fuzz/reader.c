/* Fuzz target for reading lines and joining them to windows. The first byte says how a
 * writer cuts its output into writes: whatever that is, lines, numbers of lines, errors
 * and windows are the same. */
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

#include "record/reader.h"
#include "record/stream.h"

#define LONGEST 512

struct result {
	struct ctx_buf log; /* all that was seen */
	struct ctx_stream stream;
	bool ended;
};

static void
use_window(struct result *r)
{
	bool *gone = calloc(r->stream.n + 1, 1);

	ctx_buf_addf(&r->log, "window %zu %zu %d\n", r->stream.n, r->stream.request,
	    r->stream.window);
	MUST(r->stream.request <= r->stream.n);
	for (size_t i = 0; i < r->stream.n; i++) {
		MUST(r->stream.records[i].line.n > 0);
		gone[i] = i % 2;
	}
	if (!r->stream.window)
		ctx_stream_forget(&r->stream, gone);
	for (size_t i = 0; i < r->stream.n; i++) {
		ctx_buf_addspan(&r->log, r->stream.records[i].line);
		ctx_buf_addc(&r->log, '\n');
	}
	ctx_stream_reset(&r->stream);
	free(gone);
}

/* Take one line: false when there is none now. */
static bool
take(struct result *r, struct ctx_reader *reader)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span line;
	int rc = ctx_reader_next(reader, &line, &err);

	if (rc == 0) {
		r->ended = true;
		return false;
	}
	if (rc > 0) {
		MUST(line.n > 0 && line.n <= LONGEST);
		MUST(memchr(line.p, '\n', line.n) == NULL);
		rc = ctx_stream_add(&r->stream, line, &err);
	}
	ctx_buf_addf(
	    &r->log, "%ld %d %s\n", ctx_reader_line(reader), rc, rc < 0 ? err.msg : "");
	if (rc > 0)
		use_window(r);
	return true;
}

/* Writes of at most cut bytes; what is ready is read between them. */
static void
read_pieces(struct result *r, const uint8_t *data, size_t n, size_t cut)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_reader *reader;
	int fd[2];

	memset(r, 0, sizeof(*r));
	MUST(pipe(fd) == 0);
	reader = ctx_reader_new(fd[0], "in", LONGEST);
	for (size_t len; n > 0; data += len, n -= len) {
		len = n < cut ? n : cut;
		MUST(write(fd[1], data, len) == (ssize_t)len);
		while (ctx_reader_ready(reader))
			MUST(take(r, reader));
	}
	close(fd[1]);
	while (take(r, reader))
		;
	MUST(ctx_reader_ended(reader));
	ctx_buf_addf(&r->log, "end %d %s\n", ctx_stream_end(&r->stream, &err), err.msg);
	ctx_reader_free(reader);
	ctx_stream_release(&r->stream);
	close(fd[0]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct result whole, cut;

	if (n < 1 || n > 32768)
		return 0;
	read_pieces(&whole, data + 1, n - 1, 32768);
	read_pieces(&cut, data + 1, n - 1, 1 + data[0]);
	MUST(ctx_span_eq(ctx_buf_span(&whole.log), ctx_buf_span(&cut.log)));
	ctx_buf_release(&whole.log);
	ctx_buf_release(&cut.log);
	return 0;
}
