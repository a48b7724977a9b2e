/* Rendering turns messages into what a provider or a person reads. Pure: no store, no
 * I/O. ctx-lint(1) lists the provider rules that a body obeys. */
#ifndef CTX_RENDER_RENDER_H
#define CTX_RENDER_RENDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "provider/server.h"
#include "record/message.h"
#include "provider/provider.h"
#include "record/record.h"
#include "tokens/tokens.h"

/* One message of a request, in stream order. A volatile item belongs to the next user
 * message that starts a turn; prefix and summary items can be anywhere. */
struct ctx_render_item {
	struct ctx_span message; /* valid JSON, verbatim; borrowed */
	enum ctx_slot slot;
	int64_t seq;            /* for messages of error reports; -1: unknown */
	int64_t created_at;     /* ms, for text formats; CTX_TIME_NONE: unknown */
	struct ctx_span source; /* JSON object of an addition, or absent */
	bool paused;            /* an answer that the model shall continue */
	const char
	    /* stop reason for which the answer is not sent; NULL: it is sent */
	    *withheld;
	struct ctx_span metadata; /* of its record, or absent */
	bool unbound; /* its reasoning was made after other messages and is not sent */
	bool sent;    /* an earlier request of the run held it */
	/* a tool added after the run started: it is placed among the messages */
	bool late;
	/* a volatile item that is a system message of its own: before its user message,
	 * for Anthropic after it */
	bool inside;
};

enum ctx_thinking { CTX_THINKING_AUTO, CTX_THINKING_KEEP, CTX_THINKING_STRIP };

/* Differences between the body and the messages. Owned by the caller. */
struct ctx_render_report {
	/* renamed tools: members of a JSON object, from sent to stored */
	struct ctx_buf names;
	/* what the provider has no place for, in order: elements of a JSON array,
	 * {"seq","type"}; for an answer that is not sent
	 * {"seq","type":"answer","reason"} */
	struct ctx_buf omitted;
};

struct ctx_render_options {
	enum ctx_provider provider;
	struct ctx_span params; /* a valid JSON object merged into the body, or absent */
	enum ctx_thinking thinking;
	bool cut; /* messages before the first one were left out */
	/* a transcript that is not sent: it may start and end with any role and lack
	 * results; a result without a call is left out */
	bool transcript;
	/* the request belongs to a run: only reasoning of messages after this one is
	 * sent back */
	bool in_run;
	int64_t reasoning_after;
	/* ms; audio of an answer is sent back by its id until it expires;
	 * CTX_TIME_NONE: it does not expire */
	int64_t now;
	const struct ctx_server
	    *server; /* that the body is for; NULL: the provider's own */
	/* a body for Responses as it was before it followed the types of OpenAI's SDK */
	bool untyped;
	bool system_inside;    /* the model accepts system messages among the others */
	bool rules_inside;     /* rules and instructions are such messages (bound.h) */
	const char *cache_key; /* key of OpenAI's prompt cache; NULL: none */
	/* OpenAI: the system text is an array of parts, the only form that a breakpoint of
	 * the prompt cache can end */
	bool system_parts;
	bool breakpoint;   /* such a breakpoint ends the text before a summary */
	const char *cache; /* lifetime of cache marks, "5m" or "1h"; NULL: no marks */
	struct ctx_render_report *report; /* filled in on success; NULL: not needed */
};

/* Append the request body, one line without a newline at the end. The same input gives
 * the same bytes; no number is rewritten. CTX_EANSWER, with the message and the reason,
 * for what cannot be sent: no user message, a first message that is not the user's, a
 * last one of the assistant, a call without result, a result without call, a second
 * result. CTX_EUSAGE when params hold messages or contents. On errors nothing is added.
 *
 * Order: the members of params, then system text, prefix, summary, history. Volatile items
 * of any role become parts in front of the text of their user message, where they stay
 * for the rest of the turn, except those inside, which are messages of their own. System and developer messages of the other slots make up the
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

/* Additions with a tool's definition (ctx_message_tool) are added to the tools after
 * those of params, unless params has a tool of that name; they are not part of the
 * text. */

/* Returns the tokens that params (valid JSON) add to a body: tool definitions and system
 * text. */
int64_t ctx_render_params_tokens(struct ctx_tokenizer *t, struct ctx_span params);

/* Appends the message that tells in words what a provider's summary (message, valid JSON)
 * says; nothing if it is not one. Returns false if only its provider can read it. */
bool ctx_render_tell_compaction(struct ctx_span message, struct ctx_buf *out);

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

/* Appends one prompt of plain text with sections separated by empty lines: prefix,
 * summary, history, volatile additions, topic, the message that starts the current turn,
 * the messages after it, and instructions (the note of that name). Errors as above. */
int ctx_render_prompt(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err);

#endif
