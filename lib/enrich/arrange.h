/* Puts additions into a window and drops those that do not fit. */
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
	struct ctx_span *sources;   /* sources of the items, parallel to history.items */
	size_t *item_of;            /* for each addition, its index in history.items */
};

/* Initializes w with the messages of the stream. */
void ctx_enriched_init(
    struct ctx_enriched *w, const struct ctx_stream *in, struct ctx_tokenizer *tokenizer);
void ctx_enriched_release(struct ctx_enriched *w);

/* Places the additions (borrowed) among the messages: those of the prefix slot first,
 * volatile ones before the message that they belong to. Counts the tokens of every
 * addition and marks every addition as kept. */
int ctx_enriched_arrange(struct ctx_enriched *w, const struct ctx_stream *in,
    const struct ctx_addition *additions, size_t n_additions, struct ctx_err *err);

/* Returns the tokens of the stream's messages. */
int64_t ctx_enriched_window_tokens(struct ctx_enriched *w, const struct ctx_stream *in);

/* The "reason" of the note that says how to use entities. The note is left out if no
 * entity is listed. */
#define CTX_ENRICH_FOR_ENTITIES "entities"

/* The "reason" of a prompt module that belongs to every mode. */
#define CTX_ENRICH_EVERY_MODE "every mode"

/* Keeps the most useful volatile additions that fit into tokens (-1: no limit) and drops
 * the others. */
void ctx_enriched_fit(struct ctx_enriched *w, int64_t tokens);

/* Returns the tokens of the addition's message. */
int64_t ctx_addition_tokens(
    const struct ctx_addition *a, struct ctx_tokenizer *tokenizer);

/* Return how many of the given tokens remain: for entities, after the additions that have
 * precedence over them; or after all additions. Older history, which comes last, is not
 * counted. */
int64_t ctx_additions_left_for_entities(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, int64_t tokens);
int64_t ctx_additions_left(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, int64_t tokens);

/* Returns the tokens of the volatile additions that are placed after the entities, and of
 * the note that says how to use entities. */
int64_t ctx_additions_behind_entities(
    const struct ctx_addition *list, size_t n, struct ctx_tokenizer *tokenizer);

#endif
