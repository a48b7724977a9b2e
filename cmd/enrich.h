/* Inside of ctx-enrich: what the parts of the program share. */
#ifndef CTX_CMD_ENRICH_H
#define CTX_CMD_ENRICH_H

#include "cli.h"
#include "enrich/arrange.h"
#include "enrich/enrich.h"

/* Prints why each addition was made or left out, the candidates that were not chosen,
 * the mode, and the tokens of each part. room is the token limit for additions to the
 * message; -1: none (enrich_explain.c). */
void enrich_explain(
    const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room);

/* Prints a note about additions that were left out completely for lack of tokens, and
 * how to make room for them. */
void enrich_note_room(
    const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room);

#endif
