/* A window with its additions in place, cut to what fits. */
#ifndef CTX_ENRICH_ARRANGE_H
#define CTX_ENRICH_ARRANGE_H

#include "enrich/enrich.h"
#include "record/stream.h"
#include "select/select.h"

struct ctx_enriched {
	struct ctx_tokenizer *tokenizer;     /* given */
	struct ctx_enrich_message *messages; /* messages of the stream, borrowed */
	size_t *record_of;                   /* message -> record */
	size_t n, turn;                      /* turn: see ctx_enrich_window */
	const struct ctx_addition *additions;
	size_t n_additions;
	struct ctx_history history; /* messages and additions, in order */
	struct ctx_span *sources;   /* of its items */
	size_t *item_of;            /* for each addition, its index in history */
};

/* Takes the messages of the stream. */
void ctx_enriched_init(
    struct ctx_enriched *w, const struct ctx_stream *in, struct ctx_tokenizer *tokenizer);
void ctx_enriched_release(struct ctx_enriched *w);

/* Puts the additions (borrowed) in place: those of the prefix first, volatile ones before
 * the message that they belong to. Counts all of them and keeps all of them. */
int ctx_enriched_arrange(struct ctx_enriched *w, const struct ctx_stream *in,
    const struct ctx_addition *additions, size_t n_additions, struct ctx_err *err);

/* Returns the tokens of the stream's messages. */
int64_t ctx_enriched_window_tokens(struct ctx_enriched *w, const struct ctx_stream *in);

/* The reason in the source of the note on how to use entities; the note is left out when
 * no entities are. */
#define CTX_ENRICH_FOR_ENTITIES "entities"

/* The reason in the source of a prompt module that belongs to every mode. */
#define CTX_ENRICH_EVERY_MODE "every mode"

/* Keeps the volatile additions that fit into tokens (-1: no limit), the most useful
 * first. */
void ctx_enriched_fit(struct ctx_enriched *w, int64_t tokens);

/* Tokens of its message. */
int64_t ctx_addition_tokens(
    const struct ctx_addition *a, struct ctx_tokenizer *tokenizer);

/* Returns how many of the tokens remain for entities after the additions that precede
 * them. Older history comes last and is not counted. */
int64_t ctx_additions_left_for_entities(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, int64_t tokens);
int64_t ctx_additions_left(const struct ctx_addition *list, size_t n,
    struct ctx_tokenizer *tokenizer, int64_t tokens);

/* Returns the cost of the additions that are placed after the entities, and of the note
 * on how to use entities. */
int64_t ctx_additions_behind_entities(
    const struct ctx_addition *list, size_t n, struct ctx_tokenizer *tokenizer);

#endif
