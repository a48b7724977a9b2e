#include "store/turn_state.h"

#include "json/json.h"
#include "store/row.h"
#include "store/waiting.h"

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
