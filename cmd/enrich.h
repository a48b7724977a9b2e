/* Inside of ctx-enrich: what the parts of the program share. */
#ifndef CTX_CMD_ENRICH_H
#define CTX_CMD_ENRICH_H

#include "cli.h"
#include "enrich/arrange.h"
#include "enrich/enrich.h"

/* Of each addition why it is in, or out, and what was passed over; the mode; the tokens by part. room: of what goes
 * with the message, in tokens; -1: any (enrich_explain.c). */
void enrich_explain(
    const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room);

/* Note what had no room as a whole, and how there would be some. */
void enrich_note_room(
    const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room);

#endif
