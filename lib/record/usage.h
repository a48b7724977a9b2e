/* The usage that a provider or a tool reported for an answer, in one shape. */
#ifndef CTX_RECORD_USAGE_H
#define CTX_RECORD_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_usage {
	int64_t input;      /* all input tokens: read, written and neither */
	int64_t read;       /* tokens read from a cache */
	int64_t written;    /* tokens written to a cache; 0 if not reported */
	int64_t written_1h; /* of these, for an hour or longer */
	int64_t uncached;   /* neither read nor written */
	int64_t output;
};

/* Reads usage of the shape of Anthropic, OpenAI (Chat or Responses), Gemini or an agent.
 * Returns false if it is of none of them. */
bool ctx_usage_read(struct ctx_usage *u, struct ctx_span usage);

/* Appends what a cut cost, in words: the tokens that its request did not read from a cache.
 * Nothing if usage is of no known shape. */
void ctx_usage_put_cut(struct ctx_buf *out, struct ctx_span usage);

#endif
