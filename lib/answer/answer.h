/* Answers: what a provider returned, whole or as an event stream, read as it arrives.
 * Pure: fed with bytes, no I/O. */
#ifndef CTX_ANSWER_ANSWER_H
#define CTX_ANSWER_ANSWER_H

#include "base/buf.h"
#include "base/err.h"
#include "record/provider.h"

/* What a complete answer says. Owned by the caller: ctx_answer_release. */
struct ctx_answer {
	/* The assistant message, JSON. From OpenAI: choices[0].message, verbatim where the
	 * body was whole. From Anthropic: role and content, verbatim blocks. From Gemini: role
	 * "assistant" and content blocks in Anthropic's shape, a thoughtSignature kept on the
	 * block of the part that it came on. */
	struct ctx_buf message;
	struct ctx_buf usage;   /* JSON object as the provider gave it; empty when none */
	char *id;               /* the provider's id of the answer, or NULL */
	char *model;            /* or NULL */
	char *stop_reason;      /* finish_reason, stop_reason, finishReason; or NULL */
	int64_t input_tokens, output_tokens;   /* from usage; -1 unknown */
};

#define CTX_ANSWER_INIT {CTX_BUF_INIT, CTX_BUF_INIT, NULL, NULL, NULL, -1, -1}

void ctx_answer_release(struct ctx_answer *a);

/* A reader of one answer. text, when not NULL, is called with each piece of the
 * answer's text (UTF-8, whole characters) as it becomes known. */
struct ctx_answer_reader;
struct ctx_answer_reader *ctx_answer_reader_new(enum ctx_provider provider,
    void (*text)(void *arg, struct ctx_span piece), void *arg);
void ctx_answer_reader_free(struct ctx_answer_reader *r);

/* The next bytes, cut anywhere. A body (first character '{' or '[') or an event stream
 * (WHATWG server-sent events: data:, event:, comments, CR, LF or CRLF ends) is told
 * apart by itself. CTX_EIO for what is neither, for an error event, for more than
 * 256 MiB; the message is the provider's own where it gave one. */
int ctx_answer_feed(struct ctx_answer_reader *r, const void *p, size_t n,
    struct ctx_err *err);

/* The input has ended. CTX_EIO when it was an error body (the message is the
 * provider's), when it held no answer, or when a stream lacks its end: OpenAI a
 * finish_reason, Anthropic message_stop, Gemini a finishReason. */
int ctx_answer_finish(struct ctx_answer_reader *r, struct ctx_answer *out,
    struct ctx_err *err);

#endif
