#include "store/request_chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "store/row.h"

/* most requests of one run; more mean that the store is damaged */
#define CHAIN_MAX 1000000

/* A list of messages that grows at its end. Adjacent ranges of messages are merged. */
struct list {
	struct ctx_buf out;
	/* range at the end of the list; -1: the list does not end in a range */
	int64_t first, last;
};

static bool
read_range(struct ctx_span entry, int64_t *first, int64_t *last)
{
	return ctx_json_get(entry, "sha256").p == NULL &&
	       ctx_json_int(ctx_json_get(entry, "first_seq"), first) &&
	       ctx_json_int(ctx_json_get(entry, "last_seq"), last);
}

/* Reads a row id, which can be larger than the numbers that ctx_json_int reads. */
static bool
read_row_id(struct ctx_span digits, int64_t *id)
{
	char text[24] = "", *end;

	if (digits.n == 0 || digits.n >= sizeof(text))
		return false;
	memcpy(text, digits.p, digits.n);
	*id = strtoll(text, &end, 10);
	return *end == '\0' && *id > 0;
}

static void
put_chain_range(struct ctx_buf *out, int64_t first, int64_t last)
{
	ctx_json_put_open(out, '{');
	ctx_json_add_int(out, "first_seq", first);
	ctx_json_add_int(out, "last_seq", last);
	ctx_json_put_close(out, '}');
}

static void
end_range(struct list *l)
{
	if (l->first >= 0)
		put_chain_range(&l->out, l->first, l->last);
	l->first = l->last = -1;
}

static void
add_chain_entry(struct list *l, struct ctx_span entry)
{
	int64_t first, last;

	if (!read_range(entry, &first, &last)) {
		end_range(l);
		ctx_json_put_raw(&l->out, entry);
	} else if (l->first >= 0 && first == l->last + 1) {
		l->last = last;
	} else {
		end_range(l);
		l->first = first;
		l->last = last;
	}
}

/* Returns the row id of the request that the list of messages continues; 0: the list is
 * complete. */
static int64_t
read_reference(struct ctx_span messages)
{
	int64_t id;

	return read_row_id(ctx_json_get(ctx_json_first(messages), "of"), &id) ? id : 0;
}

static int
get_record(struct ctx_store *st, int64_t id, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "request",
	    "SELECT record FROM request WHERE id = ?1", CTX_VALUES(ctx_int(id)), err);
	int rc;

	if (ctx_rows_next(&r))
		ctx_buf_addspan(out, ctx_stmt_span(r.q, 0));
	rc = ctx_rows_found(&r);
	if (rc == 0)
		return ctx_err_set(err, CTX_ESTORE,
		    "store '%s': a request continues an earlier request that is missing",
		    st->db.path);
	return rc < 0 ? -1 : 0;
}

static void
add_entries(struct list *l, struct ctx_span messages)
{
	CTX_JSON_EACH(it, messages)
		if (ctx_json_get(it.value, "of").p == NULL)
			add_chain_entry(l, it.value);
}

/* Appends all entries of a list of messages, after those of the requests that it
 * continues. A request only continues one with a smaller row id, so that a chain ends. */
static int
collect_chain_entries(struct ctx_store *st, int64_t session_no, struct ctx_span messages,
    struct list *l, struct ctx_err *err)
{
	struct ctx_buf *chain = NULL;
	size_t n = 0, cap = 0;
	int64_t id = read_reference(messages), before = INT64_MAX;
	int rc = 0;

	while (rc == 0 && id != 0) {
		CTX_MEM_GROW(chain, n, cap);
		chain[n] = (struct ctx_buf)CTX_BUF_INIT;
		rc =
		    id >= before || n == CHAIN_MAX || id >> 32 != session_no
			? ctx_err_set(err, CTX_ESTORE,
			      "store '%s': a request continues a later request or a request of another session",
			      st->db.path)
			: get_record(st, id, &chain[n], err);
		before = id;
		id = read_reference(ctx_json_get(ctx_buf_span(&chain[n++]), "messages"));
	}
	for (size_t i = n; i-- > 0; ctx_buf_release(&chain[i]))
		if (rc == 0)
			add_entries(l, ctx_json_get(ctx_buf_span(&chain[i]), "messages"));
	free(chain);
	if (rc == 0)
		add_entries(l, messages);
	return rc;
}

int
ctx_chain_expand(struct ctx_store *st, int64_t session_no, struct ctx_span record,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_span messages = ctx_json_get(record, "messages");
	struct list l = {CTX_BUF_INIT, -1, -1};
	int rc = 0;

	if (read_reference(messages) == 0) {
		ctx_buf_addspan(out, record);
		return 0;
	}
	ctx_json_put_open(&l.out, '[');
	rc = collect_chain_entries(st, session_no, messages, &l, err);
	end_range(&l);
	ctx_json_put_close(&l.out, ']');
	if (rc == 0)
		ctx_json_put_changed(out, record, "messages", ctx_buf_span(&l.out));
	ctx_buf_release(&l.out);
	return rc;
}

/* ---- shortening ---- */

/* Returns true if the entry, without its text, equals the stored one. */
static bool
same_entry(struct ctx_span entry, struct ctx_span stored)
{
	struct ctx_buf b = CTX_BUF_INIT;
	bool same;

	ctx_json_put_changed(&b, entry, "message", CTX_SPAN_NONE);
	same = ctx_span_eq(ctx_buf_span(&b), stored);
	ctx_buf_release(&b);
	return same;
}

/* Appends the messages after the stored ones. Returns false if the list does not begin
 * with the stored messages. */
static bool
put_remaining_messages(
    struct ctx_buf *out, struct ctx_span messages, struct ctx_span stored)
{
	struct ctx_json_iter have = ctx_json_iter_of(messages);
	int64_t first, last, old_first, old_last;

	CTX_JSON_EACH(old, stored) {
		if (!ctx_json_iter_next(&have))
			return false;
		if (read_range(old.value, &old_first, &old_last) &&
		    read_range(have.value, &first, &last)) {
			if (first != old_first || last < old_last)
				return false;
			if (last > old_last) {
				put_chain_range(out, old_last + 1, last);
				if (ctx_json_iter_next(&old))
					return false;
				break;
			}
		} else if (!same_entry(have.value, old.value)) {
			return false;
		}
	}
	while (ctx_json_iter_next(&have))
		ctx_json_put_raw(out, have.value);
	return true;
}

static int
shorten_request_record(struct ctx_store *st, struct ctx_span record, int64_t id,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_buf before = CTX_BUF_INIT, whole = CTX_BUF_INIT, rest = CTX_BUF_INIT;
	int rc = get_record(st, id, &before, err);

	if (rc == 0)
		rc = ctx_chain_expand(st, id >> 32, ctx_buf_span(&before), &whole, err);
	if (rc == 0) {
		bool shorter;
		ctx_json_put_open(&rest, '[');
		ctx_json_put_open(&rest, '{');
		ctx_json_add_int(&rest, "of", id);
		ctx_json_put_close(&rest, '}');
		shorter = put_remaining_messages(&rest, ctx_json_get(record, "messages"),
		    ctx_json_get(ctx_buf_span(&whole), "messages"));
		ctx_json_put_close(&rest, ']');
		if (shorter)
			ctx_json_put_changed(
			    out, record, "messages", ctx_buf_span(&rest));
		else
			ctx_buf_addspan(out, record);
	}
	ctx_buf_release(&before);
	ctx_buf_release(&whole);
	ctx_buf_release(&rest);
	return rc;
}

int
ctx_chain_shorten(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_span continues = ctx_json_get(
	    ctx_json_get(record, "run"), "continues");
	struct ctx_buf tmp = CTX_BUF_INIT;
	int64_t id = 0;
	int rc = 0;

	if (ctx_json_type(continues) == CTX_JSON_STRING)
		rc = ctx_stmt_ints(&st->db,
		    "SELECT id FROM request WHERE request_id = ?3 AND id BETWEEN ?1 AND ?2",
		    CTX_VALUES(
			CTX_SESSION_ROWS(s), ctx_text(ctx_json_text(continues, &tmp))),
		    &id, 1, err);
	if (rc >= 0 && id != 0)
		rc = shorten_request_record(st, record, id, out, err);
	else if (rc >= 0)
		ctx_buf_addspan(out, record);
	ctx_buf_release(&tmp);
	return rc < 0 ? -1 : 0;
}
