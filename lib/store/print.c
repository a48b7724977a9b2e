#include "store/store.h"

#include "record/record.h"

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
