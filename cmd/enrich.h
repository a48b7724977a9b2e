/* Private to ctx-enrich: functions that its files share. */
#ifndef CTX_CMD_ENRICH_H
#define CTX_CMD_ENRICH_H

#include "cli.h"
#include "enrich/arrange.h"
#include "enrich/enrich.h"

/* Implements --explain (enrich_explain.c): for each addition (a text that ctx-enrich adds
 * to the request), prints why it was made or left out. Also prints the candidates that
 * were not chosen, the mode, and the tokens of each part. room: the token limit for
 * additions to the message; -1: no limit. */
void enrich_explain(
    const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room);

/* Prints a note if additions (texts that ctx-enrich adds to the request) were left out
 * because of the token limit. The note names these additions, and the options that raise
 * the limit. room: the limit in tokens; -1: no limit. */
void enrich_note_room(
    const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room);

#endif
