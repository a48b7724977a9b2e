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
	struct ctx_span message; /* checked JSON, verbatim; borrowed */
	enum ctx_slot slot;
	int64_t seq;            /* for messages of error reports; -1 unknown */
	int64_t created_at;     /* ms; CTX_TIME_NONE unknown; text formats show it */
	struct ctx_span source; /* JSON object of an addition, or absent */
	bool paused;            /* an answer that the model is to go on with */
	const char
	    *withheld; /* why the answer is not sent (its stop reason); NULL: it is */
	struct ctx_span metadata; /* of its record, or absent */
	bool unbound; /* its reasoning was made behind something else, and stays out */
	bool sent;    /* an earlier request of the run held it */
	bool late; /* a tool that came after the run began: it goes among the messages */
};

enum ctx_thinking { CTX_THINKING_AUTO, CTX_THINKING_KEEP, CTX_THINKING_STRIP };

/* What a body says otherwise than the messages did. Owned by the caller. */
struct ctx_render_report {
	struct ctx_buf names;   /* of tools: members of a JSON object, sent to stored */
	struct ctx_buf omitted; /* what the provider has no place for, in order: elements
				 * of a JSON array, {"seq","type"}; of an answer that
				 * is not sent {"seq","type":"answer","reason"} */
};

struct ctx_render_options {
	enum ctx_provider provider;
	struct ctx_span
	    params; /* a checked JSON object merged into the body, or absent */
	enum ctx_thinking thinking;
	bool cut;        /* messages before the first one kept were left out */
	bool transcript; /* what was said, not to be sent: it may begin and end
				       * with anyone, and lack results; a result without a
				       * call is left out */
	bool in_run; /* the request belongs to a run: reasoning of the messages after this
		      * one goes back, and no other */
	int64_t reasoning_after;
	int64_t now; /* ms: audio of an answer goes back by its id while it lives; or
		      * CTX_TIME_NONE: it lives */
	bool system_inside;    /* the model takes system messages among the others */
	const char *cache_key; /* of OpenAI's prompt cache; NULL: none */
	const char *cache;     /* lifetime of cache marks, "5m" or "1h"; NULL: no marks */
	struct ctx_render_report *report; /* appended to on success; NULL: not wanted */
};

/* Append the request body, one line without a newline at the end. The same input gives
 * the same bytes; no number is rewritten. CTX_EANSWER, with the message and the reason,
 * for what cannot be sent: no user message, a first message that is not the user's, a
 * last one of the assistant, a call without result, a result without call, a second
 * result. CTX_EUSAGE when params hold messages or contents. On errors nothing is added.
 *
 * Order: the members of params, then system text, prefix, summary, history. Volatile items
 * of any role become parts in front of the text of their user message, where they stay
 * for the rest of the turn. System and developer messages of the other slots make up the
 * system text: prefix first, then those that open the history, summary, the rest. A
 * summary of another role is told as the user's, in a user message of its own (OpenAI) or
 * merged into the first (Anthropic, Gemini).
 *
 * Results stand right behind their calls, in the order of the calls. Of calls with one id
 * the second is sent with "_2" behind the id, and so on; each takes the next result.
 *
 * Shapes: a message in the shape of the provider keeps the bytes of its members, less the
 * members that a request must not have. Arguments go over as text; text that is no JSON
 * object becomes {"input": text}, empty text {}. Images, PDF documents and audio go over
 * where the provider has a place for them; of all else the text, or from a user "[type]". A result's
 * images follow in a user message where the result cannot hold them (OpenAI, Gemini).
 * is_error becomes "Error: " before the text (OpenAI) or the key "error" (Gemini).
 * Thinking goes back only to the provider that signed it, byte for byte, and without a
 * signature only when CTX_THINKING_KEEP says so. Text that is empty or white space alone is
 * left out, as are messages that hold nothing else; OpenAI takes such text from a user,
 * so there it stays. */
int ctx_render_body(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_err *err);

/* Additions that bring a tool's definition (ctx_message_tool) go into the list of tools,
 * behind those of params, unless one of these has the name; not into the text. */

/* Tokens that params (checked JSON) add to a body: tool definitions, and system text
 * given there. */
int64_t ctx_render_params_tokens(struct ctx_tokenizer *t, struct ctx_span params);

/* For people: "text" is role and text of each message; "markdown" a readable transcript
 * with texts in block quotes, tool calls and results in fences. No line of a message can pass
 * for one that begins a message. Thinking is left out. Terminal control characters
 * are made visible as \xNN. Order: prefix, the system messages that open the history,
 * summary, history with its volatile items. CTX_EINPUT for what is no message; then nothing
 * is added. */
int ctx_render_text(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err);
int ctx_render_markdown(struct ctx_buf *out, const struct ctx_render_item *items,
    size_t n, struct ctx_err *err);

/* One prompt of plain text, sections with an empty line between: prefix, summary, history,
 * volatile additions, topic, the message that begins the current turn, what followed it,
 * instructions (the note of that name). Errors as above. */
int ctx_render_prompt(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err);

#endif
