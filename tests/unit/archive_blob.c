#include "test.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/blob.h"
#include "base/time.h"

static char root[] = "/tmp/ctx-blob-XXXXXX";

static struct ctx_blobs *
fresh(const char *sub)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf path = CTX_BUF_INIT;
	struct ctx_blobs *blobs;

	ctx_buf_addf(&path, "%s/%s", root, sub);
	CHECK(ctx_blobs_open_dir(&blobs, path.p, true, &err) == 0);
	ctx_buf_release(&path);
	return blobs;
}

static int
store(struct ctx_blobs *blobs, const char *name, const char *text, bool exclusive,
    struct ctx_err *err)
{
	struct ctx_blob_put *put;

	*err = (struct ctx_err)CTX_ERR_INIT;
	if (ctx_blob_put_open(blobs, name, exclusive, &put, err) < 0)
		return -1;
	if (ctx_blob_put_write(put, text, strlen(text), err) < 0) {
		ctx_blob_put_abort(put);
		return -1;
	}
	return ctx_blob_put_commit(put, err);
}

static const char *
load(struct ctx_blobs *blobs, const char *name, char out[100])
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_blob_get *get;
	int64_t size;
	long n;
	int rc = ctx_blob_get_open(blobs, name, &get, &err);

	if (rc <= 0)
		return rc == 0 ? "(none)" : "(error)";
	n = ctx_blob_get_read(get, out, 99, &err);
	CHECK(ctx_blob_exists(blobs, name, &size, &err) == 1 && size == n);
	out[n < 0 ? 0 : n] = '\0';
	CHECK(n <= 0 || ctx_blob_get_read(get, out + n, 1, &err) == 0);
	ctx_blob_get_close(get);
	return out;
}

static int
add_name(void *arg, const struct ctx_blob *blob, struct ctx_err *err)
{
	(void)err;
	ctx_buf_addf(arg, "%s:%d ", blob->name, (int)blob->size);
	return 0;
}

static void
check_list(struct ctx_blobs *blobs, const char *prefix, const char *want)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf b = CTX_BUF_INIT;

	CHECK(ctx_blob_list(blobs, prefix, add_name, &b, &err) == 0);
	CHECK_STR(b.n > 0 ? b.p : "", want);
	ctx_buf_release(&b);
}

static void
put_get_list_delete(void)
{
	struct ctx_blobs *blobs = fresh("a/b/c");
	struct ctx_err err = CTX_ERR_INIT;
	char text[100];
	int64_t size = 0;

	CHECK_STR(load(blobs, "2024/02/x", text), "(none)");
	check_list(blobs, "", "");
	CHECK(store(blobs, "2024/02/x", "one", false, &err) == 0);
	CHECK(store(blobs, "2024/02/x", "two!", false, &err) == 0);
	CHECK(store(blobs, "2024/02/x", "three", true, &err) == 1);
	CHECK(store(blobs, "2024/02/y", "", true, &err) == 0);
	CHECK(store(blobs, "2023/12/z", "zz", true, &err) == 0);
	CHECK(store(blobs, "2023-z", "z", true, &err) == 0);
	CHECK_STR(load(blobs, "2024/02/x", text), "two!");
	CHECK_STR(load(blobs, "2024/02/y", text), "");
	CHECK_STR(load(blobs, "2024/02", text), "(error)");
	CHECK(ctx_blob_exists(blobs, "2024/02/x", &size, &err) == 1 && size == 4);
	CHECK(ctx_blob_exists(blobs, "2024/02", &size, &err) == 0);
	CHECK(ctx_blob_exists(blobs, "2024/02/x/deeper", &size, &err) == 0);
	/* as the keys of a bucket sort: '-' before '/' */
	check_list(blobs, "", "2023-z:1 2023/12/z:2 2024/02/x:4 2024/02/y:0 ");
	check_list(blobs, "2024/", "2024/02/x:4 2024/02/y:0 ");
	check_list(blobs, "2024/02/y", "2024/02/y:0 ");
	check_list(blobs, "2023", "2023-z:1 2023/12/z:2 ");
	CHECK(ctx_blob_delete(blobs, "2024/02/x", &err) == 0);
	CHECK(ctx_blob_delete(blobs, "2024/02/x", &err) == 0);
	CHECK(ctx_blob_delete(blobs, "1999/02/x", &err) == 0);
	check_list(blobs, "2024/", "2024/02/y:0 ");
	ctx_blobs_close(blobs);
}

static void
names_stay_inside(void)
{
	static const char *const bad[] = {"", "/", "/etc/passwd", "..", "../x", "a/../x",
	    "a/./x", "a//x", "a/", ".hidden", "a/.hidden", "a\nb", "a/b\x7f"};
	static const char *const ids[] = {"..", "../..", "/", "/etc/passwd", ".", "a/b",
	    "\\..\\", "%2e%2e%2f", "~", ".ctx-tmp-1", "\xff\xfe\x01", "a b\n"};
	struct ctx_blobs *blobs = fresh("names");
	struct ctx_err err = CTX_ERR_INIT;
	char text[100];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(!ctx_blob_name_ok(bad[i]));
		CHECK(store(blobs, bad[i], "x", false, &err) == -1);
		CHECK_INT(err.code, CTX_EUSAGE);
		CHECK_STR(load(blobs, bad[i], text), "(error)");
		CHECK(ctx_blob_delete(blobs, bad[i], &err) == -1);
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct ctx_buf name = CTX_BUF_INIT, path = CTX_BUF_INIT;
		char real[4096], base[4096];

		ctx_archive_name(&name, 0, ctx_span_of(ids[i]), NULL);
		CHECK(store(blobs, name.p, ids[i], true, &err) == 0);
		CHECK_STR(load(blobs, name.p, text), ids[i]);
		ctx_blob_address(blobs, name.p, &path);
		CHECK(realpath(path.p, real) != NULL && realpath(root, base) != NULL);
		ctx_buf_reset(&path);
		ctx_buf_addf(&path, "%s/names/1970/01/", base);
		CHECK(strncmp(real, path.p, path.n) == 0 &&
		      strchr(real + path.n, '/') == NULL);
		ctx_buf_release(&name);
		ctx_buf_release(&path);
	}
	ctx_blobs_close(blobs);
}

static void
links_are_not_followed(void)
{
	struct ctx_blobs *blobs = fresh("links"), *outside = fresh("outside");
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf target = CTX_BUF_INIT, link = CTX_BUF_INIT;
	char text[100];

	CHECK(store(outside, "02/secret", "secret", false, &err) == 0);
	ctx_buf_addf(&target, "%s/outside", root);
	ctx_buf_addf(&link, "%s/links/2024", root);
	CHECK(symlink(target.p, link.p) == 0);
	CHECK_STR(load(blobs, "2024/02/secret", text), "(none)");
	CHECK(store(blobs, "2024/02/mine", "x", false, &err) == -1);
	CHECK(ctx_blob_delete(blobs, "2024/02/secret", &err) == 0);
	CHECK_STR(load(outside, "02/secret", text), "secret");
	check_list(blobs, "", "");
	CHECK(store(blobs, "2025/a", "mine", false, &err) == 0);
	ctx_buf_adds(&target, "/02/secret");
	ctx_buf_reset(&link);
	ctx_buf_addf(&link, "%s/links/2025/b", root);
	CHECK(symlink(target.p, link.p) == 0);
	CHECK_STR(load(blobs, "2025/b", text), "(error)");
	/* in the place of a link comes the file; what the link named stays */
	CHECK(store(blobs, "2025/b", "new", false, &err) == 0);
	CHECK_STR(load(outside, "02/secret", text), "secret");
	CHECK_STR(load(blobs, "2025/b", text), "new");
	ctx_buf_release(&target);
	ctx_buf_release(&link);
	ctx_blobs_close(blobs);
	ctx_blobs_close(outside);
}

static int
count_files(const char *sub)
{
	struct ctx_buf path = CTX_BUF_INIT;
	struct dirent *de;
	int n = 0;
	DIR *dir;

	ctx_buf_addf(&path, "%s/%s", root, sub);
	dir = opendir(path.p);
	CHECK(dir != NULL);
	while (dir != NULL && (de = readdir(dir)) != NULL)
		n += strcmp(de->d_name, ".") != 0 && strcmp(de->d_name, "..") != 0;
	if (dir != NULL)
		closedir(dir);
	ctx_buf_release(&path);
	return n;
}

static void
unfinished_files(void)
{
	struct ctx_blobs *blobs = fresh("unfinished");
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_blob_put *put;
	char text[100];
	int64_t n;

	CHECK(store(blobs, "d/x", "old", false, &err) == 0);
	CHECK(ctx_blob_put_open(blobs, "d/x", false, &put, &err) == 0);
	CHECK(ctx_blob_put_write(put, "new", 3, &err) == 0);
	CHECK_STR(load(blobs, "d/x", text), "old");
	check_list(blobs, "", "d/x:3 ");
	CHECK_INT(count_files("unfinished/d"), 2);
	ctx_blob_put_abort(put);
	CHECK_INT(count_files("unfinished/d"), 1);
	/* as if killed: the file stays until it is old enough */
	CHECK(ctx_blob_put_open(blobs, "d/y", false, &put, &err) == 0);
	CHECK(ctx_blob_sweep(blobs, ctx_time_now() - 60000, &n, &err) == 0 && n == 0);
	CHECK(ctx_blob_sweep(blobs, ctx_time_now() + 60000, &n, &err) == 0 && n == 1);
	CHECK_INT(count_files("unfinished/d"), 1);
	CHECK_STR(load(blobs, "d/x", text), "old");
	CHECK(ctx_blob_put_commit(put, &err) == -1);
	CHECK_INT(err.code, CTX_EIO);
	ctx_blobs_close(blobs);
}

/* A disk that takes no more: an error, the old file whole, nothing left behind. */
static void
full_disk(void)
{
	struct ctx_blobs *blobs = fresh("full");
	struct rlimit limit, old;
	struct ctx_err err = CTX_ERR_INIT;
	char big[5000], text[100];

	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	CHECK(store(blobs, "d/x", "old", false, &err) == 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &limit);
	CHECK(store(blobs, "d/x", big, false, &err) == -1);
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK_INT(err.code, CTX_EIO);
	CHECK_STR(load(blobs, "d/x", text), "old");
	CHECK_INT(count_files("full/d"), 1);
	ctx_blobs_close(blobs);
}

static void
private_files(void)
{
	struct ctx_blobs *blobs = fresh("private");
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf path = CTX_BUF_INIT;
	struct stat st;

	CHECK(store(blobs, "2024/x", "x", false, &err) == 0);
	ctx_blob_address(blobs, "2024/x", &path);
	CHECK(stat(path.p, &st) == 0 && (st.st_mode & 07777) == 0600);
	path.n -= 2;
	path.p[path.n] = '\0';
	CHECK(stat(path.p, &st) == 0 && (st.st_mode & 07777) == 0700);
	ctx_buf_release(&path);
	ctx_blobs_close(blobs);
	CHECK(ctx_blobs_open_dir(&blobs, "/tmp/ctx-blob-none/x", false, &err) == -1);
	CHECK(blobs == NULL && err.code == CTX_EIO);
}

int
main(void)
{
	char command[200];

	if (mkdtemp(root) == NULL)
		return 1;
	RUN(put_get_list_delete);
	RUN(names_stay_inside);
	RUN(links_are_not_followed);
	RUN(unfinished_files);
	RUN(full_disk);
	RUN(private_files);
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	if (system(command) != 0)
		return 1;
	return TEST_END();
}
