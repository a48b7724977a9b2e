/* Gives messages other ids than those of the source. */
#include "base/hash.h"
#include "base/utf8.h"
#include "import/internal.h"
#include "json/json.h"

#define KEPT 100 /* bytes kept of an id that is too long; a hash of the id follows them */

void
ctx_import_rename(
    struct ctx_buf *b, struct ctx_span record, struct ctx_span id, int64_t n)
{
	struct ctx_buf name = CTX_BUF_INIT, json = CTX_BUF_INIT;
	char hash[CTX_HASH_HEX + 1];

	if (id.n > IMPORT_ID_MAX) {
		ctx_hash_sha256(id.p, id.n, hash);
		ctx_buf_add(&name, id.p, ctx_utf8_valid(id.p, KEPT));
		ctx_buf_addf(&name, "-%.16s", hash);
	} else {
		ctx_buf_addspan(&name, id);
	}
	if (n > 1)
		ctx_buf_addf(&name, "#%lld", (long long)n);
	ctx_json_put_string(&json, ctx_buf_span(&name));
	ctx_json_put_changed(b, record, "id", ctx_buf_span(&json));
	ctx_buf_release(&json);
	ctx_buf_release(&name);
}
