/* Private to lib/provider/openai. */
#ifndef CTX_OPENAI_INTERNAL_H
#define CTX_OPENAI_INTERNAL_H

#include "render/internal.h"

/* render.c: appends the list of messages. Returns 0 or -1. */
int ctx_openai_messages(struct render *r, struct ctx_buf *b);
/* Appends a message that is not a result. */
void ctx_openai_put_message(
    const struct render *r, const struct render_node *node, struct ctx_buf *b);

/* render_system.c: appends the message with the system text, if there is any. */
void ctx_openai_put_system(const struct render *r, struct ctx_buf *b);

/* compatible.c: what servers with an API like OpenAI's ask for. */
/* Appends the thinking of an answer that is a list of chunks (Mistral), as one block: several
 * in one message are refused. Returns false if there is none that is sent. */
bool ctx_openai_put_thinking(
    const struct render *r, const struct render_node *node, struct ctx_buf *b);

/* Does the server refuse an assistant message without its reasoning? */
bool ctx_openai_wants_reasoning(const struct render *r);
/* Returns the keys of a message that are sent, terminated by NULL. */
const char *const *ctx_openai_message_keys(const struct render *r);
/* Returns the role of the system message: a JSON string. */
struct ctx_span ctx_openai_system_role(const struct render *r, size_t item);

/* render_ollama.c: the messages of Ollama's own API. */
void ctx_openai_ollama(const struct render *r, struct ctx_buf *b);

#endif
