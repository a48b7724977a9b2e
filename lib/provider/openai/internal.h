/* Private to lib/provider/openai. */
#ifndef CTX_OPENAI_INTERNAL_H
#define CTX_OPENAI_INTERNAL_H

#include "render/internal.h"

/* Appends the list of messages (render.c). Returns 0, or -1 on error. */
int ctx_openai_messages(struct render *r, struct ctx_buf *b);
/* The functions from here on are for servers whose API is compatible with OpenAI's, but
 * requires other formats in some places (compatible.c). */
/* For Mistral, whose thinking is a list of chunks: appends all thinking of an answer as
 * one block, because Mistral refuses messages with several blocks of thinking. Returns
 * true if a block was appended, and false if the answer has no thinking to send. */
bool ctx_openai_put_thinking(
    const struct render *r, const struct render_node *node, struct ctx_buf *b);

/* Returns true if the server refuses assistant messages without their reasoning. */
bool ctx_openai_wants_reasoning(const struct render *r);
/* Returns the keys of the message members that the server accepts, as a NULL-terminated
 * list. Other members are not sent. */
const char *const *ctx_openai_message_keys(const struct render *r);
/* Returns the role (a JSON string) with which a system message is sent. item: the index
 * of the message. */
struct ctx_span ctx_openai_system_role(const struct render *r, size_t item);

/* Appends the messages in the format of Ollama's own API (render_ollama.c). */
void ctx_openai_ollama(const struct render *r, struct ctx_buf *b);

#endif
