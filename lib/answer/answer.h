/* Parses a provider's answer, a whole body or an event stream, while it arrives. The
 * caller passes the bytes; these functions do no I/O. */
#ifndef CTX_ANSWER_ANSWER_H
#define CTX_ANSWER_ANSWER_H

#include "provider/ending.h"
#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"

/* A complete answer. The caller owns the answer and releases it with
 * ctx_answer_release. */
struct ctx_answer {
	/* The assistant message: minified JSON that passes ctx_json_check and
	 * ctx_message_parse. Numbers, escapes and unknown members keep the provider's
	 * spelling; no number passes through a double.
	 * What a message holds is described in provider/NAME/answer.c. */
	struct ctx_buf message;
	/* JSON object, verbatim from the provider; empty if the provider sent no usage */
	struct ctx_buf usage;
	/* JSON object with other members of the answer that a later request or a reader
	 * may need (stop_details, container, input_transformations, …); empty if the
	 * answer has no such members */
	struct ctx_buf details;
	char *id;          /* the provider's id of the answer; may be NULL */
	char *model;       /* may be NULL */
	char *stop_reason; /* finish_reason, stop_reason or finishReason; may be NULL */
	enum ctx_ending ending; /* how the answer ended: complete, partial or refused */
	/* true: the answer ends in an incomplete tool call, which the message contains as
	 * a block of type cut_call */
	bool cut;
	/* number of alternative answers that the provider returned (OpenAI: n; Gemini:
	 * candidateCount); this answer is the first of them. 0 if the API does not return
	 * alternatives */
	size_t choices;
	bool followed; /* true: the stream contained another answer after this answer */
	/* Tokens reported in usage; -1 if unknown. Input includes cached tokens; output
	 * includes thinking. */
	int64_t input_tokens, output_tokens;
};

#define CTX_ANSWER_INIT                                                     \
	{                                                                   \
		CTX_BUF_INIT, CTX_BUF_INIT, CTX_BUF_INIT, NULL, NULL, NULL, \
		    CTX_ENDING_COMPLETE, false, 0, false, -1, -1            \
	}

void ctx_answer_release(struct ctx_answer *a);

/* Renames the tools that the answer calls. fn is called with the name of each of these
 * tools (a JSON string). To rename the tool, fn appends the new name to *out, also as a
 * JSON string. */
typedef void ctx_answer_name_fn(void *arg, struct ctx_span name, struct ctx_buf *out);
void ctx_answer_rename(struct ctx_answer *a, ctx_answer_name_fn *fn, void *arg);

/* A parser for one answer. It calls the function text (may be NULL) with each piece of
 * the answer's text as soon as the piece is known, in whole UTF-8 characters. For a whole
 * body, the function is called once, at the end. All pieces together equal the text that
 * ctx_message_text returns. Until ctx_answer_finish succeeds, the pieces are not a
 * complete answer. */
struct ctx_answer_reader;
struct ctx_answer_reader *ctx_answer_reader_new(enum ctx_provider provider,
    void (*text)(void *arg, struct ctx_span piece), void *arg);
void ctx_answer_reader_free(struct ctx_answer_reader *r);

/* Parses the next n bytes of the input, which may be split anywhere. The first character
 * of the input decides its format:
 * - '{': a whole body;
 * - '[': an array of chunks (generateContent without alt=sse);
 * - any other character: a stream of server-sent events (WHATWG), whose lines end in CR, LF
 *   or CRLF.
 * Fails with CTX_EIO if the stream contains an error event, is damaged or is longer than
 * 256 MiB; err has the provider's error message if the provider sent one. After an error,
 * all further calls fail. */
int ctx_answer_feed(
    struct ctx_answer_reader *r, const void *p, size_t n, struct ctx_err *err);

/* Ends the input and sets *out to the answer. On error sets CTX_EIO and leaves *out
 * unchanged. It is an error if the input
 * - is an error body (the message is the provider's) or not an answer of this provider (the
 *   message quotes its beginning);
 * - has no content: only blank text or null, no blocks, or a blocked prompt;
 * - is a stream without its end, which each provider marks in its own way;
 * - ended for a reason that makes it unusable (provider/ending.h);
 * - has a tool call without a name. A call without an id is given one.
 * The empty line after the last event may be missing. Call this once for each reader. */
int ctx_answer_finish(
    struct ctx_answer_reader *r, struct ctx_answer *out, struct ctx_err *err);

#endif
