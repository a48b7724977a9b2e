/* Private to lib/provider/openai. */
#ifndef CTX_OPENAI_INTERNAL_H
#define CTX_OPENAI_INTERNAL_H

#include "render/internal.h"

/* render.c: Appends the list of messages. Returns 0, or -1 on error. */
int ctx_openai_messages(struct render *r, struct ctx_buf *b);
/* Appends a message other than a tool result. */
void ctx_openai_put_message(
    const struct render *r, const struct render_node *node, struct ctx_buf *b);

/* render_system.c: Appends the message with the system text; appends nothing if there is
 * no system text. */
void ctx_openai_put_system(const struct render *r, struct ctx_buf *b);

/* compatible.c: functions for servers with an API like OpenAI's, which may require other
 * formats. */
/* Appends the thinking of an answer if the thinking is a list of chunks (Mistral).
 * Several thinking parts are joined in one block, because Mistral refuses more than one
 * per message. Returns false if no thinking is sent. */
bool ctx_openai_put_thinking(
    const struct render *r, const struct render_node *node, struct ctx_buf *b);

/* True if the server refuses assistant messages without their reasoning. */
bool ctx_openai_wants_reasoning(const struct render *r);
/* Returns the keys of a message's members that are sent; the list is terminated by
 * NULL. */
const char *const *ctx_openai_message_keys(const struct render *r);
/* Returns the role, a JSON string, with which the system message is sent. */
struct ctx_span ctx_openai_system_role(const struct render *r, size_t item);

/* render_ollama.c: Appends the messages in the format of Ollama's own API. */
void ctx_openai_ollama(const struct render *r, struct ctx_buf *b);

#endif
