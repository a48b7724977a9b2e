/* A window with its additions in their places, and what of them fits. */
#ifndef CTX_ENRICH_ARRANGE_H
#define CTX_ENRICH_ARRANGE_H

#include "enrich/enrich.h"
#include "record/stream.h"
#include "select/select.h"

struct ctx_enriched {
	struct ctx_tokenizer *tokenizer;     /* given */
	struct ctx_enrich_message *messages; /* those of the stream, which is borrowed */
	size_t *record_of;                   /* message -> record */
	size_t n, turn;                      /* turn: as ctx_enrich_window says */
	const struct ctx_addition *additions;
	size_t n_additions;
	struct ctx_history history; /* messages and additions, in order */
	struct ctx_span *sources;   /* of its items */
	size_t *item_of;            /* addition -> item of the history */
};

/* Take the messages of the stream. */
void ctx_enriched_init(
    struct ctx_enriched *w, const struct ctx_stream *in, struct ctx_tokenizer *tokenizer);
void ctx_enriched_release(struct ctx_enriched *w);

/* Put the additions (borrowed) in their places: those of the prefix first, volatile ones
 * before the message that they are for. Everything is counted and kept. */
int ctx_enriched_arrange(struct ctx_enriched *w, const struct ctx_stream *in,
    const struct ctx_addition *additions, size_t n_additions, struct ctx_err *err);

/* Tokens of the messages of the stream. */
int64_t ctx_enriched_window_tokens(struct ctx_enriched *w, const struct ctx_stream *in);

/* Why a note is in that says how to use the entities: without them it is not. */
#define CTX_ENRICH_FOR_ENTITIES "entities"

/* Keep what fits of the volatile additions, so many tokens together (-1: all), in the
 * order of their use to the model. */
void ctx_enriched_fit(struct ctx_enriched *w, int64_t tokens);

/* Tokens of its message. */
int64_t ctx_addition_tokens(
    const struct ctx_addition *a, struct ctx_tokenizer *tokenizer);

/* What ctx_enriched_fit leaves of so many tokens for the entities, once what comes before
 * them is in, and for older history, which comes last. */
int64_t ctx_additions_left_for_entities(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, int64_t tokens);
int64_t ctx_additions_left(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, int64_t tokens);

/* What those cost that find room after the entities, and the note on how to use these. */
int64_t ctx_additions_behind_entities(
    const struct ctx_addition *list, size_t n, struct ctx_tokenizer *tokenizer);

#endif
