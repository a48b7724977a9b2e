#include "store/content.h"

#include <stdlib.h>

#include "json/json.h"
#include "store/request_chain.h"
#include "store/row.h"

int
ctx_content_get(struct ctx_store *st, int64_t session_no, struct ctx_span sha256,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "content",
	    "SELECT body FROM content WHERE session_no = ?1 AND sha256 = ?2",
	    CTX_VALUES(ctx_int(session_no), ctx_text(sha256)), err);

	if (ctx_rows_next(&r))
		ctx_buf_addspan(out, ctx_stmt_span(r.q, 0));
	return ctx_rows_found(&r);
}

/* ---- request records ---- */

struct copy {
	struct ctx_store *st;
	int64_t session_no;
	struct ctx_buf *out;
	bool pack;
};

static int
check_addition_digest(struct ctx_span want, const char *sha, struct ctx_err *err)
{
	return ctx_json_is(want, sha)
		   ? 0
		   : ctx_err_set(err, CTX_EINPUT,
			 "a text that was added to the request does not match the recorded SHA-256");
}

int
ctx_content_check(struct ctx_span record, struct ctx_err *err)
{
	char sha[CTX_HASH_HEX + 1];

	CTX_JSON_EACH(it, ctx_json_get(record, "messages")) {
		struct ctx_span message = ctx_json_get(it.value, "message");
		if (message.p == NULL)
			continue;
		ctx_hash_sha256(message.p, message.n, sha);
		if (check_addition_digest(ctx_json_get(it.value, "sha256"), sha, err) < 0)
			return -1;
	}
	return 0;
}

static int
pack_message(
    struct copy *c, struct ctx_span message, struct ctx_span want, struct ctx_err *err)
{
	char sha[CTX_HASH_HEX + 1];

	ctx_hash_sha256(message.p, message.n, sha);
	if (ctx_stmt_do(&c->st->db,
		"INSERT INTO content (session_no, sha256, body) "
		"VALUES (?1, ?2, ?3) "
		"ON CONFLICT DO NOTHING",
		CTX_VALUES(ctx_int(c->session_no), ctx_str(sha), ctx_text(message)),
		err) < 0)
		return -1;
	return check_addition_digest(want, sha, err);
}

static int
unpack_message(struct copy *c, struct ctx_span want, struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span sha = ctx_json_text(want, &tmp);
	size_t mark = c->out->n;
	int rc;

	ctx_json_put_key(c->out, "message");
	rc = ctx_content_get(c->st, c->session_no, sha, c->out, err);
	if (rc == 0) /* the text is not stored: remove the key again */
		c->out->p[c->out->n = mark] = '\0';
	ctx_buf_release(&tmp);
	return rc < 0 ? -1 : 0;
}

/* Copies one entry of the list of messages: a range of the session's messages, or another
 * text. */
static int
copy_entry(struct copy *c, struct ctx_span entry, struct ctx_err *err)
{
	struct ctx_span message = ctx_json_get(entry, "message");
	struct ctx_span sha = ctx_json_get(entry, "sha256");

	ctx_json_put_open(c->out, '{');
	CTX_JSON_EACH(it, entry)
		if (!c->pack || !ctx_json_is(it.key, "message"))
			ctx_json_put_member(c->out, it.key, it.value);
	if (c->pack && message.p != NULL && pack_message(c, message, sha, err) < 0)
		return -1;
	if (!c->pack && message.p == NULL && sha.p != NULL &&
	    unpack_message(c, sha, err) < 0)
		return -1;
	ctx_json_put_close(c->out, '}');
	return 0;
}

static int
copy_record(struct copy *c, struct ctx_span record, struct ctx_err *err)
{
	ctx_json_put_open(c->out, '{');
	CTX_JSON_EACH(it, record) {
		if (!ctx_json_is(it.key, "messages") ||
		    ctx_json_type(it.value) != CTX_JSON_ARRAY) {
			ctx_json_put_member(c->out, it.key, it.value);
			continue;
		}
		ctx_json_add_open(c->out, "messages", '[');
		CTX_JSON_EACH(entries, it.value) {
			if (ctx_json_type(entries.value) != CTX_JSON_OBJECT)
				ctx_json_put_raw(c->out, entries.value);
			else if (copy_entry(c, entries.value, err) < 0)
				return -1;
		}
		ctx_json_put_close(c->out, ']');
	}
	ctx_json_put_close(c->out, '}');
	return 0;
}

int
ctx_content_pack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct copy c = {st, session_no, out, true};

	return copy_record(&c, record, err);
}

int
ctx_content_unpack(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct copy c = {st, session_no, out, false};
	struct ctx_buf whole = CTX_BUF_INIT;
	int rc = ctx_chain_expand(st, session_no, record, &whole, err);

	if (rc == 0)
		rc = copy_record(&c, ctx_buf_span(&whole), err);
	ctx_buf_release(&whole);
	return rc;
}
