#include "entity/batch.h"

#include <stdlib.h>

#include "base/mem.h"
#include "entity/load_waiting.h"
#include "record/record.h"

#define LINES_MAX 1000
#define BYTES_MAX ((size_t)1 << 20)

struct ctx_load_batch {
	struct ctx_buf text;
	struct {
		size_t at, n;
		long number;
		int64_t no; /* number of its entity, 0 if none */
	} lines[LINES_MAX];
	size_t n;
};

struct ctx_load_batch *
ctx_load_batch_new(void)
{
	return ctx_mem_new(sizeof(struct ctx_load_batch));
}

void
ctx_load_batch_free(struct ctx_load_batch *b)
{
	if (b == NULL)
		return;
	ctx_buf_release(&b->text);
	free(b);
}

bool
ctx_load_batch_add(struct ctx_load_batch *b, struct ctx_span line, long number)
{
	b->lines[b->n].at = b->text.n;
	b->lines[b->n].n = line.n;
	b->lines[b->n].no = 0;
	b->lines[b->n++].number = number;
	ctx_buf_addspan(&b->text, line);
	return b->n < LINES_MAX && b->text.n < BYTES_MAX;
}

static int
load_line(struct ctx_loader *l, struct ctx_span line, bool remove, int64_t *no,
    struct ctx_err *err)
{
	struct ctx_record r;

	if (ctx_record_parse(&r, line, err) < 0)
		return -1;
	if (r.kind != CTX_KIND_ENTITY && !r.kindless)
		return 0;
	if (remove)
		return ctx_loader_remove(l, r.line, err);
	return ctx_loader_add(l, r.line, no, err) < 0 ? -1 : 0;
}

static int
tell_loaded(
    const struct ctx_load_batch *b, ctx_load_fn *fn, void *arg, struct ctx_err *err)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->lines[i].no != 0 && fn(arg, b->lines[i].no, err) < 0)
			return -1;
	return 0;
}

int
ctx_load_batch_run(struct ctx_load_batch *b, struct ctx_loader *l, bool remove,
    ctx_load_fn *fn, void *arg, long *bad, struct ctx_err *err)
{
	struct ctx_store *st = l->st;
	struct ctx_err why = CTX_ERR_INIT;
	int rc = b->n == 0 ? 0 : ctx_store_begin(st, err);

	*bad = 0;
	for (size_t i = 0; rc == 0 && *bad == 0 && i < b->n; i++) {
		struct ctx_span line = {b->text.p + b->lines[i].at, b->lines[i].n};
		rc = load_line(l, line, remove, &b->lines[i].no, &why);
		if (rc < 0)
			b->lines[i].no = 0;
		if (rc < 0 && why.code == CTX_EINPUT) {
			*bad = b->lines[i].number;
			rc = 0;
		}
	}
	if (rc < 0 && why.code != CTX_OK)
		*err = why;
	if (rc == 0 && b->n > 0)
		rc = ctx_store_commit(st, err);
	ctx_store_rollback(st);
	if (rc == 0 && fn != NULL)
		rc = tell_loaded(b, fn, arg, err);
	b->n = 0;
	ctx_buf_reset(&b->text);
	if (rc == 0 && *bad != 0) {
		*err = why;
		rc = -1;
	}
	return rc;
}
