/* Redacts messages of a session, and records that in an event. Copies in other rows:
 * redaction_copies.c. */
#include "record/record.h"
#include "store/redaction.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/message.h"
#include "store/redaction_copies.h"
#include "store/row.h"
#include "tokens/tokens.h"

/* ---- a message ---- */

int
ctx_store_redaction_count(struct ctx_span message, int64_t *tokens, struct ctx_err *err)
{
	struct ctx_tokenizer *t = NULL;
	struct ctx_message m = CTX_MESSAGE_INIT;
	int rc = ctx_tokenizer_open(&t, CTX_TOKENIZER_DEFAULT, NULL, err);

	if (rc == 0)
		rc = ctx_message_parse(&m, message, err);
	if (rc == 0)
		*tokens = ctx_tokens_message(t, &m);
	ctx_message_release(&m);
	ctx_tokenizer_close(t);
	return rc;
}

/* Stores the redacted message. The token sums of the messages after it change too. */
static int
update_redacted_row(struct ctx_store *st, struct ctx_session *s, int64_t seq,
    int64_t before, struct ctx_span message, struct ctx_span metadata,
    struct ctx_err *err)
{
	int64_t tokens;

	if (ctx_store_redaction_count(message, &tokens, err) < 0 ||
	    ctx_stmt_do(&st->db,
		"UPDATE message "
		"SET body = ?2, crc = ?3, token_count = ?4, tokenizer = 0, metadata = ?5 "
		"WHERE id = ?1",
		CTX_VALUES(ctx_int(ctx_row_id(s->no, seq)), ctx_text(message),
		    ctx_int(ctx_hash_crc32(message.p, message.n)), ctx_int(tokens),
		    ctx_text(metadata)),
		err) < 0 ||
	    ctx_stmt_do(&st->db,
		"UPDATE message "
		"SET token_sum = token_sum + ?3 "
		"WHERE id > ?1 AND id <= ?2",
		CTX_VALUES(ctx_int(ctx_row_id(s->no, seq)),
		    ctx_int(ctx_row_id(s->no, CTX_SEQ_MAX)), ctx_int(tokens - before)),
		err) < 0)
		return -1;
	s->token_count += tokens - before;
	return 0;
}

static int
redact_row(struct ctx_store *st, struct ctx_session *s, int64_t seq,
    struct ctx_store_redaction *job, struct ctx_err *err)
{
	struct ctx_buf fresh = CTX_BUF_INIT, marked = CTX_BUF_INIT;
	struct ctx_cursor *c = ctx_cursor_open(st, s, seq, seq, false, err);
	struct ctx_stored m;
	int64_t before = -1; /* tokens of the message that is to be replaced */
	int rc = ctx_cursor_next(c, &m, err);

	if (rc == 1 && ctx_redaction_message(job->what, m.message, &fresh)) {
		ctx_redaction_metadata(job->what, m.metadata, &marked);
		job->removed(job->arg, m.message, ctx_buf_span(&fresh));
		job->removed(job->arg, m.metadata, ctx_buf_span(&marked));
		job->messages++;
		before = m.token_count;
	}
	ctx_cursor_close(c);
	if (before >= 0)
		rc = update_redacted_row(
		    st, s, seq, before, ctx_buf_span(&fresh), ctx_buf_span(&marked), err);
	ctx_buf_release(&fresh);
	ctx_buf_release(&marked);
	return rc < 0 ? -1 : 0;
}

/* Passes the text of each message to be redacted to job->what, so that copies of it are
 * recognized. All are read before the first is changed. */
static int
learn_rows(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_redaction *job, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < job->what->n; i++) {
		int64_t seq = job->what->seqs[i];
		struct ctx_cursor *c;
		struct ctx_stored m;
		if (seq > s->last_seq)
			continue;
		c = ctx_cursor_open(st, s, seq, seq, false, err);
		rc = ctx_cursor_next(c, &m, err);
		if (rc == 1)
			ctx_redaction_learn(job->what, m.message);
		ctx_cursor_close(c);
	}
	return rc < 0 ? -1 : 0;
}

/* ---- the event ---- */

static int
add_redact_event(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_store_redaction *job, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	ctx_event_open(&b, s->session_id, job->now, "redact");
	ctx_json_add_open(&b, "seqs", '[');
	for (size_t i = 0; i < job->what->n; i++)
		ctx_json_put_int(&b, job->what->seqs[i]);
	ctx_json_put_close(&b, ']');
	if (job->what->match.p != NULL)
		ctx_json_add_bool(&b, "match", true);
	ctx_json_add_bool(&b, "unfinished", true);
	ctx_json_put_close(&b, '}');
	rc = ctx_store_event_add(st, s, job->now, ctx_buf_span(&b), NULL, err);
	ctx_buf_release(&b);
	return rc;
}

int
ctx_store_redact(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_redaction *job, struct ctx_err *err)
{
	int rc = learn_rows(st, s, job, err);

	for (size_t i = 0; rc == 0 && i < job->what->n; i++)
		rc = redact_row(st, s, job->what->seqs[i], job, err);
	if (rc == 0)
		rc = ctx_store_redact_copies(st, s, job, err);
	if (rc == 0)
		rc = add_redact_event(st, s, job, err);
	if (rc == 0) {
		s->updated_at = s->updated_at < job->now ? job->now : s->updated_at;
		rc = ctx_store_session_update(st, s, err);
	}
	return rc;
}

/* Returns true if the record is the event of an unfinished redaction of these messages,
 * and possibly of others. */
static bool
is_pending_redaction(struct ctx_span record, const struct ctx_redaction *what)
{
	struct ctx_span seqs = ctx_json_get(record, "seqs");
	size_t found = 0;
	int64_t seq;

	if (!ctx_json_is(ctx_json_get(record, "event"), "redact") ||
	    !ctx_json_true(ctx_json_get(record, "unfinished")) ||
	    ctx_json_true(ctx_json_get(record, "match")) != (what->match.p != NULL))
		return false;
	CTX_JSON_EACH(it, seqs)
		found += ctx_json_int(it.value, &seq) && ctx_redaction_has(what, seq);
	return found >= what->n;
}

struct pending_redaction {
	const struct ctx_redaction *what;
	bool found;
};

static int
look_for_pending(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct pending_redaction *p = arg;

	p->found |= is_pending_redaction(record, p->what);
	return 0;
}

int
ctx_store_redact_pending(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_redaction *what, struct ctx_err *err)
{
	struct pending_redaction p = {what, false};

	if (ctx_store_events(st, s, look_for_pending, &p, err) < 0)
		return -1;
	return p.found;
}

static int
finish_event(void *arg, struct ctx_span record, struct ctx_buf *out)
{
	struct pending_redaction *p = arg;

	if (!is_pending_redaction(record, p->what))
		return 0;
	ctx_json_put_changed(out, record, "unfinished", CTX_SPAN_NONE);
	return 1;
}

int
ctx_store_redact_finish(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_redaction *what, struct ctx_err *err)
{
	struct pending_redaction p = {what, false};

	return ctx_store_change_events(st, s, finish_event, &p, err);
}
