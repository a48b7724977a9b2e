#include "store/fulltext_kept.h"

#include <zlib.h>

#include "base/time.h"
#include "store/row.h"

#define ROLES ((INT64_C(1) << (CTX_ROLE_TOOL + 1)) - 1)
#define TEXT_MAX INT64_C(0x7fffffff)
/* greatest compression ratio of DEFLATE, https://zlib.net/zlib_tech.html */
#define RATIO_MAX 1032

/* Appends the text in column 4, which has size bytes decompressed. An impossible size
 * must not allocate memory. */
static void
inflate_kept(struct ctx_row *r, int64_t size, struct ctx_buf *out)
{
	struct ctx_span bytes = ctx_stmt_bytes(r->q, 4);
	const void *data = bytes.p;
	int64_t packed = (int64_t)bytes.n;
	uLongf n = (uLongf)size;

	if (size == 0)
		return;
	if (data == NULL || size > packed * RATIO_MAX) {
		ctx_row_refuse(r, "size");
		return;
	}
	ctx_buf_reserve(out, n + 1);
	if (uncompress((Bytef *)out->p + out->n, &n, data, (uLong)packed) != Z_OK ||
	    n != (uLongf)size) {
		ctx_row_refuse(r, "text");
		return;
	}
	out->n += n;
	out->p[out->n] = '\0';
}

int
ctx_kept_read(struct ctx_db *db, struct ctx_stmt *q, struct ctx_kept *out,
    struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_row r = {.db = db, .q = q, .table = "kept text", .err = err};
	int64_t role = ctx_row_whole(
		    &r, 1, "role", 0, ROLES << CTX_KEPT_ROLE_BITS | CTX_ROLE_TOOL),
		size;

	out->id = ctx_row_whole(&r, 0, "id", 1, INT64_MAX);
	out->role_column = (int)role;
	out->role = (int)(role & ((1 << CTX_KEPT_ROLE_BITS) - 1));
	out->roles = (unsigned)(role >> CTX_KEPT_ROLE_BITS);
	if (out->role > CTX_ROLE_TOOL) {
		ctx_row_refuse(&r, "role");
		out->role = 0;
	}
	if (out->roles == 0)
		out->roles = 1U << out->role;
	out->created_at = ctx_row_time(&r, 2, "created_at");
	size = ctx_row_whole(&r, 3, "size", 0, TEXT_MAX);
	if (text != NULL && !r.wrong)
		inflate_kept(&r, size, text);
	return r.wrong ? -1 : 0;
}
