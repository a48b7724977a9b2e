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
	struct ctx_buf name = CTX_BUF_INIT;
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
	ctx_json_put_open(b, '{');
	CTX_JSON_EACH(it, record) {
		ctx_json_put_raw(b, it.key);
		ctx_buf_addc(b, ':');
		if (ctx_json_is(it.key, "id"))
			ctx_json_put_string(b, ctx_buf_span(&name));
		else
			ctx_buf_addspan(b, it.value);
	}
	ctx_json_put_close(b, '}');
	ctx_buf_release(&name);
}
