/* Redaction of stored messages: computes the new values of redacted messages, of
 * messages that contain a redacted text, and of other records that contain copies of
 * these texts. */
#ifndef CTX_RECORD_REDACTION_H
#define CTX_RECORD_REDACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_REDACTION_MARK "[redacted]" /* replaces a removed text */

/* Says what to redact. Zero-fill it, then set the members "match", "seqs" and "n"; the
 * other members are internal. */
struct ctx_redaction {
	struct ctx_span match; /* the text to remove; absent: redact whole messages */
	/* sequence numbers of the messages to redact, ascending; if n is 0, all messages
	 * are redacted */
	const int64_t *seqs;
	size_t n;

	/* Fingerprints of the redacted texts, used to recognize copies of them: */
	uint64_t *pieces; /* hashes of short pieces of the redacted texts */
	size_t n_pieces, pieces_cap;
	bool sorted;
	/* redacted texts that are shorter than one piece; owned */
	struct ctx_span *shorts;
	size_t n_shorts, shorts_cap;
};
void ctx_redaction_release(struct ctx_redaction *r);

bool ctx_redaction_has(const struct ctx_redaction *r, int64_t seq);
/* Returns true if whole messages are redacted (r->match is absent) and at least one of
 * the messages with sequence numbers from first to last is redacted. */
bool ctx_redaction_covers(const struct ctx_redaction *r, int64_t first, int64_t last);

/* Call for each message that will be redacted as a whole. Stores fingerprints of the
 * message's texts in *r, so that copies of these texts are recognized later. Does nothing
 * if r->match is set, because then only parts of messages are redacted. */
void ctx_redaction_learn(struct ctx_redaction *r, struct ctx_span message);

/* Each function below that returns bool stores the redacted value in *out and returns
 * true if redaction changes the value; otherwise it leaves *out empty and returns false.
 * JSON arguments must be valid JSON. */

/* Redacts a message. If the whole message is redacted, the message keeps its role, the
 * ids of its calls and results, and the names of the called tools. If r->match is set and
 * the message contains the text r->match, reasoning is removed too, because the signature
 * of the reasoning would no longer be valid. */
bool ctx_redaction_message(
    struct ctx_redaction *r, struct ctx_span message, struct ctx_buf *out);

/* Stores the new metadata of a redacted message in *out: a JSON object with the member
 * "redacted". metadata: the old metadata; may be absent. If r->match is set, the members
 * of the old metadata are copied too, with the text r->match redacted. */
void ctx_redaction_metadata(
    struct ctx_redaction *r, struct ctx_span metadata, struct ctx_buf *out);

/* Redacts plain text, such as a title. If whole messages are redacted and the plain text
 * contains a text of such a message, the redacted value is an empty text. */
bool ctx_redaction_text(
    struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out);

/* Redacts a JSON value that is neither a message nor a summary: every string inside the
 * value that contains a redacted text is redacted. */
bool ctx_redaction_json(
    struct ctx_redaction *r, struct ctx_span value, struct ctx_buf *out);

/* Redacts the message of a summary. covered: true if the summary covers a message that is
 * redacted as a whole; the whole text of the summary is then replaced. */
bool ctx_redaction_summary(
    struct ctx_redaction *r, struct ctx_span message, bool covered, struct ctx_buf *out);

/* Redacts a request record, including the texts that were added to the request
 * (additions; see ctx_content_unpack). If redacted messages were part of the request,
 * their sequence numbers are stored in the record's member "redacted". */
bool ctx_redaction_request(
    struct ctx_redaction *r, struct ctx_span record, struct ctx_buf *out);

/* Private to the redaction files (redaction_find.c). Searches a decoded text. If r->match
 * is set, replaces each occurrence of r->match in the text with CTX_REDACTION_MARK. If
 * r->match is absent and the text contains a text of a redacted message, replaces the
 * whole text with CTX_REDACTION_MARK. Stores the result in *out and returns true if
 * anything was replaced; otherwise leaves *out empty and returns false. */
bool ctx_redaction_find(
    struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out);

#endif
