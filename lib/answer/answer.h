/* Parses a provider's answer while the bytes of the answer arrive. The input is a whole
 * body or a stream. The caller passes the bytes; these functions do no I/O. */
#ifndef CTX_ANSWER_ANSWER_H
#define CTX_ANSWER_ANSWER_H

#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"

/* A parsed answer. The caller owns the answer and releases it with ctx_answer_release. */
struct ctx_answer {
	/* The assistant message: minified JSON that passes ctx_json_check and
	 * ctx_message_parse. Numbers, escapes and unknown members are copied as the
	 * provider wrote them. The file provider/NAME/answer.c describes the content of
	 * the message. */
	struct ctx_buf message;
	/* the token usage: a JSON object, verbatim from the provider; empty if the
	 * provider sent no usage */
	struct ctx_buf usage;
	/* JSON object with other members of the answer (stop_details, container,
	 * input_transformations, …), for later requests and for readers; empty if the
	 * answer has none of them */
	struct ctx_buf details;
	char *id;    /* the id that the provider gave the answer; NULL: not stated */
	char *model; /* name of the model that answered; NULL: not stated */
	/* why the provider ended the answer (finish_reason, stop_reason or finishReason);
	 * NULL: not stated */
	char *stop_reason;
	enum ctx_ending ending; /* how the answer ended: complete, partial or refused */
	/* true: the answer ends in an incomplete tool call, which the message contains as
	 * a block of the type "cut_call" */
	bool cut;
	/* number of alternative answers that the provider returned (OpenAI: n; Gemini:
	 * candidateCount), of which this answer is the first; 0 if the API has no
	 * alternative answers */
	size_t choices;
	/* true: the stream went on with another answer, which was ignored */
	bool followed;
	/* Numbers of tokens, from the usage that the provider sent; -1: unknown. The
	 * input tokens include cached tokens; the output tokens include thinking
	 * tokens. */
	int64_t input_tokens, output_tokens;
};

#define CTX_ANSWER_INIT                                                     \
	{                                                                   \
		CTX_BUF_INIT, CTX_BUF_INIT, CTX_BUF_INIT, NULL, NULL, NULL, \
		    CTX_ENDING_COMPLETE, false, 0, false, -1, -1            \
	}

void ctx_answer_release(struct ctx_answer *a);

/* ctx_answer_rename renames the tools that an answer calls. It calls fn with the name of
 * each of these tools (a JSON string). To rename the tool, fn appends the new name to
 * *out, also as a JSON string; to keep the name, fn appends nothing. */
typedef void ctx_answer_name_fn(void *arg, struct ctx_span name, struct ctx_buf *out);
void ctx_answer_rename(struct ctx_answer *a, ctx_answer_name_fn *fn, void *arg);

/* A parser for one answer. It calls the callback text() (may be NULL) with each piece of
 * the answer's text as soon as the piece has arrived. A piece consists of whole UTF-8
 * characters. For a whole body, text() is called only once, at the end. All pieces
 * together equal the text that ctx_message_text returns. Until ctx_answer_finish
 * succeeds, the pieces are not a complete answer. */
struct ctx_answer_reader;
struct ctx_answer_reader *ctx_answer_reader_new(enum ctx_provider provider,
    void (*text)(void *arg, struct ctx_span piece), void *arg);
void ctx_answer_reader_free(struct ctx_answer_reader *r);

/* Parses the next n bytes of the input. The input may be split into calls at any byte.
 * The first character of the input decides its format:
 * - '{': a whole body, or the JSON lines of Ollama's API;
 * - '[': an array of chunks (generateContent without alt=sse);
 * - any other character: a stream of server-sent events (WHATWG), whose lines end in CR,
 * LF or CRLF.
 * Returns 0, or -1 with CTX_EIO if the input contains an error event, is damaged or is
 * longer than 256 MiB. If the provider sent an error message, err contains it. After an
 * error, all further calls fail. */
int ctx_answer_feed(
    struct ctx_answer_reader *r, const void *p, size_t n, struct ctx_err *err);

/* Ends the input, sets *out to the answer, and returns 0. On error, returns -1 with
 * CTX_EIO and leaves *out unchanged. It is an error if the input
 * - is an error body (the error text is then the provider's message);
 * - is not an answer of this provider (the error text then quotes the beginning of the
 *   input);
 * - has no content: only blank text or null, no blocks, or a blocked prompt;
 * - is a stream that stopped before its end (each provider marks the end in its own
 *   way);
 * - has a stop reason that makes the answer unusable (ctx_answer_ending);
 * - has a tool call without a name.
 * A tool call without an id gets a new id. The empty line after the last event may be
 * missing. Call this function once for each reader. */
int ctx_answer_finish(
    struct ctx_answer_reader *r, struct ctx_answer *out, struct ctx_err *err);

#endif
