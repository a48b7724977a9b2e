/* Compaction by the provider: a request that asks for it, and what it returns. The
 * returned blocks stand for everything before them, and go back as they came. (Anthropic,
 * "Compaction on demand"; OpenAI, "POST /responses/compact") */
#ifndef CTX_PROVIDER_COMPACTION_H
#define CTX_PROVIDER_COMPACTION_H

#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"

/* Appends the body of a compaction request, made from the body of an ordinary one: the
 * same up to the assistant's last message, so that a prompt cache is read; what follows
 * is still to be answered and stays outside. instructions (plain text, or NULL) replace
 * Anthropic's own. CTX_EUSAGE if the provider has no such request or takes no
 * instructions; CTX_EANSWER if there is no answer to compact, or a call waits for its
 * result. */
int ctx_compaction_body(struct ctx_buf *out, enum ctx_provider provider,
    struct ctx_span body, const char *instructions, struct ctx_err *err);

/* Finds the newest block of a compaction in the content of a message (valid JSON). Returns
 * the provider that made it and sets *block to its JSON; -1 if there is none. A block of
 * Anthropic's without text is a compaction that failed and counts as none. */
int ctx_compaction_find(struct ctx_span message, struct ctx_span *block);

/* Appends, as a JSON string, the text of a compaction block. Returns false if only its
 * provider can read it. */
bool ctx_compaction_text(struct ctx_span block, struct ctx_buf *out);

/* True if others than the provider can read its compactions. */
bool ctx_compaction_readable(enum ctx_provider provider);

/* Appends the message that holds the answer to a compaction request that has a shape of its
 * own (POST /responses/compact): its items, in order. Returns false if the JSON text is not
 * such an answer, or the provider has none. */
bool ctx_compaction_items(
    enum ctx_provider provider, struct ctx_span answer, struct ctx_buf *message);

/* For the providers: appends the list of messages up to the last answer. CTX_EANSWER as
 * above. */
int ctx_compaction_put_answered(
    struct ctx_buf *out, struct ctx_span list, struct ctx_err *err);

#endif
