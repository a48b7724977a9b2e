#include "archive/blob.h"

#include <string.h>

#include "archive/blob_ops.h"

#define MAX_NAME 900
#define MAX_COMPONENT 255

bool
ctx_blob_name_ok(const char *name)
{
	size_t n = strlen(name), start = 0;

	if (n > MAX_NAME)
		return false;
	for (size_t i = 0; i <= n; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c == '/' || c == '\0') {
			if (i == start || i - start > MAX_COMPONENT)
				return false;
			start = i + 1;
		} else if (c < 0x20 || c == 0x7f || (c == '.' && i == start)) {
			return false;
		}
	}
	return true;
}

static int
check_blob_name(const char *name, struct ctx_err *err)
{
	if (ctx_blob_name_ok(name))
		return 0;
	return ctx_err_set(err, CTX_EUSAGE, "'%s' is not a valid archive name", name);
}

void
ctx_blobs_close(struct ctx_blobs *blobs)
{
	if (blobs != NULL)
		blobs->ops->close(blobs);
}

void
ctx_blob_address(const struct ctx_blobs *blobs, const char *name, struct ctx_buf *out)
{
	blobs->ops->address(blobs, name, out);
}

int
ctx_blob_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err)
{
	*put = NULL;
	if (check_blob_name(name, err) < 0)
		return -1;
	return blobs->ops->put_open(blobs, name, exclusive, put, err);
}

int
ctx_blob_put_write(void *put, const void *p, size_t n, struct ctx_err *err)
{
	return ((struct ctx_blob_put *)put)->ops->put_write(put, p, n, err);
}

int
ctx_blob_put_commit(struct ctx_blob_put *put, struct ctx_err *err)
{
	struct ctx_blob_done done;

	ctx_blob_puts_commit(&put, 1, &done);
	if (done.rc < 0)
		*err = done.err;
	return done.rc;
}

void
ctx_blob_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[])
{
	for (size_t i = 0; i < n; i++)
		done[i] = (struct ctx_blob_done){0, false, CTX_ERR_INIT};
	if (n > 0)
		puts[0]->ops->puts_commit(puts, n, done);
}

void
ctx_blob_put_abort(struct ctx_blob_put *put)
{
	if (put != NULL)
		put->ops->put_abort(put);
}

int
ctx_blob_get_open(struct ctx_blobs *blobs, const char *name, struct ctx_blob_get **get,
    struct ctx_err *err)
{
	*get = NULL;
	if (check_blob_name(name, err) < 0)
		return -1;
	return blobs->ops->get_open(blobs, name, get, err);
}

long
ctx_blob_get_read(void *get, void *p, size_t n, struct ctx_err *err)
{
	return ((struct ctx_blob_get *)get)->ops->get_read(get, p, n, err);
}

void
ctx_blob_get_close(struct ctx_blob_get *get)
{
	if (get != NULL)
		get->ops->get_close(get);
}

int
ctx_blob_exists(
    struct ctx_blobs *blobs, const char *name, int64_t *size, struct ctx_err *err)
{
	if (check_blob_name(name, err) < 0)
		return -1;
	return blobs->ops->exists(blobs, name, size, err);
}

int
ctx_blob_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn, void *arg,
    struct ctx_err *err)
{
	return blobs->ops->list(blobs, prefix, fn, arg, err);
}

int
ctx_blob_delete(struct ctx_blobs *blobs, const char *name, struct ctx_err *err)
{
	if (check_blob_name(name, err) < 0)
		return -1;
	return blobs->ops->remove(blobs, name, false, err);
}

int
ctx_blob_delete_unfinished(struct ctx_blobs *blobs, const char *name, struct ctx_err *err)
{
	if (check_blob_name(name, err) < 0)
		return -1;
	return blobs->ops->remove(blobs, name, true, err);
}

int
ctx_blob_sweep(struct ctx_blobs *blobs, int64_t before, int64_t *n, struct ctx_err *err)
{
	*n = 0;
	return blobs->ops->sweep(blobs, before, n, err);
}
