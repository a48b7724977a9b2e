/* Reads a provider's answer, whole or as an event stream, while it arrives. Pure: it is
 * fed with bytes and does no I/O. */
#ifndef CTX_ANSWER_ANSWER_H
#define CTX_ANSWER_ANSWER_H

#include "provider/ending.h"
#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"

/* A complete answer. Owned by the caller; release it with ctx_answer_release. */
struct ctx_answer {
	/* The assistant message, JSON without white space between its tokens; it passes
	 * ctx_json_check and ctx_message_parse. Numbers, escapes and unknown members are as
	 * the provider spelled them; nothing is read into doubles.
	 * OpenAI: choices[0].message; the deltas of a stream are put together member by
	 * member, strings appended, tool calls by index.
	 * Anthropic: role and content; a tool's input is the text that its pieces make.
	 * Gemini: role "assistant" and content blocks:
	 *   text                {"type":"text","text":…}
	 *   text, thought:true  {"type":"thought","text":…}, never Anthropic's "thinking"
	 *   functionCall        {"type":"tool_use","id":…,"name":…,"input":ARGS}; an id that
	 *                       is missing is call_HASH_N, from responseId and its place
	 *   inlineData, image/… {"type":"image","source":{"type":"base64",…}}
	 *   any other           {"type":"part", and the members of the part}
	 * each followed by the part's other members, so a thoughtSignature stays on the part
	 * that it came on. In a stream, unsigned text that follows text of the same kind is
	 * joined to it. Text that is empty and unsigned is left out.
	 * Responses: role "assistant" and content blocks, one per item or part of one:
	 *   output_text         {"type":"text","text":…,"annotations":…,"item_id":…}
	 *   refusal             {"type":"refusal","refusal":…,"item_id":…}
	 *   function_call       {"type":"tool_use","id":CALL_ID,"name":…,"input":ARGS,
	 *                        "item_id":…}
	 *   custom_tool_call    the same, "input":{"input":TEXT},"item_type":…
	 *   any other           the item as it is: reasoning, web_search_call, …
	 * Interactions: see provider/interactions/answer.c */
	struct ctx_buf message;
	struct ctx_buf usage; /* JSON object as the provider sent it; empty if none */
	/* JSON object with other members of the answer that a later request or a reader
	 * may need: stop_details, container, input_transformations, …; empty if there are
	 * none */
	struct ctx_buf details;
	char *id;               /* the provider's id of the answer, or NULL */
	char *model;            /* or NULL */
	char *stop_reason;      /* finish_reason, stop_reason, finishReason; or NULL */
	enum ctx_ending ending; /* complete, partial or refused */
	bool cut;               /* it ends in a call that was cut off: a block cut_call */
	/* answers that the provider gave (n, candidateCount), of which this is the first; 0
	 * where a provider gives one only */
	size_t choices;
	bool followed; /* the stream contained another answer after this one */
	/* From usage; -1: unknown. Input includes cached tokens; output includes
	 * thinking. */
	int64_t input_tokens, output_tokens;
};

#define CTX_ANSWER_INIT                                                     \
	{                                                                   \
		CTX_BUF_INIT, CTX_BUF_INIT, CTX_BUF_INIT, NULL, NULL, NULL, \
		    CTX_ENDING_COMPLETE, false, 0, false, -1, -1            \
	}

void ctx_answer_release(struct ctx_answer *a);

/* Renames the tools that the answer calls: fn gets each name (a JSON string) and can
 * append a new name to out, also as a JSON string. */
typedef void ctx_answer_name_fn(void *arg, struct ctx_span name, struct ctx_buf *out);
void ctx_answer_rename(struct ctx_answer *a, ctx_answer_name_fn *fn, void *arg);

/* A reader of one answer. text (may be NULL) is called with each piece of the answer's
 * text (UTF-8, whole characters) as soon as it is known; the pieces together are the text
 * that ctx_message_text returns. For a whole body it is called once at the end. The
 * pieces are not a complete answer until ctx_answer_finish succeeds. */
struct ctx_answer_reader;
struct ctx_answer_reader *ctx_answer_reader_new(enum ctx_provider provider,
    void (*text)(void *arg, struct ctx_span piece), void *arg);
void ctx_answer_reader_free(struct ctx_answer_reader *r);

/* Takes the next bytes of the input, which may be cut anywhere. The first character decides
 * what the input is: '{' a body, '[' an array of chunks (Gemini without alt=sse), anything
 * else an event stream (WHATWG server-sent events; lines end in CR, LF or CRLF). CTX_EIO for
 * an error event, a damaged stream or more than 256 MiB; the message is the provider's, if it
 * sent one. After an error every further call fails. */
int ctx_answer_feed(
    struct ctx_answer_reader *r, const void *p, size_t n, struct ctx_err *err);

/* Ends the input and sets *out to the answer. On error CTX_EIO is set and *out is untouched.
 * It is an error if the input
 * - is an error body (the message is the provider's) or no answer at all (the message quotes
 *   its beginning);
 * - holds no answer: only blank text or null, no blocks, or a blocked prompt;
 * - is a stream without its end: for OpenAI a finish_reason or [DONE]; for Anthropic
 *   message_stop, or a stop_reason after which no block is open; for Gemini a finishReason;
 *   for Responses response.completed or response.incomplete;
 * - ended for a reason that makes it no answer (provider/ending.h);
 * - has a tool call without a name. A call without an id gets one.
 * The empty line after the last event may be missing. Call this once for each reader. */
int ctx_answer_finish(
    struct ctx_answer_reader *r, struct ctx_answer *out, struct ctx_err *err);

#endif
