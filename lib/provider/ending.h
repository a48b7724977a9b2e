/* Stop reasons: the reasons that providers give for the end of an answer. Each provider
 * has a table of its stop reasons (provider/NAME/facts.c). */
#ifndef CTX_PROVIDER_ENDING_H
#define CTX_PROVIDER_ENDING_H

#include "provider/provider.h"

enum ctx_ending {
	CTX_ENDING_COMPLETE,
	/* A limit ended the answer early. The answer is stored, and the limit is
	 * reported. */
	CTX_ENDING_PARTIAL,
	/* The provider or the model refused to answer. The answer is stored, and the
	 * refusal is reported. */
	CTX_ENDING_REFUSED,
	CTX_ENDING_FAILED,  /* There is no answer. Nothing is stored. */
	CTX_ENDING_PENDING, /* The answer is not ready yet. Nothing is stored. */
};

/* What later requests do with a stored answer. */
enum ctx_next {
	CTX_NEXT_NONE, /* nothing was stored, so there is nothing to send */
	CTX_NEXT_SEND, /* send the answer like any other */
	/* send the answer; if it is the last message of the request, the model continues
	 * it */
	CTX_NEXT_RESUME,
	CTX_NEXT_WITHHOLD, /* do not send the answer; it stays in the store */
};

/* A row of a provider's table of stop reasons: a reason and its consequences. A row
 * whose reason is NULL ends the table. */
struct ctx_answer_ending {
	const char *reason;
	enum ctx_ending ending;
	enum ctx_next next;
};

/* Returns how an answer with this stop reason ended. If reason is NULL (the answer has
 * no stop reason) or unknown, returns CTX_ENDING_COMPLETE. The stop reason is the
 * finish_reason, stop_reason or finishReason in the answer; for OpenAI's Responses API,
 * it is the status and incomplete_details of the response. Sources: the API references
 * "The chat completion object", "Handling stop reasons" (Anthropic), "FinishReason"
 * (Gemini), "The response object". */
enum ctx_ending ctx_answer_ending(enum ctx_provider provider, const char *reason);

/* Returns what later requests do with a stored answer. metadata is the metadata of the
 * answer's record (JSON, or absent). The result depends on the provider and the stop
 * reason in the metadata. If the provider or the stop reason is missing or unknown,
 * returns CTX_NEXT_SEND. Sets *name to the stop reason (a static string), or to NULL if
 * the stop reason is not in the provider's table. */
enum ctx_next ctx_answer_next(struct ctx_span metadata, const char **name);

#endif
