/* Puts additions (texts that ctx-enrich adds to a request) into a window, and drops the
 * additions that do not fit. */
#ifndef CTX_ENRICH_ARRANGE_H
#define CTX_ENRICH_ARRANGE_H

#include "enrich/enrich.h"
#include "record/stream.h"
#include "select/select.h"

struct ctx_enriched {
	struct ctx_tokenizer *tokenizer;     /* set by the caller */
	struct ctx_enrich_message *messages; /* messages of the stream, borrowed */
	size_t *record_of; /* for each message, the index of its record in the stream */
	/* n: number of messages; turn: index of the message that begins the current turn,
	 * as set by ctx_enrich_window */
	size_t n, turn;
	const struct ctx_addition *additions;
	size_t n_additions;
	struct ctx_history history; /* messages and additions, in order */
	/* sources[i]: the "source" object of history.items[i], or absent */
	struct ctx_span *sources;
	size_t *item_of; /* for each addition, its index in history.items */
};

/* Initializes w with the messages of the stream. */
void ctx_enriched_init(
    struct ctx_enriched *w, const struct ctx_stream *in, struct ctx_tokenizer *tokenizer);
void ctx_enriched_release(struct ctx_enriched *w);

/* Places the additions (borrowed) among the messages: additions to the prefix at the
 * start, volatile additions before the message that begins the current turn. Counts the
 * tokens of each addition, and marks each addition as kept. */
int ctx_enriched_arrange(struct ctx_enriched *w, const struct ctx_stream *in,
    const struct ctx_addition *additions, size_t n_additions, struct ctx_err *err);

/* Returns the total number of tokens of the messages in the stream. */
int64_t ctx_enriched_window_tokens(struct ctx_enriched *w, const struct ctx_stream *in);

/* Value of the member "reason" in the "source" object of the note that tells the model
 * how to use entities. The note is left out if no entity is listed. */
#define CTX_ENRICH_FOR_ENTITIES "entities"

/* Value of the member "reason" in the "source" object of a prompt module that is added in
 * every mode. */
#define CTX_ENRICH_EVERY_MODE "every mode"

/* Keeps the most useful volatile additions, and drops the others, so that the kept
 * volatile additions together have at most this number of tokens (-1: no limit). */
void ctx_enriched_fit(struct ctx_enriched *w, int64_t tokens);

/* Returns the number of tokens of the addition's message. */
int64_t ctx_addition_tokens(
    const struct ctx_addition *a, struct ctx_tokenizer *tokenizer);

/* Returns how many of the available tokens remain after the volatile additions with
 * higher precedence. tokens: the number of available tokens. If entities is false,
 * returns the number that remains for the entity list. If entities is true, returns the
 * number that remains for older history; all other volatile additions have precedence
 * over older history. */
int64_t ctx_additions_left(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, bool entities, int64_t tokens);

/* Returns the total number of tokens of the volatile additions that have lower precedence
 * than the entity list, and of the note that tells the model how to use entities. */
int64_t ctx_additions_behind_entities(
    const struct ctx_addition *list, size_t n, struct ctx_tokenizer *tokenizer);

#endif
