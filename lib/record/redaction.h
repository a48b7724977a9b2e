/* Redaction of stored messages: computes the replacement of a message, or of a text
 * inside it, and of copies of both in other records. */
#ifndef CTX_RECORD_REDACTION_H
#define CTX_RECORD_REDACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define CTX_REDACTION_MARK "[redacted]" /* replaces a removed text */

/* What to redact. Zero-fill it, then set match, seqs and n; the other members are
 * internal. */
struct ctx_redaction {
	struct ctx_span match; /* the text to remove; absent: redact whole messages */
	/* sequence numbers of the messages to redact, ascending; n == 0 means all
	 * messages */
	const int64_t *seqs;
	size_t n;

	/* Fingerprints of the redacted texts, used to recognize copies of them: */
	uint64_t *pieces; /* hashes of pieces of the texts */
	size_t n_pieces, pieces_cap;
	bool sorted;
	struct ctx_span *shorts; /* texts too short for hashes of pieces, owned */
	size_t n_shorts, shorts_cap;
};
void ctx_redaction_release(struct ctx_redaction *r);

bool ctx_redaction_has(const struct ctx_redaction *r, int64_t seq);
/* True if whole messages are redacted and at least one of the messages first to last is
 * among seqs. */
bool ctx_redaction_covers(const struct ctx_redaction *r, int64_t first, int64_t last);

/* Records the texts of a message that is redacted whole, so that copies of them are
 * recognized. Does nothing if match is set. */
void ctx_redaction_learn(struct ctx_redaction *r, struct ctx_span message);

/* Each function that returns bool stores the new value in out and returns true if
 * anything changes; otherwise it returns false and leaves out empty. All JSON values are
 * valid JSON. */

/* Redacts a message. A message that is redacted whole keeps its role, the ids of its
 * calls and results, and the names of its calls. If match is set and the message contains
 * it, reasoning is removed too, because its signature would no longer be valid. */
bool ctx_redaction_message(
    struct ctx_redaction *r, struct ctx_span message, struct ctx_buf *out);

/* Stores in out the metadata of a redacted message, with the added member "redacted".
 * metadata may be absent. Only with match set are the other members kept. */
void ctx_redaction_metadata(
    struct ctx_redaction *r, struct ctx_span metadata, struct ctx_buf *out);

/* Redacts plain text, such as a title. A text that contains a redacted message's text
 * becomes empty. */
bool ctx_redaction_text(
    struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out);

/* Redacts any other JSON value: every string in it that contains a redacted text. */
bool ctx_redaction_json(
    struct ctx_redaction *r, struct ctx_span value, struct ctx_buf *out);

/* Redacts the message of a summary. covered says whether the summary covers a message
 * that is redacted whole; then all of the summary is replaced. */
bool ctx_redaction_summary(
    struct ctx_redaction *r, struct ctx_span message, bool covered, struct ctx_buf *out);

/* Redacts a request record that contains the texts of its additions (see
 * ctx_content_unpack). If the request contained redacted messages, their sequence numbers
 * are added as the member "redacted". */
bool ctx_redaction_request(
    struct ctx_redaction *r, struct ctx_span record, struct ctx_buf *out);

/* Private to the redaction files (redaction_find.c). Searches a decoded text. If match is
 * set, stores in out the text with each occurrence replaced by CTX_REDACTION_MARK.
 * Otherwise stores only CTX_REDACTION_MARK if the text contains a text of a redacted
 * message. Returns false and leaves out empty if nothing is found. */
bool ctx_redaction_find(
    struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out);

#endif
