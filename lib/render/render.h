/* Renders messages into request bodies for providers, and into text for people. These
 * functions use no store and do no I/O. The rules of the providers are listed in
 * ctx-lint(1). */
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

/* One message of a request. The items of a request are in the order of the input. A
 * volatile item (slot CTX_SLOT_VOLATILE) belongs to the next user message that starts a
 * turn or, if there is none, to the last user message that starts a turn. Prefix and
 * summary items may stand anywhere in the array. */
struct ctx_render_item {
	struct ctx_span message; /* the stored message, valid JSON; borrowed */
	enum ctx_slot slot;
	/* sequence number of the message, for error messages; -1 if unknown */
	int64_t seq;
	/* ms since the epoch, shown in text formats; CTX_TIME_NONE if unknown */
	int64_t created_at;
	/* if the message is an addition (a text added to the request): JSON object that
	 * says where the text comes from; otherwise absent */
	struct ctx_span source;
	/* true: the message is an interrupted answer that the model is to continue */
	bool paused;
	/* if the model stopped the answer for a reason that forbids sending the answer
	 * back, such as a refusal: this stop reason; otherwise NULL */
	const char *withheld;
	struct ctx_span metadata; /* metadata of the message record, or absent */
	/* true: the message's reasoning is not sent, because something before the message
	 * has changed since the model produced this reasoning (see ctx_bound_find) */
	bool unbound;
	bool sent; /* true: an earlier request of the run already contained the item */
	/* true: the item defines a tool that was added after the run had started; the
	 * definition is sent among the messages */
	bool late;
	/* true: the item is volatile, and is sent as a separate system message: before
	 * the user message to which it belongs or, for Anthropic, after that message */
	bool inside;
};

enum ctx_thinking { CTX_THINKING_AUTO, CTX_THINKING_KEEP, CTX_THINKING_STRIP };

/* The differences between a body and the stored messages. The caller owns the buffers. */
struct ctx_render_report {
	/* renamed tools: members of a JSON object without braces; key: name as sent,
	 * value: name as stored */
	struct ctx_buf names;
	/* parts that the provider does not accept, in order: elements {"seq","type"} of a
	 * JSON array, without brackets. If a whole answer is not sent, its element is
	 * {"seq","type":"answer","reason"}. */
	struct ctx_buf omitted;
};

struct ctx_render_options {
	enum ctx_provider provider;
	/* valid JSON object whose members are added to the body, or absent */
	struct ctx_span params;
	enum ctx_thinking thinking;
	/* true: the request does not contain all older messages, so only the thinking of
	 * the current turn is sent back */
	bool cut;
	/* true: render a transcript instead of a request. A transcript may begin and end
	 * with a message of any role, and may contain calls without a result. Results
	 * without a call are left out. */
	bool transcript;
	/* in_run: true if the request belongs to a run. reasoning_after: in a run,
	 * reasoning is sent back only for messages with a sequence number greater than
	 * this number. */
	bool in_run;
	int64_t reasoning_after;
	/* current time in ms since the epoch. Audio in an answer is sent back by its id
	 * until the audio expires; CTX_TIME_NONE: expiry is ignored. */
	int64_t now;
	/* the server that will receive the body; NULL: the provider's own server */
	const struct ctx_server *server;
	/* true (Responses only): use the old form of bodies, which does not follow the
	 * types of OpenAI's SDK; needed to reproduce old requests */
	bool untyped;
	/* true: the model accepts system messages among the messages of other roles */
	bool system_inside;
	/* true: rules and instructions that ctx-enrich added are sent as system messages
	 * among the messages of other roles (see ctx_bound_rules) */
	bool rules_inside;
	const char *cache_key; /* key for OpenAI's prompt cache, or NULL */
	/* true (OpenAI only): send the system text as an array of parts, because only a
	 * part can have a prompt cache breakpoint */
	bool system_parts;
	/* true: add OpenAI's prompt cache breakpoint after the system text that precedes
	 * a summary */
	bool breakpoint;
	/* lifetime of Anthropic's prompt cache marks, "5m" or "1h"; NULL: no marks are
	 * added */
	const char *cache;
	struct ctx_render_report *report; /* filled in on success; may be NULL */
};

/* Appends the request body, one line without a final newline. The same input always gives
 * the same bytes, and no number is rewritten.
 *
 * On error, returns -1 and appends nothing. The error is CTX_EANSWER if the request
 * cannot be sent: there is no user message, the first message is not a user message, the
 * last message is an assistant message, a call has no result, a result has no call, or a
 * call has two results. The error text names the message and the reason. The error is
 * CTX_EUSAGE if o->params contains messages (a member such as "messages" or "contents").
 *
 * Order: the members of o->params, then system text, prefix, summary, history. The system
 * text is formed from system and developer messages, in this order: those of the prefix,
 * those at the start of the history, and those of the summary. Later system messages stay
 * in their place; if the provider does not accept a system message there, its text is
 * sent as a user message. Volatile items of any role become parts before the text of
 * their user message; if their member "inside" is true, they are sent as separate system
 * messages. A summary that is not a system message is sent as a user message (OpenAI) or
 * merged into the first user message (other providers).
 *
 * An added item with a tool definition (ctx_message_tool) is not sent as text. The item's
 * tool is appended to the tools in o->params, except if o->params already has a tool of
 * that name.
 *
 * Results follow their calls directly, in the order of the calls. If several calls have
 * the same id, the id of the second call gets the suffix "_2", that of the third "_3",
 * and so on. The results with this id are assigned to these calls in order.
 *
 * A message in the provider's own format keeps the bytes of its members; members that a
 * request must not have are removed. Arguments of calls are copied as text. Text that is
 * not a JSON object becomes {"input": text}; empty text becomes {}. Images, PDF documents
 * and audio are sent where the provider accepts them. Of other parts, only the text is
 * sent; if a user message has such a part without text, the part becomes "[type]". If a
 * tool result cannot contain its images, they are sent in a user message after the
 * result. A true is_error becomes "Error: " before the text, or the key "error" of an
 * object.
 *
 * Thinking is sent only to the provider that signed it, unchanged. Unsigned thinking is
 * sent only with CTX_THINKING_KEEP. An exception is Mistral's thinking: with
 * CTX_THINKING_AUTO or CTX_THINKING_KEEP, it is sent back to the model that produced it.
 * Blank text (empty or only white space) is omitted, and so are messages that have no
 * other content. An exception is blank text in user messages for OpenAI, which OpenAI
 * accepts. */
int ctx_render_body(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_err *err);

/* Returns the number of tokens that the user's parameters (params, valid JSON) add to a
 * body: the tokens of the tool definitions and of the system text. */
int64_t ctx_render_params_tokens(struct ctx_tokenizer *t, struct ctx_span params);

/* If message (valid JSON) is a conversation summary that a provider made, appends a user
 * message that contains the text of the summary. If only that provider can read the
 * summary, the user message contains a remark about this in place of the text. Appends
 * nothing for any other message. Returns true if the text of the summary was appended. */
bool ctx_render_tell_compaction(struct ctx_span message, struct ctx_buf *out);

/* These functions append the messages in formats for people. ctx_render_text appends the
 * role and the text of each message. ctx_render_markdown appends a transcript: texts are
 * block quotes, and tool calls and results are code fences.
 *
 * Text that could be mistaken for the start of another message is quoted. Thinking is
 * omitted. Control characters are printed as \xNN. The order is: prefix, system messages
 * that open the history, summary, then the history with its volatile items. The functions
 * return -1 with CTX_EINPUT, and append nothing, if an item is not a valid message. */
int ctx_render_text(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err);
int ctx_render_markdown(struct ctx_buf *out, const struct ctx_render_item *items,
    size_t n, struct ctx_err *err);

/* Appends one plain-text prompt. It consists of sections separated by empty lines:
 * prefix, summary, history, volatile items, additions of type "topic", the message that
 * starts the current turn, the messages after it, and the note with the name
 * "instructions". Returns -1 with CTX_EINPUT, and appends nothing, if an item is not a
 * valid message. */
int ctx_render_prompt(struct ctx_buf *out, const struct ctx_render_item *items, size_t n,
    struct ctx_err *err);

#endif
