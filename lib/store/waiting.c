#include "store/waiting.h"

/* Where the session's last answer begins: 0 if no answer stands after its last question. */
struct answer_search {
	int64_t question, first;
};

/* A ctx_store_head_fn, called from the newest message downwards. */
static int
see_head(void *arg, const struct ctx_stored_head *e, struct ctx_err *err)
{
	struct answer_search *s = arg;

	(void)err;
	if (e->role == CTX_ROLE_ASSISTANT)
		s->first = e->seq;
	else if (s->first > 0)
		return 0;
	return e->seq > s->question;
}

struct add_to {
	struct ctx_calls *calls;
	struct ctx_message view;
};

static int
add_message_calls(void *arg, const struct ctx_stored *m, struct ctx_err *err)
{
	struct add_to *to = arg;

	if (ctx_message_parse(&to->view, m->message, err) < 0)
		return -1;
	ctx_calls_add(to->calls, &to->view, m->seq);
	return 0;
}

int
ctx_store_all_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err)
{
	struct add_to to = {calls, CTX_MESSAGE_INIT};
	int rc = s->last_seq <= 0 ? 0
				  : ctx_store_messages(st, s, 1, s->last_seq,
					add_message_calls, &to, err);

	ctx_message_release(&to.view);
	return rc < 0 ? -1 : 0;
}

int
ctx_store_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err)
{
	struct answer_search at = {s->last_turn, 0};
	struct add_to to = {calls, CTX_MESSAGE_INIT};
	int rc = 0;

	if (s->last_seq <= 0)
		return 0;
	if (ctx_store_heads(st, s, s->last_seq, see_head, &at, err) < 0)
		return -1;
	if (at.first > 0)
		rc = ctx_store_messages(
		    st, s, at.first, s->last_seq, add_message_calls, &to, err);
	ctx_message_release(&to.view);
	return rc < 0 ? -1 : 0;
}
