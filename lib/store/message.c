#include "store/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/purge.h"
#include "store/summary.h"

/* ---- tokenizers by number ---- */

static int
load_tokenizers(struct ctx_store *st, struct ctx_err *err)
{
	static const char *const built_in[] = {"approx", "chars4"};
	struct ctx_row r = ctx_rows(&st->db, "tokenizer",
	    "SELECT no, name FROM tokenizer ORDER BY no", NULL, 0, err);

	for (size_t i = 0; i < st->n_tokenizers; i++)
		free(st->tokenizers[i]);
	st->n_tokenizers = 2;
	st->tokenizers = ctx_mem_resize(st->tokenizers, 2, sizeof(*st->tokenizers));
	for (size_t i = 0; i < 2; i++)
		st->tokenizers[i] = ctx_mem_str(built_in[i]);
	while (ctx_rows_next(&r)) {
		if ((size_t)ctx_stmt_int64(r.q, 0) != st->n_tokenizers)
			continue;
		st->tokenizers = ctx_mem_resize(
		    st->tokenizers, st->n_tokenizers + 1, sizeof(*st->tokenizers));
		st->tokenizers[st->n_tokenizers++] = ctx_stmt_str(r.q, 1);
	}
	return ctx_rows_end(&r);
}

static int
tokenizer_number(struct ctx_store *st, const char *name, int64_t *no, struct ctx_err *err)
{
	*no = strcmp(name, "chars4") == 0;
	if (*no == 1 || strcmp(name, "approx") == 0)
		return 0;
	for (int attempt = 0; attempt < 2; attempt++) {
		if ((attempt > 0 || st->n_tokenizers == 0) &&
		    load_tokenizers(st, err) < 0)
			return -1;
		for (size_t i = 2; i < st->n_tokenizers; i++)
			if (strcmp(st->tokenizers[i], name) == 0) {
				*no = (int64_t)i;
				return 0;
			}
		if (attempt == 0 && ctx_stmt_do(&st->db,
					"INSERT INTO tokenizer (no, name) "
					"SELECT coalesce(max(no), 1) + 1, ?1 "
					"FROM tokenizer "
					"WHERE true "
					"ON CONFLICT DO NOTHING",
					CTX_VALUES(ctx_str(name)), err) < 0)
			return -1;
	}
	return ctx_err_set(
	    err, CTX_ESTORE, "store '%s': table tokenizer is damaged", st->db.path);
}

static int
tokenizer_name(struct ctx_store *st, int64_t no, const char **name, struct ctx_err *err)
{
	*name = no == 1 ? "chars4" : "approx";
	if (no == 0 || no == 1)
		return 0;
	if ((size_t)no >= st->n_tokenizers && load_tokenizers(st, err) < 0)
		return -1;
	if (no < 0 || (size_t)no >= st->n_tokenizers)
		return ctx_err_set(err, CTX_ESTORE, "store '%s': unknown tokenizer %lld",
		    st->db.path, (long long)no);
	*name = st->tokenizers[no];
	return 0;
}

/* ---- append ---- */

int
ctx_store_append(struct ctx_store *st, struct ctx_session *s, struct ctx_stored *m,
    struct ctx_err *err)
{
	static const char sql[] =
	    "INSERT INTO message (id, turn, role, type, created_at, token_count, "
	    "tokenizer, tool_calls, crc, body, record_id, metadata, token_sum) "
	    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
	int64_t tokenizer;

	if (s->last_seq >= CTX_SEQ_MAX)
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is full", s->session_id);
	if (tokenizer_number(st, m->tokenizer, &tokenizer, err) < 0)
		return -1;
	m->seq = s->last_seq + 1;
	m->turn = m->starts_turn ? m->seq : s->last_turn;
	m->token_sum = s->token_count;
	if (ctx_stmt_do(&st->db, sql,
		CTX_VALUES(ctx_int(ctx_row_id(s->no, m->seq)), ctx_int(m->turn),
		    ctx_int(m->role), ctx_int(m->type), ctx_int(m->created_at),
		    ctx_int(m->token_count), ctx_int(tokenizer), ctx_int(m->tool_calls),
		    ctx_int(ctx_hash_crc32(m->message.p, m->message.n)),
		    ctx_text(m->message), ctx_text(m->id), ctx_text(m->metadata),
		    ctx_int(s->token_count)),
		err) < 0)
		return -1;
	if (m->pinned && ctx_stmt_do(&st->db, "INSERT INTO pin (id) VALUES (?1)",
			     CTX_VALUES(ctx_int(ctx_row_id(s->no, m->seq))), err) < 0)
		return -1;
	s->last_seq = m->seq;
	s->last_turn = m->turn;
	s->has_pins |= m->pinned;
	s->message_count++;
	s->tool_call_count += m->tool_calls;
	s->token_count += m->token_count;
	if (s->last_message_at == CTX_TIME_NONE || s->last_message_at < m->created_at)
		s->last_message_at = m->created_at;
	return 0;
}

/* ---- read ---- */

#define B CTX_STMT_BARE
#define MESSAGE_COLUMNS                                                                \
	B "id, " B "turn, " B "role, " B "type, " B "created_at, " B "token_count, " B \
	  "tokenizer, " B "tool_calls, " B "crc, " B "body, " B "record_id, " B        \
	  "metadata, " B "token_sum"

static void
read_message_row(struct ctx_store *st, const char *session_id, struct ctx_row *r,
    struct ctx_stored *m, struct ctx_message_members *found)
{
	struct ctx_err ignored;
	int64_t tokenizer;

	memset(m, 0, sizeof(*m));
	m->seq = ctx_row_seq(ctx_stmt_int64(r->q, 0));
	m->turn = ctx_row_whole(r, 1, "turn", 0, CTX_SEQ_MAX);
	m->starts_turn = m->turn == m->seq;
	m->role = (int)ctx_row_whole(r, 2, "role", 0, CTX_ROLE_TOOL);
	m->type = (int)ctx_row_whole(r, 3, "type", 0, CTX_TYPE_SUMMARY);
	m->created_at = ctx_row_time(r, 4, "created_at");
	m->token_count = ctx_row_whole(r, 5, "token_count", 0, CTX_RECORD_TOKENS_MAX);
	tokenizer = ctx_row_whole(r, 6, "tokenizer", 0, CTX_SEQ_MAX);
	m->tool_calls = ctx_row_whole(r, 7, "tool_calls", 0, CTX_RECORD_TOKENS_MAX);
	m->token_sum = ctx_row_whole(r, 12, "token_sum", 0, CTX_COUNT_MAX);
	m->message = ctx_stmt_span(r->q, 9);
	m->id = ctx_stmt_span(r->q, 10);
	m->metadata = ctx_row_json(r, 11, "metadata");
	if (m->message.p == NULL ||
	    ctx_hash_crc32(m->message.p, m->message.n) != ctx_stmt_int64(r->q, 8)) {
		r->rc = ctx_err_set(r->err, CTX_ESTORE,
		    "store '%s': message %lld of session '%s' is damaged (checksum)",
		    st->db.path, (long long)m->seq, session_id);
		return;
	}
	if (ctx_stmt_type(r->q, 9) != CTX_COLUMN_TEXT ||
	    ctx_message_check(found, m->message, &ignored) < 0)
		ctx_row_refuse(r, "body");
	m->flawless = !r->wrong && !ctx_message_may_have_flaw(found);
	if (!r->wrong)
		r->rc = tokenizer_name(st, tokenizer, &m->tokenizer, r->err);
}

int
ctx_store_message_find(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record_id, int64_t *seq, struct ctx_err *err)
{
	int rc = ctx_stmt_ints(&st->db,
	    "SELECT id FROM message WHERE (id >> 32) = ?1 AND record_id = ?2",
	    CTX_VALUES(ctx_int(s->no), ctx_text(record_id)), seq, 1, err);

	*seq = ctx_row_seq(*seq);
	return rc;
}

int
ctx_store_holds(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_span message, int64_t *tokens, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "message",
	    "SELECT body, token_count FROM message WHERE id = ?1",
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, seq))), err);

	if (ctx_rows_next(&r)) {
		*tokens = ctx_stmt_int64(r.q, 1);
		if (!ctx_span_eq(ctx_stmt_span(r.q, 0), message))
			r.rc = ctx_err_set(err, CTX_EANSWER,
			    "message %lld of session '%s' differs between store and archive: skipped",
			    (long long)seq, s->session_id);
	}
	return ctx_rows_found(&r);
}

struct ctx_cursor {
	struct ctx_store *st;
	const struct ctx_session *s;
	struct ctx_row r;
	bool expects; /* *s says that there is a message, and none was found yet */
	struct ctx_message_members found; /* of the last message */
};

struct ctx_cursor *
ctx_cursor_open(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, bool down, struct ctx_err *err)
{
#define MESSAGES_BY_ID                \
	"SELECT " MESSAGE_COLUMNS " " \
	"FROM message "               \
	"WHERE id BETWEEN ?1 AND ?2 " \
	"ORDER BY id"
	struct ctx_cursor *c = ctx_mem_new(sizeof(*c));

	if (first < 1)
		first = 1;
	c->st = st;
	c->s = s;
	c->r = ctx_rows(&st->db, "message",
	    down ? MESSAGES_BY_ID " DESC" : MESSAGES_BY_ID,
	    CTX_VALUES(CTX_SEQ_ROWS(s, first, last < first ? 0 : last)), err);
	c->expects = first <= last && first <= s->last_seq;
	return c;
}

/* No message was found: checks whether the session left the store since *s was read. If
 * not, its messages may have been absent only for a moment, so the query is repeated. */
static bool
look_again(struct ctx_cursor *c)
{
	int left = ctx_session_left(c->st, c->s, c->r.err);

	if (left == 0) {
		ctx_stmt_reset(c->r.q);
		return ctx_rows_next(&c->r);
	}
	c->r.rc = left < 0 ? -1 : ctx_session_left_error(c->s, left, c->r.err);
	return false;
}

int
ctx_cursor_next(struct ctx_cursor *c, struct ctx_stored *out, struct ctx_err *err)
{
	bool found;

	c->r.err = err;
	found = ctx_rows_next(&c->r);
	if (!found && c->r.rc == 0 && c->expects)
		found = look_again(c);
	c->expects = false;
	if (found)
		read_message_row(c->st, c->s->session_id, &c->r, out, &c->found);
	return c->r.rc < 0 || c->r.wrong ? -1 : found;
}

const struct ctx_message_members *
ctx_cursor_members(const struct ctx_cursor *c)
{
	return &c->found;
}

void
ctx_cursor_close(struct ctx_cursor *c)
{
	if (c != NULL)
		ctx_rows_end(&c->r);
	free(c);
}

int
ctx_store_messages(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, ctx_store_message_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_cursor *c = ctx_cursor_open(st, s, first, last, false, err);
	struct ctx_stored m;
	int rc;

	while ((rc = ctx_cursor_next(c, &m, err)) == 1)
		if (fn(arg, &m, err) < 0) {
			rc = -1;
			break;
		}
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

/* ---- printing ---- */

void
ctx_stored_print(struct ctx_buf *out, const char *session_id, const struct ctx_stored *m,
    const char *slot, struct ctx_span source)
{
	struct ctx_envelope e = {.session_id = session_id,
	    .seq = m->seq,
	    .id = m->id,
	    .created_at = m->created_at,
	    .token_count = m->token_count,
	    .tokenizer = m->tokenizer,
	    .message_type = m->type,
	    .pinned = m->pinned,
	    .sent = m->sent,
	    .slot = slot,
	    .source = source,
	    .metadata = m->metadata,
	    .message = m->message};

	ctx_envelope_print(out, &e);
}

/* ---- message heads ---- */

int
ctx_store_heads(struct ctx_store *st, const struct ctx_session *s, int64_t last,
    ctx_store_head_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "message",
	    "SELECT id, turn, token_sum, token_count, tool_calls, role, type "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id DESC",
	    CTX_VALUES(CTX_SEQ_ROWS(s, 1, last)), err);

	while (ctx_rows_next(&r)) {
		struct ctx_stored_head e = {ctx_row_seq(ctx_stmt_int64(r.q, 0)),
		    ctx_row_whole(&r, 1, "turn", 0, CTX_SEQ_MAX),
		    ctx_row_whole(&r, 2, "token_sum", 0, CTX_COUNT_MAX),
		    ctx_row_whole(&r, 3, "token_count", 0, CTX_RECORD_TOKENS_MAX),
		    ctx_row_whole(&r, 4, "tool_calls", 0, CTX_RECORD_TOKENS_MAX),
		    (int)ctx_row_whole(&r, 5, "role", 0, CTX_ROLE_TOOL),
		    (int)ctx_row_whole(&r, 6, "type", 0, CTX_TYPE_SUMMARY)};
		int more = r.wrong ? 0 : fn(arg, &e, err);
		r.rc = more < 0 ? -1 : more == 0;
	}
	return ctx_rows_end(&r);
}

/* ---- copy ---- */

int
ctx_store_copy(struct ctx_store *st, const struct ctx_session *from, int64_t seq,
    struct ctx_session *to, struct ctx_err *err)
{
	/* ?1 and ?2: the range of row ids; ?3: the number to add to an id */
	static const char *const copies[] = {
	    "INSERT INTO message (id, turn, role, type, created_at, token_count, token_sum, "
	    "tokenizer, tool_calls, crc, body, record_id, metadata) "
	    "SELECT id + ?3, turn, role, type, created_at, token_count, token_sum, "
	    "tokenizer, tool_calls, crc, body, record_id, metadata "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2",
	    "INSERT INTO pin (id) SELECT id + ?3 FROM pin WHERE id BETWEEN ?1 AND ?2",
	    "INSERT INTO hidden (first_id, last_id, event) "
	    "SELECT first_id + ?3, CASE WHEN last_id < ?2 THEN last_id ELSE ?2 END + ?3, 0 "
	    "FROM hidden "
	    "WHERE first_id BETWEEN ?1 AND ?2",
	};
	static const char counts[] =
	    "SELECT count(*), coalesce(sum(tool_calls), 0), coalesce(sum(token_count), 0), "
	    "max(created_at), coalesce(max(id), ?1), coalesce(max(turn), 0), ("
	    "SELECT coalesce(sum(last_id - first_id + 1), 0) "
	    "FROM hidden "
	    "WHERE first_id BETWEEN ?1 AND ?2) "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2";
	struct ctx_row r;

	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (ctx_stmt_do(&st->db, copies[i],
			CTX_VALUES(CTX_SEQ_ROWS(from, 0, seq),
			    ctx_int(ctx_row_id(to->no - from->no, 0))),
			err) < 0)
			return -1;
	r = ctx_rows(&st->db, "message", counts, CTX_VALUES(CTX_SESSION_ROWS(to)), err);
	if (ctx_rows_next(&r)) {
		to->message_count = ctx_stmt_int64(r.q, 0);
		to->tool_call_count = ctx_stmt_int64(r.q, 1);
		to->token_count = ctx_stmt_int64(r.q, 2);
		to->last_message_at = ctx_row_maybe(
		    &r, 3, "created_at", -CTX_TIME_MAX, CTX_TIME_MAX);
		to->last_seq = ctx_row_seq(ctx_stmt_int64(r.q, 4));
		to->last_turn = ctx_stmt_int64(r.q, 5);
		to->hidden_count = ctx_stmt_int64(r.q, 6);
		to->has_pins = from->has_pins;
	}
	return ctx_rows_end(&r) < 0 ? -1 : ctx_store_summary_copy(st, from, seq, to, err);
}
