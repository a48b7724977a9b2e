/* Rendering: from messages to what a provider or a person reads. Pure: no store, no I/O.
 * The provider rules that a body obeys are listed in ctx-lint(1). */
#ifndef CTX_RENDER_RENDER_H
#define CTX_RENDER_RENDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/message.h"
#include "record/provider.h"
#include "record/record.h"
#include "tokens/tokens.h"

/* One message of a request, in stream order. A volatile item belongs to the first user
 * message that begins a turn behind it; prefix and summary items may stand anywhere. */
struct ctx_render_item {
	struct ctx_span message;   /* checked JSON, verbatim; borrowed */
	enum ctx_slot slot;
	int64_t seq;               /* for messages of error reports; -1 unknown */
	int64_t created_at;        /* ms; CTX_TIME_NONE unknown; text formats show it */
	struct ctx_span source;    /* JSON object of an addition, or absent */
};

enum ctx_thinking { CTX_THINKING_AUTO, CTX_THINKING_KEEP, CTX_THINKING_STRIP };

struct ctx_render_options {
	enum ctx_provider provider;
	struct ctx_span params;       /* a checked JSON object merged into the body, or absent */
	enum ctx_thinking thinking;
	bool cut;                     /* messages before the first one kept were left out */
};

/* Append the request body, one line without a newline at the end. The same input gives
 * the same bytes. What cannot be sent (no user message, a call not answered, a last
 * message from the assistant, …) is CTX_EANSWER with the reason and adds nothing. */
int ctx_render_body(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_err *err);

/* Tokens that params add to a body: tool definitions, and system text given there. */
int64_t ctx_render_params_tokens(struct ctx_tokenizer *t, struct ctx_span params);

/* For people: "text" is role and text of each message; "markdown" a readable transcript
 * with tool calls and results in fences. Terminal control characters are made visible. */
int ctx_render_text(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err);
int ctx_render_markdown(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err);

#endif
