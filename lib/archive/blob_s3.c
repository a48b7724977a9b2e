#include <stdlib.h>
#include <string.h>

#include "archive/blob_ops.h"
#include "base/mem.h"

struct s3_blobs {
	struct ctx_blobs base;
	struct ctx_s3 *s3;
	char *prefix; /* "", or ends with '/' */
};

struct s3_put {
	struct ctx_blob_put base;
	struct ctx_s3_put *put;
};

struct s3_get {
	struct ctx_blob_get base;
	struct ctx_s3_get *get;
};

static char *
make_s3_blob_key(const struct s3_blobs *b, const char *name)
{
	struct ctx_buf key = CTX_BUF_INIT;

	ctx_buf_addf(&key, "%s%s", b->prefix, name);
	return ctx_buf_detach(&key);
}

static void
s3_close(struct ctx_blobs *blobs)
{
	struct s3_blobs *b = (struct s3_blobs *)blobs;

	ctx_s3_close(b->s3);
	free(b->prefix);
	free(b);
}

static void
s3_address(const struct ctx_blobs *blobs, const char *name, struct ctx_buf *out)
{
	const struct s3_blobs *b = (const struct s3_blobs *)blobs;

	ctx_buf_addf(out, "s3://%s/%s%s", ctx_s3_bucket(b->s3), b->prefix, name);
}

static const struct ctx_blob_ops ops;

static int
s3_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err CTX_UNUSED)
{
	struct s3_blobs *b = (struct s3_blobs *)blobs;
	struct s3_put *p = ctx_mem_new(sizeof(*p));
	char *key = make_s3_blob_key(b, name);

	p->base.ops = &ops;
	p->put = ctx_s3_put_open(b->s3, key, exclusive);
	free(key);
	*put = &p->base;
	return 0;
}

static int
s3_put_write(struct ctx_blob_put *put, const void *p, size_t n, struct ctx_err *err)
{
	return ctx_s3_put_write(((struct s3_put *)put)->put, p, n, err);
}

static void
s3_puts_commit(struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[])
{
	for (size_t i = 0; i < n; i++) {
		done[i].rc = ctx_s3_put_commit(
		    ((struct s3_put *)puts[i])->put, &done[i].err);
		free(puts[i]);
	}
}

static void
s3_put_abort(struct ctx_blob_put *put)
{
	ctx_s3_put_abort(((struct s3_put *)put)->put);
	free(put);
}

static int
s3_get_open(struct ctx_blobs *blobs, const char *name, struct ctx_blob_get **get,
    struct ctx_err *err)
{
	struct s3_blobs *b = (struct s3_blobs *)blobs;
	char *key = make_s3_blob_key(b, name);
	struct ctx_s3_get *inner;
	int rc = ctx_s3_get_open(b->s3, key, &inner, err);

	free(key);
	if (rc > 0) {
		struct s3_get *g = ctx_mem_new(sizeof(*g));

		g->base.ops = &ops;
		g->get = inner;
		*get = &g->base;
	}
	return rc;
}

static long
s3_get_read(struct ctx_blob_get *get, void *p, size_t n, struct ctx_err *err)
{
	return ctx_s3_get_read(((struct s3_get *)get)->get, p, n, err);
}

static void
s3_get_close(struct ctx_blob_get *get)
{
	ctx_s3_get_close(((struct s3_get *)get)->get);
	free(get);
}

static int
s3_exists(struct ctx_blobs *blobs, const char *name, int64_t *size, struct ctx_err *err)
{
	struct s3_blobs *b = (struct s3_blobs *)blobs;
	char *key = make_s3_blob_key(b, name);
	int rc = ctx_s3_head(b->s3, key, size, err);

	free(key);
	return rc;
}

struct listing {
	size_t skip; /* length of the place's prefix, in bytes */
	ctx_blob_each *fn;
	void *arg;
};

static int
list_s3_blob(void *arg, const struct ctx_s3_object *object, struct ctx_err *err)
{
	struct listing *l = arg;
	struct ctx_blob blob = {NULL, object->size, object->modified};

	if (!ctx_blob_name_ok(object->key + l->skip))
		return 0;
	blob.name = object->key + l->skip;
	return l->fn(l->arg, &blob, err);
}

static int
s3_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn, void *arg,
    struct ctx_err *err)
{
	struct s3_blobs *b = (struct s3_blobs *)blobs;
	struct listing l = {strlen(b->prefix), fn, arg};
	char *key = make_s3_blob_key(b, prefix);
	int rc = ctx_s3_list(b->s3, key, list_s3_blob, &l, err);

	free(key);
	return rc;
}

static int
s3_delete(
    struct ctx_blobs *blobs, const char *name, bool unfinished_only, struct ctx_err *err)
{
	struct s3_blobs *b = (struct s3_blobs *)blobs;
	char *key = make_s3_blob_key(b, name);
	int rc = unfinished_only ? 0 : ctx_s3_delete(b->s3, key, err);
	int64_t uploads;

	if (rc == 0)
		rc = ctx_s3_sweep(b->s3, key, INT64_MAX, &uploads, err);
	free(key);
	return rc;
}

static int
s3_sweep(struct ctx_blobs *blobs, int64_t before, int64_t *n, struct ctx_err *err)
{
	struct s3_blobs *b = (struct s3_blobs *)blobs;

	return ctx_s3_sweep(b->s3, b->prefix, before, n, err);
}

static const struct ctx_blob_ops ops = {
    .close = s3_close,
    .address = s3_address,
    .put_open = s3_put_open,
    .put_write = s3_put_write,
    .puts_commit = s3_puts_commit,
    .put_abort = s3_put_abort,
    .get_open = s3_get_open,
    .get_read = s3_get_read,
    .get_close = s3_get_close,
    .exists = s3_exists,
    .list = s3_list,
    .remove = s3_delete,
    .sweep = s3_sweep,
};

struct ctx_blobs *
ctx_blobs_of_s3(struct ctx_s3 *s3, const char *prefix)
{
	struct s3_blobs *b = ctx_mem_new(sizeof(*b));
	size_t n = strlen(prefix);
	struct ctx_buf p = CTX_BUF_INIT;

	while (n > 0 && prefix[n - 1] == '/')
		n--;
	ctx_buf_add(&p, prefix, n);
	if (n > 0)
		ctx_buf_addc(&p, '/');
	b->base.ops = &ops;
	b->s3 = s3;
	b->prefix = ctx_buf_detach(&p);
	return &b->base;
}
