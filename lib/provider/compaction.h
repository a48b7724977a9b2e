/* Compaction by the provider. A compaction request asks the provider to summarize the
 * conversation; the answer contains the summary in compaction blocks. In later requests,
 * these blocks replace everything before them and must be sent back unchanged.
 * (Anthropic, "Compaction on demand"; OpenAI, "POST /responses/compact") */
#ifndef CTX_PROVIDER_COMPACTION_H
#define CTX_PROVIDER_COMPACTION_H

#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"

/* Converts the body of an ordinary request to the body of a compaction request, and
 * appends the result. Keeps the messages up to the assistant's last message, so that the
 * prompt cache can be used. Later messages are left out, because they are not answered
 * yet. instructions: a plain text that replaces the provider's default instructions, or
 * NULL. Returns 0, or -1 with err set:
 * CTX_EUSAGE   the provider has no compaction requests, or does not accept the instructions
 * CTX_EINPUT   body is not a body of the provider
 * CTX_EANSWER  the model has not answered yet, or is in the middle of a tool loop */
int ctx_compaction_body(struct ctx_buf *out, enum ctx_provider provider,
    struct ctx_span body, const char *instructions, struct ctx_err *err);

/* Finds the newest compaction block in the content of a message (valid JSON). If there
 * is one, sets *block to the JSON of the block and returns the provider that made the
 * block (enum ctx_provider). Otherwise returns -1. An Anthropic block without text is a
 * failed compaction and is ignored. */
int ctx_compaction_find(struct ctx_span message, struct ctx_span *block);

/* Appends the text of a compaction block as a JSON string and returns true. Returns false
 * if only the provider can read the block. */
bool ctx_compaction_text(struct ctx_span block, struct ctx_buf *out);

/* Returns true if compactions of the provider contain readable text. */
bool ctx_compaction_readable(enum ctx_provider provider);

/* For a provider that answers compaction requests in a special format (POST
 * /responses/compact): appends an assistant message that contains the items of the answer
 * in the same order, and returns true. Returns false if the answer is not in that format,
 * or if the provider has no such format. */
bool ctx_compaction_items(
    enum ctx_provider provider, struct ctx_span answer, struct ctx_buf *message);

/* For the functions ctx_provider_compaction.put_body of the providers: appends a JSON
 * array of messages up to and including the last answer. list: the JSON array. Returns -1
 * with CTX_EANSWER if the array contains no answer, or if a tool call or a tool result
 * follows the last answer. */
int ctx_compaction_put_answered(
    struct ctx_buf *out, struct ctx_span list, struct ctx_err *err);

#endif
