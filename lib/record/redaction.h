/* Redaction of stored messages: what replaces a message, or a text in it, and the copies of
 * either in other records. */
#ifndef CTX_RECORD_REDACTION_H
#define CTX_RECORD_REDACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_REDACTION_MARK "[redacted]" /* stands in the place of a removed text */

/* What is redacted. The caller sets the first members; start zero-filled. */
struct ctx_redaction {
	struct ctx_span match; /* the text to remove; absent: whole messages */
	/* sequence numbers of the messages, ascending; n == 0: all messages */
	const int64_t *seqs;
	size_t n;

	/* texts of the messages, by which copies of them are recognised */
	uint64_t *pieces; /* hashes of their pieces */
	size_t n_pieces, pieces_cap;
	bool sorted;
	struct ctx_span *shorts; /* texts that are too short for pieces, owned */
	size_t n_shorts, shorts_cap;
};
void ctx_redaction_release(struct ctx_redaction *r);

bool ctx_redaction_has(const struct ctx_redaction *r, int64_t seq);
/* True if one of the messages first to last is redacted whole. */
bool ctx_redaction_covers(const struct ctx_redaction *r, int64_t first, int64_t last);

/* Learns the texts of a message that is redacted whole. Does nothing with match. */
void ctx_redaction_learn(struct ctx_redaction *r, struct ctx_span message);

/* In all of these: out gets the new value, and true is returned, if anything changes;
 * otherwise out is left empty. Values are valid JSON. */

/* A message that is redacted. A whole message keeps its role, the ids of its calls and
 * results, and the names of its calls. With match, reasoning is dropped from a message that
 * changes, because its signature no longer fits. */
bool ctx_redaction_message(
    struct ctx_redaction *r, struct ctx_span message, struct ctx_buf *out);

/* The metadata of a redacted message (may be absent), with the mark "redacted". */
void ctx_redaction_metadata(
    struct ctx_redaction *r, struct ctx_span metadata, struct ctx_buf *out);

/* Plain text: a title. Text that holds a message's text becomes empty. */
bool ctx_redaction_text(
    struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out);

/* Any other JSON value: each string that holds the text. */
bool ctx_redaction_json(
    struct ctx_redaction *r, struct ctx_span value, struct ctx_buf *out);

/* A summary's message; covered: it stands for a message that is redacted whole. */
bool ctx_redaction_summary(
    struct ctx_redaction *r, struct ctx_span message, bool covered, struct ctx_buf *out);

/* A request record with the texts of its additions (ctx_content_unpack). One that held
 * something that is redacted gets a member "redacted", the sequence numbers. */
bool ctx_redaction_request(
    struct ctx_redaction *r, struct ctx_span record, struct ctx_buf *out);

/* Private to redaction (redaction_find.c). Looks for what is redacted in a decoded text.
 * With match, *out gets the text without it; without, CTX_REDACTION_MARK if it holds a text
 * of a redacted message. Returns false and leaves out empty if there is nothing. */
bool ctx_redaction_find(
    struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out);

#endif
