/* Drives archive/s3 and archive/blob from the shell, for tests/s3.bats. Settings come from
 * the environment: S3_BUCKET, S3_PREFIX, S3_ATTEMPTS, S3_STALL, S3_PAGE, S3_STYLE,
 * S3_THREADS, AWS_*; S3_DIR for a directory instead. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/aws.h"
#include "archive/blob.h"
#include "archive/s3.h"
#include "base/io.h"
#include "base/time.h"

static const char *
env(const char *name)
{
	const char *v = getenv(name);

	return v != NULL && v[0] != '\0' ? v : NULL;
}

static int
env_int(const char *name)
{
	return env(name) == NULL ? 0 : atoi(env(name));
}

static int
open_blobs(struct ctx_blobs **blobs, struct ctx_err *err)
{
	struct ctx_s3_options o = {
	    .bucket = env("S3_BUCKET"),
	    .prefix = env("S3_PREFIX"),
	    .region = env("AWS_REGION"),
	    .endpoint = env("AWS_ENDPOINT_URL"),
	    .addressing = env("S3_STYLE"),
	    .access_key = env("AWS_ACCESS_KEY_ID"),
	    .secret_key = env("AWS_SECRET_ACCESS_KEY"),
	    .session_token = env("AWS_SESSION_TOKEN"),
	    .http = {env("AWS_CA_BUNDLE"), 2000, env_int("S3_STALL")},
	    .attempts = env_int("S3_ATTEMPTS"),
	    .pause_ms = 5,
	    .list_page = env_int("S3_PAGE"),
	};

	if (env("S3_DIR") != NULL)
		return ctx_blobs_open_dir(blobs, env("S3_DIR"), true, err);
	return ctx_blobs_open_s3(blobs, &o, err);
}

/* then: 0 commit; 1 abort; 2 die, as if killed */
static int
put(struct ctx_blobs *blobs, const char *name, bool exclusive, int then,
    struct ctx_err *err)
{
	static char piece[100000];
	struct ctx_blob_put *p;
	long n;

	if (ctx_blob_put_open(blobs, name, exclusive, &p, err) < 0)
		return -1;
	while ((n = ctx_io_read(STDIN_FILENO, piece, sizeof(piece))) > 0)
		if (ctx_blob_put_write(p, piece, (size_t)n, err) < 0) {
			ctx_blob_put_abort(p);
			return -1;
		}
	if (then == 2)
		_exit(9);
	if (then == 1) {
		ctx_blob_put_abort(p);
		return 0;
	}
	return ctx_blob_put_commit(p, err);
}

static int
get(struct ctx_blobs *blobs, const char *name, struct ctx_err *err)
{
	static char piece[100000];
	struct ctx_blob_get *g;
	int rc = ctx_blob_get_open(blobs, name, &g, err);
	long n;

	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	while ((n = ctx_blob_get_read(g, piece, sizeof(piece), err)) > 0)
		if (ctx_io_write(STDOUT_FILENO, piece, (size_t)n, "stdout", err) < 0) {
			n = -1;
			break;
		}
	ctx_blob_get_close(g);
	return n < 0 ? -1 : 0;
}

static int
show(void *arg, const struct ctx_blob *blob, struct ctx_err *err)
{
	(void)arg;
	(void)err;
	printf("%s %lld %s\n", blob->name, (long long)blob->size,
	    blob->modified == CTX_TIME_NONE ? "never" : "dated");
	return 0;
}

/* stdin's lines as an archive, read back and verified. */
static int
archive(struct ctx_blobs *blobs, const char *id, struct ctx_err *err)
{
	struct ctx_buf name = CTX_BUF_INIT;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	struct ctx_archive_info wrote = {0}, read = {0};
	struct ctx_archive_writer *w = NULL;
	struct ctx_blob_put *p;
	struct ctx_blob_get *g = NULL;
	int rc = -1;

	ctx_archive_name(&name, 0, ctx_span_of(id), NULL);
	if (ctx_blob_put_open(blobs, name.p, false, &p, err) < 0)
		goto done;
	w = ctx_archive_writer_new(id, env_int("S3_THREADS"), ctx_blob_put_write, p);
	while ((n = getline(&line, &cap, stdin)) > 0)
		if (ctx_archive_put(
			w, CTX_KIND_MESSAGE, (struct ctx_span){line, (size_t)n}, err) < 0)
			goto abort;
	if (ctx_archive_finish(w, &wrote, err) < 0)
		goto abort;
	if (ctx_blob_put_commit(p, err) < 0 ||
	    ctx_blob_get_open(blobs, name.p, &g, err) <= 0)
		goto done;
	rc = ctx_archive_verify(1u << 26, ctx_blob_get_read, g, NULL, NULL, &read, err);
	if (rc == 0 && strcmp(read.file_sha256, wrote.file_sha256) != 0)
		rc = 1;
	if (rc == 0)
		printf("%s %lld %s\n", name.p, (long long)read.records, read.sha256);
	goto done;
abort:
	ctx_blob_put_abort(p);
done:
	ctx_archive_writer_free(w);
	ctx_blob_get_close(g);
	ctx_archive_info_release(&wrote);
	ctx_archive_info_release(&read);
	free(line);
	ctx_buf_release(&name);
	return rc;
}

static int
run(struct ctx_blobs *blobs, const char *verb, const char *name, struct ctx_err *err)
{
	int64_t n = 0;
	int rc;

	if (strcmp(verb, "put") == 0)
		return put(blobs, name, false, 0, err);
	if (strcmp(verb, "put-new") == 0)
		return put(blobs, name, true, 0, err);
	if (strcmp(verb, "put-abort") == 0)
		return put(blobs, name, false, 1, err);
	if (strcmp(verb, "put-die") == 0)
		return put(blobs, name, false, 2, err);
	if (strcmp(verb, "get") == 0)
		return get(blobs, name, err);
	if (strcmp(verb, "list") == 0)
		return ctx_blob_list(blobs, name, show, NULL, err);
	if (strcmp(verb, "delete") == 0)
		return ctx_blob_delete(blobs, name, err);
	if (strcmp(verb, "archive") == 0)
		return archive(blobs, name, err);
	if (strcmp(verb, "exists") == 0) {
		rc = ctx_blob_exists(blobs, name, &n, err);
		if (rc > 0)
			printf("%lld\n", (long long)n);
		return rc < 0 ? -1 : !rc;
	}
	if (strcmp(verb, "sweep") == 0) {
		rc = ctx_blob_sweep(blobs, ctx_time_now() - atoi(name) * 1000, &n, err);
		printf("%lld\n", (long long)n);
		return rc;
	}
	return ctx_err_set(err, CTX_EUSAGE, "no such verb");
}

int
main(int argc, char **argv)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_blobs *blobs = NULL;
	int rc;

	if (argc != 3)
		return 2;
	signal(SIGXFSZ, SIG_IGN);
	rc = open_blobs(&blobs, &err);
	if (rc == 0)
		rc = run(blobs, argv[1], argv[2], &err);
	ctx_blobs_close(blobs);
	if (rc < 0)
		fprintf(stderr, "s3: %s\n", err.msg);
	if (fflush(stdout) != 0)
		return 4;
	return rc < 0 ? (err.code == CTX_EANSWER     ? 1
			    : err.code == CTX_EUSAGE ? 2
						     : 4)
		      : rc;
}
