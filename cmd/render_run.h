/* Private to ctx-render: requests of a run. */
#ifndef CTX_CMD_RENDER_RUN_H
#define CTX_CMD_RENDER_RUN_H

#include "cli.h"

#include "base/hash.h"
#include "record/request.h"
#include "render/render.h"

/* Decides which reasoning goes back in the request q of a run, in how and items. turn: seq of
 * the message that begins the current turn; -1: none. replay: it was sent before, nothing is
 * warned of. digest is of what the answer will stand behind. */
int render_choose_reasoning(struct ctx_render_options *how, struct ctx_render_item *items,
    size_t n, const struct ctx_request *q, int64_t turn, bool replay,
    char digest[CTX_HASH_HEX + 1], struct ctx_err *err);

/* Puts that into the member "run" of the record. */
void render_note_run(struct ctx_request *q, int64_t reasoning_after, const char *digest);

#endif
