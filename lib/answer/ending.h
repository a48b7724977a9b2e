/* Why an answer ended, in one table for all providers, whole or streamed. */
#ifndef CTX_ANSWER_ENDING_H
#define CTX_ANSWER_ENDING_H

#include "record/provider.h"

enum ctx_ending {
	CTX_ENDING_COMPLETE,
	CTX_ENDING_PARTIAL, /* a limit cut it off: stored, and reported */
	CTX_ENDING_REFUSED, /* the provider or the model refused: stored, and reported */
	CTX_ENDING_FAILED,  /* not an answer: nothing is stored */
	CTX_ENDING_PENDING, /* not an answer yet: nothing is stored */
};

/* reason: finish_reason, stop_reason, finishReason, or status and incomplete_details of
 * a response; NULL for none. An unknown reason ends a complete answer. Sources: the API
 * references "The chat completion object", "Handling stop reasons" (Anthropic),
 * "FinishReason" (Gemini), "The response object". */
enum ctx_ending ctx_answer_ending(enum ctx_provider provider, const char *reason);

#endif
