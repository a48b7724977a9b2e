#include "store/store.h"

#include <string.h>

#include "record/message.h"
#include "store/fulltext.h"
#include "store/purge.h"

#define LOOKED_AT 16  /* number of messages in which the first question is searched for */
#define TITLE_MAX 400 /* longest title made from a question, in bytes */

/* Appends the text of a message that begins a turn of the user. Returns false if it is
 * not such a message. */
static bool
take_question(struct ctx_buf *out, const struct ctx_stored *m)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	size_t before = out->n;

	if (m->role == CTX_ROLE_USER &&
	    ctx_message_parse(&view, m->message, &ignored) == 0 &&
	    ctx_message_starts_turn(&view))
		ctx_message_text(&view, out);
	ctx_message_release(&view);
	return out->n > before;
}

static int
find_question(struct ctx_store *st, const struct ctx_session *s, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_cursor *c = ctx_cursor_open(st, s, 1, LOOKED_AT, false, err);
	struct ctx_stored m;
	int rc;

	while ((rc = ctx_cursor_next(c, &m, err)) == 1)
		if (take_question(out, &m))
			break;
	ctx_cursor_close(c);
	return rc;
}

static int
find_kept_question(struct ctx_store *st, const struct ctx_session *s, struct ctx_buf *out,
    struct ctx_err *err)
{
	size_t before = out->n;
	int64_t created_at;
	int role, rc = 0;

	for (int64_t seq = 1; rc >= 0 && seq <= LOOKED_AT && seq <= s->last_seq; seq++) {
		rc = ctx_fulltext_kept(st, s->no, seq, out, &role, &created_at, err);
		if (rc == 1 && role == CTX_ROLE_USER && out->n > before)
			return 1;
		out->n = before;
	}
	return rc < 0 ? -1 : 0;
}

int
ctx_store_title(struct ctx_store *st, const struct ctx_session *s, struct ctx_buf *out,
    struct ctx_err *err)
{
	size_t before = out->n;
	int rc;

	if (s->title != NULL && s->title[0] != '\0') {
		ctx_buf_adds(out, s->title);
		return 0;
	}
	rc = ctx_archive_cleaned(s) ? find_kept_question(st, s, out, err)
				    : find_question(st, s, out, err);
	if (rc < 0 && (err->code == CTX_EMOVED || err->code == CTX_EANSWER)) {
		*err = (struct ctx_err)CTX_ERR_INIT;
		rc = 0;
	}
	if (out->n > before + TITLE_MAX)
		out->n = before + TITLE_MAX;
	return rc < 0 ? -1 : 0;
}
