/* Puts additions (texts that ctx-enrich adds to a request) into a window, and drops the
 * additions that do not fit. Additions to the prefix are placed at the start of the
 * window; volatile additions, before the message that begins the current turn. */
#ifndef CTX_ENRICH_ARRANGE_H
#define CTX_ENRICH_ARRANGE_H

#include "enrich/enrich.h"
#include "record/stream.h"
#include "select/select.h"

struct ctx_enriched {
	struct ctx_tokenizer *tokenizer; /* set by the caller */
	/* the messages of the window, in order; their texts are borrowed */
	struct ctx_enrich_message *messages;
	/* record_of[i]: index of the record of messages[i] among the records of the
	 * window */
	size_t *record_of;
	/* n: number of messages; turn: index of the message that begins the current turn,
	 * as set by ctx_enrich_window */
	size_t n, turn;
	const struct ctx_addition *additions;
	size_t n_additions;
	struct ctx_history history; /* messages and additions, in order */
	/* sources[i]: the "source" object of the record or addition that is
	 * history.items[i]; may be absent */
	struct ctx_span *sources;
	size_t *item_of; /* item_of[i]: index of additions[i] in history.items */
};

/* Initializes *w with the messages of a window. in: the records of the window. */
void ctx_enriched_init(
    struct ctx_enriched *w, const struct ctx_stream *in, struct ctx_tokenizer *tokenizer);
void ctx_enriched_release(struct ctx_enriched *w);

/* Places the additions (borrowed) among the messages: additions to the prefix at the
 * start, volatile additions before the message that begins the current turn. Counts the
 * tokens of each addition. Sets the member "keep" of all items in w->history to true.
 * Returns 0, or -1 with err set. */
int ctx_enriched_arrange(struct ctx_enriched *w, const struct ctx_stream *in,
    const struct ctx_addition *additions, size_t n_additions, struct ctx_err *err);

/* Returns the total number of tokens of the messages in the window. */
int64_t ctx_enriched_window_tokens(struct ctx_enriched *w, const struct ctx_stream *in);

/* The note that tells the model how to use entities has this value as "reason" in its
 * "source" object. The note is left out if no entity is listed. */
#define CTX_ENRICH_FOR_ENTITIES "entities"

/* A prompt module that is added in every mode has this value as "reason" in its "source"
 * object. */
#define CTX_ENRICH_EVERY_MODE "every mode"

/* Keeps the most useful volatile additions, and drops the others, so that the kept
 * volatile additions together have at most this number of tokens (-1: no limit). */
void ctx_enriched_fit(struct ctx_enriched *w, int64_t tokens);

/* Returns the number of tokens of the addition's message. */
int64_t ctx_addition_tokens(
    const struct ctx_addition *a, struct ctx_tokenizer *tokenizer);

/* Returns how many tokens remain after the volatile additions in the list that have
 * precedence. tokens: number of tokens before. If entities is false, the additions that
 * have precedence over the entity list are subtracted. If entities is true, all volatile
 * additions are subtracted, so that the result is what remains for older history. */
int64_t ctx_additions_left(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, bool entities, int64_t tokens);

/* Returns the total number of tokens of the note that tells the model how to use
 * entities, and of the volatile additions over which the entity list has precedence. */
int64_t ctx_additions_behind_entities(
    const struct ctx_addition *list, size_t n, struct ctx_tokenizer *tokenizer);

#endif
