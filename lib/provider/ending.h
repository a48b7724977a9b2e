/* The reasons for which answers end, whole or streamed; each provider has a table of them
 * (provider/NAME/facts.c). */
#ifndef CTX_PROVIDER_ENDING_H
#define CTX_PROVIDER_ENDING_H

#include "provider/provider.h"

enum ctx_ending {
	CTX_ENDING_COMPLETE,
	CTX_ENDING_PARTIAL, /* a limit cut it off: stored and reported */
	CTX_ENDING_REFUSED, /* the provider or the model refused: stored and reported */
	CTX_ENDING_FAILED,  /* not an answer: nothing is stored */
	CTX_ENDING_PENDING, /* not an answer yet: nothing is stored */
};

/* What happens to the answer in the next request. */
enum ctx_next {
	CTX_NEXT_NONE,     /* there is none */
	CTX_NEXT_SEND,     /* it is sent like any other */
	CTX_NEXT_RESUME,   /* it may be the last message: the model continues it */
	CTX_NEXT_WITHHOLD, /* it stays in the store and is not sent */
};

/* A row of a provider's table; reason NULL ends it. */
struct ctx_answer_ending {
	const char *reason;
	enum ctx_ending ending;
	enum ctx_next next;
};

/* reason: finish_reason, stop_reason, finishReason, or status and incomplete_details of
 * a response; NULL for none. An unknown reason ends a complete answer. Sources: the API
 * references "The chat completion object", "Handling stop reasons" (Anthropic),
 * "FinishReason" (Gemini), "The response object". */
enum ctx_ending ctx_answer_ending(enum ctx_provider provider, const char *reason);

/* Returns what happens to a stored answer, by the provider and the stop reason in its
 * record's metadata (JSON, or absent); without them it is sent. *name is set to the reason
 * in static memory, or NULL if it is not in the provider's table. */
enum ctx_next ctx_answer_next(struct ctx_span metadata, const char **name);

#endif
