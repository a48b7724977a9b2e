#include "store/waiting.h"

#include <stdlib.h>

#include "json/json.h"
#include "store/row.h"

/* The search for the session's last visible answer: first is its first message; 0 if no
 * answer follows the last question. */
struct answer_search {
	int64_t first;
	const struct ctx_seq_range *hidden;
	size_t n_hidden;
};

/* A ctx_store_head_fn; messages come newest first. */
static int
see_head(void *arg, const struct ctx_stored_head *e, struct ctx_err *err CTX_UNUSED)
{
	struct answer_search *s = arg;

	if (ctx_seq_range_at(s->hidden, s->n_hidden, e->seq) != NULL)
		return 1;
	if (e->role == CTX_ROLE_ASSISTANT)
		s->first = e->seq;
	else if (s->first > 0)
		return 0;
	return e->turn != e->seq; /* stop at a question */
}

struct add_to {
	struct ctx_calls *calls;
	const struct answer_search *at;
	struct ctx_message view;
};

static int
add_message_calls(void *arg, const struct ctx_stored *m, struct ctx_err *err)
{
	struct add_to *to = arg;

	if (ctx_seq_range_at(to->at->hidden, to->at->n_hidden, m->seq) != NULL)
		return 0;
	if (ctx_message_parse(&to->view, m->message, err) < 0)
		return -1;
	ctx_calls_add(to->calls, &to->view, m->seq);
	return 0;
}

/* Adds the calls without results. A hidden call is ignored; a call whose result is hidden
 * is without a result again. */
static int
read_waiting_calls(struct ctx_store *st, const struct ctx_session *s, bool all,
    struct ctx_calls *calls, struct ctx_err *err)
{
	struct answer_search at = {.first = all};
	struct add_to to = {calls, &at, CTX_MESSAGE_INIT};
	struct ctx_seq_range *hidden = NULL;
	int rc = 0;

	if (s->last_seq <= 0)
		return 0;
	if (s->hidden_count > 0)
		rc = ctx_store_hidden(st, s, &hidden, &at.n_hidden, err);
	at.hidden = hidden;
	if (rc == 0 && !all &&
	    ctx_store_heads(st, s, s->last_seq, see_head, &at, err) < 0)
		rc = -1;
	if (rc == 0 && at.first > 0)
		rc = ctx_store_messages(
		    st, s, at.first, s->last_seq, add_message_calls, &to, err);
	ctx_message_release(&to.view);
	free(hidden);
	return rc < 0 ? -1 : 0;
}

int
ctx_store_all_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err)
{
	return read_waiting_calls(st, s, true, calls, err);
}

int
ctx_store_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err)
{
	return read_waiting_calls(st, s, false, calls, err);
}

struct last_failure {
	int64_t for_seq;
	bool failed;
};

/* A ctx_store_record_fn: the newest of the requests without an answer. */
static int
take_last_failure(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct last_failure *f = arg;
	int64_t seq;

	f->failed = ctx_json_is(ctx_json_get(record, "status"), "failed") &&
		    ctx_json_int(ctx_json_get(record, "for_seq"), &seq) &&
		    seq == f->for_seq;
	return 1;
}

int
ctx_store_turn_state(struct ctx_store *st, const struct ctx_session *s,
    enum ctx_turn_state *state, struct ctx_err *err)
{
	struct last_failure failure = {s->last_seq, false};
	struct ctx_calls calls = CTX_CALLS_INIT;
	int64_t role;
	int rc = ctx_stmt_ints(&st->db, "SELECT role FROM message WHERE id = ?1",
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, s->last_seq))), &role, 1, err);

	*state = CTX_TURN_DONE;
	if (rc <= 0)
		return rc;
	rc = 0;
	if (role == CTX_ROLE_USER || role == CTX_ROLE_TOOL)
		*state = CTX_TURN_OPEN;
	if (role == CTX_ROLE_ASSISTANT) {
		rc = ctx_store_calls(st, s, &calls, err);
		if (calls.n > 0)
			*state = CTX_TURN_OPEN;
		ctx_calls_release(&calls);
	}
	if (rc == 0 && *state == CTX_TURN_OPEN && role != CTX_ROLE_ASSISTANT)
		rc = ctx_store_failed(st, s, take_last_failure, &failure, err);
	if (rc == 0 && failure.failed)
		*state = CTX_TURN_FAILED;
	return rc;
}
