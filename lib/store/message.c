#include "store/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/purge.h"
#include "store/summary.h"
#include "store/rows.h"

/* ---- tokenizers by number ---- */

static int
load_tokenizers(struct ctx_store *st, struct ctx_err *err)
{
	static const char *const built_in[] = {"approx", "chars4"};
	struct ctx_stmt *q = ctx_stmt_new(
	    &st->db, "SELECT no, name FROM tokenizer ORDER BY no", err);
	int rc = -1;

	if (q == NULL)
		return -1;
	for (size_t i = 0; i < st->n_tokenizers; i++)
		free(st->tokenizers[i]);
	st->n_tokenizers = 2;
	st->tokenizers = ctx_mem_resize(st->tokenizers, 2, sizeof(*st->tokenizers));
	for (size_t i = 0; i < 2; i++)
		st->tokenizers[i] = ctx_mem_str(built_in[i]);
	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		if ((size_t)ctx_stmt_int64(q, 0) != st->n_tokenizers)
			continue;
		st->tokenizers = ctx_mem_resize(
		    st->tokenizers, st->n_tokenizers + 1, sizeof(*st->tokenizers));
		st->tokenizers[st->n_tokenizers++] = ctx_stmt_str(q, 1);
	}
	ctx_stmt_free(&st->db, q);
	return rc;
}

static int
tokenizer_number(struct ctx_store *st, const char *name, int64_t *no, struct ctx_err *err)
{
	struct ctx_stmt *q;
	int rc;

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
		if (attempt > 0)
			break;
		q = ctx_stmt_query(&st->db,
		    "INSERT INTO tokenizer (no, name) "
		    "SELECT coalesce(max(no), 1) + 1, ?1 "
		    "FROM tokenizer "
		    "WHERE true "
		    "ON CONFLICT "
		    "DO NOTHING",
		    CTX_VALUES(ctx_str(name)), err);
		rc = ctx_stmt_run(&st->db, q, err);
		ctx_stmt_free(&st->db, q);
		if (rc < 0)
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

static int
add_pin(struct ctx_store *st, int64_t id, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_kept(&st->db, CTX_STMT_PIN,
	    "INSERT INTO pin (id) VALUES (?1)", CTX_VALUES(ctx_int(id)), err);

	return ctx_stmt_run(&st->db, q, err);
}

int
ctx_store_append(struct ctx_store *st, struct ctx_session *s, struct ctx_stored *m,
    struct ctx_err *err)
{
	static const char sql[] =
	    "INSERT INTO message (id, turn, role, type, created_at, token_count, "
	    "tokenizer, tool_calls, crc, body, record_id, metadata, token_sum) "
	    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
	struct ctx_stmt *q;
	int64_t tokenizer;

	if (s->last_seq >= CTX_SEQ_MAX)
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is full", s->session_id);
	if (tokenizer_number(st, m->tokenizer, &tokenizer, err) < 0)
		return -1;
	m->seq = s->last_seq + 1;
	m->turn = m->starts_turn ? m->seq : s->last_turn;
	m->token_sum = s->token_count;
	q = ctx_stmt_kept(&st->db, CTX_STMT_APPEND, sql,
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, m->seq)), ctx_int(m->turn),
		ctx_int(m->role), ctx_int(m->type), ctx_int(m->created_at),
		ctx_int(m->token_count), ctx_int(tokenizer), ctx_int(m->tool_calls),
		ctx_int(ctx_hash_crc32(m->message.p, m->message.n)), ctx_text(m->message),
		ctx_text(m->id), ctx_text(m->metadata), ctx_int(s->token_count)),
	    err);
	if (ctx_stmt_run(&st->db, q, err) < 0)
		return -1;
	if (m->pinned && add_pin(st, ctx_row_id(s->no, m->seq), err) < 0)
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

static int
read_message_row(struct ctx_store *st, const char *session_id, struct ctx_stmt *q,
    struct ctx_stored *m, struct ctx_message_members *found, struct ctx_err *err)
{
	struct ctx_row r = {&st->db, q, "message", err, false};
	struct ctx_err ignored;
	int64_t tokenizer;

	memset(m, 0, sizeof(*m));
	m->seq = ctx_row_seq(ctx_stmt_int64(q, 0));
	m->turn = ctx_row_whole(&r, 1, "turn", 0, CTX_SEQ_MAX);
	m->starts_turn = m->turn == m->seq;
	m->role = (int)ctx_row_whole(&r, 2, "role", 0, CTX_ROLE_TOOL);
	m->type = (int)ctx_row_whole(&r, 3, "type", 0, CTX_TYPE_SUMMARY);
	m->created_at = ctx_row_whole(&r, 4, "created_at", -CTX_TIME_MAX, CTX_TIME_MAX);
	m->token_count = ctx_row_whole(&r, 5, "token_count", 0, CTX_RECORD_TOKENS_MAX);
	tokenizer = ctx_row_whole(&r, 6, "tokenizer", 0, CTX_SEQ_MAX);
	m->tool_calls = ctx_row_whole(&r, 7, "tool_calls", 0, CTX_RECORD_TOKENS_MAX);
	m->token_sum = ctx_row_whole(&r, 12, "token_sum", 0, CTX_COUNT_MAX);
	m->message = ctx_stmt_span(q, 9);
	m->id = ctx_stmt_span(q, 10);
	m->metadata = ctx_row_json(&r, 11, "metadata");
	if (m->message.p == NULL ||
	    ctx_hash_crc32(m->message.p, m->message.n) != ctx_stmt_int64(q, 8))
		return ctx_err_set(err, CTX_ESTORE,
		    "store '%s': message %lld of session '%s' is damaged (checksum)",
		    st->db.path, (long long)m->seq, session_id);
	if (ctx_stmt_type(q, 9) != CTX_COLUMN_TEXT ||
	    ctx_message_check(found, m->message, &ignored) < 0)
		ctx_row_refuse(&r, "body");
	m->flawless = !r.wrong && !ctx_message_may_have_flaw(found);
	return ctx_row_end(&r) < 0 ? -1
				   : tokenizer_name(st, tokenizer, &m->tokenizer, err);
}

int
ctx_store_message_find(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_span record_id, struct ctx_stored *out, struct ctx_err *err)
{
	static const char sql[] = "SELECT " MESSAGE_COLUMNS " "
				  "FROM message "
				  "WHERE (id >> 32) = ?1 AND record_id = ?2";
	struct ctx_stmt *q = ctx_stmt_kept(&st->db, CTX_STMT_MESSAGE_FIND, sql,
	    CTX_VALUES(ctx_int(s->no), ctx_text(record_id)), err);
	struct ctx_message_members found;
	int rc = ctx_stmt_step(&st->db, q, err);

	if (rc == 1 && read_message_row(st, s->session_id, q, out, &found, err) < 0)
		rc = -1;
	return rc;
}

int
ctx_store_holds(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_span message, int64_t *tokens, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_kept(&st->db, CTX_STMT_HOLDS,
	    "SELECT body, token_count FROM message WHERE id = ?1",
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, seq))), err);
	int rc = ctx_stmt_step(&st->db, q, err);

	if (rc == 1)
		*tokens = ctx_stmt_int64(q, 1);
	if (rc == 1 && !ctx_span_eq(ctx_stmt_span(q, 0), message))
		rc = ctx_err_set(err, CTX_EANSWER,
		    "message %lld of session '%s' differs between store and archive: skipped",
		    (long long)seq, s->session_id);
	ctx_stmt_reset(q);
	return rc;
}

struct ctx_cursor {
	struct ctx_store *st;
	const struct ctx_session *s;
	struct ctx_stmt *q;
	/* q belongs to the cursor; otherwise it is the kept statement, lent to the
	 * cursor */
	bool own;
	enum ctx_stmt_id which;
	bool expects; /* *s says that there is a message, and none was found yet */
	struct ctx_message_members found; /* of the last message */
};

int
ctx_cursor_open(struct ctx_cursor **out, struct ctx_store *st,
    const struct ctx_session *s, int64_t first, int64_t last, bool down,
    struct ctx_err *err)
{
	static const char up_sql[] = "SELECT " MESSAGE_COLUMNS " "
				     "FROM message "
				     "WHERE id BETWEEN ?1 AND ?2 "
				     "ORDER BY id";
	static const char down_sql[] = "SELECT " MESSAGE_COLUMNS " "
				       "FROM message "
				       "WHERE id BETWEEN ?1 AND ?2 "
				       "ORDER BY id DESC";
	enum ctx_stmt_id which = down ? CTX_STMT_READ_DOWN : CTX_STMT_READ_UP;
	const char *sql = down ? down_sql : up_sql;
	struct ctx_stmt *q;
	bool own = st->lent[which];

	*out = NULL;
	if (first < 1)
		first = 1;
	if (last > CTX_SEQ_MAX)
		last = CTX_SEQ_MAX;
	const struct ctx_value range[] = {ctx_int(ctx_row_id(s->no, first)),
	    ctx_int(ctx_row_id(s->no, last < first ? 0 : last))};
	/* Preparing a statement takes as long as reading a dozen messages, so cursors
	 * share one kept statement. A cursor opened while another one uses it gets its
	 * own. */
	q = own ? ctx_stmt_query(&st->db, sql, range, 2, err)
		: ctx_stmt_kept(&st->db, which, sql, range, 2, err);
	if (q == NULL)
		return -1;
	*out = ctx_mem_new(sizeof(**out));
	(*out)->st = st;
	(*out)->q = q;
	(*out)->own = own;
	(*out)->which = which;
	st->lent[which] = true;
	(*out)->s = s;
	(*out)->expects = first <= last && first <= s->last_seq;
	return 0;
}

/* No message was found: checks whether the session left the store since *s was read. If
 * not, its messages may have been absent only for a moment, so the query is repeated. */
static int
look_again(struct ctx_cursor *c, struct ctx_err *err)
{
	int left = ctx_session_left(c->st, c->s, err);

	if (left != 0)
		return left < 0 ? -1 : ctx_session_left_error(c->s, left, err);
	ctx_stmt_reset(c->q);
	return ctx_stmt_step(&c->st->db, c->q, err);
}

int
ctx_cursor_next(struct ctx_cursor *c, struct ctx_stored *out, struct ctx_err *err)
{
	int rc = ctx_stmt_step(&c->st->db, c->q, err);

	if (rc == 0 && c->expects)
		rc = look_again(c, err);
	c->expects = false;
	if (rc == 1 &&
	    read_message_row(c->st, c->s->session_id, c->q, out, &c->found, err) < 0)
		return -1;
	return rc;
}

const struct ctx_message_members *
ctx_cursor_members(const struct ctx_cursor *c)
{
	return &c->found;
}

void
ctx_cursor_close(struct ctx_cursor *c)
{
	if (c == NULL)
		return;
	if (c->own) {
		ctx_stmt_free(&c->st->db, c->q);
	} else {
		ctx_stmt_reset(c->q);
		c->st->lent[c->which] = false;
	}
	free(c);
}

int
ctx_store_messages(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t last, ctx_store_message_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	if (ctx_cursor_open(&c, st, s, first, last, false, err) < 0)
		return -1;
	while ((rc = ctx_cursor_next(c, &m, err)) == 1)
		if (fn(arg, &m, err) < 0) {
			rc = -1;
			break;
		}
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

/* ---- message heads ---- */

int
ctx_store_heads(struct ctx_store *st, const struct ctx_session *s, int64_t last,
    ctx_store_head_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_range(st,
	    "SELECT id, turn, token_sum, token_count, tool_calls, role, type "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id DESC",
	    s, 1, last, err);
	int rc;

	while ((rc = ctx_stmt_step(&st->db, q, err)) == 1) {
		struct ctx_row r = {&st->db, q, "message", err, false};
		struct ctx_stored_head e = {ctx_row_seq(ctx_stmt_int64(q, 0)),
		    ctx_row_whole(&r, 1, "turn", 0, CTX_SEQ_MAX),
		    ctx_row_whole(&r, 2, "token_sum", 0, CTX_COUNT_MAX),
		    ctx_row_whole(&r, 3, "token_count", 0, CTX_RECORD_TOKENS_MAX),
		    ctx_row_whole(&r, 4, "tool_calls", 0, CTX_RECORD_TOKENS_MAX),
		    (int)ctx_row_whole(&r, 5, "role", 0, CTX_ROLE_TOOL),
		    (int)ctx_row_whole(&r, 6, "type", 0, CTX_TYPE_SUMMARY)};
		rc = ctx_row_end(&r) < 0 ? -1 : fn(arg, &e, err);
		if (rc <= 0)
			break;
	}
	ctx_stmt_free(&st->db, q);
	return rc < 0 ? -1 : 0;
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
	struct ctx_stmt *q;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(copies) / sizeof(copies[0]); i++) {
		q = ctx_stmt_range(st, copies[i], from, 0, seq, err);
		ctx_stmt_bind_int(q, 3, ctx_row_id(to->no - from->no, 0));
		rc = ctx_stmt_run(&st->db, q, err);
		ctx_stmt_free(&st->db, q);
	}
	if (rc < 0)
		return -1;
	q = ctx_stmt_range(st, counts, to, 0, CTX_SEQ_MAX, err);
	rc = ctx_stmt_step(&st->db, q, err);
	if (rc == 1) {
		to->message_count = ctx_stmt_int64(q, 0);
		to->tool_call_count = ctx_stmt_int64(q, 1);
		to->token_count = ctx_stmt_int64(q, 2);
		to->last_message_at = ctx_stmt_int(q, 3);
		to->last_seq = ctx_row_seq(ctx_stmt_int64(q, 4));
		to->last_turn = ctx_stmt_int64(q, 5);
		to->hidden_count = ctx_stmt_int64(q, 6);
		to->has_pins = from->has_pins;
	}
	ctx_stmt_free(&st->db, q);
	return rc < 0 ? -1 : ctx_store_summary_copy(st, from, seq, to, err);
}
